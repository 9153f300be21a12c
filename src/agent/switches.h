// switches.h: task switches that nobody announces (option tasks=detect), as a sequential test.
//
// Each reward with features that are not all 0 is evidence. Of the latest the agent asks how likely they are if the
// task has not changed, and how likely if it has: at one of them, to one of the tasks known or to a new one. The sum of
// those likelihood ratios over all times of a change is the statistic of Shiryaev and Roberts. Without a change it
// grows by 1 per reward on average, so a switch called when it exceeds a threshold is called by mistake at most once in
// as many rewards on average (Pollak 1985; option false_alarm_every).
//
// What came since the likeliest time of the change is taken back from the task that was left, and teaches the other. A
// new task that is left before it has had a few rewards is dropped, for so few may have been an accident. Weights of
// features that the agent avoids cannot surprise it; so after a while the planner treats them as uncertain and visits
// them (option recheck).
#ifndef SFNEC_AGENT_SWITCHES_H
#define SFNEC_AGENT_SWITCHES_H

#include "agent/agent.h"
#include "base/file.h"

// A reward as the active task saw it come.
typedef struct sfnec_surprise {
  sfnec_expectation expected;
  sfnec_residuals before; // what was known of the noise
} sfnec_surprise;

// The latest rewards, of which some may belong to another task.
struct sfnec_evidence {
  bool fresh;             // the active task was new at its first reward of these
  uint32_t first, count;  // of a ring
  double *features;       // (SFNEC_EVIDENCE, n)
  double *rewards;        // (SFNEC_EVIDENCE)
  sfnec_surprise *seen;   // (SFNEC_EVIDENCE): what the active task said of each when it came; not saved
  sfnec_reward settled;   // what the active task knew before the first of them
  sfnec_reward candidate; // scratch: another task, as it learns them
};

// Rewards that a switch may lie back, at most. Half as many: switches among tasks that differ by less than the noise
// stay unnoticed, and blur the weights of both; twice as many: a test costs twice the time.
enum { SFNEC_EVIDENCE = 64 };

sfnec_status sfnec_evidence_create(const sfnec_psi_config *config, sfnec_evidence **out);
void sfnec_evidence_destroy(sfnec_evidence *evidence); // NULL is fine
size_t sfnec_evidence_bytes(size_t features);

// The active task, or what is known of it, is now another: there is no evidence yet.
void sfnec_evidence_restart(sfnec_agent *agent);

// Looks at features and a reward before they are learned; makes another task the active one if they show a switch.
// Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_agent_detect(sfnec_agent *agent, const double *features, double reward);

void sfnec_evidence_save(const sfnec_evidence *evidence, size_t features, sfnec_writer *writer);
// After the tasks were loaded, one of which is active or none.
sfnec_status sfnec_evidence_load(sfnec_agent *agent, sfnec_reader *reader);

#endif
