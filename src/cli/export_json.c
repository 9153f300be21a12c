// export_json.c: everything that is stored of an experiment as one JSON document.
#include "cli/export.h"
#include "cli/json.h"

enum { FORMAT = 1 }; // of the document; a new key does not change it

static void put_settings(json *json, const char *key, const sfnec_settings *settings) {
  json_begin_flat(json, key, '{');
  for (size_t i = 0; i < settings->count; i++) json_text(json, settings->items[i].key, settings->items[i].value);
  json_end(json, '}');
}

static void put_episodes(json *json, const sfnec_task_record *record) {
  json_begin(json, "episode_list", '[');
  for (uint32_t i = 0; i < record->episode_count; i++) {
    json_begin(json, NULL, '{');
    json_real(json, "return", record->episodes[i].total);
    json_int(json, "steps", record->episodes[i].steps);
    json_bool(json, "terminated", record->episodes[i].terminated);
    json_end(json, '}');
  }
  json_end(json, ']');
}

// a task is one line
static void put_task(json *json, const sfnec_task_record *record, double average, bool seconds) {
  const sfnec_task_result *result = &record->result;
  json_begin_flat(json, NULL, '{');
  json_int(json, "task", (int64_t)record->task + 1);
  json_real(json, "return", result->total);
  json_real(json, "average", average);
  json_int(json, "steps", result->steps);
  json_int(json, "episodes", result->episodes);
  json_int(json, "goals", result->goals);
  json_int(json, "entries", result->entries);
  json_real(json, "w_error", result->w_error);
  if (seconds) json_real(json, "seconds", result->seconds);
  json_begin(json, "uses", '[');
  for (uint32_t i = 0; i < record->use_count; i++) json_int(json, NULL, record->uses[i]);
  json_end(json, ']');
  if (record->episode_count) put_episodes(json, record);
  json_end(json, '}');
}

static void put_run(json *json, const sfnec_result_run *run, bool seconds) {
  json_begin(json, NULL, '{');
  json_text(json, "id", run->id);
  json_seed(json, "seed", run->seed);
  json_text(json, "state", sfnec_job_states[run->state]);
  json_text(json, "error", run->error);
  json_int(json, "tasks_wanted", run->tasks_wanted);
  json_begin(json, "tasks", '[');
  double sum = 0;
  for (uint32_t task = 0; task < run->task_count; task++) {
    sum += run->tasks[task].result.total;
    put_task(json, &run->tasks[task], sum / (task + 1), seconds);
  }
  json_end(json, ']');
  json_end(json, '}');
}

static void put_configuration(json *json, const sfnec_results *results, const sfnec_result_configuration *c,
                              bool seconds) {
  json_begin(json, NULL, '{');
  json_text(json, "name", c->name);
  json_text(json, "label", c->label);
  json_text(json, "preset", c->preset);
  json_text(json, "point", c->point);
  put_settings(json, "settings", &c->settings);
  put_settings(json, "options", &c->options);
  put_settings(json, "env_options", &c->env_options);
  json_begin(json, "runs", '[');
  for (size_t i = 0; i < c->run_count; i++) put_run(json, &results->runs[c->first_run + i], seconds);
  json_end(json, ']');
  json_end(json, '}');
}

static void put_published(json *json, const sfnec_published *published) {
  json_begin(json, NULL, '{');
  json_text(json, "agent", published->agent);
  put_settings(json, "settings", &published->options);
  json_int(json, "task", published->task);
  json_real(json, "mean", published->mean);
  json_real(json, "se", published->se);
  json_text(json, "source", published->source);
  json_end(json, '}');
}

static void put_session(json *json, const sfnec_session *session) {
  json_begin(json, NULL, '{');
  json_text(json, "version", session->version);
  json_text(json, "host", session->host);
  json_text(json, "machine", session->machine);
  json_int(json, "cores", session->cores);
  json_text(json, "system", session->system);
  json_text(json, "simd", session->simd);
  json_int(json, "workers", session->workers);
  json_int(json, "ranks", session->ranks);
  json_text(json, "started", session->started);
  json_text(json, "ended", session->ended);
  json_text(json, "how", session->how);
  json_end(json, '}');
}

void export_json(FILE *file, const sfnec_results *results, bool seconds) {
  json json = {.file = file};
  json_begin(&json, NULL, '{');
  json_int(&json, "format", FORMAT);
  json_text(&json, "name", results->name);
  json_text(&json, "title", results->title);
  json_text(&json, "env", results->env);
  json_int(&json, "tasks", results->tasks);
  json_int(&json, "steps", results->steps);
  json_int(&json, "episodes", results->episodes);
  json_text(&json, "spec", results->spec_text);
  json_begin(&json, "configurations", '[');
  for (size_t i = 0; i < results->configuration_count; i++)
    put_configuration(&json, results, &results->configurations[i], seconds);
  json_end(&json, ']');
  json_begin(&json, "published", '[');
  for (size_t i = 0; i < results->published_count; i++) put_published(&json, &results->published[i]);
  json_end(&json, ']');
  if (seconds) {
    json_begin(&json, "sessions", '[');
    for (size_t i = 0; i < results->session_count; i++) put_session(&json, &results->sessions[i]);
    json_end(&json, ']');
  }
  json_end(&json, '}');
}
