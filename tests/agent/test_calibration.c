// test_calibration.c: the standard errors of the filter are right: of what is observed in episodes that the fit has not
// seen, 90 to 99 % lies within two of them of the prediction, in six worlds that move by different laws. (Of a normal
// distribution it is 95 %.)
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "agent/plan/filter.h"
#include "sfnec/random.h"

enum { MOST = 4, WAYS = 3, EPISODE = 60, ROWS = 1500, HELD_OUT = 1200 };

typedef struct world {
  const char *name;
  int size;
  void (*push)(double *s, double force);
  double begin[MOST], spread[MOST]; // where episodes begin
  double sd[MOST];                  // of the noise
} world;

static void pendulum(double *s, double force) {
  s[1] += 0.1 * force - 0.05 * sin(s[0]);
  s[0] += 0.1 * s[1];
}

static void mass(double *s, double force) {
  s[1] += 0.05 * force - 0.02 * s[1];
  s[0] += s[1];
}

// With a wall on its left, which stops it.
static void mountain_car(double *s, double force) {
  s[1] += 0.001 * force - 0.0025 * cos(3.0 * s[0]);
  s[0] += s[1];
  if (s[0] < -0.8) s[0] = -0.8, s[1] = 0.0;
}

static void cart_pole(double *s, double force) {
  const double h = 0.02, pull = (10.0 * force + 0.05 * s[3] * s[3] * sin(s[2])) / 1.1;
  const double turn = (9.8 * sin(s[2]) - cos(s[2]) * pull) / (0.5 * (4.0 / 3.0 - 0.1 * cos(s[2]) * cos(s[2]) / 1.1));
  const double push = pull - 0.05 * turn * cos(s[2]) / 1.1;
  s[0] += h * s[1], s[1] += h * push, s[2] += h * s[3], s[3] += h * turn;
}

// Predators and prey, which are fed.
static void animals(double *s, double force) {
  const double prey = s[0], predators = s[1];
  s[0] += 0.1 * (prey * (1.0 - predators) + 0.2 * force);
  s[1] += 0.1 * predators * (prey - 1.0);
}

// Two masses between springs, of which the first is pushed.
static void springs(double *s, double force) {
  s[1] += 0.1 * (s[2] - 2.0 * s[0] + force), s[3] += 0.1 * (s[0] - 2.0 * s[2]);
  s[0] += 0.1 * s[1], s[2] += 0.1 * s[3];
}

static const world worlds[] = {
    {"pendulum", 2, pendulum, {0.0, 0.0}, {1.0, 0.0}, {0.03, 0.03}},
    {"mass", 2, mass, {0.0, 0.0}, {1.0, 0.1}, {0.1, 0.03}},
    {"mountain car", 2, mountain_car, {-0.5, 0.0}, {0.2, 0.02}, {0.007, 0.0006}},
    {"cart and pole", 4, cart_pole, {0.0, 0.0, 0.0, 0.0}, {0.5, 0.5, 0.1, 0.5}, {0.02, 0.05, 0.01, 0.06}},
    {"animals", 2, animals, {1.0, 1.0}, {0.5, 0.5}, {0.02, 0.02}},
    {"springs", 4, springs, {0.0, 0.0, 0.0, 0.0}, {1.0, 0.5, 1.0, 0.5}, {0.05, 0.05, 0.05, 0.05}},
};

static void look(const world *in, const double *s, sfnec_random *random, float *observation) {
  for (int i = 0; i < in->size; i++) observation[i] = (float)(s[i] + in->sd[i] * sfnec_random_normal(random));
}

static void restart(const world *in, double *s, sfnec_random *random) {
  for (int i = 0; i < in->size; i++) {
    s[i] = in->begin[i] + in->spread[i] * (2.0 * sfnec_random_uniform(random) - 1.0);
  }
}

static void fit(const world *in, sfnec_random *random, sfnec_filter *filter) {
  sfnec_transition_log log;
  sfnec_relevance relevance;
  sfnec_filter_fit *fit = NULL;
  double s[MOST];
  float before[MOST], after[MOST];
  OK(sfnec_transition_log_init(&log, (size_t)in->size, 0, WAYS));
  OK(sfnec_relevance_init(&relevance, (size_t)in->size));
  for (int t = 0; t < ROWS; t++) {
    if (t % EPISODE == 0) {
      restart(in, s, random);
      look(in, s, random, before);
    }
    const uint32_t action = (uint32_t)sfnec_random_below(random, WAYS);
    in->push(s, (double)action - 1.0);
    look(in, s, random, after);
    OK(sfnec_transition_log_add(&log, before, action, NULL, after, false, t % EPISODE == EPISODE - 1));
    memcpy(before, after, sizeof before);
  }
  OK(sfnec_filter_fit_begin(&log, &relevance, &fit));
  while (!sfnec_filter_fit_step(fit)) continue;
  sfnec_filter_fit_apply(fit, filter);
  sfnec_filter_fit_destroy(fit);
  sfnec_relevance_clear(&relevance);
  sfnec_transition_log_clear(&log);
}

// The share of numbers observed in new episodes that lie within two standard errors.
static double held_out(const world *in, sfnec_random *random, const sfnec_filter *filter) {
  double s[MOST], observed[SFNEC_FILTER_SIZE];
  float observation[MOST];
  sfnec_gaussian state;
  size_t within = 0, all = 0;
  for (int t = 0; t < HELD_OUT; t++) {
    if (t % EPISODE == 0) {
      restart(in, s, random);
      look(in, s, random, observation);
      sfnec_filter_read(filter, observation, observed);
      sfnec_filter_begin(filter, observed, &state);
    }
    const uint32_t action = (uint32_t)sfnec_random_below(random, WAYS);
    sfnec_filter_step step;
    in->push(s, (double)action - 1.0);
    look(in, s, random, observation);
    sfnec_filter_read(filter, observation, observed);
    sfnec_filter_advance(filter, &state, action, observed, &step);
    for (uint32_t i = 0; i < filter->size; i++, all++) {
      const double error = sqrt(step.predicted.covariance[i * filter->size + i] + filter->noise[i]);
      within += fabs(observed[i] - step.predicted.mean[i]) <= 2.0 * error;
    }
    state = step.estimated;
  }
  return (double)within / (double)all;
}

static void test_within_two_errors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++) {
    const world *in = &worlds[i];
    sfnec_random random = sfnec_random_start(11 + i, 87);
    sfnec_filter filter = {0};
    fit(in, &random, &filter);
    assert_int_equal(filter.size, in->size);
    const double share = held_out(in, &random, &filter);
    if (!(share >= 0.90 && share <= 0.99)) fail_msg("%s: %.3f lies within two standard errors", in->name, share);
    sfnec_filter_clear(&filter);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_within_two_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
