// tree.h: trees of boxes over codes.
//
// A leaf holds up to 32 codes, a node up to 16 children with their bounding boxes, both laid out so that one call of
// the SIMD level compares a query with all of them. All leaves of a tree are equally deep. Leaves and nodes that fill
// up are split in two across the dimension in which they vary most; ones that run empty go away; boxes grow and never
// shrink, but a node whose children are all full is made again.
//
// Codes are whole numbers, and so are all distances. Boxes are in whole steps, rounded outwards: the bound of a box is
// never greater than the distance of a code inside.
#ifndef SFNEC_INDEX_FAST_TREE_H
#define SFNEC_INDEX_FAST_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "index/fast/code.h"

enum { SFNEC_TREES = 2 };

#define SFNEC_FARTHEST ((uint32_t)INT32_MAX) // no distance of codes is greater

typedef struct sfnec_tree_leaf {
  _Alignas(64) int16_t codes[SFNEC_CODE_SIZE / 2][SFNEC_SIMD_POINTS][2];
  uint32_t count, parent, tree;
  uint32_t slots[SFNEC_SIMD_POINTS];
} sfnec_tree_leaf;

typedef struct sfnec_tree_node {
  _Alignas(64) uint8_t lows[SFNEC_CODE_SIZE / 2][SFNEC_SIMD_BOXES][2];
  uint8_t highs[SFNEC_CODE_SIZE / 2][SFNEC_SIMD_BOXES][2];
  uint32_t count, parent, level;
  uint32_t children[SFNEC_SIMD_BOXES]; // leaves if the level is 1, else nodes
} sfnec_tree_node;

typedef struct sfnec_tree {
  uint32_t root, levels; // levels: 0 if the root is a leaf
  uint32_t count;        // codes held; nothing else counts if 0
} sfnec_tree;

// Two trees over one set of slots: each slot is in at most one of them. Leaves and nodes come from two pools.
typedef struct sfnec_forest {
  const sfnec_simd *simd;
  sfnec_tree trees[SFNEC_TREES];
  sfnec_tree_leaf *leaves;
  sfnec_tree_node *nodes;
  uint32_t leaf_capacity, leaf_used, leaf_free, leaf_free_count; // freed ones are a list through `parent`
  uint32_t node_capacity, node_used, node_free, node_free_count;
  uint32_t *positions; // (slots): leaf * 32 + position in the leaf, or SFNEC_NOWHERE
  uint32_t slots;
} sfnec_forest;

void sfnec_forest_init(sfnec_forest *forest, const sfnec_simd *simd);
void sfnec_forest_free(sfnec_forest *forest);
size_t sfnec_forest_bytes(const sfnec_forest *forest);

// Makes space for slots below `slots` and for one insertion; false if out of memory, and then nothing has changed.
bool sfnec_forest_reserve(sfnec_forest *forest, uint32_t slots);

// Inserts the code of a slot that is in no tree; space was reserved.
void sfnec_forest_insert(sfnec_forest *forest, uint32_t tree, const int16_t code[SFNEC_CODE_SIZE], uint32_t slot);
// Takes a slot out of the tree that it is in.
void sfnec_forest_remove(sfnec_forest *forest, uint32_t slot);
// Gives a slot that is in a tree another code, if its leaf's box holds that one; false if not, and nothing has changed.
bool sfnec_forest_shift(sfnec_forest *forest, uint32_t slot, const int16_t code[SFNEC_CODE_SIZE]);
// The tree that a slot is in, or SFNEC_NOWHERE.
uint32_t sfnec_forest_tree_of(const sfnec_forest *forest, uint32_t slot);

// Replaces everything by one tree without gaps, number 0, over `count` codes, in memory of just the size; sorts `slots`
// on the way. `codes`: (slots, code). False if out of memory, and then nothing has changed.
bool sfnec_forest_pack(sfnec_forest *forest, uint32_t *slots, uint32_t count, const int16_t *codes);

// ---- shared by tree.c and pack.c ----

enum { SFNEC_TREE_FILL = 24 }; // codes in the leaves of a part that is made again: some more may come

// Makes the pools that large; false if out of memory.
bool sfnec_tree_reserve(sfnec_forest *forest, uint32_t leaves, uint32_t nodes);

// These were reserved.
uint32_t sfnec_tree_new_leaf(sfnec_forest *forest, uint32_t tree);
uint32_t sfnec_tree_new_node(sfnec_forest *forest, uint32_t level);
void sfnec_tree_free_leaf(sfnec_forest *forest, uint32_t id);

// Puts a code into a leaf, or a leaf or node under a node, that is not full.
void sfnec_tree_put(sfnec_forest *forest, uint32_t leaf, const int16_t *code, uint32_t slot);
void sfnec_tree_add_child(sfnec_forest *forest, uint32_t node, uint32_t child);

// Makes the leaves of a full node of level 1 again, without gaps and overlaps: half of them under the node, the others
// under a new node, which it returns.
uint32_t sfnec_tree_repack(sfnec_forest *forest, uint32_t node);
// Moves half of the children of a full node, those on one side of it, to a new node, which it returns.
uint32_t sfnec_tree_halve(sfnec_forest *forest, uint32_t node);

#endif
