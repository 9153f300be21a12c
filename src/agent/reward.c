// reward.c: learning the reward weights.
//
// w=sgd is the paper's rule with the final phi that its line lacks: w += w_rate (r - phi . w) phi, normalised where
// that would diverge. w=rls is recursive least squares without forgetting: after every transition w is the exact ridge
// regression of all rewards seen, so a class of object is known after it was met once.
//
// That is Bayesian linear regression: r = phi . w + noise of variance v, w ~ N(0, v rls_prior I). Its covariance is v
// P, and a reward is predicted with variance v (1 + phi . P phi). v is estimated from residuals (Bishop 2006, section
// 3.3; with an inverse gamma prior), the variance of weights from the mean square of rewards per square of features;
// their ratio takes the place of rls_prior where that would make nothing known out of little (noise.prior).
#include "agent/reward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fields.h"
#include "base/vector.h"

static const double PRIOR_COUNT = 0.1; // observations that the prior of the noise counts for, which expects hardly any
#define SUM_MOST 1e250                 // sums of squares stay below, far from overflow
static const double VARIANCE_LEAST = 1e-250; // of noise, far from underflow

static sfnec_status allocate(sfnec_reward *reward, size_t size, bool learned, bool rls) {
  *reward = (sfnec_reward){.size = size, .learned = learned};
  reward->w = calloc(size, sizeof(double));
  if (learned && rls) {
    reward->covariance = calloc(size * size, sizeof(double));
    reward->gain = calloc(size, sizeof(double));
  }
  if (!reward->w || (learned && rls && (!reward->covariance || !reward->gain))) {
    sfnec_reward_clear(reward);
    return sfnec_fail_memory("reward weights");
  }
  return SFNEC_OK;
}

sfnec_status sfnec_reward_init(sfnec_reward *reward, const sfnec_agent_options *options, size_t size, const double *w,
                               sfnec_random *init) {
  const sfnec_status status = allocate(reward, size, !w, options->w == SFNEC_W_RLS);
  if (status) return status;
  if (w) {
    memcpy(reward->w, w, size * sizeof *w);
  } else if (options->w == SFNEC_W_SGD) {
    for (size_t i = 0; i < size; i++) reward->w[i] = options->w_init_sd * sfnec_random_normal(init);
  }
  if (reward->covariance) {
    for (size_t i = 0; i < size; i++) reward->covariance[i * size + i] = options->rls_prior;
  }
  return SFNEC_OK;
}

void sfnec_reward_clear(sfnec_reward *reward) {
  free(reward->w);
  free(reward->covariance);
  free(reward->gain);
  *reward = (sfnec_reward){0};
}

static sfnec_status fail_diverged(const char *option) {
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "the reward weights have diverged: lower the option %s, or scale features and rewards to about 1",
                    option);
}

// ---- noise ----

static double saturated(double sum) {
  return sum <= SUM_MOST ? sum : SUM_MOST;
}

void sfnec_residuals_note_size(sfnec_residuals *residuals, const double *phi, size_t size, double r) {
  residuals->rewards = saturated(residuals->rewards + r * r);
  residuals->features = saturated(residuals->features + sfnec_dot(phi, phi, size));
}

// A residual weighs as much as w has not moved for it: the first of a feature, which w follows, says nothing of noise.
static void note_residual(sfnec_residuals *residuals, double error, double share) {
  residuals->count += share;
  residuals->squares = saturated(residuals->squares + error * error * share * share);
  if (residuals->count <= SFNEC_RESIDUALS_MOST) return;
  const double keep = SFNEC_RESIDUALS_MOST / residuals->count;
  residuals->count = SFNEC_RESIDUALS_MOST;
  residuals->squares *= keep;
  residuals->rewards *= keep;
  residuals->features *= keep;
}

