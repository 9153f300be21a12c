// text.h: numbers as text, whatever the locale of the host program, and the nearest of some names.
#ifndef SFNEC_BASE_TEXT_H
#define SFNEC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The whole text as a number; false if it is not one, or out of range (for a real: not finite). A whole number may be
// written 1e4, 2.5e3, 10k, 1.5M or 1G.
bool sfnec_text_to_int(const char *text, int64_t *value);
bool sfnec_text_to_real(const char *text, double *value);
bool sfnec_text_to_seed(const char *text, uint64_t *value);

// A text with as few digits as read back as the same number (15 to 17 at most); 32 bytes are enough.
void sfnec_real_to_text(double value, char *text, size_t size);

// The bytes of the UTF-8 character that a text begins with; 0 if there is none.
int sfnec_text_character(const char *text);
// Makes a stranger's text safe to print, in place: each byte of control characters, of those that end a line or turn
// the direction of writing, and of what is no UTF-8 becomes '?'. Every text from a database or an agent passes here.
void sfnec_text_clean(char *text);

// Columns that a text of UTF-8 takes on a terminal.
int sfnec_text_columns(const char *text);

// How many single-character insertions, deletions and changes lead from one text to the other.
size_t sfnec_text_distance(const char *a, const char *b);
// Of two candidates, the one nearer to `text`; NULL stands for none. Candidates that are not near at all (more than
// half of their characters differ) are refused.
const char *sfnec_text_nearer(const char *text, const char *best, const char *candidate);

#endif
