// trainer.c: minibatches, their gradient and the optimizer's steps; see trainer.h.
//
// All look-ups of a minibatch are made before anything moves. Then the entries move in the order in which the look-ups
// met them: first the value, then the key, which is removed and inserted again (sfnec_memory_move).
#include "agent/train/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fields.h"
#include "base/vector.h"

// ---- the gradient: back-propagation through look-ups (sfnec_memory_slopes) ----
//
// Several look-ups of a minibatch meet the same entry: a small hash table finds its row. Rows stand in the order of the
// first meeting, which follows from the samples and the order of neighbours, not from slots.

#define NOWHERE UINT32_MAX

sfnec_status sfnec_gradient_init(sfnec_gradient *gradient, size_t batch, size_t neighbours, size_t value_size,
                                 const sfnec_embedding *embedding) {
  const bool trained = embedding && embedding->trained;
  *gradient = (sfnec_gradient){.value_size = value_size};
  gradient->key_size = trained ? embedding->output : 0;
  gradient->weight_count = trained ? embedding->count : 0;
  const size_t capacity = batch * neighbours;
  size_t table = 16;
  while (table < 2 * capacity) table *= 2;
  if (capacity > UINT32_MAX / 8) return sfnec_fail_memory("the gradient of a minibatch");
  gradient->capacity = (uint32_t)capacity;
  gradient->mask = (uint32_t)(table - 1);
  gradient->rows = malloc(capacity * sizeof *gradient->rows);
  gradient->values = malloc(capacity * value_size * sizeof *gradient->values);
  gradient->keys = malloc((capacity * gradient->key_size + 1) * sizeof *gradient->keys);
  gradient->weights = malloc((gradient->weight_count + 1) * sizeof *gradient->weights);
  gradient->slopes = malloc(neighbours * sizeof *gradient->slopes);
  gradient->at_query = malloc((gradient->key_size + 1) * sizeof *gradient->at_query);
  gradient->table = malloc(table * sizeof *gradient->table);
  if (gradient->rows && gradient->values && gradient->keys && gradient->weights && gradient->slopes &&
      gradient->at_query && gradient->table) {
    return SFNEC_OK;
  }
  sfnec_gradient_free(gradient);
  return sfnec_fail_memory("the gradient of a minibatch");
}

void sfnec_gradient_free(sfnec_gradient *gradient) {
  free(gradient->rows);
  free(gradient->values);
  free(gradient->keys);
  free(gradient->weights);
  free(gradient->slopes);
  free(gradient->at_query);
  free(gradient->table);
  *gradient = (sfnec_gradient){0};
}

static size_t gradient_bytes(const sfnec_gradient *g) {
  if (g->capacity == 0) return 0;
  const size_t row = sizeof *g->rows + (g->value_size + g->key_size) * sizeof(double);
  return g->capacity * row + (g->weight_count + g->key_size) * sizeof(double) + (g->mask + 1) * sizeof *g->table;
}

void sfnec_gradient_begin(sfnec_gradient *gradient) {
  gradient->count = 0;
  memset(gradient->table, 0xff, ((size_t)gradient->mask + 1) * sizeof *gradient->table);
  memset(gradient->weights, 0, gradient->weight_count * sizeof *gradient->weights);
}

// The row of an entry, made of zeros if there was none.
static uint32_t row_of(sfnec_gradient *g, int32_t action, uint32_t slot) {
  uint32_t at = (slot * 2654435761u + (uint32_t)action * 40503u) & g->mask;
  for (; g->table[at] != NOWHERE; at = (at + 1) & g->mask) {
    const sfnec_gradient_row row = g->rows[g->table[at]];
    if (row.slot == slot && row.action == action) return g->table[at];
  }
  const uint32_t row = g->count++;
  g->table[at] = row;
  g->rows[row] = (sfnec_gradient_row){action, slot};
  memset(g->values + row * g->value_size, 0, g->value_size * sizeof *g->values);
  memset(g->keys + row * g->key_size, 0, g->key_size * sizeof *g->keys);
  return row;
}

