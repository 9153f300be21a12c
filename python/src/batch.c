// batch.c: several environments that step together, written to one block; the contract is in python.h.
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "python.h"

static float *observation_of(const sfnec_python_batch *batch, int32_t i) {
  return batch->observations + (size_t)i * (size_t)batch->observation_size;
}

static double *features_of(const sfnec_python_batch *batch, int32_t i) {
  return batch->features + (size_t)i * (size_t)batch->feature_count;
}

static sfnec_status reset_one(const sfnec_python_batch *batch, int32_t i) {
  memset(features_of(batch, i), 0, (size_t)batch->feature_count * sizeof(double));
  batch->rewards[i] = 0.0;
  batch->terminated[i] = batch->truncated[i] = 0;
  batch->fresh[i] = 1;
  return sfnec_env_reset(batch->envs[i], observation_of(batch, i));
}

static sfnec_status step_one(const sfnec_python_batch *batch, int32_t i, int64_t action) {
  sfnec_env_outcome outcome;
  const sfnec_status status =
      sfnec_env_step(batch->envs[i], (int32_t)action, observation_of(batch, i), features_of(batch, i), &outcome);
  if (status) return status;
  const size_t count = (size_t)batch->feature_count;
  batch->rewards[i] = sfnec_dot(features_of(batch, i), batch->w + (size_t)i * count, count);
  batch->terminated[i] = outcome.terminated;
  batch->truncated[i] = outcome.truncated;
  batch->fresh[i] = 0;
  return SFNEC_OK;
}

sfnec_status sfnec_python_batch_reset(const sfnec_python_batch *batch, const uint8_t *mask) {
  sfnec_status status = SFNEC_OK;
  for (int32_t i = 0; i < batch->count && !status; i++) {
    if (!mask || mask[i]) status = reset_one(batch, i);
  }
  return status;
}

sfnec_status sfnec_python_batch_step(const sfnec_python_batch *batch, const int64_t *actions, bool next_step) {
  const int32_t most = sfnec_env_get_shape(batch->envs[0]).action_count;
  for (int32_t i = 0; i < batch->count; i++) {
    if (actions[i] >= 0 && actions[i] < most) continue;
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s has no action %lld: give one of 0 to %d",
                      sfnec_env_get_kind(batch->envs[i])->name, (long long)actions[i], (int)(most - 1));
  }
  sfnec_status status = SFNEC_OK;
  for (int32_t i = 0; i < batch->count && !status; i++) {
    const bool over = batch->terminated[i] || batch->truncated[i];
    status = over && next_step ? reset_one(batch, i) : step_one(batch, i, actions[i]);
  }
  return status;
}
