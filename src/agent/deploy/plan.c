// plan.c: the data of an agent that plans: how observations are read, states, samples, and value tables under the given
// weights. Samples are numbered again, those of a state and action one after the other.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/deploy/deploy.h"
#include "base/error.h"

enum {
  TABLES_MOST = 1 << 14,       // value tables of a policy in C...
  TABLE_VALUES_MOST = 1 << 24, // ...and values in all of them, which are 64 megabytes and some 250 of source; also
                               // where effects lead from them
};

// ---- the plan ----

// What the runtime has no part for is refused, with the option that leaves it out.
static sfnec_status check_parts(const sfnec_agent *agent) {
  const sfnec_planner *planner = agent->planner;
  if (planner->encoder.filter.size > 0) {
    return sfnec_fail(SFNEC_ERROR_STATE, "it estimates where it is from noisy observations, which a policy in C does "
                                         "not: train an agent with filter=off");
  }
  if (agent->policies.config.options.without != SFNEC_WITHOUT_NONE) {
    return sfnec_fail(SFNEC_ERROR_STATE,
                      "its planner lacks a mechanism (option without), which a policy in C has: train "
                      "an agent with all of them");
  }
  return SFNEC_OK;
}

static sfnec_status check_tables(const sfnec_values *values) {
  const sfnec_model *model = values->model;
  const size_t each = model->state_count > model->effects.count ? model->state_count : model->effects.count;
  if (values->table_count <= TABLES_MOST && values->table_count <= TABLE_VALUES_MOST / (each ? each : 1)) {
    return SFNEC_OK;
  }
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "its plan has %" PRIu32 " value tables of %" PRIu32 " states and %" PRIu32
                    " effects, which is too much for a policy in C: train an agent with contexts=off, or with fewer "
                    "states",
                    values->table_count, model->state_count, model->effects.count);
}

// Locates an observation and works on its plan until that is whole, or the backups that are left are made.
static sfnec_status plan_from(sfnec_plan_scratch *scratch, const float *observation, const double *w, int64_t *left) {
  uint32_t table, state;
  sfnec_status status;
  do { // a question may stop before its plan is whole
    const int64_t before = scratch->plan->values.backups;
    if (scratch->most > *left) scratch->most = *left;
    status = sfnec_plan_scratch_locate(scratch, observation, w, &table, &state);
    *left -= scratch->plan->values.backups - before;
  } while (!status && *left > 0 && sfnec_plan_scratch_is_planning(scratch));
  if (*left < 0) *left = 0;
  return status ? status : check_tables(&scratch->plan->values);
}

// Plans from every context that was seen, with as many backups in all as one plan has.
sfnec_status sfnec_deploy_freeze(const sfnec_agent *agent, sfnec_plan_scratch *scratch, const double *w) {
  const sfnec_model *model = sfnec_planner_model(agent->planner);
  int64_t left = agent->policies.config.options.replan_backups;
  float *observation = calloc(agent->policies.config.observation_size, sizeof *observation);
  bool *done = calloc(model->contexts.count + 1, sizeof *done);
  sfnec_status status = observation && done ? SFNEC_OK : sfnec_fail_memory("a policy in C");
  for (uint32_t s = 0; s < model->sample_count && done && !status; s++) {
    const uint32_t context = model->samples[s].before;
    if (done[context]) continue;
    done[context] = true;
    sfnec_model_origin(model, s, observation);
    status = plan_from(scratch, observation, w, &left);
  }
  free(observation), free(done);
  return status;
}

// Makes the tables that effects lead to from those that there are; rollouts may make several effects, one after the
// other.
static sfnec_status close_over(sfnec_plan_scratch *scratch, bool rolls) {
  sfnec_values *values = &scratch->plan->values;
  const uint32_t effects = values->model->effects.count;
  const uint32_t known = values->table_count;
  sfnec_status status = SFNEC_OK;
  for (uint32_t table = 0; table < (rolls ? values->table_count : known) && !status; table++) {
    for (uint32_t effect = 1; effect < effects && !status; effect++) {
      sfnec_values_table_after(values, table, effect);
      status = check_tables(values);
    }
    if (!status) status = sfnec_plan_scratch_check(scratch);
  }
  return status;
}

