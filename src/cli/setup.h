// setup.h: from names and "key=value" to an agent and an environment, and back from the note of a saved agent.
#ifndef SFNEC_CLI_SETUP_H
#define SFNEC_CLI_SETUP_H

#include <stdint.h>

#include "cli/cli.h"
#include "cli/text.h"

// Where the agent lives: a kind of environment and its settings.
typedef struct world {
  const sfnec_env_kind *kind;
  text_list settings; // "key=value"
} world;

// An agent as asked for: a preset, or a preset with options of its own as in "sfnec:neighbours=1:alpha=0.3".
typedef struct agent_spec {
  const char *label; // the whole text, the caller's
  sfnec_agent_options options;
} agent_spec;

// The kind of that name; NULL (told) if there is none.
const sfnec_env_kind *world_kind(const char *name);
// Adds the settings that belong to the environment, and refuses those that belong neither to it nor to the agent.
// `agent_too`: agent options are fine here (and left to agent_spec_parse); otherwise they are refused as well.
int world_set(world *world, const text_list *sets, bool agent_too);
// Takes kind and settings from a saved agent's note.
int world_from_note(world *world, const char *text, const char *path);
int world_create(const world *world, uint64_t seed, sfnec_env **env);
void world_clear(world *world);

// The preset, then those of `sets` that are agent options, then the options of its own.
int agent_spec_parse(agent_spec *spec, const char *text, const text_list *sets);

// Refuses a path under which a file cannot be created, before hours of work depend on it.
int check_writable(const char *path, const char *option);

#endif
