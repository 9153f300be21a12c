// polynomial.c: see polynomial.h.
#include "agent/plan/polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/numbers.h"
#include "base/error.h"

// ---- life ----

void sfnec_polynomial_clear(sfnec_polynomial *polynomial) {
  free(polynomial->middle), free(polynomial->narrow), free(polynomial->weights);
  *polynomial = (sfnec_polynomial){0};
}

// The terms of a polynomial of so many numbers, without the constant.
static size_t terms_of(size_t size, uint32_t degree) {
  size_t count = 1;
  for (uint32_t k = 1; k <= degree; k++) count = count * (size + k) / k;
  return count - 1;
}

static size_t weight_count(const sfnec_polynomial *polynomial) {
  return polynomial->actions * polynomial->terms * polynomial->size;
}

uint32_t sfnec_polynomial_degree(size_t size, size_t samples) {
  uint32_t degree = SFNEC_POLYNOMIAL_DEGREE;
  const size_t used = samples < SFNEC_POLYNOMIAL_SAMPLES ? samples : SFNEC_POLYNOMIAL_SAMPLES;
  while (degree < SFNEC_POLYNOMIAL_DEGREE_MOST && terms_of(size, degree + 1) <= SFNEC_POLYNOMIAL_TERMS &&
         SFNEC_POLYNOMIAL_EACH * (terms_of(size, degree + 1) + 1) <= used) {
    degree++;
  }
  return degree;
}

sfnec_status sfnec_polynomial_init(sfnec_polynomial *polynomial, size_t size, uint32_t actions, uint32_t degree) {
  *polynomial = (sfnec_polynomial){.size = size, .actions = actions, .degree = degree};
  if (size == 0 || size > SFNEC_POLYNOMIAL_KEY) return SFNEC_OK;
  polynomial->terms = terms_of(size, degree);
  polynomial->middle = calloc(size, sizeof *polynomial->middle);
  polynomial->narrow = calloc(size, sizeof *polynomial->narrow);
  polynomial->weights = calloc(weight_count(polynomial), sizeof *polynomial->weights);
  if (polynomial->middle && polynomial->narrow && polynomial->weights) return SFNEC_OK;
  sfnec_polynomial_clear(polynomial);
  return sfnec_fail_memory("the polynomial of a model");
}

size_t sfnec_polynomial_bytes(const sfnec_polynomial *polynomial) {
  return polynomial->terms ? (weight_count(polynomial) + 2 * polynomial->size) * sizeof(float) : 0;
}

// ---- asking ----

static void expand(const sfnec_polynomial *polynomial, const float *key, float *terms) {
  const size_t size = polynomial->size;
  size_t ends[SFNEC_POLYNOMIAL_KEY], lower = 0,
                                     count = size; // of the lower degree: its terms without the numbers after i
  for (size_t i = 0; i < size; i++) {
    terms[i] = fminf(fmaxf((key[i] - polynomial->middle[i]) * polynomial->narrow[i], -SFNEC_POLYNOMIAL_AWAY),
                     SFNEC_POLYNOMIAL_AWAY);
    ends[i] = i + 1;
  }
  for (uint32_t k = 2; k <= polynomial->degree; k++) {
    const size_t first = count;
    for (size_t i = 0; i < size; i++) {
      for (size_t t = lower; t < lower + ends[i]; t++) terms[count++] = terms[i] * terms[t];
      ends[i] = count - first;
    }
    lower = first;
  }
}

void sfnec_polynomial_at(const sfnec_polynomial *polynomial, uint32_t action, const float *key, float *expected) {
  float terms[SFNEC_POLYNOMIAL_TERMS];
  expand(polynomial, key, terms);
  for (size_t i = 0; i < polynomial->size; i++) expected[i] = 0.0f;
  const float *weights = polynomial->weights + action * polynomial->terms * polynomial->size;
  for (size_t t = 0; t < polynomial->terms; t++, weights += polynomial->size) {
    for (size_t i = 0; i < polynomial->size; i++) expected[i] += terms[t] * weights[i];
  }
}

// ---- fitting ----

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

