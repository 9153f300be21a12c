// relevance.c: the verdicts in force: how fits change them, their words, and files; see relevance.h.
#include "agent/plan/relevance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/relevance_fit.h"
#include "base/error.h"
#include "base/fields.h"
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

enum { SIZE = 1, NUMBER }; // limits: components, and those up to this one
enum { ALL_LEVELS = 1 };   // a flag: not only the first FEW_LEVELS, which former versions had
enum { FEW_LEVELS = 8 };

static const sfnec_fields component_fields = SFNEC_FIELDS(
    "the relevance of a component", {SFNEC_UP_TO(sfnec_component_relevance, verdict, SFNEC_VERDICT_DROPPED)},
    {SFNEC_UP_TO(sfnec_component_relevance, reason, SFNEC_REASON_COUNT - 1)},
    {SFNEC_UP_TO(sfnec_component_relevance, partner_kind, SFNEC_PARTNER_COUNT - 1)},
    {SFNEC_ANY(sfnec_component_relevance, target)}, {SFNEC_BELOW(sfnec_component_relevance, partner, SIZE)},
    {SFNEC_BELOW(sfnec_component_relevance, group, NUMBER)},
    {SFNEC_UP_TO(sfnec_component_relevance, level_count, SFNEC_LEVELS_MOST)},
    {SFNEC_FIELD_OF(sfnec_component_relevance, levels, levels[0]), .elements = FEW_LEVELS},
    {SFNEC_FIELD_OF(sfnec_component_relevance, levels[FEW_LEVELS], levels[0]),
     .elements = SFNEC_LEVELS_MOST - FEW_LEVELS, .since = ALL_LEVELS},
    {SFNEC_UP_TO(sfnec_component_relevance, p, 1)}, {SFNEC_ANY(sfnec_component_relevance, z)},
    {SFNEC_ANY(sfnec_component_relevance, drop_proposed)});

static void save_components(const sfnec_component_relevance *components, size_t size, sfnec_writer *writer) {
  for (size_t i = 0; i < size; i++) sfnec_fields_save(&component_fields, &components[i], writer);
}

static bool are_levels(const float *levels, uint32_t count) {
  bool good = true;
  for (uint32_t i = 1; i < count; i++) good &= levels[i - 1] < levels[i];
  return good;
}

// Whether a target is none of the observation's, but of the rewards'.
static bool is_outcome(uint32_t reason) {
  return reason == SFNEC_REASON_PREDICTS_FEATURE || reason == SFNEC_REASON_PREDICTS_END;
}

static sfnec_status load_components(sfnec_component_relevance *components, size_t size, bool all_levels,
                                    sfnec_reader *reader) {
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < size && !status; i++) {
    sfnec_component_relevance *c = &components[i];
    status =
        sfnec_fields_load(&component_fields, c, (const uint64_t[]){size, i + 1}, all_levels ? ALL_LEVELS : 0, reader);
    if (!status && ((c->target >= size && !is_outcome(c->reason)) || components[c->group].group != c->group ||
                    !are_levels(c->levels, c->level_count))) {
      status = sfnec_reader_refuse(reader, "the relevance of a component contradicts itself");
    }
  }
  return status;
}

void sfnec_relevance_save(const sfnec_relevance *relevance, sfnec_writer *writer) {
  sfnec_write_u64(writer, relevance->fits);
  save_components(relevance->components, relevance->size, writer);
}

sfnec_status sfnec_relevance_load(sfnec_relevance *relevance, bool all_levels, sfnec_reader *reader) {
  relevance->fits = sfnec_read_u64(reader);
  if (relevance->fits > SFNEC_COUNT_MOST) return sfnec_reader_refuse(reader, "it claims too many fits of relevance");
  return load_components(relevance->components, relevance->size, all_levels, reader);
}

static const sfnec_fields fit_fields = SFNEC_FIELDS("a fit of relevance", {SFNEC_ANY(sfnec_relevance_fit, granted)},
                                                    {SFNEC_ANY(sfnec_relevance_fit, cost)});

void sfnec_relevance_fit_save(const sfnec_relevance_fit *fit, sfnec_writer *writer) {
  sfnec_fields_save(&fit_fields, fit, writer);
  save_components(fit->found, fit->size, writer);
}

sfnec_status sfnec_relevance_fit_load(size_t size, bool all_levels, sfnec_reader *reader, sfnec_relevance_fit **out) {
  *out = NULL;
  sfnec_relevance_fit *fit = sfnec_relevance_fit_alloc(size);
  if (!fit) return sfnec_fail_memory("a fit of relevance");
  sfnec_status status = sfnec_fields_load(&fit_fields, fit, NULL, 0, reader);
  if (!status) status = load_components(fit->found, size, all_levels, reader);
  if (status) sfnec_relevance_fit_destroy(fit);
  if (!status) *out = fit;
  return status;
}
