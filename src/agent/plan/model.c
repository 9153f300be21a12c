// model.c: places, neighbours and samples; see model.h. Rows are made in rows.c.
#include "agent/plan/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const float ANY = -0x1.fp120f; // in an effect: this component stays as it is

// ---- life ----

sfnec_status sfnec_model_init(sfnec_model *model, const sfnec_psi_config *config) {
  *model = (sfnec_model){.config = config};
  model->greatest = calloc(config->psi_size, sizeof *model->greatest);
  model->search = sfnec_index_scratch_create();
  model->row_features = calloc(SFNEC_ROW_PARTS * config->psi_size, sizeof *model->row_features);
  if (!model->greatest || !model->search || !model->row_features) return sfnec_fail_memory("a model");
  return sfnec_scaling_init(&model->scaling, config->observation_size);
}

// Forgets all places and samples.
static void empty(sfnec_model *model) {
  sfnec_tuples_clear(&model->contexts);
  sfnec_tuples_clear(&model->effects);
  sfnec_index_destroy(model->index);
  model->index = NULL;
  free(model->low), free(model->high), free(model->key), free(model->goal), free(model->tuple);
  free(model->places), free(model->keys), free(model->cells), free(model->filled), free(model->rows);
  free(model->plain), free(model->features), free(model->blocks), free(model->block_features);
  free(model->samples), free(model->origins), free(model->targets), free(model->sample_features), free(model->queue);
  model->low = model->high = model->key = model->goal = model->tuple = NULL;
  model->places = NULL, model->keys = NULL, model->cells = NULL, model->filled = NULL, model->rows = NULL;
  model->plain = NULL, model->features = NULL, model->blocks = NULL, model->block_features = NULL;
  model->samples = NULL, model->origins = NULL, model->targets = NULL, model->sample_features = NULL;
  model->queue = NULL;
  free(model->effect_features), free(model->effect_seen);
  model->effect_features = NULL, model->effect_seen = NULL, model->effect_room = 0;
  model->place_count = model->place_room = model->block_count = model->block_room = 0;
  model->sample_count = model->sample_room = model->queued = 0;
  model->repeats = model->surprises = 0.0;
}

void sfnec_model_clear(sfnec_model *model) {
  empty(model);
  sfnec_scaling_clear(&model->scaling);
  sfnec_index_scratch_destroy(model->search);
  free(model->greatest);
  free(model->row_features);
  *model = (sfnec_model){0};
}

size_t sfnec_model_bytes(const sfnec_model *model) {
  const size_t actions = (size_t)model->config->action_count, n = model->config->psi_size;
  const size_t place = sizeof(sfnec_place) + model->stride * sizeof(float) + sizeof(uint32_t) +
                       actions * (5 + sizeof(sfnec_row) + sizeof(sfnec_part) + n * sizeof(float));
  const size_t sample = sizeof(sfnec_sample) + (2 * model->stride + n) * sizeof(float);
  return model->place_room * place + model->sample_room * sample + sfnec_tuples_bytes(&model->contexts) +
         sfnec_tuples_bytes(&model->effects) + (model->index ? model->index->ops->bytes(model->index) : 0) +
         model->block_room * SFNEC_ROW_PARTS * (sizeof(sfnec_part) + n * sizeof(float));
}

// ---- keys and contexts ----

void sfnec_model_key(const sfnec_model *model, const float *observation, float *key) {
  const sfnec_scaling *scaling = &model->scaling;
  for (size_t i = 0; i < scaling->fast_count; i++) {
    const float exact = observation[scaling->fast[i]] * scaling->scale[scaling->fast[i]];
    key[i] = sfnec_bounded((double)exact, SFNEC_KEY_MOST);
  }
  for (size_t i = scaling->fast_count; i < model->stride; i++) key[i] = 0.0f;
}

bool sfnec_effect_touches(const sfnec_model *model, uint32_t effect, size_t component) {
  return sfnec_tuples_at(&model->effects, effect)[component] != ANY;
}

