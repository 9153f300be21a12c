// test_plan_bounds.c: what a planner's file may claim is what a step may leave: every number of the file is put to the
// ends of its range, and an agent that is accepted answers in finite numbers and takes steps after which its own file
// is accepted again.
#include "support/tiny.h"

#include <float.h>

#include "agent/agent_file.h"
#include "base/file.h"

enum { SIZE = 3, MOST_STEPS = 125 }; // components of an observation; steps before the first file, past the first fit

typedef struct payload {
  unsigned char *bytes;
  size_t size, tasks; // tasks: where the streams and the tasks begin, after shape, options and note
} payload;

static sfnec_status load(const payload *p, sfnec_agent **agent) {
  sfnec_reader *reader = NULL;
  OK(sfnec_reader_open_memory(p->bytes, p->size, NULL, 0, "an agent", &reader));
  const sfnec_status status = sfnec_agent_read(reader, NULL, agent);
  sfnec_reader_close(reader);
  return status;
}

static void save(const sfnec_agent *agent, payload *p) {
  sfnec_writer *writer = NULL;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_agent_write(agent, writer, false);
  OK(sfnec_writer_take(writer, &p->bytes, &p->size));
}

// ---- the world: a walk, and a switch at its end that stays as it is set ----

typedef struct world {
  float observation[SIZE];
  int step;
} world;

// Acts, and observes what follows: noise, a reward at the switch, an end now and then.
static void live(world *w, sfnec_agent *agent) {
  int32_t action;
  (void)sfnec_agent_begin_episode(agent);
  (void)sfnec_agent_act(agent, w->observation, &action);
  float next[SIZE] = {w->observation[0], w->observation[1], w->observation[2]};
  next[0] = fminf(fmaxf(next[0] + (w->step % 3 ? 1.0f : -1.0f), 0.0f), 3.0f);
  next[1] = 0.25f * next[0];
  if (next[0] == 3.0f && w->step % 50 > 25) next[2] = 1.0f - next[2];
  const double features[FEATURES] = {next[2] != w->observation[2], -0.1};
  const sfnec_transition moved = {.action = action,
                                  .features = features,
                                  .reward = features[0] + features[1],
                                  .next_observation = next,
                                  .terminated = w->step % 17 == 16};
  (void)sfnec_agent_observe(agent, &moved);
  memcpy(w->observation, next, sizeof next);
  w->step++;
}

static const char *const small[] = {"states=16", "samples=2", "backups=20", "replan_backups=100"};
enum { SMALL = sizeof small / sizeof small[0], SETTINGS = 4 };

static payload sample(world *w, const char *const *more) {
  const char *settings[SMALL + SETTINGS + 1] = {NULL};
  size_t count = 0;
  for (; count < SMALL; count++) settings[count] = small[count];
  for (; *more; more++) settings[count++] = *more;
  const sfnec_env_shape shape = {.observation_size = SIZE, .action_count = ACTIONS, .feature_count = FEATURES};
  const double weights[FEATURES] = {1, 1};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, 1);
  OK(sfnec_agent_begin_task(agent, sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN ? weights : NULL, NULL));
  while (w->step < MOST_STEPS) live(w, agent);
  payload p;
  save(agent, &p);
  sfnec_agent_destroy(agent);

  uint32_t texts, length;
  memcpy(&texts, p.bytes + 20, 4);
  p.tasks = 24;
  for (uint32_t i = 0; i < 2 * texts + 1; i++) {
    memcpy(&length, p.bytes + p.tasks, 4);
    p.tasks += 4 + length;
  }
  return p;
}

// ---- the ends of ranges ----

