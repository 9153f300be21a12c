// planner.c: acting and learning; see planner.h.
#include "agent/plan/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/internal.h"
#include "base/error.h"
#include "base/vector.h"

// ---- life ----

sfnec_status sfnec_workspace_init(sfnec_workspace *work, const sfnec_psi_config *config) {
  const size_t key = config->observation_size + SFNEC_SIMD_LANES, actions = (size_t)config->action_count;
  *work = (sfnec_workspace){.search = sfnec_index_scratch_create()};
  work->key = calloc(key, sizeof(float));
  work->goal = calloc(key, sizeof(float));
  work->features = calloc(SFNEC_PREDICTION_OUTCOMES * config->psi_size, sizeof(float));
  work->rest = calloc(actions, sizeof(float));
  work->own = calloc(actions, sizeof(float));
  work->means = calloc(actions, sizeof(float));
  work->goals = calloc(SFNEC_PREDICTION_OUTCOMES * key, sizeof(float));
  work->start = calloc(key, sizeof(float));
  const bool whole = work->search && work->key && work->goal && work->features && work->rest && work->own &&
                     work->means && work->goals && work->start;
  return whole ? SFNEC_OK : sfnec_fail_memory("a planner");
}

void sfnec_workspace_clear(sfnec_workspace *work) {
  sfnec_index_scratch_destroy(work->search);
  free(work->key), free(work->goal), free(work->features), free(work->rest), free(work->own);
  free(work->means), free(work->goals), free(work->start);
  *work = (sfnec_workspace){0};
}

static sfnec_status allocate(sfnec_planner *planner, uint64_t seed) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  planner->actions = calloc(SFNEC_PLAN_WARM_UP, sizeof(uint32_t));
  planner->terminated = calloc(SFNEC_PLAN_WARM_UP, sizeof(bool));
  planner->start = calloc(d, sizeof(float));
  if (!planner->actions || !planner->terminated || !planner->start) return sfnec_fail_memory("a planner");
  if (planner->config->options.w == SFNEC_W_RLS) {
    planner->uncertainty = calloc(n * n, sizeof(double));
    planner->seen = calloc(n, sizeof *planner->seen);
    if (!planner->uncertainty || !planner->seen) return sfnec_fail_memory("a planner");
  }
  sfnec_status status = sfnec_workspace_init(&planner->work, planner->config);
  if (!status) status = sfnec_model_init(&planner->model, planner->config, &planner->encoder.log, seed);
  if (!status) status = sfnec_encoder_init(&planner->encoder, planner->config, seed);
  if (!status) status = sfnec_belief_init(&planner->belief, d);
  if (!status) status = sfnec_masks_init(&planner->masks, &planner->model);
  if (!status) status = sfnec_values_init(&planner->values, &planner->model, &planner->masks, true);
  planner->values.uncertainty = planner->uncertainty;
  return status;
}

// Moves an array to one of `count` elements.
static bool move_array(void **array, size_t count, size_t size) {
  void *moved = realloc(*array, count * size);
  if (moved) *array = moved;
  return moved != NULL;
}

sfnec_status sfnec_planner_reserve_waiting(sfnec_planner *planner, uint32_t count) {
  if (count <= planner->waiting_room) return SFNEC_OK;
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  size_t room = SFNEC_ROOM_FIRST;
  while (room < count) room *= 2;
  void *before = planner->before, *after = planner->after, *features = planner->features;
  const bool whole = move_array(&before, room * d, sizeof(float)) && move_array(&after, room * d, sizeof(float)) &&
                     move_array(&features, room * n, sizeof(double));
  planner->before = before, planner->after = after, planner->features = features;
  if (!whole) return sfnec_fail_memory("a planner");
  planner->waiting_room = (uint32_t)room;
  return SFNEC_OK;
}

sfnec_status sfnec_planner_create(const sfnec_psi_config *config, uint64_t seed, sfnec_planner **out) {
  sfnec_planner *planner = calloc(1, sizeof *planner);
  if (!planner) return sfnec_fail_memory("a planner");
  planner->config = config;
  planner->next_fit = SFNEC_FIT_FIRST;
  planner->random = sfnec_random_start(seed, SFNEC_PURPOSE_PLANNING);
  const sfnec_status status = allocate(planner, seed);
  if (status) {
    sfnec_planner_destroy(planner);
    return status;
  }
  *out = planner;
  return SFNEC_OK;
}

