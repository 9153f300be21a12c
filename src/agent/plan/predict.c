// predict.c: what an action leads to, by kernel-based reinforcement learning (Ormoneit and Sen 2002): the nearest
// samples of the action, weighted by count and inverse squared distance, each with its move made from the key. They are
// split by those slow components that matter (conditions.c). Where states come again exactly, what an action did
// elsewhere does not make it known (R-max; Brafman and Tennenholtz 2002). See model.h.
#include <math.h>
#include <string.h>

#include "agent/plan/model.h"

// ---- which samples ----

// The samples of a state, as far as there is space.
static uint32_t collect(const sfnec_model *model, uint32_t state, uint32_t action, uint32_t *samples, uint32_t count) {
  const size_t cell = (size_t)state * (size_t)model->config->action_count + action;
  for (uint32_t s = model->cells[cell]; s != SFNEC_NONE && count < SFNEC_SHARES; s = model->samples[s].sibling) {
    samples[count++] = s;
  }
  return count;
}

// Samples of an action around a state, the nearest to the key first.
static uint32_t find(const sfnec_model *model, const float *key, uint32_t near, uint32_t action,
                     sfnec_sample_share *found) {
  uint32_t samples[SFNEC_SHARES], count = collect(model, near, action, samples, 0);
  uint32_t donors = count > 0;
  const sfnec_state *state = &model->states[near];
  const float reach = (float)model->config->options.sample_reach * model->step;
  for (uint32_t i = 0; i < state->neighbour_count && donors < SFNEC_DONORS && !sfnec_model_has_cells(model); i++) {
    if (state->distances[i] > reach * reach) break;
    const uint32_t before = count;
    count = collect(model, state->neighbours[i], action, samples, count);
    donors += count > before;
  }
  float squared[SFNEC_SHARES];
  model->config->simd->scattered_distances(key, model->origins, model->stride, samples, count, model->stride, squared);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t j = i;
    for (; j > 0 && found[j - 1].squared > squared[i]; j--) found[j] = found[j - 1];
    found[j] = (sfnec_sample_share){.sample = samples[i], .squared = squared[i]};
  }
  return count;
}

// How many of the found ones make the model here: the k nearest, or those that were seen exactly here.
static uint32_t cut(const sfnec_model *model, const sfnec_sample_share *found, uint32_t count) {
  const uint32_t k = (uint32_t)model->config->options.neighbours;
  const float exact = SFNEC_SAME_SQUARED * model->step * model->step;
  uint32_t here = 0, seen = 0;
  while (here < count && found[here].squared < exact) seen += model->samples[found[here++].sample].count;
  const bool alone = here > 0 && sfnec_model_uses(model, SFNEC_WITHOUT_EXACT);
  if (alone && (seen >= SFNEC_SEEN_ENOUGH || !sfnec_model_is_random(model))) return here;
  return count < k ? count : k;
}

// ---- where they lead ----

// Adds a share of a state.
static void spread_to(sfnec_outcome *outcome, uint32_t state, float share) {
  uint32_t least = 0;
  for (uint32_t i = 0; i < outcome->count; i++) {
    if (outcome->states[i] == state) {
      outcome->shares[i] += share;
      return;
    }
    if (outcome->shares[i] < outcome->shares[least]) least = i;
  }
  if (outcome->count < SFNEC_OUTCOME_STATES) {
    outcome->states[outcome->count] = state;
    outcome->shares[outcome->count++] = share;
    return;
  }
  // too many: the least one's share goes to the new one, or the other way round
  if (share > outcome->shares[least]) outcome->states[least] = state;
  outcome->shares[least] += share;
}

// A question about what an action leads to from a key.
typedef struct question {
  const sfnec_model *model;
  const float *key;
  bool query;                   // the state of the key contributes to its own value
  const float *here;            // what the polynomial says at the key; NULL: there is none
  float *goal;                  // (stride): scratch
  float *goals;                 // (SFNEC_PREDICTION_OUTCOMES, stride): where outcomes lead to; NULL: nobody asks
  sfnec_prediction *prediction; // the answer
} question;

// Spreads a share over the states around the goal. `hint` is a state near it.
static void land(const question *asked, uint32_t hint, float share, sfnec_outcome *outcome) {
  const sfnec_model *model = asked->model;
  const float r2 = model->radius * model->radius;
  sfnec_interpolation around;
  sfnec_model_interpolate(model, asked->goal, hint, &around);
  float sum = 0.0f;
  for (uint32_t i = 0; i < around.count; i++) sum += 1.0f / around.away[i];
  const bool own = asked->query && sfnec_model_uses(model, SFNEC_WITHOUT_OWN_SHARE);
  if (own && around.nearest > SFNEC_SAME_SQUARED * r2) {
    float away;
    model->config->simd->squared_distances(asked->goal, asked->key, model->stride, 1, model->stride, &away);
    if (away < sfnec_model_coincidence(model)) {
      outcome->self += share;
      return;
    }
    const float weight = 1.0f / (away + sfnec_model_coincidence(model));
    outcome->self += share * weight / (sum + weight);
    share -= share * weight / (sum + weight);
  }
  for (uint32_t i = 0; i < around.count; i++) spread_to(outcome, around.states[i], share / around.away[i] / sum);
}