// Puts the end of that number there, as 8 bytes or as 4; returns how many there are.
static size_t put(unsigned char *bytes, size_t end) {
  static const int64_t counts[] = {INT64_MAX / 2, INT64_MAX};
  static const double numbers[] = {1e100, 1e120, DBL_MAX, -DBL_MAX, 1e30};
  static const float floats[] = {FLT_MAX, -1e37f, 1e30f, 1e18f, 1.00009f, 0.0f};
  enum {
    COUNTS = sizeof counts / sizeof counts[0],
    NUMBERS = sizeof numbers / sizeof numbers[0],
    FLOATS = sizeof floats / sizeof floats[0],
  };
  if (end < COUNTS) memcpy(bytes, &counts[end], 8);
  else if (end < COUNTS + NUMBERS) memcpy(bytes, &numbers[end - COUNTS], 8);
  else if (end < COUNTS + NUMBERS + FLOATS) memcpy(bytes, &floats[end - COUNTS - NUMBERS], 4);
  return COUNTS + NUMBERS + FLOATS;
}

static void check_answers(const sfnec_agent *agent, const world *w, const char *what, size_t at, size_t end) {
  enum { MOST_TASKS = 8 };
  double q[MOST_TASKS * ACTIONS], psi[MOST_TASKS * ACTIONS * FEATURES];
  const uint32_t tasks = sfnec_agent_get_task_count(agent);
  if (tasks > MOST_TASKS) return;
  if (ask_q(agent, w->observation, NULL, q) || ask_psi(agent, w->observation, psi)) return;
  for (uint32_t i = 0; i < tasks * ACTIONS; i++) {
    if (!isfinite(q[i])) fail_msg("%s: changed at %zu by %zu, an action is worth %g", what, at, end, q[i]);
  }
  for (uint32_t i = 0; i < tasks * ACTIONS * (uint32_t)sfnec_agent_get_psi_size(agent); i++) {
    if (!isfinite(psi[i])) fail_msg("%s: changed at %zu by %zu, a psi is %g", what, at, end, psi[i]);
  }
}

static void check_kept(const sfnec_agent *agent, const char *what, size_t at, size_t end, int step) {
  payload p;
  sfnec_agent *again = NULL;
  save(agent, &p);
  if (load(&p, &again)) {
    fail_msg("%s: changed at %zu by %zu, refused after step %d: %s", what, at, end, step, sfnec_last_error());
  }
  sfnec_agent_destroy(again);
  free(p.bytes);
}

// Each kind tries a third of the ends at a number, and the next kind another third.
static void check(const char *what, size_t kind, const char *const *settings) {
  enum { STEPS = 4, THIRDS = 3 };
  world begun = {{0, 0, 0}, 0};
  payload p = sample(&begun, settings);
  unsigned char before[8];
  int accepted = 0;
  const size_t ends = put(before, SIZE_MAX);
  for (size_t at = p.tasks; at + 8 <= p.size; at += 4) {
    for (size_t end = 0; end < ends; end++) {
      if ((end + kind + at / 4) % THIRDS != 0) continue;
      memcpy(before, p.bytes + at, 8);
      put(p.bytes + at, end);
      sfnec_agent *agent = NULL;
      if (load(&p, &agent) == SFNEC_OK) {
        accepted++;
        world w = begun;
        for (int i = 0; i < STEPS; i++) live(&w, agent);
        check_answers(agent, &w, what, at, end);
        check_kept(agent, what, at, end, STEPS);
      }
      sfnec_agent_destroy(agent);
      memcpy(p.bytes + at, before, 8);
    }
  }
  printf("%s: %zu bytes, %d files accepted\n", what, p.size, accepted);
  assert_true(accepted > 1000);
  free(p.bytes);
}

static void test_ends(void **state) {
  (void)state;
  static const struct {
    const char *what, *settings[SETTINGS];
  } kinds[] = {
      {"contexts", {NULL}},
      {"learned weights", {"w=rls", "tasks=detect", "recheck=3", NULL}},
      {"projected", {"embedding=pca", "key_size=2", "contexts=off", NULL}},
      {"per episode", {"terminal=zero", "predict=reward", NULL}},
      {"patient", {"gamma=0.999999", "contexts=off", NULL}},
      {"any reward", {"rewards=any", NULL}},
      {"learned features", {"predict=learned", NULL}},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) check(kinds[i].what, i, kinds[i].settings);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
