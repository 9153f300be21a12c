// csv.c: results as comma-separated values: one row per task, episode, bin or policy.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/error.h"
#include "run/record.h"
#include "show/export/export.h"

// ---- columns ----

// in the order of the columns
enum { HEADLINE, OF_TASK, OF_MACHINE };

static int group_of(const sfnec_record_field *field) {
  return field->headline ? HEADLINE : field->of_machine ? OF_MACHINE : OF_TASK;
}

const sfnec_record_field *sfnec_export_next(const sfnec_record_set *set, const sfnec_record_field *after,
                                            bool seconds) {
  const int last = seconds ? OF_MACHINE : OF_TASK;
  const sfnec_record_field *field = after ? after + 1 : set->fields;
  for (int group = after ? group_of(after) : HEADLINE; group <= last; group++, field = set->fields)
    for (; field->name; field++)
      if (group_of(field) == group) return field;
  return NULL;
}

const char *sfnec_export_heading(const sfnec_record_field *field) {
  return field->heading ? field->heading : field->name;
}

int64_t sfnec_export_step(int64_t from, int64_t steps) {
  return steps > INT64_MAX - from ? INT64_MAX : from + steps;
}

// has the name a meaning of its own in some table?
static bool is_taken(const char *name) {
  static const char *const others[] = {"agent",  "preset", "seed", "task", "average",   "episode",
                                       "policy", "share",  "bin",  "step", "evaluation"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(others[i], name) == 0) return true;
  const sfnec_record_set *const sets[] = {sfnec_task_record_set(), sfnec_episode_record_set(), sfnec_bin_record_set(),
                                          sfnec_evaluation_record_set()};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    for (const sfnec_record_field *field = sets[i]->fields; field->name; field++)
      if (strcmp(sfnec_export_heading(field), name) == 0) return true;
  return false;
}

typedef struct key_list {
  const char **items;
  size_t count;
} key_list;

// all keys that some configuration sweeps, in the order in which they come up
static sfnec_status list_swept(const sfnec_results *results, sfnec_arena *arena, key_list *keys) {
  for (size_t i = 0; i < results->configuration_count; i++) {
    const sfnec_settings *settings = &results->configurations[i].settings;
    for (size_t j = 0; j < settings->count; j++) {
      bool known = false;
      for (size_t k = 0; k < keys->count; k++) known = known || strcmp(keys->items[k], settings->items[j].key) == 0;
      if (known) continue;
      keys->items = sfnec_arena_grow(arena, keys->items, keys->count, sizeof *keys->items);
      if (!keys->items) return sfnec_fail_memory("the columns of a table");
      keys->items[keys->count++] = settings->items[j].key;
    }
  }
  return SFNEC_OK;
}

// ---- the header ----

static void print_headings(FILE *file, const sfnec_record_set *set, bool seconds) {
  for (const sfnec_record_field *field = NULL; (field = sfnec_export_next(set, field, seconds));) {
    fprintf(file, ",%s", sfnec_export_heading(field));
    if (field->headline && set == sfnec_task_record_set()) fputs(",average", file);
  }
}

// features of an evaluation, at most
static uint32_t count_features(const sfnec_results *results) {
  uint32_t most = 0;
  for (size_t i = 0; i < results->run_count; i++)
    for (uint32_t task = 0; task < results->runs[i].task_count; task++)
      if (results->runs[i].tasks[task].feature_count > most) most = results->runs[i].tasks[task].feature_count;
  return most;
}

static void print_header(FILE *file, const sfnec_results *results, const key_list *keys, sfnec_export_table table,
                         bool seconds) {
  fputs("agent,preset", file);
  for (size_t i = 0; i < keys->count; i++) {
    fputs(is_taken(keys->items[i]) ? ",set_" : ",", file);
    sfnec_csv_text(file, keys->items[i]);
  }
  fputs(",seed,task", file);
  if (table == SFNEC_EXPORT_TASKS) print_headings(file, sfnec_task_record_set(), seconds);
  if (table == SFNEC_EXPORT_EPISODES) fputs(",episode", file);
  if (table == SFNEC_EXPORT_EPISODES) print_headings(file, sfnec_episode_record_set(), seconds);
  if (table == SFNEC_EXPORT_BINS) fputs(",bin,step", file);
  if (table == SFNEC_EXPORT_BINS) print_headings(file, sfnec_bin_record_set(), seconds);
  if (table == SFNEC_EXPORT_EVALUATIONS) fputs(",evaluation", file);
  if (table == SFNEC_EXPORT_EVALUATIONS) print_headings(file, sfnec_evaluation_record_set(), seconds);
  for (uint32_t i = 0; table == SFNEC_EXPORT_EVALUATIONS && i < count_features(results); i++)
    fprintf(file, ",phi_%" PRIu32, i + 1);
  if (table == SFNEC_EXPORT_USES) fputs(",policy,steps,share", file);
  fputc('\n', file);
}

// ---- rows ----

