// psi_episodic.c: psi in episodic memories, one DND per action (paper, section 3).
//
// The key of an observation is the observation itself, or what the policy's embedding makes of it. Learning a
// target writes it to the action's memory. Then training=sample takes one gradient step of the mean squared error on
// the neighbours' values, the written one included; training=batch leaves that to the trainer, which also trains
// the keys and the embedding if it is a learned one.
//
// embedding=pca has no keys before it has seen enough observations: until then targets wait, the memories stay empty,
// and the policy knows nothing. Then it is fitted, and they are learned in their order.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "agent/psi.h"
#include "agent/train/trainer.h"
#include "base/error.h"

typedef struct episodic {
  sfnec_psi base;
  sfnec_answer answer;        // of a training step
  double *step;               // (n)
  sfnec_embedding *embedding; // NULL: keys are observations
  bool tagged;                // entries are found again by their observations
  sfnec_codebook *codebook;   // of its own, because its keys are like no other policy's; NULL without an embedding
  sfnec_trainer *trainer;     // NULL with training=sample
  sfnec_ring early;           // targets that wait for pca
  sfnec_memory *memories[];
} episodic;

static void destroy(sfnec_psi *psi) {
  episodic *e = (episodic *)psi;
  for (int32_t a = 0; a < psi->config->action_count; a++) sfnec_memory_destroy(e->memories[a]);
  sfnec_codebook_destroy(e->codebook);
  sfnec_embedding_destroy(e->embedding);
  if (e->trainer) sfnec_trainer_free(e->trainer);
  free(e->trainer);
  sfnec_ring_clear(&e->early);
  free(e->answer.lookup.value);
  free(e->step);
  free(e);
}

// ---- answers ----

static uint64_t embedding_version(const episodic *e) {
  return e->embedding ? e->embedding->version : 0;
}

// The key of an observation; valid until the next one is made.
static const float *key_of(const episodic *e, sfnec_psi_scratch *scratch, const float *observation) {
  if (!e->embedding) return observation;
  const size_t size = e->base.config->observation_size * sizeof *observation;
  const bool known = scratch->embedding == e->embedding && scratch->embedding_version == e->embedding->version &&
                     memcmp(scratch->observation, observation, size) == 0;
  if (known) return scratch->key;
  memcpy(scratch->observation, observation, size);
  sfnec_embedding_apply(e->embedding, observation, scratch->work, scratch->key);
  scratch->embedding = e->embedding;
  scratch->embedding_version = e->embedding->version;
  return scratch->key;
}

// Whether an answer still has the right neighbours.
static bool found(const episodic *e, int32_t action, const sfnec_answer *answer) {
  return answer->asked && answer->keys_version == sfnec_memory_keys_version(e->memories[action]) &&
         answer->embedding_version == embedding_version(e);
}

// Brings an answer whose neighbours are right up to date; `fresh`: they were found just now.
static void complete(const episodic *e, int32_t action, sfnec_answer *answer, bool fresh) {
  const sfnec_memory *memory = e->memories[action];
  sfnec_lookup *lookup = &answer->lookup;
  const uint64_t values = sfnec_memory_values_version(memory);
  if (fresh) answer->remoteness = lookup->count ? fmin(1.0, sqrt((double)lookup->neighbours[0].squared)) : 1.0;
  if (fresh || answer->values_version != values) sfnec_memory_blend(memory, lookup);
  answer->asked = true;
  answer->keys_version = sfnec_memory_keys_version(memory);
  answer->values_version = values;
  answer->embedding_version = embedding_version(e);
}

static void ask(const sfnec_psi *psi, sfnec_psi_scratch *scratch, const float *observation, int32_t action,
                sfnec_answer *answer) {
  const episodic *e = (const episodic *)psi;
  const bool fresh = !found(e, action, answer);
  if (fresh)
    sfnec_memory_search(e->memories[action], scratch->search, key_of(e, scratch, observation), &answer->lookup);
  complete(e, action, answer, fresh);
}