// Solves a x = b in state, a (n, n) symmetric and given by its lower half, b (n, m); false: it cannot be.
static bool solve(double *a, double *b, size_t n, size_t m) {
  for (size_t i = 0; i < n; i++) { // Cholesky
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

// What a fit works with. Of the samples every so manieth is used, and of those every fourth is held back to judge by.
typedef struct fitting {
  const sfnec_polynomial *polynomial;
  const sfnec_polynomial_samples *all;
  size_t every, used;
  size_t terms;    // of the degree that is tried
  double *a, *x;   // (n, n), (n, size): n is terms + 1, with the constant
  double *off;     // (used): scratch
  size_t *nearest; // (used): of those held back, the nearest one that is not
} fitting;

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

// Least squares with a constant, of all samples or without those held back.
static bool regress(fitting *fit, bool whole) {
  const size_t n = fit->terms + 1, m = fit->polynomial->size;
  memset(fit->a, 0, n * n * sizeof *fit->a);
  memset(fit->x, 0, n * m * sizeof *fit->x);
  double used = 0.0;
  for (size_t u = 0; u < fit->used; u++) {
    if (!whole && is_judged(u)) continue;
    float terms[SFNEC_POLYNOMIAL_TERMS + 1];
    double prediction[SFNEC_POLYNOMIAL_TERMS + 1], wanted[SFNEC_POLYNOMIAL_KEY];
    expand(fit->polynomial, origin_of(fit->all, u * fit->every), terms);
    for (size_t i = 0; i + 1 < n; i++) prediction[i] = (double)terms[i];
    prediction[n - 1] = 1.0;
    for (size_t i = 0; i < m; i++) wanted[i] = outcome(fit->all, u * fit->every, i);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j <= i; j++) fit->a[i * n + j] += prediction[i] * prediction[j];
      for (size_t c = 0; c < m; c++) fit->x[i * m + c] += prediction[i] * wanted[c];
    }
    used += 1.0;
  }
  for (size_t i = 0; i < n; i++) fit->a[i * n + i] += SFNEC_POLYNOMIAL_RIDGE * used;
  return solve(fit->a, fit->x, n, m);
}

static void find_nearest(fitting *fit) {
  for (size_t u = 0; u < fit->used; u += SFNEC_POLYNOMIAL_JUDGED) {
    const float *key = origin_of(fit->all, u * fit->every);
    float least = INFINITY;
    for (size_t other = 0; other < fit->used; other++) {
      if (is_judged(other)) continue;
      const float *its = origin_of(fit->all, other * fit->every);
      float squared = 0.0f;
      for (size_t i = 0; i < fit->polynomial->size; i++) squared += (its[i] - key[i]) * (its[i] - key[i]);
      if (squared >= least) continue;
      least = squared;
      fit->nearest[u] = other;
    }
  }
}

// What a fit is worth: what samples held back are off, predicted from their nearest ones.
typedef struct verdict {
  double mean, median;               // of moves
  bool better[SFNEC_POLYNOMIAL_KEY]; // which numbers a correction predicts better than none
} verdict;

// What each number of a sample held back is off (size), without the correction and with it.
static void miss(const fitting *fit, size_t u, double *plain, double *corrected) {
  const size_t m = fit->polynomial->size, other = fit->nearest[u] * fit->every;
  float here[SFNEC_POLYNOMIAL_TERMS] = {0.0f}, there[SFNEC_POLYNOMIAL_TERMS] = {0.0f};
  expand(fit->polynomial, origin_of(fit->all, u * fit->every), here);
  expand(fit->polynomial, origin_of(fit->all, other), there);
  for (size_t i = 0; i < m; i++) {
    plain[i] = outcome(fit->all, u * fit->every, i) - outcome(fit->all, other, i);
    corrected[i] = plain[i];
  }
  for (size_t t = 0; t < fit->terms; t++) {
    const double away = (double)(here[t] - there[t]);
    for (size_t i = 0; i < m; i++) corrected[i] -= away * fit->x[t * m + i];
  }
}

static verdict judge(fitting *fit) {
  const size_t m = fit->polynomial->size;
  double plain[SFNEC_POLYNOMIAL_KEY], corrected[SFNEC_POLYNOMIAL_KEY];
  double without[SFNEC_POLYNOMIAL_KEY] = {0.0}, with[SFNEC_POLYNOMIAL_KEY] = {0.0}, sum = 0.0;
  verdict found = {.mean = 0.0};
  for (size_t u = 0; u < fit->used; u += SFNEC_POLYNOMIAL_JUDGED) {
    miss(fit, u, plain, corrected);
    for (size_t i = 0; i < m; i++) without[i] += fabs(plain[i]), with[i] += fabs(corrected[i]);
  }
  for (size_t i = 0; i < m; i++) found.better[i] = with[i] < SFNEC_POLYNOMIAL_BETTER * without[i];
  size_t count = 0;
  for (size_t u = 0; u < fit->used; u += SFNEC_POLYNOMIAL_JUDGED) {
    double squares = 0.0;
    miss(fit, u, plain, corrected);
    for (size_t i = 0; i < fit->polynomial->size; i++) {
      const double off = found.better[i] ? corrected[i] : plain[i];
      squares += off * off;
    }
    sum += fit->off[count++] = sqrt(squares);
  }
  found.mean = sum / (double)count;
  found.median = median(fit->off, count);
  return found;
}

