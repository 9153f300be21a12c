// values.h: how good states are under given reward weights: a plan over the model.
//
// There is a table of values for each context that planning has met; tables hang together by effects. A backup makes
// the value of a state from those that its actions lead to; a sweep makes all of a table; a trajectory follows the best
// actions from a state and then sweeps the tables that it came through, the last first. The first values of a table are
// what the states are worth without effects, and what each good effect that is still to make is worth from there.
//
// A model serves any number of values: the agent's own, and one in each scratch that asks about other weights.
#ifndef SFNEC_AGENT_PLAN_VALUES_H
#define SFNEC_AGENT_PLAN_VALUES_H

#include "agent/plan/model.h"
#include "sfnec/random.h"

typedef struct sfnec_value_table {
  uint32_t context;
  float *v;           // (room)
  uint32_t *children; // (effect_room): the table after an effect, if it is known
  uint32_t effect_room;
  int64_t swept;   // when it was swept last with hardly a change; -1: never
  int64_t changed; // when a sweep changed it last
} sfnec_value_table;

typedef struct sfnec_values {
  const sfnec_model *model;
  double *w;                 // (n)
  const double *uncertainty; // (n, n): how little is known of w, as sfnec_reward_uncertainty; NULL: all is known
  bool explores;             // values what is not known...
  bool exploits;             // ...but at nothing now
  float reward_scale;        // the scale of rewards under w
  float optimism;            // times the bonus; more than 1 for an agent that is stuck
  float start_value;
  uint32_t start_state, start_context;
  uint32_t room; // states that there is space for
  uint32_t state_count;

  float *rewards;       // (room, actions): under w, with the bonus
  uint32_t *versions;   // (room, actions): of the predictions they are from
  float *overestimate;  // (room, actions): what they were found to target_value too much; NULL unless it explores
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
  bool starved; // there was no memory for something: the plan is not what it should be
} sfnec_values;

sfnec_status sfnec_values_init(sfnec_values *values, const sfnec_model *model, bool explores);
void sfnec_values_clear(sfnec_values *values);
size_t sfnec_values_bytes(const sfnec_values *values);

// Forgets everything, also the contexts: the model was fitted anew.
sfnec_status sfnec_values_reset(sfnec_values *values);
// Forgets all values; w (n) is what they will be for.
sfnec_status sfnec_values_begin(sfnec_values *values, const double *w);
// The weights have moved: all values are to be made anew, starting from what they are.
void sfnec_values_reweigh(sfnec_values *values, const double *w);
// The scale of rewards under w: the sum of |w| times the greatest features seen.
float sfnec_values_reward_scale(const sfnec_values *values, const double *w);
// Makes room for states and predictions that are new in the model.
sfnec_status sfnec_values_follow(sfnec_values *values);

// ---- tables (tables.c) ----

// Forgets the values of all contexts.
void sfnec_values_drop_tables(sfnec_values *values);
// Gives back the arrays of tables that are not in use, but for so many tables in all.
void sfnec_values_free_spare(sfnec_values *values, uint32_t most);
// For loading: the contexts, by a function that reads tuples.
sfnec_status sfnec_values_load_contexts(sfnec_values *values, sfnec_reader *reader,
                                        sfnec_status (*read)(sfnec_reader *, sfnec_tuples *, float *));
// The number of the context of an observation.
sfnec_status sfnec_values_context(sfnec_values *values, const float *observation, uint32_t *context);
// The table of a context; SFNEC_NONE if there is no memory.
uint32_t sfnec_values_table(sfnec_values *values, uint32_t context);
// The table after an effect; the same one if it changes nothing.
uint32_t sfnec_values_table_after(sfnec_values *values, uint32_t table, uint32_t effect);

// ---- the value of one action ----

// What features (n) bring under w. Exploring, as far as their weights are in uncertainty they bring more than the best
// that are known, so that it pays to find out.
double sfnec_values_reward_of(const sfnec_values *values, const float *features);
// Under w: the reward of each outcome, with the bonus (or the pessimism) that the prediction deserves.
void sfnec_values_rewards(const sfnec_values *values, const sfnec_prediction *prediction, const float *features,
                          float *rewards);
// What is taken of each reward in a question, as the prediction is far from what was seen.
float sfnec_values_pessimism(const sfnec_values *values, const sfnec_prediction *prediction);
// What an action is worth: `rest`, and gamma times the share `own` of what the very state, or state, is worth.
void sfnec_values_q(sfnec_values *values, uint32_t table, uint32_t state, const sfnec_prediction *prediction,
                    const sfnec_outcome *outcomes, const float *rewards, float *rest, float *own);
// An action of a state (a prediction) was found to target_value too much; this holds until the prediction is made or
// weighed anew.
void sfnec_values_lower(sfnec_values *values, size_t prediction, float overestimate);
// Makes the value of a state anew; returns the best action, ties by random (NULL: the first).
uint32_t sfnec_values_backup(sfnec_values *values, uint32_t table, uint32_t state, sfnec_random *ties);
// The condition of a prediction that applies in the context of a table, or SFNEC_NONE: none was seen in one like it.
uint32_t sfnec_values_condition(const sfnec_values *values, uint32_t table, const sfnec_prediction *prediction,
                                const sfnec_outcome *outcomes);
// Whether an outcome does again what is done already: it was never seen in such a context, and then brings nothing.
static inline bool sfnec_outcome_is_again(const sfnec_outcome *outcome, uint32_t condition, uint32_t table,
                                          uint32_t to) {
  return condition == SFNEC_NONE && outcome->effect != 0 && to == table;
}
// The outcome of a prediction that is the most likely in a context, or SFNEC_NONE if nothing is known.
uint32_t sfnec_values_likeliest(const sfnec_values *values, uint32_t table, const sfnec_prediction *prediction,
                                const sfnec_outcome *outcomes);

// ---- planning (sweeps.c) ----

// The rewards of the prediction at a state and action under w, made when it has changed.
const float *sfnec_values_prediction_rewards(sfnec_values *values, size_t at);
// What the end of an episode is worth.
float sfnec_values_terminal(const sfnec_values *values);
// What an action of which nothing is known brings at once.
float sfnec_values_unknown(const sfnec_values *values);

// Makes anew what the first values of tables are made of.
void sfnec_values_solve(sfnec_values *values, uint32_t sweeps);
// Whether the values of a table may be other ones by now.
bool sfnec_values_is_stale(const sfnec_values *values, uint32_t table);
// Follows the best actions and sweeps what is stale on the way; returns whether anything was.
bool sfnec_values_run_trajectory(sfnec_values *values, uint32_t context, uint32_t state, sfnec_random *random);
// Trials from the start until ten in a prediction find nothing to do, or so many backups are made.
void sfnec_values_plan(sfnec_values *values, int64_t backups, sfnec_random *random);

#endif
