// arena.c: blocks in a list, filled from the front; see arena.h.
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"

enum { BLOCK = 16384 };

typedef struct block {
  struct block *older;
  size_t used, room;
  alignas(max_align_t) char bytes[];
} block;

struct sfnec_arena {
  block *newest;
  FILE *stream; // that is being written
  char *text;
  size_t size;
};

sfnec_arena *sfnec_arena_create(void) {
  return calloc(1, sizeof(sfnec_arena));
}

void *sfnec_arena_create_for(size_t size, sfnec_arena **arena) {
  *arena = sfnec_arena_create();
  void *thing = *arena ? sfnec_arena_alloc(*arena, 1, size) : NULL;
  if (thing) return thing;
  sfnec_arena_destroy(*arena);
  *arena = NULL;
  return NULL;
}

void sfnec_arena_destroy(sfnec_arena *arena) {
  if (!arena) return;
  for (block *block = arena->newest, *older; block; block = older) {
    older = block->older;
    free(block);
  }
  free(arena);
}

static size_t rounded(size_t size) {
  const size_t unit = alignof(max_align_t);
  return (size + unit - 1) / unit * unit;
}

void *sfnec_arena_alloc(sfnec_arena *arena, size_t count, size_t size) {
  if (size && count > (SIZE_MAX / 4) / size) return NULL;
  const size_t bytes = count * size;
  const size_t wanted = rounded(bytes ? bytes : 1);
  block *newest = arena->newest;
  if (!newest || newest->room - newest->used < wanted) {
    const size_t room = wanted > BLOCK ? wanted : BLOCK;
    newest = malloc(sizeof *newest + room);
    if (!newest) return NULL;
    *newest = (block){.older = arena->newest, .room = room};
    arena->newest = newest;
  }
  void *memory = newest->bytes + newest->used;
  newest->used += wanted;
  return memset(memory, 0, wanted);
}

void *sfnec_arena_grow(sfnec_arena *arena, void *elements, size_t count, size_t size) {
  // the room is the next power of two, so it is full exactly when the count is one
  if (count && (count & (count - 1))) return elements;
  void *grown = sfnec_arena_alloc(arena, count ? 2 * count : 1, size);
  if (grown && count) memcpy(grown, elements, count * size);
  return grown;
}

char *sfnec_arena_copy(sfnec_arena *arena, const char *text) {
  const size_t size = strlen(text) + 1;
  char *copy = sfnec_arena_alloc(arena, size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}

char *sfnec_arena_print(sfnec_arena *arena, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : sfnec_arena_alloc(arena, (size_t)length + 1, 1);
  if (!text) return NULL;
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

FILE *sfnec_arena_open_text(sfnec_arena *arena) {
  arena->stream = open_memstream(&arena->text, &arena->size);
  return arena->stream;
}

char *sfnec_arena_close_text(sfnec_arena *arena) {
  char *copy = sfnec_output_close_text(arena->stream, &arena->text) ? sfnec_arena_copy(arena, arena->text) : NULL;
  free(arena->text);
  return copy;
}
