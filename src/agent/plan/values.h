// values.h: the values of states under given reward weights: a plan over the model.
//
// There is a value table for each context that planning has met; effects lead from one table to another. A backup makes
// the value of a state from those that its actions lead to (Bellman optimality); a sweep backs up all states of a
// table; a trajectory follows the best actions from a state and then sweeps the tables that it came through, the last
// first. The first values of a table are those without effects, plus the value of each good effect that is still
// possible.
//
// A model serves any number of values: the agent's own, and one in each scratch that asks about other weights.
#ifndef SFNEC_AGENT_PLAN_VALUES_H
#define SFNEC_AGENT_PLAN_VALUES_H

#include "agent/plan/masks.h"
#include "agent/plan/model.h"
#include "sfnec/random.h"

typedef struct sfnec_judge sfnec_judge; // of rewards in other contexts (labels.h)

typedef struct sfnec_value_table {
  uint32_t context;
  float *v;           // (room)
  float *other;       // (samples): how other the labels are in this context; NULL without a judge
  uint32_t *children; // (effect_room): the table after an effect, if it is known
  uint32_t effect_room;
  int64_t swept;   // when it was swept last with hardly a change; -1: never
  int64_t changed; // when a sweep changed it last
} sfnec_value_table;

// What planning is in the middle of.
typedef enum sfnec_stage {
  SFNEC_STAGE_NONE,
  SFNEC_STAGE_FIRST,  // solving what the first values of tables are made of
  SFNEC_STAGE_WALK,   // following the best actions of a trajectory
  SFNEC_STAGE_SWEEPS, // sweeping the tables that it came through
  SFNEC_STAGE_BESIDE, // sweeping the other tables, where effects are silent
} sfnec_stage;

// A sweep of a table, or of what first values are made of, that can stop at any state.
typedef struct sfnec_sweep {
  bool going, back;       // whether it is in the middle; whether the last states come first
  uint32_t turn;          // how often it has been over all states
  uint32_t at, states;    // how many states this turn has done, and how many it does
  float change, greatest; // of a value, in this turn and in all
  int64_t began;          // when it began
} sfnec_sweep;

// Where planning stands, so that it can stop after any number of backups and resume at the next step.
typedef struct sfnec_planning {
  sfnec_stage stage;
  sfnec_sweep sweep;
  uint32_t effect;                              // that first values are solved for
  uint32_t table, state, depth;                 // where a trajectory is, after so many steps
  uint32_t count, way[SFNEC_TRAJECTORY_TABLES]; // the tables still to be swept, the last first
  bool found;                                   // a sweep of the trajectory has changed values
  int64_t left;                                 // backups that the plan being made may still use; 0: none is
  bool afresh;                                  // it begins with tables made from new first values
  uint32_t quiet;                               // trajectories in a row that have found nothing
} sfnec_planning;

// A state in a context.
typedef struct sfnec_node {
  uint32_t context, state;
} sfnec_node;

typedef struct sfnec_values {
  const sfnec_model *model;
  const sfnec_masks *masks;  // which actions are allowed in the model's states
  double *w;                 // (n)
  sfnec_judge *judge;        // of rewards that depend on the context (labels.h); NULL: there are none
  const double *uncertainty; // (n, n): how little is known of w, as sfnec_reward_uncertainty; NULL: all is known
  bool explores;             // values what is not known...
  bool exploits;             // ...but at nothing now
  float reward_scale;        // the scale of rewards under w
  float optimism;            // times the bonus; more than 1 for an agent that knows no reward
  float start_value;
  uint32_t start_state, start_context;
  uint32_t room; // states that there is space for
  uint32_t state_count;

  float *rewards;       // (room, actions): under w, with the bonus
  uint32_t *versions;   // (room, actions): of the predictions they are from
  float *overestimate;  // (room, actions): how much too high they were found; NULL unless it explores
  float *block_rewards; // (block_room, SFNEC_PREDICTION_OUTCOMES)
  uint32_t block_room;

  sfnec_tuples contexts; // that planning has met; more than the model has seen
  uint32_t *table_of;    // (context_room): the table of each
  uint32_t context_room;
  uint32_t table_count, table_made, table_room; // in use, with arrays of their own, and space for them
  sfnec_value_table *tables;
  float *tuple;   // (observation): scratch
  float *base;    // (room): without good effects
  float *chances; // (effect_room, room): best discounted chance to make an effect
  uint32_t effect_room;

  int64_t clock, model_clock;
  int64_t backups; // made so far
  int64_t sweeps;
  sfnec_planning planning;
  bool starved; // there was no memory for something: the plan is not what it should be
} sfnec_values;

