// plan_learner.c: a learner that plans: one model and one plan for all tasks (plan/planner.h), whose policies are
// weights and counters alone.
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/mask.h"
#include "base/error.h"
#include "base/vector.h"

static const sfnec_reward *active_reward(const sfnec_agent *agent) {
  return &agent->policies.list[agent->active].reward;
}

// ---- life and tasks ----

static sfnec_status create(sfnec_agent *agent) {
  return sfnec_planner_create(&agent->policies.config, agent->seed, &agent->planner);
}

static void destroy(sfnec_agent *agent) {
  sfnec_planner_destroy(agent->planner);
}

static size_t bytes(const sfnec_agent *agent) {
  return sfnec_planner_bytes(agent->planner);
}

static sfnec_status reserve(sfnec_agent *agent) {
  (void)agent;
  return sfnec_fail(SFNEC_ERROR_STATE,
                    "an agent that plans allocates as its model grows: bound it by the option states");
}

// The features are found again, and with them the weights of all tasks.
static sfnec_status begin_learned(sfnec_agent *agent) {
  const sfnec_psi_config *config = &agent->policies.config;
  const uint32_t count = agent->policies.count;
  sfnec_reward *rewards = calloc(count, sizeof *rewards);
  sfnec_status status = rewards ? SFNEC_OK : sfnec_fail_memory("learned features");
  for (uint32_t i = 0; i < count && !status; i++)
    status = sfnec_reward_init(&rewards[i], &config->options, config->psi_size, NULL, NULL);
  if (!status) status = sfnec_planner_begin_learned(agent->planner, (uint32_t)agent->active, count, rewards);
  for (uint32_t i = 0; i < count && rewards; i++) {
    if (!status) {
      const sfnec_reward before = agent->policies.list[i].reward;
      agent->policies.list[i].reward = rewards[i];
      rewards[i] = before;
    }
    sfnec_reward_clear(&rewards[i]);
  }
  free(rewards);
  return status;
}

static sfnec_status begin_task(sfnec_agent *agent) {
  if (agent->policies.config.options.predict == SFNEC_PREDICT_LEARNED) return begin_learned(agent);
  return sfnec_planner_begin(agent->planner, active_reward(agent));
}

static sfnec_status begin_reward(sfnec_agent *agent, sfnec_reward_function function, void *context) {
  const sfnec_basis basis = sfnec_basis_of(&agent->policies.config.options);
  // predict=reward has forgotten the features of its transitions, and sees the new rewards as they come
  if (basis == SFNEC_BASIS_REWARD || basis == SFNEC_BASIS_LEARNED) return begin_task(agent);
  return sfnec_planner_begin_reward(agent->planner, active_reward(agent), function, context);
}

static void forget_task(sfnec_agent *agent, uint32_t task, bool removed) {
  sfnec_planner_forget_task(agent->planner, task, removed);
}

// The samples belong to all tasks; they are told at the last one, so that each counts once.
static void describe_task(const sfnec_agent *agent, uint32_t task, sfnec_task_info *info) {
  if (task + 1 == agent->policies.count) info->entries = sfnec_planner_model(agent->planner)->sample_count;
}

// ---- the episode ----

static sfnec_status act(sfnec_agent *agent, const float *observation, const uint8_t *mask) {
  const bool random = agent->policies.config.options.ties == SFNEC_TIES_RANDOM;
  sfnec_choice choice = {.policy = agent->active};
  const sfnec_status status =
      sfnec_planner_act(agent->planner, observation, mask, random ? &agent->exploration : NULL, &choice);
  if (status) return status;
  sfnec_agent_look_here(agent, observation, mask);
  agent->choice = choice;
  return SFNEC_OK;
}

static sfnec_status follow(sfnec_agent *agent, const float *observation, int32_t action) {
  const sfnec_status status = sfnec_planner_follow(agent->planner, observation);
  if (status) return status;
  sfnec_agent_look_here(agent, observation, NULL);
  agent->choice = (sfnec_choice){.action = action, .policy = agent->active};
  return SFNEC_OK;
}