void sfnec_planner_destroy(sfnec_planner *planner) {
  if (!planner) return;
  sfnec_values_clear(&planner->values);
  sfnec_masks_clear(&planner->masks);
  sfnec_encoder_clear(&planner->encoder);
  sfnec_belief_clear(&planner->belief);
  sfnec_refit_destroy(planner->refit);
  sfnec_noise_destroy(planner->search);
  sfnec_model_clear(&planner->model);
  sfnec_workspace_clear(&planner->work);
  free(planner->before), free(planner->after), free(planner->features), free(planner->actions);
  free(planner->terminated), free(planner->start), free(planner->uncertainty), free(planner->seen);
  free(planner);
}

size_t sfnec_planner_bytes(const sfnec_planner *planner) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  return sizeof *planner + planner->waiting_room * (2 * d * sizeof(float) + n * sizeof(double)) +
         (planner->uncertainty ? n * (n + 1) * sizeof(double) : 0) + sfnec_model_bytes(&planner->model) +
         (planner->refit ? sfnec_refit_bytes(planner->refit) : 0) +
         (planner->search ? sfnec_noise_bytes(planner->search) : 0) + sfnec_encoder_bytes(&planner->encoder) +
         sfnec_values_bytes(&planner->values) + sfnec_masks_bytes(&planner->masks);
}

const sfnec_model *sfnec_planner_model(const sfnec_planner *planner) {
  return &planner->model;
}

// ---- planning ----

// Whether the plan is what it should be.
static sfnec_status check_memory(sfnec_planner *planner) {
  if (!planner->values.starved) return SFNEC_OK;
  planner->values.starved = false;
  return sfnec_fail_memory("a plan");
}

// Where the last episode began, in the numbers of the model as it is.
static sfnec_status find_start(sfnec_planner *planner) {
  sfnec_values *values = &planner->values;
  values->start_state = SFNEC_NONE;
  if (!planner->has_start || planner->model.state_count == 0) return SFNEC_OK;
  float squared;
  sfnec_model_key(&planner->model, planner->start, planner->work.key);
  const sfnec_status status = sfnec_values_context(values, planner->start, &values->start_context);
  if (status) return status;
  values->start_state = sfnec_model_nearest(&planner->model, planner->work.search, planner->work.key, &squared);
  return SFNEC_OK;
}

// Begins a plan, whose slices follow.
static sfnec_status begin_plan(sfnec_planner *planner, const sfnec_reward *reward, bool afresh) {
  sfnec_values *values = &planner->values;
  planner->has_target = false;
  sfnec_planner_note_uncertainty(planner, reward);
  if (sfnec_planner_is_uncertain(planner) || sfnec_planner_knows_reward(planner, reward->w)) values->optimism = 1.0f;
  sfnec_status status = SFNEC_OK;
  if (afresh) {
    status = sfnec_values_begin(values, reward->w);
  } else {
    sfnec_values_reweigh(values, reward->w);
  }
  if (!status) status = find_start(planner);
  if (status) return status;
  // a plan to find out about weights is soon replaced
  const int64_t budget = planner->config->options.replan_backups;
  sfnec_values_begin_plan(values, afresh, sfnec_planner_is_uncertain(planner) ? budget / SFNEC_HASTY : budget);
  return SFNEC_OK;
}

sfnec_status sfnec_planner_replan(sfnec_planner *planner, const sfnec_reward *reward, bool afresh) {
  const sfnec_status status = begin_plan(planner, reward, afresh);
  if (status) return status;
  sfnec_values_continue_plan(&planner->values, NULL, planner->config->options.step_backups, &planner->random);
  return check_memory(planner);
}

// The refit is of no use any more; what it was for becomes due again.
static void drop_refit(sfnec_planner *planner) {
  if (!planner->refit) return;
  if (sfnec_refit_rereads(planner->refit)) planner->encoder.changed = true;
  if (planner->next_fit > planner->steps) planner->next_fit = planner->steps;
  sfnec_refit_destroy(planner->refit);
  planner->refit = NULL;
}

// ---- tasks ----

// Room for the outcomes of all predictions, whatever they become.
static sfnec_status reserve_predictions(sfnec_model *model) {
  const size_t predictions = (size_t)model->state_count * (size_t)model->config->action_count;
  uint32_t blocks = model->block_count;
  for (size_t i = 0; i < predictions; i++) blocks += model->predictions[i].block == SFNEC_NONE;
  return sfnec_model_reserve_blocks(model, blocks);
}

// Forgets what the former task earned.
static void forget_rewards(sfnec_planner *planner) {
  if (planner->model.fitted) drop_refit(planner); // it has the features of the former task
  sfnec_model_forget_features(&planner->model);
  sfnec_encoder_forget_features(&planner->encoder);
  sfnec_planner_forget_earned(planner);
}

