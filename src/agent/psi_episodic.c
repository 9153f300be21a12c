// psi_episodic.c: psi in episodic memories, one DND per action (paper, section 3).
//
// Learning a target writes it to the action's memory and then takes one gradient step of the mean squared error on the
// neighbours' values, the written one included. Keys are the observations themselves and are not trained.
#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "agent/psi.h"
#include "base/error.h"

typedef struct episodic {
  sfnec_psi base;
  sfnec_answer scratch; // the look-up of a training step
  double *step;         // (n)
  sfnec_memory *memories[];
} episodic;

static void destroy(sfnec_psi *psi) {
  episodic *e = (episodic *)psi;
  for (int32_t a = 0; a < psi->shape->action_count; a++) sfnec_memory_destroy(e->memories[a]);
  free(e->scratch.lookup.value);
  free(e->step);
  free(e);
}

// Whether an answer still has the right neighbours.
static bool found(const sfnec_memory *memory, const sfnec_answer *answer) {
  return answer->asked && answer->keys_version == sfnec_memory_keys_version(memory);
}

// Brings an answer whose neighbours are right up to date; `fresh`: they were found just now.
static void complete(const sfnec_memory *memory, sfnec_answer *answer, bool fresh) {
  sfnec_lookup *lookup = &answer->lookup;
  const uint64_t values = sfnec_memory_values_version(memory);
  if (fresh) answer->remoteness = lookup->count ? fmin(1.0, sqrt((double)lookup->neighbours[0].squared)) : 1.0;
  if (fresh || answer->values_version != values) sfnec_memory_blend(memory, lookup);
  answer->asked = true;
  answer->keys_version = sfnec_memory_keys_version(memory);
  answer->values_version = values;
}

static void ask(const sfnec_psi *psi, const float *observation, int32_t action, sfnec_answer *answer) {
  const sfnec_memory *memory = ((const episodic *)psi)->memories[action];
  const bool fresh = !found(memory, answer);
  if (fresh) sfnec_memory_search(memory, observation, &answer->lookup);
  complete(memory, answer, fresh);
}

static bool below(sfnec_psi *psi, const float *observation, int32_t action, const sfnec_weighing *weighing,
                  double floor, sfnec_answer *answer) {
  sfnec_memory *memory = ((episodic *)psi)->memories[action];
  if (found(memory, answer)) return false;
  const uint64_t values = sfnec_memory_values_version(memory);
  const bool known = answer->below_stamp == weighing->stamp && answer->below_values_version == values;
  if (known && answer->below <= floor) return true;

  sfnec_memory_score(memory, weighing->w, weighing->stamp);
  if (sfnec_memory_search_worth(memory, observation, weighing->penalty, floor, &answer->lookup)) {
    complete(memory, answer, true);
    return false;
  }
  answer->asked = false;
  answer->below = floor;
  answer->below_stamp = weighing->stamp;
  answer->below_values_version = values;
  return true;
}

static void freeze(sfnec_psi *psi) {
  for (int32_t a = 0; a < psi->shape->action_count; a++) sfnec_memory_freeze(((episodic *)psi)->memories[a]);
}

static void touch(sfnec_psi *psi, int32_t action, const sfnec_answer *answer) {
  sfnec_memory_touch(((episodic *)psi)->memories[action], &answer->lookup);
}

static void nudge(sfnec_psi *psi, const float *observation, int32_t action, const sfnec_answer *answer,
                  const double *step) {
  (void)observation;
  sfnec_memory_nudge(((episodic *)psi)->memories[action], &answer->lookup, step);
}

