// test_filter.c: noise on observations is found where there is some and nowhere else, estimates are nearer to the truth
// than observations, and a filter, a fit of one and an agent that filters survive a file to the bit.
#include "support/tiny.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/plan/filter.h"
#include "agent/plan/internal.h"
#include "sfnec/random.h"

enum { SIZE = 3, WAYS = 3, EPISODE = 100 };

// A pendulum that actions push: angle, speed, and a constant that means nothing.
typedef struct world {
  double angle, speed, sd;
  int step;
  float at[SIZE]; // as observed last
  sfnec_random random;
} world;

static double gauss(sfnec_random *random) {
  double sum = -6.0;
  for (int i = 0; i < 12; i++) sum += sfnec_random_uniform(random);
  return sum;
}

static void look(world *w, float *observation) {
  observation[0] = (float)(w->angle + w->sd * gauss(&w->random));
  observation[1] = (float)(w->speed + w->sd * gauss(&w->random));
  observation[2] = 1.0f;
}

static void push(world *w, uint32_t action) {
  w->speed += 0.1 * ((double)action - 1.0) - 0.05 * sin(w->angle);
  w->angle += 0.1 * w->speed;
}

static void restart(world *w) {
  w->angle = 2.0 * sfnec_random_uniform(&w->random) - 1.0;
  w->speed = 0.0;
}

// Logs so many transitions; truth (steps, 2) is where the pendulum was after them.
static void swing(sfnec_transition_log *log, double sd, int steps, double *truth) {
  world w = {.sd = sd, .random = sfnec_random_start(7, 81)};
  float before[SIZE], after[SIZE];
  const float features[FEATURES] = {0};
  OK(sfnec_transition_log_init(log, SIZE, FEATURES, WAYS));
  for (int t = 0; t < steps; t++) {
    if (t % EPISODE == 0) {
      restart(&w);
      look(&w, before);
    }
    const uint32_t action = (uint32_t)sfnec_random_below(&w.random, WAYS);
    push(&w, action);
    look(&w, after);
    OK(sfnec_transition_log_add(log, before, action, features, after, false, t % EPISODE == EPISODE - 1));
    truth[2 * t] = w.angle, truth[2 * t + 1] = w.speed;
    memcpy(before, after, sizeof before);
  }
}

static void fit(const sfnec_transition_log *log, sfnec_filter *filter) {
  sfnec_relevance relevance;
  sfnec_filter_fit *fit = NULL;
  OK(sfnec_relevance_init(&relevance, SIZE));
  OK(sfnec_filter_fit_begin(log, &relevance, &fit));
  assert_non_null(fit);
  while (!sfnec_filter_fit_step(fit)) continue;
  sfnec_filter_fit_apply(fit, filter);
  sfnec_filter_fit_destroy(fit);
  sfnec_relevance_clear(&relevance);
}

enum { STEPS = 1500 };

static void test_exact_observations(void **state) {
  (void)state;
  static double truth[2 * STEPS];
  sfnec_transition_log log;
  sfnec_filter filter = {0};
  swing(&log, 0.0, STEPS, truth);
  fit(&log, &filter);
  assert_int_equal(filter.size, 0);
  float *smoothed;
  OK(sfnec_filter_smooth(&filter, &log, &smoothed));
  assert_null(smoothed);
  sfnec_transition_log_clear(&log);
}

// The root mean square of what observations, or estimates of them, are off.
static double error_of(const float *observations, size_t stride, const double *truth, size_t component) {
  double squares = 0.0;
  for (int t = 0; t < STEPS; t++) {
    const double off = (double)observations[t * stride + component] - truth[2 * t + component];
    squares += off * off;
  }
  return sqrt(squares / STEPS);
}

static void test_noise(void **state) {
  (void)state;
  static double truth[2 * STEPS];
  static float online[STEPS * SIZE];
  const double sd = 0.05;
  sfnec_transition_log log;
  sfnec_filter filter = {0};
  sfnec_belief belief;
  swing(&log, sd, STEPS, truth);
  fit(&log, &filter);
  assert_int_equal(filter.size, 2); // not the constant
  for (uint32_t i = 0; i < 2; i++) assert_true(fabs(sqrt(filter.noise[i]) / filter.narrow[i] / sd - 1.0) < 0.1);

  float *smoothed;
  OK(sfnec_filter_smooth(&filter, &log, &smoothed));
  OK(sfnec_belief_init(&belief, SIZE));
  sfnec_log_cursor cursor = sfnec_transition_log_start(&log);
  sfnec_logged_transition row;
  double squares = 0.0;
  for (int t = 0; sfnec_transition_log_next(&log, &cursor, &row); t++) {
    const float *before = row.before, *after = row.after;
    sfnec_belief_follow(&belief, &filter, row.action, &before, &after);
    memcpy(online + (ptrdiff_t)t * SIZE, after, SIZE * sizeof *after);
    if (t % EPISODE == 0) continue;
    for (size_t c = 0; c < 2; c++) squares += pow((double)before[c] - truth[2 * (t - 1) + (int)c], 2.0);
  }
  double filtered_squares = 0.0;
  for (size_t c = 0; c < 2; c++) {
    const double filtered = error_of(online, SIZE, truth, c),
                 later = error_of(smoothed + SIZE, 2 * (size_t)SIZE, truth, c);
    assert_true(filtered < 0.5 * sd);
    filtered_squares += filtered * filtered;
    assert_true(later < 0.9 * filtered);
  }
  assert_true(squares / STEPS < 0.9 * filtered_squares); // one step later more is known
  assert_true(online[2] == 1.0f && smoothed[2] == 1.0f); // what is no part of the state stays

  // a jump that the dynamics do not know is believed at once
  const float here[SIZE] = {0.1f, 0.0f, 1.0f}, far[SIZE] = {0.9f, 0.0f, 1.0f};
  const float *before = here, *after = far;
  sfnec_belief_follow(&belief, &filter, 1, &before, &after);
  assert_memory_equal(before, here, sizeof here);
  assert_memory_equal(after, far, sizeof far);
  sfnec_belief_clear(&belief);
  sfnec_filter_clear(&filter);
  sfnec_transition_log_clear(&log);
  free(smoothed);
}

