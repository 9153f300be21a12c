// relevance.c: the verdicts in force: how fits change them, their words, and files; see relevance.h.
#include "agent/plan/relevance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/relevance_fit.h"
#include "base/error.h"
#include "base/vector.h"

// A component of which nothing is known.
static sfnec_component_relevance unknown(size_t component) {
  return (sfnec_component_relevance){.group = (uint32_t)component, .p = 1.0};
}

sfnec_status sfnec_relevance_init(sfnec_relevance *relevance, size_t size) {
  *relevance = (sfnec_relevance){.size = size};
  relevance->components = calloc(size + 1, sizeof *relevance->components);
  if (!relevance->components) return sfnec_fail_memory("the relevance of components");
  for (size_t i = 0; i < size; i++) relevance->components[i] = unknown(i);
  return SFNEC_OK;
}

void sfnec_relevance_clear(sfnec_relevance *relevance) {
  free(relevance->components);
  *relevance = (sfnec_relevance){0};
}

// Levels that hardly moved stay as they were: contexts are made of them.
static void keep_levels(const sfnec_component_relevance *before, sfnec_component_relevance *now) {
  if (now->level_count != before->level_count || now->level_count < 2) return;
  float gap = INFINITY, moved = 0.0f;
  for (uint32_t l = 0; l < now->level_count; l++) {
    if (l > 0) gap = fminf(gap, before->levels[l] - before->levels[l - 1]);
    moved = fmaxf(moved, fabsf(now->levels[l] - before->levels[l]));
  }
  if (moved < SFNEC_LEVELS_MOVED * gap) memcpy(now->levels, before->levels, sizeof now->levels);
}

bool sfnec_relevance_apply(sfnec_relevance *relevance, const sfnec_relevance_fit *fit) {
  bool changed = false;
  for (size_t i = 0; i < relevance->size; i++) {
    const sfnec_component_relevance before = relevance->components[i];
    sfnec_component_relevance *now = &relevance->components[i];
    *now = fit->found[i];
    const bool was = before.verdict == SFNEC_VERDICT_DROPPED;
    if (now->verdict == SFNEC_VERDICT_DROPPED && !before.drop_proposed && !was) now->verdict = SFNEC_VERDICT_UNDECIDED;
    if (now->drop_proposed && was) now->verdict = SFNEC_VERDICT_DROPPED;
    keep_levels(&before, now);
    const bool is = now->verdict == SFNEC_VERDICT_DROPPED;
    changed |= was != is;
    if (is) continue;
    changed |= now->level_count != before.level_count;
    changed |= memcmp(now->levels, before.levels, now->level_count * sizeof *now->levels) != 0;
  }
  relevance->fits++;
  return changed;
}

// ---- words ----

static void explain_partner(const sfnec_component_relevance *component, char *text, size_t size) {
  switch (component->partner_kind) {
  case SFNEC_PARTNER_ACTION:
    snprintf(text, size, " together with the action");
    break;
  case SFNEC_PARTNER_COMPONENT:
    snprintf(text, size, " together with component %u", component->partner);
    break;
  case SFNEC_PARTNER_STATE:
    snprintf(text, size, " together with the state");
    break;
  default:
    text[0] = '\0';
  }
}

void sfnec_relevance_explain(const sfnec_component_relevance *component, char *text, size_t size) {
  char partner[64];
  explain_partner(component, partner, sizeof partner);
  const uint32_t target = component->target;
  switch (component->reason) {
  case SFNEC_REASON_CONSTANT:
    snprintf(text, size, "constant so far");
    break;
  case SFNEC_REASON_FEW_CHANGES:
    snprintf(text, size, "too few changes to decide");
    break;
  case SFNEC_REASON_FEW_EVENTS:
    snprintf(text, size, "too few events or episodes to decide");
    break;
  case SFNEC_REASON_NOT_EXAMINED:
    snprintf(text, size, "not examined: others change more often");
    break;
  case SFNEC_REASON_NOTHING_FOUND:
    snprintf(text, size, "nothing is known to matter yet");
    break;
  case SFNEC_REASON_ACTION:
    snprintf(text, size, "the action changes it");
    break;
  case SFNEC_REASON_PREDICTED:
    snprintf(text, size, "component %u predicts its changes", target);
    break;
  case SFNEC_REASON_PREDICTS_CHANGE:
    snprintf(text, size, "predicts changes of component %u", target);
    break;
  case SFNEC_REASON_PREDICTS_FEATURE:
    snprintf(text, size, "predicts reward feature %u%s", target, partner);
    break;
  case SFNEC_REASON_PREDICTS_END:
    snprintf(text, size, "predicts termination%s", partner);
    break;
  case SFNEC_REASON_FUNCTION:
    snprintf(text, size, "function of component %u%s", target,
             component->verdict == SFNEC_VERDICT_UNDECIDED ? "; the next fit decides" : "");
    break;
  default:
    snprintf(text, size, "changes on its own and predicts nothing%s",
             component->verdict == SFNEC_VERDICT_UNDECIDED ? "; the next fit decides" : "");
  }
}

