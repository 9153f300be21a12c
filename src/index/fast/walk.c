// walk.c: a walk through one tree of the fast index, from near to far; see fast.h.
#include <math.h>
#include <string.h>

#include "index/fast/fast.h"

enum {
  POINTS = SFNEC_SIMD_POINTS,
  BOXES = SFNEC_SIMD_BOXES,
  LINE = 64,
  MARKS = SFNEC_KTH_MARKS,
  COARSE = 16,                        // marks, below which the scale is too coarse for the bound
  FIRST_PEEK = 8,                     // leaves after which keys are looked at, and again after twice as many
  PEEKED = 64,                        // keys looked at, at most
  RESIDUAL = SFNEC_CODE_SIZE / 2 - 1, // the pair whose second component is the residual
  LEAF_COST = 512,                    // in numbers read: what a leaf costs, and a candidate
  CANDIDATE_COST = 64,
  KEY_COST = 32, // what the flat scan spends on a key besides reading it
};

// ---- the queue of boxes ----

#define NODE (UINT32_C(1) << 31) // in the number of a waiting node; not in that of a leaf

static void push(sfnec_queue *queue, uint64_t visit) {
  uint64_t *items = queue->items;
  uint32_t i = queue->count++;
  for (; i > 0 && items[(i - 1) / 2] > visit; i = (i - 1) / 2) items[i] = items[(i - 1) / 2];
  items[i] = visit;
}

static uint64_t pop(sfnec_queue *queue) {
  uint64_t *items = queue->items;
  const uint32_t count = --queue->count;
  const uint64_t least = items[0], last = items[count];
  uint32_t i = 0;
  for (uint32_t child = 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && items[child + 1] < items[child]) child++;
    if (items[child] >= last) break;
    items[i] = items[child];
    i = child;
  }
  items[i] = last;
  return least;
}

static uint32_t name(uint32_t level, uint32_t id) {
  return level == 0 ? id : id | NODE;
}

// the bounds of a node's boxes, and a bit for each that is within the limit
static uint32_t compare(const sfnec_forest *f, const sfnec_tree_node *n, const sfnec_coded_query *coded, uint32_t limit,
                        uint32_t bounds[BOXES]) {
  const uint8_t *lows = &n->lows[0][0][0], *highs = &n->highs[0][0][0];
  const uint32_t bits = f->simd->box_distances(coded->floors, coded->ceils, lows, highs, limit, bounds);
  return bits & ((1u << n->count) - 1);
}

// starts to fetch what is probably next, while the caller works on what is now
static void prefetch(const sfnec_forest *f, uint32_t visit) {
  const char *from = visit & NODE ? (const char *)&f->nodes[visit & ~NODE] : (const char *)&f->leaves[visit];
  const size_t size = visit & NODE ? sizeof *f->nodes : sizeof *f->leaves;
  for (size_t i = 0; i < size; i += LINE) __builtin_prefetch(from + i);
}

void sfnec_queue_start(sfnec_queue *queue, const sfnec_forest *forest, uint32_t tree) {
  queue->count = forest->trees[tree].count > 0;
  if (queue->count > 0) queue->items[0] = name(forest->trees[tree].levels, forest->trees[tree].root);
}

const sfnec_tree_leaf *sfnec_queue_next(sfnec_queue *queue, const sfnec_forest *f, const sfnec_coded_query *coded,
                                        uint32_t limit) {
  while (queue->count > 0) {
    const uint64_t visit = pop(queue);
    if (visit >> 32 > limit) {
      queue->count = 0;
      return NULL;
    }
    if (!(visit & NODE)) {
      if (queue->count > 0) prefetch(f, (uint32_t)queue->items[0]);
      return &f->leaves[(uint32_t)visit];
    }
    const sfnec_tree_node *n = &f->nodes[(uint32_t)visit & ~NODE];
    uint32_t bounds[BOXES];
    for (uint32_t bits = compare(f, n, coded, limit, bounds); bits; bits &= bits - 1) {
      const uint32_t i = (uint32_t)__builtin_ctz(bits);
      push(queue, (uint64_t)bounds[i] << 32 | name(n->level - 1, n->children[i]));
    }
  }
  return NULL;
}

// ---- the k-th bound ----

static void kth_offer(sfnec_kth_bound *kth, float number) {
  const float mark = number * kth->scale;
  if (!(mark < (float)(kth->top + 1))) return;
  kth->counts[(uint32_t)mark]++;
  kth->inside++;
}