static bool prune(const sfnec_psi *psi, sfnec_psi_scratch *scratch, const float *observation, int32_t action,
                  const sfnec_memory_pruning *pruning, sfnec_answer *answer) {
  const episodic *e = (const episodic *)psi;
  const sfnec_memory *memory = e->memories[action];
  if (found(e, action, answer)) return false;
  const uint64_t values = sfnec_memory_values_version(memory);
  const bool known = answer->pruned_stamp == pruning->stamp && answer->pruned_values_version == values &&
                     answer->pruned_embedding_version == embedding_version(e);
  if (known && answer->pruned_floor <= pruning->floor) return true;

  const float *key = key_of(e, scratch, observation);
  if (sfnec_memory_search_pruned(memory, scratch->search, key, pruning, &answer->lookup)) {
    complete(e, action, answer, true);
    return false;
  }
  answer->asked = false;
  answer->pruned_floor = pruning->floor;
  answer->pruned_stamp = pruning->stamp;
  answer->pruned_values_version = values;
  answer->pruned_embedding_version = embedding_version(e);
  return true;
}

static void freeze(sfnec_psi *psi) {
  episodic *e = (episodic *)psi;
  for (int32_t a = 0; a < psi->config->action_count; a++) sfnec_memory_freeze(e->memories[a]);
  if (e->trainer) sfnec_trainer_end_task(e->trainer);
}

// Each action keeps the same share of its entries, but one at least: psi of an empty memory is zero, which GPI would
// take for a value.
static sfnec_status reduce(sfnec_psi *psi, int64_t entries) {
  episodic *e = (episodic *)psi;
  const int64_t all = sfnec_psi_entries(psi);
  sfnec_status status = SFNEC_OK;
  for (int32_t a = 0; a < psi->config->action_count && all > entries && !status; a++) {
    const int64_t share = sfnec_memory_count(e->memories[a]) * entries / all;
    status = sfnec_memory_reduce(e->memories[a], share > 0 ? (uint32_t)share : 1);
  }
  return status;
}

static sfnec_status reserve(sfnec_psi *psi) {
  episodic *e = (episodic *)psi;
  sfnec_status status = SFNEC_OK;
  for (int32_t a = 0; a < psi->config->action_count && !status; a++) status = sfnec_memory_reserve_all(e->memories[a]);
  return status;
}

static void touch(sfnec_psi *psi, int32_t action, const sfnec_answer *answer) {
  sfnec_memory_touch(((episodic *)psi)->memories[action], &answer->lookup);
}

// ---- learning ----

static sfnec_status nudge(sfnec_psi *psi, const sfnec_psi_step *steps, size_t count) {
  episodic *e = (episodic *)psi;
  const bool trained = e->trainer && e->embedding && e->embedding->trained;
  if (trained && psi->config->options.td_trains == SFNEC_TD_TRAINS_ALL) {
    return sfnec_trainer_step(e->trainer, e->memories, e->embedding, steps, count);
  }
  for (size_t i = 0; i < count; i++) {
    sfnec_memory_nudge(e->memories[steps[i].action], &steps[i].answer->lookup, steps[i].step);
  }
  return SFNEC_OK;
}

static sfnec_status train(sfnec_psi *psi) {
  episodic *e = (episodic *)psi;
  return e->trainer ? sfnec_trainer_tick(e->trainer, e->memories, e->embedding, &e->answer.lookup) : SFNEC_OK;
}

// training=sample: one step on the neighbours of what was written
static void train_sample(episodic *e, const float *observation, int32_t action, const double *target) {
  sfnec_psi *psi = &e->base;
  e->answer.asked = false;
  ask(psi, psi->config->scratch, observation, action, &e->answer);
  sfnec_memory_touch(e->memories[action], &e->answer.lookup);
  double squared = 0.0;
  for (size_t f = 0; f < psi->config->psi_size; f++) {
    const double difference = target[f] - e->answer.lookup.value[f];
    squared += difference * difference;
    e->step[f] = psi->step_size * difference;
  }
  sfnec_psi_count_loss(psi->config, squared);
  sfnec_memory_nudge(e->memories[action], &e->answer.lookup, e->step);
}

static sfnec_status write_target(episodic *e, const float *observation, int32_t action, const double *target) {
  const sfnec_psi *psi = &e->base;
  const float *key = key_of(e, psi->config->scratch, observation);
  const double alpha = psi->config->options.alpha;
  if (!e->tagged) return sfnec_memory_write(e->memories[action], key, target, alpha);
  const uint64_t tag = XXH3_64bits(observation, psi->config->observation_size * sizeof *observation);
  return sfnec_memory_write_tagged(e->memories[action], tag, key, target, alpha);
}

static sfnec_status train_target(episodic *e, const float *observation, int32_t action, const double *target) {
  if (e->trainer) {
    return sfnec_trainer_learn(e->trainer, e->memories, e->embedding, observation, action, target, &e->answer.lookup);
  }
  if (e->base.step_size != 0.0) train_sample(e, observation, action, target);
  return SFNEC_OK;
}

