// ask.c: questions to a planner: a plan of its own for each; see planner.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/state.h"
#include "base/error.h"

enum {
  EXTRA_TRIALS = 20, // for a state in a context that the plan did not meet
  PSI_SWEEPS = 200,  // over the layers that a policy goes through
  PSI_LAYERS = 256,  // of those at most; what lies behind counts nothing
};

struct sfnec_plan_scratch {
  const sfnec_planner *planner;
  sfnec_values values;
  sfnec_plan_work work;
  sfnec_random random;
  bool planned;     // for values.w, at...
  uint64_t version; // ...this version of the model
  float *views;     // (view_room, d): the keys of samples shown
  size_t view_room;
};

// ---- life ----

sfnec_status sfnec_plan_scratch_create(const sfnec_planner *planner, sfnec_plan_scratch **out) {
  sfnec_plan_scratch *scratch = calloc(1, sizeof *scratch);
  if (!scratch) return sfnec_fail_memory("the scratch of a plan");
  scratch->planner = planner;
  sfnec_status status = sfnec_plan_work_init(&scratch->work, planner->config);
  if (!status) status = sfnec_values_init(&scratch->values, &planner->model, false);
  if (status) {
    sfnec_plan_scratch_destroy(scratch);
    return status;
  }
  *out = scratch;
  return SFNEC_OK;
}

void sfnec_plan_scratch_destroy(sfnec_plan_scratch *scratch) {
  if (!scratch) return;
  if (scratch->values.model) sfnec_values_clear(&scratch->values);
  sfnec_plan_work_clear(&scratch->work);
  free(scratch->views);
  free(scratch);
}

// ---- planning ----

static sfnec_status check_memory(sfnec_plan_scratch *scratch) {
  if (!scratch->values.starved) return SFNEC_OK;
  scratch->values.starved = scratch->planned = false;
  return sfnec_fail_memory("a plan");
}

// Plans for weights, unless the plan at hand is for them.
static sfnec_status prepare(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const double *w) {
  sfnec_values *values = &scratch->values;
  const size_t n = planner->config->psi_size;
  if (scratch->planned && scratch->version == planner->model.version && memcmp(values->w, w, n * sizeof *w) == 0) {
    return SFNEC_OK;
  }
  scratch->planned = false;
  scratch->random = sfnec_random_start(planner->random.seed, SFNEC_PURPOSE_PLANNING);
  sfnec_status status = sfnec_values_reset(values);
  if (!status) status = sfnec_values_begin(values, w);
  if (!status && planner->has_start) {
    float squared;
    sfnec_model_key(&planner->model, planner->start, scratch->work.key);
    values->start_place = sfnec_model_nearest(&planner->model, scratch->work.search, scratch->work.key, &squared);
    status = sfnec_values_context(values, planner->start, &values->start_context);
  }
  if (status) return status;
  sfnec_values_solve(values, 200);
  sfnec_values_plan(values, planner->config->options.replan_backups, &scratch->random);
  status = check_memory(scratch);
  scratch->planned = !status;
  scratch->version = planner->model.version;
  return status;
}

// The layer and a place of a state, planned for.
static sfnec_status locate(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                           uint32_t *layer, uint32_t *place) {
  sfnec_values *values = &scratch->values;
  float squared;
  sfnec_model_key(&planner->model, observation, scratch->work.key);
  *place = sfnec_model_nearest(&planner->model, scratch->work.search, scratch->work.key, &squared);
  uint32_t context;
  const sfnec_status status = sfnec_values_context(values, observation, &context);
  if (status) return status;
  const bool known = values->layer_of[context] != SFNEC_NONE && values->layers[values->layer_of[context]].swept >= 0;
  for (int i = 0; !known && i < EXTRA_TRIALS; i++) sfnec_values_trial(values, context, *place, &scratch->random);
  *layer = sfnec_values_layer(values, context);
  return check_memory(scratch);
}

