// fit.c: fitting a model: feature scaling, the length of a step as the unit of distance (a kernel bandwidth), the
// projection of keys, the regime (tabular or continuous), and the regression of moves (polynomial.h). A fit makes all
// states again from the transitions that the model knows. See model.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "agent/plan/model.h"
#include "base/error.h"

// ---- what is known ----

// Transitions, with their arrays.
typedef struct history {
  size_t count;
  float *before, *after;
  double *features;
  sfnec_model_transition *items;
} history;

static void history_clear(history *all) {
  free(all->before), free(all->after), free(all->features), free(all->items);
}

// Space for so many transitions.
static sfnec_status reserve_history(const sfnec_model *model, size_t total, history *all) {
  const size_t d = model->config->observation_size, n = model->config->psi_size;
  *all = (history){.count = total};
  all->before = malloc((total * d + 1) * sizeof(float));
  all->after = malloc((total * d + 1) * sizeof(float));
  all->features = malloc((total * n + 1) * sizeof(double));
  all->items = malloc((total + 1) * sizeof *all->items);
  if (!all->before || !all->after || !all->features || !all->items) {
    history_clear(all);
    return sfnec_fail_memory("a model");
  }
  return SFNEC_OK;
}

// All that the model knows as plain transitions, and some more.
static sfnec_status gather(const sfnec_model *model, const sfnec_model_transition *more, size_t count, history *all) {
  const size_t d = model->config->observation_size, n = model->config->psi_size;
  const sfnec_status status = reserve_history(model, model->sample_count + count, all);
  if (status) return status;
  for (size_t t = 0; t < all->count; t++) {
    float *b = all->before + t * d, *a = all->after + t * d;
    double *f = all->features + t * n;
    if (t < count) {
      all->items[t] = more[t];
      memcpy(b, more[t].before, d * sizeof *b);
      memcpy(a, more[t].after, d * sizeof *a);
      memcpy(f, more[t].features, n * sizeof *f);
    } else {
      const size_t s = t - count;
      const sfnec_sample *sample = &model->samples[s];
      all->items[t] =
          (sfnec_model_transition){.action = sample->action, .count = sample->count, .terminated = sample->terminated};
      sfnec_model_origin(model, (uint32_t)s, b);
      sfnec_model_target(model, (uint32_t)s, a);
      for (size_t i = 0; i < n; i++) f[i] = (double)model->sample_features[s * n + i];
    }
    all->items[t].before = b;
    all->items[t].after = a;
    all->items[t].features = f;
  }
  return SFNEC_OK;
}

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

// The median length of the moves of an action, or of all (SFNEC_NONE), and the longest; 0 where too few tell. lengths
// (all->count) is scratch, and so is keys.
static float median_move(const sfnec_model *model, const history *all, uint32_t action, float *lengths, float *keys,
                         float *longest) {
  size_t count = 0;
  for (size_t t = 0; t < all->count; t++) {
    if (action != SFNEC_NONE && all->items[t].action != action) continue;
    const float squared = move_length(model, all->items[t].before, all->items[t].after, keys);
    if (squared > SFNEC_MOVED_SQUARED) lengths[count++] = sqrtf(squared);
  }
  qsort(lengths, count, sizeof *lengths, compare_floats);
  const bool told = count >= (action == SFNEC_NONE ? 1 : SFNEC_MOVES_LEAST);
  *longest = told ? lengths[count - 1] : 0.0f;
  return told ? lengths[count / 2] : 0.0f;
}

