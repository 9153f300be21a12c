// csv.h: writing comma-separated values (RFC 4180).
#ifndef SFNEC_BASE_CSV_H
#define SFNEC_BASE_CSV_H

#include <stdio.h>

// A text, in quotes if it needs them. One that a spreadsheet would take for a formula gets an apostrophe in front;
// numbers stay as they are.
void sfnec_csv_text(FILE *file, const char *text);
// A number with as many digits as read back to it; nothing for what is not a number.
void sfnec_csv_real(FILE *file, double value);

#endif
