// fuzz_options.c: options as text. A byte chooses whose they are, the lines after it are "key=value". An option that is
// accepted is in its range, and its text reads back to the same value.
#include "fuzz.h"
#include "study/spec/spec.h"

enum { MOST_LINES = 16 };

// Of the options that are not at their defaults.
static void check_round(const sfnec_option_set *set, const void *options, void *again) {
  sfnec_options_default(set, again);
  for (const sfnec_option *row = set->rows; row->name; row++) {
    char text[64], again_text[64];
    sfnec_options_get_text(row, again, again_text, sizeof again_text);
    sfnec_options_get_text(row, options, text, sizeof text);
    if (memcmp(text, again_text, strlen(text) + 1) == 0) continue;
    HOLDS(!sfnec_options_set(set, again, row->name, text));
    sfnec_options_get_text(row, again, again_text, sizeof again_text);
    HOLDS(memcmp(text, again_text, strlen(text) + 1) == 0);
  }
  HOLDS(!sfnec_options_check(set, again));
}

static void of_agent(char *const *lines) {
  sfnec_agent_options options, again;
  sfnec_agent_options_default(&options);
  memset(&again, 0, sizeof again);
  for (; *lines; lines++) (void)sfnec_options_assign(sfnec_agent_option_set(), &options, *lines);
  HOLDS(!sfnec_options_check(sfnec_agent_option_set(), &options));
  check_round(sfnec_agent_option_set(), &options, &again);
}

static void of_world(const sfnec_env_kind *kind, const char *const *lines) {
  sfnec_env *env = NULL;
  if (sfnec_env_create(kind, lines, 1, &env)) return;
  void *again = calloc(1, kind->options_size ? kind->options_size : sizeof(sfnec_env_common));
  HOLDS(again);
  check_round(sfnec_env_kind_option_set(kind), sfnec_env_get_options(env), again);
  free(again);
  sfnec_env_destroy(env);
}

// The words of the command line: agents, settings, seeds.
static void of_command(char **lines, uint32_t which) {
  const char *const agents[] = {lines[0], NULL};
  const sfnec_overrides overrides[] = {
      {.seeds = lines[1], .env = lines[1] ? lines[2] : NULL}, // each line has its place, or
      {.sets = (const char *const *)(lines + 1)},             // those after the first are all settings
  };
  sfnec_spec *spec = NULL;
  if (!sfnec_spec_make("fuzz", agents, &overrides[which % 2], &spec)) HOLDS(sfnec_spec_text(spec));
  sfnec_spec_destroy(spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2 || size > 2048) return 0;
  char *text = malloc(size);
  HOLDS(text);
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\0';
  char *lines[MOST_LINES + 1] = {NULL};
  size_t count = 0;
  for (char *at = text; at && count < MOST_LINES; count++) {
    lines[count] = at;
    at = strchr(at, '\n');
    if (at) *at++ = '\0';
  }
  const uint32_t whose = data[0] % 7;
  const sfnec_env_kind *kind = whose < 4 ? sfnec_env_kind_at(whose) : NULL;
  if (kind) of_world(kind, (const char *const *)lines);
  else if (whose == 4) of_agent(lines);
  else of_command(lines, whose);
  free(text);
  return 0;
}
