// agent.c: the life of an agent: creating, destroying, checking what callers hand in.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/mask.h"
#include "agent/switches.h"
#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "env/picture.h"

static sfnec_status check_shape(const sfnec_env_shape *shape) {
  const struct {
    const char *name;
    int32_t size;
  } sizes[] = {{"observation_size", shape->observation_size},
               {"action_count", shape->action_count},
               {"feature_count", shape->feature_count}};
  for (size_t i = 0; i < 3; i++) {
    if (sizes[i].size < 1 || sizes[i].size > SFNEC_SIZE_MOST) {
      return sfnec_fail(SFNEC_ERROR_ARGUMENT, "an agent cannot have %s %" PRId32 ": it takes 1 to %d", sizes[i].name,
                        sizes[i].size, SFNEC_SIZE_MOST);
    }
  }
  return sfnec_picture_check(shape);
}

// Sizes that are fine one by one and together ask for more than a machine has. Memory is handed out before it is there,
// so a failed allocation would come too late.
static sfnec_status check_numbers(const sfnec_env_shape *shape, const sfnec_agent_options *options) {
  double numbers = (double)shape->action_count;
  numbers *= (double)sfnec_basis_size(options, shape);
  if (options->psi == SFNEC_PSI_LINEAR) numbers *= shape->observation_size;
  if (numbers <= SFNEC_TASK_NUMBERS_MOST) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "an agent with observation_size %" PRId32 ", action_count %" PRId32 " and feature_count %" PRId32
                    " would hold %.0f numbers for each task: the most are %d",
                    shape->observation_size, shape->action_count, shape->feature_count, numbers,
                    SFNEC_TASK_NUMBERS_MOST);
}

static const char *embedding_name(const sfnec_agent_options *options) {
  return sfnec_options_find(sfnec_agent_option_set(), "embedding")->choices[options->embedding];
}

// Options that are fine one by one and make no sense together.
static sfnec_status check_together(const sfnec_env_shape *shape, const sfnec_agent_options *options) {
  enum { MOST_PCA = 4096 };
  if (options->tasks == SFNEC_TASKS_DETECT &&
      (options->psi != SFNEC_PSI_PLANNED || options->w != SFNEC_W_RLS || options->predict != SFNEC_PREDICT_FEATURES)) {
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "agent option tasks=detect is refused: it takes an agent that plans and learns w exactly, so set "
                      "psi=planned, w=rls and predict=features");
  }
  if (sfnec_basis_of(options) == SFNEC_BASIS_LABEL && options->w != SFNEC_W_GIVEN) {
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "agent option rewards=any is refused: an agent that plans is given its rewards then, as a "
                      "function or as weights, so set w=given");
  }
  if (options->predict == SFNEC_PREDICT_LEARNED && options->psi != SFNEC_PSI_PLANNED) {
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "agent option predict=learned is refused: it takes an agent that plans, so set psi=planned");
  }
  if (options->psi == SFNEC_PSI_LINEAR) return SFNEC_OK; // uses none of them
  if (options->equal == SFNEC_EQUAL_GREATER && options->predict != SFNEC_PREDICT_REWARD) {
    return sfnec_fail(SFNEC_ERROR_OPTION, "agent option equal=greater is refused: of several features none is the "
                                          "greater, so set predict=reward");
  }
  const bool learned = sfnec_embedding_learns(options);
  if (options->psi == SFNEC_PSI_PLANNED && learned) {
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "agent option psi=planned is refused with a learned embedding: use embedding=identity, random or "
                      "pca, or give it embedded observations");
  }
  if (learned && options->training != SFNEC_TRAINING_BATCH) {
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "agent option embedding=%s is refused: it is trained from a replay buffer, so set training=batch",
                      embedding_name(options));
  }
  if (options->training == SFNEC_TRAINING_BATCH && options->replay < options->batch) {
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "agent option replay=%" PRId64 " is refused: it takes at least one batch, which is %" PRId64,
                      options->replay, options->batch);
  }
  if (options->embedding == SFNEC_EMBEDDING_PCA && shape->observation_size > MOST_PCA) {
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "agent option embedding=pca is refused: it takes observations of at most %d numbers, not %" PRId32
                      "; use embedding=random",
                      MOST_PCA, shape->observation_size);
  }
  sfnec_net net;
  return sfnec_embedding_describe(options, shape, &net);
}