sfnec_noise sfnec_residuals_noise(const sfnec_residuals *residuals, const sfnec_agent_options *options) {
  sfnec_noise noise = {.prior = options->rls_prior, .count = PRIOR_COUNT + residuals->count};
  if (!(residuals->features > 0.0 && residuals->rewards > 0.0)) return noise;
  const double weights = saturated(residuals->rewards / residuals->features);
  // less noise than w's prior allows for cannot be distinguished from the shrinkage of w by the prior
  const double least = fmax(weights / options->rls_prior, VARIANCE_LEAST);
  noise.variance = fmax(least, (PRIOR_COUNT * least + residuals->squares) / noise.count);
  noise.prior = fmin(options->rls_prior, weights / noise.variance);
  return noise;
}

sfnec_expectation sfnec_reward_expect(const sfnec_reward *reward, const double *phi) {
  const size_t n = reward->size;
  sfnec_expectation expected = {0};
  for (size_t i = 0; i < n; i++) {
    if (phi[i] == 0.0) continue;
    expected.spread += phi[i] * sfnec_dot(reward->covariance + i * n, phi, n);
    expected.features += phi[i] * phi[i];
    expected.mean += phi[i] * reward->w[i];
  }
  return expected;
}

double sfnec_noise_spread(const sfnec_noise *noise, const sfnec_expectation *expected) {
  return fmax(0.0, fmin(expected->spread, noise->prior * expected->features));
}

// ---- learning ----

// One step of recursive least squares with P = covariance: gain = P phi / (1 + phi . P phi), w += gain * error,
// P -= gain (P phi)^T.
static sfnec_status learn_rls(sfnec_reward *reward, const double *phi, double error, double r) {
  const size_t n = reward->size;
  double *p = reward->covariance, *gain = reward->gain;
  for (size_t i = 0; i < n; i++) gain[i] = sfnec_dot(p + i * n, phi, n); // P phi, as P is symmetric
  const double spread = sfnec_dot(phi, gain, n);
  // P is never negative; where rounding made it so, all that can be learned along phi has been
  if (spread < 0.0) return SFNEC_OK;
  const double scale = 1.0 / (1.0 + spread);
  for (size_t i = 0; i < n; i++) {
    const bool good = fabs(reward->w[i] + scale * gain[i] * error) <= SFNEC_NUMBER_MOST &&
                      fabs(scale * gain[i] * gain[i]) <= SFNEC_NUMBER_MOST;
    if (!good) return fail_diverged("rls_prior");
  }
  for (size_t i = 0; i < n; i++) reward->w[i] += scale * gain[i] * error;
  for (size_t i = 0; i < n; i++) {
    // the lower half is copied, so that rounding cannot make P asymmetric
    for (size_t j = i; j < n; j++) p[j * n + i] = p[i * n + j] -= scale * gain[i] * gain[j];
  }
  if (sfnec_dot(phi, phi, n) > 0.0) {
    sfnec_residuals_note_size(&reward->residuals, phi, n, r);
    note_residual(&reward->residuals, error, scale);
  }
  return SFNEC_OK;
}

// A step with rate |phi|^2 > 2 would leave a greater error than it found, of the other sign, and repeated it would
// diverge. There the normalised step is taken instead, which leaves none.
static sfnec_status learn_sgd(sfnec_reward *reward, double rate, const double *phi, double error) {
  const size_t n = reward->size;
  const double squares = sfnec_dot(phi, phi, n);
  if (rate * squares > 2.0) rate = 1.0 / squares;
  for (size_t i = 0; i < n; i++) {
    if (!(fabs(reward->w[i] + rate * error * phi[i]) <= SFNEC_NUMBER_MOST)) return fail_diverged("w_rate");
  }
  for (size_t i = 0; i < n; i++) reward->w[i] += rate * error * phi[i];
  return SFNEC_OK;
}

sfnec_status sfnec_reward_learn(sfnec_reward *reward, const sfnec_agent_options *options, const double *phi, double r) {
  if (!reward->learned) return SFNEC_OK;
  const double error = r - sfnec_dot(phi, reward->w, reward->size);
  if (reward->covariance) return learn_rls(reward, phi, error, r);
  return learn_sgd(reward, options->w_rate, phi, error);
}

// With P = rls_prior u along a feature, 1/u - 1 is rls_prior times the observations of it; under the prior that noise
// allows for, the share that so many leave is 1 / (1 + prior (1/u - 1) / rls_prior). This is the root of that over u,
// so that correlations between features stay.
static double inflation(double u, double ratio) {
  return 1.0 / sqrt(u + ratio * (1.0 - u));
}

