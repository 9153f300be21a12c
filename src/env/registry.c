// registry.c: finding a built-in environment by number or by name.
#include <string.h>

#include "env/kinds.h"

#define ADDRESS(name) &sfnec_env_##name,
static const sfnec_env_kind *const kinds[] = {SFNEC_ENV_KINDS(ADDRESS)};
#undef ADDRESS

const sfnec_env_kind *sfnec_env_kind_at(size_t i) {
  return i < sizeof kinds / sizeof kinds[0] ? kinds[i] : NULL;
}

const sfnec_env_kind *sfnec_env_kind_find(const char *name) {
  const sfnec_env_kind *kind = NULL;
  if (!name) return NULL;
  for (size_t i = 0; (kind = sfnec_env_kind_at(i)); i++) {
    if (strcmp(kind->name, name) == 0) break;
  }
  return kind;
}
