// factors.c: see factors.h.
#include "agent/plan/factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/polynomial.h"
#include "base/error.h"
#include "base/vector.h"
#include "sfnec/random.h"

enum { FOLDS = 10, SWEEPS = 60 };
static const double RIDGE = 1e-3; // of each reward, in units of their mean square; ten times less: noise is fitted
static const double RIDGE_FIRST =
    0.3; // a fit begins with the few factors that matter most, and finds the others beside
static const double RIDGE_DECAY = 0.87; // them: one that begins with all of them often ends beside the solution
static const double ROW_RIDGE = 1e-2;   // of a row under factors that are known; more: rare rows count for less
static const double SIMPLER = 1.2;      // times the least error held out up to which fewer factors are preferred...
static const double EXACT = 1e-4;       // ...and share of the squares that is no error
static const double MISSED = 0.1;   // squared error that counts as a miss, however large: of a row with a factor of its
                                    // own nothing can be foretold
static const double BELIEVED = 0.4; // share of the rewards held out that factors must predict to be believed: by chance
                                    // it is below 0.2, and rows that they do not explain are left out anyway

typedef struct fit {
  const sfnec_row_reward *rewards;
  size_t count;
  uint32_t rows, tasks, rank;
  uint32_t known; // tasks with rewards
  double scale;   // root mean square of the rewards
  double *phi;    // (rows, MOST)
  double *w;      // (tasks, MOST)
  double *sums;   // (tasks, MOST * (MOST + 1))
  uint32_t *seen; // (tasks)
} fit;

enum { MOST = SFNEC_FACTORS_MOST, SUMS = MOST * (MOST + 1) };

static void fit_clear(fit *fit) {
  free(fit->phi), free(fit->w), free(fit->sums), free(fit->seen);
}

static sfnec_status fit_init(fit *fit, const sfnec_row_reward *rewards, size_t count, uint32_t rows, uint32_t tasks) {
  *fit = (struct fit){.rewards = rewards, .count = count, .rows = rows, .tasks = tasks};
  fit->phi = calloc((size_t)rows * MOST, sizeof *fit->phi);
  fit->w = calloc((size_t)tasks * MOST, sizeof *fit->w);
  fit->sums = calloc((size_t)tasks * SUMS, sizeof *fit->sums);
  fit->seen = calloc(tasks, sizeof *fit->seen);
  double squares = 0.0;
  for (size_t i = 0; i < count; i++) squares += rewards[i].reward * rewards[i].reward;
  for (size_t i = 0; fit->seen && i < count; i++) fit->known += fit->seen[rewards[i].task]++ == 0;
  fit->scale = sqrt(squares / (double)count);
  if (fit->phi && fit->w && fit->sums && fit->seen) return SFNEC_OK;
  fit_clear(fit);
  return sfnec_fail_memory("the factors of rewards");
}

// ---- least squares ----

// Adds reward = x . y to the normal equations of y.
static void add(double *sums, const double *x, double reward, uint32_t rank) {
  for (uint32_t i = 0; i < rank; i++) {
    for (uint32_t j = 0; j < rank; j++) sums[i * rank + j] += x[i] * x[j];
    sums[rank * rank + i] += x[i] * reward;
  }
}

// Solves them with a ridge.
static void solve(double *sums, double ridge, uint32_t rank, double *y) {
  for (uint32_t i = 0; i < rank; i++) sums[i * rank + i] += ridge;
  memcpy(y, sums + (size_t)rank * rank, rank * sizeof *y);
  if (!sfnec_solve_symmetric(sums, y, rank, 1)) memset(y, 0, rank * sizeof *y);
}

// Whether a reward is left out of the fit: one in FOLDS, spread over tasks and rows.
static bool is_held_out(const sfnec_row_reward *reward, uint32_t fold) {
  return (reward->row * 2654435761u + reward->task) % FOLDS == fold;
}

static size_t end_of_row(const fit *fit, size_t first) {
  size_t end = first;
  while (end < fit->count && fit->rewards[end].row == fit->rewards[first].row) end++;
  return end;
}