// ---- reading observations ----

static sfnec_status write_reading(const sfnec_model *model, sfnec_source *source) {
  const sfnec_scaling *scaling = &model->scaling;
  const size_t d = scaling->size;
  int64_t *dropped = calloc(d, sizeof *dropped), *first = calloc(d + 1, sizeof *first);
  int64_t *fast = calloc(d, sizeof *fast), *slow = calloc(d, sizeof *slow);
  float *levels = calloc(d * SFNEC_LEVELS_MOST, sizeof *levels), *scale = calloc(d, sizeof *scale);
  const bool whole = dropped && first && fast && slow && levels && scale;
  for (size_t i = 0; i < d && whole; i++) {
    const sfnec_reading *reading = scaling->readings ? &scaling->readings[i] : NULL;
    const size_t count = reading && !reading->dropped ? reading->level_count : 0;
    dropped[i] = reading && reading->dropped;
    if (count) memcpy(levels + first[i], reading->levels, count * sizeof *levels);
    first[i + 1] = first[i] + (int64_t)count;
  }
  for (size_t i = 0; i < scaling->fast_count && whole; i++) {
    fast[i] = scaling->fast[i];
    scale[i] = scaling->scale[scaling->fast[i]];
  }
  for (size_t i = 0; i < scaling->slow_count && whole; i++) slow[i] = scaling->slow[i];
  if (whole) {
    sfnec_source_count(source, "FAST", (int64_t)scaling->fast_count);
    sfnec_source_count(source, "SLOW", (int64_t)scaling->slow_count);
    sfnec_source_counts(source, "dropped", dropped, d);
    sfnec_source_counts(source, "level_first", first, d + 1);
    sfnec_source_floats(source, "levels", levels, (size_t)first[d], 1, 1);
    sfnec_source_counts(source, "fast", fast, scaling->fast_count);
    sfnec_source_floats(source, "scale", scale, scaling->fast_count, 1, 1);
    sfnec_source_counts(source, "slow", slow, scaling->slow_count);
  }
  free(dropped), free(first), free(fast), free(slow), free(levels), free(scale);
  return whole ? SFNEC_OK : sfnec_fail_memory("a policy in C");
}

// The projection of the fast components, if keys are projections, in the floats that it is computed in.
static sfnec_status write_projection(const sfnec_model *model, sfnec_source *source) {
  const size_t m = model->projects ? model->key_size : 0, fast = model->scaling.fast_count;
  float *bias = calloc(m + 1, sizeof *bias), *directions = calloc(m * fast + 1, sizeof *directions);
  const bool whole = bias && directions;
  if (whole && model->projects) {
    const float *weights = model->embedding->weights, *offset = weights + model->embedding->input * m;
    for (size_t j = 0; j < m; j++) bias[j] = offset[j];
    for (size_t i = 0; i < fast; i++) {
      for (size_t j = 0; j < m; j++) directions[i * m + j] = weights[model->scaling.fast[i] * m + j];
    }
  }
  if (whole) {
    sfnec_source_count(source, "PROJECTS", model->projects);
    sfnec_source_floats(source, "bias", bias, m, 1, 1);
    sfnec_source_floats(source, "directions", directions, m * fast, 1, 1);
  }
  free(bias), free(directions);
  return whole ? SFNEC_OK : sfnec_fail_memory("a policy in C");
}

// ---- states ----

// Writes a field of `count` things as whole numbers.
#define WRITE(what, count, value)                                                                                      \
  do {                                                                                                                 \
    for (uint32_t i = 0; i < (count); i++) numbers[i] = (int64_t)(value);                                              \
    sfnec_source_counts(source, what, numbers, count);                                                                 \
  } while (0)

static size_t width(const sfnec_model *model) {
  return model->key_size ? model->key_size : 1; // without a fast component all keys are one 0
}