// counts numbers, at least k of which are not greater than `most`, from the start
static void kth_count(sfnec_kth_bound *kth, float most, const float *numbers, uint32_t count) {
  kth->inside = 0;
  kth->top = MARKS - 1;
  kth->scale = most > 1e-30f ? 0.9999f * MARKS / most : 1.0f;
  memset(kth->counts, 0, sizeof kth->counts);
  for (uint32_t i = 0; i < count; i++) kth_offer(kth, numbers[i]);
}

// starts with the first k numbers
static void kth_start(sfnec_kth_bound *kth, uint32_t k, const float *numbers) {
  float most = 0.0f;
  for (uint32_t i = 0; i < k; i++) most = numbers[i] > most ? numbers[i] : most;
  kth->k = k;
  kth->taken = false;
  kth_count(kth, most, numbers, k);
}

// moves the bound down as far as the numbers allow; true if it has changed, or was never taken
static bool kth_settle(sfnec_kth_bound *kth) {
  const uint32_t before = kth->top;
  while (kth->inside - kth->counts[kth->top] >= kth->k) kth->inside -= kth->counts[kth->top--];
  const bool changed = kth->top != before || !kth->taken;
  kth->taken = true;
  return changed;
}

// a number that at least k of the offered ones do not exceed
static float kth_bound(const sfnec_kth_bound *kth) {
  return (float)(kth->top + 1) / kth->scale * 1.0001f;
}

// whether the bound has come down to the first marks, where the scale is too coarse for it
static bool kth_coarse(const sfnec_kth_bound *kth) {
  return kth->top < COARSE && kth->scale < 1.0f;
}

// ---- the walk ----

// the query's code, kept for the next index of the same coder
static const sfnec_coded_query *code_query(sfnec_index_scratch *s, const sfnec_coder *coder, const float *query) {
  const size_t size = coder->key_size * sizeof *query;
  uint32_t i = 0;
  while (i < SFNEC_FAST_QUERIES && s->coders[i] != coder->id) i++;
  if (i < SFNEC_FAST_QUERIES && memcmp(s->queries + i * s->padded, query, size) == 0) return &s->coded[i];
  if (i == SFNEC_FAST_QUERIES) {
    i = s->next_query;
    s->next_query = (i + 1) % SFNEC_FAST_QUERIES;
  }
  // the padding of another coder's keys
  memset(s->residual + coder->key_size, 0, (coder->padded - coder->key_size) * sizeof *s->residual);
  sfnec_coder_encode_query(coder, query, s->residual, &s->coded[i]);
  memcpy(s->queries + i * s->padded, query, size);
  s->coders[i] = coder->id;
  return &s->coded[i];
}

bool sfnec_walk_start(sfnec_walk *w, const sfnec_fast *f, sfnec_index_scratch *scratch, uint32_t tree,
                      const float *query, uint32_t k) {
  w->f = f;
  w->scratch = scratch;
  w->coder = f->coders[tree];
  w->coded = code_query(scratch, f->coders[tree], query);
  w->query = query;
  w->k = k;
  w->error = f->errors[tree] + w->coded->error;
  w->key_error = (float)(f->errors[tree] * (1 + 1e-6));
  w->limit = w->least = SFNEC_FARTHEST;
  w->reach = INFINITY;
  sfnec_queue_start(&scratch->queue, &f->forest, tree);
  w->seen = w->count = w->leaves = 0;
  w->peek_at = FIRST_PEEK;
  w->budget = (size_t)f->base.count * (f->base.key_size + KEY_COST) / 4;
  return w->coded->usable;
}

// the distances of a leaf's codes, and a bit for each that is within the limit
static uint32_t look(const sfnec_walk *w, const sfnec_tree_leaf *leaf, uint32_t distances[POINTS]) {
  const uint32_t bits = w->f->base.simd->code_distances(w->coded->code, &leaf->codes[0][0][0], w->limit, distances);
  return bits & (uint32_t)((UINT64_C(1) << leaf->count) - 1);
}

// takes note of how far away a key is at most
static void note_upper(sfnec_walk *w, float upper) {
  if (w->seen >= w->k) kth_offer(&w->kth, upper);
  else if (++w->seen == w->k) kth_start(&w->kth, w->k, w->scratch->lists.uppers);
}

