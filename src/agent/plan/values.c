// values.c: see values.h.
#include "agent/plan/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// ---- life ----

sfnec_status sfnec_values_init(sfnec_values *values, const sfnec_model *model, bool explores) {
  *values = (sfnec_values){.model = model, .explores = explores, .unit = 1.0f, .hope = 1.0f, .start_place = SFNEC_NONE};
  values->w = calloc(model->config->psi_size, sizeof *values->w);
  values->tuple = calloc(model->config->observation_size, sizeof *values->tuple);
  return values->w && values->tuple ? SFNEC_OK : sfnec_fail_memory("the values of a plan");
}

void sfnec_values_clear(sfnec_values *values) {
  sfnec_values_drop_layers(values);
  sfnec_values_free_spare(values, 0);
  sfnec_tuples_clear(&values->contexts);
  free(values->tuple);
  free(values->w), free(values->rewards), free(values->versions), free(values->excess), free(values->block_rewards);
  free(values->layers), free(values->layer_of), free(values->base), free(values->chances);
  *values = (sfnec_values){0};
}

size_t sfnec_values_bytes(const sfnec_values *values) {
  const size_t actions = (size_t)values->model->config->action_count;
  size_t children = 0;
  for (uint32_t i = 0; i < values->layer_made; i++) children += values->layers[i].effect_room;
  return children * sizeof(uint32_t) + sfnec_tuples_bytes(&values->contexts) +
         values->room * (actions * (values->explores ? 12 : 8) + 4) + (size_t)values->effect_room * values->room * 4 +
         (size_t)values->layer_made * (values->room * 4 + sizeof(sfnec_layer)) + values->context_room * 4 +
         (size_t)values->block_room * SFNEC_ROW_PARTS * 4;
}

// An array that keeps what it holds and gets zeros behind.
static void *extend(void *array, size_t old, size_t new, size_t size) {
  char *moved = realloc(array, (new ? new : 1) * size);
  if (moved && new > old) memset(moved + old * size, 0, (new - old) * size);
  return moved;
}

#define EXTEND(array, old, new)                                                                                        \
  do {                                                                                                                 \
    void *moved = extend(array, old, new, sizeof *(array));                                                            \
    if (!moved) return sfnec_fail_memory("the values of a plan");                                                      \
    (array) = moved;                                                                                                   \
  } while (0)

static sfnec_status follow_places(sfnec_values *values) {
  const sfnec_model *model = values->model;
  const size_t actions = (size_t)model->config->action_count;
  const size_t old = values->room, new = model->place_room > values->room ? model->place_room : values->room;
  if (new != old) {
    EXTEND(values->rewards, old * actions, new *actions);
    EXTEND(values->versions, old * actions, new *actions);
    if (values->explores) EXTEND(values->excess, old * actions, new *actions);
    EXTEND(values->base, old, new);
    sfnec_values_free_spare(values, 0); // else they would all grow with the places
    for (uint32_t i = 0; i < values->layer_made; i++) EXTEND(values->layers[i].v, old, new);
  }
  const size_t effects = model->effects.count;
  if (new != old || effects > values->effect_room) {
    const size_t effect_room = effects > values->effect_room ? 2 * effects : values->effect_room;
    float *chances = calloc(effect_room * new + 1, sizeof *chances);
    if (!chances) return sfnec_fail_memory("the values of a plan");
    for (size_t e = 0; e < values->effect_room; e++) {
      memcpy(chances + e * new, values->chances + e * old, old * sizeof *chances);
    }
    free(values->chances);
    values->chances = chances;
    values->effect_room = (uint32_t)effect_room;
  }
  values->room = (uint32_t) new;
  return SFNEC_OK;
}

// A new place begins with the values of the nearest one.
static void settle_places(sfnec_values *values) {
  const sfnec_model *model = values->model;
  const size_t actions = (size_t)model->config->action_count;
  for (uint32_t p = values->place_count; p < model->place_count; p++) {
    const sfnec_place *place = &model->places[p];
    const uint32_t from = place->neighbour_count ? place->neighbours[0] : SFNEC_NONE;
    values->base[p] = 0.0f;
    for (size_t r = p * actions; r < (p + 1) * actions; r++) {
      values->rewards[r] = 0.0f;
      values->versions[r] = 0;
      if (values->excess) values->excess[r] = 0.0f;
    }
    if (from == SFNEC_NONE || from >= p) continue; // it is the first, or its nearest is newer still
    values->base[p] = values->base[from];
    for (uint32_t e = 0; e < values->effect_room; e++) {
      values->chances[(size_t)e * values->room + p] = values->chances[(size_t)e * values->room + from];
    }
    for (uint32_t i = 0; i < values->layer_count; i++) values->layers[i].v[p] = values->layers[i].v[from];
  }
  values->place_count = model->place_count;
}

