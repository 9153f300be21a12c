// fast.c: the fast index: a filter in front of the flat scan's keys, with exactly its answers.
//
// The keys live in a flat index. Beside it a tree holds a short code of each key (fast_code.h, fast_tree.h), which
// rules out most keys without a look at them (fast_search.c).
//
// The directions behind the codes are learned from a sample (fast_fit.h): first at 256 keys, then each time as many
// keys were inserted as there were, unless the directions that there are serve well enough, the index's own or its
// family's. New codes go to a second tree, a few entries with each insertion, so that no insertion takes long; until
// the first tree has run empty a search looks in both.
#include "index/fast/fast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
  FIRST_FIT = 256, // keys at which the filter begins
  SAMPLE = 512,    // keys that a fit looks at, besides those of the family
  TRIED = 64,      // keys by which directions are judged
  SHOWN = 64,      // keys that go to the family with each fit
  MOVES = 8,       // entries that go to the new tree with each insertion
  PIECE = 1 << 17, // multiplications of a fit with each insertion
};

// Directions that leave over this share of the variance, or twice their sample's, serve well.
#define GOOD_LOSS 0.0005

typedef sfnec_fast fast;

// ---- the young tree ----

static bool fitted(const fast *f) {
  return f->coders[f->young] != NULL;
}

static const float *key_of(const fast *f, uint32_t slot) {
  return f->flat->ops->key(f->flat, slot);
}

// gives a key its place in the young tree; room was reserved
static void add_code(fast *f, uint32_t slot, float score) {
  int16_t code[SFNEC_CODE_SIZE];
  double blur;
  if (!sfnec_coder_encode(f->coders[f->young], key_of(f, slot), code, &blur)) {
    if (f->stray_count < SFNEC_FAST_STRAYS) f->strays[f->stray_count++] = slot;
    else f->missing++;
    return;
  }
  if (blur > f->blur[f->young]) f->blur[f->young] = blur;
  sfnec_forest_insert(&f->forest, f->young, code, slot, score);
}

static float drop_code(fast *f, uint32_t slot) {
  if (sfnec_forest_tree_of(&f->forest, slot) != SFNEC_NOWHERE) return sfnec_forest_remove(&f->forest, slot);
  for (uint32_t i = 0; i < f->stray_count; i++) {
    if (f->strays[i] != slot) continue;
    f->strays[i] = f->strays[--f->stray_count];
    return INFINITY;
  }
  f->missing--;
  return f->early ? f->early[slot] : INFINITY;
}

// moves some of the old tree's entries to the young one; what there is no room for waits
static void move_some(fast *f, uint32_t most) {
  for (; f->moved < f->used && most > 0; f->moved++) {
    if (!f->held[f->moved] || sfnec_forest_tree_of(&f->forest, f->moved) == f->young) continue;
    if (!sfnec_forest_reserve(&f->forest, f->used)) return;
    add_code(f, f->moved, drop_code(f, f->moved));
    most--;
  }
  if (f->missing > 0) return;
  free(f->early);
  f->early = NULL;
}

// from now on new codes are of this coder, and the others are to be moved
static void begin_moving(fast *f, sfnec_coder *coder) {
  const uint32_t next = 1 - f->young;
  if (!fitted(f)) f->missing = f->base.count;
  sfnec_coder_release(f->coders[next]);
  f->coders[next] = coder;
  f->blur[next] = 0.0;
  f->young = next;
  f->moved = 0;
}

// ---- learning codes ----

// whether a coder's directions are good enough for the keys of a sample
static bool serves(const sfnec_coder *coder, const sfnec_fit *fit) {
  double lost = 0.0, all = 0.0;
  for (size_t i = 0; i < TRIED; i++) {
    const float *key = fit->sample + i * fit->count / TRIED * coder->padded;
    float coordinates[SFNEC_CODE_SIZE];
    int16_t code[SFNEC_CODE_SIZE];
    double blur;
    if (!sfnec_coder_project(coder, key, coordinates) || !sfnec_coder_encode(coder, key, code, &blur)) return false;
    for (size_t d = 0; d < SFNEC_CODE_SIZE; d++) all += (double)coordinates[d] * (double)coordinates[d];
    lost += (double)coordinates[SFNEC_CODE_DIRECTIONS] * (double)coordinates[SFNEC_CODE_DIRECTIONS];
  }
  return lost <= fmax(GOOD_LOSS, 2.0 * coder->loss) * all;
}

