// work.c: one job from its beginning, or from its checkpoint, to its end; see work.h.
//
// Files of a job, in the order in which they come to be: checkpoints while it runs (sfnec/run.h), the last one at its
// end, then the trained agent if it is wanted, then the result. Only a job with a result is told to be done, so a crash
// between any two of these repeats a step and loses nothing.
#include "study/work/work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/error.h"
#include "study/store/task_record.h"
#include "study/work/note.h"

// checkpoints take at most this share of a job's time
static const double checkpoint_share = 0.02;
// a job looks up from its work about this often, in seconds
static const double slice_seconds = 0.05;

typedef struct work {
  const sfnec_site *site;
  const sfnec_job *job;
  const sfnec_configuration *configuration;
  const sfnec_work_hooks *hooks;
  sfnec_message news; // its fields are filled as they become known
  char *folder;
  char *result_path;
  sfnec_env *env;
  sfnec_agent *agent;
  sfnec_run *run;
  uint32_t tasks_told;
  double saved_at, save_cost; // when the last checkpoint ended, and what it took
  bool save_failed;           // a warning was told
} work;

// ---- paths ----

static char *path_of(const char *folder, const char *part, const char *name, const char *ending) {
  const size_t size = strlen(folder) + strlen(part) + strlen(name) + strlen(ending) + 3;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s%s%s", folder, part, name, ending);
  return path;
}

char *sfnec_job_folder(const char *folder, const sfnec_job *job) {
  return path_of(folder, "jobs/", job->id, "");
}

char *sfnec_job_agent_path(const char *folder, const sfnec_job *job) {
  return path_of(folder, "agents/", job->id, ".sfnec");
}

static sfnec_status make_folder(const char *path) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_IO, "cannot make the folder %s: %s", path, strerror(errno));
}

sfnec_status sfnec_job_make_folders(const char *folder) {
  static const char *const parts[] = {"jobs", "agents"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char *path = path_of(folder, parts[i], "", "");
    const sfnec_status status = path ? make_folder(path) : sfnec_fail_memory("a path");
    free(path);
    if (status) return status;
  }
  return SFNEC_OK;
}

// ---- telling ----

static void tell(work *work, sfnec_message_kind kind) {
  work->news.kind = kind;
  if (work->run) {
    work->news.tasks_done = sfnec_run_get_tasks_done(work->run);
    work->news.steps = sfnec_run_get_steps_done(work->run);
  }
  work->hooks->tell(work->hooks->context, &work->news);
}

static void tell_text(work *work, sfnec_message_kind kind, const char *format, const char *sentence) {
  char text[1024];
  snprintf(text, sizeof text, format, sentence);
  work->news.text = text;
  tell(work, kind);
  work->news.text = NULL;
}

static void tell_record(work *work, const sfnec_task_record *record) {
  work->news.record = *record;
  tell(work, SFNEC_MESSAGE_TASK);
  work->news.record = (sfnec_task_record){0};
}

// the tasks that were finished since the last time
static void tell_tasks(work *work) {
  uint32_t count;
  (void)sfnec_run_get_results(work->run, &count);
  for (; work->tasks_told < count; work->tasks_told++) {
    const sfnec_task_record record = sfnec_task_record_of(work->run, work->tasks_told);
    tell_record(work, &record);
  }
}

// ---- beginning ----

// tells what an earlier session found out and did not get into the database; true if that was all there is to do
static bool tell_old_result(work *work) {
  sfnec_task_record *records;
  uint32_t count;
  const sfnec_status status = sfnec_result_read(work->result_path, work->job->identity, &records, &count);
  if (status) {
    tell_text(work, SFNEC_MESSAGE_WARNING, "%s; the job is run again", sfnec_last_error());
    return false;
  }
  const bool all = count >= work->job->run.tasks;
  for (uint32_t i = work->tasks_told; all && i < work->job->run.tasks; i++) tell_record(work, &records[i]);
  if (all) {
    work->news.tasks_done = work->job->run.tasks;
    work->news.bytes = sfnec_run_get_saved_bytes(work->folder);
    tell(work, SFNEC_MESSAGE_DONE);
  }
  sfnec_result_free(records, count);
  return all;
}

static sfnec_status start_afresh(work *work) {
  const sfnec_env_shape shape = sfnec_env_get_shape(work->env);
  sfnec_status status = sfnec_agent_create(&shape, &work->configuration->options, work->job->seed, &work->agent);
  if (!status) status = sfnec_run_create(work->agent, work->env, &work->job->run, &work->run);
  return status;
}

static sfnec_status create_env(work *work) {
  sfnec_env_destroy(work->env);
  work->env = NULL;
  return sfnec_env_create(work->configuration->env, work->configuration->env_settings, work->job->seed, &work->env);
}

static sfnec_status begin(work *work) {
  sfnec_status status = make_folder(work->folder);
  if (!status) status = create_env(work);
  if (status) return status;

  char warning[SFNEC_RUN_WARNING] = "";
  status = sfnec_run_resume(work->folder, work->job->identity, work->env, &work->job->run, &work->agent, &work->run,
                            warning);
  if (warning[0]) tell_text(work, SFNEC_MESSAGE_WARNING, "%s", warning);
  if (status == SFNEC_ERROR_FORMAT) {
    // what cannot be used is no reason to stop: the job gives the same results from its beginning
    tell_text(work, SFNEC_MESSAGE_WARNING, "%s; the job starts from its beginning", sfnec_last_error());
    status = sfnec_run_discard(work->folder);
    if (!status) status = make_folder(work->folder);
    if (!status) status = create_env(work);
  } else if (!status && !work->run && work->tasks_told > 0) {
    tell_text(work, SFNEC_MESSAGE_WARNING, "%s holds no checkpoint of this job any more; it starts from its beginning",
              work->folder);
  }
  if (!status && !work->run) status = start_afresh(work);
  if (status) return status;

  // what the checkpoint does not hold is run, and told, again
  uint32_t count;
  (void)sfnec_run_get_results(work->run, &count);
  if (work->tasks_told > count) work->tasks_told = count;
  tell_tasks(work);
  tell(work, SFNEC_MESSAGE_PROGRESS);
  return SFNEC_OK;
}

