// progress.c: one line on stderr that is drawn over and over, on a terminal only.
#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/drive.h"
#include "cli/text.h"

void progress_start(progress *progress, bool quiet) {
  progress->terminal = !quiet && isatty(STDERR_FILENO);
  progress->drawn = false;
  progress->start = progress->last = now();
}

void progress_draw(progress *progress, double share, const char *format, ...) {
  const double time = now();
  if (!progress->terminal || time - progress->last < 0.2) return;
  progress->last = time;
  progress->drawn = true;
  // longer than a usual terminal is wide would wrap, and a wrapped line cannot be drawn over
  char text[64], left[TEXT_NUMBER] = "?";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (share > 0.001) text_duration((time - progress->start) * (1 - share) / share, left);
  fprintf(stderr, "\r\033[K%s  ETA %s", text, left);
  fflush(stderr);
}

void progress_clear(progress *progress) {
  if (!progress->drawn) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  progress->drawn = false;
}
