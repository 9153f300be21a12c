// rows.c: what an action leads to, from the nearest samples of it; see model.h.
#include <math.h>
#include <string.h>

#include "agent/plan/model.h"

enum { DONORS = 12, VARIANTS = 4 };
static const float LEAVES = 0.25f; // steps beyond all that was seen

// ---- which samples ----

// The samples of a place, as far as there is space.
static uint32_t collect(const sfnec_model *model, uint32_t place, uint32_t action, uint32_t *samples, uint32_t count) {
  const size_t cell = (size_t)place * (size_t)model->config->action_count + action;
  for (uint32_t s = model->cells[cell]; s != SFNEC_NONE && count < SFNEC_SHARES; s = model->samples[s].sibling) {
    samples[count++] = s;
  }
  return count;
}

// Samples of an action around a place, the nearest to the key first.
static uint32_t find(const sfnec_model *model, const float *key, uint32_t near, uint32_t action,
                     sfnec_sample_share *found) {
  uint32_t samples[SFNEC_SHARES], count = collect(model, near, action, samples, 0);
  uint32_t donors = count > 0;
  const sfnec_place *place = &model->places[near];
  const float reach = (float)model->config->options.borrow * model->step;
  for (uint32_t i = 0; i < place->neighbour_count && donors < DONORS && !model->scaling.exact; i++) {
    if (place->distances[i] > reach * reach) break;
    const uint32_t before = count;
    count = collect(model, place->neighbours[i], action, samples, count);
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
  const float exact = 1e-6f * model->step * model->step;
  uint32_t here = 0, seen = 0;
  while (here < count && found[here].squared < exact) seen += model->samples[found[here++].sample].count;
  if (here > 0 && (seen >= 5 || !sfnec_model_is_random(model))) return here;
  return count < k ? count : k;
}

// ---- barriers ----

// Whether a sample shows that an action does nothing.
static bool is_still(const sfnec_model *model, uint32_t s) {
  if (model->samples[s].terminated || model->samples[s].effect != 0) return false;
  float length;
  model->config->simd->squared_distances(model->origins + s * model->stride, model->targets + s * model->stride,
                                         model->stride, 1, model->stride, &length);
  return length < 1e-6f * model->step * model->step;
}

// Bars the neighbours of a place that lie where a move would lead.
static void bar(sfnec_model *model, sfnec_place *place, uint32_t p, uint32_t mover) {
  const float *origin = model->origins + mover * model->stride, *target = model->targets + mover * model->stride;
  const float *here = model->keys + p * model->stride;
  const float reach = 1.5f * model->step;
  for (uint32_t i = 0; i < place->neighbour_count && place->distances[i] < reach * reach; i++) {
    const float *there = model->keys + place->neighbours[i] * model->stride;
    float along = 0.0f, length = 0.0f;
    for (size_t c = 0; c < model->key_size; c++) {
      along += (there[c] - here[c]) * (target[c] - origin[c]);
      length += (target[c] - origin[c]) * (target[c] - origin[c]);
    }
    if (along > 0.0f && along * along > 0.4f * length * place->distances[i]) place->barred |= (uint32_t)1 << i;
  }
}

// Looks for barriers around a place: actions that are blocked here but lead somewhere from next to it.
static void find_barriers(sfnec_model *model, uint32_t p) {
  sfnec_place *place = &model->places[p];
  place->barred = 0;
  for (uint32_t a = 0; a < (uint32_t)model->config->action_count && !model->scaling.exact; a++) {
    uint32_t still = 0, moving = 0;
    for (uint32_t s = model->cells[(size_t)p * (size_t)model->config->action_count + a]; s != SFNEC_NONE;
         s = model->samples[s].sibling) {
      *(is_still(model, s) ? &still : &moving) += model->samples[s].count;
    }
    if (still <= moving) continue;
    sfnec_sample_share found[SFNEC_SHARES];
    const uint32_t count = find(model, model->keys + p * model->stride, p, a, found);
    for (uint32_t i = 0; i < count; i++) {
      const sfnec_sample *sample = &model->samples[found[i].sample];
      if (sample->terminated || is_still(model, found[i].sample)) continue;
      bar(model, place, p, found[i].sample);
      break;
    }
  }
}

// ---- where they lead ----

// Adds a share of a place.
static void spread_to(sfnec_part *part, uint32_t place, float share) {
  uint32_t least = 0;
  for (uint32_t i = 0; i < part->count; i++) {
    if (part->places[i] == place) {
      part->shares[i] += share;
      return;
    }
    if (part->shares[i] < part->shares[least]) least = i;
  }
  if (part->count < SFNEC_PART_PLACES) {
    part->places[part->count] = place;
    part->shares[part->count++] = share;
    return;
  }
  // too many: the least one's share goes to the new one, or the other way round
  if (share > part->shares[least]) part->places[least] = place;
  part->shares[least] += share;
}

// A question about what an action leads to from a key.
typedef struct question {
  const sfnec_model *model;
  const float *key;
  bool query;         // the state of the key takes part in its own value
  const float *here;  // what the trend says at the key; NULL: there is none
  float *goal;        // (stride): scratch
  sfnec_goals *goals; // where parts lead to; NULL: nobody asks
  sfnec_row *row;     // the answer
} question;

// Spreads a share over the places around the goal. `hint` is a place near it.
static void land(const question *asked, uint32_t hint, float share, sfnec_part *part) {
  const sfnec_model *model = asked->model;
  const float r2 = model->radius * model->radius;
  sfnec_blend around;
  sfnec_model_blend(model, asked->goal, hint, &around);
  float sum = 0.0f;
  for (uint32_t i = 0; i < around.count; i++) sum += 1.0f / around.away[i];
  if (asked->query && around.nearest > 1e-6f * r2) {
    float away;
    model->config->simd->squared_distances(asked->goal, asked->key, model->stride, 1, model->stride, &away);
    if (away < sfnec_model_there(model)) {
      part->self += share;
      return;
    }
    const float own = 1.0f / (away + sfnec_model_there(model));
    part->self += share * own / (sum + own);
    share -= share * own / (sum + own);
  }
  for (uint32_t i = 0; i < around.count; i++) spread_to(part, around.places[i], share / around.away[i] / sum);
}

// Adds what one sample does, made from the key, to a part. Says how far it would leave the box of all keys, squared.
static float follow(const question *asked, uint32_t s, float share, sfnec_part *part, float *features) {
  const sfnec_model *model = asked->model;
  const size_t n = model->config->psi_size;
  const sfnec_sample *sample = &model->samples[s];
  const float *own = model->sample_features + s * n;
  const float *origin = model->origins + s * model->stride, *target = model->targets + s * model->stride;
  const float *there = asked->here ? model->expected + s * model->trend.outputs : NULL; // at its origin
  for (size_t i = 0; i < n; i++) {
    float feature = own[i];
    if (there && !sample->terminated && !sample->forgotten) {
      feature += asked->here[model->key_size + i] - there[model->key_size + i];
      feature = fminf(fmaxf(feature, -model->greatest[i]), model->greatest[i]);
    }
    features[i] += share * feature;
  }
  float beyond = 0.0f;
  for (size_t i = 0; i < model->stride; i++) {
    const float move = target[i] - origin[i];
    const float end = asked->key[i] + (there && i < model->key_size ? move + (asked->here[i] - there[i]) : move);
    const float above = end > model->low[i] ? end : model->low[i];
    asked->goal[i] = above < model->high[i] ? above : model->high[i];
    beyond += (end - asked->goal[i]) * (end - asked->goal[i]);
  }
  if (sample->terminated) {
    part->terminal += share;
    return 0.0f;
  }
  land(asked, sample->target, share, part);
  return beyond;
}

// Whether the sample that ended nearest to where a part leads to on average ended the episode. Shares of ends would
// add up from step to step of a way that passes by them.
static bool ends_nearest(const question *asked, const sfnec_sample_share *group, uint32_t size, const sfnec_part *part,
                         const float *goal) {
  const sfnec_model *model = asked->model;
  float least = INFINITY;
  bool ends = false;
  for (uint32_t i = 0; i < size && part->terminal > 0.0f; i++) {
    const uint32_t s = group[i].sample;
    if (model->samples[s].effect != part->effect) continue;
    float squared;
    model->config->simd->squared_distances(goal, model->targets + s * model->stride, model->stride, 1, model->stride,
                                           &squared);
    if (squared < least) {
      least = squared;
      ends = model->samples[s].terminated;
    }
  }
  return ends;
}

// ---- what they do to the context ----

bool sfnec_row_agrees(const sfnec_model *model, const sfnec_row *row, uint32_t a, uint32_t b) {
  if (row->whole) return a == b;
  const float *x = sfnec_tuples_at(&model->contexts, a), *y = sfnec_tuples_at(&model->contexts, b);
  for (uint32_t i = 0; i < row->relevant_count; i++) {
    if (x[row->relevant[i]] != y[row->relevant[i]]) return false;
  }
  return true;
}

static float weigh(const sfnec_model *model, const sfnec_sample_share *c) {
  const float near = 0.05f * model->radius;
  return (float)model->samples[c->sample].count / (c->squared + near * near);
}

// The parts of the samples of one variant: one for each effect.
static uint32_t make_variant(const question *asked, const sfnec_sample_share *group, uint32_t size, uint32_t variant,
                             sfnec_part *parts, float *features, uint32_t part_count) {
  const sfnec_model *model = asked->model;
  const size_t n = model->config->psi_size;
  const uint32_t first = part_count;
  float total = 0.0f;
  for (uint32_t i = 0; i < size; i++) total += weigh(model, &group[i]);
  for (uint32_t i = 0; i < size; i++) {
    const sfnec_sample *sample = &model->samples[group[i].sample];
    const float share = weigh(model, &group[i]) / total;
    uint32_t p = first;
    while (p < part_count && parts[p].effect != sample->effect) p++;
    if (p == part_count) {
      if (part_count == SFNEC_ROW_PARTS) continue;
      parts[part_count++] = (sfnec_part){.before = sample->before, .effect = sample->effect, .variant = variant};
      memset(features + p * n, 0, n * sizeof *features);
      if (asked->goals) memset(asked->goals->keys + p * model->stride, 0, model->stride * sizeof(float));
    }
    parts[p].weight += share;
    const float beyond = follow(asked, group[i].sample, share, &parts[p], features + p * n);
    asked->row->leaves |= beyond > LEAVES * LEAVES * model->step * model->step;
    for (size_t c = 0; asked->goals && c < model->stride; c++) {
      asked->goals->keys[p * model->stride + c] += share * asked->goal[c];
    }
  }
  for (uint32_t p = first; p < part_count; p++) { // within a part shares add up to 1
    const float scale = 1.0f / parts[p].weight;
    parts[p].terminal *= scale, parts[p].self *= scale;
    for (uint32_t i = 0; i < parts[p].count; i++) parts[p].shares[i] *= scale;
    for (size_t i = 0; i < n; i++) features[p * n + i] *= scale;
    if (!asked->goals) continue;
    float *goal = asked->goals->keys + p * model->stride;
    for (size_t c = 0; c < model->stride; c++) goal[c] *= scale;
    asked->goals->ends[p] = ends_nearest(asked, group, size, &parts[p], goal);
  }
  return part_count;
}

// Splits the found samples by the contexts they were seen in, where that matters.
static uint32_t make_variants(const question *asked, const sfnec_sample_share *found, uint32_t count, uint32_t used,
                              sfnec_part *parts, float *features) {
  const sfnec_model *model = asked->model;
  const uint32_t k = (uint32_t)model->config->options.neighbours;
  // beyond the nearest, others count that are about as near and were seen in another context
  const float limit = fmaxf(4.0f * found[used - 1].squared, model->radius * model->radius);
  bool taken[SFNEC_SHARES] = {false};
  uint32_t part_count = 0;
  for (uint32_t variant = 0; variant < VARIANTS; variant++) {
    sfnec_sample_share group[SFNEC_SHARES];
    uint32_t size = 0, lead = 0;
    for (uint32_t i = 0; i < count && (i < used || found[i].squared <= limit); i++) {
      if (taken[i]) continue;
      const uint32_t before = model->samples[found[i].sample].before;
      if (size > 0 && !sfnec_row_agrees(model, asked->row, before, lead)) continue;
      if (size == 0) lead = before;
      taken[i] = true;
      if (size < k) group[size++] = found[i];
    }
    if (size == 0) break;
    part_count = make_variant(asked, group, size, variant, parts, features, part_count);
  }
  return part_count;
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

// ---- rows ----

static void mark_relevant(sfnec_row *row, uint32_t component) {
  for (uint32_t i = 0; i < row->relevant_count; i++) {
    if (row->relevant[i] == component) return;
  }
  if (row->relevant_count < SFNEC_ROW_RELEVANT) row->relevant[row->relevant_count++] = component;
}

static void add_relevant(const sfnec_model *model, uint32_t effect, sfnec_row *row) {
  for (uint32_t c = 0; effect != 0 && c < model->contexts.size; c++) {
    if (sfnec_effect_touches(model, effect, c)) mark_relevant(row, c);
  }
}

// Whether two samples that began in the same state, but for the context, went different ways.
static bool differ(const sfnec_model *model, uint32_t a, uint32_t b) {
  const sfnec_sample *x = &model->samples[a], *y = &model->samples[b];
  const size_t n = model->config->psi_size;
  const float *xo = model->origins + a * model->stride, *yo = model->origins + b * model->stride;
  const float *xt = model->targets + a * model->stride, *yt = model->targets + b * model->stride;
  float away = 0.0f, turn = 0.0f;
  for (size_t i = 0; i < model->stride; i++) {
    away += (xo[i] - yo[i]) * (xo[i] - yo[i]);
    turn += (xt[i] - yt[i]) * (xt[i] - yt[i]);
  }
  if (away > 0.01f * model->radius * model->radius) return false;
  if (x->terminated != y->terminated || turn > 0.25f * model->step * model->step) return true;
  for (size_t i = 0; i < n; i++) {
    const float *f = model->sample_features;
    if (fabsf(f[a * n + i] - f[b * n + i]) > 0.1f * model->greatest[i]) return true;
  }
  return false;
}

// Whether a context has seen both what a sample shows and something else: then chance has a part in it.
static bool goes_both_ways(const sfnec_model *model, const sfnec_sample_share *found, uint32_t count, uint32_t context,
                           uint32_t sample) {
  bool alike = false, otherwise = false;
  for (uint32_t i = 0; i < count; i++) {
    if (model->samples[found[i].sample].before != context) continue;
    *(differ(model, found[i].sample, sample) ? &otherwise : &alike) = true;
  }
  return alike && otherwise;
}

// Whether chance explains on a lattice why one of two samples of different contexts was an end and the other was not: a
// context has seen both; or, in a world that has surprised, one of them was seen once or twice and there is little
// else.
static bool is_chance(const sfnec_model *model, const sfnec_sample_share *found, uint32_t count, uint32_t a,
                      uint32_t b) {
  enum { FEW = 3, MUCH = 30 };
  const sfnec_sample *x = &model->samples[a], *y = &model->samples[b];
  if (x->terminated == y->terminated) return false;
  const bool few = (x->count < FEW || y->count < FEW) && x->count < MUCH && y->count < MUCH;
  return (few && model->surprises > 0.0) || goes_both_ways(model, found, count, x->before, b) ||
         goes_both_ways(model, found, count, y->before, a);
}

// Components of the context in which samples differ that went different ways.
static void add_differences(const sfnec_model *model, const sfnec_sample_share *found, uint32_t count, uint32_t a,
                            uint32_t b, sfnec_row *row) {
  const uint32_t before = model->samples[a].before, other = model->samples[b].before;
  if (before == other || !differ(model, a, b)) return;
  if (sfnec_model_is_lattice(model)) {
    // what tells them apart already is the reason
    if (!sfnec_row_agrees(model, row, before, other) || is_chance(model, found, count, a, b)) return;
  }
  const float *x = sfnec_tuples_at(&model->contexts, before), *y = sfnec_tuples_at(&model->contexts, other);
  for (uint32_t c = 0; c < model->contexts.size; c++) {
    if (x[c] != y[c]) mark_relevant(row, c);
  }
}

void sfnec_model_ask(const sfnec_model *model, const float *key, uint32_t near, uint32_t action, bool query,
                     float *goal, sfnec_row *row, sfnec_part *parts, float *features, sfnec_goals *goals) {
  sfnec_sample_share found[SFNEC_SHARES];
  const uint32_t count = find(model, key, near, action, found);
  *row = (sfnec_row){.block = SFNEC_NONE, .distance = INFINITY, .reach = INFINITY};
  if (count == 0) return;
  const uint32_t used = cut(model, found, count);
  row->distance = sqrtf(found[0].squared) / model->step;
  row->reach = used < (uint32_t)model->config->options.neighbours ? INFINITY : sqrtf(found[used - 1].squared);
  for (uint32_t i = 0; i < used; i++) {
    row->seen += (float)model->samples[found[i].sample].count;
    row->forgotten += model->samples[found[i].sample].forgotten ? 1.0f / (float)used : 0.0f;
    add_relevant(model, model->samples[found[i].sample].effect, row);
  }
  for (uint32_t i = 0; i < used && model->contexts.size > 0; i++) {
    for (uint32_t j = 0; j < i; j++) add_differences(model, found, used, found[i].sample, found[j].sample, row);
  }
  // an end may be another one in another context: a few are tried
  row->whole = sfnec_model_is_lattice(model) && model->contexts.size > 0 && used < VARIANTS;
  for (uint32_t i = 0; i < used; i++) row->whole &= model->samples[found[i].sample].terminated;
  float here[SFNEC_TREND_OUTPUTS];
  const bool trend = model->trend.terms > 0;
  if (trend) sfnec_trend_at(&model->trend, action, key, here);
  question asked = {
      .model = model, .key = key, .query = query, .here = trend ? here : NULL, .goals = goals, .row = row};
  asked.goal = goal;
  if (sfnec_row_depends(row)) {
    row->part_count = make_variants(&asked, found, count, used, parts, features);
  } else {
    row->part_count = make_variant(&asked, found, used, 0, parts, features, 0);
  }
}

// A block of parts of its own for a row.
static sfnec_status take_block(sfnec_model *model, sfnec_row *row) {
  if (row->block != SFNEC_NONE) return SFNEC_OK;
  const sfnec_status status = sfnec_model_reserve_blocks(model, model->block_count + 1);
  if (!status) row->block = model->block_count++;
  return status;
}

sfnec_status sfnec_model_make_rows(sfnec_model *model, uint32_t place) {
  if (model->places[place].terminal) return SFNEC_OK;
  const size_t actions = (size_t)model->config->action_count, n = model->config->psi_size;
  find_barriers(model, place);
  for (uint32_t a = 0; a < actions; a++) {
    const size_t at = place * actions + a;
    sfnec_row *row = &model->rows[at], new;
    if (!row->dirty) continue;
    sfnec_part parts[SFNEC_ROW_PARTS];
    float *features = model->row_features;
    sfnec_model_ask(model, model->keys + place * model->stride, place, a, false, model->goal, &new, parts, features,
                    NULL);
    new.version = row->version + 1;
    new.block = row->block;
    const bool plain = new.part_count <= 1 && (new.part_count == 0 || parts[0].effect == 0);
    const sfnec_status status = plain && row->block == SFNEC_NONE ? SFNEC_OK : take_block(model, &new);
    if (status) return status;
    *row = new;
    model->remade++;
    const size_t first = new.block == SFNEC_NONE ? at : (size_t) new.block *SFNEC_ROW_PARTS;
    sfnec_part *to = new.block == SFNEC_NONE ? model->plain : model->blocks;
    float *to_features = new.block == SFNEC_NONE ? model->features : model->block_features;
    memcpy(to + first, parts, new.part_count * sizeof *parts);
    memcpy(to_features + first * n, features, new.part_count *n * sizeof *features);
  }
  model->version++;
  return SFNEC_OK;
}
