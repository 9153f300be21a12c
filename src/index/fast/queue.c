// queue.c: the walk through a tree from near to far: a heap of boxes with the least bound on top.
#include "index/fast/tree.h"

enum { BOXES = SFNEC_SIMD_BOXES, LINE = 64 };

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
  const uint32_t bits = f->simd->box_distances(probe->floors, probe->ceils, lows, highs, limit, bounds);
  return bits & ((1u << n->count) - 1);
}

// starts to fetch what is probably next, while the caller works on what is now
static void prefetch(const sfnec_forest *f, uint32_t visit) {
  const char *from = visit & NODE ? (const char *)&f->nodes[visit & ~NODE] : (const char *)&f->leaves[visit];
  const size_t size = visit & NODE ? sizeof *f->nodes : offsetof(sfnec_tree_leaf, scores);
  for (size_t i = 0; i < size; i += LINE) __builtin_prefetch(from + i);
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
