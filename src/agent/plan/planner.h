// planner.h: an agent that plans: one memory of transitions for all tasks (model.h), and a plan for the present
// weights (values.h) that is kept up while it acts.
//
// Before the first fit of scales it acts at random. Then every transition goes into the model, the state it began in is
// backed up, and planning continues within a budget of backups per step (trajectory.c). A new task is planned for from
// nothing, a turn between exploring and exploiting (optimism.c) from the present values, both in slices (replan.c);
// another model is built beside the present one (refit.h). An action that the plan overestimates in circles is
// corrected (correction.c).
#ifndef SFNEC_AGENT_PLAN_PLANNER_H
#define SFNEC_AGENT_PLAN_PLANNER_H

#include "agent/plan/model.h"
#include "agent/plan/values.h"
#include "agent/reward.h"
#include "base/file.h"
#include "sfnec/reward.h"

typedef struct sfnec_planner sfnec_planner;

// Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_planner_create(const sfnec_psi_config *config, uint64_t seed, sfnec_planner **out);
void sfnec_planner_destroy(sfnec_planner *planner); // NULL is fine
size_t sfnec_planner_bytes(const sfnec_planner *planner);
const sfnec_model *sfnec_planner_model(const sfnec_planner *planner);

// ---- acting and learning; all fail with SFNEC_ERROR_MEMORY ----

// Plans for other reward weights, from nothing.
sfnec_status sfnec_planner_begin(sfnec_planner *planner, const sfnec_reward *reward);
// The same for a task whose reward is the last feature (rewards=any): all that is remembered is labelled by a function
// first. Fails with what that returns too.
sfnec_status sfnec_planner_begin_reward(sfnec_planner *planner, const sfnec_reward *reward,
                                        sfnec_reward_function function, void *context);
// The same for a task with features that are learned (predict=learned), number `task` of so many: they are found again,
// and rewards (tasks), made with w=rls, become what is known of the weights of all tasks.
sfnec_status sfnec_planner_begin_learned(sfnec_planner *planner, uint32_t task, uint32_t tasks, sfnec_reward *rewards);
// The features (n) that a transition from an observation has then; they are as good as the model, which does not
// change.
void sfnec_planner_learned_features(const sfnec_planner *planner, const float *observation,
                                    const sfnec_transition *transition, const sfnec_reward *reward, double *features);
// Forgets the rewards of a task; the numbers of later ones are one less, if it is removed.
void sfnec_planner_forget_task(sfnec_planner *planner, uint32_t task, bool removed);
// The best allowed action (mask NULL: all are) in a state, with what is not known valued unless the planner exploits,
// and its value; ties by random (NULL: the first).
sfnec_status sfnec_planner_act(sfnec_planner *planner, const float *observed, const uint8_t *mask, sfnec_random *ties,
                               sfnec_choice *choice);
// Learns a transition from an observation (d) with its features (n), and plans a little; `reward` has the weights now.
sfnec_status sfnec_planner_observe(sfnec_planner *planner, const float *observed, const sfnec_transition *observed_then,
                                   const double *paid, const sfnec_reward *reward);
// Plans by at most so many more backups, which the following steps are not charged for; *made: how many they were.
sfnec_status sfnec_planner_plan(sfnec_planner *planner, int64_t backups, int64_t *made);
// The episode was cut off.
void sfnec_planner_end_episode(sfnec_planner *planner);

// An episode that is not the planner's own: several can be learned in turns, each put in its place for its turn.
typedef struct sfnec_planner_episode sfnec_planner_episode;
// One that has not begun; NULL if out of memory.
sfnec_planner_episode *sfnec_planner_episode_create(const sfnec_planner *planner);
void sfnec_planner_episode_destroy(sfnec_planner_episode *episode); // NULL is fine
// Exchanges the planner's episode and another one. What the planner logs next does not follow what it logged last.
void sfnec_planner_swap_episode(sfnec_planner *planner, sfnec_planner_episode *other);

