// run_screen.h: what `sfnec run` shows while it works: bars on a terminal, plain lines elsewhere; all on stderr.
#ifndef SFNEC_CLI_RUN_SCREEN_H
#define SFNEC_CLI_RUN_SCREEN_H

#include "study/work/conduct.h"

typedef struct run_screen {
  bool quiet;
  bool terminal; // draw bars
  int drawn;     // lines on the screen now
  double start, last;
} run_screen;

void run_screen_start(run_screen *screen, bool quiet);
// Draws one bar per worker and one for all, a few times a second.
void run_screen_draw(run_screen *screen, const sfnec_score *score);
// Tells how a job ended, or will be tried again.
void run_screen_ended(run_screen *screen, const sfnec_score *score, const sfnec_message *news);
void run_screen_warning(run_screen *screen, const sfnec_score *score, const sfnec_message *news);
// Takes the bars away, before anything else is printed.
void run_screen_clear(run_screen *screen);

#endif
