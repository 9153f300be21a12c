// text.h: numbers, names and lists as text.
#ifndef SFNEC_CLI_TEXT_H
#define SFNEC_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_NUMBER = 32 }; // room for any number as text

// A list of texts that it owns; `items` ends with a NULL once anything was pushed.
typedef struct text_list {
  char **items;
  size_t count;
} text_list;

void text_push(text_list *list, const char *text);
void text_push_part(text_list *list, const char *text, size_t length);
// Splits at each separator; an empty text is one empty part.
void text_split(text_list *list, const char *text, char separator);
void text_clear(text_list *list);

// Whole numbers; false if the text is anything else or out of range.
bool text_to_int(const char *text, int64_t least, int64_t most, int64_t *out);
bool text_to_seed(const char *text, uint64_t *out);

// A text that reads back to the same number.
const char *text_real(double value, char text[TEXT_NUMBER]);
// Weights as "0.5,-1,0.2,1": a new string.
char *text_weights(const double *w, size_t count);
// A word as a shell reads it back: a new string.
char *text_quoted(const char *word);
// A time as "1:02:03", "2:03" or "3.2 s".
const char *text_duration(double seconds, char text[TEXT_NUMBER]);

// Columns that a text takes on a terminal (UTF-8), and printing it padded to a width: left if negative.
int text_columns(const char *text);
void text_print_padded(const char *text, int width);

// The name nearest to a mistyped one: start with the mistyped name, offer the right ones, read `best`.
typedef struct nearest {
  const char *wanted;
  const char *best; // NULL if nothing that was offered is near
} nearest;

void nearest_offer(nearest *nearest, const char *name);
// "; did you mean 'name'?", or "" if nothing is near.
const char *nearest_hint(const nearest *nearest, const char *dashes, char *text, size_t size);

#endif
