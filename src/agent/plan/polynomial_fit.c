// polynomial_fit.c: fitting a polynomial of the key to the samples of an action, in slices; see polynomial.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/constants.h"
#include "agent/plan/model.h"
#include "base/error.h"

enum { FLOPS = 16 }; // multiplications in the time of a backup

static const float *origin_of(const sfnec_polynomial_samples *all, size_t s) {
  return all->origins + all->samples[s] * all->stride;
}

// What is to be predicted of a sample: a number of its move.
static double outcome(const sfnec_polynomial_samples *all, size_t s, size_t i) {
  const size_t at = all->samples[s] * all->stride + i;
  return (double)(all->targets[at] - all->origins[at]);
}

void sfnec_polynomial_measure(sfnec_polynomial *polynomial, const sfnec_polynomial_samples *all) {
  for (size_t i = 0; i < polynomial->size && polynomial->terms > 0 && all->count > 0; i++) {
    double sum = 0.0, squares = 0.0;
    for (size_t s = 0; s < all->count; s++) sum += (double)origin_of(all, s)[i];
    const double middle = sum / (double)all->count;
    for (size_t s = 0; s < all->count; s++) {
      const double away = (double)origin_of(all, s)[i] - middle;
      squares += away * away;
    }
    const double spread = sqrt(squares / (double)all->count);
    polynomial->middle[i] = (float)middle;
    polynomial->narrow[i] = spread > SFNEC_POLYNOMIAL_SPREAD ? (float)(1.0 / spread) : 0.0f;
  }
}

bool sfnec_solve_symmetric(double *a, double *b, size_t n, size_t m) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0.0)) return false;
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < m; c++) {
      for (size_t k = 0; k < i; k++) b[i * m + c] -= a[i * n + k] * b[k * m + c];
      b[i * m + c] /= a[i * n + i];
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t c = 0; c < m; c++) {
      for (size_t k = i + 1; k < n; k++) b[i * m + c] -= a[k * n + i] * b[k * m + c];
      b[i * m + c] /= a[i * n + i];
    }
  }
  return true;
}

// ---- a fit in slices ----

// What a fit is worth: what samples held back are off, predicted from their nearest ones.
typedef struct verdict {
  double mean, median;               // of moves
  bool better[SFNEC_POLYNOMIAL_KEY]; // which numbers a correction predicts better than none
} verdict;

typedef enum stage { NEAREST, REGRESS, SOLVE, COMPARE, JUDGE, DONE } stage;

// What a fit works with. Of the samples every so manieth is used, and of those every fourth is held back to judge by.
struct sfnec_polynomial_fitting {
  sfnec_polynomial *polynomial;
  uint32_t action;
  sfnec_polynomial_samples all;
  size_t every, used;
  stage stage;
  bool whole;      // it uses all samples, by the degree that was found
  uint32_t degree; // that is tried
  size_t u;        // the next sample
  size_t terms;    // of the degree that is tried
  double *a, *x;   // (n, n), (n, size): n is terms + 1, with the constant
  double weight;   // samples that they hold
  double *off;     // (used): what samples held back are off
  size_t *nearest; // (used): of those held back, the nearest one that is not
  double without[SFNEC_POLYNOMIAL_KEY], with[SFNEC_POLYNOMIAL_KEY]; // sums of what they are off
  size_t judged;
  double sum;
  verdict found, best;
  size_t best_terms;
};

