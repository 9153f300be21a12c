// trend.c: see trend.h.
#include "agent/plan/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/numbers.h"
#include "base/error.h"

enum {
  SAMPLES_MOST = 2048, // that a fit looks at
  SAMPLES_EACH = 4,    // of each term, at least
  JUDGED = 4,          // of so many samples one is predicted, to judge the fit
};
static const double RIDGE = 1e-3;        // times the number of samples
static const double BETTER = 0.7;        // of the squared error that a correction may leave, at most
static const float NUMBER_MOST = 1e12f;  // of a file
static const double SPREAD_LEAST = 1e-9; // of a component that tells something

// ---- life ----

void sfnec_trend_clear(sfnec_trend *trend) {
  free(trend->middle), free(trend->narrow), free(trend->weights);
  *trend = (sfnec_trend){0};
}

static size_t terms_of(size_t size) {
  return size + size * (size + 1) / 2;
}

static size_t weight_count(const sfnec_trend *trend) {
  return trend->actions * trend->terms * trend->outputs;
}

sfnec_status sfnec_trend_init(sfnec_trend *trend, size_t size, size_t features, uint32_t actions) {
  *trend = (sfnec_trend){.size = size, .outputs = size + features, .actions = actions};
  if (size == 0 || size > SFNEC_TREND_KEY || trend->outputs > SFNEC_TREND_OUTPUTS) return SFNEC_OK;
  trend->terms = terms_of(size);
  trend->middle = calloc(size, sizeof *trend->middle);
  trend->narrow = calloc(size, sizeof *trend->narrow);
  trend->weights = calloc(weight_count(trend), sizeof *trend->weights);
  if (trend->middle && trend->narrow && trend->weights) return SFNEC_OK;
  sfnec_trend_clear(trend);
  return sfnec_fail_memory("the trend of a model");
}

size_t sfnec_trend_bytes(const sfnec_trend *trend) {
  return trend->terms ? (weight_count(trend) + 2 * trend->size) * sizeof(float) : 0;
}

// ---- asking ----

void sfnec_trend_expand(const sfnec_trend *trend, const float *key, float *terms) {
  const size_t size = trend->size;
  size_t t = size;
  for (size_t i = 0; i < size; i++) terms[i] = (key[i] - trend->middle[i]) * trend->narrow[i];
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j <= i; j++) terms[t++] = terms[i] * terms[j];
  }
}

void sfnec_trend_turn(const sfnec_trend *trend, uint32_t action, const float *here, const float *origin, float *turn) {
  float from[SFNEC_TREND_TERMS];
  sfnec_trend_expand(trend, origin, from);
  for (size_t i = 0; i < trend->outputs; i++) turn[i] = 0.0f;
  const float *weights = trend->weights + action * trend->terms * trend->outputs;
  for (size_t t = 0; t < trend->terms; t++, weights += trend->outputs) {
    const float away = here[t] - from[t];
    for (size_t i = 0; i < trend->outputs; i++) turn[i] += away * weights[i];
  }
}

// ---- fitting ----

static const float *origin_of(const sfnec_trend_samples *all, size_t s) {
  return all->origins + all->samples[s] * all->stride;
}

// What is to be predicted of a sample: a number of its move, or a feature.
static double outcome(const sfnec_trend *trend, const sfnec_trend_samples *all, size_t s, size_t i) {
  const size_t sample = all->samples[s];
  if (i >= trend->size) return (double)all->features[sample * (trend->outputs - trend->size) + i - trend->size];
  return (double)(all->targets[sample * all->stride + i] - all->origins[sample * all->stride + i]);
}

void sfnec_trend_measure(sfnec_trend *trend, const sfnec_trend_samples *all) {
  for (size_t i = 0; i < trend->size && trend->terms > 0 && all->count > 0; i++) {
    double sum = 0.0, squares = 0.0;
    for (size_t s = 0; s < all->count; s++) sum += (double)origin_of(all, s)[i];
    const double middle = sum / (double)all->count;
    for (size_t s = 0; s < all->count; s++) {
      const double away = (double)origin_of(all, s)[i] - middle;
      squares += away * away;
    }
    const double spread = sqrt(squares / (double)all->count);
    trend->middle[i] = (float)middle;
    trend->narrow[i] = spread > SPREAD_LEAST ? (float)(1.0 / spread) : 0.0f;
  }
}

// Solves a x = b in place, a (n, n) symmetric and given by its lower half, b (n, m); false: it cannot be.
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

// Least squares over every so manieth sample, with a constant, into x (terms + 1, outputs); a is scratch.
static bool regress(const sfnec_trend *trend, const sfnec_trend_samples *all, size_t every, double *a, double *x) {
  const size_t n = trend->terms + 1, m = trend->outputs;
  memset(a, 0, n * n * sizeof *a);
  memset(x, 0, n * m * sizeof *x);
  double used = 0.0;
  for (size_t s = 0; s < all->count; s += every, used += 1.0) {
    float terms[SFNEC_TREND_TERMS + 1];
    double wanted[SFNEC_TREND_OUTPUTS];
    sfnec_trend_expand(trend, origin_of(all, s), terms);
    terms[n - 1] = 1.0f;
    for (size_t i = 0; i < m; i++) wanted[i] = outcome(trend, all, s, i);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j <= i; j++) a[i * n + j] += (double)terms[i] * (double)terms[j];
      for (size_t c = 0; c < m; c++) x[i * m + c] += (double)terms[i] * wanted[c];
    }
  }
  for (size_t i = 0; i < n; i++) a[i * n + i] += RIDGE * used;
  return solve(a, x, n, m);
}

