// whole.h: a run as one block of bytes, all keys with it, for those who keep it in files of their own.
#ifndef SFNEC_RUN_WHOLE_H
#define SFNEC_RUN_WHOLE_H

#include "sfnec/run.h"

// The run as bytes, which the caller frees. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_run_to_bytes(const sfnec_run *run, const char *label, unsigned char **bytes, size_t *size);
// Goes on from them, as sfnec_run_resume does from a folder; `path` names them in sentences. Fails with
// SFNEC_ERROR_FORMAT, _VERSION (a newer program's), _STATE (further than `options` asks for), _ARGUMENT or _MEMORY;
// *agent and *out are then NULL.
sfnec_status sfnec_run_from_bytes(const unsigned char *bytes, size_t size, const char *path, const char *label,
                                  sfnec_env *env, const sfnec_run_options *options, sfnec_agent **agent,
                                  sfnec_run **out);

#endif
