// model.h: what the world does, from one memory of transitions: states, samples, and predictions made of them.
//
// A state is a point in the space of scaled fast components (scaling.h); a state within a radius of it is there. Each
// state and action keeps a few samples: transitions with their own origin. A prediction says what an action leads to
// from a state: the nearest samples of that action, their moves made from the state itself, and the states around where
// they end. Slow components are no outcome of a state: they make the context, and a sample knows the context that it
// was seen in and what it changed (its effect).
//
// The model knows nothing of rewards: features stay features, so it serves any weights (values.h).
#ifndef SFNEC_AGENT_PLAN_MODEL_H
#define SFNEC_AGENT_PLAN_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/plan/constants.h"
#include "agent/plan/noise.h"
#include "agent/plan/polynomial.h"
#include "agent/plan/scaling.h"
#include "agent/plan/tuples.h"
#include "agent/psi.h"
#include "agent/train/embedding.h"
#include "index/index.h"

static inline float sfnec_bounded(double number, float most) {
  return number > (double)most ? most : number < (double)-most ? -most : (float)number;
}

typedef struct sfnec_sample {
  uint32_t sibling; // the next sample of its state and action, or SFNEC_NONE
  uint32_t state, action;
  uint32_t target; // the state where it ended
  uint32_t before; // the context it was seen in
  uint32_t effect; // what it changed in it; 0: nothing
  uint32_t count;  // transitions that it stands for
  bool terminated;
  bool forgotten; // its features are those of an earlier task
} sfnec_sample;

// One way in which an action may go on.
typedef struct sfnec_outcome {
  float weight;                          // of the outcomes of its condition, they add up to 1
  float terminal;                        // share that ends the episode
  float self;                            // share that stays in the very state asked about
  uint32_t before, effect;               // context that it was seen in, and what it changes
  uint32_t sample;                       // the nearest one that it is made of; not in files
  uint32_t condition;                    // outcomes of one condition were seen in contexts that agree where it matters
  uint32_t count;                        // states
  uint32_t states[SFNEC_OUTCOME_STATES]; // where it leads to, and with which share; with the others they add up to 1
  float shares[SFNEC_OUTCOME_STATES];
} sfnec_outcome;

// What an action leads to.
typedef struct sfnec_prediction {
  uint32_t version;        // changes whenever the prediction does
  uint32_t outcome_count;  // 0: nothing is known
  uint32_t block;          // of the outcomes, if there are several or one with an effect; else SFNEC_NONE
  uint32_t relevant_count; // components of the context that matter to it
  uint32_t relevant[SFNEC_PREDICTION_RELEVANT];
  float distance;  // to the nearest sample, in steps
  float reach;     // distance that a new sample must be below to count; infinite: any
  bool dirty;      // to be made again
  bool whole;      // all components of the context may matter to it
  float seen;      // transitions behind it
  float forgotten; // share of it whose features are not known any more
} sfnec_prediction;

typedef struct sfnec_state {
  uint32_t visits;
  bool terminal; // an episode ended here: nothing follows
  bool queued;   // some of its predictions are dirty, and it is in the queue for that
  uint32_t neighbour_count;
  uint32_t neighbours[SFNEC_STATE_NEIGHBOURS]; // nearest first
  float distances[SFNEC_STATE_NEIGHBOURS];     // squared
} sfnec_state;

