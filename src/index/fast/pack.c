// pack.c: many codes at once: leaves that are boxes of a k-d tree, split in the middle across the dimension in
// which the codes vary most.
#include <stdlib.h>

#include "index/array.h"
#include "index/fast/tree.h"

enum {
  CODE = SFNEC_CODE_SIZE,
  POINTS = SFNEC_SIMD_POINTS,
  BOXES = SFNEC_SIMD_BOXES,
};

// Codes, and the leaves that they go to.
typedef struct packing {
  sfnec_forest *forest;
  uint32_t tree, fill;   // the most that goes to a leaf
  const int16_t *codes;  // (items, code)
  const uint32_t *slots; // (items), or NULL if an item is a slot
  uint32_t *leaves;      // (count / fill + 1): made so far
  uint32_t made;
} packing;

static int16_t number_of(const packing *p, uint32_t item, size_t d) {
  return p->codes[(size_t)item * CODE + d];
}

// puts the items with the least numbers d of their codes first, `left` of them
static void part_along(const packing *p, uint32_t *items, uint32_t count, uint32_t left, size_t d) {
  int64_t from = 0, to = (int64_t)count - 1;
  while (from < to) {
    const int16_t pivot = number_of(p, items[from + (to - from) / 2], d);
    int64_t i = from, j = to;
    while (i <= j) {
      while (number_of(p, items[i], d) < pivot) i++;
      while (number_of(p, items[j], d) > pivot) j--;
      if (i > j) break;
      const uint32_t item = items[i];
      items[i++] = items[j];
      items[j--] = item;
    }
    // what lies between j and i is the pivot's equal, and in its place
    if ((int64_t)left <= j) to = j;
    else if ((int64_t)left >= i) from = i;
    else return;
  }
}

static size_t most_varied(const packing *p, const uint32_t *items, uint32_t count) {
  uint64_t sums[CODE] = {0}, squares[CODE] = {0};
  for (uint32_t i = 0; i < count; i++) {
    const int16_t *code = p->codes + (size_t)items[i] * CODE;
    for (size_t d = 0; d < CODE; d++) {
      sums[d] += (uint32_t)code[d];
      squares[d] += (uint32_t)(code[d] * code[d]);
    }
  }
  size_t best = 0;
  double most = -1.0;
  for (size_t d = 0; d < CODE; d++) {
    const double mean = (double)sums[d] / count, variance = (double)squares[d] / count - mean * mean;
    if (variance > most) {
      most = variance;
      best = d;
    }
  }
  return best;
}

static void pack_leaf(packing *p, const uint32_t *items, uint32_t count) {
  const uint32_t leaf = sfnec_tree_new_leaf(p->forest, p->tree);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t item = items[i];
    sfnec_tree_put(p->forest, leaf, p->codes + (size_t)item * CODE, p->slots ? p->slots[item] : item);
  }
  p->leaves[p->made++] = leaf;
}

// fills leaves with items, from left to right, all alike but the last one; halves hold whole nodes' worth of leaves, so
// that a node's children lie together
static void pack_leaves(packing *p, uint32_t *items, uint32_t count) {
  if (count <= p->fill) {
    pack_leaf(p, items, count);
    return;
  }
  const uint32_t leaves = (count + p->fill - 1) / p->fill;
  uint32_t unit = 1;
  while (unit < leaves / BOXES + (leaves % BOXES != 0)) unit *= BOXES;
  const uint32_t left = (leaves / unit + 1) / 2 * unit * p->fill;
  part_along(p, items, count, left, most_varied(p, items, count));
  pack_leaves(p, items, left);
  pack_leaves(p, items + left, count - left);
}

// ---- a whole tree ----

// puts nodes over what one level holds, 16 each; their numbers take the place of those below; returns how many
static uint32_t pack_nodes(sfnec_forest *f, uint32_t level, uint32_t *below, uint32_t count) {
  uint32_t nodes = 0;
  for (uint32_t i = 0; i < count; i += BOXES) {
    const uint32_t node = sfnec_tree_new_node(f, level);
    for (uint32_t j = i; j < count && j < i + BOXES; j++) sfnec_tree_add_child(f, node, below[j]);
    below[nodes++] = node;
  }
  return nodes;
}