static sfnec_status learn(sfnec_psi *psi, const float *observation, int32_t action, const double *target) {
  episodic *e = (episodic *)psi;
  sfnec_memory *memory = e->memories[action];
  const sfnec_status status = sfnec_memory_write(memory, observation, target, psi->shape->options.alpha);
  if (status != SFNEC_OK || psi->step_size == 0.0) return status;

  e->scratch.asked = false;
  ask(psi, observation, action, &e->scratch);
  sfnec_memory_touch(memory, &e->scratch.lookup);
  for (size_t f = 0; f < psi->shape->psi_size; f++) {
    e->step[f] = psi->step_size * (target[f] - e->scratch.lookup.value[f]);
  }
  sfnec_memory_nudge(memory, &e->scratch.lookup, e->step);
  return SFNEC_OK;
}

static const sfnec_memory *memory_of(const sfnec_psi *psi, int32_t action) {
  return ((const episodic *)psi)->memories[action];
}

static size_t bytes(const sfnec_psi *psi) {
  const episodic *e = (const episodic *)psi;
  size_t sum = sizeof *e + sfnec_answer_size(psi->shape) + psi->shape->psi_size * sizeof(double);
  for (int32_t a = 0; a < psi->shape->action_count; a++) sum += sfnec_memory_bytes(e->memories[a]);
  return sum;
}

static void save(const sfnec_psi *psi, sfnec_writer *writer, bool with_keys) {
  const episodic *e = (const episodic *)psi;
  for (int32_t a = 0; a < psi->shape->action_count; a++) sfnec_memory_save(e->memories[a], writer, with_keys);
}

static sfnec_status load(sfnec_psi *psi, sfnec_reader *reader, sfnec_reader *keys) {
  episodic *e = (episodic *)psi;
  sfnec_status status = SFNEC_OK;
  for (int32_t a = 0; a < psi->shape->action_count && status == SFNEC_OK; a++) {
    status = sfnec_memory_load(e->memories[a], reader, keys);
  }
  return status;
}

static uint64_t digest(sfnec_psi *psi) {
  if (sfnec_psi_entries(psi) == 0) return 0;
  uint64_t sum = 0;
  for (int32_t a = 0; a < psi->shape->action_count; a++) {
    const uint64_t each = sfnec_memory_digest(((episodic *)psi)->memories[a]);
    sum = XXH3_64bits_withSeed(&each, sizeof each, sum);
  }
  return sum ? sum : 1;
}

static const sfnec_psi_ops ops = {
    .destroy = destroy,
    .ask = ask,
    .below = below,
    .touch = touch,
    .learn = learn,
    .nudge = nudge,
    .freeze = freeze,
    .memory = memory_of,
    .bytes = bytes,
    .save = save,
    .load = load,
    .digest = digest,
};

sfnec_status sfnec_psi_episodic_create(const sfnec_psi_shape *shape, sfnec_psi **out) {
  const sfnec_agent_options *options = &shape->options;
  const size_t actions = (size_t)shape->action_count;
  episodic *e = calloc(1, sizeof *e + actions * sizeof e->memories[0]);
  if (!e) return sfnec_fail_memory("a policy");
  e->base = (sfnec_psi){&ops, shape, 2.0 * options->rate / (double)shape->psi_size};

  sfnec_status status = SFNEC_OK;
  void *block = malloc(sfnec_answer_size(shape));
  e->step = malloc(shape->psi_size * sizeof *e->step);
  if (block) sfnec_answer_place(shape, block, &e->scratch);
  if (!block || !e->step) status = sfnec_fail_memory("a policy");
  const sfnec_memory_shape memory = {
      .key_size = shape->observation_size,
      .value_size = shape->psi_size,
      .capacity = (uint32_t)options->capacity,
      .neighbours = (uint32_t)options->neighbours,
      .kernel = options->kernel,
      .delta = options->delta,
      .index = options->index,
      .family = shape->family,
  };
  for (size_t a = 0; a < actions && status == SFNEC_OK; a++) {
    status = sfnec_memory_create(&memory, shape->simd, &e->memories[a]);
  }
  if (status != SFNEC_OK) {
    destroy(&e->base);
    return status;
  }
  *out = &e->base;
  return SFNEC_OK;
}