// A value of a state or an action, kept within what a file may hold and the next backup can compute with.
static inline float sfnec_value_bounded(float value) {
  return sfnec_bounded((double)value, SFNEC_VALUE_MOST);
}

sfnec_status sfnec_values_init(sfnec_values *values, const sfnec_model *model, const sfnec_masks *masks, bool explores);
void sfnec_values_clear(sfnec_values *values);
// Values of the same model, weights and contexts, but without tables. Fails with SFNEC_ERROR_MEMORY; *out is then
// empty.
sfnec_status sfnec_values_copy(const sfnec_values *values, sfnec_values *out);
size_t sfnec_values_bytes(const sfnec_values *values);

// Forgets everything, also the contexts: there is another model.
sfnec_status sfnec_values_reset(sfnec_values *values);
// Forgets all values; w (n) is what they will be for.
sfnec_status sfnec_values_begin(sfnec_values *values, const double *w);
// The weights have moved: all values are stale, and planning starts from what they are.
void sfnec_values_reweigh(sfnec_values *values, const double *w);
// The scale of rewards under w: the sum of |w| times the greatest features seen.
float sfnec_values_reward_scale(const sfnec_values *values, const double *w);
// Makes room for states and predictions that are new in the model.
sfnec_status sfnec_values_follow(sfnec_values *values);

// ---- tables (value_tables.c) ----

// Forgets the values of all contexts.
void sfnec_values_drop_tables(sfnec_values *values);
// Gives back the arrays of tables that are not in use, but for so many tables in all.
void sfnec_values_free_spare(sfnec_values *values, uint32_t most);
// For loading: the contexts, by a function that reads tuples.
sfnec_status sfnec_values_load_contexts(sfnec_values *values, sfnec_reader *reader,
                                        sfnec_status (*read)(sfnec_reader *, sfnec_tuples *, float *));
// What an outcome is rewarded in the context of a table beyond the reward of its samples in their own contexts.
static inline float sfnec_values_other(const sfnec_values *values, uint32_t table, const sfnec_outcome *outcome) {
  const float *other = values->tables[table].other;
  return other ? other[outcome->sample] : 0.0f;
}
// Makes room for one more context and its table, so that the next one does not fail.
sfnec_status sfnec_values_reserve_table(sfnec_values *values);
// The number of the context of an observation.
sfnec_status sfnec_values_context(sfnec_values *values, const float *observation, uint32_t *context);
// The table of a context; SFNEC_NONE if there is no memory.
uint32_t sfnec_values_table(sfnec_values *values, uint32_t context);
// The table after an effect; the same one if it changes nothing.
uint32_t sfnec_values_table_after(sfnec_values *values, uint32_t table, uint32_t effect);

// ---- the value of one action ----

// The reward of features (n) under w. Exploring, features with uncertain weights have more than the best known reward,
// so that it pays to find out.
double sfnec_values_reward_of(const sfnec_values *values, const float *features);
// Under w: the reward of each outcome, with the bonus (or the pessimism) that the prediction deserves.
void sfnec_values_rewards(const sfnec_values *values, const sfnec_prediction *prediction, const float *features,
                          float *rewards);
// What is taken of each reward in a question, as the prediction is far from what was seen.
float sfnec_values_pessimism(const sfnec_values *values, const sfnec_prediction *prediction);
// The value of an action: `rest`, and gamma times the share `own` of the value of the state itself.
void sfnec_values_q(sfnec_values *values, uint32_t table, uint32_t state, const sfnec_prediction *prediction,
                    const sfnec_outcome *outcomes, const float *rewards, float *rest, float *own);
// The variance of r + gamma V(next) - V over the samples of a prediction that were seen in contexts like that of a
// table.
double sfnec_values_variance(sfnec_values *values, uint32_t table, const sfnec_prediction *prediction,
                             const sfnec_sample_share *shares, uint32_t count);
