// optimism.c: how much the agent is optimistic for of what it does not know: more if it is stuck, nothing for a while
// if it is lost.
//
// Stuck: where each step costs, and nobody has found yet what it is good for, to stay seems best: the bonus of what is
// not known is a share of the rewards seen so far, and those are small. So it grows until the agent earns something.
//
// Lost: in a world of many dimensions there is always something near that is not known, and an agent that has earned
// once may look around for the rest of its life. If it has not earned anything for long, it exploits: it goes the best
// way that it knows, and so learns where that is not as it believed. After as many steps it may look around again.
//
// On a tabular what was not tried comes to an end, and is worth going to as it is.
#include <math.h>

#include "agent/plan/internal.h"

enum {
  LONG = 100, // transitions without anything new or good that are suspicious...
  LAST = 64,  // ...if the last of them...
  FEW = 8,    // ...went through so few states
  LOST = 500, // transitions without anything good after which it exploits, and for how many
};

static bool stays(const sfnec_planner *planner) {
  if (planner->path_count < LAST) return false;
  const uint32_t *last = planner->path_states + planner->path_count - LAST;
  uint32_t different = 0;
  for (uint32_t i = 0; i < LAST; i++) {
    uint32_t first = 0;
    while (last[first] != last[i]) first++;
    different += first == i;
  }
  return different <= FEW;
}

// Hopes for more if the agent has been stuck for long, and for as much as before once it has earned something.
static void follow_stuck(sfnec_planner *planner, bool earned) {
  sfnec_values *values = &planner->values;
  if (earned || planner->model.sample_count != planner->known) {
    if (earned) values->optimism = 1.0f;
    planner->idle_since = planner->steps;
  } else if (planner->steps - planner->idle_since >= LONG && stays(planner)) {
    values->optimism = fminf(2.0f * values->optimism, SFNEC_OPTIMISM_MOST);
    planner->idle_since = planner->steps;
  }
}

// Begins to exploit, or to explore again, when it is time.
static void follow_lost(sfnec_planner *planner) {
  sfnec_values *values = &planner->values;
  const bool explores_since_it_earned = !values->exploits && planner->earned_at > planner->turned_at;
  const int64_t since = explores_since_it_earned ? planner->earned_at : planner->turned_at;
  if (planner->earned_at == 0 || planner->steps - since < LOST) return; // 0: there is nothing to exploit
  values->exploits = !values->exploits;
  planner->turned_at = planner->idle_since = planner->steps;
}

sfnec_status sfnec_planner_follow_optimism(sfnec_planner *planner, double brought, const sfnec_reward *reward) {
  sfnec_values *values = &planner->values;
  if (!planner->model.fitted) return SFNEC_OK;
  const float optimism = values->optimism;
  const bool exploited = values->exploits;
  if (sfnec_model_is_tabular(&planner->model)) {
    values->optimism = 1.0f;
    values->exploits = false;
  } else {
    if (!exploited) follow_stuck(planner, brought > 0.0);
    follow_lost(planner);
  }
  planner->known = planner->model.sample_count;
  if (values->optimism == optimism && values->exploits == exploited) return SFNEC_OK;
  planner->has_target = false; // by another optimism
  if (values->exploits != exploited) return sfnec_planner_replan(planner, reward);
  sfnec_values_reweigh(values, reward->w);
  return SFNEC_OK;
}

void sfnec_planner_forget_earned(sfnec_planner *planner) {
  planner->earned_at = 0;
  planner->values.exploits = false;
}
