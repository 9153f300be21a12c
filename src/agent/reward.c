// reward.c: learning the reward weights.
//
// w=sgd is the paper's rule with the final phi that its line lacks: w += w_rate (r - phi . w) phi, normalised where
// that would diverge. w=rls is recursive least squares without forgetting: after every transition w is the exact ridge
// regression of all rewards seen, so a class of object is known after it was met once.
#include "agent/reward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"

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

// One step of recursive least squares with P = covariance: gain = P phi / (1 + phi . P phi), w += gain * error,
// P -= gain (P phi)^T.
static sfnec_status learn_rls(sfnec_reward *reward, const double *phi, double error) {
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
  if (reward->covariance) return learn_rls(reward, phi, error);
  return learn_sgd(reward, options->w_rate, phi, error);
}

double sfnec_reward_uncertainty(const sfnec_reward *reward, const sfnec_agent_options *options, size_t i, size_t j) {
  return reward->covariance ? reward->covariance[i * reward->size + j] / options->rls_prior : 0.0;
}

void sfnec_reward_save(const sfnec_reward *reward, sfnec_writer *writer) {
  const size_t n = reward->size;
  sfnec_write_u32(writer, reward->learned);
  sfnec_write_bytes(writer, reward->w, n * sizeof(double));
  if (reward->covariance) sfnec_write_bytes(writer, reward->covariance, n * n * sizeof(double));
}

sfnec_status sfnec_reward_load(sfnec_reward *reward, const sfnec_agent_options *options, size_t size,
                               sfnec_reader *reader) {
  const bool learned = sfnec_read_u32(reader) != 0;
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
  return good ? SFNEC_OK : sfnec_reader_refuse(reader, "a reward weight is not finite, or too large");
}
