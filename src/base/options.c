// options.c: option tables; the contract is in sfnec/options.h.
#include "sfnec/options.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

// A value before it is stored: which member counts follows from the row's type.
typedef union value {
  int64_t integer;
  double real;
  int choice;
  sfnec_option_text text;
} value;

static size_t size_of(const sfnec_option *row) {
  if (row->type == SFNEC_OPTION_TEXT) return sizeof(sfnec_option_text);
  return row->type == SFNEC_OPTION_CHOICE ? sizeof(int) : sizeof(int64_t);
}

// all members of the union begin where it begins
static value load(const sfnec_option *row, const void *options) {
  value v = {0};
  memcpy(&v, (const char *)options + row->offset, size_of(row));
  return v;
}

static void store(const sfnec_option *row, void *options, value v) {
  memcpy((char *)options + row->offset, &v, size_of(row));
}

static value default_of(const sfnec_option *row) {
  if (row->type == SFNEC_OPTION_REAL) return (value){.real = row->initial};
  if (row->type == SFNEC_OPTION_INT) return (value){.integer = (int64_t)row->initial};
  if (row->type == SFNEC_OPTION_TEXT) {
    value v = {0};
    snprintf(v.text, sizeof v.text, "%s", row->choices[0]);
    return v;
  }
  return (value){.choice = (int)row->initial};
}

static int choice_count(const sfnec_option *row) {
  int n = 0;
  while (row->choices[n]) n++;
  return n;
}

// Whether a text ends in its place, and is printable and without spaces.
static bool is_text(const char *text) {
  size_t length = 0;
  while (length < SFNEC_OPTION_TEXT_SIZE && text[length] > ' ' && text[length] <= '~') length++;
  return length > 0 && length < SFNEC_OPTION_TEXT_SIZE && text[length] == '\0';
}

static bool accepts(const sfnec_option *row, value v) {
  if (row->type == SFNEC_OPTION_TEXT) return is_text(v.text);
  if (row->type == SFNEC_OPTION_CHOICE) return v.choice >= 0 && v.choice < choice_count(row);
  const double number = row->type == SFNEC_OPTION_INT ? (double)v.integer : v.real;
  if (!isfinite(number) || number < row->least) return false;
  return row->below_most ? number < row->most : number <= row->most;
}

static bool parse(const sfnec_option *row, const char *text, value *v) {
  switch (row->type) {
  case SFNEC_OPTION_INT:
    return sfnec_text_to_int(text, &v->integer);
  case SFNEC_OPTION_REAL:
    return sfnec_text_to_real(text, &v->real);
  case SFNEC_OPTION_CHOICE:
    while (row->choices[v->choice] && strcmp(row->choices[v->choice], text) != 0) v->choice++;
    return row->choices[v->choice];
  case SFNEC_OPTION_TEXT:
    return (size_t)snprintf(v->text, sizeof v->text, "%s", text) < sizeof v->text;
  }
  return false;
}

static sfnec_status refuse(const sfnec_option_set *set, const sfnec_option *row, const char *text) {
  char range[512];
  sfnec_options_get_range_text(row, range, sizeof range);
  return sfnec_fail(SFNEC_ERROR_OPTION, "%s option %s=%s is refused: it takes %s", set->title, row->name, text, range);
}

void sfnec_options_default(const sfnec_option_set *set, void *options) {
  if (!set || !options) return;
  for (const sfnec_option *row = set->rows; row->name; row++) {
    store(row, options, default_of(row));
  }
}

const sfnec_option *sfnec_options_find(const sfnec_option_set *set, const char *name) {
  if (!set || !name) return NULL;
  for (const sfnec_option *row = set->rows; row->name; row++) {
    if (strcmp(row->name, name) == 0 || (row->former && strcmp(row->former, name) == 0)) return row;
  }
  return NULL;
}

