// bench_keys.c: one index, keys of several kinds, growing sizes: the fast index against the flat scan, every answer
// compared; and what an insertion or a removal costs at 10,000 entries, pauses included.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "index/index.h"
#include "keysets.h"
#include "sfnec/random.h"
#include "stats.h"

enum { K = 20, BLOCK = 20, MOST_ROWS = 16, FIRST_SIZE = 1000, UPDATED_SIZE = 10000, UPDATES = 20000 };

typedef struct row {
  double size, flat_us, fast_us;
  uint32_t queries;
  int64_t mismatches;
} row;

// What insertions or removals cost: wall time on average, processor time at worst.
typedef struct cost {
  double mean_us, worst_us;
} cost;

typedef struct updates {
  cost fill, insert, remove; // filling an empty index; then one in, one out
} updates;

typedef struct side {
  sfnec_index *index;
  sfnec_neighbour answers[BLOCK][K];
  uint32_t counts[BLOCK];
  double *times; // (queries), microseconds
} side;

typedef struct setup {
  const keyset *set;
  const sfnec_kernel *kernel;
  float *keys; // (most + most_queries, key_size), the queries last
  const float *queries;
  uint32_t most, most_queries;
  double seconds; // per row
} setup;

// ---- searching ----

static void ask(side *s, const setup *all, uint32_t first) {
  for (uint32_t i = 0; i < BLOCK; i++) {
    const float *query = all->queries + (first + i) * all->set->key_size;
    const double start = bench_seconds();
    s->counts[i] = s->index->ops->search(s->index, query, K, s->answers[i]);
    s->times[first + i] = 1e6 * (bench_seconds() - start);
  }
}

static int64_t mismatches(const side *a, const side *b) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < BLOCK; i++) {
    const size_t size = a->counts[i] * sizeof(sfnec_neighbour);
    sum += a->counts[i] != b->counts[i] || memcmp(a->answers[i], b->answers[i], size) != 0;
  }
  return sum;
}

// Both indexes answer the same queries in turns, block by block.
static row measure(const setup *all, side *flat, side *fast) {
  row r = {.size = flat->index->count};
  const double start = bench_seconds();
  while (r.queries + BLOCK <= all->most_queries) {
    ask(flat, all, r.queries);
    ask(fast, all, r.queries);
    r.mismatches += mismatches(flat, fast);
    r.queries += BLOCK;
    if (bench_seconds() - start > all->seconds) break;
  }
  r.flat_us = stats_median(flat->times, r.queries);
  r.fast_us = stats_median(fast->times, r.queries);
  return r;
}

static void insert_up_to(const setup *all, sfnec_index *index, uint32_t size) {
  uint32_t slot;
  while (index->count < size) {
    bench_check(index->ops->insert(index, all->keys + index->count * all->set->key_size, &slot));
  }
}

// Measures at 1,000 entries, 10,000, ...; returns how many rows.
static uint32_t measure_sizes(const setup *all, row *rows) {
  side *flat = bench_alloc(1, sizeof *flat), *fast = bench_alloc(1, sizeof *fast);
  bench_check(sfnec_index_flat_create(all->kernel, all->set->key_size, &flat->index));
  bench_check(sfnec_index_fast_create(all->kernel, all->set->key_size, &fast->index));
  flat->times = bench_alloc(all->most_queries, sizeof *flat->times);
  fast->times = bench_alloc(all->most_queries, sizeof *fast->times);
  uint32_t count = 0;
  for (uint32_t size = FIRST_SIZE; size <= all->most && count < MOST_ROWS; size *= 10) {
    insert_up_to(all, flat->index, size);
    insert_up_to(all, fast->index, size);
    row *r = &rows[count++];
    *r = measure(all, flat, fast);
    printf("%-11s %8.0f %8u %11.1f %11.1f %8.2f %11lld\n", all->set->name, r->size, r->queries, r->flat_us, r->fast_us,
           r->flat_us / r->fast_us, (long long)r->mismatches);
    fflush(stdout);
  }
  side *sides[] = {flat, fast};
  for (int i = 0; i < 2; i++) {
    sfnec_index_destroy(sides[i]->index);
    free(sides[i]->times);
    free(sides[i]);
  }
  return count;
}

// ---- changing ----

typedef struct stopwatch {
  double wall, cpu, sum, worst;
  int64_t count;
} stopwatch;

static void stopwatch_start(stopwatch *s) {
  s->cpu = stats_cpu_seconds();
  s->wall = bench_seconds();
}

static void stopwatch_stop(stopwatch *s) {
  const double wall = bench_seconds() - s->wall, cpu = stats_cpu_seconds() - s->cpu;
  s->sum += wall;
  s->count++;
  if (cpu > s->worst) s->worst = cpu;
}

static cost stopwatch_cost(const stopwatch *s) {
  return (cost){1e6 * s->sum / (double)s->count, 1e6 * s->worst};
}