// Plans for a task without rewards: what is forgotten cannot be undone, so all that needs memory comes before. The
// first slice, which would need more, is left to the next step.
static sfnec_status plan_unrewarded(sfnec_planner *planner, const sfnec_reward *reward) {
  sfnec_status status = reserve_predictions(&planner->model);
  if (!status) status = sfnec_values_follow(&planner->values);
  if (!status) status = find_start(planner);
  if (status) return status;
  forget_rewards(planner);
  return begin_plan(planner, reward, true);
}

// Plans with a copy of the values and of what was known of the weights, so that the old ones are there if that fails.
static sfnec_status plan_task(sfnec_planner *planner, const sfnec_reward *reward) {
  const size_t size = planner->config->psi_size * planner->config->psi_size * sizeof(double);
  sfnec_values old = planner->values;
  double *before = planner->uncertainty ? malloc(size) : NULL;
  if (planner->uncertainty && !before) return sfnec_fail_memory("a planner");
  sfnec_status status = sfnec_values_copy(&old, &planner->values);
  if (status) {
    planner->values = old;
    free(before);
    return status;
  }
  if (before) memcpy(before, planner->uncertainty, size);
  const sfnec_random random = planner->random;
  const bool has_target = planner->has_target;
  planner->values.optimism = 1.0f;
  status = planner->config->options.predict == SFNEC_PREDICT_REWARD ? plan_unrewarded(planner, reward)
                                                                    : sfnec_planner_replan(planner, reward, true);
  if (status) {
    sfnec_values new = planner->values;
    planner->values = old;
    old = new;
    planner->random = random;
    planner->has_target = has_target;
    if (before) memcpy(planner->uncertainty, before, size);
  }
  sfnec_values_clear(&old);
  free(before);
  return status;
}

// The numbers of states and contexts, or what they are worth, are other ones now.
static void forget_path(sfnec_planner *planner) {
  planner->located = planner->has_target = false;
  planner->path_count = 0;
  planner->numbering++;
}

sfnec_status sfnec_planner_begin(sfnec_planner *planner, const sfnec_reward *reward) {
  if (planner->model.fitted) {
    const sfnec_status status = plan_task(planner, reward);
    if (status) return status;
  } else {
    if (planner->config->options.predict == SFNEC_PREDICT_REWARD) forget_rewards(planner);
    planner->values.optimism = 1.0f;
    sfnec_planner_note_uncertainty(planner, reward);
    memcpy(planner->values.w, reward->w, planner->config->psi_size * sizeof(double));
  }
  forget_path(planner);
  return SFNEC_OK;
}

// There is another model, with other states: plans for it.
static sfnec_status start_again(sfnec_planner *planner, const sfnec_reward *reward) {
  forget_path(planner);
  const sfnec_status masked = sfnec_masks_follow(&planner->masks, planner->work.search);
  sfnec_status status = sfnec_values_reset(&planner->values);
  if (!status) status = masked ? masked : sfnec_planner_replan(planner, reward, true);
  if (status) sfnec_values_reweigh(&planner->values, reward->w);
  return status;
}

// Whether there is nothing to plan.
static bool is_settled(sfnec_planner *planner) {
  if (!sfnec_model_may_settle(&planner->model)) return false;
  const uint32_t table = sfnec_values_table(&planner->values, planner->context);
  return table != SFNEC_NONE && !sfnec_values_is_stale(&planner->values, table);
}

// Begins what is due: a trajectory from here, or from the start. False: nothing is.
static bool begin_planning(sfnec_planner *planner) {
  sfnec_values *values = &planner->values;
  if (planner->debt <= 0.0 || (sfnec_model_has_one_table(&planner->model) && is_settled(planner))) return false;
  const bool starts = values->start_state != SFNEC_NONE && sfnec_model_uses(&planner->model, SFNEC_WITHOUT_STARTS);
  if (!starts || sfnec_random_below(&planner->random, 2)) {
    sfnec_values_begin_trajectory(values, planner->context, planner->state);
  } else {
    sfnec_values_begin_trajectory(values, values->start_context, values->start_state);
  }
  return true;
}

