// promise.c: what an action promises, and what becomes of it.
//
// The value of an action promises what the next state is worth. Values are blended over places, so a promise may be
// one of a place that cannot be reached, beyond a wall say, and then the next state promises the same again: the agent
// goes to and fro. If it comes to a state in circles, and that is worth less than was promised, the action that
// promised too much is worth that much less, under the present rewards and until its row is made anew: so one after the
// other gives way, and the agent gets out. (What is too much in one context counts in all.) And the state becomes a
// place of its own, unless there is one next to it.
#include <math.h>

#include "agent/plan/state.h"

enum { CIRCLES = 4 };                      // visits of a place in one episode that are suspicious
static const float BROKEN_PROMISE = 0.05f; // of the scale of rewards
static const float FINEST = 0.2f;          // steps between two places, at least

void sfnec_planner_promise(sfnec_planner *planner, uint32_t action, double brought) {
  const double promise = (double)planner->asked - (double)sfnec_bounded(brought, SFNEC_REWARD_MOST);
  planner->promised = planner->model.fitted && action == planner->promised_by; // not by one that was drawn instead
  planner->promise = sfnec_bounded(promise / fmax(planner->config->options.gamma, 1e-6), SFNEC_VALUE_MOST);
}

// Whether the episode has come to the place and the context often of late.
static bool goes_in_circles(const sfnec_planner *planner) {
  uint32_t visits = 0;
  for (uint32_t i = 0; i < planner->path_count; i++) {
    visits += planner->path_places[i] == planner->place && planner->path_contexts[i] == planner->context;
  }
  return visits >= CIRCLES;
}

// The action of the last transition is worth less, as the next state is by so much. That counts with more than the
// discount, at most twice, as what promises too much should give way soon.
static void lower(sfnec_planner *planner, float gap) {
  // it may have been chance; and on a lattice nothing is blended, so that what is promised is what was known
  if (sfnec_model_is_random(&planner->model) || sfnec_model_is_lattice(&planner->model)) return;
  const size_t place = planner->path_places[planner->path_count - 1];
  const size_t row = place * (size_t)planner->config->action_count + planner->promised_by;
  sfnec_values_lower(&planner->values, row, fminf(1.0f, 2.0f * sfnec_model_gamma(&planner->model)) * gap);
}

sfnec_status sfnec_planner_keep_promise(sfnec_planner *planner, uint32_t layer, float value) {
  sfnec_values *values = &planner->values;
  const float slack = fminf(BROKEN_PROMISE * values->unit,
                            0.5f * (1.0f - sfnec_model_gamma(&planner->model)) * fabsf(planner->promise));
  if (!planner->promised || !(planner->promise - value > slack)) return SFNEC_OK;
  if (!goes_in_circles(planner)) return SFNEC_OK;
  planner->promised = false; // it is mended once
  lower(planner, planner->promise - value);
  const uint32_t before = planner->model.place_count;
  sfnec_status status = sfnec_model_refine(&planner->model, planner->work.key, FINEST, &planner->place);
  if (status || planner->model.place_count == before) return status;
  status = sfnec_model_make_rows(&planner->model, planner->place);
  if (!status) status = sfnec_values_follow(values);
  if (!status) values->layers[layer].v[planner->place] = value;
  return status;
}
