// experiment.h: an experiment made by hand: a plan without a spec file, and results without a run.
//
// Configurations: "sfnec" with neighbours=1, 2, 4, ... and, if there are at least three, a last one without a sweep
// whose label has what file formats need to quote. Every number of a result follows from configuration, seed and task,
// so a test can work it out again.
#ifndef SFNEC_TESTS_SUPPORT_EXPERIMENT_H
#define SFNEC_TESTS_SUPPORT_EXPERIMENT_H

#include <inttypes.h>

#include "support/check.h"

#include "study/store/store.h"

enum {
  STUDY_CONFIGURATIONS = 8,
  STUDY_SEEDS = 16,
  STUDY_TASKS = 64,
  STUDY_EPISODES = 3,
  STUDY_BINS = 2,
  STUDY_EVALUATIONS = 2
};

typedef struct study {
  sfnec_spec spec;
  sfnec_plan plan;
  sfnec_configuration configurations[STUDY_CONFIGURATIONS];
  sfnec_setting settings[STUDY_CONFIGURATIONS];
  char points[STUDY_CONFIGURATIONS][2][32]; // the point and its value
  char names[STUDY_CONFIGURATIONS][64];
  sfnec_job jobs[STUDY_CONFIGURATIONS * STUDY_SEEDS];
  char identities[STUDY_CONFIGURATIONS * STUDY_SEEDS][64];
  sfnec_published published[2];
  sfnec_setting published_setting;
} study;

// one result and the arrays that belong to it
typedef struct study_result {
  sfnec_task_record record;
  int64_t uses[STUDY_TASKS];
  sfnec_episode_result episodes[STUDY_EPISODES];
  sfnec_bin_result bins[STUDY_BINS];
  sfnec_evaluation_result evaluations[STUDY_EVALUATIONS];
  double features[2 * STUDY_EVALUATIONS];
} study_result;

static const char *const study_env_settings[] = {"layout=calibrated", NULL};

static inline void study_configure(study *s, size_t i, bool plain) {
  sfnec_configuration *c = &s->configurations[i];
  snprintf(s->points[i][1], sizeof s->points[i][1], "%d", 1 << i);
  snprintf(s->points[i][0], sizeof s->points[i][0], "neighbours=%d", 1 << i);
  c->label = plain ? "nec, \"plain\"" : "sfnec";
  c->preset = plain ? "nec" : "sfnec";
  c->point = plain ? "" : s->points[i][0];
  snprintf(s->names[i], sizeof s->names[i], "%.30s%s%.31s", c->label, plain ? "" : " ", c->point);
  c->name = s->names[i];
  s->settings[i] = (sfnec_setting){"neighbours", s->points[i][1], 1};
  c->settings = (sfnec_settings){&s->settings[i], plain ? 0 : 1};
  c->env = sfnec_env_kind_find("four_rooms");
  c->env_settings = study_env_settings;
  sfnec_agent_options_preset(c->preset, &c->options);
}

// Fills a study; seeds are first_seed, first_seed + 1, ... The struct must stay where it is.
static inline void study_make(study *s, size_t configurations, size_t seeds, uint64_t first_seed, uint32_t tasks) {
  memset(s, 0, sizeof *s);
  s->spec =
      (sfnec_spec){.path = "study.yaml", .name = "study", .title = "A study", .env = "four_rooms", .tasks = tasks};
  s->spec.steps = 100;
  s->published_setting = (sfnec_setting){"neighbours", "1", 9};
  s->published[0] = (sfnec_published){.agent = "sfnec", .task = 2, .mean = 112.5, .se = 1.5, .source = "a paper"};
  s->published[0].options = (sfnec_settings){&s->published_setting, 1};
  s->published[1] = (sfnec_published){.agent = "sfnec", .mean = -3, .se = NAN};
  s->spec.published = s->published;
  s->spec.published_count = 2;
  for (size_t i = 0; i < configurations; i++) study_configure(s, i, configurations > 2 && i + 1 == configurations);
  for (size_t i = 0; i < configurations * seeds; i++) {
    sfnec_job *job = &s->jobs[i];
    job->configuration = i / seeds;
    job->seed = first_seed + i % seeds;
    snprintf(job->id, sizeof job->id, "%08zx%08" PRIx32, job->configuration + 1, (uint32_t)job->seed);
    snprintf(s->identities[i], sizeof s->identities[i], "configuration=%zu\nseed=%" PRIu64, i / seeds, job->seed);
    job->identity = s->identities[i];
    job->run = (sfnec_run_options){.tasks = tasks, .steps = 100};
  }
  s->plan = (sfnec_plan){&s->spec, NULL, s->configurations, configurations, s->jobs, configurations * seeds};
}