// a fit with keys spread over all slots; NULL if out of memory or there are too few
static sfnec_fit *draw_sample(const fast *f) {
  if (f->base.count < FIRST_FIT / 2) return NULL;
  sfnec_fit *fit = sfnec_fit_create(f->base.simd, f->base.key_size, SAMPLE + SFNEC_FAMILY_KEYS);
  if (!fit) return NULL;
  const uint32_t most = f->base.count < SAMPLE ? f->base.count : SAMPLE;
  const double stride = (double)f->used / (double)most;
  for (uint32_t i = 0; i < most; i++) {
    const uint32_t slot = (uint32_t)(stride * (double)i);
    if (f->held[slot]) sfnec_fit_add(fit, key_of(f, slot));
  }
  if (fit->count >= FIRST_FIT / 2) return fit;
  sfnec_fit_destroy(fit);
  return NULL;
}

// the family's keys join the sample, and some of the sample goes to the family
static void share_sample(fast *f, sfnec_fit *fit) {
  const size_t own = fit->count;
  for (uint32_t i = 0; i < f->family->count; i++) sfnec_fit_add(fit, f->family->keys + i * f->family->key_size);
  for (size_t i = 0; i < SHOWN; i++)
    sfnec_family_show(f->family, fit->sample + i * own / SHOWN * fit->coder->padded, f->base.key_size);
}

// the coder that a finished fit has made, published; NULL if it has made none
static sfnec_coder *finish_fit(fast *f, sfnec_fit *fit) {
  sfnec_coder *coder = sfnec_fit_take(fit);
  sfnec_fit_destroy(fit);
  if (coder) sfnec_family_publish(f->family, coder);
  return coder;
}

// looks for better directions: the ones that there are, if they serve, or new ones
static void begin_fit(fast *f) {
  f->fit_after = f->base.count;
  sfnec_fit *fit = draw_sample(f);
  if (!fit) return;
  sfnec_coder *common = f->family->coder;
  if (f->stray_count == 0 && fitted(f) && serves(f->coders[f->young], fit)) {
    sfnec_fit_destroy(fit);
  } else if (common && common != f->coders[f->young] && serves(common, fit)) {
    sfnec_fit_destroy(fit);
    begin_moving(f, sfnec_coder_hold(common));
  } else {
    share_sample(f, fit);
    f->fit = fit;
  }
}

// after an insertion: a bit of what there is to do
static void keep_up(fast *f) {
  if (f->fit_after > 0) f->fit_after--;
  if (f->fit) {
    if (!sfnec_fit_work(f->fit, PIECE)) return;
    sfnec_coder *coder = finish_fit(f, f->fit);
    f->fit = NULL;
    if (coder) begin_moving(f, coder);
    return;
  }
  if (fitted(f)) move_some(f, MOVES);
  if (f->fit_after == 0 && (!fitted(f) || f->moved == f->used)) begin_fit(f);
}

// ---- keys in and out ----

static bool reserve(fast *f) {
  if (!sfnec_forest_reserve(&f->forest, f->used + 1)) return false;
  if (f->held_size == f->forest.slots) return true;
  if (!sfnec_family_reserve(f->family, f->forest.slots)) return false;
  bool *held = realloc(f->held, f->forest.slots * sizeof *held);
  if (!held) return false;
  f->held = held;
  if (!fitted(f) || f->early) {
    float *early = realloc(f->early, f->forest.slots * sizeof *early);
    if (!early) return false;
    f->early = early;
  }
  memset(held + f->held_size, 0, (f->forest.slots - f->held_size) * sizeof *held);
  f->held_size = f->forest.slots;
  return true;
}

