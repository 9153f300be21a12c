// agent_file.h: an agent as part of a larger file, with the keys of finished tasks kept apart.
//
// Most of an agent is keys, and the keys of a task change only while it is the active one. So a checkpoint writes the
// keys of each other task once, to a file of their own, and names them by their digest.
#ifndef SFNEC_AGENT_AGENT_FILE_H
#define SFNEC_AGENT_AGENT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"
#include "sfnec/agent.h"

// Where the keys kept apart are found again.
typedef struct sfnec_keys_source {
  // Opens the file that holds the keys of this digest. Fails with SFNEC_ERROR_IO, _FORMAT or _MEMORY.
  sfnec_status (*open)(const void *context, uint64_t digest, sfnec_reader **out);
  const void *context;
} sfnec_keys_source;

// The digest of the keys of a task that are kept apart; 0: they are not (it is the active one, or has no keys).
uint64_t sfnec_agent_keys_apart(const sfnec_agent *agent, uint32_t task);
// Writes the keys of a task and nothing else.
void sfnec_agent_write_keys(const sfnec_agent *agent, uint32_t task, sfnec_writer *writer);

// Writes the agent; with `apart`, without the keys that are kept apart.
void sfnec_agent_write(const sfnec_agent *agent, sfnec_writer *writer, bool apart);
// Reads an agent up to the end of the file; `source` NULL: no keys are kept apart. All content is checked, the keys by
// their digest too. Fails with SFNEC_ERROR_FORMAT or _MEMORY, or as the source does; *out is then NULL.
sfnec_status sfnec_agent_read(sfnec_reader *reader, const sfnec_keys_source *source, sfnec_agent **out);

#endif
