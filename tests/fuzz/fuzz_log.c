// fuzz_log.c: the log of raw transitions that an agent's file holds (agent/plan/transition_log.h). A log that has been
// filled is changed in a few places and read. What is accepted takes more transitions, says when a fit is due, is read
// through in time order, and is saved to bytes that load to the same bytes.
//
// An input: sizes, how many transitions before, whether components are watched, the changes, and then what follows.
#include "agent/plan/transition_log.h"
#include "base/vector.h"
#include "fuzz.h"

enum { SIZE_MOST = 6, FEATURES_MOST = 3, ACTIONS = 3, AFTER = 100, NUMBERS_MOST = 6 };

// Mostly a walk; now and then any finite number.
static float take_number(input *in, uint64_t t) {
  if (!in->left || take_byte(in) < 200) return (float)(t % 7) * 0.25f;
  const double any = take_f64(in);
  return fabs(any) <= 3e38 ? (float)any : -1.0f;
}

static void add(sfnec_transition_log *log, input *in, uint64_t t) {
  float before[NUMBERS_MOST], after[NUMBERS_MOST], features[FEATURES_MOST];
  for (size_t i = 0; i < log->size; i++) {
    before[i] = take_number(in, t + i);
    after[i] = take_number(in, t + i + 1);
  }
  for (size_t i = 0; i < log->features; i++) features[i] = take_number(in, t % 5 == 0);
  const uint8_t how = in->left ? take_byte(in) : (uint8_t)(t * 11);
  HOLDS(!sfnec_transition_log_add(log, before, how % ACTIONS, features, after, how % 23 == 22, how % 19 == 18));
}

static unsigned char *save(const sfnec_transition_log *log, size_t *size) {
  sfnec_writer *writer = NULL;
  unsigned char *bytes = NULL;
  HOLDS(!sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_transition_log_save(log, writer);
  HOLDS(!sfnec_writer_take(writer, &bytes, size));
  return bytes;
}

static sfnec_status load(sfnec_transition_log *log, size_t size, size_t features, const unsigned char *bytes,
                         size_t length) {
  sfnec_reader *reader = NULL;
  HOLDS(!sfnec_transition_log_init(log, size, features, ACTIONS));
  HOLDS(!sfnec_reader_open_memory(bytes, length, NULL, 0, "a log", &reader));
  const sfnec_status status = sfnec_transition_log_load(log, reader);
  sfnec_reader_close(reader);
  return status;
}

// The rows in time order, all of them, within the ranges that the log names.
static void check_rows(const sfnec_transition_log *log) {
  sfnec_logged_transition row;
  uint32_t rows = 0, episode = 0;
  for (sfnec_log_cursor at = sfnec_transition_log_start(log); sfnec_transition_log_next(log, &at, &row); rows++) {
    HOLDS(row.action < ACTIONS && row.episode >= episode && row.episode <= log->episode);
    HOLDS(!row.terminated || row.event);
    episode = row.episode;
    for (size_t i = 0; i < log->size; i++) {
      HOLDS(row.before[i] >= log->low[i] && row.before[i] <= log->high[i]);
      HOLDS(row.after[i] >= log->low[i] && row.after[i] <= log->high[i]);
    }
    HOLDS(sfnec_all_finite_f32(row.features, log->features));
  }
  HOLDS(rows == log->count && log->count <= log->capacity && log->events <= log->seen);
}

static void live_on(sfnec_transition_log *log, input *in) {
  bool watched[SIZE_MOST];
  for (size_t i = 0; i < log->size; i++) watched[i] = take_byte(in) & 1;
  for (uint64_t t = 0; t < AFTER; t++) {
    add(log, in, t);
    if (!sfnec_transition_log_is_due(log)) continue;
    sfnec_transition_log_schedule(log);
    HOLDS(!sfnec_transition_log_is_due(log));
    sfnec_transition_log_watch(log, watched);
  }
}

static void check_round(const sfnec_transition_log *log) {
  size_t length, again_length;
  unsigned char *bytes = save(log, &length);
  sfnec_transition_log again;
  HOLDS(!load(&again, log->size, log->features, bytes, length));
  unsigned char *again_bytes = save(&again, &again_length);
  HOLDS(length == again_length && memcmp(bytes, again_bytes, length) == 0);
  sfnec_transition_log_clear(&again);
  free(again_bytes);
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  input in = {data, size};
  sfnec_transition_log log;
  const size_t numbers = 1 + take_below(&in, SIZE_MOST), features = 1 + take_below(&in, FEATURES_MOST);
  HOLDS(!sfnec_transition_log_init(&log, numbers, features, ACTIONS));
  const uint64_t before = (uint64_t)take_byte(&in) * 3;
  for (uint64_t t = 0; t < before; t++) add(&log, &(input){NULL, 0}, t);
  const bool watches = take_byte(&in) & 1;
  if (watches) sfnec_transition_log_watch(&log, (bool[SIZE_MOST]){true, false, true});
  size_t length;
  unsigned char *bytes = save(&log, &length);
  sfnec_transition_log_clear(&log);

  fuzz_damage(&in, bytes, length);
  // a file that ends early
  if (take_below(&in, 16) == 0) length -= take_byte(&in) % (length + 1);
  const sfnec_status status = load(&log, numbers, features, bytes, length);
  free(bytes);
  if (!status) {
    check_rows(&log);
    check_round(&log);
    live_on(&log, &in);
    check_rows(&log);
    check_round(&log);
  }
  sfnec_transition_log_clear(&log);
  return 0;
}
