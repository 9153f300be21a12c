// boxes.c: box plots of the returns, one box per configuration, with every run as a dot, the mean, and the
// published mean as a diamond.
//
// Boxes stand in the order of the plan. The points of an agent's sweep are named by their values; the agents then stand
// above them.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "show/plot/figure.h"

enum { MOST_BOXES = 24, COLUMN_BOXES = 9 };

typedef struct bar {
  const sfnec_result_configuration *configuration;
  size_t configuration_index, group; // a group is an agent
  double place;                      // on the x axis
  sfnec_run_values runs;
  sfnec_box box;
  const sfnec_published *published;
} bar;

typedef struct bars {
  bar items[MOST_BOXES];
  size_t count, groups;
  bool swept, any_published;
  double low, high;   // of all runs
  size_t least, most; // runs of a box
  bool slanted;       // the names of the boxes
  double names;       // the height that they take, in inches
  double left;        // the margin at their left
} bars;

const char *sfnec_plot_boxes_missing(const plotting *p, const figure *figure) {
  (void)figure;
  if (p->results->configuration_count > MOST_BOXES)
    return "it has room for 24 boxes; 'sfnec stats' ranks the points of a large sweep";
  return NULL;
}

// a task of so many episodes is judged by episode; published values are of tasks
static sfnec_metric metric_of(const plotting *p) {
  sfnec_metric metric = sfnec_metric_of_results(p->results);
  const bool by_episode = p->results->episodes && p->results->tasks == 1 && sfnec_metric_is_return(&metric);
  if (by_episode) (void)sfnec_metric_find("episode-return", &metric);
  return metric;
}

static size_t max_size(size_t a, size_t b) {
  return a > b ? a : b;
}

// ---- the bars ----

static void place(bars *bars, bar *bar) {
  const struct bar *before = bars->count ? bar - 1 : NULL;
  const bool same = before && strcmp(before->configuration->label, bar->configuration->label) == 0;
  if (!same) bars->groups++;
  bar->group = bars->groups - 1;
  // agents of a sweep stand a little apart
  bar->place = before ? before->place + (same || !bars->swept ? 1 : 1.4) : 1;
}

static sfnec_status add(const plotting *p, bars *bars, size_t i) {
  const sfnec_metric metric = metric_of(p);
  bar *bar = &bars->items[bars->count];
  *bar = (struct bar){.configuration = &p->results->configurations[i], .configuration_index = i};
  sfnec_status status = sfnec_run_values_take(p->results, i, &metric, p->coverage.task, false, p->arena, &bar->runs);
  if (status || !bar->runs.count) return status;
  status = sfnec_box_make(bar->runs.values, bar->runs.count, &bar->box);
  if (sfnec_metric_is_return(&metric)) bar->published = sfnec_published_after(p->results, i, p->coverage.task);
  bars->any_published = bars->any_published || bar->published;
  if (bar->runs.count < bars->least) bars->least = bar->runs.count;
  bars->most = max_size(bars->most, bar->runs.count);
  for (size_t k = 0; k < bar->runs.count; k++) {
    bars->low = fmin(bars->low, bar->runs.values[k]);
    bars->high = fmax(bars->high, bar->runs.values[k]);
  }
  place(bars, bar);
  bars->count++;
  return status;
}

static sfnec_status gather(const plotting *p, bars *bars) {
  *bars = (struct bars){.least = SIZE_MAX, .low = (double)INFINITY, .high = -(double)INFINITY};
  for (size_t i = 0; i < p->results->configuration_count; i++)
    bars->swept = bars->swept || p->results->configurations[i].settings.count;
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < p->results->configuration_count && !status; i++) status = add(p, bars, i);
  return status;
}

// ---- data: three blocks: boxes, runs, published ----

static void write_boxes(const plotting *p, const bars *bars) {
  fputs("\n\n# boxes: place runs low lower_quartile median upper_quartile high mean standard_error agent\n", p->data);
  for (size_t i = 0; i < bars->count; i++) {
    const bar *bar = &bars->items[i];
    const sfnec_box *box = &bar->box;
    const double numbers[] = {box->low, box->lower, box->median, box->upper, box->high, box->mean, box->error};
    fprintf(p->data, "%g %zu", bar->place, box->count);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) sfnec_plot_number(p->data, numbers[k]);
    fprintf(p->data, " %zu # %s\n", bar->group + 1, bar->configuration->name);
  }
}

// moves a dot to the side until it touches none of those before it
static double side(const bars *bars, const bar *bar, size_t k, double *sides) {
  const double near = 0.03 * (bars->high - bars->low), step = 0.085;
  for (int try = 0; try < 7; try++) {
    const double at = step * ((try + 1) / 2) * (try % 2 ? 1 : -1);
    bool free = true;
    for (size_t j = 0; j < k && free; j++)
      free = fabs(bar->runs.values[j] - bar->runs.values[k]) > near || fabs(sides[j] - at) > step / 2;
    if (free) return sides[k] = at;
  }
  return sides[k] = 0;
}

