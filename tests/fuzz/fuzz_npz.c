// fuzz_npz.c: archives of NumPy as logs of transitions (base/npz.h, run/log.h). An archive that is accepted has arrays
// of which every number can be read; a log that is accepted can be learned, or is refused at a row. The checksums of
// members are made right first, so that they are not in the way.
#include "base/npz.h"
#include "fuzz.h"
#include "run/log.h"

static uint32_t number_at(const uint8_t *at, int size) {
  uint32_t number = 0;
  for (int i = 0; i < size; i++) number |= (uint32_t)at[i] << (8 * i);
  return number;
}

// Puts the checksum of the bytes that an entry of the directory speaks of into it.
static void mend(uint8_t *bytes, size_t size) {
  enum { ENTRY = 46, HEAD = 30 };
  for (size_t at = 0; at + ENTRY <= size; at++) {
    if (memcmp(bytes + at, "PK\1\2", 4) != 0) continue;
    const size_t length = number_at(bytes + at + 24, 4), local = number_at(bytes + at + 42, 4);
    if (local + HEAD > size) continue;
    const size_t from = local + HEAD + number_at(bytes + local + 26, 2) + number_at(bytes + local + 28, 2);
    if (from > size || length > size - from) continue;
    const uint32_t crc = sfnec_crc32(0, bytes + from, length);
    for (int i = 0; i < 4; i++) bytes[at + 16 + (size_t)i] = (uint8_t)(crc >> (8 * i));
  }
}

static void read_numbers(const uint8_t *bytes, size_t size) {
  sfnec_npz *npz = NULL;
  if (sfnec_npz_open_memory(bytes, size, "fuzz", &npz)) {
    HOLDS(!npz && *sfnec_last_error());
    return;
  }
  for (size_t a = 0; a < sfnec_npz_count(npz); a++) {
    const sfnec_npz_array *array = sfnec_npz_at(npz, a);
    HOLDS(sfnec_npz_find(npz, array->name));
    for (uint64_t i = 0; !array->refused && i < array->count; i++) (void)sfnec_npz_number(array, i);
  }
  sfnec_npz_close(npz);
}

// A small agent: what is tried is the reading, not the learning.
static void learn(const sfnec_log *log) {
  enum { ROWS_MOST = 1000, NUMBERS_MOST = 4096 };
  if (log->count > ROWS_MOST || log->shape.observation_size > NUMBERS_MOST || log->shape.action_count > 16) return;
  sfnec_agent_options options;
  HOLDS(!sfnec_agent_options_preset("ql", &options));
  sfnec_agent *agent = NULL;
  sfnec_log_lesson lesson;
  if (sfnec_agent_create(&log->shape, &options, 1, &agent)) return;
  if (!sfnec_log_learn(log, agent, NULL, &lesson)) HOLDS(lesson.learned + lesson.left_out == log->count);
  else HOLDS(*sfnec_last_error());
  sfnec_agent_destroy(agent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t *bytes = malloc(size + 1);
  HOLDS(bytes);
  if (size) memcpy(bytes, data, size);
  mend(bytes, size);
  read_numbers(bytes, size);
  sfnec_log log;
  if (!sfnec_log_open_memory(bytes, size, "fuzz", &log)) {
    learn(&log);
    sfnec_log_close(&log);
  }
  free(bytes);
  return 0;
}
