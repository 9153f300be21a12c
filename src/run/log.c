// log.c: reading logs of transitions, and learning from them; see log.h.
#include "run/log.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"

// the longest note that is read; an agent takes no more
enum { NOTE_MOST = 65535 };

static sfnec_status refuse(const sfnec_log *log, const char *what, const char *why) {
  return sfnec_fail(SFNEC_ERROR_FORMAT, "the log %s: %s %s", sfnec_npz_path(log->npz), what, why);
}

// ---- the arrays ----

// The first array of some names (NULL-terminated).
static const sfnec_npz_array *find(const sfnec_log *log, const char *const *names) {
  const sfnec_npz_array *array = NULL;
  for (; *names && !array; names++) array = sfnec_npz_find(log->npz, *names);
  return array;
}

static void find_arrays(sfnec_log *log) {
  log->observations = find(log, (const char *const[]){"observations", "obs", NULL});
  log->next_observations = find(log, (const char *const[]){"next_observations", "next_obs", NULL});
  log->actions = find(log, (const char *const[]){"actions", "action", NULL});
  log->rewards = find(log, (const char *const[]){"rewards", "reward", NULL});
  log->terminated = find(log, (const char *const[]){"terminals", "terminations", "terminated", "dones", NULL});
  log->truncated = find(log, (const char *const[]){"timeouts", "truncations", "truncated", NULL});
  log->features = find(log, (const char *const[]){"features", "phi", NULL});
  log->tasks = sfnec_npz_find(log->npz, "tasks");
  log->weights = sfnec_npz_find(log->npz, "weights");
}

// Numbers of a row; 0 for an array that has other rows than the log, or no numbers that are read.
static uint64_t columns_of(const sfnec_log *log, const sfnec_npz_array *array) {
  if (array->refused || array->dims < 1 || array->shape[0] != log->count || log->count == 0) return 0;
  return array->count / log->count;
}

// Checks an array that has `columns` numbers a row, 0: any number of them. One that is missing is fine.
static sfnec_status check(const sfnec_log *log, const sfnec_npz_array *array, uint64_t columns) {
  if (!array) return SFNEC_OK;
  if (array->refused) return refuse(log, array->name, array->refused);
  const uint64_t there = columns_of(log, array);
  if (!there) return refuse(log, array->name, "has another number of rows than the observations, or no numbers");
  if (there > SFNEC_SIZE_MOST || (columns && there != columns))
    return refuse(log, array->name, "has too many numbers a row, or other ones than the array that it goes with");
  return SFNEC_OK;
}

static sfnec_status check_actions(sfnec_log *log) {
  double greatest = 0.0;
  for (uint64_t i = 0; i < log->count; i++) {
    const double action = sfnec_npz_number(log->actions, i);
    if (!(action >= 0.0 && action < SFNEC_SIZE_MOST && floor(action) == action))
      return refuse(log, log->actions->name,
                    "are no numbers of discrete actions, from 0: replace each by the number of the nearest action");
    if (action > greatest) greatest = action;
  }
  log->shape.action_count = (int32_t)greatest + 1;
  return SFNEC_OK;
}

// Tasks and their weights go together, and count only with features.
static sfnec_status check_tasks(sfnec_log *log) {
  const uint64_t k = (uint64_t)log->shape.feature_count;
  if (!log->weights || !log->tasks || !log->features) {
    log->tasks = log->weights = NULL;
    return SFNEC_OK;
  }
  sfnec_status status = check(log, log->tasks, 1);
  if (!status && (log->weights->refused || log->weights->dims != 2 || log->weights->shape[1] != k))
    status = refuse(log, "weights", "are not one row of a weight per feature for each task");
  for (uint64_t i = 0; i < log->count && !status; i++) {
    const double task = sfnec_npz_number(log->tasks, i);
    if (!(task >= 0.0 && task < (double)log->weights->shape[0] && floor(task) == task))
      status = refuse(log, "tasks", "has a number that no row of weights stands for");
  }
  log->task_count = status ? 0 : (uint32_t)log->weights->shape[0];
  return status;
}

static sfnec_status read_note(sfnec_log *log) {
  const sfnec_npz_array *note = sfnec_npz_find(log->npz, "note");
  const bool text = note && note->type == SFNEC_NPZ_U1 && !note->refused && note->count <= NOTE_MOST;
  const size_t size = text ? (size_t)note->count : 0;
  log->note = calloc(size + 1, 1);
  if (!log->note) return sfnec_fail_memory("the note of a log");
  if (size) memcpy(log->note, note->data, size);
  return SFNEC_OK;
}

