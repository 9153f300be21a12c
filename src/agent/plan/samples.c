// samples.c: the transitions that a model keeps: a few samples for each state and action, with counts. A transition
// that is like one of them is merged into its running mean, else it is a sample of its own (vector quantisation). Where
// states come again exactly, transitions from contexts that matter otherwise stay apart. See model.h.
#include <float.h>
#include <math.h>
#include <string.h>

#include "agent/plan/model.h"

// ---- samples ----

// How a sample compares with a transition.
typedef struct comparison {
  float origins; // squared distance of their origins
  float moves;   // of their moves
  float longest; // squared length of the longer move
  bool alike;    // both moved about the same way, or neither moved
} comparison;

static comparison compare(const sfnec_model *model, uint32_t sample, const float *origin, const float *target) {
  const float *o = model->origins + sample * model->stride, *t = model->targets + sample * model->stride;
  float origins = 0.0f, moves = 0.0f, old = 0.0f, new = 0.0f;
  for (size_t i = 0; i < model->key_size; i++) {
    const float away = o[i] - origin[i], before = t[i] - o[i], now = target[i] - origin[i];
    origins += away * away;
    old += before * before;
    new += now *now;
    moves += (before - now) * (before - now);
  }
  const float still = SFNEC_SAME_SQUARED * model->step * model->step;
  const float longest = old > new ? old : new;
  const float noise = SFNEC_NOISE_MERGES * model->noise.squared;
  const bool alike = (old < still) == (new < still) && moves <= SFNEC_TURN_SQUARED * longest + noise;
  return (comparison){origins, moves, longest, alike};
}

// Whether a transition went another way than a sample would have it.
static bool surprises(const sfnec_model *model, uint32_t s, const sfnec_sample *new, const float *origin,
                      const float *target) {
  if (model->samples[s].terminated != new->terminated) return true;
  const float *o = model->origins + s * model->stride, *t = model->targets + s * model->stride;
  const float *there = model->polynomial.terms > 0 ? model->expected + s * model->polynomial.size : NULL;
  float here[SFNEC_POLYNOMIAL_KEY], off = 0.0f;
  if (there) sfnec_polynomial_at(&model->polynomial, new->action, origin, here);
  for (size_t i = 0; i < model->key_size; i++) {
    const float before = t[i] - o[i], now = target[i] - origin[i];
    const float away = there ? before + (here[i] - there[i]) - now : before - now;
    off += away * away;
  }
  return off > model->radius * model->radius;
}

// Adds counts up to a most, which sums of them stay below UINT32_MAX with.
static uint32_t sum_counts(uint32_t a, uint32_t b) {
  return a + b < SFNEC_COUNT_KNOWN ? a + b : SFNEC_COUNT_KNOWN;
}

// A feature as the model keeps it.
static float feature_of(const double *features, size_t i) {
  return sfnec_bounded(features[i], SFNEC_FEATURE_MOST);
}

void sfnec_model_expect(sfnec_model *model, uint32_t s) {
  if (model->polynomial.terms == 0) return;
  sfnec_polynomial_at(&model->polynomial, model->samples[s].action, model->origins + s * model->stride,
                      model->expected + s * model->polynomial.size);
}

// Moves means towards numbers. Observations may be any floats, and two may differ by more than a float holds.
static void approach(float *mean, const float *to, size_t size, float rate) {
  for (size_t i = 0; i < size; i++) {
    const float gap = to[i] - mean[i];
    const float moved = isfinite(gap) ? mean[i] + rate * gap : (1.0f - rate) * mean[i] + rate * to[i];
    mean[i] = sfnec_bounded((double)moved, FLT_MAX);
  }
}

// Moves the mean of a sample towards one more transition.
static void blend(sfnec_model *model, uint32_t s, const float *origin, const float *target,
                  const sfnec_model_transition *transition) {
  sfnec_sample *sample = &model->samples[s];
  sample->count = sum_counts(sample->count, transition->count);
  const float rate = fmaxf((float)transition->count / (float)sample->count, SFNEC_MEAN_RATE);
  const size_t d = model->config->observation_size;
  approach(model->origins + s * model->stride, origin, model->key_size, rate);
  approach(model->targets + s * model->stride, target, model->key_size, rate);
  if (model->projects) {
    approach(model->before + s * d, transition->before, d, rate);
    approach(model->after + s * d, transition->after, d, rate);
  }
  float *f = model->sample_features + s * model->config->psi_size;
  const float features_rate = sample->forgotten ? 1.0f : rate;
  for (size_t i = 0; i < model->config->psi_size; i++) {
    f[i] += features_rate * (feature_of(transition->features, i) - f[i]);
  }
  sample->forgotten = false;
  sfnec_model_expect(model, s);
}

