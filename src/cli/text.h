// text.h: lists of texts, and texts for people and shells; numbers are read and written by base/text.h.
#ifndef SFNEC_CLI_TEXT_H
#define SFNEC_CLI_TEXT_H

#include <stddef.h>
#include <stdio.h>

enum { TEXT_NUMBER = 32 }; // room for any number as text

// A list of texts that it owns; `items` ends with a NULL once anything was pushed.
typedef struct text_list {
  char **items;
  size_t count;
} text_list;

void text_push(text_list *list, const char *text);
// Splits at each separator; an empty text is one empty part.
void text_split(text_list *list, const char *text, char separator);
void text_clear(text_list *list);

// A text by its format: a new string.
__attribute__((format(printf, 1, 2))) char *text_print(const char *format, ...);
// Weights as "0.5,-1,0.2,1": a new string.
char *text_weights(const double *w, size_t count);
// A word as a shell reads it back: a new string.
char *text_quoted(const char *word);
void text_print_quoted(FILE *stream, const char *before, const char *word);
// A time as "1:02:03", "2:03" or "3.2 s".
const char *text_duration(double seconds, char text[TEXT_NUMBER]);

enum { TEXT_WIDTH = 100 }; // columns of a help line, at most

// Prints a text from this column on, where the cursor is; what does not fit goes to further lines below its beginning.
void text_print_wrapped(FILE *stream, int column, const char *text);

// Values as a row of small bars, one character each, from `low` (the least bar) to `high`; blank where a value is not
// known. A new string.
char *text_sparkline(const double *values, size_t count, double low, double high);
// A bar of at most TEXT_BAR columns, full for a share of 1 or more, padded with blanks; light below zero. A new string.
enum { TEXT_BAR = 4 };
char *text_bar(double share);

// The ending of a word for so many things.
const char *plural(size_t count);

enum { TEXT_HINT = 128 };

// "; did you mean '--name'?" for the nearest name (base/text.h) after some dashes, or "" for NULL.
const char *text_hint(const char *dashes, const char *nearest, char text[TEXT_HINT]);

#endif
