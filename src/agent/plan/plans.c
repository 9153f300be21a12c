// plans.c: the plans behind questions. A scratch keeps those for the last weights that were asked about, each made by
// value iteration along trajectories from the start (replan.c), and from states in contexts that these do not meet. A
// question spends at most `question_backups` on its plan and answers by the best so far; the next one resumes it, and
// what the plan comes to is the same to the bit.
//
// When the agent has learned, the plan resumes from the values that it has, as asynchronous value iteration may from
// any, unless states or contexts have other numbers now. See planner.h.
#include <string.h>

#include "agent/plan/internal.h"
#include "base/error.h"

sfnec_status sfnec_plan_scratch_check(sfnec_plan_scratch *scratch) {
  sfnec_question_plan *plan = scratch->plan;
  if (!plan->values.starved) return SFNEC_OK;
  plan->values.starved = plan->begun = false;
  const sfnec_status failed = sfnec_judge_failure(plan->values.judge);
  return failed ? failed : sfnec_fail_memory("a plan");
}

void sfnec_plan_scratch_set_reward(sfnec_plan_scratch *scratch, sfnec_reward_function function, void *context) {
  scratch->reward = function;
  scratch->reward_context = context;
  scratch->plan->begun = false;
}

bool sfnec_plan_scratch_is_planning(const sfnec_plan_scratch *scratch) {
  return scratch->plan->begun && sfnec_values_plans(&scratch->plan->values);
}

static bool is_for(const sfnec_question_plan *plan, const double *w, size_t n) {
  return plan->begun && memcmp(plan->values.w, w, n * sizeof *w) == 0;
}

// The plan for weights, or else the one that was asked about the longest time ago.
static sfnec_question_plan *find_plan(sfnec_plan_scratch *scratch, const double *w) {
  sfnec_question_plan *oldest = scratch->plans;
  for (size_t i = 0; i < SFNEC_QUESTION_PLANS; i++) {
    sfnec_question_plan *plan = &scratch->plans[i];
    if (is_for(plan, w, scratch->planner->config->psi_size)) return plan;
    if (plan->asked < oldest->asked) oldest = plan;
  }
  return oldest;
}

// Makes values of the model that a question is about: the planner's, or with a reward function the relabelled one.
static sfnec_status choose_model(sfnec_plan_scratch *scratch) {
  const sfnec_planner *planner = scratch->planner;
  sfnec_values *values = &scratch->plan->values;
  const sfnec_model *model = &planner->model;
  if (!scratch->reward && values->model == model) return SFNEC_OK;
  sfnec_values_clear(values);
  sfnec_relabelled_clear(&scratch->relabelled);
  if (scratch->reward) {
    const sfnec_status status = sfnec_relabel(model, scratch->reward, scratch->reward_context, &scratch->relabelled);
    if (status) return status;
    model = &scratch->relabelled.model;
  }
  const sfnec_status status = sfnec_values_init(values, model, &planner->masks, false);
  values->judge = scratch->reward ? scratch->relabelled.judge : NULL;
  return status;
}

// Where the last episode began, in the numbers of the model.
static sfnec_status find_start(sfnec_plan_scratch *scratch) {
  const sfnec_planner *planner = scratch->planner;
  sfnec_values *values = &scratch->plan->values;
  if (!planner->has_start) return SFNEC_OK;
  float squared;
  sfnec_model_key(&planner->model, planner->start, scratch->work.key);
  values->start_state = sfnec_model_nearest(&planner->model, scratch->work.search, scratch->work.key, &squared);
  return sfnec_values_context(values, planner->start, &values->start_context);
}

// Begins a plan: from the values of an earlier one, which the model has made stale, or from nothing.
static sfnec_status begin(sfnec_plan_scratch *scratch, const double *w, bool afresh) {
  const sfnec_planner *planner = scratch->planner;
  sfnec_question_plan *plan = scratch->plan;
  sfnec_values *values = &plan->values;
  sfnec_status status = SFNEC_OK;
  plan->begun = plan->has_here = false;
  if (afresh) {
    sfnec_corrections_clear(&scratch->corrections); // the numbers of contexts begin again
    plan->random = sfnec_random_start(planner->random.seed, SFNEC_PURPOSE_PLANNING);
    status = choose_model(scratch);
    if (!status) status = sfnec_values_reset(values);
    if (!status) status = sfnec_values_begin(values, w);
  } else {
    status = sfnec_values_follow(values);
    if (!status) sfnec_values_reweigh(values, w);
  }
  if (!status) status = find_start(scratch);
  if (status) return status;
  sfnec_values_begin_plan(values, afresh, planner->config->options.replan_backups);
  plan->version = planner->model.version;
  plan->numbering = planner->numbering;
  plan->begun = true;
  return SFNEC_OK;
}

// Works on the plan as long as the question may.
static sfnec_status work(sfnec_plan_scratch *scratch) {
  sfnec_question_plan *plan = scratch->plan;
  sfnec_values *values = &plan->values;
  if (!sfnec_values_plans(values)) return SFNEC_OK;
  scratch->has_played = false; // values of what was looked at change
  const int64_t before = values->backups;
  sfnec_values_continue_plan(values, plan->has_here ? &plan->here : NULL, scratch->budget, &plan->random);
  scratch->budget -= values->backups - before;
  return sfnec_plan_scratch_check(scratch);
}

sfnec_status sfnec_plan_scratch_prepare(sfnec_plan_scratch *scratch, const double *w) {
  static const double one = 1.0; // the weight of the only feature of a relabelled model
  const sfnec_planner *planner = scratch->planner;
  const sfnec_psi_config *config = planner->config;
  sfnec_question_plan *former = scratch->plan, *plan = former;
  if (scratch->reward) {
    w = &one;
  } else {
    plan = scratch->plan = find_plan(scratch, w);
  }
  if (plan != former) scratch->has_played = false;
  if (plan != former) sfnec_corrections_clear(&scratch->corrections); // contexts have other numbers
  plan->asked = ++scratch->asked;
  scratch->budget = scratch->most;
  // a question that failed has been told so, and its plan may be half made
  if (plan->values.starved) plan->values.starved = plan->begun = false;
  const bool same = is_for(plan, w, scratch->reward ? 1 : config->psi_size);
  if (!same || plan->version != planner->model.version) {
    const bool resumes = same && !scratch->reward && plan->numbering == planner->numbering &&
                         plan->values.contexts.count <= SFNEC_CONTEXTS_MOST;
    scratch->has_played = false;
    const sfnec_status status = begin(scratch, w, !resumes);
    if (status) return status;
  }
  return work(scratch);
}

sfnec_status sfnec_plan_scratch_extend(sfnec_plan_scratch *scratch, uint32_t context, uint32_t state) {
  sfnec_question_plan *plan = scratch->plan;
  if (sfnec_values_plans(&plan->values)) return SFNEC_OK; // it may still come there
  plan->here = (sfnec_node){context, state};
  plan->has_here = true;
  sfnec_values_extend_plan(&plan->values, scratch->planner->config->options.replan_backups);
  return work(scratch);
}