// ---- files ----

static void test_damaged(void **state) {
  (void)state;
  static double truth[2 * STEPS];
  sfnec_transition_log log;
  sfnec_filter filter = {0}, copy = {0};
  swing(&log, 0.05, STEPS, truth);
  fit(&log, &filter);
  sfnec_writer *writer = NULL;
  unsigned char *bytes;
  size_t size;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_filter_save(&filter, writer);
  OK(sfnec_writer_take(writer, &bytes, &size));
  // version, size, degree, then a component with its middle, its scale, its noise and what the dynamics do not know
  static const struct {
    size_t at;
    double number;
  } wrong[] = {{24, 0.0}, {24, (double)NAN}, {32, -1.0}, {32, (double)INFINITY}, {40, 0.0}, {16, (double)NAN}};
  const size_t cases = sizeof wrong / sizeof *wrong;
  for (size_t i = 0; i <= cases + size; i++) {
    unsigned char *damaged = malloc(size);
    memcpy(damaged, bytes, size);
    if (i < cases) memcpy(damaged + wrong[i].at, &wrong[i].number, sizeof(double));
    const size_t left = i > cases ? i - cases - 1 : size; // or it ends early
    sfnec_reader *reader = NULL;
    OK(sfnec_reader_open_memory(damaged, left, NULL, 0, "a filter", &reader));
    const sfnec_status status = sfnec_filter_load(&copy, SIZE, WAYS, reader);
    const bool good = !status && sfnec_reader_good(reader);
    assert_int_equal(good, i == cases);
    sfnec_reader_close(reader);
    sfnec_filter_clear(&copy);
    free(damaged);
  }
  free(bytes);
  sfnec_filter_clear(&filter);
  sfnec_transition_log_clear(&log);
}

static void run(sfnec_agent *agent, world *w, int steps) {
  for (int t = 0; t < steps; t++, w->step++) {
    if (w->step % EPISODE == 0) {
      restart(w);
      look(w, w->at);
      OK(sfnec_agent_begin_episode(agent));
    }
    sfnec_transition moved = {.next_observation = w->at};
    OK(sfnec_agent_act(agent, w->at, &moved.action));
    push(w, (uint32_t)moved.action);
    look(w, w->at);
    const double features[FEATURES] = {cos(w->angle) < 0.0, -0.1};
    moved.features = features;
    moved.reward = features[0] + features[1];
    moved.truncated = w->step % EPISODE == EPISODE - 1;
    OK(sfnec_agent_observe(agent, &moved));
    if (moved.truncated) OK(sfnec_agent_end_episode(agent));
  }
}

static sfnec_agent *agent_that(const char *const *settings) {
  const double both[FEATURES] = {1, 1};
  const sfnec_env_shape shape = {.observation_size = SIZE, .action_count = WAYS, .feature_count = FEATURES};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", settings, 5);
  OK(sfnec_agent_begin_task(agent, both, NULL));
  return agent;
}

// An agent that was saved before, in and after fits does what the other one does.
static void test_loaded(void **state) {
  (void)state;
  int fits = 0, filters = 0;
  for (int steps = 140; steps < 420; steps += 23) {
    static const char *const plain[] = {"terminal=zero", NULL};
    world w = {.sd = 0.05, .random = sfnec_random_start(3, 81)};
    sfnec_agent *agent = agent_that(plain), *copy = NULL;
    run(agent, &w, steps);
    fits += agent->planner->encoder.filter_fit != NULL;
    filters += agent->planner->belief.version > 0;
    OK(sfnec_agent_save(agent, "half.agent"));
    OK(sfnec_agent_load("half.agent", &copy));
    world again = w;
    run(agent, &w, 130);
    run(copy, &again, 130);
    OK(sfnec_agent_save(agent, "whole.agent"));
    OK(sfnec_agent_save(copy, "copy.agent"));
    assert_true(same_files("whole.agent", "copy.agent"));
    sfnec_agent_destroy(agent);
    sfnec_agent_destroy(copy);
  }
  assert_true(fits > 0 && filters > 0);
}

static void test_off(void **state) {
  (void)state;
  static const char *const off[] = {"terminal=zero", "filter=off", NULL};
  world w = {.sd = 0.05, .random = sfnec_random_start(3, 81)};
  sfnec_agent *agent = agent_that(off);
  run(agent, &w, 400);
  assert_int_equal(agent->planner->encoder.filter.version, 0);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact_observations),
      cmocka_unit_test(test_noise),
      cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_loaded),
      cmocka_unit_test(test_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