sfnec_status sfnec_values_follow(sfnec_values *values) {
  const sfnec_model *model = values->model;
  const sfnec_status status = follow_places(values);
  if (status) return status;
  if (model->block_room > values->block_room) {
    EXTEND(values->block_rewards, (size_t)values->block_room * SFNEC_ROW_PARTS,
           (size_t)model->block_room * SFNEC_ROW_PARTS);
    values->block_room = model->block_room;
  }
  settle_places(values);
  return SFNEC_OK;
}

sfnec_status sfnec_values_reset(sfnec_values *values) {
  const size_t slow = values->model->scaling.slow_count;
  sfnec_values_drop_layers(values);
  sfnec_tuples_clear(&values->contexts);
  sfnec_tuples_init(&values->contexts, slow);
  // places have other numbers now
  free(values->chances);
  values->chances = NULL;
  values->effect_room = values->block_room = values->place_count = 0;
  values->start_place = SFNEC_NONE;
  return sfnec_values_follow(values);
}

float sfnec_values_unit(const sfnec_values *values, const double *w) {
  const sfnec_model *model = values->model;
  double unit = 0.0;
  for (size_t i = 0; i < model->config->psi_size; i++) unit += fabs(w[i]) * (double)model->greatest[i];
  return unit > 1e-30 ? sfnec_bounded(unit, SFNEC_REWARD_MOST) : 1.0f;
}

static void weigh(sfnec_values *values, const double *w) {
  const sfnec_model *model = values->model;
  memcpy(values->w, w, model->config->psi_size * sizeof *w);
  values->unit = sfnec_values_unit(values, w);
  const size_t rows = (size_t)values->room * (size_t)model->config->action_count;
  if (rows) memset(values->versions, 0, rows * sizeof *values->versions);
  if (rows && values->excess) memset(values->excess, 0, rows * sizeof *values->excess);
}

void sfnec_values_reweigh(sfnec_values *values, const double *w) {
  weigh(values, w);
  values->model_clock = ++values->clock;
}

sfnec_status sfnec_values_begin(sfnec_values *values, const double *w) {
  sfnec_values_drop_layers(values);
  values->start_value = 0.0f;
  values->clock = values->model_clock = values->sweeps = 0;
  const sfnec_status status = sfnec_values_follow(values);
  if (status) return status;
  weigh(values, w);
  if (values->room) memset(values->base, 0, values->room * sizeof *values->base);
  return SFNEC_OK;
}

// ---- rewards ----

static const double IN_DOUBT = 2.0; // times the most that a known feature brings

double sfnec_values_reward_of(const sfnec_values *values, const float *features) {
  const sfnec_model *model = values->model;
  const size_t n = model->config->psi_size;
  double brought = 0.0;
  for (size_t i = 0; i < n; i++) brought += (double)features[i] * values->w[i];
  if (!values->doubt || !values->explores) return brought;
  double unknown = 0.0, squares = 0.0, size = 0.0, most = 0.0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(values->w[i]) * (double)model->greatest[i]);
    if (features[i] == 0.0f) continue;
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) sum += values->doubt[i * n + j] * (double)features[j];
    unknown += sum * (double)features[i];
    squares += (double)features[i] * (double)features[i];
    if (model->greatest[i] > 0.0f) size = fmax(size, fabs((double)features[i]) / (double)model->greatest[i]);
  }
  if (!(squares > 0.0 && unknown > 0.0)) return brought;
  const double doubt = fmin(1.0, unknown / squares);
  return (1.0 - doubt) * brought + doubt * (most > 1e-30 ? IN_DOUBT * most : 1.0) * fmin(1.0, size);
}

// The bonus now, within what it may be set to.
static float bonus_of(const sfnec_values *values) {
  return values->practises ? 0.0f : fminf((float)values->model->config->options.bonus * values->hope, 1e6f);
}

