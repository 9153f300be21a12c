// plan_points.c: the points of a sweep: all combinations, or points drawn at random.
//
// A random point depends on random.seed, its number, the order of the keys, and on nothing else but that a point drawn
// twice is drawn again; so a greater count keeps the points that there were. All arithmetic is exactly rounded, so the
// points are the same on every machine.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/math.h"
#include "base/text.h"
#include "study/plan/plan_parts.h"

static sfnec_status refuse(const sfnec_spec *spec, int line, const char *key, const char *reason) {
  const sfnec_source source = {spec->arena, spec->path};
  return sfnec_source_refuse(&source, line, key, "%s", reason);
}

// ---- all combinations ----

static sfnec_status make_grid(const sfnec_spec *spec, const sfnec_axes *axes, sfnec_arena *arena,
                              sfnec_points *points) {
  size_t count = 1;
  for (size_t i = 0; i < axes->count; i++) {
    count *= axes->items[i].count;
    if (count > SFNEC_MOST_JOBS) return refuse(spec, axes->items[i].line, "sweep", "these are more than 100000 points");
  }
  points->count = count;
  points->items = sfnec_arena_alloc(arena, count, sizeof *points->items);
  if (!points->items) return sfnec_fail_memory("a plan");
  for (size_t p = 0; p < count; p++) {
    sfnec_setting *items = sfnec_arena_alloc(arena, axes->count, sizeof *items);
    if (!items) return sfnec_fail_memory("a plan");
    size_t rest = p;
    for (size_t i = axes->count; i-- > 0;) {
      const sfnec_axis *axis = &axes->items[i];
      items[i] = (sfnec_setting){axis->key, axis->values[rest % axis->count], axis->lines[rest % axis->count]};
      rest /= axis->count;
    }
    points->items[p] = (sfnec_settings){items, axes->count};
  }
  return SFNEC_OK;
}

// ---- drawn at random ----

static double clamp(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

// four significant digits: a name that can be read, and far finer than any sweep
static double shorten(double value) {
  const double size = fabs(value);
  if (size < 1e-290) return value;
  double unit = 1; // a power of ten with 1000 <= size / unit < 10000, or its inverse below 1
  int exponent = 0;
  for (; size / unit >= 10000; exponent++) unit *= 10;
  for (; size * unit < 1000 && exponent <= 0; exponent--) unit *= 10;
  const double digits = floor((exponent < 0 ? size * unit : size / unit) + 0.5);
  return copysign(exponent < 0 ? digits / unit : digits * unit, value);
}

static double draw(const sfnec_axis *axis, bool whole, double uniform) {
  // a whole number owns the interval up to the next one
  const double to = whole ? axis->to + 1 : axis->to;
  double value = axis->from + uniform * (to - axis->from);
  if (axis->log) value = sfnec_exp(sfnec_log(axis->from) + uniform * (sfnec_log(to) - sfnec_log(axis->from)));
  return clamp(whole ? floor(value) : shorten(value), axis->from, axis->to);
}

static const char *draw_value(const sfnec_axis *axis, bool whole, sfnec_random *random, sfnec_arena *arena) {
  const double uniform = sfnec_random_uniform(random);
  if (axis->count > 0) return axis->values[(size_t)(uniform * (double)axis->count)];
  const double value = draw(axis, whole, uniform);
  char text[32];
  if (whole) snprintf(text, sizeof text, "%lld", (long long)value);
  else sfnec_real_to_text(value, text, sizeof text);
  return sfnec_arena_copy(arena, text);
}

static bool same_point(const sfnec_settings *a, const sfnec_settings *b) {
  for (size_t i = 0; i < a->count; i++)
    if (strcmp(a->items[i].value, b->items[i].value) != 0) return false;
  return true;
}

// point number `p`, drawn for the `attempt`th time
static sfnec_status draw_point(const sfnec_spec *spec, const sfnec_axes *axes, size_t p, uint64_t attempt,
                               sfnec_arena *arena, sfnec_settings *point) {
  const sfnec_env_kind *kind = sfnec_env_kind_find(spec->env);
  sfnec_random random = sfnec_random_start(spec->random_seed, SFNEC_PURPOSE_STUDY);
  random.counter = (uint64_t)p << 32 | attempt << 16;
  for (size_t i = 0; i < axes->count; i++) {
    const sfnec_axis *axis = &axes->items[i];
    sfnec_key key = {0};
    const bool whole = sfnec_key_find(kind, axis->key, &key) && key.row.type == SFNEC_OPTION_INT;
    const char *value = draw_value(axis, whole, &random, arena);
    if (!value) return sfnec_fail_memory("a plan");
    point->items[i] = (sfnec_setting){axis->key, value, axis->line};
  }
  point->count = axes->count;
  return SFNEC_OK;
}

static sfnec_status make_random(const sfnec_spec *spec, const sfnec_axes *axes, sfnec_arena *arena,
                                sfnec_points *points) {
  enum { ATTEMPTS = 1000 };
  points->items = sfnec_arena_alloc(arena, spec->random_count, sizeof *points->items);
  if (!points->items) return sfnec_fail_memory("a plan");
  for (size_t p = 0; p < spec->random_count; p++) {
    sfnec_settings *point = &points->items[p];
    point->items = sfnec_arena_alloc(arena, axes->count, sizeof *point->items);
    if (!point->items) return sfnec_fail_memory("a plan");
    bool fresh = false;
    for (uint64_t attempt = 0; !fresh && attempt < ATTEMPTS; attempt++) {
      const sfnec_status status = draw_point(spec, axes, p, attempt, arena, point);
      if (status) return status;
      fresh = true;
      for (size_t other = 0; other < p && fresh; other++) fresh = !same_point(point, &points->items[other]);
    }
    if (!fresh) {
      char reason[128];
      snprintf(reason, sizeof reason, "the sweep does not have %u different points, but about %zu; use a smaller count",
               (unsigned)spec->random_count, p);
      return refuse(spec, axes->items[0].line, "random", reason);
    }
    points->count++;
  }
  return SFNEC_OK;
}

sfnec_status sfnec_points_make(const sfnec_spec *spec, const sfnec_spec_agent *agent, sfnec_arena *arena,
                               sfnec_points *points) {
  const sfnec_axes *axes = sfnec_spec_axes(spec, agent);
  *points = (sfnec_points){0};
  return spec->random && axes->count > 0 ? make_random(spec, axes, arena, points)
                                         : make_grid(spec, axes, arena, points);
}
