// job.h: one job from its beginning, or from its checkpoint, to its end.
#ifndef SFNEC_STUDY_WORK_JOB_H
#define SFNEC_STUDY_WORK_JOB_H

#include "study/plan/plan.h"
#include "study/work/message.h"

// What all jobs of a study share.
typedef struct sfnec_job_options {
  const sfnec_plan *plan;
  const char *folder;        // of the study; NULL: nothing is kept, neither checkpoints nor results
  double checkpoint_seconds; // between two checkpoints of a job, at least; 0: as often as possible, whatever it costs
  // of a study of one job: where its agent is saved when the job stops, or ends without a folder; NULL: nowhere
  const char *agent_path;
  // of a study of one job without a folder: where its transitions go as a log (run/log.h); NULL: nowhere
  const char *log_path;
} sfnec_job_options;

// How a job reaches those who wait for it. Both are called in the thread of the job.
typedef struct sfnec_job_hooks {
  void (*send)(void *context, const sfnec_message *message); // the message are copied if they are kept
  bool (*stop)(void *context);                               // asked a few times a second
  void *context;
} sfnec_job_hooks;

// Runs one job and sends messages about it; the last one is DONE, FAILED or STOPPED. A result file that is there is
// sent and nothing is run; a checkpoint that is there is resumed. `tasks_sent` tasks have been sent before and are left
// out, unless they are run again because a checkpoint was lost.
void sfnec_job_run(const sfnec_job_options *options, uint32_t job, uint32_t tasks_sent, const sfnec_job_hooks *hooks);

// The folder of a job, "FOLDER/jobs/ID", and the file of its trained agent: in the arena, NULL without memory.
const char *sfnec_job_folder(sfnec_arena *arena, const char *folder, const sfnec_job *job);
const char *sfnec_job_agent_path(sfnec_arena *arena, const char *folder, const sfnec_job *job);
// And that of the one that did best in evaluations.
const char *sfnec_job_best_path(sfnec_arena *arena, const char *folder, const sfnec_job *job);
// Makes the folders of the study (jobs/, agents/); fails with SFNEC_ERROR_IO.
sfnec_status sfnec_job_make_folders(sfnec_arena *arena, const char *folder);

#endif
