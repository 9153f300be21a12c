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
  sfnec_filter_fit_regress(fit);
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
    sfnec_filter_fit_regress(fit);
    fit->stage = TRIM;
    break;
  case TRIM:
    sfnec_filter_fit_trim(fit, fit->residuals + fit->count * fit->size);
    sfnec_filter_fit_regress(fit);
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
