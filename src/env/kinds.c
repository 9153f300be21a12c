// kinds.c: descriptions of environments: the built-in ones, and what the library asks of any.
#include "env/kinds.h"

#include <string.h>

#include "base/error.h"

// ---- the built-in kinds ----

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

// ---- options ----

static const sfnec_option common_rows[] = {SFNEC_ENV_COMMON_ROWS(0), {.name = NULL}};
static const sfnec_option_set common_set = {"environment", common_rows};

const sfnec_option_set *sfnec_env_kind_option_set(const sfnec_env_kind *kind) {
  return kind && kind->option_set ? kind->option_set : &common_set;
}

size_t sfnec_env_kind_options_size(const sfnec_env_kind *kind) {
  return kind->option_set ? kind->options_size : sizeof(sfnec_env_common);
}

// What stands before "=" in settings and files.
static bool is_word(const char *name) {
  const size_t length = strcspn(name, "= \t\n\r:\"\\");
  return length > 0 && length < 64 && !name[length];
}

// Whether the default of a row is among the values that the row allows.
static bool has_good_default(const sfnec_option *row) {
  if (row->type != SFNEC_OPTION_CHOICE) {
    return row->initial >= row->least && (row->below_most ? row->initial < row->most : row->initial <= row->most);
  }
  int count = 0;
  while (row->choices[count]) count++;
  return row->initial >= 0 && row->initial < count;
}

static sfnec_status check_row(const sfnec_env_kind *kind, const sfnec_option *row) {
  const size_t size = row->type == SFNEC_OPTION_CHOICE ? sizeof(int) : sizeof(int64_t);
  const size_t room = sfnec_env_kind_options_size(kind);
  if (!is_word(row->name)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "an option of environment %s has the name '%.70s': give it a word of at most 63 characters",
                      kind->name, row->name);
  }
  if (size > room || row->offset > room - size) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "option %s of environment %s lies outside of its %zu bytes of options: set options_size to the "
                      "size of the struct",
                      row->name, kind->name, room);
  }
  const bool whole = row->help && row->type <= SFNEC_OPTION_CHOICE &&
                     (row->type == SFNEC_OPTION_CHOICE) == (row->choices != NULL) && has_good_default(row);
  if (whole) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "option %s of environment %s is not whole: its row needs a type, help, choices for a choice alone, "
                    "and a default that it allows",
                    row->name, kind->name);
}

// Refuses a table that leaves out the common options, or puts them where they are not.
static sfnec_status check_options(const sfnec_env_kind *kind) {
  const sfnec_option_set *set = sfnec_env_kind_option_set(kind);
  if (!set->title || !set->rows) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the options of environment %s lack a title or rows: fill both",
                      kind->name);
  }
  const sfnec_option *limit = sfnec_options_find(set, common_rows[0].name);
  if (!limit || limit->type != common_rows[0].type || limit->offset != common_rows[0].offset) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                      "the options of environment %s lack max_episode_steps, which every environment has: begin their "
                      "struct with an sfnec_env_common and end their table with SFNEC_ENV_COMMON_ROWS",
                      kind->name);
  }
  if (limit->initial < 0) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s has max_episode_steps %.0f: give 0 for no limit, or more",
                      kind->name, limit->initial);
  }
  sfnec_status status = SFNEC_OK;
  for (const sfnec_option *row = set->rows; row->name && !status; row++) status = check_row(kind, row);
  return status;
}

// ---- the whole ----

sfnec_status sfnec_env_kind_check(const sfnec_env_kind *kind) {
  if (!kind) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the kind of environment is NULL: name one of sfnec_env_kind_at");
  if (!kind->name) return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a kind of environment has no name: fill its field name");
  if (!kind->shape || !kind->reset || !kind->step) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "environment %s lacks shape, reset or step: all three are required",
                      kind->name);
  }
  return check_options(kind);
}
