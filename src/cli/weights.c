// weights.c: reward weights from the command line.
#include "cli/weights.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

static int refuse_length(size_t given, const char *text, const sfnec_env *env) {
  const sfnec_env_kind *kind = sfnec_env_get_kind(env);
  const int32_t wanted = sfnec_env_get_shape(env).feature_count;
  char names[256] = "";
  for (int32_t i = 0; kind->feature_names && i < wanted; i++) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : ": ", kind->feature_names[i]);
  }
  return misuse("--w %s has %zu weights but %s has %" PRId32 " features%s", text, given, kind->name, wanted, names);
}

int weights_parse(const char *text, const sfnec_env *env, double *w) {
  text_list parts = {0};
  text_split(&parts, text, ',');
  int code = EXIT_OK;
  if (parts.count != (size_t)sfnec_env_get_shape(env).feature_count) code = refuse_length(parts.count, text, env);
  for (size_t i = 0; i < parts.count && !code; i++)
    if (!sfnec_text_to_real(parts.items[i], &w[i]))
      code = misuse("--w %s: weight %zu is '%s' but must be a finite number", text, i + 1, parts.items[i]);
  text_clear(&parts);
  return code;
}