// ---- under way ----

static sfnec_status save(work *work) {
  const double start = sfnec_seconds();
  const sfnec_status status = sfnec_run_save(work->run, work->folder, work->job->identity);
  work->saved_at = sfnec_seconds();
  work->save_cost = work->saved_at - start;
  return status;
}

static bool save_is_due(const work *work) {
  const double least = work->site->checkpoint_seconds;
  const double pause = work->save_cost * (1 / checkpoint_share - 1);
  return sfnec_seconds() - work->saved_at >= (least > 0 && pause > least ? pause : least);
}

static void save_if_due(work *work) {
  if (!save_is_due(work)) return;
  // a full disk may have room again later, and the job can end without this checkpoint
  if (save(work) && !work->save_failed) {
    work->save_failed = true;
    tell_text(work, SFNEC_MESSAGE_WARNING, "%s; the job goes on without this checkpoint", sfnec_last_error());
  }
}

// a step costs from a microsecond to tens of milliseconds: keep slices near their length
static int64_t next_slice(int64_t slice, double seconds) {
  if (seconds < slice_seconds / 2 && slice < 1 << 20) return slice * 2;
  if (seconds > slice_seconds * 2 && slice > 1) return slice / 2;
  return slice;
}

// to the end, or until the job is asked to stop
static sfnec_status advance(work *work, bool *stopped) {
  int64_t slice = 64;
  work->saved_at = sfnec_seconds();
  while (!sfnec_run_is_done(work->run)) {
    *stopped = work->hooks->stop(work->hooks->context);
    if (*stopped) return save(work);
    const double start = sfnec_seconds();
    const sfnec_status status = sfnec_run_advance(work->run, slice);
    if (status) return status;
    slice = next_slice(slice, sfnec_seconds() - start);
    tell_tasks(work);
    tell(work, SFNEC_MESSAGE_PROGRESS);
    if (!sfnec_run_is_done(work->run)) save_if_due(work);
  }
  return SFNEC_OK;
}

// ---- the end ----

static sfnec_status save_agent(const work *work) {
  char *path = sfnec_job_agent_path(work->site->folder, work->job);
  if (!path) return sfnec_fail_memory("a path");
  char *note = sfnec_note_make(work->configuration->name, work->env);
  sfnec_status status = note ? sfnec_agent_set_note(work->agent, note) : sfnec_fail_memory("the note of an agent");
  if (!status) status = sfnec_agent_save(work->agent, path);
  free(note);
  free(path);
  return status;
}

static sfnec_status end(work *work) {
  const sfnec_spec *spec = work->site->plan->spec;
  // the last state only spares work when the experiment is extended by tasks
  if (spec->state_megabytes > 0 && save(work))
    tell_text(work, SFNEC_MESSAGE_WARNING, "%s; more tasks would start from the beginning", sfnec_last_error());
  sfnec_status status = SFNEC_OK;
  const bool first = work->job->seed == spec->seeds[0];
  if (spec->kept_agents == SFNEC_KEPT_ALL || (spec->kept_agents == SFNEC_KEPT_FIRST && first))
    status = save_agent(work);
  if (!status) status = sfnec_result_write(work->result_path, work->job->identity, work->run);
  if (!status) work->news.bytes = sfnec_run_get_saved_bytes(work->folder);
  return status;
}

static void run_to_end(work *work) {
  bool stopped = false;
  sfnec_status status = begin(work);
  if (!status) status = advance(work, &stopped);
  if (!status && !stopped) status = end(work);
  if (status) {
    work->news.status = status;
    tell_text(work, stopped ? SFNEC_MESSAGE_STOPPED : SFNEC_MESSAGE_FAILED, "%s", sfnec_last_error());
  } else {
    tell(work, stopped ? SFNEC_MESSAGE_STOPPED : SFNEC_MESSAGE_DONE);
  }
}

void sfnec_work(const sfnec_site *site, uint32_t job, uint32_t tasks_told, const sfnec_work_hooks *hooks) {
  work work = {.site = site, .job = &site->plan->jobs[job], .hooks = hooks, .tasks_told = tasks_told};
  work.configuration = &site->plan->configurations[work.job->configuration];
  work.news.job = job;
  work.folder = sfnec_job_folder(site->folder, work.job);
  work.result_path = work.folder ? path_of(work.folder, "", "result", "") : NULL;
  if (!work.result_path) {
    work.news.status = sfnec_fail_memory("a path");
    tell_text(&work, SFNEC_MESSAGE_FAILED, "%s", sfnec_last_error());
  } else if (!tell_old_result(&work)) {
    run_to_end(&work);
  }
  sfnec_run_destroy(work.run);
  sfnec_agent_destroy(work.agent);
  sfnec_env_destroy(work.env);
  free(work.result_path);
  free(work.folder);
}
