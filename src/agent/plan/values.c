// values.c: see values.h.
#include "agent/plan/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// ---- life ----

sfnec_status sfnec_values_init(sfnec_values *values, const sfnec_model *model, const sfnec_masks *masks,
                               bool explores) {
  *values = (sfnec_values){.model = model,
                           .masks = masks,
                           .explores = explores,
                           .reward_scale = 1.0f,
                           .optimism = 1.0f,
                           .start_state = SFNEC_NONE};
  values->w = calloc(model->config->psi_size, sizeof *values->w);
  values->tuple = calloc(model->config->observation_size, sizeof *values->tuple);
  return values->w && values->tuple ? SFNEC_OK : sfnec_fail_memory("the values of a plan");
}

void sfnec_values_clear(sfnec_values *values) {
  sfnec_values_drop_tables(values);
  sfnec_values_free_spare(values, 0);
  sfnec_tuples_clear(&values->contexts);
  free(values->tuple);
  free(values->w), free(values->rewards), free(values->versions), free(values->overestimate),
      free(values->block_rewards);
  free(values->tables), free(values->table_of), free(values->base), free(values->chances);
  *values = (sfnec_values){0};
}

// A block of its own with what an array holds; NULL for NULL, and without memory.
static void *copy_of(const void *array, size_t count, size_t size) {
  void *copy = array ? malloc((count ? count : 1) * size) : NULL;
  if (copy) memcpy(copy, array, count * size);
  return copy;
}

#define COPY(array, count)                                                                                             \
  do {                                                                                                                 \
    out->array = copy_of(values->array, count, sizeof *out->array);                                                    \
    whole &= out->array || !values->array;                                                                             \
  } while (0)

sfnec_status sfnec_values_copy(const sfnec_values *values, sfnec_values *out) {
  const size_t predictions = values->room * (size_t)values->model->config->action_count;
  *out = *values;
  out->tables = NULL, out->table_of = NULL;
  out->table_count = out->table_made = out->table_room = out->context_room = 0;
  bool whole = !sfnec_tuples_copy(&values->contexts, &out->contexts);
  COPY(w, values->model->config->psi_size);
  COPY(tuple, values->model->config->observation_size);
  COPY(rewards, predictions);
  COPY(versions, predictions);
  COPY(overestimate, predictions);
  COPY(block_rewards, (size_t)values->block_room * SFNEC_PREDICTION_OUTCOMES);
  COPY(base, values->room);
  COPY(chances, (size_t)values->effect_room * values->room);
  if (whole) return SFNEC_OK;
  sfnec_values_clear(out);
  return sfnec_fail_memory("the values of a plan");
}

