// uncertainty.c: what a planner knows of weights that nobody gives (option w=rls), and how far they have moved: the
// posterior variance of recursive least squares, as Bayesian linear regression has it.
#include <math.h>

#include "agent/plan/internal.h"

// With tasks=detect the weight of a feature that was not seen for long counts as unknown. When one is due to be
// looked for again, so are those that will be soon: a plan for them together costs less.
static bool is_due(const sfnec_planner *planner, size_t i) {
  const size_t n = planner->config->psi_size;
  const int64_t recheck = planner->config->options.recheck;
  int64_t oldest = 0;
  for (size_t j = 0; j < n; j++) {
    const int64_t age = planner->steps - planner->seen[j];
    oldest = age > oldest ? age : oldest;
  }
  const bool trip = oldest >= recheck || planner->uncertainty[i * n + i] >= 1.0;
  return planner->steps - planner->seen[i] >= (trip ? recheck / 2 : recheck);
}

static double uncertainty_now(const sfnec_planner *planner, const sfnec_reward *reward, size_t i, size_t j) {
  const sfnec_agent_options *options = &planner->config->options;
  const bool detects = options->tasks == SFNEC_TASKS_DETECT && reward->learned;
  return detects && i == j && is_due(planner, i) ? 1.0 : sfnec_reward_uncertainty(reward, options, i, j);
}

void sfnec_planner_note_uncertainty(sfnec_planner *planner, const sfnec_reward *reward) {
  const size_t n = planner->config->psi_size;
  for (size_t i = 0; planner->uncertainty && i < n * n; i++) {
    const double now = uncertainty_now(planner, reward, i / n, i % n);
    planner->uncertainty[i] = fmin(fmax(now, -SFNEC_UNCERTAINTY_MOST), SFNEC_UNCERTAINTY_MOST);
  }
}

bool sfnec_planner_is_uncertain(const sfnec_planner *planner) {
  const size_t n = planner->config->psi_size;
  for (size_t i = 0; planner->uncertainty && i < n; i++) {
    if (planner->uncertainty[i * n + i] > SFNEC_UNCERTAIN) return true;
  }
  return false;
}

double sfnec_planner_weight_change(const sfnec_planner *planner, const sfnec_reward *reward) {
  const sfnec_values *values = &planner->values;
  const size_t n = planner->config->psi_size;
  double moved = 0.0, learned = 0.0;
  for (size_t i = 0; i < n; i++) {
    moved += fabs(reward->w[i] - values->w[i]) * (double)planner->model.greatest[i];
    if (planner->uncertainty)
      learned = fmax(learned, fabs(uncertainty_now(planner, reward, i, i) - planner->uncertainty[i * n + i]));
  }
  const double grown = fabs((double)sfnec_values_reward_scale(values, reward->w) - (double)values->reward_scale);
  return fmax(fmax(moved, grown) / (double)values->reward_scale, learned);
}