// Spends the backups of a step: on the plan that is being made, or on what is due. Effects make many tables out of one;
// without them a fifth of the backups earns as much.
static void plan(sfnec_planner *planner) {
  sfnec_values *values = &planner->values;
  const sfnec_agent_options *options = &planner->config->options;
  if (planner->follows) { // the plan is made when the agent acts again, by all of the log
    sfnec_values_begin_plan(values, true, options->replan_backups);
    return;
  }
  if (sfnec_values_plans(values)) {
    const sfnec_node here = {planner->context, planner->state};
    sfnec_values_continue_plan(values, &here, options->step_backups, &planner->random);
    return;
  }
  const double income = (double)options->backups / (sfnec_model_has_one_table(&planner->model) ? SFNEC_ONE_TABLE : 1);
  planner->debt = fmin(planner->debt + income, SFNEC_DEBT_MOST * income);
  if (values->planning.stage == SFNEC_STAGE_NONE && !begin_planning(planner)) return;
  const int64_t before = values->backups;
  sfnec_values_advance(values, options->step_backups, &planner->random);
  planner->debt -= (double)(values->backups - before);
}

// Begins a trajectory that is planned on call; false: there is nothing to plan, or nowhere to begin.
static bool begin_on_call(sfnec_planner *planner) {
  sfnec_values *values = &planner->values;
  if (planner->located) return begin_planning(planner);
  if (values->start_state == SFNEC_NONE) return false;
  sfnec_values_begin_trajectory(values, values->start_context, values->start_state);
  return true;
}

sfnec_status sfnec_planner_plan(sfnec_planner *planner, int64_t backups, int64_t *made) {
  sfnec_values *values = &planner->values;
  *made = 0;
  if (!planner->model.fitted || planner->follows) return SFNEC_OK;
  const int64_t before = values->backups;
  const double debt = planner->debt;
  const sfnec_node here = {planner->context, planner->state};
  planner->debt = (double)backups; // the caller pays
  for (int64_t last = -1; *made<backups && * made> last && !values->starved;) {
    last = *made;
    if (sfnec_values_plans(values)) {
      sfnec_values_continue_plan(values, planner->located ? &here : NULL, backups - *made, &planner->random);
    } else if (values->planning.stage != SFNEC_STAGE_NONE || begin_on_call(planner)) {
      sfnec_values_advance(values, backups - *made, &planner->random);
    }
    *made = values->backups - before;
  }
  planner->debt = debt;
  return check_memory(planner);
}

// ---- acting ----

// Finds the state and the context of the state.
static sfnec_status locate(sfnec_planner *planner, const float *observation) {
  sfnec_model_key(&planner->model, observation, planner->work.key);
  if (planner->located) return SFNEC_OK;
  sfnec_status status = sfnec_model_state(&planner->model, planner->work.key, false, &planner->state);
  if (!status) status = sfnec_model_make_predictions(&planner->model, planner->state);
  if (!status) status = sfnec_values_follow(&planner->values);
  if (!status) status = sfnec_values_context(&planner->values, observation, &planner->context);
  planner->located = !status;
  return status;
}

float sfnec_plan_evaluate(const sfnec_model *model, sfnec_values *values, sfnec_workspace *work, uint32_t table,
                          uint32_t state, const uint8_t *mask) {
  const float gamma = sfnec_model_gamma(model);
  float best = -INFINITY;
  for (uint32_t a = 0; a < (uint32_t)model->config->action_count; a++) {
    work->rest[a] = -INFINITY;
    work->own[a] = 0.0f;
    if (!sfnec_mask_allows(mask, a)) continue;
    sfnec_prediction prediction;
    sfnec_outcome outcomes[SFNEC_PREDICTION_OUTCOMES];
    float rewards[SFNEC_PREDICTION_OUTCOMES];
    sfnec_model_predict(model, work->key, state, a, true, work->goal, &prediction, outcomes, work->features, NULL);
    sfnec_values_rewards(values, &prediction, work->features, rewards);
    sfnec_values_q(values, table, SFNEC_NONE, &prediction, outcomes, rewards, &work->rest[a], &work->own[a]);
    if (values->overestimate)
      work->rest[a] -= values->overestimate[(size_t)state * (size_t)model->config->action_count + a];
    best = fmaxf(best, work->rest[a] / (1.0f - gamma * work->own[a]));
  }
  return sfnec_value_bounded(best);
}

uint32_t sfnec_plan_best(const sfnec_workspace *work, uint32_t actions, float gamma) {
  uint32_t best = 0;
  for (uint32_t a = 1; a < actions; a++) {
    if (work->rest[a] / (1.0f - gamma * work->own[a]) > work->rest[best] / (1.0f - gamma * work->own[best])) best = a;
  }
  return best;
}

