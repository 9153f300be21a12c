// cmd_status.c: `sfnec status`: how far an experiment is, at a glance.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/disk.h"
#include "cli/grid.h"
#include "cli/study.h"
#include "cli/terminal.h"
#include "study/analysis/analysis.h"
#include "study/store/lock.h"
#include "study/store/results.h"

typedef struct status_args {
  bool json;
} status_args;

static int run_status(const void *values, const text_list *operands);

static const arg table[] = {
    {"json", ARG_FLAG, offsetof(status_args, json), NULL, NULL, 0, 0, "everything as one JSON object"},
    {0},
};

const command command_status = {
    .name = "status",
    .summary = "show how far an experiment is",
    .operands = "DIR",
    .about = "Shows the jobs of the experiment in DIR (done, running, waiting, failed and why), the average\n"
             "return of each configuration so far, whether it is running now, how the last session ended, and\n"
             "the command that resumes it.",
    .args = table,
    .values_size = sizeof(status_args),
    .run = run_status,
};

// ---- the text ----

// mean over the seeds, and its standard error (Welford)
typedef struct seed_mean {
  size_t count;
  double mean, squares;
} seed_mean;

// of a configuration, over each run's tasks so far
typedef struct progress_row {
  size_t done;
  uint64_t tasks, tasks_wanted;
  seed_mean average; // the average return
  seed_mean judged;  // what the results are judged by
} progress_row;

typedef struct overview {
  const sfnec_results *results;
  sfnec_metric metric; // that the results are judged by
  size_t states[SFNEC_JOB_FAILED + 1];
  progress_row all;
  progress_row *rows; // (configuration_count)
  bool running;
  char holder[SFNEC_LOCK_HOLDER];
  disk_use disk;
  char *command; // that resumes it
} overview;

static void count_seed(seed_mean *seeds, double value) {
  if (!isfinite(value)) return;
  const double before = value - seeds->mean;
  seeds->count++;
  seeds->mean += before / (double)seeds->count;
  seeds->squares += before * (value - seeds->mean);
}

static void count_run(progress_row *row, const sfnec_result_run *run, const sfnec_metric *metric) {
  row->done += run->state == SFNEC_JOB_DONE;
  row->tasks += run->task_count;
  row->tasks_wanted += run->tasks_wanted;
  if (!run->task_count) return;
  double average = 0;
  for (uint32_t task = 0; task < run->task_count; task++) average += run->tasks[task].result.total / run->task_count;
  count_seed(&row->average, average);
  count_seed(&row->judged,
             sfnec_metric_is_return(metric) ? average : sfnec_metric_value(metric, run->tasks, 0, run->task_count));
}

static double standard_error(const seed_mean *seeds) {
  const double n = (double)seeds->count;
  return seeds->count > 1 ? sqrt(seeds->squares / (n - 1) / n) : (double)NAN;
}

// the last session's command if it was noted, else what it must have been without its options
static char *going_on(const sfnec_results *results) {
  for (size_t i = results->session_count; i-- > 0;)
    if (results->sessions[i].command) return must_copy(results->sessions[i].command);
  char *spec = text_quoted(results->spec_path), *folder = text_quoted(results->folder);
  char *command = text_print("sfnec run %s -o %s", spec, folder);
  free(spec);
  free(folder);
  return command;
}

static overview overview_make(const sfnec_results *results) {
  overview view = {.results = results,
                   .metric = sfnec_metric_of_results(results),
                   .disk = disk_measure(results->folder, results),
                   .command = going_on(results)};
  view.running = sfnec_lock_held(results->folder, view.holder);
  view.rows = must_alloc(results->configuration_count, sizeof *view.rows);
  for (size_t i = 0; i < results->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    view.states[run->state]++;
    count_run(&view.rows[run->configuration], run, &view.metric);
    count_run(&view.all, run, &view.metric);
  }
  return view;
}

// nobody runs a job that is marked so when the experiment itself is not running: its process was killed
static const char *state_name(const overview *view, sfnec_job_state state) {
  return state == SFNEC_JOB_RUNNING && !view->running ? "cut off" : sfnec_job_states[state];
}

// ---- for people ----

