// memories.c: filling and asking libraries of policies; see memories.h.
#include "memories.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "simd/simd.h"

// ---- counting: the kernel's table is swapped for one that counts, outside of any measurement ----

static const sfnec_simd *best;
static int64_t counted;

static void count_distances(const float *query, const float *rows, size_t stride, size_t count, size_t size,
                            float *out) {
  counted += (int64_t)count;
  best->squared_distances(query, rows, stride, count, size, out);
}

static void count_scattered(const float *query, const float *rows, size_t stride, const uint32_t *places, size_t count,
                            size_t size, float *out) {
  counted += (int64_t)count;
  best->scattered_distances(query, rows, stride, places, count, size, out);
}

int64_t memories_count_distances(memories *m, int on) {
  const int64_t so_far = counted;
  counted = 0;
  m->kernel.squared_distances = on ? count_distances : best->squared_distances;
  m->kernel.scattered_distances = on ? count_scattered : best->scattered_distances;
  return so_far;
}

// ---- life ----

void memories_init(memories *m, const char *index, const char *gpi) {
  bench_check(sfnec_simd_select(&best));
  *m = (memories){.kernel = *best, .likely = SFNEC_NO_POLICY};
  sfnec_psi_shape *shape = &m->library.shape;
  const sfnec_option_set *set = sfnec_agent_option_set();
  bench_check(sfnec_agent_options_preset("sfnec", &shape->options));
  bench_check(sfnec_options_set(set, &shape->options, "index", index));
  bench_check(sfnec_options_set(set, &shape->options, "gpi", gpi));
  // the walk's own returns are the values: learning only writes
  shape->options.rate = 0;
  shape->simd = &m->kernel;
  shape->family = sfnec_index_family_create();
  shape->observation_size = WALKER_KEY;
  shape->psi_size = WALKER_FEATURES;
  shape->action_count = WALKER_ACTIONS;
}

void memories_free(memories *m) {
  sfnec_library_clear(&m->library);
  sfnec_index_family_destroy(m->library.shape.family);
  sfnec_frame_clear(&m->frame);
}

void memories_add(memories *m, const walk *w) {
  sfnec_library *library = &m->library;
  const double none[WALKER_FEATURES] = {0};
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  sfnec_policy policy;
  bench_check(sfnec_library_reserve(library));
  bench_check(sfnec_policy_init(&policy, library, library->count, none, &init));
  for (size_t t = 0; t < w->count; t++) {
    const float *key = w->observations + t * WALKER_KEY;
    bench_check(policy.psi->ops->learn(policy.psi, key, w->actions[t], w->psi + t * WALKER_FEATURES));
  }
  if (library->count > 0) {
    sfnec_psi *before = library->policies[library->count - 1].psi;
    before->ops->freeze(before);
  }
  sfnec_library_push(library, &policy);
  bench_check(sfnec_frame_reserve(&m->frame, &library->shape, library->count));
  sfnec_frame_invalidate(&m->frame, &library->shape);
}

// ---- facts ----

int64_t memories_entries(const memories *m) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < m->library.count; i++) sum += sfnec_psi_entries(m->library.policies[i].psi);
  return sum;
}

size_t memories_bytes(const memories *m) {
  size_t sum = 0;
  for (uint32_t i = 0; i < m->library.count; i++) {
    const sfnec_psi *psi = m->library.policies[i].psi;
    sum += psi->ops->bytes(psi);
  }
  return sum;
}

const sfnec_memory *memories_at(const memories *m, uint32_t i) {
  const sfnec_psi *psi = m->library.policies[i / WALKER_ACTIONS].psi;
  return psi->ops->memory(psi, (int32_t)(i % WALKER_ACTIONS));
}

// ---- questions ----

void memories_lists(const memories *m, const float *key, sfnec_neighbour *neighbours, uint32_t *counts) {
  const size_t k = (size_t)m->library.shape.options.neighbours;
  double weights[64];
  for (uint32_t i = 0; i < m->library.count * WALKER_ACTIONS; i++) {
    sfnec_lookup lookup = {.neighbours = neighbours + i * k, .weights = weights};
    sfnec_memory_search(memories_at(m, i), key, &lookup);
    counts[i] = lookup.count;
  }
}

void memories_set_weights(memories *m, const double *w) {
  memcpy(m->w, w, sizeof m->w);
  m->stamp++;
}

sfnec_choice memories_choose(memories *m, const float *key, sfnec_random *ties) {
  const bool pruned = m->library.shape.options.gpi == SFNEC_GPI_PRUNED;
  const sfnec_gpi_rule rule = {
      .w = m->w,
      .active = (int32_t)m->library.count - 1,
      .only = SFNEC_NO_POLICY,
      .likely = m->likely,
      .stamp = pruned ? m->stamp : 0,
      .ties = ties,
  };
  sfnec_frame_look(&m->frame, &m->library.shape, key);
  const sfnec_choice choice = sfnec_gpi_choose(&m->frame, &m->library, &rule);
  m->likely = choice.policy;
  return choice;
}
