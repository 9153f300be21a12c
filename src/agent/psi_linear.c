// psi_linear.c: psi linear in the observation, as in SFQL (Barreto et al. 2017): psi_f(s, a) = sum_i s_i z[a][i][f].
//
// Learning a target is one step of stochastic gradient descent: z[a][i][f] += rate (target_f - psi_f) s_i. A rate that
// is too large makes it diverge. Steps beyond 1e60 are refused (sfnec_psi_check_step), so that with observations of at
// most 1e39 no number of steps that can be taken brings z beyond 1e120, and psi stays finite.
#include <stdlib.h>
#include <string.h>

#include "agent/psi.h"
#include "base/error.h"
#include "base/vector.h"

#define Z_MOST 1e120

typedef struct linear {
  sfnec_psi base;
  uint64_t version;
  double *psi; // (n), of a training step
  double *z;   // (actions, d, n)
} linear;

static size_t parameter_count(const sfnec_psi_config *config) {
  return (size_t)config->action_count * config->observation_size * config->psi_size;
}

static double *matrix(const linear *l, int32_t action) {
  return l->z + (size_t)action * l->base.config->observation_size * l->base.config->psi_size;
}

static void destroy(sfnec_psi *psi) {
  linear *l = (linear *)psi;
  free(l->psi);
  free(l->z);
  free(l);
}

// psi (n) = z[action]^T s
static void predict(const linear *l, const float *observation, int32_t action, double *psi) {
  const size_t d = l->base.config->observation_size, n = l->base.config->psi_size;
  const double *z = matrix(l, action);
  memset(psi, 0, n * sizeof *psi);
  for (size_t i = 0; i < d; i++) {
    const double s = (double)observation[i];
    for (size_t f = 0; f < n; f++) psi[f] += s * z[i * n + f];
  }
}

static void ask(const sfnec_psi *psi, sfnec_psi_scratch *scratch, const float *observation, int32_t action,
                sfnec_answer *answer) {
  (void)scratch;
  const linear *l = (const linear *)psi;
  if (answer->asked && answer->values_version == l->version) return;
  predict(l, observation, action, answer->lookup.value);
  answer->lookup.count = 0;
  answer->remoteness = 0.0;
  answer->asked = true;
  answer->values_version = l->version;
}

static bool prune(const sfnec_psi *psi, sfnec_psi_scratch *scratch, const float *observation, int32_t action,
                  const sfnec_memory_pruning *pruning, sfnec_answer *answer) {
  (void)psi, (void)scratch, (void)observation, (void)action, (void)pruning, (void)answer;
  return false; // a bound would cost as much as the value
}

static void freeze(sfnec_psi *psi) {
  (void)psi;
}

static void touch(sfnec_psi *psi, int32_t action, const sfnec_answer *answer) {
  (void)psi, (void)action, (void)answer; // nothing is ever evicted
}

static void move(linear *l, const float *observation, int32_t action, const double *step) {
  const size_t d = l->base.config->observation_size, n = l->base.config->psi_size;
  double *z = matrix(l, action);
  for (size_t i = 0; i < d; i++) {
    const double s = (double)observation[i];
    for (size_t f = 0; f < n; f++) z[i * n + f] += s * step[f];
  }
  l->version++;
}

static sfnec_status nudge(sfnec_psi *psi, const sfnec_psi_step *steps, size_t count) {
  for (size_t i = 0; i < count; i++) move((linear *)psi, steps[i].observation, steps[i].action, steps[i].step);
  return SFNEC_OK;
}

static sfnec_status learn(sfnec_psi *psi, const float *observation, int32_t action, const double *target,
                          const double *written) {
  (void)written;
  linear *l = (linear *)psi;
  predict(l, observation, action, l->psi);
  double squared = 0.0;
  for (size_t f = 0; f < psi->config->psi_size; f++) {
    const double difference = target[f] - l->psi[f];
    squared += difference * difference;
    l->psi[f] = psi->step_size * difference;
  }
  sfnec_psi_count_loss(psi->config, squared);
  const sfnec_status status = sfnec_psi_check_step(psi->config, l->psi);
  if (status) return status;
  move(l, observation, action, l->psi);
  return SFNEC_OK;
}

static const sfnec_memory *memory_of(const sfnec_psi *psi, int32_t action) {
  (void)psi, (void)action;
  return NULL;
}

static const sfnec_embedding *embedding_of(const sfnec_psi *psi) {
  (void)psi;
  return NULL;
}

static const double *matrices(const sfnec_psi *psi) {
  return ((const linear *)psi)->z;
}

static sfnec_training training(const sfnec_psi *psi) {
  (void)psi;
  return (sfnec_training){0};
}

static size_t bytes(const sfnec_psi *psi) {
  return sizeof(linear) + (parameter_count(psi->config) + psi->config->psi_size) * sizeof(double);
}

static void save(const sfnec_psi *psi, sfnec_writer *writer, bool with_keys) {
  (void)with_keys; // there are none
  sfnec_write_bytes(writer, ((const linear *)psi)->z, parameter_count(psi->config) * sizeof(double));
}

static sfnec_status load(sfnec_psi *psi, sfnec_reader *reader, sfnec_reader *keys) {
  (void)keys;
  linear *l = (linear *)psi;
  const size_t count = parameter_count(psi->config);
  if (!sfnec_reader_holds(reader, count, sizeof(double)))
    return sfnec_reader_refuse(reader, "its linear weights end early");
  sfnec_read_bytes(reader, l->z, count * sizeof(double));
  l->version++;
  if (sfnec_all_within_f64(l->z, count, Z_MOST)) return SFNEC_OK;
  return sfnec_reader_refuse(reader, "a linear weight is not finite, or too large");
}

static uint64_t digest(sfnec_psi *psi) {
  (void)psi;
  return 0;
}

static const sfnec_psi_ops ops = {
    .destroy = destroy,
    .ask = ask,
    .prune = prune,
    .touch = touch,
    .learn = learn,
    .nudge = nudge,
    .freeze = freeze,
    .memory = memory_of,
    .embedding = embedding_of,
    .matrices = matrices,
    .training = training,
    .bytes = bytes,
    .save = save,
    .load = load,
    .digest = digest,
};

sfnec_status sfnec_psi_linear_create(const sfnec_psi_config *config, const sfnec_psi *previous, sfnec_random *init,
                                     sfnec_psi **out) {
  const size_t count = parameter_count(config);
  linear *l = calloc(1, sizeof *l);
  if (!l) return sfnec_fail_memory("a policy");
  l->base = (sfnec_psi){&ops, config, config->options.rate};
  l->psi = malloc(config->psi_size * sizeof *l->psi);
  l->z = malloc(count * sizeof *l->z);
  if (!l->psi || !l->z) {
    destroy(&l->base);
    return sfnec_fail_memory("a policy");
  }
  if (previous && config->options.warm_start == SFNEC_WARM_START_PREVIOUS) {
    memcpy(l->z, ((const linear *)previous)->z, count * sizeof *l->z);
  } else {
    for (size_t i = 0; i < count; i++) l->z[i] = config->options.init_sd * sfnec_random_normal(init);
  }
  *out = &l->base;
  return SFNEC_OK;
}
