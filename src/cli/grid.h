// grid.h: cells in columns, for people.
#ifndef SFNEC_CLI_GRID_H
#define SFNEC_CLI_GRID_H

#include <stdbool.h>

#include "cli/text.h"

enum { GRID_CELL = 96 }; // bytes of a number's text, at most

// A table whose columns are as wide as their widest cell.
typedef struct grid {
  size_t columns;
  bool words_last; // the last column is words, not numbers: to the left
  text_list cells; // row by row
} grid;

// Adds the next cell; rows follow from the number of columns.
__attribute__((format(printf, 2, 3))) void grid_add(grid *grid, const char *format, ...);
// Prints the table, the first column (words) to the left, the others (numbers) to the right, and forgets the cells.
void grid_print(grid *grid);

// Enough decimals for numbers up to this size: thousands read best whole, small numbers need their fraction.
int grid_decimals(double most);
// 712 ± 31 into `text`, which is returned; the number alone if its error is NaN. `sign`: also a plus.
const char *grid_with_error(double value, double error, bool sign, int decimals, char text[GRID_CELL]);

#endif
