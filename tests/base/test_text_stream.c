// test_text_stream.c: a text in memory is all that was written, or not there: every allocation is refused in turn.
#include "support/check.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/output.h"

#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

// False: there was no memory for one of them.
static bool put_letters(FILE *stream, size_t size) {
  bool whole = true;
  for (size_t i = 0; i < size; i++) whole &= fputc('a' + (char)(i % 26), stream) != EOF;
  return whole;
}

static char *write_text(size_t size) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (!stream) return NULL;
  const bool whole = put_letters(stream, size);
  if (!sfnec_output_close_text(stream, &text)) {
    assert_null(text);
    return NULL;
  }
  if (!whole) {
    free(text);
    return NULL;
  }
  assert_int_equal(length, size);
  return text;
}

static char *write_arena(size_t size) {
  sfnec_arena *arena = sfnec_arena_create();
  FILE *stream = arena ? sfnec_arena_open_text(arena) : NULL;
  const bool whole = stream && put_letters(stream, size);
  const char *text = stream ? sfnec_arena_close_text(arena) : NULL;
  char *copy = text && whole ? strdup(text) : NULL;
  sfnec_arena_destroy(arena);
  return copy;
}

// With a checksum around it, or without.
static char *write_file_of(const char *magic, size_t size) {
  sfnec_writer *writer = NULL;
  unsigned char *bytes = NULL;
  size_t length;
  if (sfnec_writer_open_memory(magic, 1, &writer)) return NULL;
  for (size_t i = 0; i < size; i++) sfnec_write_bytes(writer, &(char){(char)('a' + (char)(i % 26))}, 1);
  const sfnec_status status = sfnec_writer_take(writer, &bytes, &length);
  assert_true((status == SFNEC_OK) == (bytes != NULL));
  if (status) assert_int_equal(status, SFNEC_ERROR_MEMORY);
  char *text = bytes ? calloc(1, size + 1) : NULL;
  if (text) memcpy(text, bytes + (magic ? 24 : 0), size);
  free(bytes);
  return text;
}

static char *write_sealed(size_t size) {
  return write_file_of("SFNECTST", size);
}

static char *write_plain(size_t size) {
  return write_file_of(NULL, size);
}

static void test_refused(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  char *(*const ways[])(size_t) = {write_text, write_arena, write_sealed, write_plain};
  const size_t sizes[] = {0, 1, 300, 8191, 8192, 30000};
  for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      for (int at = 0;; at++) {
        const int held = live;
        allocations = 0;
        refuse_only(at);
        char *text = ways[way](sizes[i]);
        refuse_none();
        const bool reached = allocations > at;
        if (text) {
          assert_int_equal(strlen(text), sizes[i]);
          for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(text[k], 'a' + (int)(k % 26));
        }
        assert_true(text || reached);
        free(text);
        assert_int_equal(live, held);
        if (!reached) break;
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
