// walk.c: a walk through one tree of the fast index; see fast_walk.h.
#include "index/fast/walk.h"

#include <math.h>

enum {
  POINTS = SFNEC_SIMD_POINTS,
  FIRST_PEEK = 8,                 // leaves after which keys are looked at, and again after twice as many
  PEEKED = 64,                    // keys looked at, at most
  REST = SFNEC_CODE_SIZE / 2 - 1, // the pair whose second number is the rest
  LEAF_COST = 512,                // in numbers read: what a leaf costs, and a candidate
  CANDIDATE_COST = 64,
  KEY_COST = 32, // what the flat scan spends on a key besides reading it
};

bool sfnec_walk_start(sfnec_walk *w, const sfnec_fast *f, uint32_t tree, const float *query, uint32_t k) {
  w->f = f;
  w->coder = f->coders[tree];
  w->probe = sfnec_coder_ask(f->coders[tree], query);
  w->query = query;
  w->tree = tree;
  w->k = k;
  w->blur = f->blur[tree] + w->probe->blur;
  w->rest_blur = (float)(f->blur[tree] * (1 + 1e-6));
  w->limit = w->least = SFNEC_FARTHEST;
  w->reach = INFINITY;
  w->waiting = sfnec_forest_start(&f->forest, tree);
  w->seen = w->count = w->leaves = 0;
  w->peek_at = FIRST_PEEK;
  w->budget = (size_t)f->base.count * (f->base.key_size + KEY_COST) / 4;
  return w->probe->usable;
}

// the distances of a leaf's codes, and a bit for each that is within the limit
static uint32_t look(const sfnec_walk *w, const sfnec_tree_leaf *leaf, uint32_t distances[POINTS]) {
  const uint32_t bits = w->f->base.simd->code_distances(w->probe->at, &leaf->codes[0][0][0], w->limit, distances);
  return bits & (uint32_t)((UINT64_C(1) << leaf->count) - 1);
}

// takes note of how far away a key is at most
static void note_upper(sfnec_walk *w, float upper) {
  if (w->seen >= w->k) sfnec_gauge_offer(&w->gauge, upper);
  else if (++w->seen == w->k) sfnec_gauge_start(&w->gauge, w->k, w->f->family->uppers);
}

// after upper bounds were noted: the limit that follows from the k-th least
static void lower_limit(sfnec_walk *w) {
  if (w->seen < w->k || !sfnec_gauge_settle(&w->gauge)) return;
  while (sfnec_gauge_coarse(&w->gauge)) {
    sfnec_gauge_count(&w->gauge, sfnec_gauge_reading(&w->gauge), w->f->family->uppers, w->count);
    sfnec_gauge_settle(&w->gauge);
  }
  const float key = sfnec_coder_upper(w->coder, (double)sfnec_gauge_reading(&w->gauge), w->blur);
  if (key >= w->reach) return;
  w->reach = key;
  const uint32_t limit = sfnec_coder_limit(w->coder, key, w->blur);
  if (limit < w->limit) w->limit = limit;
}

// puts a number into a sorted list of k, whose greatest goes
static void note_least(float *least, uint32_t k, float number) {
  uint32_t i = k;
  if (number >= least[k - 1]) return;
  for (i--; i > 0 && least[i - 1] > number; i--) least[i] = least[i - 1];
  least[i] = number;
}

// Whether what the codes do not hold makes a good part of the reading: the rests' directions.
static bool blurred(const sfnec_walk *w) {
  const float rest = 16 * w->probe->rest;
  return 4 * 4 * rest * rest > sfnec_gauge_reading(&w->gauge);
}

// What the codes do not hold, the rests' directions, blurs the limit; in a large tree that costs more leaves than a
// look at the keys that are probably nearest, whose k-th least distance is a limit without blur.
static void peek(sfnec_walk *w) {
  const sfnec_index_family *lists = w->f->family;
  const sfnec_index *flat = w->f->flat;
  uint32_t slots[PEEKED], count = 0;
  float squared[PEEKED], least[PEEKED];
  const float reading = sfnec_gauge_reading(&w->gauge);
  for (uint32_t i = 0; i < w->count && count < PEEKED; i++)
    if (lists->uppers[i] <= reading) slots[count++] = lists->slots[i];
  if (count < w->k || w->k == 0) return;
  const size_t size = w->f->base.key_size;
  w->f->base.simd->scattered_distances(w->query, flat->ops->key(flat, 0), size, slots, count, size, squared);
  for (uint32_t i = 0; i < w->k; i++) least[i] = INFINITY;
  for (uint32_t i = 0; i < count; i++) note_least(least, w->k, squared[i]);
  if (!(least[w->k - 1] < w->reach)) return;
  w->reach = least[w->k - 1];
  const uint32_t limit = sfnec_coder_limit(w->coder, w->reach, w->blur);
  if (limit < w->limit) w->limit = limit;
}

// drops the candidates that the last limit rules out
static void drop_beyond(sfnec_walk *w) {
  sfnec_index_family *lists = w->f->family;
  uint32_t left = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    const bool within = lists->distances[i] <= w->limit;
    lists->distances[left] = lists->distances[i];
    lists->slots[left] = lists->slots[i];
    lists->scores[left] = lists->scores[i];
    lists->uppers[left] = lists->uppers[i];
    left += within;
  }
  w->count = left;
}

bool sfnec_walk_through(sfnec_walk *w) {
  sfnec_index_family *lists = w->f->family;
  for (const sfnec_tree_leaf *leaf; (leaf = sfnec_forest_next(&w->f->forest, w->probe, w->limit, &w->waiting));) {
    if (LEAF_COST + (size_t)w->count * CANDIDATE_COST > w->budget) return false;
    w->budget -= LEAF_COST;
    uint32_t distances[POINTS];
    for (uint32_t bits = look(w, leaf, distances); bits; bits &= bits - 1) {
      const uint32_t i = (uint32_t)__builtin_ctz(bits), at = w->count++;
      lists->distances[at] = distances[i];
      lists->slots[at] = leaf->slots[i];
      lists->scores[at] = leaf->scores[i];
      lists->uppers[at] = (float)distances[i] + sfnec_probe_surplus(w->probe, leaf->codes[REST][i][1], w->rest_blur);
      note_upper(w, lists->uppers[at]);
      w->least = distances[i] < w->least ? distances[i] : w->least;
    }
    lower_limit(w);
    if (++w->leaves < w->peek_at || w->seen < w->k) continue;
    w->peek_at *= 2;
    if (blurred(w)) peek(w);
  }
  drop_beyond(w);
  return true;
}
