// replan.c: a plan for other weights, or by another model, in slices: what the first values of tables are made of, then
// trajectories until they find nothing to do. The values in between are the best plan so far. See values.h.
#include "agent/plan/values.h"

void sfnec_values_begin_first(sfnec_values *values) {
  if (values->model->effects.count <= 1) return;
  values->planning.stage = SFNEC_STAGE_FIRST;
  values->planning.effect = 0;
  values->planning.sweep.going = false;
}

void sfnec_values_extend_plan(sfnec_values *values, int64_t backups) {
  values->planning.left = backups;
  values->planning.quiet = 0;
}

void sfnec_values_begin_plan(sfnec_values *values, bool afresh, int64_t backups) {
  values->planning.stage = SFNEC_STAGE_NONE;
  values->planning.afresh = afresh;
  sfnec_values_extend_plan(values, backups);
  sfnec_values_begin_first(values);
}

bool sfnec_values_begin_somewhere(sfnec_values *values, const sfnec_node *here, sfnec_random *random) {
  const bool starts =
      values->start_state != SFNEC_NONE && (!here || sfnec_model_uses(values->model, SFNEC_WITHOUT_STARTS));
  if (!starts && !here) return false;
  if (starts && (!here || sfnec_random_below(random, 2) == 0)) {
    sfnec_values_begin_trajectory(values, values->start_context, values->start_state);
  } else {
    sfnec_values_begin_trajectory(values, here->context, here->state);
  }
  return true;
}

void sfnec_values_continue_plan(sfnec_values *values, const sfnec_node *here, int64_t backups, sfnec_random *random) {
  sfnec_planning *now = &values->planning;
  const int64_t before = values->backups, end = before + (backups < now->left ? backups : now->left);
  while (now->quiet < SFNEC_QUIET && values->backups < end && !values->starved) {
    if (now->stage == SFNEC_STAGE_NONE && !sfnec_values_begin_somewhere(values, here, random)) now->quiet = SFNEC_QUIET;
    const bool first = now->stage == SFNEC_STAGE_FIRST;
    if (!sfnec_values_advance(values, end - values->backups, random)) break;
    if (!first) {
      now->quiet = now->found ? 0 : now->quiet + 1;
    } else if (now->afresh) { // tables that were needed meanwhile begin again, with better first values
      sfnec_values_drop_tables(values);
    }
  }
  now->left -= values->backups - before;
  if (now->quiet >= SFNEC_QUIET || now->left < 0) now->left = 0;
}
