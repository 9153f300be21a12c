// kinds.h: the built-in environments, and whether a description of one can be used. A new one is one line here and one
// file that defines sfnec_env_<name>.
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

// Refuses a description that the library could not work with; it may come from a plugin. Fails with
// SFNEC_ERROR_ARGUMENT.
sfnec_status sfnec_env_kind_check(const sfnec_env_kind *kind);
// Bytes of the options struct of a kind that was checked.
size_t sfnec_env_kind_options_size(const sfnec_env_kind *kind);

#endif
