// stats_output.h: the parts of `sfnec stats`: tables for people, files for programs.
#ifndef SFNEC_CLI_STATS_OUTPUT_H
#define SFNEC_CLI_STATS_OUTPUT_H

#include <stdbool.h>

#include "study/analysis/analysis.h"

// Prints the tables. Of many configurations only those that matter are compared and profiled, unless `all`.
void stats_print(const sfnec_analysis *analysis, bool all);

// Writes everything to a file, "-" being the standard output. EXIT_OK, or EXIT_FAILED (told).
int stats_write_json(const sfnec_analysis *analysis, const char *path);
int stats_write_csv(const sfnec_analysis *analysis, const char *path);

#endif