static sfnec_status insert(sfnec_index *index, const float *key, uint32_t *slot) {
  fast *f = (fast *)index;
  if (!reserve(f)) return sfnec_fail_memory("the codes of a memory");
  const sfnec_status status = f->flat->ops->insert(f->flat, key, slot);
  if (status) return status;
  index->count++;
  f->held[*slot] = true;
  if (*slot >= f->used) f->used = *slot + 1;
  if (f->early) f->early[*slot] = INFINITY;
  if (fitted(f)) add_code(f, *slot, INFINITY);
  keep_up(f);
  return SFNEC_OK;
}

static void remove_slot(sfnec_index *index, uint32_t slot) {
  fast *f = (fast *)index;
  if (fitted(f)) drop_code(f, slot);
  f->flat->ops->remove(f->flat, slot);
  f->held[slot] = false;
  index->count--;
}

// The new code of a key that was replaced. Most keys that are replaced move a little only, and stay in their leaf.
static void recode(fast *f, uint32_t slot) {
  int16_t code[SFNEC_CODE_SIZE];
  double blur;
  if (sfnec_forest_tree_of(&f->forest, slot) == f->young &&
      sfnec_coder_encode(f->coders[f->young], key_of(f, slot), code, &blur) &&
      sfnec_forest_shift(&f->forest, slot, code)) {
    if (blur > f->blur[f->young]) f->blur[f->young] = blur;
    sfnec_forest_set_score(&f->forest, slot, INFINITY);
    return;
  }
  drop_code(f, slot);
  add_code(f, slot, INFINITY);
}

static sfnec_status replace(sfnec_index *index, uint32_t slot, const float *key) {
  fast *f = (fast *)index;
  if (!reserve(f)) return sfnec_fail_memory("the codes of a memory");
  const sfnec_status status = f->flat->ops->replace(f->flat, slot, key);
  if (status) return status;
  if (f->early) f->early[slot] = INFINITY;
  if (fitted(f)) recode(f, slot);
  keep_up(f);
  return SFNEC_OK;
}

static void set_score(sfnec_index *index, uint32_t slot, float score) {
  fast *f = (fast *)index;
  // a score that is not a number rules nothing out
  if (isnan(score)) score = INFINITY;
  if (sfnec_forest_tree_of(&f->forest, slot) != SFNEC_NOWHERE) sfnec_forest_set_score(&f->forest, slot, score);
  else if (f->early) f->early[slot] = score;
}

// ---- freezing ----

// the coder for all keys from now on; the caller is its user; NULL if there is none
static sfnec_coder *choose_coder(fast *f) {
  sfnec_fit *fit = draw_sample(f);
  if (!fit) return NULL;
  sfnec_coder *common = f->family->coder, *own = f->coders[f->young];
  sfnec_coder *chosen = common && serves(common, fit) ? common : own && serves(own, fit) ? own : NULL;
  if (chosen) {
    sfnec_fit_destroy(fit);
    return sfnec_coder_hold(chosen);
  }
  share_sample(f, fit);
  while (!sfnec_fit_work(fit, PIECE)) {
  }
  return finish_fit(f, fit);
}

