// updates.c: what insertions and removals cost; see updates.h.
#include "updates.h"

#include <stdlib.h>

#include "bench.h"
#include "index/index.h"
#include "sfnec/random.h"
#include "stats.h"

enum { UPDATES = 100000 };

// ---- the stopwatch ----

stopwatch stopwatch_create(uint32_t capacity) {
  return (stopwatch){.capacity = capacity, .times = bench_alloc(capacity, sizeof(float))};
}

void stopwatch_start(stopwatch *s) {
  s->start = stats_cpu_seconds();
}

void stopwatch_stop(stopwatch *s) {
  s->times[s->count++] = (float)(1e6 * (stats_cpu_seconds() - s->start));
}

// what the clock itself takes, in microseconds
static double clock_cost(void) {
  enum { TIMES = 1001 };
  double times[TIMES];
  for (int i = 0; i < TIMES; i++) {
    const double start = stats_cpu_seconds();
    times[i] = 1e6 * (stats_cpu_seconds() - start);
  }
  return stats_median(times, TIMES);
}

static int compare(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

cost stopwatch_finish(stopwatch *s) {
  cost c = {0};
  if (s->count > 0) {
    qsort(s->times, s->count, sizeof *s->times, compare);
    for (uint32_t i = 0; i < s->count; i++) c.mean_us += (double)s->times[i] / s->count;
    c.mean_us -= clock_cost();
    c.rare_us = (double)s->times[(uint32_t)(0.9999 * (s->count - 1))];
    c.worst_us = (double)s->times[s->count - 1];
  }
  free(s->times);
  return c;
}

// ---- an index in use ----

updates updates_measure(const sfnec_simd *simd, const float *keys, uint32_t count, size_t key_size) {
  sfnec_index *index;
  uint32_t *slots = bench_alloc(UPDATES_SIZE, sizeof *slots);
  sfnec_random random = sfnec_random_start(1, 3000);
  stopwatch fill = stopwatch_create(UPDATES_SIZE), insert = stopwatch_create(UPDATES),
            removal = stopwatch_create(UPDATES);
  bench_check(sfnec_index_fast_create(simd, key_size, &index));
  for (uint32_t i = 0; i < UPDATES_SIZE; i++) {
    stopwatch_start(&fill);
    bench_check(index->ops->insert(index, keys + i * key_size, &slots[i]));
    stopwatch_stop(&fill);
  }
  for (uint32_t i = 0; i < UPDATES; i++) {
    const uint32_t at = sfnec_random_below(&random, UPDATES_SIZE);
    const float *key = keys + (size_t)((UPDATES_SIZE + i) % count) * key_size;
    stopwatch_start(&removal);
    index->ops->remove(index, slots[at]);
    stopwatch_stop(&removal);
    stopwatch_start(&insert);
    bench_check(index->ops->insert(index, key, &slots[at]));
    stopwatch_stop(&insert);
  }
  sfnec_index_destroy(index);
  free(slots);
  return (updates){stopwatch_finish(&fill), stopwatch_finish(&insert), stopwatch_finish(&removal)};
}
