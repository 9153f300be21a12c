// yaml.c: from libyaml's events to a tree, and from a mapping to a struct by its table; see yaml.h.
#include "study/spec/yaml.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/text.h"

// ---- sentences ----

const char *sfnec_shown(sfnec_arena *arena, const char *text) {
  enum { LONGEST = 40 };
  size_t length = strnlen(text, LONGEST + 1);
  const bool cut = length > LONGEST;
  if (cut) length = LONGEST;
  // not in the middle of a character
  while (cut && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
  char *shown = sfnec_arena_print(arena, "%.*s%s", (int)length, text, cut ? "..." : "");
  if (!shown) return "?";
  for (char *c = shown; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
  return shown;
}

const char *sfnec_hint(sfnec_arena *arena, const char *name) {
  const char *hint = name ? sfnec_arena_print(arena, "; did you mean '%s'?", name) : NULL;
  return hint ? hint : "";
}

static sfnec_status refuse(const char *path, int line, const char *key, const char *format, va_list arguments) {
  // errors have room for 511 bytes: a long path must not push the reason out
  enum { LONGEST = 160 };
  const size_t length = strlen(path);
  const bool cut = length > LONGEST;
  char sentence[512], number[16] = "";
  vsnprintf(sentence, sizeof sentence, format, arguments);
  if (line > 0) snprintf(number, sizeof number, ":%d", line);
  return sfnec_fail(SFNEC_ERROR_FORMAT, "%s%s%s: %s%s%s", cut ? "..." : "", path + (cut ? length - LONGEST : 0), number,
                    key ? key : "", key ? ": " : "", sentence);
}

sfnec_status sfnec_refuse_at(const char *path, int line, const char *key, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const sfnec_status status = refuse(path, line, key, format, arguments);
  va_end(arguments);
  return status;
}

// "agents[2].options"; "" for the root
static const char *path_of(sfnec_arena *arena, const sfnec_yaml *node) {
  if (!node->parent) return "";
  const char *before = path_of(arena, node->parent);
  const char *path = node->key
                         ? sfnec_arena_print(arena, "%s%s%s", before, *before ? "." : "", sfnec_shown(arena, node->key))
                         : sfnec_arena_print(arena, "%s[%zu]", before, (size_t)(node - node->parent->items) + 1);
  return path ? path : "";
}

sfnec_status sfnec_yaml_refuse(const sfnec_yaml_source *source, const sfnec_yaml *node, const char *format, ...) {
  const char *key = path_of(source->arena, node);
  va_list arguments;
  va_start(arguments, format);
  const sfnec_status status = refuse(source->path, node->line, *key ? key : NULL, format, arguments);
  va_end(arguments);
  return status;
}

// ---- what libyaml refuses ----

// a spec needs five; this bounds the recursion
enum { DEEPEST = 12 };

typedef struct builder {
  const sfnec_yaml_source *source;
  yaml_parser_t parser;
  const char *text;
  size_t size;
} builder;

// the line of a byte, from 1
static int line_at(const builder *builder, size_t offset) {
  int line = 1;
  for (size_t i = 0; i < offset && i < builder->size; i++) line += builder->text[i] == '\n';
  return line;
}

// is there a tab among the blanks that a line begins with?
static bool indented_by_tab(const builder *builder, int line) {
  const char *at = builder->text, *end = builder->text + builder->size;
  for (int i = 1; i < line && at; i++) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at) at++;
  }
  for (; at && at < end && (*at == ' ' || *at == '\t'); at++)
    if (*at == '\t') return true;
  return false;
}

static sfnec_status refuse_syntax(const builder *builder) {
  const yaml_parser_t *parser = &builder->parser;
  if (parser->error == YAML_MEMORY_ERROR) return sfnec_fail_memory("a spec");
  const char *problem = parser->problem ? parser->problem : "no reason given";
  if (parser->error == YAML_READER_ERROR) {
    return sfnec_refuse_at(builder->source->path, line_at(builder, parser->problem_offset), NULL,
                           "this is no text in UTF-8 (%s); save the spec as UTF-8", problem);
  }
  const int line = (int)parser->problem_mark.line + 1;
  if (indented_by_tab(builder, line)) {
    return sfnec_refuse_at(builder->source->path, line, NULL, "a tab indents this line; YAML wants blanks there (%s)",
                           problem);
  }
  return sfnec_refuse_at(builder->source->path, line, NULL, "this is not valid YAML: %s%s%s", problem,
                         parser->context ? ", " : "", parser->context ? parser->context : "");
}