typedef struct sfnec_model {
  const sfnec_psi_config *config;
  sfnec_scaling scaling;
  bool fitted;
  bool contexts_off; // there were too many
  uint32_t coarser;  // times that states were made larger, because there were too many
  uint64_t version;  // changes whenever a prediction, a state or a sample does

  const sfnec_transition_log *log; // the last raw transitions, which noise is found in
  sfnec_key_noise noise;           // of observations, as found at the last fit
  bool projects;                   // keys are projections of the fast components, else those themselves
  sfnec_embedding *embedding;      // that does it; NULL: there was none yet
  uint64_t seed;                   // that it is drawn from
  size_t key_size, stride;         // numbers of a key, and floats from one key to the next
  float step, radius;              // median length of a move; of a state
  float *low, *high;               // (stride): the box of all keys
  sfnec_polynomial polynomial;     // how samples differ from state to state; none if tabular
  bool smooth;                     // moves follow the polynomial, and hardly a wall interrupts them
  sfnec_tuples contexts, effects;

  sfnec_index *index;
  sfnec_index_scratch *search;
  uint32_t recent[2]; // the last states that a key was exactly at: the next key to look for is often one of theirs
  uint32_t state_count, state_room;
  sfnec_state *states;           // (state_room)
  float *keys;                   // (state_room, stride)
  uint32_t *cells;               // (state_room, actions): the first sample
  uint8_t *filled;               // (state_room, actions): how many
  sfnec_prediction *predictions; // (state_room, actions)
  sfnec_outcome *plain;          // (state_room, actions): the outcome of a prediction without effects
  float *features;               // (state_room, actions, n): of those

  uint32_t block_count, block_room;
  sfnec_outcome *blocks; // (block_room, SFNEC_PREDICTION_OUTCOMES)
  float *block_features; // (block_room, SFNEC_PREDICTION_OUTCOMES, n)

  uint32_t sample_count, sample_room;
  uint32_t tried;   // actions of states that have a sample
  uint32_t touched; // the sample that the last transition went into
  sfnec_sample *samples;
  float *origins, *targets; // (sample_room, stride)
  float *sample_features;   // (sample_room, n)
  float *expected;          // (sample_room, outputs of the polynomial): what the polynomial says at their origins
  float *before, *after;    // (sample_room, d): their observations, if keys are projections, which cannot be undone

  uint32_t *queue; // (state_room): dirty states
  uint32_t queued;

  uint32_t effect_room;
  float *effect_features; // (effect_room, n): mean features of the transitions that had an effect
  uint32_t *effect_seen;  // (effect_room)

  double visits, returns;            // states located, and those that were exactly where a state is
  double repeats, surprises;         // samples of a known state and action, and those that went another way
  double end_repeats, end_surprises; // of those, where the episode had ended before
  float *greatest;                   // (n): greatest magnitude of each feature
  float *key, *goal;                 // (stride): scratch
  float *tuple;                      // (slow components): scratch
  float *prediction_features;        // (SFNEC_PREDICTION_OUTCOMES, n): scratch
} sfnec_model;

// The log must outlive the model.
sfnec_status sfnec_model_init(sfnec_model *model, const sfnec_psi_config *config, const sfnec_transition_log *log,
                              uint64_t seed);
void sfnec_model_clear(sfnec_model *model);
size_t sfnec_model_bytes(const sfnec_model *model);

// Forgets all states and samples.
void sfnec_model_empty(sfnec_model *model);

// A component of an observation by its scale.
float sfnec_model_scaled(const sfnec_model *model, const float *observation, uint32_t component);
// Takes the key (stride) of an observation.
void sfnec_model_key(const sfnec_model *model, const float *observation, float *key);

typedef struct sfnec_model_transition {
  const float *before, *after; // observations
  const double *features;
  uint32_t action;
  uint32_t count;
  bool terminated;
} sfnec_model_transition;

// Whether noise is to be looked for in the log (noise.h), and whether the present fit is one for what was found.
bool sfnec_model_looks_for_noise(const sfnec_model *model);
bool sfnec_model_fits_noise(const sfnec_model *model, sfnec_key_noise now);
// The options of what projects keys: those of the agent, or pca under noise.
sfnec_agent_options sfnec_model_key_options(const sfnec_model *model);

// What the polynomial, if there is one, says at the origin of a sample; to be called when either has changed.
void sfnec_model_expect(sfnec_model *model, uint32_t sample);
// Makes states larger at the next fit; false: they are as large as they may be, one step.
bool sfnec_model_coarsen(sfnec_model *model);

// For loading: says how long keys are, and whether they are projections; the scales are known.
void sfnec_model_size_keys(sfnec_model *model);
// For loading: makes the empty outcomes of a model whose scales are known; then space for so many things.
sfnec_status sfnec_model_prepare(sfnec_model *model);
sfnec_status sfnec_model_reserve(sfnec_model *model, uint32_t states, uint32_t samples, uint32_t blocks);

// Keeps a transition among the samples; says whether predictions around it may look different now (samples.c).
sfnec_status sfnec_model_take(sfnec_model *model, const sfnec_model_transition *transition, uint32_t *here,
                              uint32_t *next, bool *changed);
// Some predictions of a state are dirty: it is queued.
void sfnec_model_enqueue(sfnec_model *model, uint32_t state);
// Space for so many effects.
sfnec_status sfnec_model_reserve_effects(sfnec_model *model, size_t count);
// Space for blocks of outcomes (predict.c).
sfnec_status sfnec_model_reserve_blocks(sfnec_model *model, size_t count);
// Space for the outcomes of all predictions, whatever they become.
sfnec_status sfnec_model_reserve_all_blocks(sfnec_model *model);

