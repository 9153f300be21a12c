// bench_memory.c: one step's look-ups in the memories of many tasks: the fast index against the flat scan, and the
// pruned GPI against the full one, side by side and answer by answer.
//
// Two libraries hold the same walks, one with index=flat and gpi=full, the other with index=fast and gpi=pruned. The
// queries are the states of a fresh walk. They are asked in blocks of consecutive states, as an agent meets them; the
// two sides take turns block by block, so that both see the same machine. All times are medians over the queries. The
// weights w are a random task's and change every 32 queries; the first choice by new weights costs more and is reported
// by itself, as an agent pays it once in the thousands of steps of a task.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "memories.h"
#include "npy.h"
#include "stats.h"

enum { MOST_ROWS = 64, STEPS = 20000, BLOCK = 16, STRETCH = 2 * BLOCK, LEAST_QUERIES = 2 * STRETCH };

static const double gamma_psi = 0.95;

typedef struct row {
  uint32_t tasks, queries;
  int64_t entries, mismatches;
  double flat_us, lists_us; // all neighbour lists
  double full_us, gpi_us;   // the GPI action
  double first_us;          // the pruned GPI action, first under new weights
  double distances;         // full distances of one step's lists, by the fast index
  double flat_bytes, bytes; // per entry
} row;

// One side's answers to a block, and the times of all its queries.
typedef struct side {
  memories *m;
  sfnec_neighbour *neighbours; // (BLOCK, memories, k)
  uint32_t *counts;            // (BLOCK, memories)
  sfnec_choice choices[BLOCK];
  double *lists, *gpi; // (queries), microseconds
} side;

typedef struct setup {
  memories flat, fast;
  walk queries;
  double *weights; // (queries / STRETCH, features): of random tasks
  uint32_t most_queries;
  double seconds; // per row
} setup;

static side side_open(memories *m, uint32_t queries) {
  const size_t all = BLOCK * (size_t)m->policies.count * WALKER_ACTIONS;
  return (side){.m = m,
                .neighbours = bench_alloc(all * (size_t)m->policies.config.options.neighbours, sizeof(sfnec_neighbour)),
                .counts = bench_alloc(all, sizeof(uint32_t)),
                .lists = bench_alloc(queries, sizeof(double)),
                .gpi = bench_alloc(queries, sizeof(double))};
}

static void side_close(side *s) {
  free(s->neighbours);
  free(s->counts);
  free(s->lists);
  free(s->gpi);
}

static void time_lists(side *s, const setup *all, uint32_t first) {
  const size_t memories = (size_t)s->m->policies.count * WALKER_ACTIONS;
  const size_t k = (size_t)s->m->policies.config.options.neighbours;
  for (uint32_t i = 0; i < BLOCK; i++) {
    const float *key = all->queries.observations + (first + i) * WALKER_KEY;
    const double start = bench_seconds();
    memories_lists(s->m, key, s->neighbours + i * memories * k, s->counts + i * memories);
    s->lists[first + i] = 1e6 * (bench_seconds() - start);
  }
}

static void time_gpi(side *s, const setup *all, uint32_t first) {
  for (uint32_t i = 0; i < BLOCK; i++) {
    const float *key = all->queries.observations + (first + i) * WALKER_KEY;
    if ((first + i) % STRETCH == 0) {
      memories_set_weights(s->m, all->weights + (first + i) / STRETCH * WALKER_FEATURES);
    }
    sfnec_random ties = sfnec_random_start(first + i, SFNEC_PURPOSE_EVALUATION);
    const double start = bench_seconds();
    s->choices[i] = memories_choose(s->m, key, &ties);
    s->gpi[first + i] = 1e6 * (bench_seconds() - start);
  }
}