static sfnec_status observe(sfnec_agent *agent, const sfnec_transition *transition) {
  int64_t *chosen = &agent->policies.list[agent->active].chosen;
  *chosen = sfnec_count_up(*chosen);
  return sfnec_planner_observe(agent->planner, agent->here.observation, transition, agent->phi, active_reward(agent));
}

static void learned_features(sfnec_agent *agent, const sfnec_transition *transition) {
  sfnec_planner_learned_features(agent->planner, agent->here.observation, transition, active_reward(agent), agent->phi);
}

static sfnec_status plan(sfnec_agent *agent, int64_t backups, int64_t *made) {
  return sfnec_planner_plan(agent->planner, backups, made);
}

static sfnec_status end_episode(sfnec_agent *agent) {
  sfnec_planner_end_episode(agent->planner);
  return SFNEC_OK;
}

// ---- questions ----

static sfnec_status open_scratch(sfnec_scratch *scratch) {
  return sfnec_plan_scratch_create(scratch->agent->planner, &scratch->plan);
}

static void close_scratch(sfnec_scratch *scratch) {
  sfnec_plan_scratch_destroy(scratch->plan);
}

// The weights that a question is about; NULL: it is about a reward function.
static const double *asked_weights(const sfnec_scratch *scratch, const double *w) {
  return scratch->reward ? NULL : sfnec_agent_weights(scratch->agent, w);
}

static void set_reward(sfnec_scratch *scratch, sfnec_reward_function function, void *context) {
  sfnec_plan_scratch_set_reward(scratch->plan, function, context);
}

static bool is_planning(const sfnec_scratch *scratch) {
  return sfnec_plan_scratch_is_planning(scratch->plan);
}

// The best action of a plan for these weights.
static sfnec_status choose(sfnec_scratch *scratch, const float *observation, const uint8_t *mask, const double *w,
                           sfnec_choice *choice) {
  const sfnec_agent *agent = scratch->agent;
  double *q = scratch->asked.values; // one policy's: (actions)
  double value;
  const sfnec_status status =
      sfnec_plan_play(agent->planner, scratch->plan, observation, mask, asked_weights(scratch, w), q, &value);
  if (status) return status;
  const bool random = agent->policies.config.options.ties == SFNEC_TIES_RANDOM;
  sfnec_argmax best = sfnec_argmax_begin(mask);
  for (uint32_t a = 0; a < (uint32_t)agent->shape.action_count; a++) {
    if (sfnec_mask_allows(mask, a)) sfnec_argmax_offer(&best, a, q[a], random ? &scratch->ties : NULL);
  }
  *choice = (sfnec_choice){
      .action = (int32_t)best.action, .policy = agent->active == SFNEC_NO_POLICY ? 0 : agent->active, .value = value};
  return SFNEC_OK;
}

static sfnec_status tell(sfnec_scratch *scratch, const float *observation, const sfnec_transition *transition) {
  return sfnec_plan_tell(scratch->agent->planner, scratch->plan, observation, transition);
}

static sfnec_status ask_psi(sfnec_scratch *scratch, const float *observation, double *psi) {
  const sfnec_agent *agent = scratch->agent;
  const size_t size = (size_t)agent->shape.action_count * agent->policies.config.psi_size;
  sfnec_status status = SFNEC_OK;
  for (uint32_t k = 0; k < agent->policies.count && !status; k++) {
    const double *w = agent->policies.list[k].reward.w;
    status = sfnec_plan_ask_psi(agent->planner, scratch->plan, observation, w, psi + k * size);
  }
  return status;
}

