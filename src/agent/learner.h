// learner.h: what learns and answers for an agent, behind one interface.
//
// The public functions (agent.c, tasks.c, learn.c, ask.c, agent_file.c) check what callers hand in and keep what every
// agent has: tasks with their reward weights and counters, the random streams, the episode. The rest is a learner's.
// There are two: a psi per task with GPI over them (policy_learner.h), and one planner for all tasks (plan_learner.c).
//
// What a learner is handed has been checked. Functions that return a status fail with SFNEC_ERROR_MEMORY, and with what
// else is said of them.
#ifndef SFNEC_AGENT_LEARNER_H
#define SFNEC_AGENT_LEARNER_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "sfnec/agent.h"
#include "sfnec/reward.h"

typedef struct sfnec_learner {
  // ---- life ----

  // Makes what the agent holds besides tasks and the episode; NULL: nothing.
  sfnec_status (*create)(sfnec_agent *agent);
  void (*destroy)(sfnec_agent *agent); // also when it was not made; NULL: nothing
  size_t (*bytes)(const sfnec_agent *agent);
  // Makes room for all that it can hold; SFNEC_ERROR_STATE: its options set no such limit.
  sfnec_status (*reserve)(sfnec_agent *agent);

  // ---- tasks ----

  // Makes room for so many tasks; NULL: a task takes none.
  sfnec_status (*make_room)(sfnec_agent *agent, uint32_t tasks);
  // A task is no longer the active one; NULL: nothing to do.
  void (*leave_task)(sfnec_agent *agent, uint32_t task);
  // A task is forgotten, and removed or about to be learned again; NULL: nothing to do.
  void (*forget_task)(sfnec_agent *agent, uint32_t task, bool removed);
  // There is another active task, or its weights were set; NULL: nothing to do.
  sfnec_status (*begin_task)(sfnec_agent *agent);
  // The same for a task with a reward function, of which it may be asked only now (rewards=any); NULL: as begin_task.
  // Fails with what the function returns; then nothing has changed.
  sfnec_status (*begin_reward)(sfnec_agent *agent, sfnec_reward_function function, void *context);
  // Fills in what it has learned of a task: entries, trained, skipped.
  void (*describe_task)(const sfnec_agent *agent, uint32_t task, sfnec_task_info *info);

  // ---- the episode ----

  // Makes the state of an observation `here`, and agent->choice its greedy choice among the actions that the mask
  // allows (NULL: all; else `here` has room for a mask).
  sfnec_status (*act)(sfnec_agent *agent, const float *observation, const uint8_t *mask);
  // Takes the place of act for a transition that was not chosen by the agent (sfnec_agent_learn_transition).
  sfnec_status (*follow)(sfnec_agent *agent, const float *observation, int32_t action);
  // Learns the transition from `here` to `next` with agent->phi; w has learned from it. Its mask allows an action, or
  // is NULL for all. SFNEC_ERROR_STATE: psi diverged.
  sfnec_status (*observe)(sfnec_agent *agent, const sfnec_transition *transition);
  // Plans by at most so many more backups; NULL: there is nothing to plan.
  sfnec_status (*plan)(sfnec_agent *agent, int64_t backups, int64_t *made);
  // Fills agent->phi with the features that are learned (predict=learned) of a transition from `here`; NULL: it learns
  // none.
  void (*learned_features)(sfnec_agent *agent, const sfnec_transition *transition);
  // The episode was cut off. Fails as observe.
  sfnec_status (*end_episode)(sfnec_agent *agent);

  // ---- questions: nothing changes but the scratch; w NULL: the active task's ----

  sfnec_status (*open_scratch)(sfnec_scratch *scratch); // NULL: it needs nothing of its own
  void (*close_scratch)(sfnec_scratch *scratch);        // also one that was not opened; NULL likewise
  // From now on questions are about this reward, and w is NULL; NULL: about weights again. NULL itself: it cannot.
  void (*set_reward)(sfnec_scratch *scratch, sfnec_reward_function function, void *context);
  // Whether the last question's plan was cut; NULL: there are none.
  bool (*is_planning)(const sfnec_scratch *scratch);
  // mask NULL: all actions are allowed.
  sfnec_status (*choose)(sfnec_scratch *scratch, const float *observation, const uint8_t *mask, const double *w,
                         sfnec_choice *choice);
  // What followed an action of an episode that is played (sfnec_agent_tell); NULL: it is not interested.
  sfnec_status (*tell)(sfnec_scratch *scratch, const float *observation, const sfnec_transition *transition);
  // psi (tasks, actions, n) and q (tasks, actions).
  sfnec_status (*ask_psi)(sfnec_scratch *scratch, const float *observation, double *psi);
  sfnec_status (*ask_q)(sfnec_scratch *scratch, const float *observation, const double *w, double *q);
  // What the value of a task's action is made of, the nearest first; at most `most`.
  sfnec_status (*ask_memories)(sfnec_scratch *scratch, const float *observation, uint32_t task, int32_t action,
                               size_t most, sfnec_memory_view *views, size_t *count);

  // ---- questions about a model; all NULL: it has none ----

  void (*describe_model)(const sfnec_agent *agent, sfnec_model_info *info);
  void (*describe_component)(const sfnec_agent *agent, size_t component, sfnec_component_info *info);
  // Of features that are learned (predict=learned).
  void (*describe_learned)(const sfnec_agent *agent, sfnec_learned_info *info);
  sfnec_status (*ask_learned)(const sfnec_agent *agent, size_t feature, size_t most, sfnec_response *responses,
                              float *observations, size_t *count);
  sfnec_status (*ask_places)(sfnec_scratch *scratch, const float *observation, const double *w, size_t first,
                             size_t most, sfnec_place_view *views, size_t *count);
  sfnec_status (*ask_coverage)(sfnec_scratch *scratch, const float *observation, const double *w, size_t most,
                               float *observations, int32_t *actions, sfnec_plan_coverage *coverage);
  // Where the last episode began; NULL: in none.
  const float *(*start)(const sfnec_agent *agent);
  sfnec_status (*ask_path)(sfnec_scratch *scratch, const float *observation, const double *w, size_t most,
                           sfnec_place_view *views, size_t *count);

  // ---- files: what follows the tasks and the episode ----

  void (*save)(const sfnec_agent *agent, sfnec_writer *writer); // NULL: nothing
  // Into an agent whose tasks and episode were loaded. SFNEC_ERROR_FORMAT: the content is refused.
  sfnec_status (*load)(sfnec_agent *agent, sfnec_reader *reader);
} sfnec_learner;

extern const sfnec_learner sfnec_policy_learner; // one memory per action, or a linear function (policy_learner.c)
extern const sfnec_learner sfnec_plan_learner;   // psi=planned (plan_learner.c)

#endif
