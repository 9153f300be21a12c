// export.h: stored results for other programs, one file per format, and the parts that the page shares with them.
//
// Rows are in the order of the plan, whatever the order in which the jobs ran; what depends on the machine's speed is
// left out unless it is asked for.
#ifndef SFNEC_SHOW_EXPORT_EXPORT_H
#define SFNEC_SHOW_EXPORT_EXPORT_H

#include <stdio.h>

#include "base/json.h"
#include "study/analysis/analysis.h"

typedef enum sfnec_export_table {
  SFNEC_EXPORT_TASKS,
  SFNEC_EXPORT_EPISODES,
  SFNEC_EXPORT_BINS,
  SFNEC_EXPORT_EVALUATIONS,
  SFNEC_EXPORT_USES
} sfnec_export_table;

// Comma-separated values: one row per task, episode, bin, evaluation or policy. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_export_csv(FILE *file, const sfnec_results *results, sfnec_export_table table, bool seconds);
// Everything as one JSON document.
void sfnec_export_json(FILE *file, const sfnec_results *results, bool seconds);
// A folder of TensorBoard's event files. Fails with SFNEC_ERROR_IO or _MEMORY.
sfnec_status sfnec_export_tensorboard(const char *folder, const sfnec_results *results, bool seconds);

// ---- shared parts ----

// The fields of a record in the order of exported tables, the headline first: start with NULL; NULL after the last.
const sfnec_record_field *sfnec_export_next(const sfnec_record_set *set, const sfnec_record_field *after, bool seconds);
// The name of its column.
const char *sfnec_export_heading(const sfnec_record_field *field);

// The environment step after so many more; numbers that somebody made up do not add up beyond the greatest.
int64_t sfnec_export_step(int64_t from, int64_t steps);

// A field of a record as JSON, as it is shown.
void sfnec_json_field(sfnec_json *json, const char *key, const sfnec_record_set *set, const sfnec_record_field *field,
                      const void *record);
// An object of key and value.
void sfnec_json_settings(sfnec_json *json, const char *key, const sfnec_settings *settings);
// What was run: name, title, env, tasks, steps, episodes and the spec; inside an object that has begun.
void sfnec_json_study(sfnec_json *json, const sfnec_results *results);
// How many runs are there; likewise.
void sfnec_json_coverage(sfnec_json *json, const sfnec_coverage *coverage);
// Who a configuration is: name, label, preset, point, and all its settings; likewise.
void sfnec_json_configuration(sfnec_json *json, const sfnec_result_configuration *configuration);
// An array of all starts of the program, the first one first.
void sfnec_json_sessions(sfnec_json *json, const char *key, const sfnec_results *results);

#endif
