// filter.c: the extended Kalman filter and its smoother; see filter.h. Files: filter_file.c.
#include "agent/plan/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/constants.h"
#include "base/error.h"

enum { N = SFNEC_FILTER_SIZE };

// ---- life ----

sfnec_status sfnec_filter_init(sfnec_filter *filter, uint32_t size, uint32_t actions, uint32_t degree) {
  *filter = (sfnec_filter){.version = 1, .size = size};
  const sfnec_status status = sfnec_polynomial_init(&filter->dynamics, size, actions, degree);
  if (status) return status;
  for (uint32_t i = 0; i < size; i++) filter->dynamics.narrow[i] = 1.0f; // states are standardised
  filter->constants = calloc((size_t)actions * size + 1, sizeof *filter->constants);
  if (filter->constants) return SFNEC_OK;
  sfnec_filter_clear(filter);
  return sfnec_fail_memory("a filter of observations");
}

void sfnec_filter_clear(sfnec_filter *filter) {
  sfnec_polynomial_clear(&filter->dynamics);
  free(filter->constants);
  *filter = (sfnec_filter){0};
}

size_t sfnec_filter_bytes(const sfnec_filter *filter) {
  return sfnec_polynomial_bytes(&filter->dynamics) + filter->dynamics.actions * filter->size * sizeof(float);
}

// ---- states ----

static double bounded(double number) {
  return fmin(fmax(number, -SFNEC_FILTER_AWAY), SFNEC_FILTER_AWAY);
}

void sfnec_filter_read(const sfnec_filter *filter, const float *observation, double *state) {
  for (uint32_t i = 0; i < filter->size; i++) {
    state[i] = bounded(((double)observation[filter->components[i]] - filter->middle[i]) * filter->narrow[i]);
  }
}

// An observation with its components as a state has them.
static void restore(const sfnec_filter *filter, const sfnec_gaussian *state, float *observation) {
  for (uint32_t i = 0; i < filter->size; i++) {
    const double number = filter->middle[i] + state->mean[i] / filter->narrow[i];
    observation[filter->components[i]] = (float)fmin(fmax(number, -(double)SFNEC_KEY_MOST), (double)SFNEC_KEY_MOST);
  }
}

void sfnec_filter_begin(const sfnec_filter *filter, const double *observed, sfnec_gaussian *state) {
  const uint32_t n = filter->size;
  memset(state->covariance, 0, sizeof state->covariance);
  for (uint32_t i = 0; i < n; i++) {
    state->mean[i] = observed[i];
    state->covariance[i * n + i] = filter->noise[i];
  }
}

// The next state, by the dynamics.
static void move(const sfnec_filter *filter, const double *from, uint32_t action, double *to) {
  float key[N], moved[N];
  for (uint32_t i = 0; i < filter->size; i++) key[i] = (float)from[i];
  sfnec_polynomial_at(&filter->dynamics, action, key, moved);
  for (uint32_t i = 0; i < filter->size; i++) {
    to[i] = bounded(from[i] + (double)moved[i] + (double)filter->constants[action * filter->size + i]);
  }
}

// The slope (n, n) of the dynamics, by central differences.
static void differentiate(const sfnec_filter *filter, const double *at, uint32_t action, double *slope) {
  const uint32_t n = filter->size;
  for (uint32_t j = 0; j < n; j++) {
    double below[N], above[N], low[N], high[N];
    memcpy(below, at, sizeof below), memcpy(above, at, sizeof above);
    below[j] -= SFNEC_FILTER_DIFFERENCE, above[j] += SFNEC_FILTER_DIFFERENCE;
    move(filter, below, action, low);
    move(filter, above, action, high);
    for (uint32_t i = 0; i < n; i++) slope[i * n + j] = (high[i] - low[i]) / (above[j] - below[j]);
  }
}

// c (n, n) = a b, or a b' with `transposed`.
static void multiply(const double *a, const double *b, uint32_t n, bool transposed, double *c) {
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      double sum = 0.0;
      for (uint32_t k = 0; k < n; k++) sum += a[i * n + k] * (transposed ? b[j * n + k] : b[k * n + j]);
      c[i * n + j] = sum;
    }
  }
}

