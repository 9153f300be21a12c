// agent.h: the inside of an agent, shared by the files that implement sfnec/agent.h.
#ifndef SFNEC_AGENT_AGENT_H
#define SFNEC_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/basis.h"
#include "agent/collector.h"
#include "agent/gpi.h"
#include "agent/learner.h"
#include "agent/plan/planner.h"
#include "agent/policies.h"
#include "agent/watch.h"
#include "sfnec/agent.h"

typedef struct sfnec_evidence sfnec_evidence; // switches.h

struct sfnec_agent {
  sfnec_env_shape shape;
  uint64_t seed;
  char *note;                        // never NULL
  sfnec_component_space *components; // (d): what they are; NULL: not known
  sfnec_policies policies;
  int32_t active; // the active task, or SFNEC_NO_POLICY
  const sfnec_learner *learner;
  sfnec_joint_values joints; // rewards=any and a psi per task: the values of phi so far
  sfnec_planner *planner;    // psi=planned: what all tasks share; else NULL
  sfnec_evidence *evidence;  // tasks=detect: of a switch; else NULL

  // one stream per purpose
  sfnec_random exploration, init, replay;
  sfnec_random evaluation; // where the streams of new scratches begin

  // the episode
  bool in_episode;
  bool acted;      // an action waits for its transition
  bool has_choice; // `choice` is that of the last act
  sfnec_choice choice;
  sfnec_ring waiting; // transitions without their N-step target yet; see collector.h

  // what the policies say about s_t and about s_{t+1}, and what acting and learning ask them by
  sfnec_frame here, next;
  sfnec_psi_scratch scratch;
  uint64_t generation; // changes when the numbers of policies come to mean other ones

  sfnec_watch watch; // since it was created or loaded

  double *phi;    // (n), of the transition being observed
  double *target; // (2 n), scratch of one update
};

// What a question changes.
struct sfnec_scratch {
  const sfnec_agent *agent; // that it was made for
  uint64_t generation;      // of the agent's, that the answers are about
  sfnec_psi_scratch psi;
  sfnec_plan_scratch *plan;              // for an agent that plans; else NULL
  void (*close)(sfnec_scratch *scratch); // the learner's, as a scratch may outlive its agent; NULL: nothing to do
  sfnec_frame asked;                     // the state asked about last
  sfnec_random ties;                     // breaks ties
  sfnec_reward_function reward;          // that questions are about; NULL: they are about weights
  void *reward_context;
  double *weights;  // (psi_size): those of a question; NULL: as they are given
  uint32_t weighed; // joint values that these were made for by the reward function; 0: for none
  sfnec_stopwatch watch;
  int32_t likely; // the policy that the last question chose: where to look first at the next one
};

// The reward of one transition from an observation by a function.
sfnec_status sfnec_reward_of(const sfnec_env_shape *shape, sfnec_reward_function function, void *context,
                             const float *observation, const sfnec_transition *transition, double *reward);

// Whether an expression reads more of a transition than its features.
bool sfnec_reward_reads_transitions(const sfnec_reward_expression *reward);

// Is this what a component may be? Makes its name printable.
bool sfnec_component_space_is_good(sfnec_component_space *component);
// Is this a task number? If not, fails with a sentence that says which there are.
sfnec_status sfnec_agent_check_task(const sfnec_agent *agent, uint32_t task);
// Are these weights (feature_count) finite, and none too large?
sfnec_status sfnec_agent_check_weights(const sfnec_agent *agent, const double *w);
// Is there an observation, and is it finite?
sfnec_status sfnec_agent_check_observation(const sfnec_agent *agent, const float *observation);
// Is an action allowed by this mask, or is there no mask? *mask is NULL then too if it allows all.
sfnec_status sfnec_agent_check_mask(const sfnec_agent *agent, const uint8_t **mask);
// Is this a transition, its features apart: one of the actions, a finite reward and next observation?
sfnec_status sfnec_agent_check_outcome(const sfnec_agent *agent, const sfnec_transition *transition);

// What one plan of an agent may take that is only looked at, whatever its options say: they may be a stranger's. Five
// times the default; 1 to 10 s of a core. Half as many: agents that were given more plan worse when they are looked at.
#define SFNEC_LOOK_BACKUPS INT64_C(100000000)
// Bounds the plans of an agent by that; true if its options ask for more. Such an agent is not to be saved.
bool sfnec_agent_limit_plans(sfnec_agent *agent);

// Space for so many policies in the agent's own frames.
sfnec_status sfnec_agent_reserve_frames(sfnec_agent *agent, uint32_t policies);
// Space for so many tasks, in all that the learner keeps for each.
sfnec_status sfnec_agent_make_room(sfnec_agent *agent, uint32_t tasks);
// Makes `here` the frame of an observation, where these actions are allowed (NULL: all; else there is room for the
// mask); usually it is the one that the last transition led to.
void sfnec_agent_look_here(sfnec_agent *agent, const float *observation, const uint8_t *mask);
// These weights, or those of the active task for NULL.
const double *sfnec_agent_weights(const sfnec_agent *agent, const double *w);

// The first failure of several steps, all of which are taken.
static inline sfnec_status sfnec_first_failure(sfnec_status first, sfnec_status next) {
  return first ? first : next;
}

// The mean squared differences of psi from the targets that it was trained with, added up, and how many there were,
// since they were set; what is not a number counts as 0. One running sum, for a sum of sums has other last bits.
void sfnec_agent_get_loss(const sfnec_agent *agent, double *loss, int64_t *targets);
void sfnec_agent_set_loss(sfnec_agent *agent, double loss, int64_t targets);
// Adds a task, also in the middle of an episode; else as sfnec_agent_add_task.
sfnec_status sfnec_agent_push_task(sfnec_agent *agent, const double *w, uint32_t *task);
// Makes a task the active one, also in the middle of an episode.
sfnec_status sfnec_agent_activate(sfnec_agent *agent, uint32_t task);
// Removes a task that is not active from an agent that plans, also in the middle of an episode.
void sfnec_agent_drop_task(sfnec_agent *agent, uint32_t task);

#endif