// Adds the gradient by a squared distance to the two keys that it lies between: the query's part, and that of `row`.
static void add_keys(sfnec_gradient *g, uint32_t row, const float *query, const float *key, double slope) {
  double *at_key = g->keys + row * g->key_size;
  for (size_t j = 0; j < g->key_size; j++) {
    const double part = 2.0 * slope * ((double)query[j] - (double)key[j]);
    g->at_query[j] += part;
    at_key[j] -= part;
  }
}

void sfnec_gradient_add(sfnec_gradient *g, const sfnec_memory *memory, int32_t action, const sfnec_embedding *embedding,
                        double *layers, const float *key, const sfnec_lookup *lookup, const double *error) {
  const bool trained = g->key_size > 0;
  if (trained) {
    sfnec_memory_slopes(memory, lookup, error, g->slopes);
    memset(g->at_query, 0, g->key_size * sizeof *g->at_query);
  }
  for (uint32_t i = 0; i < lookup->count; i++) {
    const uint32_t slot = lookup->neighbours[i].slot, row = row_of(g, action, slot);
    double *value = g->values + row * g->value_size;
    for (size_t f = 0; f < g->value_size; f++) value[f] += lookup->weights[i] * error[f];
    if (trained) add_keys(g, row, key, sfnec_memory_key(memory, slot), g->slopes[i]);
  }
  if (trained) sfnec_embedding_backward(embedding, layers, g->at_query, g->weights);
}

static double squares(const double *numbers, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += numbers[i] * numbers[i];
  return sum;
}

double sfnec_gradient_squares(const sfnec_gradient *g) {
  return squares(g->values, g->count * g->value_size) + squares(g->keys, g->count * g->key_size) +
         squares(g->weights, g->weight_count);
}

// ---- the optimizer: only + - * / and sqrt, weight by weight, so the same bits everywhere ----

sfnec_status sfnec_optimizer_prepare(sfnec_optimizer *optimizer, const sfnec_agent_options *options, size_t count) {
  if (count == 0 || optimizer->count == count) return SFNEC_OK;
  const bool adam = options->optimizer == SFNEC_OPTIMIZER_ADAM;
  const bool squares = adam || options->optimizer == SFNEC_OPTIMIZER_RMSPROP;
  if (optimizer->capacity < count) {
    *optimizer = (sfnec_optimizer){.capacity = count};
    if (adam) optimizer->means = calloc(count, sizeof *optimizer->means);
    if (squares) optimizer->squares = calloc(count, sizeof *optimizer->squares);
    if ((adam && !optimizer->means) || (squares && !optimizer->squares)) {
      sfnec_optimizer_clear(optimizer);
      return sfnec_fail_memory("an optimizer");
    }
  }
  optimizer->count = count;
  optimizer->beta1_power = optimizer->beta2_power = 1.0;
  return SFNEC_OK;
}

void sfnec_optimizer_forget(sfnec_optimizer *optimizer) {
  const size_t bytes = optimizer->capacity * sizeof(double);
  if (optimizer->means) memset(optimizer->means, 0, bytes);
  if (optimizer->squares) memset(optimizer->squares, 0, bytes);
  optimizer->count = 0;
}

void sfnec_optimizer_clear(sfnec_optimizer *optimizer) {
  free(optimizer->means);
  free(optimizer->squares);
  *optimizer = (sfnec_optimizer){0};
}

static size_t optimizer_bytes(const sfnec_optimizer *optimizer) {
  return optimizer->capacity * sizeof(double) * ((optimizer->means != NULL) + (size_t)(optimizer->squares != NULL));
}

static void step_sgd(const sfnec_optimizer *optimizer, const sfnec_agent_options *options, double *weights,
                     const double *gradient, double scale) {
  const double rate = options->embedding_rate * scale;
  for (size_t i = 0; i < optimizer->count; i++) weights[i] = sfnec_embedding_bound(weights[i] - rate * gradient[i]);
}