static sfnec_status write_states(const sfnec_model *model, sfnec_source *source) {
  const uint32_t states = model->state_count;
  size_t links = 0;
  for (uint32_t i = 0; i < states; i++) links += model->states[i].neighbour_count;
  int64_t *numbers = calloc(states + 1, sizeof *numbers), *neighbours = calloc(links + 1, sizeof *neighbours);
  float *distances = calloc(links + 1, sizeof *distances);
  const bool whole = numbers && neighbours && distances;
  if (whole) {
    WRITE("terminal", states, model->states[i].terminal);
    size_t at = 0;
    for (uint32_t i = 0; i < states; i++) {
      const sfnec_state *state = &model->states[i];
      numbers[i] = (int64_t)at;
      for (uint32_t k = 0; k < state->neighbour_count; k++, at++) {
        neighbours[at] = state->neighbours[k];
        distances[at] = state->distances[k];
      }
    }
    numbers[states] = (int64_t)at;
    sfnec_source_counts(source, "neighbour_first", numbers, states + 1);
    sfnec_source_counts(source, "neighbours", neighbours, links);
    sfnec_source_floats(source, "neighbour_distance", distances, links, 1, 1);
    sfnec_source_floats(source, "keys", model->keys, states, width(model), model->stride);
    sfnec_source_floats(source, "low", model->low, 1, width(model), model->stride);
    sfnec_source_floats(source, "high", model->high, 1, width(model), model->stride);
  }
  free(numbers), free(neighbours), free(distances);
  return whole ? SFNEC_OK : sfnec_fail_memory("a policy in C");
}

// ---- samples ----

// The samples in the order of their states and actions, (sample_count), and where those of each begin.
static void order_samples(const sfnec_model *model, uint32_t *order, int64_t *first) {
  const size_t cells = (size_t)model->state_count * (size_t)model->config->action_count;
  size_t at = 0;
  for (size_t cell = 0; cell < cells; cell++) {
    first[cell] = (int64_t)at;
    for (uint32_t s = model->cells[cell]; s != SFNEC_NONE && at < model->sample_count; s = model->samples[s].sibling) {
      order[at++] = s;
    }
  }
  first[cells] = (int64_t)at;
}

// A row of floats for each sample, in their order.
static void write_rows(sfnec_source *source, const char *what, const float *rows, size_t columns, size_t stride,
                       const uint32_t *order, size_t count, float *scratch) {
  for (size_t i = 0; i < count; i++) memcpy(scratch + i * columns, rows + order[i] * stride, columns * sizeof *rows);
  sfnec_source_floats(source, what, scratch, count, columns, columns);
}

static sfnec_status write_samples(const sfnec_model *model, sfnec_source *source) {
  const size_t cells = (size_t)model->state_count * (size_t)model->config->action_count, n = model->config->psi_size;
  const size_t widest = n > width(model) ? n : width(model);
  uint32_t *order = calloc(model->sample_count + 1, sizeof *order);
  int64_t *first = calloc(cells + 1, sizeof *first), *numbers = calloc(model->sample_count + 1, sizeof *numbers);
  float *scratch = calloc(model->sample_count * widest + 1, sizeof *scratch);
  const bool whole = order && first && numbers && scratch;
  if (whole) {
    order_samples(model, order, first);
    const uint32_t count = (uint32_t)first[cells];
    const sfnec_sample *samples = model->samples;
    const size_t outputs = model->polynomial.terms > 0 ? model->polynomial.size : 0;
    sfnec_source_counts(source, "cells", first, cells + 1);
    WRITE("sample_state", count, samples[order[i]].state);
    WRITE("sample_target", count, samples[order[i]].target);
    WRITE("sample_before", count, samples[order[i]].before);
    WRITE("sample_effect", count, samples[order[i]].effect);
    WRITE("sample_ends", count, samples[order[i]].terminated);
    WRITE("sample_count", count, samples[order[i]].count);
    write_rows(source, "origins", model->origins, width(model), model->stride, order, count, scratch);
    write_rows(source, "targets", model->targets, width(model), model->stride, order, count, scratch);
    write_rows(source, "sample_features", model->sample_features, n, n, order, count, scratch);
    if (outputs) write_rows(source, "expected", model->expected, outputs, outputs, order, count, scratch);
    else sfnec_source_floats(source, "expected", NULL, 0, 1, 1);
  }
  free(order), free(first), free(numbers), free(scratch);
  return whole ? SFNEC_OK : sfnec_fail_memory("a policy in C");
}

