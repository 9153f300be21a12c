// tree_parts.h: what the files of the tree share.
#ifndef SFNEC_INDEX_FAST_TREE_PARTS_H
#define SFNEC_INDEX_FAST_TREE_PARTS_H

#include "index/fast/tree.h"

enum { SFNEC_TREE_FILL = 24 }; // codes in the leaves of a part that is made anew: room for some more

// Makes the pools that large; false if out of memory.
bool sfnec_tree_reserve(sfnec_forest *forest, uint32_t leaves, uint32_t nodes);

// Room for these was reserved.
uint32_t sfnec_tree_new_leaf(sfnec_forest *forest, uint32_t tree);
uint32_t sfnec_tree_new_node(sfnec_forest *forest, uint32_t level);
void sfnec_tree_free_leaf(sfnec_forest *forest, uint32_t id);

// Puts a code into a leaf, or a leaf or node under a node, that has room.
void sfnec_tree_put(sfnec_forest *forest, uint32_t leaf, const int16_t *code, uint32_t slot, float score);
void sfnec_tree_add_child(sfnec_forest *forest, uint32_t node, uint32_t child);

// Makes the leaves of a full node of level 1 anew, without gaps and overlaps: half of them under the node, the others
// under a new node, which it returns.
uint32_t sfnec_tree_repack(sfnec_forest *forest, uint32_t node);

// Moves half of the children of a full node, those on one side of it, to a new node, which it returns.
uint32_t sfnec_tree_halve(sfnec_forest *forest, uint32_t node);

#endif
