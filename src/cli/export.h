// export.h: the parts of `sfnec export`: one file per format. Rows are in the order of the plan, whatever the order in
// which the jobs ran; what depends on the machine's speed is left out unless it is asked for.
#ifndef SFNEC_CLI_EXPORT_H
#define SFNEC_CLI_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "study/store/results.h"

typedef enum export_table { EXPORT_TASKS, EXPORT_EPISODES, EXPORT_USES } export_table;

void export_csv(FILE *file, const sfnec_results *results, export_table table, bool seconds);
void export_json(FILE *file, const sfnec_results *results, bool seconds);
// Writes a folder of runs; EXIT_OK or EXIT_FAILED (told).
int export_tensorboard(const char *folder, const sfnec_results *results, bool seconds);

#endif