static bool is_judged(size_t u) {
  return u % SFNEC_POLYNOMIAL_JUDGED == 0;
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median of numbers, which are put in order.
static double median(double *numbers, size_t count) {
  qsort(numbers, count, sizeof *numbers, compare_doubles);
  return count ? numbers[count / 2] : 0.0;
}

static void find_nearest(sfnec_polynomial_fitting *fit, size_t u) {
  const float *key = origin_of(&fit->all, u * fit->every);
  float least = INFINITY;
  for (size_t other = 0; other < fit->used; other++) {
    if (is_judged(other)) continue;
    const float *its = origin_of(&fit->all, other * fit->every);
    float squared = 0.0f;
    for (size_t i = 0; i < fit->polynomial->size; i++) squared += (its[i] - key[i]) * (its[i] - key[i]);
    if (squared >= least) continue;
    least = squared;
    fit->nearest[u] = other;
  }
}

// Adds a sample to the normal equations of least squares with a constant.
static void accumulate(sfnec_polynomial_fitting *fit, size_t u) {
  const size_t n = fit->terms + 1, m = fit->polynomial->size;
  float terms[SFNEC_POLYNOMIAL_TERMS + 1];
  double prediction[SFNEC_POLYNOMIAL_TERMS + 1], wanted[SFNEC_POLYNOMIAL_KEY];
  (void)sfnec_polynomial_expand(fit->polynomial, origin_of(&fit->all, u * fit->every), terms);
  for (size_t i = 0; i + 1 < n; i++) prediction[i] = (double)terms[i];
  prediction[n - 1] = 1.0;
  for (size_t i = 0; i < m; i++) wanted[i] = outcome(&fit->all, u * fit->every, i);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) fit->a[i * n + j] += prediction[i] * prediction[j];
    for (size_t c = 0; c < m; c++) fit->x[i * m + c] += prediction[i] * wanted[c];
  }
  fit->weight += 1.0;
}

// What each number of a sample held back is off (size), without the correction and with it.
static void miss(const sfnec_polynomial_fitting *fit, size_t u, double *plain, double *corrected) {
  const size_t m = fit->polynomial->size, other = fit->nearest[u] * fit->every;
  float here[SFNEC_POLYNOMIAL_TERMS] = {0.0f}, there[SFNEC_POLYNOMIAL_TERMS] = {0.0f};
  (void)sfnec_polynomial_expand(fit->polynomial, origin_of(&fit->all, u * fit->every), here);
  (void)sfnec_polynomial_expand(fit->polynomial, origin_of(&fit->all, other), there);
  for (size_t i = 0; i < m; i++) {
    plain[i] = outcome(&fit->all, u * fit->every, i) - outcome(&fit->all, other, i);
    corrected[i] = plain[i];
  }
  for (size_t t = 0; t < fit->terms; t++) {
    const double away = (double)(here[t] - there[t]);
    for (size_t i = 0; i < m; i++) corrected[i] -= away * fit->x[t * m + i];
  }
}

// Adds what a sample held back is off, each number with and without the correction.
static void compare(sfnec_polynomial_fitting *fit, size_t u) {
  double plain[SFNEC_POLYNOMIAL_KEY], corrected[SFNEC_POLYNOMIAL_KEY];
  miss(fit, u, plain, corrected);
  for (size_t i = 0; i < fit->polynomial->size; i++) {
    fit->without[i] += fabs(plain[i]);
    fit->with[i] += fabs(corrected[i]);
  }
}

// Adds what the move of a sample held back is off, corrected where that is better.
static void judge(sfnec_polynomial_fitting *fit, size_t u) {
  double plain[SFNEC_POLYNOMIAL_KEY], corrected[SFNEC_POLYNOMIAL_KEY], squares = 0.0;
  miss(fit, u, plain, corrected);
  for (size_t i = 0; i < fit->polynomial->size; i++) {
    const double off = fit->found.better[i] ? corrected[i] : plain[i];
    squares += off * off;
  }
  fit->sum += fit->off[fit->judged++] = sqrt(squares);
}

static void begin_stage(sfnec_polynomial_fitting *fit, stage next) {
  fit->stage = next;
  fit->u = 0;
}

static void begin_regression(sfnec_polynomial_fitting *fit, size_t terms) {
  const size_t n = terms + 1;
  fit->terms = terms;
  memset(fit->a, 0, n * n * sizeof *fit->a);
  memset(fit->x, 0, n * fit->polynomial->size * sizeof *fit->x);
  fit->weight = 0.0;
  begin_stage(fit, REGRESS);
}

