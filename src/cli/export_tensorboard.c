// export_tensorboard.c: results as TensorBoard's event files: one run per configuration and seed, and their mean.
//
//   FOLDER/sfnec_neighbours=4/seed-1/events.out.tfevents.0.sfnec
//   FOLDER/sfnec_neighbours=4/mean/events.out.tfevents.0.sfnec
//
// The step of a point is the task's number, that of episode/return the episode's. The wall time is the job's age in
// seconds if seconds are asked for; else it is the step, so that equal results are equal files.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/export.h"
#include "show/export/tensorboard.h"

static const char events_name[] = "events.out.tfevents.0.sfnec";

// ---- folders ----

// what is safe in a file name everywhere, and no longer than file names may be
static char *folder_name(const char *name) {
  enum { LONGEST = 120 };
  char *safe = must_alloc(LONGEST + 1, 1);
  for (size_t i = 0; i < LONGEST && name[i]; i++)
    safe[i] = isalnum((unsigned char)name[i]) || strchr("=._-", name[i]) ? name[i] : '_';
  if (safe[0] == '.') safe[0] = '_';
  return safe;
}

// the folder of a configuration: two names that look the same now get their numbers
static char *configuration_folder(const sfnec_results *results, size_t number) {
  char *name = folder_name(results->configurations[number].name);
  bool unique = true;
  for (size_t i = 0; i < results->configuration_count; i++) {
    char *other = folder_name(results->configurations[i].name);
    unique = unique && (i == number || strcmp(name, other) != 0);
    free(other);
  }
  if (unique) return name;
  char *longer = must_alloc(strlen(name) + 24, 1);
  sprintf(longer, "%s-%zu", name, number + 1);
  free(name);
  return longer;
}

static int make_folder(const char *path) {
  struct stat facts;
  if (mkdir(path, 0777) == 0 || (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))) return EXIT_OK;
  return fail("--tensorboard: cannot make the folder %s: %s; choose another path", path, strerror(errno));
}

static char *join(const char *folder, const char *name) {
  char *path = must_alloc(strlen(folder) + strlen(name) + 2, 1);
  sprintf(path, "%s/%s", folder, name);
  return path;
}

// ---- curves ----

typedef struct curve {
  const char *tag;
  double (*value)(const sfnec_result_run *run, uint32_t task);
  bool speed; // depends on the machine
} curve;

static double task_return(const sfnec_result_run *run, uint32_t task) {
  return run->tasks[task].result.total;
}

static double average_return(const sfnec_result_run *run, uint32_t task) {
  double sum = 0;
  for (uint32_t i = 0; i <= task; i++) sum += run->tasks[i].result.total;
  return sum / (task + 1);
}

static double entries(const sfnec_result_run *run, uint32_t task) {
  return (double)run->tasks[task].result.entries;
}

static double w_error(const sfnec_result_run *run, uint32_t task) {
  return run->tasks[task].result.w_error;
}

static double episodes(const sfnec_result_run *run, uint32_t task) {
  return (double)run->tasks[task].result.episodes;
}

static double steps_per_second(const sfnec_result_run *run, uint32_t task) {
  const sfnec_task_result *result = &run->tasks[task].result;
  return result->seconds > 0 ? (double)result->steps / result->seconds : 0;
}

static const curve curves[] = {
    {"return/task", task_return, false}, {"return/average", average_return, false},
    {"memory/entries", entries, false},  {"w/error", w_error, false},
    {"episodes/count", episodes, false}, {"speed/steps_per_second", steps_per_second, true},
};
enum { CURVES = sizeof curves / sizeof *curves };

static void put_run(sfnec_events *events, const sfnec_result_run *run, bool seconds) {
  double age = 0;
  int64_t episode = 0;
  for (uint32_t task = 0; task < run->task_count; task++) {
    const sfnec_task_record *record = &run->tasks[task];
    age += record->result.seconds;
    const double time = seconds ? age : task + 1;
    for (uint32_t i = 0; i < record->episode_count; i++) {
      episode++;
      sfnec_events_scalar(events, "episode/return", episode, seconds ? age : (double)episode,
                          record->episodes[i].total);
    }
    for (size_t i = 0; i < CURVES; i++)
      if (seconds || !curves[i].speed)
        sfnec_events_scalar(events, curves[i].tag, (int64_t)task + 1, time, curves[i].value(run, task));
  }
}

// the mean over the seeds that have come as far
static void put_mean(sfnec_events *events, const sfnec_result_run *runs, size_t count, bool seconds) {
  uint32_t tasks = 0;
  for (size_t i = 0; i < count; i++)
    if (runs[i].task_count > tasks) tasks = runs[i].task_count;
  for (uint32_t task = 0; task < tasks; task++) {
    for (size_t i = 0; i < CURVES; i++) {
      double sum = 0, seeds = 0;
      for (size_t j = 0; j < count; j++) {
        if (task >= runs[j].task_count) continue;
        sum += curves[i].value(&runs[j], task);
        seeds++;
      }
      if (seconds || !curves[i].speed)
        sfnec_events_scalar(events, curves[i].tag, (int64_t)task + 1, task + 1, sum / seeds);
    }
  }
}

// ---- files ----

// one folder: a run, or the mean over several
static int write_events(const char *parent, const char *name, const sfnec_result_run *runs, size_t count, bool mean,
                        bool seconds) {
  char *folder = join(parent, name), *path = join(folder, events_name);
  int code = make_folder(folder);
  sfnec_events *events;
  if (!code) {
    sfnec_status status = sfnec_events_create(path, &events);
    if (!status) {
      if (mean) put_mean(events, runs, count, seconds);
      else put_run(events, runs, seconds);
      status = sfnec_events_commit(events);
    }
    if (status) code = fail_library(status);
  }
  free(path);
  free(folder);
  return code;
}

static int write_configuration(const char *folder, const sfnec_results *results, size_t number, bool seconds) {
  const sfnec_result_configuration *c = &results->configurations[number];
  const sfnec_result_run *runs = &results->runs[c->first_run];
  char *name = configuration_folder(results, number), *path = join(folder, name);
  int code = make_folder(path);
  bool any = false;
  for (size_t i = 0; i < c->run_count && !code; i++) {
    char seed[32];
    snprintf(seed, sizeof seed, "seed-%" PRIu64, runs[i].seed);
    any = any || runs[i].task_count;
    if (runs[i].task_count) code = write_events(path, seed, &runs[i], 1, false, seconds);
  }
  if (!code && any) code = write_events(path, "mean", runs, c->run_count, true, seconds);
  free(path);
  free(name);
  return code;
}

int export_tensorboard(const char *folder, const sfnec_results *results, bool seconds) {
  int code = make_folder(folder);
  for (size_t i = 0; i < results->configuration_count && !code; i++)
    code = write_configuration(folder, results, i, seconds);
  return code;
}
