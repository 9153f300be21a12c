// internal.h: the inside of a planner, shared by the files that implement planner.h.
#ifndef SFNEC_AGENT_PLAN_INTERNAL_H
#define SFNEC_AGENT_PLAN_INTERNAL_H

#include "agent/plan/encoder.h"
#include "agent/plan/learned.h"
#include "agent/plan/planner.h"
#include "agent/plan/refit.h"
#include "agent/plan/relabel.h"

// What looking at one state needs.
typedef struct sfnec_workspace {
  float *key, *goal; // (d and up to a multiple of 16)
  float *features;   // (SFNEC_PREDICTION_OUTCOMES, n)
  float *rest, *own; // (actions)
  float *means;      // (actions): of rollouts
  float *goals;      // (SFNEC_PREDICTION_OUTCOMES, as key): of a rollout
  float *start;      // as key: where it begins
  sfnec_index_scratch *search;
} sfnec_workspace;

sfnec_status sfnec_workspace_init(sfnec_workspace *work, const sfnec_psi_config *config);
void sfnec_workspace_clear(sfnec_workspace *work);

// ---- corrections (correction.c) ----

typedef struct sfnec_correction {
  uint32_t state, context, action;
  uint32_t visits;
  double sum;   // of its temporal-difference errors, before any correction
  double mean;  // of the last of them: as many as distinguish an error from chance
  float amount; // that its value is lowered by
} sfnec_correction;

typedef struct sfnec_corrections {
  uint32_t count, next; // entries, and the one that is replaced next
  sfnec_correction items[SFNEC_CORRECTIONS];
} sfnec_corrections;

void sfnec_corrections_clear(sfnec_corrections *corrections);
// How much lower an action of a state in a context is valued.
float sfnec_correction_of(const sfnec_corrections *corrections, uint32_t state, uint32_t context, uint32_t action);
// The plan overestimated an action by `gap`, where the model expects targets to vary by `variance`.
void sfnec_corrections_add(sfnec_corrections *corrections, uint32_t state, uint32_t context, uint32_t action,
                           double gap, double variance);

struct sfnec_planner {
  const sfnec_psi_config *config;
  sfnec_encoder encoder;
  sfnec_belief belief; // where the agent is, under noise
  sfnec_model model;
  sfnec_refit *refit;         // of a model that will replace the present one; NULL: none is under way
  sfnec_noise_search *search; // for noise that the model was not made for; NULL: none is under way
  sfnec_masks masks;
  sfnec_values values;
  sfnec_random random;
  int64_t steps;      // transitions observed
  int64_t next_fit;   // when all scales are tested for a refit
  int64_t solved;     // when the first values of tables were solved last
  int64_t idle_since; // when something was tried for the first time last
  uint32_t tried;     // actions of states that had been tried then
  int64_t earned_at;  // when something was earned last; 0: never, or by a reward that is forgotten
  int64_t turned_at;  // when exploitation began or ended last

  double *uncertainty;    // (n, n): what was not known of w when values were weighed last; NULL unless w=rls
  int64_t *seen;          // (n): when each feature was seen last; NULL unless w=rls
  sfnec_learned *learned; // predict=learned; else NULL
  const sfnec_learned_labels *labels; // of the samples, for the task that begins; NULL: none begins

  // the first transitions, before there are scales
  uint32_t waiting;
  uint32_t waiting_room;
  float *before, *after; // (waiting_room, d)
  double *features;      // (waiting_room, n)
  uint32_t *actions;     // (SFNEC_PLAN_WARM_UP)
  bool *terminated;

  // the episode
  bool in_episode;
  bool follows; // the present transition is not of its own choice: it comes from a log
  float *start; // (d): where the last episode began
  bool has_start;
  bool located; // state and context are those of the state observed last
  uint32_t state, context;
  bool has_target; // the last action implies a value of the next state:
  float target_value;
  uint32_t target_action; // the action that implied it
  float asked;            // the value of the last action
  double debt;            // backups that may be made
  uint32_t path_count;
  uint32_t path_states[SFNEC_PLAN_PATH], path_contexts[SFNEC_PLAN_PATH];
  uint64_t numbering; // changes when the numbers of states or contexts come to mean other ones
  bool takes_turns;   // several episodes are learned, each for one transition (episodes.c)

  sfnec_workspace work;
};

// What is known of w as of now; rewards follow it at the next reweighing. (uncertainty.c)
void sfnec_planner_note_uncertainty(sfnec_planner *planner, const sfnec_reward *reward);
// Whether some weight is hardly known.
bool sfnec_planner_is_uncertain(const sfnec_planner *planner);
// How far the weights, what is known of them, and the scale of rewards have moved since values were weighed last.
double sfnec_planner_weight_change(const sfnec_planner *planner, const sfnec_reward *reward);

// An action had the reward `brought` under w. If it is the one that the planner chose, the rest of its value is what
// the next state should be worth: the target value. To be called before values change. (correction.c)
void sfnec_planner_note_target(sfnec_planner *planner, uint32_t action, double brought);
// The state that the agent is in now has this value: corrects the last action if its target value is missed in circles.
sfnec_status sfnec_planner_correct(sfnec_planner *planner, uint32_t table, float value);

// Whether a reward is known that is worth going for, under weights (n). (optimism.c)
bool sfnec_planner_knows_reward(const sfnec_planner *planner, const double *w);
// Adapts the bonus after a transition that was learned, with the reward `brought` under w.
sfnec_status sfnec_planner_follow_optimism(sfnec_planner *planner, const sfnec_transition *transition, double brought,
                                           const sfnec_reward *reward);
// What was earned is not known any more.
void sfnec_planner_forget_earned(sfnec_planner *planner);

