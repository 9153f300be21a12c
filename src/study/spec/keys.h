// keys.h: the option keys that a spec may use: those of the agent's table and those of the environment's.
#ifndef SFNEC_STUDY_SPEC_KEYS_H
#define SFNEC_STUDY_SPEC_KEYS_H

#include <stdbool.h>

#include "base/arena.h"
#include "sfnec/sfnec.h"

// Whose option it is; as bits, so that a sum says where to look.
typedef enum sfnec_key_owner { SFNEC_KEY_AGENT = 1, SFNEC_KEY_ENV = 2 } sfnec_key_owner;

typedef struct sfnec_key {
  sfnec_key_owner owner;
  sfnec_option row; // with offset 0: the table of a struct that has this field alone
} sfnec_key;

// The option of that name, the agent's before the environment's; false if neither has it. max_episode_steps belongs to
// every environment.
bool sfnec_key_find(const sfnec_env_kind *kind, const char *name, sfnec_key *key);

// The nearest of the owners' names, or NULL if none is near.
const char *sfnec_key_nearest(const sfnec_env_kind *kind, int owners, const char *name);

// Checks a value. NULL if it is fine; *plain is then the value as the table writes it (0.10 is 0.1). Else the reason:
// "'0' is refused; it takes a whole number from 1 to 10000".
const char *sfnec_key_check(sfnec_arena *arena, const sfnec_key *key, const char *value, const char **plain);

#endif