// The state of a key: the nearest one within the radius, or a new one.
sfnec_status sfnec_model_state(sfnec_model *model, const float *key, bool terminal, uint32_t *state);
// A key was found to be exactly at a state, which is then found without a search.
void sfnec_model_note_recent(sfnec_model *model, uint32_t state);
// Makes a state of a key that is at least so far from all others, in steps.
sfnec_status sfnec_model_refine(sfnec_model *model, const float *key, float away, uint32_t *state);
// The nearest state to a key; there must be one.
uint32_t sfnec_model_nearest(const sfnec_model *model, sfnec_index_scratch *search, const float *key, float *squared);

// Adds a transition, and predicts its state again. here, next: the states before and after it.
sfnec_status sfnec_model_add(sfnec_model *model, const sfnec_model_transition *transition, uint32_t *here,
                             uint32_t *next);
// Forgets what features transitions had, but not where they led: with predict=reward a new task has other rewards.
void sfnec_model_forget_features(sfnec_model *model);
// Gives samples other features (samples, n); those that are not known are forgotten.
void sfnec_model_set_features(sfnec_model *model, const float *features, const bool *known);
// The sample that a transition is like, or SFNEC_NONE; *effect (NULL: not asked): what it changes, SFNEC_NONE if
// nothing ever did. Its features and count do not matter.
uint32_t sfnec_model_find_sample(const sfnec_model *model, const sfnec_model_transition *transition, uint32_t *effect);
// Makes the dirty predictions of some queued states again.
sfnec_status sfnec_model_tidy(sfnec_model *model, uint32_t most);

// ---- values between states (interpolate.c) ----

// The states that the value of a key is interpolated over. Each counts by 1 / away.
typedef struct sfnec_interpolation {
  uint32_t count;
  uint32_t states[SFNEC_INTERPOLATION_MOST]; // nearest first
  float away[SFNEC_INTERPOLATION_MOST];      // squared distance that counts, positive
  float nearest;                             // squared distance of the first
} sfnec_interpolation;

// `hint` is a state near the key.
void sfnec_model_interpolate(const sfnec_model *model, const float *key, uint32_t hint, sfnec_interpolation *blend);

// Squared distance below which a key is where another one is.
static inline float sfnec_model_coincidence(const sfnec_model *model) {
  return model->radius * model->radius / SFNEC_COINCIDENCE;
}

// ---- what actions lead to (predict.c) ----

// What an action leads to from any key near a state: up to SFNEC_PREDICTION_OUTCOMES outcomes and their features, and
// where they lead to on average, unless goals (SFNEC_PREDICTION_OUTCOMES, stride) is NULL. goal (stride) is scratch.
// Several threads may ask a model that nobody changes.
void sfnec_model_predict(const sfnec_model *model, const float *key, uint32_t near, uint32_t action, bool query,
                         float *goal, sfnec_prediction *prediction, sfnec_outcome *outcomes, float *features,
                         float *goals);
// A sample that an answer is made of.
typedef struct sfnec_sample_share {
  uint32_t sample;
  float squared; // distance of its origin
  float weight;  // the weights add up to 1
} sfnec_sample_share;

// The samples that the answer about an action is made of, whatever the context, nearest first; returns how many.
uint32_t sfnec_model_samples(const sfnec_model *model, const float *key, uint32_t near, uint32_t action,
                             sfnec_sample_share *shares);
// Finds which components of the context matter to a prediction that is made of these samples (conditions.c).
void sfnec_prediction_condition(const sfnec_model *model, const sfnec_sample_share *found, uint32_t count,
                                sfnec_prediction *prediction);
// The observation (d) of a key (stride) in a context (slow components); not of a projection.
void sfnec_model_restore(const sfnec_model *model, const float *key, const float *context, float *observation);
// The observation (d) that a sample began in, and that it ended in.
void sfnec_model_origin(const sfnec_model *model, uint32_t sample, float *observation);
void sfnec_model_target(const sfnec_model *model, uint32_t sample, float *observation);
// Makes the dirty predictions of a state again.
sfnec_status sfnec_model_make_predictions(sfnec_model *model, uint32_t state);

// The discount factor, as a float that is below 1.
static inline float sfnec_model_gamma(const sfnec_model *model) {
  return fminf((float)model->config->options.gamma, SFNEC_GAMMA_MOST);
}

