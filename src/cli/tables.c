// tables.c: tables for people: the statistics of a study, published values, and the comparison of agents.
#include "cli/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/grid.h"
#include "study/analysis/verdicts.h"

enum { MANY = 20 };

// ---- numbers ----

static int choose_decimals(const sfnec_analysis *analysis) {
  double most = 0;
  for (size_t i = 0; i < analysis->row_count; i++)
    if (analysis->rows[i].runs.count) most = fmax(most, fabs(analysis->rows[i].mean));
  return grid_decimals(most);
}

// the mean of another metric over the runs of a configuration; NaN if it is not known
static double mean_of(const sfnec_analysis *analysis, size_t configuration, const char *name) {
  sfnec_metric metric;
  sfnec_run_values runs;
  if (sfnec_metric_find(name, &metric) || sfnec_run_values_take(analysis->results, configuration, &metric,
                                                                analysis->coverage.task, false, analysis->arena, &runs))
    return (double)NAN;
  return sfnec_stats_mean(runs.values, runs.count);
}

static const char *interval_text(sfnec_interval interval, bool sign, int decimals, char text[GRID_CELL]) {
  text[0] = '\0';
  if (sfnec_interval_known(interval))
    snprintf(text, GRID_CELL, sign ? "[%+.*f, %+.*f]" : "[%.*f, %.*f]", decimals, interval.low, decimals,
             interval.high);
  return text;
}

// ---- what the numbers are of ----

static void print_head(const sfnec_analysis *analysis) {
  const sfnec_results *results = analysis->results;
  const sfnec_coverage *coverage = &analysis->coverage;
  printf("%s%s%s (%s)\n", results->name, results->title && results->title[0] ? ": " : "",
         results->title ? results->title : "", results->env);
  printf("%s after %" PRIu32 " task%s, %zu run%s\n", analysis->metric.help, coverage->task, plural(coverage->task),
         coverage->counted, plural(coverage->counted));
  if (coverage->done < coverage->wanted) {
    printf("not finished: %zu of %zu runs are", coverage->done, coverage->wanted);
    if (coverage->failed) printf(", %zu failed", coverage->failed);
    if (coverage->early) printf("; %zu that still run are far enough and count", coverage->early);
    printf("\n");
  }
  if (coverage->done == coverage->wanted && coverage->counted < coverage->done)
    printf("%zu of %zu runs are not that far and are left out\n", coverage->done - coverage->counted, coverage->done);
  if (analysis->options.by_task)
    printf("median, IQM, P(better) and profile are over runs x tasks, each task a stratum\n");
}

// ---- every configuration ----

static const char *published_text(const sfnec_analysis_row *row, int decimals, char text[GRID_CELL]) {
  text[0] = '\0';
  if (!row->published) return text;
  char value[GRID_CELL];
  const int used = snprintf(text, GRID_CELL, "%s",
                            grid_with_error(row->published->mean, row->published->se, false, decimals, value));
  if (isfinite(row->published_errors))
    snprintf(text + used, GRID_CELL - (size_t)used, " (%+.1f se)", row->published_errors);
  return text;
}

static bool any_published(const sfnec_analysis *analysis) {
  for (size_t i = 0; i < analysis->row_count; i++)
    if (analysis->rows[i].published) return true;
  return false;
}

// other tasks that there are published values for
static void print_published_note(const sfnec_analysis *analysis) {
  if (!sfnec_metric_is_return(&analysis->metric)) return;
  const sfnec_results *results = analysis->results;
  if (any_published(analysis)) printf("(se): how many standard errors the mean is from the published one\n");
  uint32_t last = 0;
  for (;;) {
    // the next higher task, so that each is named once
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < results->published_count; i++) {
      const uint32_t task = results->published[i].task ? results->published[i].task : results->tasks;
      if (task > last && task < next && task != analysis->coverage.task) next = task;
    }
    if (next == UINT32_MAX) break;
    printf(last ? ", %" PRIu32 : "published values are also known after task %" PRIu32, next);
    last = next;
  }
  if (last) printf(" (--task, --published)\n");
}

// the column is there if any configuration has something in it
static const char *percent_text(const sfnec_analysis *analysis, size_t i, char text[GRID_CELL]) {
  const double optimum = sfnec_metric_is_return(&analysis->metric) ? mean_of(analysis, i, "optimum") : (double)NAN;
  text[0] = '\0';
  if (optimum > 0 && analysis->rows[i].runs.count)
    snprintf(text, GRID_CELL, "%.1f", 100 * analysis->rows[i].mean / optimum);
  return text;
}

