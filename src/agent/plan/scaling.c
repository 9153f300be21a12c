// scaling.c: see scaling.h.
#include "agent/plan/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { QUICK = 4 }; // transitions from a change to the next that is quick

sfnec_status sfnec_scaling_init(sfnec_scaling *scaling, size_t size) {
  *scaling = (sfnec_scaling){.size = size, .one_hot = size > 1};
  scaling->components = calloc(size, sizeof *scaling->components);
  scaling->fast = calloc(size, sizeof *scaling->fast);
  scaling->slow = calloc(size, sizeof *scaling->slow);
  scaling->scale = calloc(size, sizeof *scaling->scale);
  if (!scaling->components || !scaling->fast || !scaling->slow || !scaling->scale) {
    return sfnec_fail_memory("the scales of a model");
  }
  for (size_t i = 0; i < size; i++) {
    scaling->components[i].low = INFINITY;
    scaling->components[i].high = -INFINITY;
  }
  return SFNEC_OK;
}

void sfnec_scaling_clear(sfnec_scaling *scaling) {
  free(scaling->components);
  free(scaling->fast);
  free(scaling->slow);
  free(scaling->scale);
  *scaling = (sfnec_scaling){0};
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

static bool is_one_hot(const float *observation, size_t size) {
  size_t ones = 0;
  for (size_t i = 0; i < size; i++) {
    if (observation[i] != 0.0f && observation[i] != 1.0f) return false;
    ones += observation[i] == 1.0f;
  }
  return ones == 1;
}

void sfnec_scaling_see(sfnec_scaling *scaling, const float *before, const float *after) {
  bool moved = false;
  for (size_t i = 0; i < scaling->size; i++) {
    sfnec_component *component = &scaling->components[i];
    see_value(component, before[i]);
    see_value(component, after[i]);
    const double change = (double)after[i] - (double)before[i];
    if (change == 0.0) continue;
    moved = true;
    component->squares += change * change;
    // the first change after a long time is no quick one; the last of a quick series is
    component->quick += component->changes > 0 && scaling->seen - component->changed < QUICK;
    component->changed = scaling->seen;
    component->changes++;
  }
  scaling->seen++;
  scaling->one_hot = scaling->one_hot && is_one_hot(after, scaling->size);
  scaling->moves += moved;
}

// ---- fitting ----

// Changes in fewer than one of ten transitions in which anything does, and takes few values.
static bool is_rare(const sfnec_scaling *scaling, size_t i) {
  return scaling->components[i].changes * 10 < scaling->moves;
}

static bool is_slow(const sfnec_scaling *scaling, size_t i) {
  const sfnec_component *component = &scaling->components[i];
  return is_rare(scaling, i) && component->value_count <= SFNEC_SCALING_VALUES &&
         4 * component->quick <= component->changes;
}

// A world in which every component is slow has no places to be in: then all are fast.
static bool has_contexts(const sfnec_scaling *scaling, bool contexts) {
  if (!contexts || scaling->one_hot) return false;
  for (size_t i = 0; i < scaling->size; i++) {
    if (!is_slow(scaling, i)) return true;
  }
  return false;
}

static float fitted_scale(const sfnec_component *component) {
  const double range = (double)component->high - (double)component->low;
  if (!(range > 1e-9)) return 0.0f;
  const double step = component->changes ? sqrt(component->squares / (double)component->changes) : range;
  return (float)(1.0 / sqrt(range * fmin(fmax(step, 1e-4 * range), range)));
}

// Whether all that is fast takes two values only, and each rarely: cells of which one is lit. Then one is as far from
// the other as any.
static bool is_exact(const sfnec_scaling *scaling, bool split) {
  if (scaling->one_hot) return true;
  bool any = false;
  for (size_t i = 0; i < scaling->size; i++) {
    const sfnec_component *component = &scaling->components[i];
    if ((split && is_slow(scaling, i)) || component->changes == 0) continue;
    if (component->value_count != 2 || component->low != 0.0f || component->high != 1.0f) return false;
    any = true;
  }
  return any;
}

void sfnec_scaling_fit(sfnec_scaling *scaling, bool contexts) {
  const bool split = has_contexts(scaling, contexts);
  scaling->exact = is_exact(scaling, split);
  scaling->fast_count = scaling->slow_count = 0;
  for (size_t i = 0; i < scaling->size; i++) {
    const float scale = scaling->exact ? 1.0f : fitted_scale(&scaling->components[i]);
    scaling->scale[i] = 0.0f;
    if (split && is_slow(scaling, i)) {
      scaling->slow[scaling->slow_count++] = (uint32_t)i;
    } else {
      scaling->scale[i] = scale;
      scaling->fast[scaling->fast_count++] = (uint32_t)i;
    }
  }
}

bool sfnec_scaling_is_stale(const sfnec_scaling *scaling, bool contexts, bool all) {
  const bool split = has_contexts(scaling, contexts);
  if (scaling->exact && !is_exact(scaling, split)) return true;
  size_t slow = 0;
  for (size_t i = 0; i < scaling->size; i++) {
    const bool now = split && is_slow(scaling, i);
    const bool then = slow < scaling->slow_count && scaling->slow[slow] == i;
    if (then ? !now : now && all) return true;
    slow += then;
    if (!all || now || scaling->exact || is_rare(scaling, i)) continue;
    const float scale = fitted_scale(&scaling->components[i]);
    if (!(scale >= 0.8f * scaling->scale[i] && scale <= 1.25f * scaling->scale[i])) return true;
  }
  return false;
}

void sfnec_scaling_widen(sfnec_scaling *scaling, float step) {
  for (size_t i = 0; i < scaling->fast_count && !scaling->exact; i++) {
    const uint32_t c = scaling->fast[i];
    const sfnec_component *component = &scaling->components[c];
    if (scaling->scale[c] == 0.0f || component->changes == 0 || !is_rare(scaling, c)) continue;
    const double change = sqrt(component->squares / (double)component->changes);
    if (change * (double)scaling->scale[c] < (double)step) scaling->scale[c] = (float)((double)step / change);
  }
}
