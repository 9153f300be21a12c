// report.c: puts the data of experiments into the page; the contract is in report.h.
#include "show/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "show/report/data.h"
#include "study/analysis/series.h"

// the place of the data in the page
static const char marker[] = "SFNEC_REPORT_DATA";

// above this many numbers (about 1.5 MB) the page has the use of policies only as the sum over the runs
enum { MOST_USES = 400000 };
// and above this many runs (about 1 MB) the page has curves over steps only as means
enum { MOST_STEP_RUNS = 200 };

sfnec_status sfnec_report_check(void) {
  if (sfnec_report_page_size) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_STATE, "this sfnec was built without the page of the report: %s",
                    sfnec_report_page_missing);
}

// ---- data ----

static size_t count_uses(const sfnec_results *results) {
  size_t count = 0;
  for (size_t i = 0; i < results->run_count; i++)
    for (uint32_t task = 0; task < results->runs[i].task_count; task++) count += results->runs[i].tasks[task].use_count;
  return count;
}

// one experiment, as an object of the JSON
static sfnec_status put_experiment(sfnec_json *json, const sfnec_results *results, const sfnec_report_options *options,
                                   sfnec_coverage *coverage) {
  const sfnec_analysis_options how = {.resamples = options->resamples};
  sfnec_analysis *analysis = NULL;
  sfnec_status status = sfnec_analysis_make(results, &how, &analysis);
  if (status) return status;
  *coverage = analysis->coverage;
  const sfnec_report_input in = {
      .results = results,
      .analysis = analysis,
      .options = options,
      .episodes = !sfnec_episodes_missing(results),
      .episode_window = sfnec_episodes_window(results),
      .steps = !sfnec_bins_missing(results),
      .evaluations = !sfnec_evaluations_missing(results),
      .step_values = results->run_count <= MOST_STEP_RUNS,
      .uses_by_run = count_uses(results) <= MOST_USES,
  };
  status = sfnec_report_put_data(json, &in);
  sfnec_analysis_destroy(analysis);
  return status;
}

// the data as a new string of `size` bytes: an object, or a list of them
static sfnec_status make_data(const sfnec_results *const *results, size_t count, const sfnec_report_options *options,
                              sfnec_coverage *coverage, char **text, size_t *size) {
  FILE *file = open_memstream(text, size);
  if (!file) return sfnec_fail_memory("the data of the report");
  sfnec_json json = {.file = file, .compact = true};
  sfnec_status status = SFNEC_OK;
  if (count > 1) sfnec_json_begin(&json, NULL, '[');
  for (size_t i = 0; i < count && !status; i++) status = put_experiment(&json, results[i], options, &coverage[i]);
  if (count > 1) sfnec_json_end(&json, ']');
  if (sfnec_output_close_text(file, text)) return status;
  return status ? status : sfnec_fail_memory("the data of the report");
}

// ---- the page ----

static const unsigned char *find_marker(void) {
  const size_t length = sizeof marker - 1;
  for (size_t i = 0; i + length <= sfnec_report_page_size; i++)
    if (memcmp(sfnec_report_page + i, marker, length) == 0) return sfnec_report_page + i;
  return NULL;
}

// in JSON a '<' stands only inside of texts; written as an escape, no text can end the element that holds the data
static void write_escaped(FILE *html, const char *text, size_t size) {
  for (const char *end = text + size; text < end;) {
    const char *next = memchr(text, '<', (size_t)(end - text));
    fwrite(text, 1, (size_t)((next ? next : end) - text), html);
    if (next) fputs("\\u003c", html);
    text = next ? next + 1 : end;
  }
}

static sfnec_status write_page(FILE *html, const char *data, size_t size) {
  const unsigned char *at = find_marker();
  if (!at) return sfnec_fail(SFNEC_ERROR_STATE, "the page in this sfnec has no place for data; build it again");
  const unsigned char *after = at + sizeof marker - 1;
  fwrite(sfnec_report_page, 1, (size_t)(at - sfnec_report_page), html);
  write_escaped(html, data, size);
  fwrite(after, 1, (size_t)(sfnec_report_page + sfnec_report_page_size - after), html);
  return SFNEC_OK;
}

sfnec_status sfnec_report_write(const sfnec_results *const *results, size_t count, const sfnec_report_options *options,
                                FILE *html, sfnec_coverage *coverage) {
  sfnec_status status = sfnec_report_check();
  if (status) return status;
  char *data = NULL;
  size_t size = 0;
  status = make_data(results, count, options, coverage, &data, &size);
  if (!status) status = write_page(html, data, size);
  free(data);
  return status;
}