// How many lists and choices of a block differ, bit by bit.
static int64_t mismatches(const side *a, const side *b) {
  const size_t memories = (size_t)a->m->policies.count * WALKER_ACTIONS;
  const size_t k = (size_t)a->m->policies.config.options.neighbours;
  int64_t sum = 0;
  for (size_t i = 0; i < BLOCK * memories; i++) {
    const size_t size = a->counts[i] * sizeof(sfnec_neighbour);
    sum += a->counts[i] != b->counts[i] || memcmp(a->neighbours + i * k, b->neighbours + i * k, size) != 0;
  }
  for (size_t i = 0; i < BLOCK; i++) {
    const sfnec_choice *x = &a->choices[i], *y = &b->choices[i];
    sum += x->action != y->action || x->policy != y->policy || x->value != y->value;
  }
  return sum;
}

// full distances per step of the lists, over the queries again; their times are overwritten
static double count_distances(side *s, const setup *all, uint32_t queries) {
  memories_count_distances(s->m, 1);
  for (uint32_t first = 0; first < queries; first += BLOCK) time_lists(s, all, first);
  return (double)memories_count_distances(s->m, 0) / queries;
}

// the median of each stretch's first
static double first_of_stretches(const double *times, uint32_t queries) {
  double *firsts = bench_alloc(queries / STRETCH + 1, sizeof *firsts);
  uint32_t count = 0;
  for (uint32_t i = 0; i < queries; i += STRETCH) firsts[count++] = times[i];
  const double median = stats_median(firsts, count);
  free(firsts);
  return median;
}

static row measure(setup *all) {
  row r = {.tasks = all->flat.policies.count, .entries = memories_entries(&all->flat)};
  side flat = side_open(&all->flat, all->most_queries), fast = side_open(&all->fast, all->most_queries);
  const double start = bench_seconds();
  while (r.queries + BLOCK <= all->most_queries) {
    time_lists(&flat, all, r.queries);
    time_lists(&fast, all, r.queries);
    time_gpi(&flat, all, r.queries);
    time_gpi(&fast, all, r.queries);
    r.mismatches += mismatches(&flat, &fast);
    r.queries += BLOCK;
    if (r.queries >= LEAST_QUERIES && bench_seconds() - start > all->seconds) break;
  }
  r.flat_us = stats_median(flat.lists, r.queries);
  r.lists_us = stats_median(fast.lists, r.queries);
  r.full_us = stats_median(flat.gpi, r.queries);
  r.first_us = first_of_stretches(fast.gpi, r.queries);
  r.gpi_us = stats_median(fast.gpi, r.queries);
  r.distances = count_distances(&fast, all, r.queries);
  r.flat_bytes = (double)memories_bytes(&all->flat) / (double)r.entries;
  r.bytes = (double)memories_bytes(&all->fast) / (double)r.entries;
  side_close(&flat);
  side_close(&fast);
  return r;
}

// ---- output ----

static void print_row(const row *r) {
  printf("%5u %9lld %7u %10.1f %10.1f %7.1f %10.0f %10.1f %10.1f %7.1f %10.1f %10lld\n", r->tasks,
         (long long)r->entries, r->queries, r->flat_us, r->lists_us, r->flat_us / r->lists_us, r->distances, r->full_us,
         r->gpi_us, r->full_us / r->gpi_us, r->first_us, (long long)r->mismatches);
  fflush(stdout);
}

// How each column of times grows with the tasks.
typedef struct growth {
  double flat, lists, gpi;
} growth;

static growth growth_of(const row *rows, uint32_t count) {
  double tasks[MOST_ROWS], flat[MOST_ROWS], lists[MOST_ROWS], gpi[MOST_ROWS];
  for (uint32_t i = 0; i < count; i++) {
    tasks[i] = rows[i].tasks;
    flat[i] = rows[i].flat_us;
    lists[i] = rows[i].lists_us;
    gpi[i] = rows[i].gpi_us;
  }
  return (growth){stats_exponent(tasks, flat, count), stats_exponent(tasks, lists, count),
                  stats_exponent(tasks, gpi, count)};
}