static sfnec_status write_runs(const plotting *p, const bars *bars) {
  fputs("\n\n# runs: place seed return\n", p->data);
  for (size_t i = 0; i < bars->count; i++) {
    const bar *bar = &bars->items[i];
    double *sides = sfnec_arena_alloc(p->arena, bar->runs.count, sizeof *sides);
    if (!sides) return sfnec_fail_memory("the dots of a figure");
    for (size_t k = 0; k < bar->runs.count; k++) {
      fprintf(p->data, "%.3f %llu", bar->place + side(bars, bar, k, sides), (unsigned long long)bar->runs.seeds[k]);
      sfnec_plot_number(p->data, bar->runs.values[k]);
      fputc('\n', p->data);
    }
  }
  return SFNEC_OK;
}

static void write_published(const plotting *p, const bars *bars) {
  fputs("\n\n# published: place mean standard_error low high\n", p->data);
  for (size_t i = 0; i < bars->count; i++) {
    const bar *bar = &bars->items[i];
    if (!bar->published) continue;
    fprintf(p->data, "%g", bar->place);
    sfnec_plot_point(p->data, bar->published->mean, bar->published->se);
  }
}

// ---- script ----

static const double letter = 0.064; // the width of one on average, in inches

// how long the longest word of a name is and how many there are; words end at a blank or after a hyphen
static void measure_name(const char *name, size_t *word, size_t *words) {
  *words = 0;
  while (*name) {
    size_t size = strcspn(name, " -");
    size += name[size] == '-';
    *word = max_size(*word, size);
    name += size + (name[size] == ' ');
    ++*words;
  }
}

// what stands below the boxes: words one below the other, or, if they do not fit side by side, at a slant; then names
// reach out to the left, where the first of them needs room
static void measure(bars *bars, double frame) {
  size_t word = 0, name = 0, lines = 1;
  double out = 0;
  const double last = bars->count ? bars->items[bars->count - 1].place : 1, step = frame / (last + 0.2);
  for (size_t i = 0; i < bars->count; i++) {
    const sfnec_result_configuration *at = bars->items[i].configuration;
    size_t parts = 0, length = bars->swept ? 0 : strlen(at->label);
    if (!bars->swept) measure_name(at->label, &word, &parts);
    for (size_t k = 0; k < at->settings.count; k++) {
      word = max_size(word, strlen(at->settings.items[k].value));
      length += strlen(at->settings.items[k].value) + 2;
    }
    lines = max_size(lines, parts + at->settings.count);
    name = max_size(name, length);
    out = fmax(out, 0.82 * letter * (double)length - (bars->items[i].place - 0.4) * step);
  }
  bars->slanted = letter * ((double)word + 0.5) > step;
  bars->names = bars->slanted ? 0.58 * letter * (double)name + 0.1 : 0.13 * (double)lines + 0.06;
  bars->left = bars->slanted ? fmax(0.62, out + 0.08) : 0.62;
}

static void write_tics(const plotting *p, const bars *bars) {
  const bool slant = bars->slanted;
  fprintf(p->script, "set xtics scale 0%s (", slant ? " rotate by 35 right offset 0,0.2" : "");
  for (size_t i = 0; i < bars->count; i++) {
    const sfnec_settings *settings = &bars->items[i].configuration->settings;
    const plot_text_use use = slant ? PLOT_TIC : PLOT_TIC_WORDS;
    if (i) fputs(", ", p->script);
    sfnec_plot_text(p->script, bars->swept ? "" : bars->items[i].configuration->label, use);
    for (size_t k = 0; k < settings->count; k++) {
      if (k) fputs(slant ? ".\", \"" : ".\"\\n\"", p->script);
      fputc('.', p->script);
      sfnec_plot_text(p->script, settings->items[k].value, PLOT_TIC);
    }
    fprintf(p->script, " %g", bars->items[i].place);
  }
  fputs(")\n", p->script);
}

// the keys whose values the tics are: of the first box that has any; "" without a sweep
static const char *x_label(const plotting *p, const bars *bars) {
  const char *text = "";
  for (size_t i = 0; i < bars->count && !text[0]; i++) {
    const sfnec_settings *settings = &bars->items[i].configuration->settings;
    for (size_t k = 0; k < settings->count && text; k++)
      text = sfnec_arena_print(p->arena, "%s%s%s", text, k ? ", " : "", settings->items[k].key);
    if (!text) return NULL;
  }
  return text;
}

// the agents of a sweep stand above their boxes
static void write_agents(const plotting *p, const bars *bars) {
  for (size_t i = 0; i < bars->count && bars->swept && bars->groups > 1;) {
    size_t end = i;
    while (end < bars->count && bars->items[end].group == bars->items[i].group) end++;
    fputs("set label ", p->script);
    sfnec_plot_text(p->script, bars->items[i].configuration->label, PLOT_LABEL);
    fprintf(p->script, " at first %g, graph 1.05 center\n", (bars->items[i].place + bars->items[end - 1].place) / 2);
    i = end;
  }
}

static plot_mark circle(sfnec_theme_role role, bool open, double size) {
  plot_mark mark = sfnec_plot_style(0).mark;
  mark.color = sfnec_plot_color(role);
  mark.open = open;
  mark.size = size;
  return mark;
}