static void predict(const sfnec_filter *filter, const sfnec_gaussian *from, uint32_t action, sfnec_filter_step *step) {
  const uint32_t n = filter->size;
  double half[N * N];
  move(filter, from->mean, action, step->predicted.mean);
  differentiate(filter, from->mean, action, step->slope);
  multiply(step->slope, from->covariance, n, false, half);
  multiply(half, step->slope, n, true, step->predicted.covariance);
  for (uint32_t i = 0; i < n; i++) step->predicted.covariance[i * n + i] += filter->process[i];
}

// An innovation beyond the mean of its square by six standard deviations (chi-square) is none of the noise.
static double gate(uint32_t n) {
  return (double)n + SFNEC_FILTER_GATE * sqrt(2.0 * (double)n);
}

double sfnec_filter_advance(const sfnec_filter *filter, const sfnec_gaussian *from, uint32_t action,
                            const double *observed, sfnec_filter_step *step) {
  const uint32_t n = filter->size;
  predict(filter, from, action, step);
  // the covariance of the innovation, its inverse times the prediction's, and times the innovation
  double factor[N * N], solved[N * (N + 1)], squared = 0.0, logarithm = 0.0, innovation[N];
  const double *covariance = step->predicted.covariance;
  for (uint32_t i = 0; i < n; i++) {
    innovation[i] = observed[i] - step->predicted.mean[i];
    for (uint32_t j = 0; j < n; j++) {
      factor[i * n + j] = covariance[i * n + j] + (i == j ? filter->noise[i] : 0.0);
      solved[i * (n + 1) + j] = covariance[i * n + j];
    }
    solved[i * (n + 1) + n] = innovation[i];
  }
  const bool good = sfnec_solve_symmetric(factor, solved, n, n + 1);
  for (uint32_t i = 0; i < n && good; i++) {
    squared += innovation[i] * solved[i * (n + 1) + n];
    logarithm += 2.0 * log(factor[i * n + i]);
  }
  step->jumped = !good || !(squared <= gate(n));
  if (step->jumped) {
    sfnec_filter_begin(filter, observed, &step->estimated);
    return good ? -0.5 * (gate(n) + logarithm) : -SFNEC_FILTER_AWAY;
  }
  for (uint32_t i = 0; i < n; i++) {
    step->estimated.mean[i] = step->predicted.mean[i];
    for (uint32_t k = 0; k < n; k++) step->estimated.mean[i] += solved[k * (n + 1) + i] * innovation[k];
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j <= i; j++) {
      double ij = covariance[i * n + j], ji = ij;
      for (uint32_t k = 0; k < n; k++) ij -= solved[k * (n + 1) + i] * covariance[k * n + j];
      for (uint32_t k = 0; k < n; k++) ji -= solved[k * (n + 1) + j] * covariance[k * n + i];
      step->estimated.covariance[i * n + j] = step->estimated.covariance[j * n + i] = 0.5 * (ij + ji);
    }
  }
  return -0.5 * (squared + logarithm);
}

void sfnec_filter_look_back(const sfnec_filter *filter, const sfnec_filter_step *step, const sfnec_gaussian *later,
                            sfnec_gaussian *state, double *gain) {
  const uint32_t n = filter->size;
  double factor[N * N], change[N * N], half[N * N];
  memset(gain, 0, n * n * sizeof *gain);
  if (step->jumped) return;
  memcpy(factor, step->predicted.covariance, n * n * sizeof *factor);
  multiply(step->slope, state->covariance, n, false, gain);
  if (!sfnec_solve_symmetric(factor, gain, n, n)) {
    memset(gain, 0, n * n * sizeof *gain);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < n; k++) state->mean[i] += gain[k * n + i] * (later->mean[k] - step->predicted.mean[k]);
  }
  for (uint32_t i = 0; i < n * n; i++) change[i] = later->covariance[i] - step->predicted.covariance[i];
  multiply(change, gain, n, false, half);
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++) {
      for (uint32_t k = 0; k < n; k++) state->covariance[i * n + j] += gain[k * n + i] * half[k * n + j];
    }
  }
}

// ---- a log ----

// Smooths the observations of rows that follow on each other; steps and states (rows) are scratch.
static void smooth_run(const sfnec_filter *filter, float *observations, size_t size, const uint32_t *actions,
                       size_t rows, sfnec_filter_step *steps, sfnec_gaussian *states) {
  double observed[N], gain[N * N];
  sfnec_filter_read(filter, observations, observed);
  sfnec_filter_begin(filter, observed, &states[0]);
  for (size_t t = 0; t < rows; t++) {
    sfnec_filter_read(filter, observations + (2 * t + 1) * size, observed);
    sfnec_filter_advance(filter, &states[t], actions[t], observed, &steps[t]);
    if (t + 1 < rows) states[t + 1] = steps[t].estimated;
  }
  sfnec_gaussian later = steps[rows - 1].estimated;
  for (size_t t = rows; t-- > 0;) {
    restore(filter, &later, observations + (2 * t + 1) * size);
    sfnec_filter_look_back(filter, &steps[t], &later, &states[t], gain);
    restore(filter, &states[t], observations + 2 * t * size);
    later = states[t];
  }
}