// puts everything into the empty tree 0 of a forest that is just large enough
static void pack_tree(packing *p, uint32_t *items, uint32_t count) {
  sfnec_forest *f = p->forest;
  for (uint32_t slot = 0; slot < f->slots; slot++) f->positions[slot] = SFNEC_NOWHERE;
  if (count == 0) return;
  pack_leaves(p, items, count);
  uint32_t levels = 0;
  for (uint32_t width = p->made; width > 1;) width = pack_nodes(f, ++levels, p->leaves, width);
  f->trees[0] = (sfnec_tree){.root = p->leaves[0], .levels = levels, .count = count};
}

bool sfnec_forest_pack(sfnec_forest *forest, uint32_t *slots, uint32_t count, const int16_t *codes) {
  sfnec_forest packed;
  sfnec_forest_init(&packed, forest->simd);
  const uint32_t leaves = (count + POINTS - 1) / POINTS;
  uint32_t nodes = 0;
  for (uint32_t width = leaves; width > 1; nodes += width) width = (width + BOXES - 1) / BOXES;
  packing p = {.forest = &packed, .fill = POINTS, .codes = codes};
  p.leaves = malloc((leaves + 1) * sizeof *p.leaves);
  packed.slots = forest->slots;
  packed.positions = sfnec_array_resize(NULL, 0, packed.slots * sizeof *packed.positions);
  const bool done = p.leaves && packed.positions && sfnec_tree_reserve(&packed, leaves, nodes);
  if (done) {
    pack_tree(&p, slots, count);
    sfnec_forest_free(forest);
    *forest = packed;
  } else {
    sfnec_forest_free(&packed);
  }
  free(p.leaves);
  return done;
}

// ---- a part of a tree ----

uint32_t sfnec_tree_repack(sfnec_forest *f, uint32_t node) {
  enum { MOST = BOXES * POINTS };
  int16_t codes[MOST][CODE];
  uint32_t slots[MOST], items[MOST], leaves[MOST / SFNEC_TREE_FILL + 2], count = 0;
  sfnec_tree_node *n = &f->nodes[node];
  const uint32_t tree = f->leaves[n->children[0]].tree;
  for (uint32_t c = 0; c < n->count; c++) {
    const sfnec_tree_leaf *leaf = &f->leaves[n->children[c]];
    for (uint32_t i = 0; i < leaf->count; i++, count++) {
      for (size_t d = 0; d < CODE; d++) codes[count][d] = leaf->codes[d / 2][i][d % 2];
      slots[count] = leaf->slots[i];
      items[count] = count;
    }
    sfnec_tree_free_leaf(f, n->children[c]);
  }
  n->count = 0;

  const uint32_t other = sfnec_tree_new_node(f, 1);
  packing p = {f, tree, SFNEC_TREE_FILL, &codes[0][0], slots, leaves, 0};
  // both halves at least one leaf
  const uint32_t half = (count / SFNEC_TREE_FILL + 1) / 2 * SFNEC_TREE_FILL;
  part_along(&p, items, count, half, most_varied(&p, items, count));
  pack_leaves(&p, items, half);
  const uint32_t first = p.made;
  pack_leaves(&p, items + half, count - half);
  for (uint32_t i = 0; i < p.made; i++) sfnec_tree_add_child(f, i < first ? node : other, leaves[i]);
  return other;
}

uint32_t sfnec_tree_halve(sfnec_forest *f, uint32_t node) {
  int16_t middles[BOXES][CODE];
  uint32_t ids[BOXES], items[BOXES];
  sfnec_tree_node *n = &f->nodes[node];
  for (uint32_t i = 0; i < BOXES; i++) {
    for (size_t d = 0; d < CODE; d++) middles[i][d] = (int16_t)(n->lows[d / 2][i][d % 2] + n->highs[d / 2][i][d % 2]);
    ids[i] = n->children[i];
    items[i] = i;
  }
  n->count = 0;
  const uint32_t other = sfnec_tree_new_node(f, n->level);
  const packing p = {.forest = f, .codes = &middles[0][0]};
  part_along(&p, items, BOXES, BOXES / 2, most_varied(&p, items, BOXES));
  for (uint32_t i = 0; i < BOXES; i++) sfnec_tree_add_child(f, i < BOXES / 2 ? node : other, ids[items[i]]);
  return other;
}