static sfnec_status next(builder *builder, yaml_event_t *event) {
  return yaml_parser_parse(&builder->parser, event) ? SFNEC_OK : refuse_syntax(builder);
}

// ---- nodes ----

// control characters, line breaks of Unicode and what YAML cannot hold: all that would not read back as it was written
static bool is_control(const unsigned char *c) {
  if (c[0] < ' ' || c[0] == 0x7f) return true;
  if (c[0] == 0xc2) return c[1] < 0xa0;
  if (c[0] == 0xe2) return c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9);
  return c[0] == 0xef && ((c[1] == 0xbb && c[2] == 0xbf) || (c[1] == 0xbf && c[2] >= 0xbe));
}

static sfnec_status read_scalar(builder *builder, const yaml_event_t *event, sfnec_yaml *node) {
  const char *value = (const char *)event->data.scalar.value;
  size_t length = event->data.scalar.length;
  // a block (| or >) ends with the line break of its last line
  while (length > 0 && value[length - 1] == '\n') length--;
  char *text = sfnec_arena_alloc(builder->source->arena, length + 1, 1);
  if (!text) return sfnec_fail_memory("a spec");
  for (size_t i = 0; i < length; i++) {
    // libyaml ends its texts with a NUL, so a character cut short is not read beyond
    if (!is_control((const unsigned char *)value + i)) continue;
    return sfnec_refuse_at(builder->source->path, node->line,
                           node->key ? sfnec_shown(builder->source->arena, node->key) : NULL,
                           "a value holds a line break or another control character; write it on one line");
  }
  if (length > 0) memcpy(text, value, length);
  node->text = text;
  return SFNEC_OK;
}

static sfnec_status read_node(builder *builder, const yaml_event_t *event, int depth, sfnec_yaml *node);

static sfnec_status read_value(builder *builder, int depth, sfnec_yaml *node) {
  yaml_event_t event;
  sfnec_status status = next(builder, &event);
  if (status) return status;
  status = read_node(builder, &event, depth, node);
  yaml_event_delete(&event);
  return status;
}

// a key and its value
static sfnec_status read_pair(builder *builder, const yaml_event_t *event, int depth, sfnec_yaml *item) {
  if (event->type != YAML_SCALAR_EVENT) {
    return sfnec_refuse_at(builder->source->path, (int)event->start_mark.line + 1, NULL,
                           "a key must be a word, not a list, a mapping or an alias");
  }
  sfnec_yaml key = {0};
  const sfnec_status status = read_node(builder, event, 0, &key);
  item->key = key.text;
  item->key_line = key.line;
  return status ? status : read_value(builder, depth, item);
}

// the items of a list or mapping, up to its end
static sfnec_status read_items(builder *builder, int depth, sfnec_yaml *node) {
  for (;;) {
    yaml_event_t event;
    sfnec_status status = next(builder, &event);
    if (status) return status;
    const bool over = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
    if (!over) {
      node->items = sfnec_arena_grow(builder->source->arena, node->items, node->count, sizeof *node->items);
      sfnec_yaml *item = node->items ? &node->items[node->count++] : NULL;
      if (!item) status = sfnec_fail_memory("a spec");
      else if (node->kind == SFNEC_YAML_LIST) status = read_node(builder, &event, depth, item);
      else status = read_pair(builder, &event, depth, item);
    }
    yaml_event_delete(&event);
    if (over || status) return status;
  }
}

static sfnec_status refuse_extra(const builder *builder, int line, const char *what) {
  return sfnec_refuse_at(builder->source->path, line, NULL, "%s are not part of a spec; write the value out", what);
}

