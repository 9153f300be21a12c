// fields.c: reading a mapping by its table; see fields.h.
#include "study/spec/fields.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

static const char *const kind_names[] = {"a single value", "a list", "a mapping"};

sfnec_status sfnec_yaml_want(const sfnec_source *source, const sfnec_yaml *node, sfnec_yaml_kind kind) {
  if (node->kind == kind) return SFNEC_OK;
  const bool empty = node->kind == SFNEC_YAML_TEXT && !node->text[0];
  return sfnec_yaml_refuse(source, node, "this is %s, but %s is wanted", empty ? "empty" : kind_names[node->kind],
                           kind_names[kind]);
}

sfnec_status sfnec_yaml_once(const sfnec_source *source, const sfnec_yaml *item) {
  for (const sfnec_yaml *other = item->parent->items; other < item; other++) {
    if (strcmp(other->key, item->key) != 0) continue;
    return sfnec_source_refuse(source, item->key_line, sfnec_shown(source->arena, item->key),
                               "this key is already given in line %d; keep one of the two", other->key_line);
  }
  return SFNEC_OK;
}

const sfnec_yaml *sfnec_yaml_item(const sfnec_yaml *mapping, const char *key) {
  for (size_t i = 0; i < mapping->count; i++)
    if (strcmp(mapping->items[i].key, key) == 0) return &mapping->items[i];
  return NULL;
}

// ---- values ----

static sfnec_status refuse_value(const sfnec_source *source, const sfnec_yaml *node, const char *takes) {
  return sfnec_yaml_refuse(source, node, "'%s' is refused; it takes %s", sfnec_shown(source->arena, node->text), takes);
}

static bool to_flag(const char *text, bool *flag) {
  *flag = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
  return *flag || strcmp(text, "no") == 0 || strcmp(text, "false") == 0;
}

static bool to_seed(const char *text, uint64_t *seed) {
  char *end;
  errno = 0;
  *seed = strtoull(text, &end, 10);
  // strtoull takes "-1" for the greatest number
  return isdigit((unsigned char)text[0]) && !*end && !errno;
}

static sfnec_status read_text(const sfnec_source *source, const sfnec_field *row, const sfnec_yaml *node,
                              const char **field) {
  if (!node->text[0]) return sfnec_yaml_refuse(source, node, "this is empty; it takes a text");
  if (strlen(node->text) > (size_t)row->most) {
    return sfnec_yaml_refuse(source, node, "'%s' is too long; it takes at most %d bytes",
                             sfnec_shown(source->arena, node->text), (int)row->most);
  }
  *field = node->text;
  return SFNEC_OK;
}

static sfnec_status read_whole(const sfnec_source *source, const sfnec_field *row, const sfnec_yaml *node,
                               void *field) {
  int64_t value;
  if (!sfnec_text_to_int(node->text, &value) || value < (int64_t)row->least || value > (int64_t)row->most) {
    char least[32], most[32], takes[96];
    sfnec_real_to_text(row->least, least, sizeof least);
    sfnec_real_to_text(row->most, most, sizeof most);
    snprintf(takes, sizeof takes, "a whole number from %s to %s", least, most);
    return refuse_value(source, node, takes);
  }
  if (row->type == SFNEC_FIELD_COUNT) *(uint32_t *)field = (uint32_t)value;
  else *(int64_t *)field = value;
  return SFNEC_OK;
}

static sfnec_status read_field(const sfnec_source *source, const sfnec_field *row, const sfnec_yaml *node,
                               void *field) {
  if (row->type == SFNEC_FIELD_OTHER) return row->read(source, node, field);
  const sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_TEXT);
  if (status) return status;
  switch (row->type) {
  case SFNEC_FIELD_TEXT:
    return read_text(source, row, node, field);
  case SFNEC_FIELD_INT:
  case SFNEC_FIELD_COUNT:
    return read_whole(source, row, node, field);
  case SFNEC_FIELD_FLAG:
    if (to_flag(node->text, field)) return SFNEC_OK;
    return refuse_value(source, node, "yes or no");
  case SFNEC_FIELD_SEED:
    if (to_seed(node->text, field)) return SFNEC_OK;
    return refuse_value(source, node, "a whole number from 0 to 18446744073709551615");
  case SFNEC_FIELD_REAL:
    if (sfnec_text_to_real(node->text, field)) return SFNEC_OK;
    return refuse_value(source, node, "a finite number");
  case SFNEC_FIELD_OTHER:
    break;
  }
  return SFNEC_OK;
}

// ---- mappings ----

static const sfnec_field *find(const sfnec_field_set *set, const char *name) {
  for (const sfnec_field *row = set->rows; row->name; row++)
    if (strcmp(row->name, name) == 0) return row;
  return NULL;
}

// "name, title and env"
static const char *names_of(sfnec_arena *arena, const sfnec_field_set *set) {
  const char *names = "";
  for (const sfnec_field *row = set->rows; row->name && names; row++) {
    const char *glue = row == set->rows ? "" : row[1].name ? ", " : " and ";
    names = sfnec_arena_print(arena, "%s%s%s", names, glue, row->name);
  }
  return names ? names : "";
}

static sfnec_status refuse_unknown(const sfnec_source *source, const sfnec_field_set *set, const sfnec_yaml *item) {
  const char *nearest = NULL;
  for (const sfnec_field *row = set->rows; row->name; row++) nearest = sfnec_text_nearer(item->key, nearest, row->name);
  return sfnec_source_refuse(source, item->key_line, sfnec_shown(source->arena, item->key),
                             "%s has no such key, but %s%s", set->title, names_of(source->arena, set),
                             sfnec_hint(source->arena, nearest));
}

static sfnec_status check_required(const sfnec_source *source, const sfnec_field_set *set, const sfnec_yaml *node) {
  for (const sfnec_field *row = set->rows; row->name; row++) {
    if (!row->required || sfnec_yaml_item(node, row->name)) continue;
    return sfnec_yaml_refuse(source, node, "the key '%s' is missing: %s", row->name, row->help);
  }
  return SFNEC_OK;
}

sfnec_status sfnec_fields_read(const sfnec_source *source, const sfnec_field_set *set, const sfnec_yaml *node,
                               void *into) {
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_MAPPING);
  for (size_t i = 0; !status && i < node->count; i++) {
    const sfnec_yaml *item = &node->items[i];
    const sfnec_field *row = find(set, item->key);
    // known first: then there are at most as many items to compare with as the table has rows
    if (!row) return refuse_unknown(source, set, item);
    status = sfnec_yaml_once(source, item);
    if (!status) status = read_field(source, row, item, (char *)into + row->offset);
  }
  return status ? status : check_required(source, set, node);
}
