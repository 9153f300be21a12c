// steps.c: curves over environment steps, from the bins of tasks or from recorded episodes; the contract is in
// series.h.
//
// All configurations share one grid of cells, so that their curves can be compared. What ends in a cell is added up
// before it is divided, so a cell of several bins is what one bin of its width would be.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run/record.h"
#include "study/analysis/series.h"

typedef struct grid {
  double *ends;    // (count) the environment step at which each cell ends
  uint32_t *tasks; // (count) the task that it belongs to; 0 all along where tasks end by episodes
  size_t count;
  bool even; // cells are even shares of the longest run, as each run has tasks of its own length
} grid;

static sfnec_status no_memory(void) {
  return sfnec_fail_memory("the curves of an experiment");
}

// ---- available results ----

static uint32_t piece_count(const sfnec_task_record *record, const sfnec_record_field *field) {
  return field ? record->bin_count : record->episode_count;
}

static size_t pieces_of(const sfnec_result_run *run, const sfnec_record_field *field) {
  size_t count = 0;
  for (uint32_t t = 0; t < run->task_count; t++) count += piece_count(&run->tasks[t], field);
  return count;
}

static double steps_of(const sfnec_result_run *run) {
  double steps = 0;
  for (uint32_t t = 0; t < run->task_count; t++) steps += (double)run->tasks[t].result.steps;
  return steps;
}

const char *sfnec_bins_missing(const sfnec_results *results) {
  for (size_t i = 0; i < results->run_count; i++)
    if (pieces_of(&results->runs[i], sfnec_bin_record_set()->fields)) return NULL;
  return "no curves over steps were recorded, by an older program or by 'record: {bins: 0}'";
}

// the longest of the runs that have something to draw; NULL if none has
static const sfnec_result_run *longest(const sfnec_results *results, const sfnec_record_field *field) {
  const sfnec_result_run *best = NULL;
  for (size_t i = 0; i < results->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    if (pieces_of(run, field) && (!best || steps_of(run) > steps_of(best))) best = run;
  }
  return best;
}

// ---- the grid ----

static void push_end(grid *grid, double end, uint32_t task) {
  grid->ends[grid->count] = end;
  grid->tasks[grid->count++] = task;
}

// the bins of a run, `stride` of a task to a cell
static void follow_bins(grid *grid, const sfnec_result_run *run, size_t stride) {
  double begin = 0;
  for (uint32_t t = 0; t < run->task_count; t++) {
    const sfnec_task_record *record = &run->tasks[t];
    double end = begin;
    begin += (double)record->result.steps;
    for (uint32_t i = 0; i < record->bin_count; i++) {
      end += (double)record->bins[i].steps;
      if ((i + 1) % stride == 0 && i + 1 < record->bin_count) push_end(grid, end, t);
    }
    push_end(grid, begin, t);
  }
}

static sfnec_status make_grid(const sfnec_results *results, const sfnec_record_field *field, size_t most,
                              sfnec_arena *arena, grid *out) {
  *out = (grid){.even = results->episodes || !field};
  const sfnec_result_run *run = longest(results, field);
  if (!run) return SFNEC_OK;
  const size_t pieces = pieces_of(run, field), stride = (pieces + most - 1) / most;
  const size_t room = pieces + run->task_count;
  out->ends = sfnec_arena_alloc(arena, room, sizeof *out->ends);
  out->tasks = sfnec_arena_alloc(arena, room, sizeof *out->tasks);
  if (!out->ends || !out->tasks) return no_memory();
  if (!out->even) follow_bins(out, run, stride);
  const size_t count = pieces < most ? pieces : most;
  for (size_t i = 0; out->even && i < count; i++) push_end(out, steps_of(run) * (double)(i + 1) / (double)count, 0);
  return SFNEC_OK;
}

// ---- one run ----

typedef struct cell {
  double sum, over;
} cell;

// what a bin or an episode adds to its cell, and its transitions
static cell piece_of(const sfnec_task_record *record, const sfnec_record_field *field, uint32_t i, double *steps) {
  if (!field) {
    *steps = (double)record->episodes[i].steps;
    return (cell){record->episodes[i].total, 1};
  }
  const sfnec_bin_result *bin = &record->bins[i];
  const sfnec_record_field *over = field->over ? sfnec_record_find(sfnec_bin_record_set(), field->over) : NULL;
  *steps = (double)bin->steps;
  return (cell){sfnec_record_number(field, bin), over ? sfnec_record_number(over, bin) : 1};
}

