// grid.c: cells in columns, for people; the contract is in grid.h.
#include "cli/grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"

void grid_add(grid *grid, const char *format, ...) {
  char text[512]; // a longer name is cut; the files have it whole
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  text_push(&grid->cells, text);
}

static void print_row(char *const *cells, const int *widths, size_t columns, bool words_last) {
  // no blanks at the end of a line
  while (columns && !cells[columns - 1][0]) {
    columns--;
    words_last = false;
  }
  for (size_t i = 0; i < columns; i++) {
    // a column that is empty all the way down takes no room
    if (i && widths[i]) printf("  ");
    const int blanks = widths[i] - sfnec_text_columns(cells[i]);
    const bool last = i + 1 == columns, left = !i || (last && words_last);
    printf("%*s%s%*s", left ? 0 : blanks, "", cells[i], left && !last ? blanks : 0, "");
  }
  printf("\n");
}

void grid_print(grid *grid) {
  int *widths = must_alloc(grid->columns, sizeof *widths);
  for (size_t i = 0; i < grid->cells.count; i++) {
    const int columns = sfnec_text_columns(grid->cells.items[i]);
    if (columns > widths[i % grid->columns]) widths[i % grid->columns] = columns;
  }
  for (size_t i = 0; i + grid->columns <= grid->cells.count; i += grid->columns)
    print_row(grid->cells.items + i, widths, grid->columns, grid->words_last);
  free(widths);
  text_clear(&grid->cells);
}

int grid_decimals(double most) {
  return most < 1 ? 4 : most < 100 ? 2 : 0;
}

const char *grid_with_error(double value, double error, bool sign, int decimals, char text[GRID_CELL]) {
  const int used = snprintf(text, GRID_CELL, sign ? "%+.*f" : "%.*f", decimals, value);
  if (!isnan(error)) snprintf(text + used, GRID_CELL - (size_t)used, " ± %.*f", decimals, error);
  return text;
}
