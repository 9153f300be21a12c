// plan_file.c: a planner in a file: its model (model_file.c) and the plan as it stands, so that a loaded planner
// resumes bit for bit. Values follow from what was known when they were made, not from what is known now; so they are
// saved too.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/internal.h"
#include "agent/plan/numbers.h"
#include "base/error.h"
#include "base/fields.h"

// Bits besides in_episode: the file has the optimism, the overestimates, when the planner earned something, the
// encoder, what planning, a refit and a search for noise are in the middle of, masks of actions, and an estimate under
// noise. Older files lack some of them.
enum {
  HAS_OPTIMISM = 2,
  HAS_OVERESTIMATE = 4,
  HAS_EARNED = 8,
  HAS_ENCODER = 16,
  HAS_PLANNING = 32,
  HAS_REFIT = 64,
  HAS_MASKS = 128,
  HAS_BELIEF = 256,
  HAS_SEARCH = 512,
};

// Whether there is an estimate that goes on.
static bool believes(const sfnec_planner *planner) {
  const sfnec_filter *filter = &planner->encoder.filter;
  return filter->size > 0 && planner->belief.version == filter->version;
}

// ---- the plan ----

// Writes what there is of an array, and zeros: values that there was no memory for are made when there is.
static void write_known(sfnec_writer *writer, const float *floats, size_t known, size_t count) {
  for (size_t i = 0; i < count; i++) plan_write_f32(writer, i < known ? floats[i] : 0.0f);
}

// The same for a number of each state (NULL: zeros). A state that there was no memory for has that of the one it will
// begin with (values.c).
static void write_settled(sfnec_writer *writer, const sfnec_values *values, const float *floats) {
  const sfnec_model *model = values->model;
  for (uint32_t p = 0; p < model->state_count; p++) {
    uint32_t as = p;
    while (as != SFNEC_NONE && as >= values->state_count) {
      const sfnec_state *state = &model->states[as];
      as = state->neighbour_count && state->neighbours[0] < as ? state->neighbours[0] : SFNEC_NONE;
    }
    plan_write_f32(writer, floats && as != SFNEC_NONE ? floats[as] : 0.0f);
  }
}

enum { STATES = 1 }; // a limit of what a plan names

static const sfnec_fields reward_fields =
    SFNEC_FIELDS("its plan", {SFNEC_WITHIN(sfnec_values, reward_scale, FLT_TRUE_MIN, SFNEC_REWARD_MOST)},
                 {SFNEC_WITHIN(sfnec_values, start_value, -SFNEC_VALUE_MOST, SFNEC_VALUE_MOST)},
                 {SFNEC_BELOW(sfnec_values, start_state, STATES), .or_none = true});

static const sfnec_fields clock_fields =
    SFNEC_FIELDS("its plan", {SFNEC_ANY(sfnec_values, clock)}, {SFNEC_ANY(sfnec_values, model_clock)},
                 {SFNEC_ANY(sfnec_values, backups)}, {SFNEC_ANY(sfnec_values, sweeps)});

static void save_values(const sfnec_values *values, sfnec_writer *writer) {
  const sfnec_model *model = values->model;
  const size_t predictions = (size_t)model->state_count * (size_t)model->config->action_count;
  const size_t known_predictions = (size_t)values->state_count * (size_t)model->config->action_count;
  sfnec_fields_save(&reward_fields, values, writer);
  sfnec_write_u32(writer, values->start_state == SFNEC_NONE ? 0 : values->start_context);
  sfnec_fields_save(&clock_fields, values, writer);
  plan_write_tuples(writer, &values->contexts);
  write_settled(writer, values, values->base);
  for (uint32_t e = 0; e < model->effects.count; e++) {
    const bool there = e < values->effect_room;
    write_settled(writer, values, there ? values->chances + (size_t)e * values->room : NULL);
  }
  for (size_t r = 0; r < predictions; r++) sfnec_write_u32(writer, r < known_predictions ? values->versions[r] : 0);
  write_known(writer, values->rewards, known_predictions, predictions);
  write_known(writer, values->overestimate, known_predictions, predictions);
  write_known(writer, values->block_rewards, (size_t)values->block_room * SFNEC_PREDICTION_OUTCOMES,
              (size_t)model->block_count * SFNEC_PREDICTION_OUTCOMES);
  sfnec_write_u32(writer, values->table_count);
  for (uint32_t l = 0; l < values->table_count; l++) {
    const sfnec_value_table *table = &values->tables[l];
    sfnec_write_u32(writer, table->context);
    plan_write_count(writer, table->swept);
    plan_write_count(writer, table->changed);
    write_settled(writer, values, table->v);
    for (uint32_t e = 0; e < model->effects.count; e++) {
      sfnec_write_u32(writer, e < table->effect_room ? table->children[e] : SFNEC_NONE);
    }
  }
  sfnec_planning_save(&values->planning, writer);
}