// adds a run up; returns how many cells it has come through
static size_t add_run(const sfnec_result_run *run, const sfnec_record_field *field, const grid *grid, cell *cells) {
  size_t at = 0, reached = 0;
  double begin = 0;
  for (uint32_t t = 0; t < run->task_count; t++) {
    const sfnec_task_record *record = &run->tasks[t];
    double end = begin, steps;
    for (uint32_t i = 0; i < piece_count(record, field); i++) {
      const cell piece = piece_of(record, field, i, &steps);
      end += steps;
      while (at + 1 < grid->count && grid->ends[at] < end - 0.5) at++;
      const bool level = field && field->level;
      cells[at] = level ? piece : (cell){cells[at].sum + piece.sum, cells[at].over + piece.over};
    }
    begin += (double)record->result.steps;
  }
  while (reached < grid->count && grid->ends[reached] <= begin + 0.5) reached++;
  return reached;
}

// a cell in which no episode ended repeats the last value of its task
static void divide(const cell *cells, const grid *grid, size_t reached, double *values) {
  for (size_t i = 0; i < reached; i++) {
    const bool same_task = i > 0 && grid->tasks[i] == grid->tasks[i - 1];
    values[i] = cells[i].over > 0 ? cells[i].sum / cells[i].over : same_task ? values[i - 1] : (double)NAN;
  }
}

// ---- curves ----

// as far as any run has come; where tasks end by episodes as far as the shortest, for the longer ones, which may be the
// best or the worst, would stand alone behind it
static void count_runs(const sfnec_results *results, size_t configuration, const sfnec_record_field *field,
                       const grid *grid, size_t *begun, size_t *count) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  *begun = *count = 0;
  for (size_t i = 0; i < of->run_count; i++) {
    const sfnec_result_run *run = &results->runs[of->first_run + i];
    if (!pieces_of(run, field)) continue;
    size_t reached = 0;
    while (reached < grid->count && grid->ends[reached] <= steps_of(run) + 0.5) reached++;
    if (!*begun || (results->episodes ? reached < *count : reached > *count)) *count = reached;
    ++*begun;
  }
}

sfnec_status sfnec_curve_steps(const sfnec_results *results, size_t configuration, const sfnec_record_field *field,
                               size_t most, uint32_t resamples, sfnec_arena *arena, sfnec_curve *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  grid grid;
  size_t begun = 0, count = 0;
  sfnec_status status = make_grid(results, field, most, arena, &grid);
  if (!status) count_runs(results, configuration, field, &grid, &begun, &count);
  if (!status) status = sfnec_curve_begin(arena, configuration, begun, count, out);
  cell *cells = status ? NULL : sfnec_arena_alloc(arena, grid.count + 1, sizeof *cells);
  if (!status && !cells) status = no_memory();
  for (size_t i = 0, row = 0; i < of->run_count && !status; i++) {
    const sfnec_result_run *run = &results->runs[of->first_run + i];
    if (!pieces_of(run, field)) continue;
    memset(cells, 0, grid.count * sizeof *cells);
    const size_t reached = add_run(run, field, &grid, cells);
    out->seeds[row] = run->seed;
    divide(cells, &grid, reached < count ? reached : count, out->values + row++ * count);
  }
  if (!status) status = sfnec_curve_judge(arena, resamples, out);
  for (size_t i = 0; i < count && grid.ends && !status; i++) out->points[i].x = floor(grid.ends[i] + 0.5);
  return status;
}

// ---- evaluations ----

const char *sfnec_evaluations_missing(const sfnec_results *results) {
  for (size_t i = 0; i < results->run_count; i++)
    for (uint32_t t = 0; t < results->runs[i].task_count; t++)
      if (results->runs[i].tasks[t].evaluation_count) return NULL;
  return "nothing was evaluated during learning; 'evaluate: {every: 5000}' in the spec of a new experiment does";
}

static int by_number(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// the steps at which any run of a configuration was evaluated, in order, each once
static sfnec_status list_steps(const sfnec_results *results, const sfnec_result_configuration *of, sfnec_arena *arena,
                               int64_t **steps, size_t *count) {
  for (size_t i = 0; i < of->run_count; i++) {
    const sfnec_result_run *run = &results->runs[of->first_run + i];
    for (uint32_t t = 0; t < run->task_count; t++)
      for (uint32_t k = 0; k < run->tasks[t].evaluation_count; k++) {
        *steps = sfnec_arena_grow(arena, *steps, *count, sizeof **steps);
        if (!*steps) return no_memory();
        (*steps)[(*count)++] = run->tasks[t].evaluations[k].step;
      }
  }
  if (*count) qsort(*steps, *count, sizeof **steps, by_number);
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++)
    if (!kept || (*steps)[kept - 1] != (*steps)[i]) (*steps)[kept++] = (*steps)[i];
  *count = kept;
  return SFNEC_OK;
}