// Predicts all again, after features of samples have changed.
static void predict_all(sfnec_model *model) {
  const size_t predictions = (size_t)model->state_count * (size_t)model->config->action_count;
  for (size_t i = 0; i < predictions; i++) model->predictions[i].dirty = true;
  for (uint32_t p = 0; p < model->state_count; p++) sfnec_model_enqueue(model, p);
  sfnec_model_tidy(model, UINT32_MAX);
}

void sfnec_model_forget_features(sfnec_model *model) {
  for (uint32_t s = 0; s < model->sample_count; s++) model->samples[s].forgotten = true;
  for (size_t i = 0; i < model->sample_count * model->config->psi_size; i++) model->sample_features[i] = 0.0f;
  for (uint32_t e = 0; e < model->effect_room; e++) model->effect_seen[e] = 0;
  predict_all(model);
}

void sfnec_model_set_features(sfnec_model *model, const float *features, const bool *known) {
  const size_t n = model->config->psi_size;
  memset(model->greatest, 0, n * sizeof *model->greatest);
  for (uint32_t e = 0; e < model->effect_room; e++) model->effect_seen[e] = 0;
  if (model->sample_count > 0) memcpy(model->sample_features, features, model->sample_count * n * sizeof *features);
  for (uint32_t s = 0; s < model->sample_count; s++) {
    sfnec_sample *sample = &model->samples[s];
    sample->forgotten = !known[s];
    const bool effective = known[s] && sample->effect < model->effect_room;
    if (effective) model->effect_seen[sample->effect] = sum_counts(model->effect_seen[sample->effect], sample->count);
    const float rate = effective ? (float)sample->count / (float)model->effect_seen[sample->effect] : 0.0f;
    for (size_t i = 0; i < n; i++) {
      const float feature = features[s * n + i];
      model->greatest[i] = fmaxf(model->greatest[i], fabsf(feature));
      if (effective)
        model->effect_features[sample->effect * n + i] +=
            rate * (feature - model->effect_features[sample->effect * n + i]);
    }
  }
  predict_all(model);
}

static void fill(sfnec_model *model, uint32_t s, const float *origin, const float *target,
                 const sfnec_model_transition *transition) {
  const size_t d = model->config->observation_size;
  memcpy(model->origins + s * model->stride, origin, model->stride * sizeof *origin);
  memcpy(model->targets + s * model->stride, target, model->stride * sizeof *target);
  if (model->projects) {
    memcpy(model->before + s * d, transition->before, d * sizeof *model->before);
    memcpy(model->after + s * d, transition->after, d * sizeof *model->after);
  }
  float *f = model->sample_features + s * model->config->psi_size;
  for (size_t i = 0; i < model->config->psi_size; i++) f[i] = feature_of(transition->features, i);
  sfnec_model_expect(model, s);
}

static bool same_features(const sfnec_model *model, uint32_t s, const double *features) {
  const float *f = model->sample_features + s * model->config->psi_size;
  if (model->samples[s].forgotten) return true;
  for (size_t i = 0; i < model->config->psi_size; i++) {
    if (fabsf(f[i] - feature_of(features, i)) > SFNEC_FEATURE_DIFFERS * model->greatest[i]) return false;
  }
  return true;
}

