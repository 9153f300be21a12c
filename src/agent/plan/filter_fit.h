// filter_fit.h: the inside of a fit of a filter: what it goes over (filter_fit.c), the regression of moves
// (filter_regress.c), and what is made of what it leaves (filter_em.c).
#ifndef SFNEC_AGENT_PLAN_FILTER_FIT_H
#define SFNEC_AGENT_PLAN_FILTER_FIT_H

#include "agent/plan/constants.h"
#include "agent/plan/filter.h"

// What the next pass does; each degree goes through all of them, if its residuals look like noise.
typedef enum sfnec_filter_stage { REGRESS, TRIM, SUSPECT, COMPARE, SMOOTH, IMPROVE, JUDGE, DONE } sfnec_filter_stage;

// An observation, or, once smoothed, a state; and the action that led to the next one.
typedef struct sfnec_filter_point {
  double observed[SFNEC_FILTER_SIZE];
  sfnec_gaussian state;
  uint32_t action;
  bool linked; // the next point followed on it...
  bool kept;   // ...and that is in the regression: no jump
} sfnec_filter_point;

struct sfnec_filter_fit {
  uint32_t size, actions, components[SFNEC_FILTER_SIZE];
  double middle[SFNEC_FILTER_SIZE], narrow[SFNEC_FILTER_SIZE];
  size_t count, links;
  sfnec_filter_point *points; // (count)
  sfnec_filter_step *steps;   // (count): from a point to the next one; NULL: nothing looked like noise
  double *a, *x;              // of a regression: normal equations
  double *residuals;          // (count, size), and (count): scratch
  sfnec_filter_stage stage;
  uint32_t turn, scale; // of expectation maximisation; which scale of the process noise is compared
  double likelihoods[SFNEC_FILTER_SCALES];
  sfnec_filter tried, best; // best.size == 0: no noise
  double score;             // of the best
  uint64_t passes, counted; // made, and granted
  uint32_t each;            // that a step grants: so many that steps take about the same time
};

// Makes the next pass: once over all points.
void sfnec_filter_fit_pass(sfnec_filter_fit *fit);
// Begins with states as they were observed, and dynamics of a degree; *begun is false if the transitions are too few
// for it. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_filter_fit_begin_degree(sfnec_filter_fit *fit, uint32_t degree, bool *begun);
// Fits the dynamics to the kept points, and finds what they leave of all moves.
void sfnec_filter_fit_regress(sfnec_filter_fit *fit);
// Leaves out what is further off than noise would be, by the median of each component: jumps. scratch (count).
void sfnec_filter_fit_trim(sfnec_filter_fit *fit, double *scratch);

#endif
