// tables.h: tables for people: the statistics of a study, published values, and the comparison of agents.
#ifndef SFNEC_CLI_TABLES_H
#define SFNEC_CLI_TABLES_H

#include "study/analysis/analysis.h"

// Prints all statistics. Of many configurations only those that matter are compared and profiled, unless `all`.
void stats_print(const sfnec_analysis *analysis, bool all);

// Prints every published value beside ours, and how many agree. EXIT_OK, or EXIT_FAILED (and says why).
int published_print(const sfnec_results *results);

// Prints the averages of the finished runs after some of the tasks, the differences to the first agent, and the speed.
// Runs that are not finished must have no tasks. EXIT_OK, or EXIT_FAILED (and says why).
int comparison_print(const sfnec_results *results);

#endif