// the place after so many characters
static const char *skip_characters(const char *text, int count) {
  for (; *text; text++)
    if (((unsigned char)*text & 0xc0) != 0x80 && count-- == 0) break;
  return text;
}

// a name that leaves `rest` columns of a terminal free; elsewhere it is whole. A new string
static char *shortened(const char *name, int rest) {
  int columns, rows;
  const bool terminal = terminal_size(STDOUT_FILENO, &columns, &rows);
  const int room = columns - rest > 16 ? columns - rest : 16;
  const int length = sfnec_text_columns(name);
  if (!terminal || length <= room) return must_copy(name);
  // the middle goes: the beginning says which agent, the end which point of the sweep
  const int head = room / 3, tail = room - 1 - head;
  const int bytes = (int)(skip_characters(name, head) - name);
  return text_print("%.*s…%s", bytes, name, skip_characters(name, length - tail));
}

static void print_jobs(const overview *view) {
  printf("jobs    %zu:", view->results->run_count);
  static const sfnec_job_state order[] = {SFNEC_JOB_DONE, SFNEC_JOB_RUNNING, SFNEC_JOB_WAITING, SFNEC_JOB_FAILED};
  bool any = false;
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    if (!view->states[order[i]]) continue;
    printf("%s %zu %s", any ? "," : "", view->states[order[i]], state_name(view, order[i]));
    any = true;
  }
  const progress_row *all = &view->all;
  printf("; %" PRIu64 " of %" PRIu64 " tasks (%.0f %%)\n", all->tasks, all->tasks_wanted,
         all->tasks_wanted ? floor(100.0 * (double)all->tasks / (double)all->tasks_wanted) : 100);
}

// what a kill cost, if the experiment is not running now
static void print_cut_off(const overview *view) {
  if (view->running || !view->disk.unsaved) return;
  printf("killed  ");
  print_unsaved(stdout, view->states[SFNEC_JOB_RUNNING], view->disk.unsaved);
}

static void print_session(const overview *view) {
  const sfnec_results *results = view->results;
  if (view->running) printf("now     running on %s\n", view->holder);
  else printf("now     not running\n");
  if (!results->session_count) return;
  const sfnec_session *last = &results->sessions[results->session_count - 1];
  printf("last    started %s on %s, %" PRId64 " worker%s", last->started, last->host, last->workers,
         plural((size_t)last->workers));
  if (last->ranks > 1) printf(" of %" PRId64 " ranks", last->ranks);
  printf(", %s, sfnec %s", last->simd, last->version);
  if (last->ended) printf("; ended %s: %s", last->ended, last->how ? last->how : "unknown");
  else if (!view->running) printf("; killed");
  printf("\n");
}

static void print_disk(const disk_use *disk) {
  char all[TEXT_NUMBER], states[TEXT_NUMBER], going[TEXT_NUMBER];
  printf("disk    %s", disk_text(disk->all, all));
  if (disk->states)
    printf(", %s of it only to extend the study by tasks (sfnec clean)", disk_text(disk->states, states));
  if (disk->going) printf(", %s of checkpoints", disk_text(disk->going, going));
  printf("\n");
}

static void print_failures(const overview *view) {
  const sfnec_results *results = view->results;
  if (view->states[SFNEC_JOB_FAILED]) printf("\nfailed\n");
  for (size_t i = 0; i < results->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    if (run->state == SFNEC_JOB_FAILED)
      printf("  %s seed %" PRIu64 ": %s\n", results->configurations[run->configuration].name, run->seed,
             run->error ? run->error : "");
  }
}

// The mean of each task alone over the runs of a configuration that have it, by the metric of the results, in at most
// SPARKS parts of equal length.
enum { SPARKS = 24 };

static size_t make_sparks(const overview *view, size_t configuration, double values[SPARKS]) {
  const sfnec_results *results = view->results;
  const sfnec_result_configuration *at = &results->configurations[configuration];
  const size_t parts = results->tasks < SPARKS ? results->tasks : SPARKS;
  size_t counts[SPARKS] = {0};
  for (size_t i = 0; i < parts; i++) values[i] = 0;
  for (size_t i = at->first_run; i < at->first_run + at->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    for (uint32_t task = 0; task < run->task_count && task < results->tasks; task++) {
      const size_t part = (size_t)((uint64_t)task * parts / results->tasks);
      const double value = sfnec_metric_value(&view->metric, run->tasks, task, task + 1);
      if (!isfinite(value)) continue;
      values[part] += value;
      counts[part]++;
    }
  }
  for (size_t i = 0; i < parts; i++) values[i] = counts[i] ? values[i] / (double)counts[i] : (double)NAN;
  return parts;
}

