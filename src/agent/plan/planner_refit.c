// planner_refit.c: when the model is made again (refit.h), and what follows: scales that have changed, more samples for
// a polynomial, other noise, or other verdicts of relevance.
#include "agent/plan/planner.h"

#include "agent/plan/internal.h"

// Hands the first transitions to the refit that makes the first model.
sfnec_status sfnec_planner_begin_first_model(sfnec_planner *planner) {
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

// There is another model, with other states: plans for it.
static sfnec_status start_again(sfnec_planner *planner, const sfnec_reward *reward) {
  sfnec_planner_forget_path(planner);
  const sfnec_status masked = sfnec_masks_follow(&planner->masks, planner->work.search);
  sfnec_status status = sfnec_values_reset(&planner->values);
  if (!status) status = masked ? masked : sfnec_planner_replan(planner, reward, true);
  if (status) sfnec_values_reweigh(&planner->values, reward->w);
  return status;
}

// The refit is of no use any more; what it was for becomes due again.
void sfnec_planner_drop_refit(sfnec_planner *planner) {
  if (!planner->refit) return;
  if (sfnec_refit_rereads(planner->refit)) planner->encoder.changed = true;
  if (planner->next_fit > planner->steps) planner->next_fit = planner->steps;
  sfnec_refit_destroy(planner->refit);
  planner->refit = NULL;
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

// Takes the new model; features that are learned follow its samples.
static sfnec_status take_model(sfnec_planner *planner) {
  sfnec_learned_labels labels = {0};
  sfnec_status status = SFNEC_OK;
  if (planner->learned)
    status = sfnec_learned_follow(planner->learned, &planner->model, sfnec_refit_next(planner->refit), &labels);
  if (status) {
    sfnec_planner_drop_refit(planner);
    return status;
  }
  sfnec_refit_finish(planner->refit, &planner->model);
  sfnec_refit_destroy(planner->refit);
  planner->refit = NULL;
  if (planner->learned) sfnec_model_set_features(&planner->model, labels.features, labels.known);
  sfnec_learned_labels_clear(&labels);
  return SFNEC_OK;
}

// Works on the refit for what takes as long as so many backups, and takes its model when it is done.
static sfnec_status work_on_refit(sfnec_planner *planner, const sfnec_reward *reward, int64_t backups) {
  sfnec_status status = sfnec_refit_work(planner->refit, &planner->model, backups);
  if (status) {
    sfnec_planner_drop_refit(planner);
    return status;
  }
  if (!sfnec_refit_is_done(planner->refit)) return SFNEC_OK;
  status = take_model(planner);
  return status ? status : start_again(planner, reward);
}

sfnec_status sfnec_planner_finish_refit(sfnec_planner *planner, const sfnec_reward *reward) {
  sfnec_status status = SFNEC_OK;
  while (planner->refit && !status) status = work_on_refit(planner, reward, planner->config->options.step_backups);
  return status;
}

// Works on the refit that is under way, or due.
sfnec_status sfnec_planner_follow_refit(sfnec_planner *planner, const sfnec_reward *reward) {
  sfnec_status status = planner->refit ? SFNEC_OK : begin_refit(planner);
  if (!status && !planner->refit && planner->search) status = follow_search(planner);
  if (status || !planner->refit) return status;
  end_search(planner); // the refit has one of its own
  return work_on_refit(planner, reward, planner->config->options.step_backups);
}
