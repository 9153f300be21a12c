// job.c: one job from its beginning, or from its checkpoint, to its end; see job.h.
//
// Files of a job, in the order in which they come to be: checkpoints while it runs (sfnec/run.h), the last one at its
// end, then the trained agent if it is wanted, then the result. Only a job with a result is reported as done, so a
// crash between any two of these repeats a step and loses nothing. The folder of the checkpoints is made by the first
// of them, and the result lies beside it: a job of milliseconds is one small file.
#include "study/work/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/folder.h"
#include "run/log.h"
#include "sfnec/diagnosis.h"
#include "study/store/task_record.h"
#include "study/work/note.h"
#include "study/work/state_file.h"

// checkpoints take at most this share of a job's time
static const double checkpoint_share = 0.02;
// a job looks up from its work about this often, in seconds
static const double slice_seconds = 0.05;

typedef struct attempt {
  const sfnec_job_options *options;
  const sfnec_job *job;
  const sfnec_configuration *configuration;
  const sfnec_job_hooks *hooks;
  sfnec_message message; // its fields are filled as they become known
  sfnec_arena *arena;
  const char *folder, *result_path; // NULL: nothing is kept
  const char *old_result_path;      // where earlier versions put it
  sfnec_env *env, *side;            // where it learns, and where it is evaluated
  sfnec_agent *agent;
  sfnec_run *run;
  sfnec_log_writer *log; // NULL: none is wanted
  uint32_t tasks_sent;
  double saved_at, save_cost; // when the last checkpoint ended, and what it took
  bool has_checkpoint;        // in its folder
  bool was_short;             // it ended once, and took so little that its last state was not kept
  bool save_failed;           // a warning was sent
} attempt;

// ---- paths ----

const char *sfnec_job_folder(sfnec_arena *arena, const char *folder, const sfnec_job *job) {
  return sfnec_arena_print(arena, "%s/jobs/%s", folder, job->id);
}

const char *sfnec_job_agent_path(sfnec_arena *arena, const char *folder, const sfnec_job *job) {
  return sfnec_arena_print(arena, "%s/agents/%s.sfnec", folder, job->id);
}

const char *sfnec_job_best_path(sfnec_arena *arena, const char *folder, const sfnec_job *job) {
  return sfnec_arena_print(arena, "%s/agents/%s.best.sfnec", folder, job->id);
}

sfnec_status sfnec_job_make_folders(sfnec_arena *arena, const char *folder) {
  static const char *const parts[] = {"jobs", "agents"};
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++) {
    const char *path = sfnec_arena_print(arena, "%s/%s", folder, parts[i]);
    status = path ? sfnec_folder_make_one(path) : sfnec_fail_memory("a path");
  }
  return status;
}

// ---- messages ----

static void send(attempt *attempt, sfnec_message_kind kind) {
  attempt->message.kind = kind;
  if (attempt->run) {
    attempt->message.tasks_done = sfnec_run_get_tasks_done(attempt->run);
    attempt->message.steps = sfnec_run_get_steps_done(attempt->run);
  }
  attempt->hooks->send(attempt->hooks->context, &attempt->message);
}

static void send_text(attempt *attempt, sfnec_message_kind kind, const char *format, const char *sentence) {
  char text[1024];
  snprintf(text, sizeof text, format, sentence);
  attempt->message.text = text;
  send(attempt, kind);
  attempt->message.text = NULL;
}

static void send_record(attempt *attempt, const sfnec_task_record *record) {
  attempt->message.record = *record;
  send(attempt, SFNEC_MESSAGE_TASK);
  attempt->message.record = (sfnec_task_record){0};
}

// the tasks that were finished since the last time
static void send_tasks(attempt *attempt) {
  uint32_t count;
  (void)sfnec_run_get_results(attempt->run, &count);
  for (; attempt->tasks_sent < count; attempt->tasks_sent++) {
    const sfnec_task_record record = sfnec_task_record_of(attempt->run, attempt->tasks_sent);
    send_record(attempt, &record);
  }
}

