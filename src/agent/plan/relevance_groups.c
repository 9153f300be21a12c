// relevance_groups.c: the stage of a fit of relevance that finds one-hot groups: components of 0 and 1 of which exactly
// one is set in every observation, wherever they stand. Such a group is one categorical factor; see relevance.h.
//
// A group is an exact cover of the observations of the log, found by propagation (Knuth 2000, algorithm X): what is set
// alone belongs to it, and what is ever set beside a member does not. What follows so is certain: where nothing is left
// that could be set in some observation there is no group. Where several groups stand side by side nothing is set
// alone; then a component is supposed to be a member, the rarest first. If that contradicts itself it is in no group.
#include "agent/plan/relevance_fit.h"

static bool is_set(const sfnec_relevance_fit *fit, size_t component, size_t observation) {
  const size_t n = fit->rows;
  return (observation < n ? fit->before[component * n + observation] : fit->after[component * n + observation - n]) ==
         1.0f;
}

// A factor of the components in members from `start` on.
static void add_factor(sfnec_relevance_fit *fit, size_t start) {
  const uint32_t first = fit->members[start], count = (uint32_t)(fit->member_count - start);
  for (size_t m = start; m < fit->member_count; m++) fit->found[fit->members[m]].group = first;
  fit->factors[fit->factor_count++] =
      (sfnec_factor){.first = first, .start = (uint32_t)start, .count = count, .residual = SFNEC_RELEVANCE_RARE};
}

// All that is in no group is a factor of its own.
static size_t end(sfnec_relevance_fit *fit) {
  for (size_t c = 0; c < fit->size; c++) {
    if (fit->membership[c] == SFNEC_MEMBERSHIP_GROUPED) continue;
    fit->members[fit->member_count] = (uint32_t)c;
    fit->member_count++;
    add_factor(fit, fit->member_count - 1);
  }
  sfnec_fit_enter(fit, sfnec_changes_begin);
  return fit->size;
}

// Begins to look for a group that a component belongs to, or any (`size`).
static void suppose(sfnec_relevance_fit *fit, size_t component) {
  for (size_t c = 0; c < fit->size; c++) {
    if (fit->membership[c] > SFNEC_MEMBERSHIP_GROUPED) fit->membership[c] = SFNEC_MEMBERSHIP_OPEN;
  }
  fit->i = component;
  fit->j = 0;
  fit->followed = fit->left = false;
}

// A component is in the group: none that is ever set beside it is. Returns the cost.
static size_t include(sfnec_relevance_fit *fit, size_t component) {
  size_t cost = 2 * fit->rows;
  fit->membership[component] = SFNEC_MEMBERSHIP_INSIDE;
  fit->followed = true;
  for (size_t t = 0; t < 2 * fit->rows; t++) {
    if (!is_set(fit, component, t)) continue;
    cost += fit->size;
    for (size_t c = 0; c < fit->size; c++) {
      if (fit->membership[c] == SFNEC_MEMBERSHIP_OPEN && is_set(fit, c, t))
        fit->membership[c] = SFNEC_MEMBERSHIP_BESIDE;
    }
  }
  return cost;
}

// Supposes the rarest component that was not supposed yet to be in a group; if there is none, the rest is in none.
static size_t suppose_next(sfnec_relevance_fit *fit) {
  size_t rarest = fit->size;
  for (size_t c = 0; c < fit->size; c++) {
    if (fit->membership[c] <= SFNEC_MEMBERSHIP_GROUPED || fit->supposed[c]) continue;
    if (rarest == fit->size || fit->set[c] < fit->set[rarest]) rarest = c;
  }
  if (rarest == fit->size) return end(fit);
  fit->supposed[rarest] = true;
  suppose(fit, rarest);
  return fit->size + include(fit, rarest);
}

// The members found are a group; there may be others.
static void take(sfnec_relevance_fit *fit) {
  const size_t start = fit->member_count;
  for (size_t c = 0; c < fit->size; c++) {
    if (fit->membership[c] != SFNEC_MEMBERSHIP_INSIDE) continue;
    fit->membership[c] = SFNEC_MEMBERSHIP_GROUPED;
    fit->members[fit->member_count++] = (uint32_t)c;
  }
  add_factor(fit, start);
  suppose(fit, fit->size);
}

// Looks at one observation (j): at most one of the members is set in it.
static size_t follow(sfnec_relevance_fit *fit) {
  size_t open = 0, last = 0, cost = fit->size;
  bool covered = false;
  for (size_t c = 0; c < fit->size; c++) {
    if (fit->membership[c] <= SFNEC_MEMBERSHIP_GROUPED || !is_set(fit, c, fit->j)) continue;
    covered |= fit->membership[c] == SFNEC_MEMBERSHIP_INSIDE;
    open += fit->membership[c] == SFNEC_MEMBERSHIP_OPEN;
    last = fit->membership[c] == SFNEC_MEMBERSHIP_OPEN ? c : last;
  }
  if (!covered && open == 0) {
    if (fit->i == fit->size) return cost + end(fit);
    fit->membership[fit->i] = SFNEC_MEMBERSHIP_CLOSED;
    suppose(fit, fit->size);
    return cost;
  }
  if (!covered && open == 1) cost += include(fit, last);
  fit->left |= !covered && open > 1;
  if (++fit->j < 2 * fit->rows) return cost;
  if (!fit->left) {
    take(fit);
  } else if (!fit->followed) {
    cost += suppose_next(fit);
  }
  fit->j = 0;
  fit->followed = fit->left = false;
  return cost;
}

size_t sfnec_groups_begin(sfnec_relevance_fit *fit) {
  suppose(fit, fit->size);
  fit->stage = follow;
  return fit->size;
}