sfnec_status sfnec_plan_ask(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                            const double *w, double *q) {
  const uint32_t actions = (uint32_t)planner->config->action_count;
  for (uint32_t a = 0; a < actions; a++) q[a] = 0.0;
  if (!planner->model.fitted) return SFNEC_OK; // nothing is known yet
  uint32_t layer, place;
  sfnec_status status = prepare(planner, scratch, w);
  if (!status) status = locate(planner, scratch, observation, &layer, &place);
  if (status) return status;
  const float value = sfnec_plan_look(&planner->model, &scratch->values, &scratch->work, layer, place);
  for (uint32_t a = 0; a < actions; a++) {
    q[a] = (double)(scratch->work.rest[a] + sfnec_model_gamma(&planner->model) * scratch->work.own[a] * value);
  }
  return SFNEC_OK;
}

// ---- successor features ----

// The layers that the best actions go through, and what is known of them.
typedef struct closure {
  uint32_t count;
  uint32_t layers[PSI_LAYERS];
  uint32_t start;     // which of them an episode starts in, or SFNEC_NONE
  uint32_t *best;     // (count, places): the best action of each place
  float *psi;         // (count, places): of one feature
  uint32_t known;     // layers that there were
  uint32_t *place_in; // (known): where a layer stands here, or SFNEC_NONE
} closure;

static void closure_clear(closure *all) {
  free(all->best), free(all->psi), free(all->place_in);
}

// Adds the layer of a part's effect, if there is space.
static void reach(closure *all, uint32_t layer) {
  if (all->place_in[layer] != SFNEC_NONE || all->count == PSI_LAYERS) return;
  all->place_in[layer] = all->count;
  all->layers[all->count++] = layer;
}

// Finds the best action of every place in every layer that they lead to from the first one. Layers that no trial has
// met are not followed.
static sfnec_status close_over(sfnec_values *values, uint32_t layer, closure *all) {
  const sfnec_model *model = values->model;
  const uint32_t actions = (uint32_t)model->config->action_count, places = model->place_count;
  *all = (closure){.count = 0};
  const uint32_t known = all->known = values->layer_count;
  const size_t most = known < PSI_LAYERS ? known : PSI_LAYERS;
  all->place_in = malloc(known * sizeof *all->place_in);
  all->best = malloc(most * places * sizeof *all->best);
  all->psi = malloc(most * places * sizeof *all->psi);
  if (!all->place_in || !all->best || !all->psi) {
    closure_clear(all);
    return sfnec_fail_memory("the successor features of a plan");
  }
  memset(all->place_in, 0xff, known * sizeof *all->place_in);
  reach(all, layer);
  all->start = SFNEC_NONE;
  if (values->start_place != SFNEC_NONE && values->layer_of[values->start_context] < known) {
    reach(all, values->layer_of[values->start_context]);
    all->start = all->place_in[values->layer_of[values->start_context]];
  }
  for (uint32_t i = 0; i < all->count; i++) {
    for (uint32_t p = 0; p < places; p++) {
      const float value = values->layers[all->layers[i]].v[p];
      const uint32_t best = sfnec_values_backup(values, all->layers[i], p, NULL);
      values->layers[all->layers[i]].v[p] = value; // a question about psi leaves values as they are
      all->best[(size_t)i * places + p] = best;
      const size_t row = (size_t)p * actions + best;
      const sfnec_part *parts = sfnec_row_parts(model, row);
      for (uint32_t j = 0; j < model->rows[row].part_count; j++) {
        const uint32_t to = sfnec_values_child(values, all->layers[i], parts[j].effect);
        if (to < known) reach(all, to);
      }
    }
  }
  return SFNEC_OK;
}

