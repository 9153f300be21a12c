// transition_log.c: two queues of rows in time order, ordinary ones and events; see transition_log.h.
#include "agent/plan/transition_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fields.h"
#include "base/grow.h"
#include "base/vector.h"

// Floats of a row.
static size_t width(const sfnec_transition_log *log) {
  return 2 * log->size + log->features;
}

sfnec_status sfnec_transition_log_init(sfnec_transition_log *log, size_t size, size_t features, uint32_t actions) {
  *log = (sfnec_transition_log){.size = size, .features = features, .actions = actions};
  const size_t by_memory = SFNEC_LOG_BYTES / (width(log) * sizeof(float) + sizeof(sfnec_log_row));
  const size_t by_work = (size_t)fmax(sqrt(SFNEC_LOG_WORK / (double)(size ? size : 1)), (double)SFNEC_LOG_ROWS_LEAST);
  const size_t rows = by_memory < by_work ? by_memory : by_work;
  log->capacity = rows < SFNEC_LOG_ROWS ? (uint32_t)rows : SFNEC_LOG_ROWS;
  log->next_fit = SFNEC_LOG_FIRST_FIT;
  log->next_events = SFNEC_LOG_FIRST_EVENTS;
  log->low = calloc(4 * size + features + 1, sizeof *log->low);
  log->votes = calloc(features + 1, sizeof *log->votes);
  if (!log->low || !log->votes) return sfnec_fail_memory("a log of transitions");
  log->high = log->low + size;
  log->least = log->high + size;
  log->most = log->least + size;
  log->usual = log->most + size;
  for (size_t i = 0; i < size; i++) log->least[i] = 1.0f;
  return SFNEC_OK;
}

void sfnec_transition_log_clear(sfnec_transition_log *log) {
  free(log->rows);
  free(log->numbers);
  free(log->low);
  free(log->votes);
  *log = (sfnec_transition_log){0};
}

size_t sfnec_transition_log_bytes(const sfnec_transition_log *log) {
  return log->room * (width(log) * sizeof(float) + sizeof(sfnec_log_row)) + (4 * log->size) * sizeof(float);
}

// ---- rows ----

// Room for one more row, doubled up to the capacity.
static sfnec_status grow(sfnec_transition_log *log) {
  if (log->count < log->room || log->room == log->capacity) return SFNEC_OK;
  const uint32_t wanted = log->room ? 2 * log->room : 64;
  const uint32_t room = wanted < log->capacity ? wanted : log->capacity;
  const bool whole = SFNEC_WIDEN(log->rows, room) && SFNEC_WIDEN(log->numbers, room * width(log));
  if (!whole) return sfnec_fail_memory("a log of transitions");
  log->room = room;
  return SFNEC_OK;
}

// A slot for a new row: a free one, or that of the row that can be spared most.
static uint32_t take_slot(sfnec_transition_log *log) {
  if (log->count < log->room) return log->count++;
  const sfnec_log_queue *queues = log->queues;
  const bool spare_event = queues[0].count == 0 || queues[1].count > log->capacity / SFNEC_LOG_EVENT_SHARE;
  sfnec_log_queue *queue = &log->queues[spare_event];
  const uint32_t slot = queue->oldest;
  queue->oldest = log->rows[slot].next;
  queue->count--;
  return slot;
}

// Puts a row that is filled at the end of its queue.
static void append(sfnec_transition_log *log, uint32_t slot) {
  sfnec_log_queue *queue = &log->queues[log->rows[slot].event];
  log->rows[slot].next = slot;
  if (queue->count) log->rows[queue->youngest].next = slot;
  if (!queue->count) queue->oldest = slot;
  queue->youngest = slot;
  queue->count++;
}

// Counts a feature towards its usual value; whether it is that.
static bool vote(sfnec_transition_log *log, size_t feature, float value) {
  uint32_t *votes = &log->votes[feature];
  if (*votes == 0) log->usual[feature] = value;
  const bool same = value == log->usual[feature];
  *votes += same ? *votes < UINT32_MAX : -1u;
  return same;
}

// Whether a feature has another than its usual value.
static bool is_unusual(sfnec_transition_log *log, const float *features) {
  bool unusual = false;
  for (size_t i = 0; i < log->features; i++) unusual |= !vote(log, i, features[i]);
  return unusual;
}

// Takes an observation into the ranges; whether a watched component is outside of its own.
static bool see_range(sfnec_transition_log *log, const float *observation) {
  bool outside = false;
  for (size_t i = 0; i < log->size; i++) {
    const float x = observation[i];
    if (x < log->low[i]) log->low[i] = x;
    if (x > log->high[i]) log->high[i] = x;
    outside |= log->least[i] <= log->most[i] && (x < log->least[i] || x > log->most[i]);
  }
  return outside;
}