// ---- beginning ----

static double seconds_of(const sfnec_task_record *records, uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += records[i].result.seconds;
  return sum;
}

// puts a result file of no use aside; one that cannot be is not written over
static sfnec_status put_result_aside(attempt *attempt, const char *path) {
  const char *aside = sfnec_arena_print(attempt->arena, "%s.damaged", path);
  if (!aside) return sfnec_fail_memory("a path");
  send_text(attempt, SFNEC_MESSAGE_WARNING, "%s; the job is run again, and the file is kept as result.damaged",
            sfnec_last_error());
  if (rename(path, aside) == 0) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_IO, "cannot rename %s: %s", path, strerror(errno));
}

// reports results of an earlier session that are not in the database yet; true if nothing else is to do
static bool send_old_result(attempt *attempt) {
  sfnec_task_record *records;
  uint32_t count;
  const char *path = attempt->result_path;
  sfnec_status status = sfnec_result_read(path, attempt->job->identity, &records, &count);
  if (!status && !count) {
    path = attempt->old_result_path;
    status = sfnec_result_read(path, attempt->job->identity, &records, &count);
  }
  if (status == SFNEC_ERROR_FORMAT) {
    status = put_result_aside(attempt, path);
    if (!status) return false;
  }
  if (status) {
    // no memory, or a newer program's: whole for all we know, and not ours to replace
    attempt->message.status = status;
    send_text(attempt, SFNEC_MESSAGE_FAILED, "%s", sfnec_last_error());
    return true;
  }
  const bool all = count >= attempt->job->run.tasks;
  for (uint32_t i = attempt->tasks_sent; all && i < attempt->job->run.tasks; i++) send_record(attempt, &records[i]);
  if (all) {
    attempt->message.tasks_done = attempt->job->run.tasks;
    attempt->message.bytes = sfnec_state_get_bytes(attempt->folder);
    send(attempt, SFNEC_MESSAGE_DONE);
  }
  attempt->was_short = count && seconds_of(records, count) < slice_seconds;
  sfnec_result_free(records, count);
  return all;
}

static sfnec_status start_afresh(attempt *attempt) {
  const sfnec_env_shape shape = sfnec_env_get_shape(attempt->env);
  sfnec_status status =
      sfnec_agent_create(&shape, &attempt->configuration->options, attempt->job->seed, &attempt->agent);
  if (!status) status = sfnec_run_create(attempt->agent, attempt->env, &attempt->job->run, &attempt->run);
  return status;
}

static sfnec_status create_env(attempt *attempt) {
  sfnec_env_destroy(attempt->env);
  attempt->env = NULL;
  return sfnec_env_create(attempt->configuration->env, attempt->configuration->env_settings, attempt->job->seed,
                          &attempt->env);
}

// a world that lives elsewhere cannot be saved, and a run in it neither
static bool can_save(const attempt *attempt) {
  return attempt->folder && !attempt->configuration->env->destroy;
}

// What is proven to be of no use is no reason to stop: the job gives the same results from an earlier state, or from
// its beginning.
static sfnec_status pass_over(attempt *attempt, sfnec_status status, sfnec_status (*put_aside)(const char *folder)) {
  if (status != SFNEC_ERROR_FORMAT) return status;
  send_text(attempt, SFNEC_MESSAGE_WARNING,
            "%s; the job starts from its beginning, or from where it was finished once, and what was there ends in "
            ".damaged",
            sfnec_last_error());
  status = put_aside(attempt->folder);
  return status ? status : create_env(attempt);
}

