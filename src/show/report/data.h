// data.h: the data that are put into the page. web/src/data.ts is the other side of this shape.
#ifndef SFNEC_SHOW_REPORT_DATA_H
#define SFNEC_SHOW_REPORT_DATA_H

#include "base/json.h"
#include "show/report/report.h"

typedef struct sfnec_report_input {
  const sfnec_results *results;
  const sfnec_analysis *analysis; // by the metric of the results, after the last task that all have
  const sfnec_report_options *options;
  bool episodes;         // there is a curve of recorded episodes
  size_t episode_window; // so many of them a point is the mean of; 0: they are drawn over steps
  bool steps;            // there are curves over steps
  bool step_values;      // also those of the single runs
  bool evaluations;      // there are evaluations on the side
  bool uses_by_run;      // the use of policies is written for each run, not only as a sum
} sfnec_report_input;

// Parts of it: replays (replays.c), and what evaluations under several weights gave (weights.c).
sfnec_status sfnec_report_put_replays(sfnec_json *json, const sfnec_report_input *in);
sfnec_status sfnec_report_put_features(sfnec_json *json, const sfnec_report_input *in);
sfnec_status sfnec_report_put_weights(sfnec_json *json, const sfnec_report_input *in, size_t configuration);

// One object with all of it.
sfnec_status sfnec_report_put_data(sfnec_json *json, const sfnec_report_input *in);

#endif