size_t sfnec_values_bytes(const sfnec_values *values) {
  const size_t actions = (size_t)values->model->config->action_count;
  size_t children = 0;
  for (uint32_t i = 0; i < values->table_made; i++) children += values->tables[i].effect_room;
  return children * sizeof(uint32_t) + sfnec_tuples_bytes(&values->contexts) +
         values->room * (actions * (values->explores ? 12 : 8) + 4) + (size_t)values->effect_room * values->room * 4 +
         (size_t)values->table_made * (values->room * 4 + sizeof(sfnec_value_table)) + values->context_room * 4 +
         (size_t)values->block_room * SFNEC_PREDICTION_OUTCOMES * 4;
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

static sfnec_status follow_states(sfnec_values *values) {
  const sfnec_model *model = values->model;
  const size_t actions = (size_t)model->config->action_count;
  const size_t old = values->room, new = model->state_room > values->room ? model->state_room : values->room;
  if (new != old) {
    EXTEND(values->rewards, old * actions, new *actions);
    EXTEND(values->versions, old * actions, new *actions);
    if (values->explores) EXTEND(values->overestimate, old * actions, new *actions);
    EXTEND(values->base, old, new);
    sfnec_values_free_spare(values, 0); // else they would all grow with the states
    for (uint32_t i = 0; i < values->table_made; i++) EXTEND(values->tables[i].v, old, new);
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

// A new state begins with the values of the nearest one.
static void settle_states(sfnec_values *values) {
  const sfnec_model *model = values->model;
  const size_t actions = (size_t)model->config->action_count;
  for (uint32_t p = values->state_count; p < model->state_count; p++) {
    const sfnec_state *state = &model->states[p];
    const bool inherits = state->neighbour_count && sfnec_model_uses(model, SFNEC_WITHOUT_INHERITANCE);
    const uint32_t from = inherits ? state->neighbours[0] : SFNEC_NONE;
    values->base[p] = 0.0f;
    for (size_t r = p * actions; r < (p + 1) * actions; r++) {
      values->rewards[r] = 0.0f;
      values->versions[r] = 0;
      if (values->overestimate) values->overestimate[r] = 0.0f;
    }
    if (from == SFNEC_NONE || from >= p) continue; // it is the first, or its nearest is newer still
    values->base[p] = values->base[from];
    for (uint32_t e = 0; e < values->effect_room; e++) {
      values->chances[(size_t)e * values->room + p] = values->chances[(size_t)e * values->room + from];
    }
    for (uint32_t i = 0; i < values->table_count; i++) values->tables[i].v[p] = values->tables[i].v[from];
  }
  values->state_count = model->state_count;
}

sfnec_status sfnec_values_follow(sfnec_values *values) {
  const sfnec_model *model = values->model;
  const sfnec_status status = follow_states(values);
  if (status) return status;
  if (model->block_room > values->block_room) {
    EXTEND(values->block_rewards, (size_t)values->block_room * SFNEC_PREDICTION_OUTCOMES,
           (size_t)model->block_room * SFNEC_PREDICTION_OUTCOMES);
    values->block_room = model->block_room;
  }
  settle_states(values);
  return SFNEC_OK;
}

sfnec_status sfnec_values_reset(sfnec_values *values) {
  const size_t slow = values->model->scaling.slow_count;
  sfnec_values_drop_tables(values);
  sfnec_tuples_clear(&values->contexts);
  sfnec_tuples_init(&values->contexts, slow);
  // states have other numbers now
  free(values->chances);
  values->chances = NULL;
  values->effect_room = values->block_room = values->state_count = 0;
  values->start_state = SFNEC_NONE;
  values->planning = (sfnec_planning){.stage = SFNEC_STAGE_NONE};
  return sfnec_values_follow(values);
}

float sfnec_values_reward_scale(const sfnec_values *values, const double *w) {
  const sfnec_model *model = values->model;
  double reward_scale = 0.0;
  for (size_t i = 0; i < model->config->psi_size; i++) reward_scale += fabs(w[i]) * (double)model->greatest[i];
  return reward_scale > SFNEC_GREATEST_LEAST ? sfnec_bounded(reward_scale, SFNEC_REWARD_MOST) : 1.0f;
}

static void weigh(sfnec_values *values, const double *w) {
  const sfnec_model *model = values->model;
  memcpy(values->w, w, model->config->psi_size * sizeof *w);
  values->reward_scale = sfnec_values_reward_scale(values, w);
  const size_t predictions = (size_t)values->room * (size_t)model->config->action_count;
  if (predictions) memset(values->versions, 0, predictions * sizeof *values->versions);
  if (predictions && values->overestimate) memset(values->overestimate, 0, predictions * sizeof *values->overestimate);
}

void sfnec_values_reweigh(sfnec_values *values, const double *w) {
  weigh(values, w);
  values->model_clock = ++values->clock;
}

sfnec_status sfnec_values_begin(sfnec_values *values, const double *w) {
  sfnec_values_drop_tables(values);
  values->start_value = 0.0f;
  values->clock = values->model_clock = values->sweeps = 0;
  const sfnec_status status = sfnec_values_follow(values);
  if (status) return status;
  weigh(values, w);
  if (values->room) memset(values->base, 0, values->room * sizeof *values->base);
  return SFNEC_OK;
}

// ---- rewards ----

double sfnec_values_reward_of(const sfnec_values *values, const float *features) {
  const sfnec_model *model = values->model;
  const size_t n = model->config->psi_size;
  double brought = 0.0;
  for (size_t i = 0; i < n; i++) brought += (double)features[i] * values->w[i];
  if (!values->uncertainty || !values->explores) return brought;
  double unknown = 0.0, squares = 0.0, size = 0.0, most = 0.0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(values->w[i]) * (double)model->greatest[i]);
    if (features[i] == 0.0f) continue;
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) sum += values->uncertainty[i * n + j] * (double)features[j];
    unknown += sum * (double)features[i];
    squares += (double)features[i] * (double)features[i];
    if (model->greatest[i] > 0.0f) size = fmax(size, fabs((double)features[i]) / (double)model->greatest[i]);
  }
  if (!(squares > 0.0 && unknown > 0.0)) return brought;
  const double uncertainty = fmin(1.0, unknown / squares);
  return (1.0 - uncertainty) * brought +
         uncertainty * (most > SFNEC_GREATEST_LEAST ? SFNEC_IN_DOUBT * most : 1.0) * fmin(1.0, size);
}

