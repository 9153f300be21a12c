// fast_walk.h: a walk through one tree of the fast index, from near to far.
//
// Each code gives a lower and an upper bound of its key's distance; the k-th least upper bound is a limit beyond which
// nothing need be looked at.
#ifndef SFNEC_INDEX_FAST_WALK_H
#define SFNEC_INDEX_FAST_WALK_H

#include "index/fast.h"
#include "index/fast_gauge.h"

// What a walk knows. The candidates are in the lists of the family.
typedef struct sfnec_walk {
  const sfnec_fast *f;
  const sfnec_coder *coder;
  const sfnec_probe *probe;
  uint32_t tree;
  uint32_t k;       // neighbours asked for
  double blur;      // of query and keys together
  uint32_t limit;   // codes farther away are of no interest
  float reach;      // nor are keys farther away
  uint32_t waiting; // what is to be looked at
  uint32_t seen;    // upper bounds noted
  uint32_t count;   // candidates collected
  uint32_t least;   // the least distance of a code seen
  size_t budget;    // what the walk may still cost
  bool costly;      // it has cost more
  sfnec_gauge gauge;
} sfnec_walk;

// False if the query cannot be coded.
bool sfnec_walk_start(sfnec_walk *walk, const sfnec_fast *f, uint32_t tree, const float *query, uint32_t k);

// Goes through the next leaves, so many of them (and until k codes were seen), and collects the keys that may be among
// the k nearest. No key is touched. False if that costs more than it can save.
bool sfnec_walk_on(sfnec_walk *walk, uint32_t leaves);

// At the end: drops the candidates that the last limit rules out.
void sfnec_walk_end(sfnec_walk *walk);

// The distances of a leaf's codes, and a bit for each that is within the limit.
uint32_t sfnec_walk_look(const sfnec_walk *walk, const sfnec_tree_leaf *leaf, uint32_t distances[SFNEC_KERNEL_POINTS]);

// Whether the neighbours are certainly worth less than the floor: a quick look at the beginning of a walk, which goes
// on after it, and a closer one at its end. The tree holds all keys.
bool sfnec_fast_below_soon(sfnec_walk *walk, const sfnec_worth *worth);
bool sfnec_fast_below(sfnec_walk *walk, const sfnec_worth *worth);

#endif