// The best allowed action of what was looked at last, and its value (best).
static int32_t pick(const sfnec_workspace *work, uint32_t actions, const uint8_t *mask, float gamma, float value,
                    sfnec_random *ties, float *best) {
  sfnec_argmax most = sfnec_argmax_begin(mask);
  for (uint32_t a = 0; a < actions; a++) {
    if (!sfnec_mask_allows(mask, a)) continue;
    const float q = work->rest[a] + gamma * work->own[a] * value;
    sfnec_argmax_offer(&most, a, (double)q, ties);
  }
  *best = sfnec_value_bounded((float)most.most);
  return (int32_t)most.action;
}

// Takes the mask of an observation, which the state that the planner is in may have had otherwise.
static sfnec_status note_mask(sfnec_planner *planner, const float *observation, const uint8_t *mask) {
  bool changed;
  const uint32_t state = planner->model.fitted ? planner->state : SFNEC_NONE;
  const sfnec_status status = sfnec_masks_note(&planner->masks, state, observation, mask, &changed);
  if (status || !changed) return status;
  planner->values.model_clock = ++planner->values.clock;
  planner->model.version++;
  return SFNEC_OK;
}

// The action before there is a model: any.
static int32_t pick_any(const sfnec_planner *planner, const uint8_t *mask, sfnec_random *ties) {
  const uint32_t count = sfnec_mask_count(mask, (uint32_t)planner->config->action_count);
  return (int32_t)sfnec_mask_nth(mask, ties ? sfnec_random_below(ties, count)
                                            : (uint32_t)(planner->steps % (count ? count : 1)));
}

static void begin_episode(sfnec_planner *planner, const float *observation) {
  planner->in_episode = planner->has_start = true;
  planner->has_target = false;
  planner->path_count = 0;
  memcpy(planner->start, observation, planner->config->observation_size * sizeof *observation);
}

// Makes room for what acting adds: the state, one more to leave circles, their predictions, a context and its table.
// After that only the index may be without memory, for a key that is the first thing to be added: acting happens or
// not.
static sfnec_status reserve_acting(sfnec_planner *planner) {
  enum { STATES = 2 };
  sfnec_model *model = &planner->model;
  const uint32_t actions = (uint32_t)model->config->action_count;
  sfnec_status status = sfnec_model_reserve(model, model->state_count + STATES, model->sample_count,
                                            model->block_count + STATES * actions);
  if (!status) status = sfnec_values_follow(&planner->values);
  return status ? status : sfnec_values_reserve_table(&planner->values);
}

// Finds the state of an observation, where an action will be taken: by the agent, or in a log.
static sfnec_status arrive(sfnec_planner *planner, const float *observation) {
  if (!planner->model.fitted) return SFNEC_OK;
  const sfnec_status status = reserve_acting(planner);
  return status ? status : locate(planner, observation);
}

// Begins an episode there, unless one is running.
static void enter(sfnec_planner *planner, const float *observation) {
  if (planner->in_episode) return;
  begin_episode(planner, observation);
  if (!planner->model.fitted) return;
  planner->values.start_state = planner->state;
  planner->values.start_context = planner->context;
}

sfnec_status sfnec_planner_follow(sfnec_planner *planner, const float *observed) {
  const float *observation = sfnec_belief_at(&planner->belief, &planner->encoder.filter, observed);
  const sfnec_status status = arrive(planner, observation);
  if (status) return status;
  enter(planner, observation);
  planner->follows = true;
  planner->has_target = false; // its own choice was not asked for
  return SFNEC_OK;
}

sfnec_status sfnec_planner_act(sfnec_planner *planner, const float *observed, const uint8_t *mask, sfnec_random *ties,
                               sfnec_choice *choice) {
  const float *observation = sfnec_belief_at(&planner->belief, &planner->encoder.filter, observed);
  const uint32_t actions = (uint32_t)planner->config->action_count;
  sfnec_values *values = &planner->values;
  sfnec_status status = arrive(planner, observation);
  if (!status) status = note_mask(planner, observation, mask);
  if (status) return status;
  enter(planner, observation);
  planner->follows = false;
  if (!planner->model.fitted) {
    choice->action = pick_any(planner, mask, ties);
    choice->value = 0.0;
    return SFNEC_OK;
  }
  const uint32_t table = sfnec_values_table(values, planner->context);
  sfnec_values_backup(values, table, planner->state, NULL);
  const float value = sfnec_plan_evaluate(&planner->model, values, &planner->work, table, planner->state, mask);
  const float gamma = sfnec_model_gamma(&planner->model);
  choice->action = pick(&planner->work, actions, mask, gamma, value, ties, &planner->asked);
  choice->value = (double)planner->asked;
  // the action stands whether there was memory for the rest or not; observing says so
  const uint32_t before = planner->state;
  status = sfnec_planner_correct(planner, table, planner->asked);
  if (!status && planner->state != before) status = note_mask(planner, observation, mask); // it is a state of its own
  planner->target_action = (uint32_t)choice->action; // the target value that was kept or missed was of the last one
  values->starved |= status != SFNEC_OK;
  return SFNEC_OK;
}