static sfnec_status load_table(sfnec_values *values, uint32_t number, uint32_t count, sfnec_reader *reader) {
  const sfnec_model *model = values->model;
  sfnec_status status = SFNEC_OK;
  const uint32_t context = plan_read_number(reader, values->contexts.count, &status);
  if (!status && values->table_of[context] != SFNEC_NONE) {
    status = sfnec_reader_refuse(reader, "a context of its plan has two tables");
  }
  if (status) return status;
  if (sfnec_values_table(values, context) != number) return sfnec_fail_memory("a plan");
  sfnec_value_table *table = &values->tables[number];
  table->swept = sfnec_read_i64(reader);
  table->changed = sfnec_read_i64(reader);
  status = plan_read_within(reader, table->v, model->state_count, SFNEC_VALUE_MOST);
  free(table->children);
  table->effect_room = 0;
  table->children = sfnec_read_alloc(reader, model->effects.count, sizeof *table->children);
  if (!table->children) return sfnec_reader_refuse(reader, "");
  table->effect_room = model->effects.count;
  for (uint32_t e = 0; e < model->effects.count && !status; e++) {
    table->children[e] = plan_read_number_or_none(reader, count, &status);
  }
  return status;
}

static sfnec_status load_values(sfnec_values *values, sfnec_reader *reader, uint32_t flags) {
  const bool has_overestimate = flags & HAS_OVERESTIMATE;
  const sfnec_model *model = values->model;
  const size_t predictions = (size_t)model->state_count * (size_t)model->config->action_count;
  // what is made room for stands in the file: base, chances, and for each prediction a version and a reward
  if (!sfnec_reader_holds(reader, model->state_count,
                          (1 + model->effects.count + 2 * (size_t)model->config->action_count) * sizeof(float)) ||
      !sfnec_reader_holds(reader, model->block_count, SFNEC_PREDICTION_OUTCOMES * sizeof(float))) {
    return sfnec_reader_refuse(reader, "the values of its plan end early");
  }
  sfnec_status status = sfnec_values_reset(values);
  if (status) return status;
  const uint64_t limits[] = {model->state_count};
  status = sfnec_fields_load(&reward_fields, values, limits, 0, reader);
  const uint32_t start_context = sfnec_read_u32(reader);
  if (!status) status = sfnec_fields_load(&clock_fields, values, NULL, 0, reader);
  if (!status) status = sfnec_values_load_contexts(values, reader, plan_read_tuples);
  if (!status && values->start_state != SFNEC_NONE && start_context >= values->contexts.count) {
    status = sfnec_reader_refuse(reader, "its plan starts in a context that does not exist");
  }
  values->start_context = values->start_state == SFNEC_NONE ? 0 : start_context;
  if (!status) status = plan_read_within(reader, values->base, model->state_count, SFNEC_VALUE_MOST);
  for (uint32_t e = 0; e < model->effects.count && !status; e++) {
    status =
        plan_read_within(reader, values->chances + (size_t)e * values->room, model->state_count, SFNEC_CHANCE_MOST);
  }
  for (size_t r = 0; r < predictions && !status; r++) values->versions[r] = sfnec_read_u32(reader);
  if (!status) status = plan_read_within(reader, values->rewards, predictions, 5e6f * SFNEC_REWARD_MOST);
  if (!status && has_overestimate)
    status = plan_read_within(reader, values->overestimate, predictions, SFNEC_OVERESTIMATE_MOST);
  for (size_t r = 0; r < predictions && !status; r++) {
    if (values->overestimate[r] < 0.0f) status = sfnec_reader_refuse(reader, "an overestimate of its plan is below 0");
  }
  const size_t block_rewards = (size_t)model->block_count * SFNEC_PREDICTION_OUTCOMES;
  if (!status) status = plan_read_within(reader, values->block_rewards, block_rewards, 5e6f * SFNEC_REWARD_MOST);
  uint32_t tables = 0;
  const size_t table_bytes = (5 + (size_t)model->state_count + model->effects.count) * 4;
  if (!status) status = plan_read_count(reader, UINT32_MAX - 1, table_bytes, &tables);
  for (uint32_t l = 0; l < tables && !status; l++) status = load_table(values, l, tables, reader);
  return status || !(flags & HAS_PLANNING) ? status : sfnec_planning_load(values, reader);
}

// ---- the planner ----

enum { STEPS = 1 }; // a limit: what the agent has seen, and not the future

static const sfnec_fields step_fields =
    SFNEC_FIELDS("its planner", {SFNEC_ANY(sfnec_planner, steps)}, {SFNEC_WITHIN(sfnec_planner, next_fit, 1, HUGE_VAL)},
                 {SFNEC_ANY(sfnec_planner, solved)});