// Tries this degree next, or, if it asks for too much, takes the best one.
static void try_degree(sfnec_polynomial_fitting *fit, uint32_t degree) {
  const sfnec_polynomial *polynomial = fit->polynomial;
  const size_t terms = degree <= polynomial->degree ? sfnec_polynomial_terms(polynomial->size, degree) : 0;
  fit->degree = degree;
  fit->whole = terms == 0 || fit->used < SFNEC_POLYNOMIAL_EACH * (terms + 1);
  if (!fit->whole) {
    begin_regression(fit, terms);
  } else if (fit->best_terms > 0) {
    begin_regression(fit, fit->best_terms);
  } else {
    fit->polynomial->error = fit->polynomial->mean = INFINITY;
    begin_stage(fit, DONE);
  }
}

// Takes the simplest polynomial than which none predicts clearly better what the fit did not see.
static void end_judging(sfnec_polynomial_fitting *fit) {
  fit->found.mean = fit->sum / (double)fit->judged;
  fit->found.median = median(fit->off, fit->judged);
  if (fit->found.mean < SFNEC_POLYNOMIAL_BETTER * fit->best.mean) {
    fit->best = fit->found;
    fit->best_terms = fit->terms;
  }
  try_degree(fit, fit->degree + 1);
}

static void end_comparing(sfnec_polynomial_fitting *fit) {
  for (size_t i = 0; i < fit->polynomial->size; i++) {
    fit->found.better[i] = fit->with[i] < SFNEC_POLYNOMIAL_BETTER * fit->without[i];
  }
  fit->judged = 0;
  fit->sum = 0.0;
  begin_stage(fit, JUDGE);
}

static void write_weights(sfnec_polynomial_fitting *fit) {
  sfnec_polynomial *polynomial = fit->polynomial;
  const size_t m = polynomial->size;
  float *weights = polynomial->weights + fit->action * polynomial->terms * m;
  for (size_t i = 0; i < fit->terms * m; i++) {
    weights[i] = fit->best.better[i % m] ? sfnec_bounded(fit->x[i], SFNEC_WEIGHT_MOST) : 0.0f;
  }
  polynomial->error = fmaxf(polynomial->error, (float)fit->best.median);
  polynomial->mean = fmaxf(polynomial->mean, (float)fit->best.mean);
}

static void end_regression(sfnec_polynomial_fitting *fit) {
  const size_t n = fit->terms + 1;
  for (size_t i = 0; i < n; i++) fit->a[i * n + i] += SFNEC_POLYNOMIAL_RIDGE * fit->weight;
  const bool solved = sfnec_solve_symmetric(fit->a, fit->x, n, fit->polynomial->size);
  if (fit->whole) {
    if (solved) write_weights(fit);
    if (!solved) fit->polynomial->error = fit->polynomial->mean = INFINITY;
    begin_stage(fit, DONE);
  } else if (solved) {
    memset(fit->without, 0, sizeof fit->without);
    memset(fit->with, 0, sizeof fit->with);
    begin_stage(fit, COMPARE);
  } else {
    try_degree(fit, fit->degree + 1);
  }
}

// The next operation; returns its cost in backups.
static int64_t work(sfnec_polynomial_fitting *fit) {
  const size_t n = fit->terms + 1, m = fit->polynomial->size, u = fit->u;
  const bool held_back = is_judged(u);
  if (fit->stage == SOLVE) {
    end_regression(fit);
    return (int64_t)(n * n * (n / 6 + m) / FLOPS + 1);
  }
  if (u >= fit->used) {
    if (fit->stage == NEAREST) try_degree(fit, SFNEC_POLYNOMIAL_DEGREE);
    else if (fit->stage == REGRESS) begin_stage(fit, SOLVE);
    else if (fit->stage == COMPARE) end_comparing(fit);
    else if (fit->stage == JUDGE) end_judging(fit);
    return 1;
  }
  fit->u++;
  if (fit->stage == REGRESS) {
    if (held_back && !fit->whole) return 0;
    accumulate(fit, u);
    return (int64_t)(n * (n / 2 + m) / FLOPS + 1);
  }
  if (!held_back) return 0;
  if (fit->stage == NEAREST) {
    find_nearest(fit, u);
    return (int64_t)(fit->used * fit->polynomial->size / FLOPS + 1);
  }
  (fit->stage == COMPARE ? compare : judge)(fit, u);
  return (int64_t)(n * (m + 2) / FLOPS + 1);
}

