// results_json.c: parts of stored results as JSON; see results_json.h.
#include "study/store/results_json.h"

void sfnec_json_settings(sfnec_json *json, const char *key, const sfnec_settings *settings) {
  sfnec_json_begin(json, key, '{');
  for (size_t i = 0; i < settings->count; i++) sfnec_json_text(json, settings->items[i].key, settings->items[i].value);
  sfnec_json_end(json, '}');
}

void sfnec_json_configuration(sfnec_json *json, const sfnec_result_configuration *configuration) {
  sfnec_json_text(json, "name", configuration->name);
  sfnec_json_text(json, "label", configuration->label);
  sfnec_json_text(json, "preset", configuration->preset);
  sfnec_json_text(json, "point", configuration->point);
  sfnec_json_settings(json, "settings", &configuration->settings);
  sfnec_json_settings(json, "options", &configuration->options);
  sfnec_json_settings(json, "env_options", &configuration->env_options);
}

static void put_session(sfnec_json *json, const sfnec_session *session) {
  sfnec_json_begin(json, NULL, '{');
  for (const sfnec_record_field *field = sfnec_session_record_set()->fields; field->name; field++) {
    const void *at = (const char *)session + field->offset;
    if (field->type == SFNEC_RECORD_TEXT) sfnec_json_text(json, field->name, *(const char *const *)at);
    else sfnec_json_int(json, field->name, *(const int64_t *)at);
  }
  sfnec_json_end(json, '}');
}

void sfnec_json_sessions(sfnec_json *json, const char *key, const sfnec_results *results) {
  sfnec_json_begin(json, key, '[');
  for (size_t i = 0; i < results->session_count; i++) put_session(json, &results->sessions[i]);
  sfnec_json_end(json, ']');
}