static sfnec_status allocate(sfnec_agent *agent) {
  const sfnec_psi_config *config = &agent->policies.config;
  const sfnec_agent_options *options = &config->options;
  agent->note = calloc(1, 1);
  agent->phi = calloc(config->psi_size, sizeof *agent->phi);
  agent->target = calloc(2 * config->psi_size, sizeof *agent->target);
  if (!agent->note || !agent->phi || !agent->target) return sfnec_fail_memory("an agent");
  sfnec_collector_init(&agent->waiting, config->observation_size, config->psi_size, sfnec_collector_limit(options));
  sfnec_ring_set_picture(&agent->waiting, &config->shape.picture);
  const sfnec_status status = sfnec_psi_scratch_init(&agent->scratch, config);
  // of no policies yet: a file that claims many actions has to show them before there is memory for them
  return status ? status : sfnec_agent_reserve_frames(agent, 0);
}

sfnec_status sfnec_agent_create(const sfnec_env_shape *shape, const sfnec_agent_options *options, uint64_t seed,
                                sfnec_agent **out) {
  if (!shape || !options || !out) return sfnec_fail_null(__func__);
  // each size and option alone, then what they ask for together
  sfnec_status status = check_shape(shape);
  if (!status) status = sfnec_options_check(sfnec_agent_option_set(), options);
  if (!status) status = check_numbers(shape, options);
  if (!status) status = check_together(shape, options);
  const sfnec_simd *simd = NULL;
  if (!status) status = sfnec_simd_select(&simd);
  if (status) return status;

  sfnec_agent *agent = calloc(1, sizeof *agent);
  if (!agent) return sfnec_fail_memory("an agent");
  agent->shape = *shape;
  agent->seed = seed;
  agent->active = SFNEC_NO_POLICY;
  agent->watch.steps.on = options->psi != SFNEC_PSI_LINEAR; // whose steps take as long as 50 looks at the clock
  // one random stream per purpose, so that a draw for one never shifts another
  agent->exploration = sfnec_random_start(seed, SFNEC_PURPOSE_EXPLORATION);
  agent->init = sfnec_random_start(seed, SFNEC_PURPOSE_INIT);
  agent->replay = sfnec_random_start(seed, SFNEC_PURPOSE_REPLAY);
  agent->evaluation = sfnec_random_start(seed, SFNEC_PURPOSE_EVALUATION);
  // what every psi of this agent knows
  agent->policies.config = (sfnec_psi_config){
      .options = *options,
      .simd = simd,
      .minibatches = &agent->replay,
      .scratch = &agent->scratch,
      .shape = *shape,
      .observation_size = (size_t)shape->observation_size,
      .psi_size = sfnec_basis_size(options, shape),
      .action_count = shape->action_count,
  };
  // weights of features that nobody knows are learned, and exactly
  if (options->predict == SFNEC_PREDICT_LEARNED) agent->policies.config.options.w = SFNEC_W_RLS;
  // without a codebook, for lack of memory, each index is on its own: slower, with the same answers
  agent->policies.config.codebook = sfnec_codebook_create();
  // the learner and its memory
  agent->learner = options->psi == SFNEC_PSI_PLANNED ? &sfnec_plan_learner : &sfnec_policy_learner;
  status = allocate(agent);
  if (!status && agent->learner->create) status = agent->learner->create(agent);
  if (!status && options->tasks == SFNEC_TASKS_DETECT) {
    status = sfnec_evidence_create(&agent->policies.config, &agent->evidence);
  }
  if (status) {
    sfnec_agent_destroy(agent);
    return status;
  }
  *out = agent;
  return SFNEC_OK;
}

void sfnec_agent_destroy(sfnec_agent *agent) {
  if (!agent) return;
  if (agent->learner->destroy) agent->learner->destroy(agent);
  sfnec_evidence_destroy(agent->evidence);
  free(agent->joints.values);
  sfnec_policies_clear(&agent->policies);
  sfnec_codebook_destroy(agent->policies.config.codebook);
  sfnec_ring_clear(&agent->waiting);
  sfnec_frame_clear(&agent->here);
  sfnec_frame_clear(&agent->next);
  sfnec_psi_scratch_clear(&agent->scratch);
  free(agent->note);
  free(agent->components);
  free(agent->phi);
  free(agent->target);
  free(agent);
}

sfnec_status sfnec_agent_set_note(sfnec_agent *agent, const char *note) {
  if (!agent) return sfnec_fail_null(__func__);
  if (!note || strlen(note) > UINT16_MAX) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "an agent's note must be a text of at most %d bytes", UINT16_MAX);
  }
  char *copy = strdup(note);
  if (!copy) return sfnec_fail_memory("an agent's note");
  free(agent->note);
  agent->note = copy;
  return SFNEC_OK;
}

