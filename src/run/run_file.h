// run_file.h: a run in a file: which run it is, then where it stands, its results, the environment and the agent.
#ifndef SFNEC_RUN_RUN_FILE_H
#define SFNEC_RUN_RUN_FILE_H

#include "agent/agent_file.h"
#include "base/file.h"
#include "run/state.h"

// The versions of the file: the oldest, and the one that is written. Each edition of the records (run/record.h) is one
// more.
enum { SFNEC_RUN_OLDEST_VERSION = 1 };

// Writes the run; with `apart`, the keys of finished tasks are kept apart (agent/agent_file.h). Fails with
// SFNEC_ERROR_MEMORY.
sfnec_status sfnec_run_write(const sfnec_run *run, uint64_t sequence, const char *label, bool apart,
                             sfnec_writer *writer);

// The sequence number, which is the first thing in the file.
uint64_t sfnec_run_read_sequence(sfnec_reader *reader);
// Next: is it this run, and no further than the options allow? Then makes the run, without an agent. `path` names the
// file in the sentence. Fails with SFNEC_ERROR_FORMAT, with _ARGUMENT for limits that are none, and with _MEMORY.
sfnec_status sfnec_run_read_identity(sfnec_reader *reader, const char *path, const char *label, sfnec_env *env,
                                     const sfnec_run_options *options, sfnec_run **out);
// The rest into that run; its agent is then the caller's, also after a failure. The environment changes only if all is
// well. Fails with SFNEC_ERROR_FORMAT, _IO or _MEMORY.
sfnec_status sfnec_run_read(sfnec_run *run, sfnec_reader *reader, const sfnec_keys_source *source);

#endif