static void print_exponent(FILE *json, const char *name, double exponent) {
  if (isnan(exponent)) fprintf(json, "\"%s\": null", name);
  else fprintf(json, "\"%s\": %.3f", name, exponent);
}

static void summarise(FILE *json, const row *rows, uint32_t count, double seconds) {
  const growth g = growth_of(rows, count);
  const row *last = &rows[count - 1];
  if (count > 1)
    printf("growth with tasks T: flat lists T^%.2f, fast lists T^%.2f, pruned GPI T^%.2f\n", g.flat, g.lists, g.gpi);
  printf("bytes per entry: flat %.0f, fast %.0f; peak memory %.0f MB (both libraries); %.1f s in all\n",
         last->flat_bytes, last->bytes, stats_peak_mb(), seconds);
  if (!json) return;
  fprintf(json, "{\"results\": [");
  for (const row *r = rows; r < rows + count; r++) {
    fprintf(json,
            "%s\n  {\"tasks\": %u, \"entries\": %lld, \"queries\": %u, \"flat_us\": %.2f, \"lists_us\": %.2f, "
            "\"lists_ratio\": %.3f, \"full_distances\": %.1f, \"gpi_full_us\": %.2f, \"gpi_us\": %.2f, "
            "\"gpi_ratio\": %.3f, \"gpi_new_w_us\": %.2f, \"mismatches\": %lld}",
            r == rows ? "" : ",", r->tasks, (long long)r->entries, r->queries, r->flat_us, r->lists_us,
            r->flat_us / r->lists_us, r->distances, r->full_us, r->gpi_us, r->full_us / r->gpi_us, r->first_us,
            (long long)r->mismatches);
  }
  fprintf(json, "],\n \"growth\": {");
  print_exponent(json, "flat", g.flat);
  fprintf(json, ", ");
  print_exponent(json, "lists", g.lists);
  fprintf(json, ", ");
  print_exponent(json, "gpi", g.gpi);
  fprintf(json, "},\n \"flat_bytes_per_entry\": %.1f, \"bytes_per_entry\": %.1f, \"peak_memory_mb\": %.1f, ",
          last->flat_bytes, last->bytes, stats_peak_mb());
  fprintf(json, "\"seconds\": %.1f}\n", seconds);
  fclose(json);
}

// ---- dump: what peers need to answer the same questions ----

// keys.npy (entries, d), offsets.npy (memories + 1): the rows of each memory, queries.npy (queries, d), and
// squared.npy (queries, memories, k): the exact distances, infinite where a memory has fewer entries.
static void dump(setup *all, const char *dir, uint32_t queries) {
  memories *m = &all->flat;
  const uint32_t count = m->policies.count * WALKER_ACTIONS, k = (uint32_t)m->policies.config.options.neighbours;
  FILE *keys = npy_open(dir, "keys", "<f4", (size_t[]){(size_t)memories_entries(m), WALKER_KEY, 0});
  FILE *offsets = npy_open(dir, "offsets", "<i8", (size_t[]){count + 1, 0});
  int64_t offset = 0;
  npy_write(offsets, &offset, sizeof offset, 1);
  for (uint32_t i = 0; i < count; i++) {
    const sfnec_memory *memory = memories_at(m, i);
    // nothing was removed, so the slots are 0, 1, ...
    const uint32_t entries = sfnec_memory_count(memory);
    for (uint32_t s = 0; s < entries; s++) npy_write(keys, sfnec_memory_key(memory, s), sizeof(float), WALKER_KEY);
    offset += entries;
    npy_write(offsets, &offset, sizeof offset, 1);
  }
  npy_close(keys);
  npy_close(offsets);

  FILE *file = npy_open(dir, "queries", "<f4", (size_t[]){queries, WALKER_KEY, 0});
  npy_write(file, all->queries.observations, sizeof(float), (size_t)queries * WALKER_KEY);
  npy_close(file);
  file = npy_open(dir, "squared", "<f4", (size_t[]){queries, count, k, 0});
  sfnec_neighbour *neighbours = bench_alloc((size_t)count * k, sizeof *neighbours);
  uint32_t *counts = bench_alloc(count, sizeof *counts);
  for (uint32_t q = 0; q < queries; q++) {
    memories_lists(m, all->queries.observations + (size_t)q * WALKER_KEY, neighbours, counts);
    for (size_t i = 0; i < (size_t)count * k; i++) {
      const float squared = i % k < counts[i / k] ? neighbours[i].squared : INFINITY;
      npy_write(file, &squared, sizeof squared, 1);
    }
  }
  npy_close(file);
  free(neighbours);
  free(counts);
}

