// metrics.c: from stored results to the values of a metric; the contract is in analysis.h.
#include "study/analysis/analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "run/record.h"

// ---- the metrics ----

static double mean_field(const sfnec_record_field *field, const sfnec_task_record *tasks, uint32_t first,
                         uint32_t last) {
  double sum = 0;
  for (uint32_t i = first; i < last; i++) sum += sfnec_record_number(field, &tasks[i].result);
  return sum / (last - first);
}

static double mean_named(const char *name, const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  return mean_field(sfnec_record_find(sfnec_task_record_set(), name), tasks, first, last);
}

// the return of an episode: what counts where a task is so many episodes, not so many steps
static double return_per_episode(const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  return mean_named("total", tasks, first, last) / mean_named("episodes", tasks, first, last);
}

static double success(const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  return mean_named("goals", tasks, first, last) / mean_named("episodes", tasks, first, last);
}

// those of episodes that did not reach it count too, or giving up would pay
static double steps_to_goal(const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  return mean_named("steps", tasks, first, last) / mean_named("goals", tasks, first, last);
}

static double steps_per_second(const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  return mean_named("steps", tasks, first, last) / mean_named("seconds", tasks, first, last);
}

static double regret(const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  return mean_named("optimum", tasks, first, last) - mean_named("total", tasks, first, last);
}

// Where no episode ended in a bin, the mean return of those that ended last in the task still counts.
static double area_under_curve(const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  double area = 0, steps = 0;
  for (uint32_t t = first; t < last; t++) {
    double height = (double)NAN;
    for (uint32_t i = 0; i < tasks[t].bin_count; i++) {
      const sfnec_bin_result *bin = &tasks[t].bins[i];
      if (bin->episodes) height = bin->episode_return / (double)bin->episodes;
      if (isnan(height)) continue;
      area += height * (double)bin->steps;
      steps += (double)bin->steps;
    }
  }
  return area / steps;
}

// The last evaluation: the mean return of an episode over its weights.
static double last_evaluation(const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  for (uint32_t t = last; t-- > first;) {
    const sfnec_task_record *record = &tasks[t];
    double sum = 0, count = 0;
    for (uint32_t i = record->evaluation_count; i-- > 0;) {
      const sfnec_evaluation_result *evaluation = &record->evaluations[i];
      if (evaluation->step != record->evaluations[record->evaluation_count - 1].step) break;
      sum += evaluation->total / (double)evaluation->episodes;
      count++;
    }
    if (count > 0) return sum / count;
  }
  return (double)NAN;
}

static const sfnec_metric derived[] = {
    {"success", "share of the episodes that reached their end", false, NULL, success},
    {"steps-to-goal", "transitions per episode that reached its end", true, NULL, steps_to_goal},
    {"evaluation", "return of an episode in the last evaluation", false, NULL, last_evaluation},
    {"auc", "area under the return of an episode over steps, per step", false, NULL, area_under_curve},
    {"regret", "average optimum less the return, per task", true, NULL, regret},
    {"speed", "transitions per second", false, NULL, steps_per_second},
    {0},
};

// what is recorded, in the order of its table, and what follows from it
sfnec_metric sfnec_metric_at(size_t i) {
  size_t at = 0;
  for (const sfnec_record_field *field = sfnec_task_record_set()->fields; field->name; field++) {
    if (!field->metric) continue;
    if (at++ == i) return (sfnec_metric){field->metric, field->metric_help, field->less_is_better, field, NULL};
    if (field->headline && at++ == i)
      return (sfnec_metric){"episode-return", "average return per episode", false, NULL, return_per_episode};
  }
  return i - at < sizeof derived / sizeof *derived ? derived[i - at] : (sfnec_metric){0};
}

// names of earlier versions, which specs and scripts may still use
static const char *present_name(const char *name) {
  return name && strcmp(name, "places") == 0 ? "states" : name;
}

sfnec_status sfnec_metric_find(const char *name, sfnec_metric *out) {
  const char *near = NULL;
  char names[512] = "";
  name = present_name(name);
  for (size_t i = 0; (*out = sfnec_metric_at(i)).name; i++) {
    if (!name || strcmp(out->name, name) == 0) return SFNEC_OK;
    near = sfnec_text_nearer(name, near, out->name);
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", out->name);
  }
  if (near) return sfnec_fail(SFNEC_ERROR_OPTION, "there is no metric '%s'; did you mean '%s'?", name, near);
  return sfnec_fail(SFNEC_ERROR_OPTION, "there is no metric '%s'; there are %s", name, names);
}

sfnec_metric sfnec_metric_of_results(const sfnec_results *results) {
  sfnec_metric metric;
  const bool named = results->metric && !results->published_count;
  if (named && !sfnec_metric_find(results->metric, &metric)) return metric;
  return sfnec_metric_at(0);
}

bool sfnec_metric_is_return(const sfnec_metric *metric) {
  return metric->field && metric->field->headline;
}

double sfnec_metric_value(const sfnec_metric *metric, const sfnec_task_record *tasks, uint32_t first, uint32_t last) {
  if (!metric->field) return metric->value(tasks, first, last);
  return mean_field(metric->field, tasks, metric->field->level ? last - 1 : first, last);
}

// ---- how far the runs are ----

