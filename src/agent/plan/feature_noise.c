// feature_noise.c: see feature_noise.h.
#include "agent/plan/feature_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/constants.h"
#include "agent/plan/numbers.h"
#include "base/error.h"

sfnec_status sfnec_feature_noise_init(sfnec_feature_noise *noise, size_t size) {
  *noise = (sfnec_feature_noise){.size = size};
  noise->usual = calloc(size + 1, sizeof *noise->usual);
  noise->reach = calloc(size + 1, sizeof *noise->reach);
  return noise->usual && noise->reach ? SFNEC_OK : sfnec_fail_memory("a planner");
}

void sfnec_feature_noise_clear(sfnec_feature_noise *noise) {
  free(noise->usual), free(noise->reach);
  *noise = (sfnec_feature_noise){0};
}

void sfnec_feature_noise_forget(sfnec_feature_noise *noise) {
  memset(noise->reach, 0, noise->size * sizeof *noise->reach);
}

bool sfnec_feature_noise_any(const sfnec_feature_noise *noise) {
  bool any = false;
  for (size_t i = 0; i < noise->size; i++) any |= noise->reach[i] > 0.0f;
  return any;
}

double sfnec_feature_noise_remove(const sfnec_feature_noise *noise, size_t feature, double value) {
  const double usual = (double)noise->usual[feature];
  return fabs(value - usual) < (double)noise->reach[feature] ? usual : value;
}

// ---- finding it ----

// The last transitions of a log: a feature of each, in time order, and the actions.
typedef struct series {
  size_t count;
  uint32_t actions, *action; // (count)
  float *values, *sorted;    // (count)
  double *sums;              // (actions, 2): scratch
} series;

static int compare_floats(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// Reads a feature of the last `rows` transitions.
static void read_feature(const sfnec_transition_log *log, size_t feature, size_t rows, series *s) {
  const size_t skipped = log->count - rows;
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  s->count = 0;
  for (size_t t = 0; sfnec_transition_log_next(log, &cursor, &row); t++) {
    if (t < skipped) continue;
    s->action[s->count] = row.action;
    s->values[s->count++] = row.features[feature];
  }
}

static float sorted_median(float *values, size_t count) {
  qsort(values, count, sizeof *values, compare_floats);
  return values[count / 2];
}

// The median, and the standard deviation of what is around it; 0 where values repeat, as they would not under noise.
static double find_spread(series *s, float *usual) {
  memcpy(s->sorted, s->values, s->count * sizeof *s->values);
  *usual = sorted_median(s->sorted, s->count);
  size_t distinct = 1;
  for (size_t i = 1; i < s->count; i++) distinct += s->sorted[i] != s->sorted[i - 1];
  if (2 * distinct <= s->count) return 0.0;
  for (size_t i = 0; i < s->count; i++) s->sorted[i] = fabsf(s->values[i] - *usual);
  return (double)sorted_median(s->sorted, s->count) / SFNEC_NORMAL_MEDIAN;
}

// Whether deviations within reach are like noise: nearly all are, they follow neither from the one before nor from the
// one before that, and hardly from the action.
static bool is_noise(const series *s, float usual, double reach) {
  double power = 0.0, next[2] = {0.0, 0.0}, between = 0.0, mean = 0.0, last[2] = {0.0, 0.0};
  size_t within = 0;
  memset(s->sums, 0, 2 * (size_t)s->actions * sizeof *s->sums);
  for (size_t t = 0; t < s->count; t++) {
    const double off = (double)s->values[t] - (double)usual, away = fabs(off) < reach ? off : 0.0;
    within += fabs(off) < reach;
    power += away * away;
    mean += away;
    for (size_t lag = 0; lag < 2; lag++) next[lag] += away * last[lag];
    s->sums[2 * s->action[t]] += away;
    s->sums[2 * s->action[t] + 1] += 1.0;
    last[1] = last[0];
    last[0] = away;
  }
  for (uint32_t a = 0; a < s->actions; a++) {
    if (s->sums[2 * a + 1] > 0.0) between += s->sums[2 * a] * s->sums[2 * a] / s->sums[2 * a + 1];
  }
  between -= mean * mean / (double)s->count;
  const double chance = power / (double)s->count; // that each action but one explains of white noise
  return (double)within >= SFNEC_FEATURE_NOISE_USUAL * (double)s->count &&
         fabs(next[0]) <= SFNEC_FEATURE_NOISE_WHITE * power && fabs(next[1]) <= SFNEC_FEATURE_NOISE_WHITE * power &&
         between - (double)(s->actions - 1) * chance <= SFNEC_FEATURE_NOISE_EXPLAINED * power;
}

// How far noise of a feature goes from its usual value; 0: there is none.
static float find_reach(series *s, float *usual) {
  const double reach = find_spread(s, usual) * sqrt(2.0 * log((double)s->count));
  return reach > 0.0 && reach < (double)SFNEC_FEATURE_MOST && is_noise(s, *usual, reach) ? (float)reach : 0.0f;
}

sfnec_status sfnec_feature_noise_fit(sfnec_feature_noise *noise, const sfnec_transition_log *log, uint64_t most,
                                     bool *found) {
  size_t rows = log->count < SFNEC_FEATURE_NOISE_ROWS ? log->count : SFNEC_FEATURE_NOISE_ROWS;
  if (rows > most) rows = (size_t)most;
  series s = {.actions = log->actions};
  *found = false;
  if (rows < SFNEC_FEATURE_NOISE_LEAST) return SFNEC_OK;
  s.action = malloc(rows * sizeof *s.action);
  s.values = malloc(rows * sizeof *s.values);
  s.sorted = malloc(rows * sizeof *s.sorted);
  s.sums = malloc(2 * (size_t)s.actions * sizeof *s.sums);
  const bool room = s.action && s.values && s.sorted && s.sums;
  for (size_t i = 0; i < noise->size && room; i++) {
    read_feature(log, i, rows, &s);
    float usual;
    const float reach = find_reach(&s, &usual);
    *found |= (reach > 0.0f) != (noise->reach[i] > 0.0f);
    noise->reach[i] = reach;
    noise->usual[i] = usual;
  }
  free(s.action), free(s.values), free(s.sorted), free(s.sums);
  return room ? SFNEC_OK : sfnec_fail_memory("a planner");
}

// ---- files ----

void sfnec_feature_noise_save(const sfnec_feature_noise *noise, sfnec_writer *writer) {
  plan_write_floats(writer, noise->usual, noise->size);
  plan_write_floats(writer, noise->reach, noise->size);
}

sfnec_status sfnec_feature_noise_load(sfnec_feature_noise *noise, sfnec_reader *reader) {
  sfnec_status status = plan_read_within(reader, noise->usual, noise->size, SFNEC_FEATURE_MOST);
  if (!status) status = plan_read_within(reader, noise->reach, noise->size, SFNEC_FEATURE_MOST);
  bool good = true;
  for (size_t i = 0; i < noise->size; i++) good &= noise->reach[i] >= 0.0f;
  return status || good ? status : sfnec_reader_refuse(reader, "noise of its features goes nowhere");
}
