// association.h: whether a variable in bins predicts a number: n R^2 between its bins, summed over groups of rows.
//
// Rows of a log are no independent draws: clocks, random walks and values that stay for an episode agree with anything
// that drifts. So the null distribution comes from the data: the numbers are shifted in time against the bins, in a
// circle within each group, which keeps what both owe to time alone. A gamma distribution with the mean and the
// variance of the shifted statistics (at least those of chi-square) gives the p-value. An interaction is what the bins
// explain within the groups beyond what they explain over all of them.
#ifndef SFNEC_AGENT_PLAN_ASSOCIATION_H
#define SFNEC_AGENT_PLAN_ASSOCIATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SFNEC_ASSOCIATION_BINS = 256,  // at most
  SFNEC_ASSOCIATION_GROUP = 10,  // rows of a group, at least: others are left out
  SFNEC_ASSOCIATION_SHIFTS = 16, // of the null distribution: enough for a mean and a variance
  SFNEC_ASSOCIATION_MARGIN = 20, // a shift is at least one part in so many of a group
};

// Rows in groups, those of a group in time order.
typedef struct sfnec_grouping {
  size_t rows, groups;
  uint32_t *row;     // (rows)
  uint32_t *start;   // (groups + 1)
  uint32_t *shift;   // (shifts, groups)
  uint64_t *sorting; // (rows): scratch
} sfnec_grouping;

// Numbers for the tests below, (rows) each.
typedef struct sfnec_association_scratch {
  uint8_t *code;
  float *number;
} sfnec_association_scratch;

// Groups rows by their keys (below 2^48). The arrays have room for `rows`. Shifts
// depend on the seed and on the number and size of a group only, so not on the order of components.
void sfnec_grouping_make(sfnec_grouping *grouping, const uint64_t *keys, size_t rows, uint64_t seed);

// The p-value of numbers (rows of the log) by bins, or of the interaction of bins and groups; 1 where it is clear
// already that it is above `most`. Adds the work done to `cost`.
double sfnec_association(const sfnec_grouping *grouping, const uint8_t *code, size_t bins, const float *numbers,
                         bool interaction, double most, const sfnec_association_scratch *scratch, uint64_t *cost);

// The greatest p-value that is significant at a false discovery rate (Benjamini and Hochberg 1995) among `count` tests
// of which the smallest p-values are given; they are sorted. Negative: none.
double sfnec_false_discovery(double *p, size_t given, size_t count, double rate);

// Bins of nearly equal size from ranks (0 .. values - 1); small bins join their neighbours. Returns how many bins.
// scratch: (values) numbers.
size_t sfnec_bin(const uint16_t *ranks, size_t rows, size_t values, size_t bins, size_t least, uint8_t *code,
                 uint32_t *scratch);

#endif
