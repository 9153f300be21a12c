// spec.c: a spec from a file or a text; the contract is in spec.h.
#include "study/spec/spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "study/spec/spec_parts.h"

// the largest file that is still taken for a spec
enum { MOST_BYTES = 1 << 20 };

static sfnec_spec *create(const char *path) {
  sfnec_arena *arena = sfnec_arena_create();
  sfnec_spec *spec = arena ? sfnec_arena_alloc(arena, 1, sizeof *spec) : NULL;
  const char *copy = spec ? sfnec_arena_copy(arena, path) : NULL;
  uint64_t *seed = copy ? sfnec_arena_alloc(arena, 1, sizeof *seed) : NULL;
  if (!seed) {
    sfnec_arena_destroy(arena);
    return NULL;
  }
  *seed = 1;
  // limits below 0 are resolved once it is known which of them the spec gives
  *spec = (sfnec_spec){
      .arena = arena,
      .path = copy,
      .tasks = 10,
      .steps = -1,
      .episodes = -1,
      .seeds = seed,
      .seed_count = 1,
      .random_seed = 1,
      .state_megabytes = 2000,
  };
  return spec;
}

void sfnec_spec_destroy(sfnec_spec *spec) {
  if (spec) sfnec_arena_destroy(spec->arena);
}

sfnec_status sfnec_spec_parse(const char *path, const char *text, size_t size, const sfnec_overrides *overrides,
                              sfnec_spec **out) {
  *out = NULL;
  sfnec_spec *spec = create(path);
  if (!spec) return sfnec_fail_memory("a spec");
  const sfnec_source source = {spec->arena, spec->path};
  const sfnec_yaml *root = NULL;
  sfnec_status status = sfnec_yaml_parse(&source, text, size, &root);
  if (!status) status = sfnec_spec_read(&source, root, spec);
  if (!status) status = sfnec_spec_check(&source, root, spec);
  if (!status && overrides) status = sfnec_spec_override(spec, overrides);
  if (status) {
    sfnec_spec_destroy(spec);
    return status;
  }
  *out = spec;
  return SFNEC_OK;
}

// ---- files ----

static sfnec_status refuse_file(const char *path, const char *reason) {
  return sfnec_fail(SFNEC_ERROR_IO, "cannot read the spec %.300s: %s", path, reason);
}

// what can be told before reading; a pipe is fine
static sfnec_status check_file(const char *path) {
  struct stat there;
  if (stat(path, &there) != 0) {
    return refuse_file(path, errno == ENOENT ? "there is no such file; experiments/ holds the published studies"
                                             : strerror(errno));
  }
  if (S_ISDIR(there.st_mode)) return refuse_file(path, "it is a folder; name a YAML file");
  return SFNEC_OK;
}

sfnec_status sfnec_spec_load(const char *path, const sfnec_overrides *overrides, sfnec_spec **out) {
  *out = NULL;
  sfnec_status status = check_file(path);
  if (status) return status;
  FILE *stream = fopen(path, "rb");
  if (!stream) return refuse_file(path, strerror(errno));
  // one byte more than allowed shows that there is more
  char *text = malloc(MOST_BYTES + 1);
  const size_t size = text ? fread(text, 1, MOST_BYTES + 1, stream) : 0;
  const bool broken = ferror(stream) != 0;
  const int why = errno;
  fclose(stream);
  if (!text) status = sfnec_fail_memory("a spec");
  else if (broken) status = refuse_file(path, strerror(why));
  else if (size > MOST_BYTES) status = refuse_file(path, "it has more than a megabyte; no spec is that long");
  else status = sfnec_spec_parse(path, text, size, overrides, out);
  free(text);
  return status;
}