static const sfnec_fields earned_fields = SFNEC_FIELDS(
    "its planner", {SFNEC_WITHIN(sfnec_planner, values.optimism, 1, SFNEC_OPTIMISM_MOST), .since = HAS_OPTIMISM},
    {SFNEC_BELOW(sfnec_planner, idle_since, STEPS), .since = HAS_OPTIMISM},
    {SFNEC_ANY(sfnec_planner, tried), .since = HAS_OPTIMISM},
    {SFNEC_BELOW(sfnec_planner, earned_at, STEPS), .since = HAS_EARNED},
    {SFNEC_BELOW(sfnec_planner, turned_at, STEPS), .since = HAS_EARNED},
    {SFNEC_ANY(sfnec_planner, values.exploits), .since = HAS_EARNED}, {SFNEC_ANY(sfnec_planner, has_start)});

static const sfnec_fields now_fields =
    SFNEC_FIELDS("its planner", {SFNEC_ANY(sfnec_planner, target_value)},
                 {SFNEC_WITHIN(sfnec_planner, asked, -SFNEC_VALUE_MOST, SFNEC_VALUE_MOST)},
                 {SFNEC_ANY(sfnec_planner, debt)}, {SFNEC_UP_TO(sfnec_planner, path_count, SFNEC_PLAN_PATH)});

void sfnec_planner_save(const sfnec_planner *planner, sfnec_writer *writer) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  sfnec_write_u64(writer, planner->random.counter);
  sfnec_fields_save(&step_fields, planner, writer);
  sfnec_write_u32(writer, planner->waiting);
  for (uint32_t t = 0; t < planner->waiting; t++) {
    plan_write_floats(writer, planner->before + t * d, d);
    plan_write_floats(writer, planner->after + t * d, d);
    sfnec_write_bytes(writer, planner->features + t * n, n * sizeof(double));
    sfnec_write_u32(writer, planner->actions[t]);
    sfnec_write_u32(writer, planner->terminated[t]);
  }
  sfnec_write_u32(writer,
                  planner->in_episode | HAS_OPTIMISM | HAS_OVERESTIMATE | HAS_EARNED | HAS_PLANNING | HAS_ENCODER |
                      (planner->refit ? (uint32_t)HAS_REFIT : 0) | (planner->masks.count ? (uint32_t)HAS_MASKS : 0) |
                      (believes(planner) ? (uint32_t)HAS_BELIEF : 0) | (planner->search ? (uint32_t)HAS_SEARCH : 0));
  sfnec_fields_save(&earned_fields, planner, writer);
  if (planner->has_start) plan_write_floats(writer, planner->start, d);
  sfnec_write_bytes(writer, planner->values.w, n * sizeof(double));
  if (planner->uncertainty) sfnec_write_bytes(writer, planner->uncertainty, n * n * sizeof(double));
  for (size_t i = 0; planner->seen && i < n; i++) sfnec_write_i64(writer, planner->seen[i]);
  sfnec_encoder_save(&planner->encoder, writer);
  if (believes(planner)) sfnec_belief_save(&planner->belief, &planner->encoder.filter, writer);
  sfnec_model_save(&planner->model, writer);
  if (planner->refit) sfnec_refit_save(planner->refit, writer);
  if (planner->masks.count) sfnec_masks_save(&planner->masks, writer);
  if (planner->search) sfnec_noise_save(planner->search, writer);
  if (planner->learned) sfnec_learned_save(planner->learned, planner->model.sample_count, writer);
  if (!planner->model.fitted) return;
  save_values(&planner->values, writer);
  sfnec_write_u32(writer, planner->located);
  sfnec_write_u32(writer, planner->located ? planner->state : 0);
  sfnec_write_u32(writer, planner->located ? planner->context : 0);
  sfnec_write_u32(writer, (uint32_t)planner->has_target | planner->target_action << 1);
  sfnec_fields_save(&now_fields, planner, writer);
  for (uint32_t i = 0; i < planner->path_count; i++) {
    sfnec_write_u32(writer, planner->path_states[i]);
    sfnec_write_u32(writer, planner->path_contexts[i]);
  }
}