static bool any_percent(const sfnec_analysis *analysis) {
  char text[GRID_CELL];
  for (size_t i = 0; i < analysis->row_count; i++)
    if (percent_text(analysis, i, text)[0]) return true;
  return false;
}

// too few runs have none
static bool any_interval(const sfnec_analysis *analysis) {
  for (size_t i = 0; i < analysis->row_count; i++)
    if (analysis->rows[i].runs.count && sfnec_interval_known(analysis->rows[i].summary.iqm.interval)) return true;
  return false;
}

static void print_summary(const sfnec_analysis *analysis, int decimals) {
  bool alone = false, few = false;
  grid grid = {.columns = 8};
  text_split(&grid.cells, "configuration|runs|mean ± se|median|IQM", '|');
  grid_add(&grid, "%s", any_interval(analysis) ? "[95 %]" : "");
  grid_add(&grid, "%s", any_percent(analysis) ? "% of optimum" : "");
  grid_add(&grid, "%s", any_published(analysis) ? "published" : "");
  for (size_t i = 0; i < analysis->row_count; i++) {
    const sfnec_analysis_row *row = &analysis->rows[i];
    grid_add(&grid, "%s", row->configuration->name);
    grid_add(&grid, "%zu", row->runs.count);
    if (!row->runs.count) {
      text_split(&grid.cells, "-|-|-|||", '|');
      continue;
    }
    char text[GRID_CELL];
    alone = alone || row->runs.count == 1;
    few = few || row->runs.count < SFNEC_ANALYSIS_FEW;
    grid_add(&grid, "%s", grid_with_error(row->mean, row->error, false, decimals, text));
    grid_add(&grid, "%.*f", decimals, row->summary.median.value);
    grid_add(&grid, "%.*f", decimals, row->summary.iqm.value);
    grid_add(&grid, "%s", interval_text(row->summary.iqm.interval, false, decimals, text));
    grid_add(&grid, "%s", percent_text(analysis, i, text));
    grid_add(&grid, "%s", published_text(row, decimals, text));
  }
  printf("\n");
  grid_print(&grid);
  if (alone) printf("one run alone has no standard error and no interval; more seeds would give them\n");
  else if (few)
    printf("%d runs or fewer say little: no interval is given, only the standard error\n", SFNEC_ANALYSIS_FEW - 1);
  print_published_note(analysis);
}

// ---- comparisons and profiles ----

// of many configurations, a sweep is represented by its best point
static bool matters(const sfnec_analysis *analysis, size_t i, bool all) {
  const sfnec_analysis_row *row = &analysis->rows[i];
  if (!row->runs.count) return false;
  return all || analysis->row_count <= MANY || row->sweep == SIZE_MAX || analysis->sweeps[row->sweep].best == i ||
         i == analysis->reference;
}

// A table of the differences to the reference, and below it what the p-value of so few seeds cannot show.
static void print_comparison(const sfnec_analysis *analysis, bool all, int decimals) {
  grid grid = {.columns = 7};
  const char *interval = any_interval(analysis) ? "[95 %]" : "";
  text_split(&grid.cells, "configuration|difference ± se", '|');
  grid_add(&grid, "%s", interval);
  text_split(&grid.cells, "better on|p|P(better)", '|');
  grid_add(&grid, "%s", interval);
  // a row per configuration but the reference
  size_t shown = 0, most = 0;
  for (size_t i = 0; i < analysis->row_count; i++) {
    const sfnec_analysis_row *row = &analysis->rows[i];
    if (i == analysis->reference || !matters(analysis, i, all)) continue;
    char text[GRID_CELL];
    shown++;
    if (row->paired.count > most) most = row->paired.count;
    grid_add(&grid, "%s", row->configuration->name);
    if (row->paired.count) {
      grid_add(&grid, "%s", grid_with_error(row->paired.mean.value, row->paired.error, true, decimals, text));
      grid_add(&grid, "%s", interval_text(row->paired.mean.interval, true, decimals, text));
      grid_add(&grid, "%zu of %zu", row->better, row->paired.count);
      grid_add(&grid, row->paired.p < 0.001 ? "%.0e" : "%.3f", row->paired.p);
    } else {
      text_split(&grid.cells, "no common seed|||", '|');
    }
    grid_add(&grid, "%.2f", row->improvement.value);
    grid_add(&grid, "%s", interval_text(row->improvement.interval, false, 2, text));
  }
  if (shown) {
    printf("\nagainst %s: paired by seed, and the probability that a run is better than one of it\n",
           analysis->rows[analysis->reference].configuration->name);
    grid_print(&grid);
    printf("p: Wilcoxon's signed-rank test, two-sided");
    // all differences on one side: 2 of the 2^n signs
    if (most && most < SFNEC_ANALYSIS_FEW)
      printf("; from %zu seed%s it is never below %g: run more before you conclude", most, plural(most),
             fmin(1, ldexp(2, -(int)most)));
    printf("\n");
  }
  text_clear(&grid.cells);
}

