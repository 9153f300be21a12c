// new_env.h: the files that `sfnec new-env` starts from: those of examples/corridor, put into the binary by
// cmake/NewEnv.cmake.
#ifndef SFNEC_CLI_NEW_ENV_H
#define SFNEC_CLI_NEW_ENV_H

#include <stddef.h>

typedef struct new_env_file {
  const char *name;
  const unsigned char *bytes; // text, and a NUL after it
  size_t size;
} new_env_file;

extern const new_env_file new_env_files[]; // the last has name NULL

#endif
