// fast.c: the fast index: a filter in front of the flat scan's keys, with exactly its answers.
//
// The keys live in a flat index. Beside it a tree holds a short code of each key (code.h, tree.h), which rules out most
// keys without a look at them (walk.c, search.c).
//
// The directions behind the codes are learned from a sample (fit.c): first at 256 keys, then each time as many keys
// were inserted as there were, unless the directions that there are serve well enough, the index's own or its
// codebook's. New codes go to a second tree, a few entries with each insertion, so that no insertion takes long; until
// the first tree has run empty a search looks in both.
#include "index/fast/fast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
  FIRST_FIT = 256, // keys at which the filter begins
  SAMPLE = 512,    // keys that a fit looks at, besides those of the codebook
  TRIED = 64,      // keys by which directions are judged
  SHOWN = 64,      // keys that go to the codebook with each fit
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

// gives a key its position in the young tree; space was reserved
static void add_code(fast *f, uint32_t slot) {
  int16_t code[SFNEC_CODE_SIZE];
  double error;
  if (!sfnec_coder_encode(f->coders[f->young], key_of(f, slot), f->residual, code, &error)) {
    if (f->stray_count < SFNEC_FAST_STRAYS) f->strays[f->stray_count++] = slot;
    else f->missing++;
    return;
  }
  if (error > f->errors[f->young]) f->errors[f->young] = error;
  sfnec_forest_insert(&f->forest, f->young, code, slot);
}

static void drop_code(fast *f, uint32_t slot) {
  if (sfnec_forest_tree_of(&f->forest, slot) != SFNEC_NOWHERE) {
    sfnec_forest_remove(&f->forest, slot);
    return;
  }
  for (uint32_t i = 0; i < f->stray_count; i++) {
    if (f->strays[i] != slot) continue;
    f->strays[i] = f->strays[--f->stray_count];
    return;
  }
  f->missing--;
}

// moves some of the old tree's entries to the young one; what there is no memory for waits
static void move_some(fast *f, uint32_t most) {
  for (; f->moved < f->used && most > 0; f->moved++) {
    if (!f->held[f->moved] || sfnec_forest_tree_of(&f->forest, f->moved) == f->young) continue;
    if (!sfnec_forest_reserve(&f->forest, f->used)) return;
    drop_code(f, f->moved);
    add_code(f, f->moved);
    most--;
  }
}

// from now on new codes are of this coder, and the others are to be moved
static void begin_moving(fast *f, sfnec_coder *coder) {
  const uint32_t next = 1 - f->young;
  if (!fitted(f)) f->missing = f->base.count;
  sfnec_coder_release(f->coders[next]);
  f->coders[next] = coder;
  f->errors[next] = 0.0;
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
    double error;
    if (!sfnec_coder_project(coder, key, fit->residual, coordinates) ||
        !sfnec_coder_encode(coder, key, fit->residual, code, &error))
      return false;
    for (size_t d = 0; d < SFNEC_CODE_SIZE; d++) all += (double)coordinates[d] * (double)coordinates[d];
    lost += (double)coordinates[SFNEC_CODE_DIRECTIONS] * (double)coordinates[SFNEC_CODE_DIRECTIONS];
  }
  return lost <= fmax(GOOD_LOSS, 2.0 * coder->loss) * all;
}

