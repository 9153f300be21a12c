// fast_tree.c: trees of boxes over codes: room, insertion, splitting and removal.
#include "index/fast_tree_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
  CODE = SFNEC_CODE_SIZE,
  PAIRS = SFNEC_CODE_SIZE / 2,
  POINTS = SFNEC_KERNEL_POINTS,
  BOXES = SFNEC_KERNEL_BOXES,
  ALIGNMENT = 64,
  SPARE_LEAVES = BOXES * POINTS / SFNEC_TREE_FILL + 2, // that one insertion may need
  SPARE_NODES = 16,                                    // more than any tree has levels
};

// ---- life and room ----

void sfnec_forest_init(sfnec_forest *forest, const sfnec_kernel *kernel) {
  *forest = (sfnec_forest){.kernel = kernel, .leaf_free = SFNEC_NOWHERE, .node_free = SFNEC_NOWHERE};
}

void sfnec_forest_free(sfnec_forest *forest) {
  free(forest->leaves);
  free(forest->nodes);
  free(forest->where);
  free(forest->queue);
}

size_t sfnec_forest_bytes(const sfnec_forest *forest) {
  const size_t waiting = sizeof *forest->queue;
  return forest->leaf_capacity * (sizeof *forest->leaves + waiting) +
         forest->node_capacity * (sizeof *forest->nodes + waiting) + forest->slots * sizeof *forest->where;
}

static void *grown(const void *old, size_t used, size_t wanted, size_t each) {
  if (wanted > SIZE_MAX / each) return NULL;
  void *grown = aligned_alloc(ALIGNMENT, wanted * each); // each is a multiple of the alignment
  if (grown && used > 0) memcpy(grown, old, used * each);
  return grown;
}

bool sfnec_tree_reserve(sfnec_forest *f, uint32_t leaves, uint32_t nodes) {
  const size_t all = (size_t)leaves + nodes;
  uint64_t *queue = realloc(f->queue, all * sizeof *queue);
  if (!queue) return false;
  f->queue = queue;
  if (leaves > f->leaf_capacity) {
    sfnec_tree_leaf *more = grown(f->leaves, f->leaf_used, leaves, sizeof *more);
    if (!more) return false;
    free(f->leaves);
    f->leaves = more;
    f->leaf_capacity = leaves;
  }
  if (nodes > f->node_capacity) {
    sfnec_tree_node *more = grown(f->nodes, f->node_used, nodes, sizeof *more);
    if (!more) return false;
    free(f->nodes);
    f->nodes = more;
    f->node_capacity = nodes;
  }
  return true;
}

