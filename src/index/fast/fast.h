// fast.h: the parts of the fast index that its files share.
#ifndef SFNEC_INDEX_FAST_FAST_H
#define SFNEC_INDEX_FAST_FAST_H

#include "index/family.h"
#include "index/fast/fit.h"
#include "index/fast/tree.h"
#include "index/index.h"

enum {
  SFNEC_FAST_FEWEST = 8,  // the filter is used if there are that many keys for each neighbour asked for
  SFNEC_FAST_STRAYS = 32, // keys without a code that a search looks at one by one
};

// How searches get on with the filter; the one thing of an index that they change.
typedef struct sfnec_fast_rest {
  uint32_t left;  // searches to go until the filter is tried again
  uint32_t pause; // how many those were at first
} sfnec_fast_rest;

typedef struct sfnec_fast {
  sfnec_index base;
  sfnec_index *flat; // keys, slots and orders
  sfnec_forest forest;
  sfnec_coder *coders[SFNEC_TREES]; // NULL if the tree is empty
  double blur[SFNEC_TREES];         // the greatest of the tree's codes
  uint32_t young;                   // the tree that takes new codes
  sfnec_fit *fit;                   // a coder in the making, or NULL
  sfnec_index_family *family;       // the shared one, or one of its own
  bool shared;                      // which of the two
  bool *held;                       // (forest.slots): slots that hold a key
  float *early;                     // (held_size): scores of keys in no tree; NULL once all are in one
  uint32_t held_size;
  uint32_t used;                      // slots ever used
  uint32_t strays[SFNEC_FAST_STRAYS]; // slots of keys that could not be coded
  uint32_t stray_count;
  uint32_t missing;   // keys in no tree that are no strays: the filter is of no use
  uint32_t moved;     // slots below this one have been moved to the young tree
  uint32_t fit_after; // insertions until the next fit
  sfnec_fast_rest *rest;
} sfnec_fast;

// Whether there is a filter for k neighbours.
bool sfnec_fast_usable(const sfnec_fast *f, uint32_t k);

// The functions of sfnec_index_ops.
uint32_t sfnec_fast_search(const sfnec_index *index, const float *query, uint32_t k, sfnec_neighbour *out);
uint32_t sfnec_fast_search_worth(const sfnec_index *index, const float *query, uint32_t k, const sfnec_worth *worth,
                                 sfnec_neighbour *out);

#endif