// Begins a plan for these weights, and makes its first slice; `afresh`: from nothing, else from the values that there
// are. The following steps make the rest.
sfnec_status sfnec_planner_replan(sfnec_planner *planner, const sfnec_reward *reward, bool afresh);

// What the actions of a state are worth, into work->rest and work->own (-infinity and 0 where the mask does not allow
// one; NULL: all are allowed); returns the value of the best. work->key must be the state's, and `state` one near it;
// exploring, one that was just backed up.
float sfnec_plan_evaluate(const sfnec_model *model, sfnec_values *values, sfnec_workspace *work, uint32_t table,
                          uint32_t state, const uint8_t *mask);

// A plan in a file, with what planning is in the middle of; older files lack overestimates, and that. (values_file.c)
void sfnec_values_save(const sfnec_values *values, sfnec_writer *writer);
sfnec_status sfnec_values_load(sfnec_values *values, bool has_overestimate, bool has_planning, sfnec_reader *reader);

// The best action of what was looked at last.
uint32_t sfnec_plan_best(const sfnec_workspace *work, uint32_t actions, float gamma);

// How many steps a rollout has; 0: the model is not exact enough for any. (rollout.c)
uint32_t sfnec_plan_rollout_steps(const sfnec_model *model);
// What the actions (q) of the state work->key, near a state, are worth by rollouts; -infinity where the mask does not
// allow one (NULL: all are allowed).
void sfnec_plan_rollouts(const sfnec_model *model, sfnec_values *values, sfnec_workspace *work, uint32_t table,
                         uint32_t state, const uint8_t *mask, uint32_t steps, double *q);

// Fails with SFNEC_ERROR_MEMORY if planning ran out of it.
sfnec_status sfnec_planner_check(sfnec_planner *planner);
// Finds where the last episode began, in the numbers of the model as it is.
sfnec_status sfnec_planner_find_start(sfnec_planner *planner);
// The numbers of states and contexts, or what they are worth, are other ones now.
void sfnec_planner_forget_path(sfnec_planner *planner);
// Finds the state and the context of an observation. (planner_act.c)
sfnec_status sfnec_planner_locate(sfnec_planner *planner, const float *observation);
// Takes the mask of an observation, which the state that the planner is in may have had otherwise.
sfnec_status sfnec_planner_note_mask(sfnec_planner *planner, const float *observation, const uint8_t *mask);

// Begins to make the first model, of the first transitions. (planner_refit.c)
sfnec_status sfnec_planner_begin_first_model(sfnec_planner *planner);
// Begins to make the model again when that is due, works on it, and takes the new model when it is whole.
sfnec_status sfnec_planner_follow_refit(sfnec_planner *planner, const sfnec_reward *reward);
// Does all the work on a refit that is under way, and takes its model.
sfnec_status sfnec_planner_finish_refit(sfnec_planner *planner, const sfnec_reward *reward);
// The refit is of no use any more; what it was for becomes due again.
void sfnec_planner_drop_refit(sfnec_planner *planner);

// Makes room for so many of the first transitions.
sfnec_status sfnec_planner_reserve_waiting(sfnec_planner *planner, uint32_t count);

// ---- questions ----

// A plan for weights that were asked about. (plans.c)
typedef struct sfnec_question_plan {
  sfnec_values values; // of the planner's model, or of the relabelled one
  sfnec_random random;
  bool begun;                  // for values.w, by the model of...
  uint64_t version, numbering; // ...this version, as the planner numbers states
  uint64_t asked;              // the number of the last question about it; 0: none
  bool has_here;               // the start's trajectories are done, and others begin in...
  sfnec_node here;             // ...the last state that they had not met the context of
} sfnec_question_plan;

struct sfnec_plan_scratch {
  const sfnec_planner *planner;
  sfnec_question_plan plans[SFNEC_QUESTION_PLANS];
  sfnec_question_plan *plan; // of them, the one that the last question was about
  uint64_t asked;            // questions so far
  int64_t most;              // backups of a question
  int64_t budget;            // of them, those that this question may still make
  sfnec_workspace work;
  sfnec_reward_function reward; // that questions are about; NULL: they are about weights
  void *reward_context;
  sfnec_relabelled relabelled; // the model with its rewards, of the plan's version; empty: not made yet
  float *views;                // (view_room, d): the keys of samples shown
  size_t view_room;
  sfnec_corrections corrections; // of the episode that is played
  bool has_played;               // the state of an episode that was looked at last:
  float *played;                 // (d): its observation
  uint8_t *played_mask;          // (actions): those that were allowed
  double *played_q;              // (actions): their values
  sfnec_belief belief;           // where it is, under noise
  uint32_t played_state, played_context;
};

// Takes the plan for weights, or begins one, and works on it as long as a question may. (plans.c)
sfnec_status sfnec_plan_scratch_prepare(sfnec_plan_scratch *scratch, const double *w);
// Works on, from a state in a context that the plan has not met, as long as the question still may.
sfnec_status sfnec_plan_scratch_extend(sfnec_plan_scratch *scratch, uint32_t context, uint32_t state);
// Prepares a plan, and finds the table of an observation, planned for, and the nearest state. (ask.c)
sfnec_status sfnec_plan_scratch_locate(sfnec_plan_scratch *scratch, const float *observation, const double *w,
                                       uint32_t *table, uint32_t *state);
// Moves work->key and the table by the most likely way of an action; false: the episode ends, nothing is known, or
// nothing moves. (views.c)
bool sfnec_plan_follow_likeliest(sfnec_plan_scratch *scratch, uint32_t *table, uint32_t near, uint32_t action);
// Fails with SFNEC_ERROR_MEMORY if planning ran out of it.
sfnec_status sfnec_plan_scratch_check(sfnec_plan_scratch *scratch);

#endif