// The context before a transition, and what it changed.
static sfnec_status read_context(sfnec_model *model, const sfnec_model_transition *transition, sfnec_sample *sample) {
  const sfnec_scaling *scaling = &model->scaling;
  for (size_t i = 0; i < scaling->slow_count; i++) model->tuple[i] = transition->before[scaling->slow[i]];
  const sfnec_status status = sfnec_tuples_add(&model->contexts, model->tuple, &sample->before);
  if (status) return status;
  for (size_t i = 0; i < scaling->slow_count; i++) {
    const float after = transition->after[scaling->slow[i]];
    model->tuple[i] = after == transition->before[scaling->slow[i]] ? ANY : after;
  }
  return sfnec_tuples_add(&model->effects, model->tuple, &sample->effect);
}

// ---- places ----

#define GROW(array, count)                                                                                             \
  do {                                                                                                                 \
    void *moved = realloc(array, (count) * sizeof *(array));                                                           \
    if (!moved) return sfnec_fail_memory("the places of a model");                                                     \
    (array) = moved;                                                                                                   \
  } while (0)

// The next power of two, from a least one.
static size_t round_up(size_t count, size_t least) {
  size_t room = least;
  while (room < count) room *= 2;
  return room;
}

static sfnec_status reserve_places(sfnec_model *model, size_t count) {
  if (count <= model->place_room) return SFNEC_OK;
  const size_t room = round_up(count, 16);
  const size_t actions = (size_t)model->config->action_count;
  GROW(model->places, room);
  GROW(model->keys, room * model->stride);
  GROW(model->cells, room * actions);
  GROW(model->filled, room * actions);
  GROW(model->rows, room * actions);
  GROW(model->plain, room * actions);
  GROW(model->features, room * actions * model->config->psi_size);
  GROW(model->queue, room);
  model->place_room = (uint32_t)room;
  return SFNEC_OK;
}

static sfnec_status reserve_samples(sfnec_model *model, size_t count) {
  if (count <= model->sample_room) return SFNEC_OK;
  const size_t room = round_up(count, 64);
  GROW(model->samples, room);
  GROW(model->origins, room * model->stride);
  GROW(model->targets, room * model->stride);
  GROW(model->sample_features, room * model->config->psi_size);
  model->sample_room = (uint32_t)room;
  return SFNEC_OK;
}

sfnec_status sfnec_model_reserve_blocks(sfnec_model *model, size_t count) {
  if (count <= model->block_room) return SFNEC_OK;
  const size_t room = round_up(count, 16);
  GROW(model->blocks, room * SFNEC_ROW_PARTS);
  GROW(model->block_features, room * SFNEC_ROW_PARTS * model->config->psi_size);
  model->block_room = (uint32_t)room;
  return SFNEC_OK;
}

sfnec_status sfnec_model_reserve(sfnec_model *model, uint32_t places, uint32_t samples, uint32_t blocks) {
  sfnec_status status = reserve_places(model, places);
  if (!status) status = reserve_samples(model, samples);
  return status ? status : sfnec_model_reserve_blocks(model, blocks);
}

// Some rows of a place are to be made anew.
static void enqueue(sfnec_model *model, uint32_t place) {
  sfnec_place *at = &model->places[place];
  if (at->queued || at->terminal) return;
  at->queued = true;
  model->queue[model->queued++] = place;
}

static void mark_place(sfnec_model *model, uint32_t place) {
  const size_t actions = (size_t)model->config->action_count;
  for (size_t a = 0; a < actions; a++) model->rows[place * actions + a].dirty = true;
  enqueue(model, place);
}

// Puts a place into the list of a neighbour, if it is among the nearest.
static void introduce(sfnec_place *neighbour, uint32_t place, float squared) {
  uint32_t i = neighbour->neighbour_count;
  if (i == SFNEC_PLACE_NEIGHBOURS) {
    if (squared >= neighbour->distances[--i]) return;
  } else {
    neighbour->neighbour_count++;
  }
  for (; i > 0 && neighbour->distances[i - 1] > squared; i--) {
    neighbour->distances[i] = neighbour->distances[i - 1];
    neighbour->neighbours[i] = neighbour->neighbours[i - 1];
  }
  neighbour->distances[i] = squared;
  neighbour->neighbours[i] = place;
  const uint32_t below = ((uint32_t)1 << i) - 1; // the bits behind move up
  neighbour->barred = (neighbour->barred & below) | (neighbour->barred & ~below) << 1;
}

