// gradient.c: back-propagation through look-ups; see gradient.h and memory/slope.c.
//
// Several look-ups of a minibatch meet the same entry: a small hash table finds its row. Rows stand in the order of the
// first meeting, which follows from the samples and the order of neighbours, not from slots.
#include "agent/train/gradient.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

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

size_t sfnec_gradient_bytes(const sfnec_gradient *g) {
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
                        const float *key, const sfnec_lookup *lookup, const double *error) {
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
  if (trained) sfnec_embedding_backward(embedding, g->at_query, g->weights);
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