// An action of a state (a prediction) was found to be overestimated; its value is lower until the prediction or the
// weights change.
void sfnec_values_lower(sfnec_values *values, size_t prediction, float overestimate);
// The actions that are allowed in a state in the context of a table, as far as is known; NULL: all.
static inline const uint8_t *sfnec_values_mask(const sfnec_values *values, uint32_t table, uint32_t state) {
  if (values->masks->count == 0) return NULL;
  return sfnec_masks_find(values->masks, state, sfnec_tuples_at(&values->contexts, values->tables[table].context));
}
// Backs up the value of a state; returns the best allowed action, ties by random (NULL: the first).
uint32_t sfnec_values_backup(sfnec_values *values, uint32_t table, uint32_t state, sfnec_random *ties);
// The condition of a prediction that applies in the context of a table, or SFNEC_NONE: none was seen in one like it.
uint32_t sfnec_values_condition(const sfnec_values *values, uint32_t table, const sfnec_prediction *prediction,
                                const sfnec_outcome *outcomes);
// Whether an outcome does again what is done already: it was never seen in such a context, and then has no reward.
static inline bool sfnec_outcome_is_again(const sfnec_outcome *outcome, uint32_t condition, uint32_t table,
                                          uint32_t to) {
  return condition == SFNEC_NONE && outcome->effect != 0 && to == table;
}
// The outcome of a prediction that is the most likely in a context, or SFNEC_NONE if nothing is known.
uint32_t sfnec_values_likeliest(const sfnec_values *values, uint32_t table, const sfnec_prediction *prediction,
                                const sfnec_outcome *outcomes);

// ---- planning, in slices ----

// Makes the rewards of the prediction at a state and action under w, as it is now.
void sfnec_values_make_rewards(sfnec_values *values, size_t at, float *rewards);
// Those rewards, made when the prediction has changed; each backup asks for them.
static inline const float *sfnec_values_prediction_rewards(sfnec_values *values, size_t at) {
  const sfnec_prediction *prediction = &values->model->predictions[at];
  float *rewards = prediction->block == SFNEC_NONE
                       ? &values->rewards[at]
                       : &values->block_rewards[(size_t)prediction->block * SFNEC_PREDICTION_OUTCOMES];
  if (values->versions[at] != prediction->version) sfnec_values_make_rewards(values, at, rewards);
  return rewards;
}
// What the end of an episode is worth.
float sfnec_values_terminal(const sfnec_values *values);
// The immediate reward of an action of which nothing is known.
float sfnec_values_unknown(const sfnec_values *values);

// Whether some effect has no immediate reward: a key, or gold that is worth something at home. In a continuous regime
// values are too inexact to follow what it may be worth.
bool sfnec_model_has_silent_effects(const sfnec_model *model);
// Whether the values of a table may be other ones by now.
bool sfnec_values_is_stale(const sfnec_values *values, uint32_t table);
// Each resumes its work until it is done (true) or so many backups have been made in all (end): a sweep of a table, and
// what the first values of tables are made of. (solve.c)
bool sfnec_values_sweep(sfnec_values *values, uint32_t table, int64_t end);
bool sfnec_values_solve_first(sfnec_values *values, int64_t end);

// Begins a trajectory: it follows the best actions and sweeps what is stale on the way. (trajectory.c)
void sfnec_values_begin_trajectory(sfnec_values *values, uint32_t context, uint32_t state);
// Begins one from the start or from here (NULL: nowhere); false: there is neither. (replan.c)
bool sfnec_values_begin_somewhere(sfnec_values *values, const sfnec_node *here, sfnec_random *random);
// Resumes what was begun for so many backups; true: it is done.
bool sfnec_values_advance(sfnec_values *values, int64_t backups, sfnec_random *random);

// Begins to solve again what the first values of tables are made of. (replan.c)
void sfnec_values_begin_first(sfnec_values *values);
// Begins a plan of at most so many backups: first values, then trajectories until ten in a row find nothing to do.
// `afresh`: what tables are there then is forgotten.
void sfnec_values_begin_plan(sfnec_values *values, bool afresh, int64_t backups);
// Lets a plan that is done look for more to do, by at most so many more backups: from another state.
void sfnec_values_extend_plan(sfnec_values *values, int64_t backups);
static inline bool sfnec_values_plans(const sfnec_values *values) {
  return values->planning.left > 0;
}
// Resumes the plan for so many backups: from the start, and from here, if it is known.
void sfnec_values_continue_plan(sfnec_values *values, const sfnec_node *here, int64_t backups, sfnec_random *random);

#endif