static bool is_evaluated(const sfnec_result_run *run) {
  for (uint32_t t = 0; t < run->task_count; t++)
    if (run->tasks[t].evaluation_count) return true;
  return false;
}

static void take_evaluations(const sfnec_result_run *run, const int64_t *steps, size_t count, cell *cells,
                             double *values) {
  memset(cells, 0, count * sizeof *cells);
  for (uint32_t t = 0; t < run->task_count; t++)
    for (uint32_t k = 0; k < run->tasks[t].evaluation_count; k++) {
      const sfnec_evaluation_result *evaluation = &run->tasks[t].evaluations[k];
      const int64_t *at = bsearch(&evaluation->step, steps, count, sizeof *steps, by_number);
      cells[at - steps].sum += evaluation->total / (double)evaluation->episodes;
      cells[at - steps].over++;
    }
  for (size_t i = 0; i < count; i++) values[i] = cells[i].sum / cells[i].over;
}

sfnec_status sfnec_curve_evaluations(const sfnec_results *results, size_t configuration, uint32_t resamples,
                                     sfnec_arena *arena, sfnec_curve *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  int64_t *steps = NULL;
  size_t count = 0, begun = 0;
  for (size_t i = 0; i < of->run_count; i++) begun += is_evaluated(&results->runs[of->first_run + i]);
  sfnec_status status = list_steps(results, of, arena, &steps, &count);
  if (!status) status = sfnec_curve_begin(arena, configuration, begun, count, out);
  cell *cells = status ? NULL : sfnec_arena_alloc(arena, count + 1, sizeof *cells);
  if (!status && !cells) status = no_memory();
  for (size_t i = 0, row = 0; i < of->run_count && !status; i++) {
    const sfnec_result_run *run = &results->runs[of->first_run + i];
    if (!is_evaluated(run)) continue;
    out->seeds[row] = run->seed;
    take_evaluations(run, steps, count, cells, out->values + row++ * count);
  }
  if (!status) status = sfnec_curve_judge(arena, resamples, out);
  for (size_t i = 0; i < count && !status; i++) out->points[i].x = (double)steps[i];
  return status;
}

// ---- the last evaluation, by weights ----

// in the task that has the last one
static const sfnec_task_record *last_evaluated(const sfnec_result_run *run) {
  for (uint32_t t = run->task_count; t-- > 0;)
    if (run->tasks[t].evaluation_count) return &run->tasks[t];
  return NULL;
}

// the greatest number of weights among those of the last step
static size_t weights_of(const sfnec_task_record *record) {
  enum { MOST = 10000 }; // that a spec can have
  int64_t most = 0;
  for (uint32_t i = record->evaluation_count; i-- > 0;)
    if (record->evaluations[i].weights > most && record->evaluations[i].weights <= MOST)
      most = record->evaluations[i].weights;
  return (size_t)most;
}

sfnec_status sfnec_curve_weights(const sfnec_results *results, size_t configuration, sfnec_arena *arena,
                                 sfnec_curve *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  size_t begun = 0, count = 0;
  for (size_t i = 0; i < of->run_count; i++) {
    const sfnec_task_record *record = last_evaluated(&results->runs[of->first_run + i]);
    const size_t weights = record ? weights_of(record) : 0;
    begun += weights > 0;
    if (weights > count) count = weights;
  }
  sfnec_status status = sfnec_curve_begin(arena, configuration, begun, count, out);
  for (size_t i = 0, row = 0; i < of->run_count && !status; i++) {
    const sfnec_result_run *run = &results->runs[of->first_run + i];
    const sfnec_task_record *record = last_evaluated(run);
    if (!record || !weights_of(record)) continue;
    out->seeds[row] = run->seed;
    double *values = out->values + row++ * count;
    for (uint32_t k = record->evaluation_count; k-- > 0;) {
      const sfnec_evaluation_result *evaluation = &record->evaluations[k];
      if (evaluation->step != record->evaluations[record->evaluation_count - 1].step) break;
      if (evaluation->weights >= 1 && (size_t)evaluation->weights <= count)
        values[evaluation->weights - 1] = evaluation->total / (double)evaluation->episodes;
    }
  }
  return status ? status : sfnec_curve_judge(arena, 0, out);
}
