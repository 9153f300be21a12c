// transition_log.h: the last raw transitions of an agent, in time order, from which relevance.h learns which components
// of an observation matter; and when such a fit is due.
//
// Rare outcomes decide what matters, so a full log first overwrites its oldest ordinary transition, and an event (an
// end, or features other than their usual values) only while events fill more than a third. A fit needs rows in time
// order with their episodes: its null distribution shifts them in time.
#ifndef SFNEC_AGENT_PLAN_TRANSITION_LOG_H
#define SFNEC_AGENT_PLAN_TRANSITION_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "sfnec/status.h"

enum {
  SFNEC_LOG_ROWS = 5000,        // transitions kept: doubling them doubles the time of a fit and hardly changes verdicts
  SFNEC_LOG_EVENT_SHARE = 3,    // one part in so many is reserved for events
  SFNEC_LOG_ROWS_LEAST = 500,   // that are kept whatever a fit takes: fewer show little
  SFNEC_LOG_FIRST_FIT = 125,    // transitions before the first fit; the next when they, or events, have doubled
  SFNEC_LOG_FIRST_EVENTS = 10,  // events that make another fit worthwhile
  SFNEC_LOG_FIT_INTERVAL = 100, // transitions; fits for new events or ranges begin only at multiples of it
  SFNEC_LOG_OUTLIERS = 5,       // transitions with a watched component out of its range before a fit is due
};
// A fit compares rows with rows in every component: rows^2 * size is at most this, so that it takes some 0.1 s.
#define SFNEC_LOG_WORK 4e8
#define SFNEC_LOG_BYTES ((size_t)64 << 20) // of rows: large observations get fewer rows, and no fit below FIRST_FIT

// One transition; the arrays belong to the log until the next one is added.
typedef struct sfnec_logged_transition {
  const float *before, *after; // (size)
  const float *features;       // (features)
  uint32_t action, episode;
  bool terminated, event;
} sfnec_logged_transition;

typedef struct sfnec_log_row {
  uint64_t time; // transitions before it
  uint32_t action, episode;
  uint32_t next; // the next younger row of its queue
  bool terminated, event;
} sfnec_log_row;

typedef struct sfnec_log_queue {
  uint32_t oldest, youngest, count;
} sfnec_log_queue;

typedef struct sfnec_transition_log {
  size_t size, features; // of an observation, of features
  uint32_t actions;
  uint32_t capacity, room, count; // rows at most, allocated and filled
  sfnec_log_row *rows;            // (room)
  float *numbers;                 // (room, 2 size + features): before, after, features
  sfnec_log_queue queues[2];      // ordinary rows, events
  uint64_t seen, events;          // since the beginning
  uint32_t episode;
  uint64_t next_fit, next_events; // when a fit is due
  uint32_t outliers;              // transitions since the last fit in which a watched component left its range
  float *low, *high;              // (size each): the range seen
  float *least, *most;            // (size each): the range of a watched component; least > most: not watched
  float *usual;                   // (features): the most frequent value, by majority vote (Boyer and Moore)
  uint32_t *votes;                // (features)
} sfnec_transition_log;

// Fails with SFNEC_ERROR_MEMORY; clearing it is fine then.
sfnec_status sfnec_transition_log_init(sfnec_transition_log *log, size_t size, size_t features, uint32_t actions);
void sfnec_transition_log_clear(sfnec_transition_log *log);
size_t sfnec_transition_log_bytes(const sfnec_transition_log *log);

// Adds a transition of finite numbers; `last` if it ends the episode by termination or truncation. Fails with
// SFNEC_ERROR_MEMORY, and then has not changed the log.
sfnec_status sfnec_transition_log_add(sfnec_transition_log *log, const float *before, uint32_t action,
                                      const float *features, const float *after, bool terminated, bool last);
// Visits the rows from the oldest to the youngest: `cursor` is {oldest of each queue} first. False at the end.
typedef struct sfnec_log_cursor {
  uint32_t next[2], left[2];
} sfnec_log_cursor;
sfnec_log_cursor sfnec_transition_log_start(const sfnec_transition_log *log);
bool sfnec_transition_log_next(const sfnec_transition_log *log, sfnec_log_cursor *cursor, sfnec_logged_transition *out);

// Exchanges a feature of all rows and other values (count), both from the oldest row to the youngest.
void sfnec_transition_log_swap(sfnec_transition_log *log, size_t feature, float *values);

// Whether a fit should begin now.
bool sfnec_transition_log_is_due(const sfnec_transition_log *log);
// A fit begins now: sets when the next one is due.
void sfnec_transition_log_schedule(sfnec_transition_log *log);
// Watches these components (size): one that goes beyond its range so far by half of that makes a fit due.
void sfnec_transition_log_watch(sfnec_transition_log *log, const bool *watched);

void sfnec_transition_log_save(const sfnec_transition_log *log, sfnec_writer *writer);
// Into a log that was initialised and is empty. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_transition_log_load(sfnec_transition_log *log, sfnec_reader *reader);

#endif
