// diff.c: the lines that differ between two specs; the contract of sfnec_spec_diff is in spec.h.
//
// The longest common subsequence of lines by the usual table. Equal lines at both ends are taken off first; should the
// rest still be too large for a table, all of it counts as changed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/spec/spec.h"

enum { MOST_CELLS = 1 << 22 };

typedef struct lines {
  const char **items; // each without its line break
  size_t count;
} lines;

// what was printed above the current line: one line per depth, so that a parent is shown once
typedef struct output {
  FILE *stream;
  const char *shown[16];
} output;

static lines split(sfnec_arena *arena, const char *text) {
  lines lines = {0};
  char *copy = sfnec_arena_copy(arena, text);
  for (char *at = copy; at && *at;) {
    lines.items = sfnec_arena_grow(arena, lines.items, lines.count, sizeof *lines.items);
    if (!lines.items) return (struct lines){0};
    lines.items[lines.count++] = at;
    at = strchr(at, '\n');
    if (at) *at++ = '\0';
  }
  return lines;
}

static bool same(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

// ---- printing ----

static size_t depth_of(const char *line) {
  return strspn(line, " ") / 2;
}

static void print_parents(output *output, const lines *lines, size_t at) {
  enum { DEEPEST = 15 };
  const size_t depth = depth_of(lines->items[at]) < DEEPEST ? depth_of(lines->items[at]) : DEEPEST;
  // the nearest line above of each lesser depth
  const char *parents[DEEPEST + 1] = {NULL};
  size_t wanted = depth;
  for (size_t i = at; i-- > 0 && wanted > 0;) {
    if (depth_of(lines->items[i]) >= wanted) continue;
    wanted = depth_of(lines->items[i]);
    parents[wanted] = lines->items[i];
  }
  for (size_t i = 0; i < depth; i++) {
    if (!parents[i] || (output->shown[i] && same(output->shown[i], parents[i]))) continue;
    fprintf(output->stream, "  %s\n", parents[i]);
    output->shown[i] = parents[i];
    for (size_t j = i + 1; j <= DEEPEST; j++) output->shown[j] = NULL;
  }
}

static void print_line(output *output, char sign, const lines *lines, size_t at) {
  print_parents(output, lines, at);
  fprintf(output->stream, "%c %s\n", sign, lines->items[at]);
  // what is below a changed line has been told what it belongs to
  const size_t depth = depth_of(lines->items[at]);
  for (size_t i = depth; i < sizeof output->shown / sizeof *output->shown; i++) output->shown[i] = NULL;
  if (depth < sizeof output->shown / sizeof *output->shown) output->shown[depth] = lines->items[at];
}

// ---- comparing ----

// length[i][j]: common lines of the old ones from i and the new ones from j; (n + 1, m + 1)
static unsigned *measure(const lines *before, const lines *after, size_t skip, size_t n, size_t m) {
  if ((n + 1) > MOST_CELLS / (m + 1)) return NULL;
  unsigned *length = calloc((n + 1) * (m + 1), sizeof *length);
  if (!length) return NULL;
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      unsigned *row = &length[i * (m + 1) + j];
      const unsigned down = row[m + 1], right = row[1];
      if (same(before->items[skip + i], after->items[skip + j])) *row = row[m + 2] + 1;
      else *row = down > right ? down : right;
    }
  }
  return length;
}

static void print_changes(output *output, const lines *before, const lines *after) {
  size_t skip = 0, n = before->count, m = after->count;
  while (skip < n && skip < m && same(before->items[skip], after->items[skip])) skip++;
  while (n > skip && m > skip && same(before->items[n - 1], after->items[m - 1])) n--, m--;
  n -= skip;
  m -= skip;
  unsigned *length = measure(before, after, skip, n, m);
  size_t i = 0, j = 0;
  while (i < n || j < m) {
    const bool equal = length && i < n && j < m && same(before->items[skip + i], after->items[skip + j]);
    if (equal) i++, j++;
    else if (j == m || (i < n && (!length || length[(i + 1) * (m + 1) + j] >= length[i * (m + 1) + j + 1])))
      print_line(output, '-', before, skip + i++);
    else print_line(output, '+', after, skip + j++);
  }
  free(length);
}

const char *sfnec_spec_diff(sfnec_arena *arena, const char *before, const char *after) {
  const lines old = split(arena, before), new = split(arena, after);
  if ((*before && !old.items) || (*after && !new.items)) return NULL;
  char *text = NULL;
  size_t size = 0;
  output output = {.stream = open_memstream(&text, &size)};
  if (!output.stream) return NULL;
  print_changes(&output, &old, &new);
  const bool broken = ferror(output.stream) != 0;
  const char *copy = fclose(output.stream) == 0 && !broken ? sfnec_arena_copy(arena, text) : NULL;
  free(text);
  return copy;
}