const char *sfnec_agent_get_note(const sfnec_agent *agent) {
  if (!agent) return "";
  return agent->note;
}

bool sfnec_component_space_is_good(sfnec_component_space *component) {
  if (!memchr(component->name, '\0', sizeof component->name)) return false;
  sfnec_text_clean(component->name);
  return component->kind >= SFNEC_SPACE_NUMBER && component->kind <= SFNEC_SPACE_PIXEL && component->values >= 0;
}

sfnec_status sfnec_agent_set_components(sfnec_agent *agent, const sfnec_component_space *components) {
  if (!agent) return sfnec_fail_null(__func__);
  const size_t count = agent->policies.config.observation_size;
  sfnec_component_space *copy = NULL;
  if (components) {
    copy = malloc(count * sizeof *copy);
    if (!copy) return sfnec_fail_memory("the components of an observation");
    memcpy(copy, components, count * sizeof *copy);
  }
  for (size_t i = 0; copy && i < count; i++) {
    if (sfnec_component_space_is_good(&copy[i])) continue;
    free(copy);
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "component %zu is none: its kind is one of sfnec_space_kind, its values are 0 or more, and its "
                      "name ends within %d bytes",
                      i, SFNEC_COMPONENT_NAME);
  }
  free(agent->components);
  agent->components = copy;
  return SFNEC_OK;
}

const sfnec_component_space *sfnec_agent_get_components(const sfnec_agent *agent) {
  return agent ? agent->components : NULL;
}

const sfnec_agent_options *sfnec_agent_get_options(const sfnec_agent *agent) {
  return agent ? &agent->policies.config.options : NULL;
}

sfnec_env_shape sfnec_agent_get_shape(const sfnec_agent *agent) {
  return agent ? agent->shape : (sfnec_env_shape){0};
}

uint64_t sfnec_agent_get_seed(const sfnec_agent *agent) {
  return agent ? agent->seed : 0;
}

size_t sfnec_agent_get_bytes(const sfnec_agent *agent) {
  if (!agent) return 0;
  const sfnec_psi_config *config = &agent->policies.config;
  size_t sum = sizeof *agent + sfnec_ring_bytes(&agent->waiting) + sfnec_frame_bytes(&agent->here, config) +
               sfnec_frame_bytes(&agent->next, config) + sfnec_psi_scratch_bytes(&agent->scratch);
  sum += agent->joints.room * (size_t)agent->shape.feature_count * sizeof(double);
  if (agent->evidence) sum += sfnec_evidence_bytes(config->psi_size);
  if (agent->components) sum += config->observation_size * sizeof *agent->components;
  return sum + agent->policies.count * sizeof(sfnec_policy) + agent->learner->bytes(agent);
}

static sfnec_status check_model(const sfnec_agent *agent) {
  if (agent->learner->describe_model) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE, "the agent has no model: it does not plan (psi=planned)");
}

sfnec_status sfnec_agent_get_model_info(const sfnec_agent *agent, sfnec_model_info *info) {
  if (!agent || !info) return sfnec_fail_null(__func__);
  const sfnec_status status = check_model(agent);
  if (!status) agent->learner->describe_model(agent, info);
  return status;
}

sfnec_status sfnec_agent_get_component_info(const sfnec_agent *agent, int32_t component, sfnec_component_info *info) {
  if (!agent || !info) return sfnec_fail_null(__func__);
  const int32_t size = agent->shape.observation_size;
  if (component < 0 || component >= size) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "there is no component %" PRId32 ": an observation has %" PRId32 ", numbered from 0", component,
                      size);
  }
  const sfnec_status status = check_model(agent);
  if (!status) agent->learner->describe_component(agent, (size_t)component, info);
  return status;
}

static sfnec_status check_learned(const sfnec_agent *agent) {
  if (agent->policies.config.options.predict == SFNEC_PREDICT_LEARNED) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE, "the agent learns no features: it was not made with predict=learned");
}

sfnec_status sfnec_agent_get_learned_info(const sfnec_agent *agent, sfnec_learned_info *info) {
  if (!agent || !info) return sfnec_fail_null(__func__);
  const sfnec_status status = check_learned(agent);
  if (!status) agent->learner->describe_learned(agent, info);
  return status;
}

