// disk.c: what an experiment takes on disk; see disk.h.
#include "cli/disk.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "study/work/state_file.h"

// all files below a folder; links are not followed
static int64_t bytes_below(const char *folder, int depth) {
  enum { DEEPEST = 8 };
  DIR *stream = depth < DEEPEST ? opendir(folder) : NULL;
  int64_t sum = 0;
  for (const struct dirent *entry; stream && (entry = readdir(stream));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char *path = text_print("%s/%s", folder, entry->d_name);
    struct stat facts;
    if (lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) sum += bytes_below(path, depth + 1);
    else if (lstat(path, &facts) == 0 && S_ISREG(facts.st_mode)) sum += facts.st_size;
    free(path);
  }
  if (stream) closedir(stream);
  return sum;
}

static int64_t state_bytes(const char *folder, const char *job) {
  char *path = text_print("%s/jobs/%s", folder, job);
  const int64_t bytes = sfnec_state_get_bytes(path);
  free(path);
  return bytes;
}

bool disk_has_state(const char *folder, const char *job) {
  return state_bytes(folder, job) > 0;
}

disk_use disk_measure(const char *folder, const sfnec_results *results) {
  disk_use use = {.all = bytes_below(folder, 0)};
  for (size_t i = 0; i < results->run_count; i++) {
    const sfnec_result_run *run = &results->runs[i];
    const int64_t bytes = state_bytes(folder, run->id);
    *(run->state == SFNEC_JOB_DONE ? &use.states : &use.going) += bytes;
    use.unsaved += run->state == SFNEC_JOB_RUNNING && !bytes;
  }
  return use;
}

// ---- before it is there ----

// The file of an agent after so many steps of so many tasks, if nothing was merged or evicted.
static double agent_bytes(const sfnec_configuration *configuration, sfnec_env_shape shape, const sfnec_run_options *run,
                          double steps) {
  const sfnec_agent_options *options = &configuration->options;
  const double actions = shape.action_count, size = shape.observation_size, all = steps * run->tasks;
  const double features = options->predict == SFNEC_PREDICT_REWARD    ? 1
                          : options->predict == SFNEC_PREDICT_LEARNED ? SFNEC_LEARNED_FEATURES
                                                                      : shape.feature_count;
  const double key = options->embedding == SFNEC_EMBEDDING_IDENTITY ? size : (double)options->key_size;
  const double number = sizeof(float), link = 2 * sizeof(uint32_t); // of a stored number, and of what orders entries
  if (options->psi == SFNEC_PSI_LINEAR) return run->tasks * actions * size * features * sizeof(double);
  if (options->psi == SFNEC_PSI_PLANNED) {
    const double most = (double)options->states * actions * (double)options->samples;
    return fmin(all, most) * ((2 * size + features) * number + 4 * link);
  }
  double entries = run->tasks * fmin(steps, actions * (double)options->capacity);
  if (options->capacity_total > 0) entries = fmin(entries, (double)options->capacity_total);
  return entries * ((key + features) * number + link);
}

sfnec_status disk_expect(const sfnec_plan *plan, uint32_t workers, disk_forecast *forecast) {
  enum { EPISODE = 500, COPIES = 2 }; // steps of an episode without a limit; checkpoints are two files in turn
  const sfnec_spec *spec = plan->spec;
  double greatest = 0;
  *forecast = (disk_forecast){0};
  sfnec_env_shape shape = {0};
  int64_t limit = 0;
  for (size_t i = 0; i < plan->job_count; i++) {
    const sfnec_job *job = &plan->jobs[i];
    const sfnec_configuration *configuration = &plan->configurations[job->configuration];
    if (i == 0 || job->configuration != plan->jobs[i - 1].configuration) {
      sfnec_env *env = NULL;
      const sfnec_status status = sfnec_env_create(configuration->env, configuration->env_settings, 1, &env);
      if (status) return status;
      shape = sfnec_env_get_shape(env);
      limit = sfnec_env_get_max_episode_steps(env);
      sfnec_env_destroy(env);
    }
    const double episodes = (double)job->run.episodes * (double)(limit ? limit : EPISODE);
    const double steps = !job->run.steps     ? episodes
                         : job->run.episodes ? fmin((double)job->run.steps, episodes)
                                             : (double)job->run.steps;
    const double bytes = agent_bytes(configuration, shape, &job->run, steps);
    const bool kept =
        spec->kept_agents == SFNEC_KEPT_ALL || (spec->kept_agents == SFNEC_KEPT_FIRST && job->seed == spec->seeds[0]);
    forecast->agents += kept ? bytes : 0;
    forecast->states += bytes;
    greatest = fmax(greatest, bytes);
  }
  forecast->states = fmin(forecast->states, 1e6 * (double)spec->state_megabytes);
  forecast->checkpoints = COPIES * greatest * fmin((double)workers, (double)plan->job_count);
  return SFNEC_OK;
}

const char *disk_text(int64_t bytes, char text[TEXT_NUMBER]) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  double size = (double)bytes;
  size_t unit = 0;
  for (; size >= 1000 && unit < 4; unit++) size /= 1000;
  snprintf(text, TEXT_NUMBER, "%.*f %s", unit ? 1 : 0, size, units[unit]);
  return text;
}
