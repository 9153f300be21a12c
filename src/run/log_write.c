// log_write.c: recording transitions; see log.h.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "run/log.h"

// a log begins with room for so many rows, and doubles
enum { FIRST_ROOM = 1024 };

struct sfnec_log_writer {
  sfnec_env_shape shape;
  size_t count, room;
  float *observations, *next_observations;
  int32_t *actions, *tasks;
  double *features, *rewards;
  uint8_t *terminals, *timeouts;
  double *weights; // (task_count, feature_count)
  uint32_t task_count;
};

sfnec_status sfnec_log_writer_create(sfnec_env_shape shape, sfnec_log_writer **out) {
  sfnec_log_writer *writer = calloc(1, sizeof *writer);
  if (!writer) return sfnec_fail_memory("a log");
  writer->shape = shape;
  *out = writer;
  return SFNEC_OK;
}

void sfnec_log_writer_destroy(sfnec_log_writer *writer) {
  if (!writer) return;
  free(writer->observations);
  free(writer->next_observations);
  free(writer->actions);
  free(writer->tasks);
  free(writer->features);
  free(writer->rewards);
  free(writer->terminals);
  free(writer->timeouts);
  free(writer->weights);
  free(writer);
}

sfnec_status sfnec_log_writer_begin_task(sfnec_log_writer *writer, const double *w) {
  const size_t n = (size_t)writer->shape.feature_count;
  double *weights = realloc(writer->weights, (writer->task_count + (size_t)1) * n * sizeof *weights);
  if (!weights) return sfnec_fail_memory("a log");
  memcpy(weights + writer->task_count * n, w, n * sizeof *w);
  writer->weights = weights;
  writer->task_count++;
  return SFNEC_OK;
}

static sfnec_status grow(sfnec_log_writer *writer) {
  const size_t room = writer->room ? 2 * writer->room : FIRST_ROOM;
  const size_t d = (size_t)writer->shape.observation_size, n = (size_t)writer->shape.feature_count;
  const bool grown = SFNEC_WIDEN(writer->observations, room * d) && SFNEC_WIDEN(writer->next_observations, room * d) &&
                     SFNEC_WIDEN(writer->features, room * n) && SFNEC_WIDEN(writer->rewards, room) &&
                     SFNEC_WIDEN(writer->actions, room) && SFNEC_WIDEN(writer->tasks, room) &&
                     SFNEC_WIDEN(writer->terminals, room) && SFNEC_WIDEN(writer->timeouts, room);
  if (!grown) return sfnec_fail_memory("a log");
  writer->room = room;
  return SFNEC_OK;
}

sfnec_status sfnec_log_writer_add(sfnec_log_writer *writer, const float *observation,
                                  const sfnec_transition *transition) {
  const size_t d = (size_t)writer->shape.observation_size, n = (size_t)writer->shape.feature_count;
  const sfnec_status status = writer->count == writer->room ? grow(writer) : SFNEC_OK;
  if (status) return status;
  const size_t i = writer->count++;
  memcpy(writer->observations + i * d, observation, d * sizeof *observation);
  memcpy(writer->next_observations + i * d, transition->next_observation, d * sizeof *observation);
  memcpy(writer->features + i * n, transition->features, n * sizeof(double));
  writer->rewards[i] = transition->reward;
  writer->actions[i] = transition->action;
  writer->tasks[i] = writer->task_count ? (int32_t)writer->task_count - 1 : 0;
  writer->terminals[i] = transition->terminated;
  writer->timeouts[i] = transition->truncated && !transition->terminated;
  return SFNEC_OK;
}

// An array of the archive: so many rows of so many numbers, or of one number where `columns` is 0.
static sfnec_npz_array array_of(const char *name, sfnec_npz_type type, const void *data, size_t rows, int32_t columns) {
  sfnec_npz_array array = {.type = type, .dims = columns ? 2 : 1, .shape = {rows, (uint64_t)columns}, .data = data};
  strncpy(array.name, name, sizeof array.name - 1);
  array.count = rows * (columns ? (uint64_t)columns : 1);
  return array;
}

sfnec_status sfnec_log_writer_save(const sfnec_log_writer *writer, const char *note, const char *path) {
  const size_t n = writer->count;
  const int32_t d = writer->shape.observation_size, k = writer->shape.feature_count;
  const sfnec_npz_array arrays[] = {
      array_of("observations", SFNEC_NPZ_F4, writer->observations, n, d),
      array_of("actions", SFNEC_NPZ_I4, writer->actions, n, 0),
      array_of("rewards", SFNEC_NPZ_F8, writer->rewards, n, 0),
      array_of("next_observations", SFNEC_NPZ_F4, writer->next_observations, n, d),
      array_of("terminals", SFNEC_NPZ_B1, writer->terminals, n, 0),
      array_of("timeouts", SFNEC_NPZ_B1, writer->timeouts, n, 0),
      array_of("features", SFNEC_NPZ_F8, writer->features, n, k),
      array_of("tasks", SFNEC_NPZ_I4, writer->tasks, n, 0),
      array_of("weights", SFNEC_NPZ_F8, writer->weights, writer->task_count, k),
      array_of("note", SFNEC_NPZ_U1, note, strlen(note), 0),
  };
  return sfnec_npz_write(path, arrays, sizeof arrays / sizeof *arrays);
}
