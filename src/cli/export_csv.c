// export_csv.c: results as comma-separated values (RFC 4180): one row per task, episode or policy.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export.h"
#include "cli/text.h"

// ---- columns ----

// the names that have a meaning of their own in some table
static const char *const taken[] = {"agent",   "preset",   "seed",  "task",      "return",  "average",
                                    "steps",   "episodes", "goals", "entries",   "w_error", "seconds",
                                    "episode", "policy",   "share", "terminated"};

// all keys that some configuration sweeps, in the order in which they come up
static text_list swept_keys(const sfnec_results *results) {
  text_list keys = {0};
  for (size_t i = 0; i < results->configuration_count; i++) {
    const sfnec_settings *settings = &results->configurations[i].settings;
    for (size_t j = 0; j < settings->count; j++) {
      bool known = false;
      for (size_t k = 0; k < keys.count; k++) known = known || strcmp(keys.items[k], settings->items[j].key) == 0;
      if (!known) text_push(&keys, settings->items[j].key);
    }
  }
  return keys;
}

static void print_text(FILE *file, const char *text) {
  if (!text[strcspn(text, ",\"\r\n")]) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

// what is not known is empty
static void print_real(FILE *file, double value) {
  char text[TEXT_NUMBER];
  if (!isnan(value)) fputs(text_real(value, text), file);
}

static void print_key(FILE *file, const char *key) {
  bool clashes = false;
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) clashes = clashes || strcmp(taken[i], key) == 0;
  fputs(clashes ? ",set_" : ",", file);
  print_text(file, key);
}

static void print_header(FILE *file, const text_list *keys, const char *rest, bool seconds) {
  fputs("agent,preset", file);
  for (size_t i = 0; i < keys->count; i++) print_key(file, keys->items[i]);
  fprintf(file, ",seed,task,%s%s\n", rest, seconds ? ",seconds" : "");
}

// agent, preset, the value of each key, seed, task
static void print_lead(FILE *file, const sfnec_results *results, const text_list *keys, const sfnec_result_run *run,
                       uint32_t task) {
  const sfnec_result_configuration *c = &results->configurations[run->configuration];
  print_text(file, c->label);
  fputc(',', file);
  print_text(file, c->preset);
  for (size_t i = 0; i < keys->count; i++) {
    fputc(',', file);
    for (size_t j = 0; j < c->settings.count; j++)
      if (strcmp(c->settings.items[j].key, keys->items[i]) == 0) print_text(file, c->settings.items[j].value);
  }
  fprintf(file, ",%" PRIu64 ",%" PRIu32, run->seed, task + 1);
}

// ---- the rest of a row ----

static void print_task(FILE *file, const sfnec_task_result *result, double average, bool seconds) {
  fputc(',', file);
  print_real(file, result->total);
  fputc(',', file);
  print_real(file, average);
  fprintf(file, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", result->steps, result->episodes, result->goals,
          result->entries);
  print_real(file, result->w_error);
  if (seconds) fputc(',', file);
  if (seconds) print_real(file, result->seconds);
  fputc('\n', file);
}

static void print_episode(FILE *file, const sfnec_episode_result *episode, uint32_t number) {
  fprintf(file, ",%" PRIu32 ",", number);
  print_real(file, episode->total);
  fprintf(file, ",%" PRId64 ",%d\n", episode->steps, episode->terminated);
}

static void print_use(FILE *file, const sfnec_task_record *record, uint32_t policy) {
  const int64_t steps = record->uses[policy];
  fprintf(file, ",%" PRIu32 ",%" PRId64 ",", policy + 1, steps);
  print_real(file, record->result.steps ? (double)steps / (double)record->result.steps : (double)NAN);
  fputc('\n', file);
}

static void print_run(FILE *file, const sfnec_results *results, const text_list *keys, const sfnec_result_run *run,
                      export_table table, bool seconds) {
  double sum = 0;
  for (uint32_t task = 0; task < run->task_count; task++) {
    const sfnec_task_record *record = &run->tasks[task];
    sum += record->result.total;
    if (table == EXPORT_TASKS) {
      print_lead(file, results, keys, run, task);
      print_task(file, &record->result, sum / (task + 1), seconds);
    }
    for (uint32_t i = 0; table == EXPORT_EPISODES && i < record->episode_count; i++) {
      print_lead(file, results, keys, run, task);
      print_episode(file, &record->episodes[i], i + 1);
    }
    for (uint32_t i = 0; table == EXPORT_USES && i < record->use_count; i++) {
      print_lead(file, results, keys, run, task);
      print_use(file, record, i);
    }
  }
}

void export_csv(FILE *file, const sfnec_results *results, export_table table, bool seconds) {
  static const char *const columns[] = {
      [EXPORT_TASKS] = "return,average,steps,episodes,goals,entries,w_error",
      [EXPORT_EPISODES] = "episode,return,steps,terminated",
      [EXPORT_USES] = "policy,steps,share",
  };
  text_list keys = swept_keys(results);
  print_header(file, &keys, columns[table], seconds && table == EXPORT_TASKS);
  for (size_t i = 0; i < results->run_count; i++) print_run(file, results, &keys, &results->runs[i], table, seconds);
  text_clear(&keys);
}