static sfnec_status read(sfnec_log *log) {
  find_arrays(log);
  if (!log->observations) return refuse(log, "it", "has no array observations");
  if (!log->actions) return refuse(log, "it", "has no array actions");
  if (!log->rewards && !log->features) return refuse(log, "it", "has neither an array rewards nor features");
  log->count = log->observations->dims ? log->observations->shape[0] : 0;
  sfnec_status status = check(log, log->observations, 0);
  if (status) return status;
  const uint64_t d = columns_of(log, log->observations);
  status = check(log, log->next_observations, d);
  if (!status) status = check(log, log->actions, 1);
  if (!status) status = check(log, log->rewards, log->features ? 1 : 0);
  if (!status) status = check(log, log->terminated, 1);
  if (!status) status = check(log, log->truncated, 1);
  if (!status) status = check(log, log->features, 0);
  if (status) return status;
  log->shape.observation_size = (int32_t)d;
  log->shape.feature_count = (int32_t)columns_of(log, log->features ? log->features : log->rewards);
  status = check_actions(log);
  if (!status) status = check_tasks(log);
  return status ? status : read_note(log);
}

sfnec_status sfnec_log_open_memory(const void *bytes, size_t size, const char *path, sfnec_log *log) {
  *log = (sfnec_log){0};
  sfnec_status status = sfnec_npz_open_memory(bytes, size, path, &log->npz);
  if (!status) status = read(log);
  if (status) sfnec_log_close(log);
  return status;
}

sfnec_status sfnec_log_open(const char *path, sfnec_log *log) {
  *log = (sfnec_log){0};
  sfnec_status status = sfnec_npz_open(path, &log->npz);
  if (!status) status = read(log);
  if (status) sfnec_log_close(log);
  return status;
}

void sfnec_log_close(sfnec_log *log) {
  sfnec_npz_close(log->npz);
  free(log->note);
  *log = (sfnec_log){0};
}

// ---- rows ----

sfnec_status sfnec_logged_row_create(const sfnec_log *log, sfnec_logged_row *row) {
  const size_t d = (size_t)log->shape.observation_size;
  *row = (sfnec_logged_row){.observation = calloc(d, sizeof(float)),
                            .next_observation = calloc(d, sizeof(float)),
                            .features = calloc((size_t)log->shape.feature_count, sizeof(double))};
  if (row->observation && row->next_observation && row->features) return SFNEC_OK;
  sfnec_logged_row_free(row);
  return sfnec_fail_memory("a row of a log");
}

void sfnec_logged_row_free(sfnec_logged_row *row) {
  free(row->observation);
  free(row->next_observation);
  free(row->features);
  *row = (sfnec_logged_row){0};
}

static float to_float(double number) {
  return fabs(number) <= (double)FLT_MAX ? (float)number : INFINITY;
}

static void get_observation(const sfnec_npz_array *array, uint64_t row, size_t size, float *observation) {
  for (size_t c = 0; c < size; c++) observation[c] = to_float(sfnec_npz_number(array, row * size + c));
}

static bool get_flag(const sfnec_npz_array *array, uint64_t i) {
  return array && sfnec_npz_number(array, i) != 0.0;
}

// Is it known where a row led? Where that is the next row's observation: not of the last row, and not of one that was
// cut off, but for those that terminated, as nothing is learned from where these led.
static bool is_known(const sfnec_log *log, uint64_t i) {
  if (log->next_observations || get_flag(log->terminated, i)) return true;
  return i + 1 < log->count && !get_flag(log->truncated, i);
}

void sfnec_log_get(const sfnec_log *log, uint64_t i, sfnec_logged_row *row) {
  const size_t d = (size_t)log->shape.observation_size, k = (size_t)log->shape.feature_count;
  const bool terminated = get_flag(log->terminated, i);
  const sfnec_npz_array *phi = log->features ? log->features : log->rewards;
  const bool scalar = log->rewards && columns_of(log, log->rewards) == 1;
  get_observation(log->observations, i, d, row->observation);
  if (log->next_observations) get_observation(log->next_observations, i, d, row->next_observation);
  else get_observation(log->observations, terminated || i + 1 == log->count ? i : i + 1, d, row->next_observation);
  for (size_t c = 0; c < k; c++) row->features[c] = sfnec_npz_number(phi, i * k + c);
  row->known = is_known(log, i);
  row->task = log->tasks ? (uint32_t)sfnec_npz_number(log->tasks, i) : 0;
  // the transition before one that is left out is the last of its piece
  const bool hole = i + 1 < log->count && !is_known(log, i + 1);
  row->transition = (sfnec_transition){.action = (int32_t)sfnec_npz_number(log->actions, i),
                                       .features = row->features,
                                       .reward = scalar ? sfnec_npz_number(log->rewards, i) : 0.0,
                                       .next_observation = row->next_observation,
                                       .terminated = terminated,
                                       .truncated = !terminated && (get_flag(log->truncated, i) || hole)};
}

