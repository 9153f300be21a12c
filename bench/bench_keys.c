// bench_keys.c: one index, keys of several kinds, growing sizes: the fast index against the flat scan, every answer
// compared; and what insertions and removals cost, pauses included.
//
// Two fast indexes are measured at each size: one that is growing, and a frozen one. All is repeated with other keys;
// times are medians over the queries, then over the repetitions. Growth is fitted from 10,000 entries on.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "index/index.h"
#include "keysets.h"
#include "stats.h"
#include "updates.h"

enum {
  K = 20,
  BLOCK = 20,
  APART = 10, // blocks of queries lie so many blocks of keys apart
  MOST_SIZES = 16,
  MOST_REPEATS = 32,
  FIRST_SIZE = 1000,
  FITTED_SIZE = 10000,
};

enum { FLAT, GROWING, FROZEN, SIDES };

static const char *const side_names[SIDES] = {"flat", "growing", "frozen"};

// What one index says, and how long it takes.
typedef struct side {
  sfnec_index *index;
  sfnec_neighbour answers[BLOCK][K];
  uint32_t counts[BLOCK];
  double *times; // (queries), microseconds
} side;

typedef struct setup {
  const keyset *set;
  const sfnec_simd *simd;
  sfnec_index_scratch *scratch;
  float *keys;          // (most, key_size)
  const float *queries; // (APART * most_queries, key_size)
  uint32_t most, most_queries, repeats;
  uint64_t seed;
  double seconds; // per size and repetition
} setup;

// What was found for one kind of keys.
typedef struct result {
  uint32_t sizes, queries;
  double entries[MOST_SIZES];
  double times[SIDES][MOST_SIZES][MOST_REPEATS]; // microseconds
  double growth[SIDES][MOST_REPEATS];
  int64_t mismatches;
  cost fill; // of the growing index, to its greatest size
  updates changes;
} result;

// ---- searching ----