static sfnec_status refuse_name(const sfnec_option_set *set, const char *name) {
  const char *nearest = NULL;
  for (const sfnec_option *row = set->rows; row->name; row++) nearest = sfnec_text_nearer(name, nearest, row->name);
  if (nearest) {
    return sfnec_fail(SFNEC_ERROR_OPTION, "there is no %s option '%s': did you mean '%s'?", set->title, name, nearest);
  }
  return sfnec_fail(SFNEC_ERROR_OPTION, "there is no %s option '%s': 'sfnec list options' names them all", set->title,
                    name);
}

sfnec_status sfnec_options_set(const sfnec_option_set *set, void *options, const char *name, const char *text) {
  if (!set || !options || !name || !text) return sfnec_fail_null(__func__);
  const sfnec_option *row = sfnec_options_find(set, name);
  if (!row) return refuse_name(set, name);
  value v = {0};
  if (!parse(row, text, &v) || !accepts(row, v)) return refuse(set, row, text);
  store(row, options, v);
  return SFNEC_OK;
}

sfnec_status sfnec_options_assign(const sfnec_option_set *set, void *options, const char *assignment) {
  if (!set || !options || !assignment) return sfnec_fail_null(__func__);
  const char *equals = strchr(assignment, '=');
  char name[64];
  if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof name) {
    return sfnec_fail(SFNEC_ERROR_OPTION, "'%s' does not set an option: write it as key=value", assignment);
  }
  memcpy(name, assignment, (size_t)(equals - assignment));
  name[equals - assignment] = '\0';
  return sfnec_options_set(set, options, name, equals + 1);
}

sfnec_status sfnec_options_check(const sfnec_option_set *set, const void *options) {
  if (!set || !options) return sfnec_fail_null(__func__);
  for (const sfnec_option *row = set->rows; row->name; row++) {
    const value v = load(row, options);
    if (accepts(row, v)) continue;
    char text[SFNEC_OPTION_TEXT_SIZE];
    if (row->type == SFNEC_OPTION_CHOICE) {
      snprintf(text, sizeof text, "%d", v.choice);
    } else {
      sfnec_options_get_text(row, options, text, sizeof text);
    }
    return refuse(set, row, text);
  }
  return SFNEC_OK;
}

static void value_text(const sfnec_option *row, value v, char *text, size_t size) {
  switch (row->type) {
  case SFNEC_OPTION_INT:
    snprintf(text, size, "%lld", (long long)v.integer);
    break;
  case SFNEC_OPTION_REAL:
    sfnec_real_to_text(v.real, text, size);
    break;
  case SFNEC_OPTION_CHOICE:
    snprintf(text, size, "%s", row->choices[v.choice]);
    break;
  case SFNEC_OPTION_TEXT:
    snprintf(text, size, "%.*s", SFNEC_OPTION_TEXT_SIZE - 1, v.text);
    break;
  }
}

// Whether there is space for a text, which is empty until it is written.
static bool has_place(char *text, size_t size) {
  if (!text || size == 0) return false;
  text[0] = '\0';
  return true;
}

void sfnec_options_get_text(const sfnec_option *row, const void *options, char *text, size_t size) {
  if (has_place(text, size) && row && options) value_text(row, load(row, options), text, size);
}

void sfnec_options_get_default_text(const sfnec_option *row, char *text, size_t size) {
  if (has_place(text, size) && row) value_text(row, default_of(row), text, size);
}

void sfnec_options_get_range_text(const sfnec_option *row, char *text, size_t size) {
  if (!has_place(text, size) || !row) return;
  if (row->type == SFNEC_OPTION_TEXT) {
    snprintf(text, size, "%s", row->choices[1]);
    return;
  }
  if (row->type == SFNEC_OPTION_CHOICE) {
    size_t used = 0;
    for (int i = 0; row->choices[i] && used < size; i++) {
      used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "|" : "", row->choices[i]);
    }
    return;
  }
  char least[32], most[32];
  sfnec_real_to_text(row->least, least, sizeof least);
  sfnec_real_to_text(row->most, most, sizeof most);
  const char *kind = row->type == SFNEC_OPTION_INT ? "a whole number" : "a number";
  snprintf(text, size, "%s from %s to %s%s", kind, least, row->below_most ? "below " : "", most);
}