double sfnec_reward_uncertainty(const sfnec_reward *reward, const sfnec_agent_options *options, size_t i, size_t j) {
  if (!reward->covariance) return 0.0;
  const size_t n = reward->size;
  const double *p = reward->covariance, prior = options->rls_prior;
  const double ratio = sfnec_residuals_noise(&reward->residuals, options).prior / prior;
  const double ui = fmin(1.0, fmax(0.0, p[i * n + i] / prior)), uj = fmin(1.0, fmax(0.0, p[j * n + j] / prior));
  double share = p[i * n + j] / prior;
  if (ui > 0.0 && uj > 0.0 && ratio < 1.0) share *= inflation(ui, ratio) * inflation(uj, ratio);
  return fmax(-1.0, fmin(1.0, share)); // also of a stranger's file
}

void sfnec_reward_copy(sfnec_reward *to, const sfnec_reward *from) {
  const size_t n = to->size;
  memcpy(to->w, from->w, n * sizeof *to->w);
  if (to->covariance) memcpy(to->covariance, from->covariance, n * n * sizeof *to->covariance);
  to->residuals = from->residuals;
}

// ---- files ----

// A bit beside `learned`: the file has residuals, as older ones do not.
enum { LEARNED = 1, HAS_RESIDUALS = 2 };

static const sfnec_fields residual_fields =
    SFNEC_FIELDS("the noise of its rewards", {SFNEC_UP_TO(sfnec_residuals, count, SFNEC_RESIDUALS_MOST)},
                 {SFNEC_UP_TO(sfnec_residuals, squares, SUM_MOST)}, {SFNEC_UP_TO(sfnec_residuals, rewards, SUM_MOST)},
                 {SFNEC_UP_TO(sfnec_residuals, features, SUM_MOST)});

void sfnec_reward_save(const sfnec_reward *reward, sfnec_writer *writer) {
  const size_t n = reward->size;
  sfnec_write_u32(writer, (reward->learned ? LEARNED : 0) | (reward->covariance ? HAS_RESIDUALS : 0));
  sfnec_write_bytes(writer, reward->w, n * sizeof(double));
  if (!reward->covariance) return;
  sfnec_write_bytes(writer, reward->covariance, n * n * sizeof(double));
  sfnec_fields_save(&residual_fields, &reward->residuals, writer);
}

sfnec_status sfnec_reward_load(sfnec_reward *reward, const sfnec_agent_options *options, size_t size,
                               sfnec_reader *reader) {
  const uint32_t kind = sfnec_read_u32(reader);
  const bool learned = kind != 0;
  if (learned && (options->w == SFNEC_W_GIVEN || options->predict == SFNEC_PREDICT_REWARD)) {
    return sfnec_reader_refuse(reader, "it learns weights that are given");
  }
  const size_t numbers = learned && options->w == SFNEC_W_RLS ? size + size * size : size;
  if (!sfnec_reader_holds(reader, numbers, sizeof(double))) {
    return sfnec_reader_refuse(reader, "its reward weights end early");
  }
  const sfnec_status status = allocate(reward, size, learned, options->w == SFNEC_W_RLS);
  if (status) return status;
  sfnec_read_bytes(reader, reward->w, size * sizeof(double));
  bool good = sfnec_all_within_f64(reward->w, size, SFNEC_NUMBER_MOST);
  if (reward->covariance) {
    sfnec_read_bytes(reader, reward->covariance, size * size * sizeof(double));
    // each step adds at most SFNEC_NUMBER_MOST
    good = good && sfnec_all_within_f64(reward->covariance, size * size, 1e20 * SFNEC_NUMBER_MOST);
  }
  if (!good) return sfnec_reader_refuse(reader, "a reward weight is not finite, or too large");
  return reward->covariance && kind & HAS_RESIDUALS
             ? sfnec_fields_load(&residual_fields, &reward->residuals, NULL, 0, reader)
             : SFNEC_OK;
}