static sfnec_status add_place(sfnec_model *model, const float *key, bool terminal, uint32_t *out) {
  sfnec_status status = reserve_places(model, model->place_count + 1);
  sfnec_neighbour near[SFNEC_PLACE_NEIGHBOURS];
  const uint32_t found = model->index->ops->search(model->index, model->search, key, SFNEC_PLACE_NEIGHBOURS, near);
  uint32_t slot = 0;
  if (!status) status = model->index->ops->insert(model->index, key, &slot);
  if (status) return status;
  const uint32_t p = model->place_count++;
  const size_t actions = (size_t)model->config->action_count;
  memcpy(model->keys + p * model->stride, key, model->stride * sizeof *key);
  sfnec_place *place = &model->places[p];
  *place = (sfnec_place){.terminal = terminal, .neighbour_count = found};
  const float zone = fmaxf(1.5f * model->step, 2.0f * model->radius);
  for (uint32_t i = 0; i < found; i++) {
    place->neighbours[i] = near[i].slot;
    place->distances[i] = near[i].squared;
    introduce(&model->places[near[i].slot], p, near[i].squared);
    if (near[i].squared < zone * zone) mark_place(model, near[i].slot);
  }
  for (size_t a = 0; a < actions; a++) {
    model->cells[p * actions + a] = SFNEC_NONE;
    model->filled[p * actions + a] = 0;
    model->rows[p * actions + a] = (sfnec_row){.block = SFNEC_NONE, .distance = INFINITY, .dirty = true};
  }
  model->version++;
  *out = p;
  return SFNEC_OK;
}

uint32_t sfnec_model_nearest(const sfnec_model *model, sfnec_index_scratch *search, const float *key, float *squared) {
  sfnec_neighbour near[4];
  const uint32_t found = model->index->ops->search(model->index, search, key, 4, near);
  for (uint32_t i = 0; i < found; i++) {
    if (model->places[near[i].slot].terminal) continue;
    *squared = near[i].squared;
    return near[i].slot;
  }
  *squared = found ? near[0].squared : INFINITY;
  return found ? near[0].slot : SFNEC_NONE;
}

sfnec_status sfnec_model_place(sfnec_model *model, const float *key, bool terminal, uint32_t *place) {
  sfnec_neighbour near[4];
  const uint32_t found = model->index->ops->search(model->index, model->search, key, 4, near);
  const bool full = model->place_count >= (uint32_t)model->config->options.places;
  for (uint32_t i = 0; i < found; i++) {
    if (model->places[near[i].slot].terminal != terminal && !(full && i + 1 == found)) continue;
    if (near[i].squared > model->radius * model->radius && !full) break;
    *place = near[i].slot;
    model->places[*place].visits++;
    return SFNEC_OK;
  }
  return add_place(model, key, terminal, place);
}

sfnec_status sfnec_model_refine(sfnec_model *model, const float *key, float away, uint32_t *place) {
  float squared;
  sfnec_model_nearest(model, model->search, key, &squared);
  if (squared < away * away * model->step * model->step) return SFNEC_OK;
  if (model->place_count >= (uint32_t)model->config->options.places) return SFNEC_OK;
  return add_place(model, key, false, place);
}

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
  const float still = 1e-6f * model->step * model->step;
  const float longest = old > new ? old : new;
  const bool alike = (old < still) == (new < still) && moves <= 0.25f * longest;
  return (comparison){origins, moves, longest, alike};
}

// Adds counts up to a most, which sums of them stay below UINT32_MAX with.
static uint32_t sum_counts(uint32_t a, uint32_t b) {
  return a + b < SFNEC_COUNT_KNOWN ? a + b : SFNEC_COUNT_KNOWN;
}

