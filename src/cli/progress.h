// progress.h: one line on stderr that is drawn over and over, on a terminal only.
#ifndef SFNEC_CLI_PROGRESS_H
#define SFNEC_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
  bool terminal; // draw at all
  bool drawn;    // the line is on the screen
  double start, last;
} progress;

void progress_start(progress *progress, bool quiet);
// Draws the text followed by the time left, guessed from the share of the work that is done; a few times a second.
__attribute__((format(printf, 3, 4))) void progress_draw(progress *progress, double share, const char *format, ...);
// Takes the line away, before anything else is printed.
void progress_clear(progress *progress);

#endif