// The result of one task (from 0) of one job.
static inline void study_result_make(study_result *r, const sfnec_job *job, uint32_t task, bool episodes) {
  memset(r, 0, sizeof *r);
  const double configuration = (double)job->configuration, seed = (double)(job->seed % 1000);
  r->record.task = task;
  // the third is no finite sum of powers of two, so its last bit matters
  r->record.result = (sfnec_task_result){.total = 100 * configuration + 10 * seed + task / 3.0,
                                         .steps = 100,
                                         .episodes = STUDY_EPISODES,
                                         .goals = 2,
                                         .entries = 1000 * (int64_t)(task + 1) + (int64_t)(job->seed % 1000),
                                         .w_error = 0.1 / (task + 1),
                                         .seconds = 0.5 + seed / 8,
                                         .optimum = 1000 + seed + task / 7.0,
                                         .places = 50 * (int64_t)(task + 1) + (int64_t)(job->seed % 1000)};
  for (uint32_t i = 0; i <= task; i++) r->uses[i] = i < task ? 1 : 100 - (int64_t)task;
  for (uint32_t i = 0; i < STUDY_EPISODES; i++)
    r->episodes[i] = (sfnec_episode_result){task, 30 + i, r->record.result.total / 3 + i, i < 2};
  // 60 steps with a third of the return and one episode, 40 with the rest
  const double third = r->record.result.total / 3;
  for (uint32_t i = 0; i < STUDY_BINS; i++)
    r->bins[i] = (sfnec_bin_result){.total = i ? 2 * third : third,
                                    .steps = i ? 40 : 60,
                                    .episodes = i ? 2 : 1,
                                    .goals = 1,
                                    .episode_return = i ? 2 * third + 3 : third,
                                    .episode_steps = i ? 63 : 30,
                                    .exploration = 10 + i,
                                    .loss = 0.5 / (task + 1 + i),
                                    .targets = i ? 40 : 60,
                                    .entries = r->record.result.entries - (i ? 0 : 100),
                                    .places = r->record.result.places};
  r->record.bins = r->bins;
  r->record.bin_count = STUDY_BINS;
  // in the middle of the task, under two weight vectors
  for (uint32_t i = 0; i < STUDY_EVALUATIONS; i++) {
    r->evaluations[i] = (sfnec_evaluation_result){.step = 100 * (int64_t)task + 50,
                                                  .weights = i + 1,
                                                  .total = r->record.result.total + i,
                                                  .episodes = 4,
                                                  .goals = i,
                                                  .steps = 80};
    r->features[2 * i] = 0.1 * task;
    r->features[2 * i + 1] = -1.0 / 3 - i;
  }
  r->record.evaluations = r->evaluations;
  r->record.features = r->features;
  r->record.evaluation_count = STUDY_EVALUATIONS;
  r->record.feature_count = 2;
  r->record.uses = r->uses;
  r->record.use_count = task + 1;
  if (episodes) {
    r->record.episodes = r->episodes;
    r->record.episode_count = STUDY_EPISODES;
  }
}

// Runs a job of the study to its end, as far as the store can tell.
static inline sfnec_status study_run_job(sfnec_store *store, const sfnec_job *job, bool episodes) {
  sfnec_status status = sfnec_store_set_state(store, job, SFNEC_JOB_RUNNING, NULL);
  for (uint32_t task = 0; task < job->run.tasks && !status; task++) {
    study_result result;
    study_result_make(&result, job, task, episodes);
    status = sfnec_store_put_task(store, job, &result.record);
  }
  if (!status) status = sfnec_store_set_state(store, job, SFNEC_JOB_DONE, NULL);
  return status ? status : sfnec_store_commit(store);
}

#endif
