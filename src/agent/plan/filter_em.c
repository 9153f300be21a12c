// filter_em.c: by what to filter observations, if they are noisy; see filter.h.
//
// The residuals of a regression of moves follow on each other without correlation if observations are exact. Noise is
// in both ends of a move, so it makes consecutive residuals e of the covariance E[e(t) e(t+1)] = -noise, by which its
// variance is identified (Mehra 1970). Where that is significant, dynamics, noise and process noise are improved in
// turns by expectation maximisation (Shumway and Stoffer 1982; Ghahramani and Roweis 1999): smooth by them, and fit
// them to the smoothed states. Expectation maximisation moves slowly where the process noise is small, so each turn
// first takes the scale of it under which the innovations are likeliest (Schweppe 1965). The degree of the dynamics,
// and whether there is any noise at all, is decided by Schwarz's criterion (BIC).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/filter_fit.h"

enum { N = SFNEC_FILTER_SIZE };

// ---- regression ----

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

static void regress_all(sfnec_filter_fit *fit) {
  for (uint32_t action = 0; action < fit->actions; action++) regress(fit, action);
  find_residuals(fit);
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Leaves out what is further off than noise would be, by the median of each component: jumps.
static void trim(sfnec_filter_fit *fit, double *scratch) {
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

// ---- noise ----

static size_t kept_count(const sfnec_filter_fit *fit) {
  size_t count = 0;
  for (size_t p = 0; p < fit->count; p++) count += fit->points[p].kept;
  return count;
}

static double penalty(const sfnec_filter_fit *fit) {
  const double parameters = (double)(fit->actions * (fit->tried.dynamics.terms + 1) * fit->size);
  return 0.5 * parameters * log((double)fit->links);
}

// Whether consecutive residuals look like noise, from which noise and process noise are then estimated. Without, the
// score of the dynamics alone counts.
static bool suspect(sfnec_filter_fit *fit) {
  const size_t m = fit->size, kept = kept_count(fit);
  double likelihood = 0.0;
  bool noisy = false;
  for (size_t i = 0; i < m; i++) {
    double power = 0.0, next = 0.0;
    size_t pairs = 0;
    for (size_t p = 0; p < fit->count; p++) {
      if (!fit->points[p].kept) continue;
      const double e = fit->residuals[p * m + i];
      power += e * e;
      if (p + 1 == fit->count || !fit->points[p + 1].kept) continue;
      next += e * fit->residuals[(p + 1) * m + i];
      pairs++;
    }
    power = fmax(power / (double)(kept + 1), SFNEC_FILTER_NOISE_LEAST * SFNEC_FILTER_SHARE_LEAST);
    const double covariance = next / (double)(pairs + 1), correlation = covariance / power;
    noisy |= correlation < -SFNEC_FILTER_CORRELATION && correlation * sqrt((double)pairs) < -SFNEC_FILTER_Z &&
             -covariance > SFNEC_FILTER_NOISE_LEAST;
    fit->tried.noise[i] = fmin(fmax(-covariance, SFNEC_FILTER_SHARE_LEAST * power), 0.5 * power);
    fit->tried.process[i] = fmax(power - 2.0 * fit->tried.noise[i], SFNEC_FILTER_SHARE_LEAST * power);
    likelihood -= 0.5 * (log(power) + 1.0);
  }
  const double score = (likelihood + SFNEC_FILTER_GAIN) * (double)fit->links - penalty(fit);
  if (score > fit->score) {
    fit->score = score;
    sfnec_filter_clear(&fit->best);
  }
  return noisy;
}

// Filters all points; returns the likelihood of what was observed.
static double filter_points(sfnec_filter_fit *fit) {
  double likelihood = 0.0;
  for (size_t p = 0; p < fit->count; p++) {
    const bool follows = p > 0 && fit->points[p - 1].linked;
    sfnec_gaussian *state = &fit->points[p].state;
    if (follows) {
      const sfnec_filter_point *from = &fit->points[p - 1];
      sfnec_filter_step *step = &fit->steps[p - 1];
      likelihood += sfnec_filter_advance(&fit->tried, &from->state, from->action, fit->points[p].observed, step);
      *state = step->estimated;
    } else {
      sfnec_filter_begin(&fit->tried, fit->points[p].observed, state);
    }
  }
  return likelihood;
}

// The square that is expected of what a step of the dynamics is off, beyond the smoothed states: of component i. gain
// is the transposed one of the smoother, `before` and `after` the smoothed covariances.
static double expected_square(const sfnec_filter_fit *fit, const sfnec_filter_step *step, const double *gain,
                              const double *before, const double *after, size_t i) {
  const size_t m = fit->size;
  double sum = after[i * m + i];
  for (size_t k = 0; k < m; k++) {
    double cross = 0.0, moved = 0.0; // covariance of the next state's i and this one's k
    for (size_t j = 0; j < m; j++) {
      cross += after[i * m + j] * gain[j * m + k];
      moved += before[k * m + j] * step->slope[i * m + j];
    }
    sum += step->slope[i * m + k] * (moved - 2.0 * cross);
  }
  return sum;
}

// Smooths all points, and takes from that how large noise is, and, into process, what states are uncertain.
static void smooth_points(sfnec_filter_fit *fit, double *process) {
  const size_t m = fit->size;
  double noise[N] = {0.0};
  size_t steps = 0;
  filter_points(fit);
  memset(process, 0, N * sizeof *process);
  for (size_t p = fit->count; p-- > 0;) {
    sfnec_filter_point *at = &fit->points[p];
    if (at->linked) {
      double gain[N * N];
      const sfnec_filter_step *step = &fit->steps[p];
      sfnec_filter_look_back(&fit->tried, step, &at[1].state, &at->state, gain);
      at->kept = !step->jumped;
      steps += at->kept;
      for (size_t i = 0; i < m && at->kept; i++) {
        process[i] += expected_square(fit, step, gain, at->state.covariance, at[1].state.covariance, i);
      }
    }
    for (size_t i = 0; i < m; i++) {
      const double off = at->observed[i] - at->state.mean[i];
      noise[i] += off * off + at->state.covariance[i * m + i];
    }
  }
  for (size_t i = 0; i < m; i++) {
    fit->tried.noise[i] = fmax(noise[i] / (double)fit->count, SFNEC_FILTER_NOISE_LEAST * SFNEC_FILTER_SHARE_LEAST);
    process[i] /= (double)(steps + 1);
  }
}

// Fits dynamics and process noise to the smoothed points.
static void improve(sfnec_filter_fit *fit) {
  const size_t m = fit->size, kept = kept_count(fit);
  regress_all(fit);
  for (size_t i = 0; i < m; i++) {
    double squares = 0.0;
    for (size_t p = 0; p < fit->count; p++) {
      if (fit->points[p].kept) squares += fit->residuals[p * m + i] * fit->residuals[p * m + i];
    }
    fit->tried.process[i] += squares / (double)(kept + 1);
    fit->tried.process[i] = fmax(fit->tried.process[i], SFNEC_FILTER_PROCESS_LEAST * fit->tried.noise[i]);
  }
}

// ---- passes ----

static const double SCALES[SFNEC_FILTER_SCALES] = {1.0, 0.25, 0.0625};

static void scale_process(sfnec_filter_fit *fit, double times) {
  for (uint32_t i = 0; i < fit->size; i++) fit->tried.process[i] *= times;
}

// Compares a scale of the process noise, and takes the likeliest after the last one.
static void compare_scale(sfnec_filter_fit *fit) {
  const double was = SCALES[fit->scale];
  scale_process(fit, was);
  fit->likelihoods[fit->scale] = filter_points(fit);
  scale_process(fit, 1.0 / was);
  if (++fit->scale < SFNEC_FILTER_SCALES) return;
  uint32_t best = 0;
  for (uint32_t s = 1; s < SFNEC_FILTER_SCALES; s++) {
    if (fit->likelihoods[s] > fit->likelihoods[best]) best = s;
  }
  scale_process(fit, SCALES[best]);
  fit->stage = SMOOTH;
}

// Makes room for filtering; without memory no noise is found.
static bool reserve_steps(sfnec_filter_fit *fit) {
  if (!fit->steps) fit->steps = malloc(fit->count * sizeof *fit->steps);
  return fit->steps != NULL;
}

static void next_degree(sfnec_filter_fit *fit) {
  bool begun = false;
  const sfnec_status status = sfnec_filter_fit_begin_degree(fit, fit->tried.dynamics.degree + 1, &begun);
  if (status || !begun) fit->stage = DONE; // without memory, by what was found so far
}

// Whether the noise of some component is not much smaller than its moves. What is smaller, states average.
static bool matters(const sfnec_filter_fit *fit) {
  for (uint32_t i = 0; i < fit->size; i++) {
    double squares = 0.0;
    for (size_t p = 0; p < fit->count; p++) {
      const sfnec_filter_point *from = &fit->points[p];
      if (from->linked) squares += pow(from[1].observed[i] - from->observed[i], 2.0);
    }
    const double share = SFNEC_FILTER_MATTERS * SFNEC_FILTER_MATTERS;
    if (fit->tried.noise[i] * (double)fit->links > share * squares) return true;
  }
  return false;
}

static void judge(sfnec_filter_fit *fit) {
  const double score = filter_points(fit) - penalty(fit);
  const uint32_t degree = fit->tried.dynamics.degree;
  if (score > fit->score && matters(fit)) {
    fit->score = score;
    sfnec_filter_clear(&fit->best);
    fit->best = fit->tried;
    fit->tried = (sfnec_filter){.dynamics = {.degree = degree}};
  }
  next_degree(fit);
}

void sfnec_filter_fit_pass(sfnec_filter_fit *fit) {
  fit->passes++;
  switch (fit->stage) {
  case REGRESS:
    regress_all(fit);
    fit->stage = TRIM;
    break;
  case TRIM:
    trim(fit, fit->residuals + fit->count * fit->size);
    regress_all(fit);
    fit->stage = SUSPECT;
    break;
  case SUSPECT:
    fit->stage = COMPARE;
    fit->scale = 0;
    if (!suspect(fit) || !reserve_steps(fit)) next_degree(fit);
    break;
  case COMPARE:
    compare_scale(fit);
    break;
  case SMOOTH: {
    double process[N];
    smooth_points(fit, process);
    memcpy(fit->tried.process, process, fit->size * sizeof *process);
    fit->stage = IMPROVE;
    break;
  }
  case IMPROVE:
    improve(fit);
    fit->scale = 0;
    fit->stage = ++fit->turn < SFNEC_FILTER_TURNS ? COMPARE : JUDGE;
    break;
  case JUDGE:
    judge(fit);
    break;
  case DONE:
    break;
  }
}