// Keeps a transition among the samples of a state and action. Says whether predictions may look different now.
static sfnec_status keep(sfnec_model *model, const sfnec_sample *new, const float *origin, const float *target,
                         const sfnec_model_transition *transition, bool *changed) {
  const size_t cell = (size_t) new->state *(size_t)model->config->action_count + new->action;
  uint32_t alike = SFNEC_NONE, rarest = SFNEC_NONE, commonest = SFNEC_NONE;
  float least = INFINITY;
  const float r2 = model->radius * model->radius;
  const bool apart = sfnec_model_is_tabular(model) && sfnec_model_uses(model, SFNEC_WITHOUT_APART);
  bool same_state = false;
  for (uint32_t s = model->cells[cell]; s != SFNEC_NONE; s = model->samples[s].sibling) {
    const sfnec_sample *sample = &model->samples[s];
    if (rarest == SFNEC_NONE || sample->count < model->samples[rarest].count) rarest = s;
    if (commonest == SFNEC_NONE || sample->count > model->samples[commonest].count) commonest = s;
    if (sample->terminated != new->terminated || sample->effect != new->effect) continue;
    if (new->effect != 0 && sample->before != new->before) continue;
    // if tabular, samples of contexts that differ where it matters stay apart
    if (apart && !sfnec_prediction_agrees(model, &model->predictions[cell], sample->before, new->before)) continue;
    const comparison with = compare(model, s, origin, target);
    if (!with.alike || with.moves + with.origins >= least || !same_features(model, s, transition->features)) continue;
    least = with.moves + with.origins;
    alike = s;
    const float noise = SFNEC_NOISE_MERGES * model->noise.squared;
    same_state =
        with.origins <= SFNEC_ORIGIN_SQUARED * r2 + 0.5f * noise && least < SFNEC_MERGE_SQUARED * r2 + 1.5f * noise;
  }
  if (commonest != SFNEC_NONE) {
    const bool ended = model->samples[commonest].terminated,
               surprised = surprises(model, commonest, new, origin, target);
    model->repeats += 1.0;
    model->surprises += surprised;
    model->end_repeats += ended;
    model->end_surprises += ended && surprised;
  }
  const bool full = model->filled[cell] >= (uint8_t)model->config->options.samples;
  if (alike != SFNEC_NONE && (same_state || full)) {
    const uint32_t count = model->samples[alike].count;
    const bool forgotten = model->samples[alike].forgotten;
    blend(model, alike, origin, target, transition);
    model->touched = alike;
    *changed = forgotten || ((count & (count - 1)) == 0);
    return SFNEC_OK;
  }
  *changed = true;
  if (full) {
    const uint32_t sibling = model->samples[rarest].sibling;
    model->samples[rarest] = *new;
    model->samples[rarest].sibling = sibling;
    fill(model, rarest, origin, target, transition);
    model->touched = rarest;
    return SFNEC_OK;
  }
  const sfnec_status status = sfnec_model_reserve(model, 0, model->sample_count + 1, 0);
  if (status) return status;
  const uint32_t s = model->sample_count++;
  model->samples[s] = *new;
  model->samples[s].sibling = model->cells[cell];
  model->cells[cell] = s;
  model->tried += model->filled[cell]++ == 0;
  fill(model, s, origin, target, transition);
  model->touched = s;
  return SFNEC_OK;
}

// ---- transitions ----

// The context before a transition, and what it changed.
static sfnec_status read_context(sfnec_model *model, const sfnec_model_transition *transition, sfnec_sample *sample) {
  const sfnec_scaling *scaling = &model->scaling;
  for (size_t i = 0; i < scaling->slow_count; i++) {
    model->tuple[i] = sfnec_scaling_read(scaling, transition->before, scaling->slow[i]);
  }
  const sfnec_status status = sfnec_tuples_add(&model->contexts, model->tuple, &sample->before);
  if (status) return status;
  for (size_t i = 0; i < scaling->slow_count; i++) {
    const float before = sfnec_scaling_read(scaling, transition->before, scaling->slow[i]);
    const float after = sfnec_scaling_read(scaling, transition->after, scaling->slow[i]);
    model->tuple[i] = after == before ? SFNEC_UNCHANGED : after;
  }
  return sfnec_tuples_add(&model->effects, model->tuple, &sample->effect);
}

static void widen_box(sfnec_model *model, const float *key) {
  for (size_t i = 0; i < model->key_size; i++) {
    model->low[i] = fminf(model->low[i], key[i]);
    model->high[i] = fmaxf(model->high[i], key[i]);
  }
}

// Keeps the mean features of an effect.
static sfnec_status note_effect(sfnec_model *model, uint32_t effect, const sfnec_model_transition *transition) {
  const size_t n = model->config->psi_size;
  const sfnec_status status = sfnec_model_reserve_effects(model, effect + 1);
  if (status) return status;
  model->effect_seen[effect] = sum_counts(model->effect_seen[effect], transition->count);
  const float rate = (float)transition->count / (float)model->effect_seen[effect];
  float *mean = model->effect_features + effect * n;
  for (size_t i = 0; i < n; i++) mean[i] += rate * (feature_of(transition->features, i) - mean[i]);
  return SFNEC_OK;
}

// Counts how many moves end exactly where a state is.
static void note_return(sfnec_model *model, const float *origin, const float *target) {
  if (memcmp(origin, target, model->key_size * sizeof *origin) == 0) return;
  float squared;
  const uint32_t state = sfnec_model_nearest(model, model->search, target, &squared);
  if (squared == 0.0f) sfnec_model_note_recent(model, state);
  model->visits = SFNEC_RETURNS_DECAY * model->visits + 1.0;
  model->returns = SFNEC_RETURNS_DECAY * model->returns + (squared < SFNEC_SAME_SQUARED * model->step * model->step);
}