// Keeps a target until pca can be fitted; then fits it, and learns all that waited, each written by itself.
static sfnec_status learn_early(episodic *e, const float *observation, int32_t action, const double *target) {
  sfnec_status status = sfnec_ring_reserve(&e->early);
  if (status) return status;
  memcpy(sfnec_ring_push(&e->early, observation, action), target, e->base.config->psi_size * sizeof *target);
  if (e->early.count < e->early.limit) return SFNEC_OK;
  // the ring is just full, so it begins at its first slot
  status = sfnec_embedding_fit(e->embedding, e->early.observations, e->early.count);
  if (status) {
    e->early.count--; // this target is dropped, and the next one tries again
    return status;
  }
  for (size_t i = 0; i < e->early.count; i++) {
    const sfnec_ring_entry each = sfnec_ring_at(&e->early, i);
    const float *seen = sfnec_ring_observation(&e->early, i);
    sfnec_status one = write_target(e, seen, each.action, each.numbers);
    if (!one) one = train_target(e, seen, each.action, each.numbers);
    if (!status) status = one;
  }
  sfnec_ring_clear(&e->early);
  return status;
}

static sfnec_status learn(sfnec_psi *psi, const float *observation, int32_t action, const double *target,
                          const double *written) {
  episodic *e = (episodic *)psi;
  if (e->embedding && !e->embedding->ready) return learn_early(e, observation, action, target);
  const sfnec_status status = written ? write_target(e, observation, action, written) : SFNEC_OK;
  return status ? status : train_target(e, observation, action, target);
}

// ---- facts and files ----

static const sfnec_memory *memory_of(const sfnec_psi *psi, int32_t action) {
  return ((const episodic *)psi)->memories[action];
}

static const sfnec_embedding *embedding_of(const sfnec_psi *psi) {
  return ((const episodic *)psi)->embedding;
}

static const double *matrices(const sfnec_psi *psi) {
  (void)psi;
  return NULL;
}

static sfnec_training training(const sfnec_psi *psi) {
  const episodic *e = (const episodic *)psi;
  return e->trainer ? e->trainer->done : (sfnec_training){0};
}

static size_t bytes(const sfnec_psi *psi) {
  const episodic *e = (const episodic *)psi;
  size_t sum = sizeof *e + sfnec_answer_size(psi->config) + psi->config->psi_size * sizeof(double);
  if (e->embedding) sum += sfnec_embedding_bytes(e->embedding) + sfnec_ring_bytes(&e->early);
  if (e->trainer) sum += sizeof *e->trainer + sfnec_trainer_bytes(e->trainer);
  for (int32_t a = 0; a < psi->config->action_count; a++) sum += sfnec_memory_bytes(e->memories[a]);
  return sum;
}

static void save(const sfnec_psi *psi, sfnec_writer *writer, bool with_keys) {
  const episodic *e = (const episodic *)psi;
  if (e->embedding) {
    sfnec_embedding_save(e->embedding, writer);
    sfnec_ring_save(&e->early, writer);
  }
  for (int32_t a = 0; a < psi->config->action_count; a++) sfnec_memory_save(e->memories[a], writer, with_keys);
  if (e->trainer) sfnec_trainer_save(e->trainer, writer);
}

static sfnec_status load(sfnec_psi *psi, sfnec_reader *reader, sfnec_reader *keys) {
  episodic *e = (episodic *)psi;
  sfnec_status status = SFNEC_OK;
  if (e->embedding) {
    status = sfnec_embedding_load(e->embedding, &psi->config->options, reader);
    if (!status) status = sfnec_ring_load(&e->early, psi->config->action_count, "a waiting target", reader);
    const bool waits = e->early.count > 0;
    if (!status && waits && (e->embedding->ready || e->early.count == e->early.limit)) {
      status = sfnec_reader_refuse(reader, "targets wait for an embedding that is there");
    }
  }
  for (int32_t a = 0; a < psi->config->action_count && !status; a++) {
    status = sfnec_memory_load(e->memories[a], reader, keys);
  }
  if (!status && e->embedding && !e->embedding->ready && sfnec_psi_entries(psi) > 0) {
    status = sfnec_reader_refuse(reader, "it holds keys of an embedding that is not there yet");
  }
  if (e->trainer && !status) status = sfnec_trainer_load(e->trainer, e->embedding, reader);
  return status;
}

