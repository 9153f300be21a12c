// polynomial.c: see polynomial.h.
#include "agent/plan/polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/numbers.h"
#include "base/error.h"

// ---- life ----

void sfnec_polynomial_clear(sfnec_polynomial *polynomial) {
  free(polynomial->middle), free(polynomial->narrow), free(polynomial->weights);
  *polynomial = (sfnec_polynomial){0};
}

size_t sfnec_polynomial_terms(size_t size, uint32_t degree) {
  size_t count = 1;
  for (uint32_t k = 1; k <= degree; k++) count = count * (size + k) / k;
  return count - 1;
}

static size_t weight_count(const sfnec_polynomial *polynomial) {
  return polynomial->actions * polynomial->terms * polynomial->size;
}

uint32_t sfnec_polynomial_degree(size_t size, size_t samples) {
  uint32_t degree = SFNEC_POLYNOMIAL_DEGREE;
  const size_t used = samples < SFNEC_POLYNOMIAL_SAMPLES ? samples : SFNEC_POLYNOMIAL_SAMPLES;
  while (degree < SFNEC_POLYNOMIAL_DEGREE_MOST && sfnec_polynomial_terms(size, degree + 1) <= SFNEC_POLYNOMIAL_TERMS &&
         SFNEC_POLYNOMIAL_EACH * (sfnec_polynomial_terms(size, degree + 1) + 1) <= used) {
    degree++;
  }
  return degree;
}

sfnec_status sfnec_polynomial_init(sfnec_polynomial *polynomial, size_t size, uint32_t actions, uint32_t degree) {
  *polynomial = (sfnec_polynomial){.size = size, .actions = actions, .degree = degree};
  if (size == 0 || size > SFNEC_POLYNOMIAL_KEY || degree == 0) return SFNEC_OK;
  polynomial->terms = sfnec_polynomial_terms(size, degree);
  polynomial->middle = calloc(size, sizeof *polynomial->middle);
  polynomial->narrow = calloc(size, sizeof *polynomial->narrow);
  polynomial->weights = calloc(weight_count(polynomial), sizeof *polynomial->weights);
  if (polynomial->middle && polynomial->narrow && polynomial->weights) return SFNEC_OK;
  sfnec_polynomial_clear(polynomial);
  return sfnec_fail_memory("the polynomial of a model");
}

size_t sfnec_polynomial_bytes(const sfnec_polynomial *polynomial) {
  return polynomial->terms ? (weight_count(polynomial) + 2 * polynomial->size) * sizeof(float) : 0;
}

// ---- asking ----

size_t sfnec_polynomial_expand(const sfnec_polynomial *polynomial, const float *key, float *terms) {
  const size_t size = polynomial->size;
  size_t ends[SFNEC_POLYNOMIAL_KEY], lower = 0,
                                     count = size; // of the lower degree: its terms without the numbers after i
  for (size_t i = 0; i < size; i++) {
    terms[i] = fminf(fmaxf((key[i] - polynomial->middle[i]) * polynomial->narrow[i], -SFNEC_POLYNOMIAL_AWAY),
                     SFNEC_POLYNOMIAL_AWAY);
    ends[i] = i + 1;
  }
  for (uint32_t k = 2; k <= polynomial->degree; k++) {
    const size_t first = count;
    for (size_t i = 0; i < size; i++) {
      for (size_t t = lower; t < lower + ends[i]; t++) terms[count++] = terms[i] * terms[t];
      ends[i] = count - first;
    }
    lower = first;
  }
  return count;
}

void sfnec_polynomial_at(const sfnec_polynomial *polynomial, uint32_t action, const float *key, float *expected) {
  const size_t size = polynomial->size;
  float terms[SFNEC_POLYNOMIAL_TERMS];
  const size_t count = sfnec_polynomial_expand(polynomial, key, terms);
  for (size_t i = 0; i < size; i++) expected[i] = 0.0f;
  const float *weights = polynomial->weights + action * count * size;
  for (size_t t = 0; t < count; t++, weights += size) {
    for (size_t i = 0; i < size; i++) expected[i] += terms[t] * weights[i];
  }
}

// ---- files ----

void sfnec_polynomial_save(const sfnec_polynomial *polynomial, sfnec_writer *writer) {
  if (polynomial->terms == 0) return;
  plan_write_f32(writer, polynomial->error);
  plan_write_floats(writer, polynomial->middle, polynomial->size);
  plan_write_floats(writer, polynomial->narrow, polynomial->size);
  plan_write_floats(writer, polynomial->weights, weight_count(polynomial));
}

// The weights of a file, which may have some for features too.
static sfnec_status load_weights(sfnec_polynomial *polynomial, size_t features, sfnec_reader *reader) {
  sfnec_status status = SFNEC_OK;
  for (size_t t = 0; t < polynomial->actions * polynomial->terms && !status; t++) {
    status = plan_read_within(reader, polynomial->weights + t * polynomial->size, polynomial->size, SFNEC_WEIGHT_MOST);
    for (size_t i = 0; i < features; i++) (void)plan_read_f32(reader);
  }
  return status;
}

sfnec_status sfnec_polynomial_load(sfnec_polynomial *polynomial, size_t size, size_t features, uint32_t actions,
                                   uint32_t degree, sfnec_reader *reader) {
  const bool known = size <= SFNEC_POLYNOMIAL_KEY && degree <= SFNEC_POLYNOMIAL_DEGREE_MOST &&
                     sfnec_polynomial_terms(size, degree) <= SFNEC_POLYNOMIAL_TERMS;
  const size_t each = known ? sfnec_polynomial_terms(size, degree) * (size + features) * sizeof(float) : 0;
  if (!known || (each > 0 && sfnec_reader_left(reader) / each < actions)) {
    return sfnec_reader_refuse(reader, "the polynomial of its model claims more than the file holds");
  }
  sfnec_status status = sfnec_polynomial_init(polynomial, size, actions, degree);
  if (status || polynomial->terms == 0) return status;
  polynomial->error = plan_read_f32(reader);
  polynomial->mean = INFINITY;
  status = plan_read_within(reader, polynomial->middle, polynomial->size, SFNEC_KEY_MOST);
  if (!status) status = plan_read_within(reader, polynomial->narrow, polynomial->size, SFNEC_WEIGHT_MOST);
  if (!status) status = load_weights(polynomial, features, reader);
  if (status || polynomial->error >= 0.0f) return status;
  return sfnec_reader_refuse(reader, "the polynomial of its model has an error that none can have");
}