// ---- files ----

static void save_components(const sfnec_component_relevance *components, size_t size, sfnec_writer *writer) {
  for (size_t i = 0; i < size; i++) {
    const sfnec_component_relevance *c = &components[i];
    sfnec_write_u32(writer, c->verdict);
    sfnec_write_u32(writer, c->reason);
    sfnec_write_u32(writer, c->partner_kind);
    sfnec_write_u32(writer, c->target);
    sfnec_write_u32(writer, c->partner);
    sfnec_write_u32(writer, c->group);
    sfnec_write_u32(writer, c->level_count);
    sfnec_write_bytes(writer, c->levels, sizeof c->levels);
    sfnec_write_f64(writer, c->p);
    sfnec_write_f64(writer, c->z);
    sfnec_write_u32(writer, c->drop_proposed);
  }
}

static bool are_levels(const float *levels, uint32_t count) {
  bool good = sfnec_all_finite_f32(levels, SFNEC_LEVELS_MOST);
  for (uint32_t i = 1; i < count; i++) good &= levels[i - 1] < levels[i];
  return good;
}

// Whether a target is none of the observation's, but of the rewards'.
static bool is_outcome(uint32_t reason) {
  return reason == SFNEC_REASON_PREDICTS_FEATURE || reason == SFNEC_REASON_PREDICTS_END;
}

static sfnec_status load_components(sfnec_component_relevance *components, size_t size, sfnec_reader *reader) {
  for (size_t i = 0; i < size && sfnec_reader_good(reader); i++) {
    sfnec_component_relevance *c = &components[i];
    const uint32_t verdict = sfnec_read_u32(reader), reason = sfnec_read_u32(reader), kind = sfnec_read_u32(reader);
    *c = (sfnec_component_relevance){.target = sfnec_read_u32(reader)};
    c->partner = sfnec_read_u32(reader);
    c->group = sfnec_read_u32(reader);
    c->level_count = sfnec_read_u32(reader);
    sfnec_read_bytes(reader, c->levels, sizeof c->levels);
    c->p = sfnec_read_f64(reader);
    c->z = sfnec_read_f64(reader);
    const uint32_t proposed = sfnec_read_u32(reader);
    const bool alone = c->group == i;
    if (!sfnec_reader_good(reader) || verdict > SFNEC_VERDICT_DROPPED || reason >= SFNEC_REASON_COUNT ||
        kind >= SFNEC_PARTNER_COUNT || (c->target >= size && !is_outcome(reason)) || c->partner >= size ||
        c->group > i || c->level_count > SFNEC_LEVELS_MOST || !(alone || components[c->group].group == c->group) ||
        !are_levels(c->levels, c->level_count) || !(c->p >= 0.0 && c->p <= 1.0) || !isfinite(c->z) || proposed > 1) {
      return sfnec_reader_refuse(reader, "the relevance of a component contradicts itself");
    }
    c->verdict = (sfnec_verdict)verdict;
    c->reason = (sfnec_relevance_reason)reason;
    c->partner_kind = (sfnec_partner)kind;
    c->drop_proposed = proposed;
  }
  return sfnec_reader_good(reader) ? SFNEC_OK : sfnec_reader_refuse(reader, "the relevance of components ends early");
}

void sfnec_relevance_save(const sfnec_relevance *relevance, sfnec_writer *writer) {
  sfnec_write_u64(writer, relevance->fits);
  save_components(relevance->components, relevance->size, writer);
}

sfnec_status sfnec_relevance_load(sfnec_relevance *relevance, sfnec_reader *reader) {
  relevance->fits = sfnec_read_u64(reader);
  if (relevance->fits > SFNEC_COUNT_MOST) return sfnec_reader_refuse(reader, "it claims too many fits of relevance");
  return load_components(relevance->components, relevance->size, reader);
}

void sfnec_relevance_fit_save(const sfnec_relevance_fit *fit, sfnec_writer *writer) {
  sfnec_write_u64(writer, fit->granted);
  sfnec_write_u64(writer, fit->cost);
  save_components(fit->found, fit->size, writer);
}

sfnec_status sfnec_relevance_fit_load(size_t size, sfnec_reader *reader, sfnec_relevance_fit **out) {
  *out = NULL;
  sfnec_relevance_fit *fit = sfnec_relevance_fit_alloc(size);
  if (!fit) return sfnec_fail_memory("a fit of relevance");
  fit->granted = sfnec_read_u64(reader);
  fit->cost = sfnec_read_u64(reader);
  sfnec_status status = SFNEC_OK;
  if (fit->granted > SFNEC_COUNT_MOST || fit->cost > SFNEC_COUNT_MOST) {
    status = sfnec_reader_refuse(reader, "the work of a fit of relevance is too large");
  }
  if (!status) status = load_components(fit->found, size, reader);
  if (status) sfnec_relevance_fit_destroy(fit);
  if (!status) *out = fit;
  return status;
}
