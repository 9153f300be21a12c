// progress.c: what is shown while a study runs; see progress.h.
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/terminal.h"

enum { BAR = 24, NAME = 28 };

void progress_start(progress *shown, bool quiet) {
  *shown = (progress){.quiet = quiet, .terminal = !quiet && isatty(STDERR_FILENO), .start = sfnec_seconds()};
}

// one line that does not wrap: a wrapped line cannot be drawn over
static void put_line(progress *shown, int columns, const char *text) {
  size_t bytes = strlen(text);
  // drop whole characters from the end until it fits
  char line[512];
  if (bytes >= sizeof line) bytes = sizeof line - 1;
  memcpy(line, text, bytes);
  line[bytes] = '\0';
  while (bytes > 0 && sfnec_text_columns(line) >= columns) line[--bytes] = '\0';
  while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80) line[--bytes] = '\0';
  fprintf(stderr, "\r\033[K%s\n", line);
  shown->drawn++;
}

static const char *bar(double share, char text[BAR + 3]) {
  const int full = share > 0 ? (int)((share < 1 ? share : 1) * BAR) : 0;
  text[0] = '[';
  memset(text + 1, '#', (size_t)full);
  memset(text + 1 + full, '.', (size_t)(BAR - full));
  text[BAR + 1] = ']';
  text[BAR + 2] = '\0';
  return text;
}

static void job_name(const sfnec_progress *study, uint32_t job, char *text, size_t size) {
  const sfnec_job *planned = &study->plan->jobs[job];
  snprintf(text, size, "%s seed %" PRIu64, study->plan->configurations[planned->configuration].name, planned->seed);
}

static void draw_worker(progress *shown, const sfnec_progress *study, uint32_t worker, int columns) {
  char line[512], name[256], bars[BAR + 3], last[64] = "";
  const int64_t number = study->worker_jobs[worker];
  if (number < 0) {
    put_line(shown, columns, "  free");
    return;
  }
  const sfnec_job_progress *job = &study->jobs[number];
  const uint32_t tasks = study->plan->jobs[number].run.tasks;
  job_name(study, (uint32_t)number, name, sizeof name);
  if (!isnan(job->last_return)) snprintf(last, sizeof last, "  last return %.1f", job->last_return);
  const int blanks = NAME - sfnec_text_columns(name);
  const uint32_t task = (uint32_t)job->progress + 1;
  snprintf(line, sizeof line, "  %s%*s %s task %" PRIu32 "/%" PRIu32 "%s", name, blanks > 0 ? blanks : 0, "",
           bar(job->progress / tasks, bars), task < tasks ? task : tasks, tasks, last);
  put_line(shown, columns, line);
}

static void draw_all(progress *shown, const sfnec_progress *study, int columns) {
  char line[512], bars[BAR + 3], left[TEXT_NUMBER] = "?", failed[64] = "";
  const double seconds = sfnec_seconds() - shown->start, gained = study->share - study->begun;
  if (gained > 0.0005) text_duration(seconds * (1 - study->share) / gained, left);
  if (study->failed) snprintf(failed, sizeof failed, "  %zu failed", study->failed);
  snprintf(line, sizeof line, "%s %zu/%zu jobs%s  %.0f%%  %.0f steps/s  ETA %s", bar(study->share, bars), study->done,
           study->plan->job_count, failed, 100 * study->share, seconds > 0 ? (double)study->steps / seconds : 0, left);
  put_line(shown, columns, line);
}

void progress_draw(progress *shown, const sfnec_progress *study) {
  const double time = sfnec_seconds();
  if (!shown->terminal || time - shown->last < 0.2) return;
  shown->last = time;
  int rows, columns;
  terminal_size(STDERR_FILENO, &columns, &rows);
  progress_clear(shown);
  for (uint32_t i = 0; i < study->worker_count && shown->drawn + 3 < rows; i++) draw_worker(shown, study, i, columns);
  draw_all(shown, study, columns);
  fflush(stderr);
}

void progress_clear(progress *shown) {
  // up to the first line, and everything below it away
  if (shown->drawn) fprintf(stderr, "\033[%dA\r\033[J", shown->drawn);
  shown->drawn = 0;
}

void progress_ended(progress *shown, const sfnec_progress *study, const sfnec_message *message) {
  const sfnec_job_progress *job = &study->jobs[message->job];
  char name[256];
  job_name(study, message->job, name, sizeof name);
  if (message->kind == SFNEC_MESSAGE_FAILED) {
    progress_clear(shown);
    complain("%s failed: %s%s", name, message->text ? message->text : "no reason is known",
             job->state == SFNEC_JOB_FAILED ? "" : "; it is tried once more");
    return;
  }
  if (shown->quiet || shown->terminal) return;
  const sfnec_result_run *run = shown->judged ? &shown->judged->runs[message->job] : NULL;
  double value = job->tasks_done ? job->sum / job->tasks_done : 0;
  if (run && run->task_count) value = sfnec_metric_value(&shown->metric, run->tasks, 0, run->task_count);
  fprintf(stderr, "%zu/%zu %s: %s %.*f over %" PRIu32 " task%s\n", study->done, study->plan->job_count, name,
          run ? shown->metric.name : "average return", fabs(value) < 10 ? 3 : 1, value, job->tasks_done,
          plural(job->tasks_done));
}

void progress_warning(progress *shown, const sfnec_progress *study, const sfnec_message *message) {
  char name[256];
  job_name(study, message->job, name, sizeof name);
  progress_clear(shown);
  complain("%s: %s", name, message->text ? message->text : "something is wrong");
}
