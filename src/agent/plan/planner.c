// planner.c: the life of a planner, its tasks, and the plans that they begin with; see planner.h. Acting is in
// planner_act.c, learning in planner_learn.c, making the model again in planner_refit.c.
#include "agent/plan/planner.h"

#include <stdlib.h>
#include <string.h>

#include "agent/plan/internal.h"
#include "agent/plan/labels.h"
#include "base/error.h"
#include "base/grow.h"

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
  if (planner->config->options.predict == SFNEC_PREDICT_LEARNED) {
    planner->learned = malloc(sizeof *planner->learned);
    if (!planner->learned) return sfnec_fail_memory("a planner");
    sfnec_learned_init(planner->learned);
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

sfnec_status sfnec_planner_reserve_waiting(sfnec_planner *planner, uint32_t count) {
  if (count <= planner->waiting_room) return SFNEC_OK;
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  const size_t room = sfnec_room(count, SFNEC_ROOM_FIRST);
  const bool whole = SFNEC_WIDEN(planner->before, room * d) && SFNEC_WIDEN(planner->after, room * d) &&
                     SFNEC_WIDEN(planner->features, room * n);
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
  if (planner->learned) sfnec_learned_clear(planner->learned);
  free(planner->learned);
  free(planner->before), free(planner->after), free(planner->features), free(planner->actions);
  free(planner->terminated), free(planner->start), free(planner->uncertainty), free(planner->seen);
  free(planner);
}

size_t sfnec_planner_bytes(const sfnec_planner *planner) {
  const size_t d = planner->config->observation_size, n = planner->config->psi_size;
  return sizeof *planner + planner->waiting_room * (2 * d * sizeof(float) + n * sizeof(double)) +
         (planner->uncertainty ? n * (n + 1) * sizeof(double) : 0) + sfnec_model_bytes(&planner->model) +
         (planner->refit ? sfnec_refit_bytes(planner->refit) : 0) +
         (planner->learned ? sfnec_learned_bytes(planner->learned) : 0) +
         (planner->search ? sfnec_noise_bytes(planner->search) : 0) + sfnec_encoder_bytes(&planner->encoder) +
         sfnec_values_bytes(&planner->values) + sfnec_masks_bytes(&planner->masks);
}

const sfnec_model *sfnec_planner_model(const sfnec_planner *planner) {
  return &planner->model;
}

// ---- plans ----

// Whether the plan is what it should be.
sfnec_status sfnec_planner_check(sfnec_planner *planner) {
  if (!planner->values.starved) return SFNEC_OK;
  planner->values.starved = false;
  return sfnec_fail_memory("a plan");
}

// Where the last episode began, in the numbers of the model as it is.
sfnec_status sfnec_planner_find_start(sfnec_planner *planner) {
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
  if (!status) status = sfnec_planner_find_start(planner);
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
  return sfnec_planner_check(planner);
}

// ---- tasks ----

// Forgets what the former task earned, but for what is known of the rewards of this one.
static void forget_rewards(sfnec_planner *planner) {
  if (planner->model.fitted) sfnec_planner_drop_refit(planner); // it has the features of the former task
  if (planner->labels) sfnec_model_set_features(&planner->model, planner->labels->features, planner->labels->known);
  else sfnec_model_forget_features(&planner->model);
  sfnec_encoder_forget_features(&planner->encoder);
  sfnec_planner_forget_earned(planner);
}

// Plans for a task without rewards: what is forgotten cannot be undone, so all that needs memory comes before. The
// first slice, which would need more, is left to the next step.
static sfnec_status plan_unrewarded(sfnec_planner *planner, const sfnec_reward *reward) {
  sfnec_status status = sfnec_model_reserve_all_blocks(&planner->model);
  if (!status) status = sfnec_values_follow(&planner->values);
  if (!status) status = sfnec_planner_find_start(planner);
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
  status = planner->config->options.predict != SFNEC_PREDICT_FEATURES ? plan_unrewarded(planner, reward)
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
void sfnec_planner_forget_path(sfnec_planner *planner) {
  planner->located = planner->has_target = false;
  planner->path_count = 0;
  planner->numbering++;
}

sfnec_status sfnec_planner_begin(sfnec_planner *planner, const sfnec_reward *reward) {
  if (planner->model.fitted) {
    const sfnec_status status = plan_task(planner, reward);
    if (status) return status;
  } else {
    if (planner->config->options.predict != SFNEC_PREDICT_FEATURES) forget_rewards(planner);
    planner->values.optimism = 1.0f;
    sfnec_planner_note_uncertainty(planner, reward);
    memcpy(planner->values.w, reward->w, planner->config->psi_size * sizeof(double));
  }
  sfnec_planner_forget_path(planner);
  return SFNEC_OK;
}

sfnec_status sfnec_planner_begin_reward(sfnec_planner *planner, const sfnec_reward *reward,
                                        sfnec_reward_function function, void *context) {
  // a refit has the labels of the former task; only the first model has no other memory of its transitions
  sfnec_status status = planner->model.fitted ? SFNEC_OK : sfnec_planner_finish_refit(planner, reward);
  if (status) return status;
  sfnec_planner_drop_refit(planner);
  sfnec_labels labels;
  status = sfnec_labels_ask(planner, function, context, &labels);
  if (status) return status;
  status = sfnec_labels_swap(planner, &labels);
  if (!status) {
    status = sfnec_planner_begin(planner, reward);
    if (status) (void)sfnec_labels_swap(planner, &labels); // there is room for what there was
  }
  sfnec_labels_clear(&labels);
  return status;
}

sfnec_status sfnec_planner_begin_learned(sfnec_planner *planner, uint32_t task, uint32_t tasks, sfnec_reward *rewards) {
  sfnec_learned found;
  sfnec_learned_labels labels;
  sfnec_status status = sfnec_learned_find(planner->learned, &planner->model, task, tasks, rewards, &found, &labels);
  if (status) return status;
  planner->labels = &labels;
  status = sfnec_planner_begin(planner, &rewards[task]);
  planner->labels = NULL;
  sfnec_learned_labels_clear(&labels);
  if (status) sfnec_factors_clear(&found.factors);
  else sfnec_learned_take(planner->learned, &found);
  return status;
}