// A feature as the model keeps it.
static float feature_of(const double *features, size_t i) {
  return sfnec_bounded(features[i], SFNEC_FEATURE_MOST);
}

// Moves the mean of a sample towards one more transition.
static void blend(sfnec_model *model, uint32_t s, const float *origin, const float *target, const double *features,
                  uint32_t count) {
  sfnec_sample *sample = &model->samples[s];
  sample->count = sum_counts(sample->count, count);
  const float rate = fmaxf((float)count / (float)sample->count, 0.02f);
  float *o = model->origins + s * model->stride, *t = model->targets + s * model->stride;
  for (size_t i = 0; i < model->key_size; i++) {
    o[i] += rate * (origin[i] - o[i]);
    t[i] += rate * (target[i] - t[i]);
  }
  float *f = model->sample_features + s * model->config->psi_size;
  const float features_rate = sample->forgotten ? 1.0f : rate;
  for (size_t i = 0; i < model->config->psi_size; i++) {
    f[i] += features_rate * (feature_of(features, i) - f[i]);
  }
  sample->forgotten = false;
}

void sfnec_model_forget_features(sfnec_model *model) {
  const size_t rows = (size_t)model->place_count * (size_t)model->config->action_count;
  for (uint32_t s = 0; s < model->sample_count; s++) model->samples[s].forgotten = true;
  for (size_t i = 0; i < model->sample_count * model->config->psi_size; i++) model->sample_features[i] = 0.0f;
  for (uint32_t e = 0; e < model->effect_room; e++) model->effect_seen[e] = 0;
  for (size_t i = 0; i < rows; i++) model->rows[i].dirty = true;
  for (uint32_t p = 0; p < model->place_count; p++) enqueue(model, p);
  sfnec_model_tidy(model, UINT32_MAX);
}

static void fill(sfnec_model *model, uint32_t s, const float *origin, const float *target, const double *features) {
  memcpy(model->origins + s * model->stride, origin, model->stride * sizeof *origin);
  memcpy(model->targets + s * model->stride, target, model->stride * sizeof *target);
  float *f = model->sample_features + s * model->config->psi_size;
  for (size_t i = 0; i < model->config->psi_size; i++) f[i] = feature_of(features, i);
}

static bool same_features(const sfnec_model *model, uint32_t s, const double *features) {
  const float *f = model->sample_features + s * model->config->psi_size;
  if (model->samples[s].forgotten) return true;
  for (size_t i = 0; i < model->config->psi_size; i++) {
    if (fabsf(f[i] - feature_of(features, i)) > 0.1f * model->greatest[i]) return false;
  }
  return true;
}

// Keeps a transition among the samples of a place and action. Says whether rows may look different now.
static sfnec_status keep(sfnec_model *model, const sfnec_sample *new, const float *origin, const float *target,
                         const double *features, bool *changed) {
  const size_t cell = (size_t) new->place *(size_t)model->config->action_count + new->action;
  uint32_t alike = SFNEC_NONE, rarest = SFNEC_NONE, commonest = SFNEC_NONE;
  float least = INFINITY;
  const float r2 = model->radius * model->radius;
  bool same_place = false;
  for (uint32_t s = model->cells[cell]; s != SFNEC_NONE; s = model->samples[s].sibling) {
    const sfnec_sample *sample = &model->samples[s];
    if (rarest == SFNEC_NONE || sample->count < model->samples[rarest].count) rarest = s;
    if (commonest == SFNEC_NONE || sample->count > model->samples[commonest].count) commonest = s;
    if (sample->terminated != new->terminated || sample->effect != new->effect) continue;
    if (new->effect != 0 && sample->before != new->before) continue;
    const comparison with = compare(model, s, origin, target);
    if (!with.alike || with.moves + with.origins >= least || !same_features(model, s, features)) continue;
    least = with.moves + with.origins;
    alike = s;
    same_place = with.origins <= 0.01f * r2 && least < 0.0625f * r2;
  }
  if (commonest != SFNEC_NONE) {
    model->repeats += 1.0;
    model->surprises +=
        model->samples[commonest].terminated != new->terminated || compare(model, commonest, origin, target).moves > r2;
  }
  const bool full = model->filled[cell] >= (uint8_t)model->config->options.samples;
  if (alike != SFNEC_NONE && (same_place || full)) {
    const uint32_t count = model->samples[alike].count;
    const bool forgotten = model->samples[alike].forgotten;
    blend(model, alike, origin, target, features, new->count);
    *changed = forgotten || ((count & (count - 1)) == 0);
    return SFNEC_OK;
  }
  *changed = true;
  if (full) {
    const uint32_t sibling = model->samples[rarest].sibling;
    model->samples[rarest] = *new;
    model->samples[rarest].sibling = sibling;
    fill(model, rarest, origin, target, features);
    return SFNEC_OK;
  }
  const sfnec_status status = reserve_samples(model, model->sample_count + 1);
  if (status) return status;
  const uint32_t s = model->sample_count++;
  model->samples[s] = *new;
  model->samples[s].sibling = model->cells[cell];
  model->cells[cell] = s;
  model->filled[cell]++;
  fill(model, s, origin, target, features);
  return SFNEC_OK;
}