static void step_rmsprop(sfnec_optimizer *optimizer, const sfnec_agent_options *options, double *weights,
                         const double *gradient, double scale) {
  const double rate = options->embedding_rate, decay = options->rmsprop_decay, epsilon = options->optimizer_epsilon;
  for (size_t i = 0; i < optimizer->count; i++) {
    const double g = scale * gradient[i];
    const double square = decay * optimizer->squares[i] + (1.0 - decay) * (g * g);
    optimizer->squares[i] = square;
    weights[i] = sfnec_embedding_bound(weights[i] - rate * g / (sqrt(square) + epsilon));
  }
}

static void step_adam(sfnec_optimizer *optimizer, const sfnec_agent_options *options, double *weights,
                      const double *gradient, double scale) {
  const double beta1 = options->adam_mean_decay, beta2 = options->adam_square_decay,
               epsilon = options->optimizer_epsilon;
  optimizer->beta1_power *= beta1;
  optimizer->beta2_power *= beta2;
  const double rate = options->embedding_rate / (1.0 - optimizer->beta1_power),
               fill = 1.0 / (1.0 - optimizer->beta2_power);
  for (size_t i = 0; i < optimizer->count; i++) {
    const double g = scale * gradient[i];
    const double mean = beta1 * optimizer->means[i] + (1.0 - beta1) * g;
    const double square = beta2 * optimizer->squares[i] + (1.0 - beta2) * (g * g);
    optimizer->means[i] = mean;
    optimizer->squares[i] = square;
    weights[i] = sfnec_embedding_bound(weights[i] - rate * mean / (sqrt(fill * square) + epsilon));
  }
}

void sfnec_optimizer_step(sfnec_optimizer *optimizer, const sfnec_agent_options *options, double *weights,
                          const double *gradient, double scale) {
  if (options->optimizer == SFNEC_OPTIMIZER_ADAM) step_adam(optimizer, options, weights, gradient, scale);
  else if (options->optimizer == SFNEC_OPTIMIZER_RMSPROP) step_rmsprop(optimizer, options, weights, gradient, scale);
  else step_sgd(optimizer, options, weights, gradient, scale);
}

// ---- minibatches ----

sfnec_status sfnec_trainer_init(sfnec_trainer *trainer, const sfnec_psi_config *config) {
  *trainer = (sfnec_trainer){.config = config};
  sfnec_ring_init(&trainer->replay_buffer, config->observation_size, config->psi_size, 64,
                  (size_t)config->options.replay);
  sfnec_ring_set_picture(&trainer->replay_buffer, &config->shape.picture);
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
  return sfnec_ring_bytes(&trainer->replay_buffer) + optimizer_bytes(&trainer->optimizer) +
         gradient_bytes(&trainer->gradient) + 2 * trainer->config->psi_size * sizeof(double) +
         sfnec_psi_key_size(trainer->config) * sizeof(float);
}

void sfnec_trainer_end_task(sfnec_trainer *trainer) {
  sfnec_ring_clear(&trainer->replay_buffer);
  sfnec_optimizer_clear(&trainer->optimizer);
  sfnec_gradient_free(&trainer->gradient);
  trainer->waiting = 0;
}

// What a minibatch needs, made before the first one.
static sfnec_status prepare(sfnec_trainer *trainer, const sfnec_embedding *embedding) {
  const sfnec_psi_config *config = trainer->config;
  const sfnec_agent_options *options = &config->options;
  if (trainer->gradient.capacity == 0) {
    // a step of another task's policy looks up in two states
    const size_t batch = options->td_trains == SFNEC_TD_TRAINS_ALL && options->batch < 2 ? 2 : (size_t)options->batch;
    const sfnec_status status =
        sfnec_gradient_init(&trainer->gradient, batch, (size_t)options->neighbours, config->psi_size, embedding);
    if (status) return status;
  }
  if (!embedding || !embedding->trained) return SFNEC_OK;
  return sfnec_optimizer_prepare(&trainer->optimizer, options, embedding->count);
}

