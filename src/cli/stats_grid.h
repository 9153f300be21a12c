// stats_grid.h: a table whose columns are as wide as their widest cell.
#ifndef SFNEC_CLI_STATS_GRID_H
#define SFNEC_CLI_STATS_GRID_H

#include "cli/text.h"

typedef struct grid {
  size_t columns;
  bool words_last; // the last column is words, not numbers: to the left
  text_list cells; // row by row
} grid;

// Adds the next cell; rows follow from the number of columns.
__attribute__((format(printf, 2, 3))) void grid_add(grid *grid, const char *format, ...);
// Prints the table, the first column (words) to the left, the others (numbers) to the right, and forgets the cells.
void grid_print(grid *grid);

#endif
