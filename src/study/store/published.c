// published.c: which published values belong to which configuration; the contract is in results.h.
#include <string.h>

#include "base/text.h"
#include "study/store/results.h"

// "0.10" in one place and "0.1" in another are the same
static bool same_value(const char *a, const char *b) {
  double x, y;
  if (strcmp(a, b) == 0) return true;
  return sfnec_text_to_real(a, &x) && sfnec_text_to_real(b, &y) && x <= y && x >= y;
}

static bool has_setting(const sfnec_settings *settings, const sfnec_setting *wanted) {
  for (size_t i = 0; i < settings->count; i++)
    if (strcmp(settings->items[i].key, wanted->key) == 0) return same_value(settings->items[i].value, wanted->value);
  return false;
}

static bool belongs(const sfnec_published *published, const sfnec_result_configuration *configuration) {
  if (strcmp(published->agent, configuration->label) != 0) return false;
  if (published->options.count != configuration->settings.count) return false;
  for (size_t i = 0; i < published->options.count; i++)
    if (!has_setting(&configuration->settings, &published->options.items[i])) return false;
  return true;
}

const sfnec_published *sfnec_published_next(const sfnec_results *results, size_t configuration,
                                            const sfnec_published *after) {
  for (size_t i = after ? (size_t)(after - results->published) + 1 : 0; i < results->published_count; i++)
    if (belongs(&results->published[i], &results->configurations[configuration])) return &results->published[i];
  return NULL;
}

const sfnec_published *sfnec_published_after(const sfnec_results *results, size_t configuration, uint32_t task) {
  const sfnec_published *at = NULL;
  do at = sfnec_published_next(results, configuration, at);
  while (at && sfnec_published_task(results, at) != task);
  return at;
}

uint32_t sfnec_published_task(const sfnec_results *results, const sfnec_published *published) {
  return published->task ? published->task : results->tasks;
}