static void print_profile(const sfnec_analysis *analysis, bool all) {
  if (!analysis->tau_count) return;
  grid grid = {.columns = analysis->tau_count + 1};
  grid_add(&grid, "above");
  for (size_t k = 0; k < analysis->tau_count; k++) grid_add(&grid, "%.6g", analysis->taus[k]);
  for (size_t i = 0; i < analysis->row_count; i++) {
    const sfnec_analysis_row *row = &analysis->rows[i];
    if (!matters(analysis, i, all)) continue;
    grid_add(&grid, "%s", row->configuration->name);
    for (size_t k = 0; k < analysis->tau_count; k++) {
      const sfnec_interval band = row->profile[k].interval;
      char text[GRID_CELL] = "";
      if (sfnec_interval_known(band)) snprintf(text, sizeof text, " (%.0f-%.0f)", 100 * band.low, 100 * band.high);
      grid_add(&grid, "%.0f%s", 100 * row->profile[k].value, text);
    }
  }
  printf("\nprofile: percent of %s above so much%s\n", analysis->options.by_task ? "runs x tasks" : "runs",
         any_interval(analysis) ? " (95 % band)" : "");
  grid_print(&grid);
}

// ---- what is solved ----

static void print_solved(const sfnec_analysis *analysis) {
  const sfnec_criterion criterion = analysis->options.criterion;
  if (!criterion.window) return;
  char text[GRID_CELL];
  grid grid = {.columns = 4};
  text_split(&grid.cells, "configuration|solved|after episodes|best mean", '|');
  for (size_t i = 0; i < analysis->row_count; i++) {
    const sfnec_solved *solved = &analysis->rows[i].solved;
    if (!solved->runs) continue;
    grid_add(&grid, "%s", analysis->rows[i].configuration->name);
    grid_add(&grid, "%zu of %zu", solved->solved, solved->runs);
    grid_add(&grid, "%s", solved->solved ? grid_with_error(solved->after, solved->after_error, false, 0, text) : "-");
    grid_add(&grid, "%s", grid_with_error(solved->best, solved->best_error, false, 1, text));
  }
  printf("\nsolved: a mean return of %g over %" PRIu32 " episodes in a row, in task %" PRIu32 "\n", criterion.mean,
         criterion.window, analysis->coverage.task);
  grid_print(&grid);
}

// ---- sweeps ----

typedef struct ranked {
  const sfnec_analysis_row *row;
  double order; // ascending
} ranked;

static int compare_ranked(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->order < y->order || x->order > y->order) return x->order < y->order ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

// the rows of a sweep, the best first: a new array of sweep->points
static ranked *order_sweep(const sfnec_analysis *analysis, size_t sweep_index) {
  ranked *order = must_alloc(analysis->sweeps[sweep_index].points, sizeof *order);
  size_t count = 0;
  for (size_t i = 0; i < analysis->row_count; i++) {
    const sfnec_analysis_row *row = &analysis->rows[i];
    if (row->sweep == sweep_index)
      order[count++] = (ranked){row, analysis->metric.less_is_better ? row->contender.mean : -row->contender.mean};
  }
  qsort(order, count, sizeof *order, compare_ranked);
  return order;
}

static void print_points(const sfnec_analysis *analysis, size_t sweep_index, bool all, int decimals) {
  const sfnec_analysis_sweep *sweep = &analysis->sweeps[sweep_index];
  ranked *order = order_sweep(analysis, sweep_index);
  const size_t shown = all || sweep->points < MANY ? sweep->points : MANY;
  size_t possible = 0;
  grid grid = {.columns = 4, .words_last = true};
  const bool few = sweep->seeds < SFNEC_ANALYSIS_FEW;
  text_split(&grid.cells, few ? "point|mean||" : "point|mean|chance of being best|", '|');
  for (size_t i = 0; i < shown; i++) {
    const sfnec_analysis_row *row = order[i].row;
    possible += row->contender.possible;
    grid_add(&grid, "%s", row->configuration->point);
    grid_add(&grid, "%.*f", decimals, row->contender.mean);
    if (few) {
      text_split(&grid.cells, "|", '|');
      continue;
    }
    grid_add(&grid, "%.0f %%", 100 * row->contender.chance);
    grid_add(&grid, "%s", i == 0 ? "best" : row->contender.possible ? "cannot be distinguished from it" : "worse");
  }
  grid_print(&grid);
  free(order);
  if (shown < sweep->points && few) printf("and %zu more\n", sweep->points - shown);
  else if (shown < sweep->points)
    printf("and %zu more, of which %zu cannot be distinguished from the best\n", sweep->points - shown,
           sweep->possible - possible);
}

