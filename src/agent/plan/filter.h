// filter.h: what the state is when observations are noisy: an extended Kalman filter (Kalman 1960; Anderson and Moore
// 1979) with a polynomial regression of each action's moves as the dynamics.
//
// A noisy observation says too little of where an agent is, and the difference of two says still less of where it
// moves. What an action does is the same every time, so prediction and observation together say more: the estimate is
// the prediction moved towards the observation, by as much as the one is less certain than the other. What is known one
// step later corrects the estimate before (a fixed-lag smoother), and in the log all that came later does (Rauch, Tung
// and Striebel 1965). An observation that is too far from the prediction is a jump that the dynamics do not know (a
// wall): there the estimate begins again.
//
// Estimates are observations, and stand wherever the planner has observations. The log keeps those that were made. How
// large the noise is, and whether there is any, is found by filter_em.c; without noise nothing is filtered.
#ifndef SFNEC_AGENT_PLAN_FILTER_H
#define SFNEC_AGENT_PLAN_FILTER_H

#include "agent/plan/polynomial.h"
#include "agent/plan/relevance.h"
#include "agent/plan/transition_log.h"

enum { SFNEC_FILTER_SIZE = 8 }; // components of a state, at most: a step takes the cube of it

// Components of a state are standardised: (observed - middle) * narrow.
typedef struct sfnec_filter {
  uint32_t version; // of the fit that made it; 0: there was none
  uint32_t size;    // components that are estimated; 0: no noise was found
  uint32_t components[SFNEC_FILTER_SIZE];
  double middle[SFNEC_FILTER_SIZE], narrow[SFNEC_FILTER_SIZE];
  double noise[SFNEC_FILTER_SIZE];   // variance of the noise of an observation
  double process[SFNEC_FILTER_SIZE]; // variance of what the dynamics do not know of a move
  sfnec_polynomial dynamics;         // of moves, and...
  float *constants;                  // (actions, size): ...what it leaves out
} sfnec_filter;

typedef struct sfnec_gaussian {
  double mean[SFNEC_FILTER_SIZE], covariance[SFNEC_FILTER_SIZE * SFNEC_FILTER_SIZE]; // (size), (size, size)
} sfnec_gaussian;

// From the estimate of a state to that of the next one.
typedef struct sfnec_filter_step {
  sfnec_gaussian predicted, estimated;
  double slope[SFNEC_FILTER_SIZE * SFNEC_FILTER_SIZE]; // of the dynamics
  bool jumped;
} sfnec_filter_step;

// Makes a filter of so many components that predicts no moves, by a polynomial of a degree. Fails with
// SFNEC_ERROR_MEMORY.
sfnec_status sfnec_filter_init(sfnec_filter *filter, uint32_t size, uint32_t actions, uint32_t degree);
void sfnec_filter_clear(sfnec_filter *filter);
size_t sfnec_filter_bytes(const sfnec_filter *filter);

// The components of an observation, standardised.
void sfnec_filter_read(const sfnec_filter *filter, const float *observation, double *state);
// What is known of a state by its observation alone.
void sfnec_filter_begin(const sfnec_filter *filter, const double *observed, sfnec_gaussian *state);
// What is known of the next state; returns the logarithm of the likelihood of its observation, but for a constant.
double sfnec_filter_advance(const sfnec_filter *filter, const sfnec_gaussian *from, uint32_t action,
                            const double *observed, sfnec_filter_step *step);
// Corrects what was known of a state by what became known of the next one, `later`; gain (size, size), transposed.
void sfnec_filter_look_back(const sfnec_filter *filter, const sfnec_filter_step *step, const sfnec_gaussian *later,
                            sfnec_gaussian *state, double *gain);

// The transitions of a log as they look by all that it has: observations (rows of the log, 2, size of one) before and
// after. NULL where no noise was found. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_filter_smooth(const sfnec_filter *filter, const sfnec_transition_log *log, float **observations);

// ---- where an agent is ----

typedef struct sfnec_belief {
  size_t size;               // of an observation
  uint32_t version;          // of the filter that it is by; 0: nothing is believed
  sfnec_gaussian state;      // what is believed
  float *observed;           // (size): the last observation that it knows
  float *origin, *estimated; // (size each): estimates of the observation before, and of this one
} sfnec_belief;

// Fails with SFNEC_ERROR_MEMORY; clearing it is fine then.
sfnec_status sfnec_belief_init(sfnec_belief *belief, size_t size);
void sfnec_belief_clear(sfnec_belief *belief);
// The estimate of an observation: the last one that was followed, or one that an episode begins with. Estimates are
// there until the next call; without noise they are the observations themselves.
const float *sfnec_belief_at(sfnec_belief *belief, const sfnec_filter *filter, const float *observation);
// Follows an action to the next observation; *before and *after become their estimates.
void sfnec_belief_follow(sfnec_belief *belief, const sfnec_filter *filter, uint32_t action, const float **before,
                         const float **after);

// ---- finding noise (filter_fit.c, filter_em.c) ----

typedef struct sfnec_filter_fit sfnec_filter_fit;

// Whether a fit should begin, after so many transitions.
bool sfnec_filter_is_due(uint64_t seen);
// Begins a fit to the last transitions of a log, of the components that relevance.h neither drops nor rounds. *out is
// NULL if none of them can be filtered. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_filter_fit_begin(const sfnec_transition_log *log, const sfnec_relevance *relevance,
                                    sfnec_filter_fit **out);
void sfnec_filter_fit_destroy(sfnec_filter_fit *fit); // NULL is fine
size_t sfnec_filter_fit_bytes(const sfnec_filter_fit *fit);
// Goes over its transitions once more, or several times if they are few, for a few milliseconds at most; true: it is
// done.
bool sfnec_filter_fit_step(sfnec_filter_fit *fit);
// Ends the work without counting it, so that the fit can be saved. Steps become true when they would have.
void sfnec_filter_fit_complete(sfnec_filter_fit *fit);
// Takes the result of a fit that is done. Whether anything changes: noise was found, or had been found before.
bool sfnec_filter_fit_apply(sfnec_filter_fit *fit, sfnec_filter *filter);

// ---- files ----

void sfnec_filter_save(const sfnec_filter *filter, sfnec_writer *writer);
// Into an empty one, for observations of a size. Everything is checked. These fail with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_filter_load(sfnec_filter *filter, size_t size, uint32_t actions, sfnec_reader *reader);
void sfnec_belief_save(const sfnec_belief *belief, const sfnec_filter *filter, sfnec_writer *writer);
sfnec_status sfnec_belief_load(sfnec_belief *belief, const sfnec_filter *filter, sfnec_reader *reader);
// A fit that was completed.
void sfnec_filter_fit_save(const sfnec_filter_fit *fit, sfnec_writer *writer);
sfnec_status sfnec_filter_fit_load(size_t size, uint32_t actions, sfnec_reader *reader, sfnec_filter_fit **out);

#endif
