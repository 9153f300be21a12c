// polynomial.h: how the move of an action changes with the state: a polynomial regression on the key.
//
// A sample is used in other states than its own (predict.c). With a polynomial f it shows there
// its move + f(here) - f(origin): what was seen, corrected by how states differ. Locally
// weighted regression (Atkeson, Moore and Schaal 1997) has the same aim; here one fit of second to fourth degree per
// action serves all states, and samples keep the residuals. Some samples are held back from a fit. A higher
// degree, or a fit to most samples instead of to all, is taken only if it predicts these clearly better, each from its
// nearest one; and a number is corrected only if that is clearly better than no correction: there is no polynomial in a
// world of walls, nor in sparse rewards.
#ifndef SFNEC_AGENT_PLAN_POLYNOMIAL_H
#define SFNEC_AGENT_PLAN_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/plan/constants.h"
#include "base/file.h"
#include "sfnec/status.h"

typedef struct sfnec_polynomial {
  size_t terms; // without the constant, which makes no difference; 0: there is no polynomial
  size_t size;  // of a key, and of the move that is predicted
  uint32_t actions, degree;
  float error;            // median of what moves are off from the nearest sample; infinite: not known
  float mean;             // mean of the same: walls show in it; infinite: not known, as after loading
  float *middle, *narrow; // (size each): a key counts as (key - middle) * narrow
  float *weights;         // (actions, terms, size)
} sfnec_polynomial;

// Samples of an action.
typedef struct sfnec_polynomial_samples {
  size_t count;
  const uint32_t *samples;        // (count): which of those below
  const float *origins, *targets; // (.., stride)
  size_t stride;
} sfnec_polynomial_samples;

// The degree of a polynomial for keys of a size, if there are so many samples of an action.
uint32_t sfnec_polynomial_degree(size_t size, size_t samples);
// Makes a polynomial that says nothing, or none if keys are too long. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_polynomial_init(sfnec_polynomial *polynomial, size_t size, uint32_t actions, uint32_t degree);
void sfnec_polynomial_clear(sfnec_polynomial *polynomial);
size_t sfnec_polynomial_bytes(const sfnec_polynomial *polynomial);

// Takes the middle and the spread of keys from samples.
void sfnec_polynomial_measure(sfnec_polynomial *polynomial, const sfnec_polynomial_samples *all);
// Fits an action; it says nothing if there are too few samples. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_polynomial_fit(sfnec_polynomial *polynomial, uint32_t action, const sfnec_polynomial_samples *all);
// The same in slices: the samples must stay as they are until the fit has ended. `backups` is what it may cost, and
// then what is left of that; true: it is done.
typedef struct sfnec_polynomial_fitting sfnec_polynomial_fitting;
sfnec_status sfnec_polynomial_begin_fit(sfnec_polynomial *polynomial, uint32_t action,
                                        const sfnec_polynomial_samples *all, sfnec_polynomial_fitting **out);
bool sfnec_polynomial_continue_fit(sfnec_polynomial_fitting *fit, int64_t *backups);
void sfnec_polynomial_end_fit(sfnec_polynomial_fitting *fit); // NULL is fine
// Whether keys have few enough numbers for one.
static inline bool sfnec_polynomial_fits(size_t size) {
  return size > 0 && size <= SFNEC_POLYNOMIAL_KEY;
}
// The terms (sfnec_polynomial_terms) of a key, and how many there are of so many numbers, without the constant.
// Expanding returns their number.
size_t sfnec_polynomial_expand(const sfnec_polynomial *polynomial, const float *key, float *terms);
size_t sfnec_polynomial_terms(size_t size, uint32_t degree);
// f at a key, into expected (size); there must be a polynomial.
void sfnec_polynomial_at(const sfnec_polynomial *polynomial, uint32_t action, const float *key, float *expected);

// Solves a x = b in place by Cholesky's factors, a (n, n) symmetric and given by its lower half, which then holds the
// factor, b (n, m); false: it cannot be.
bool sfnec_solve_symmetric(double *a, double *b, size_t n, size_t m);

// The share of the power of moves that a linear function of their origins explains, corrected for the number of its
// terms: 1 if they follow from the state, 0 if they are noise. pairs (count, 2, stride) are origins and targets.
double sfnec_polynomial_explained(const float *pairs, size_t count, size_t stride, size_t size);

// ---- files ----

void sfnec_polynomial_save(const sfnec_polynomial *polynomial, sfnec_writer *writer);
// Makes the polynomial that a file has, for keys of a size; files of former versions have weights of so many features
// beside those of moves, which are skipped. Fails with SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_polynomial_load(sfnec_polynomial *polynomial, size_t size, size_t features, uint32_t actions,
                                   uint32_t degree, sfnec_reader *reader);

#endif
