// fuzz_calls.c: the public functions in any order with any numbers. Each byte of the input is a call, the next ones its
// arguments. Every call answers with a status; whatever happens, the agent's file can be read back.
#include "fuzz.h"

enum { MOST = 4, MOST_TASKS = 6, MOST_CALLS = 48 };

typedef struct player {
  sfnec_agent *agent;
  sfnec_scratch *scratch;
  sfnec_env_shape shape;
  float observation[MOST], next[MOST];
  double numbers[MOST];
  bool ran; // one run is as long as hundreds of other calls
} player;

// The pointer, or now and then none.
#define MAYBE(pointer) (take_byte(in) == 0xee ? NULL : (pointer))

// A value for an option by its own table, small where it costs memory.
static void set_option(input *in, sfnec_agent_options *options) {
  const sfnec_option *rows = sfnec_agent_option_set()->rows;
  uint32_t count = 0;
  while (rows[count].name) count++;
  const sfnec_option *row = &rows[take_below(in, count)];
  char text[64] = "";
  if (row->type == SFNEC_OPTION_CHOICE) {
    uint32_t choices = 0;
    while (row->choices[choices]) choices++;
    snprintf(text, sizeof text, "%s", row->choices[take_below(in, choices)]);
  } else if (row->type == SFNEC_OPTION_TEXT) {
    for (size_t i = 0; i < 20; i++) text[i] = "0123456789:;,/xpcodnvsea"[take_below(in, 23)];
  } else if (row->type == SFNEC_OPTION_INT) {
    snprintf(text, sizeof text, "%d", take_byte(in) % 33);
  } else {
    snprintf(text, sizeof text, "%.17g", fabs(take_f64(in)));
  }
  (void)sfnec_options_set(sfnec_agent_option_set(), options, row->name, text);
}

static void create(input *in, player *p) {
  const sfnec_agent_preset *preset = sfnec_agent_preset_at(take_below(in, 8));
  sfnec_agent_options options;
  sfnec_agent_options_default(&options);
  if (preset) HOLDS(!sfnec_agent_options_preset(preset->name, &options));
  options.capacity = 20;
  options.replay = options.batch = 4;
  options.key_size = options.hidden = 2;
  options.pca_observations = 3;
  for (uint32_t i = take_below(in, 8); i > 0; i--) set_option(in, &options);
  p->shape.observation_size = 1 + (int32_t)take_below(in, MOST);
  p->shape.action_count = 1 + (int32_t)take_below(in, MOST);
  p->shape.feature_count = 1 + (int32_t)take_below(in, MOST);
  if (sfnec_agent_create(&p->shape, &options, take_byte(in), &p->agent)) HOLDS(!p->agent);
  if (p->agent) HOLDS(!sfnec_scratch_create(p->agent, &p->scratch));
}

// The same arguments again if there are none in the input, now and then one that is missing.
static const double *take_numbers(input *in, player *p) {
  const uint8_t how = take_byte(in);
  if (how % 16 == 0) return NULL;
  if (how % 16 > 3) return p->numbers;
  for (int i = 0; i < MOST; i++) p->numbers[i] = take_f64(in);
  return p->numbers;
}

static const float *take_observation(input *in, float *observation) {
  const uint8_t how = take_byte(in);
  if (how == 0) return NULL;
  for (int i = 0; i < MOST; i++) {
    const double number = how < 16 ? take_f64(in) : (how >> i & 1);
    observation[i] = fabs(number) > 3e38 ? (float)HUGE_VAL : (float)number;
  }
  return observation;
}

static void call_tasks(input *in, player *p) {
  const uint32_t task = take_below(in, MOST_TASKS + 1);
  const bool room = sfnec_agent_get_task_count(p->agent) < MOST_TASKS;
  sfnec_task_info info;
  double w[MOST];
  switch (take_below(in, 8)) {
  case 0:
  case 1:
    if (room) (void)sfnec_agent_begin_task(MAYBE(p->agent), take_numbers(in, p), NULL);
    break;
  case 2:
    if (room) (void)sfnec_agent_add_task(MAYBE(p->agent), take_numbers(in, p), NULL);
    break;
  case 3:
    (void)sfnec_agent_set_task(MAYBE(p->agent), task);
    break;
  case 4:
    (void)sfnec_agent_replace_task(MAYBE(p->agent), task, take_numbers(in, p));
    break;
  case 5:
    (void)sfnec_agent_forget_task(MAYBE(p->agent), task);
    break;
  case 6:
    (void)sfnec_agent_set_task_weights(MAYBE(p->agent), task, take_numbers(in, p));
    break;
  default:
    (void)sfnec_agent_get_task_info(MAYBE(p->agent), task, MAYBE(&info));
    if (!sfnec_agent_get_task_weights(p->agent, task, w)) {
      for (int32_t i = 0; i < sfnec_agent_get_psi_size(p->agent); i++) HOLDS(isfinite(w[i]));
    }
  }
}

