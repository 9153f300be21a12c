// results_json.h: parts of stored results as JSON, for the export and for the page of the report.
#ifndef SFNEC_STUDY_STORE_RESULTS_JSON_H
#define SFNEC_STUDY_STORE_RESULTS_JSON_H

#include "base/json.h"
#include "study/store/results.h"

// An object of key and value.
void sfnec_json_settings(sfnec_json *json, const char *key, const sfnec_settings *settings);
// Who a configuration is: name, label, preset, point, and all its settings; inside an object that has begun.
void sfnec_json_configuration(sfnec_json *json, const sfnec_result_configuration *configuration);
// An array of all starts of the program, the first one first.
void sfnec_json_sessions(sfnec_json *json, const char *key, const sfnec_results *results);

#endif
