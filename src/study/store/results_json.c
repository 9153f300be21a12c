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
  sfnec_json_text(json, "version", session->version);
  sfnec_json_text(json, "host", session->host);
  sfnec_json_text(json, "machine", session->machine);
  sfnec_json_int(json, "cores", session->cores);
  sfnec_json_text(json, "system", session->system);
  sfnec_json_text(json, "simd", session->simd);
  sfnec_json_int(json, "workers", session->workers);
  sfnec_json_int(json, "ranks", session->ranks);
  sfnec_json_text(json, "command", session->command);
  sfnec_json_text(json, "started", session->started);
  sfnec_json_text(json, "ended", session->ended);
  sfnec_json_text(json, "how", session->how);
  sfnec_json_end(json, '}');
}

void sfnec_json_sessions(sfnec_json *json, const char *key, const sfnec_results *results) {
  sfnec_json_begin(json, key, '[');
  for (size_t i = 0; i < results->session_count; i++) put_session(json, &results->sessions[i]);
  sfnec_json_end(json, ']');
}
