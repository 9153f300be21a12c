// hope.c: how much the agent hopes for of what it does not know: more if it is stuck, nothing for a while if it is
// lost.
//
// Stuck: where each step costs, and nobody has found yet what it is good for, to stay seems best: the bonus of what is
// not known is a share of the rewards seen so far, and those are small. So it grows until the agent earns something.
//
// Lost: in a world of many dimensions there is always something near that is not known, and an agent that has earned
// once may look around for the rest of its life. If it has not earned anything for long, it practises: it goes the best
// way that it knows, and so learns where that is not as it believed. After as many steps it may look around again.
//
// On a lattice what was not tried comes to an end, and is worth going to as it is.
#include <math.h>

#include "agent/plan/state.h"

enum {
  LONG = 100, // transitions without anything new or good that are suspicious...
  LAST = 64,  // ...if the last of them...
  FEW = 8,    // ...went through so few places
  LOST = 500, // transitions without anything good after which it practises, and for how many
};

static bool stays(const sfnec_planner *planner) {
  if (planner->path_count < LAST) return false;
  const uint32_t *last = planner->path_places + planner->path_count - LAST;
  uint32_t different = 0;
  for (uint32_t i = 0; i < LAST; i++) {
    uint32_t first = 0;
    while (last[first] != last[i]) first++;
    different += first == i;
  }
  return different <= FEW;
}

// The hope of an agent that explores, after a transition.
static float explore(sfnec_planner *planner, bool earned) {
  const float hope = planner->values.hope;
  if (earned || planner->model.sample_count != planner->known) {
    planner->idle_since = planner->steps;
    return earned ? 1.0f : hope;
  }
  if (planner->steps - planner->idle_since < LONG || !stays(planner)) return hope;
  planner->idle_since = planner->steps;
  return fminf(2.0f * hope, SFNEC_HOPE_MOST);
}

// Whether it is time to practise, or to explore again.
static bool turns(const sfnec_planner *planner) {
  if (planner->earned_at == 0) return false; // nothing is known to be good
  const bool practises = planner->values.hope == 0.0f;
  const int64_t since = practises || planner->turned_at > planner->earned_at ? planner->turned_at : planner->earned_at;
  return planner->steps - since >= LOST;
}

sfnec_status sfnec_planner_follow_hope(sfnec_planner *planner, double brought, const sfnec_reward *reward) {
  sfnec_values *values = &planner->values;
  if (brought > 0.0) planner->earned_at = planner->steps;
  if (!planner->model.fitted) return SFNEC_OK;
  const float before = values->hope;
  const bool lattice = sfnec_model_is_lattice(&planner->model), turn = !lattice && turns(planner);
  if (lattice) {
    values->hope = 1.0f;
  } else if (turn) {
    values->hope = before == 0.0f ? 1.0f : 0.0f;
    planner->turned_at = planner->idle_since = planner->steps;
  } else if (before > 0.0f) {
    values->hope = explore(planner, brought > 0.0);
  }
  planner->known = planner->model.sample_count;
  if (values->hope == before) return SFNEC_OK;
  planner->promised = false; // by another hope
  if (turn) return sfnec_planner_replan(planner, reward);
  sfnec_values_reweigh(values, reward->w);
  return SFNEC_OK;
}
