// heat.c: heat maps: of a sweep, per agent the two keys that matter most, each cell the mean over the points that have
// both values; and of evaluations of an agent under many reward weights.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "show/plot/curves.h"
#include "show/plot/sweep.h"

// ---- a frame ----

static void write_tics(const plotting *p, const char *which, const plot_axis *axis) {
  fprintf(p->script, "set %srange [0.5:%g]\nset %stics scale 0 (", which, (double)axis->count + 0.5, which);
  for (size_t i = 0; i < axis->count; i++) {
    if (i) fputs(", ", p->script);
    sfnec_plot_text(p->script, axis->values[i], PLOT_TIC);
    fprintf(p->script, " %zu", i + 1);
  }
  fputs(")\n", p->script);
}

// the cells of a block: place on each axis from 1, colour, value
static void plot_frame(const plotting *p, const plot_layout *at, const char *title, const plot_axis *across,
                       const plot_axis *up, size_t block) {
  const double middle_x = (at->left + at->width - at->right) / 2, middle_y = (at->bottom + at->height - at->top) / 2;
  sfnec_plot_margins(p, at);
  sfnec_plot_label(p, at, title, middle_x, at->height - at->top + 0.1, false);
  sfnec_plot_label(p, at, across->key, middle_x, at->bottom - 0.3, false);
  sfnec_plot_label(p, at, up->key, at->left - 0.55, middle_y, true);
  write_tics(p, "x", across);
  write_tics(p, "y", up);
  fprintf(p->script,
          "plot '%s.dat' index %zu using 1:2:(0.48):(0.48):3 with boxxyerror fillstyle solid 1 noborder linecolor rgb "
          "variable notitle, \\\n  '' index %zu using 1:2:(sprintf(abs($4) < 100 ? \"%%.3g\" : \"%%.0f\", $4)) with "
          "labels font small textcolor '%s' "
          "notitle\nunset label\n",
          p->stem, block, block, sfnec_plot_color(SFNEC_ROLE_TEXT));
}

// ---- sweeps ----

// a frame: an agent and its two keys
typedef struct heat_map {
  size_t agent, across, up;
} heat_map;

// how far the means of a key's values lie apart for an agent; less than 0 if it has fewer than two
static double effect(const plot_sweep *sweep, size_t agent, size_t key) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  size_t count = 0;
  for (size_t value = 0; value < sweep->axes[key].count; value++) {
    const double mean = sfnec_plot_sweep_mean(sweep, agent, key, value, PLOT_KEYS, 0);
    if (isnan(mean)) continue;
    low = fmin(low, mean);
    high = fmax(high, mean);
    count++;
  }
  return count > 1 ? high - low : -1;
}

// the two keys with the largest effects; false if there are no two
static bool choose(const plot_sweep *sweep, size_t agent, heat_map *map) {
  double most = -1, next = -1;
  *map = (heat_map){.agent = agent};
  for (size_t key = 0; key < sweep->axis_count; key++) {
    const double size = effect(sweep, agent, key);
    if (size < 0) continue;
    if (size > most) {
      next = most, map->up = map->across;
      most = size, map->across = key;
    } else if (size > next) {
      next = size, map->up = key;
    }
  }
  return next >= 0;
}

const char *sfnec_plot_heat_missing(const plotting *p, const figure *figure) {
  const char *missing = sfnec_plot_sweep_missing(p, figure);
  if (missing) return missing;
  for (size_t i = 0; i < p->results->configuration_count; i++)
    if (p->results->configurations[i].settings.count > 1) return NULL;
  return "the sweep has one key only; 'boxes' and 'effects' show it";
}

static void write_cells(const plotting *p, const plot_sweep *sweep, const heat_map *map) {
  fprintf(p->data, "\n\n# %s: %s %s colour mean\n", sweep->agents[map->agent], sweep->axes[map->across].key,
          sweep->axes[map->up].key);
  for (size_t x = 0; x < sweep->axes[map->across].count; x++)
    for (size_t y = 0; y < sweep->axes[map->up].count; y++) {
      const double mean = sfnec_plot_sweep_mean(sweep, map->agent, map->across, x, map->up, y);
      if (isnan(mean)) continue;
      fprintf(p->data, "%zu %zu %u", x + 1, y + 1, sfnec_plot_sweep_color(sweep, mean));
      sfnec_plot_number(p->data, mean);
      fputc('\n', p->data);
    }
}

