// fast_tree.c: trees of boxes over codes: insertion, splitting, removal, and the walk from near to far.
#include "index/fast_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  CODE = SFNEC_CODE_SIZE,
  PAIRS = SFNEC_CODE_SIZE / 2,
  POINTS = SFNEC_KERNEL_POINTS,
  BOXES = SFNEC_KERNEL_BOXES,
  ALIGNMENT = 64,
  SPARE = 16, // nodes that one insertion may need: more than any tree has levels
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

static bool reserve_pools(sfnec_forest *f, uint32_t leaves, uint32_t nodes) {
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
  const bool few_leaves = f->leaf_capacity - f->leaf_used + f->leaf_free_count < 2;
  const bool few_nodes = f->node_capacity - f->node_used + f->node_free_count < SPARE;
  if (!few_leaves && !few_nodes) return true;
  return reserve_pools(f, f->leaf_capacity + (few_leaves ? f->leaf_capacity / 2 + 2 : 0),
                       f->node_capacity + (few_nodes ? f->node_capacity / 2 + SPARE : 0));
}

static uint32_t new_leaf(sfnec_forest *f, uint32_t tree) {
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

static uint32_t new_node(sfnec_forest *f, uint32_t level) {
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

static void free_leaf(sfnec_forest *f, uint32_t id) {
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

static void put_code(sfnec_forest *f, uint32_t leaf, const uint8_t *code, uint32_t slot, float score) {
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
  a->scores[to_place] = b->scores[from_place];
  *parent_of(f, a->level - 1, a->children[to_place]) = to;
}

static uint32_t place_of(const sfnec_tree_node *node, uint32_t child) {
  uint32_t place = 0;
  while (node->children[place] != child) place++;
  return place;
}

static float greatest(const float *scores, uint32_t count) {
  float most = -INFINITY;
  for (uint32_t i = 0; i < count; i++) most = scores[i] > most ? scores[i] : most;
  return most;
}

static float greatest_below(const sfnec_forest *f, uint32_t level, uint32_t id) {
  if (level == 0) return greatest(f->leaves[id].scores, f->leaves[id].count);
  return greatest(f->nodes[id].scores, f->nodes[id].count);
}

// sets the box and the score at one place of a node to what its child holds
static void fit_child(sfnec_forest *f, uint32_t node, uint32_t place) {
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
  n->scores[place] = greatest_below(f, below, child);
}

static void add_child(sfnec_forest *f, uint32_t node, uint32_t child) {
  sfnec_tree_node *n = &f->nodes[node];
  const uint32_t place = n->count++;
  n->children[place] = child;
  *parent_of(f, n->level - 1, child) = node;
  fit_child(f, node, place);
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
  const uint32_t other = new_leaf(f, f->leaves[leaf].tree);
  const sfnec_tree_leaf old = f->leaves[leaf];
  uint32_t order[POINTS] = {0};
  order_along_widest(&old.codes[0][0][0], &old.codes[0][0][0], POINTS, order);
  f->leaves[leaf].count = 0;
  for (uint32_t i = 0; i < POINTS; i++) {
    uint8_t code[CODE];
    for (size_t d = 0; d < CODE; d++) code[d] = old.codes[d / 2][order[i]][d % 2];
    put_code(f, i < POINTS / 2 ? leaf : other, code, old.slots[order[i]], old.scores[order[i]]);
  }
  return other;
}

// moves half of a full node to a new one
static uint32_t split_node(sfnec_forest *f, uint32_t node) {
  const uint32_t other = new_node(f, f->nodes[node].level), copy = new_node(f, f->nodes[node].level);
  memcpy(&f->nodes[copy], &f->nodes[node], sizeof f->nodes[copy]);
  uint32_t order[BOXES] = {0};
  order_along_widest(&f->nodes[copy].lows[0][0][0], &f->nodes[copy].highs[0][0][0], BOXES, order);
  for (uint32_t i = 0; i < BOXES; i++) copy_child(f, i < BOXES / 2 ? node : other, i % (BOXES / 2), copy, order[i]);
  f->nodes[node].count = f->nodes[other].count = BOXES / 2;
  free_node(f, copy);
  return other;
}

// splits a full leaf or node (level, id), and what is above it where that is full too; returns the other half
static uint32_t split(sfnec_forest *f, sfnec_tree *tree, uint32_t level, uint32_t id) {
  if (level == tree->levels) {
    // the root gets a parent
    tree->root = new_node(f, level + 1);
    tree->levels = level + 1;
    add_child(f, tree->root, id);
  }
  uint32_t parent = *parent_of(f, level, id);
  if (f->nodes[parent].count == BOXES) {
    split(f, tree, level + 1, parent);
    parent = *parent_of(f, level, id);
  }
  const uint32_t other = level == 0 ? split_leaf(f, id) : split_node(f, id);
  fit_child(f, parent, place_of(&f->nodes[parent], id));
  add_child(f, parent, other);
  return other;
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

// grows the box and the score of a child
static void grow_child(sfnec_tree_node *n, uint32_t place, const uint8_t *code, float score) {
  for (size_t d = 0; d < CODE; d++) {
    uint8_t *low = &n->lows[d / 2][place][d % 2], *high = &n->highs[d / 2][place][d % 2];
    *low = code[d] < *low ? code[d] : *low;
    *high = code[d] > *high ? code[d] : *high;
  }
  n->scores[place] = score > n->scores[place] ? score : n->scores[place];
}

void sfnec_forest_insert(sfnec_forest *f, uint32_t tree_id, const uint8_t code[SFNEC_CODE_SIZE], uint32_t slot,
                         float score) {
  sfnec_tree *tree = &f->trees[tree_id];
  if (tree->count++ == 0) *tree = (sfnec_tree){.root = new_leaf(f, tree_id), .levels = 0, .count = 1};

  // down to the leaf with the nearest box; the boxes on the way grow
  uint32_t id = tree->root;
  for (uint32_t level = tree->levels; level > 0; level--) {
    sfnec_tree_node *n = &f->nodes[id];
    const uint32_t place = nearest_child(f, n, code);
    grow_child(n, place, code, score);
    id = n->children[place];
  }
  if (f->leaves[id].count == POINTS) {
    const uint32_t other = split(f, tree, 0, id);
    sfnec_tree_node *n = &f->nodes[f->leaves[other].parent];
    const uint32_t a = place_of(n, id), b = place_of(n, other);
    uint32_t bounds[BOXES];
    f->kernel->box_distances(code, code, &n->lows[0][0][0], &n->highs[0][0][0], SFNEC_FARTHEST, bounds);
    const uint32_t place = bounds[b] < bounds[a] ? b : a;
    grow_child(n, place, code, score);
    id = n->children[place];
  }
  put_code(f, id, code, slot, score);
}

// after a score of a leaf or node (level, id) has changed: up the tree, as far as the greatest changes
static void update_scores(sfnec_forest *f, uint32_t level, uint32_t id) {
  for (uint32_t parent; (parent = *parent_of(f, level, id)) != SFNEC_NOWHERE; id = parent) {
    float *score = &f->nodes[parent].scores[place_of(&f->nodes[parent], id)];
    const float most = greatest_below(f, level++, id);
    if (*score == most) return;
    *score = most;
  }
}

void sfnec_forest_set_score(sfnec_forest *f, uint32_t slot, float score) {
  const uint32_t leaf = f->where[slot] / POINTS, place = f->where[slot] % POINTS;
  f->leaves[leaf].scores[place] = score;
  update_scores(f, 0, leaf);
}

float sfnec_forest_score(const sfnec_forest *f, uint32_t slot) {
  return f->leaves[f->where[slot] / POINTS].scores[f->where[slot] % POINTS];
}

float sfnec_forest_greatest(const sfnec_forest *f, uint32_t tree) {
  if (f->trees[tree].count == 0) return -INFINITY;
  return greatest_below(f, f->trees[tree].levels, f->trees[tree].root);
}

// takes an empty leaf or node (level, id) away, and what is above it where that runs empty too
static void drop(sfnec_forest *f, uint32_t level, uint32_t id) {
  const uint32_t parent = *parent_of(f, level, id);
  if (level == 0) free_leaf(f, id);
  else free_node(f, id);
  if (parent == SFNEC_NOWHERE) return;
  sfnec_tree_node *n = &f->nodes[parent];
  const uint32_t place = place_of(n, id);
  if (--n->count == 0) {
    drop(f, level + 1, parent);
    return;
  }
  if (place != n->count) copy_child(f, parent, place, parent, n->count);
  update_scores(f, level + 1, parent);
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
    return score;
  }
  if (place != last) {
    for (size_t p = 0; p < PAIRS; p++) memcpy(l->codes[p][place], l->codes[p][last], 2);
    l->slots[place] = l->slots[last];
    l->scores[place] = l->scores[last];
    f->where[l->slots[place]] = leaf * POINTS + place;
  }
  update_scores(f, 0, leaf);
  return score;
}

uint32_t sfnec_forest_tree_of(const sfnec_forest *f, uint32_t slot) {
  if (slot >= f->slots || f->where[slot] == SFNEC_NOWHERE) return SFNEC_NOWHERE;
  return f->leaves[f->where[slot] / POINTS].tree;
}

// ---- packing ----

typedef struct packing {
  sfnec_forest *forest;
  const uint8_t *codes; // (slots, code)
  const float *scores;  // (slots)
  uint32_t *spare;      // (count)
} packing;

// sorts slots by one number of their codes
static void sort_along(const packing *p, uint32_t *slots, uint32_t count, size_t d) {
  uint32_t starts[UINT8_MAX + 2] = {0};
  for (uint32_t i = 0; i < count; i++) starts[p->codes[(size_t)slots[i] * CODE + d] + 1]++;
  for (size_t v = 1; v <= UINT8_MAX; v++) starts[v] += starts[v - 1];
  memcpy(p->spare, slots, count * sizeof *slots);
  for (uint32_t i = 0; i < count; i++) slots[starts[p->codes[(size_t)p->spare[i] * CODE + d]]++] = p->spare[i];
}

static size_t most_varied(const packing *p, const uint32_t *slots, uint32_t count) {
  uint64_t sums[CODE] = {0}, squares[CODE] = {0};
  for (uint32_t i = 0; i < count; i++) {
    const uint8_t *code = p->codes + (size_t)slots[i] * CODE;
    for (size_t d = 0; d < CODE; d++) {
      sums[d] += code[d];
      squares[d] += (uint32_t)code[d] * code[d];
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

// fills leaves with slots, from left to right, all full but the last one of all; halves hold whole nodes' worth of
// leaves, so that a node's children lie together
static void pack_leaves(const packing *p, uint32_t *slots, uint32_t count) {
  if (count <= POINTS) {
    const uint32_t leaf = new_leaf(p->forest, 0);
    for (uint32_t i = 0; i < count; i++)
      put_code(p->forest, leaf, p->codes + (size_t)slots[i] * CODE, slots[i], p->scores[slots[i]]);
    return;
  }
  const uint32_t leaves = (count + POINTS - 1) / POINTS;
  uint32_t unit = 1;
  while (unit < leaves / BOXES + (leaves % BOXES != 0)) unit *= BOXES;
  const uint32_t left = (leaves / unit + 1) / 2 * unit * POINTS;
  sort_along(p, slots, count, most_varied(p, slots, count));
  pack_leaves(p, slots, left);
  pack_leaves(p, slots + left, count - left);
}

// puts nodes over what one level holds, 16 each; returns how many
static uint32_t pack_nodes(sfnec_forest *f, uint32_t level, uint32_t first, uint32_t count) {
  uint32_t nodes = 0;
  for (uint32_t i = 0; i < count; i += BOXES, nodes++) {
    const uint32_t node = new_node(f, level);
    for (uint32_t j = i; j < count && j < i + BOXES; j++) add_child(f, node, first + j);
  }
  return nodes;
}

bool sfnec_forest_pack(sfnec_forest *forest, uint32_t *slots, uint32_t count, const uint8_t *codes,
                       const float *scores) {
  sfnec_forest packed;
  sfnec_forest_init(&packed, forest->kernel);
  const uint32_t leaves = (count + POINTS - 1) / POINTS;
  uint32_t nodes = 0;
  for (uint32_t width = leaves; width > 1; nodes += width) width = (width + BOXES - 1) / BOXES;
  uint32_t *spare = malloc((count + 1) * sizeof *spare);
  packed.where = malloc((forest->slots + 1) * sizeof *packed.where);
  if (!spare || !packed.where || !reserve_pools(&packed, leaves, nodes)) {
    free(spare);
    sfnec_forest_free(&packed);
    return false;
  }
  packed.slots = forest->slots;
  for (uint32_t slot = 0; slot < packed.slots; slot++) packed.where[slot] = SFNEC_NOWHERE;
  if (count > 0) pack_leaves(&(packing){&packed, codes, scores, spare}, slots, count);
  free(spare);

  uint32_t first = 0, width = leaves, levels = 0;
  while (width > 1) {
    const uint32_t next = packed.node_used;
    width = pack_nodes(&packed, ++levels, first, width);
    first = next;
  }
  packed.trees[0] = (sfnec_tree){.root = first, .levels = levels, .count = count};
  sfnec_forest_free(forest);
  *forest = packed;
  return true;
}

// ---- walks ----

#define NODE (UINT32_C(1) << 31) // in the number of a waiting node; not in that of a leaf

static void queue_push(uint64_t *queue, uint32_t *count, uint64_t visit) {
  uint32_t i = (*count)++;
  for (; i > 0 && queue[(i - 1) / 2] > visit; i = (i - 1) / 2) queue[i] = queue[(i - 1) / 2];
  queue[i] = visit;
}

static uint64_t queue_pop(uint64_t *queue, uint32_t *count) {
  const uint64_t least = queue[0], last = queue[--*count];
  uint32_t i = 0;
  for (uint32_t child = 1; child < *count; child = 2 * i + 1) {
    if (child + 1 < *count && queue[child + 1] < queue[child]) child++;
    if (queue[child] >= last) break;
    queue[i] = queue[child];
    i = child;
  }
  queue[i] = last;
  return least;
}

static uint32_t name(uint32_t level, uint32_t id) {
  return level == 0 ? id : id | NODE;
}

// the bounds of a node's boxes, and a bit for each that is within the limit
static uint32_t compare(const sfnec_forest *f, const sfnec_tree_node *n, const sfnec_probe *probe, uint32_t limit,
                        uint32_t bounds[BOXES]) {
  const uint8_t *lows = &n->lows[0][0][0], *highs = &n->highs[0][0][0];
  const uint32_t bits = f->kernel->box_distances(probe->floors, probe->ceils, lows, highs, limit, bounds);
  return bits & ((1u << n->count) - 1);
}

// starts to fetch what is probably next, while the caller works on what is now
static void prefetch(const sfnec_forest *f, uint32_t visit) {
  const char *from = visit & NODE ? (const char *)&f->nodes[visit & ~NODE] : (const char *)&f->leaves[visit];
  const size_t size = visit & NODE ? sizeof *f->nodes : offsetof(sfnec_tree_leaf, scores);
  for (size_t i = 0; i < size; i += ALIGNMENT) __builtin_prefetch(from + i);
}

uint32_t sfnec_forest_start(const sfnec_forest *f, uint32_t tree) {
  if (f->trees[tree].count == 0) return 0;
  f->queue[0] = name(f->trees[tree].levels, f->trees[tree].root);
  return 1;
}

const sfnec_tree_leaf *sfnec_forest_next(const sfnec_forest *f, const sfnec_probe *probe, uint32_t limit,
                                         uint32_t *waiting) {
  while (*waiting > 0) {
    const uint64_t visit = queue_pop(f->queue, waiting);
    if (visit >> 32 > limit) {
      *waiting = 0;
      return NULL;
    }
    if (!(visit & NODE)) {
      if (*waiting > 0) prefetch(f, (uint32_t)f->queue[0]);
      return &f->leaves[(uint32_t)visit];
    }
    const sfnec_tree_node *n = &f->nodes[(uint32_t)visit & ~NODE];
    uint32_t bounds[BOXES];
    for (uint32_t bits = compare(f, n, probe, limit, bounds); bits; bits &= bits - 1) {
      const uint32_t i = (uint32_t)__builtin_ctz(bits);
      queue_push(f->queue, waiting, (uint64_t)bounds[i] << 32 | name(n->level - 1, n->children[i]));
    }
  }
  return NULL;
}