void sfnec_log_get_weights(const sfnec_log *log, uint32_t task, double *w) {
  const size_t k = (size_t)log->shape.feature_count;
  for (size_t c = 0; c < k; c++) w[c] = sfnec_npz_number(log->weights, task * k + c);
}

// ---- learning ----

typedef struct lesson {
  const sfnec_log *log;
  sfnec_agent *agent;
  sfnec_logged_row row;
  bool given;    // the caller gave the weights of all rows
  bool dotted;   // the reward is phi . w, not what was logged
  double *w;     // (feature_count), of the present task
  uint32_t task; // of the log, plus 1; 0: none was begun
  sfnec_log_lesson *told;
} lesson;

static sfnec_status check_shape(const lesson *lesson) {
  const sfnec_env_shape a = sfnec_agent_get_shape(lesson->agent), l = lesson->log->shape;
  if (a.observation_size == l.observation_size && a.feature_count == l.feature_count &&
      a.action_count >= l.action_count)
    return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "the log %s does not fit the agent: it has %d observations, %d actions and %d features, the agent "
                    "%d, %d and %d",
                    sfnec_npz_path(lesson->log->npz), (int)l.observation_size, (int)l.action_count,
                    (int)l.feature_count, (int)a.observation_size, (int)a.action_count, (int)a.feature_count);
}

static sfnec_status begin_task(lesson *lesson) {
  const sfnec_agent_options *options = sfnec_agent_get_options(lesson->agent);
  sfnec_agent *agent = lesson->agent;
  const sfnec_log *log = lesson->log;
  const bool first = lesson->task == 0;
  lesson->task = lesson->row.task + 1;
  const bool needed = options->w == SFNEC_W_GIVEN && options->predict == SFNEC_PREDICT_FEATURES;
  const bool alone = !log->features && log->shape.feature_count == 1;
  sfnec_status status = sfnec_agent_end_episode(agent);
  if (status) return status;
  if (!lesson->given && log->weights) sfnec_log_get_weights(log, lesson->row.task, lesson->w);
  else if (!lesson->given && alone) lesson->w[0] = 1.0;
  else if (!lesson->given && (needed || lesson->dotted))
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "the log %s does not say the reward weights of its %d features; give them (--w), or rewards and "
                      "an agent that learns them (w=rls)",
                      sfnec_npz_path(log->npz), (int)log->shape.feature_count);
  if (!first && options->tasks == SFNEC_TASKS_DETECT) return SFNEC_OK;
  return sfnec_agent_begin_task(agent, options->w == SFNEC_W_GIVEN ? lesson->w : NULL, NULL);
}

static sfnec_status learn_row(lesson *lesson, uint64_t i) {
  sfnec_logged_row *row = &lesson->row;
  sfnec_log_get(lesson->log, i, row);
  if (!row->known) {
    lesson->told->left_out++;
    return SFNEC_OK;
  }
  if (lesson->given) row->task = 0;
  sfnec_status status = lesson->task == row->task + 1 ? SFNEC_OK : begin_task(lesson);
  if (status) return status;
  if (lesson->dotted)
    row->transition.reward = sfnec_dot(row->features, lesson->w, (size_t)lesson->log->shape.feature_count);
  status = sfnec_agent_learn_transition(lesson->agent, row->observation, &row->transition);
  if (status) {
    char sentence[512];
    snprintf(sentence, sizeof sentence, "%s", sfnec_last_error());
    return sfnec_fail(status, "row %" PRIu64 " of the log %s: %s", i, sfnec_npz_path(lesson->log->npz), sentence);
  }
  lesson->told->learned++;
  lesson->told->episodes += row->transition.terminated || row->transition.truncated;
  return SFNEC_OK;
}

sfnec_status sfnec_log_learn(const sfnec_log *log, sfnec_agent *agent, const double *w, sfnec_log_lesson *told) {
  const size_t k = (size_t)log->shape.feature_count;
  const bool scalar = log->rewards && columns_of(log, log->rewards) == 1;
  lesson lesson = {.log = log, .agent = agent, .given = w != NULL, .dotted = w || !scalar, .told = told};
  *told = (sfnec_log_lesson){0};
  sfnec_status status = check_shape(&lesson);
  if (!status) status = sfnec_logged_row_create(log, &lesson.row);
  if (!status && !(lesson.w = calloc(k, sizeof *lesson.w))) status = sfnec_fail_memory("reward weights");
  if (!status && w) memcpy(lesson.w, w, k * sizeof *w);
  for (uint64_t i = 0; i < log->count && !status; i++) status = learn_row(&lesson, i);
  if (!status) status = sfnec_agent_end_episode(agent);
  sfnec_logged_row_free(&lesson.row);
  free(lesson.w);
  return status;
}