static uint64_t digest(sfnec_psi *psi) {
  if (sfnec_psi_entries(psi) == 0) return 0;
  uint64_t sum = 0;
  for (int32_t a = 0; a < psi->config->action_count; a++) {
    const uint64_t each = sfnec_memory_digest(((episodic *)psi)->memories[a]);
    sum = XXH3_64bits_withSeed(&each, sizeof each, sum);
  }
  return sum ? sum : 1;
}

static const sfnec_psi_ops ops = {
    .destroy = destroy,
    .ask = ask,
    .prune = prune,
    .touch = touch,
    .learn = learn,
    .nudge = nudge,
    .train = train,
    .freeze = freeze,
    .reduce = reduce,
    .reserve = reserve,
    .memory = memory_of,
    .embedding = embedding_of,
    .matrices = matrices,
    .training = training,
    .bytes = bytes,
    .save = save,
    .load = load,
    .digest = digest,
};

// The embedding, if there is to be one, and what belongs to it.
static sfnec_status create_embedding(episodic *e, const sfnec_psi *previous, sfnec_random *init) {
  const sfnec_psi_config *config = e->base.config;
  sfnec_embedding *older = previous ? ((const episodic *)previous)->embedding : NULL;
  const sfnec_status status = sfnec_embedding_create(&config->options, &config->shape, older, init, &e->embedding);
  if (status || !e->embedding) return status;
  // without a codebook, for lack of memory, each index is on its own: slower, with the same answers
  e->codebook = sfnec_codebook_create();
  return SFNEC_OK;
}

static sfnec_status create_trainer(episodic *e) {
  if (e->base.config->options.training != SFNEC_TRAINING_BATCH) return SFNEC_OK;
  e->trainer = calloc(1, sizeof *e->trainer);
  return e->trainer ? sfnec_trainer_init(e->trainer, e->base.config) : sfnec_fail_memory("a policy");
}

// the memory's own numbers for what these options name
_Static_assert((int)SFNEC_KERNEL_INVERSE_SQUARED == (int)SFNEC_WEIGHT_INVERSE_SQUARED &&
                   (int)SFNEC_KERNEL_INVERSE == (int)SFNEC_WEIGHT_INVERSE,
               "the option kernel names the weightings in their order");
_Static_assert((int)SFNEC_INDEX_FLAT == (int)SFNEC_INDEX_KIND_FLAT &&
                   (int)SFNEC_INDEX_FAST == (int)SFNEC_INDEX_KIND_FAST,
               "the option index names the kinds of index in their order");

static sfnec_status create_memories(episodic *e) {
  const sfnec_psi_config *config = e->base.config;
  const sfnec_agent_options *options = &config->options;
  const sfnec_memory_config memory = {
      .key_size = sfnec_psi_key_size(config),
      .value_size = config->psi_size,
      .capacity = (uint32_t)options->capacity,
      .neighbours = (uint32_t)options->neighbours,
      .weighting = {.kind = options->kernel, .delta = options->delta},
      .index = options->index,
      .codebook = e->embedding ? e->codebook : config->codebook,
      .tagged = e->tagged,
      .keeps_greater = options->equal == SFNEC_EQUAL_GREATER,
  };
  sfnec_status status = SFNEC_OK;
  for (int32_t a = 0; a < config->action_count && !status; a++) {
    status = sfnec_memory_create(&memory, config->simd, &e->memories[a]);
  }
  return status;
}

sfnec_status sfnec_psi_episodic_create(const sfnec_psi_config *config, const sfnec_psi *previous, sfnec_random *init,
                                       sfnec_psi **out) {
  const sfnec_agent_options *options = &config->options;
  episodic *e = calloc(1, sizeof *e + (size_t)config->action_count * sizeof e->memories[0]);
  if (!e) return sfnec_fail_memory("a policy");
  e->tagged = sfnec_embedding_tags(options);
  e->base = (sfnec_psi){&ops, config, 2.0 * options->rate / (double)config->psi_size};
  sfnec_ring_init(&e->early, config->observation_size, config->psi_size, 64, (size_t)options->pca_observations);

  void *block = malloc(sfnec_answer_size(config));
  e->step = malloc(config->psi_size * sizeof *e->step);
  if (block) sfnec_answer_place(config, block, &e->answer);
  sfnec_status status = block && e->step ? SFNEC_OK : sfnec_fail_memory("a policy");
  if (!status) status = create_embedding(e, previous, init);
  if (!status) status = create_trainer(e);
  if (!status) status = create_memories(e);
  if (status) {
    destroy(&e->base);
    return status;
  }
  *out = &e->base;
  return SFNEC_OK;
}
