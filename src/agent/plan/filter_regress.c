// filter_regress.c: the dynamics of a filter that is fitted: a regression of moves on states, and what it leaves; see
// filter_fit.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/filter_fit.h"

enum { N = SFNEC_FILTER_SIZE };

sfnec_status sfnec_filter_fit_begin_degree(sfnec_filter_fit *fit, uint32_t degree, bool *begun) {
  const size_t terms = sfnec_polynomial_terms(fit->size, degree);
  *begun = degree <= SFNEC_FILTER_DEGREE && terms <= SFNEC_POLYNOMIAL_TERMS &&
           fit->links >= SFNEC_POLYNOMIAL_EACH * (terms + 1) * fit->actions;
  sfnec_filter_clear(&fit->tried);
  if (!*begun) return SFNEC_OK;
  const sfnec_status status = sfnec_filter_init(&fit->tried, fit->size, fit->actions, degree);
  if (status) return status;
  memcpy(fit->tried.components, fit->components, sizeof fit->components);
  memcpy(fit->tried.middle, fit->middle, sizeof fit->middle);
  memcpy(fit->tried.narrow, fit->narrow, sizeof fit->narrow);
  for (size_t p = 0; p < fit->count; p++) {
    fit->points[p].kept = fit->points[p].linked;
    memcpy(fit->points[p].state.mean, fit->points[p].observed, sizeof fit->points[p].observed);
  }
  fit->stage = REGRESS;
  fit->turn = 0;
  return SFNEC_OK;
}

static void expand(const sfnec_filter_fit *fit, const sfnec_filter_point *p, double *terms) {
  float key[N], expanded[SFNEC_POLYNOMIAL_TERMS];
  for (uint32_t i = 0; i < fit->size; i++) key[i] = (float)p->state.mean[i];
  sfnec_polynomial_expand(&fit->tried.dynamics, key, expanded);
  for (size_t t = 0; t < fit->tried.dynamics.terms; t++) terms[t] = (double)expanded[t];
  terms[fit->tried.dynamics.terms] = 1.0;
}

// Fits the moves of an action to the states, by least squares.
static void regress(sfnec_filter_fit *fit, uint32_t action) {
  const size_t n = fit->tried.dynamics.terms + 1, m = fit->size;
  double terms[SFNEC_POLYNOMIAL_TERMS + 1];
  memset(fit->a, 0, n * n * sizeof *fit->a);
  memset(fit->x, 0, n * m * sizeof *fit->x);
  for (size_t p = 0; p + 1 < fit->count; p++) {
    const sfnec_filter_point *from = &fit->points[p];
    if (!from->kept || from->action != action) continue;
    expand(fit, from, terms);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j <= i; j++) fit->a[i * n + j] += terms[i] * terms[j];
      for (size_t c = 0; c < m; c++) fit->x[i * m + c] += terms[i] * (from[1].state.mean[c] - from->state.mean[c]);
    }
  }
  double trace = 0.0;
  for (size_t i = 0; i < n; i++) trace += fit->a[i * n + i];
  for (size_t i = 0; i < n; i++) fit->a[i * n + i] += SFNEC_FILTER_RIDGE * (trace / (double)n) + SFNEC_FILTER_RIDGE;
  const bool solved = sfnec_solve_symmetric(fit->a, fit->x, n, m);
  float *weights = fit->tried.dynamics.weights + action * (n - 1) * m, *constants = fit->tried.constants + action * m;
  for (size_t i = 0; i < n * m; i++) {
    float *weight = i < (n - 1) * m ? &weights[i] : &constants[i - (n - 1) * m];
    const double most = (double)SFNEC_WEIGHT_MOST;
    *weight = solved ? (float)fmin(fmax(fit->x[i], -most), most) : 0.0f;
  }
}

// What the moves of kept points are off.
static void find_residuals(sfnec_filter_fit *fit) {
  const size_t n = fit->tried.dynamics.terms, m = fit->size;
  for (size_t p = 0; p + 1 < fit->count; p++) {
    const sfnec_filter_point *from = &fit->points[p];
    if (!from->linked) continue;
    double terms[SFNEC_POLYNOMIAL_TERMS + 1];
    expand(fit, from, terms);
    const float *weights = fit->tried.dynamics.weights + from->action * n * m;
    for (size_t i = 0; i < m; i++) {
      double off = from[1].state.mean[i] - from->state.mean[i] - (double)fit->tried.constants[from->action * m + i];
      for (size_t t = 0; t < n; t++) off -= terms[t] * (double)weights[t * m + i];
      fit->residuals[p * m + i] = off;
    }
  }
}

void sfnec_filter_fit_regress(sfnec_filter_fit *fit) {
  for (uint32_t action = 0; action < fit->actions; action++) regress(fit, action);
  find_residuals(fit);
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void sfnec_filter_fit_trim(sfnec_filter_fit *fit, double *scratch) {
  const size_t m = fit->size;
  for (size_t i = 0; i < m; i++) {
    size_t count = 0;
    for (size_t p = 0; p < fit->count; p++) {
      if (fit->points[p].linked) scratch[count++] = fabs(fit->residuals[p * m + i]);
    }
    qsort(scratch, count, sizeof *scratch, compare_doubles);
    const double most = count ? SFNEC_FILTER_GATE * scratch[count / 2] / SFNEC_NORMAL_MEDIAN : 0.0;
    for (size_t p = 0; p < fit->count; p++) {
      if (fit->points[p].linked && fabs(fit->residuals[p * m + i]) > most) fit->points[p].kept = false;
    }
  }
}
