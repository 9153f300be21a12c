// stats.c: the statistics that need no resampling; the contract is in stats.h.
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

double sfnec_stats_mean(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return count ? sum / (double)count : (double)NAN;
}

double sfnec_stats_error(const double *values, size_t count) {
  if (count < 2) return (double)NAN;
  const double mean = sfnec_stats_mean(values, count), n = (double)count;
  double squares = 0;
  for (size_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
  return sqrt(squares / (n - 1) / n);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void sfnec_stats_sort(double *values, size_t count) {
  if (count) qsort(values, count, sizeof *values, compare);
}

// from the nearer of two neighbours, as numpy does, so that the result never leaves them
static double between(double below, double above, double part) {
  return part < 0.5 ? below + (above - below) * part : above - (above - below) * (1 - part);
}

double sfnec_stats_quantile(const double *sorted, size_t count, double share) {
  if (!count) return (double)NAN;
  const double place = share * (double)(count - 1);
  const size_t below = place > 0 ? (size_t)place : 0;
  if (below + 1 >= count) return sorted[count - 1];
  return between(sorted[below], sorted[below + 1], place - (double)below);
}

// puts the value that belongs at `place` there, no larger ones before it and no smaller ones behind (Hoare's FIND)
static void find(double *values, ptrdiff_t count, ptrdiff_t place) {
  for (ptrdiff_t low = 0, high = count - 1; low < high;) {
    const double pivot = values[low + (high - low) / 2];
    ptrdiff_t i = low, j = high;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const double swapped = values[i];
      values[i++] = values[j];
      values[j--] = swapped;
    }
    if (place > j) low = i;
    if (place < i) high = j;
  }
}

double sfnec_stats_select(double *values, size_t count, double share) {
  if (!count) return (double)NAN;
  const double place = share * (double)(count - 1);
  const size_t below = place > 0 ? (size_t)place : 0;
  find(values, (ptrdiff_t)count, (ptrdiff_t)below);
  if (below + 1 >= count) return values[count - 1];
  double above = values[below + 1];
  for (size_t i = below + 2; i < count; i++) above = values[i] < above ? values[i] : above;
  return between(values[below], above, place - (double)below);
}

double sfnec_stats_trimmed_mean(const double *sorted, size_t count, size_t cut) {
  return count > 2 * cut ? sfnec_stats_mean(sorted + cut, count - 2 * cut) : (double)NAN;
}

// ---- the Wilcoxon signed-rank test ----

// a difference without its sign, and twice its rank among all: whole even where ties share a mean rank
typedef struct ranked {
  double size;
  bool positive;
  size_t rank;
} ranked;

static int compare_ranked(const void *a, const void *b) {
  return compare(&((const ranked *)a)->size, &((const ranked *)b)->size);
}

// fills `pairs` with the differences other than 0 in order of size, ranked; returns how many there are
static size_t rank(const double *differences, size_t count, ranked *pairs) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (differences[i] != 0) pairs[n++] = (ranked){.size = fabs(differences[i]), .positive = differences[i] > 0};
  if (n) qsort(pairs, n, sizeof *pairs, compare_ranked);
  for (size_t from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && pairs[to].size <= pairs[from].size;) to++;
    // the ranks from + 1 to `to` have the mean (from + 1 + to) / 2
    for (size_t i = from; i < to; i++) pairs[i].rank = from + 1 + to;
  }
  return n;
}

// P(sum of the ranks of a random half <= limit), where every rank is in or out by a fair coin
static sfnec_status exact_tail(const ranked *pairs, size_t n, size_t limit, double *tail) {
  double *chance = calloc(limit + 1, sizeof *chance);
  if (!chance) return sfnec_fail_memory("the signed-rank test");
  chance[0] = 1;
  for (size_t i = 0; i < n; i++)
    for (size_t sum = limit + 1; sum-- > 0;)
      chance[sum] = 0.5 * (chance[sum] + (sum >= pairs[i].rank ? chance[sum - pairs[i].rank] : 0));
  *tail = 0;
  for (size_t sum = 0; sum <= limit; sum++) *tail += chance[sum];
  free(chance);
  return SFNEC_OK;
}

static double normal_tail(const ranked *pairs, size_t n, size_t limit) {
  double mean = 0, variance = 0;
  for (size_t i = 0; i < n; i++) {
    mean += (double)pairs[i].rank / 2;
    variance += (double)pairs[i].rank * (double)pairs[i].rank / 4;
  }
  return 0.5 * erfc((mean - (double)limit) / sqrt(2 * variance));
}

sfnec_status sfnec_stats_wilcoxon(const double *differences, size_t count, double *p) {
  enum { EXACT = 500 }; // the sums of the exact test grow with the square: beyond, nobody could see the difference
  ranked *pairs = calloc(count + 1, sizeof *pairs);
  if (!pairs) return sfnec_fail_memory("the signed-rank test");
  const size_t n = rank(differences, count, pairs);
  size_t positive = 0, total = 0;
  for (size_t i = 0; i < n; i++) {
    total += pairs[i].rank;
    positive += pairs[i].positive ? pairs[i].rank : 0;
  }
  // the sum's distribution is symmetric, so both tails are twice the smaller one
  const size_t smaller = positive < total - positive ? positive : total - positive;
  double tail = 1;
  sfnec_status status = SFNEC_OK;
  if (n > EXACT) tail = normal_tail(pairs, n, smaller);
  else if (n) status = exact_tail(pairs, n, smaller, &tail);
  *p = 2 * tail < 1 ? 2 * tail : 1;
  free(pairs);
  return status;
}
