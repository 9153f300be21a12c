// tree.c: trees of boxes over codes: pools, insertion, splitting and removal.
#include "index/fast/tree.h"

#include <string.h>

#include "index/array.h"

enum {
  CODE = SFNEC_CODE_SIZE,
  PAIRS = SFNEC_CODE_SIZE / 2,
  POINTS = SFNEC_SIMD_POINTS,
  BOXES = SFNEC_SIMD_BOXES,
  SPARE_LEAVES = BOXES * POINTS / SFNEC_TREE_FILL + 2, // that one insertion may need
  SPARE_NODES = 32,                                    // two for each level that a tree may have
};

// ---- life and pools ----

void sfnec_forest_init(sfnec_forest *forest, const sfnec_simd *simd) {
  *forest = (sfnec_forest){.simd = simd, .leaf_free = SFNEC_NOWHERE, .node_free = SFNEC_NOWHERE};
}

void sfnec_forest_free(sfnec_forest *forest) {
  sfnec_array_free(forest->leaves, forest->leaf_capacity * sizeof *forest->leaves);
  sfnec_array_free(forest->nodes, forest->node_capacity * sizeof *forest->nodes);
  sfnec_array_free(forest->positions, forest->slots * sizeof *forest->positions);
}

size_t sfnec_forest_bytes(const sfnec_forest *forest) {
  return forest->leaf_capacity * sizeof *forest->leaves + forest->node_capacity * sizeof *forest->nodes +
         forest->slots * sizeof *forest->positions;
}

bool sfnec_tree_reserve(sfnec_forest *f, uint32_t leaves, uint32_t nodes) {
  if (leaves > f->leaf_capacity) {
    sfnec_tree_leaf *more = sfnec_array_resize(f->leaves, f->leaf_capacity * sizeof *more, leaves * sizeof *more);
    if (!more) return false;
    f->leaves = more;
    f->leaf_capacity = leaves;
  }
  if (nodes > f->node_capacity) {
    sfnec_tree_node *more = sfnec_array_resize(f->nodes, f->node_capacity * sizeof *more, nodes * sizeof *more);
    if (!more) return false;
    f->nodes = more;
    f->node_capacity = nodes;
  }
  return true;
}

bool sfnec_forest_reserve(sfnec_forest *f, uint32_t slots) {
  if (slots > f->slots) {
    const uint32_t wanted = slots + slots / 2;
    uint32_t *positions = sfnec_array_resize(f->positions, f->slots * sizeof *positions, wanted * sizeof *positions);
    if (!positions) return false;
    for (uint32_t slot = f->slots; slot < wanted; slot++) positions[slot] = SFNEC_NOWHERE;
    f->positions = positions;
    f->slots = wanted;
  }
  const bool few_leaves = f->leaf_capacity - f->leaf_used + f->leaf_free_count < SPARE_LEAVES;
  const bool few_nodes = f->node_capacity - f->node_used + f->node_free_count < SPARE_NODES;
  if (!few_leaves && !few_nodes) return true;
  return sfnec_tree_reserve(f, f->leaf_capacity + (few_leaves ? f->leaf_capacity / 2 + SPARE_LEAVES : 0),
                            f->node_capacity + (few_nodes ? f->node_capacity / 2 + SPARE_NODES : 0));
}

uint32_t sfnec_tree_new_leaf(sfnec_forest *f, uint32_t tree) {
  uint32_t id = f->leaf_free;
  if (id == SFNEC_NOWHERE) {
    id = f->leaf_used++;
  } else {
    f->leaf_free = f->leaves[id].parent;
    f->leaf_free_count--;
  }
  f->leaves[id].count = 0;
  f->leaves[id].parent = SFNEC_NOWHERE;
  f->leaves[id].tree = tree;
  return id;
}

uint32_t sfnec_tree_new_node(sfnec_forest *f, uint32_t level) {
  uint32_t id = f->node_free;
  if (id == SFNEC_NOWHERE) {
    id = f->node_used++;
  } else {
    f->node_free = f->nodes[id].parent;
    f->node_free_count--;
  }
  f->nodes[id].count = 0;
  f->nodes[id].parent = SFNEC_NOWHERE;
  f->nodes[id].level = level;
  return id;
}

void sfnec_tree_free_leaf(sfnec_forest *f, uint32_t id) {
  f->leaves[id].parent = f->leaf_free;
  f->leaf_free = id;
  f->leaf_free_count++;
}

static void free_node(sfnec_forest *f, uint32_t id) {
  f->nodes[id].parent = f->node_free;
  f->node_free = id;
  f->node_free_count++;
}

// ---- members of leaves and nodes ----

