// front.c: the points of several objectives and their Pareto front; see front.h.
#include "study/analysis/front.h"

#include "base/error.h"
#include "stats/pareto.h"

// the features of the last evaluation of a run under the weights of that number; NULL if there is none
static const double *last_under(const sfnec_result_run *run, int64_t weights, size_t *n, double *episodes) {
  for (uint32_t t = run->task_count; t-- > 0;) {
    const sfnec_task_record *record = &run->tasks[t];
    for (uint32_t i = record->evaluation_count; i-- > 0;) {
      if (record->evaluations[i].weights != weights || !record->feature_count) continue;
      *n = record->feature_count;
      *episodes = (double)record->evaluations[i].episodes;
      return record->features + (size_t)i * record->feature_count;
    }
  }
  return NULL;
}

static int64_t most_weights(const sfnec_results *results) {
  int64_t most = 0;
  for (size_t r = 0; r < results->run_count; r++)
    for (uint32_t t = 0; t < results->runs[r].task_count; t++)
      for (uint32_t i = 0; i < results->runs[r].tasks[t].evaluation_count; i++)
        if (results->runs[r].tasks[t].evaluations[i].weights > most)
          most = results->runs[r].tasks[t].evaluations[i].weights;
  return most;
}

const char *sfnec_front_missing(const sfnec_results *results) {
  const char *missing = sfnec_evaluations_missing(results);
  if (missing) return missing;
  const int64_t most = most_weights(results);
  return most < 2 || most > 10000 ? "it needs evaluations under at least two weight vectors" : NULL;
}

// means over the runs of a configuration; a vector that no run was evaluated under is left out
sfnec_status sfnec_front_take(const sfnec_results *results, size_t configuration, sfnec_arena *arena,
                              sfnec_front *out) {
  const sfnec_result_configuration *of = &results->configurations[configuration];
  const int64_t most = most_weights(results);
  *out = (sfnec_front){0};
  for (int64_t w = 1; w <= most; w++) {
    double *mean = NULL, runs = 0;
    for (size_t r = 0; r < of->run_count; r++) {
      size_t n = 0;
      double episodes = 1;
      const double *features = last_under(&results->runs[of->first_run + r], w, &n, &episodes);
      if (!features || (out->n && n != out->n)) continue;
      if (!out->means) out->means = sfnec_arena_alloc(arena, (size_t)most * n, sizeof *out->means);
      if (!out->means) return sfnec_fail_memory("the points of a Pareto front");
      out->n = n;
      mean = out->means + out->count * n;
      for (size_t k = 0; k < n; k++) mean[k] += features[k] / episodes;
      runs++;
    }
    for (size_t k = 0; mean && k < out->n; k++) mean[k] /= runs;
    out->count += mean != NULL;
  }
  out->front = sfnec_arena_alloc(arena, out->count, sizeof *out->front);
  if (!out->front) return sfnec_fail_memory("the points of a Pareto front");
  sfnec_pareto_front(out->means, out->count, out->n, out->front);
  return SFNEC_OK;
}