// ---- learning ----

// Hands the first transitions to the refit that makes the first model.
static sfnec_status begin_first_model(sfnec_planner *planner) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  const sfnec_refit_origin origin = {.from_log = false};
  sfnec_status status = sfnec_refit_begin(&planner->model, &origin, &planner->refit);
  for (uint32_t t = 0; t < planner->waiting && !status; t++) {
    const sfnec_model_transition first = {.before = planner->before + t * d,
                                          .after = planner->after + t * d,
                                          .features = planner->features + t * n,
                                          .action = planner->actions[t],
                                          .count = 1,
                                          .terminated = planner->terminated[t]};
    status = sfnec_refit_add(planner->refit, &first, SFNEC_NONE);
  }
  planner->waiting = 0;
  return status;
}

static sfnec_status warm_up(sfnec_planner *planner, const sfnec_model_transition *transition) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size, t = planner->waiting;
  if (planner->refit) return sfnec_refit_add(planner->refit, transition, SFNEC_NONE);
  const sfnec_status room = sfnec_planner_reserve_waiting(planner, planner->waiting + 1);
  if (room) return room;
  memcpy(planner->before + t * d, transition->before, d * sizeof(float));
  memcpy(planner->after + t * d, transition->after, d * sizeof(float));
  memcpy(planner->features + t * n, transition->features, n * sizeof(double));
  planner->actions[t] = transition->action;
  planner->terminated[t] = transition->terminated;
  return ++planner->waiting < SFNEC_PLAN_WARM_UP ? SFNEC_OK : begin_first_model(planner);
}

static void remember_path(sfnec_planner *planner, uint32_t state, uint32_t context) {
  enum { HALF = SFNEC_PLAN_PATH / 2 };
  if (planner->path_count == SFNEC_PLAN_PATH) {
    memmove(planner->path_states, planner->path_states + HALF, HALF * sizeof(uint32_t));
    memmove(planner->path_contexts, planner->path_contexts + HALF, HALF * sizeof(uint32_t));
    planner->path_count = HALF;
  }
  planner->path_states[planner->path_count] = state;
  planner->path_contexts[planner->path_count++] = context;
}

static void back_up_path(sfnec_planner *planner) {
  if (!sfnec_model_uses(&planner->model, SFNEC_WITHOUT_PATH)) planner->path_count = 0;
  while (planner->path_count > 0) {
    const size_t i = --planner->path_count;
    const uint32_t table = sfnec_values_table(&planner->values, planner->path_contexts[i]);
    if (table != SFNEC_NONE) sfnec_values_backup(&planner->values, table, planner->path_states[i], NULL);
  }
}

// Follows the weights: replans from nothing if they have moved far while they are learned, else reweighs the values.
static sfnec_status follow_weights(sfnec_planner *planner, const sfnec_reward *reward) {
  const double moved = sfnec_planner_weight_change(planner, reward);
  if (moved > SFNEC_GREAT_NEWS && planner->uncertainty) return sfnec_planner_replan(planner, reward, true);
  if (moved > SFNEC_NEWS) {
    planner->has_target = false; // by other rewards
    sfnec_planner_note_uncertainty(planner, reward);
    sfnec_values_reweigh(&planner->values, reward->w);
  }
  return SFNEC_OK;
}

// Work that is due from time to time; `changed`: the last transition has changed predictions.
static sfnec_status keep_up(sfnec_planner *planner, const sfnec_reward *reward, bool changed) {
  sfnec_values *values = &planner->values;
  if (sfnec_model_has_one_table(&planner->model) ? changed : planner->steps % SFNEC_STALE_EVERY == 0) {
    values->model_clock = ++values->clock;
    if (planner->steps - planner->solved >= SFNEC_SOLVE_EVERY) {
      sfnec_values_begin_first(values);
      planner->solved = planner->steps;
    }
  }
  sfnec_status status = follow_weights(planner, reward);
  if (status || values->contexts.count <= SFNEC_CONTEXTS_MOST) return status;
  planner->located = false;
  planner->path_count = 0;
  planner->numbering++;
  status = sfnec_values_reset(values);
  return status ? status : find_start(planner);
}

