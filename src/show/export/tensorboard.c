// tensorboard.c: results as TensorBoard's event files: one run per configuration and seed, and their mean.
//
//   FOLDER/sfnec_neighbours=4/seed-1/events.out.tfevents.0.sfnec
//   FOLDER/sfnec_neighbours=4/mean/events.out.tfevents.0.sfnec
//
// The step of a point is the task's number, that of an episode's number the episode's, and that of a bin's (steps/...)
// the environment step at its end. The wall time is the job's age in seconds if seconds are asked for; else it is the
// step, so that equal results are equal files.
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/folder.h"
#include "base/output.h"
#include "run/record.h"
#include "show/export/events.h"
#include "show/export/export.h"

static const char events_name[] = "events.out.tfevents.0.sfnec";

typedef struct exporting {
  const sfnec_results *results;
  bool seconds;
  sfnec_arena *arena;
} exporting;

// ---- folders ----

static sfnec_status no_memory(void) {
  return sfnec_fail_memory("an event file");
}

// what is safe in a file name everywhere, and no longer than file names may be
static const char *folder_name(const exporting *e, const char *name) {
  enum { LONGEST = 120 };
  char *safe = sfnec_arena_alloc(e->arena, LONGEST + 1, 1);
  for (size_t i = 0; safe && i < LONGEST && name[i]; i++)
    safe[i] = isalnum((unsigned char)name[i]) || strchr("=._-", name[i]) ? name[i] : '_';
  if (safe && safe[0] == '.') safe[0] = '_';
  return safe;
}

// the folder of a configuration: two names that look the same now get their numbers
static const char *configuration_folder(const exporting *e, size_t number) {
  const sfnec_results *results = e->results;
  const char *name = folder_name(e, results->configurations[number].name);
  bool unique = true;
  for (size_t i = 0; name && i < results->configuration_count; i++) {
    const char *other = folder_name(e, results->configurations[i].name);
    if (!other) return NULL;
    unique = unique && (i == number || strcmp(name, other) != 0);
  }
  return unique ? name : sfnec_arena_print(e->arena, "%s-%zu", name, number + 1);
}

// ---- curves ----

// a curve is a field of a task, or one of two numbers that follow from them: the average return so far, which comes
// after the return, and the speed, which comes last
typedef struct curve {
  const char *tag; // NULL after the last
  const sfnec_record_field *field;
  double (*value)(const sfnec_result_run *run, uint32_t task);
} curve;

static double average_return(const sfnec_result_run *run, uint32_t task) {
  double sum = 0;
  for (uint32_t i = 0; i <= task; i++) sum += run->tasks[i].result.total;
  return sum / (task + 1);
}

static double steps_per_second(const sfnec_result_run *run, uint32_t task) {
  const sfnec_task_result *result = &run->tasks[task].result;
  return result->seconds > 0 ? (double)result->steps / result->seconds : 0;
}

// start with {0}
static curve next_curve(const exporting *e, curve after) {
  const sfnec_record_set *set = sfnec_task_record_set();
  if (after.value == steps_per_second) return (curve){0};
  if (after.field && after.field->headline && !after.value)
    return (curve){"return/average", after.field, average_return};
  for (const sfnec_record_field *field = after.field; (field = sfnec_export_next(set, field, e->seconds));)
    if (field->tag) return (curve){field->tag, field, NULL};
  return e->seconds ? (curve){"speed/steps_per_second", NULL, steps_per_second} : (curve){0};
}

static double value_of(const curve *curve, const sfnec_result_run *run, uint32_t task) {
  return curve->value ? curve->value(run, task) : sfnec_record_number(curve->field, &run->tasks[task].result);
}

// a number that a world or an older program does not have
static bool is_unknown(const curve *curve, double value) {
  return curve->field && curve->field->optional && isnan(value);
}

static void put_episodes(const exporting *e, FILE *events, const sfnec_task_record *record, double age,
                         int64_t *episode) {
  for (uint32_t i = 0; i < record->episode_count; i++) {
    ++*episode;
    for (const sfnec_record_field *field = sfnec_episode_record_set()->fields; field->name; field++)
      if (field->tag)
        sfnec_events_scalar(events, field->tag, *episode, e->seconds ? age : (double)*episode,
                            sfnec_record_number(field, &record->episodes[i]));
  }
}

static void put_bin(FILE *events, const sfnec_bin_result *bin, int64_t step, double age) {
  const sfnec_record_set *set = sfnec_bin_record_set();
  for (const sfnec_record_field *field = set->fields; field->name; field++) {
    const double value = sfnec_record_shown(set, field, bin);
    // no episode may have ended in a bin, and nothing been learned
    if (field->tag && !isnan(value)) sfnec_events_scalar(events, field->tag, step, age, value);
  }
}

static void put_bins(const exporting *e, FILE *events, const sfnec_task_record *record, int64_t step, double age) {
  int64_t end = step;
  for (uint32_t i = 0; i < record->bin_count; i++) {
    end = sfnec_export_step(end, record->bins[i].steps);
    const double share = (double)(end - step) / (double)record->result.steps;
    put_bin(events, &record->bins[i], end, e->seconds ? age + share * record->result.seconds : (double)end);
  }
}

