// seeds.c: seeds as text, "1-4,7"; the contract is in spec.h.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/spec/spec_parts.h"
#include "study/spec/yaml.h"

enum { MOST_SEEDS = 10000 };

typedef struct list {
  sfnec_arena *arena;
  uint64_t *items;
  size_t count;
} list;

static sfnec_status add(list *list, uint64_t seed) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i] == seed) return sfnec_fail(SFNEC_ERROR_OPTION, "seed %" PRIu64 " is there twice", seed);
  if (list->count == MOST_SEEDS) {
    return sfnec_fail(SFNEC_ERROR_OPTION, "these are more than %d seeds; use fewer", MOST_SEEDS);
  }
  list->items = sfnec_arena_grow(list->arena, list->items, list->count, sizeof *list->items);
  if (!list->items) return sfnec_fail_memory("seeds");
  list->items[list->count++] = seed;
  return SFNEC_OK;
}

// digits alone, without the blanks and signs that strtoull takes
static bool read_seed(const char **text, uint64_t *seed) {
  if (!isdigit((unsigned char)**text)) return false;
  char *end;
  errno = 0;
  *seed = strtoull(*text, &end, 10);
  *text = end;
  return errno == 0;
}

// one "7" or "1-4"; moves past it
static sfnec_status add_part(list *list, const char **text) {
  const char *part = *text;
  uint64_t first = 0;
  bool good = read_seed(text, &first);
  uint64_t last = first;
  if (good && **text == '-') {
    ++*text;
    good = read_seed(text, &last);
  }
  if (!good || (**text && **text != ',')) {
    return sfnec_fail(SFNEC_ERROR_OPTION, "'%s' is neither a seed like 7, nor a range like 1-4, nor a list like 1-4,7",
                      sfnec_shown(list->arena, part));
  }
  if (first > last) {
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "the range %" PRIu64 "-%" PRIu64 " runs backwards; write %" PRIu64 "-%" PRIu64, first, last, last,
                      first);
  }
  // counted from 0: the last seed may be the greatest number
  sfnec_status status = SFNEC_OK;
  for (uint64_t i = 0; !status && i <= last - first; i++) status = add(list, first + i);
  return status;
}

sfnec_status sfnec_seeds_parse(sfnec_arena *arena, const char *text, uint64_t **seeds, size_t *count) {
  list list = {.arena = arena};
  sfnec_status status = add_part(&list, &text);
  while (!status && *text == ',') {
    text++;
    status = add_part(&list, &text);
  }
  *seeds = list.items;
  *count = list.count;
  return status;
}

void sfnec_seeds_print(FILE *stream, const uint64_t *seeds, size_t count) {
  for (size_t i = 0, last; i < count; i = last + 1) {
    last = i;
    while (last + 1 < count && seeds[last] < UINT64_MAX && seeds[last] + 1 == seeds[last + 1]) last++;
    fprintf(stream, "%s%" PRIu64, i ? "," : "", seeds[i]);
    if (last > i) fprintf(stream, "-%" PRIu64, seeds[last]);
  }
}
