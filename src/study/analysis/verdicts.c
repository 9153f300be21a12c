// verdicts.c: the published values of a study beside ours; the contract is in verdicts.h.
#include "study/analysis/verdicts.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "study/analysis/analysis.h"

static void judge(sfnec_published_verdict *verdict, const sfnec_analysis *analysis) {
  verdict->runs = 0;
  verdict->mean = verdict->se = verdict->errors = (double)NAN;
  verdict->configuration = SIZE_MAX;
  for (size_t i = 0; analysis && i < analysis->row_count; i++) {
    const sfnec_analysis_row *row = &analysis->rows[i];
    if (row->published != verdict->published) continue;
    verdict->configuration = row->configuration_index;
    verdict->runs = row->runs.count;
    verdict->mean = row->mean;
    verdict->se = row->error;
    verdict->errors = row->published_errors;
  }
}

sfnec_status sfnec_verdicts_make(const sfnec_results *results, sfnec_published_verdict **verdicts) {
  sfnec_published_verdict *list = calloc(results->published_count + 1, sizeof *list);
  if (!list) return sfnec_fail_memory("the published values");
  sfnec_analysis *analysis = NULL;
  uint32_t analysed = 0;
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < results->published_count && !status; i++) {
    sfnec_published_verdict *each = &list[i];
    each->published = &results->published[i];
    each->task = sfnec_published_task(results, each->published);
    if (each->task != analysed) {
      // only means and errors are asked for: one resample is enough
      const sfnec_analysis_options options = {.metric = "return", .task = each->task, .resamples = 1};
      sfnec_analysis_destroy(analysis);
      analysis = NULL;
      analysed = each->task;
      status = sfnec_analysis_make(results, &options, &analysis);
      if (status == SFNEC_ERROR_STATE) status = SFNEC_OK; // no run is that far yet
    }
    if (!status) judge(each, analysis);
  }
  sfnec_analysis_destroy(analysis);
  if (!status) *verdicts = list;
  else free(list);
  return status;
}

bool sfnec_verdict_known(const sfnec_published_verdict *verdict) {
  return isfinite(verdict->errors);
}

bool sfnec_verdict_agrees(const sfnec_published_verdict *verdict) {
  return fabs(verdict->errors) <= 2;
}
