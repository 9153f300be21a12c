// fast_tree.c: trees of boxes over codes: insertion, splitting, removal, and the walk from near to far.
#include "index/fast_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  CODE = SFNEC_CODE_SIZE,
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
  return forest->leaf_capacity * (sizeof *forest->leaves + sizeof *forest->queue) +
         forest->node_capacity * (sizeof *forest->nodes + sizeof *forest->queue) +
         forest->slots * sizeof *forest->where;
}

static void *grown(const void *old, size_t used, size_t wanted, size_t each) {
  if (wanted > SIZE_MAX / each) return NULL;
  void *grown = aligned_alloc(ALIGNMENT, wanted * each); // each is a multiple of the alignment
  if (grown && used > 0) memcpy(grown, old, used * each);
  return grown;
}

static bool reserve_pools(sfnec_forest *f, uint32_t leaves, uint32_t nodes) {
  sfnec_tree_visit *queue = realloc(f->queue, ((size_t)leaves + nodes) * sizeof *queue);
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
  // whole blocks are compared, so the places that are not taken must hold numbers
  memset(f->leaves[id].codes, 0, sizeof f->leaves[id].codes);
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
  memset(f->nodes[id].lows, 0, sizeof f->nodes[id].lows);
  memset(f->nodes[id].highs, 0, sizeof f->nodes[id].highs);
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

static void put_code(sfnec_forest *f, uint32_t leaf, const float *code, size_t stride, uint32_t slot) {
  sfnec_tree_leaf *l = &f->leaves[leaf];
  const uint32_t place = l->count++;
  for (size_t d = 0; d < CODE; d++) l->codes[d][place] = code[d * stride];
  l->slots[place] = slot;
  f->where[slot] = leaf * POINTS + place;
}

static uint32_t *parent_of(sfnec_forest *f, uint32_t level, uint32_t id) {
  return level == 0 ? &f->leaves[id].parent : &f->nodes[id].parent;
}

// moves the box and the child at one place of a node to a place of another
static void copy_child(sfnec_forest *f, uint32_t to, uint32_t to_place, uint32_t from, uint32_t from_place) {
  sfnec_tree_node *a = &f->nodes[to], *b = &f->nodes[from];
  for (size_t d = 0; d < CODE; d++) {
    a->lows[d][to_place] = b->lows[d][from_place];
    a->highs[d][to_place] = b->highs[d][from_place];
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
  const uint32_t child = n->children[place];
  for (size_t d = 0; d < CODE; d++) {
    const float *lows = n->level == 1 ? f->leaves[child].codes[d] : f->nodes[child].lows[d];
    const float *highs = n->level == 1 ? f->leaves[child].codes[d] : f->nodes[child].highs[d];
    const uint32_t count = n->level == 1 ? f->leaves[child].count : f->nodes[child].count;
    float low = lows[0], high = highs[0];
    for (uint32_t i = 1; i < count; i++) {
      low = lows[i] < low ? lows[i] : low;
      high = highs[i] > high ? highs[i] : high;
    }
    n->lows[d][place] = low;
    n->highs[d][place] = high;
  }
}

static void add_child(sfnec_forest *f, uint32_t node, uint32_t child) {
  sfnec_tree_node *n = &f->nodes[node];
  const uint32_t place = n->count++;
  n->children[place] = child;
  *parent_of(f, n->level - 1, child) = node;
  fit_box(f, node, place);
}

// ---- splitting ----

// the members' order along the dimension in which they lie farthest apart
static void order_along_widest(const float *lows, const float *highs, uint32_t width, uint32_t *order) {
  float widest = -1.0f;
  size_t along = 0;
  for (size_t d = 0; d < CODE; d++) {
    float least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < width; i++) {
      const float middle = lows[d * width + i] + highs[d * width + i];
      least = middle < least ? middle : least;
      most = middle > most ? middle : most;
    }
    if (most - least > widest) {
      widest = most - least;
      along = d;
    }
  }
  const float *low = lows + along * width, *high = highs + along * width;
  for (uint32_t i = 0; i < width; i++) {
    uint32_t j = i;
    for (; j > 0 && low[order[j - 1]] + high[order[j - 1]] > low[i] + high[i]; j--) order[j] = order[j - 1];
    order[j] = i;
  }
}

// moves half of a full leaf to a new one
static uint32_t split_leaf(sfnec_forest *f, uint32_t leaf) {
  const uint32_t other = new_leaf(f, f->leaves[leaf].tree);
  const sfnec_tree_leaf old = f->leaves[leaf];
  uint32_t order[POINTS];
  order_along_widest(&old.codes[0][0], &old.codes[0][0], POINTS, order);
  f->leaves[leaf].count = 0;
  for (uint32_t i = 0; i < POINTS; i++)
    put_code(f, i < POINTS / 2 ? leaf : other, &old.codes[0][order[i]], POINTS, old.slots[order[i]]);
  return other;
}

// moves half of a full node to a new one
static uint32_t split_node(sfnec_forest *f, uint32_t node) {
  const uint32_t other = new_node(f, f->nodes[node].level), copy = new_node(f, f->nodes[node].level);
  memcpy(&f->nodes[copy], &f->nodes[node], sizeof f->nodes[copy]);
  uint32_t order[BOXES];
  order_along_widest(&f->nodes[copy].lows[0][0], &f->nodes[copy].highs[0][0], BOXES, order);
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
  fit_box(f, parent, place_of(&f->nodes[parent], id));
  add_child(f, parent, other);
  return other;
}

// ---- in and out ----

// from the root to the leaf with the nearest box
static uint32_t nearest_leaf(const sfnec_forest *f, const sfnec_tree *tree, const float *code) {
  uint32_t id = tree->root;
  for (uint32_t level = tree->levels; level > 0; level--) {
    const sfnec_tree_node *n = &f->nodes[id];
    float bounds[BOXES];
    f->kernel->box_distances(code, &n->lows[0][0], &n->highs[0][0], CODE, bounds);
    uint32_t best = 0;
    for (uint32_t i = 1; i < n->count; i++) best = bounds[i] < bounds[best] ? i : best;
    id = n->children[best];
  }
  return id;
}

// which of two children of a node has the nearer box
static uint32_t nearer_child(const sfnec_forest *f, uint32_t node, const float *code, uint32_t a, uint32_t b) {
  const sfnec_tree_node *n = &f->nodes[node];
  float bounds[BOXES];
  f->kernel->box_distances(code, &n->lows[0][0], &n->highs[0][0], CODE, bounds);
  return bounds[place_of(n, b)] < bounds[place_of(n, a)] ? b : a;
}

void sfnec_forest_insert(sfnec_forest *f, uint32_t tree_id, const float code[SFNEC_CODE_SIZE], uint32_t slot) {
  sfnec_tree *tree = &f->trees[tree_id];
  if (tree->count++ == 0) *tree = (sfnec_tree){.root = new_leaf(f, tree_id), .levels = 0, .count = 1};
  uint32_t leaf = nearest_leaf(f, tree, code);
  if (f->leaves[leaf].count == POINTS) {
    const uint32_t other = split(f, tree, 0, leaf);
    leaf = nearer_child(f, f->leaves[leaf].parent, code, leaf, other);
  }
  put_code(f, leaf, code, 1, slot);

  // the boxes on the way up grow
  uint32_t child = leaf;
  for (uint32_t id = f->leaves[leaf].parent; id != SFNEC_NOWHERE; child = id, id = f->nodes[id].parent) {
    sfnec_tree_node *n = &f->nodes[id];
    const uint32_t place = place_of(n, child);
    for (size_t d = 0; d < CODE; d++) {
      n->lows[d][place] = code[d] < n->lows[d][place] ? code[d] : n->lows[d][place];
      n->highs[d][place] = code[d] > n->highs[d][place] ? code[d] : n->highs[d][place];
    }
  }
}

// takes an empty leaf or node (level, id) away, and what is above it where that runs empty too
static void drop(sfnec_forest *f, uint32_t level, uint32_t id) {
  const uint32_t parent = *parent_of(f, level, id);
  if (level == 0) free_leaf(f, id);
  else free_node(f, id);
  if (parent == SFNEC_NOWHERE) return;
  sfnec_tree_node *n = &f->nodes[parent];
  const uint32_t place = place_of(n, id);
  if (--n->count == 0) drop(f, level + 1, parent);
  else if (place != n->count) copy_child(f, parent, place, parent, n->count);
}

void sfnec_forest_remove(sfnec_forest *f, uint32_t slot) {
  const uint32_t leaf = f->where[slot] / POINTS, place = f->where[slot] % POINTS;
  sfnec_tree_leaf *l = &f->leaves[leaf];
  const uint32_t last = --l->count;
  f->where[slot] = SFNEC_NOWHERE;
  f->trees[l->tree].count--;
  if (last == 0) {
    drop(f, 0, leaf);
  } else if (place != last) {
    for (size_t d = 0; d < CODE; d++) l->codes[d][place] = l->codes[d][last];
    l->slots[place] = l->slots[last];
    f->where[l->slots[place]] = leaf * POINTS + place;
  }
}

uint32_t sfnec_forest_tree_of(const sfnec_forest *f, uint32_t slot) {
  if (slot >= f->slots || f->where[slot] == SFNEC_NOWHERE) return SFNEC_NOWHERE;
  return f->leaves[f->where[slot] / POINTS].tree;
}

// ---- the walk ----

static void queue_push(sfnec_tree_visit *queue, uint32_t *count, sfnec_tree_visit visit) {
  uint32_t i = (*count)++;
  for (; i > 0 && queue[(i - 1) / 2].bound > visit.bound; i = (i - 1) / 2) queue[i] = queue[(i - 1) / 2];
  queue[i] = visit;
}

static sfnec_tree_visit queue_pop(sfnec_tree_visit *queue, uint32_t *count) {
  const sfnec_tree_visit least = queue[0], last = queue[--*count];
  uint32_t i = 0;
  for (uint32_t child = 1; child < *count; child = 2 * i + 1) {
    if (child + 1 < *count && queue[child + 1].bound < queue[child].bound) child++;
    if (queue[child].bound >= last.bound) break;
    queue[i] = queue[child];
    i = child;
  }
  queue[i] = last;
  return least;
}

// starts to fetch what is probably next, while the caller works on what is now
static void prefetch(const sfnec_forest *f, sfnec_tree_visit visit) {
  const char *from = visit.level == 0 ? (const char *)&f->leaves[visit.id] : (const char *)&f->nodes[visit.id];
  const size_t size = visit.level == 0 ? sizeof *f->leaves : sizeof *f->nodes;
  for (size_t i = 0; i < size; i += ALIGNMENT) __builtin_prefetch(from + i);
}

uint32_t sfnec_forest_start(const sfnec_forest *f, uint32_t tree) {
  if (f->trees[tree].count == 0) return 0;
  f->queue[0] = (sfnec_tree_visit){0.0f, f->trees[tree].levels, f->trees[tree].root};
  return 1;
}

const sfnec_tree_leaf *sfnec_forest_next(const sfnec_forest *f, const float code[SFNEC_CODE_SIZE], float limit,
                                         uint32_t *waiting) {
  while (*waiting > 0) {
    const sfnec_tree_visit visit = queue_pop(f->queue, waiting);
    if (visit.bound > limit) return NULL;
    if (visit.level == 0) {
      if (*waiting > 0) prefetch(f, f->queue[0]);
      return &f->leaves[visit.id];
    }
    const sfnec_tree_node *n = &f->nodes[visit.id];
    float bounds[BOXES];
    f->kernel->box_distances(code, &n->lows[0][0], &n->highs[0][0], CODE, bounds);
    for (uint32_t i = 0; i < n->count; i++)
      if (bounds[i] <= limit)
        queue_push(f->queue, waiting, (sfnec_tree_visit){bounds[i], n->level - 1, n->children[i]});
  }
  return NULL;
}