// One feature of psi of an action, by its row and parts: without what stays in place, and that share.
static void feature_of(sfnec_values *values, const closure *all, uint32_t layer, uint32_t place, const sfnec_row *row,
                       const sfnec_part *parts, const float *features, size_t feature, float *rest, float *own) {
  const sfnec_model *model = values->model;
  const size_t n = model->config->psi_size, places = model->place_count;
  const float gamma = sfnec_model_gamma(model);
  const bool restart = model->config->options.terminal == SFNEC_TERMINAL_RESTART;
  const uint32_t variant = sfnec_values_variant(values, layer, row, parts);
  float weights = 0.0f;
  *rest = 0.0f;
  *own = row->part_count == 0 ? 1.0f : 0.0f; // where nothing is known, nothing happens, as for its value
  for (uint32_t p = 0; p < row->part_count; p++) {
    if (variant != SFNEC_NONE && parts[p].variant != variant) continue;
    const uint32_t to = sfnec_values_child(values, layer, parts[p].effect);
    const bool again = row->relevant_count && variant == SFNEC_NONE && parts[p].effect != 0 && to == layer;
    const uint32_t at = to < all->known ? all->place_in[to] : SFNEC_NONE;
    float later = 0.0f, self = to == layer ? parts[p].self : 0.0f;
    for (uint32_t i = 0; i < parts[p].count && at != SFNEC_NONE; i++) {
      if (parts[p].places[i] == place && to == layer) {
        self += parts[p].shares[i];
      } else {
        later += parts[p].shares[i] * all->psi[at * places + parts[p].places[i]];
      }
    }
    if (restart && all->start != SFNEC_NONE) {
      later += parts[p].terminal * all->psi[all->start * places + values->start_place];
    }
    weights += parts[p].weight;
    *rest += parts[p].weight * ((again ? 0.0f : features[p * n + feature]) + gamma * later);
    *own += parts[p].weight * self;
  }
  if (weights > 0.0f) *rest /= weights, *own = fminf(*own / weights, 1.0f);
}

// Sweeps one feature over the closure until it hardly changes.
static void sweep_feature(sfnec_values *values, closure *all, size_t feature) {
  const sfnec_model *model = values->model;
  const size_t places = model->place_count, actions = (size_t)model->config->action_count;
  const float gamma = sfnec_model_gamma(model);
  memset(all->psi, 0, all->count * places * sizeof *all->psi);
  const bool restart = model->config->options.terminal == SFNEC_TERMINAL_RESTART && all->start != SFNEC_NONE;
  const float enough = 1e-4f * fmaxf(model->greatest[feature], 1e-30f);
  for (uint32_t t = 0; t < PSI_SWEEPS; t++) {
    float change = 0.0f;
    for (uint32_t i = all->count; i-- > 0;) { // the last layers lead to no others
      for (size_t k = 0; k < places; k++) {
        const size_t p = t & 1 ? places - 1 - k : k, at = (size_t)i * places + p;
        if (model->places[p].terminal) { // as its value: the task goes on from the start
          all->psi[at] = restart ? all->psi[all->start * places + values->start_place] : 0.0f;
          continue;
        }
        const size_t row = p * actions + all->best[at];
        float rest, own;
        feature_of(values, all, all->layers[i], (uint32_t)p, &model->rows[row], sfnec_row_parts(model, row),
                   sfnec_row_features(model, row), feature, &rest, &own);
        const float psi = rest / (1.0f - gamma * own);
        change = fmaxf(change, fabsf(psi - all->psi[at]));
        all->psi[at] = psi;
      }
    }
    if (change < enough) break;
  }
}