// the mean over the weights of an evaluation
static void put_evaluations(FILE *events, const sfnec_task_record *record) {
  const sfnec_record_set *set = sfnec_evaluation_record_set();
  for (uint32_t first = 0, last; first < record->evaluation_count; first = last) {
    const int64_t step = record->evaluations[first].step;
    for (last = first; last < record->evaluation_count && record->evaluations[last].step == step; last++) continue;
    for (const sfnec_record_field *field = set->fields; field->name; field++) {
      double sum = 0;
      for (uint32_t i = first; i < last; i++) sum += sfnec_record_shown(set, field, &record->evaluations[i]);
      if (field->tag) sfnec_events_scalar(events, field->tag, step, (double)step, sum / (last - first));
    }
  }
}

static void put_run(const exporting *e, FILE *events, const sfnec_result_run *run) {
  double age = 0;
  int64_t episode = 0, step = 0;
  for (uint32_t task = 0; task < run->task_count; task++) {
    const sfnec_task_record *record = &run->tasks[task];
    put_bins(e, events, record, step, age);
    put_evaluations(events, record);
    step = sfnec_export_step(step, record->result.steps);
    age += record->result.seconds;
    put_episodes(e, events, record, age, &episode);
    for (curve at = next_curve(e, (curve){0}); at.tag; at = next_curve(e, at)) {
      const double value = value_of(&at, run, task);
      if (!is_unknown(&at, value))
        sfnec_events_scalar(events, at.tag, (int64_t)task + 1, e->seconds ? age : task + 1, value);
    }
  }
}

// the sums of a bin over the seeds whose bins lie at the same steps as the first one's: those of tasks that end by
// steps
static void put_mean_bins(FILE *events, const sfnec_result_run *runs, size_t count, uint32_t task, int64_t *step) {
  const sfnec_result_run *first = runs;
  while (task >= first->task_count) first++;
  for (uint32_t i = 0; i < first->tasks[task].bin_count; i++) {
    const sfnec_bin_result *bin = &first->tasks[task].bins[i];
    const sfnec_record_set *set = sfnec_bin_record_set();
    *step = sfnec_export_step(*step, bin->steps);
    for (const sfnec_record_field *field = set->fields; field->name; field++) {
      double sum = 0, seeds = 0;
      for (size_t j = 0; field->tag && j < count; j++) {
        const sfnec_task_record *record = task < runs[j].task_count ? &runs[j].tasks[task] : NULL;
        if (!record || i >= record->bin_count || record->bins[i].steps != bin->steps) continue;
        const double value = sfnec_record_shown(set, field, &record->bins[i]);
        if (isnan(value)) continue;
        sum += value;
        seeds++;
      }
      if (seeds > 0) sfnec_events_scalar(events, field->tag, *step, (double)*step, sum / seeds);
    }
  }
}

// the mean over the seeds that have come as far
static void put_mean(const exporting *e, FILE *events, const sfnec_result_run *runs, size_t count) {
  uint32_t tasks = 0;
  for (size_t i = 0; i < count; i++)
    if (runs[i].task_count > tasks) tasks = runs[i].task_count;
  int64_t step = 0;
  for (uint32_t task = 0; task < tasks; task++) {
    if (e->results->steps) put_mean_bins(events, runs, count, task, &step);
    for (curve at = next_curve(e, (curve){0}); at.tag; at = next_curve(e, at)) {
      double sum = 0, seeds = 0;
      for (size_t j = 0; j < count; j++) {
        if (task >= runs[j].task_count) continue;
        sum += value_of(&at, &runs[j], task);
        seeds++;
      }
      if (!is_unknown(&at, sum)) sfnec_events_scalar(events, at.tag, (int64_t)task + 1, task + 1, sum / seeds);
    }
  }
}

// ---- files ----

// one folder: a run, or the mean over several
static sfnec_status write_events(const exporting *e, const char *parent, const char *name, const sfnec_result_run *runs,
                                 size_t count, bool mean) {
  const char *folder = sfnec_arena_print(e->arena, "%s/%s", parent, name);
  const char *path = folder ? sfnec_arena_print(e->arena, "%s/%s", folder, events_name) : NULL;
  sfnec_status status = path ? sfnec_folder_make_one(folder) : no_memory();
  sfnec_output output;
  if (!status) status = sfnec_output_open(&output, path);
  if (status) return status;
  sfnec_events_begin(output.file);
  if (mean) put_mean(e, output.file, runs, count);
  else put_run(e, output.file, runs);
  return sfnec_output_close(&output, true);
}

static sfnec_status write_configuration(const exporting *e, const char *folder, size_t number) {
  const sfnec_result_configuration *c = &e->results->configurations[number];
  const sfnec_result_run *runs = &e->results->runs[c->first_run];
  const char *name = configuration_folder(e, number);
  const char *path = name ? sfnec_arena_print(e->arena, "%s/%s", folder, name) : NULL;
  sfnec_status status = path ? sfnec_folder_make_one(path) : no_memory();
  bool any = false;
  for (size_t i = 0; i < c->run_count && !status; i++) {
    char seed[32];
    snprintf(seed, sizeof seed, "seed-%" PRIu64, runs[i].seed);
    any = any || runs[i].task_count;
    if (runs[i].task_count) status = write_events(e, path, seed, &runs[i], 1, false);
  }
  if (!status && any) status = write_events(e, path, "mean", runs, c->run_count, true);
  return status;
}

sfnec_status sfnec_export_tensorboard(const char *folder, const sfnec_results *results, bool seconds) {
  const exporting e = {results, seconds, sfnec_arena_create()};
  sfnec_status status = e.arena ? sfnec_folder_make_one(folder) : no_memory();
  for (size_t i = 0; i < results->configuration_count && !status; i++) status = write_configuration(&e, folder, i);
  sfnec_arena_destroy(e.arena);
  return status;
}
