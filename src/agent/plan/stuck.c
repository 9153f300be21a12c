// stuck.c: an agent that stays where it is, earns nothing and learns nothing hopes for more of what it does not know.
//
// Where each step costs, and nobody has found yet what it is good for, to stay seems best: the bonus of what is not
// known is a share of the rewards seen so far, and those are small. So it grows until the agent earns something. On a
// lattice what was not tried is worth going to as it is.
#include <math.h>

#include "agent/plan/state.h"

enum {
  LONG = 100, // transitions without anything new or good that are suspicious...
  LAST = 64,  // ...if the last of them...
  FEW = 8,    // ...went through so few places
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

void sfnec_planner_follow_hope(sfnec_planner *planner, double brought, const double *w) {
  sfnec_values *values = &planner->values;
  const sfnec_model *model = &planner->model;
  if (!model->fitted) return;
  const float before = values->hope;
  if (sfnec_model_is_lattice(model)) {
    values->hope = 1.0f;
  } else if (brought > 0.0 || model->sample_count != planner->known) {
    if (brought > 0.0) values->hope = 1.0f;
    planner->idle_since = planner->steps;
  } else if (planner->steps - planner->idle_since >= LONG && stays(planner)) {
    values->hope = fminf(2.0f * values->hope, SFNEC_HOPE_MOST);
    planner->idle_since = planner->steps;
  }
  planner->known = model->sample_count;
  if (values->hope == before) return;
  planner->promised = false; // by another hope
  sfnec_values_reweigh(values, w);
}
