// world.c: the world of a name or of a plugin's file; see world.h.
#define _XOPEN_SOURCE 700 // realpath NOLINT(bugprone-reserved-identifier)
#include "study/spec/world.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/text.h"
#include "env/kinds.h"
#include "sfnec/plugin.h"
#include "study/spec/spec.h"
#include "study/spec/yaml.h"

bool sfnec_world_is_file(const char *text) {
  const size_t length = strlen(text);
  return strchr(text, '/') || (length > 3 && strcmp(text + length - 3, ".so") == 0);
}

// ---- the library's own ----

// the plugin of that name in this folder, or where `sfnec new-env` has it compiled; NULL: there is none
static const char *find_file(sfnec_arena *arena, const char *name) {
  static const char *const forms[] = {"./%s.so", "./build/%s.so", "./%s/build/%s.so"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const char *path = sfnec_arena_print(arena, forms[i], name, name);
    if (path && access(path, R_OK) == 0) return path;
  }
  return NULL;
}

static sfnec_status find_kind(sfnec_arena *arena, const char *name, sfnec_world *world) {
  *world = (sfnec_world){.kind = sfnec_env_kind_find(name)};
  if (world->kind) return SFNEC_OK;
  if (sfnec_gym_id(name)) return sfnec_gym_refuse(arena, name);
  const char *nearest = NULL, *file = sfnec_spec_is_name(name) ? find_file(arena, name) : NULL;
  if (file)
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "there is no environment '%s' (see sfnec list envs); a plugin is named by its "
                      "file: %s",
                      name, file);
  const sfnec_env_kind *kind;
  for (size_t i = 0; (kind = sfnec_env_kind_at(i)); i++) nearest = sfnec_text_nearer(name, nearest, kind->name);
  return sfnec_fail(SFNEC_ERROR_OPTION, "there is no environment '%s' (see sfnec list envs)%s",
                    sfnec_shown(arena, name), sfnec_hint(arena, nearest));
}

// ---- plugins ----

static sfnec_status refuse(const char *path, const char *reason) {
  return sfnec_fail(SFNEC_ERROR_OPTION, "cannot use the plugin %.100s: %.350s", path, reason);
}

// 16 hexadecimal digits that stand for the bytes of a file
static sfnec_status digest(sfnec_arena *arena, const char *path, const char **text) {
  struct stat info;
  FILE *file = fopen(path, "rbe");
  // a pipe or a device has no end, or another one each time
  if (!file || fstat(fileno(file), &info) || !S_ISREG(info.st_mode)) {
    const int error = errno;
    if (file) fclose(file);
    return refuse(path, file ? "it is no plain file" : strerror(error));
  }
  XXH64_hash_t sum = 0;
  unsigned char bytes[1 << 16];
  for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;) sum = XXH3_64bits_withSeed(bytes, size, sum);
  const bool good = !ferror(file);
  fclose(file);
  if (!good) return refuse(path, "it cannot be read");
  *text = sfnec_arena_print(arena, "%016" PRIx64, (uint64_t)sum);
  return *text ? SFNEC_OK : sfnec_fail_memory("a plugin");
}

typedef const sfnec_env_plugin *describe(void);

// loads the code, which stays until the program ends, and asks it what it is
static sfnec_status load(const char *path, const sfnec_env_plugin **plugin) {
  void *code = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!code) return refuse(path, dlerror());
  void *symbol = dlsym(code, SFNEC_ENV_PLUGIN_FUNCTION);
  describe *function;
  // POSIX lets a pointer to data be one to a function, and ISO C has no cast for it
  memcpy(&function, &symbol, sizeof function);
  *plugin = symbol ? function() : NULL;
  if (*plugin) return SFNEC_OK;
  dlclose(code);
  return refuse(path, "it has no function " SFNEC_ENV_PLUGIN_FUNCTION
                      "; write SFNEC_ENV_PLUGIN after its kind (sfnec/plugin.h)");
}

static sfnec_status check_options(const char *path, const sfnec_env_kind *kind) {
  for (const sfnec_option *row = sfnec_env_kind_option_set(kind)->rows; row->name; row++)
    if (sfnec_options_find(sfnec_agent_option_set(), row->name))
      return sfnec_fail(SFNEC_ERROR_OPTION,
                        "cannot use the plugin %.100s: agents have an option '%.40s' too; give it another name", path,
                        row->name);
  return SFNEC_OK;
}

// what the rest of a study relies on before a world is made; sfnec_env_create checks the rest
static sfnec_status check(const char *path, const sfnec_env_plugin *plugin) {
  if (plugin->abi != SFNEC_ENV_PLUGIN_ABI)
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "cannot use the plugin %.100s: it was made for version %" PRIu32
                      " of the interface, but this program has %d; compile it again",
                      path, plugin->abi, SFNEC_ENV_PLUGIN_ABI);
  const sfnec_env_kind *kind = plugin->kind;
  if (!kind || plugin->kind_size < offsetof(sfnec_env_kind, sample_task))
    return refuse(path, "its description of the kind is not whole");
  if (!kind->name || !sfnec_spec_is_name(kind->name))
    return refuse(path, "the name of its kind must be a word of a-z, 0-9, _ and -");
  if (sfnec_env_kind_check(kind)) {
    char why[400];
    snprintf(why, sizeof why, "%s", sfnec_last_error());
    return refuse(path, why);
  }
  if (sfnec_env_kind_find(kind->name))
    return sfnec_fail(
        SFNEC_ERROR_OPTION,
        "cannot use the plugin %.100s: %s is the name of a built-in environment; give its kind another one", path,
        kind->name);
  enum { LONGEST_VERSION = 63 };
  const char *version = plugin->version;
  if (version && (!*version || strlen(version) > LONGEST_VERSION || strpbrk(version, "\"\\\n\r\t")))
    return refuse(path, "its version must be a text of 1 to 63 characters on one line");
  return check_options(path, kind);
}

static sfnec_status find_plugin(sfnec_arena *arena, const char *text, sfnec_world *world) {
  char *real = realpath(text, NULL);
  if (!real) return refuse(text, errno == ENOENT ? "there is no such file; compile it first" : strerror(errno));
  const char *path = sfnec_arena_copy(arena, real), *sum = NULL;
  free(real);
  sfnec_env_kind *kind = sfnec_arena_alloc(arena, 1, sizeof *kind);
  if (!path || !kind) return sfnec_fail_memory("a plugin");
  const sfnec_env_plugin *plugin = NULL;
  sfnec_status status = digest(arena, path, &sum);
  if (!status) status = load(path, &plugin);
  if (!status) status = check(path, plugin);
  if (status) return status;
  // one that was compiled with a shorter description lacks what is newer
  memcpy(kind, plugin->kind, plugin->kind_size < sizeof *kind ? plugin->kind_size : sizeof *kind);
  if (!kind->help) kind->help = "";
  const char *version = plugin->version ? plugin->version : sum;
  const char *identity = sfnec_arena_print(arena, "plugin=%s\n", version);
  *world = (sfnec_world){.kind = kind, .plugin = path, .version = version, .identity = identity};
  return identity ? SFNEC_OK : sfnec_fail_memory("a plugin");
}

sfnec_status sfnec_world_find(sfnec_arena *arena, const char *text, sfnec_world *world) {
  return sfnec_world_is_file(text) && !sfnec_gym_id(text) ? find_plugin(arena, text, world)
                                                          : find_kind(arena, text, world);
}
