// kinds.h: the built-in environments. A new one is one line here and one file that defines sfnec_env_<name>.
#ifndef SFNEC_ENV_KINDS_H
#define SFNEC_ENV_KINDS_H

#include "sfnec/env.h"

// clang-format off
#define SFNEC_ENV_KINDS(KIND) \
  KIND(four_rooms)            \
  KIND(one_room)              \
  KIND(cartpole)              \
  KIND(four_rooms_grid)       \
  KIND(navigation)
// clang-format on

#define SFNEC_ENV_DECLARE(name) extern const sfnec_env_kind sfnec_env_##name;
SFNEC_ENV_KINDS(SFNEC_ENV_DECLARE)
#undef SFNEC_ENV_DECLARE

#endif