sfnec_status sfnec_polynomial_begin_fit(sfnec_polynomial *polynomial, uint32_t action,
                                        const sfnec_polynomial_samples *all, sfnec_polynomial_fitting **out) {
  const size_t n = polynomial->terms + 1;
  sfnec_polynomial_fitting *fit = calloc(1, sizeof *fit);
  if (!fit) return sfnec_fail_memory("the polynomial of a model");
  fit->polynomial = polynomial;
  fit->action = action;
  fit->all = *all;
  fit->every = all->count / SFNEC_POLYNOMIAL_SAMPLES + 1;
  fit->used = (all->count + fit->every - 1) / fit->every;
  fit->best.mean = INFINITY;
  fit->a = malloc(n * n * sizeof *fit->a);
  fit->x = malloc(n * polynomial->size * sizeof *fit->x);
  fit->off = malloc((fit->used + 1) * sizeof *fit->off);
  fit->nearest = calloc(fit->used + 1, sizeof *fit->nearest);
  if (!fit->a || !fit->x || !fit->off || !fit->nearest) {
    sfnec_polynomial_end_fit(fit);
    return sfnec_fail_memory("the polynomial of a model");
  }
  *out = fit;
  return SFNEC_OK;
}

bool sfnec_polynomial_continue_fit(sfnec_polynomial_fitting *fit, int64_t *backups) {
  while (fit->stage != DONE && *backups > 0) *backups -= work(fit);
  return fit->stage == DONE;
}

void sfnec_polynomial_end_fit(sfnec_polynomial_fitting *fit) {
  if (!fit) return;
  free(fit->a), free(fit->x), free(fit->off), free(fit->nearest);
  free(fit);
}

sfnec_status sfnec_polynomial_fit(sfnec_polynomial *polynomial, uint32_t action, const sfnec_polynomial_samples *all) {
  if (polynomial->terms == 0) return SFNEC_OK;
  sfnec_polynomial_fitting *fit = NULL;
  const sfnec_status status = sfnec_polynomial_begin_fit(polynomial, action, all, &fit);
  int64_t backups = INT64_MAX;
  if (!status) sfnec_polynomial_continue_fit(fit, &backups);
  sfnec_polynomial_end_fit(fit);
  return status;
}

double sfnec_polynomial_explained(const float *pairs, size_t count, size_t stride, size_t size) {
  enum { N = SFNEC_POLYNOMIAL_KEY + 1 };
  if (size > SFNEC_POLYNOMIAL_KEY || count < 2 * (size + 1)) return 0.0;
  const size_t n = size + 1;
  double a[N * N] = {0.0}, x[N * SFNEC_POLYNOMIAL_KEY] = {0.0}, power = 0.0, left = 0.0;
  for (size_t t = 0; t < count; t++) {
    const float *origin = pairs + 2 * t * stride, *target = origin + stride;
    for (size_t i = 0; i < n; i++) {
      const double u = i < size ? (double)origin[i] : 1.0;
      for (size_t j = 0; j <= i; j++) a[i * n + j] += u * (j < size ? (double)origin[j] : 1.0);
      for (size_t c = 0; c < size; c++) x[i * size + c] += u * (double)(target[c] - origin[c]);
    }
  }
  for (size_t i = 0; i < n; i++) a[i * n + i] += SFNEC_EXPLAINED_RIDGE * a[i * n + i] + SFNEC_EXPLAINED_RIDGE_LEAST;
  if (!sfnec_solve_symmetric(a, x, n, size)) return 0.0;
  for (size_t t = 0; t < count; t++) {
    const float *origin = pairs + 2 * t * stride, *target = origin + stride;
    for (size_t c = 0; c < size; c++) {
      double rest = (double)(target[c] - origin[c]);
      power += rest * rest;
      for (size_t i = 0; i < n; i++) rest -= (i < size ? (double)origin[i] : 1.0) * x[i * size + c];
      left += rest * rest;
    }
  }
  const double freedom = (double)count / (double)(count - n);
  return power > 0.0 ? fmax(0.0, 1.0 - freedom * left / power) : 0.0;
}
