// evaluations.c: evaluation on the side of a run; see evaluations.h.
#include "run/evaluations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/vector.h"
#include "run/play.h"
#include "run/record.h"

// ---- what was found ----

void sfnec_evaluations_free(sfnec_evaluations *evaluations) {
  free(evaluations->items);
  free(evaluations->features);
  *evaluations = (sfnec_evaluations){0};
}

static bool reserve(sfnec_evaluations *evaluations, size_t n, uint32_t room) {
  if (room <= evaluations->room) return true;
  if (!SFNEC_WIDEN(evaluations->items, room) || !SFNEC_WIDEN(evaluations->features, room * n)) return false;
  evaluations->room = room;
  return true;
}

sfnec_evaluation_result *sfnec_evaluations_add(sfnec_evaluations *evaluations, size_t n, double **features) {
  const uint32_t at = evaluations->count;
  if (at == evaluations->room && !reserve(evaluations, n, 2 * at + 8)) return NULL;
  evaluations->count++;
  evaluations->items[at] = (sfnec_evaluation_result){0};
  *features = evaluations->features + at * n;
  memset(*features, 0, n * sizeof **features);
  return &evaluations->items[at];
}

double sfnec_evaluations_mean(const sfnec_evaluations *evaluations, uint32_t count) {
  double sum = 0;
  for (uint32_t i = evaluations->count - count; i < evaluations->count; i++)
    sum += evaluations->items[i].total / (double)evaluations->items[i].episodes;
  return sum / count;
}

void sfnec_evaluations_write(const sfnec_evaluations *evaluations, size_t n, sfnec_writer *writer) {
  sfnec_write_u32(writer, evaluations->count);
  for (uint32_t i = 0; i < evaluations->count; i++) {
    sfnec_record_write(sfnec_evaluation_record_set(), &evaluations->items[i], writer);
    sfnec_write_bytes(writer, evaluations->features + i * n, n * sizeof(double));
  }
}

sfnec_status sfnec_evaluations_read(sfnec_evaluations *evaluations, size_t n, uint32_t edition, sfnec_reader *reader) {
  const sfnec_record_set *set = sfnec_evaluation_record_set();
  const uint32_t count = sfnec_read_u32(reader);
  if (!sfnec_reader_holds(reader, count, sfnec_record_size(set, edition) + n * sizeof(double))) {
    return sfnec_reader_refuse(reader, "its evaluations end early");
  }
  *evaluations = (sfnec_evaluations){0};
  if (!reserve(evaluations, n, count)) return sfnec_fail_memory("a checkpoint");
  evaluations->count = count;
  for (uint32_t i = 0; i < count && sfnec_reader_good(reader); i++) {
    double *features = evaluations->features + i * n;
    sfnec_record_read(set, edition, &evaluations->items[i], reader);
    sfnec_read_bytes(reader, features, n * sizeof *features);
    if (!sfnec_record_check(set, edition, &evaluations->items[i]) || !sfnec_all_within_f64(features, n, 1e300)) {
      return sfnec_reader_refuse(reader, "one of its evaluations is none");
    }
  }
  return SFNEC_OK;
}

// ---- playing ----

void sfnec_evaluator_free(sfnec_evaluator *evaluator) {
  // copies, which are constant for those who only look
  free((void *)evaluator->options.weights);
  free((void *)evaluator->options.best_path);
  free((void *)evaluator->options.best_note);
  *evaluator = (sfnec_evaluator){0};
}

// Plays the episodes of one weight vector; phi adds up in `features`.
static sfnec_status play_episodes(sfnec_play *play, const sfnec_evaluate_options *options,
                                  sfnec_evaluation_result *result, double *features) {
  while (result->episodes < options->episodes) {
    const int64_t before = play->in_episode ? play->steps : 0;
    const sfnec_status status = sfnec_play_step(play, before + 1 >= options->episode_steps);
    if (status) return status;
    result->steps++;
    result->total += play->reward;
    for (int32_t i = 0; i < play->feature_count; i++) features[i] += play->features[i];
    result->episodes += !play->in_episode;
    result->goals += play->terminated;
  }
  return SFNEC_OK;
}

// One weight vector of the list (number from 1), or (0) the task's own, by which the agent acts as it would if it did
// not explore.
static sfnec_status play_weights(const sfnec_evaluator *evaluator, const sfnec_play *task, const double *w,
                                 uint32_t number, int64_t step, sfnec_evaluations *out) {
  sfnec_env *env = evaluator->env;
  const size_t n = (size_t)sfnec_env_get_shape(env).feature_count;
  double *features = NULL;
  sfnec_evaluation_result *result = sfnec_evaluations_add(out, n, &features);
  if (!result) return sfnec_fail_memory("an evaluation");
  result->step = step;
  result->weights = number;
  sfnec_scratch *scratch = NULL;
  sfnec_play play = {0};
  sfnec_status status = sfnec_env_restart(env);
  if (!status) status = sfnec_scratch_create(task->agent, &scratch);
  if (!status) status = sfnec_play_open_greedy(&play, task->agent, scratch, env, w);
  play.own_weights = number == 0;
  if (play.own_weights) play.function = task->function, play.context = task->context;
  if (!status) status = play_episodes(&play, &evaluator->options, result, features);
  sfnec_play_close(&play);
  sfnec_scratch_destroy(scratch);
  return status;
}

sfnec_status sfnec_evaluator_play(const sfnec_evaluator *evaluator, const sfnec_play *task, int64_t step,
                                  sfnec_evaluations *out) {
  const sfnec_evaluate_options *options = &evaluator->options;
  const size_t n = (size_t)sfnec_env_get_shape(evaluator->env).feature_count;
  const uint32_t before = out->count;
  sfnec_status status = SFNEC_OK;
  if (!options->weight_count) status = play_weights(evaluator, task, task->w, 0, step, out);
  for (uint32_t i = 0; i < options->weight_count && !status; i++)
    status = play_weights(evaluator, task, options->weights + i * n, i + 1, step, out);
  if (status) out->count = before;
  return status;
}