// of all configurations, so that their bars can be compared
static void find_range(const overview *view, double *low, double *high) {
  double values[SPARKS];
  *low = INFINITY, *high = -INFINITY;
  for (size_t i = 0; i < view->results->configuration_count; i++)
    for (size_t k = 0, count = make_sparks(view, i, values); k < count; k++)
      if (!isnan(values[k])) *low = fmin(*low, values[k]), *high = fmax(*high, values[k]);
}

static void add_sparks(grid *grid, const overview *view, size_t configuration, double low, double high) {
  double values[SPARKS];
  const size_t count = make_sparks(view, configuration, values);
  char *text = text_sparkline(values, view->results->tasks > 1 && high > low ? count : 0, low, high);
  // no blanks at the end of a line
  for (size_t end = strlen(text); end > 0 && text[end - 1] == ' ';) text[--end] = '\0';
  grid_add(grid, "%s", text);
  free(text);
}

static void print_configurations(const overview *view) {
  enum { REST = 46 + SPARKS }; // columns beside the name
  const sfnec_results *results = view->results;
  double most = 0;
  for (size_t i = 0; i < results->configuration_count; i++) most = fmax(most, fabs(view->rows[i].judged.mean));
  // hundreds read best as whole numbers, small returns need their fraction
  const int decimals = most < 100 ? 2 : 0;
  double low, high;
  find_range(view, &low, &high);
  grid grid = {.columns = 5, .words_last = true};
  text_split(&grid.cells, "configuration|seeds done|tasks", '|');
  grid_add(&grid, "%s", sfnec_metric_is_return(&view->metric) ? "average return" : view->metric.name);
  grid_add(&grid, "%s", results->tasks > 1 && high > low ? "over the tasks" : "");
  for (size_t i = 0; i < results->configuration_count; i++) {
    const progress_row *row = &view->rows[i];
    char *name = shortened(results->configurations[i].name, REST);
    grid_add(&grid, "%s", name);
    free(name);
    grid_add(&grid, "%zu/%zu", row->done, results->configurations[i].run_count);
    grid_add(&grid, "%" PRIu64 "/%" PRIu64, row->tasks, row->tasks_wanted);
    const seed_mean *judged = &row->judged;
    if (judged->count > 1) grid_add(&grid, "%.*f ± %.*f", decimals, judged->mean, decimals, standard_error(judged));
    else if (judged->count) grid_add(&grid, "%.*f", decimals, judged->mean);
    else grid_add(&grid, "-");
    add_sparks(&grid, view, i, low, high);
  }
  printf("\n");
  grid_print(&grid);
}

static void print_overview(const overview *view) {
  const sfnec_results *results = view->results;
  printf("%s%s%s\n", results->name, results->title[0] ? ": " : "", results->title);
  printf("folder  %s\n", results->folder);
  printf("spec    %s: %s, %" PRIu32 " task%s of ", results->spec_path, results->env, results->tasks,
         plural(results->tasks));
  print_limits(stdout, results->steps, results->episodes);
  printf("\n");
  print_jobs(view);
  print_session(view);
  print_cut_off(view);
  print_disk(&view->disk);
  print_failures(view);
  print_configurations(view);
  if (view->states[SFNEC_JOB_DONE] == results->run_count) {
    printf("\nall jobs are done; see sfnec stats %s\n", results->folder);
  } else if (!view->running) {
    printf("\nto resume: %s\n", view->command);
  }
}

// ---- as JSON ----

