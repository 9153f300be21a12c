// whole.c: a run as one block of bytes; see whole.h. It is the state of a checkpoint (run_file.h) with the keys of
// finished tasks in their places.
#include "run/whole.h"

#include "base/error.h"
#include "run/record.h"
#include "run/run_file.h"

static const char magic[] = "SFNECALL";

static uint32_t newest_version(void) {
  return SFNEC_RUN_OLDEST_VERSION + sfnec_record_edition();
}

sfnec_status sfnec_run_to_bytes(const sfnec_run *run, const char *label, unsigned char **bytes, size_t *size) {
  sfnec_writer *writer;
  sfnec_status status = sfnec_writer_open_memory(magic, newest_version(), &writer);
  if (status) return status;
  status = sfnec_run_write(run, 0, label, false, writer);
  if (!status) return sfnec_writer_take(writer, bytes, size);
  sfnec_writer_abort(writer);
  return status;
}

static sfnec_status read_run(sfnec_reader *reader, const char *path, const char *label, sfnec_env *env,
                             const sfnec_run_options *options, sfnec_run **out) {
  (void)sfnec_run_read_sequence(reader);
  sfnec_run *run;
  sfnec_status status = sfnec_run_read_identity(reader, path, label, env, options, &run);
  if (status) return status;
  status = sfnec_run_read(run, reader, NULL);
  if (!status) {
    *out = run;
    return SFNEC_OK;
  }
  sfnec_agent_destroy(run->play.agent);
  sfnec_run_destroy(run);
  return status;
}

sfnec_status sfnec_run_from_bytes(const unsigned char *bytes, size_t size, const char *path, const char *label,
                                  sfnec_env *env, const sfnec_run_options *options, sfnec_agent **agent,
                                  sfnec_run **out) {
  *agent = NULL;
  *out = NULL;
  sfnec_reader *reader;
  sfnec_status status = sfnec_reader_open_memory_since(bytes, size, magic, SFNEC_RUN_OLDEST_VERSION, newest_version(),
                                                       "the state of a job", path, &reader);
  if (status) return status;
  status = read_run(reader, path, label, env, options, out);
  sfnec_reader_close(reader);
  if (!status) *agent = (*out)->play.agent;
  return status;
}