sfnec_status sfnec_agent_ask_learned(const sfnec_agent *agent, int32_t feature, size_t most, sfnec_response *responses,
                                     float *observations, size_t *count) {
  if (!agent || !count || (most > 0 && (!responses || !observations))) return sfnec_fail_null(__func__);
  sfnec_learned_info info;
  const sfnec_status status = sfnec_agent_get_learned_info(agent, &info);
  if (status) return status;
  if (feature < 0 || feature >= info.features) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "there is no learned feature %" PRId32 ": there are %" PRId32 ", numbered from 0", feature,
                      info.features);
  }
  return agent->learner->ask_learned(agent, (size_t)feature, most, responses, observations, count);
}

sfnec_status sfnec_agent_check_task(const sfnec_agent *agent, uint32_t task) {
  const uint32_t count = agent->policies.count;
  if (task < count) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT, "there is no task %" PRIu32 ": the agent has %" PRIu32 ", numbered from 0",
                    task, count);
}

sfnec_status sfnec_agent_check_weights(const sfnec_agent *agent, const double *w) {
  const size_t size = (size_t)agent->shape.feature_count;
  if (w && sfnec_all_within_f64(w, size, SFNEC_NUMBER_MOST)) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT, "reward weights must be %zu finite numbers, none beyond %g", size,
                    SFNEC_NUMBER_MOST);
}

sfnec_status sfnec_agent_check_observation(const sfnec_agent *agent, const float *observation) {
  const size_t size = agent->policies.config.observation_size;
  if (!observation || !sfnec_all_finite_f32(observation, size)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "an observation must be %zu finite numbers", size);
  }
  const int32_t levels = agent->shape.picture.levels;
  const size_t good = levels ? sfnec_picture_whole(levels, observation, size) : size;
  if (good == size) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "number %zu of a picture is %g: it must be a whole number from 0 to %" PRId32
                    ", times 1.0 / %" PRId32,
                    good, (double)observation[good], levels, levels);
}

sfnec_status sfnec_agent_check_mask(const sfnec_agent *agent, const uint8_t **mask) {
  const uint32_t actions = (uint32_t)agent->shape.action_count;
  *mask = sfnec_mask_or_none(*mask, actions);
  if (sfnec_mask_count(*mask, actions) > 0) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "the mask allows none of the %" PRIu32 " actions: allow at least one, or end the episode there",
                    actions);
}

sfnec_status sfnec_agent_check_outcome(const sfnec_agent *agent, const sfnec_transition *transition) {
  if (transition->action < 0 || transition->action >= agent->shape.action_count) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "there is no action %" PRId32 ": there are %" PRId32 ", numbered from 0",
                      transition->action, agent->shape.action_count);
  }
  if (!sfnec_all_within_f64(&transition->reward, 1, SFNEC_NUMBER_MOST)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a reward must be a finite number, not beyond %g: scale it to about 1",
                      SFNEC_NUMBER_MOST);
  }
  return sfnec_agent_check_observation(agent, transition->next_observation);
}

bool sfnec_agent_limit_plans(sfnec_agent *agent) {
  sfnec_agent_options *options = &agent->policies.config.options;
  if (options->psi != SFNEC_PSI_PLANNED || options->replan_backups <= SFNEC_LOOK_BACKUPS) return false;
  options->replan_backups = SFNEC_LOOK_BACKUPS;
  return true;
}

sfnec_status sfnec_agent_reserve_frames(sfnec_agent *agent, uint32_t policies) {
  const sfnec_psi_config *config = &agent->policies.config;
  const sfnec_status status = sfnec_frame_reserve(&agent->here, config, &agent->scratch, policies);
  return status ? status : sfnec_frame_reserve(&agent->next, config, &agent->scratch, policies);
}

sfnec_status sfnec_agent_make_room(sfnec_agent *agent, uint32_t tasks) {
  return agent->learner->make_room ? agent->learner->make_room(agent, tasks) : SFNEC_OK;
}

void sfnec_agent_look_here(sfnec_agent *agent, const float *observation, const uint8_t *mask) {
  const sfnec_psi_config *config = &agent->policies.config;
  if (agent->next.valid &&
      memcmp(agent->next.observation, observation, config->observation_size * sizeof(float)) == 0) {
    const sfnec_frame here = agent->here;
    agent->here = agent->next;
    agent->next = here;
  }
  sfnec_frame_look(&agent->here, config, observation);
  sfnec_frame_set_mask(&agent->here, config, mask);
  agent->next.valid = false;
}

const double *sfnec_agent_weights(const sfnec_agent *agent, const double *w) {
  return w ? w : agent->policies.list[agent->active].reward.w;
}
