// spec_text.c: a spec as YAML, one value per line where a diff should see it; the contract is in spec.h.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "study/spec/spec_parts.h"

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

static void print_axis(FILE *stream, const sfnec_axis *axis) {
  fprintf(stream, "%s: ", axis->key);
  if (axis->count == 0) {
    print_real(stream, "{from: ", axis->from);
    print_real(stream, ", to: ", axis->to);
    fprintf(stream, ", scale: %s}\n", axis->log ? "log" : "linear");
    return;
  }
  for (size_t i = 0; i < axis->count; i++) {
    fputs(i ? ", " : "[", stream);
    print_text(stream, axis->values[i]);
  }
  fputs("]\n", stream);
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

static void print_spec(FILE *stream, const sfnec_spec *spec) {
  print_pair(stream, "", "name", spec->name);
  print_pair(stream, "", "title", spec->title);
  fputs("env:\n", stream);
  print_pair(stream, "  ", "name", spec->env);
  print_settings(stream, "  ", &spec->env_options);
  fprintf(stream, "tasks: %" PRIu32 "\nsteps: %" PRId64 "\nepisodes: %" PRId64 "\nseeds: ", spec->tasks, spec->steps,
          spec->episodes);
  sfnec_seeds_print(stream, spec->seeds, spec->seed_count);
  fputc('\n', stream);
  print_agents(stream, spec);
  if (spec->sweep.count) print_axes(stream, "", &spec->sweep);
  if (spec->random) {
    fprintf(stream, "random:\n  count: %" PRIu32 "\n  seed: %" PRIu64 "\n", spec->random_count, spec->random_seed);
  }
  fprintf(stream, "record:\n  episodes: %s\n  agents: %s\n  state_megabytes: %" PRId64 "\n",
          yes_no(spec->record_episodes), kept_names[spec->kept_agents], spec->state_megabytes);
  print_published(stream, spec);
}

const char *sfnec_spec_text(sfnec_spec *spec) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  print_spec(stream, spec);
  const bool broken = ferror(stream) != 0;
  const char *copy = fclose(stream) == 0 && !broken ? sfnec_arena_copy(spec->arena, text) : NULL;
  free(text);
  return copy;
}