sfnec_status sfnec_plot_heat(const plotting *p, const figure *figure) {
  plot_sweep sweep;
  heat_map maps[PLOT_AGENTS];
  size_t count = 0;
  const sfnec_status status = sfnec_plot_sweep_take(p, &sweep);
  if (status) return status;
  for (size_t agent = 0; agent < sweep.agent_count; agent++) count += choose(&sweep, agent, &maps[count]);
  if (!count) return sfnec_fail(SFNEC_ERROR_STATE, "%s: no two keys have several values yet", p->results->folder);
  sfnec_plot_data_head(p, figure->help, "named before each block");
  for (size_t i = 0; i < count; i++) write_cells(p, &sweep, &maps[i]);
  const char *label = sfnec_plot_sweep_label(p, &sweep);
  const char *what = label ? sfnec_arena_print(p->arena, "cell: %s, mean over the other keys", label) : NULL;
  const char *note = what ? sfnec_plot_note(p, what, sweep.least, sweep.most) : NULL;
  if (!note) return sfnec_fail_memory("the texts of a figure");
  const size_t columns = count < 3 ? count : 3, rows = (count + columns - 1) / columns;
  const double frame = 1.5, left = 0.7, below = 0.45, top = 0.24, each = left + frame + 0.1, tall = top + frame + below;
  const double width = fmax(PLOT_COLUMN, (double)columns * each);
  plot_layout layout = {width, (double)rows * tall, left, width - left - frame, top, below};
  sfnec_plot_begin(p, &layout, NULL, NULL, 0, note);
  const double foot = layout.height - (double)rows * tall, begin = (width - (double)columns * each) / 2;
  fputs("unset border\nunset grid\nset multiplot\n", p->script);
  for (size_t i = 0; i < count; i++) {
    const double x = begin + (double)(i % columns) * each, y = foot + (double)(rows - 1 - i / columns) * tall;
    const plot_layout at = {
        width, layout.height, x + left, width - x - left - frame, layout.height - y - below - frame, y + below};
    plot_frame(p, &at, sweep.agents[maps[i].agent], &sweep.axes[maps[i].across], &sweep.axes[maps[i].up], i);
    // what stands around the frames is drawn once
    fputs("unset label\n", p->script);
  }
  fputs("unset multiplot\n", p->script);
  return SFNEC_OK;
}

// ---- evaluations under many weights ----

// where the name of a file begins in its path
static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// The name ends up in a script as it is: what gnuplot could read as more than a name is refused.
sfnec_status sfnec_plot_check_picture(const char *path) {
  const char *name = name_of(path), *dot = strrchr(name, '.');
  const sfnec_status status = sfnec_plot_check_format(dot ? dot + 1 : "");
  if (status) return status;
  for (const char *c = name; *c; c++)
    if (dot == name || !(isalnum((unsigned char)*c) || strchr("._-", *c)))
      return sfnec_fail(SFNEC_ERROR_OPTION, "%s: its name may have letters, digits, '.', '_' and '-' alone", path);
  return SFNEC_OK;
}

static sfnec_status write_map(const plotting *p, const void *what) {
  const sfnec_eval_map *map = what;
  const size_t n = map->count;
  plot_axis axes[2] = {{.key = map->across, .count = n}, {.key = map->up, .count = n}};
  double low = map->returns[0], high = low;
  for (size_t i = 0; i < n; i++)
    axes[0].values[i] = axes[1].values[i] = sfnec_arena_print(p->arena, "%.3g", map->weights[i]);
  if (n && !axes[0].values[n - 1]) return sfnec_fail_memory("the texts of a figure");
  for (size_t i = 0; i < n * n; i++) low = fmin(low, map->returns[i]), high = fmax(high, map->returns[i]);
  sfnec_plot_data_head(p, map->title, "across up colour return");
  for (size_t i = 0; i < n * n; i++) {
    fprintf(p->data, "%zu %zu %u", i % n + 1, i / n + 1,
            sfnec_plot_ramp(high > low ? (map->returns[i] - low) / (high - low) : 1));
    sfnec_plot_number(p->data, map->returns[i]);
    fputc('\n', p->data);
  }
  const double frame = fmax(2.2, 0.4 * (double)n);
  plot_layout layout = {frame + 1, frame + 0.75, 0.8, 0.2, 0.25, 0.5};
  sfnec_plot_begin(p, &layout, NULL, NULL, 0, map->note);
  fputs("unset border\nunset grid\n", p->script);
  plot_frame(p, &layout, map->title, &axes[0], &axes[1], 0);
  return SFNEC_OK;
}

static sfnec_status draw_map(plotting *p, const sfnec_eval_map *map, const char *path) {
  const char *name = name_of(path);
  const int stem = (int)(strrchr(name, '.') - name), folder = (int)(name - path);
  p->format = name + stem + 1;
  p->stem = sfnec_arena_print(p->arena, "%.*s", stem, name);
  p->folder = folder ? sfnec_arena_print(p->arena, "%.*s", folder > 1 ? folder - 1 : 1, path) : ".";
  const char *script = p->stem ? sfnec_arena_print(p->arena, "%s.gp", p->stem) : NULL;
  if (!script || !p->folder) return sfnec_fail_memory("a figure");
  const sfnec_status status = sfnec_plot_files(p, write_map, map);
  return status ? status : sfnec_plot_draw(p, script, name);
}

sfnec_status sfnec_plot_eval_map(const sfnec_eval_map *map, const char *path) {
  plotting p = {.name = map->agent, .arena = sfnec_arena_create()};
  sfnec_status status = p.arena ? sfnec_plot_check_picture(path) : sfnec_fail_memory("a figure");
  if (!status) status = draw_map(&p, map, path);
  sfnec_arena_destroy(p.arena);
  return status;
}
