// test_plan_learned.c: features that are learned from rewards alone (predict=learned): a corridor with berries of two
// kinds, which each task pays for differently.
#include "support/tiny.h"

#include <math.h>

#include "agent/plan/learned.h"
#include "sfnec/diagnosis.h"
#include "sfnec/random.h"

// Cells 0 to 12; berries at four of them, the outer two of kind 0 and the inner two of kind 1. Whoever is at a berry
// and takes it (action 2) has it until the end of the episode, which comes after 40 steps.
enum { CELLS = 13, BERRIES = 4, SIZE = 1 + BERRIES, MOVES = 3, EPISODE = 40 };
static const int berry_at[BERRIES] = {1, 4, 8, 11};
static const int kind_of[BERRIES] = {0, 1, 1, 0};
static const sfnec_env_shape orchard_shape = {.observation_size = SIZE, .action_count = MOVES, .feature_count = 1};

typedef struct orchard {
  sfnec_agent *agent;
  double pays[2]; // for the kinds
  bool alone;     // each berry pays on its own, at random: there is no structure
  double noise;   // standard deviation of every reward
  int cell, steps;
  bool taken[BERRIES], running;
  double earned;
  sfnec_random random;
} orchard;

static void look(const orchard *o, float *observation) {
  observation[0] = (float)o->cell;
  for (int b = 0; b < BERRIES; b++) observation[1 + b] = o->taken[b];
}

static void walk(orchard *o, int steps) {
  for (int i = 0; i < steps; i++) {
    float before[SIZE], after[SIZE];
    if (!o->running) {
      OK(sfnec_agent_begin_episode(o->agent));
      o->cell = 6, o->steps = 0, o->running = true;
      for (int b = 0; b < BERRIES; b++) o->taken[b] = false;
    }
    look(o, before);
    int32_t action;
    OK(sfnec_agent_act(o->agent, before, &action));
    double reward = 0;
    if (action == 0 && o->cell > 0) o->cell--;
    if (action == 1 && o->cell + 1 < CELLS) o->cell++;
    for (int b = 0; b < BERRIES && action == 2; b++) {
      if (o->cell != berry_at[b] || o->taken[b]) continue;
      o->taken[b] = true;
      reward = o->alone ? sin(1000.0 * o->pays[0] * (b + 1) + 777.0 * o->pays[1] * b) : o->pays[kind_of[b]];
    }
    if (o->noise > 0) reward += o->noise * sfnec_random_normal(&o->random);
    look(o, after);
    o->running = ++o->steps < EPISODE;
    const sfnec_transition moved = {
        .action = action, .features = &reward, .reward = reward, .next_observation = after, .truncated = !o->running};
    OK(sfnec_agent_observe(o->agent, &moved));
    o->earned += reward;
  }
}

static void next_task(orchard *o) {
  if (o->running) OK(sfnec_agent_end_episode(o->agent));
  o->running = false;
  for (int k = 0; k < 2; k++) o->pays[k] = 2 * sfnec_random_uniform(&o->random) - 1;
  OK(sfnec_agent_begin_task(o->agent, NULL, NULL));
}

static orchard plant(uint64_t seed) {
  static const char *const settings[] = {"predict=learned", "backups=500", "step_backups=1000", NULL};
  return (orchard){.agent = agent_for(&orchard_shape, "sfnec-plan", settings, seed),
                   .random = sfnec_random_start(seed, SFNEC_PURPOSE_WORLD)};
}

static sfnec_learned_info learned(const orchard *o) {
  sfnec_learned_info info;
  OK(sfnec_agent_get_learned_info(o->agent, &info));
  return info;
}

enum { TASKS = 6, STEPS = 1500 };

static orchard trained(bool alone) {
  orchard o = plant(5);
  o.alone = alone;
  for (int t = 0; t < TASKS; t++) {
    next_task(&o);
    walk(&o, STEPS);
  }
  next_task(&o);
  return o;
}