static void write_polynomial(const sfnec_polynomial *polynomial, sfnec_source *source) {
  const size_t size = polynomial->terms > 0 ? polynomial->size : 0;
  sfnec_source_count(source, "TERMS", (int64_t)polynomial->terms);
  sfnec_source_count(source, "DEGREE", polynomial->terms > 0 ? polynomial->degree : 0);
  sfnec_source_floats(source, "middle", polynomial->middle, size, 1, 1);
  sfnec_source_floats(source, "narrow", polynomial->narrow, size, 1, 1);
  sfnec_source_floats(source, "polynomial_weights", polynomial->weights, polynomial->actions * polynomial->terms * size,
                      1, 1);
}

// ---- values ----

static sfnec_status write_values(const sfnec_values *values, sfnec_source *source) {
  const sfnec_model *model = values->model;
  const size_t slow = model->scaling.slow_count, states = model->state_count, tables = values->table_count;
  const uint32_t effects = model->effects.count ? model->effects.count : 1;
  float *v = calloc(tables * states + 1, sizeof *v), *contexts = calloc(tables * slow + 1, sizeof *contexts);
  int64_t *children = calloc(tables * effects + 1, sizeof *children), *planned = calloc(tables + 1, sizeof *planned);
  const bool whole = v && contexts && children && planned;
  for (size_t t = 0; t < tables && whole; t++) {
    const sfnec_value_table *table = &values->tables[t];
    planned[t] = table->swept >= 0;
    memcpy(v + t * states, table->v, states * sizeof *v);
    if (slow) memcpy(contexts + t * slow, sfnec_tuples_at(&values->contexts, table->context), slow * sizeof *contexts);
    for (uint32_t e = 0; e < effects; e++) {
      const bool known = e > 0 && e < table->effect_room && table->children[e] != SFNEC_NONE;
      children[t * effects + e] = known ? table->children[e] : (int64_t)t;
    }
  }
  if (whole) {
    sfnec_source_count(source, "TABLES", (int64_t)tables);
    sfnec_source_count(source, "EFFECTS", effects);
    sfnec_source_floats(source, "values_of", v, tables * states, 1, 1);
    sfnec_source_floats(source, "contexts", contexts, tables * slow, 1, 1);
    sfnec_source_counts(source, "planned", planned, tables);
    sfnec_source_counts(source, "children", children, tables * effects);
    sfnec_source_floats(source, "effects", model->effects.items, model->effects.count * slow, 1, 1);
    sfnec_source_floats(source, "seen_contexts", model->contexts.items, model->contexts.count * slow, 1, 1);
    sfnec_source_doubles(source, "w", values->w, model->config->psi_size);
  }
  free(v), free(contexts), free(children), free(planned);
  return whole ? SFNEC_OK : sfnec_fail_memory("a policy in C");
}

