// policies.c: what both kinds of psi share (psi.h), and the list of policies (policies.h).
#include "agent/policies.h"

#include <stdlib.h>
#include <string.h>

#include "agent/train/embedding.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/vector.h"

// ---- psi ----

sfnec_status sfnec_psi_create(const sfnec_psi_config *config, const sfnec_psi *previous, sfnec_random *init,
                              sfnec_psi **out) {
  if (config->options.psi == SFNEC_PSI_LINEAR) return sfnec_psi_linear_create(config, previous, init, out);
  if (config->options.psi == SFNEC_PSI_EPISODIC) return sfnec_psi_episodic_create(config, previous, init, out);
  *out = NULL;
  return SFNEC_OK;
}

void sfnec_psi_destroy(sfnec_psi *psi) {
  if (psi) psi->ops->destroy(psi);
}

sfnec_status sfnec_psi_check_step(const sfnec_psi_config *config, const double *step) {
  if (sfnec_all_within_f64(step, config->psi_size, 1e60)) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE, "psi has diverged (a step is beyond 1e60): lower the option rate");
}

size_t sfnec_psi_least_bytes(const sfnec_psi_config *config) {
  const size_t actions = (size_t)config->action_count;
  if (config->options.psi == SFNEC_PSI_PLANNED) return 0;
  if (config->options.psi == SFNEC_PSI_LINEAR) {
    return actions * config->observation_size * config->psi_size * sizeof(double);
  }
  return actions * sizeof(uint32_t) + sfnec_embedding_weights(&config->options, &config->shape) * sizeof(float);
}

size_t sfnec_psi_key_size(const sfnec_psi_config *config) {
  if (config->options.psi == SFNEC_PSI_LINEAR) return 0;
  const bool identity = config->options.embedding == SFNEC_EMBEDDING_IDENTITY;
  return identity ? config->observation_size : (size_t)config->options.key_size;
}

int64_t sfnec_psi_entries(const sfnec_psi *psi) {
  int64_t entries = 0;
  for (int32_t a = 0; a < psi->config->action_count; a++) {
    const sfnec_memory *memory = psi->ops->memory(psi, a);
    if (memory) entries += sfnec_memory_count(memory);
  }
  return entries;
}

void sfnec_psi_save_keys(const sfnec_psi *psi, sfnec_writer *writer) {
  for (int32_t a = 0; a < psi->config->action_count; a++) {
    const sfnec_memory *memory = psi->ops->memory(psi, a);
    if (memory) sfnec_memory_save_keys(memory, writer);
  }
}

// Neighbours that an answer has space for.
static size_t answer_neighbours(const sfnec_psi_config *config) {
  return config->options.psi == SFNEC_PSI_EPISODIC ? (size_t)config->options.neighbours : 0;
}

size_t sfnec_answer_size(const sfnec_psi_config *config) {
  return answer_neighbours(config) * (sizeof(double) + sizeof(sfnec_neighbour)) + config->psi_size * sizeof(double);
}

void sfnec_answer_place(const sfnec_psi_config *config, void *block, sfnec_answer *answer) {
  double *numbers = block;
  *answer = (sfnec_answer){.asked = false};
  answer->lookup.value = numbers;
  answer->lookup.weights = numbers + config->psi_size;
  answer->lookup.neighbours = (sfnec_neighbour *)(numbers + config->psi_size + answer_neighbours(config));
}

// ---- policies ----

void sfnec_policies_clear(sfnec_policies *policies) {
  for (uint32_t i = 0; i < policies->count; i++) sfnec_policy_clear(&policies->list[i]);
  free(policies->list);
  policies->list = NULL;
  policies->count = policies->capacity = 0;
}

// What a fresh policy with the number `task` may start from: the policy before it; for an embedding that all share,
// any.
static const sfnec_psi *find_previous(const sfnec_policies *policies, uint32_t task) {
  const sfnec_agent_options *options = &policies->config.options;
  if (task > 0) return policies->list[task - 1].psi;
  const bool shared = options->psi == SFNEC_PSI_EPISODIC && options->embedding_init == SFNEC_EMBEDDING_INIT_SHARED;
  return shared && policies->count > 1 ? policies->list[1].psi : NULL;
}

sfnec_status sfnec_policy_init(sfnec_policy *policy, const sfnec_policies *policies, uint32_t task, const double *w,
                               sfnec_random *init) {
  const sfnec_psi_config *config = &policies->config;
  *policy = (sfnec_policy){0};
  sfnec_status status = sfnec_psi_create(config, find_previous(policies, task), init, &policy->psi);
  if (!status) status = sfnec_reward_init(&policy->reward, &config->options, config->psi_size, w, init);
  if (status) sfnec_policy_clear(policy);
  return status;
}

void sfnec_policy_clear(sfnec_policy *policy) {
  sfnec_psi_destroy(policy->psi);
  sfnec_reward_clear(&policy->reward);
  *policy = (sfnec_policy){0};
}

sfnec_status sfnec_policies_reserve(sfnec_policies *policies) {
  if (policies->count < policies->capacity) return SFNEC_OK;
  const uint32_t capacity = policies->capacity ? 2 * policies->capacity : 8;
  if (!SFNEC_WIDEN(policies->list, capacity)) return sfnec_fail_memory("the list of policies");
  policies->capacity = capacity;
  return SFNEC_OK;
}

void sfnec_policies_push(sfnec_policies *policies, const sfnec_policy *policy) {
  policies->list[policies->count++] = *policy;
}

void sfnec_policies_remove(sfnec_policies *policies, uint32_t i) {
  sfnec_policy_clear(&policies->list[i]);
  policies->count--;
  memmove(&policies->list[i], &policies->list[i + 1], (policies->count - i) * sizeof *policies->list);
}