// resumes from the newest checkpoint that can be used, or from the end of a job with fewer tasks; else there is no run
static sfnec_status resume(attempt *attempt) {
  const sfnec_job *job = attempt->job;
  char warning[SFNEC_RUN_WARNING] = "";
  sfnec_status status = sfnec_run_resume(attempt->folder, job->identity, attempt->env, &job->run, &attempt->agent,
                                         &attempt->run, warning);
  attempt->has_checkpoint = attempt->run != NULL;
  if (warning[0]) send_text(attempt, SFNEC_MESSAGE_WARNING, "%s", warning);
  bool damaged = status == SFNEC_ERROR_FORMAT;
  status = pass_over(attempt, status, sfnec_run_put_aside);
  if (status || attempt->run) return status;

  status = sfnec_state_read(attempt->folder, job->identity, attempt->env, &job->run, &attempt->agent, &attempt->run);
  damaged = damaged || status == SFNEC_ERROR_FORMAT;
  status = pass_over(attempt, status, sfnec_state_put_aside);
  if (!status && !attempt->run && !damaged && attempt->tasks_sent > 0 && !attempt->was_short)
    send_text(attempt, SFNEC_MESSAGE_WARNING,
              "%s holds no state of this job; it starts from its beginning (run --keep-states keeps states, so that "
              "more tasks resume)",
              attempt->folder);
  return status;
}

// in a world with a seed of its own, which begins each evaluation alike
static sfnec_status prepare_evaluation(attempt *attempt) {
  const sfnec_spec_evaluate *evaluate = &attempt->options->plan->spec->evaluate;
  enum { MOST_STEPS = 1000 }; // of an episode that nothing else ends
  if (!evaluate->every) return SFNEC_OK;
  const sfnec_configuration *configuration = attempt->configuration;
  sfnec_status status =
      sfnec_env_create(configuration->env, configuration->env_settings, ~attempt->job->seed, &attempt->side);
  if (status) return status;
  const int64_t limit = sfnec_env_get_max_episode_steps(attempt->side);
  sfnec_evaluate_options options = {.every = evaluate->every,
                                    .episodes = evaluate->episodes,
                                    .episode_steps = evaluate->steps ? evaluate->steps
                                                     : limit         ? limit
                                                                     : MOST_STEPS,
                                    .weights = evaluate->weights.items,
                                    .weight_count = evaluate->weights.count};
  if (evaluate->best && attempt->folder) {
    options.best_path = sfnec_job_best_path(attempt->arena, attempt->options->folder, attempt->job);
    options.best_note = sfnec_note_make(attempt->arena, configuration->name, attempt->env);
    if (!options.best_path || !options.best_note) return sfnec_fail_memory("a path");
  }
  return sfnec_run_set_evaluation(attempt->run, attempt->side, &options);
}

static sfnec_status prepare_log(attempt *attempt) {
  if (!attempt->options->log_path) return SFNEC_OK;
  const sfnec_status status = sfnec_log_writer_create(sfnec_env_get_shape(attempt->env), &attempt->log);
  return status ? status : sfnec_run_set_log(attempt->run, attempt->log);
}

static sfnec_status begin(attempt *attempt) {
  sfnec_status status = create_env(attempt);
  if (!status && can_save(attempt)) status = resume(attempt);
  else if (!status && attempt->folder && attempt->tasks_sent > 0)
    send_text(attempt, SFNEC_MESSAGE_WARNING, "the world of %s cannot be saved, so the job starts from its beginning",
              attempt->configuration->env->name);
  if (!status && !attempt->run) status = start_afresh(attempt);
  if (!status) status = prepare_evaluation(attempt);
  if (!status) status = prepare_log(attempt);
  if (status) return status;

  // what a checkpoint should hold and does not is run, and sent, again
  uint32_t count;
  (void)sfnec_run_get_results(attempt->run, &count);
  if (attempt->tasks_sent > count && !attempt->was_short) attempt->tasks_sent = count;
  send_tasks(attempt);
  send(attempt, SFNEC_MESSAGE_PROGRESS);
  return SFNEC_OK;
}

// ---- under way ----