// ---- transitions ----

static void widen_box(sfnec_model *model, const float *key) {
  for (size_t i = 0; i < model->key_size; i++) {
    model->low[i] = fminf(model->low[i], key[i]);
    model->high[i] = fmaxf(model->high[i], key[i]);
  }
}

// Keeps the mean features of an effect.
static sfnec_status note_effect(sfnec_model *model, uint32_t effect, const sfnec_model_transition *transition) {
  const size_t n = model->config->psi_size;
  if (effect >= model->effect_room) {
    const uint32_t room = 2 * effect + 16;
    GROW(model->effect_features, room * n);
    GROW(model->effect_seen, room);
    memset(model->effect_features + model->effect_room * n, 0, (room - model->effect_room) * n * sizeof(float));
    memset(model->effect_seen + model->effect_room, 0, (room - model->effect_room) * sizeof(uint32_t));
    model->effect_room = room;
  }
  model->effect_seen[effect] = sum_counts(model->effect_seen[effect], transition->count);
  const float rate = (float)transition->count / (float)model->effect_seen[effect];
  float *mean = model->effect_features + effect * n;
  for (size_t i = 0; i < n; i++) mean[i] += rate * (feature_of(transition->features, i) - mean[i]);
  return SFNEC_OK;
}

// Counts how many moves end exactly where a place is.
static void note_return(sfnec_model *model, const float *origin, const float *target) {
  if (memcmp(origin, target, model->key_size * sizeof *origin) == 0) return;
  float squared;
  sfnec_model_nearest(model, model->search, target, &squared);
  model->visits = 0.999 * model->visits + 1.0;
  model->returns = 0.999 * model->returns + (squared < 1e-6f * model->step * model->step);
}

static sfnec_status add(sfnec_model *model, const sfnec_model_transition *transition, uint32_t *here, uint32_t *next,
                        bool *changed) {
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
  sfnec_status status = sfnec_model_place(model, origin, false, &sample.place);
  if (!status) status = sfnec_model_place(model, target, transition->terminated, &sample.target);
  if (!status) status = read_context(model, transition, &sample);
  if (!status) status = keep(model, &sample, origin, target, transition->features, changed);
  if (status) return status;
  *here = sample.place;
  *next = sample.target;
  return sample.effect == 0 ? SFNEC_OK : note_effect(model, sample.effect, transition);
}