// ---- the whole ----

static void draw_queries(setup *all, uint64_t seed) {
  walker w;
  // a walk of a task that no memory has seen
  walker_start(&w, seed, 1000000);
  walk_record(&all->queries, &w, all->most_queries, gamma_psi);
  const uint32_t stretches = all->most_queries / STRETCH + 1;
  all->weights = bench_alloc(stretches, WALKER_FEATURES * sizeof(double));
  sfnec_env *env;
  bench_check(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, seed, &env));
  for (uint32_t i = 0; i < stretches; i++)
    sfnec_env_get_task_weights(env, i, all->weights + (size_t)i * WALKER_FEATURES);
  sfnec_env_destroy(env);
}

int bench_memory(const bench_args *args) {
  const double start = bench_seconds();
  uint32_t tasks[MOST_ROWS];
  const uint32_t count = bench_list(args, "--tasks", "1,10,25,50", tasks, MOST_ROWS);
  const uint64_t seed = (uint64_t)bench_number(args, "--seed", 1);
  const uint32_t wanted = (uint32_t)bench_number(args, "--queries", 400);
  setup all = {.most_queries = (wanted + BLOCK - 1) / BLOCK * BLOCK,
               .seconds = (double)bench_number(args, "--seconds", 8)};
  if (all.most_queries < LEAST_QUERIES) all.most_queries = LEAST_QUERIES;
  FILE *json = bench_json(args);
  memories_init(&all.flat, "flat", "full");
  memories_init(&all.fast, "fast", "pruned");
  draw_queries(&all, seed);

  printf("microseconds per step: medians, one thread, %s; k = %d neighbours in each of 4 T memories\n",
         all.flat.simd.name, (int)all.flat.policies.config.options.neighbours);
  printf("%5s %9s %7s %10s %10s %7s %10s %10s %10s %7s %10s %10s\n", "tasks", "entries", "queries", "flat lists",
         "fast lists", "ratio", "distances", "full GPI", "pruned GPI", "ratio", "at a new w", "mismatches");
  row rows[MOST_ROWS] = {{0}};
  walk task = {0};
  for (uint32_t i = 0; i < count; i++) {
    while (all.flat.policies.count < tasks[i]) {
      walker w;
      walker_start(&w, seed, all.flat.policies.count);
      walk_record(&task, &w, STEPS, gamma_psi);
      memories_add(&all.flat, &task);
      memories_add(&all.fast, &task);
    }
    rows[i] = measure(&all);
    print_row(&rows[i]);
  }
  summarise(json, rows, count, bench_seconds() - start);
  const char *dir = bench_text(args, "--dump", NULL);
  if (dir) dump(&all, dir, rows[count - 1].queries);

  int64_t wrong = 0;
  for (uint32_t i = 0; i < count; i++) wrong += rows[i].mismatches;
  walk_free(&task);
  walk_free(&all.queries);
  free(all.weights);
  memories_free(&all.flat);
  memories_free(&all.fast);
  if (wrong) fprintf(stderr, "sfnec-bench: answers of the fast side differ from the flat scan's\n");
  return wrong ? 1 : 0;
}
