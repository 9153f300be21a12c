// views.c: what is behind the answers of a planner, for people to look at: samples, states, the path; see planner.h.
#include <math.h>

#include "agent/plan/internal.h"
#include "base/error.h"
#include "base/grow.h"

// Space for the observations of views.
static sfnec_status reserve_views(sfnec_plan_scratch *scratch, size_t count) {
  if (count <= scratch->view_room) return SFNEC_OK;
  if (!SFNEC_WIDEN(scratch->views, count * scratch->planner->config->observation_size)) {
    return sfnec_fail_memory("what is behind a plan");
  }
  scratch->view_room = count;
  return SFNEC_OK;
}

sfnec_status sfnec_plan_ask_samples(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                    int32_t action, size_t most, sfnec_memory_view *views, size_t *count) {
  const sfnec_model *model = &planner->model;
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  *count = 0;
  if (!model->fitted || most == 0) return SFNEC_OK;
  float squared;
  sfnec_model_key(model, observation, scratch->work.key);
  const uint32_t state = sfnec_model_nearest(model, scratch->work.search, scratch->work.key, &squared);
  sfnec_sample_share shares[SFNEC_SHARES];
  uint32_t found = sfnec_model_samples(model, scratch->work.key, state, (uint32_t)action, shares);
  if (found > most) found = (uint32_t)most;
  const sfnec_status status = reserve_views(scratch, found);
  if (status) return status;
  for (uint32_t i = 0; i < found; i++) {
    sfnec_model_origin(model, shares[i].sample, scratch->views + i * d);
    views[i] = (sfnec_memory_view){.distance = (double)(sqrtf(shares[i].squared) / model->step),
                                   .weight = (double)shares[i].weight,
                                   .key = scratch->views + i * d,
                                   .psi = model->sample_features + shares[i].sample * n};
  }
  *count = found;
  return SFNEC_OK;
}

// Whether an action that is allowed in a state was never tried there, nor near enough to be sure of it.
static bool is_frontier(const sfnec_model *model, const sfnec_masks *masks, uint32_t state) {
  const size_t actions = (size_t)model->config->action_count;
  const float near = sfnec_model_repeats(model) ? sfnec_model_apart(model) : 1.0f;
  for (uint32_t a = 0; a < actions && !model->states[state].terminal; a++) {
    const sfnec_prediction *prediction = &model->predictions[state * actions + a];
    const bool unknown = prediction->outcome_count == 0 || prediction->distance > near;
    if (unknown && sfnec_masks_allow_ever(masks, state, a)) return true;
  }
  return false;
}

// A view of a key near a state, in the context of a table; `at` says where its observation lies.
static sfnec_place_view view_of(sfnec_plan_scratch *scratch, uint32_t table, const float *key, uint32_t state,
                                float value, size_t at) {
  const sfnec_values *values = &scratch->plan->values;
  float *observation = scratch->views + at * scratch->planner->config->observation_size;
  const float *context = sfnec_tuples_at(&values->contexts, values->tables[table].context);
  sfnec_model_restore(values->model, key, context, observation);
  return (sfnec_place_view){
      .observation = observation, .value = (double)value, .frontier = is_frontier(values->model, values->masks, state)};
}

sfnec_status sfnec_plan_ask_states(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                   const double *w, size_t first, size_t most, sfnec_place_view *views, size_t *count) {
  const sfnec_model *model = &planner->model;
  *count = 0;
  if (!model->fitted || model->projects || most == 0 || first >= model->state_count) return SFNEC_OK;
  if (most > model->state_count - first) most = model->state_count - first;
  uint32_t table, state;
  sfnec_status status = sfnec_plan_scratch_locate(scratch, observation, w, &table, &state);
  if (!status) status = reserve_views(scratch, most);
  if (status) return status;
  for (size_t i = 0; i < most; i++) {
    const uint32_t p = (uint32_t)(first + i);
    const float *key = model->keys + p * model->stride;
    views[i] = view_of(scratch, table, key, p, scratch->plan->values.tables[table].v[p], i);
  }
  *count = most;
  return SFNEC_OK;
}

bool sfnec_plan_follow_likeliest(sfnec_plan_scratch *scratch, uint32_t *table, uint32_t near, uint32_t action) {
  const sfnec_model *model = scratch->plan->values.model;
  sfnec_workspace *work = &scratch->work;
  sfnec_prediction prediction;
  sfnec_outcome outcomes[SFNEC_PREDICTION_OUTCOMES];
  sfnec_model_predict(model, work->key, near, action, true, work->goal, &prediction, outcomes, work->features, NULL);
  const uint32_t likely_outcome = sfnec_values_likeliest(&scratch->plan->values, *table, &prediction, outcomes);
  const sfnec_outcome *outcome = likely_outcome == SFNEC_NONE ? NULL : &outcomes[likely_outcome];
  if (!outcome || outcome->count == 0 || outcome->terminal > SFNEC_PATH_LIKELY || outcome->self > SFNEC_PATH_LIKELY)
    return false;
  uint32_t likely = 0;
  float sum = 0.0f;
  for (uint32_t i = 0; i < outcome->count; i++) {
    sum += outcome->shares[i];
    if (outcome->shares[i] > outcome->shares[likely]) likely = i;
  }
  // the mean of the states, unless there is nothing between them
  float squared = 0.0f;
  for (size_t c = 0; c < model->key_size; c++) {
    float mean = 0.0f;
    for (uint32_t i = 0; i < outcome->count; i++) {
      mean += outcome->shares[i] / sum * model->keys[outcome->states[i] * model->stride + c];
    }
    const float to = sfnec_model_has_cells(model) ? model->keys[outcome->states[likely] * model->stride + c] : mean;
    squared += (to - work->key[c]) * (to - work->key[c]);
    work->key[c] = to;
  }
  const uint32_t from = *table;
  *table = sfnec_values_table_after(&scratch->plan->values, from, outcome->effect);
  return *table != from || squared > SFNEC_PATH_SQUARED * model->step * model->step;
}

sfnec_status sfnec_plan_ask_path(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                 const double *w, size_t most, sfnec_place_view *views, size_t *count) {
  const sfnec_model *model = &planner->model;
  const uint32_t actions = (uint32_t)planner->config->action_count;
  *count = 0;
  if (!model->fitted || model->projects || most == 0) return SFNEC_OK;
  uint32_t table, state;
  sfnec_status status = sfnec_plan_scratch_locate(scratch, observation, w, &table, &state);
  if (!status) status = reserve_views(scratch, most);
  if (status) return status;
  const sfnec_model *asked = scratch->plan->values.model;
  const sfnec_values *values = &scratch->plan->values;
  sfnec_plan_evaluate(asked, &scratch->plan->values, &scratch->work, table, state,
                      sfnec_values_mask(values, table, state));
  while (*count < most && !model->states[state].terminal) {
    const uint32_t action = sfnec_plan_best(&scratch->work, actions, sfnec_model_gamma(model));
    if (!sfnec_plan_follow_likeliest(scratch, &table, state, action)) break;
    float squared;
    state = sfnec_model_nearest(model, scratch->work.search, scratch->work.key, &squared);
    const float value = sfnec_plan_evaluate(asked, &scratch->plan->values, &scratch->work, table, state,
                                            sfnec_values_mask(values, table, state));
    views[*count] = view_of(scratch, table, scratch->work.key, state, value, *count);
    (*count)++;
  }
  return sfnec_plan_scratch_check(scratch);
}
