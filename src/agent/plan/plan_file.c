// plan_file.c: a planner in a file: its model (model_file.c), its plan (values_file.c), and where it is, so that a
// loaded planner resumes bit for bit.
#include <math.h>

#include "agent/plan/internal.h"
#include "agent/plan/numbers.h"
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
  sfnec_values_save(&planner->values, writer);
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

sfnec_status sfnec_planner_load(sfnec_planner *planner, uint32_t tasks, int32_t active, sfnec_reader *reader) {
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
  if (!status && planner->learned)
    status = sfnec_learned_load(planner->learned, planner->model.sample_count, tasks, active, reader);
  if (status || !planner->model.fitted) return status;
  status = sfnec_values_load(&planner->values, flags & HAS_OVERESTIMATE, flags & HAS_PLANNING, reader);
  return status ? status : load_state_now(planner, reader, flags & HAS_OVERESTIMATE);
}
