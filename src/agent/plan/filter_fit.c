// filter_fit.c: the transitions that a filter is fitted to, and the life of such a fit; see filter.h. A fit works in
// passes over its transitions (filter_em.c), one at each step of the agent. What it comes to depends on these alone.
#include "agent/plan/filter_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fields.h"
#include "base/vector.h"

enum { N = SFNEC_FILTER_SIZE };

// ---- transitions ----

static bool is_readable(const sfnec_relevance *relevance, size_t c) {
  const sfnec_component_relevance *component = &relevance->components[c];
  return component->verdict != SFNEC_VERDICT_DROPPED && component->level_count == 0;
}

static int compare_floats(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

// Whether most of the last values of a component are different, as all are under noise. values is scratch.
static bool differs(const sfnec_transition_log *log, size_t component, float *values) {
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  size_t count = 0, distinct = 1;
  const size_t skipped = log->count > SFNEC_FILTER_ROWS ? log->count - SFNEC_FILTER_ROWS : 0;
  for (size_t t = 0; sfnec_transition_log_next(log, &cursor, &row); t++) {
    if (t >= skipped) values[count++] = row.after[component];
  }
  qsort(values, count, sizeof *values, compare_floats);
  for (size_t i = 1; i < count; i++) distinct += values[i] != values[i - 1];
  return 2 * distinct > count;
}

// Chooses the components that may be noisy; none if they are too many. values (SFNEC_FILTER_ROWS) is scratch.
static void choose(sfnec_filter_fit *fit, const sfnec_transition_log *log, const sfnec_relevance *relevance,
                   float *values) {
  fit->size = 0;
  for (size_t c = 0; c < log->size; c++) {
    if (!is_readable(relevance, c) || !(log->high[c] > log->low[c]) || !differs(log, c, values)) continue;
    if (fit->size == N) {
      fit->size = 0;
      return;
    }
    fit->components[fit->size++] = (uint32_t)c;
  }
}

static void add_point(sfnec_filter_fit *fit, const float *observation) {
  sfnec_filter_point *p = &fit->points[fit->count++];
  *p = (sfnec_filter_point){.linked = false};
  for (uint32_t i = 0; i < fit->size; i++) p->observed[i] = (double)observation[fit->components[i]];
}

// Reads the last transitions of the log.
static void read_log(sfnec_filter_fit *fit, const sfnec_transition_log *log) {
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  const float *last = NULL;
  const size_t skipped = log->count > SFNEC_FILTER_ROWS ? log->count - SFNEC_FILTER_ROWS : 0;
  for (size_t t = 0; sfnec_transition_log_next(log, &cursor, &row); t++) {
    if (t < skipped) continue;
    if (!last || memcmp(last, row.before, log->size * sizeof *last) != 0) add_point(fit, row.before);
    sfnec_filter_point *from = &fit->points[fit->count - 1];
    from->action = row.action;
    from->linked = from->kept = true;
    fit->links++;
    add_point(fit, row.after);
    last = row.after;
  }
}

// Standardises the points.
static void standardise(sfnec_filter_fit *fit) {
  for (uint32_t i = 0; i < fit->size; i++) {
    double sum = 0.0, squares = 0.0;
    for (size_t p = 0; p < fit->count; p++) sum += fit->points[p].observed[i];
    fit->middle[i] = sum / (double)fit->count;
    for (size_t p = 0; p < fit->count; p++) {
      const double away = fit->points[p].observed[i] - fit->middle[i];
      squares += away * away;
    }
    const double spread = sqrt(squares / (double)fit->count);
    fit->narrow[i] = 1.0 / fmax(spread, SFNEC_POLYNOMIAL_SPREAD);
    for (size_t p = 0; p < fit->count; p++) {
      double *number = &fit->points[p].observed[i];
      *number = fmin(fmax((*number - fit->middle[i]) * fit->narrow[i], -SFNEC_FILTER_AWAY), SFNEC_FILTER_AWAY);
    }
  }
}

// ---- life ----

bool sfnec_filter_is_due(uint64_t seen) {
  uint64_t due = SFNEC_FILTER_FIRST;
  while (due < seen) due *= 2;
  return due == seen;
}

static sfnec_status allocate(sfnec_filter_fit *fit, size_t rows) {
  const size_t most = SFNEC_POLYNOMIAL_TERMS + 1;
  fit->points = malloc(2 * rows * sizeof *fit->points);
  fit->residuals = malloc(2 * rows * (N + 1) * sizeof *fit->residuals);
  fit->a = malloc(most * most * sizeof *fit->a);
  fit->x = malloc(most * N * sizeof *fit->x);
  const bool room = fit->points && fit->residuals && fit->a && fit->x;
  return room ? SFNEC_OK : sfnec_fail_memory("a filter of observations");
}

sfnec_status sfnec_filter_fit_begin(const sfnec_transition_log *log, const sfnec_relevance *relevance,
                                    sfnec_filter_fit **out) {
  sfnec_filter_fit *fit = calloc(1, sizeof *fit);
  *out = NULL;
  if (!fit) return sfnec_fail_memory("a filter of observations");
  fit->actions = log->actions;
  fit->score = -INFINITY;
  const size_t rows = log->count < SFNEC_FILTER_ROWS ? log->count : SFNEC_FILTER_ROWS;
  float *values = malloc((rows + 1) * sizeof *values);
  if (values) choose(fit, log, relevance, values);
  bool begun = fit->size > 0;
  sfnec_status status = !values ? sfnec_fail_memory("a filter of observations")
                        : begun ? allocate(fit, rows)
                                : SFNEC_OK;
  free(values);
  if (begun && !status) {
    read_log(fit, log);
    standardise(fit);
    fit->each = (uint32_t)(SFNEC_FILTER_ROWS / (fit->links ? fit->links : 1));
    status = sfnec_filter_fit_begin_degree(fit, 1, &begun);
  }
  if (!status && begun) {
    *out = fit;
    return SFNEC_OK;
  }
  sfnec_filter_fit_destroy(fit);
  return status;
}

void sfnec_filter_fit_destroy(sfnec_filter_fit *fit) {
  if (!fit) return;
  sfnec_filter_clear(&fit->tried);
  sfnec_filter_clear(&fit->best);
  free(fit->points), free(fit->steps), free(fit->residuals), free(fit->a), free(fit->x);
  free(fit);
}

size_t sfnec_filter_fit_bytes(const sfnec_filter_fit *fit) {
  const size_t step = fit->steps ? sizeof *fit->steps : 0;
  return sizeof *fit + fit->count * (sizeof *fit->points + step + (N + 1) * sizeof *fit->residuals) +
         sfnec_filter_bytes(&fit->tried) + sfnec_filter_bytes(&fit->best);
}

bool sfnec_filter_fit_step(sfnec_filter_fit *fit) {
  for (uint32_t i = 0; i < fit->each && fit->stage != DONE; i++) sfnec_filter_fit_pass(fit);
  fit->counted += fit->each;
  return fit->stage == DONE && fit->counted >= fit->passes;
}

void sfnec_filter_fit_complete(sfnec_filter_fit *fit) {
  while (fit->stage != DONE) sfnec_filter_fit_pass(fit);
}

bool sfnec_filter_fit_apply(sfnec_filter_fit *fit, sfnec_filter *filter) {
  if (fit->best.size == 0 && filter->size == 0) return false;
  const uint32_t version = filter->version + 1;
  sfnec_filter_clear(filter);
  *filter = fit->best;
  filter->version = version;
  fit->best = (sfnec_filter){0};
  return true;
}

// ---- files ----

static const sfnec_fields fit_fields =
    SFNEC_FIELDS("the fit of its filter", {SFNEC_ANY(sfnec_filter_fit, passes)}, {SFNEC_ANY(sfnec_filter_fit, counted)},
                 {SFNEC_WITHIN(sfnec_filter_fit, each, 1, SFNEC_FILTER_ROWS)});

void sfnec_filter_fit_save(const sfnec_filter_fit *fit, sfnec_writer *writer) {
  sfnec_fields_save(&fit_fields, fit, writer);
  sfnec_filter_save(&fit->best, writer);
}

sfnec_status sfnec_filter_fit_load(size_t size, uint32_t actions, sfnec_reader *reader, sfnec_filter_fit **out) {
  sfnec_filter_fit *fit = calloc(1, sizeof *fit);
  if (!fit) return sfnec_fail_memory("a filter of observations");
  fit->stage = DONE;
  sfnec_status status = sfnec_fields_load(&fit_fields, fit, NULL, 0, reader);
  if (!status && fit->counted >= fit->passes) {
    status = sfnec_reader_refuse(reader, "the fit of its filter is done already");
  }
  if (!status) status = sfnec_filter_load(&fit->best, size, actions, reader);
  if (!status) {
    *out = fit;
    return SFNEC_OK;
  }
  sfnec_filter_fit_destroy(fit);
  return status;
}
