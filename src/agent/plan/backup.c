// backup.c: the value of an action: its reward under the weights, with the bonus or the pessimism that the prediction
// deserves, and the discounted values of its outcomes; and the Bellman optimality backup of a state. See values.h.
#include "agent/plan/values.h"

#include <math.h>

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
    const float reward = rewards[0] + sfnec_values_other(values, table, outcomes);
    add_outcome(values, outcomes, 1.0f, reward, values->tables[table].v, true, state, &total);
  } else {
    const uint32_t condition = sfnec_values_condition(values, table, prediction, outcomes);
    float weights = 0.0f;
    for (uint32_t p = 0; p < prediction->outcome_count; p++) {
      if (condition != SFNEC_NONE && outcomes[p].condition != condition) continue;
      const uint32_t to = sfnec_values_table_after(values, table, outcomes[p].effect);
      const bool again = sfnec_outcome_is_again(&outcomes[p], condition, table, to);
      const float reward = again ? 0.0f : rewards[p] + sfnec_values_other(values, table, &outcomes[p]);
      weights += outcomes[p].weight;
      add_outcome(values, &outcomes[p], outcomes[p].weight, reward, values->tables[to].v, to == table, state, &total);
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