bool sfnec_forest_reserve(sfnec_forest *f, uint32_t slots) {
  if (slots > f->slots) {
    const uint32_t wanted = slots + slots / 2;
    uint32_t *where = realloc(f->where, wanted * sizeof *where);
    if (!where) return false;
    for (uint32_t slot = f->slots; slot < wanted; slot++) where[slot] = SFNEC_NOWHERE;
    f->where = where;
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

void sfnec_tree_put(sfnec_forest *f, uint32_t leaf, const uint8_t *code, uint32_t slot, float score) {
  sfnec_tree_leaf *l = &f->leaves[leaf];
  const uint32_t place = l->count++;
  for (size_t d = 0; d < CODE; d++) l->codes[d / 2][place][d % 2] = code[d];
  l->slots[place] = slot;
  l->scores[place] = score;
  f->where[slot] = leaf * POINTS + place;
}

static uint32_t *parent_of(sfnec_forest *f, uint32_t level, uint32_t id) {
  return level == 0 ? &f->leaves[id].parent : &f->nodes[id].parent;
}

// moves the box and the child at one place of a node to a place of another
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
  uint32_t place = 0;
  while (node->children[place] != child) place++;
  return place;
}

// sets the box at one place of a node to what its child holds
static void fit_box(sfnec_forest *f, uint32_t node, uint32_t place) {
  sfnec_tree_node *n = &f->nodes[node];
  const uint32_t child = n->children[place], below = n->level - 1;
  const uint32_t width = below == 0 ? POINTS : BOXES,
                 count = below == 0 ? f->leaves[child].count : f->nodes[child].count;
  const uint8_t *lows = below == 0 ? &f->leaves[child].codes[0][0][0] : &f->nodes[child].lows[0][0][0];
  const uint8_t *highs = below == 0 ? lows : &f->nodes[child].highs[0][0][0];
  for (size_t d = 0; d < CODE; d++) {
    uint8_t low = UINT8_MAX, high = 0;
    for (uint32_t i = 0; i < count; i++) {
      const size_t at = d / 2 * 2 * width + 2 * i + d % 2;
      low = lows[at] < low ? lows[at] : low;
      high = highs[at] > high ? highs[at] : high;
    }
    n->lows[d / 2][place][d % 2] = low;
    n->highs[d / 2][place][d % 2] = high;
  }
}

void sfnec_tree_add_child(sfnec_forest *f, uint32_t node, uint32_t child) {
  sfnec_tree_node *n = &f->nodes[node];
  const uint32_t place = n->count++;
  n->children[place] = child;
  *parent_of(f, n->level - 1, child) = node;
  fit_box(f, node, place);
}

// ---- splitting ----

// The order of `width` boxes (points, if lows and highs are the same) along the dimension in which they vary most.
static void order_along_widest(const uint8_t *lows, const uint8_t *highs, uint32_t width, uint32_t *order) {
  uint64_t most = 0;
  size_t along = 0;
  for (size_t d = 0; d < CODE; d++) {
    uint32_t sum = 0, squares = 0;
    for (uint32_t i = 0; i < width; i++) {
      const size_t at = d / 2 * 2 * width + 2 * i + d % 2;
      const uint32_t middle = (uint32_t)lows[at] + highs[at];
      sum += middle;
      squares += middle * middle;
    }
    const uint64_t variance = (uint64_t)width * squares - (uint64_t)sum * sum;
    if (variance > most) {
      most = variance;
      along = d;
    }
  }
  const size_t start = along / 2 * 2 * width + along % 2;
  for (uint32_t i = 0; i < width; i++) {
    const uint32_t middle = (uint32_t)lows[start + 2 * i] + highs[start + 2 * i];
    uint32_t j = i;
    for (; j > 0 && (uint32_t)lows[start + 2 * order[j - 1]] + highs[start + 2 * order[j - 1]] > middle; j--)
      order[j] = order[j - 1];
    order[j] = i;
  }
}

// moves half of a full leaf to a new one
static uint32_t split_leaf(sfnec_forest *f, uint32_t leaf) {
  const uint32_t other = sfnec_tree_new_leaf(f, f->leaves[leaf].tree);
  const sfnec_tree_leaf old = f->leaves[leaf];
  uint32_t order[POINTS] = {0};
  order_along_widest(&old.codes[0][0][0], &old.codes[0][0][0], POINTS, order);
  f->leaves[leaf].count = 0;
  for (uint32_t i = 0; i < POINTS; i++) {
    uint8_t code[CODE];
    for (size_t d = 0; d < CODE; d++) code[d] = old.codes[d / 2][order[i]][d % 2];
    sfnec_tree_put(f, i < POINTS / 2 ? leaf : other, code, old.slots[order[i]], old.scores[order[i]]);
  }
  return other;
}

// moves half of a full node to a new one
static uint32_t split_node(sfnec_forest *f, uint32_t node) {
  const uint32_t other = sfnec_tree_new_node(f, f->nodes[node].level),
                 copy = sfnec_tree_new_node(f, f->nodes[node].level);
  memcpy(&f->nodes[copy], &f->nodes[node], sizeof f->nodes[copy]);
  uint32_t order[BOXES] = {0};
  order_along_widest(&f->nodes[copy].lows[0][0][0], &f->nodes[copy].highs[0][0][0], BOXES, order);
  for (uint32_t i = 0; i < BOXES; i++) copy_child(f, i < BOXES / 2 ? node : other, i % (BOXES / 2), copy, order[i]);
  f->nodes[node].count = f->nodes[other].count = BOXES / 2;
  free_node(f, copy);
  return other;
}

static void split(sfnec_forest *f, sfnec_tree *tree, uint32_t level, uint32_t id);

// the parent of a leaf or node (level, id), with room for one more child
static uint32_t roomy_parent(sfnec_forest *f, sfnec_tree *tree, uint32_t level, uint32_t id) {
  if (level == tree->levels) {
    // the root gets a parent
    tree->root = sfnec_tree_new_node(f, level + 1);
    tree->levels = level + 1;
    sfnec_tree_add_child(f, tree->root, id);
  }
  const uint32_t parent = *parent_of(f, level, id);
  if (f->nodes[parent].count == BOXES) split(f, tree, level + 1, parent);
  return *parent_of(f, level, id);
}

// splits a full leaf or node (level, id), and what is above it where that is full too
static void split(sfnec_forest *f, sfnec_tree *tree, uint32_t level, uint32_t id) {
  const uint32_t parent = roomy_parent(f, tree, level, id);
  const uint32_t other = level == 0 ? split_leaf(f, id) : level == 1 ? sfnec_tree_repack(f, id) : split_node(f, id);
  fit_box(f, parent, place_of(&f->nodes[parent], id));
  sfnec_tree_add_child(f, parent, other);
}

// Makes room in the neighbourhood of a full leaf. If its node is full too, all of the node's leaves are made anew: that
// costs little, as it is rare, and makes the boxes of a growing tree nearly as tight as those of a packed one.
static void make_room(sfnec_forest *f, sfnec_tree *tree, uint32_t leaf) {
  const uint32_t node = f->leaves[leaf].parent;
  if (node != SFNEC_NOWHERE && f->nodes[node].count == BOXES) split(f, tree, 1, node);
  else split(f, tree, 0, leaf);
}

// ---- in and out ----

// how far a code is from the middle of a box
static uint32_t off_centre(const sfnec_tree_node *n, uint32_t place, const uint8_t *code) {
  uint32_t sum = 0;
  for (size_t d = 0; d < CODE; d++) {
    const int off = n->lows[d / 2][place][d % 2] + n->highs[d / 2][place][d % 2] - 2 * code[d];
    sum += (uint32_t)(off * off);
  }
  return sum;
}

// the place of the child with the box nearest to a code; among boxes that hold it, the one around it
static uint32_t nearest_child(const sfnec_forest *f, const sfnec_tree_node *n, const uint8_t *code) {
  uint32_t bounds[BOXES], best = 0, off = UINT32_MAX;
  f->kernel->box_distances(code, code, &n->lows[0][0][0], &n->highs[0][0][0], SFNEC_FARTHEST, bounds);
  for (uint32_t i = 1; i < n->count; i++) best = bounds[i] < bounds[best] ? i : best;
  const uint32_t least = bounds[best];
  for (uint32_t i = best; least == 0 && i < n->count; i++) {
    if (bounds[i] > least) continue;
    const uint32_t here = off_centre(n, i, code);
    if (here >= off) continue;
    off = here;
    best = i;
  }
  return best;
}

// from the root to the leaf with the nearest box
static uint32_t nearest_leaf(const sfnec_forest *f, const sfnec_tree *tree, const uint8_t *code) {
  uint32_t id = tree->root;
  for (uint32_t level = tree->levels; level > 0; level--)
    id = f->nodes[id].children[nearest_child(f, &f->nodes[id], code)];
  return id;
}

static void grow_box(sfnec_tree_node *n, uint32_t place, const uint8_t *code) {
  for (size_t d = 0; d < CODE; d++) {
    uint8_t *low = &n->lows[d / 2][place][d % 2], *high = &n->highs[d / 2][place][d % 2];
    *low = code[d] < *low ? code[d] : *low;
    *high = code[d] > *high ? code[d] : *high;
  }
}

void sfnec_forest_insert(sfnec_forest *f, uint32_t tree_id, const uint8_t code[SFNEC_CODE_SIZE], uint32_t slot,
                         float score) {
  sfnec_tree *tree = &f->trees[tree_id];
  if (tree->count++ == 0) *tree = (sfnec_tree){.root = sfnec_tree_new_leaf(f, tree_id), .levels = 0, .count = 1};
  uint32_t leaf = nearest_leaf(f, tree, code);
  while (f->leaves[leaf].count == POINTS) {
    make_room(f, tree, leaf);
    leaf = nearest_leaf(f, tree, code);
  }
  sfnec_tree_put(f, leaf, code, slot, score);
  uint32_t child = leaf;
  for (uint32_t id = f->leaves[leaf].parent; id != SFNEC_NOWHERE; child = id, id = f->nodes[id].parent)
    grow_box(&f->nodes[id], place_of(&f->nodes[id], child), code);
}

void sfnec_forest_set_score(sfnec_forest *f, uint32_t slot, float score) {
  f->leaves[f->where[slot] / POINTS].scores[f->where[slot] % POINTS] = score;
}

float sfnec_forest_score(const sfnec_forest *f, uint32_t slot) {
  return f->leaves[f->where[slot] / POINTS].scores[f->where[slot] % POINTS];
}

// takes an empty leaf or node (level, id) away, and what is above it where that runs empty too
static void drop(sfnec_forest *f, uint32_t level, uint32_t id) {
  const uint32_t parent = *parent_of(f, level, id);
  if (level == 0) sfnec_tree_free_leaf(f, id);
  else free_node(f, id);
  if (parent == SFNEC_NOWHERE) return;
  sfnec_tree_node *n = &f->nodes[parent];
  const uint32_t place = place_of(n, id);
  if (--n->count == 0) drop(f, level + 1, parent);
  else if (place != n->count) copy_child(f, parent, place, parent, n->count);
}

float sfnec_forest_remove(sfnec_forest *f, uint32_t slot) {
  const uint32_t leaf = f->where[slot] / POINTS, place = f->where[slot] % POINTS;
  sfnec_tree_leaf *l = &f->leaves[leaf];
  const float score = l->scores[place];
  const uint32_t last = --l->count;
  f->where[slot] = SFNEC_NOWHERE;
  f->trees[l->tree].count--;
  if (last == 0) {
    drop(f, 0, leaf);
  } else if (place != last) {
    for (size_t p = 0; p < PAIRS; p++) memcpy(l->codes[p][place], l->codes[p][last], 2);
    l->slots[place] = l->slots[last];
    l->scores[place] = l->scores[last];
    f->where[l->slots[place]] = leaf * POINTS + place;
  }
  return score;
}

uint32_t sfnec_forest_tree_of(const sfnec_forest *f, uint32_t slot) {
  if (slot >= f->slots || f->where[slot] == SFNEC_NOWHERE) return SFNEC_NOWHERE;
  return f->leaves[f->where[slot] / POINTS].tree;
}
