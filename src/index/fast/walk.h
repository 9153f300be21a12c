// walk.h: a walk through one tree of the fast index, from near to far.
//
// Each code gives a lower and an upper bound of its key's distance; the k-th least upper bound is a limit beyond which
// nothing need be looked at.
#ifndef SFNEC_INDEX_FAST_WALK_H
#define SFNEC_INDEX_FAST_WALK_H

#include "index/fast/fast.h"
#include "index/fast/gauge.h"

// What a walk knows. The candidates are in the lists of the family.
typedef struct sfnec_walk {
  const sfnec_fast *f;
  const sfnec_coder *coder;
  const sfnec_probe *probe;
  const float *query;
  uint32_t tree;
  uint32_t k;       // neighbours asked for
  double blur;      // of query and keys together
  float rest_blur;  // of the keys alone
  uint32_t limit;   // codes farther away are of no interest
  float reach;      // nor are keys farther away
  uint32_t waiting; // what is to be looked at
  uint32_t seen;    // upper bounds noted
  uint32_t count;   // candidates collected
  uint32_t leaves;  // looked at
  uint32_t peek_at; // that many leaves: time to look at some keys
  uint32_t least;   // the least distance of a code seen
  size_t budget;    // what the walk may still cost
  sfnec_gauge gauge;
} sfnec_walk;

// False if the query cannot be coded.
bool sfnec_walk_start(sfnec_walk *walk, const sfnec_fast *f, uint32_t tree, const float *query, uint32_t k);

// Goes through the leaves and collects the keys that may be among the k nearest. Keys are touched only if there are
// many leaves. False if that costs more than it can save.
bool sfnec_walk_through(sfnec_walk *walk);

// Whether the neighbours that a walk has collected are certainly not worth finding. The tree holds all keys.
bool sfnec_walk_worthless(const sfnec_walk *walk, const sfnec_worth *worth);

#endif
