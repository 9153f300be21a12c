// test_report.c: the data that are put into the page, with numbers worked out by hand; the page itself is a toy.
#include "support/experiment.h"

#include "show/report/report.h"

// takes the place of the page that the build made
const unsigned char sfnec_report_page[] = "<head><script>SFNEC_REPORT_DATA</script><tail>";
const size_t sfnec_report_page_size = sizeof sfnec_report_page - 1;
const char sfnec_report_page_missing[] = "";

enum { SEEDS = 2, TASKS = 3 };

// makes the study of support/experiment.h: sfnec with neighbours=1 and 2, and a plain one; returns its folder
static const char *make_study(bool partial) {
  static study s;
  const char *folder = partial ? "partial" : "whole";
  study_make(&s, 3, SEEDS, 1, TASKS);
  s.configurations[2].label = "a</script><b>";
  s.configurations[2].name = "a</script><b>";
  sfnec_store *store;
  OK(sfnec_store_open(folder, &store));
  OK(sfnec_store_set_plan(store, &s.plan, "name: study\n"));
  OK(sfnec_store_begin_session(store, 1, 1));
  for (size_t i = 0; i < s.plan.job_count && !partial; i++) OK(study_run_job(store, &s.jobs[i], true));
  OK(sfnec_store_end_session(store, "done"));
  sfnec_store_close(store);
  return folder;
}

static char *make_page(const char *folder, sfnec_coverage *coverage) {
  sfnec_results *results;
  const sfnec_report_options options = {.resamples = 100, .replays = 8};
  char *text = NULL;
  size_t size;
  OK(sfnec_results_load(folder, &results));
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  const sfnec_status status = sfnec_report_write(&(const sfnec_results *){results}, 1, &options, file, coverage);
  assert_int_equal(fclose(file), 0);
  sfnec_results_destroy(results);
  if (!status) return text;
  free(text);
  return NULL;
}

// the number after `key`, searched from the first place of `start` on
static double number_after(const char *text, const char *start, const char *key) {
  const char *at = strstr(text, start);
  assert_non_null(at);
  at = strstr(at, key);
  assert_non_null(at);
  return strtod(at + strlen(key), NULL);
}

static void test_page(void **state) {
  (void)state;
  sfnec_coverage coverage;
  char *page = make_page(make_study(false), &coverage);
  assert_non_null(page);
  assert_int_equal(coverage.done, 6);
  assert_int_equal(coverage.task, TASKS);

  // the page is whole, and nothing in the data can be taken for an element
  static const char head[] = "<head><script>", tail[] = "</script><tail>";
  const size_t size = strlen(page);
  assert_memory_equal(page, head, sizeof head - 1);
  assert_string_equal(page + size - (sizeof tail - 1), tail);
  page[size - (sizeof tail - 1)] = '\0';
  char *data = page + sizeof head - 1;
  assert_null(strchr(data, '<'));
  assert_non_null(strstr(data, "\"label\":\"a\\u003c/script>\\u003cb>\""));
  assert_int_equal(data[0], '{');
  assert_int_equal(data[strlen(data) - 1], '}');

  // a return of the third task, to the last bit: 10 * 2 + 2 / 3
  assert_non_null(strstr(data, "\"seed\":\"2\",\"state\":\"done\",\"error\":null,\"tasks_wanted\":3,"
                               "\"total\":[20,20.333333333333332,20.666666666666668],\"steps\":[100,100,100]"));
  // uses of both seeds: 100; 1 and 99; 1, 1 and 98
  assert_non_null(strstr(data, "\"uses\":[[200],[2,198],[2,2,196]]"));
  // the average after two tasks is 10 seed + 1/6, so 15 + 1/6 over the seeds, its error 5; the episodes' curve is there
  const double mean = 15 + 1.0 / 6;
  const char *verdict = "\"verdicts\":[";
  NEAR(number_after(data, verdict, "\"mean\":"), mean, 1e-12);
  NEAR(number_after(data, verdict, "\"se\":"), 5, 1e-12);
  NEAR(number_after(data, verdict, "\"errors\":"), (mean - 112.5) / sqrt(25 + 1.5 * 1.5), 1e-12);
  // the second published value names no point of the sweep: it has no counterpart
  assert_non_null(strstr(data, "\"published\":-3,\"published_se\":null,\"source\":null}"));
  NEAR(number_after(data, "\"curves\":{\"average\":", "\"mean\":[15,"), mean, 1e-12);
  assert_non_null(strstr(data, "\"sweeps\":[{\"label\":\"sfnec\",\"points\":2,\"seeds\":2,\"best\":1,"));
  // no agent was kept
  assert_non_null(strstr(data, "\"replays\":[]}"));
  free(page);
}

static void test_nothing_run(void **state) {
  (void)state;
  sfnec_coverage coverage;
  assert_null(make_page(make_study(true), &coverage));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_page), cmocka_unit_test(test_nothing_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
