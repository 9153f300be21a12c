// relevance.h: which components of an observation matter, learned from a log of transitions.
//
// A component is kept if the action influences its change, if a kept component predicts its change, or if it helps to
// predict the change of a kept component, a reward feature or termination: the closure of that relation. A main effect
// on reward or termination alone is no reason (a clock ends episodes, and no action changes that): there the component
// must interact with the action, a kept component or the kept state, and make a leave-one-out nearest-neighbour
// prediction better. What is left changes on its own and predicts nothing that an action could use; it is dropped.
//
// Components of 0 and 1 of which exactly one is set in every observation are one categorical factor, wherever they
// stand. A fit works in slices of bounded work; its result depends neither on the slices, nor on the order of
// components, nor on their units. Of components that agree in every value the order decides. Beyond
// SFNEC_RELEVANCE_FACTORS factors, those that change least often are not examined, and kept.
#ifndef SFNEC_AGENT_PLAN_RELEVANCE_H
#define SFNEC_AGENT_PLAN_RELEVANCE_H

#include "agent/plan/quantise.h"
#include "agent/plan/transition_log.h"

enum {
  SFNEC_RELEVANCE_BINS = 8,            // of a component in a test: more cost power, fewer miss curves
  SFNEC_RELEVANCE_BIN_ROWS = 8,        // rows of a bin, at least
  SFNEC_RELEVANCE_CATEGORIES = 64,     // bins of a categorical factor
  SFNEC_RELEVANCE_CATEGORY_ROWS = 5,   // rows of such a bin, at least
  SFNEC_RELEVANCE_PARTNER_BINS = 4,    // of a kept component that a candidate may interact with
  SFNEC_RELEVANCE_PARTNERS = 40,       // kept components tried as such: bounds the work for large observations
  SFNEC_RELEVANCE_CHANGES = 10,        // of a component before anything is concluded from them
  SFNEC_RELEVANCE_EVENTS = 10,         // and episodes, before what is constant in an episode may be dropped
  SFNEC_RELEVANCE_INDEPENDENT = 100,   // values of a component before it may be dropped, or...
  SFNEC_RELEVANCE_SEEN = 800,          // ...transitions, of one that changes in...
  SFNEC_RELEVANCE_OFTEN = 10,          // ...more than one of so many of them, or not at all within an episode
  SFNEC_RELEVANCE_NEIGHBOURS = 5,      // of a prediction
  SFNEC_RELEVANCE_NEIGHBOUR_ROWS = 8,  // rows of an action for a prediction by neighbours, else their mean
  SFNEC_RELEVANCE_REFERENCES = 1500,   // rows of an action that may be neighbours: bounds the work
  SFNEC_RELEVANCE_ROUNDS = 5,          // of forward selection
  SFNEC_RELEVANCE_FACTORS = 256,       // examined: tests grow with the square
  SFNEC_RELEVANCE_TARGETS = 64,        // kept components whose changes a candidate may predict
  SFNEC_RELEVANCE_FUNCTION_VALUES = 16 // of a component that may be a function of another one
};
#define SFNEC_RELEVANCE_RATE 0.01        // false discovery rate of each family of tests: at 0.05 noise bits are kept
#define SFNEC_RELEVANCE_Z 2.0            // by which a candidate must improve a prediction, in standard errors
#define SFNEC_RELEVANCE_COVERED 0.5      // share of rows in repeated states that makes states worth a test of their own
#define SFNEC_RELEVANCE_UNEXPLAINED 1e-3 // share of variance that neighbours leave: with less, nothing is to be gained

typedef enum sfnec_verdict {
  SFNEC_VERDICT_UNDECIDED, // used like a kept one, for now
  SFNEC_VERDICT_KEPT,
  SFNEC_VERDICT_DROPPED,
} sfnec_verdict;