// The masks that the agent saw, and which of them, counted from 1, holds in each state of each table; 0: none. Only
// rollouts look there: elsewhere the caller says what is allowed.
static sfnec_status write_masks(const sfnec_values *values, sfnec_source *source) {
  const sfnec_masks *masks = values->masks;
  const size_t states = values->model->state_count, actions = (size_t)values->model->config->action_count;
  const bool rolls = sfnec_plan_rollout_steps(values->model) > 0;
  const size_t count = rolls ? masks->count : 0, cells = count ? values->table_count * states : 0;
  const size_t allowed = count * actions;
  int64_t *seen = calloc(cells + 1, sizeof *seen), *bytes = calloc(allowed + 1, sizeof *bytes);
  const bool whole = seen && bytes;
  for (size_t i = 0; i < cells && whole; i++) {
    const uint8_t *mask = sfnec_values_mask(values, (uint32_t)(i / states), (uint32_t)(i % states));
    seen[i] = mask ? (mask - masks->allowed) / (ptrdiff_t)actions + 1 : 0;
  }
  for (size_t i = 0; i < allowed && whole; i++) bytes[i] = masks->allowed[i];
  if (whole) {
    sfnec_source_count(source, "MASKS", (int64_t)count);
    sfnec_source_counts(source, "mask", seen, cells);
    sfnec_source_counts(source, "masks", bytes, allowed);
  }
  free(seen), free(bytes);
  return whole ? SFNEC_OK : sfnec_fail_memory("a policy in C");
}

static void write_constants(const sfnec_values *values, sfnec_source *source) {
  const sfnec_model *model = values->model;
  const sfnec_agent_options *options = &model->config->options;
  sfnec_source_count(source, "KEY", (int64_t)width(model));
  sfnec_source_count(source, "STATES", model->state_count);
  sfnec_source_count(source, "SAMPLES_USED", options->neighbours);
  sfnec_source_count(source, "INTERPOLATION", options->interpolation);
  sfnec_source_count(source, "TABULAR", sfnec_model_is_tabular(model));
  sfnec_source_count(source, "CELLS_ALONE", sfnec_model_has_cells(model));
  sfnec_source_count(source, "SMOOTH", model->smooth);
  sfnec_source_count(source, "RANDOM", sfnec_model_is_random(model));
  sfnec_source_count(source, "SURPRISED", model->surprises > 0.0);
  sfnec_source_count(source, "ROLLOUT_STEPS", sfnec_plan_rollout_steps(model));
  sfnec_source_float(source, "RANDOMNESS", sfnec_model_randomness(model));
  sfnec_source_float(source, "STEP", model->step);
  sfnec_source_float(source, "RADIUS", model->radius);
  sfnec_source_float(source, "COINCIDENCE", sfnec_model_coincidence(model));
  sfnec_source_float(source, "REACH", (float)options->sample_reach * model->step);
  sfnec_source_float(source, "GAMMA", sfnec_model_gamma(model));
  sfnec_source_float(source, "PESSIMISM", (float)options->pessimism * values->reward_scale);
  sfnec_source_float(source, "UNKNOWN", sfnec_values_unknown(values));
  sfnec_source_float(source, "END", sfnec_values_terminal(values));
  sfnec_source_double(source, "ENOUGH", (double)(SFNEC_SWEEP_TOLERANCE * values->reward_scale));
  sfnec_source_floats(source, "greatest", model->greatest, model->config->psi_size, 1, 1);
}

// ---- costs ----

static uint32_t add_samples(const sfnec_model *model, uint32_t state, uint32_t action, uint32_t *samples,
                            uint32_t count) {
  const size_t cell = (size_t)state * (size_t)model->config->action_count + action;
  for (uint32_t s = model->cells[cell]; s != SFNEC_NONE && count < SFNEC_SHARES; s = model->samples[s].sibling) {
    samples[count++] = s;
  }
  return count;
}

// The most samples with one origin, of which a prediction may follow all; two origins that a key is at are no further
// apart than twice that.
static uint32_t most_alike(const sfnec_model *model, const uint32_t *samples, uint32_t count) {
  const float alike = 4.0f * SFNEC_SAME_SQUARED * model->step * model->step;
  uint32_t most = 0;
  for (uint32_t i = 0; i < count; i++) {
    float squared[SFNEC_SHARES];
    uint32_t same = 0;
    model->config->simd->scattered_distances(model->origins + samples[i] * model->stride, model->origins, model->stride,
                                             samples, count, model->stride, squared);
    for (uint32_t j = 0; j < count; j++) same += squared[j] <= alike;
    if (same > most) most = same;
  }
  return most;
}

