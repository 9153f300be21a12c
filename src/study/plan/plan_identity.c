// plan_identity.c: what decides the results of a job, as text, and its hash.
//
// Only options that differ from their tables' defaults are listed: an option that a later version adds does not change
// the identity of what was run before.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "study/plan/plan_parts.h"

// the rows of a table in which a struct differs from the defaults
static bool print_changed(FILE *stream, const char *owner, const sfnec_option_set *set, const void *options,
                          size_t size) {
  if (!set || !options) return true;
  void *defaults = calloc(1, size);
  if (!defaults) return false;
  sfnec_options_fill(set, defaults);
  for (const sfnec_option *row = set->rows; row->name; row++) {
    char value[64], initial[64];
    sfnec_options_text(row, options, value, sizeof value);
    sfnec_options_text(row, defaults, initial, sizeof initial);
    if (strcmp(value, initial) != 0) fprintf(stream, "%s.%s=%s\n", owner, row->name, value);
  }
  free(defaults);
  return true;
}

const char *sfnec_identity_common(const sfnec_spec *spec, const sfnec_configuration *configuration,
                                  const sfnec_env *env, sfnec_arena *arena) {
  const sfnec_env_kind *kind = configuration->env;
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  fprintf(stream, "label=%s\nenv=%s\n", configuration->label, kind->name);
  bool good = print_changed(stream, "env", kind->option_set, sfnec_env_get_options(env), kind->options_size);
  const int64_t limit = sfnec_env_get_max_episode_steps(env);
  if (limit != kind->max_episode_steps) fprintf(stream, "env.max_episode_steps=%" PRId64 "\n", limit);
  good = good && print_changed(stream, "agent", sfnec_agent_option_set(), &configuration->options,
                               sizeof configuration->options);
  if (spec->steps) fprintf(stream, "steps=%" PRId64 "\n", spec->steps);
  if (spec->episodes) fprintf(stream, "episodes=%" PRId64 "\n", spec->episodes);
  if (spec->record_episodes) fputs("record.episodes=yes\n", stream);
  good = good && !ferror(stream);
  const char *copy = fclose(stream) == 0 && good ? sfnec_arena_copy(arena, text) : NULL;
  free(text);
  return copy;
}

sfnec_status sfnec_identity_finish(sfnec_job *job, const char *common, sfnec_arena *arena) {
  job->identity = sfnec_arena_print(arena, "%sseed=%" PRIu64 "\n", common, job->seed);
  if (!job->identity) return sfnec_fail_memory("a plan");
  const uint64_t hash = XXH3_64bits(job->identity, strlen(job->identity));
  snprintf(job->id, sizeof job->id, "%016" PRIx64, hash);
  return SFNEC_OK;
}