void sfnec_tree_put(sfnec_forest *f, uint32_t leaf, const int16_t *code, uint32_t slot) {
  sfnec_tree_leaf *l = &f->leaves[leaf];
  const uint32_t position = l->count++;
  for (size_t d = 0; d < CODE; d++) l->codes[d / 2][position][d % 2] = code[d];
  l->slots[position] = slot;
  f->positions[slot] = leaf * POINTS + position;
}

static uint32_t *parent_of(sfnec_forest *f, uint32_t level, uint32_t id) {
  return level == 0 ? &f->leaves[id].parent : &f->nodes[id].parent;
}

// moves the box and the child at one position of a node to a position of another
static void copy_child(sfnec_forest *f, uint32_t to, uint32_t to_place, uint32_t from, uint32_t from_place) {
  sfnec_tree_node *a = &f->nodes[to], *b = &f->nodes[from];
  for (size_t p = 0; p < PAIRS; p++) {
    memcpy(a->lows[p][to_place], b->lows[p][from_place], 2);
    memcpy(a->highs[p][to_place], b->highs[p][from_place], 2);
  }
  a->children[to_place] = b->children[from_place];
  *parent_of(f, a->level - 1, a->children[to_place]) = to;
}

static uint32_t place_of(const sfnec_tree_node *node, uint32_t child) {
  uint32_t position = 0;
  while (node->children[position] != child) position++;
  return position;
}

// the sides of a box around numbers of codes
static uint8_t side_below(int number) {
  return (uint8_t)(number / 16);
}

static uint8_t side_above(int number) {
  return (uint8_t)((number + 15) / 16);
}

// sets the box at one position of a node to what the leaf, or the node, there holds
static void fit_box_to_leaf(sfnec_tree_node *n, uint32_t position, const sfnec_tree_leaf *leaf) {
  for (size_t d = 0; d < CODE; d++) {
    int16_t low = INT16_MAX, high = 0;
    for (uint32_t i = 0; i < leaf->count; i++) {
      const int16_t number = leaf->codes[d / 2][i][d % 2];
      low = number < low ? number : low;
      high = number > high ? number : high;
    }
    n->lows[d / 2][position][d % 2] = side_below(low);
    n->highs[d / 2][position][d % 2] = side_above(high);
  }
}

static void fit_box_to_node(sfnec_tree_node *n, uint32_t position, const sfnec_tree_node *child) {
  for (size_t d = 0; d < CODE; d++) {
    uint8_t low = UINT8_MAX, high = 0;
    for (uint32_t i = 0; i < child->count; i++) {
      low = child->lows[d / 2][i][d % 2] < low ? child->lows[d / 2][i][d % 2] : low;
      high = child->highs[d / 2][i][d % 2] > high ? child->highs[d / 2][i][d % 2] : high;
    }
    n->lows[d / 2][position][d % 2] = low;
    n->highs[d / 2][position][d % 2] = high;
  }
}

static void fit_box(sfnec_forest *f, uint32_t node, uint32_t position) {
  sfnec_tree_node *n = &f->nodes[node];
  if (n->level == 1) fit_box_to_leaf(n, position, &f->leaves[n->children[position]]);
  else fit_box_to_node(n, position, &f->nodes[n->children[position]]);
}

void sfnec_tree_add_child(sfnec_forest *f, uint32_t node, uint32_t child) {
  sfnec_tree_node *n = &f->nodes[node];
  const uint32_t position = n->count++;
  n->children[position] = child;
  *parent_of(f, n->level - 1, child) = node;
  fit_box(f, node, position);
}

// ---- splitting ----

// the order of a full leaf's codes along the dimension in which they vary most
static void order_along_widest(const sfnec_tree_leaf *leaf, uint32_t *order) {
  uint64_t most = 0;
  size_t along = 0;
  for (size_t d = 0; d < CODE; d++) {
    uint32_t sum = 0, squares = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
      const uint32_t number = (uint32_t)leaf->codes[d / 2][i][d % 2];
      sum += number;
      squares += number * number;
    }
    const uint64_t variance = (uint64_t)POINTS * squares - (uint64_t)sum * sum;
    if (variance > most) {
      most = variance;
      along = d;
    }
  }
  const int16_t(*numbers)[2] = leaf->codes[along / 2];
  for (uint32_t i = 0; i < POINTS; i++) {
    uint32_t j = i;
    for (; j > 0 && numbers[order[j - 1]][along % 2] > numbers[i][along % 2]; j--) order[j] = order[j - 1];
    order[j] = i;
  }
}

