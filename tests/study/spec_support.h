// spec_support.h: what the tests of specs and plans share.
#ifndef SFNEC_TESTS_EXPERIMENT_SPEC_SUPPORT_H
#define SFNEC_TESTS_EXPERIMENT_SPEC_SUPPORT_H

#include "support/check.h"

#include "study/plan/plan.h"

static inline sfnec_status parse(const char *text, const sfnec_overrides *overrides, sfnec_spec **spec) {
  return sfnec_spec_parse("s.yaml", text, strlen(text), overrides, spec);
}

static inline sfnec_spec *parsed(const char *text, const sfnec_overrides *overrides) {
  sfnec_spec *spec;
  OK(parse(text, overrides, &spec));
  return spec;
}

static inline sfnec_plan *planned(sfnec_spec *spec) {
  sfnec_plan *plan;
  OK(sfnec_plan_create(spec, &plan));
  return plan;
}

static inline void discard(sfnec_spec *spec, sfnec_plan *plan) {
  sfnec_plan_destroy(plan);
  sfnec_spec_destroy(spec);
}

// A path in the source tree, or NULL when the test is not run by CTest.
static inline const char *source_path(char *path, size_t size, const char *name) {
  const char *root = getenv("SFNEC_SOURCE");
  if (!root) return NULL;
  snprintf(path, size, "%s/%s", root, name);
  return path;
}

// The names of the specs that come with the program.
static const char *const studies[] = {"main",        "learned-w", "capacity",         "neighbours",     "embedding",
                                      "grid-search", "one-room",  "cartpole-horizon", "cartpole-update"};
enum { STUDY_COUNT = sizeof studies / sizeof *studies };

#endif
