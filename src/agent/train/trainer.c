// trainer.c: minibatches and their gradient; see trainer.h.
//
// The keys of a minibatch are made together, and its gradient passes back through the embedding together. All look-ups
// of a minibatch are made before anything moves. Then the entries move in the order in which the look-ups met them:
// first the value, then the key, which is removed and inserted again (sfnec_memory_move).
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

enum { SPARE_WEIGHTS = 8 };

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
  // filled up with zeros to whole lanes
  gradient->weights = calloc(gradient->weight_count + SPARE_WEIGHTS, sizeof *gradient->weights);
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
  return g->capacity * row + g->weight_count * sizeof *g->weights + g->key_size * sizeof(double) +
         (g->mask + 1) * sizeof *g->table;
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

void sfnec_gradient_add(sfnec_gradient *g, const sfnec_memory *memory, int32_t action, const float *key,
                        const sfnec_lookup *lookup, const double *error, float *at_query) {
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
  for (size_t j = 0; j < g->key_size; j++) at_query[j] = sfnec_to_float(g->at_query[j]);
}

static double squares(const double *numbers, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += numbers[i] * numbers[i];
  return sum;
}

// In lanes, which compilers make vectors of: there may be a million weights.
static double weight_squares(const sfnec_gradient *g) {
  enum { LANES = SPARE_WEIGHTS };
  double lanes[LANES] = {0.0}, sum = 0.0;
  for (size_t i = 0; i < g->weight_count; i += LANES)
    for (size_t j = 0; j < LANES; j++) lanes[j] += (double)g->weights[i + j] * (double)g->weights[i + j];
  for (size_t j = 0; j < LANES; j++) sum += lanes[j];
  return sum;
}

double sfnec_gradient_squares(const sfnec_gradient *g) {
  return squares(g->values, g->count * g->value_size) + squares(g->keys, g->count * g->key_size) + weight_squares(g);
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
  trainer->drawn = malloc((size_t)config->options.batch * sizeof *trainer->drawn);
  if (trainer->error && trainer->step && trainer->key && trainer->drawn) return SFNEC_OK;
  sfnec_trainer_free(trainer);
  return sfnec_fail_memory("the training of a policy");
}

void sfnec_trainer_free(sfnec_trainer *trainer) {
  sfnec_trainer_end_task(trainer);
  free(trainer->error);
  free(trainer->step);
  free(trainer->key);
  free(trainer->drawn);
  trainer->error = trainer->step = NULL;
  trainer->key = NULL;
  trainer->drawn = NULL;
}

static size_t work_bytes(const sfnec_trainer *trainer) {
  return (trainer->work ? trainer->work->bytes : 0) + (size_t)trainer->config->options.batch * sizeof *trainer->drawn;
}

size_t sfnec_trainer_bytes(const sfnec_trainer *trainer) {
  return sfnec_ring_bytes(&trainer->replay_buffer) + sfnec_optimizer_bytes(&trainer->optimizer) + work_bytes(trainer) +
         gradient_bytes(&trainer->gradient) + 2 * trainer->config->psi_size * sizeof(double) +
         sfnec_psi_key_size(trainer->config) * sizeof(float);
}

void sfnec_trainer_end_task(sfnec_trainer *trainer) {
  sfnec_ring_clear(&trainer->replay_buffer);
  sfnec_optimizer_clear(&trainer->optimizer);
  sfnec_gradient_free(&trainer->gradient);
  sfnec_net_work_destroy(trainer->work);
  trainer->work = NULL;
  trainer->waiting = 0;
}