// moves half of a full leaf to a new one
static uint32_t split_leaf(sfnec_forest *f, uint32_t leaf) {
  const uint32_t other = sfnec_tree_new_leaf(f, f->leaves[leaf].tree);
  const sfnec_tree_leaf old = f->leaves[leaf];
  uint32_t order[POINTS] = {0};
  order_along_widest(&old, order);
  f->leaves[leaf].count = 0;
  for (uint32_t i = 0; i < POINTS; i++) {
    int16_t code[CODE];
    for (size_t d = 0; d < CODE; d++) code[d] = old.codes[d / 2][order[i]][d % 2];
    sfnec_tree_put(f, i < POINTS / 2 ? leaf : other, code, old.slots[order[i]]);
  }
  return other;
}

// Makes space in a full leaf: splits it, or the highest of the full nodes above it without a gap. What is below that
// node may still be full; then the caller comes again.
static void make_space(sfnec_forest *f, sfnec_tree *tree, uint32_t leaf) {
  uint32_t level = 0, id = leaf, parent = f->leaves[leaf].parent;
  for (; parent != SFNEC_NOWHERE && f->nodes[parent].count == BOXES; parent = f->nodes[id].parent) {
    id = parent;
    level++;
  }
  if (parent == SFNEC_NOWHERE) {
    // the root gets a parent
    parent = tree->root = sfnec_tree_new_node(f, level + 1);
    tree->levels = level + 1;
    sfnec_tree_add_child(f, parent, id);
  }
  const uint32_t other = level == 0   ? split_leaf(f, id)
                         : level == 1 ? sfnec_tree_repack(f, id)
                                      : sfnec_tree_halve(f, id);
  fit_box(f, parent, place_of(&f->nodes[parent], id));
  sfnec_tree_add_child(f, parent, other);
}

// ---- in and out ----

// A code, and the box around it, as often as a node has boxes; a pair of bytes in each number.
typedef struct entry {
  const int16_t *code;
  uint16_t lows[PAIRS][BOXES], highs[PAIRS][BOXES];
} entry;

static void surround(entry *e, const int16_t *code) {
  e->code = code;
  for (size_t p = 0; p < PAIRS; p++) {
    const uint8_t low[2] = {side_below(code[2 * p]), side_below(code[2 * p + 1])};
    const uint8_t high[2] = {side_above(code[2 * p]), side_above(code[2 * p + 1])};
    uint16_t lows, highs;
    memcpy(&lows, low, sizeof lows);
    memcpy(&highs, high, sizeof highs);
    for (size_t i = 0; i < BOXES; i++) {
      e->lows[p][i] = lows;
      e->highs[p][i] = highs;
    }
  }
}

static uint8_t lesser(uint8_t a, uint8_t b) {
  return a < b ? a : b;
}

static uint8_t greater(uint8_t a, uint8_t b) {
  return a > b ? a : b;
}

// by how much the sides of each of a node's boxes must grow to hold a code, all together
static void growths(const sfnec_tree_node *n, const entry *e, uint16_t out[BOXES]) {
  uint16_t sums[2 * BOXES] = {0};
  for (size_t p = 0; p < PAIRS; p++) {
    const uint8_t *lows = &n->lows[p][0][0], *highs = &n->highs[p][0][0];
    const uint8_t *low = (const uint8_t *)e->lows[p], *high = (const uint8_t *)e->highs[p];
    for (size_t i = 0; i < 2 * BOXES; i++) {
      const uint8_t below = (uint8_t)(greater(lows[i], low[i]) - low[i]);
      const uint8_t above = (uint8_t)(greater(high[i], highs[i]) - highs[i]);
      // at most one of the two is not zero
      sums[i] = (uint16_t)(sums[i] + (below | above));
    }
  }
  for (size_t i = 0; i < BOXES; i++) out[i] = (uint16_t)(sums[2 * i] + sums[2 * i + 1]);
}

// how far a code is from the middle of a box
static uint32_t off_centre(const sfnec_tree_node *n, uint32_t position, const entry *e) {
  uint32_t sum = 0;
  for (size_t d = 0; d < CODE; d++) {
    const int off = 8 * (n->lows[d / 2][position][d % 2] + n->highs[d / 2][position][d % 2]) - e->code[d];
    sum += (uint32_t)(off * off);
  }
  return sum;
}

// The position of the child whose box need grow least to hold a code; among equals, the one around it. (The box that is
// nearest makes long boxes that overlap: two fifths more leaves are looked at.)
static uint32_t best_child(const sfnec_tree_node *n, const entry *e) {
  uint16_t grown[BOXES];
  uint32_t best = 0, off = UINT32_MAX;
  growths(n, e, grown);
  for (uint32_t i = 1; i < n->count; i++) best = grown[i] < grown[best] ? i : best;
  const uint16_t least = grown[best];
  for (uint32_t i = best; i < n->count; i++) {
    if (grown[i] > least) continue;
    const uint32_t here = off_centre(n, i, e);
    if (here >= off) continue;
    off = here;
    best = i;
  }
  return best;
}

