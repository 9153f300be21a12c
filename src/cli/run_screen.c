// run_screen.c: what `sfnec run` shows while it works; see run_screen.h.
#include "cli/run_screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"

enum { BAR = 24, NAME = 28 };

void run_screen_start(run_screen *screen, bool quiet) {
  *screen = (run_screen){.quiet = quiet, .terminal = !quiet && isatty(STDERR_FILENO), .start = sfnec_seconds()};
}

static void screen_size(int *rows, int *columns) {
  struct winsize size;
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
  *rows = known ? size.ws_row : 24;
  *columns = known ? size.ws_col : 80;
}

// one line that does not wrap: a wrapped line cannot be drawn over
static void put_line(run_screen *screen, int columns, const char *text) {
  size_t bytes = strlen(text);
  // drop whole characters from the end until it fits
  char line[512];
  if (bytes >= sizeof line) bytes = sizeof line - 1;
  memcpy(line, text, bytes);
  line[bytes] = '\0';
  while (bytes > 0 && text_columns(line) >= columns) line[--bytes] = '\0';
  while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80) line[--bytes] = '\0';
  fprintf(stderr, "\r\033[K%s\n", line);
  screen->drawn++;
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

static void job_name(const sfnec_score *score, uint32_t job, char *text, size_t size) {
  const sfnec_job *planned = &score->plan->jobs[job];
  snprintf(text, size, "%s seed %" PRIu64, score->plan->configurations[planned->configuration].name, planned->seed);
}

static void draw_worker(run_screen *screen, const sfnec_score *score, uint32_t worker, int columns) {
  char line[512], name[256], bars[BAR + 3], last[64] = "";
  const int64_t number = score->worker_jobs[worker];
  if (number < 0) {
    put_line(screen, columns, "  free");
    return;
  }
  const sfnec_score_job *job = &score->jobs[number];
  const uint32_t tasks = score->plan->jobs[number].run.tasks;
  job_name(score, (uint32_t)number, name, sizeof name);
  if (!isnan(job->last_return)) snprintf(last, sizeof last, "  last return %.1f", job->last_return);
  const int blanks = NAME - text_columns(name);
  const uint32_t task = (uint32_t)job->progress + 1;
  snprintf(line, sizeof line, "  %s%*s %s task %" PRIu32 "/%" PRIu32 "%s", name, blanks > 0 ? blanks : 0, "",
           bar(job->progress / tasks, bars), task < tasks ? task : tasks, tasks, last);
  put_line(screen, columns, line);
}

static void draw_all(run_screen *screen, const sfnec_score *score, int columns) {
  char line[512], bars[BAR + 3], left[TEXT_NUMBER] = "?", failed[64] = "";
  const double seconds = sfnec_seconds() - screen->start, gained = score->share - score->begun;
  if (gained > 0.0005) text_duration(seconds * (1 - score->share) / gained, left);
  if (score->failed) snprintf(failed, sizeof failed, "  %zu failed", score->failed);
  snprintf(line, sizeof line, "%s %zu/%zu jobs%s  %.0f%%  %.0f steps/s  ETA %s", bar(score->share, bars), score->done,
           score->plan->job_count, failed, 100 * score->share, seconds > 0 ? (double)score->steps / seconds : 0, left);
  put_line(screen, columns, line);
}

void run_screen_draw(run_screen *screen, const sfnec_score *score) {
  const double time = sfnec_seconds();
  if (!screen->terminal || time - screen->last < 0.2) return;
  screen->last = time;
  int rows, columns;
  screen_size(&rows, &columns);
  run_screen_clear(screen);
  for (uint32_t i = 0; i < score->worker_count && screen->drawn + 3 < rows; i++) draw_worker(screen, score, i, columns);
  draw_all(screen, score, columns);
  fflush(stderr);
}

void run_screen_clear(run_screen *screen) {
  // up to the first line, and everything below it away
  if (screen->drawn) fprintf(stderr, "\033[%dA\r\033[J", screen->drawn);
  screen->drawn = 0;
}

void run_screen_ended(run_screen *screen, const sfnec_score *score, const sfnec_message *news) {
  const sfnec_score_job *job = &score->jobs[news->job];
  char name[256];
  job_name(score, news->job, name, sizeof name);
  if (news->kind == SFNEC_MESSAGE_FAILED) {
    run_screen_clear(screen);
    complain("%s failed: %s%s", name, news->text ? news->text : "no reason is known",
             job->state == SFNEC_JOB_FAILED ? "" : "; it is tried once more");
    return;
  }
  if (screen->quiet || screen->terminal) return;
  fprintf(stderr, "%zu/%zu %s: average return %.1f over %" PRIu32 " task%s\n", score->done, score->plan->job_count,
          name, job->tasks_done ? job->sum / job->tasks_done : 0, job->tasks_done, job->tasks_done == 1 ? "" : "s");
}

void run_screen_warning(run_screen *screen, const sfnec_score *score, const sfnec_message *news) {
  char name[256];
  job_name(score, news->job, name, sizeof name);
  run_screen_clear(screen);
  complain("%s: %s", name, news->text ? news->text : "something is wrong");
}