// The share of the power of an action's moves that a linear function of the state explains. pairs
// (SFNEC_EXPLAINED_MOVES, 2, stride) is scratch.
static double explained_share(const sfnec_model *model, const history *all, uint32_t action, float *pairs) {
  size_t of_action = 0, count = 0;
  for (size_t t = 0; t < all->count; t++) of_action += all->items[t].action == action;
  const size_t every = of_action / SFNEC_EXPLAINED_MOVES + 1;
  of_action = 0;
  for (size_t t = 0; t < all->count && count < SFNEC_EXPLAINED_MOVES; t++) {
    if (all->items[t].action != action || of_action++ % every != 0) continue;
    sfnec_model_key(model, all->items[t].before, pairs + 2 * count * model->stride);
    sfnec_model_key(model, all->items[t].after, pairs + (2 * count + 1) * model->stride);
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
static sfnec_status measure(sfnec_model *model, const history *all) {
  float *lengths = malloc((all->count + 1) * sizeof *lengths);
  float *keys = malloc((2 * model->stride + 1) * sizeof *keys);
  float *pairs = malloc((2 * SFNEC_EXPLAINED_MOVES * model->stride + 1) * sizeof *pairs);
  const bool measured = lengths && keys && pairs;
  if (measured) {
    float longest;
    const float median = median_move(model, all, SFNEC_NONE, lengths, keys, &longest);
    model->step = median > 0.0f ? without_noise(model, median) : 1.0f;
    for (uint32_t a = 0; a < (uint32_t)model->config->action_count; a++) {
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
static sfnec_status fit_pca(sfnec_model *model, const history *all) {
  const size_t d = model->config->observation_size, every = all->count / SFNEC_PCA_OBSERVATIONS + 1,
               count = (all->count + every - 1) / every;
  float *observations = calloc(count * d + 1, sizeof *observations);
  if (!observations) return sfnec_fail_memory("a model");
  for (size_t t = 0; t < count; t++) {
    for (size_t i = 0; i < model->scaling.fast_count; i++) {
      const uint32_t c = model->scaling.fast[i];
      observations[t * d + c] = sfnec_model_scaled(model, all->items[t * every].before, c);
    }
  }
  const sfnec_status status = sfnec_embedding_fit(model->embedding, observations, count);
  free(observations);
  return status;
}

// Makes the projection that keys are, if they are to be.
static sfnec_status make_projection(sfnec_model *model, const history *all) {
  const bool chosen = model->config->options.embedding != SFNEC_EMBEDDING_IDENTITY; // by the user
  sfnec_status found = SFNEC_OK;
  model->noise = (sfnec_key_noise){0};
  if (!chosen && !sfnec_model_is_tabular(model)) found = sfnec_noise_find(&model->scaling, model->log, &model->noise);
  if (found) return found;
  const sfnec_agent_options key_options = sfnec_model_key_options(model), *options = &key_options;
  sfnec_model_size_keys(model);
  if (!chosen) {
    sfnec_embedding_destroy(model->embedding);
    model->embedding = NULL;
  }
  if (!model->projects) return SFNEC_OK;
  if (!model->embedding) {
    sfnec_random init = sfnec_random_start(model->seed, SFNEC_PURPOSE_INIT);
    const sfnec_status status =
        sfnec_embedding_create(options, model->config->observation_size, NULL, &init, &model->embedding);
    if (status) return status;
  }
  return options->embedding == SFNEC_EMBEDDING_PCA ? fit_pca(model, all) : SFNEC_OK;
}

sfnec_status sfnec_model_notices_noise(const sfnec_model *model, bool *notices) {
  enum { SAME = 4 }; // one part in so many, by which the rank may change
  sfnec_key_noise now;
  *notices = false;
  if (model->config->options.embedding != SFNEC_EMBEDDING_IDENTITY || sfnec_model_is_tabular(model)) return SFNEC_OK;
  const sfnec_status status = sfnec_noise_find(&model->scaling, model->log, &now);
  const uint32_t was = model->noise.rank, is = now.rank, more = was > is ? was - is : is - was;
  *notices = !status && more * SAME > (was < is ? was : is);
  return status;
}

// ---- fitting ----

// How many samples the action has that has the most.
static size_t most_samples(const sfnec_model *model) {
  size_t most = 0;
  for (uint32_t a = 0; a < (uint32_t)model->config->action_count; a++) {
    size_t count = 0;
    for (uint32_t s = 0; s < model->sample_count; s++) count += model->samples[s].action == a;
    most = count > most ? count : most;
  }
  return most;
}

// Fits a polynomial to all samples. It replaces the old one only when it is whole.
static sfnec_status fit_polynomial(sfnec_model *model) {
  const uint32_t actions = (uint32_t)model->config->action_count;
  if (sfnec_model_is_tabular(model)) return SFNEC_OK; // states come again to the bit
  sfnec_polynomial polynomial;
  const uint32_t degree = sfnec_polynomial_degree(model->key_size, most_samples(model));
  sfnec_status status = sfnec_polynomial_init(&polynomial, model->key_size, actions, degree);
  uint32_t *samples = malloc((model->sample_count + 1) * sizeof *samples);
  const size_t expects = polynomial.terms > 0 ? (size_t)model->sample_room * polynomial.size : 0;
  float *expected = calloc(expects + 1, sizeof *expected);
  if (!status && (!samples || !expected)) status = sfnec_fail_memory("a model");
  sfnec_polynomial_samples all = {
      .samples = samples, .origins = model->origins, .targets = model->targets, .stride = model->stride};
  for (uint32_t s = 0; s < model->sample_count && !status; s++) samples[all.count++] = s;
  if (!status) sfnec_polynomial_measure(&polynomial, &all);
  for (uint32_t a = 0; a < actions && !status; a++) {
    all.count = 0;
    for (uint32_t s = 0; s < model->sample_count; s++) { // what ends an episode may do something else
      if (model->samples[s].action == a && !model->samples[s].terminated) samples[all.count++] = s;
    }
    status = sfnec_polynomial_fit(&polynomial, a, &all);
  }
  free(samples);
  if (status) {
    sfnec_polynomial_clear(&polynomial);
    free(expected);
    return status;
  }
  sfnec_polynomial_clear(&model->polynomial);
  free(model->expected);
  model->polynomial = polynomial;
  model->smooth = polynomial.terms > 0 && polynomial.mean < SFNEC_SMOOTH * model->step;
  model->expected = expected;
  for (uint32_t s = 0; s < model->sample_count; s++) sfnec_model_expect(model, s);
  return SFNEC_OK;
}

sfnec_status sfnec_model_fit_polynomial(sfnec_model *model) {
  sfnec_status status = fit_polynomial(model);
  if (status || model->polynomial.terms == 0) return status;
  const size_t actions = (size_t)model->config->action_count;
  for (uint32_t p = 0; p < model->state_count; p++) {
    for (size_t a = 0; a < actions; a++) model->predictions[p * actions + a].dirty = true;
    sfnec_model_enqueue(model, p);
  }
  return sfnec_model_tidy(model, UINT32_MAX);
}

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

// Whether most of the moves end where another one did, to the bit: in a tabular environment, or in a tree that begins
// again and again.
static sfnec_status end_alike(const sfnec_model *model, const history *all, bool *alike) {
  uint64_t *ends = malloc((all->count + 1) * sizeof *ends);
  float *values = malloc(model->config->observation_size * sizeof *values);
  size_t moves = 0, repeated = 0;
  for (size_t t = 0; t < all->count && ends && values; t++) {
    const uint64_t end = hash_read(model, all->items[t].after, values);
    if (end != hash_read(model, all->items[t].before, values)) ends[moves++] = end;
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

// A fit that failed leaves no trace that a file would not have: the agent goes on as a copy of it does.
static void forget_attempt(sfnec_model *model) {
  sfnec_model_empty(model);
  model->visits = model->returns = 0.0;
  sfnec_scaling_unfit(&model->scaling);
}

// Makes scales and states from these transitions alone. `alike`: states come again to the bit, and are states of their
// own, however near they are to others.
static sfnec_status rebuild(sfnec_model *model, const history *all, bool alike) {
  const bool repeats = alike && model->coarser == 0;
  sfnec_model_empty(model);
  // the first observations of transitions; the last ones follow in others, but for the ends of episodes
  sfnec_status status =
      sfnec_scaling_fit(&model->scaling, sfnec_model_slow(model, repeats), repeats, all->before, all->count);
  if (!status) status = make_projection(model, all);
  if (!status) status = measure(model, all);
  if (!status) {
    sfnec_scaling_widen(&model->scaling, model->step);
    const float radius = sfnec_model_is_tabular(model) ? SFNEC_RADIUS_TABULAR : radius_of(model, model->coarser);
    model->radius =
        fminf(fmaxf(radius * model->step, SFNEC_NOISE_RADIUS * sqrtf(model->noise.squared)), SFNEC_RADIUS_MOST);
    status = sfnec_model_prepare(model);
  }
  for (size_t t = 0; t < all->count && !status; t++) {
    uint32_t here, next;
    bool changed;
    status = sfnec_model_take(model, &all->items[t], &here, &next, &changed);
  }
  const sfnec_status polynomial =
      status ? status : fit_polynomial(model); // without memory for one, the model is good as it is
  for (uint32_t p = 0; p < model->state_count && !status; p++) status = sfnec_model_make_predictions(model, p);
  while (model->queued > 0) model->states[model->queue[--model->queued]].queued = false;
  model->fitted = !status;
  model->version++;
  if (status) forget_attempt(model);
  return status ? status : polynomial;
}

sfnec_status sfnec_model_fit(sfnec_model *model, const sfnec_model_transition *transitions, size_t count) {
  history all;
  sfnec_status status = gather(model, transitions, count, &all);
  if (status) return status;
  bool alike = sfnec_model_repeats(model);
  if (count > 0) status = end_alike(model, &all, &alike);
  if (!status) status = rebuild(model, &all, alike);
  history_clear(&all);
  return status;
}

// The transitions of a log.
static sfnec_status gather_log(const sfnec_model *model, const sfnec_transition_log *log, history *all) {
  const size_t d = model->config->observation_size, n = model->config->psi_size;
  const sfnec_status status = reserve_history(model, log->count, all);
  if (status) return status;
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  for (size_t t = 0; sfnec_transition_log_next(log, &cursor, &row); t++) {
    float *before = all->before + t * d, *after = all->after + t * d;
    double *features = all->features + t * n;
    memcpy(before, row.before, d * sizeof *before);
    memcpy(after, row.after, d * sizeof *after);
    for (size_t i = 0; i < n; i++) features[i] = (double)row.features[i];
    all->items[t] = (sfnec_model_transition){.before = before,
                                             .after = after,
                                             .features = features,
                                             .action = row.action,
                                             .count = 1,
                                             .terminated = row.terminated};
  }
  return SFNEC_OK;
}

sfnec_status sfnec_model_reread(sfnec_model *model, const sfnec_relevance *relevance, bool from_log) {
  const sfnec_transition_log *log = model->log;
  history all;
  sfnec_status status = from_log ? gather_log(model, log, &all) : gather(model, NULL, 0, &all);
  if (status) return status;
  status = sfnec_scaling_reread(&model->scaling, relevance, log);
  bool alike = false;
  if (!status) status = end_alike(model, &all, &alike);
  if (!status) status = rebuild(model, &all, alike);
  history_clear(&all);
  return status;
}