// Adds what one sample does, made from the key, to an outcome.
static void follow(const question *asked, uint32_t s, float share, sfnec_outcome *outcome, float *features) {
  const sfnec_model *model = asked->model;
  const size_t n = model->config->psi_size;
  const sfnec_sample *sample = &model->samples[s];
  const float *own = model->sample_features + s * n;
  const float *origin = model->origins + s * model->stride, *target = model->targets + s * model->stride;
  const float *there = asked->here ? model->expected + s * model->polynomial.size : NULL; // at its origin
  for (size_t i = 0; i < n; i++) features[i] += share * own[i];
  for (size_t i = 0; i < model->stride; i++) {
    const float move = target[i] - origin[i];
    const float end = asked->key[i] + (there && i < model->key_size ? move + (asked->here[i] - there[i]) : move);
    const float above = end > model->low[i] ? end : model->low[i];
    asked->goal[i] = above < model->high[i] ? above : model->high[i];
  }
  if (sample->terminated) {
    outcome->terminal += share;
    return;
  }
  land(asked, sample->target, share, outcome);
}

// ---- what they do to the context ----

static float weigh(const sfnec_model *model, const sfnec_sample_share *c) {
  const float near = SFNEC_WEIGH_NEAR * model->radius;
  return (float)model->samples[c->sample].count / (c->squared + near * near);
}

// The outcomes of the samples of one condition: one for each effect.
static uint32_t make_condition(const question *asked, const sfnec_sample_share *group, uint32_t size,
                               uint32_t condition, sfnec_outcome *outcomes, float *features, uint32_t outcome_count) {
  const sfnec_model *model = asked->model;
  const size_t n = model->config->psi_size;
  const uint32_t first = outcome_count;
  float total = 0.0f;
  for (uint32_t i = 0; i < size; i++) total += weigh(model, &group[i]);
  for (uint32_t i = 0; i < size; i++) {
    const sfnec_sample *sample = &model->samples[group[i].sample];
    const float share = weigh(model, &group[i]) / total;
    uint32_t p = first;
    while (p < outcome_count && outcomes[p].effect != sample->effect) p++;
    if (p == outcome_count) {
      if (outcome_count == SFNEC_PREDICTION_OUTCOMES) continue;
      outcomes[outcome_count++] = (sfnec_outcome){
          .before = sample->before, .effect = sample->effect, .sample = group[i].sample, .condition = condition};
      memset(features + p * n, 0, n * sizeof *features);
      if (asked->goals) memset(asked->goals + p * model->stride, 0, model->stride * sizeof(float));
    }
    outcomes[p].weight += share;
    follow(asked, group[i].sample, share, &outcomes[p], features + p * n);
    for (size_t c = 0; asked->goals && c < model->stride; c++) {
      asked->goals[p * model->stride + c] += share * asked->goal[c];
    }
  }
  for (uint32_t p = first; p < outcome_count; p++) { // within an outcome shares add up to 1
    const float scale = 1.0f / outcomes[p].weight;
    outcomes[p].terminal *= scale, outcomes[p].self *= scale;
    for (uint32_t i = 0; i < outcomes[p].count; i++) outcomes[p].shares[i] *= scale;
    for (size_t i = 0; i < n; i++) features[p * n + i] *= scale;
    for (size_t c = 0; asked->goals && c < model->stride; c++) asked->goals[p * model->stride + c] *= scale;
  }
  return outcome_count;
}

// Splits the found samples by the contexts they were seen in, where that matters.
static uint32_t make_conditions(const question *asked, const sfnec_sample_share *found, uint32_t count, uint32_t used,
                                sfnec_outcome *outcomes, float *features) {
  const sfnec_model *model = asked->model;
  const uint32_t k = (uint32_t)model->config->options.neighbours;
  // beyond the nearest, others count that are about as near and were seen in another context
  const float limit = fmaxf(SFNEC_CONDITION_SQUARED * found[used - 1].squared, model->radius * model->radius);
  bool taken[SFNEC_SHARES] = {false};
  uint32_t outcome_count = 0;
  for (uint32_t condition = 0; condition < SFNEC_CONDITIONS; condition++) {
    sfnec_sample_share group[SFNEC_SHARES];
    uint32_t size = 0, lead = 0;
    for (uint32_t i = 0; i < count && (i < used || found[i].squared <= limit); i++) {
      if (taken[i]) continue;
      const uint32_t before = model->samples[found[i].sample].before;
      if (size > 0 && !sfnec_prediction_agrees(model, asked->prediction, before, lead)) continue;
      if (size == 0) lead = before;
      taken[i] = true;
      if (size < k) group[size++] = found[i];
    }
    if (size == 0) break;
    outcome_count = make_condition(asked, group, size, condition, outcomes, features, outcome_count);
  }
  return outcome_count;
}