// How much of the bonus an action deserves: none near what was tried, all from two steps on; where the outcome looks
// random, less and less with the times it was tried. To one that is stuck what may lead out of all that was seen is
// new.
static float novelty(const sfnec_values *values, const sfnec_row *row) {
  const float far = fminf(1.0f, fmaxf(0.0f, (row->distance - 0.5f) / 1.5f));
  const float doubt = (sfnec_model_is_random(values->model) ? 2.0f : 1.0f) * sfnec_model_randomness(values->model);
  const float random = doubt / sqrtf(fmaxf(1.0f, row->seen));
  const float out = row->leaves && values->hope > 1.0f ? 1.0f : 0.0f;
  return fmaxf(fmaxf(fmaxf(far, out), row->forgotten), fminf(1.0f, random));
}

float sfnec_values_caution(const sfnec_values *values, const sfnec_row *row) {
  if (values->explores) return 0.0f;
  return (float)values->model->config->options.caution * values->unit * fminf(1.0f, row->distance);
}

void sfnec_values_rewards(const sfnec_values *values, const sfnec_row *row, const float *features, float *rewards) {
  const size_t n = values->model->config->psi_size;
  const float extra =
      values->explores ? bonus_of(values) * values->unit * novelty(values, row) : -sfnec_values_caution(values, row);
  for (uint32_t p = 0; p < row->part_count; p++, features += n) {
    rewards[p] = sfnec_bounded(sfnec_values_reward_of(values, features), SFNEC_REWARD_MOST) + extra;
  }
}

const float *sfnec_values_row_rewards(sfnec_values *values, size_t at) {
  const sfnec_row *row = &values->model->rows[at];
  float *rewards =
      row->block == SFNEC_NONE ? &values->rewards[at] : &values->block_rewards[(size_t)row->block * SFNEC_ROW_PARTS];
  if (values->versions[at] != row->version) {
    sfnec_values_rewards(values, row, sfnec_row_features(values->model, at), rewards);
    values->versions[at] = row->version;
    if (values->excess) values->excess[at] = 0.0f;
  }
  return rewards;
}

// ---- backups ----

float sfnec_values_terminal(const sfnec_values *values) {
  return values->model->config->options.terminal == SFNEC_TERMINAL_RESTART ? values->start_value : 0.0f;
}

float sfnec_values_unknown(const sfnec_values *values) {
  const sfnec_agent_options *options = &values->model->config->options;
  return (values->explores ? bonus_of(values) : -(float)options->caution) * values->unit;
}

typedef struct sum {
  float rest, own;
} sum;

// Adds a part, with a weight, to the value of an action of a place.
static inline void add_part(const sfnec_values *values, const sfnec_part *part, float weight, float reward,
                            const float *v, bool same_layer, uint32_t place, sum *to) {
  const float gamma = sfnec_model_gamma(values->model);
  float later = 0.0f, own = part->self;
  for (uint32_t i = 0; i < part->count; i++) {
    if (part->places[i] == place && same_layer) {
      own += part->shares[i];
    } else {
      later += part->shares[i] * v[part->places[i]];
    }
  }
  later += part->terminal * sfnec_values_terminal(values);
  to->rest += weight * (reward + gamma * later);
  to->own += weight * own;
}

// Whether a part was seen in a context that agrees with this one where it matters.
static bool applies(const sfnec_model *model, const sfnec_row *row, const sfnec_part *part, const float *context) {
  const float *before = sfnec_tuples_at(&model->contexts, part->before);
  for (size_t i = 0; row->whole && i < model->contexts.size; i++) {
    if (before[i] != context[i]) return false;
  }
  for (uint32_t i = 0; i < row->relevant_count; i++) {
    if (before[row->relevant[i]] != context[row->relevant[i]]) return false;
  }
  return true;
}

uint32_t sfnec_values_variant(const sfnec_values *values, uint32_t layer, const sfnec_row *row,
                              const sfnec_part *parts) {
  if (!sfnec_row_depends(row)) return SFNEC_NONE;
  const float *context = sfnec_tuples_at(&values->contexts, values->layers[layer].context);
  for (uint32_t p = 0; p < row->part_count; p++) {
    const bool first = p == 0 || parts[p].variant != parts[p - 1].variant;
    if (first && applies(values->model, row, &parts[p], context)) return parts[p].variant;
  }
  return SFNEC_NONE;
}

