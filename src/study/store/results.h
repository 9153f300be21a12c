// results.h: the stored results of an experiment as plain arrays, for statistics, tables and figures.
#ifndef SFNEC_STUDY_STORE_RESULTS_H
#define SFNEC_STUDY_STORE_RESULTS_H

#include "base/arena.h"
#include "study/store/session.h"
#include "study/store/store.h"

// One finished or unfinished job.
typedef struct sfnec_result_run {
  const char *id;
  size_t configuration;
  uint64_t seed;
  sfnec_job_state state;
  const char *error; // NULL unless it failed
  uint32_t attempts;
  uint32_t tasks_wanted;
  sfnec_task_record *tasks; // (task_count), in order; a run in the middle has fewer than wanted
  uint32_t task_count;
} sfnec_result_run;

typedef struct sfnec_result_configuration {
  const char *label, *preset, *point, *name; // as in plan.h
  sfnec_settings settings;                   // of the sweep point
  sfnec_settings options;                    // of the agent: all of them, resolved
  sfnec_settings env_options;                // of the environment: those that were set
  size_t first_run, run_count;               // its runs, in the order of their seeds
} sfnec_result_configuration;

typedef struct sfnec_results {
  sfnec_arena *arena;
  const char *folder, *name, *title, *spec_text;
  const char *spec_path; // as it was given to `sfnec run`
  const char *env;
  const char *metric; // what leads, by the spec or the world; NULL: they do not say
  uint32_t tasks;
  int64_t steps, episodes;
  sfnec_result_configuration *configurations; // in the order of the plan
  size_t configuration_count;
  sfnec_result_run *runs; // (configuration, seed)
  size_t run_count;
  sfnec_published *published;
  size_t published_count;
  sfnec_session *sessions;
  size_t session_count;
} sfnec_results;

// Reads an experiment, also one that is running. Fails with SFNEC_ERROR_IO (no experiment there: says how to make one),
// _FORMAT (damaged, newer) or _MEMORY.
sfnec_status sfnec_results_load(const char *folder, sfnec_results **out);
void sfnec_results_destroy(sfnec_results *results); // NULL is fine

// The results of a plan of which nothing has been run yet, runs in the order of its jobs: for those who gather them as
// they come. Borrows the plan's texts. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_results_make(const sfnec_plan *plan, sfnec_results **out);
// Puts the record of the next task, or of an earlier one again, in its place, without the arrays that it refers to.
// Fails with SFNEC_ERROR_FORMAT for a task further on, and with _MEMORY.
sfnec_status sfnec_results_put(sfnec_results *results, size_t run, const sfnec_task_record *record);

// The published returns of a configuration, one after the other: start with NULL; NULL after the last.
const sfnec_published *sfnec_published_next(const sfnec_results *results, size_t configuration,
                                            const sfnec_published *after);
// The first of them that is after so many tasks; NULL if there is none.
const sfnec_published *sfnec_published_after(const sfnec_results *results, size_t configuration, uint32_t task);
// The number of tasks after which it is the average.
uint32_t sfnec_published_task(const sfnec_results *results, const sfnec_published *published);

#endif