static sfnec_status save(attempt *attempt) {
  const double start = sfnec_seconds();
  const sfnec_status status = sfnec_run_save(attempt->run, attempt->folder, attempt->job->identity);
  attempt->saved_at = sfnec_seconds();
  attempt->save_cost = attempt->saved_at - start;
  attempt->has_checkpoint = attempt->has_checkpoint || !status;
  return status;
}

static bool save_is_due(const attempt *attempt) {
  const double least = attempt->options->checkpoint_seconds;
  const double pause = attempt->save_cost * (1 / checkpoint_share - 1);
  return sfnec_seconds() - attempt->saved_at >= (least > 0 && pause > least ? pause : least);
}

static void save_if_due(attempt *attempt) {
  if (!can_save(attempt) || !save_is_due(attempt)) return;
  // a full disk may have room again later, and the job can end without this checkpoint
  if (save(attempt) && !attempt->save_failed) {
    attempt->save_failed = true;
    send_text(attempt, SFNEC_MESSAGE_WARNING, "%s; the job continues without this checkpoint", sfnec_last_error());
  }
}

// a step costs from a microsecond to tens of milliseconds: keep slices near their length
static int64_t next_slice(int64_t slice, double seconds) {
  if (seconds < slice_seconds / 2 && slice < 1 << 20) return slice * 2;
  if (seconds > slice_seconds * 2 && slice > 1) return slice / 2;
  return slice;
}

// to the end, or until the job is asked to stop
static sfnec_status advance(attempt *attempt, bool *stopped) {
  int64_t slice = 64;
  attempt->saved_at = sfnec_seconds();
  while (!sfnec_run_is_done(attempt->run)) {
    *stopped = attempt->hooks->stop(attempt->hooks->context);
    if (*stopped) return can_save(attempt) ? save(attempt) : SFNEC_OK;
    const double start = sfnec_seconds();
    const sfnec_status status = sfnec_run_advance(attempt->run, slice);
    if (status) return status;
    slice = next_slice(slice, sfnec_seconds() - start);
    send_tasks(attempt);
    send(attempt, SFNEC_MESSAGE_PROGRESS);
    if (!sfnec_run_is_done(attempt->run)) save_if_due(attempt);
  }
  return SFNEC_OK;
}

// ---- the end ----

static sfnec_status save_agent(const attempt *attempt, const char *path) {
  if (!path) return sfnec_fail_memory("a path");
  const char *note = sfnec_note_make(attempt->arena, attempt->configuration->name, attempt->env);
  const sfnec_status status =
      note ? sfnec_agent_set_note(attempt->agent, note) : sfnec_fail_memory("the note of an agent");
  return status ? status : sfnec_agent_save(attempt->agent, path);
}

static sfnec_status save_log(const attempt *attempt) {
  if (!attempt->log) return SFNEC_OK;
  const char *note = sfnec_note_make(attempt->arena, attempt->configuration->name, attempt->env);
  return note ? sfnec_log_writer_save(attempt->log, note, attempt->options->log_path)
              : sfnec_fail_memory("the note of a log");
}

static bool agent_is_kept(const attempt *attempt) {
  const sfnec_spec *spec = attempt->options->plan->spec;
  if (spec->kept_agents == SFNEC_KEPT_FIRST) return attempt->job->seed == spec->seeds[0];
  return spec->kept_agents == SFNEC_KEPT_ALL;
}

// the last state only spares work when the study is extended by tasks; that of a job which took less than a slice costs
// more time and room than it spares
static bool state_is_kept(const attempt *attempt) {
  uint32_t count;
  const sfnec_task_result *results = sfnec_run_get_results(attempt->run, &count);
  double seconds = 0;
  for (uint32_t i = 0; i < count; i++) seconds += results[i].seconds;
  return attempt->options->plan->spec->state_megabytes > 0 && (attempt->has_checkpoint || seconds >= slice_seconds);
}