sfnec_status sfnec_model_add(sfnec_model *model, const sfnec_model_transition *transition, uint32_t *here,
                             uint32_t *next) {
  bool changed = false;
  sfnec_status status = add(model, transition, here, next, &changed);
  model->version++;
  if (status || !changed) return status;
  const sfnec_place *place = &model->places[*here];
  const size_t actions = (size_t)model->config->action_count;
  const float borrow = (float)model->config->options.borrow * model->step;
  for (uint32_t i = 0; i < place->neighbour_count && place->distances[i] < borrow * borrow; i++) {
    sfnec_row *row = &model->rows[place->neighbours[i] * actions + transition->action];
    if (sqrtf(place->distances[i]) - model->radius > row->reach) continue;
    row->dirty = true;
    enqueue(model, place->neighbours[i]);
  }
  model->rows[*here * actions + transition->action].dirty = true;
  return sfnec_model_make_rows(model, *here);
}

sfnec_status sfnec_model_tidy(sfnec_model *model, uint32_t most) {
  sfnec_status status = SFNEC_OK;
  while (model->queued > 0 && most > 0 && !status) {
    const uint32_t place = model->queue[--model->queued];
    model->places[place].queued = false;
    status = sfnec_model_make_rows(model, place);
    most--;
  }
  return status;
}

// ---- fitting ----

void sfnec_model_restore(const sfnec_model *model, const float *key, const float *context, float *observation) {
  const sfnec_scaling *scaling = &model->scaling;
  for (size_t i = 0; i < scaling->fast_count; i++) {
    const uint32_t c = scaling->fast[i];
    const float exact = scaling->scale[c] > 0.0f ? key[i] / scaling->scale[c] : scaling->components[c].low;
    observation[c] = sfnec_bounded((double)exact, FLT_MAX);
  }
  for (size_t i = 0; i < scaling->slow_count; i++) observation[scaling->slow[i]] = context[i];
}

// The observation of a key and a context, after an effect.
static void restore(const sfnec_model *model, const float *key, uint32_t context, uint32_t effect, float *observation) {
  const sfnec_scaling *scaling = &model->scaling;
  sfnec_model_restore(model, key, sfnec_tuples_at(&model->contexts, context), observation);
  const float *set = sfnec_tuples_at(&model->effects, effect);
  for (size_t i = 0; i < scaling->slow_count; i++) {
    if (set[i] != ANY) observation[scaling->slow[i]] = set[i];
  }
}

void sfnec_model_origin(const sfnec_model *model, uint32_t sample, float *observation) {
  restore(model, model->origins + sample * model->stride, model->samples[sample].before, 0, observation);
}

// Transitions, with their arrays.
typedef struct history {
  size_t count;
  float *before, *after;
  double *features;
  sfnec_model_transition *items;
} history;

static void history_clear(history *all) {
  free(all->before), free(all->after), free(all->features), free(all->items);
}

// All that the model knows as plain transitions, and some more.
static sfnec_status gather(const sfnec_model *model, const sfnec_model_transition *more, size_t count, history *all) {
  const size_t d = model->config->observation_size, n = model->config->psi_size;
  const size_t total = model->sample_count + count;
  *all = (history){.count = total};
  all->before = malloc((total * d + 1) * sizeof(float));
  all->after = malloc((total * d + 1) * sizeof(float));
  all->features = malloc((total * n + 1) * sizeof(double));
  all->items = malloc((total + 1) * sizeof *all->items);
  if (!all->before || !all->after || !all->features || !all->items) {
    history_clear(all);
    return sfnec_fail_memory("a model");
  }
  for (size_t t = 0; t < total; t++) {
    float *b = all->before + t * d, *a = all->after + t * d;
    double *f = all->features + t * n;
    if (t < count) {
      all->items[t] = more[t];
      memcpy(b, more[t].before, d * sizeof *b);
      memcpy(a, more[t].after, d * sizeof *a);
      memcpy(f, more[t].features, n * sizeof *f);
    } else {
      const size_t s = t - count;
      const sfnec_sample *sample = &model->samples[s];
      all->items[t] =
          (sfnec_model_transition){.action = sample->action, .count = sample->count, .terminated = sample->terminated};
      restore(model, model->origins + s * model->stride, sample->before, 0, b);
      restore(model, model->targets + s * model->stride, sample->before, sample->effect, a);
      for (size_t i = 0; i < n; i++) f[i] = (double)model->sample_features[s * n + i];
    }
    all->items[t].before = b;
    all->items[t].after = a;
    all->items[t].features = f;
  }
  return SFNEC_OK;
}

