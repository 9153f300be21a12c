// eval_map.c: what an agent earns under many reward weights, as a heat map (`sfnec eval --heat`).
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "show/plot/figure.h"

// where the name of a file begins in its path
static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// The name is written into a script unchanged, so names that gnuplot could read as more than a name are refused.
sfnec_status sfnec_plot_check_picture(const char *path) {
  const char *name = name_of(path), *dot = strrchr(name, '.');
  const sfnec_status status = sfnec_plot_check_format(dot ? dot + 1 : "");
  if (status) return status;
  for (const char *c = name; *c; c++)
    if (dot == name || !(isalnum((unsigned char)*c) || strchr("._-", *c)))
      return sfnec_fail(SFNEC_ERROR_OPTION, "%s: its name may have letters, digits, '.', '_' and '-' alone", path);
  return SFNEC_OK;
}

// the cells: a number on each axis from 1, colour, value
static void write_cells(const plotting *p, const sfnec_eval_map *map) {
  const size_t cells = map->count * map->count;
  double low = map->returns[0], high = low;
  for (size_t i = 0; i < cells; i++) low = fmin(low, map->returns[i]), high = fmax(high, map->returns[i]);
  sfnec_plot_data_head(p, map->title, "across up colour return");
  for (size_t i = 0; i < cells; i++) {
    fprintf(p->data, "%zu %zu %u", i % map->count + 1, i / map->count + 1,
            sfnec_plot_ramp(high > low ? (map->returns[i] - low) / (high - low) : 1));
    sfnec_plot_number(p->data, map->returns[i]);
    fputc('\n', p->data);
  }
}

static sfnec_status write_map(const plotting *p, const void *what) {
  const sfnec_eval_map *map = what;
  const char *values[SFNEC_EVAL_MAP_MOST];
  for (size_t i = 0; i < map->count; i++) {
    values[i] = sfnec_arena_print(p->arena, "%.3g", map->weights[i]);
    if (!values[i]) return sfnec_fail_memory("the texts of a figure");
  }
  write_cells(p, map);
  const double frame = fmax(2.2, 0.4 * (double)map->count);
  plot_layout layout = {frame + 1, frame + 0.75, 0.8, 0.2, 0.25, 0.5};
  sfnec_plot_begin(p, &layout, NULL, NULL, 0, map->note);
  const double middle_x = layout.left + frame / 2, middle_y = (layout.bottom + layout.height - layout.top) / 2;
  fputs("unset border\nunset grid\n", p->script);
  sfnec_plot_label(p, &layout, map->title, middle_x, layout.height - layout.top + 0.1, false);
  sfnec_plot_label(p, &layout, map->across, middle_x, layout.bottom - 0.3, false);
  sfnec_plot_label(p, &layout, map->up, layout.left - 0.55, middle_y, true);
  sfnec_plot_tics(p, "x", values, map->count, 1);
  sfnec_plot_tics(p, "y", values, map->count, 1);
  fprintf(p->script,
          "plot '%s.dat' index 0 using 1:2:(0.48):(0.48):3 with boxxyerror fillstyle solid 1 noborder linecolor rgb "
          "variable notitle, \\\n  '' index 0 using 1:2:(sprintf(abs($4) < 100 ? \"%%.3g\" : \"%%.0f\", $4)) with "
          "labels font small textcolor '%s' notitle\n",
          p->stem, sfnec_plot_color(SFNEC_ROLE_TEXT));
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
