// interpolate.c: the value of a key between states: which states count, and how much; see model.h.
//
// Function approximation by an averager (Gordon 1995): the nearest states count by inverse squared distance. That alone
// leans to the side with more states, and with each backup what is good leaks from state to state. So, where moves
// follow a smooth law, the weights are shifted for the states to lie around the key on average, near the local
// maximum-entropy weights (Arroyo and Ortiz 2006): a value that rises evenly is then interpolated nearly as it is. No
// weight is negative, so backups still converge. Where there are walls the nearest states know best, and nothing is
// shifted. The share of a key in its own value (predict.c) comes on top.
#include <math.h>

#include "agent/plan/model.h"

static float sum_of_weights(const sfnec_interpolation *blend) {
  float sum = 0.0f;
  for (uint32_t i = 0; i < blend->count; i++) sum += 1.0f / blend->away[i];
  return sum;
}

// Shifts what counts so that the states lie around the key on every side; all together they count as much as before.
static void balance(const sfnec_model *model, const float *squared, sfnec_interpolation *blend) {
  const uint32_t n = blend->count;
  const float before = sum_of_weights(blend);
  const float eager = model->key_size > 1 ? SFNEC_BALANCE_EAGER : 1.0f; // along a line twice as much would only swing
  float along[SFNEC_INTERPOLATION_MOST][SFNEC_INTERPOLATION_MOST]; // how far a state lies from the key, towards another
  for (uint32_t i = 0; i < n; i++) {
    model->config->simd->scattered_distances(model->keys + blend->states[i] * model->stride, model->keys, model->stride,
                                             blend->states, n, model->stride, along[i]);
    for (uint32_t j = 0; j < n; j++) along[i][j] = 0.5f * (squared[i] + squared[j] - along[i][j]);
  }
  for (uint32_t turn = 0; turn < SFNEC_BALANCE_TURNS; turn++) {
    float off[SFNEC_INTERPOLATION_MOST] = {0.0f}, spread = 0.0f; // how far the middle lies off, towards each state
    for (uint32_t j = 0; j < n; j++) {
      spread += squared[j] / blend->away[j];
      for (uint32_t i = 0; i < n; i++) off[i] += along[i][j] / blend->away[j];
    }
    for (uint32_t i = 0; i < n; i++) {
      const float lean = fminf(fmaxf(eager * off[i] / spread, -SFNEC_BALANCE_MOST), SFNEC_BALANCE_MOST);
      blend->away[i] *= lean > 0.0f ? 1.0f + lean : 1.0f / (1.0f - lean);
    }
  }
  const float scale = sum_of_weights(blend) / before;
  for (uint32_t i = 0; i < n; i++) blend->away[i] *= scale;
}

void sfnec_model_interpolate(const sfnec_model *model, const float *key, uint32_t hint, sfnec_interpolation *blend) {
  uint32_t states[SFNEC_STATE_NEIGHBOURS + 1] = {hint}, count = 1;
  const sfnec_state *state = &model->states[hint];
  float squared[SFNEC_STATE_NEIGHBOURS + 1];
  const sfnec_simd *simd = model->config->simd;
  const float delta = sfnec_model_coincidence(model);
  const bool tabular = sfnec_model_is_tabular(model);
  bool there = false; // in a tabular regime, where no other state is as near then
  if (tabular) {
    simd->scattered_distances(key, model->keys, model->stride, states, 1, model->stride, squared);
    there = squared[0] < delta;
  }
  for (uint32_t i = 0; i < state->neighbour_count && !there; i++) states[count++] = state->neighbours[i];
  if (!there) simd->scattered_distances(key, model->keys, model->stride, states, count, model->stride, squared);
  uint32_t nearest[SFNEC_INTERPOLATION_MOST] = {0}, n = 0;
  const uint32_t most = (uint32_t)model->config->options.interpolation;
  for (uint32_t i = 0; i < count; i++) {
    if (n == most && squared[i] >= squared[nearest[n - 1]]) continue;
    uint32_t j = n < most ? n++ : n - 1;
    for (; j > 0 && squared[nearest[j - 1]] > squared[i]; j--) nearest[j] = nearest[j - 1];
    nearest[j] = i;
  }
  if (squared[nearest[0]] < delta) n = 1;
  float near[SFNEC_INTERPOLATION_MOST] = {0.0f};
  *blend = (sfnec_interpolation){.count = n, .nearest = squared[nearest[0]]};
  for (uint32_t i = 0; i < n; i++) {
    near[i] = squared[nearest[i]];
    blend->states[i] = states[nearest[i]];
    blend->away[i] = near[i] + delta;
  }
  if (n > 1 && model->smooth) balance(model, near, blend);
}