static int compare_floats(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// The median length of the moves.
static sfnec_status measure(sfnec_model *model, const history *all) {
  float *lengths = malloc((all->count + 1) * sizeof *lengths);
  if (!lengths) return sfnec_fail_memory("a model");
  size_t count = 0;
  for (size_t t = 0; t < all->count; t++) {
    float sum = 0.0f;
    for (size_t i = 0; i < model->scaling.fast_count; i++) {
      const uint32_t c = model->scaling.fast[i];
      const float exact = (all->items[t].after[c] - all->items[t].before[c]) * model->scaling.scale[c];
      const float move = sfnec_bounded((double)exact, SFNEC_KEY_MOST);
      sum += move * move;
    }
    if (sum > 1e-12f) lengths[count++] = sqrtf(sum);
  }
  qsort(lengths, count, sizeof *lengths, compare_floats);
  model->step = count ? lengths[count / 2] : 1.0f;
  free(lengths);
  return SFNEC_OK;
}

sfnec_status sfnec_model_prepare(sfnec_model *model) {
  const sfnec_scaling *scaling = &model->scaling;
  model->key_size = scaling->fast_count;
  model->stride = (model->key_size + SFNEC_SIMD_LANES - 1) / SFNEC_SIMD_LANES * SFNEC_SIMD_LANES;
  sfnec_tuples_init(&model->contexts, scaling->slow_count);
  sfnec_tuples_init(&model->effects, scaling->slow_count);
  const bool fast = model->config->options.index == SFNEC_INDEX_FAST;
  const sfnec_status status = sfnec_index_create(fast ? SFNEC_INDEX_KIND_FAST : SFNEC_INDEX_KIND_FLAT,
                                                 model->config->simd, model->stride, &model->index);
  if (status) return status;
  model->low = malloc(model->stride * sizeof(float));
  model->high = malloc(model->stride * sizeof(float));
  model->key = calloc(model->stride, sizeof(float));
  model->goal = calloc(model->stride, sizeof(float));
  model->tuple = calloc(scaling->slow_count + 1, sizeof(float));
  if (!model->low || !model->high || !model->key || !model->goal || !model->tuple) return sfnec_fail_memory("a model");
  for (size_t i = 0; i < model->stride; i++) {
    model->low[i] = i < model->key_size ? INFINITY : 0.0f;
    model->high[i] = i < model->key_size ? -INFINITY : 0.0f;
  }
  for (size_t i = 0; i < scaling->slow_count; i++) model->tuple[i] = ANY;
  uint32_t zero; // the effect that is none
  return sfnec_tuples_add(&model->effects, model->tuple, &zero);
}

sfnec_status sfnec_model_fit(sfnec_model *model, const sfnec_model_transition *transitions, size_t count) {
  history all;
  sfnec_status status = gather(model, transitions, count, &all);
  if (status) return status;
  empty(model);
  const bool contexts = model->config->options.contexts && !model->contexts_off;
  // the first observations of transitions; the last ones follow in others, but for the ends of episodes
  status = sfnec_scaling_fit(&model->scaling, contexts, all.before, all.count);
  if (!status) status = measure(model, &all);
  if (!status) {
    sfnec_scaling_widen(&model->scaling, model->step);
    model->radius = (model->scaling.exact ? 1e-3f : fmaxf((float)model->config->options.radius, 1e-3f)) * model->step;
    status = sfnec_model_prepare(model);
  }
  for (size_t t = 0; t < all.count && !status; t++) {
    uint32_t here, next;
    bool changed;
    status = add(model, &all.items[t], &here, &next, &changed);
  }
  history_clear(&all);
  for (uint32_t p = 0; p < model->place_count && !status; p++) status = sfnec_model_make_rows(model, p);
  while (model->queued > 0) model->places[model->queue[--model->queued]].queued = false;
  model->fitted = !status;
  model->version++;
  return status;
}