sfnec_status sfnec_transition_log_add(sfnec_transition_log *log, const float *before, uint32_t action,
                                      const float *features, const float *after, bool terminated, bool last) {
  const sfnec_status status = grow(log);
  if (status) return status;
  if (log->seen == 0) {
    memcpy(log->low, before, log->size * sizeof *before);
    memcpy(log->high, before, log->size * sizeof *before);
  }
  see_range(log, before);
  log->outliers += see_range(log, after) && !terminated; // nothing follows from where an episode ended
  const bool event = is_unusual(log, features) || terminated;
  log->events += event;
  if (log->capacity) {
    const uint32_t slot = take_slot(log);
    log->rows[slot] = (sfnec_log_row){log->seen, action, log->episode, 0, terminated, event};
    float *numbers = log->numbers + slot * width(log);
    for (size_t i = 0; i < log->size; i++) numbers[i] = before[i] + 0.0f; // no negative zeros
    for (size_t i = 0; i < log->size; i++) numbers[log->size + i] = after[i] + 0.0f;
    if (log->features) memcpy(numbers + 2 * log->size, features, log->features * sizeof *features);
    append(log, slot);
  }
  log->seen++;
  log->episode += last;
  return SFNEC_OK;
}

sfnec_log_cursor sfnec_transition_log_start(const sfnec_transition_log *log) {
  const sfnec_log_queue *queues = log->queues;
  return (sfnec_log_cursor){{queues[0].oldest, queues[1].oldest}, {queues[0].count, queues[1].count}};
}

bool sfnec_transition_log_next(const sfnec_transition_log *log, sfnec_log_cursor *cursor,
                               sfnec_logged_transition *out) {
  if (!cursor->left[0] && !cursor->left[1]) return false;
  const bool event =
      !cursor->left[0] || (cursor->left[1] && log->rows[cursor->next[1]].time < log->rows[cursor->next[0]].time);
  const uint32_t slot = cursor->next[event];
  const sfnec_log_row *row = &log->rows[slot];
  const float *numbers = log->numbers + slot * width(log);
  *out = (sfnec_logged_transition){
      numbers, numbers + log->size, numbers + 2 * log->size, row->action, row->episode, row->terminated, row->event};
  cursor->next[event] = row->next;
  cursor->left[event]--;
  return true;
}

void sfnec_transition_log_swap(sfnec_transition_log *log, size_t feature, float *values) {
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  log->votes[feature] = 0; // the usual value is another one
  while (sfnec_transition_log_next(log, &cursor, &row)) {
    float *at = log->numbers + (size_t)(row.features - log->numbers) + feature;
    const float former = *at;
    *at = *values;
    *values++ = former;
    vote(log, feature, *at);
  }
}

// ---- when to fit ----

bool sfnec_transition_log_is_due(const sfnec_transition_log *log) {
  if (log->count < SFNEC_LOG_FIRST_FIT) return false;
  if (log->seen >= log->next_fit) return true;
  const bool news = log->events >= log->next_events || log->outliers >= SFNEC_LOG_OUTLIERS;
  return news && log->seen % SFNEC_LOG_FIT_INTERVAL == 0;
}

void sfnec_transition_log_schedule(sfnec_transition_log *log) {
  const uint64_t seen = 2 * log->seen, events = 2 * log->events;
  log->next_fit = seen < SFNEC_COUNT_MOST ? seen : SFNEC_COUNT_MOST;
  if (events > log->next_events) log->next_events = events < SFNEC_COUNT_MOST ? events : SFNEC_COUNT_MOST;
  log->outliers = 0;
}

void sfnec_transition_log_watch(sfnec_transition_log *log, const bool *watched) {
  for (size_t i = 0; i < log->size; i++) {
    const float margin = 0.5f * log->high[i] - 0.5f * log->low[i];
    const float least = log->low[i] - margin, most = log->high[i] + margin;
    const bool possible = watched[i] && isfinite(least) && isfinite(most);
    log->least[i] = possible ? least : 1.0f;
    log->most[i] = possible ? most : 0.0f;
  }
}

// ---- files ----

static const sfnec_fields head_fields =
    SFNEC_FIELDS("its log", {SFNEC_ANY(sfnec_transition_log, seen)}, {SFNEC_ANY(sfnec_transition_log, events)},
                 {SFNEC_WITHIN(sfnec_transition_log, next_fit, SFNEC_LOG_FIRST_FIT, HUGE_VAL)},
                 {SFNEC_WITHIN(sfnec_transition_log, next_events, SFNEC_LOG_FIRST_EVENTS, HUGE_VAL)},
                 {SFNEC_ANY(sfnec_transition_log, outliers)}, {SFNEC_ANY(sfnec_transition_log, episode)});