// Takes the place of act for a transition that somebody else's policy made: a plan is made when the agent acts again.
sfnec_status sfnec_planner_follow(sfnec_planner *planner, const float *observed);

// ---- asking: nothing changes but the scratch ----

typedef struct sfnec_plan_scratch sfnec_plan_scratch;

sfnec_status sfnec_plan_scratch_create(const sfnec_planner *planner, sfnec_plan_scratch **out);
void sfnec_plan_scratch_destroy(sfnec_plan_scratch *scratch); // NULL is fine

// Questions are about a reward function from now on, whatever their weights; NULL: about weights again (relabel.h).
void sfnec_plan_scratch_set_reward(sfnec_plan_scratch *scratch, sfnec_reward_function function, void *context);

// Whether the plan of the last question was cut by question_backups; the next one about these weights resumes it.
bool sfnec_plan_scratch_is_planning(const sfnec_plan_scratch *scratch);
// The value of every action (q) in a state under weights (n), by a plan that does not explore. It is made, or resumed,
// when the model has changed since the last question about these weights.
sfnec_status sfnec_plan_ask(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                            const double *w, double *q);
// The same for an episode that is played, looking ahead where the model is exact (rollout.c), and the greatest of the
// values: corrected by what followed (correction.c). Actions that the mask does not allow are worth -infinity.
sfnec_status sfnec_plan_play(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                             const uint8_t *mask, const double *w, double *q, double *value);
// Corrects the value of an action of a played episode, from an observation (d), by what followed.
sfnec_status sfnec_plan_tell(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *before,
                             const sfnec_transition *transition);
// The successor features (actions, n) of that plan's policy.
sfnec_status sfnec_plan_ask_psi(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                const double *w, double *psi);
// The samples behind a value, the nearest first; the keys and features live in the scratch until the next question.
sfnec_status sfnec_plan_ask_samples(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                    int32_t action, size_t most, sfnec_memory_view *views, size_t *count);
// States from number `first` on, valued by the plan for weights (n) in the context of an observation; the observations
// live in the scratch until the next question. *count = 0: there are no more.
sfnec_status sfnec_plan_ask_states(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                   const double *w, size_t first, size_t most, sfnec_place_view *views, size_t *count);
// Where the plan expects to be after one step, two, and so on: each time the most likely way of the best action. It
// ends with the episode, where nothing is known and where nothing moves.
sfnec_status sfnec_plan_ask_path(const sfnec_planner *planner, sfnec_plan_scratch *scratch, const float *observation,
                                 const double *w, size_t most, sfnec_place_view *views, size_t *count);

// What is known, and where the plan from an observation leaves it. (cover.c)
sfnec_status sfnec_plan_ask_coverage(const sfnec_planner *planner, sfnec_plan_scratch *scratch,
                                     const float *observation, const double *w, size_t most, float *observations,
                                     int32_t *actions, sfnec_plan_coverage *coverage);
// Where the last episode began (d); NULL: there was none.
const float *sfnec_planner_start(const sfnec_planner *planner);

// ---- what it looks like (describe.c) ----

void sfnec_planner_describe_model(const sfnec_planner *planner, sfnec_model_info *info);
// How the model uses a component of the observation, and why.
void sfnec_planner_describe_component(const sfnec_planner *planner, size_t component, sfnec_component_info *info);

// What is known of features that are learned (predict=learned), and what one of them responds to, the most first:
// observations (most, 2, d) are those before and after an example. (learned_describe.c)
void sfnec_planner_describe_learned(const sfnec_planner *planner, sfnec_learned_info *info);
sfnec_status sfnec_planner_ask_learned(const sfnec_planner *planner, size_t feature, size_t most,
                                       sfnec_response *responses, float *observations, size_t *count);

// ---- files (plan_file.c) ----

void sfnec_planner_save(const sfnec_planner *planner, sfnec_writer *writer);
// Into a planner just created, of an agent with so many tasks and an active one (negative: none). Everything is
// checked. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_planner_load(sfnec_planner *planner, uint32_t tasks, int32_t active, sfnec_reader *reader);

#endif
