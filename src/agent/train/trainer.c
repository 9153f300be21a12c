// trainer.c: minibatches; see trainer.h.
//
// All look-ups of a minibatch are made before anything moves. Then the entries move in the order in which the look-ups
// met them: first the value, then the key, which is removed and inserted anew (memory/move.c).
#include "agent/train/trainer.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

sfnec_status sfnec_trainer_init(sfnec_trainer *trainer, const sfnec_psi_config *config) {
  *trainer = (sfnec_trainer){.config = config};
  sfnec_replay_buffer_init(&trainer->replay, config->observation_size, config->psi_size,
                           (size_t)config->options.replay);
  trainer->error = malloc(config->psi_size * sizeof *trainer->error);
  trainer->step = malloc(config->psi_size * sizeof *trainer->step);
  trainer->key = malloc(sfnec_psi_key_size(config) * sizeof *trainer->key);
  if (trainer->error && trainer->step && trainer->key) return SFNEC_OK;
  sfnec_trainer_free(trainer);
  return sfnec_fail_memory("the training of a policy");
}

void sfnec_trainer_free(sfnec_trainer *trainer) {
  sfnec_trainer_end_task(trainer);
  free(trainer->error);
  free(trainer->step);
  free(trainer->key);
  trainer->error = trainer->step = NULL;
  trainer->key = NULL;
}

size_t sfnec_trainer_bytes(const sfnec_trainer *trainer) {
  return sfnec_replay_buffer_bytes(&trainer->replay) + sfnec_optimizer_bytes(&trainer->optimizer) +
         sfnec_gradient_bytes(&trainer->gradient) + 2 * trainer->config->psi_size * sizeof(double) +
         sfnec_psi_key_size(trainer->config) * sizeof(float);
}

void sfnec_trainer_end_task(sfnec_trainer *trainer) {
  sfnec_replay_buffer_clear(&trainer->replay);
  sfnec_optimizer_clear(&trainer->optimizer);
  sfnec_gradient_free(&trainer->gradient);
  trainer->waiting = 0;
}

// What a minibatch needs, made before the first one.
static sfnec_status prepare(sfnec_trainer *trainer, const sfnec_embedding *embedding) {
  const sfnec_psi_config *config = trainer->config;
  const sfnec_agent_options *options = &config->options;
  if (trainer->gradient.capacity == 0) {
    const sfnec_status status = sfnec_gradient_init(&trainer->gradient, (size_t)options->batch,
                                                    (size_t)options->neighbours, config->psi_size, embedding);
    if (status) return status;
  }
  if (!embedding || !embedding->trained) return SFNEC_OK;
  return sfnec_optimizer_prepare(&trainer->optimizer, options, embedding->count);
}

// Adds the gradient of one sample's part of the loss; its look-up counts as use.
static void add_sample(sfnec_trainer *trainer, sfnec_memory *const *memories, const sfnec_embedding *embedding,
                       const sfnec_replayed *sample, sfnec_lookup *lookup) {
  const size_t n = trainer->config->psi_size;
  sfnec_memory *memory = memories[sample->action];
  const float *key = sample->observation;
  if (embedding) {
    sfnec_embedding_apply(embedding, sample->observation, trainer->key);
    key = trainer->key;
  }
  sfnec_memory_search(memory, key, lookup);
  sfnec_memory_blend(memory, lookup);
  sfnec_memory_touch(memory, lookup);
  const double scale = 2.0 / ((double)n * (double)trainer->config->options.batch);
  for (size_t f = 0; f < n; f++) trainer->error[f] = scale * (lookup->value[f] - sample->target[f]);
  sfnec_gradient_add(&trainer->gradient, memory, sample->action, embedding, key, lookup, trainer->error);
}