// The most samples that a prediction looks at, and the most that it follows, over all states and actions.
static void count_samples(const sfnec_model *model, uint32_t *found, uint32_t *followed) {
  const uint32_t conditions = SFNEC_CONDITIONS * (uint32_t)model->config->options.neighbours;
  *found = *followed = 0;
  for (uint32_t p = 0; p < model->state_count; p++) {
    for (uint32_t a = 0; a < (uint32_t)model->config->action_count; a++) {
      uint32_t samples[SFNEC_SHARES], count = add_samples(model, p, a, samples, 0);
      for (uint32_t i = 0; i < model->states[p].neighbour_count; i++) {
        count = add_samples(model, model->states[p].neighbours[i], a, samples, count);
      }
      uint32_t follows = count < conditions ? count : conditions;
      if (count > conditions) {
        const uint32_t alike = most_alike(model, samples, count);
        if (alike > follows) follows = alike;
      }
      if (count > *found) *found = count;
      if (follows > *followed) *followed = follows;
    }
  }
}

static void price(const sfnec_model *model, sfnec_deploy_cost *cost) {
  const double actions = (double)model->config->action_count, states = (double)model->state_count;
  const double steps = (double)sfnec_plan_rollout_steps(model);
  const double interpolated = model->smooth ? (double)model->config->options.interpolation : 0.0;
  uint32_t links = 0, found, followed;
  for (uint32_t p = 0; p < model->state_count; p++) {
    if (model->states[p].neighbour_count > links) links = model->states[p].neighbour_count;
  }
  count_samples(model, &found, &followed);
  // of each sample that is followed: the states around its goal, those to each other, the key, whether it ends there
  const double each = 1.0 + (double)links + interpolated * interpolated + 2.0;
  const double prediction = (double)found + (double)followed * each;
  cost->per = "act or q (tell: twice that, and one prediction more)";
  cost->distances =
      states + (steps > 0 ? actions * steps * (states + (actions + 1.0) * prediction) : actions * prediction);
  cost->multiplies = (steps > 0 ? actions * steps * (actions + 1.0) : actions) *
                     (double)(model->polynomial.terms * model->polynomial.size + model->polynomial.terms);
}

sfnec_status sfnec_deploy_plan(const sfnec_agent *agent, const double *w, sfnec_source *source,
                               sfnec_deploy_cost *cost) {
  const sfnec_model *model = sfnec_planner_model(agent->planner);
  if (!model->fitted || model->sample_count == 0) {
    return sfnec_fail(SFNEC_ERROR_STATE, "its model has no states yet: train it for more than %d steps first",
                      SFNEC_PLAN_WARM_UP);
  }
  sfnec_plan_scratch *scratch = NULL;
  sfnec_status status = check_parts(agent);
  if (!status) status = sfnec_plan_scratch_create(agent->planner, &scratch);
  if (!status) status = sfnec_deploy_freeze(agent, scratch, sfnec_agent_weights(agent, w));
  if (!status) status = close_over(scratch, sfnec_plan_rollout_steps(model) > 0);
  if (!status) {
    write_constants(&scratch->plan->values, source);
    write_polynomial(&model->polynomial, source);
    status = write_reading(model, source);
  }
  if (!status) status = write_projection(model, source);
  if (!status) status = write_states(model, source);
  if (!status) status = write_samples(model, source);
  if (!status) status = write_values(&scratch->plan->values, source);
  if (!status) status = write_masks(&scratch->plan->values, source);
  sfnec_plan_scratch_destroy(scratch);
  if (status) return status;
  const size_t actions = (size_t)agent->shape.action_count, n = model->config->psi_size;
  price(model, cost);
  cost->state_bytes = 8 * (1 + actions) + SFNEC_CORRECTIONS * 40 + 4 * (6 + SFNEC_PREDICTION_OUTCOMES) +
                      4 * (model->config->observation_size + 3 * width(model) + 3 * actions) + actions +
                      4 * SFNEC_PREDICTION_OUTCOMES * (n + width(model)) + 8;
  return SFNEC_OK;
}
