// fuzz_agent.c: an agent file behind its checksum. What is accepted is asked, learns a little, and is saved again.
#include "agent/agent_file.h"
#include "fuzz.h"

enum { MOST_NUMBERS = 4096 };

// Questions and a few steps; any of them may be refused, none may do harm.
static void use(sfnec_agent *agent) {
  const sfnec_env_shape shape = sfnec_agent_get_shape(agent);
  const size_t answers =
      (size_t)sfnec_agent_get_task_count(agent) * (size_t)shape.action_count * (size_t)sfnec_agent_get_psi_size(agent);
  if (shape.observation_size > MOST_NUMBERS || shape.feature_count > MOST_NUMBERS || answers > MOST_NUMBERS) return;
  static float observation[MOST_NUMBERS];
  static double numbers[MOST_NUMBERS];
  sfnec_scratch *scratch = NULL;
  if (sfnec_scratch_create(agent, &scratch)) return;
  sfnec_choice choice;
  (void)sfnec_agent_choose(agent, scratch, observation, NULL, &choice);
  (void)sfnec_agent_ask_psi(agent, scratch, observation, numbers);
  (void)sfnec_agent_ask_q(agent, scratch, observation, NULL, numbers);
  sfnec_scratch_destroy(scratch);

  memset(numbers, 0, sizeof numbers);
  const sfnec_transition moved = {.features = numbers, .next_observation = observation};
  for (int i = 0; i < 4; i++) {
    int32_t action;
    (void)sfnec_agent_begin_episode(agent);
    (void)sfnec_agent_act(agent, observation, &action);
    (void)sfnec_agent_observe(agent, &moved);
  }
  (void)sfnec_agent_end_episode(agent);
}

// The input as a whole file, which the checksum refuses but for a miracle, and as the payload of one.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sfnec_reader *reader = NULL;
  sfnec_agent *agent = NULL;
  if (sfnec_agent_load_bytes(data, size, &agent)) HOLDS(!agent);
  sfnec_agent_destroy(agent);
  agent = NULL;
  HOLDS(!sfnec_reader_open_memory(data, size, NULL, 0, "an agent file", &reader));
  const sfnec_status status = sfnec_agent_read(reader, NULL, &agent);
  sfnec_reader_close(reader);
  HOLDS((status == SFNEC_OK) == (agent != NULL));
  if (!agent) return 0;
  fuzz_check_agent(agent);
  use(agent);
  fuzz_check_agent(agent);
  sfnec_agent_destroy(agent);
  return 0;
}