// Adds the gradient of one sample's part of the loss; its look-up counts as use.
static void add_sample(sfnec_trainer *trainer, sfnec_memory *const *memories, const sfnec_embedding *embedding,
                       size_t drawn, sfnec_lookup *lookup) {
  const size_t n = trainer->config->psi_size;
  const sfnec_ring_entry sample = sfnec_ring_at(&trainer->replay_buffer, drawn);
  const float *observation = sfnec_ring_observation(&trainer->replay_buffer, drawn);
  sfnec_psi_scratch *scratch = trainer->config->scratch;
  sfnec_memory *memory = memories[sample.action];
  const float *key = observation;
  if (embedding) {
    sfnec_embedding_apply(embedding, observation, scratch->layers, trainer->key);
    key = trainer->key;
  }
  sfnec_memory_search(memory, scratch->search, key, lookup);
  sfnec_memory_blend(memory, lookup);
  sfnec_memory_touch(memory, lookup);
  const double scale = 2.0 / ((double)n * (double)trainer->config->options.batch);
  double squared = 0.0;
  for (size_t f = 0; f < n; f++) {
    const double difference = lookup->value[f] - sample.numbers[f];
    squared += difference * difference;
    trainer->error[f] = scale * difference;
  }
  sfnec_psi_count_loss(trainer->config, squared);
  sfnec_gradient_add(&trainer->gradient, memory, sample.action, embedding, scratch->layers, key, lookup,
                     trainer->error);
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
    trainer->done.skipped = sfnec_count_up(trainer->done.skipped);
    return SFNEC_OK;
  }
  trainer->done.trained = sfnec_count_up(trainer->done.trained);
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

// Counts one of what train_every counts, and trains if there were enough of them.
static sfnec_status count_one(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                              sfnec_lookup *lookup) {
  const sfnec_agent_options *options = &trainer->config->options;
  trainer->waiting = sfnec_count_up(trainer->waiting);
  if (trainer->waiting < options->train_every || trainer->replay_buffer.count < (size_t)options->batch) return SFNEC_OK;
  trainer->waiting = 0;
  const sfnec_status status = prepare(trainer, embedding);
  if (status) return status;
  sfnec_gradient_begin(&trainer->gradient);
  for (int64_t i = 0; i < options->batch; i++) {
    const uint32_t drawn = sfnec_random_below(trainer->config->minibatches, (uint32_t)trainer->replay_buffer.count);
    add_sample(trainer, memories, embedding, drawn, lookup);
  }
  return descend(trainer, memories, embedding);
}

sfnec_status sfnec_trainer_learn(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                                 const float *observation, int32_t action, const double *target, sfnec_lookup *lookup) {
  const sfnec_status status = sfnec_ring_reserve(&trainer->replay_buffer);
  if (status) return status;
  memcpy(sfnec_ring_push(&trainer->replay_buffer, observation, action), target,
         trainer->config->psi_size * sizeof *target);
  if (trainer->config->options.train_per != SFNEC_TRAIN_PER_TARGET) return SFNEC_OK;
  return count_one(trainer, memories, embedding, lookup);
}

sfnec_status sfnec_trainer_tick(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                                sfnec_lookup *lookup) {
  if (trainer->config->options.train_per != SFNEC_TRAIN_PER_TRANSITION) return SFNEC_OK;
  return count_one(trainer, memories, embedding, lookup);
}

// ---- steps of another task's policy ----

sfnec_status sfnec_trainer_step(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                                const sfnec_psi_step *steps, size_t count) {
  const double rate = trainer->config->options.rate;
  if (rate == 0.0) return SFNEC_OK;
  sfnec_status status = prepare(trainer, embedding);
  if (status) return status;
  sfnec_gradient_begin(&trainer->gradient);
  double *layers = trainer->config->scratch->layers;
  for (size_t i = 0; i < count; i++) {
    const sfnec_psi_step *each = &steps[i];
    for (size_t f = 0; f < trainer->config->psi_size; f++) trainer->error[f] = -each->step[f] / rate;
    sfnec_embedding_apply(embedding, each->observation, layers, trainer->key);
    sfnec_gradient_add(&trainer->gradient, memories[each->action], each->action, embedding, layers, trainer->key,
                       &each->answer->lookup, trainer->error);
  }
  status = descend(trainer, memories, embedding);
  sfnec_optimizer_forget(&trainer->optimizer);
  return status;
}