enum { SEEN = 1, ACTIONS, EPISODES }; // limits of a row

static const sfnec_fields row_fields =
    SFNEC_FIELDS("a transition of its log", {SFNEC_BELOW(sfnec_log_row, time, SEEN)},
                 {SFNEC_BELOW(sfnec_log_row, action, ACTIONS)}, {SFNEC_BELOW(sfnec_log_row, episode, EPISODES)});

void sfnec_transition_log_save(const sfnec_transition_log *log, sfnec_writer *writer) {
  sfnec_fields_save(&head_fields, log, writer);
  sfnec_write_bytes(writer, log->low, (4 * log->size + log->features) * sizeof *log->low);
  for (size_t i = 0; i < log->features; i++) sfnec_write_u32(writer, log->votes[i]);
  sfnec_write_u32(writer, log->count);
  sfnec_logged_transition row;
  for (sfnec_log_cursor at = sfnec_transition_log_start(log); sfnec_transition_log_next(log, &at, &row);) {
    const size_t slot = (size_t)(row.before - log->numbers) / width(log);
    sfnec_fields_save(&row_fields, &log->rows[slot], writer);
    sfnec_write_u32(writer, row.terminated | (uint32_t)row.event << 1);
    sfnec_write_bytes(writer, row.before, width(log) * sizeof(float));
  }
}

// Reads one row into the next slot; rows are in time order.
static sfnec_status load_row(sfnec_transition_log *log, sfnec_reader *reader) {
  const uint32_t slot = log->count;
  const uint64_t limits[] = {log->seen, log->actions, (uint64_t)log->episode + 1};
  sfnec_log_row row = {0};
  const sfnec_status status = sfnec_fields_load(&row_fields, &row, limits, 0, reader);
  if (status) return status;
  const uint32_t flags = sfnec_read_u32(reader);
  row.terminated = flags & 1;
  row.event = flags >> 1 & 1;
  float *numbers = log->numbers + slot * width(log);
  sfnec_read_bytes(reader, numbers, width(log) * sizeof *numbers);
  const bool ordered = slot == 0 || (row.time > log->rows[slot - 1].time && row.episode >= log->rows[slot - 1].episode);
  if (!ordered || flags > 3 || (row.terminated && !row.event) || !sfnec_all_finite_f32(numbers, width(log))) {
    return sfnec_reader_refuse(reader, "a transition of its log is not one");
  }
  for (size_t i = 0; i < 2 * log->size; i++) {
    const size_t c = i % log->size;
    if (!(numbers[i] >= log->low[c] && numbers[i] <= log->high[c])) {
      return sfnec_reader_refuse(reader, "a transition of its log is outside of the range that it names");
    }
  }
  log->rows[slot] = row;
  log->count++;
  append(log, slot);
  return SFNEC_OK;
}

// The numbers before the rows.
static sfnec_status load_head(sfnec_transition_log *log, sfnec_reader *reader) {
  const sfnec_status status = sfnec_fields_load(&head_fields, log, NULL, 0, reader);
  if (status) return status;
  const size_t floats = 4 * log->size + log->features;
  sfnec_read_bytes(reader, log->low, floats * sizeof *log->low);
  for (size_t i = 0; i < log->features && sfnec_reader_good(reader); i++) log->votes[i] = sfnec_read_u32(reader);
  bool good = sfnec_reader_good(reader) && sfnec_all_finite_f32(log->low, floats) && log->events <= log->seen &&
              log->episode <= log->seen && log->outliers <= log->seen;
  for (size_t i = 0; i < log->size; i++) good &= log->low[i] <= log->high[i];
  for (size_t i = 0; i < log->features; i++) good &= log->votes[i] <= log->seen;
  return good ? SFNEC_OK : sfnec_reader_refuse(reader, "the statistics of its log contradict themselves");
}

sfnec_status sfnec_transition_log_load(sfnec_transition_log *log, sfnec_reader *reader) {
  sfnec_status status = load_head(log, reader);
  const uint32_t count = sfnec_read_u32(reader);
  const uint64_t row_bytes = 20 + width(log) * sizeof(float);
  if (!status && (count > log->capacity || count != (log->seen < log->capacity ? log->seen : log->capacity) ||
                  count * row_bytes > sfnec_reader_left(reader))) {
    status = sfnec_reader_refuse(reader, "its log claims more transitions than the file holds");
  }
  for (uint32_t i = 0; i < count && !status; i++) {
    status = grow(log);
    if (!status) status = load_row(log, reader);
  }
  return status;
}