// agent, preset, the value of each key, seed, task
static void print_lead(FILE *file, const sfnec_results *results, const key_list *keys, const sfnec_result_run *run,
                       uint32_t task) {
  const sfnec_result_configuration *c = &results->configurations[run->configuration];
  sfnec_csv_text(file, c->label);
  fputc(',', file);
  sfnec_csv_text(file, c->preset);
  for (size_t i = 0; i < keys->count; i++) {
    fputc(',', file);
    for (size_t j = 0; j < c->settings.count; j++)
      if (strcmp(c->settings.items[j].key, keys->items[i]) == 0) sfnec_csv_text(file, c->settings.items[j].value);
  }
  fprintf(file, ",%" PRIu64 ",%" PRIu32, run->seed, task + 1);
}

// the average over the tasks so far comes after the headline of a task
static void print_record(FILE *file, const sfnec_record_set *set, const void *record, double average, bool seconds) {
  for (const sfnec_record_field *field = NULL; (field = sfnec_export_next(set, field, seconds));) {
    const void *at = (const char *)record + field->offset;
    fputc(',', file);
    if (field->over) sfnec_csv_real(file, sfnec_record_shown(set, field, record));
    else if (field->type == SFNEC_RECORD_INT) fprintf(file, "%" PRId64, *(const int64_t *)at);
    else if (field->type == SFNEC_RECORD_REAL) sfnec_csv_real(file, *(const double *)at);
    else if (field->type == SFNEC_RECORD_FLAG) fprintf(file, "%d", *(const bool *)at);
    if (!field->headline || set != sfnec_task_record_set()) continue;
    fputc(',', file);
    sfnec_csv_real(file, average);
  }
}

// features as means over the episodes
static void print_evaluation(FILE *file, const sfnec_task_record *record, uint32_t i, bool seconds) {
  const sfnec_evaluation_result *evaluation = &record->evaluations[i];
  fprintf(file, ",%" PRIu32, i + 1);
  print_record(file, sfnec_evaluation_record_set(), evaluation, 0, seconds);
  for (uint32_t f = 0; f < record->feature_count; f++) {
    fputc(',', file);
    sfnec_csv_real(file, record->features[(size_t)i * record->feature_count + f] / (double)evaluation->episodes);
  }
  fputc('\n', file);
}

static void print_use(FILE *file, const sfnec_task_record *record, uint32_t policy) {
  const int64_t steps = record->uses[policy];
  fprintf(file, ",%" PRIu32 ",%" PRId64 ",", policy + 1, steps);
  sfnec_csv_real(file, record->result.steps ? (double)steps / (double)record->result.steps : (double)NAN);
  fputc('\n', file);
}

// The rows of a run in the table that is wanted: `step` is the environment step before a task, `sum` the return so far.
static void print_run(FILE *file, const sfnec_results *results, const key_list *keys, const sfnec_result_run *run,
                      sfnec_export_table table, bool seconds) {
  double sum = 0;
  int64_t step = 0;
  for (uint32_t task = 0; task < run->task_count; step = sfnec_export_step(step, run->tasks[task++].result.steps)) {
    const sfnec_task_record *record = &run->tasks[task];
    sum += record->result.total;
    // the wanted table decides which of these blocks writes rows
    if (table == SFNEC_EXPORT_TASKS) {
      print_lead(file, results, keys, run, task);
      print_record(file, sfnec_task_record_set(), &record->result, sum / (task + 1), seconds);
      fputc('\n', file);
    }
    for (uint32_t i = 0; table == SFNEC_EXPORT_EPISODES && i < record->episode_count; i++) {
      print_lead(file, results, keys, run, task);
      fprintf(file, ",%" PRIu32, i + 1);
      print_record(file, sfnec_episode_record_set(), &record->episodes[i], 0, seconds);
      fputc('\n', file);
    }
    // a bin names the environment step at its end
    int64_t end = step;
    for (uint32_t i = 0; table == SFNEC_EXPORT_BINS && i < record->bin_count; i++) {
      print_lead(file, results, keys, run, task);
      fprintf(file, ",%" PRIu32 ",%" PRId64, i + 1, end = sfnec_export_step(end, record->bins[i].steps));
      print_record(file, sfnec_bin_record_set(), &record->bins[i], 0, seconds);
      fputc('\n', file);
    }
    for (uint32_t i = 0; table == SFNEC_EXPORT_EVALUATIONS && i < record->evaluation_count; i++) {
      print_lead(file, results, keys, run, task);
      print_evaluation(file, record, i, seconds);
    }
    for (uint32_t i = 0; table == SFNEC_EXPORT_USES && i < record->use_count; i++) {
      print_lead(file, results, keys, run, task);
      print_use(file, record, i);
    }
  }
}

sfnec_status sfnec_export_csv(FILE *file, const sfnec_results *results, sfnec_export_table table, bool seconds) {
  sfnec_arena *arena = sfnec_arena_create();
  key_list keys = {0};
  const sfnec_status status = arena ? list_swept(results, arena, &keys) : sfnec_fail_memory("the columns of a table");
  if (!status) print_header(file, results, &keys, table, seconds);
  for (size_t i = 0; i < results->run_count && !status; i++)
    print_run(file, results, &keys, &results->runs[i], table, seconds);
  sfnec_arena_destroy(arena);
  return status;
}
