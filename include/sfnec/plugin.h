// plugin.h: your own environment as a shared object that the command loads: `sfnec run --env ./corridor.so`.
//
// Experimental. A plugin is one kind of environment (sfnec/env.h) and the line
//
//   SFNEC_ENV_PLUGIN(corridor_kind, NULL)
//
// after it. It is compiled with the public headers alone, and is not linked with the library: the program that loads it
// has all public functions (`cc -shared -fPIC corridor.c -o corridor.so -lm`). `sfnec new-env NAME` writes a folder to
// start from. A plugin stays loaded until the program ends. Several threads call its functions at once, each with its
// own environment.
#ifndef SFNEC_PLUGIN_H
#define SFNEC_PLUGIN_H

#include <stdint.h>

#include "sfnec/env.h"

#ifdef __cplusplus
extern "C" {
#endif

// Grows when a plugin that was compiled before can no longer be used. New functions at the end of sfnec_env_kind do not
// change it: an older plugin lacks them.
#define SFNEC_ENV_PLUGIN_ABI 3

typedef struct sfnec_env_plugin {
  uint32_t abi;               // SFNEC_ENV_PLUGIN_ABI
  uint32_t kind_size;         // sizeof(sfnec_env_kind) when it was compiled
  const sfnec_env_kind *kind; // its name is a word of a-z, 0-9, _ and -, and not that of a built-in one
  // The version of the environment in the identity of a job: results of two versions are never mixed. NULL: a digest of
  // the file, so that any change of the compiled code is another version. Give your own text (at most 63 characters)
  // if results must stay valid with another compiler; then change it whenever the environment changes.
  const char *version;
} sfnec_env_plugin;

// The function that every plugin exports.
#define SFNEC_ENV_PLUGIN_FUNCTION "sfnec_env_plugin_describe"

// clang-format off
#define SFNEC_ENV_PLUGIN(kind, version)                                                                       \
  SFNEC_VISIBLE const sfnec_env_plugin *sfnec_env_plugin_describe(void);                                      \
  const sfnec_env_plugin *sfnec_env_plugin_describe(void) {                                                   \
    static const sfnec_env_plugin plugin = {SFNEC_ENV_PLUGIN_ABI, sizeof(sfnec_env_kind), &(kind), (version)}; \
    return &plugin;                                                                                           \
  }
// clang-format on

#ifdef __cplusplus
}
#endif

#endif
