// fuzz.h: what the fuzz targets share.
//
// A target is one file with LLVMFuzzerTestOneInput. libFuzzer calls it with bytes that it makes up (`make fuzz`), and
// replay.c with the files of corpus/<target> (an ordinary test). A target aborts when a promise is broken that no
// sanitizer can see.
#ifndef SFNEC_TESTS_FUZZ_FUZZ_H
#define SFNEC_TESTS_FUZZ_FUZZ_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "sfnec/sfnec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A promise: the program ends here when it is broken.
#define HOLDS(promise) ((promise) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #promise))

_Noreturn static inline void fuzz_broken(const char *file, int line, const char *promise) {
  fprintf(stderr, "%s:%d: broken: %s (last error: %s)\n", file, line, promise, sfnec_last_error());
  abort();
}

// ---- numbers from the input; zeros past its end ----

typedef struct input {
  const uint8_t *at;
  size_t left;
} input;

static inline void take(input *in, void *bytes, size_t size) {
  const size_t there = size < in->left ? size : in->left;
  memset(bytes, 0, size);
  if (there == 0) return;
  memcpy(bytes, in->at, there);
  in->at += there;
  in->left -= there;
}

static inline uint8_t take_byte(input *in) {
  uint8_t byte;
  take(in, &byte, sizeof byte);
  return byte;
}

// A number below `end`.
static inline uint32_t take_below(input *in, uint32_t end) {
  return take_byte(in) % end;
}

static inline int64_t take_i64(input *in) {
  static const int64_t odd[] = {0, 1, -1, 2, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN, 1LL << 32};
  const uint8_t which = take_byte(in);
  if (which < sizeof odd / sizeof *odd) return odd[which];
  if (which < 128) return (int64_t)which - 64;
  int64_t number;
  take(in, &number, sizeof number);
  return number;
}

// Mostly tame; else what breaks arithmetic.
static inline double take_f64(input *in) {
  static const double odd[] = {0,     -0.0,     1,         -1,         0.5,   1e-300, 5e-324,   1e30,
                               1e300, -1.7e308, 3.402e+38, 3.4029e+38, 1e154, NAN,    HUGE_VAL, -HUGE_VAL};
  const uint8_t which = take_byte(in);
  if (which < sizeof odd / sizeof *odd) return odd[which];
  if (which < 240) return ((double)which - 128) / 32;
  double number;
  take(in, &number, sizeof number);
  return number;
}

// A text of at most `most` bytes from the input, in a buffer of most + 1.
static inline void take_text(input *in, char *text, size_t most) {
  const size_t size = take_below(in, (uint32_t)most + 1);
  take(in, text, size);
  text[size] = '\0';
}

// ---- changes ----

// Changes a few places of a payload, mostly at multiples of 4 from its end, where numbers stand.
static inline void fuzz_damage(input *in, unsigned char *bytes, size_t size) {
  if (size < 24) return;
  for (uint32_t i = take_below(in, 5); i > 0; i--) {
    uint16_t where;
    take(in, &where, sizeof where);
    const size_t at = size - 8 - 4 * ((size_t)where % (size / 4 - 2)) - (where > 60000 ? where % 4 : 0);
    const int64_t whole = take_i64(in);
    const double real = take_f64(in);
    const float single = fabs(real) > 3e38 ? 3e38f : (float)real;
    switch (take_below(in, 5)) {
    case 0:
      memcpy(bytes + at, &whole, 4);
      break;
    case 1:
      memcpy(bytes + at, &whole, 8);
      break;
    case 2:
      memcpy(bytes + at, &real, 8);
      break;
    case 3:
      memcpy(bytes + at, &single, 4);
      break;
    default:
      bytes[at] ^= (unsigned char)whole;
    }
  }
}

// ---- bytes behind a checksum ----

// Bytes as the payload of a file, checksum and all; the caller frees them.
static inline unsigned char *fuzz_seal(const char *magic, uint32_t version, const uint8_t *bytes, size_t size,
                                       size_t *sealed_size) {
  sfnec_writer *writer = NULL;
  unsigned char *sealed = NULL;
  HOLDS(!sfnec_writer_open_memory(magic, version, &writer));
  sfnec_write_bytes(writer, bytes, size);
  HOLDS(!sfnec_writer_take(writer, &sealed, sealed_size));
  return sealed;
}

// ---- files, for what is read by its name ----

// A folder of this process, made once.
static inline const char *fuzz_folder(void) {
  static char folder[256];
  if (folder[0]) return folder;
  const char *under = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/sfnec-fuzz.XXXXXX", under ? under : "/tmp");
  HOLDS(mkdtemp(folder));
  return folder;
}

static inline void fuzz_write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  HOLDS(file);
  HOLDS(fwrite(bytes, 1, size, file) == size);
  HOLDS(fclose(file) == 0);
}

// ---- worlds ----

enum { FUZZ_WORLDS = 6 };

// A small world by its number.
static inline sfnec_env *fuzz_world(uint32_t number) {
  static const struct {
    const char *kind;
    const char *settings[3];
  } worlds[FUZZ_WORLDS] = {
      {"cartpole", {NULL}},
      {"four_rooms", {NULL}},
      {"one_room", {NULL}},
      {"four_rooms_grid", {NULL}},
      {"four_rooms", {"layout=calibrated", "max_episode_steps=7", NULL}},
      {"cartpole", {"max_episode_steps=5", NULL}},
  };
  sfnec_env *env = NULL;
  HOLDS(!sfnec_env_create(sfnec_env_kind_find(worlds[number % FUZZ_WORLDS].kind), worlds[number % FUZZ_WORLDS].settings,
                          1, &env));
  return env;
}

// ---- an agent that was read or driven ----

// Whatever an agent went through, its file can be read, and gives the same file again.
static inline void fuzz_check_agent(const sfnec_agent *agent) {
  unsigned char *bytes = NULL, *again_bytes = NULL;
  size_t size, again_size;
  sfnec_agent *again = NULL;
  HOLDS(!sfnec_agent_save_bytes(agent, &bytes, &size));
  HOLDS(!sfnec_agent_load_bytes(bytes, size, &again));
  HOLDS(!sfnec_agent_save_bytes(again, &again_bytes, &again_size));
  HOLDS(size == again_size && memcmp(bytes, again_bytes, size) == 0);
  sfnec_agent_destroy(again);
  sfnec_agent_free_bytes(again_bytes);
  sfnec_agent_free_bytes(bytes);
}

#endif