static sfnec_status learn(sfnec_planner *planner, const sfnec_transition *transition,
                          const sfnec_model_transition *seen, const sfnec_reward *reward) {
  sfnec_values *values = &planner->values;
  const uint64_t remade = planner->model.remade;
  uint32_t here, next;
  sfnec_status status = sfnec_model_add(&planner->model, seen, &here, &next);
  if (!status && planner->refit) status = sfnec_refit_add(planner->refit, seen, planner->model.touched);
  if (!status) status = sfnec_model_tidy(&planner->model, SFNEC_TIDY);
  if (!status) status = sfnec_values_follow(values);
  if (status) return status;
  const uint32_t table = sfnec_values_table(values, planner->context);
  if (table != SFNEC_NONE) sfnec_values_backup(values, table, here, NULL);
  remember_path(planner, here, planner->context);

  const bool ends = transition->terminated || transition->truncated;
  planner->located = false;
  if (ends) back_up_path(planner);
  const bool changed = planner->model.remade != remade || !sfnec_model_may_settle(&planner->model);
  status = keep_up(planner, reward, changed);
  if (!status && !ends) status = locate(planner, transition->next_observation);
  if (!status && !ends) status = note_mask(planner, transition->next_observation, transition->next_mask);
  if (!status && !ends) plan(planner);
  return status ? status : check_memory(planner);
}

// Whether the scales, or what is slow, have changed so much that states have to be made again.
static bool is_stale(sfnec_planner *planner, bool all) {
  sfnec_model *model = &planner->model;
  if (model->contexts.count > SFNEC_CONTEXTS_MOST || model->effects.count > SFNEC_EFFECTS_MOST)
    model->contexts_off = true;
  if (model->state_count >= (uint32_t)planner->config->options.states && sfnec_model_coarsen(model)) return true;
  const bool pca = sfnec_model_key_options(model).embedding == SFNEC_EMBEDDING_PCA;
  return (all && pca) ||
         sfnec_scaling_is_stale(&model->scaling, sfnec_model_slow(model, sfnec_model_is_tabular(model)), all);
}

// Begins to make the model again, with components read by new verdicts.
static sfnec_status begin_reread(sfnec_planner *planner) {
  sfnec_encoder *encoder = &planner->encoder;
  const sfnec_reading *readings = planner->model.scaling.readings;
  bool returns = false; // samples do not know what was dropped
  for (size_t i = 0; readings && i < encoder->relevance.size; i++) {
    returns |= readings[i].dropped && encoder->relevance.components[i].verdict != SFNEC_VERDICT_DROPPED;
  }
  const bool from_log = returns || sfnec_encoder_has_all(encoder);
  const sfnec_refit_origin origin = {&encoder->relevance, &encoder->filter, &encoder->feature_noise, from_log};
  const sfnec_status status = sfnec_refit_begin(&planner->model, &origin, &planner->refit);
  encoder->changed = status != SFNEC_OK;
  return status;
}

// Begins to make the model again, with components read as they are.
static sfnec_status make_again(sfnec_planner *planner) {
  // samples have merged transitions, and a model made of them again and again wears out
  const bool from_log =
      sfnec_encoder_has_all(&planner->encoder) && sfnec_model_uses(&planner->model, SFNEC_WITHOUT_LOG);
  const sfnec_refit_origin origin = {NULL, &planner->encoder.filter, &planner->encoder.feature_noise, from_log};
  return sfnec_refit_begin(&planner->model, &origin, &planner->refit);
}

static void end_search(sfnec_planner *planner) {
  sfnec_noise_destroy(planner->search);
  planner->search = NULL;
}

// Begins to look for noise. Without memory for that all stays as it is.
static void look_for_noise(sfnec_planner *planner) {
  const sfnec_model *model = &planner->model;
  end_search(planner);
  if (sfnec_model_looks_for_noise(model) && sfnec_noise_begin(&model->scaling, model->log, &planner->search))
    planner->search = NULL;
}

// Works on the search for noise, and begins to make the model again if it finds other noise than the model was made
// for.
static sfnec_status follow_search(sfnec_planner *planner) {
  int64_t backups = planner->config->options.step_backups;
  if (!sfnec_noise_continue(planner->search, &backups)) return SFNEC_OK;
  const bool fits = sfnec_model_fits_noise(&planner->model, sfnec_noise_found(planner->search));
  end_search(planner);
  return fits ? SFNEC_OK : make_again(planner);
}