// The nearest other sample, among every so manieth one.
static size_t nearest_to(const sfnec_trend *trend, const sfnec_trend_samples *all, size_t every, size_t s) {
  size_t nearest = s;
  float least = INFINITY;
  for (size_t other = 0; other < all->count; other += every) {
    float squared = 0.0f;
    for (size_t i = 0; i < trend->size; i++) {
      const float away = origin_of(all, other)[i] - origin_of(all, s)[i];
      squared += away * away;
    }
    if (other != s && squared < least) {
      least = squared;
      nearest = other;
    }
  }
  return nearest;
}

// Takes back the corrections of an action that do not predict samples better from their nearest ones.
static void judge(sfnec_trend *trend, uint32_t action, const sfnec_trend_samples *all, size_t every) {
  const size_t m = trend->outputs;
  double plain[SFNEC_TREND_OUTPUTS] = {0.0}, corrected[SFNEC_TREND_OUTPUTS] = {0.0}, tried = 0.0, left = 0.0;
  for (size_t s = 0; s < all->count; s += every * JUDGED, tried += 1.0) {
    const size_t other = nearest_to(trend, all, every, s);
    float here[SFNEC_TREND_TERMS], turn[SFNEC_TREND_OUTPUTS];
    sfnec_trend_expand(trend, origin_of(all, s), here);
    sfnec_trend_turn(trend, action, here, origin_of(all, other), turn);
    for (size_t i = 0; i < m; i++) {
      const double off = outcome(trend, all, s, i) - outcome(trend, all, other, i);
      plain[i] += off * off;
      corrected[i] += (off - (double)turn[i]) * (off - (double)turn[i]);
    }
  }
  for (size_t i = 0; i < m; i++) {
    const bool better = corrected[i] < BETTER * plain[i];
    if (i < trend->size) left += better ? corrected[i] : plain[i];
    for (size_t t = 0; t < trend->terms && !better; t++) trend->weights[(action * trend->terms + t) * m + i] = 0.0f;
  }
  trend->error = fmaxf(trend->error, (float)sqrt(left / tried));
}

sfnec_status sfnec_trend_fit(sfnec_trend *trend, uint32_t action, const sfnec_trend_samples *all) {
  const size_t n = trend->terms + 1, m = trend->outputs, every = all->count / SAMPLES_MOST + 1;
  if (trend->terms == 0) return SFNEC_OK;
  if (all->count / every < SAMPLES_EACH * n) {
    trend->error = INFINITY;
    return SFNEC_OK;
  }
  double *a = malloc(n * n * sizeof *a), *x = malloc(n * m * sizeof *x);
  const bool whole = a && x;
  if (whole && regress(trend, all, every, a, x)) {
    float *weights = trend->weights + action * trend->terms * m;
    for (size_t i = 0; i < trend->terms * m; i++) weights[i] = sfnec_bounded(x[i], NUMBER_MOST);
    judge(trend, action, all, every);
  } else {
    trend->error = INFINITY;
  }
  free(a);
  free(x);
  return whole ? SFNEC_OK : sfnec_fail_memory("the trend of a model");
}

void sfnec_trend_forget_features(sfnec_trend *trend) {
  for (size_t r = 0; r < trend->actions * trend->terms; r++) {
    for (size_t i = trend->size; i < trend->outputs; i++) trend->weights[r * trend->outputs + i] = 0.0f;
  }
}

// ---- files ----

void sfnec_trend_save(const sfnec_trend *trend, sfnec_writer *writer) {
  if (trend->terms == 0) return;
  plan_write_f32(writer, trend->error);
  plan_write_floats(writer, trend->middle, trend->size);
  plan_write_floats(writer, trend->narrow, trend->size);
  plan_write_floats(writer, trend->weights, weight_count(trend));
}

sfnec_status sfnec_trend_load(sfnec_trend *trend, size_t size, size_t features, uint32_t actions,
                              sfnec_reader *reader) {
  const size_t each = terms_of(size) * (size + features) * sizeof(float);
  if (size > SFNEC_TREND_KEY || size + features > SFNEC_TREND_OUTPUTS ||
      (each > 0 && sfnec_reader_left(reader) / each < actions)) {
    return sfnec_reader_refuse(reader, "the trend of its model claims more than the file holds");
  }
  sfnec_status status = sfnec_trend_init(trend, size, features, actions);
  if (status || trend->terms == 0) return status;
  trend->error = plan_read_f32(reader);
  status = plan_read_within(reader, trend->middle, trend->size, SFNEC_KEY_MOST);
  if (!status) status = plan_read_within(reader, trend->narrow, trend->size, NUMBER_MOST);
  if (!status) status = plan_read_within(reader, trend->weights, weight_count(trend), NUMBER_MOST);
  if (status || trend->error >= 0.0f) return status;
  return sfnec_reader_refuse(reader, "the trend of its model has an error that none can have");
}
