// relevance_fit.c: a fit of relevance as a whole: its memory, its slices and its result; see relevance.h.
#include "agent/plan/relevance_fit.h"

#include <string.h>

#include "base/error.h"

// ---- the result ----

static bool any_kept(const sfnec_relevance_fit *fit) {
  bool any = false;
  for (size_t f = 0; f < fit->examined; f++) any |= fit->factors[f].kept;
  return any;
}

// Names of factors become those of their first components.
static void tell(const sfnec_relevance_fit *fit, const sfnec_factor *factor, sfnec_component_relevance *found) {
  const sfnec_factor_evidence *evidence = &factor->evidence;
  found->reason = evidence->reason;
  found->partner_kind = evidence->partner_kind;
  found->p = evidence->p;
  found->z = evidence->z;
  const bool feature =
      evidence->reason == SFNEC_REASON_PREDICTS_FEATURE || evidence->reason == SFNEC_REASON_PREDICTS_END;
  found->target = feature ? evidence->target : fit->factors[evidence->target].first;
  found->partner = fit->factors[evidence->partner].first;
}

// Whether what a factor influences would have shown. Of one that changes smoothly, or seldom, few values are
// independent, so that it takes long; but one whose own changes leave nothing to be explained can only matter for
// events.
static bool has_shown_enough(const sfnec_relevance_fit *fit, const sfnec_factor *factor) {
  if (factor->independent >= SFNEC_RELEVANCE_INDEPENDENT) return true;
  const bool function = factor->evidence.reason == SFNEC_REASON_FUNCTION; // that has evidence of its own
  const bool seldom = factor->changes > 0 && (size_t)factor->changes * SFNEC_RELEVANCE_OFTEN < fit->rows && !function;
  const bool without_events = factor->autonomous && fit->events < SFNEC_RELEVANCE_EVENTS;
  return without_events || (fit->seen >= SFNEC_RELEVANCE_SEEN && !seldom);
}

static void conclude_factor(const sfnec_relevance_fit *fit, const sfnec_factor *factor, bool any,
                            sfnec_component_relevance *found) {
  const bool power = fit->events >= SFNEC_RELEVANCE_EVENTS && fit->episodes >= SFNEC_RELEVANCE_EVENTS;
  if (!factor->varies) {
    found->reason = SFNEC_REASON_CONSTANT;
  } else if (factor->bins == 0) {
    found->reason = SFNEC_REASON_NOT_EXAMINED;
  } else if (factor->kept) {
    tell(fit, factor, found);
    const bool known = factor->evidence.reason != SFNEC_REASON_FEW_CHANGES;
    found->verdict = known ? SFNEC_VERDICT_KEPT : SFNEC_VERDICT_UNDECIDED;
  } else if (!any) {
    found->reason = SFNEC_REASON_NOTHING_FOUND;
  } else if (factor->bins == 1 && factor->evidence.reason != SFNEC_REASON_FUNCTION) {
    found->reason = SFNEC_REASON_FEW_CHANGES; // another value is too rare to be tested
  } else if (factor->changes == 0 && !power) {
    found->reason = SFNEC_REASON_FEW_EVENTS;
  } else {
    if (factor->evidence.reason == SFNEC_REASON_FUNCTION) tell(fit, factor, found);
    if (factor->evidence.reason != SFNEC_REASON_FUNCTION) found->reason = SFNEC_REASON_IRRELEVANT;
    found->verdict = has_shown_enough(fit, factor) ? SFNEC_VERDICT_DROPPED : SFNEC_VERDICT_UNDECIDED;
    found->drop_proposed = true;
  }
}

size_t sfnec_fit_conclude(sfnec_relevance_fit *fit) {
  const bool any = any_kept(fit);
  for (size_t f = 0; f < fit->factor_count; f++) {
    const sfnec_factor *factor = &fit->factors[f];
    const uint32_t *members = fit->members + factor->start;
    for (uint32_t m = 0; m < factor->count; m++) conclude_factor(fit, factor, any, &fit->found[members[m]]);
  }
  sfnec_fit_enter(fit, NULL);
  return fit->size;
}