static void ask(side *s, const setup *all, uint32_t first) {
  const float *queries = all->queries + (size_t)first * APART * all->set->key_size;
  for (uint32_t i = 0; i < BLOCK; i++) {
    const double start = bench_seconds();
    s->counts[i] = s->index->ops->search(s->index, all->scratch, queries + i * all->set->key_size, K, s->answers[i]);
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

// The indexes answer the same queries in turns, block by block.
static void measure(const setup *all, side sides[SIDES], result *r, uint32_t size, uint32_t repeat) {
  const double start = bench_seconds();
  uint32_t queries = 0;
  while (queries + BLOCK <= all->most_queries) {
    for (int i = 0; i < SIDES; i++) ask(&sides[i], all, queries);
    for (int i = 1; i < SIDES; i++) r->mismatches += mismatches(&sides[FLAT], &sides[i]);
    queries += BLOCK;
    if (bench_seconds() - start > all->seconds) break;
  }
  r->queries += queries;
  for (int i = 0; i < SIDES; i++) r->times[i][size][repeat] = stats_median(sides[i].times, queries);
}

// ---- building ----

static void insert_up_to(const setup *all, sfnec_index *index, uint32_t size, stopwatch *watch) {
  uint32_t slot;
  while (index->count < size) {
    if (watch) stopwatch_start(watch);
    bench_check(index->ops->insert(index, all->keys + (size_t)index->count * all->set->key_size, &slot));
    if (watch) stopwatch_stop(watch);
  }
}

static sfnec_index *frozen_index(const setup *all, uint32_t size) {
  sfnec_index *index;
  bench_check(sfnec_index_fast_create(all->simd, all->set->key_size, &index));
  insert_up_to(all, index, size, NULL);
  index->ops->freeze(index);
  return index;
}

static double fit_growth(const result *r, int i, uint32_t repeat) {
  double x[MOST_SIZES], y[MOST_SIZES];
  uint32_t count = 0;
  for (uint32_t s = 0; s < r->sizes; s++) {
    if (r->entries[s] < FITTED_SIZE) continue;
    x[count] = r->entries[s];
    y[count++] = r->times[i][s][repeat];
  }
  return stats_exponent(x, y, count);
}

// one repetition: 1,000 entries, 3,000, 10,000, ...
static void measure_sizes(const setup *all, result *r, uint32_t repeat) {
  side *sides = bench_alloc(SIDES, sizeof *sides);
  stopwatch watch = stopwatch_create(all->most);
  bench_check(sfnec_index_flat_create(all->simd, all->set->key_size, &sides[FLAT].index));
  bench_check(sfnec_index_fast_create(all->simd, all->set->key_size, &sides[GROWING].index));
  for (int i = 0; i < SIDES; i++) sides[i].times = bench_alloc(all->most_queries, sizeof(double));
  r->sizes = 0;
  for (uint32_t size = FIRST_SIZE; size <= all->most && r->sizes < MOST_SIZES;) {
    insert_up_to(all, sides[FLAT].index, size, NULL);
    insert_up_to(all, sides[GROWING].index, size, &watch);
    sides[FROZEN].index = frozen_index(all, size);
    r->entries[r->sizes] = size;
    measure(all, sides, r, r->sizes, repeat);
    sfnec_index_destroy(sides[FROZEN].index);
    size = r->sizes++ % 2 == 0 ? 3 * size : size / 3 * 10;
  }
  for (int i = 0; i < SIDES; i++) r->growth[i][repeat] = fit_growth(r, i, repeat);
  for (int i = 0; i < SIDES; i++) free(sides[i].times);
  sfnec_index_destroy(sides[FLAT].index);
  sfnec_index_destroy(sides[GROWING].index);
  free(sides);
  const cost fill = stopwatch_finish(&watch);
  if (fill.worst_us > r->fill.worst_us) r->fill = fill;
}

static void measure_kind(setup *all, result *r) {
  const size_t queries = (size_t)all->most_queries * APART;
  all->keys = bench_alloc(all->most + queries, all->set->key_size * sizeof *all->keys);
  all->queries = all->keys + (size_t)all->most * all->set->key_size;
  for (uint32_t repeat = 0; repeat < all->repeats; repeat++) {
    all->set->draw(all->seed + repeat, all->most + queries, all->keys);
    measure_sizes(all, r, repeat);
  }
  r->changes = updates_measure(all->simd, all->keys, all->most, all->set->key_size);
  free(all->keys);
}

// ---- output ----

static double middle(const double *numbers, uint32_t count) {
  double copy[MOST_REPEATS];
  memcpy(copy, numbers, count * sizeof *copy);
  return stats_median(copy, count);
}

static void print_cost(FILE *json, const char *name, cost c) {
  fprintf(json, ", \"%s_us\": %.3f, \"%s_9999_us\": %.1f, \"%s_worst_us\": %.1f", name, c.mean_us, name, c.rare_us,
          name, c.worst_us);
}

static void print_kind(const setup *all, const result *r) {
  const uint32_t n = all->repeats;
  for (uint32_t s = 0; s < r->sizes; s++) {
    const double flat = middle(r->times[FLAT][s], n), growing = middle(r->times[GROWING][s], n),
                 frozen = middle(r->times[FROZEN][s], n);
    printf("%-11s %8.0f %10.1f %10.1f %8.2f %10.1f %8.2f\n", all->set->name, r->entries[s], flat, growing,
           flat / growing, frozen, flat / frozen);
  }
  printf("%-11s growth", all->set->name);
  for (int i = 0; i < SIDES; i++) {
    double growth[MOST_REPEATS];
    memcpy(growth, r->growth[i], n * sizeof *growth);
    const double median = stats_median(growth, n); // puts them in order
    printf("%s %s n^%.2f (%.2f to %.2f)", i ? "," : "", side_names[i], median, growth[0], growth[n - 1]);
  }
  const updates *u = &r->changes;
  printf(
      "\n%-11s mean, 99.99 %%, worst in us: at 10,000 insert %.2f %.0f %.0f, remove %.2f %.0f %.0f; filling to 10,000 "
      "%.2f %.0f %.0f, to %.0f %.2f %.0f %.0f\n",
      all->set->name, u->insert.mean_us, u->insert.rare_us, u->insert.worst_us, u->remove.mean_us, u->remove.rare_us,
      u->remove.worst_us, u->fill.mean_us, u->fill.rare_us, u->fill.worst_us, r->entries[r->sizes - 1], r->fill.mean_us,
      r->fill.rare_us, r->fill.worst_us);
  printf("%-11s %u queries, %lld mismatches\n", all->set->name, r->queries, (long long)r->mismatches);
  fflush(stdout);
}

static void write_kind(FILE *json, const setup *all, const result *r) {
  const uint32_t n = all->repeats;
  fprintf(json, "{\"keys\": \"%s\", \"key_size\": %zu, \"sizes\": [", all->set->name, all->set->key_size);
  for (uint32_t s = 0; s < r->sizes; s++) {
    fprintf(json, "%s\n    {\"entries\": %.0f", s ? "," : "", r->entries[s]);
    for (int i = 0; i < SIDES; i++) fprintf(json, ", \"%s_us\": %.2f", side_names[i], middle(r->times[i][s], n));
    fprintf(json, "}");
  }
  fprintf(json, "],\n   \"queries\": %u, \"mismatches\": %lld", r->queries, (long long)r->mismatches);
  for (int i = 0; i < SIDES; i++) {
    const double growth = middle(r->growth[i], n);
    if (!isnan(growth)) fprintf(json, ", \"%s_growth\": %.3f", side_names[i], growth);
  }
  print_cost(json, "insert", r->changes.insert);
  print_cost(json, "remove", r->changes.remove);
  print_cost(json, "fill", r->changes.fill);
  print_cost(json, "fill_most", r->fill);
  fprintf(json, "}");
}

int bench_keys(const bench_args *args) {
  setup all = {.most = (uint32_t)bench_number(args, "--most", 100000),
               .most_queries = (uint32_t)bench_number(args, "--queries", 200),
               .repeats = (uint32_t)bench_number(args, "--repeats", 3),
               .seed = (uint64_t)bench_number(args, "--seed", 1),
               .seconds = (double)bench_number(args, "--seconds", 2)};
  all.most_queries = (all.most_queries + BLOCK - 1) / BLOCK * BLOCK;
  if (all.most < UPDATES_SIZE || all.most > 100000000) bench_die("--most takes a number from 10000 to 100000000");
  if (all.repeats > MOST_REPEATS) bench_die("--repeats takes a number up to 32");
  const char *kinds = bench_text(args, "--kinds", NULL);
  FILE *json = bench_json(args);
  bench_check(sfnec_simd_select(&all.simd));
  all.scratch = sfnec_index_scratch_create();
  if (!all.scratch) bench_die("out of memory");

  printf("microseconds per search: medians, one thread, %s, k = %d, %u repetitions\n", all.simd->name, K, all.repeats);
  printf("%-11s %8s %10s %10s %8s %10s %8s\n", "keys", "entries", "flat", "growing", "ratio", "frozen", "ratio");
  if (json) fprintf(json, "{\"repeats\": %u, \"results\": [", all.repeats);
  const char *separator = "\n  ";
  int64_t wrong = 0;
  for (size_t i = 0; (all.set = keyset_at(i)); i++) {
    if (!bench_named(kinds, all.set->name)) continue;
    result *r = bench_alloc(1, sizeof *r);
    measure_kind(&all, r);
    print_kind(&all, r);
    if (json) {
      fprintf(json, "%s", separator);
      write_kind(json, &all, r);
    }
    separator = ",\n  ";
    wrong += r->mismatches;
    free(r);
  }
  printf("peak memory %.0f MB\n", stats_peak_mb());
  if (json) {
    fprintf(json, "],\n \"peak_memory_mb\": %.1f}\n", stats_peak_mb());
    fclose(json);
  }
  if (wrong) fprintf(stderr, "sfnec-bench: answers of the fast index differ from the flat scan's\n");
  return wrong ? 1 : 0;
}
