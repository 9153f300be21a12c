// tables.h: tables for people: cells in columns, the statistics of a study, and the comparison of agents.
#ifndef SFNEC_CLI_TABLES_H
#define SFNEC_CLI_TABLES_H

#include "cli/text.h"
#include "study/analysis/analysis.h"

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

// Prints all statistics. Of many configurations only those that matter are compared and profiled, unless `all`.
void stats_print(const sfnec_analysis *analysis, bool all);

// Prints every published value beside ours, and how many agree. EXIT_OK, or EXIT_FAILED (told).
int published_print(const sfnec_results *results);

// Prints the averages of the finished runs after some of the tasks, the differences to the first agent, and the speed.
// Runs that are not finished must have no tasks. EXIT_OK, or EXIT_FAILED (told).
int comparison_print(const sfnec_results *results);

#endif
