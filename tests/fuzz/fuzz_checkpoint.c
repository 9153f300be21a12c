// fuzz_checkpoint.c: the state of a run behind its checksum, with the keys that are kept apart. A run that is accepted
// goes on to its end.
#include "checkpoint.h"
#include "run/record.h"

typedef struct keys {
  const uint8_t *bytes;
  size_t size;
} keys;

static sfnec_status open_keys(const void *context, uint64_t digest, sfnec_reader **out) {
  (void)digest; // whatever is asked for, it gets these
  const keys *apart = context;
  return sfnec_reader_open_memory(apart->bytes, apart->size, NULL, 0, "keys", out);
}

static void resume(sfnec_reader *reader, sfnec_env *env, const keys *apart) {
  sfnec_run *run = NULL;
  (void)sfnec_run_read_sequence(reader);
  if (sfnec_run_read_identity(reader, "state", checkpoint_label, env, &checkpoint_options, &run)) return;
  const sfnec_keys_source source = {.open = open_keys, .context = apart};
  const bool good = !sfnec_run_read(run, reader, &source);
  sfnec_agent *agent = run->play.agent;
  HOLDS(!good || agent);
  if (good) {
    fuzz_check_agent(agent);
    (void)sfnec_run_advance(run, 40);
    (void)sfnec_run_get_tasks_done(run);
    uint32_t count;
    const sfnec_task_result *results = sfnec_run_get_results(run, &count);
    for (uint32_t i = 0; i < count; i++) HOLDS(results[i].steps >= 0 && isfinite(results[i].total));
    fuzz_check_agent(agent);
  }
  sfnec_agent_destroy(agent);
  sfnec_run_destroy(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < CHECKPOINT_HEAD) return 0;
  const uint32_t version = data[1];
  keys apart = {.bytes = data + CHECKPOINT_HEAD, .size = data[2] + 256u * data[3]};
  if (apart.size > size - CHECKPOINT_HEAD) apart.size = size - CHECKPOINT_HEAD;
  const size_t at = CHECKPOINT_HEAD + apart.size;
  size_t sealed_size;
  unsigned char *sealed = fuzz_seal(checkpoint_magic, version, data + at, size - at, &sealed_size);
  sfnec_reader *reader = NULL;
  const uint32_t newest = SFNEC_RUN_OLDEST_VERSION + sfnec_record_edition();
  const bool readable = version >= SFNEC_RUN_OLDEST_VERSION && version <= newest;
  if (readable && !sfnec_reader_open_memory(sealed, sealed_size, checkpoint_magic, version, "a checkpoint", &reader)) {
    sfnec_env *env = fuzz_world(data[0]);
    resume(reader, env, &apart);
    sfnec_env_destroy(env);
    sfnec_reader_close(reader);
  }
  free(sealed);
  return 0;
}
