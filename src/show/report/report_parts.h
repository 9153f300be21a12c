// report_parts.h: the parts of the page's data, one file each. web/src/data.ts is the other side of this shape.
#ifndef SFNEC_SHOW_REPORT_REPORT_PARTS_H
#define SFNEC_SHOW_REPORT_REPORT_PARTS_H

#include "base/json.h"
#include "show/report/report.h"

typedef struct sfnec_report_input {
  const sfnec_results *results;
  const sfnec_analysis *analysis; // of the return, after the last task that all have
  const sfnec_report_options *options;
  sfnec_arena *arena;
  size_t episode_window; // episodes that a point of the curve over episodes is the mean of; 0: there is no such curve
  bool uses_by_run;      // how policies were used is told of each run, not of their sum only
} sfnec_report_input;

// What was run: keys of the outermost object.
void sfnec_report_put_study(sfnec_json *json, const sfnec_report_input *in);
// The configurations with their runs, curves and statistics.
sfnec_status sfnec_report_put_configurations(sfnec_json *json, const sfnec_report_input *in);
// The curves of one configuration, with bands: "curves".
sfnec_status sfnec_report_put_curves(sfnec_json *json, const sfnec_report_input *in, size_t configuration);
// The statistics of one configuration: "stats".
void sfnec_report_put_stats(sfnec_json *json, const sfnec_analysis *analysis, size_t index);
// Ours against published, and the sweeps: "verdicts", "sweeps".
sfnec_status sfnec_report_put_verdicts(sfnec_json *json, const sfnec_report_input *in);
void sfnec_report_put_sweeps(sfnec_json *json, const sfnec_analysis *analysis);
// One replay for each configuration that kept its agents: "replays".
sfnec_status sfnec_report_put_replays(sfnec_json *json, const sfnec_report_input *in, sfnec_report_facts *facts);

#endif