// One sweep over rows and tasks, without the rewards of a fold (FOLDS: none is left out).
static void sweep(fit *fit, uint32_t fold, double ridge) {
  const uint32_t rank = fit->rank;
  memset(fit->sums, 0, (size_t)fit->tasks * SUMS * sizeof *fit->sums);
  memset(fit->seen, 0, fit->tasks * sizeof *fit->seen);
  for (size_t first = 0, end; first < fit->count; first = end) {
    end = end_of_row(fit, first);
    double sums[SUMS] = {0}, *phi = fit->phi + (size_t)fit->rewards[first].row * MOST;
    uint32_t seen = 0;
    for (size_t i = first; i < end; i++) {
      if (is_held_out(&fit->rewards[i], fold)) continue;
      add(sums, fit->w + (size_t)fit->rewards[i].task * MOST, fit->rewards[i].reward / fit->scale, rank);
      seen++;
    }
    solve(sums, ridge * fmax(1.0, seen), rank, phi);
    for (size_t i = first; i < end; i++) {
      const uint32_t t = fit->rewards[i].task;
      if (is_held_out(&fit->rewards[i], fold)) continue;
      add(fit->sums + (size_t)t * SUMS, phi + 1, fit->rewards[i].reward / fit->scale - phi[0], rank - 1);
      fit->seen[t]++;
    }
  }
  for (uint32_t t = 0; t < fit->tasks; t++)
    solve(fit->sums + (size_t)t * SUMS, ridge * fmax(1.0, fit->seen[t]), rank - 1, fit->w + (size_t)t * MOST + 1);
}

static void run(fit *fit, uint32_t rank, uint32_t fold) {
  sfnec_random random = sfnec_random_start(rank, SFNEC_PURPOSE_PLANNING);
  fit->rank = rank;
  for (size_t i = 0; i < (size_t)fit->tasks * MOST; i++) fit->w[i] = i % MOST ? sfnec_random_normal(&random) : 1.0;
  double ridge = RIDGE_FIRST;
  for (uint32_t i = 0; i < SWEEPS; i++) {
    sweep(fit, fold, ridge);
    ridge = fmax(RIDGE, RIDGE_DECAY * ridge);
  }
}

// ---- the number of factors ----

// The squared errors of rewards that were held out, of rows that were seen in more than half of the tasks; *squares:
// those of the rewards themselves, and *each their number.
static double held_out_errors(fit *fit, uint32_t rank, double *squares) {
  double errors = 0.0;
  *squares = 0.0;
  for (uint32_t fold = 0; fold < FOLDS; fold++) {
    run(fit, rank, fold);
    for (size_t first = 0, end; first < fit->count; first = end) {
      end = end_of_row(fit, first);
      if (2 * (end - first) <= fit->known) continue;
      const double *phi = fit->phi + (size_t)fit->rewards[first].row * MOST;
      for (size_t i = first; i < end; i++) {
        if (!is_held_out(&fit->rewards[i], fold)) continue;
        const double reward = fit->rewards[i].reward / fit->scale;
        const double error = reward - sfnec_dot(phi, fit->w + (size_t)fit->rewards[i].task * MOST, rank);
        errors += fmin(error * error, MISSED);
        *squares += fmin(reward * reward, MISSED);
      }
    }
  }
  return errors;
}

// The fewest factors that predict rewards held out about as well as any; 0: none predict them.
static uint32_t choose_rank(fit *fit, double *explained) {
  double errors[MOST + 1], squares = 0.0, least = INFINITY;
  const uint32_t most = fit->known - 1 < MOST ? fit->known - 1 : MOST;
  for (uint32_t rank = 1; rank <= most; rank++) {
    errors[rank] = held_out_errors(fit, rank, &squares);
    least = fmin(least, errors[rank]);
  }
  for (uint32_t rank = 1; rank <= most && squares > 0.0; rank++) {
    if (errors[rank] > SIMPLER * least + EXACT * squares) continue;
    *explained = fmax(0.0, 1.0 - errors[rank] / squares);
    return *explained >= BELIEVED ? rank : 0;
  }
  return 0;
}