static sfnec_status read_node(builder *builder, const yaml_event_t *event, int depth, sfnec_yaml *node) {
  const int line = (int)event->start_mark.line + 1;
  node->line = line;
  if (depth > DEEPEST)
    return sfnec_refuse_at(builder->source->path, line, NULL, "this is nested too deeply for a spec");
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    if (event->data.scalar.anchor) return refuse_extra(builder, line, "anchors (&name)");
    if (event->data.scalar.tag) return refuse_extra(builder, line, "tags (!type)");
    return read_scalar(builder, event, node);
  case YAML_SEQUENCE_START_EVENT:
    if (event->data.sequence_start.anchor) return refuse_extra(builder, line, "anchors (&name)");
    if (event->data.sequence_start.tag) return refuse_extra(builder, line, "tags (!type)");
    node->kind = SFNEC_YAML_LIST;
    break;
  case YAML_MAPPING_START_EVENT:
    if (event->data.mapping_start.anchor) return refuse_extra(builder, line, "anchors (&name)");
    if (event->data.mapping_start.tag) return refuse_extra(builder, line, "tags (!type)");
    node->kind = SFNEC_YAML_MAPPING;
    break;
  case YAML_ALIAS_EVENT:
    return refuse_extra(builder, line, "aliases (*name)");
  default:
    return sfnec_refuse_at(builder->source->path, line, NULL, "this is not valid YAML: a value is missing");
  }
  if (node->key) node->line = node->key_line;
  return read_items(builder, depth + 1, node);
}

// ---- the document ----

// the items have found their last places only now
static void link_parents(sfnec_yaml *node) {
  for (size_t i = 0; i < node->count; i++) {
    node->items[i].parent = node;
    link_parents(&node->items[i]);
  }
}

// the events of a stream up to the document's end; `root` stays NULL if there is none
static sfnec_status read_stream(builder *builder, sfnec_yaml **root) {
  for (;;) {
    yaml_event_t event;
    sfnec_status status = next(builder, &event);
    if (status) return status;
    const yaml_event_type_t type = event.type;
    const int line = (int)event.start_mark.line + 1;
    if (type == YAML_DOCUMENT_START_EVENT && *root) {
      status =
          sfnec_refuse_at(builder->source->path, line, NULL, "a second document begins here; a spec is one document");
    } else if (type == YAML_DOCUMENT_START_EVENT) {
      *root = sfnec_arena_alloc(builder->source->arena, 1, sizeof **root);
      status = *root ? read_value(builder, 0, *root) : sfnec_fail_memory("a spec");
    }
    yaml_event_delete(&event);
    if (status || type == YAML_STREAM_END_EVENT || type == YAML_NO_EVENT) return status;
  }
}

sfnec_status sfnec_yaml_parse(const sfnec_yaml_source *source, const char *text, size_t size, const sfnec_yaml **root) {
  builder builder = {.source = source, .text = text, .size = size};
  if (memchr(text, '\0', size)) {
    return sfnec_refuse_at(source->path, 0, NULL, "this is a binary file, no spec; name a YAML file like main.yaml");
  }
  if (!yaml_parser_initialize(&builder.parser)) return sfnec_fail_memory("a spec");
  yaml_parser_set_input_string(&builder.parser, (const unsigned char *)text, size);
  sfnec_yaml *tree = NULL;
  const sfnec_status status = read_stream(&builder, &tree);
  yaml_parser_delete(&builder.parser);
  if (status) return status;
  if (!tree) return sfnec_refuse_at(source->path, 0, NULL, "the spec is empty; docs/specs.md shows an example");
  link_parents(tree);
  *root = tree;
  return SFNEC_OK;
}

// ---- what a reader asks of a node ----

static const char *const kind_names[] = {"a single value", "a list", "a mapping"};

sfnec_status sfnec_yaml_want(const sfnec_yaml_source *source, const sfnec_yaml *node, sfnec_yaml_kind kind) {
  if (node->kind == kind) return SFNEC_OK;
  const bool empty = node->kind == SFNEC_YAML_TEXT && !node->text[0];
  return sfnec_yaml_refuse(source, node, "this is %s, but %s is wanted", empty ? "empty" : kind_names[node->kind],
                           kind_names[kind]);
}