static void json_configurations(sfnec_json *json, const overview *view) {
  const sfnec_results *results = view->results;
  sfnec_json_begin(json, "configurations", '[');
  for (size_t i = 0; i < results->configuration_count; i++) {
    const progress_row *row = &view->rows[i];
    sfnec_json_begin(json, NULL, '{');
    sfnec_json_text(json, "name", results->configurations[i].name);
    sfnec_json_int(json, "seeds", (int64_t)results->configurations[i].run_count);
    sfnec_json_int(json, "seeds_done", (int64_t)row->done);
    sfnec_json_int(json, "tasks_done", (int64_t)row->tasks);
    sfnec_json_int(json, "tasks_wanted", (int64_t)row->tasks_wanted);
    sfnec_json_real(json, "average_return", row->average.count ? row->average.mean : (double)NAN);
    sfnec_json_real(json, "standard_error", standard_error(&row->average));
    sfnec_json_real(json, "metric_mean", row->judged.count ? row->judged.mean : (double)NAN);
    sfnec_json_real(json, "metric_error", standard_error(&row->judged));
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

static void json_failures(sfnec_json *json, const overview *view) {
  const sfnec_results *results = view->results;
  sfnec_json_begin(json, "failures", '[');
  for (size_t i = 0; i < results->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    if (run->state != SFNEC_JOB_FAILED) continue;
    sfnec_json_begin(json, NULL, '{');
    sfnec_json_text(json, "id", run->id);
    sfnec_json_text(json, "configuration", results->configurations[run->configuration].name);
    sfnec_json_seed(json, "seed", run->seed);
    sfnec_json_int(json, "attempts", run->attempts);
    sfnec_json_text(json, "error", run->error);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

static void json_session(sfnec_json *json, const sfnec_results *results) {
  if (!results->session_count) {
    sfnec_json_text(json, "last_session", NULL);
    return;
  }
  const sfnec_session *last = &results->sessions[results->session_count - 1];
  sfnec_json_begin(json, "last_session", '{');
  sfnec_json_text(json, "started", last->started);
  sfnec_json_text(json, "ended", last->ended);
  sfnec_json_text(json, "how", last->how);
  sfnec_json_text(json, "host", last->host);
  sfnec_json_text(json, "version", last->version);
  sfnec_json_text(json, "simd", last->simd);
  sfnec_json_int(json, "workers", last->workers);
  sfnec_json_int(json, "ranks", last->ranks);
  sfnec_json_end(json, '}');
}

static void json_overview(const overview *view) {
  const sfnec_results *results = view->results;
  sfnec_json json = {.file = stdout};
  sfnec_json_begin(&json, NULL, '{');
  sfnec_json_text(&json, "name", results->name);
  sfnec_json_text(&json, "title", results->title);
  sfnec_json_text(&json, "folder", results->folder);
  sfnec_json_text(&json, "spec", results->spec_path);
  sfnec_json_text(&json, "env", results->env);
  sfnec_json_text(&json, "metric", view->metric.name);
  sfnec_json_int(&json, "tasks", results->tasks);
  sfnec_json_int(&json, "steps", results->steps);
  sfnec_json_int(&json, "episodes", results->episodes);
  sfnec_json_begin(&json, "jobs", '{');
  for (int state = SFNEC_JOB_WAITING; state <= SFNEC_JOB_FAILED; state++)
    sfnec_json_int(&json, sfnec_job_states[state], (int64_t)view->states[state]);
  sfnec_json_end(&json, '}');
  sfnec_json_int(&json, "tasks_done", (int64_t)view->all.tasks);
  sfnec_json_int(&json, "tasks_wanted", (int64_t)view->all.tasks_wanted);
  sfnec_json_bool(&json, "running", view->running);
  sfnec_json_text(&json, "running_on", view->running ? view->holder : NULL);
  json_session(&json, results);
  sfnec_json_int(&json, "checkpoint_bytes", view->disk.states + view->disk.going);
  sfnec_json_int(&json, "disk_bytes", view->disk.all);
  json_failures(&json, view);
  json_configurations(&json, view);
  sfnec_json_text(&json, "command", view->command);
  sfnec_json_end(&json, '}');
}

static int run_status(const void *values, const text_list *operands) {
  const status_args *args = values;
  sfnec_results *results;
  const int code = code_of(sfnec_results_load(operands->items[0], &results));
  if (code) return code;
  overview view = overview_make(results);
  if (args->json) json_overview(&view);
  else print_overview(&view);
  free(view.rows);
  free(view.command);
  sfnec_results_destroy(results);
  return EXIT_OK;
}
