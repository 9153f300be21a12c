// text.c: a spec as text: its seeds ("1-4,7"), all of it as YAML with one value per line where a diff should see it,
// and the lines that differ between two such texts; the contract is in spec.h.
#include "study/spec/spec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "study/spec/yaml.h"

// ---- seeds ----

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

// ---- YAML ----

// words that need no quotes whatever stands around them; all others get them
static bool is_plain(const char *text) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
  return text[0] && !strchr("-+./", text[0]) && !text[strspn(text, allowed)];
}

static void print_text(FILE *stream, const char *text) {
  if (is_plain(text)) {
    fputs(text, stream);
    return;
  }
  fputc('"', stream);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', stream);
    fputc(*text, stream);
  }
  fputc('"', stream);
}

static void print_pair(FILE *stream, const char *before, const char *key, const char *value) {
  fprintf(stream, "%s%s: ", before, key);
  print_text(stream, value);
  fputc('\n', stream);
}

static void print_real(FILE *stream, const char *before, double value) {
  char text[32];
  sfnec_real_to_text(value, text, sizeof text);
  fprintf(stream, "%s%s", before, text);
}

static const char *yes_no(bool flag) {
  return flag ? "yes" : "no";
}

static void print_settings(FILE *stream, const char *indent, const sfnec_settings *settings) {
  if (settings->count == 0) return;
  fprintf(stream, "%soptions:\n", indent);
  for (size_t i = 0; i < settings->count; i++) {
    fprintf(stream, "%s  ", indent);
    print_pair(stream, "", settings->items[i].key, settings->items[i].value);
  }
}

// a list on one line, with its end
static void print_items(FILE *stream, const char **items, size_t count) {
  for (size_t i = 0; i < count; i++) {
    fputs(i ? ", " : "[", stream);
    print_text(stream, items[i]);
  }
  fputs("]\n", stream);
}

static void print_axis(FILE *stream, const sfnec_axis *axis) {
  fprintf(stream, "%s: ", axis->key);
  if (axis->count == 0) {
    print_real(stream, "{from: ", axis->from);
    print_real(stream, ", to: ", axis->to);
    fprintf(stream, ", scale: %s}\n", axis->log ? "log" : "linear");
    return;
  }
  print_items(stream, axis->values, axis->count);
}

static void print_axes(FILE *stream, const char *indent, const sfnec_axes *axes) {
  fprintf(stream, "%ssweep:%s\n", indent, axes->count ? "" : " {}");
  for (size_t i = 0; i < axes->count; i++) {
    fprintf(stream, "%s  ", indent);
    print_axis(stream, &axes->items[i]);
  }
}

static void print_agents(FILE *stream, const sfnec_spec *spec) {
  fputs("agents:\n", stream);
  for (size_t i = 0; i < spec->agent_count; i++) {
    const sfnec_spec_agent *agent = &spec->agents[i];
    print_pair(stream, "  - ", "label", agent->label);
    print_pair(stream, "    ", "preset", agent->preset);
    print_settings(stream, "    ", &agent->options);
    if (agent->own_sweep) print_axes(stream, "    ", &agent->sweep);
  }
}

static void print_published(FILE *stream, const sfnec_spec *spec) {
  if (spec->published_count) fputs("published:\n", stream);
  for (size_t i = 0; i < spec->published_count; i++) {
    const sfnec_published *published = &spec->published[i];
    print_pair(stream, "  - ", "agent", published->agent);
    print_settings(stream, "    ", &published->options);
    fprintf(stream, "    task: %" PRIu32 "\n", published->task);
    print_real(stream, "    mean: ", published->mean);
    if (!isnan(published->se)) print_real(stream, "\n    se: ", published->se);
    fputc('\n', stream);
    if (published->source) print_pair(stream, "    ", "source", published->source);
  }
}

static const char *const kept_names[] = {"no", "first", "yes"};

static void print_weights(FILE *stream, const sfnec_vectors *weights) {
  const uint32_t n = weights->size;
  if (weights->count) fputs("  weights:\n", stream);
  for (uint32_t i = 0; i < weights->count * n; i++) {
    print_real(stream, i % n ? ", " : "    - [", weights->items[i]);
    if ((i + 1) % n == 0) fputs("]\n", stream);
  }
}