// Two kinds of berries are two features; a third is what all tasks pay alike: nothing. A new task knows its weights
// after one berry of each kind, and takes those that pay.
static void test_structure(void **state) {
  (void)state;
  orchard o = trained(false);
  const sfnec_learned_info info = learned(&o);
  assert_int_equal(info.tasks, TASKS);
  assert_int_equal(info.features, 3);
  assert_true(info.explained > 0.4);
  o.pays[0] = 1, o.pays[1] = -1;
  walk(&o, 200);
  double w[SFNEC_LEARNED_FEATURES];
  OK(sfnec_agent_get_task_weights(o.agent, TASKS, w));
  assert_true(w[0] == 1.0);
  o.earned = 0;
  walk(&o, 800);
  assert_true(o.earned > 0.9 * 2 * 800 / EPISODE); // both that pay in each episode, and none of the others
  // what the features respond to: taking berries
  sfnec_response responses[8];
  float observations[8 * 2 * SIZE];
  size_t count;
  OK(sfnec_agent_ask_learned(o.agent, 1, 8, responses, observations, &count));
  assert_true(count >= 2 && count <= BERRIES);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(responses[i].action, 2);
    float changed = 0;
    for (int b = 1; b < SIZE; b++) changed += observations[(2 * i + 1) * SIZE + b] - observations[2 * i * SIZE + b];
    NEAR(changed, 1, 1e-6);
  }
  sfnec_agent_destroy(o.agent);
}

// Where each berry pays on its own there is no structure, and the agent says so and acts on the reward.
static void test_no_structure(void **state) {
  (void)state;
  orchard o = trained(true);
  assert_int_equal(learned(&o).features, 0);
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  size_t found;
  OK(sfnec_agent_diagnose(o.agent, NULL, findings, &found));
  assert_true(found > 0 && findings[found - 1].kind == SFNEC_FINDING_STRUCTURE);
  assert_non_null(strstr(findings[found - 1].text, "rewards of 6 tasks"));
  double w[SFNEC_LEARNED_FEATURES];
  OK(sfnec_agent_get_task_weights(o.agent, TASKS, w));
  for (int i = 0; i < SFNEC_LEARNED_FEATURES; i++) assert_true(w[i] == (i == SFNEC_LEARNED_FEATURES - 1));
  size_t count;
  REFUSED(sfnec_agent_ask_learned(o.agent, 0, 0, NULL, NULL, &count), SFNEC_ERROR_ARGUMENT, "no learned feature 0");
  sfnec_agent_destroy(o.agent);
}

// A copy learns on to the byte, in this task and the next.
static void test_resumes(void **state) {
  (void)state;
  orchard o = trained(false);
  o.noise = 0.05; // so that it matters how often a reward was seen
  walk(&o, 300);
  next_task(&o);
  walk(&o, 300);
  orchard copy = o;
  OK(sfnec_agent_clone(o.agent, &copy.agent));
  for (int t = 0; t < 2; t++) {
    walk(&o, 500), walk(&copy, 500);
    assert_true(o.earned == copy.earned);
    next_task(&o), next_task(&copy);
  }
  OK(sfnec_agent_save(o.agent, "a.agent"));
  OK(sfnec_agent_save(copy.agent, "b.agent"));
  assert_true(same_files("a.agent", "b.agent"));
  sfnec_agent_destroy(o.agent);
  sfnec_agent_destroy(copy.agent);
}

// A task that returns is known at once; one that is forgotten is not counted any more.
static void test_tasks(void **state) {
  (void)state;
  orchard o = trained(false);
  OK(sfnec_agent_set_task(o.agent, 0));
  double before[SFNEC_LEARNED_FEATURES], after[SFNEC_LEARNED_FEATURES];
  OK(sfnec_agent_get_task_weights(o.agent, 0, before));
  assert_true(fabs(before[1]) + fabs(before[2]) > 0.1);
  OK(sfnec_agent_forget_task(o.agent, TASKS)); // nothing was seen in it
  OK(sfnec_agent_set_task(o.agent, 1));
  OK(sfnec_agent_set_task(o.agent, 0));
  OK(sfnec_agent_get_task_weights(o.agent, 0, after));
  for (int i = 0; i < SFNEC_LEARNED_FEATURES; i++) NEAR(after[i], before[i], 1e-9);
  OK(sfnec_agent_forget_task(o.agent, 3));
  OK(sfnec_agent_set_task(o.agent, 1));
  assert_int_equal(learned(&o).tasks, TASKS - 1);
  sfnec_agent_destroy(o.agent);
}