sfnec_status sfnec_model_take(sfnec_model *model, const sfnec_model_transition *transition, uint32_t *here,
                              uint32_t *next, bool *changed) {
  float *origin = model->key, *target = model->goal;
  sfnec_model_key(model, transition->before, origin);
  sfnec_model_key(model, transition->after, target);
  widen_box(model, origin);
  widen_box(model, target);
  for (size_t i = 0; i < model->config->psi_size; i++) {
    model->greatest[i] = fmaxf(model->greatest[i], fabsf(feature_of(transition->features, i)));
  }
  note_return(model, origin, target);
  sfnec_sample sample = {
      .action = transition->action, .count = transition->count, .terminated = transition->terminated};
  sfnec_status status = sfnec_model_state(model, origin, false, &sample.state);
  if (!status) status = sfnec_model_state(model, target, transition->terminated, &sample.target);
  if (!status) status = read_context(model, transition, &sample);
  if (!status) status = keep(model, &sample, origin, target, transition, changed);
  if (status) return status;
  *here = sample.state;
  *next = sample.target;
  return sample.effect == 0 ? SFNEC_OK : note_effect(model, sample.effect, transition);
}

uint32_t sfnec_model_find_sample(const sfnec_model *model, const sfnec_model_transition *transition, uint32_t *effect) {
  const sfnec_scaling *scaling = &model->scaling;
  float *origin = model->key, *target = model->goal, *context = model->tuple, squared;
  // what it changes, as read_context has it
  for (size_t i = 0; i < scaling->slow_count; i++) {
    const float before = sfnec_scaling_read(scaling, transition->before, scaling->slow[i]);
    const float after = sfnec_scaling_read(scaling, transition->after, scaling->slow[i]);
    context[i] = after == before ? SFNEC_UNCHANGED : after;
  }
  const uint32_t changes = sfnec_tuples_find(&model->effects, context);
  if (effect) *effect = changes;
  for (size_t i = 0; i < scaling->slow_count; i++)
    context[i] = sfnec_scaling_read(scaling, transition->before, scaling->slow[i]);
  const uint32_t before = sfnec_tuples_find(&model->contexts, context);
  // the nearest of those that did the same, first of all in this very context
  sfnec_model_key(model, transition->before, origin);
  sfnec_model_key(model, transition->after, target);
  const uint32_t state = sfnec_model_nearest(model, model->search, origin, &squared);
  uint32_t nearest = SFNEC_NONE;
  if (state == SFNEC_NONE || squared > model->radius * model->radius) return SFNEC_NONE;
  float least = INFINITY;
  const size_t cell = (size_t)state * (size_t)model->config->action_count + transition->action;
  for (uint32_t s = model->cells[cell]; s != SFNEC_NONE; s = model->samples[s].sibling) {
    const sfnec_sample *sample = &model->samples[s];
    if (sample->terminated != transition->terminated || sample->effect != changes) continue;
    const comparison with = compare(model, s, origin, target);
    const bool elsewhere =
        nearest != SFNEC_NONE && sample->before != before && model->samples[nearest].before == before;
    const bool here = nearest != SFNEC_NONE && sample->before == before && model->samples[nearest].before != before;
    if (elsewhere || (!here && with.moves + with.origins >= least)) continue;
    least = with.moves + with.origins;
    nearest = s;
  }
  return nearest;
}

sfnec_status sfnec_model_add(sfnec_model *model, const sfnec_model_transition *transition, uint32_t *here,
                             uint32_t *next) {
  bool changed = false;
  sfnec_status status = sfnec_model_take(model, transition, here, next, &changed);
  model->version++;
  if (status || !changed) return status;
  const sfnec_state *state = &model->states[*here];
  const size_t actions = (size_t)model->config->action_count;
  const float borrow = (float)model->config->options.sample_reach * model->step;
  for (uint32_t i = 0; i < state->neighbour_count && state->distances[i] < borrow * borrow; i++) {
    sfnec_prediction *prediction = &model->predictions[state->neighbours[i] * actions + transition->action];
    if (sqrtf(state->distances[i]) - model->radius > prediction->reach) continue;
    prediction->dirty = true;
    sfnec_model_enqueue(model, state->neighbours[i]);
  }
  model->predictions[*here * actions + transition->action].dirty = true;
  return sfnec_model_make_predictions(model, *here);
}

sfnec_status sfnec_model_tidy(sfnec_model *model, uint32_t most) {
  sfnec_status status = SFNEC_OK;
  while (model->queued > 0 && most > 0 && !status) {
    const uint32_t state = model->queue[--model->queued];
    model->states[state].queued = false;
    status = sfnec_model_make_predictions(model, state);
    most--;
  }
  return status;
}