// Fits by the simplest polynomial than which none predicts clearly better what the fit did not see.
static bool fit_action(sfnec_polynomial *polynomial, uint32_t action, fitting *fit) {
  const size_t m = polynomial->size;
  verdict best = {.mean = INFINITY};
  size_t terms = 0;
  find_nearest(fit);
  for (uint32_t degree = SFNEC_POLYNOMIAL_DEGREE; degree <= polynomial->degree; degree++) {
    fit->terms = terms_of(polynomial->size, degree);
    if (fit->used < SFNEC_POLYNOMIAL_EACH * (fit->terms + 1)) break;
    if (!regress(fit, false)) continue;
    const verdict found = judge(fit);
    if (!(found.mean < SFNEC_POLYNOMIAL_BETTER * best.mean)) continue;
    best = found;
    terms = fit->terms;
  }
  fit->terms = terms;
  if (terms == 0 || !regress(fit, true)) return false;
  float *weights = polynomial->weights + action * polynomial->terms * m;
  for (size_t i = 0; i < terms * m; i++) {
    weights[i] = best.better[i % m] ? sfnec_bounded(fit->x[i], SFNEC_WEIGHT_MOST) : 0.0f;
  }
  polynomial->error = fmaxf(polynomial->error, (float)best.median);
  polynomial->mean = fmaxf(polynomial->mean, (float)best.mean);
  return true;
}

sfnec_status sfnec_polynomial_fit(sfnec_polynomial *polynomial, uint32_t action, const sfnec_polynomial_samples *all) {
  const size_t n = polynomial->terms + 1;
  if (polynomial->terms == 0) return SFNEC_OK;
  fitting fit = {.polynomial = polynomial, .all = all, .every = all->count / SFNEC_POLYNOMIAL_SAMPLES + 1};
  fit.used = (all->count + fit.every - 1) / fit.every;
  fit.a = malloc(n * n * sizeof *fit.a);
  fit.x = malloc(n * polynomial->size * sizeof *fit.x);
  fit.off = malloc((fit.used + 1) * sizeof *fit.off);
  fit.nearest = calloc(fit.used + 1, sizeof *fit.nearest);
  const bool whole = fit.a && fit.x && fit.off && fit.nearest;
  if (!whole || !fit_action(polynomial, action, &fit)) polynomial->error = polynomial->mean = INFINITY;
  free(fit.a), free(fit.x), free(fit.off), free(fit.nearest);
  return whole ? SFNEC_OK : sfnec_fail_memory("the polynomial of a model");
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
  if (!solve(a, x, n, size)) return 0.0;
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

// ---- files ----

void sfnec_polynomial_save(const sfnec_polynomial *polynomial, sfnec_writer *writer) {
  if (polynomial->terms == 0) return;
  plan_write_f32(writer, polynomial->error);
  plan_write_floats(writer, polynomial->middle, polynomial->size);
  plan_write_floats(writer, polynomial->narrow, polynomial->size);
  plan_write_floats(writer, polynomial->weights, weight_count(polynomial));
}

// The weights of a file, which may have some for features too.
static sfnec_status load_weights(sfnec_polynomial *polynomial, size_t features, sfnec_reader *reader) {
  sfnec_status status = SFNEC_OK;
  for (size_t t = 0; t < polynomial->actions * polynomial->terms && !status; t++) {
    status = plan_read_within(reader, polynomial->weights + t * polynomial->size, polynomial->size, SFNEC_WEIGHT_MOST);
    for (size_t i = 0; i < features; i++) (void)plan_read_f32(reader);
  }
  return status;
}

sfnec_status sfnec_polynomial_load(sfnec_polynomial *polynomial, size_t size, size_t features, uint32_t actions,
                                   uint32_t degree, sfnec_reader *reader) {
  const bool known = size <= SFNEC_POLYNOMIAL_KEY && degree <= SFNEC_POLYNOMIAL_DEGREE_MOST &&
                     terms_of(size, degree) <= SFNEC_POLYNOMIAL_TERMS;
  const size_t each = known ? terms_of(size, degree) * (size + features) * sizeof(float) : 0;
  if (!known || (each > 0 && sfnec_reader_left(reader) / each < actions)) {
    return sfnec_reader_refuse(reader, "the polynomial of its model claims more than the file holds");
  }
  sfnec_status status = sfnec_polynomial_init(polynomial, size, actions, degree);
  if (status || polynomial->terms == 0) return status;
  polynomial->error = plan_read_f32(reader);
  polynomial->mean = INFINITY;
  status = plan_read_within(reader, polynomial->middle, polynomial->size, SFNEC_KEY_MOST);
  if (!status) status = plan_read_within(reader, polynomial->narrow, polynomial->size, SFNEC_WEIGHT_MOST);
  if (!status) status = load_weights(polynomial, features, reader);
  if (status || polynomial->error >= 0.0f) return status;
  return sfnec_reader_refuse(reader, "the polynomial of its model has an error that none can have");
}
