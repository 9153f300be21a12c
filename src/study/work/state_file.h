// state_file.h: the last state of a finished job in one compressed file beside its folder, from which the study resumes
// when it is extended by tasks.
//
// `folder` is a job's own, FOLDER/jobs/ID; the file is FOLDER/jobs/ID.state. Earlier versions left the state as a
// checkpoint in the folder, which is read as it was.
#ifndef SFNEC_STUDY_WORK_STATE_FILE_H
#define SFNEC_STUDY_WORK_STATE_FILE_H

#include "base/file.h"
#include "sfnec/run.h"

// Writes the file, whole or not at all. Fails with SFNEC_ERROR_IO or _MEMORY.
sfnec_status sfnec_state_write(const char *folder, const char *label, const sfnec_run *run);
// Goes on from it. No file there: SFNEC_OK and *out NULL. Fails as sfnec_run_from_bytes does, and with SFNEC_ERROR_IO.
sfnec_status sfnec_state_read(const char *folder, const char *label, sfnec_env *env, const sfnec_run_options *options,
                              sfnec_agent **agent, sfnec_run **out);

// The bytes of the run in a file that was opened (for the fuzzer; sfnec_state_read does all of it). They are the
// reader's, or a new block, which `owned` then is. Fails with SFNEC_ERROR_FORMAT, also for a frame that claims many
// times its size, or _MEMORY.
sfnec_status sfnec_state_unpack(sfnec_reader *reader, unsigned char **owned, const unsigned char **bytes, size_t *size);

// What a job's states take on disk: the file and the checkpoints in the folder.
int64_t sfnec_state_get_bytes(const char *folder);
// Removes both. Fails with SFNEC_ERROR_IO or _ARGUMENT.
sfnec_status sfnec_state_discard(const char *folder);
// Gives the file the ending ".damaged". Fails with SFNEC_ERROR_IO or _MEMORY.
sfnec_status sfnec_state_put_aside(const char *folder);

#endif