// from the root to the leaf that a code goes to
static uint32_t best_leaf(const sfnec_forest *f, const sfnec_tree *tree, const entry *e) {
  uint32_t id = tree->root;
  for (uint32_t level = tree->levels; level > 0; level--) id = f->nodes[id].children[best_child(&f->nodes[id], e)];
  return id;
}

static void grow_box(sfnec_tree_node *n, uint32_t position, const entry *e) {
  for (size_t d = 0; d < CODE; d++) {
    uint8_t *low = &n->lows[d / 2][position][d % 2], *high = &n->highs[d / 2][position][d % 2];
    *low = lesser(*low, side_below(e->code[d]));
    *high = greater(*high, side_above(e->code[d]));
  }
}

void sfnec_forest_insert(sfnec_forest *f, uint32_t tree_id, const int16_t code[SFNEC_CODE_SIZE], uint32_t slot) {
  sfnec_tree *tree = &f->trees[tree_id];
  entry e;
  surround(&e, code);
  if (tree->count++ == 0) *tree = (sfnec_tree){.root = sfnec_tree_new_leaf(f, tree_id), .levels = 0, .count = 1};
  uint32_t leaf = best_leaf(f, tree, &e);
  while (f->leaves[leaf].count == POINTS) {
    make_space(f, tree, leaf);
    leaf = best_leaf(f, tree, &e);
  }
  sfnec_tree_put(f, leaf, code, slot);
  uint32_t child = leaf;
  for (uint32_t id = f->leaves[leaf].parent; id != SFNEC_NOWHERE; child = id, id = f->nodes[id].parent)
    grow_box(&f->nodes[id], place_of(&f->nodes[id], child), &e);
}

// whether the box at one position of a node holds a code
static bool holds(const sfnec_tree_node *n, uint32_t position, const int16_t *code) {
  bool inside = true;
  for (size_t d = 0; d < CODE; d++)
    inside &= n->lows[d / 2][position][d % 2] <= side_below(code[d]) &&
              side_above(code[d]) <= n->highs[d / 2][position][d % 2];
  return inside;
}

bool sfnec_forest_shift(sfnec_forest *f, uint32_t slot, const int16_t code[SFNEC_CODE_SIZE]) {
  const uint32_t leaf = f->positions[slot] / POINTS, position = f->positions[slot] % POINTS;
  sfnec_tree_leaf *l = &f->leaves[leaf];
  if (l->parent != SFNEC_NOWHERE && !holds(&f->nodes[l->parent], place_of(&f->nodes[l->parent], leaf), code))
    return false;
  for (size_t d = 0; d < CODE; d++) l->codes[d / 2][position][d % 2] = code[d];
  return true;
}

// takes an empty leaf or node (level, id) away, and what is above it where that runs empty too
static void drop(sfnec_forest *f, uint32_t level, uint32_t id) {
  const uint32_t parent = *parent_of(f, level, id);
  if (level == 0) sfnec_tree_free_leaf(f, id);
  else free_node(f, id);
  if (parent == SFNEC_NOWHERE) return;
  sfnec_tree_node *n = &f->nodes[parent];
  const uint32_t position = place_of(n, id);
  if (--n->count == 0) drop(f, level + 1, parent);
  else if (position != n->count) copy_child(f, parent, position, parent, n->count);
}

void sfnec_forest_remove(sfnec_forest *f, uint32_t slot) {
  const uint32_t leaf = f->positions[slot] / POINTS, position = f->positions[slot] % POINTS;
  sfnec_tree_leaf *l = &f->leaves[leaf];
  const uint32_t last = --l->count;
  f->positions[slot] = SFNEC_NOWHERE;
  f->trees[l->tree].count--;
  if (last == 0) {
    drop(f, 0, leaf);
  } else if (position != last) {
    for (size_t p = 0; p < PAIRS; p++) memcpy(l->codes[p][position], l->codes[p][last], sizeof l->codes[p][position]);
    l->slots[position] = l->slots[last];
    f->positions[l->slots[position]] = leaf * POINTS + position;
  }
}

uint32_t sfnec_forest_tree_of(const sfnec_forest *f, uint32_t slot) {
  if (slot >= f->slots || f->positions[slot] == SFNEC_NOWHERE) return SFNEC_NOWHERE;
  return f->leaves[f->positions[slot] / POINTS].tree;
}