// In files: never renumber.
typedef enum sfnec_relevance_reason {
  SFNEC_REASON_CONSTANT,
  SFNEC_REASON_FEW_CHANGES,
  SFNEC_REASON_FEW_EVENTS,
  SFNEC_REASON_NOT_EXAMINED,
  SFNEC_REASON_NOTHING_FOUND,
  SFNEC_REASON_ACTION,           // the action changes it
  SFNEC_REASON_PREDICTED,        // component `target`, which is kept, predicts its changes
  SFNEC_REASON_PREDICTS_CHANGE,  // it predicts changes of component `target`
  SFNEC_REASON_PREDICTS_FEATURE, // it predicts reward feature `target` together with the partner
  SFNEC_REASON_PREDICTS_END,     // it predicts termination together with the partner
  SFNEC_REASON_FUNCTION,         // of component `target`
  SFNEC_REASON_IRRELEVANT,
  SFNEC_REASON_COUNT,
} sfnec_relevance_reason;

typedef enum sfnec_partner {
  SFNEC_PARTNER_NONE,
  SFNEC_PARTNER_ACTION,
  SFNEC_PARTNER_COMPONENT, // `partner`
  SFNEC_PARTNER_STATE,     // the exact values of all kept components
  SFNEC_PARTNER_COUNT,
} sfnec_partner;

// What is known of a component.
typedef struct sfnec_component_relevance {
  sfnec_verdict verdict;
  sfnec_relevance_reason reason;
  sfnec_partner partner_kind;
  uint32_t target, partner;
  uint32_t group;                  // first component of its categorical factor; itself without
  uint32_t level_count;            // of a noisy discrete component: it is to be rounded to these
  float levels[SFNEC_LEVELS_MOST]; // ascending
  double p;                        // of the test behind the reason; 1 without
  double z;                        // of the improved prediction; 0 without
  bool drop_proposed;              // the last fit found no reason to keep it
} sfnec_component_relevance;

// The verdicts in force. A component returns at once; it is dropped when two fits after each other propose it, and the
// last one has seen enough of it. One that changes smoothly takes few independent values: what it influences shows
// late.
typedef struct sfnec_relevance {
  size_t size;
  uint64_t fits;
  sfnec_component_relevance *components; // (size)
} sfnec_relevance;

// All undecided. Fails with SFNEC_ERROR_MEMORY; clearing it is fine then.
sfnec_status sfnec_relevance_init(sfnec_relevance *relevance, size_t size);
void sfnec_relevance_clear(sfnec_relevance *relevance);
// Writes why a component has its verdict, as "predicts reward feature 2 together with the action"; text has `size`
// bytes.
void sfnec_relevance_explain(const sfnec_component_relevance *component, char *text, size_t size);
void sfnec_relevance_save(const sfnec_relevance *relevance, sfnec_writer *writer);
// Into one that was initialised. Fails with SFNEC_ERROR_FORMAT.
// `all_levels` false: of a version that had eight levels.
sfnec_status sfnec_relevance_load(sfnec_relevance *relevance, bool all_levels, sfnec_reader *reader);

// ---- a fit ----

typedef struct sfnec_relevance_fit sfnec_relevance_fit;

// Begins a fit to a copy of the log; `known` are the verdicts so far (NULL: none). Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_relevance_fit_begin(const sfnec_transition_log *log, const sfnec_relevance *known, uint64_t seed,
                                       sfnec_relevance_fit **out);
void sfnec_relevance_fit_destroy(sfnec_relevance_fit *fit); // NULL is fine
// Grants some elementary operations (1e6 are about 1 ms); true when all that were granted so far pay for the whole fit.
bool sfnec_relevance_fit_step(sfnec_relevance_fit *fit, uint64_t budget);
// Ends the work without granting anything, so that the fit can be saved. Steps become true when they would have.
void sfnec_relevance_fit_complete(sfnec_relevance_fit *fit);
// Operations spent so far.
uint64_t sfnec_relevance_fit_cost(const sfnec_relevance_fit *fit);
// Takes the result of a fit that is done; whether what the model reads changes: what is dropped, or levels.
bool sfnec_relevance_apply(sfnec_relevance *relevance, const sfnec_relevance_fit *fit);

// A completed fit.
void sfnec_relevance_fit_save(const sfnec_relevance_fit *fit, sfnec_writer *writer);
// Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_relevance_fit_load(size_t size, bool all_levels, sfnec_reader *reader, sfnec_relevance_fit **out);

#endif