static void print_evaluate(FILE *stream, const sfnec_spec_evaluate *evaluate) {
  fprintf(stream, "evaluate:\n  every: %" PRId64 "\n  episodes: %" PRId64 "\n  steps: %" PRId64 "\n", evaluate->every,
          evaluate->episodes, evaluate->steps);
  print_weights(stream, &evaluate->weights);
  fprintf(stream, "  best: %s\n", yes_no(evaluate->best));
}

static void print_env(FILE *stream, const sfnec_spec *spec) {
  const sfnec_gym *gym = &spec->gym;
  const char *version = gym->id ? spec->env_version : spec->world.version;
  if (spec->world.plugin) print_pair(stream, "  ", "plugin", spec->world.plugin);
  else if (gym->id) print_pair(stream, "  ", "gymnasium", gym->id);
  else print_pair(stream, "  ", "name", spec->env);
  if (version) print_pair(stream, "  ", "version", version);
  if (gym->features) print_pair(stream, "  ", "features", gym->features);
  if (gym->unit) fputs("  unit: yes\n", stream);
  if (gym->wrapper_count) fputs("  wrappers: ", stream);
  if (gym->wrapper_count) print_items(stream, gym->wrappers, gym->wrapper_count);
  print_weights(stream, &gym->weights);
}

static void print_spec(FILE *stream, const sfnec_spec *spec) {
  print_pair(stream, "", "name", spec->name);
  print_pair(stream, "", "title", spec->title);
  fputs("env:\n", stream);
  print_env(stream, spec);
  print_settings(stream, "  ", &spec->env_options);
  fprintf(stream, "tasks: %" PRIu32 "\nsteps: %" PRId64 "\nepisodes: %" PRId64 "\nseeds: ", spec->tasks, spec->steps,
          spec->episodes);
  sfnec_seeds_print(stream, spec->seeds, spec->seed_count);
  fputc('\n', stream);
  if (spec->reward_count) fputs("rewards: ", stream);
  if (spec->reward_count) print_items(stream, spec->rewards, spec->reward_count);
  print_agents(stream, spec);
  if (spec->sweep.count) print_axes(stream, "", &spec->sweep);
  if (spec->random) {
    fprintf(stream, "random:\n  count: %" PRIu32 "\n  seed: %" PRIu64 "\n", spec->random_count, spec->random_seed);
  }
  fprintf(stream, "record:\n  episodes: %s\n  bins: %" PRIu32 "\n  agents: %s\n  state_megabytes: %" PRId64 "\n",
          yes_no(spec->record_episodes), spec->bins, kept_names[spec->kept_agents], spec->state_megabytes);
  const char *metric = spec->metric ? spec->metric : spec->world.kind ? spec->world.kind->metric : NULL;
  if (metric) print_pair(stream, "", "metric", metric);
  if (spec->evaluate.every) print_evaluate(stream, &spec->evaluate);
  print_published(stream, spec);
}

const char *sfnec_spec_text(sfnec_spec *spec) {
  FILE *stream = sfnec_arena_open_text(spec->arena);
  if (!stream) return NULL;
  print_spec(stream, spec);
  return sfnec_arena_close_text(spec->arena);
}

// ---- the lines that differ ----

// The longest common subsequence of lines by the usual table. Equal lines at both ends are taken off first; should the
// middle still be too large for a table, all of it counts as changed.
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
  // lines below a changed line need no further context
  const size_t depth = depth_of(lines->items[at]);
  for (size_t i = depth; i < sizeof output->shown / sizeof *output->shown; i++) output->shown[i] = NULL;
  if (depth < sizeof output->shown / sizeof *output->shown) output->shown[depth] = lines->items[at];
}

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
  output output = {.stream = sfnec_arena_open_text(arena)};
  if (!output.stream) return NULL;
  print_changes(&output, &old, &new);
  return sfnec_arena_close_text(arena);
}