// A task without rewards that is forgotten again leaves an agent that can be copied in the middle of its last task.
static void test_added_task(void **state) {
  (void)state;
  orchard o = plant(2);
  for (int t = 0; t < 2; t++) {
    next_task(&o);
    walk(&o, 300);
  }
  OK(sfnec_agent_end_episode(o.agent));
  OK(sfnec_agent_add_task(o.agent, NULL, NULL));
  OK(sfnec_agent_forget_task(o.agent, 2));
  sfnec_agent *copy = NULL;
  OK(sfnec_agent_clone(o.agent, &copy));
  sfnec_agent_destroy(copy);
  sfnec_agent_destroy(o.agent);
}

// What a file says of tasks, loaded for an agent of three tasks whose active one is the last (or none).
static sfnec_status load_tasks(uint32_t tasks, uint32_t task, uint32_t rows, uint32_t seen_in, int32_t active) {
  sfnec_learned said = {.tasks = tasks, .task = task, .rows = rows}, found;
  sfnec_learned_init(&found);
  sfnec_rewards_seen_init(&said.seen);
  OK(sfnec_rewards_seen_add(&said.seen, 1, 0, 0.5, false));
  OK(sfnec_rewards_seen_add(&said.seen, 1, seen_in, -0.5, false));
  sfnec_writer *writer = NULL;
  unsigned char *bytes = NULL;
  size_t size;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_learned_save(&said, 2, writer);
  OK(sfnec_writer_take(writer, &bytes, &size));
  sfnec_reader *reader = NULL;
  OK(sfnec_reader_open_memory(bytes, size, NULL, 0, "an agent", &reader));
  const sfnec_status status = sfnec_learned_load(&found, 2, 3, active, reader);
  sfnec_reader_close(reader);
  free(bytes);
  sfnec_learned_clear(&said);
  sfnec_learned_clear(&found);
  return status;
}

// The next reward is kept for the active task: the file that follows must name none that is not there.
static void test_strange_files(void **state) {
  (void)state;
  OK(load_tasks(3, 2, 9, 2, 2));
  OK(load_tasks(2, 2, 9, 1, -1)); // the last task was forgotten
  REFUSED(load_tasks(3, 3, 9, 2, 2), SFNEC_ERROR_FORMAT, "learned features");
  REFUSED(load_tasks(3, 1, 9, 2, 2), SFNEC_ERROR_FORMAT, "learned features");
  REFUSED(load_tasks(2, 2, 9, 1, 2), SFNEC_ERROR_FORMAT, "learned features");
  REFUSED(load_tasks(4, 2, 9, 2, 2), SFNEC_ERROR_FORMAT, "learned features");
  REFUSED(load_tasks(UINT32_MAX, 2, 9, 2, 2), SFNEC_ERROR_FORMAT, "learned features");
  REFUSED(load_tasks(3, 2, UINT32_MAX, 2, 2), SFNEC_ERROR_FORMAT, "learned features");
  REFUSED(load_tasks(3, 2, 9, 3, 2), SFNEC_ERROR_FORMAT, "does not exist");
}

static void test_refusals(void **state) {
  (void)state;
  orchard o = plant(1);
  OK(sfnec_agent_begin_task(o.agent, NULL, NULL));
  const double w[SFNEC_LEARNED_FEATURES] = {1};
  REFUSED(sfnec_agent_set_task_weights(o.agent, 0, w), SFNEC_ERROR_STATE, "no reward weights");
  sfnec_agent_destroy(o.agent);
  sfnec_agent *agent = tiny_agent("sfnec-plan", NULL);
  sfnec_learned_info info;
  REFUSED(sfnec_agent_get_learned_info(agent, &info), SFNEC_ERROR_STATE, "learns no features");
  sfnec_agent_destroy(agent);
  sfnec_agent_options options = options_of("sfnec", (const char *const[]){"predict=learned", NULL});
  REFUSED(sfnec_agent_create(&tiny_shape, &options, 1, &agent), SFNEC_ERROR_OPTION, "psi=planned");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_structure), cmocka_unit_test(test_no_structure), cmocka_unit_test(test_resumes),
      cmocka_unit_test(test_tasks),     cmocka_unit_test(test_added_task),   cmocka_unit_test(test_strange_files),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
