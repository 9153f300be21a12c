// data.h: the data that are put into the page. web/src/data.ts is the other side of this shape.
#ifndef SFNEC_SHOW_REPORT_DATA_H
#define SFNEC_SHOW_REPORT_DATA_H

#include "base/json.h"
#include "show/report/report.h"

typedef struct sfnec_report_input {
  const sfnec_results *results;
  const sfnec_analysis *analysis; // of the return, after the last task that all have
  const sfnec_report_options *options;
  size_t episode_window; // episodes that a point of the curve over episodes is the mean of; 0: there is no such curve
  bool uses_by_run;      // how policies were used is told of each run, not of their sum only
} sfnec_report_input;

// One object with all of it.
sfnec_status sfnec_report_put_data(sfnec_json *json, const sfnec_report_input *in);

#endif
