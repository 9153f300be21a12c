// export_json.c: everything that is stored of an experiment as one JSON document.
#include "base/json.h"
#include "cli/export.h"
#include "study/store/results_json.h"

enum { FORMAT = 1 }; // of the document; a new key does not change it

static void put_episodes(sfnec_json *json, const sfnec_task_record *record) {
  sfnec_json_begin(json, "episode_list", '[');
  for (uint32_t i = 0; i < record->episode_count; i++) {
    sfnec_json_begin(json, NULL, '{');
    sfnec_json_real(json, "return", record->episodes[i].total);
    sfnec_json_int(json, "steps", record->episodes[i].steps);
    sfnec_json_bool(json, "terminated", record->episodes[i].terminated);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

// a task is one line
static void put_task(sfnec_json *json, const sfnec_task_record *record, double average, bool seconds) {
  const sfnec_task_result *result = &record->result;
  sfnec_json_begin_flat(json, NULL, '{');
  sfnec_json_int(json, "task", (int64_t)record->task + 1);
  sfnec_json_real(json, "return", result->total);
  sfnec_json_real(json, "average", average);
  sfnec_json_int(json, "steps", result->steps);
  sfnec_json_int(json, "episodes", result->episodes);
  sfnec_json_int(json, "goals", result->goals);
  sfnec_json_int(json, "entries", result->entries);
  sfnec_json_real(json, "w_error", result->w_error);
  if (seconds) sfnec_json_real(json, "seconds", result->seconds);
  sfnec_json_begin(json, "uses", '[');
  for (uint32_t i = 0; i < record->use_count; i++) sfnec_json_int(json, NULL, record->uses[i]);
  sfnec_json_end(json, ']');
  if (record->episode_count) put_episodes(json, record);
  sfnec_json_end(json, '}');
}

static void put_run(sfnec_json *json, const sfnec_result_run *run, bool seconds) {
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_text(json, "id", run->id);
  sfnec_json_seed(json, "seed", run->seed);
  sfnec_json_text(json, "state", sfnec_job_states[run->state]);
  sfnec_json_text(json, "error", run->error);
  sfnec_json_int(json, "tasks_wanted", run->tasks_wanted);
  sfnec_json_begin(json, "tasks", '[');
  double sum = 0;
  for (uint32_t task = 0; task < run->task_count; task++) {
    sum += run->tasks[task].result.total;
    put_task(json, &run->tasks[task], sum / (task + 1), seconds);
  }
  sfnec_json_end(json, ']');
  sfnec_json_end(json, '}');
}

static void put_configuration(sfnec_json *json, const sfnec_results *results, const sfnec_result_configuration *c,
                              bool seconds) {
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_configuration(json, c);
  sfnec_json_begin(json, "runs", '[');
  for (size_t i = 0; i < c->run_count; i++) put_run(json, &results->runs[c->first_run + i], seconds);
  sfnec_json_end(json, ']');
  sfnec_json_end(json, '}');
}

static void put_published(sfnec_json *json, const sfnec_published *published) {
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_text(json, "agent", published->agent);
  sfnec_json_settings(json, "settings", &published->options);
  sfnec_json_int(json, "task", published->task);
  sfnec_json_real(json, "mean", published->mean);
  sfnec_json_real(json, "se", published->se);
  sfnec_json_text(json, "source", published->source);
  sfnec_json_end(json, '}');
}

void export_json(FILE *file, const sfnec_results *results, bool seconds) {
  sfnec_json json = {.file = file};
  sfnec_json_begin(&json, NULL, '{');
  sfnec_json_int(&json, "format", FORMAT);
  sfnec_json_text(&json, "name", results->name);
  sfnec_json_text(&json, "title", results->title);
  sfnec_json_text(&json, "env", results->env);
  sfnec_json_int(&json, "tasks", results->tasks);
  sfnec_json_int(&json, "steps", results->steps);
  sfnec_json_int(&json, "episodes", results->episodes);
  sfnec_json_text(&json, "spec", results->spec_text);
  sfnec_json_begin(&json, "configurations", '[');
  for (size_t i = 0; i < results->configuration_count; i++)
    put_configuration(&json, results, &results->configurations[i], seconds);
  sfnec_json_end(&json, ']');
  sfnec_json_begin(&json, "published", '[');
  for (size_t i = 0; i < results->published_count; i++) put_published(&json, &results->published[i]);
  sfnec_json_end(&json, ']');
  if (seconds) sfnec_json_sessions(&json, "sessions", results);
  sfnec_json_end(&json, '}');
}
