// psi_planned.c: psi of an agent that plans. All tasks share one model (plan/planner.h), which the agent asks itself;
// what a task holds of its own is only its weights. So this psi is empty: it has nothing to learn and to save.
#include <stdlib.h>
#include <string.h>

#include "agent/psi.h"
#include "base/error.h"

static void destroy(sfnec_psi *psi) {
  free(psi);
}

static void ask(const sfnec_psi *psi, sfnec_psi_scratch *scratch, const float *observation, int32_t action,
                sfnec_answer *answer) {
  (void)scratch, (void)observation, (void)action;
  memset(answer->lookup.value, 0, psi->config->psi_size * sizeof *answer->lookup.value);
  answer->lookup.count = 0;
  answer->remoteness = 0.0;
  answer->asked = true;
}

static bool prune(const sfnec_psi *psi, sfnec_psi_scratch *scratch, const float *observation, int32_t action,
                  const sfnec_memory_pruning *pruning, sfnec_answer *answer) {
  (void)psi, (void)scratch, (void)observation, (void)action, (void)pruning, (void)answer;
  return false;
}

static void touch(sfnec_psi *psi, int32_t action, const sfnec_answer *answer) {
  (void)psi, (void)action, (void)answer;
}

static sfnec_status learn(sfnec_psi *psi, const float *observation, int32_t action, const double *target,
                          const double *written) {
  (void)psi, (void)observation, (void)action, (void)target, (void)written;
  return SFNEC_OK;
}

static sfnec_status nudge(sfnec_psi *psi, const sfnec_psi_step *steps, size_t count) {
  (void)psi, (void)steps, (void)count;
  return SFNEC_OK;
}

static void freeze(sfnec_psi *psi) {
  (void)psi;
}

static const sfnec_memory *memory_of(const sfnec_psi *psi, int32_t action) {
  (void)psi, (void)action;
  return NULL;
}

static sfnec_training training(const sfnec_psi *psi) {
  (void)psi;
  return (sfnec_training){0};
}

static size_t bytes(const sfnec_psi *psi) {
  return sizeof *psi;
}

static void save(const sfnec_psi *psi, sfnec_writer *writer, bool with_keys) {
  (void)psi, (void)writer, (void)with_keys;
}

static sfnec_status load(sfnec_psi *psi, sfnec_reader *reader, sfnec_reader *keys) {
  (void)psi, (void)reader, (void)keys;
  return SFNEC_OK;
}

static uint64_t digest(sfnec_psi *psi) {
  (void)psi;
  return 0;
}

static const sfnec_psi_ops ops = {
    .destroy = destroy,
    .ask = ask,
    .prune = prune,
    .touch = touch,
    .learn = learn,
    .nudge = nudge,
    .freeze = freeze,
    .memory = memory_of,
    .training = training,
    .bytes = bytes,
    .save = save,
    .load = load,
    .digest = digest,
};

sfnec_status sfnec_psi_planned_create(const sfnec_psi_config *config, sfnec_psi **out) {
  sfnec_psi *psi = malloc(sizeof *psi);
  if (!psi) return sfnec_fail_memory("a policy");
  *psi = (sfnec_psi){&ops, config, 0.0};
  *out = psi;
  return SFNEC_OK;
}