// a fit with keys spread over all slots; NULL if out of memory or there are too few
static sfnec_fit *draw_sample(const fast *f) {
  if (f->base.count < FIRST_FIT / 2) return NULL;
  sfnec_fit *fit = sfnec_fit_create(f->codebook, f->base.simd, f->base.key_size, SAMPLE + SFNEC_CODEBOOK_KEYS);
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

// the codebook's keys join the sample, and some of the sample goes to the codebook
static void share_sample(fast *f, sfnec_fit *fit) {
  const size_t own = fit->count;
  for (uint32_t i = 0; i < f->codebook->count; i++) sfnec_fit_add(fit, f->codebook->keys + i * f->codebook->key_size);
  for (size_t i = 0; i < SHOWN; i++)
    sfnec_codebook_show(f->codebook, fit->sample + i * own / SHOWN * fit->coder->padded, f->base.key_size);
}

// the coder that a finished fit has made, published; NULL if it has made none
static sfnec_coder *finish_fit(fast *f, sfnec_fit *fit) {
  sfnec_coder *coder = sfnec_fit_take(fit);
  sfnec_fit_destroy(fit);
  if (coder) sfnec_codebook_publish(f->codebook, coder);
  return coder;
}

// looks for better directions: the ones that there are, if they serve, or new ones
static void begin_fit(fast *f) {
  f->fit_after = f->base.count;
  sfnec_fit *fit = draw_sample(f);
  if (!fit) return;
  sfnec_coder *common = f->codebook->coder;
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
  bool *held = realloc(f->held, f->forest.slots * sizeof *held);
  if (!held) return false;
  f->held = held;
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
  index->layout++;
  f->held[*slot] = true;
  if (*slot >= f->used) f->used = *slot + 1;
  if (fitted(f)) add_code(f, *slot);
  keep_up(f);
  return SFNEC_OK;
}

static void remove_slot(sfnec_index *index, uint32_t slot) {
  fast *f = (fast *)index;
  if (fitted(f)) drop_code(f, slot);
  f->flat->ops->remove(f->flat, slot);
  f->held[slot] = false;
  index->count--;
  index->layout++;
}

// The new code of a key that was replaced. Most keys that are replaced move a little only, and stay in their leaf.
static void recode(fast *f, uint32_t slot) {
  int16_t code[SFNEC_CODE_SIZE];
  double error;
  if (sfnec_forest_tree_of(&f->forest, slot) == f->young &&
      sfnec_coder_encode(f->coders[f->young], key_of(f, slot), f->residual, code, &error) &&
      sfnec_forest_shift(&f->forest, slot, code)) {
    if (error > f->errors[f->young]) f->errors[f->young] = error;
    return;
  }
  drop_code(f, slot);
  add_code(f, slot);
}

static sfnec_status replace(sfnec_index *index, uint32_t slot, const float *key) {
  fast *f = (fast *)index;
  if (!reserve(f)) return sfnec_fail_memory("the codes of a memory");
  const sfnec_status status = f->flat->ops->replace(f->flat, slot, key);
  if (status) return status;
  index->layout++;
  if (fitted(f)) recode(f, slot);
  keep_up(f);
  return SFNEC_OK;
}

// ---- freezing ----

// the coder for all keys from now on; the caller is its user; NULL if there is none
static sfnec_coder *choose_coder(fast *f) {
  sfnec_fit *fit = draw_sample(f);
  if (!fit) return NULL;
  sfnec_coder *common = f->codebook->coder, *own = f->coders[f->young];
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
  uint32_t *slots = malloc(f->used * sizeof *slots), count = 0, outside = 0, strays[SFNEC_FAST_STRAYS];
  // the codes of all keys; those outside of the coder's range stand apart
  double most = 0.0;
  for (uint32_t slot = 0; codes && slots && slot < f->used; slot++) {
    double error;
    if (!f->held[slot]) continue;
    if (!sfnec_coder_encode(coder, key_of(f, slot), f->residual, codes + (size_t)slot * SFNEC_CODE_SIZE, &error)) {
      if (outside < SFNEC_FAST_STRAYS) strays[outside] = slot;
      outside++;
      continue;
    }
    most = error > most ? error : most;
    slots[count++] = slot;
  }
  // one packed tree takes the place of the old and the young one
  if (codes && slots && sfnec_forest_pack(&f->forest, slots, count, codes)) {
    for (uint32_t t = 0; t < SFNEC_TREES; t++) sfnec_coder_release(f->coders[t]);
    sfnec_fit_destroy(f->fit);
    f->fit = NULL;
    f->young = 0;
    f->coders[0] = sfnec_coder_hold(coder);
    f->coders[1] = NULL;
    f->errors[0] = most;
    f->stray_count = outside < SFNEC_FAST_STRAYS ? outside : SFNEC_FAST_STRAYS;
    f->missing = outside - f->stray_count;
    memcpy(f->strays, strays, f->stray_count * sizeof *strays);
    f->moved = f->used;
    f->fit_after = f->base.count;
    index->layout++;
  }
  sfnec_coder_release(coder);
  free(codes);
  free(slots);
}

static void join(sfnec_index *index, sfnec_codebook *codebook) {
  fast *f = (fast *)index;
  if (!f->shared) sfnec_codebook_destroy(f->codebook);
  f->codebook = codebook;
  f->shared = true;
}

// ---- facts, and the end ----

static const float *key(const sfnec_index *index, uint32_t slot) {
  return key_of((const fast *)index, slot);
}

static uint64_t order(const sfnec_index *index, uint32_t slot) {
  const fast *f = (const fast *)index;
  return f->flat->ops->order(f->flat, slot);
}

static uint32_t position(const sfnec_index *index, uint32_t slot) {
  return ((const fast *)index)->forest.positions[slot];
}

static uint32_t positions(const sfnec_index *index) {
  return ((const fast *)index)->forest.leaf_used * SFNEC_SIMD_POINTS;
}

static size_t padded(size_t key_size) {
  return (key_size + SFNEC_SIMD_LANES - 1) / SFNEC_SIMD_LANES * SFNEC_SIMD_LANES;
}

static size_t bytes(const sfnec_index *index) {
  const fast *f = (const fast *)index;
  size_t sum = sizeof *f + padded(f->base.key_size) * sizeof *f->residual + f->flat->ops->bytes(f->flat) +
               sfnec_forest_bytes(&f->forest) + f->held_size * sizeof *f->held;
  if (!f->shared) sum += sfnec_codebook_bytes(f->codebook);
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
  free(f->residual);
  if (!f->shared) sfnec_codebook_destroy(f->codebook);
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
    .join = join,
    .search_pruned = sfnec_fast_search_pruned,
    .position = position,
    .positions = positions,
};

sfnec_status sfnec_index_fast_create(const sfnec_simd *simd, size_t key_size, sfnec_index **out) {
  fast *f = calloc(1, sizeof *f);
  if (!f) return sfnec_fail_memory("a fast index");
  f->base = (sfnec_index){.ops = &ops, .simd = simd, .key_size = key_size};
  f->fit_after = FIRST_FIT;
  sfnec_forest_init(&f->forest, simd);
  f->residual = calloc(padded(key_size), sizeof *f->residual);
  f->codebook = sfnec_codebook_create();
  sfnec_status status = f->residual && f->codebook ? SFNEC_OK : sfnec_fail_memory("a fast index");
  if (!status) status = sfnec_index_flat_create(simd, key_size, &f->flat);
  if (status) {
    destroy(&f->base);
    return status;
  }
  *out = &f->base;
  return SFNEC_OK;
}
