// fuzz_packed.c: the compressed state of a finished job, behind its checksum. However small the input, what it unpacks
// to is bounded by its size; a run that is accepted goes on.
#include "checkpoint.h"
#include "run/whole.h"
#include "study/work/state_file.h"

// An input: one byte for the world, then the payload.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  sfnec_reader *reader = NULL;
  HOLDS(!sfnec_reader_open_memory(data + 1, size - 1, NULL, 0, "the state of a job", &reader));
  unsigned char *owned = NULL;
  const unsigned char *bytes = NULL;
  size_t length = 0;
  const sfnec_status status = sfnec_state_unpack(reader, &owned, &bytes, &length);
  HOLDS(!status || !owned);
  if (!status) {
    HOLDS(length <= 64 * size + (1 << 20));
    sfnec_env *env = fuzz_world(data[0]);
    sfnec_agent *agent;
    sfnec_run *run;
    const sfnec_status read =
        sfnec_run_from_bytes(bytes, length, "state", checkpoint_label, env, &checkpoint_options, &agent, &run);
    HOLDS(read ? !agent && !run : agent && run);
    if (!read) (void)sfnec_run_advance(run, 40);
    sfnec_agent_destroy(agent);
    sfnec_run_destroy(run);
    sfnec_env_destroy(env);
  }
  free(owned);
  sfnec_reader_close(reader);
  return 0;
}