static void print_sweep(const sfnec_analysis *analysis, size_t sweep_index, bool all, int decimals) {
  const sfnec_analysis_sweep *sweep = &analysis->sweeps[sweep_index];
  printf("\nsweep of %s: ", sweep->label);
  if (!sweep->seeds) {
    printf("its %zu points have no seed in common yet, so the best cannot be named\n", sweep->points);
    return;
  }
  const bool few = sweep->seeds < SFNEC_ANALYSIS_FEW;
  printf("%s is %s, over the %zu seed%s that all %zu points have\n", few ? "the highest mean" : "best",
         analysis->rows[sweep->best].configuration->point, sweep->seeds, plural(sweep->seeds), sweep->points);
  if (few) {
    if (sweep->seeds == 1) printf("one seed");
    else printf("%zu seeds", sweep->seeds);
    printf(" cannot tell luck from merit; run more before choosing\n");
  }
  if (sweep->seeds > 1) print_points(analysis, sweep_index, all, decimals);
}

void stats_print(const sfnec_analysis *analysis, bool all) {
  const int decimals = choose_decimals(analysis);
  print_head(analysis);
  print_summary(analysis, decimals);
  print_comparison(analysis, all, decimals);
  print_profile(analysis, all);
  print_solved(analysis);
  for (size_t i = 0; i < analysis->sweep_count; i++) print_sweep(analysis, i, all, decimals);
  if (analysis->row_count > MANY && !all)
    printf("\ncomparison and profile show the best point of each sweep only; --all shows all\n");
}

// ---- published values ----

static void add_verdict(grid *grid, const sfnec_results *results, const sfnec_published_verdict *verdict,
                        int decimals) {
  const sfnec_published *published = verdict->published;
  const bool run = verdict->runs > 0, known = sfnec_verdict_known(verdict);
  char text[GRID_CELL];
  grid_add(grid, "%s", run ? results->configurations[verdict->configuration].name : published->agent);
  grid_add(grid, "%" PRIu32, verdict->task);
  grid_add(grid, "%zu", verdict->runs);
  grid_add(grid, "%s", run ? grid_with_error(verdict->mean, verdict->se, false, decimals, text) : "-");
  grid_add(grid, "%s", grid_with_error(published->mean, published->se, false, decimals, text));
  if (known) grid_add(grid, "%+.1f", verdict->errors);
  else grid_add(grid, "-");
  grid_add(grid, "%s",
           !run                            ? "not run yet"
           : !known                        ? "too few runs to say"
           : sfnec_verdict_agrees(verdict) ? "agrees"
           : verdict->errors > 0           ? "higher"
                                           : "lower");
}

int published_print(const sfnec_results *results) {
  if (!results->published_count) {
    printf("%s has no published values: its spec says none for these tasks and points\n", results->name);
    return EXIT_OK;
  }
  sfnec_published_verdict *verdicts = NULL;
  const int code = code_of(sfnec_verdicts_make(results, &verdicts));
  if (code) return code;
  double most = 0, squares = 0;
  size_t known = 0, agree = 0;
  for (size_t i = 0; i < results->published_count; i++) {
    most = fmax(most, fabs(verdicts[i].published->mean));
    if (!sfnec_verdict_known(&verdicts[i])) continue;
    known++;
    agree += sfnec_verdict_agrees(&verdicts[i]);
    squares += verdicts[i].errors * verdicts[i].errors;
  }
  grid grid = {.columns = 7, .words_last = true};
  text_split(&grid.cells, "configuration|task|runs|here|published|distance|", '|');
  for (size_t i = 0; i < results->published_count; i++) {
    add_verdict(&grid, results, &verdicts[i], grid_decimals(most));
  }
  grid_print(&grid);
  printf(
      "distance: in standard errors of both, or of ours alone where the published one is not known; up to 2 agrees\n");
  if (known) {
    printf("%zu of %zu published values agree%s; the squares of the distances add up to %.1f\n", agree, known,
           agree == 1 ? "s" : "", squares);
  }
  free(verdicts);
  return EXIT_OK;
}