// The bonus now, within what it may be set to.
static float bonus_of(const sfnec_values *values) {
  return values->exploits ? 0.0f
                          : fminf((float)values->model->config->options.bonus * values->optimism, SFNEC_BONUS_MOST);
}

// How much of the bonus an action deserves: none near what was tried, all from two steps on; where the outcome looks
// random, less and less with the times it was tried.
static float novelty(const sfnec_values *values, const sfnec_prediction *prediction) {
  const float far = fminf(1.0f, fmaxf(0.0f, (prediction->distance - SFNEC_NOVEL_FROM) / SFNEC_NOVEL_OVER));
  const float uncertainty =
      (sfnec_model_is_random(values->model) ? SFNEC_RANDOM_NOVELTY : 1.0f) * sfnec_model_randomness(values->model);
  const bool counts = sfnec_model_uses(values->model, SFNEC_WITHOUT_NOVELTY_BY_CHANCE);
  const float random = counts ? uncertainty / sqrtf(fmaxf(1.0f, prediction->seen)) : 0.0f;
  return fmaxf(fmaxf(far, prediction->forgotten), fminf(1.0f, random));
}

float sfnec_values_pessimism(const sfnec_values *values, const sfnec_prediction *prediction) {
  if (values->explores) return 0.0f;
  return (float)values->model->config->options.pessimism * values->reward_scale * fminf(1.0f, prediction->distance);
}

void sfnec_values_rewards(const sfnec_values *values, const sfnec_prediction *prediction, const float *features,
                          float *rewards) {
  const size_t n = values->model->config->psi_size;
  const float extra = values->explores ? bonus_of(values) * values->reward_scale * novelty(values, prediction)
                                       : -sfnec_values_pessimism(values, prediction);
  for (uint32_t p = 0; p < prediction->outcome_count; p++, features += n) {
    rewards[p] = sfnec_bounded(sfnec_values_reward_of(values, features), SFNEC_REWARD_MOST) + extra;
  }
}

void sfnec_values_make_rewards(sfnec_values *values, size_t at, float *rewards) {
  const sfnec_prediction *prediction = &values->model->predictions[at];
  sfnec_values_rewards(values, prediction, sfnec_prediction_features(values->model, at), rewards);
  values->versions[at] = prediction->version;
  if (values->overestimate) values->overestimate[at] = 0.0f;
}

// ---- backups ----

float sfnec_values_terminal(const sfnec_values *values) {
  return values->model->config->options.terminal == SFNEC_TERMINAL_RESTART ? values->start_value : 0.0f;
}

float sfnec_values_unknown(const sfnec_values *values) {
  const sfnec_agent_options *options = &values->model->config->options;
  return (values->explores ? bonus_of(values) : -(float)options->pessimism) * values->reward_scale;
}

typedef struct sum {
  float rest, own;
} sum;

