// stats_grid.c: a table whose columns are as wide as their widest cell.
#include "cli/stats_grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
    if (i + 1 == columns && (words_last || !i)) printf("%s", cells[i]);
    else text_print_padded(cells[i], i ? widths[i] : -widths[i]);
  }
  printf("\n");
}

void grid_print(grid *grid) {
  int *widths = must_alloc(grid->columns, sizeof *widths);
  for (size_t i = 0; i < grid->cells.count; i++) {
    const int columns = text_columns(grid->cells.items[i]);
    if (columns > widths[i % grid->columns]) widths[i % grid->columns] = columns;
  }
  for (size_t i = 0; i + grid->columns <= grid->cells.count; i += grid->columns)
    print_row(grid->cells.items + i, widths, grid->columns, grid->words_last);
  free(widths);
  text_clear(&grid->cells);
}