// What a minibatch needs, made before the first one.
static sfnec_status prepare(sfnec_trainer *trainer, const sfnec_embedding *embedding) {
  const sfnec_psi_config *config = trainer->config;
  const sfnec_agent_options *options = &config->options;
  // a step of another task's policy looks up in two states
  const size_t batch = options->td_trains == SFNEC_TD_TRAINS_ALL && options->batch < 2 ? 2 : (size_t)options->batch;
  const bool trained = embedding && embedding->trained;
  if (trainer->gradient.capacity == 0) {
    const sfnec_status status =
        sfnec_gradient_init(&trainer->gradient, batch, (size_t)options->neighbours, config->psi_size, embedding);
    if (status) return status;
  }
  if (embedding && !trainer->work) {
    const sfnec_status status = sfnec_net_work_create(&embedding->net, config->simd, batch, trained, &trainer->work);
    if (status) return status;
  }
  if (!trained) return SFNEC_OK;
  trainer->rule = sfnec_embedding_rule(options);
  return sfnec_optimizer_prepare(&trainer->optimizer, &trainer->rule, embedding->count);
}

// Where the gradient in the key of sample i goes.
static float *at_query(const sfnec_trainer *trainer, size_t i) {
  return trainer->gradient.key_size ? trainer->work->output_gradients + i * trainer->gradient.key_size : NULL;
}

// Adds the gradient of one sample's part of the loss; its look-up counts as use.
static void add_sample(sfnec_trainer *trainer, sfnec_memory *const *memories, const sfnec_embedding *embedding,
                       size_t i, sfnec_lookup *lookup) {
  const size_t n = trainer->config->psi_size;
  const sfnec_ring_entry sample = sfnec_ring_at(&trainer->replay_buffer, trainer->drawn[i]);
  sfnec_memory *memory = memories[sample.action];
  const float *key = embedding ? trainer->work->outputs + i * embedding->output
                               : sfnec_ring_observation(&trainer->replay_buffer, trainer->drawn[i]);
  sfnec_memory_search(memory, trainer->config->scratch->search, key, lookup);
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
  sfnec_gradient_add(&trainer->gradient, memory, sample.action, key, lookup, trainer->error, at_query(trainer, i));
}

// Passes the gradient in `count` keys back to the weights.
static void pass_back(sfnec_trainer *trainer, const sfnec_embedding *embedding, size_t count) {
  if (trainer->gradient.key_size == 0) return;
  sfnec_net_backward(&embedding->net, embedding->weights, trainer->work, count, trainer->gradient.weights);
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
  const double scale = options->clip > 0.0 && norm > options->clip ? options->clip / norm : 1.0;
  // the norm may be no number, too
  if (!isfinite(norm) || !(scale * sqrt(weight_squares(g)) <= SFNEC_NET_GRADIENT_MOST)) {
    trainer->done.skipped = sfnec_count_up(trainer->done.skipped);
    return SFNEC_OK;
  }
  trainer->done.trained = sfnec_count_up(trainer->done.trained);
  sfnec_status status = SFNEC_OK;
  for (uint32_t row = 0; row < g->count && !status; row++) {
    status = move_entry(trainer, memories, row, scale);
  }
  if (status || g->weight_count == 0 || options->embedding_rate == 0.0) return status;
  sfnec_optimizer_step(&trainer->optimizer, &trainer->rule, embedding->weights, g->weights, scale);
  embedding->version++;
  return SFNEC_OK;
}

// Counts one of what train_every counts, and trains if there were enough of them.
static sfnec_status count_one(sfnec_trainer *trainer, sfnec_memory *const *memories, sfnec_embedding *embedding,
                              sfnec_lookup *lookup) {
  const sfnec_agent_options *options = &trainer->config->options;
  trainer->waiting = sfnec_count_up(trainer->waiting);
  const int64_t least = options->train_start > options->batch ? options->train_start : options->batch;
  if (trainer->waiting < options->train_every || (int64_t)trainer->replay_buffer.count < least) return SFNEC_OK;
  trainer->waiting = 0;
  const sfnec_status status = prepare(trainer, embedding);
  if (status) return status;
  sfnec_gradient_begin(&trainer->gradient);
  const size_t batch = (size_t)options->batch;
  for (size_t i = 0; i < batch; i++) {
    trainer->drawn[i] = sfnec_random_below(trainer->config->minibatches, (uint32_t)trainer->replay_buffer.count);
    if (!embedding) continue;
    sfnec_embedding_put(embedding, sfnec_ring_observation(&trainer->replay_buffer, trainer->drawn[i]), trainer->work,
                        i);
  }
  if (embedding) sfnec_embedding_forward(embedding, trainer->work, batch);
  for (size_t i = 0; i < batch; i++) add_sample(trainer, memories, embedding, i, lookup);
  pass_back(trainer, embedding, batch);
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
  for (size_t i = 0; i < count; i++) sfnec_embedding_put(embedding, steps[i].observation, trainer->work, i);
  sfnec_embedding_forward(embedding, trainer->work, count);
  for (size_t i = 0; i < count; i++) {
    const sfnec_psi_step *each = &steps[i];
    const float *key = trainer->work->outputs + i * embedding->output;
    for (size_t f = 0; f < trainer->config->psi_size; f++) trainer->error[f] = -each->step[f] / rate;
    sfnec_gradient_add(&trainer->gradient, memories[each->action], each->action, key, &each->answer->lookup,
                       trainer->error, at_query(trainer, i));
  }
  pass_back(trainer, embedding, count);
  status = descend(trainer, memories, embedding);
  sfnec_optimizer_forget(&trainer->optimizer);
  return status;
}