// one compressed file in the place of the checkpoints
static sfnec_status keep_state(const attempt *attempt) {
  const sfnec_status status = sfnec_state_write(attempt->folder, attempt->job->identity, attempt->run);
  return status ? status : sfnec_run_discard(attempt->folder);
}

// what keeps the agent from learning well: of a study of one job, as many would say the same a hundred times
static void send_findings(attempt *attempt) {
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  size_t count;
  if (attempt->options->plan->job_count > 1 || sfnec_agent_diagnose(attempt->agent, NULL, findings, &count)) return;
  for (size_t i = 0; i < count; i++) send_text(attempt, SFNEC_MESSAGE_WARNING, "%s", findings[i].text);
}

// what stays in the study's folder of a job that is finished
static sfnec_status keep(attempt *attempt) {
  if (can_save(attempt) && state_is_kept(attempt) && keep_state(attempt))
    send_text(attempt, SFNEC_MESSAGE_WARNING, "%s; more tasks would start from an earlier state", sfnec_last_error());
  sfnec_status status = SFNEC_OK;
  if (agent_is_kept(attempt))
    status = save_agent(attempt, sfnec_job_agent_path(attempt->arena, attempt->options->folder, attempt->job));
  if (!status) status = sfnec_result_write(attempt->result_path, attempt->job->identity, attempt->run);
  if (!status) attempt->message.bytes = sfnec_state_get_bytes(attempt->folder);
  return status;
}

static void run_to_end(attempt *attempt) {
  bool stopped = false;
  sfnec_status status = begin(attempt);
  if (!status) status = advance(attempt, &stopped);
  if (!status) send_findings(attempt);
  if (!status && !stopped && attempt->folder) status = keep(attempt);
  // a job that is stopped has learned something too
  const char *path = stopped || !attempt->folder ? attempt->options->agent_path : NULL;
  if (!status && path) status = save_agent(attempt, path);
  if (!status) status = save_log(attempt);
  if (status) {
    attempt->message.status = status;
    send_text(attempt, stopped ? SFNEC_MESSAGE_STOPPED : SFNEC_MESSAGE_FAILED, "%s", sfnec_last_error());
  } else {
    send(attempt, stopped ? SFNEC_MESSAGE_STOPPED : SFNEC_MESSAGE_DONE);
  }
}

static sfnec_status find_paths(attempt *attempt) {
  attempt->arena = sfnec_arena_create();
  if (!attempt->arena) return sfnec_fail_memory("a path");
  if (!attempt->options->folder) return SFNEC_OK;
  attempt->folder = sfnec_job_folder(attempt->arena, attempt->options->folder, attempt->job);
  if (!attempt->folder) return sfnec_fail_memory("a path");
  attempt->result_path = sfnec_arena_print(attempt->arena, "%s.result", attempt->folder);
  attempt->old_result_path = sfnec_arena_print(attempt->arena, "%s/result", attempt->folder);
  return attempt->result_path && attempt->old_result_path ? SFNEC_OK : sfnec_fail_memory("a path");
}

void sfnec_job_run(const sfnec_job_options *options, uint32_t job, uint32_t tasks_sent, const sfnec_job_hooks *hooks) {
  attempt attempt = {.options = options, .job = &options->plan->jobs[job], .hooks = hooks, .tasks_sent = tasks_sent};
  attempt.configuration = &options->plan->configurations[attempt.job->configuration];
  attempt.message.job = job;
  attempt.message.status = find_paths(&attempt);
  if (attempt.message.status) send_text(&attempt, SFNEC_MESSAGE_FAILED, "%s", sfnec_last_error());
  else if (!attempt.folder || !send_old_result(&attempt)) run_to_end(&attempt);
  sfnec_run_destroy(attempt.run);
  sfnec_log_writer_destroy(attempt.log);
  sfnec_agent_destroy(attempt.agent);
  sfnec_env_destroy(attempt.env);
  sfnec_env_destroy(attempt.side);
  sfnec_arena_destroy(attempt.arena);
}
