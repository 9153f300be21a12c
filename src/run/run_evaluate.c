// run_evaluate.c: evaluation on the side of a run: when, and the best agent so far; the contract is in sfnec/run.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "run/state.h"

// the next multiple of `every`
static int64_t next_after(int64_t step, int64_t every) {
  const int64_t last = step - step % every;
  return every > INT64_MAX - last ? INT64_MAX : last + every;
}

// Saves the agent under the note that its file shall have; the agent keeps its own.
static sfnec_status save_best(sfnec_run *run) {
  const sfnec_evaluate_options *options = &run->evaluator.options;
  sfnec_agent *agent = run->play.agent;
  if (!options->best_note) return sfnec_agent_save(agent, options->best_path);
  char *own = strdup(sfnec_agent_get_note(agent));
  sfnec_status status = own ? sfnec_agent_set_note(agent, options->best_note) : sfnec_fail_memory("a note");
  if (!status) status = sfnec_agent_save(agent, options->best_path);
  if (own && sfnec_agent_set_note(agent, own) && !status) status = SFNEC_ERROR_MEMORY;
  free(own);
  return status;
}

sfnec_status sfnec_run_evaluate_now(sfnec_run *run) {
  sfnec_evaluator *evaluator = &run->evaluator;
  sfnec_evaluations *evaluations = &run->evaluations[run->task];
  const uint32_t before = evaluations->count;
  const int64_t step = sfnec_run_get_steps_done(run);
  sfnec_status status = sfnec_evaluator_play(evaluator, &run->play, step, evaluations);
  if (status) return status;
  // without weights of their own the tasks cannot be compared: each has a best of its own
  if (!evaluator->options.weight_count && before == 0) evaluator->best = -HUGE_VAL;
  const double mean = sfnec_evaluations_mean(evaluations, evaluations->count - before);
  if (evaluator->options.best_path && mean > evaluator->best) status = save_best(run);
  if (status) {
    evaluations->count = before;
    return status;
  }
  evaluator->best = fmax(evaluator->best, mean);
  evaluator->next = next_after(step, evaluator->options.every);
  return SFNEC_OK;
}

// What a run that was resumed has found before, and when it evaluates next.
static void recall(sfnec_run *run) {
  sfnec_evaluator *evaluator = &run->evaluator;
  const int64_t steps = sfnec_run_get_steps_done(run), every = evaluator->options.every;
  int64_t at = 0;
  evaluator->best = -HUGE_VAL;
  for (uint32_t task = 0; task <= run->task; task++) {
    sfnec_evaluations part = run->evaluations[task];
    const uint32_t count = part.count;
    if (!evaluator->options.weight_count && count) evaluator->best = -HUGE_VAL;
    for (uint32_t first = 0, last; first < count; first = last) {
      for (last = first; last < count && part.items[last].step == part.items[first].step; last++) continue;
      part.count = last;
      evaluator->best = fmax(evaluator->best, sfnec_evaluations_mean(&part, last - first));
      at = part.items[first].step;
    }
  }
  const bool missed = run->task_begun && steps % every == 0 && steps > at;
  evaluator->next = missed ? steps : next_after(steps, every);
}

static sfnec_status copy_options(sfnec_evaluator *evaluator, const sfnec_evaluate_options *options, size_t n) {
  evaluator->options = *options;
  const size_t size = options->weight_count * n * sizeof(double);
  double *weights = malloc(size ? size : 1);
  evaluator->options.weights = weights;
  evaluator->options.best_path = options->best_path ? strdup(options->best_path) : NULL;
  evaluator->options.best_note = options->best_note ? strdup(options->best_note) : NULL;
  if (!weights || !options->best_path != !evaluator->options.best_path ||
      !options->best_note != !evaluator->options.best_note) {
    sfnec_evaluator_free(evaluator);
    return sfnec_fail_memory("an evaluation");
  }
  if (size) memcpy(weights, options->weights, size);
  return SFNEC_OK;
}

sfnec_status sfnec_run_set_evaluation(sfnec_run *run, sfnec_env *env, const sfnec_evaluate_options *options) {
  if (!run || !env || !options) return sfnec_fail_null(__func__);
  sfnec_status status = sfnec_play_fits(run->play.agent, env);
  if (status) return status;
  const size_t n = (size_t)sfnec_env_get_shape(env).feature_count;
  if (options->every < 1 || options->episodes < 1 || options->episode_steps < 1 || env == run->play.env ||
      !options->weights != !options->weight_count) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "an evaluation needs a world of its own, and at least one step, one episode and one step of it");
  }
  if (options->weights && !sfnec_all_within_f64(options->weights, options->weight_count * n, SFNEC_NUMBER_MOST)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the weights of an evaluation must be finite, and none beyond %g",
                      SFNEC_NUMBER_MOST);
  }
  sfnec_evaluator_free(&run->evaluator);
  const bool of_rewards = sfnec_agent_get_options(run->play.agent)->predict != SFNEC_PREDICT_FEATURES;
  if (of_rewards && options->weight_count) return SFNEC_OK;
  sfnec_evaluator evaluator = {.env = env};
  status = copy_options(&evaluator, options, n);
  if (status) return status;
  run->evaluator = evaluator;
  recall(run);
  return SFNEC_OK;
}

const sfnec_evaluation_result *sfnec_run_get_evaluations(const sfnec_run *run, uint32_t task, uint32_t *count,
                                                         const double **features) {
  if (!run || !count || !features) return NULL;
  const sfnec_evaluations *evaluations = task < run->task ? &run->evaluations[task] : NULL;
  *count = evaluations ? evaluations->count : 0;
  *features = *count ? evaluations->features : NULL;
  return *count ? evaluations->items : NULL;
}