// ---- a comparison ----

// 1, 2, 5, 10, 20, 50, ... and the last task; 0 past it
static uint32_t next_mark(uint32_t mark, uint32_t tasks) {
  if (mark >= tasks) return 0;
  uint64_t next = mark ? 0 : 1;
  for (uint64_t decade = 1; !next; decade *= 10)
    for (uint64_t digit = 1; digit <= 5 && !next; digit += digit == 1 ? 1 : 3)
      if (digit * decade > mark) next = digit * decade;
  return next < tasks ? (uint32_t)next : tasks;
}

enum { MOST_MARKS = 24 }; // three in each power of ten up to a million tasks, and the last task

typedef struct comparison {
  sfnec_analysis *after[MOST_MARKS]; // (marks) after so many tasks; the last: after all
  size_t marks;
} comparison;

static sfnec_status compare(const sfnec_results *results, comparison *c) {
  sfnec_status status = SFNEC_OK;
  // the table shows no intervals
  sfnec_analysis_options options = {.resamples = 1};
  for (uint32_t mark = 0; !status && (mark = next_mark(mark, results->tasks));) {
    options.task = mark;
    status = sfnec_analysis_make(results, &options, &c->after[c->marks]);
    c->marks += !status;
  }
  return status;
}

static void add_row(grid *grid, const comparison *c, size_t i, int decimals) {
  const sfnec_analysis *last = c->after[c->marks - 1];
  const sfnec_analysis_row *row = &last->rows[i];
  char text[GRID_CELL];
  grid_add(grid, "%s", row->configuration->name);
  for (size_t k = 0; k < c->marks; k++) {
    const sfnec_analysis_row *then = &c->after[k]->rows[i];
    grid_add(grid, "%s", then->runs.count ? grid_with_error(then->mean, then->error, false, decimals, text) : "-");
  }
  if (last->row_count > 1) {
    const bool known = row->runs.count && row->paired.count;
    const char *unknown = i == last->reference ? "" : "-";
    grid_add(grid, "%s",
             known ? grid_with_error(row->paired.mean.value, row->paired.error, true, decimals, text) : unknown);
  }
  const double speed = mean_of(last, i, "speed");
  grid_add(grid, "%.0f", isnan(speed) ? 0 : speed);
}

// of the tasks of the first agent's runs, which are those of all
static void add_optimum(grid *grid, const comparison *c, int decimals) {
  const sfnec_analysis *last = c->after[c->marks - 1];
  if (!sfnec_metric_is_return(&last->metric) || isnan(mean_of(last, 0, "optimum"))) return;
  grid_add(grid, "optimum");
  for (size_t k = 0; k < c->marks; k++) grid_add(grid, "%.*f", decimals, mean_of(c->after[k], 0, "optimum"));
  for (size_t i = c->marks + 1; i < grid->columns; i++) grid_add(grid, "%s", "");
}

static void print_comparison_table(const comparison *c, const sfnec_results *results) {
  const sfnec_analysis *last = c->after[c->marks - 1];
  const size_t seeds = results->configurations[0].run_count;
  const int decimals = choose_decimals(last) ? 2 : 0;
  grid grid = {.columns = c->marks + (last->row_count > 1) + 2};
  grid_add(&grid, "agent");
  for (size_t k = 0; k < c->marks; k++) {
    const uint32_t mark = c->after[k]->coverage.task;
    grid_add(&grid, "%" PRIu32 " task%s", mark, plural(mark));
  }
  if (last->row_count > 1) grid_add(&grid, "minus first");
  grid_add(&grid, "steps/s");
  for (size_t i = 0; i < last->row_count; i++) add_row(&grid, c, i, decimals);
  add_optimum(&grid, c, decimals);
  printf("\n%s after so many tasks, mean ± standard error over %zu seed%s, %s\n", last->metric.help, seeds,
         plural(seeds), results->env);
  grid_print(&grid);
  if (last->row_count > 1)
    printf("minus first: the %s after all tasks less that of %s, paired by seed\n",
           sfnec_metric_is_return(&last->metric) ? "average" : last->metric.name,
           last->rows[last->reference].configuration->name);
}

int comparison_print(const sfnec_results *results) {
  comparison c = {0};
  const sfnec_status status = compare(results, &c);
  if (!status && c.marks) print_comparison_table(&c, results);
  for (size_t k = 0; k < c.marks; k++) sfnec_analysis_destroy(c.after[k]);
  return code_of(status);
}