// ---- files ----

// The optimizer: whether it has begun, then what it holds.
static void save_optimizer(const sfnec_optimizer *optimizer, sfnec_writer *writer) {
  const size_t bytes = optimizer->count * sizeof(double);
  sfnec_write_u32(writer, optimizer->count > 0);
  if (optimizer->count == 0) return;
  sfnec_write_f64(writer, optimizer->beta1_power);
  sfnec_write_f64(writer, optimizer->beta2_power);
  if (optimizer->means) sfnec_write_bytes(writer, optimizer->means, bytes);
  if (optimizer->squares) sfnec_write_bytes(writer, optimizer->squares, bytes);
}

static sfnec_status load_optimizer(sfnec_optimizer *optimizer, const sfnec_agent_options *options, size_t count,
                                   sfnec_reader *reader) {
  if (sfnec_read_u32(reader) == 0) return SFNEC_OK;
  const size_t arrays = (options->optimizer == SFNEC_OPTIMIZER_ADAM) + (options->optimizer != SFNEC_OPTIMIZER_SGD);
  if (!sfnec_reader_holds(reader, 2 + arrays * count, sizeof(double))) {
    return sfnec_reader_refuse(reader, "the state of an optimizer ends early");
  }
  const sfnec_status status = sfnec_optimizer_prepare(optimizer, options, count);
  if (status) return status;
  optimizer->beta1_power = sfnec_read_f64(reader);
  optimizer->beta2_power = sfnec_read_f64(reader);
  // beta^t is 1 only before the first step, and a mean square is not negative
  bool good = optimizer->beta1_power >= 0.0 && optimizer->beta1_power <= 1.0 && optimizer->beta2_power >= 0.0 &&
              optimizer->beta2_power <= 1.0;
  if (optimizer->means) sfnec_read_bytes(reader, optimizer->means, count * sizeof(double));
  if (optimizer->squares) sfnec_read_bytes(reader, optimizer->squares, count * sizeof(double));
  // the gradients that they are means of have finite squares
  if (optimizer->means) good = good && sfnec_all_within_f64(optimizer->means, count, 1e155);
  for (size_t i = 0; i < count && optimizer->squares; i++) {
    good = good && optimizer->squares[i] >= 0.0 && isfinite(optimizer->squares[i]);
  }
  return good ? SFNEC_OK : sfnec_reader_refuse(reader, "the state of an optimizer is out of range");
}

static const sfnec_fields count_fields =
    SFNEC_FIELDS("its minibatches", {SFNEC_ANY(sfnec_trainer, waiting)}, {SFNEC_ANY(sfnec_trainer, done.trained)},
                 {SFNEC_ANY(sfnec_trainer, done.skipped)});

void sfnec_trainer_save(const sfnec_trainer *trainer, sfnec_writer *writer) {
  sfnec_fields_save(&count_fields, trainer, writer);
  sfnec_ring_save(&trainer->replay_buffer, writer);
  save_optimizer(&trainer->optimizer, writer);
}

sfnec_status sfnec_trainer_load(sfnec_trainer *trainer, const sfnec_embedding *embedding, sfnec_reader *reader) {
  const sfnec_psi_config *config = trainer->config;
  sfnec_status status = sfnec_fields_load(&count_fields, trainer, NULL, 0, reader);
  if (!status)
    status = sfnec_ring_load(&trainer->replay_buffer, config->action_count, "a target of a replay buffer", reader);
  if (status) return status;
  return load_optimizer(&trainer->optimizer, &config->options, embedding ? embedding->count : 0, reader);
}