sfnec_status sfnec_filter_smooth(const sfnec_filter *filter, const sfnec_transition_log *log, float **observations) {
  *observations = NULL;
  if (!filter || filter->size == 0 || log->count == 0) return SFNEC_OK;
  const size_t size = log->size, rows = log->count;
  float *all = malloc(rows * 2 * size * sizeof *all);
  uint32_t *actions = malloc(rows * sizeof *actions);
  sfnec_filter_step *steps = malloc(rows * sizeof *steps);
  sfnec_gaussian *states = malloc(rows * sizeof *states);
  const bool room = all && actions && steps && states;
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  size_t first = 0, count = 0;
  for (; room && sfnec_transition_log_next(log, &cursor, &row); count++) {
    float *here = all + count * 2 * size;
    // what was observed after a row was observed before the next one, unless that is another episode or was overwritten
    const bool follows = count > 0 && memcmp(row.before, here - size, size * sizeof *here) == 0;
    if (!follows && count > first) {
      smooth_run(filter, all + first * 2 * size, size, actions + first, count - first, steps, states);
    }
    if (!follows) first = count;
    memcpy(here, row.before, size * sizeof *here);
    memcpy(here + size, row.after, size * sizeof *here);
    actions[count] = row.action;
  }
  if (room) smooth_run(filter, all + first * 2 * size, size, actions + first, count - first, steps, states);
  free(actions), free(steps), free(states);
  if (room) {
    *observations = all;
    return SFNEC_OK;
  }
  free(all);
  return sfnec_fail_memory("a filter of observations");
}

// ---- where an agent is ----

sfnec_status sfnec_belief_init(sfnec_belief *belief, size_t size) {
  *belief = (sfnec_belief){.size = size};
  belief->observed = calloc(size + 1, sizeof *belief->observed);
  belief->origin = calloc(size + 1, sizeof *belief->origin);
  belief->estimated = calloc(size + 1, sizeof *belief->estimated);
  if (belief->observed && belief->origin && belief->estimated) return SFNEC_OK;
  return sfnec_fail_memory("a filter of observations");
}

void sfnec_belief_clear(sfnec_belief *belief) {
  free(belief->observed), free(belief->origin), free(belief->estimated);
  *belief = (sfnec_belief){0};
}

const float *sfnec_belief_at(sfnec_belief *belief, const sfnec_filter *filter, const float *observation) {
  if (filter->size == 0) return observation;
  const size_t bytes = belief->size * sizeof *observation;
  if (belief->version == filter->version && memcmp(belief->observed, observation, bytes) == 0) return belief->estimated;
  double observed[N];
  sfnec_filter_read(filter, observation, observed);
  sfnec_filter_begin(filter, observed, &belief->state);
  belief->version = filter->version;
  memcpy(belief->observed, observation, bytes);
  memcpy(belief->estimated, observation, bytes);
  return belief->estimated;
}

void sfnec_belief_follow(sfnec_belief *belief, const sfnec_filter *filter, uint32_t action, const float **before,
                         const float **after) {
  if (filter->size == 0) return;
  const size_t bytes = belief->size * sizeof(float);
  sfnec_belief_at(belief, filter, *before);
  double observed[N], gain[N * N];
  sfnec_filter_step step = {.jumped = false};
  sfnec_filter_read(filter, *after, observed);
  sfnec_filter_advance(filter, &belief->state, action, observed, &step);
  memcpy(belief->origin, belief->estimated, bytes);
  if (!step.jumped) {
    sfnec_filter_look_back(filter, &step, &step.estimated, &belief->state, gain);
    restore(filter, &belief->state, belief->origin);
  }
  memcpy(belief->observed, *after, bytes);
  memcpy(belief->estimated, *after, bytes);
  if (!step.jumped) restore(filter, &step.estimated, belief->estimated);
  belief->state = step.estimated;
  *before = belief->origin;
  *after = belief->estimated;
}
