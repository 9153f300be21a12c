// report_stats.c: the statistics, the sweeps and the comparison with published values for the page.
#include <math.h>

#include "base/error.h"
#include "show/report/report_parts.h"

static void put_estimate(sfnec_json *json, const char *key, sfnec_estimate estimate) {
  sfnec_json_begin(json, key, '{');
  sfnec_json_real(json, "value", estimate.value);
  sfnec_json_real(json, "low", estimate.interval.low);
  sfnec_json_real(json, "high", estimate.interval.high);
  sfnec_json_end(json, '}');
}

static void put_comparison(sfnec_json *json, const sfnec_analysis_row *row) {
  sfnec_json_begin(json, "paired", '{');
  sfnec_json_int(json, "count", (int64_t)row->paired.count);
  sfnec_json_int(json, "better", (int64_t)row->better);
  sfnec_json_int(json, "worse", (int64_t)row->worse);
  put_estimate(json, "mean", row->paired.mean);
  sfnec_json_real(json, "se", row->paired.error);
  sfnec_json_real(json, "p", row->paired.p);
  sfnec_json_end(json, '}');
  put_estimate(json, "improvement", row->improvement);
}

static void put_contender(sfnec_json *json, const sfnec_analysis_row *row) {
  sfnec_json_begin(json, "contender", '{');
  sfnec_json_int(json, "sweep", (int64_t)row->sweep);
  sfnec_json_real(json, "mean", row->contender.mean);
  sfnec_json_real(json, "chance", row->contender.chance);
  sfnec_json_bool(json, "possible", row->contender.possible);
  sfnec_json_end(json, '}');
}

void sfnec_report_put_stats(sfnec_json *json, const sfnec_analysis *analysis, size_t index) {
  const sfnec_analysis_row *row = &analysis->rows[index];
  if (!row->runs.count) {
    sfnec_json_text(json, "stats", NULL);
    return;
  }
  sfnec_json_begin(json, "stats", '{');
  sfnec_json_int(json, "count", (int64_t)row->runs.count);
  sfnec_json_begin(json, "scores", '[');
  for (size_t i = 0; i < row->runs.count; i++) sfnec_json_real(json, NULL, row->runs.values[i]);
  sfnec_json_end(json, ']');
  sfnec_json_real(json, "se", row->error);
  put_estimate(json, "mean", row->summary.mean);
  put_estimate(json, "median", row->summary.median);
  put_estimate(json, "iqm", row->summary.iqm);
  sfnec_json_begin(json, "profile", '[');
  for (size_t i = 0; i < analysis->tau_count; i++) put_estimate(json, NULL, row->profile[i]);
  sfnec_json_end(json, ']');
  if (index != analysis->reference && row->paired.count) put_comparison(json, row);
  if (row->sweep != SIZE_MAX && analysis->sweeps[row->sweep].seeds) put_contender(json, row);
  sfnec_json_end(json, '}');
}

void sfnec_report_put_sweeps(sfnec_json *json, const sfnec_analysis *analysis) {
  sfnec_json_begin(json, "sweeps", '[');
  for (size_t i = 0; i < analysis->sweep_count; i++) {
    const sfnec_analysis_sweep *sweep = &analysis->sweeps[i];
    sfnec_json_begin(json, NULL, '{');
    sfnec_json_text(json, "label", sweep->label);
    sfnec_json_int(json, "points", (int64_t)sweep->points);
    sfnec_json_int(json, "seeds", (int64_t)sweep->seeds);
    sfnec_json_int(json, "best", (int64_t)sweep->best);
    sfnec_json_int(json, "possible", (int64_t)sweep->possible);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

// ---- ours against published ----

static void put_verdict(sfnec_json *json, const sfnec_published *published, uint32_t task,
                        const sfnec_analysis_row *row) {
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_text(json, "agent", published->agent);
  sfnec_json_begin(json, "settings", '{');
  for (size_t i = 0; i < published->options.count; i++)
    sfnec_json_text(json, published->options.items[i].key, published->options.items[i].value);
  sfnec_json_end(json, '}');
  sfnec_json_int(json, "task", task);
  sfnec_json_real(json, "published", published->mean);
  sfnec_json_real(json, "published_se", published->se);
  sfnec_json_text(json, "source", published->source);
  if (row) {
    sfnec_json_int(json, "configuration", (int64_t)row->configuration_index);
    sfnec_json_int(json, "count", (int64_t)row->runs.count);
    sfnec_json_real(json, "mean", row->mean);
    sfnec_json_real(json, "se", row->error);
    sfnec_json_real(json, "errors", row->published_errors);
  }
  sfnec_json_end(json, '}');
}

static const sfnec_analysis_row *find_row(const sfnec_analysis *analysis, const sfnec_published *published) {
  for (size_t i = 0; i < analysis->row_count; i++)
    if (analysis->rows[i].published == published) return &analysis->rows[i];
  return NULL;
}

// each published value is after a task of its own, so it is judged by the statistics after that task
sfnec_status sfnec_report_put_verdicts(sfnec_json *json, const sfnec_report_input *in) {
  const sfnec_results *results = in->results;
  sfnec_analysis *analysis = NULL;
  uint32_t analysis_task = 0;
  sfnec_status status = SFNEC_OK;
  sfnec_json_begin(json, "verdicts", '[');
  for (size_t i = 0; i < results->published_count && !status; i++) {
    const sfnec_published *published = &results->published[i];
    const uint32_t task = published->task ? published->task : results->tasks;
    if (task != analysis_task) {
      // only means and errors are asked for: one resample is enough
      const sfnec_analysis_options options = {.task = task, .resamples = 1};
      sfnec_analysis_destroy(analysis);
      analysis = NULL;
      analysis_task = task;
      status = sfnec_analysis_make(results, &options, &analysis);
      if (status == SFNEC_ERROR_STATE) status = SFNEC_OK; // no run is that far yet: told as such
    }
    if (!status) put_verdict(json, published, task, analysis ? find_row(analysis, published) : NULL);
  }
  sfnec_json_end(json, ']');
  sfnec_analysis_destroy(analysis);
  return status;
}