// a run, and the mean
static plot_mark dot(void) {
  return circle(SFNEC_ROLE_SOFT, false, 0.34);
}

static plot_mark ring(void) {
  return circle(SFNEC_ROLE_TEXT, true, 0.75);
}

static plot_mark published_mark(void) {
  return sfnec_plot_diamond(sfnec_plot_color(SFNEC_ROLE_TEXT), true);
}

static sfnec_status begin_frame(const plotting *p, bars *bars) {
  const unsigned tasks = p->coverage.task;
  const char *below = x_label(p, bars), *title = sfnec_plot_published_title(p);
  if (!below || !title) return sfnec_fail_memory("the texts of a figure");
  const plot_entry entries[] = {
      {"one run", {0, dot()}}, {"mean and standard error", {0, ring()}}, {title, {0, published_mark()}}};
  const sfnec_metric metric = metric_of(p);
  const bool other = !sfnec_metric_is_return(&metric);
  const double right = 0.1, top = bars->swept && bars->groups > 1 ? 0.25 : 0.1;
  // a column of print if the names stand upright in it, else the page
  double width = bars->count > COLUMN_BOXES ? PLOT_PAGE : PLOT_COLUMN;
  measure(bars, width - 0.62 - right);
  if (bars->slanted) measure(bars, (width = PLOT_PAGE) - 0.62 - right);
  const char *note = sfnec_plot_note(p, "box: quartiles, whiskers: runs within 1.5 boxes", bars->least, bars->most);
  if (!note) return sfnec_fail_memory("the texts of a figure");
  const double bottom = bars->names + (below[0] ? 0.22 : 0.04);
  plot_layout layout = {width, 1.75 + top + bottom, bars->left, right, top, bottom};
  sfnec_plot_begin(p, &layout, NULL, entries, bars->any_published ? 3 : 2, note);
  sfnec_plot_axes(p, &layout, below, bars->names + 0.1,
                  other       ? metric.help
                  : tasks > 1 ? "average return per task"
                              : "return of the task");
  return SFNEC_OK;
}

static void write_ranges(const plotting *p, const bars *bars) {
  write_tics(p, bars);
  write_agents(p, bars);
  fprintf(p->script,
          "set xrange [0.4:%g]\nset yrange [*<0:*] noextend\nset offsets 0, 0, graph 0.04, graph 0.04\n"
          "set boxwidth 0.62\n",
          bars->items[bars->count - 1].place + 0.6);
}

static const char *group_color(const plotting *p, const bars *bars, size_t group) {
  size_t i = 0;
  while (bars->items[i].group != group) i++;
  return sfnec_plot_style(p->styles.agents[bars->items[i].configuration_index]).mark.color;
}

static void plot_bars(const plotting *p, const bars *bars) {
  fprintf(p->script, "plot '%s.dat'", p->stem);
  for (size_t group = 0; group < bars->groups; group++)
    fprintf(p->script,
            "%s index 0 using ($10 == %zu ? $1 : NaN):4:3:7:6 with candlesticks linecolor '%s' linewidth 0.9 "
            "fillstyle solid 0.25 border notitle whiskerbars 0.45, \\\n",
            group ? "  ''" : "", group + 1, group_color(p, bars, group));
  const plot_mark run = dot(), mean = ring();
  fprintf(p->script,
          "  '' index 0 using ($1-0.31):5:(0.62):(0) with vectors nohead linecolor '%s' linewidth 1.6 notitle, \\\n",
          mean.color);
  sfnec_plot_marks(p, "index 1 using 1:3", &run);
  fprintf(p->script, "  '' index 0 using 1:8:9 with yerrorbars pointtype 0 linecolor '%s' notitle, \\\n", mean.color);
  sfnec_plot_marks(p, "index 0 using 1:8", &mean);
}

// beside the box, so that it hides no dot
static void plot_published(const plotting *p) {
  const plot_mark mark = published_mark();
  fprintf(p->script, "  '' index 2 using ($1+0.4):2:4:5 with yerrorbars pointtype 0 linecolor '%s' notitle, \\\n",
          mark.color);
  sfnec_plot_marks(p, "index 2 using ($1+0.4):2", &mark);
}

sfnec_status sfnec_plot_boxes(const plotting *p, const figure *figure) {
  bars bars;
  sfnec_status status = gather(p, &bars);
  if (status) return status;
  if (!bars.count)
    return sfnec_fail(SFNEC_ERROR_STATE, "%s: no run has a finite return; look at 'sfnec export'", p->results->folder);
  sfnec_plot_data_head(p, figure->help, "named before each block");
  write_boxes(p, &bars);
  status = write_runs(p, &bars);
  if (bars.any_published) write_published(p, &bars);
  if (!status) status = begin_frame(p, &bars);
  if (status) return status;
  write_ranges(p, &bars);
  plot_bars(p, &bars);
  if (bars.any_published) plot_published(p);
  fputs("  NaN notitle\n", p->script);
  return SFNEC_OK;
}
