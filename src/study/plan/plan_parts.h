// plan_parts.h: what the files of the plan share: points (plan_points.c), identities (plan_identity.c), jobs (plan.c).
#ifndef SFNEC_STUDY_PLAN_PLAN_PARTS_H
#define SFNEC_STUDY_PLAN_PLAN_PARTS_H

#include "study/plan/plan.h"
#include "study/spec/spec_parts.h"

// The points of an agent's sweep: (count) settings each; one empty point without a sweep.
typedef struct sfnec_points {
  sfnec_settings *items;
  size_t count;
} sfnec_points;

enum { SFNEC_MOST_JOBS = 100000 };

// All combinations, the last key changing fastest, or random.count points drawn.
sfnec_status sfnec_points_make(const sfnec_spec *spec, const sfnec_spec_agent *agent, sfnec_arena *arena,
                               sfnec_points *points);

// The lines of the identity that a configuration decides; see plan.h. NULL without memory.
const char *sfnec_identity_common(const sfnec_spec *spec, const sfnec_configuration *configuration,
                                  const sfnec_env *env, sfnec_arena *arena);
// Completes identity and id of a job.
sfnec_status sfnec_identity_finish(sfnec_job *job, const char *common, sfnec_arena *arena);

#endif