static void call_learn(input *in, player *p) {
  int32_t action = 0;
  (void)sfnec_agent_begin_episode(MAYBE(p->agent));
  const float *here = take_observation(in, p->observation);
  if (!sfnec_agent_act(p->agent, here, &action)) HOLDS(action >= 0 && action < p->shape.action_count);
  const uint8_t how = take_byte(in);
  if (how >= 250) return; // not observed
  const sfnec_transition moved = {.action = how % 16 ? action : (int32_t)take_below(in, MOST + 1),
                                  .features = take_numbers(in, p),
                                  .reward = take_f64(in),
                                  .next_observation = take_observation(in, p->next),
                                  .terminated = how % 8 == 1,
                                  .truncated = how % 8 == 2};
  (void)sfnec_agent_observe(MAYBE(p->agent), MAYBE(&moved));
  if (how % 32 == 3) (void)sfnec_agent_end_episode(MAYBE(p->agent));
}

static void call_ask(input *in, player *p) {
  static double answers[MOST_TASKS * MOST * MOST];
  sfnec_memory_view views[MOST];
  size_t count;
  sfnec_choice choice;
  const float *at = take_observation(in, p->observation);
  switch (take_below(in, 6)) {
  case 0:
    (void)sfnec_agent_choose(MAYBE(p->agent), MAYBE(p->scratch), at, NULL, MAYBE(&choice));
    break;
  case 1:
    (void)sfnec_agent_choose(MAYBE(p->agent), MAYBE(p->scratch), at, take_numbers(in, p), MAYBE(&choice));
    break;
  case 2:
    (void)sfnec_agent_ask_psi(MAYBE(p->agent), MAYBE(p->scratch), at, MAYBE(answers));
    break;
  case 3:
    (void)sfnec_agent_ask_q(MAYBE(p->agent), MAYBE(p->scratch), at, take_numbers(in, p), MAYBE(answers));
    break;
  case 4:
    (void)sfnec_agent_ask_memories(MAYBE(p->agent), MAYBE(p->scratch), at, take_below(in, MOST_TASKS + 1),
                                   (int32_t)take_below(in, MOST + 1), MOST, MAYBE(views), MAYBE(&count));
    break;
  default:
    (void)sfnec_agent_get_last_choice(MAYBE(p->agent), MAYBE(&choice));
  }
}

// A run of the agent in a world of its own.
static void call_run(input *in, player *p) {
  if (p->ran) return;
  p->ran = true;
  sfnec_env *env = fuzz_world(take_byte(in));
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  const sfnec_agent_options *options = sfnec_agent_get_options(p->agent);
  const sfnec_run_options limits = {
      .tasks = take_below(in, 3), .steps = (int64_t)take_byte(in) % 40, .episodes = take_below(in, 3)};
  sfnec_agent *agent = NULL;
  sfnec_run *run = NULL;
  if (!sfnec_agent_create(&shape, options, 1, &agent) && !sfnec_run_create(agent, env, &limits, &run)) {
    for (int i = 0; i < 3; i++) (void)sfnec_run_advance(run, take_byte(in) % 20);
    fuzz_check_agent(agent);
  }
  sfnec_run_destroy(run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input in = {data, size};
  player p = {0};
  create(&in, &p);
  for (int i = 0; p.agent && i < MOST_CALLS && in.left > 0; i++) {
    const uint8_t what = take_byte(&in);
    if (what < 48) call_tasks(&in, &p);
    else if (what < 200) call_learn(&in, &p);
    else if (what < 240) call_ask(&in, &p);
    else if (what < 244) call_run(&in, &p);
    else if (what < 250) (void)sfnec_agent_end_episode(p.agent);
    else sfnec_scratch_commit(p.scratch, p.agent);
  }
  if (p.agent) fuzz_check_agent(p.agent);
  sfnec_scratch_destroy(p.scratch);
  sfnec_agent_destroy(p.agent);
  return 0;
}