// Adds an outcome, with a weight, to the value of an action of a state.
static inline void add_outcome(const sfnec_values *values, const sfnec_outcome *outcome, float weight, float reward,
                               const float *v, bool same_table, uint32_t state, sum *to) {
  const float gamma = sfnec_model_gamma(values->model);
  float later = 0.0f, own = outcome->self;
  for (uint32_t i = 0; i < outcome->count; i++) {
    if (outcome->states[i] == state && same_table) {
      own += outcome->shares[i];
    } else {
      later += outcome->shares[i] * v[outcome->states[i]];
    }
  }
  later += outcome->terminal * sfnec_values_terminal(values);
  to->rest += weight * (reward + gamma * later);
  to->own += weight * own;
}

// Whether a context in which something was seen agrees with this one where it matters.
static bool applies(const sfnec_model *model, const sfnec_prediction *prediction, uint32_t seen, const float *context) {
  const float *before = sfnec_tuples_at(&model->contexts, seen);
  for (size_t i = 0; prediction->whole && i < model->contexts.size; i++) {
    if (before[i] != context[i]) return false;
  }
  for (uint32_t i = 0; i < prediction->relevant_count; i++) {
    if (before[prediction->relevant[i]] != context[prediction->relevant[i]]) return false;
  }
  return true;
}

uint32_t sfnec_values_condition(const sfnec_values *values, uint32_t table, const sfnec_prediction *prediction,
                                const sfnec_outcome *outcomes) {
  if (!sfnec_prediction_depends(prediction)) return SFNEC_NONE;
  const float *context = sfnec_tuples_at(&values->contexts, values->tables[table].context);
  for (uint32_t p = 0; p < prediction->outcome_count; p++) {
    const bool first = p == 0 || outcomes[p].condition != outcomes[p - 1].condition;
    if (first && applies(values->model, prediction, outcomes[p].before, context)) return outcomes[p].condition;
  }
  return SFNEC_NONE;
}

uint32_t sfnec_values_likeliest(const sfnec_values *values, uint32_t table, const sfnec_prediction *prediction,
                                const sfnec_outcome *outcomes) {
  const uint32_t condition = sfnec_values_condition(values, table, prediction, outcomes);
  uint32_t likeliest = SFNEC_NONE;
  for (uint32_t p = 0; p < prediction->outcome_count; p++) {
    if (condition != SFNEC_NONE && outcomes[p].condition != condition) continue;
    if (likeliest == SFNEC_NONE || outcomes[p].weight > outcomes[likeliest].weight) likeliest = p;
  }
  return likeliest;
}

// Whether what an action does is to be found out first. Where states come again exactly, samples of other states are no
// reason to believe that it is known.
static bool is_unknown(const sfnec_values *values, uint32_t table, const sfnec_prediction *prediction,
                       const sfnec_outcome *outcomes) {
  if (prediction->outcome_count == 0) return true;
  if (!values->explores || !sfnec_model_repeats(values->model)) return false;
  const bool tried = prediction->distance <= sfnec_model_apart(values->model);
  if (!tried && sfnec_model_uses(values->model, SFNEC_WITHOUT_TRIED)) return true;
  if (outcomes->terminal > 0.5f && prediction->seen < sfnec_model_known_end(values->model)) return true;
  return sfnec_model_is_tabular(values->model) && sfnec_model_uses(values->model, SFNEC_WITHOUT_TRIED_CONTEXT) &&
         sfnec_prediction_depends(prediction) &&
         sfnec_values_condition(values, table, prediction, outcomes) == SFNEC_NONE;
}

void sfnec_values_q(sfnec_values *values, uint32_t table, uint32_t state, const sfnec_prediction *prediction,
                    const sfnec_outcome *outcomes, const float *rewards, float *rest, float *own) {
  sum total = {0.0f, 0.0f};
  const float gamma = sfnec_model_gamma(values->model);
  if (is_unknown(values, table, prediction, outcomes)) {
    // exploring, it is worth a bonus, and the task continues from the start, or from here; else it is to be avoided
    const bool restart = values->explores && values->model->config->options.terminal == SFNEC_TERMINAL_RESTART;
    *rest = sfnec_values_unknown(values) + (restart ? gamma * values->start_value : 0.0f);
    *own = restart ? 0.0f : 1.0f;
    return;
  }
  if (!sfnec_prediction_depends(prediction)) {
    add_outcome(values, outcomes, 1.0f, rewards[0], values->tables[table].v, true, state, &total);
  } else {
    const uint32_t condition = sfnec_values_condition(values, table, prediction, outcomes);
    float weights = 0.0f;
    for (uint32_t p = 0; p < prediction->outcome_count; p++) {
      if (condition != SFNEC_NONE && outcomes[p].condition != condition) continue;
      const uint32_t to = sfnec_values_table_after(values, table, outcomes[p].effect);
      const bool again = sfnec_outcome_is_again(&outcomes[p], condition, table, to);
      weights += outcomes[p].weight;
      add_outcome(values, &outcomes[p], outcomes[p].weight, again ? 0.0f : rewards[p], values->tables[to].v,
                  to == table, state, &total);
    }
    total.rest /= weights;
    total.own /= weights;
  }
  *rest = sfnec_value_bounded(total.rest);
  *own = fminf(total.own, 1.0f);
}

