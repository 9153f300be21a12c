// fast_tree.h: trees of boxes over codes.
//
// A leaf holds up to 32 codes, a node up to 16 children with their bounding boxes, both dimension by dimension, so that
// one pass of the kernel compares a query with all of them. All leaves of a tree are equally deep. Leaves and nodes
// that fill up are split in two along their widest dimension; ones that run empty go away; boxes grow and never shrink.
//
// The box bound is computed with the same operations in the same order as the distance of a code, and rounding is
// monotone, so the bound of a box is never greater than the computed distance of a code inside: no slack is needed.
#ifndef SFNEC_INDEX_FAST_TREE_H
#define SFNEC_INDEX_FAST_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/fast_code.h"

enum { SFNEC_TREES = 2 };

#define SFNEC_NOWHERE UINT32_MAX

typedef struct sfnec_tree_leaf {
  _Alignas(64) float codes[SFNEC_CODE_SIZE][SFNEC_KERNEL_POINTS];
  uint32_t slots[SFNEC_KERNEL_POINTS];
  uint32_t count, parent, tree;
} sfnec_tree_leaf;

typedef struct sfnec_tree_node {
  _Alignas(64) float lows[SFNEC_CODE_SIZE][SFNEC_KERNEL_BOXES];
  float highs[SFNEC_CODE_SIZE][SFNEC_KERNEL_BOXES];
  uint32_t children[SFNEC_KERNEL_BOXES]; // leaves if the level is 1, else nodes
  uint32_t count, parent, level;
} sfnec_tree_node;

typedef struct sfnec_tree {
  uint32_t root, levels; // levels: 0 if the root is a leaf
  uint32_t count;        // codes held; nothing else counts if 0
} sfnec_tree;

// A leaf or node that is still to be looked at.
typedef struct sfnec_tree_visit {
  float bound;
  uint32_t level, id;
} sfnec_tree_visit;

// Two trees over one set of slots: each slot is in at most one of them.
typedef struct sfnec_forest {
  const sfnec_kernel *kernel;
  sfnec_tree trees[SFNEC_TREES];
  sfnec_tree_leaf *leaves;
  sfnec_tree_node *nodes;
  uint32_t leaf_capacity, leaf_used, leaf_free, leaf_free_count; // freed ones are a list through `parent`
  uint32_t node_capacity, node_used, node_free, node_free_count;
  uint32_t *where; // (slots): leaf * 32 + place, or SFNEC_NOWHERE
  uint32_t slots;
  sfnec_tree_visit *queue; // (leaf_capacity + node_capacity): heap with the least bound on top
} sfnec_forest;

void sfnec_forest_init(sfnec_forest *forest, const sfnec_kernel *kernel);
void sfnec_forest_free(sfnec_forest *forest);
size_t sfnec_forest_bytes(const sfnec_forest *forest);

// Makes room for slots below `slots` and for one insertion; false if out of memory, and then nothing has changed.
bool sfnec_forest_reserve(sfnec_forest *forest, uint32_t slots);

// Inserts the code of a slot that is in no tree; room was reserved.
void sfnec_forest_insert(sfnec_forest *forest, uint32_t tree, const float code[SFNEC_CODE_SIZE], uint32_t slot);
// Takes a slot out of the tree that it is in.
void sfnec_forest_remove(sfnec_forest *forest, uint32_t slot);
// The tree that a slot is in, or SFNEC_NOWHERE.
uint32_t sfnec_forest_tree_of(const sfnec_forest *forest, uint32_t slot);

// Leaves in the order of their boxes' bounds: start with a number of visits of 0, call until NULL. Boxes whose bound is
// greater than the limit are left out; the limit may shrink from call to call.
uint32_t sfnec_forest_start(const sfnec_forest *forest, uint32_t tree);
const sfnec_tree_leaf *sfnec_forest_next(const sfnec_forest *forest, const float code[SFNEC_CODE_SIZE], float limit,
                                         uint32_t *waiting);

#endif
