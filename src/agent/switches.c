// switches.c: task switches that nobody announces; see switches.h.
#include "agent/switches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"

static const double KNOWN = 0.02;     // uncertainty below which a reward can be predicted
static const double TOLERANCE = 0.05; // of the reward, between what was predicted and what came

// ---- life ----

sfnec_status sfnec_evidence_create(size_t features, sfnec_evidence **out) {
  sfnec_evidence *evidence = calloc(1, sizeof *evidence);
  if (!evidence) return sfnec_fail_memory("an agent");
  evidence->features = calloc(SFNEC_EVIDENCE * features, sizeof(double));
  evidence->rewards = calloc(SFNEC_EVIDENCE, sizeof(double));
  if (!evidence->features || !evidence->rewards) {
    sfnec_evidence_destroy(evidence);
    return sfnec_fail_memory("an agent");
  }
  *out = evidence;
  return SFNEC_OK;
}

void sfnec_evidence_destroy(sfnec_evidence *evidence) {
  if (!evidence) return;
  free(evidence->features);
  free(evidence->rewards);
  free(evidence);
}

size_t sfnec_evidence_bytes(size_t features) {
  return sizeof(sfnec_evidence) + SFNEC_EVIDENCE * (features + 1) * sizeof(double);
}

static void add(sfnec_evidence *evidence, size_t n, const double *features, double reward) {
  if (evidence->count == SFNEC_EVIDENCE) return;
  memcpy(evidence->features + evidence->count * n, features, n * sizeof *features);
  evidence->rewards[evidence->count++] = reward;
}

// ---- what explains a reward ----

typedef enum verdict { UNKNOWN, EXPLAINED, CONTRADICTED } verdict;

static verdict judge(const sfnec_reward *reward, const sfnec_agent_options *options, const double *features, double r) {
  const size_t n = reward->size;
  double unknown = 0.0, squares = 0.0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      unknown += features[i] * features[j] * sfnec_reward_uncertainty(reward, options, i, j);
    squares += features[i] * features[i];
  }
  if (unknown > KNOWN * squares) return UNKNOWN;
  const double expected = sfnec_dot(features, reward->w, n);
  return fabs(r - expected) > TOLERANCE * fmax(fabs(r), fabs(expected)) ? CONTRADICTED : EXPLAINED;
}

// The latest task that explains all evidence, or SFNEC_NO_POLICY.
static int32_t recognise(const sfnec_agent *agent) {
  const sfnec_psi_config *config = &agent->policies.config;
  const sfnec_evidence *evidence = agent->evidence;
  for (uint32_t k = agent->policies.count; k-- > 0;) {
    const sfnec_reward *reward = &agent->policies.list[k].reward;
    bool all = (int32_t)k != agent->active;
    for (uint32_t i = 0; i < evidence->count && all; i++) {
      all =
          judge(reward, &config->options, evidence->features + i * config->psi_size, evidence->rewards[i]) == EXPLAINED;
    }
    if (all) return (int32_t)k;
  }
  return SFNEC_NO_POLICY;
}

// A task of which only the evidence is known.
static sfnec_status begin_new(sfnec_agent *agent) {
  const sfnec_psi_config *config = &agent->policies.config;
  const sfnec_evidence *evidence = agent->evidence;
  uint32_t task;
  sfnec_status status = sfnec_agent_push_task(agent, NULL, &task);
  // the last one is what the caller is about to learn
  for (uint32_t i = 0; i + 1 < evidence->count && !status; i++) {
    status = sfnec_reward_learn(&agent->policies.list[task].reward, &config->options,
                                evidence->features + i * config->psi_size, evidence->rewards[i]);
  }
  return status ? status : sfnec_agent_activate(agent, task);
}

sfnec_status sfnec_agent_detect(sfnec_agent *agent, const double *features, double reward) {
  const sfnec_psi_config *config = &agent->policies.config;
  sfnec_evidence *evidence = agent->evidence;
  const sfnec_policy *policy = &agent->policies.list[agent->active];
  if (!policy->reward.learned || sfnec_dot(features, features, config->psi_size) == 0.0) return SFNEC_OK;
  const bool probation = evidence->recognised && evidence->count < SFNEC_EVIDENCE;
  add(evidence, config->psi_size, features, reward);
  if (judge(&policy->reward, &config->options, features, reward) != CONTRADICTED) return SFNEC_OK;
  if (!probation) { // a switch; else the task was recognised by mistake, and all since then is evidence
    evidence->count = 0;
    add(evidence, config->psi_size, features, reward);
  }
  const int32_t task = recognise(agent);
  evidence->recognised = task != SFNEC_NO_POLICY;
  return evidence->recognised ? sfnec_agent_activate(agent, (uint32_t)task) : begin_new(agent);
}

// ---- files ----

void sfnec_evidence_save(const sfnec_evidence *evidence, size_t features, sfnec_writer *writer) {
  sfnec_write_u32(writer, evidence->recognised);
  sfnec_write_u32(writer, evidence->count);
  sfnec_write_bytes(writer, evidence->features, evidence->count * features * sizeof(double));
  sfnec_write_bytes(writer, evidence->rewards, evidence->count * sizeof(double));
}

sfnec_status sfnec_evidence_load(sfnec_evidence *evidence, size_t features, sfnec_reader *reader) {
  evidence->recognised = sfnec_read_u32(reader) != 0;
  const uint32_t count = sfnec_read_u32(reader);
  if (count > SFNEC_EVIDENCE || !sfnec_reader_holds(reader, count * (features + 1), sizeof(double)))
    return sfnec_reader_refuse(reader, "it has more evidence of a switch than it keeps or holds");
  evidence->count = count;
  sfnec_read_bytes(reader, evidence->features, count * features * sizeof(double));
  sfnec_read_bytes(reader, evidence->rewards, count * sizeof(double));
  if (!sfnec_all_within_f64(evidence->features, count * features, SFNEC_NUMBER_MOST) ||
      !sfnec_all_within_f64(evidence->rewards, count, SFNEC_NUMBER_MOST)) {
    return sfnec_reader_refuse(reader, "its evidence of a switch is out of range");
  }
  return SFNEC_OK;
}
