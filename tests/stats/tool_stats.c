// tool_stats.c: statistics of numbers from the standard input, for the comparison with SciPy in reference.sh.
//
// Each line is a request and gets one line: a name, for samples "strata n1 n2 ... values", and then the rest.
//   summary S, improvement S S, profile S taus, wilcoxon count values, error count values, quantile count values share
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

enum { MOST = 4096 };

typedef struct numbers {
  double values[MOST];
  size_t sizes[MOST];
  sfnec_strata sample;
  size_t count;
} numbers;

static void fail(const char *why) {
  fprintf(stderr, "tool_stats: %s\n", why);
  exit(EXIT_FAILURE);
}

static double next_number(void) {
  double value;
  if (scanf("%lf", &value) != 1) fail("a number is missing");
  return value;
}

static size_t next_count(void) {
  const double value = next_number();
  if (!(value >= 0 && value <= MOST)) fail("a count is out of range");
  return (size_t)value;
}

static void read_values(numbers *numbers, size_t count) {
  if (count > MOST) fail("too many values");
  numbers->count = count;
  for (size_t i = 0; i < count; i++) numbers->values[i] = next_number();
}

static const sfnec_strata *read_sample(numbers *numbers) {
  const size_t strata = next_count();
  size_t count = 0;
  for (size_t i = 0; i < strata; i++) count += numbers->sizes[i] = next_count();
  read_values(numbers, count);
  numbers->sample = (sfnec_strata){numbers->values, numbers->sizes, strata};
  return &numbers->sample;
}

static void check(sfnec_status status) {
  if (status) fail(sfnec_last_error());
}

static void print_estimate(const sfnec_estimate *estimate) {
  printf("%.17g %.17g %.17g ", estimate->value, estimate->interval.low, estimate->interval.high);
}

static void answer(const char *request) {
  static numbers x, y;
  if (strcmp(request, "summary") == 0) {
    sfnec_summary summary;
    check(sfnec_stats_summarise(read_sample(&x), SFNEC_STATS_RESAMPLES, &summary));
    print_estimate(&summary.mean);
    print_estimate(&summary.median);
    print_estimate(&summary.iqm);
  } else if (strcmp(request, "improvement") == 0) {
    sfnec_estimate estimate;
    const sfnec_strata *first = read_sample(&x), *second = read_sample(&y);
    check(sfnec_stats_improvement(first, second, SFNEC_STATS_RESAMPLES, &estimate));
    print_estimate(&estimate);
  } else if (strcmp(request, "profile") == 0) {
    static sfnec_estimate shares[MOST];
    const sfnec_strata *sample = read_sample(&x);
    read_values(&y, next_count());
    check(sfnec_stats_profile(sample, y.values, y.count, SFNEC_STATS_RESAMPLES, shares));
    for (size_t i = 0; i < y.count; i++) print_estimate(&shares[i]);
  } else if (strcmp(request, "wilcoxon") == 0) {
    double p;
    read_values(&x, next_count());
    check(sfnec_stats_wilcoxon(x.values, x.count, &p));
    printf("%.17g", p);
  } else if (strcmp(request, "error") == 0) {
    read_values(&x, next_count());
    printf("%.17g %.17g", sfnec_stats_mean(x.values, x.count), sfnec_stats_error(x.values, x.count));
  } else if (strcmp(request, "quantile") == 0) {
    read_values(&x, next_count());
    sfnec_stats_sort(x.values, x.count);
    printf("%.17g", sfnec_stats_quantile(x.values, x.count, next_number()));
  } else {
    fail("no such request");
  }
  printf("\n");
}

int main(void) {
  char request[16];
  while (scanf("%15s", request) == 1) answer(request);
  return EXIT_SUCCESS;
}