// keys farther away than this are of no interest
static void shorten_reach(sfnec_walk *w, float reach) {
  if (!(reach < w->reach)) return;
  w->reach = reach;
  const uint32_t limit = sfnec_coder_limit(w->coder, reach, w->error);
  if (limit < w->limit) w->limit = limit;
}

// after upper bounds were noted: the limit that follows from the k-th least
static void lower_limit(sfnec_walk *w) {
  if (w->seen < w->k || !kth_settle(&w->kth)) return;
  while (kth_coarse(&w->kth)) {
    kth_count(&w->kth, kth_bound(&w->kth), w->scratch->lists.uppers, w->count);
    kth_settle(&w->kth);
  }
  shorten_reach(w, sfnec_coder_upper(w->coder, (double)kth_bound(&w->kth), w->error));
}

// puts a number into a sorted list of k, whose greatest goes
static void note_least(float *least, uint32_t k, float number) {
  uint32_t i = k;
  if (number >= least[k - 1]) return;
  for (i--; i > 0 && least[i - 1] > number; i--) least[i] = least[i - 1];
  least[i] = number;
}

// whether what the codes do not hold, the residuals' directions, makes a good part of the k-th bound
static bool loose(const sfnec_walk *w) {
  const float residual = SFNEC_CODE_STEP * w->coded->residual;
  return 4 * 4 * residual * residual > kth_bound(&w->kth);
}

// A loose limit costs more leaves in a large tree than a look at the keys that are probably nearest, whose k-th least
// distance is a limit without quantisation error.
static void peek(sfnec_walk *w) {
  const sfnec_search_lists *lists = &w->scratch->lists;
  const sfnec_index *flat = w->f->flat;
  uint32_t slots[PEEKED], count = 0;
  float squared[PEEKED], least[PEEKED];
  const float bound = kth_bound(&w->kth);
  for (uint32_t i = 0; i < w->count && count < PEEKED; i++)
    if (lists->uppers[i] <= bound) slots[count++] = lists->slots[i];
  if (count < w->k || w->k == 0) return;
  const size_t size = w->f->base.key_size;
  w->f->base.simd->scattered_distances(w->query, flat->ops->key(flat, 0), size, slots, count, size, squared);
  for (uint32_t i = 0; i < w->k; i++) least[i] = INFINITY;
  for (uint32_t i = 0; i < count; i++) note_least(least, w->k, squared[i]);
  shorten_reach(w, least[w->k - 1]);
}

// drops the candidates that the last limit rules out
static void drop_beyond(sfnec_walk *w) {
  const sfnec_search_lists *lists = &w->scratch->lists;
  uint32_t left = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    const bool within = lists->distances[i] <= w->limit;
    lists->distances[left] = lists->distances[i];
    lists->slots[left] = lists->slots[i];
    lists->positions[left] = lists->positions[i];
    lists->uppers[left] = lists->uppers[i];
    left += within;
  }
  w->count = left;
}

bool sfnec_walk_through(sfnec_walk *w) {
  const sfnec_search_lists *lists = &w->scratch->lists;
  const sfnec_forest *forest = &w->f->forest;
  for (const sfnec_tree_leaf *leaf; (leaf = sfnec_queue_next(&w->scratch->queue, forest, w->coded, w->limit));) {
    if (LEAF_COST + (size_t)w->count * CANDIDATE_COST > w->budget) return false;
    w->budget -= LEAF_COST;
    const uint32_t first = (uint32_t)(leaf - forest->leaves) * POINTS;
    uint32_t distances[POINTS];
    for (uint32_t bits = look(w, leaf, distances); bits; bits &= bits - 1) {
      const uint32_t i = (uint32_t)__builtin_ctz(bits), at = w->count++;
      lists->distances[at] = distances[i];
      lists->slots[at] = leaf->slots[i];
      lists->positions[at] = first + i;
      lists->uppers[at] =
          (float)distances[i] + sfnec_residual_surplus(w->coded, leaf->codes[RESIDUAL][i][1], w->key_error);
      note_upper(w, lists->uppers[at]);
      w->least = distances[i] < w->least ? distances[i] : w->least;
    }
    lower_limit(w);
    if (++w->leaves < w->peek_at || w->seen < w->k) continue;
    w->peek_at *= 2;
    if (loose(w)) peek(w);
  }
  drop_beyond(w);
  return true;
}
