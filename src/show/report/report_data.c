// report_data.c: what was run, and every run: the raw part of the page's data.
#include <inttypes.h>

#include "base/error.h"
#include "show/report/report_parts.h"
#include "study/store/machine.h"
#include "study/store/results_json.h"

enum { FORMAT = 1 }; // of the data; the page is in the same binary, so this is for those who take the data out

// seeds are texts: JavaScript has no whole numbers of 64 bits
static void put_seed(sfnec_json *json, const char *key, uint64_t seed) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, seed);
  sfnec_json_text(json, key, text);
}

// ---- the study ----

static void put_coverage(sfnec_json *json, const sfnec_coverage *coverage) {
  sfnec_json_begin(json, "coverage", '{');
  sfnec_json_int(json, "task", coverage->task);
  sfnec_json_int(json, "wanted", (int64_t)coverage->wanted);
  sfnec_json_int(json, "done", (int64_t)coverage->done);
  sfnec_json_int(json, "failed", (int64_t)coverage->failed);
  sfnec_json_int(json, "counted", (int64_t)coverage->counted);
  sfnec_json_int(json, "early", (int64_t)coverage->early);
  sfnec_json_end(json, '}');
}

void sfnec_report_put_study(sfnec_json *json, const sfnec_report_input *in) {
  const sfnec_results *results = in->results;
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  sfnec_json_int(json, "format", FORMAT);
  sfnec_json_text(json, "version", sfnec_version());
  sfnec_json_text(json, "made", now);
  sfnec_json_text(json, "name", results->name);
  sfnec_json_text(json, "title", results->title);
  sfnec_json_text(json, "env", results->env);
  sfnec_json_int(json, "tasks", results->tasks);
  sfnec_json_int(json, "steps", results->steps);
  sfnec_json_int(json, "episodes", results->episodes);
  sfnec_json_text(json, "spec", results->spec_text);
  sfnec_json_text(json, "spec_path", results->spec_path);
  put_coverage(json, &in->analysis->coverage);
  sfnec_json_int(json, "reference", (int64_t)in->analysis->reference);
  sfnec_json_int(json, "resamples", in->options->resamples);
  sfnec_json_int(json, "curve_resamples", in->options->curve_resamples);
  sfnec_json_int(json, "episode_window", (int64_t)in->episode_window);
  sfnec_json_sessions(json, "sessions", results);
  sfnec_json_begin(json, "taus", '[');
  for (size_t i = 0; i < in->analysis->tau_count; i++) sfnec_json_real(json, NULL, in->analysis->taus[i]);
  sfnec_json_end(json, ']');
}

// ---- runs ----

typedef double task_number(const sfnec_task_record *task);

static double get_total(const sfnec_task_record *task) {
  return task->result.total;
}
static double get_steps(const sfnec_task_record *task) {
  return (double)task->result.steps;
}
static double get_episodes(const sfnec_task_record *task) {
  return (double)task->result.episodes;
}
static double get_goals(const sfnec_task_record *task) {
  return (double)task->result.goals;
}
static double get_entries(const sfnec_task_record *task) {
  return (double)task->result.entries;
}
static double get_w_error(const sfnec_task_record *task) {
  return task->result.w_error;
}
static double get_seconds(const sfnec_task_record *task) {
  return task->result.seconds;
}

static const struct {
  const char *key;
  task_number *get;
} columns[] = {
    {"total", get_total},     {"steps", get_steps},     {"episodes", get_episodes}, {"goals", get_goals},
    {"entries", get_entries}, {"w_error", get_w_error}, {"seconds", get_seconds},
};

static void put_run_uses(sfnec_json *json, const sfnec_result_run *run) {
  sfnec_json_begin(json, "uses", '[');
  for (uint32_t task = 0; task < run->task_count; task++) {
    sfnec_json_begin(json, NULL, '[');
    for (uint32_t i = 0; i < run->tasks[task].use_count; i++) sfnec_json_int(json, NULL, run->tasks[task].uses[i]);
    sfnec_json_end(json, ']');
  }
  sfnec_json_end(json, ']');
}

static void put_run(sfnec_json *json, const sfnec_report_input *in, const sfnec_result_run *run) {
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_text(json, "id", run->id);
  put_seed(json, "seed", run->seed);
  sfnec_json_text(json, "state", sfnec_job_states[run->state]);
  sfnec_json_text(json, "error", run->error);
  sfnec_json_int(json, "tasks_wanted", run->tasks_wanted);
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
    sfnec_json_begin(json, columns[c].key, '[');
    for (uint32_t task = 0; task < run->task_count; task++)
      sfnec_json_real(json, NULL, columns[c].get(&run->tasks[task]));
    sfnec_json_end(json, ']');
  }
  if (in->uses_by_run) put_run_uses(json, run);
  sfnec_json_end(json, '}');
}

// transitions by task and policy, summed over the runs of a configuration
static sfnec_status put_uses(sfnec_json *json, const sfnec_report_input *in, const sfnec_result_configuration *c) {
  const sfnec_result_run *runs = in->results->runs + c->first_run;
  uint32_t tasks = 0, policies = 0;
  for (size_t r = 0; r < c->run_count; r++) {
    if (runs[r].task_count > tasks) tasks = runs[r].task_count;
    for (uint32_t task = 0; task < runs[r].task_count; task++)
      if (runs[r].tasks[task].use_count > policies) policies = runs[r].tasks[task].use_count;
  }
  int64_t *sums = sfnec_arena_alloc(in->arena, policies ? policies : 1, sizeof *sums);
  if (!sums) return sfnec_fail_memory("the use of policies");
  sfnec_json_begin(json, "uses", '[');
  for (uint32_t task = 0; task < tasks; task++) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < policies; i++) sums[i] = 0;
    for (size_t r = 0; r < c->run_count; r++) {
      if (task >= runs[r].task_count) continue;
      const sfnec_task_record *record = &runs[r].tasks[task];
      for (uint32_t i = 0; i < record->use_count; i++) sums[i] += record->uses[i];
      if (record->use_count > count) count = record->use_count;
    }
    sfnec_json_begin(json, NULL, '[');
    for (uint32_t i = 0; i < count; i++) sfnec_json_int(json, NULL, sums[i]);
    sfnec_json_end(json, ']');
  }
  sfnec_json_end(json, ']');
  return SFNEC_OK;
}

sfnec_status sfnec_report_put_configurations(sfnec_json *json, const sfnec_report_input *in) {
  const sfnec_results *results = in->results;
  sfnec_status status = SFNEC_OK;
  sfnec_json_begin(json, "configurations", '[');
  for (size_t i = 0; i < results->configuration_count && !status; i++) {
    const sfnec_result_configuration *c = &results->configurations[i];
    sfnec_json_begin(json, NULL, '{');
    sfnec_json_configuration(json, c);
    sfnec_json_begin(json, "runs", '[');
    for (size_t r = 0; r < c->run_count; r++) put_run(json, in, &results->runs[c->first_run + r]);
    sfnec_json_end(json, ']');
    status = put_uses(json, in, c);
    if (!status) status = sfnec_report_put_curves(json, in, i);
    sfnec_report_put_stats(json, in->analysis, i);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
  return status;
}