// one tree, without gaps, of one coder's codes; what there is no memory for stays as it is
static void freeze(sfnec_index *index) {
  fast *f = (fast *)index;
  sfnec_index_flat_trim(f->flat);
  sfnec_coder *coder = choose_coder(f);
  if (!coder) return;
  int16_t *codes = malloc((size_t)f->used * SFNEC_CODE_SIZE * sizeof *codes);
  float *scores = malloc(f->used * sizeof *scores);
  uint32_t *slots = malloc(f->used * sizeof *slots), count = 0, outside = 0, strays[SFNEC_FAST_STRAYS];
  double most = 0.0;
  for (uint32_t slot = 0; codes && scores && slots && slot < f->used; slot++) {
    double blur;
    if (!f->held[slot]) continue;
    if (!sfnec_coder_encode(coder, key_of(f, slot), codes + (size_t)slot * SFNEC_CODE_SIZE, &blur)) {
      if (outside < SFNEC_FAST_STRAYS) strays[outside] = slot;
      outside++;
      continue;
    }
    most = blur > most ? blur : most;
    const bool known = sfnec_forest_tree_of(&f->forest, slot) != SFNEC_NOWHERE;
    scores[slot] = known ? sfnec_forest_score(&f->forest, slot) : f->early ? f->early[slot] : INFINITY;
    slots[count++] = slot;
  }
  if (codes && scores && slots && sfnec_forest_pack(&f->forest, slots, count, codes, scores)) {
    for (uint32_t t = 0; t < SFNEC_TREES; t++) sfnec_coder_release(f->coders[t]);
    sfnec_fit_destroy(f->fit);
    f->fit = NULL;
    f->young = 0;
    f->coders[0] = sfnec_coder_hold(coder);
    f->coders[1] = NULL;
    f->blur[0] = most;
    f->stray_count = outside < SFNEC_FAST_STRAYS ? outside : SFNEC_FAST_STRAYS;
    f->missing = outside - f->stray_count;
    memcpy(f->strays, strays, f->stray_count * sizeof *strays);
    f->moved = f->used;
    f->fit_after = f->base.count;
    free(f->early);
    f->early = NULL;
  }
  sfnec_coder_release(coder);
  free(codes);
  free(scores);
  free(slots);
}

static void join(sfnec_index *index, sfnec_index_family *family) {
  fast *f = (fast *)index;
  if (!f->shared) sfnec_index_family_destroy(f->family);
  f->family = family;
  f->shared = true;
}

// ---- the rest ----

static const float *key(const sfnec_index *index, uint32_t slot) {
  return key_of((const fast *)index, slot);
}

static uint64_t order(const sfnec_index *index, uint32_t slot) {
  const fast *f = (const fast *)index;
  return f->flat->ops->order(f->flat, slot);
}

static size_t bytes(const sfnec_index *index) {
  const fast *f = (const fast *)index;
  size_t sum = sizeof *f + sizeof *f->rest + f->flat->ops->bytes(f->flat) + sfnec_forest_bytes(&f->forest) +
               f->held_size * (sizeof *f->held + (f->early ? sizeof *f->early : 0));
  if (!f->shared) sum += sfnec_family_bytes(f->family);
  for (uint32_t t = 0; t < SFNEC_TREES; t++)
    if (f->coders[t]) sum += sfnec_coder_bytes(f->coders[t]) / f->coders[t]->users;
  return sum;
}

static void destroy(sfnec_index *index) {
  fast *f = (fast *)index;
  sfnec_index_destroy(f->flat);
  sfnec_forest_free(&f->forest);
  for (uint32_t t = 0; t < SFNEC_TREES; t++) sfnec_coder_release(f->coders[t]);
  sfnec_fit_destroy(f->fit);
  free(f->held);
  free(f->early);
  free(f->rest);
  if (!f->shared) sfnec_index_family_destroy(f->family);
  free(f);
}

static const sfnec_index_ops ops = {
    .name = "fast",
    .destroy = destroy,
    .insert = insert,
    .remove = remove_slot,
    .replace = replace,
    .search = sfnec_fast_search,
    .key = key,
    .order = order,
    .bytes = bytes,
    .freeze = freeze,
    .set_score = set_score,
    .search_worth = sfnec_fast_search_worth,
    .join = join,
};

sfnec_status sfnec_index_fast_create(const sfnec_simd *simd, size_t key_size, sfnec_index **out) {
  fast *f = calloc(1, sizeof *f);
  if (!f) return sfnec_fail_memory("a fast index");
  f->base = (sfnec_index){.ops = &ops, .simd = simd, .key_size = key_size};
  f->fit_after = FIRST_FIT;
  sfnec_forest_init(&f->forest, simd);
  f->rest = calloc(1, sizeof *f->rest);
  f->family = sfnec_index_family_create();
  sfnec_status status = f->rest && f->family ? SFNEC_OK : sfnec_fail_memory("a fast index");
  if (!status) status = sfnec_index_flat_create(simd, key_size, &f->flat);
  if (status) {
    destroy(&f->base);
    return status;
  }
  *out = &f->base;
  return SFNEC_OK;
}
