// solved.c: whether runs solve their environment; the contract is in stats_solved.h.
#include "stats/solved.h"

#include <math.h>

#include "base/error.h"
#include "stats/stats.h"

// Each window is added up anew, so that the mean of equal returns is that return.
static double mean_of(const sfnec_episode_result *episodes, uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += episodes[i].total;
  return sum / count;
}

// The best window of a task with enough episodes, and when the first that reaches the goal ends (0: none does).
static double judge(const sfnec_task_record *task, sfnec_goal goal, uint32_t *after) {
  double best = -(double)INFINITY;
  *after = 0;
  for (uint32_t end = goal.window; end <= task->episode_count; end++) {
    const double mean = mean_of(task->episodes + end - goal.window, goal.window);
    if (!*after && mean >= goal.mean) *after = end;
    best = fmax(best, mean);
  }
  return best;
}

sfnec_status sfnec_solved_find(const sfnec_results *results, size_t configuration, sfnec_goal goal, uint32_t task,
                               sfnec_arena *arena, sfnec_solved *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  double *bests = sfnec_arena_alloc(arena, of->run_count, sizeof *bests);
  double *afters = sfnec_arena_alloc(arena, of->run_count, sizeof *afters);
  if (!bests || !afters) return sfnec_fail_memory("the statistics");
  *out = (sfnec_solved){0};
  for (size_t i = 0; i < of->run_count; i++) {
    const sfnec_result_run *run = &results->runs[of->first_run + i];
    if (run->task_count < task || run->tasks[task - 1].episode_count < goal.window) continue;
    uint32_t after;
    bests[out->runs++] = judge(&run->tasks[task - 1], goal, &after);
    if (after) afters[out->solved++] = after;
  }
  const double none = (double)NAN;
  out->best = out->runs ? sfnec_stats_mean(bests, out->runs) : none;
  out->best_error = out->runs ? sfnec_stats_error(bests, out->runs) : none;
  out->after = out->solved ? sfnec_stats_mean(afters, out->solved) : none;
  out->after_error = out->solved ? sfnec_stats_error(afters, out->solved) : none;
  return SFNEC_OK;
}
