// scaling.c: see scaling.h.
#include "agent/plan/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"

sfnec_status sfnec_scaling_init(sfnec_scaling *scaling, size_t size) {
  *scaling = (sfnec_scaling){.size = size, .one_hot = size > 1};
  scaling->components = calloc(size, sizeof *scaling->components);
  scaling->fast = calloc(size, sizeof *scaling->fast);
  scaling->slow = calloc(size, sizeof *scaling->slow);
  scaling->scale = calloc(size, sizeof *scaling->scale);
  if (!scaling->components || !scaling->fast || !scaling->slow || !scaling->scale) {
    return sfnec_fail_memory("the scales of a model");
  }
  for (size_t i = 0; i < size; i++) scaling->components[i] = (sfnec_component){.low = INFINITY, .high = -INFINITY};
  return SFNEC_OK;
}

sfnec_status sfnec_scaling_copy(sfnec_scaling *to, const sfnec_scaling *from) {
  if (from->readings && !to->readings) to->readings = calloc(to->size, sizeof *to->readings);
  if (from->readings && !to->readings) return sfnec_fail_memory("the scales of a model");
  if (from->readings) memcpy(to->readings, from->readings, to->size * sizeof *to->readings);
  memcpy(to->components, from->components, to->size * sizeof *to->components);
  to->moves = from->moves;
  to->seen = from->seen;
  to->one_hot = from->one_hot;
  return SFNEC_OK;
}

void sfnec_scaling_swap_seen(sfnec_scaling *a, sfnec_scaling *b) {
  const sfnec_scaling was = *a;
  a->components = b->components, a->moves = b->moves, a->seen = b->seen, a->one_hot = b->one_hot;
  b->components = was.components, b->moves = was.moves, b->seen = was.seen, b->one_hot = was.one_hot;
}

void sfnec_scaling_clear(sfnec_scaling *scaling) {
  free(scaling->components);
  free(scaling->readings);
  free(scaling->fast);
  free(scaling->slow);
  free(scaling->scale);
  *scaling = (sfnec_scaling){0};
}

// ---- reading ----

float sfnec_scaling_read(const sfnec_scaling *scaling, const float *observation, size_t component) {
  if (!scaling->readings) return observation[component];
  const sfnec_reading *reading = &scaling->readings[component];
  if (reading->dropped) return 0.0f;
  if (reading->level_count == 0) return observation[component];
  return sfnec_quantise(observation[component], reading->levels, reading->level_count);
}

// ---- seeing ----

static void see_value(sfnec_component *component, float value) {
  component->low = fminf(component->low, value);
  component->high = fmaxf(component->high, value);
  if (component->value_count > SFNEC_SCALING_VALUES) return;
  for (size_t i = 0; i < component->value_count; i++) {
    if (component->values[i] == value) return;
  }
  if (component->value_count < SFNEC_SCALING_VALUES) component->values[component->value_count] = value;
  component->value_count++;
}

static bool varies(const sfnec_component *component) {
  return component->high > component->low;
}

// Whether at most one of the components that ever vary is set, to 1.
static bool is_one_hot(const sfnec_scaling *scaling, const float *observation) {
  size_t ones = 0;
  for (size_t i = 0; i < scaling->size; i++) {
    const float value = sfnec_scaling_read(scaling, observation, i);
    if (value == 0.0f || !varies(&scaling->components[i])) continue;
    if (value != 1.0f) return false;
    ones++;
  }
  return ones <= 1;
}

void sfnec_scaling_see(sfnec_scaling *scaling, const float *before, const float *after) {
  bool moved = false;
  const bool counts = scaling->seen < SFNEC_COUNT_MOST; // no count is greater than this one
  for (size_t i = 0; i < scaling->size; i++) {
    sfnec_component *component = &scaling->components[i];
    const float was = sfnec_scaling_read(scaling, before, i), is = sfnec_scaling_read(scaling, after, i);
    see_value(component, was);
    see_value(component, is);
    const double change = (double)is - (double)was;
    if (change == 0.0 || !counts) continue;
    moved = true;
    component->squares = fmin(component->squares + change * change, SFNEC_SQUARES_MOST);
    // the first change after a long time is no quick one; the last of a quick series is
    component->quick += component->changes > 0 && scaling->seen - component->changed < SFNEC_QUICK;
    component->changed = scaling->seen;
    component->changes++;
    component->rises += change > 0.0;
  }
  scaling->seen += counts;
  scaling->one_hot = scaling->one_hot && is_one_hot(scaling, after);
  bool lit = false;
  const bool cells = scaling->regime == SFNEC_REGIME_CELLS;
  for (size_t i = 0; i < scaling->fast_count && cells; i++) {
    lit |= sfnec_scaling_read(scaling, after, scaling->fast[i]) != 0.0f;
  }
  scaling->dark |= !lit;
  scaling->moves += moved;
}