// ---- a fit ----

sfnec_relevance_fit *sfnec_relevance_fit_alloc(size_t size) {
  sfnec_arena *arena;
  sfnec_relevance_fit *fit = sfnec_arena_create_for(sizeof *fit, &arena);
  if (!fit) return NULL;
  fit->arena = arena;
  fit->size = size;
  fit->found = sfnec_arena_alloc(arena, size, sizeof *fit->found);
  if (!fit->found) {
    sfnec_arena_destroy(arena);
    return NULL;
  }
  for (size_t i = 0; i < size; i++) fit->found[i] = (sfnec_component_relevance){.group = (uint32_t)i, .p = 1.0};
  return fit;
}

void sfnec_relevance_fit_destroy(sfnec_relevance_fit *fit) {
  if (fit) sfnec_arena_destroy(fit->arena);
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

// Memory of a fit; remembers if there was none.
static void *get(sfnec_relevance_fit *fit, size_t count, size_t size) {
  void *memory = fit->starved ? NULL : sfnec_arena_alloc(fit->arena, count, size);
  fit->starved |= !memory;
  return memory;
}

static void get_grouping(sfnec_relevance_fit *fit, sfnec_grouping *grouping) {
  const size_t groups = fit->rows / SFNEC_ASSOCIATION_GROUP + 1;
  grouping->row = get(fit, fit->rows, sizeof *grouping->row);
  grouping->start = get(fit, groups + 1, sizeof *grouping->start);
  grouping->shift = get(fit, SFNEC_ASSOCIATION_SHIFTS * groups, sizeof *grouping->shift);
  grouping->sorting = get(fit, fit->rows, sizeof *grouping->sorting);
}

static void get_log(sfnec_relevance_fit *fit) {
  const size_t n = fit->rows, d = fit->size;
  fit->before = get(fit, d * n, sizeof *fit->before);
  fit->after = get(fit, d * n, sizeof *fit->after);
  fit->feature = get(fit, fit->features * n, sizeof *fit->feature);
  fit->action = get(fit, n, sizeof *fit->action);
  fit->episode = get(fit, n, sizeof *fit->episode);
  fit->terminated = get(fit, n, sizeof *fit->terminated);
}

static void get_tests(sfnec_relevance_fit *fit, size_t columns) {
  const size_t n = fit->rows, d = fit->size;
  fit->sums = get(fit, n, sizeof *fit->sums);
  fit->membership = get(fit, d, sizeof *fit->membership);
  fit->supposed = get(fit, d, sizeof *fit->supposed);
  fit->set = get(fit, d, sizeof *fit->set);
  fit->members = get(fit, d, sizeof *fit->members);
  fit->factors = get(fit, d, sizeof *fit->factors);
  fit->codes = get(fit, columns * n, sizeof *fit->codes);
  fit->ranks = get(fit, columns * n, sizeof *fit->ranks);
  fit->residuals = get(fit, 2 * columns * n, sizeof *fit->residuals);
  fit->tested = get(fit, columns, sizeof *fit->tested);
  fit->p = get(fit, columns * columns, sizeof *fit->p);
  fit->sorted_p = get(fit, columns * columns, sizeof *fit->sorted_p);
  fit->numbers = get(fit, n, sizeof *fit->numbers);
  fit->scratch = get(fit, 2 * (n + 1), sizeof *fit->scratch);
  fit->counts = get(fit, n, sizeof *fit->counts);
  fit->keys = get(fit, n, sizeof *fit->keys);
  fit->gathered.code = get(fit, n, sizeof *fit->gathered.code);
  fit->gathered.number = get(fit, n, sizeof *fit->gathered.number);
  get_grouping(fit, &fit->everyone);
  get_grouping(fit, &fit->by_action);
  get_grouping(fit, &fit->way);
}

static void get_selection(sfnec_relevance_fit *fit, size_t columns) {
  const size_t n = fit->rows, targets = smaller(columns, SFNEC_RELEVANCE_TARGETS) + fit->features + 1;
  fit->kept = get(fit, columns, sizeof *fit->kept);
  fit->target_factor = get(fit, targets, sizeof *fit->target_factor);
  fit->x = get(fit, (columns + 1) * n, sizeof *fit->x);
  fit->x_references = get(fit, (columns + 1) * n, sizeof *fit->x_references);
  fit->y = get(fit, targets * n, sizeof *fit->y);
  fit->residual = get(fit, targets * n, sizeof *fit->residual);
  fit->y_column = get(fit, n, sizeof *fit->y_column);
  fit->live = get(fit, targets, sizeof *fit->live);
  fit->reference_row = get(fit, n, sizeof *fit->reference_row);
  fit->distance = get(fit, n, sizeof *fit->distance);
  fit->prediction = get(fit, targets, sizeof *fit->prediction);
  fit->queue = get(fit, columns, sizeof *fit->queue);
  fit->ways = get(fit, SFNEC_RELEVANCE_PARTNERS + 2, sizeof *fit->ways);
}

// Copies the log into columns.
static void copy_log(sfnec_relevance_fit *fit, const sfnec_transition_log *log) {
  sfnec_logged_transition row;
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  for (size_t i = 0; sfnec_transition_log_next(log, &cursor, &row); i++) {
    for (size_t c = 0; c < fit->size; c++) fit->before[c * fit->rows + i] = row.before[c];
    for (size_t c = 0; c < fit->size; c++) fit->after[c * fit->rows + i] = row.after[c];
    for (size_t c = 0; c < fit->features; c++) fit->feature[c * fit->rows + i] = row.features[c];
    fit->action[i] = row.action < fit->action_count ? (uint8_t)row.action : (uint8_t)(fit->action_count - 1);
    fit->episode[i] = row.episode;
    fit->terminated[i] = row.terminated;
    fit->events += row.event;
    fit->episodes += i == 0 || row.episode != fit->episode[i - 1];
  }
}

sfnec_status sfnec_relevance_fit_begin(const sfnec_transition_log *log, const sfnec_relevance *known, uint64_t seed,
                                       sfnec_relevance_fit **out) {
  *out = NULL;
  sfnec_relevance_fit *fit = sfnec_relevance_fit_alloc(log->size);
  if (!fit) return sfnec_fail_memory("a fit of relevance");
  for (size_t i = 0; known && i < fit->size; i++) {
    fit->found[i].level_count = known->components[i].level_count;
    memcpy(fit->found[i].levels, known->components[i].levels, sizeof fit->found[i].levels);
  }
  fit->rows = log->count;
  fit->features = log->features;
  fit->seed = seed;
  fit->seen = log->seen;
  fit->action_count = (uint32_t)smaller(log->actions, SFNEC_ASSOCIATION_BINS);
  const size_t columns = smaller(log->size, SFNEC_RELEVANCE_FACTORS);
  get_log(fit);
  get_tests(fit, columns);
  get_selection(fit, columns);
  if (fit->starved) {
    sfnec_relevance_fit_destroy(fit);
    return sfnec_fail_memory("a fit of relevance");
  }
  copy_log(fit, log);
  if (fit->rows && fit->size) sfnec_fit_enter(fit, sfnec_factors_begin);
  *out = fit;
  return SFNEC_OK;
}

bool sfnec_relevance_fit_step(sfnec_relevance_fit *fit, uint64_t budget) {
  fit->granted += budget;
  while (fit->stage && fit->cost < fit->granted) fit->cost += fit->stage(fit);
  return !fit->stage && fit->cost <= fit->granted;
}

void sfnec_relevance_fit_complete(sfnec_relevance_fit *fit) {
  while (fit->stage) fit->cost += fit->stage(fit);
}

uint64_t sfnec_relevance_fit_cost(const sfnec_relevance_fit *fit) {
  return fit->cost;
}
