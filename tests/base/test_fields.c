// tables of fields: what is saved is loaded, with the bytes that the table says, and what is out of bounds is refused.
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fields.h"
#include "base/vector.h"
#include "sfnec/status.h"

typedef struct thing {
  uint32_t of, count;
  uint32_t parts[4];
  int64_t clock;
  double real;
  float share;
  bool flag;
  uint32_t later;
} thing;

enum { THINGS = 1, NEW = 2 };

static const sfnec_fields fields = SFNEC_FIELDS(
    "a thing", {SFNEC_BELOW(thing, of, THINGS), .or_none = true}, {SFNEC_UP_TO(thing, count, 4)},
    {SFNEC_COUNTED(thing, parts, count), .below = THINGS}, {SFNEC_ANY(thing, clock)}, {SFNEC_ANY(thing, real)},
    {SFNEC_WITHIN(thing, share, 0.25, 0.5)}, {SFNEC_ANY(thing, flag)}, {SFNEC_ANY(thing, later), .since = NEW});

static const uint64_t limits[] = {10};
static const thing one = {9, 2, {7, 8}, 5, -1e300, 0.5f, true, 3};
enum { SIZE = 4 + 4 + 2 * 4 + 8 + 8 + 4 + 4 + 4 }; // bytes of it

static unsigned char *save(const thing *saved, size_t *size) {
  sfnec_writer *writer;
  unsigned char *bytes;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_fields_save(&fields, saved, writer);
  OK(sfnec_writer_take(writer, &bytes, size));
  return bytes;
}

static sfnec_status load(const unsigned char *bytes, size_t size, uint32_t flags, thing *loaded) {
  sfnec_reader *reader;
  OK(sfnec_reader_open_memory(bytes, size, NULL, 0, "a thing", &reader));
  *loaded = (thing){0};
  const sfnec_status status = sfnec_fields_load(&fields, loaded, limits, flags, reader);
  sfnec_reader_close(reader);
  return status;
}

static void test_round_trip(void **state) {
  (void)state;
  size_t size;
  thing loaded;
  unsigned char *bytes = save(&one, &size);
  assert_int_equal(size, SIZE);
  OK(load(bytes, size, NEW, &loaded));
  assert_memory_equal(&loaded, &one, sizeof one);
  OK(load(bytes, size - 4, 0, &loaded)); // an older file
  assert_int_equal(loaded.later, 0);
  for (size_t part = 0; part < size; part++) assert_int_equal(load(bytes, part, NEW, &loaded), SFNEC_ERROR_FORMAT);
  free(bytes);
}

static void test_bounds(void **state) {
  (void)state;
  const thing bad[] = {{.of = 10, .share = 0.3f},
                       {.count = 5, .share = 0.3f},
                       {.count = 1, .parts = {10}, .share = 0.3f},
                       {.clock = -1, .share = 0.3f},
                       {.real = (double)INFINITY, .share = 0.3f},
                       {.real = (double)NAN, .share = 0.3f},
                       {.share = 0.2f},
                       {.share = 0.6f},
                       {.share = NAN}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    size_t size;
    thing loaded;
    thing saved = bad[i];
    if (saved.count > 4) saved.count = 4; // so many are there
    unsigned char *bytes = save(&saved, &size);
    memcpy(bytes + 4, &bad[i].count, sizeof bad[i].count);
    if (bad[i].clock < 0) memcpy(bytes + 8, &bad[i].clock, sizeof bad[i].clock);
    if (load(bytes, size, NEW, &loaded) != SFNEC_ERROR_FORMAT) fail_msg("bad thing %zu was loaded", i);
    assert_true(loaded.of == 0 && loaded.count <= 4 && loaded.clock == 0 && loaded.real == 0.0 && loaded.share == 0.0f);
    free(bytes);
  }
  size_t size;
  thing loaded;
  unsigned char *bytes = save(&(thing){.of = UINT32_MAX, .clock = INT64_MAX, .share = 0.25f}, &size);
  OK(load(bytes, size, NEW, &loaded));
  assert_true(loaded.of == UINT32_MAX && loaded.clock == SFNEC_COUNT_MOST);
  bytes[size - 8] = 2; // the flag
  assert_int_equal(load(bytes, size, NEW, &loaded), SFNEC_ERROR_FORMAT);
  assert_non_null(strstr(sfnec_last_error(), "'flag' of a thing is out of range"));
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