sfnec_status sfnec_plan_ask_psi(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                const double *w, double *psi) {
  const sfnec_model *model = &planner->model;
  const uint32_t actions = (uint32_t)planner->config->action_count;
  const size_t n = planner->config->psi_size;
  const float gamma = sfnec_model_gamma(&planner->model);
  memset(psi, 0, actions * n * sizeof *psi);
  if (!model->fitted) return SFNEC_OK;
  sfnec_values *values = &scratch->values;
  uint32_t layer, place;
  closure all;
  sfnec_status status = prepare(planner, scratch, w);
  if (!status) status = locate(planner, scratch, observation, &layer, &place);
  if (!status) status = close_over(values, layer, &all);
  if (status) return status;
  const float value = sfnec_plan_look(model, values, &scratch->work, layer, place);
  uint32_t best = 0; // the action that the state itself takes, where an action stays in it
  for (uint32_t a = 0; a < actions; a++) {
    if (scratch->work.rest[a] / (1.0f - gamma * scratch->work.own[a]) == value) best = a;
  }
  for (size_t f = 0; f < n; f++) {
    sweep_feature(values, &all, f);
    float own_psi = 0.0f;
    for (uint32_t turn = 0; turn < actions + 1; turn++) { // the best action first: others may lead back to the state
      const uint32_t a = turn == 0 ? best : turn - 1;
      sfnec_row row;
      sfnec_part parts[SFNEC_ROW_PARTS];
      sfnec_model_ask(model, scratch->work.key, place, a, true, scratch->work.goal, &row, parts,
                      scratch->work.features);
      float rest, own;
      feature_of(values, &all, layer, SFNEC_NONE, &row, parts, scratch->work.features, f, &rest, &own);
      if (turn == 0) own_psi = rest / (1.0f - gamma * own);
      psi[a * n + f] = (double)(rest + gamma * own * own_psi);
    }
  }
  closure_clear(&all);
  return check_memory(scratch);
}

// ---- views: samples, places, a path ----