// What may follow, with a probability.
typedef struct moments {
  double weight, mean, squares;
} moments;

static void add_target(moments *all, double weight, double target) {
  if (!(weight > 0.0)) return;
  all->weight += weight;
  const double away = target - all->mean;
  all->mean += away * weight / all->weight;
  all->squares += weight * away * (target - all->mean);
}

double sfnec_values_variance(sfnec_values *values, uint32_t table, const sfnec_prediction *prediction,
                             const sfnec_sample_share *shares, uint32_t count) {
  const sfnec_model *model = values->model;
  const float gamma = sfnec_model_gamma(model);
  const double enough = (double)(SFNEC_SWEEP_TOLERANCE * values->reward_scale); // what planning leaves
  moments all = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < count; i++) {
    const sfnec_sample *sample = &model->samples[shares[i].sample];
    const float *context = sfnec_tuples_at(&values->contexts, values->tables[table].context);
    if (sfnec_prediction_depends(prediction) && !applies(model, prediction, sample->before, context)) continue;
    const uint32_t to = sfnec_values_table_after(values, table, sample->effect);
    const float here = values->tables[table].v[sample->state];
    const float next = sample->terminated ? sfnec_values_terminal(values) : values->tables[to].v[sample->target];
    const float *features = model->sample_features + (size_t)shares[i].sample * model->config->psi_size;
    add_target(&all, (double)shares[i].weight,
               sfnec_values_reward_of(values, features) + (double)(gamma * next - here));
  }
  return enough * enough + (all.weight > 0.0 ? all.squares / all.weight : 0.0);
}

void sfnec_values_lower(sfnec_values *values, size_t prediction, float overestimate) {
  sfnec_values_prediction_rewards(values, prediction); // it is that of the prediction as it is now
  values->overestimate[prediction] = fminf(values->overestimate[prediction] + overestimate, SFNEC_OVERESTIMATE_MOST);
  values->model_clock = ++values->clock;
}

uint32_t sfnec_values_backup(sfnec_values *values, uint32_t table, uint32_t state, sfnec_random *ties) {
  const sfnec_model *model = values->model;
  const uint32_t actions = (uint32_t)model->config->action_count;
  const float gamma = sfnec_model_gamma(model);
  if (model->states[state].terminal) {
    values->tables[table].v[state] = sfnec_values_terminal(values);
    return 0;
  }
  values->backups += actions;
  const uint8_t *mask = sfnec_values_mask(values, table, state);
  sfnec_argmax best = sfnec_argmax_begin(mask);
  for (uint32_t a = 0; a < actions; a++) {
    if (!sfnec_mask_allows(mask, a)) continue;
    const size_t prediction = (size_t)state * actions + a;
    const float *rewards = sfnec_values_prediction_rewards(values, prediction);
    float rest, own;
    sfnec_values_q(values, table, state, &model->predictions[prediction], sfnec_prediction_outcomes(model, prediction),
                   rewards, &rest, &own);
    const float q = (rest - (values->overestimate ? values->overestimate[prediction] : 0.0f)) / (1.0f - gamma * own);
    sfnec_argmax_offer(&best, a, (double)q, ties);
  }
  values->tables[table].v[state] = sfnec_value_bounded((float)best.most);
  return best.action;
}
