// fit.c: fitting what a model measures by, from the transitions that are known: feature scaling, the projection of
// keys, the length of a step as the unit of distance (a kernel bandwidth), the radius of a state, and the regime
// (tabular or continuous); see refit.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "agent/plan/refit.h"
#include "base/error.h"

// ---- measures ----

static int compare_floats(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// The squared length of a move. keys (2, stride) is scratch.
static float move_length(const sfnec_model *model, const float *before, const float *after, float *keys) {
  float sum = 0.0f;
  if (model->projects) {
    sfnec_model_key(model, before, keys);
    sfnec_model_key(model, after, keys + model->stride);
    model->config->simd->squared_distances(keys, keys + model->stride, model->stride, 1, model->stride, &sum);
    return sum;
  }
  for (size_t i = 0; i < model->scaling.fast_count; i++) {
    const uint32_t c = model->scaling.fast[i];
    const float change = sfnec_scaling_read(&model->scaling, after, c) - sfnec_scaling_read(&model->scaling, before, c);
    const float exact = change * model->scaling.scale[c];
    const float move = sfnec_bounded((double)exact, SFNEC_KEY_MOST);
    sum += move * move;
  }
  return sum;
}

// The squared length that a move must have to be one: a standard deviation above that of noise in both of its ends.
static float least_move(const sfnec_model *model) {
  if (!(model->noise.squared > 0.0f)) return SFNEC_MOVED_SQUARED;
  return 2.0f * model->noise.squared * (1.0f + sqrtf(2.0f / (float)model->key_size));
}

// The median length of the moves of an action, or of all (SFNEC_NONE), and the longest; 0 where too few tell. lengths
// (SFNEC_MEASURED) is scratch, and so is keys.
static float median_move(const sfnec_model *model, const sfnec_history *all, uint32_t action, float *lengths,
                         float *keys, float *longest) {
  const size_t d = all->observation_size, every = all->count / SFNEC_MEASURED + 1;
  size_t count = 0;
  const float least = least_move(model);
  for (size_t t = 0; t < all->count; t += every) {
    if (action != SFNEC_NONE && all->rows[t].action != action) continue;
    const float squared = move_length(model, all->before + t * d, all->after + t * d, keys);
    if (squared > least) lengths[count++] = sqrtf(squared);
  }
  qsort(lengths, count, sizeof *lengths, compare_floats);
  const bool told = count >= (action == SFNEC_NONE ? 1 : SFNEC_MOVES_LEAST);
  *longest = told ? lengths[count - 1] : 0.0f;
  return told ? lengths[count / 2] : 0.0f;
}

// The share of the power of an action's moves that a linear function of the state explains. pairs
// (SFNEC_EXPLAINED_MOVES, 2, stride) is scratch.
static double explained_share(const sfnec_model *model, const sfnec_history *all, uint32_t action, float *pairs) {
  const size_t d = all->observation_size;
  size_t of_action = 0, count = 0;
  for (size_t t = 0; t < all->count; t++) of_action += all->rows[t].action == action;
  const size_t every = of_action / SFNEC_EXPLAINED_MOVES + 1;
  of_action = 0;
  for (size_t t = 0; t < all->count && count < SFNEC_EXPLAINED_MOVES; t++) {
    if (all->rows[t].action != action || of_action++ % every != 0) continue;
    sfnec_model_key(model, all->before + t * d, pairs + 2 * count * model->stride);
    sfnec_model_key(model, all->after + t * d, pairs + (2 * count + 1) * model->stride);
    count++;
  }
  return sfnec_polynomial_explained(pairs, count, model->stride, model->key_size);
}

// The length of a move without noise, which is in both of its ends; at least a quarter of it.
static float without_noise(const sfnec_model *model, float length) {
  return sqrtf(fmaxf(length * length - 2.0f * model->noise.squared, 0.0625f * length * length));
}

// A step is the median length of the moves. Where some action never moves as far, and mostly less than half of it, that
// is a step: its moves must not end in the state that they begin in (a walk of small steps with wide turns). One that
// moves little only where the world is at rest says nothing of the kind, nor does one whose moves are noise.
static sfnec_status measure(sfnec_model *model, const sfnec_history *all) {
  float *lengths = malloc((SFNEC_MEASURED + 1) * sizeof *lengths);
  float *keys = malloc((2 * model->stride + 1) * sizeof *keys);
  float *pairs = malloc((2 * SFNEC_EXPLAINED_MOVES * model->stride + 1) * sizeof *pairs);
  const bool measured = lengths && keys && pairs;
  if (measured) {
    float longest;
    const float median = median_move(model, all, SFNEC_NONE, lengths, keys, &longest);
    model->step = median > 0.0f ? without_noise(model, median) : 1.0f;
    const bool any = sfnec_model_uses(model, SFNEC_WITHOUT_SHORT_STEPS);
    for (uint32_t a = 0; a < (uint32_t)model->config->action_count && any; a++) {
      const float least = median_move(model, all, a, lengths, keys, &longest);
      const bool small = least > 0.0f && least < SFNEC_SHORT * median && longest < median;
      if (!small || explained_share(model, all, a, pairs) < SFNEC_EXPLAINED_SHARE) continue;
      model->step = fminf(model->step, least);
    }
  }
  free(lengths), free(keys), free(pairs);
  return measured ? SFNEC_OK : sfnec_fail_memory("a model");
}

// Fits pca to the scaled observations; the slow components count nothing.
static sfnec_status fit_pca(sfnec_model *model, const sfnec_history *all) {
  const size_t d = model->config->observation_size, every = all->count / SFNEC_PCA_OBSERVATIONS + 1,
               count = (all->count + every - 1) / every;
  float *observations = calloc(count * d + 1, sizeof *observations);
  if (!observations) return sfnec_fail_memory("a model");
  for (size_t t = 0; t < count; t++) {
    for (size_t i = 0; i < model->scaling.fast_count; i++) {
      const uint32_t c = model->scaling.fast[i];
      observations[t * d + c] = sfnec_model_scaled(model, all->before + t * every * d, c);
    }
  }
  const sfnec_status status = sfnec_embedding_fit(model->embedding, observations, count);
  free(observations);
  return status;
}

sfnec_status sfnec_fit_projection(sfnec_model *model, const sfnec_history *all, const sfnec_key_noise *noise) {
  const bool chosen = model->config->options.embedding != SFNEC_EMBEDDING_IDENTITY; // by the user
  model->noise = *noise;
  const sfnec_agent_options key_options = sfnec_model_key_options(model), *options = &key_options;
  sfnec_model_size_keys(model);
  if (!chosen) {
    sfnec_embedding_destroy(model->embedding);
    model->embedding = NULL;
  }
  if (!model->projects) return SFNEC_OK;
  if (!model->embedding) {
    sfnec_random init = sfnec_random_start(model->seed, SFNEC_PURPOSE_INIT);
    const sfnec_status status = sfnec_embedding_create(options, &model->config->shape, NULL, &init, &model->embedding);
    if (status) return status;
  }
  return options->embedding == SFNEC_EMBEDDING_PCA ? fit_pca(model, all) : SFNEC_OK;
}

bool sfnec_model_looks_for_noise(const sfnec_model *model) {
  return model->config->options.embedding == SFNEC_EMBEDDING_IDENTITY && !sfnec_model_is_tabular(model) &&
         sfnec_model_uses(model, SFNEC_WITHOUT_NOISE);
}

bool sfnec_model_fits_noise(const sfnec_model *model, sfnec_key_noise now) {
  enum { SAME = 4 }; // one part in so many, by which the rank may change
  const uint32_t was = model->noise.rank, is = now.rank, more = was > is ? was - is : is - was;
  return more * SAME <= (was < is ? was : is);
}

// ---- fitting ----

static int compare_hashes(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// A hash of an observation as it is read. values (d) is scratch.
static uint64_t hash_read(const sfnec_model *model, const float *observation, float *values) {
  const size_t d = model->config->observation_size;
  for (size_t c = 0; c < d; c++) values[c] = sfnec_scaling_read(&model->scaling, observation, c);
  return XXH3_64bits(values, d * sizeof *values);
}

sfnec_status sfnec_fit_compare(const sfnec_model *model, const sfnec_history *all, bool *alike) {
  const size_t d = model->config->observation_size, every = all->count / SFNEC_MEASURED + 1;
  uint64_t *ends = malloc((SFNEC_MEASURED + 1) * sizeof *ends);
  float *values = malloc(d * sizeof *values);
  size_t moves = 0, repeated = 0;
  for (size_t t = 0; t < all->count && ends && values; t += every) {
    const uint64_t end = hash_read(model, all->after + t * d, values);
    if (end != hash_read(model, all->before + t * d, values)) ends[moves++] = end;
  }
  const bool compared = ends && values;
  if (compared) qsort(ends, moves, sizeof *ends, compare_hashes);
  for (size_t i = 0; i < moves; i++) {
    repeated += (i > 0 && ends[i] == ends[i - 1]) || (i + 1 < moves && ends[i] == ends[i + 1]);
  }
  *alike = 2 * repeated > moves;
  free(ends), free(values);
  return compared ? SFNEC_OK : sfnec_fail_memory("a model");
}

// The radius of a state in a continuous regime, in steps.
static float radius_of(const sfnec_model *model, uint32_t coarser) {
  float radius = fmaxf((float)model->config->options.radius, SFNEC_RADIUS_LEAST);
  for (uint32_t i = 0; i < coarser; i++) radius *= SFNEC_COARSER;
  return radius;
}

bool sfnec_model_coarsen(sfnec_model *model) {
  if (sfnec_model_has_cells(model) || radius_of(model, model->coarser + 1) > 1.0f) return false;
  model->coarser++;
  return true;
}

sfnec_status sfnec_fit_scales(sfnec_model *model, const sfnec_history *all, bool alike) {
  const bool repeats = alike && model->coarser == 0;
  // the first observations of transitions; the last ones follow in others, but for the ends of episodes
  const sfnec_slow slow = sfnec_model_slow(model, repeats);
  const bool may_be_cells = sfnec_model_uses(model, SFNEC_WITHOUT_CELLS);
  return sfnec_scaling_fit(&model->scaling, slow, repeats, may_be_cells, all->before, all->count);
}

sfnec_status sfnec_fit_step(sfnec_model *model, const sfnec_history *all) {
  const sfnec_status status = measure(model, all);
  if (status) return status;
  const float radius = sfnec_model_is_tabular(model) ? SFNEC_RADIUS_TABULAR : radius_of(model, model->coarser);
  const float noise = SFNEC_NOISE_RADIUS * sqrtf(model->noise.squared), most = SFNEC_NOISE_RADIUS_STEPS * model->step;
  model->radius = fminf(fmaxf(radius * model->step, fminf(noise, most)), SFNEC_RADIUS_MOST);
  return sfnec_model_prepare(model);
}