const sfnec_yaml *sfnec_yaml_item(const sfnec_yaml *mapping, const char *key) {
  for (size_t i = 0; i < mapping->count; i++)
    if (strcmp(mapping->items[i].key, key) == 0) return &mapping->items[i];
  return NULL;
}

// ---- the values of a table ----

static sfnec_status refuse_value(const sfnec_yaml_source *source, const sfnec_yaml *node, const char *takes) {
  return sfnec_yaml_refuse(source, node, "'%s' is refused; it takes %s", sfnec_shown(source->arena, node->text), takes);
}

static bool to_flag(const char *text, bool *flag) {
  *flag = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
  return *flag || strcmp(text, "no") == 0 || strcmp(text, "false") == 0;
}

static sfnec_status read_text(const sfnec_yaml_source *source, const sfnec_field *row, const sfnec_yaml *node,
                              const char **field) {
  if (!node->text[0]) return sfnec_yaml_refuse(source, node, "this is empty; it takes a text");
  if (strlen(node->text) > (size_t)row->most) {
    return sfnec_yaml_refuse(source, node, "'%s' is too long; it takes at most %d bytes",
                             sfnec_shown(source->arena, node->text), (int)row->most);
  }
  *field = node->text;
  return SFNEC_OK;
}

static sfnec_status read_whole(const sfnec_yaml_source *source, const sfnec_field *row, const sfnec_yaml *node,
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

static sfnec_status read_field(const sfnec_yaml_source *source, const sfnec_field *row, const sfnec_yaml *node,
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
    if (sfnec_text_to_seed(node->text, field)) return SFNEC_OK;
    return refuse_value(source, node, "a whole number from 0 to 18446744073709551615");
  case SFNEC_FIELD_REAL:
    if (sfnec_text_to_real(node->text, field)) return SFNEC_OK;
    return refuse_value(source, node, "a finite number");
  case SFNEC_FIELD_OTHER:
    break;
  }
  return SFNEC_OK;
}

// ---- mappings by tables ----

static const sfnec_field *find_field(const sfnec_field_set *set, const char *name) {
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

static sfnec_status refuse_unknown(const sfnec_yaml_source *source, const sfnec_field_set *set,
                                   const sfnec_yaml *item) {
  const char *nearest = NULL;
  for (const sfnec_field *row = set->rows; row->name; row++) nearest = sfnec_text_nearer(item->key, nearest, row->name);
  return sfnec_refuse_at(source->path, item->key_line, sfnec_shown(source->arena, item->key),
                         "%s has no such key, but %s%s", set->title, names_of(source->arena, set),
                         sfnec_hint(source->arena, nearest));
}

// refuses an item whose key an earlier item of the mapping has
static sfnec_status check_once(const sfnec_yaml_source *source, const sfnec_yaml *item) {
  for (const sfnec_yaml *other = item->parent->items; other < item; other++) {
    if (strcmp(other->key, item->key) != 0) continue;
    return sfnec_refuse_at(source->path, item->key_line, sfnec_shown(source->arena, item->key),
                           "this key is already given in line %d; keep one of the two", other->key_line);
  }
  return SFNEC_OK;
}

static sfnec_status check_required(const sfnec_yaml_source *source, const sfnec_field_set *set,
                                   const sfnec_yaml *node) {
  for (const sfnec_field *row = set->rows; row->name; row++) {
    if (!row->required || sfnec_yaml_item(node, row->name)) continue;
    return sfnec_yaml_refuse(source, node, "the key '%s' is missing: %s", row->name, row->help);
  }
  return SFNEC_OK;
}

sfnec_status sfnec_fields_read(const sfnec_yaml_source *source, const sfnec_field_set *set, const sfnec_yaml *node,
                               void *into) {
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_MAPPING);
  for (size_t i = 0; !status && i < node->count; i++) {
    const sfnec_yaml *item = &node->items[i];
    const sfnec_field *row = find_field(set, item->key);
    // known first: then there are at most as many items to compare with as the table has rows
    if (!row) return refuse_unknown(source, set, item);
    status = check_once(source, item);
    if (!status) status = read_field(source, row, item, (char *)into + row->offset);
  }
  return status ? status : check_required(source, set, node);
}