static updates measure_updates(const setup *all) {
  sfnec_index *index;
  uint32_t *slots = bench_alloc(UPDATED_SIZE, sizeof *slots);
  sfnec_random random = sfnec_random_start(1, 3000);
  stopwatch fill = {0}, insert = {0}, removal = {0};
  const size_t size = all->set->key_size;
  bench_check(sfnec_index_fast_create(all->kernel, size, &index));
  for (uint32_t i = 0; i < UPDATED_SIZE; i++) {
    stopwatch_start(&fill);
    bench_check(index->ops->insert(index, all->keys + i * size, &slots[i]));
    stopwatch_stop(&fill);
  }
  for (uint32_t i = 0; i < UPDATES; i++) {
    const uint32_t at = sfnec_random_below(&random, UPDATED_SIZE);
    const float *key = all->keys + (UPDATED_SIZE + i) % all->most * size;
    stopwatch_start(&removal);
    index->ops->remove(index, slots[at]);
    stopwatch_stop(&removal);
    stopwatch_start(&insert);
    bench_check(index->ops->insert(index, key, &slots[at]));
    stopwatch_stop(&insert);
  }
  sfnec_index_destroy(index);
  free(slots);
  return (updates){stopwatch_cost(&fill), stopwatch_cost(&insert), stopwatch_cost(&removal)};
}

// ---- output ----

static void print_cost(FILE *json, const char *name, cost c, const char *end) {
  fprintf(json, "\"%s_us\": %.3f, \"%s_worst_us\": %.1f%s", name, c.mean_us, name, c.worst_us, end);
}

static double exponent(const row *rows, uint32_t count, int fast) {
  double x[MOST_ROWS], y[MOST_ROWS];
  for (uint32_t i = 0; i < count; i++) {
    x[i] = rows[i].size;
    y[i] = fast ? rows[i].fast_us : rows[i].flat_us;
  }
  return stats_exponent(x, y, count);
}

static void report(FILE *json, const setup *all, const row *rows, uint32_t count, const updates *u) {
  const double flat = exponent(rows, count, 0), fast = exponent(rows, count, 1);
  printf(
      "%-11s growth: flat n^%.2f, fast n^%.2f; at 10,000 entries, mean and worst in us: insert %.2f %.0f, remove %.2f "
      "%.0f, filling %.2f %.0f\n",
      all->set->name, flat, fast, u->insert.mean_us, u->insert.worst_us, u->remove.mean_us, u->remove.worst_us,
      u->fill.mean_us, u->fill.worst_us);
  fflush(stdout);
  if (!json) return;
  fprintf(json, "{\"keys\": \"%s\", \"key_size\": %zu, \"sizes\": [", all->set->name, all->set->key_size);
  for (const row *r = rows; r < rows + count; r++) {
    fprintf(json,
            "%s\n    {\"entries\": %.0f, \"queries\": %u, \"flat_us\": %.2f, \"fast_us\": %.2f, \"ratio\": %.3f, "
            "\"mismatches\": %lld}",
            r == rows ? "" : ",", r->size, r->queries, r->flat_us, r->fast_us, r->flat_us / r->fast_us,
            (long long)r->mismatches);
  }
  fprintf(json, "],\n   ");
  if (count > 1) fprintf(json, "\"flat_growth\": %.3f, \"fast_growth\": %.3f, ", flat, fast);
  print_cost(json, "insert", u->insert, ", ");
  print_cost(json, "remove", u->remove, ", ");
  print_cost(json, "fill", u->fill, "}");
}

int bench_keys(const bench_args *args) {
  setup all = {.most = (uint32_t)bench_number(args, "--most", 100000),
               .most_queries = (uint32_t)bench_number(args, "--queries", 200),
               .seconds = (double)bench_number(args, "--seconds", 2)};
  all.most_queries = (all.most_queries + BLOCK - 1) / BLOCK * BLOCK;
  if (all.most < UPDATED_SIZE || all.most > 100000000) bench_die("--most takes a number from 10000 to 100000000");
  const uint64_t seed = (uint64_t)bench_number(args, "--seed", 1);
  const char *kinds = bench_text(args, "--kinds", NULL);
  FILE *json = bench_json(args);
  bench_check(sfnec_kernel_select(&all.kernel));

  printf("microseconds per search: medians, one thread, %s, k = %d\n", all.kernel->name, K);
  printf("%-11s %8s %8s %11s %11s %8s %11s\n", "keys", "entries", "queries", "flat", "fast", "ratio", "mismatches");
  if (json) fprintf(json, "{\"results\": [");
  const char *separator = "\n  ";
  int64_t wrong = 0;
  for (size_t i = 0; (all.set = keyset_at(i)); i++) {
    if (!bench_named(kinds, all.set->name)) continue;
    all.keys = bench_alloc((size_t)all.most + all.most_queries, all.set->key_size * sizeof *all.keys);
    all.queries = all.keys + (size_t)all.most * all.set->key_size;
    all.set->draw(seed, (size_t)all.most + all.most_queries, all.keys);
    row rows[MOST_ROWS];
    const uint32_t count = measure_sizes(&all, rows);
    const updates u = measure_updates(&all);
    if (json) fprintf(json, "%s", separator);
    separator = ",\n  ";
    report(json, &all, rows, count, &u);
    for (uint32_t r = 0; r < count; r++) wrong += rows[r].mismatches;
    free(all.keys);
  }
  printf("peak memory %.0f MB\n", stats_peak_mb());
  if (json) {
    fprintf(json, "],\n \"peak_memory_mb\": %.1f}\n", stats_peak_mb());
    fclose(json);
  }
  if (wrong) fprintf(stderr, "sfnec-bench: answers of the fast index differ from the flat scan's\n");
  return wrong ? 1 : 0;
}