// Begins to make the model again if that is due: its scales are stale, or a polynomial has more to learn from.
static sfnec_status begin_refit(sfnec_planner *planner) {
  const sfnec_model *model = &planner->model;
  if (!model->fitted) return SFNEC_OK;
  if (planner->encoder.changed) return begin_reread(planner);
  if (planner->steps % SFNEC_FIT_EVERY != 0) return SFNEC_OK;
  const bool all = planner->steps >= planner->next_fit;
  if (all) planner->next_fit *= 2;
  if (!sfnec_model_uses(model, SFNEC_WITHOUT_REFITS)) return SFNEC_OK;
  const bool corrects = !sfnec_model_is_tabular(model) && sfnec_polynomial_fits(model->key_size) &&
                        sfnec_model_uses(model, SFNEC_WITHOUT_POLYNOMIAL);
  if (is_stale(planner, all) || (all && corrects)) return make_again(planner);
  if (all) look_for_noise(planner);
  return SFNEC_OK;
}

// Works on the refit that is under way, or due, and takes its model when it is done.
static sfnec_status follow_refit(sfnec_planner *planner, const sfnec_reward *reward) {
  sfnec_status status = planner->refit ? SFNEC_OK : begin_refit(planner);
  if (!status && !planner->refit && planner->search) status = follow_search(planner);
  if (status || !planner->refit) return status;
  end_search(planner); // the refit has one of its own
  status = sfnec_refit_work(planner->refit, &planner->model, planner->config->options.step_backups);
  if (status) {
    drop_refit(planner);
    return status;
  }
  if (!sfnec_refit_is_done(planner->refit)) return SFNEC_OK;
  sfnec_refit_finish(planner->refit, &planner->model);
  sfnec_refit_destroy(planner->refit);
  planner->refit = NULL;
  return start_again(planner, reward);
}

sfnec_status sfnec_planner_observe(sfnec_planner *planner, const float *observed, const sfnec_transition *observed_then,
                                   const double *paid, const sfnec_reward *reward) {
  const double *features = sfnec_encoder_denoise(&planner->encoder, paid);
  const float *before = observed;
  sfnec_transition estimated = *observed_then;
  const sfnec_transition *transition = &estimated;
  sfnec_belief_follow(&planner->belief, &planner->encoder.filter, (uint32_t)observed_then->action, &before,
                      &estimated.next_observation);
  sfnec_scaling_see(&planner->model.scaling, before, transition->next_observation);
  planner->steps = sfnec_count_up(planner->steps);
  for (size_t i = 0; planner->seen && i < planner->config->psi_size; i++) {
    if (features[i] != 0.0) planner->seen[i] = planner->steps;
  }
  const double brought = sfnec_dot(features, planner->values.w, planner->config->psi_size);
  if (brought > 0.0) planner->earned_at = planner->steps;
  sfnec_planner_note_target(planner, (uint32_t)transition->action, brought);
  const uint32_t filter = planner->encoder.filter.version;
  sfnec_transition logged = *observed_then;
  logged.truncated |= planner->takes_turns; // what is logged next is another episode's
  sfnec_status status = sfnec_encoder_see(&planner->encoder, observed, &logged, paid);
  const sfnec_model_transition seen = {.before = before,
                                       .after = transition->next_observation,
                                       .features = features,
                                       .action = (uint32_t)transition->action,
                                       .count = 1,
                                       .terminated = transition->terminated};
  if (!planner->model.fitted) {
    if (!status && !transition->terminated) {
      status = note_mask(planner, transition->next_observation, transition->next_mask);
    }
    if (!status) status = warm_up(planner, &seen);
    if (!status) status = follow_refit(planner, reward);
  } else {
    if (planner->belief.version) planner->located = false; // what followed has corrected the estimate
    if (!status) status = locate(planner, before);
    if (!status) status = learn(planner, transition, &seen, reward);
    if (!status) status = follow_refit(planner, reward);
    if (filter != planner->encoder.filter.version) planner->located = false; // estimates are others now
    if (status) planner->located = planner->has_target = false; // the values may not have room for the newest state
  }
  if (!status) status = sfnec_planner_follow_optimism(planner, transition, brought, reward);
  if (status) planner->values.starved = false; // the status says so
  if (transition->terminated || transition->truncated) sfnec_planner_end_episode(planner);
  return status;
}

void sfnec_planner_end_episode(sfnec_planner *planner) {
  planner->in_episode = planner->located = planner->has_target = false;
}