// ---- files (model_file.c) ----

void sfnec_model_save(const sfnec_model *model, sfnec_writer *writer);
// Into a model just initialised. Everything is checked. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_model_load(sfnec_model *model, sfnec_reader *reader);

// ---- what it looks like ----

// Whether a mechanism is switched on (option without).
static inline bool sfnec_model_uses(const sfnec_model *model, sfnec_without_choice mechanism) {
  return model->config->options.without != mechanism;
}

// Share of repeated transitions that went another way than before.
static inline float sfnec_model_randomness(const sfnec_model *model) {
  return model->repeats > SFNEC_REPEATS_LEAST ? (float)(model->surprises / model->repeats) : 0.0f;
}

// Transitions that must be behind an end before it is known: ends by chance, or by time, say little of the action that
// they happened to follow.
static inline float sfnec_model_known_end(const sfnec_model *model) {
  const double chance = model->end_repeats > 0.0 ? model->end_surprises / model->end_repeats : 0.0;
  return 1.0f +
         (sfnec_model_uses(model, SFNEC_WITHOUT_KNOWN_ENDS) ? (float)(SFNEC_SEEN_ENOUGH - 1) * (float)chance : 0);
}

// Whether chance plays a part in what happens, beyond a little noise.
static inline bool sfnec_model_is_random(const sfnec_model *model) {
  return sfnec_model_randomness(model) >= SFNEC_RANDOM_SHARE;
}

// Whether states come again exactly, by now: the evidence by which the next fit chooses the regime.
static inline bool sfnec_model_repeats(const sfnec_model *model) {
  return model->returns > SFNEC_RETURNS_SHARE * model->visits;
}

// Whether every state is a single state that comes again to the bit.
static inline bool sfnec_model_is_tabular(const sfnec_model *model) {
  return model->scaling.regime == SFNEC_REGIME_TABULAR || model->scaling.regime == SFNEC_REGIME_CELLS;
}

// Whether nothing is to be learned from distances: only equal keys are alike.
static inline bool sfnec_model_has_cells(const sfnec_model *model) {
  return model->scaling.regime == SFNEC_REGIME_CELLS;
}

// What makes contexts. To know what is counted apart is worth it only where states come again to the bit: elsewhere
// each count would be a world of its own, as what was learned with one does not serve with the next.
static inline sfnec_slow sfnec_model_slow(const sfnec_model *model, bool repeats) {
  if (model->config->options.contexts == SFNEC_CONTEXTS_OFF || model->contexts_off) return SFNEC_SLOW_NONE;
  return repeats && sfnec_model_uses(model, SFNEC_WITHOUT_COUNTS) ? SFNEC_SLOW_COUNTS : SFNEC_SLOW_FLAGS;
}

// Whether nothing changes the context, so that there is one table of values.
static inline bool sfnec_model_has_one_table(const sfnec_model *model) {
  return model->effects.count <= 1;
}

// How far a sample may be, in steps, to be one of the same state, where states come again exactly.
static inline float sfnec_model_apart(const sfnec_model *model) {
  return fminf(SFNEC_APART, model->radius / model->step);
}

// Whether the context matters to a prediction.
static inline bool sfnec_prediction_depends(const sfnec_prediction *prediction) {
  return prediction->whole || prediction->relevant_count > 0;
}
// Whether two contexts agree in all components that matter to a prediction. (conditions.c)
bool sfnec_prediction_agrees(const sfnec_model *model, const sfnec_prediction *prediction, uint32_t a, uint32_t b);

// Whether an effect changes a component of the context.
bool sfnec_effect_touches(const sfnec_model *model, uint32_t effect, size_t component);

static inline const sfnec_outcome *sfnec_prediction_outcomes(const sfnec_model *model, size_t prediction) {
  const uint32_t block = model->predictions[prediction].block;
  return block == SFNEC_NONE ? &model->plain[prediction] : &model->blocks[(size_t)block * SFNEC_PREDICTION_OUTCOMES];
}

static inline const float *sfnec_prediction_features(const sfnec_model *model, size_t prediction) {
  const size_t n = model->config->psi_size;
  const uint32_t block = model->predictions[prediction].block;
  return block == SFNEC_NONE ? &model->features[prediction * n]
                             : &model->block_features[(size_t)block * SFNEC_PREDICTION_OUTCOMES * n];
}

#endif