// ---- reading otherwise ----

static bool reads_alike(const sfnec_reading *a, const sfnec_reading *b) {
  return a->dropped == b->dropped && a->level_count == b->level_count &&
         memcmp(a->levels, b->levels, a->level_count * sizeof *a->levels) == 0;
}

// What a component would be known by had all transitions been like those of a log.
static void extrapolate(const sfnec_component *logged, double times, int64_t seen, sfnec_component *component) {
  *component = *logged;
  component->squares *= times;
  component->changes = (int64_t)((double)logged->changes * times);
  component->rises = logged->rises == logged->changes ? component->changes : (int64_t)((double)logged->rises * times);
  component->quick = logged->quick == logged->changes ? component->changes : (int64_t)((double)logged->quick * times);
  component->changed = seen;
}

static void reread(sfnec_scaling *scaling, const sfnec_scaling *again, bool all) {
  const double times = again->seen ? (double)scaling->seen / (double)again->seen : 0.0;
  const sfnec_reading as_it_is = {0};
  scaling->moves = (int64_t)((double)again->moves * times);
  for (size_t i = 0; i < scaling->size; i++) {
    sfnec_component *component = &scaling->components[i];
    const sfnec_reading *before = scaling->readings ? &scaling->readings[i] : &as_it_is;
    if (all || !reads_alike(before, &again->readings[i])) {
      extrapolate(&again->components[i], times, scaling->seen, component);
    }
    if (component->changes > scaling->moves) scaling->moves = component->changes;
  }
  scaling->one_hot = again->one_hot;
}

sfnec_status sfnec_scaling_reread(sfnec_scaling *scaling, const sfnec_relevance *relevance,
                                  const sfnec_transition_log *log, const float *smoothed) {
  sfnec_scaling again;
  sfnec_status status = sfnec_scaling_init(&again, scaling->size);
  if (!status) again.readings = calloc(scaling->size, sizeof *again.readings);
  if (status || !again.readings) {
    sfnec_scaling_clear(&again);
    return sfnec_fail_memory("the scales of a model");
  }
  for (size_t i = 0; i < scaling->size; i++) {
    const sfnec_component_relevance *found = &relevance->components[i];
    again.readings[i].dropped = found->verdict == SFNEC_VERDICT_DROPPED;
    again.readings[i].level_count = again.readings[i].dropped ? 0 : (uint8_t)found->level_count;
    memcpy(again.readings[i].levels, found->levels, again.readings[i].level_count * sizeof *found->levels);
  }
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  for (const float *without = smoothed; sfnec_transition_log_next(log, &cursor, &row);) {
    sfnec_scaling_see(&again, without ? without : row.before, without ? without + scaling->size : row.after);
    if (without) without += 2 * scaling->size;
  }
  reread(scaling, &again, smoothed != NULL);
  free(scaling->readings);
  scaling->readings = again.readings;
  again.readings = NULL;
  sfnec_scaling_clear(&again);
  return SFNEC_OK;
}

// ---- fitting ----

// Changes in few of the transitions in which anything does.
static bool is_rare(const sfnec_scaling *scaling, size_t i) {
  const int64_t moves = scaling->moves; // divided and rounded up, as the product may overflow
  return scaling->components[i].changes < moves / SFNEC_RARE + (moves % SFNEC_RARE > 0);
}

// Takes few values, and keeps them: it changes one way only, or stays for long.
static bool is_slow(const sfnec_scaling *scaling, sfnec_slow kinds, size_t i) {
  const sfnec_component *component = &scaling->components[i];
  if (kinds == SFNEC_SLOW_FLAGS && component->value_count > 2 && component->changes > 0) return false;
  return is_rare(scaling, i) && component->value_count <= SFNEC_SCALING_VALUES &&
         (component->rises == 0 || component->rises == component->changes ||
          component->quick <= component->changes / SFNEC_SLOW_QUICK);
}

// A world in which every component is slow has no states to be in: then all are fast.
static bool has_contexts(const sfnec_scaling *scaling, sfnec_slow kinds) {
  if (kinds == SFNEC_SLOW_NONE || scaling->one_hot) return false;
  for (size_t i = 0; i < scaling->size; i++) {
    if (!is_slow(scaling, kinds, i)) return true;
  }
  return false;
}

static float fitted_scale(const sfnec_component *component) {
  const double range = (double)component->high - (double)component->low;
  if (!(range > SFNEC_RANGE_LEAST)) return 0.0f;
  const double step = component->changes ? sqrt(component->squares / (double)component->changes) : range;
  return (float)(1.0 / sqrt(range * fmin(fmax(step, SFNEC_CHANGE_LEAST * range), range)));
}