// One plan for all tasks.
static sfnec_status ask_q(sfnec_scratch *scratch, const float *observation, const double *w, double *q) {
  const sfnec_agent *agent = scratch->agent;
  const size_t actions = (size_t)agent->shape.action_count;
  const sfnec_status status = sfnec_plan_ask(agent->planner, scratch->plan, observation, asked_weights(scratch, w), q);
  for (uint32_t k = 1; k < agent->policies.count && !status; k++) memcpy(q + k * actions, q, actions * sizeof *q);
  return status;
}

static sfnec_status ask_memories(sfnec_scratch *scratch, const float *observation, uint32_t task, int32_t action,
                                 size_t most, sfnec_memory_view *views, size_t *count) {
  (void)task;
  return sfnec_plan_ask_samples(scratch->agent->planner, scratch->plan, observation, action, most, views, count);
}

static void describe_model(const sfnec_agent *agent, sfnec_model_info *info) {
  sfnec_planner_describe_model(agent->planner, info);
}

static void describe_component(const sfnec_agent *agent, size_t component, sfnec_component_info *info) {
  sfnec_planner_describe_component(agent->planner, component, info);
}

static void describe_learned(const sfnec_agent *agent, sfnec_learned_info *info) {
  sfnec_planner_describe_learned(agent->planner, info);
}

static sfnec_status ask_learned(const sfnec_agent *agent, size_t feature, size_t most, sfnec_response *responses,
                                float *observations, size_t *count) {
  return sfnec_planner_ask_learned(agent->planner, feature, most, responses, observations, count);
}

static sfnec_status ask_places(sfnec_scratch *scratch, const float *observation, const double *w, size_t first,
                               size_t most, sfnec_place_view *views, size_t *count) {
  const sfnec_agent *agent = scratch->agent;
  return sfnec_plan_ask_states(agent->planner, scratch->plan, observation, asked_weights(scratch, w), first, most,
                               views, count);
}

static sfnec_status ask_coverage(sfnec_scratch *scratch, const float *observation, const double *w, size_t most,
                                 float *observations, int32_t *actions, sfnec_plan_coverage *coverage) {
  return sfnec_plan_ask_coverage(scratch->agent->planner, scratch->plan, observation, asked_weights(scratch, w), most,
                                 observations, actions, coverage);
}

static const float *start(const sfnec_agent *agent) {
  return sfnec_planner_start(agent->planner);
}

static sfnec_status ask_path(sfnec_scratch *scratch, const float *observation, const double *w, size_t most,
                             sfnec_place_view *views, size_t *count) {
  const sfnec_agent *agent = scratch->agent;
  return sfnec_plan_ask_path(agent->planner, scratch->plan, observation, asked_weights(scratch, w), most, views, count);
}

// ---- files ----

static void save(const sfnec_agent *agent, sfnec_writer *writer) {
  sfnec_planner_save(agent->planner, writer);
}

static sfnec_status load(sfnec_agent *agent, sfnec_reader *reader) {
  return sfnec_planner_load(agent->planner, agent->policies.count, agent->active, reader);
}

const sfnec_learner sfnec_plan_learner = {
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .reserve = reserve,
    .begin_task = begin_task,
    .begin_reward = begin_reward,
    .forget_task = forget_task,
    .describe_task = describe_task,
    .act = act,
    .follow = follow,
    .observe = observe,
    .learned_features = learned_features,
    .plan = plan,
    .end_episode = end_episode,
    .open_scratch = open_scratch,
    .close_scratch = close_scratch,
    .set_reward = set_reward,
    .is_planning = is_planning,
    .choose = choose,
    .tell = tell,
    .ask_psi = ask_psi,
    .ask_q = ask_q,
    .ask_memories = ask_memories,
    .describe_model = describe_model,
    .describe_component = describe_component,
    .describe_learned = describe_learned,
    .ask_learned = ask_learned,
    .ask_places = ask_places,
    .ask_coverage = ask_coverage,
    .start = start,
    .ask_path = ask_path,
    .save = save,
    .load = load,
};