uint32_t sfnec_values_likeliest(const sfnec_values *values, uint32_t layer, const sfnec_row *row,
                                const sfnec_part *parts) {
  const uint32_t variant = sfnec_values_variant(values, layer, row, parts);
  uint32_t likeliest = SFNEC_NONE;
  for (uint32_t p = 0; p < row->part_count; p++) {
    if (variant != SFNEC_NONE && parts[p].variant != variant) continue;
    if (likeliest == SFNEC_NONE || parts[p].weight > parts[likeliest].weight) likeliest = p;
  }
  return likeliest;
}

// Whether what an action does is to be found out first. Where states come again exactly, samples of other places are no
// reason to believe that it is known.
static bool is_unknown(const sfnec_values *values, uint32_t layer, const sfnec_row *row, const sfnec_part *parts) {
  if (row->part_count == 0) return true;
  if (!values->explores || !sfnec_model_repeats(values->model)) return false;
  if (row->distance > sfnec_model_apart(values->model)) return true;
  return sfnec_model_is_lattice(values->model) && sfnec_row_depends(row) &&
         sfnec_values_variant(values, layer, row, parts) == SFNEC_NONE;
}

void sfnec_values_q(sfnec_values *values, uint32_t layer, uint32_t place, const sfnec_row *row, const sfnec_part *parts,
                    const float *rewards, float *rest, float *own) {
  sum total = {0.0f, 0.0f};
  const float gamma = sfnec_model_gamma(values->model);
  if (is_unknown(values, layer, row, parts)) {
    // exploring, it is worth a bonus, and then the task goes on from the start, or from here; else it is to be avoided
    const bool restart = values->explores && values->model->config->options.terminal == SFNEC_TERMINAL_RESTART;
    *rest = sfnec_values_unknown(values) + (restart ? gamma * values->start_value : 0.0f);
    *own = restart ? 0.0f : 1.0f;
    return;
  }
  if (!sfnec_row_depends(row)) {
    add_part(values, parts, 1.0f, rewards[0], values->layers[layer].v, true, place, &total);
  } else {
    const uint32_t variant = sfnec_values_variant(values, layer, row, parts);
    float weights = 0.0f;
    for (uint32_t p = 0; p < row->part_count; p++) {
      if (variant != SFNEC_NONE && parts[p].variant != variant) continue;
      const uint32_t to = sfnec_values_child(values, layer, parts[p].effect);
      const bool again = sfnec_part_is_again(&parts[p], variant, layer, to);
      weights += parts[p].weight;
      add_part(values, &parts[p], parts[p].weight, again ? 0.0f : rewards[p], values->layers[to].v, to == layer, place,
               &total);
    }
    total.rest /= weights;
    total.own /= weights;
  }
  *rest = total.rest;
  *own = fminf(total.own, 1.0f);
}

void sfnec_values_lower(sfnec_values *values, size_t row, float excess) {
  sfnec_values_row_rewards(values, row); // it is that of the row as it is now
  values->excess[row] = fminf(values->excess[row] + excess, SFNEC_EXCESS_MOST);
  values->model_clock = ++values->clock;
}

uint32_t sfnec_values_backup(sfnec_values *values, uint32_t layer, uint32_t place, sfnec_random *ties) {
  const sfnec_model *model = values->model;
  const uint32_t actions = (uint32_t)model->config->action_count;
  const float gamma = sfnec_model_gamma(model);
  if (model->places[place].terminal) {
    values->layers[layer].v[place] = sfnec_values_terminal(values);
    return 0;
  }
  values->backups += actions;
  float best = -INFINITY;
  uint32_t at = 0, tied = 0;
  for (uint32_t a = 0; a < actions; a++) {
    const size_t row = (size_t)place * actions + a;
    const float *rewards = sfnec_values_row_rewards(values, row);
    float rest, own;
    sfnec_values_q(values, layer, place, &model->rows[row], sfnec_row_parts(model, row), rewards, &rest, &own);
    const float q = (rest - (values->excess ? values->excess[row] : 0.0f)) / (1.0f - gamma * own);
    if (q > best) {
      best = q;
      at = a;
      tied = 1;
    } else if (q == best && ties && sfnec_random_below(ties, ++tied) == 0) {
      at = a;
    }
  }
  values->layers[layer].v[place] = best;
  return at;
}
