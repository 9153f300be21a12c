// fuzz_spec.c: a study as YAML. A spec that is accepted resolves to a text that reads back to the same text, and, if it
// is small, to a plan.
#include "fuzz.h"
#include "study/plan/plan.h"

static void check_text(sfnec_spec *spec) {
  const char *text = sfnec_spec_text(spec);
  HOLDS(text);
  sfnec_spec *again = NULL;
  HOLDS(!sfnec_spec_parse("again.yaml", text, strlen(text), NULL, &again));
  const char *again_text = sfnec_spec_text(again);
  HOLDS(again_text && strcmp(text, again_text) == 0);
  sfnec_spec_destroy(again);
}

// The most configurations; a plan makes an agent of each.
static size_t points_of(const sfnec_spec *spec) {
  enum { MANY = 1000000 };
  size_t all = 0;
  for (size_t i = 0; i < spec->agent_count; i++) {
    const sfnec_axes *axes = sfnec_spec_axes(spec, &spec->agents[i]);
    size_t points = spec->random ? spec->random_count : 1;
    for (size_t j = 0; !spec->random && j < axes->count && points < MANY; j++) points *= axes->items[j].count;
    if (points >= MANY) return MANY;
    all += points;
  }
  return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sfnec_spec *spec = NULL;
  const sfnec_overrides quick = {.quick = true}, plain = {.quick = false};
  if (sfnec_spec_parse("fuzz.yaml", (const char *)data, size, size % 4 ? &plain : &quick, &spec)) return 0;
  check_text(spec);
  if (points_of(spec) < 20 && spec->seed_count < 100) {
    sfnec_plan *plan = NULL;
    if (!sfnec_plan_create(spec, &plan)) HOLDS(plan->job_count > 0);
    sfnec_plan_destroy(plan);
  }
  sfnec_spec_destroy(spec);
  return 0;
}
