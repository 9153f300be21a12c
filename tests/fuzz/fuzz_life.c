// fuzz_life.c: the file of an agent that has lived is changed in a few places, sealed by the writer and loaded. What is
// accepted lives on for 200 steps, is asked everything, and is saved and read again.
//
// An input: a byte for the kind of agent, the number of changes, for each of them where and what, and then what the
// agent sees. So the fuzzer need not find out what a file looks like.
#include "agent/agent_file.h"
#include "fuzz.h"

enum { SIZE = 3, ACTIONS = 3, FEATURES = 2, LIVED = 130, STEPS = 200, EACH = 20, TASKS_MOST = 16, MOST = 8 };
enum { PSI_MOST = 16 }; // components of psi: joint values, learned features

static const struct {
  const char *preset, *settings[8];
} kinds[] = {
    {"sfnec-plan", {"states=32", "backups=20", "replan_backups=200", NULL}},
    {"sfnec-plan", {"states=32", "backups=20", "replan_backups=200", "w=rls", "tasks=detect", "recheck=20", NULL}},
    {"sfnec-plan", {"states=32", "backups=20", "replan_backups=200", "embedding=pca", "key_size=2", NULL}},
    {"sfnec-plan", {"states=32", "backups=20", "replan_backups=200", "predict=reward", "terminal=zero", NULL}},
    {"sfnec-plan", {"states=32", "backups=20", "replan_backups=200", "contexts=off", "relevance=off", NULL}},
    {"sfnec", {"horizon=4", "capacity=30", NULL}},
    {"sfnec-plus", {"w=rls", "horizon=4", "capacity=30", NULL}},
    {"sfnec-authors", {"capacity=30", NULL}},
    {"sfnec-nogpi", {"horizon=4", "capacity=30", NULL}},
    {"nec", {"capacity=30", NULL}},
    {"sfql", {"w=sgd", NULL}},
    {"ql", {NULL}},
    {"sfnec",
     {"embedding=mlp", "hidden=2", "training=batch", "key_size=2", "batch=2", "replay=8", "capacity=30", NULL}},
    {"sfnec", {"embedding=pca", "pca_observations=20", "key_size=2", "capacity=30", NULL}},
    {"sfnec-plan", {"states=32", "backups=20", "replan_backups=200", "predict=learned", NULL}},
    {"sfnec-plan", {"states=32", "backups=20", "replan_backups=200", "rewards=any", NULL}},
    {"sfnec", {"rewards=any", "joint_values=6", "horizon=4", "capacity=30", NULL}},
    {"sfnec-plus", {"capacity_total=40", "w=rls", "rewards=any", "horizon=4", NULL}},
    {"sfnec",
     {"embedding=conv", "layers=dense:3", "training=batch", "key_size=2", "batch=2", "replay=8", "capacity_total=40",
      NULL}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const double weights[FEATURES] = {1, -0.5};

// ---- lives ----

// A walk with a switch at its end; from the input, now and then, anything.
typedef struct world {
  float observation[SIZE];
  int step;
} world;

static void live(world *w, sfnec_agent *agent, input *in) {
  int32_t action = 0;
  (void)sfnec_agent_begin_episode(agent);
  if (!sfnec_agent_act(agent, w->observation, &action)) HOLDS(action >= 0 && action < ACTIONS);
  float next[SIZE];
  memcpy(next, w->observation, sizeof next);
  const uint8_t how = in->left ? take_byte(in) : (uint8_t)(w->step * 7);
  next[0] = fminf(fmaxf(next[0] + (how % 3 ? 1.0f : -1.0f), 0.0f), 3.0f);
  next[1] = 0.25f * next[0] + (how % 5 == 0 ? 0.01f * (float)how : 0.0f);
  if (next[0] == 3.0f && how % 4 == 1) next[2] = 1.0f - next[2];
  if (how > 250) {
    const double any = take_f64(in);
    next[how % SIZE] = fabs(any) > 3e38 ? 3e38f : (float)any;
  }
  double features[FEATURES] = {next[2] != w->observation[2], how > 245 ? take_f64(in) : -0.1};
  const sfnec_transition moved = {.action = action,
                                  .features = features,
                                  .reward = features[0] * weights[0] + features[1] * weights[1],
                                  .next_observation = next,
                                  .terminated = how % 17 == 16,
                                  .truncated = how % 29 == 28};
  (void)sfnec_agent_observe(agent, &moved);
  memcpy(w->observation, next, sizeof next);
  w->step++;
}

// The payload of an agent of a kind that has lived, made once.
static const unsigned char *lived(size_t kind, size_t *size, world *w) {
  static unsigned char *payloads[KINDS];
  static size_t sizes[KINDS];
  static world worlds[KINDS];
  if (!payloads[kind]) {
    sfnec_agent_options options;
    HOLDS(!sfnec_agent_options_preset(kinds[kind].preset, &options));
    for (size_t i = 0; kinds[kind].settings[i]; i++) {
      HOLDS(!sfnec_options_assign(sfnec_agent_option_set(), &options, kinds[kind].settings[i]));
    }
    const sfnec_env_shape shape = {.observation_size = SIZE, .action_count = ACTIONS, .feature_count = FEATURES};
    sfnec_agent *agent = NULL;
    HOLDS(!sfnec_agent_create(&shape, &options, 1, &agent));
    input none = {NULL, 0};
    for (int task = 0; task < 2; task++) {
      HOLDS(!sfnec_agent_begin_task(agent, options.w == SFNEC_W_GIVEN ? weights : NULL, NULL));
      for (int i = 0; i < LIVED; i++) live(&worlds[kind], agent, &none);
    }
    sfnec_writer *writer = NULL;
    HOLDS(!sfnec_writer_open_memory(NULL, 0, &writer));
    sfnec_agent_write(agent, writer, false);
    HOLDS(!sfnec_writer_take(writer, &payloads[kind], &sizes[kind]));
    sfnec_agent_destroy(agent);
  }
  *size = sizes[kind];
  *w = worlds[kind];
  return payloads[kind];
}

// ---- questions ----

static void check_finite(const double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) HOLDS(isfinite(numbers[i]));
}

static void ask(const sfnec_agent *agent, const world *w, sfnec_scratch *scratch) {
  const uint32_t tasks = sfnec_agent_get_task_count(agent);
  const sfnec_env_shape shape = sfnec_agent_get_shape(agent);
  if (tasks > TASKS_MOST || shape.observation_size != SIZE || shape.action_count != ACTIONS ||
      shape.feature_count != FEATURES || (size_t)sfnec_agent_get_psi_size(agent) > PSI_MOST)
    return;
  const size_t n = (size_t)sfnec_agent_get_psi_size(agent);
  double numbers[TASKS_MOST * ACTIONS * PSI_MOST];
  sfnec_memory_view memories[MOST];
  sfnec_place_view places[MOST];
  sfnec_choice choice;
  size_t count;
  if (!sfnec_agent_choose(agent, scratch, w->observation, NULL, &choice)) HOLDS(isfinite(choice.value));
  if (n == FEATURES) (void)sfnec_agent_choose(agent, scratch, w->observation, weights, &choice);
  if (!sfnec_agent_ask_psi(agent, scratch, w->observation, numbers)) check_finite(numbers, tasks * ACTIONS * n);
  if (!sfnec_agent_ask_q(agent, scratch, w->observation, NULL, numbers)) check_finite(numbers, (size_t)tasks * ACTIONS);
  for (int32_t a = 0; a < ACTIONS && tasks > 0; a++) {
    (void)sfnec_agent_ask_memories(agent, scratch, w->observation, tasks - 1, a, MOST, memories, &count);
  }
  (void)sfnec_agent_ask_places(agent, scratch, w->observation, NULL, 0, MOST, places, &count);
  (void)sfnec_agent_ask_path(agent, scratch, w->observation, NULL, MOST, places, &count);
  const sfnec_transition told = {.action = 1, .features = weights, .reward = -1.0, .next_observation = w->observation};
  (void)sfnec_agent_tell(agent, scratch, w->observation, &told);
}

// ---- one input ----

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input in = {data, size};
  world w;
  size_t length;
  const unsigned char *good = lived(take_below(&in, KINDS), &length, &w);
  unsigned char *bytes = malloc(length);
  HOLDS(bytes);
  memcpy(bytes, good, length);
  fuzz_damage(&in, bytes, length);
  sfnec_reader *reader = NULL;
  sfnec_agent *agent = NULL;
  HOLDS(!sfnec_reader_open_memory(bytes, length, NULL, 0, "an agent file", &reader));
  const sfnec_status status = sfnec_agent_read(reader, NULL, &agent);
  sfnec_reader_close(reader);
  free(bytes);
  HOLDS((status == SFNEC_OK) == (agent != NULL));
  if (!agent) return 0;
  const sfnec_env_shape shape = sfnec_agent_get_shape(agent);
  const sfnec_agent_options *options = sfnec_agent_get_options(agent);
  // what costs time by its own option alone is not looked for here
  const bool plans = options->psi == SFNEC_PSI_PLANNED;
  const bool dear = (plans && (options->backups > 1000 || options->replan_backups > 10000 || options->states > 100)) ||
                    options->batch > 100;
  sfnec_scratch *scratch = NULL;
  fuzz_check_agent(agent);
  if (!dear && shape.observation_size == SIZE && shape.action_count == ACTIONS && shape.feature_count == FEATURES &&
      !sfnec_scratch_create(agent, &scratch)) {
    for (int i = 0; i < STEPS; i++) {
      if (i % EACH == 0) ask(agent, &w, scratch);
      live(&w, agent, &in);
    }
    ask(agent, &w, scratch);
    sfnec_scratch_destroy(scratch);
    fuzz_check_agent(agent);
  }
  sfnec_agent_destroy(agent);
  return 0;
}