static sfnec_status load_waiting(sfnec_planner *planner, sfnec_reader *reader) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  sfnec_status status = SFNEC_OK;
  const uint32_t waiting = plan_read_number(reader, SFNEC_PLAN_WARM_UP, &status);
  if (!status && !sfnec_reader_holds(reader, waiting, 2 * d * sizeof(float) + n * sizeof(double))) {
    status = sfnec_reader_refuse(reader, "its first transitions end early");
  }
  if (!status) status = sfnec_planner_reserve_waiting(planner, waiting);
  if (!status) planner->waiting = waiting;
  for (uint32_t t = 0; t < planner->waiting && !status; t++) {
    status = plan_read_floats(reader, planner->before + t * d, d);
    if (!status) status = plan_read_floats(reader, planner->after + t * d, d);
    sfnec_read_bytes(reader, planner->features + t * n, n * sizeof(double));
    if (!status && !sfnec_all_within_f64(planner->features + t * n, n, SFNEC_NUMBER_MOST)) {
      status = sfnec_reader_refuse(reader, "features of its first transitions are out of range");
    }
    planner->actions[t] = plan_read_number(reader, (uint32_t)planner->config->action_count, &status);
    planner->terminated[t] = sfnec_read_u32(reader) != 0;
  }
  return status;
}

static sfnec_status load_state_now(sfnec_planner *planner, sfnec_reader *reader, bool has_overestimate) {
  const uint32_t states = planner->model.state_count, contexts = planner->values.contexts.count;
  sfnec_status status = SFNEC_OK;
  planner->located = sfnec_read_u32(reader) != 0;
  const uint32_t state = sfnec_read_u32(reader), context = sfnec_read_u32(reader);
  const uint32_t has_target = plan_read_number(reader, 2 * (uint32_t)planner->config->action_count, &status);
  planner->has_target = has_target & 1 && has_overestimate; // older files do not say by which action
  planner->target_action = has_target >> 1;
  if (planner->located && (state >= states || context >= contexts)) {
    return sfnec_reader_refuse(reader, "its planner is nowhere");
  }
  if (!status) status = sfnec_fields_load(&now_fields, planner, NULL, 0, reader);
  planner->state = planner->located ? state : 0;
  planner->context = planner->located ? context : 0;
  for (uint32_t i = 0; i < planner->path_count && !status; i++) {
    planner->path_states[i] = plan_read_number(reader, states, &status);
    planner->path_contexts[i] = plan_read_number(reader, contexts, &status);
  }
  return status;
}

sfnec_status sfnec_planner_load(sfnec_planner *planner, sfnec_reader *reader) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  planner->random.counter = sfnec_read_u64(reader);
  sfnec_status status = sfnec_fields_load(&step_fields, planner, NULL, 0, reader);
  if (!status && planner->solved > planner->steps) {
    status = sfnec_reader_refuse(reader, "the clocks of its planner are out of range");
  }
  if (!status) status = load_waiting(planner, reader);
  const uint32_t flags = sfnec_read_u32(reader);
  planner->in_episode = flags & 1;
  planner->idle_since = planner->steps;
  const uint64_t limits[] = {(uint64_t)planner->steps + 1};
  if (!status) status = sfnec_fields_load(&earned_fields, planner, limits, flags, reader);
  if (!status && planner->values.exploits && planner->earned_at == 0) {
    status = sfnec_reader_refuse(reader, "its planner exploits what never earned anything");
  }
  if (!status && planner->has_start) status = plan_read_floats(reader, planner->start, d);
  sfnec_read_bytes(reader, planner->values.w, n * sizeof(double));
  if (!status && !sfnec_all_within_f64(planner->values.w, n, SFNEC_NUMBER_MOST)) {
    status = sfnec_reader_refuse(reader, "the weights of its plan are out of range");
  }
  if (planner->uncertainty) sfnec_read_bytes(reader, planner->uncertainty, n * n * sizeof(double));
  if (!status && planner->uncertainty && !sfnec_all_within_f64(planner->uncertainty, n * n, SFNEC_UNCERTAINTY_MOST)) {
    status = sfnec_reader_refuse(reader, "what its plan knows of the weights is out of range");
  }
  for (size_t i = 0; planner->seen && i < n && !status; i++) {
    planner->seen[i] = sfnec_read_i64(reader);
    if (planner->seen[i] < 0 || planner->seen[i] > planner->steps) {
      status = sfnec_reader_refuse(reader, "it has seen a feature in the future");
    }
  }
  if (!status && flags & HAS_ENCODER) status = sfnec_encoder_load(&planner->encoder, reader);
  if (!status && flags & HAS_BELIEF) status = sfnec_belief_load(&planner->belief, &planner->encoder.filter, reader);
  if (!status) status = sfnec_model_load(&planner->model, reader);
  if (!status && flags & HAS_REFIT) status = sfnec_refit_load(&planner->model, reader, &planner->refit);
  if (!status && flags & HAS_MASKS) status = sfnec_masks_load(&planner->masks, reader);
  if (!status && flags & HAS_SEARCH) status = sfnec_noise_load(reader, d, &planner->search);
  if (!status && planner->learned) status = sfnec_learned_load(planner->learned, planner->model.sample_count, reader);
  if (status || !planner->model.fitted) return status;
  status = load_values(&planner->values, reader, flags);
  return status ? status : load_state_now(planner, reader, flags & HAS_OVERESTIMATE);
}
