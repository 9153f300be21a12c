// report.h: one HTML page about an experiment or several, which works offline from a file.
//
// The page itself (web/) is built by npm and lies in the binary; here the data of the experiment are put into it.
#ifndef SFNEC_SHOW_REPORT_REPORT_H
#define SFNEC_SHOW_REPORT_REPORT_H

#include <stdio.h>

#include "study/analysis/analysis.h"

typedef struct sfnec_report_options {
  uint32_t resamples; // of the statistics
  uint32_t replays;   // so many configurations get a replay at most
  uint32_t reload;    // the page reads itself again after so many seconds; 0: never
  const char *env;    // where the agents play, by name or file; NULL: in the built-in world that their notes name
} sfnec_report_options;

// The page in the binary; its source is made by cmake/Web.cmake.
extern const unsigned char sfnec_report_page[]; // HTML; where SFNEC_REPORT_DATA stands, the data go
extern const size_t sfnec_report_page_size;     // 0: the page could not be built
extern const char sfnec_report_page_missing[];  // why, "" if it is there

// Whether this program has the page in it. Fails with SFNEC_ERROR_STATE: why not, and how to get it.
sfnec_status sfnec_report_check(void);

// Writes the page about one experiment or several, and returns how many runs of each it has: coverage (count). Whether
// all of it could be written is for the caller to ask the stream. Fails with SFNEC_ERROR_STATE (no page in this
// program; no run has finished a task yet) or _MEMORY, before anything was written.
sfnec_status sfnec_report_write(const sfnec_results *const *results, size_t count, const sfnec_report_options *options,
                                FILE *html, sfnec_coverage *coverage);

#endif