// Moves one entry against its gradient, times `scale`.
static sfnec_status move_entry(sfnec_trainer *trainer, sfnec_memory *const *memories, uint32_t row, double scale) {
  const sfnec_agent_options *options = &trainer->config->options;
  const sfnec_gradient *g = &trainer->gradient;
  sfnec_memory *memory = memories[g->rows[row].action];
  sfnec_neighbour entry = {.slot = g->rows[row].slot};
  double whole = 1.0;
  const sfnec_lookup only = {.count = 1, .neighbours = &entry, .weights = &whole};
  for (size_t f = 0; f < g->value_size; f++) {
    trainer->step[f] = -options->rate * scale * g->values[row * g->value_size + f];
  }
  if (options->rate != 0.0) sfnec_memory_nudge(memory, &only, trainer->step);
  if (g->key_size == 0 || options->key_rate == 0.0) return SFNEC_OK;

  const float *old = sfnec_memory_key(memory, entry.slot);
  const double *gradient = g->keys + row * g->key_size;
  for (size_t j = 0; j < g->key_size; j++) {
    const double key = (double)old[j] - options->key_rate * scale * gradient[j];
    trainer->key[j] = (float)sfnec_embedding_bound(key);
  }
  return sfnec_memory_move(memory, entry.slot, trainer->key);
}

// One step against the gradient of the minibatch; one that is not finite is counted and skipped.
static sfnec_status descend(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding) {
  const sfnec_agent_options *options = &trainer->config->options;
  const sfnec_gradient *g = &trainer->gradient;
  const double norm = sqrt(sfnec_gradient_squares(g));
  if (!isfinite(norm)) {
    trainer->done.skipped++;
    return SFNEC_OK;
  }
  trainer->done.trained++;
  const double scale = options->clip > 0.0 && norm > options->clip ? options->clip / norm : 1.0;
  sfnec_status status = SFNEC_OK;
  for (uint32_t row = 0; row < g->count && !status; row++) {
    status = move_entry(trainer, memories, row, scale);
  }
  if (status || g->weight_count == 0 || options->embedding_rate == 0.0) return status;
  sfnec_optimizer_step(&trainer->optimizer, options, embedding->weights, g->weights, scale);
  embedding->version++;
  return SFNEC_OK;
}

sfnec_status sfnec_trainer_learn(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                                 const float *observation, int32_t action, const double *target, sfnec_lookup *lookup) {
  const sfnec_agent_options *options = &trainer->config->options;
  sfnec_status status = sfnec_replay_buffer_push(&trainer->replay, observation, action, target);
  if (status) return status;
  trainer->waiting++;
  if (trainer->waiting < options->train_every || trainer->replay.count < (size_t)options->batch) return SFNEC_OK;
  trainer->waiting = 0;
  status = prepare(trainer, embedding);
  if (status) return status;
  sfnec_gradient_begin(&trainer->gradient);
  for (int64_t i = 0; i < options->batch; i++) {
    const uint32_t drawn = sfnec_random_below(trainer->config->minibatches, (uint32_t)trainer->replay.count);
    const sfnec_replayed sample = sfnec_replay_buffer_at(&trainer->replay, drawn);
    add_sample(trainer, memories, embedding, &sample, lookup);
  }
  return descend(trainer, memories, embedding);
}

// ---- files ----

void sfnec_trainer_save(const sfnec_trainer *trainer, sfnec_writer *writer) {
  sfnec_write_i64(writer, trainer->waiting);
  sfnec_write_i64(writer, trainer->done.trained);
  sfnec_write_i64(writer, trainer->done.skipped);
  sfnec_replay_buffer_save(&trainer->replay, writer);
  sfnec_optimizer_save(&trainer->optimizer, writer);
}

sfnec_status sfnec_trainer_load(sfnec_trainer *trainer, const sfnec_embedding *embedding, sfnec_reader *reader) {
  const sfnec_psi_config *config = trainer->config;
  trainer->waiting = sfnec_read_i64(reader);
  trainer->done.trained = sfnec_read_i64(reader);
  trainer->done.skipped = sfnec_read_i64(reader);
  if (trainer->waiting < 0 || trainer->done.trained < 0 || trainer->done.skipped < 0) {
    return sfnec_reader_refuse(reader, "a count of minibatches is negative");
  }
  const sfnec_status status = sfnec_replay_buffer_load(&trainer->replay, config->action_count, reader);
  if (status) return status;
  return sfnec_optimizer_load(&trainer->optimizer, &config->options, embedding ? embedding->count : 0, reader);
}
