// tool_study.c: makes the experiment of support/experiment.h in a folder, for the scripts.
//
//   tool_study FOLDER CONFIGURATIONS SEEDS TASKS [reversed|partial|hold]
//
// reversed: the jobs in the opposite order, with other seconds. partial: the first job is done, the second in the
// middle, the third failed, the others wait. hold: done, and keeps the store open until its input ends.
#include "support/experiment.h"

static sfnec_status run_one(sfnec_store *store, const sfnec_job *job, double slower) {
  sfnec_status status = sfnec_store_set_state(store, job, SFNEC_JOB_RUNNING, NULL);
  for (uint32_t task = 0; task < job->run.tasks && !status; task++) {
    study_result result;
    study_result_make(&result, job, task, true);
    result.record.result.seconds *= slower;
    status = sfnec_store_put_task(store, job, &result.record);
  }
  return status ? status : sfnec_store_set_state(store, job, SFNEC_JOB_DONE, NULL);
}

static sfnec_status run_part(sfnec_store *store, const sfnec_plan *plan) {
  sfnec_status status = run_one(store, &plan->jobs[0], 1);
  study_result result;
  study_result_make(&result, &plan->jobs[1], 0, true);
  if (!status) status = sfnec_store_set_state(store, &plan->jobs[1], SFNEC_JOB_RUNNING, NULL);
  if (!status) status = sfnec_store_put_task(store, &plan->jobs[1], &result.record);
  if (!status) status = sfnec_store_set_state(store, &plan->jobs[2], SFNEC_JOB_RUNNING, NULL);
  if (!status) status = sfnec_store_set_state(store, &plan->jobs[2], SFNEC_JOB_FAILED, "the \"disk\" is full");
  return status;
}

static sfnec_status make(const char *folder, const study *s, const char *how) {
  sfnec_store *store = NULL;
  sfnec_status status = sfnec_store_open(folder, &store);
  if (!status) status = sfnec_store_set_plan(store, &s->plan, "name: study\ntitle: \"A study\"\n");
  if (!status) status = sfnec_store_begin_session(store, 2, 1);
  const size_t count = s->plan.job_count;
  const bool partial = strcmp(how, "partial") == 0, reversed = strcmp(how, "reversed") == 0;
  if (!status && partial) status = run_part(store, &s->plan);
  for (size_t i = 0; i < count && !status && !partial; i++)
    status = run_one(store, &s->jobs[reversed ? count - 1 - i : i], reversed ? 3 : 1);
  if (!status && strcmp(how, "hold") == 0) {
    puts("held");
    fflush(stdout);
    while (getchar() != EOF) {
    }
  }
  if (!status && !partial) status = sfnec_store_end_session(store, "done");
  sfnec_store_close(store);
  return status;
}

int main(int argc, char **argv) {
  static study s;
  if (argc < 5) return 2;
  study_make(&s, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), 1, (uint32_t)strtoul(argv[4], NULL, 10));
  if (make(argv[1], &s, argc > 5 ? argv[5] : "") == SFNEC_OK) return 0;
  fprintf(stderr, "%s\n", sfnec_last_error());
  return 1;
}
