// optimism.c: how much the agent expects of what it does not know.
//
// The exploration bonus is a share of the reward scale, and that scale comes from the rewards known so far. As long as
// none of them is worth going for, it is a scale of small costs, and to stand still, or to turn left for ever, may seem
// best. So an agent that knows no reward, and whose plan no longer leads to anything that it has not tried, becomes as
// optimistic as R-max (Brafman and Tennenholtz 2002): what it does not know is worth more than any way there costs, and
// it explores everything that it can reach. Once it knows a reward the bonus is the option's again.
//
// In many dimensions novelty never runs out, and an agent that explores may never come back to what it knows. If it has
// earned once and then not for long, it exploits: it plans without a bonus for as many steps, and learns where the best
// way that it knows is not as it believed (explicit explore or exploit; Kearns and Singh 2002). Where states repeat to
// the bit, novelty does run out.
#include <math.h>

#include "agent/plan/internal.h"

// What is known of rewards under w.
typedef struct known_rewards {
  double going, ending; // the greatest of transitions that went on, and of those that ended an episode
} known_rewards;

static known_rewards find_rewards(const sfnec_planner *planner, const double *w) {
  const sfnec_model *model = &planner->model;
  const size_t n = planner->config->psi_size;
  known_rewards known = {-(double)INFINITY, -(double)INFINITY};
  for (uint32_t s = 0; s < model->sample_count; s++) {
    double reward = 0.0;
    for (size_t i = 0; i < n; i++) reward += (double)model->sample_features[s * n + i] * w[i];
    double *greatest = model->samples[s].terminated ? &known.ending : &known.going;
    *greatest = fmax(*greatest, reward);
  }
  return known;
}

// Whether something is known that is worth going for: a reward, or, where every step costs, an end of the costs.
bool sfnec_planner_knows_reward(const sfnec_planner *planner, const double *w) {
  const known_rewards known = find_rewards(planner, w);
  if (fmax(known.going, known.ending) > 0.0) return true;
  const bool ends = planner->config->options.terminal == SFNEC_TERMINAL_ZERO && isfinite(known.ending);
  return ends && known.going < 0.0;
}

// The multiple of the bonus, after a transition.
static float follow_reward(sfnec_planner *planner, bool may_know, const double *w) {
  const float optimism = planner->values.optimism;
  if (!sfnec_model_uses(&planner->model, SFNEC_WITHOUT_OPTIMISM)) return optimism;
  if (planner->model.tried != planner->tried) {
    planner->tried = planner->model.tried;
    planner->idle_since = planner->steps;
  }
  const bool idle = planner->steps - planner->idle_since >= SFNEC_IDLE;
  if (optimism > 1.0f ? !may_know : !idle) return optimism;
  planner->idle_since = planner->steps;
  return sfnec_planner_knows_reward(planner, w) ? 1.0f : SFNEC_OPTIMISM_MOST;
}

// Begins to exploit, or to explore again, when it is time.
static bool take_turns(sfnec_planner *planner) {
  sfnec_values *values = &planner->values;
  if (!sfnec_model_uses(&planner->model, SFNEC_WITHOUT_EXPLOITATION)) return false;
  const bool explores_since_it_earned = !values->exploits && planner->earned_at > planner->turned_at;
  const int64_t since = explores_since_it_earned ? planner->earned_at : planner->turned_at;
  if (planner->earned_at == 0 || planner->steps - since < SFNEC_EXPLOIT_AFTER)
    return false; // 0: there is nothing to exploit
  values->exploits = !values->exploits;
  planner->turned_at = planner->steps;
  return true;
}

sfnec_status sfnec_planner_follow_optimism(sfnec_planner *planner, const sfnec_transition *transition, double brought,
                                           const sfnec_reward *reward) {
  sfnec_values *values = &planner->values;
  if (!planner->model.fitted) return SFNEC_OK;
  const float optimism = follow_reward(planner, brought > 0.0 || transition->terminated, reward->w);
  if (optimism != values->optimism) {
    planner->has_target = false; // by another bonus
    values->optimism = optimism;
    sfnec_values_reweigh(values, reward->w);
  }
  if (sfnec_model_is_tabular(&planner->model)) {
    values->exploits = false;
    return SFNEC_OK;
  }
  return take_turns(planner) ? sfnec_planner_replan(planner, reward, false) : SFNEC_OK;
}

void sfnec_planner_forget_earned(sfnec_planner *planner) {
  planner->earned_at = 0;
  planner->values.exploits = false;
}