// ---- files ----

// The optimizer: whether it has begun, then what it holds. Earlier versions wrote its moments as doubles.
enum { BEGUN_DOUBLES = 1, BEGUN_FLOATS = 2 };

static void save_optimizer(const sfnec_optimizer *optimizer, sfnec_writer *writer) {
  const size_t bytes = optimizer->count * sizeof(float);
  sfnec_write_u32(writer, optimizer->count > 0 ? BEGUN_FLOATS : 0);
  if (optimizer->count == 0) return;
  sfnec_write_f64(writer, optimizer->beta1_power);
  sfnec_write_f64(writer, optimizer->beta2_power);
  if (optimizer->means) sfnec_write_bytes(writer, optimizer->means, bytes);
  if (optimizer->squares) sfnec_write_bytes(writer, optimizer->squares, bytes);
}

// Whether moments are those of gradients that a step takes: their squares are finite floats.
static bool are_moments(const float *means, const float *squares, size_t count) {
  bool good = true;
  for (size_t i = 0; i < count && means; i++) good &= fabs((double)means[i]) <= 2.0 * SFNEC_NET_GRADIENT_MOST;
  for (size_t i = 0; i < count && squares; i++) good &= squares[i] >= 0.0f && isfinite(squares[i]);
  return good;
}

static sfnec_status load_optimizer(sfnec_optimizer *optimizer, const sfnec_agent_options *options, size_t count,
                                   sfnec_reader *reader) {
  const uint32_t begun = sfnec_read_u32(reader);
  if (begun == 0) return SFNEC_OK;
  const bool doubles = begun == BEGUN_DOUBLES;
  const sfnec_optimizer_rule rule = sfnec_embedding_rule(options);
  const size_t arrays = (rule.kind == SFNEC_OPTIMIZE_ADAM) + (size_t)(rule.kind != SFNEC_OPTIMIZE_SGD);
  if (begun > BEGUN_FLOATS || count == 0 || !sfnec_reader_holds(reader, 2, sizeof(double)) ||
      !sfnec_reader_holds(reader, arrays * count, doubles ? sizeof(double) : sizeof(float))) {
    return sfnec_reader_refuse(reader, "the state of an optimizer ends early");
  }
  const sfnec_status status = sfnec_optimizer_prepare(optimizer, &rule, count);
  if (status) return status;
  optimizer->beta1_power = sfnec_read_f64(reader);
  optimizer->beta2_power = sfnec_read_f64(reader);
  // beta^t is 1 only before the first step, and a mean square is not negative
  bool good = optimizer->beta1_power >= 0.0 && optimizer->beta1_power <= 1.0 && optimizer->beta2_power >= 0.0 &&
              optimizer->beta2_power <= 1.0;
  if (optimizer->means) sfnec_embedding_read(reader, doubles, optimizer->means, count);
  if (optimizer->squares) sfnec_embedding_read(reader, doubles, optimizer->squares, count);
  good = good && are_moments(optimizer->means, optimizer->squares, count);
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
