// json.c: everything that is stored of an experiment as one JSON document, and the parts that the page has too.
#include "show/export/export.h"

#include "run/record.h"

enum { FORMAT = 1 }; // of the document; a new key does not change it

// ---- shared parts ----

void sfnec_json_field(sfnec_json *json, const char *key, const sfnec_record_set *set, const sfnec_record_field *field,
                      const void *record) {
  const void *at = (const char *)record + field->offset;
  if (field->over) sfnec_json_real(json, key, sfnec_record_shown(set, field, record));
  else if (field->type == SFNEC_RECORD_INT) sfnec_json_int(json, key, *(const int64_t *)at);
  else if (field->type == SFNEC_RECORD_REAL) sfnec_json_real(json, key, *(const double *)at);
  else if (field->type == SFNEC_RECORD_FLAG) sfnec_json_bool(json, key, *(const bool *)at);
  else if (field->type == SFNEC_RECORD_TEXT) sfnec_json_text(json, key, *(const char *const *)at);
}

void sfnec_json_settings(sfnec_json *json, const char *key, const sfnec_settings *settings) {
  sfnec_json_begin(json, key, '{');
  for (size_t i = 0; i < settings->count; i++) sfnec_json_text(json, settings->items[i].key, settings->items[i].value);
  sfnec_json_end(json, '}');
}

void sfnec_json_study(sfnec_json *json, const sfnec_results *results) {
  sfnec_json_text(json, "name", results->name);
  sfnec_json_text(json, "title", results->title);
  sfnec_json_text(json, "env", results->env);
  sfnec_json_int(json, "tasks", results->tasks);
  sfnec_json_int(json, "steps", results->steps);
  sfnec_json_int(json, "episodes", results->episodes);
  sfnec_json_text(json, "spec", results->spec_text);
}

void sfnec_json_coverage(sfnec_json *json, const sfnec_coverage *coverage) {
  sfnec_json_int(json, "wanted", (int64_t)coverage->wanted);
  sfnec_json_int(json, "done", (int64_t)coverage->done);
  sfnec_json_int(json, "failed", (int64_t)coverage->failed);
  sfnec_json_int(json, "counted", (int64_t)coverage->counted);
  sfnec_json_int(json, "early", (int64_t)coverage->early);
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

void sfnec_json_sessions(sfnec_json *json, const char *key, const sfnec_results *results) {
  sfnec_json_begin(json, key, '[');
  for (size_t i = 0; i < results->session_count; i++) {
    sfnec_json_begin(json, NULL, '{');
    for (const sfnec_record_field *field = sfnec_session_record_set()->fields; field->name; field++)
      sfnec_json_field(json, field->name, sfnec_session_record_set(), field, &results->sessions[i]);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

// ---- the document ----

// the average over the tasks so far comes after the headline of a task
static void put_record(sfnec_json *json, const sfnec_record_set *set, const void *record, double average,
                       bool seconds) {
  for (const sfnec_record_field *field = NULL; (field = sfnec_export_next(set, field, seconds));) {
    sfnec_json_field(json, sfnec_export_heading(field), set, field, record);
    if (field->headline && set == sfnec_task_record_set()) sfnec_json_real(json, "average", average);
  }
}

// an array for each number, so that its name is not repeated for every bin
static void put_bins(sfnec_json *json, const sfnec_task_record *record, int64_t step, bool seconds) {
  const sfnec_record_set *set = sfnec_bin_record_set();
  sfnec_json_begin(json, "bins", '{');
  sfnec_json_begin(json, "step", '[');
  for (uint32_t i = 0; i < record->bin_count; i++)
    sfnec_json_int(json, NULL, step = sfnec_export_step(step, record->bins[i].steps));
  sfnec_json_end(json, ']');
  for (const sfnec_record_field *field = NULL; (field = sfnec_export_next(set, field, seconds));) {
    sfnec_json_begin(json, sfnec_export_heading(field), '[');
    for (uint32_t i = 0; i < record->bin_count; i++) sfnec_json_field(json, NULL, set, field, &record->bins[i]);
    sfnec_json_end(json, ']');
  }
  sfnec_json_end(json, '}');
}

// features as means over the episodes
static void put_evaluations(sfnec_json *json, const sfnec_task_record *record, bool seconds) {
  const sfnec_record_set *set = sfnec_evaluation_record_set();
  sfnec_json_begin(json, "evaluations", '[');
  for (uint32_t i = 0; i < record->evaluation_count; i++) {
    const sfnec_evaluation_result *evaluation = &record->evaluations[i];
    sfnec_json_begin(json, NULL, '{');
    put_record(json, set, evaluation, 0, seconds);
    sfnec_json_begin(json, "phi", '[');
    for (uint32_t f = 0; f < record->feature_count; f++)
      sfnec_json_real(json, NULL,
                      record->features[(size_t)i * record->feature_count + f] / (double)evaluation->episodes);
    sfnec_json_end(json, ']');
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

// a task is one line; `step` is the environment step before it
static void put_task(sfnec_json *json, const sfnec_task_record *record, double average, int64_t step, bool seconds) {
  sfnec_json_begin_flat(json, NULL, '{');
  sfnec_json_int(json, "task", (int64_t)record->task + 1);
  put_record(json, sfnec_task_record_set(), &record->result, average, seconds);
  sfnec_json_begin(json, "uses", '[');
  for (uint32_t i = 0; i < record->use_count; i++) sfnec_json_int(json, NULL, record->uses[i]);
  sfnec_json_end(json, ']');
  if (record->episode_count) sfnec_json_begin(json, "episode_list", '[');
  for (uint32_t i = 0; i < record->episode_count; i++) {
    sfnec_json_begin(json, NULL, '{');
    put_record(json, sfnec_episode_record_set(), &record->episodes[i], 0, seconds);
    sfnec_json_end(json, '}');
  }
  if (record->episode_count) sfnec_json_end(json, ']');
  if (record->bin_count) put_bins(json, record, step, seconds);
  if (record->evaluation_count) put_evaluations(json, record, seconds);
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
  int64_t step = 0;
  for (uint32_t task = 0; task < run->task_count; task++) {
    sum += run->tasks[task].result.total;
    put_task(json, &run->tasks[task], sum / (task + 1), step, seconds);
    step = sfnec_export_step(step, run->tasks[task].result.steps);
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

void sfnec_export_json(FILE *file, const sfnec_results *results, bool seconds) {
  sfnec_json json = {.file = file};
  sfnec_json_begin(&json, NULL, '{');
  sfnec_json_int(&json, "format", FORMAT);
  sfnec_json_study(&json, results);
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