// ---- their scale ----

// Shifts, turns and scales w so that it has mean 0 and is uncorrelated with variance 1: by the inverse of Cholesky's
// factor of its covariance, added a little to that keeps directions without any weight finite.
static void whiten(const fit *fit, sfnec_factors *out) {
  const uint32_t k = fit->rank;
  double lower[MOST * MOST] = {0}, mean[MOST] = {0};
  for (uint32_t t = 0; t < fit->tasks; t++) {
    for (uint32_t i = 1; i < k && fit->seen[t]; i++) mean[i] += fit->w[t * MOST + i] / fit->known;
  }
  for (uint32_t i = 1; i < k; i++) {
    for (uint32_t j = 1; j <= i; j++) {
      double sum = i == j ? RIDGE * RIDGE : 0.0;
      for (uint32_t t = 0; t < fit->tasks; t++) {
        if (fit->seen[t]) sum += (fit->w[t * MOST + i] - mean[i]) * (fit->w[t * MOST + j] - mean[j]) / fit->known;
      }
      for (uint32_t l = 1; l < j; l++) sum -= lower[i * k + l] * lower[j * k + l];
      lower[i * k + j] = i == j ? sqrt(fmax(sum, RIDGE * RIDGE)) : sum / lower[j * k + j];
    }
  }
  for (uint32_t t = 0; t < fit->tasks; t++) {
    double *w = out->w + (size_t)t * k;
    out->seen[t] = fit->seen[t] > 0;
    w[0] = 1.0;
    for (uint32_t i = 1; i < k && out->seen[t]; i++) {
      double sum = fit->w[t * MOST + i] - mean[i];
      for (uint32_t j = 1; j < i; j++) sum -= lower[i * k + j] * w[j];
      w[i] = sum / lower[i * k + i];
    }
  }
}

sfnec_status sfnec_factors_find(const sfnec_row_reward *rewards, size_t count, uint32_t rows, uint32_t tasks,
                                sfnec_factors *out) {
  *out = (sfnec_factors){.tasks = tasks};
  if (count == 0) return SFNEC_OK;
  fit fit;
  sfnec_status status = fit_init(&fit, rewards, count, rows, tasks);
  if (status) return status;
  const uint32_t rank = fit.scale > 0.0 && fit.known > 1 ? choose_rank(&fit, &out->explained) : 0;
  if (rank > 0) {
    out->w = calloc((size_t)tasks * rank, sizeof *out->w);
    out->seen = calloc(tasks, sizeof *out->seen);
    if (!out->w || !out->seen) status = sfnec_fail_memory("the factors of rewards");
    if (status) sfnec_factors_clear(out);
    if (!status) {
      run(&fit, rank, FOLDS);
      whiten(&fit, out);
      out->rank = rank;
    }
  }
  fit_clear(&fit);
  return status;
}

void sfnec_factors_clear(sfnec_factors *factors) {
  free(factors->w), free(factors->seen);
  *factors = (sfnec_factors){0};
}

double sfnec_factors_of_row(const sfnec_factors *factors, const sfnec_row_reward *rewards, size_t count, double *phi) {
  const uint32_t k = factors->rank;
  double sums[SUMS] = {0}, open[MOST * MOST] = {0}, square[MOST * MOST], left = 0.0;
  for (size_t i = 0; i < count; i++) add(sums, factors->w + (size_t)rewards[i].task * k, rewards[i].reward, k);
  memcpy(square, sums, (size_t)k * k * sizeof *square);
  solve(sums, ROW_RIDGE, k, phi);
  for (uint32_t i = 0; i < k; i++) {
    square[i * k + i] += ROW_RIDGE;
    open[i * k + i] = 1.0;
  }
  if (k == 0 || !sfnec_solve_symmetric(square, open, k, k)) return 1.0;
  for (uint32_t i = 0; i < k; i++) left += ROW_RIDGE * open[i * k + i] / k;
  return fmin(1.0, left);
}
