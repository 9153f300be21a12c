// progress.h: what is shown while a study runs: bars on a terminal, plain lines elsewhere; all on stderr.
#ifndef SFNEC_CLI_PROGRESS_H
#define SFNEC_CLI_PROGRESS_H

#include "study/analysis/analysis.h"
#include "study/work/scheduler.h"

typedef struct progress {
  bool quiet;
  bool terminal; // draw bars
  int drawn;     // lines on the screen now
  double start, last;
  // the number reported of a finished job: its metric over these results; NULL: its average return
  sfnec_results *judged;
  sfnec_metric metric;
} progress;

void progress_start(progress *shown, bool quiet);
// Draws one bar per worker and one for all, a few times a second.
void progress_draw(progress *shown, const sfnec_progress *study);
// Tells how a job ended, or will be tried again.
void progress_ended(progress *shown, const sfnec_progress *study, const sfnec_message *message);
void progress_warning(progress *shown, const sfnec_progress *study, const sfnec_message *message);
// Takes the bars away, before anything else is printed.
void progress_clear(progress *shown);

#endif