// the fewest tasks among the runs that are finished, or among those that have begun
static uint32_t common_task(const sfnec_results *results, bool finished) {
  uint32_t least = 0;
  for (size_t i = 0; i < results->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    if (!run->task_count || (finished && run->state != SFNEC_JOB_DONE)) continue;
    if (!least || run->task_count < least) least = run->task_count;
  }
  return least;
}

sfnec_status sfnec_coverage_find(const sfnec_results *results, uint32_t wanted, sfnec_coverage *out) {
  *out = (sfnec_coverage){.task = wanted, .wanted = results->run_count};
  if (!out->task) out->task = common_task(results, true);
  if (!out->task) out->task = common_task(results, false);
  uint32_t most = 0;
  for (size_t i = 0; i < results->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    out->done += run->state == SFNEC_JOB_DONE;
    out->failed += run->state == SFNEC_JOB_FAILED;
    const bool counts = out->task && run->task_count >= out->task;
    out->counted += counts;
    out->early += counts && run->state != SFNEC_JOB_DONE;
    if (run->task_count > most) most = run->task_count;
  }
  if (out->counted) return SFNEC_OK;
  if (!most)
    return sfnec_fail(SFNEC_ERROR_STATE, "%s: no run has finished a task yet; run the experiment further",
                      results->folder);
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "%s: no run has finished task %u yet: the furthest has %u; choose a task up to that",
                    results->folder, (unsigned)wanted, (unsigned)most);
}

// ---- the values of runs ----

// appends a run's value, and its values by task if there is room for them; false if any is not a finite number
static bool take_run(const sfnec_result_run *run, const sfnec_metric *metric, uint32_t task, sfnec_run_values *out,
                     size_t room) {
  out->seeds[out->count] = run->seed;
  out->values[out->count] = sfnec_metric_value(metric, run->tasks, 0, task);
  bool finite = isfinite(out->values[out->count]);
  // laid out for the room there is; closed up when the number of runs is known
  for (uint32_t t = 0; out->by_task && t < task; t++) {
    const double alone = sfnec_metric_value(metric, run->tasks, t, t + 1);
    finite = finite && isfinite(alone);
    out->by_task[t * room + out->count] = alone;
  }
  return finite;
}

sfnec_status sfnec_run_values_take(const sfnec_results *results, size_t configuration, const sfnec_metric *metric,
                                   uint32_t task, bool by_task, sfnec_arena *arena, sfnec_run_values *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  const size_t room = of->run_count;
  *out = (sfnec_run_values){
      .seeds = sfnec_arena_alloc(arena, room, sizeof *out->seeds),
      .values = sfnec_arena_alloc(arena, room, sizeof *out->values),
      .by_task = by_task ? sfnec_arena_alloc(arena, room * task, sizeof *out->by_task) : NULL,
  };
  if (!out->seeds || !out->values || (by_task && !out->by_task)) return sfnec_fail_memory("the values of a metric");
  for (size_t i = 0; i < room; i++) {
    const sfnec_result_run *run = &results->runs[of->first_run + i];
    if (run->task_count >= task && take_run(run, metric, task, out, room)) out->count++;
  }
  for (uint32_t t = 1; by_task && t < task; t++)
    memmove(out->by_task + t * out->count, out->by_task + t * room, out->count * sizeof *out->by_task);
  return SFNEC_OK;
}

// ---- whether runs solve their environment ----

// Each window is added up again, so that the mean of equal returns is that return.
static double mean_of(const sfnec_episode_result *episodes, uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += episodes[i].total;
  return sum / count;
}

// The best window of a task with enough episodes, and when the first that reaches the criterion ends (0: none does).
static double judge(const sfnec_task_record *task, sfnec_criterion criterion, uint32_t *after) {
  double best = -(double)INFINITY;
  *after = 0;
  for (uint32_t end = criterion.window; end <= task->episode_count; end++) {
    const double mean = mean_of(task->episodes + end - criterion.window, criterion.window);
    if (!*after && mean >= criterion.mean) *after = end;
    best = fmax(best, mean);
  }
  return best;
}

sfnec_status sfnec_solved_find(const sfnec_results *results, size_t configuration, sfnec_criterion criterion,
                               uint32_t task, sfnec_arena *arena, sfnec_solved *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  double *bests = sfnec_arena_alloc(arena, of->run_count, sizeof *bests);
  double *afters = sfnec_arena_alloc(arena, of->run_count, sizeof *afters);
  if (!bests || !afters) return sfnec_fail_memory("the statistics");
  *out = (sfnec_solved){0};
  for (size_t i = 0; i < of->run_count; i++) {
    const sfnec_result_run *run = &results->runs[of->first_run + i];
    if (run->task_count < task || run->tasks[task - 1].episode_count < criterion.window) continue;
    uint32_t after;
    bests[out->runs++] = judge(&run->tasks[task - 1], criterion, &after);
    if (after) afters[out->solved++] = after;
  }
  out->best = sfnec_stats_mean(bests, out->runs);
  out->best_error = sfnec_stats_error(bests, out->runs);
  out->after = sfnec_stats_mean(afters, out->solved);
  out->after_error = sfnec_stats_error(afters, out->solved);
  return SFNEC_OK;
}
