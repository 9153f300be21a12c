// fast.h: the fast index, and what a search in it works with; shared by fast.c (keys in and out), walk.c (through a
// tree from near to far) and search.c (from candidates to neighbours).
#ifndef SFNEC_INDEX_FAST_FAST_H
#define SFNEC_INDEX_FAST_FAST_H

#include "index/fast/code.h"
#include "index/fast/tree.h"
#include "index/index.h"

enum {
  SFNEC_FAST_FEWEST = 8,     // the filter is used if there are that many keys for each neighbour asked for
  SFNEC_FAST_STRAYS = 32,    // keys without a code that a search looks at one by one
  SFNEC_FAST_QUERIES = 32,   // coded queries that a scratch keeps
  SFNEC_FAST_BACKOFFS = 512, // counters of a scratch
  SFNEC_KTH_MARKS = 128,
};

typedef struct sfnec_fast {
  sfnec_index base;
  sfnec_index *flat; // keys, slots and orders
  sfnec_forest forest;
  sfnec_coder *coders[SFNEC_TREES];   // NULL if the tree is empty
  double errors[SFNEC_TREES];         // the greatest of the tree's codes
  uint32_t young;                     // the tree that takes new codes
  sfnec_fit *fit;                     // a coder in the making, or NULL
  sfnec_codebook *codebook;           // the shared one, or one of its own
  bool shared;                        // which of the two
  float *residual;                    // (padded): scratch of coding a key that comes in
  bool *held;                         // (held_size): slots that hold a key
  uint32_t held_size;                 // forest.slots, when it was last seen to
  uint32_t used;                      // slots ever used
  uint32_t strays[SFNEC_FAST_STRAYS]; // slots of keys that could not be coded
  uint32_t stray_count;
  uint32_t missing;   // keys in no tree that are no strays: the filter is of no use
  uint32_t moved;     // slots below this one have been moved to the young tree
  uint32_t fit_after; // insertions until the next fit
} sfnec_fast;

// After searches that proved too costly the flat scan answers for a while.
typedef struct sfnec_backoff {
  uint32_t left;  // searches to go until the filter is tried again
  uint32_t pause; // how many those were at first
} sfnec_backoff;

// What is still to be looked at in a walk: a heap with the least bound on top; bound, then leaf or node.
typedef struct sfnec_queue {
  uint64_t *items; // (leaf_capacity + node_capacity of the forest)
  uint32_t count;
} sfnec_queue;

// The candidates of a walk, and what a search has found.
typedef struct sfnec_search_lists {
  uint32_t capacity;      // slots that the lists are made for
  uint32_t *slots;        // (capacity)
  uint32_t *positions;    // (capacity): in the forest
  uint32_t *distances;    // (capacity): of the codes
  float *uppers;          // (capacity): of the codes, with what the residuals may add
  sfnec_neighbour *found; // (capacity, and some)
} sfnec_search_lists;

struct sfnec_index_scratch {
  sfnec_search_lists lists;
  sfnec_queue queue;
  uint32_t queue_capacity;

  // queries coded last, by their coders
  uint64_t coders[SFNEC_FAST_QUERIES]; // ids; 0: none
  sfnec_coded_query coded[SFNEC_FAST_QUERIES];
  float *queries;  // (SFNEC_FAST_QUERIES, padded)
  float *residual; // (padded): scratch of coding
  size_t padded;
  uint32_t next_query; // whose turn it is to be forgotten

  // by the address of the index; two that share one spoil nothing but each other's speed
  sfnec_backoff backoffs[SFNEC_FAST_BACKOFFS];
};

// Makes a scratch large enough for an index that has codes; false if out of memory, and then it is still good for what
// it was good for.
bool sfnec_index_scratch_fit(sfnec_index_scratch *scratch, const sfnec_fast *f);

// ---- a walk through one tree (walk.c) ----
//
// Each code gives a lower and an upper bound of its key's distance; the k-th least upper bound is a limit beyond which
// nothing need be looked at.

// The k-th least of the numbers offered so far, from above. The first k numbers span a scale of 128 marks, and each
// number counts at its mark. That is much cheaper than a heap, and all that a walk needs: a limit that is a few percent
// too high costs little.
typedef struct sfnec_kth_bound {
  uint32_t k, inside; // numbers at marks up to `top`: k at least
  uint32_t top;
  float scale; // marks per unit
  bool taken;  // whether the bound was ever taken
  uint32_t counts[SFNEC_KTH_MARKS];
} sfnec_kth_bound;

// What a walk knows. The candidates are in the lists of the scratch.
typedef struct sfnec_walk {
  const sfnec_fast *f;
  sfnec_index_scratch *scratch;
  const sfnec_coder *coder;
  const sfnec_coded_query *coded;
  const float *query;
  uint32_t k;       // neighbours asked for
  double error;     // of the codes of query and key together
  float key_error;  // of the key's code alone
  uint32_t limit;   // codes farther away are of no interest
  float reach;      // nor are keys farther away
  uint32_t seen;    // upper bounds noted
  uint32_t count;   // candidates collected
  uint32_t leaves;  // looked at
  uint32_t peek_at; // that many leaves: time to look at some keys
  uint32_t least;   // the least distance of a code seen
  size_t budget;    // what the walk may still cost
  sfnec_kth_bound kth;
} sfnec_walk;

// False if the query cannot be coded.
bool sfnec_walk_start(sfnec_walk *walk, const sfnec_fast *f, sfnec_index_scratch *scratch, uint32_t tree,
                      const float *query, uint32_t k);
// Goes through the leaves and collects the keys that may be among the k nearest. Keys are touched only if there are
// many leaves. False if that costs more than it can save.
bool sfnec_walk_through(sfnec_walk *walk);

// The leaves of a tree in the order of their boxes' bounds, then NULL. Boxes whose bound is greater than the limit are
// left out; the limit may shrink from call to call.
void sfnec_queue_start(sfnec_queue *queue, const sfnec_forest *forest, uint32_t tree);
const sfnec_tree_leaf *sfnec_queue_next(sfnec_queue *queue, const sfnec_forest *forest, const sfnec_coded_query *coded,
                                        uint32_t limit);

// ---- the functions of sfnec_index_ops (search.c) ----

uint32_t sfnec_fast_search(const sfnec_index *index, sfnec_index_scratch *scratch, const float *query, uint32_t k,
                           sfnec_neighbour *out);
uint32_t sfnec_fast_search_pruned(const sfnec_index *index, sfnec_index_scratch *scratch, const float *query,
                                  uint32_t k, const sfnec_pruning *pruning, sfnec_neighbour *out);

#endif
