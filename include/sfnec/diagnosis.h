// diagnosis.h: what keeps an agent from learning well, and what to do about it (experimental).
//
//   sfnec_finding findings[SFNEC_FINDINGS_MOST];
//   size_t count;
//   sfnec_agent_diagnose(agent, NULL, findings, &count);
//   for (size_t i = 0; i < count; i++) fprintf(stderr, "%s\n", findings[i].text);
//
// The library prints nothing: the command prints findings after training, and Python warns of them.
#ifndef SFNEC_DIAGNOSIS_H
#define SFNEC_DIAGNOSIS_H

#include <stddef.h>

#include "sfnec/agent.h"
#include "sfnec/export.h"
#include "sfnec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sfnec_finding_kind {
  SFNEC_FINDING_CONTEXTS,      // contexts explode: each has values of its own, and hardly any evidence
  SFNEC_FINDING_STATES,        // nearly every state of the model is new
  SFNEC_FINDING_REWARDS,       // no reward in many steps of the active task
  SFNEC_FINDING_SCALES,        // the components of keys differ greatly in their ranges
  SFNEC_FINDING_UNBOUNDED,     // the components of keys are very large
  SFNEC_FINDING_WEIGHTS,       // a reward was not phi . w
  SFNEC_FINDING_SLOW_STEP,     // acting or learning took over 0.1 s
  SFNEC_FINDING_SLOW_QUESTION, // so did a question by the scratch
  SFNEC_FINDING_STRUCTURE,     // predict=learned has found no features in the rewards of several tasks
} sfnec_finding_kind;

enum { SFNEC_FINDINGS_MOST = 9 }; // one of each kind

typedef struct sfnec_finding {
  sfnec_finding_kind kind;
  char name[24];  // of the kind, in a word or two: "contexts"
  char text[448]; // one sentence: what was seen, what it costs, and the option that helps
} sfnec_finding;

// Writes what is found now, at most one of each kind, in the order of the kinds: findings has room for
// SFNEC_FINDINGS_MOST. What follows from the memories or the model is found in a loaded agent too; rewards and times
// are those since the agent was created or loaded. Times are of the processor: the first slow step or question only
// makes the next ones be measured, so that a pause by other programs is no finding. `scratch`: that questions were
// asked by; NULL: none. Reads every key of the active task, so it is no call for each step. Fails with
// SFNEC_ERROR_ARGUMENT for a NULL and for a scratch that was not made for this agent.
SFNEC_API sfnec_status sfnec_agent_diagnose(const sfnec_agent *agent, const sfnec_scratch *scratch,
                                            sfnec_finding *findings, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