// Puts the components into the list of the slow ones or of the fast ones.
static void split(sfnec_scaling *scaling, const bool *slow) {
  scaling->fast_count = scaling->slow_count = 0;
  for (size_t i = 0; i < scaling->size; i++) {
    const bool is_fast = !slow[i];
    scaling->scale[i] = 0.0f;
    if (is_fast)
      scaling->scale[i] = scaling->regime == SFNEC_REGIME_CELLS ? 1.0f : fitted_scale(&scaling->components[i]);
    if (is_fast) {
      scaling->fast[scaling->fast_count++] = (uint32_t)i;
    } else {
      scaling->slow[scaling->slow_count++] = (uint32_t)i;
    }
  }
}

static bool is_binary(const sfnec_component *component) {
  return component->value_count <= 2 && component->low >= 0.0f && component->high <= 1.0f;
}

// How many fast components of an observation are lit; one that is lit always tells no cells apart.
static size_t count_lit(const sfnec_scaling *scaling, const bool *slow, const float *observation) {
  size_t lit = 0;
  for (size_t i = 0; i < scaling->size; i++) {
    const bool counts = !slow[i] && varies(&scaling->components[i]);
    lit += counts && sfnec_scaling_read(scaling, observation, i) != 0.0f;
  }
  return lit;
}

// Whether the fast components are cells of which at most one is lit: then one is as far from the other as any.
static bool are_cells(const sfnec_scaling *scaling, const bool *slow, const float *observations, size_t count) {
  for (size_t i = 0; i < scaling->size; i++) {
    const sfnec_component *component = &scaling->components[i];
    if (!slow[i] && varies(component) && !is_binary(component)) return false;
  }
  for (size_t t = 0; t < count; t++) {
    if (count_lit(scaling, slow, observations + t * scaling->size) > 1) return false;
  }
  return true;
}

// Cells that were entered too rarely to look fast: they are lit only when no other cell is.
static void find_cells(const sfnec_scaling *scaling, bool *slow, bool *beside, const float *observations,
                       size_t count) {
  memset(beside, 0, scaling->size * sizeof *beside);
  for (size_t t = 0; t < count; t++) {
    const float *observation = observations + t * scaling->size;
    const bool dark = count_lit(scaling, slow, observation) == 0;
    for (size_t i = 0; i < scaling->size && !dark; i++)
      beside[i] = beside[i] || sfnec_scaling_read(scaling, observation, i) != 0.0f;
  }
  for (size_t i = 0; i < scaling->size; i++) {
    const sfnec_component *component = &scaling->components[i];
    if (slow[i] && !beside[i] && is_binary(component) && varies(component)) slow[i] = false;
  }
}

sfnec_status sfnec_scaling_fit(sfnec_scaling *scaling, sfnec_slow kinds, bool repeats, bool may_be_cells,
                               const float *observations, size_t count) {
  bool *slow = calloc(2 * scaling->size, sizeof *slow);
  if (!slow) return sfnec_fail_memory("the scales of a model");
  const bool any = has_contexts(scaling, kinds);
  for (size_t i = 0; i < scaling->size; i++) slow[i] = any && is_slow(scaling, kinds, i);
  const bool cells = may_be_cells && scaling->size > 1 && are_cells(scaling, slow, observations, count);
  if (cells) find_cells(scaling, slow, slow + scaling->size, observations, count);
  scaling->regime = cells ? SFNEC_REGIME_CELLS : repeats ? SFNEC_REGIME_TABULAR : SFNEC_REGIME_CONTINUOUS;
  split(scaling, slow);
  scaling->dark = false;
  free(slow);
  return SFNEC_OK;
}

bool sfnec_scaling_is_stale(const sfnec_scaling *scaling, sfnec_slow kinds, bool all) {
  const bool any = has_contexts(scaling, kinds), cells = scaling->regime == SFNEC_REGIME_CELLS;
  if (cells && scaling->dark) return true;
  size_t slow = 0;
  for (size_t i = 0; i < scaling->size; i++) {
    const bool now = any && is_slow(scaling, kinds, i);
    const bool then = slow < scaling->slow_count && scaling->slow[slow] == i;
    if (then ? !now : now && all) return true;
    slow += then;
    const bool counts = then || now || cells || scaling->scale[i] != 0.0f;
    if (!counts && fitted_scale(&scaling->components[i]) > 0.0f) return true; // it was constant until now
    if (!all || now || cells || is_rare(scaling, i)) continue;
    const float scale = fitted_scale(&scaling->components[i]);
    if (!(scale >= SFNEC_SCALE_FELL * scaling->scale[i] && scale <= SFNEC_SCALE_GREW * scaling->scale[i])) return true;
  }
  return false;
}