// Space for the observations of views.
static sfnec_status reserve_views(sfnec_plan_scratch *scratch, size_t count) {
  if (count <= scratch->view_room) return SFNEC_OK;
  float *grown = realloc(scratch->views, count * scratch->planner->config->observation_size * sizeof *grown);
  if (!grown) return sfnec_fail_memory("what is behind a plan");
  scratch->views = grown;
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
  const uint32_t place = sfnec_model_nearest(model, scratch->work.search, scratch->work.key, &squared);
  sfnec_sample_share shares[SFNEC_SHARES];
  uint32_t found = sfnec_model_samples(model, scratch->work.key, place, (uint32_t)action, shares);
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

// Whether an action of a place was never tried there, nor near enough to be sure of it.
static bool is_frontier(const sfnec_model *model, uint32_t place) {
  const size_t actions = (size_t)model->config->action_count;
  const float near = sfnec_model_repeats(model) ? 0.1f : 1.0f;
  for (size_t row = place * actions; row < (place + 1) * actions && !model->places[place].terminal; row++) {
    if (model->rows[row].part_count == 0 || model->rows[row].distance > near) return true;
  }
  return false;
}

// A view of a key near a place, in the context of a layer; `at` says where its observation lies.
static sfnec_place_view view_of(sfnec_plan_scratch *scratch, uint32_t layer, const float *key, uint32_t place,
                                float value, size_t at) {
  const sfnec_values *values = &scratch->values;
  float *observation = scratch->views + at * scratch->planner->config->observation_size;
  const float *context = sfnec_tuples_at(&values->contexts, values->layers[layer].context);
  sfnec_model_restore(values->model, key, context, observation);
  return (sfnec_place_view){
      .observation = observation, .value = (double)value, .frontier = is_frontier(values->model, place)};
}

sfnec_status sfnec_plan_ask_places(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                   const double *w, size_t first, size_t most, sfnec_place_view *views, size_t *count) {
  const sfnec_model *model = &planner->model;
  *count = 0;
  if (!model->fitted || model->projects || most == 0 || first >= model->place_count) return SFNEC_OK;
  if (most > model->place_count - first) most = model->place_count - first;
  uint32_t layer, place;
  sfnec_status status = prepare(planner, scratch, w);
  if (!status) status = locate(planner, scratch, observation, &layer, &place);
  if (!status) status = reserve_views(scratch, most);
  if (status) return status;
  for (size_t i = 0; i < most; i++) {
    const uint32_t p = (uint32_t)(first + i);
    const float *key = model->keys + p * model->stride;
    views[i] = view_of(scratch, layer, key, p, scratch->values.layers[layer].v[p], i);
  }
  *count = most;
  return SFNEC_OK;
}

// The action that looked best last.
static uint32_t best_action(const sfnec_plan_work *work, uint32_t actions, float gamma) {
  uint32_t best = 0;
  for (uint32_t a = 1; a < actions; a++) {
    if (work->rest[a] / (1.0f - gamma * work->own[a]) > work->rest[best] / (1.0f - gamma * work->own[best])) best = a;
  }
  return best;
}

// Moves work->key and the layer by the most likely way of an action; false: the episode ends, nothing is known, or
// nothing moves.
static bool follow(sfnec_plan_scratch *scratch, uint32_t *layer, uint32_t near, uint32_t action) {
  const sfnec_model *model = scratch->values.model;
  sfnec_plan_work *work = &scratch->work;
  sfnec_row row;
  sfnec_part parts[SFNEC_ROW_PARTS];
  sfnec_model_ask(model, work->key, near, action, true, work->goal, &row, parts, work->features);
  const uint32_t variant = sfnec_values_variant(&scratch->values, *layer, &row, parts);
  const sfnec_part *part = NULL;
  for (uint32_t p = 0; p < row.part_count; p++) {
    if (variant != SFNEC_NONE && parts[p].variant != variant) continue;
    if (!part || parts[p].weight > part->weight) part = &parts[p];
  }
  if (!part || part->count == 0 || part->terminal > 0.5f || part->self > 0.5f) return false;
  uint32_t likely = 0;
  float sum = 0.0f;
  for (uint32_t i = 0; i < part->count; i++) {
    sum += part->shares[i];
    if (part->shares[i] > part->shares[likely]) likely = i;
  }
  // the mean of the places, unless there is nothing between them
  float squared = 0.0f;
  for (size_t c = 0; c < model->key_size; c++) {
    float mean = 0.0f;
    for (uint32_t i = 0; i < part->count; i++) {
      mean += part->shares[i] / sum * model->keys[part->places[i] * model->stride + c];
    }
    const float to = model->scaling.exact ? model->keys[part->places[likely] * model->stride + c] : mean;
    squared += (to - work->key[c]) * (to - work->key[c]);
    work->key[c] = to;
  }
  const uint32_t from = *layer;
  *layer = sfnec_values_child(&scratch->values, from, part->effect);
  return *layer != from || squared > 1e-4f * model->step * model->step;
}

sfnec_status sfnec_plan_ask_path(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                 const double *w, size_t most, sfnec_place_view *views, size_t *count) {
  const sfnec_model *model = &planner->model;
  const uint32_t actions = (uint32_t)planner->config->action_count;
  *count = 0;
  if (!model->fitted || model->projects || most == 0) return SFNEC_OK;
  uint32_t layer, place;
  sfnec_status status = prepare(planner, scratch, w);
  if (!status) status = locate(planner, scratch, observation, &layer, &place);
  if (!status) status = reserve_views(scratch, most);
  if (status) return status;
  sfnec_plan_look(model, &scratch->values, &scratch->work, layer, place);
  while (*count < most && !model->places[place].terminal) {
    const uint32_t action = best_action(&scratch->work, actions, sfnec_model_gamma(model));
    if (!follow(scratch, &layer, place, action)) break;
    float squared;
    place = sfnec_model_nearest(model, scratch->work.search, scratch->work.key, &squared);
    const float value = sfnec_plan_look(model, &scratch->values, &scratch->work, layer, place);
    views[*count] = view_of(scratch, layer, scratch->work.key, place, value, *count);
    (*count)++;
  }
  return check_memory(scratch);
}
