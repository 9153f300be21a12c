// relevance_fit.h: what the stages of a fit of relevance share: factors, tests under way, and nearest neighbours.
//
// relevance_fit.c prepares the data and finds what actions influence, relevance_select.c selects forward. A stage is a
// function that does one small piece of work and moves the fit on; the fit is all that it knows, so slices do not
// matter.
#ifndef SFNEC_AGENT_PLAN_RELEVANCE_FIT_H
#define SFNEC_AGENT_PLAN_RELEVANCE_FIT_H

#include "agent/plan/association.h"
#include "agent/plan/relevance.h"
#include "base/arena.h"

// Why a factor is kept, or may be.
typedef struct sfnec_factor_evidence {
  sfnec_relevance_reason reason;
  sfnec_partner partner_kind;
  uint32_t target, partner; // a target: of a prediction, or a factor; a partner: a factor
  double p, z;
} sfnec_factor_evidence;

// What is known of a component in the search for a one-hot group (relevance_groups.c).
typedef enum sfnec_membership {
  SFNEC_MEMBERSHIP_CLOSED,  // in no group
  SFNEC_MEMBERSHIP_GROUPED, // in a group that was found
  SFNEC_MEMBERSHIP_OPEN,    // may be a member
  SFNEC_MEMBERSHIP_INSIDE,  // is one
  SFNEC_MEMBERSHIP_BESIDE,  // is set beside one
} sfnec_membership;

// A component, or several that are one categorical variable; its values stand in the column of its first component.
typedef struct sfnec_factor {
  uint32_t first, count;
  uint32_t start;    // of its components in fit->members, in their order
  uint32_t changes;  // rows in which it changes
  uint32_t values;   // different ones before a transition
  uint32_t bins;     // 0: not examined
  uint32_t slot;     // its column of codes and ranks
  uint32_t residual; // its column of residual changes; UINT32_MAX: it changes too rarely
  bool varies, kept;
  bool autonomous;    // its changes are a function of its own value, as a clock's are
  double independent; // values among the rows
  float scale;        // of distances
  uint64_t hash;      // of its values but for their unit: with the numbers above, an order that no permutation changes
  sfnec_factor_evidence evidence;
  sfnec_factor_evidence
      candidate[2]; // what a round of selection found: of a change, of reward or an end; p = 1: nothing
} sfnec_factor;

struct sfnec_relevance_fit {
  sfnec_arena *arena;               // in which it lives
  bool starved;                     // there was no memory for all of it
  size_t size;                      // components
  uint64_t granted, cost;           // operations
  sfnec_component_relevance *found; // (size): the result

  // the log, by columns
  size_t rows, features;
  uint64_t seed, seen; // seen: transitions since the beginning
  uint32_t action_count;
  float *before, *after; // (size, rows)
  float *feature;        // (features, rows)
  uint8_t *action;       // (rows): the last code stands for all beyond
  uint32_t *episode;     // (rows)
  bool *terminated;      // (rows)
  size_t events, episodes;

  // work under way: the stage, its counters, and memory
  size_t (*stage)(sfnec_relevance_fit *fit); // returns its cost; NULL: done
  size_t i, j, k;
  uint8_t *sums;                // (rows): scratch
  sfnec_membership *membership; // (size): of the one-hot group that is looked for
  bool *supposed;               // (size): it was supposed to be a member
  uint32_t *set;                // (size): observations in which it is 1
  bool followed, left;          // in these observations: a member was found; it is open which one is set
  uint32_t *members;            // (size): components, those of a factor next to each other
  size_t member_count, factor_count, examined;
  sfnec_factor *factors; // (size): the examined ones first, in an order that does not depend on that of components
  uint8_t *codes;        // (columns, rows): bins
  uint16_t *ranks;       // (columns, rows): which of its values
  float *residuals;      // (2 columns, rows): change and size of change, less a line in the own value in each bin
  size_t residual_count;
  size_t *tested;   // (columns): factors by residual
  double *p;        // (columns, columns)
  double *sorted_p; // (columns * columns)
  float *numbers;   // (rows): sorting
  double *scratch;  // (2 (rows + 1))
  uint32_t *counts; // (rows)
  uint64_t *keys;   // (rows)
  sfnec_grouping everyone, by_action, way;
  sfnec_association_scratch gathered;

  // forward selection
  size_t round, taken, kept_count, target_count, change_targets, references, way_count;
  size_t *kept;            // (columns): factors
  uint32_t *target_factor; // (targets): of changes
  float *x, *x_references; // (columns + 1, rows), (columns + 1, references): scaled values
  float *y, *residual;     // (rows, targets), (targets, rows): to be predicted, and what neighbours leave
  float *y_column;         // (rows): one target
  bool *live;              // (targets): something is left to be explained
  uint32_t *reference_row; // (rows)
  size_t reference_start[SFNEC_ASSOCIATION_BINS + 1]; // by action
  float *distance;                                    // (references of an action)
  double *prediction;                                 // (targets)
  double gain, gain_squares;
  size_t *queue, queued;       // (columns): candidates, best first
  sfnec_factor_evidence *ways; // (partners + 2): interactions to be tried, as partner and p
};

#define SFNEC_RELEVANCE_RARE UINT32_MAX

// A fit without data, of which the result can be loaded. NULL: no memory.
sfnec_relevance_fit *sfnec_relevance_fit_alloc(size_t size);

// Moves on to another stage.
static inline void sfnec_fit_enter(sfnec_relevance_fit *fit, size_t (*stage)(sfnec_relevance_fit *fit)) {
  fit->stage = stage;
  fit->i = fit->j = fit->k = 0;
}
static inline const float *sfnec_fit_before(const sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  return fit->before + factor->first * fit->rows;
}
static inline const float *sfnec_fit_after(const sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  return fit->after + factor->first * fit->rows;
}
static inline const uint8_t *sfnec_fit_codes(const sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  return fit->codes + factor->slot * fit->rows;
}
static inline const uint16_t *sfnec_fit_ranks(const sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  return fit->ranks + factor->slot * fit->rows;
}

// ---- predictions by neighbours (relevance_neighbours.c) ----

// Rows that may be neighbours, per action: all, or as many as are allowed, evenly spread.
void sfnec_fit_choose_references(sfnec_relevance_fit *fit);
// The scaled values of a factor as column `at` of what neighbours are near in.
void sfnec_fit_fill_column(sfnec_relevance_fit *fit, const sfnec_factor *factor, size_t at);
// The prediction of some targets of a row by rows that are equal, or without those by the nearest, the nearer the more.
size_t sfnec_fit_predict(const sfnec_relevance_fit *fit, size_t row, const sfnec_factor *more, size_t first,
                         size_t targets);
// What neighbours leave of a target counts if it is some of its variance.
void sfnec_fit_find_live_targets(sfnec_relevance_fit *fit);

// The first stages of the files above, in their order; each file enters the next.
size_t sfnec_factors_begin(sfnec_relevance_fit *fit);
size_t sfnec_groups_begin(sfnec_relevance_fit *fit);
size_t sfnec_changes_begin(sfnec_relevance_fit *fit);
size_t sfnec_influence_begin(sfnec_relevance_fit *fit);
size_t sfnec_select_begin(sfnec_relevance_fit *fit);
// The last stage: writes the result.
size_t sfnec_fit_conclude(sfnec_relevance_fit *fit);

#endif