uint32_t sfnec_model_samples(const sfnec_model *model, const float *key, uint32_t near, uint32_t action,
                             sfnec_sample_share *shares) {
  const uint32_t found = find(model, key, near, action, shares);
  const uint32_t count = found ? cut(model, shares, found) : 0;
  float total = 0.0f;
  for (uint32_t i = 0; i < count; i++) total += shares[i].weight = weigh(model, &shares[i]);
  for (uint32_t i = 0; i < count; i++) shares[i].weight /= total;
  return count;
}

// ---- predictions ----

void sfnec_model_predict(const sfnec_model *model, const float *key, uint32_t near, uint32_t action, bool query,
                         float *goal, sfnec_prediction *prediction, sfnec_outcome *outcomes, float *features,
                         float *goals) {
  sfnec_sample_share found[SFNEC_SHARES];
  const uint32_t count = find(model, key, near, action, found);
  *prediction = (sfnec_prediction){.block = SFNEC_NONE, .distance = INFINITY, .reach = INFINITY};
  if (count == 0) return;
  const uint32_t used = cut(model, found, count);
  prediction->distance = sqrtf(found[0].squared) / model->step;
  prediction->reach = used < (uint32_t)model->config->options.neighbours ? INFINITY : sqrtf(found[used - 1].squared);
  for (uint32_t i = 0; i < used; i++) {
    prediction->seen += (float)model->samples[found[i].sample].count;
    prediction->forgotten += model->samples[found[i].sample].forgotten ? 1.0f / (float)used : 0.0f;
  }
  sfnec_prediction_condition(model, found, used, prediction);
  float here[SFNEC_POLYNOMIAL_KEY];
  const bool polynomial = model->polynomial.terms > 0;
  if (polynomial) sfnec_polynomial_at(&model->polynomial, action, key, here);
  question asked = {.model = model,
                    .key = key,
                    .query = query,
                    .here = polynomial ? here : NULL,
                    .goals = goals,
                    .prediction = prediction};
  asked.goal = goal;
  if (sfnec_prediction_depends(prediction)) {
    prediction->outcome_count = make_conditions(&asked, found, count, used, outcomes, features);
  } else {
    prediction->outcome_count = make_condition(&asked, found, used, 0, outcomes, features, 0);
  }
}

// A block of outcomes of its own for a prediction.
static sfnec_status take_block(sfnec_model *model, sfnec_prediction *prediction) {
  if (prediction->block != SFNEC_NONE) return SFNEC_OK;
  const sfnec_status status = sfnec_model_reserve_blocks(model, model->block_count + 1);
  if (!status) prediction->block = model->block_count++;
  return status;
}

sfnec_status sfnec_model_make_predictions(sfnec_model *model, uint32_t state) {
  if (model->states[state].terminal) return SFNEC_OK;
  const size_t actions = (size_t)model->config->action_count, n = model->config->psi_size;
  for (uint32_t a = 0; a < actions; a++) {
    const size_t at = state * actions + a;
    sfnec_prediction *prediction = &model->predictions[at], new;
    if (!prediction->dirty) continue;
    sfnec_outcome outcomes[SFNEC_PREDICTION_OUTCOMES];
    float *features = model->prediction_features;
    sfnec_model_predict(model, model->keys + state * model->stride, state, a, false, model->goal, &new, outcomes,
                        features, NULL);
    new.version = prediction->version + 1;
    new.block = prediction->block;
    const bool plain = new.outcome_count <= 1 && (new.outcome_count == 0 || outcomes[0].effect == 0);
    const sfnec_status status = plain && prediction->block == SFNEC_NONE ? SFNEC_OK : take_block(model, &new);
    if (status) return status;
    *prediction = new;
    const size_t first = new.block == SFNEC_NONE ? at : (size_t) new.block *SFNEC_PREDICTION_OUTCOMES;
    sfnec_outcome *to = new.block == SFNEC_NONE ? model->plain : model->blocks;
    float *to_features = new.block == SFNEC_NONE ? model->features : model->block_features;
    memcpy(to + first, outcomes, new.outcome_count * sizeof *outcomes);
    memcpy(to_features + first * n, features, new.outcome_count *n * sizeof *features);
  }
  model->version++;
  return SFNEC_OK;
}
