// switches.h: task switches that nobody announces (option tasks=detect).
//
// A reward that the present weights should have known but did not means that the task has changed. What was seen since
// then is evidence: an earlier task whose weights explain all of it is taken up again; if there is none, a new one
// begins, with weights learned from the evidence. Weights of features that the agent avoids cannot surprise it; so the
// planner doubts them after a while, and goes to see (option recheck).
#ifndef SFNEC_AGENT_SWITCHES_H
#define SFNEC_AGENT_SWITCHES_H

#include "agent/agent.h"
#include "base/file.h"

// What was seen since the last switch, as far as there is space.
struct sfnec_evidence {
  bool recognised; // the active task is an earlier one that was recognised; else it was new, or told
  uint32_t count;
  double *features; // (SFNEC_EVIDENCE, n)
  double *rewards;  // (SFNEC_EVIDENCE)
};

enum { SFNEC_EVIDENCE = 32 };

sfnec_status sfnec_evidence_create(size_t features, sfnec_evidence **out);
void sfnec_evidence_destroy(sfnec_evidence *evidence); // NULL is fine
size_t sfnec_evidence_bytes(size_t features);

// Looks at features and a reward before they are learned; makes another task the active one if they tell of a switch.
// Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_agent_detect(sfnec_agent *agent, const double *features, double reward);

void sfnec_evidence_save(const sfnec_evidence *evidence, size_t features, sfnec_writer *writer);
sfnec_status sfnec_evidence_load(sfnec_evidence *evidence, size_t features, sfnec_reader *reader);

#endif
