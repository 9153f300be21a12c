// memories.c: filling and asking libraries of policies; see memories.h.
#include "memories.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "simd/simd.h"

// ---- counting: the table of the level is swapped for one that counts, outside of any measurement ----

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
  m->simd.squared_distances = on ? count_distances : best->squared_distances;
  m->simd.scattered_distances = on ? count_scattered : best->scattered_distances;
  return so_far;
}

// ---- life ----

void memories_init(memories *m, const char *index, const char *gpi) {
  bench_check(sfnec_simd_select(&best));
  *m = (memories){.simd = *best, .likely = SFNEC_NO_POLICY};
  sfnec_psi_config *config = &m->policies.config;
  const sfnec_option_set *set = sfnec_agent_option_set();
  bench_check(sfnec_agent_options_preset("sfnec", &config->options));
  bench_check(sfnec_options_set(set, &config->options, "index", index));
  bench_check(sfnec_options_set(set, &config->options, "gpi", gpi));
  // the walk's own returns are the values: learning only writes
  config->options.rate = 0;
  config->simd = &m->simd;
  config->codebook = sfnec_codebook_create();
  config->scratch = &m->scratch;
  config->observation_size = WALKER_KEY;
  config->psi_size = WALKER_FEATURES;
  config->action_count = WALKER_ACTIONS;
  bench_check(sfnec_psi_scratch_init(&m->scratch, config));
}

void memories_free(memories *m) {
  sfnec_policies_clear(&m->policies);
  sfnec_codebook_destroy(m->policies.config.codebook);
  sfnec_frame_clear(&m->frame);
  sfnec_psi_scratch_clear(&m->scratch);
}

void memories_add(memories *m, const walk *w) {
  sfnec_policies *policies = &m->policies;
  const double none[WALKER_FEATURES] = {0};
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  sfnec_policy policy;
  bench_check(sfnec_policies_reserve(policies));
  bench_check(sfnec_policy_init(&policy, policies, policies->count, none, &init));
  for (size_t t = 0; t < w->count; t++) {
    const float *key = w->observations + t * WALKER_KEY;
    const double *target = w->psi + t * WALKER_FEATURES;
    bench_check(policy.psi->ops->learn(policy.psi, key, w->actions[t], target, target));
  }
  if (policies->count > 0) {
    sfnec_psi *before = policies->list[policies->count - 1].psi;
    before->ops->freeze(before);
  }
  sfnec_policies_push(policies, &policy);
  bench_check(sfnec_frame_reserve(&m->frame, &policies->config, &m->scratch, policies->count));
  sfnec_frame_invalidate(&m->frame, &policies->config);
}

// ---- facts ----

int64_t memories_entries(const memories *m) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < m->policies.count; i++) sum += sfnec_psi_entries(m->policies.list[i].psi);
  return sum;
}

size_t memories_bytes(const memories *m) {
  size_t sum = 0;
  for (uint32_t i = 0; i < m->policies.count; i++) {
    const sfnec_psi *psi = m->policies.list[i].psi;
    sum += psi->ops->bytes(psi);
  }
  return sum;
}

const sfnec_memory *memories_at(const memories *m, uint32_t i) {
  const sfnec_psi *psi = m->policies.list[i / WALKER_ACTIONS].psi;
  return psi->ops->memory(psi, (int32_t)(i % WALKER_ACTIONS));
}

// ---- questions ----

void memories_lists(memories *m, const float *key, sfnec_neighbour *neighbours, uint32_t *counts) {
  const size_t k = (size_t)m->policies.config.options.neighbours;
  double weights[64];
  for (uint32_t i = 0; i < m->policies.count * WALKER_ACTIONS; i++) {
    sfnec_lookup lookup = {.neighbours = neighbours + i * k, .weights = weights};
    sfnec_memory_search(memories_at(m, i), m->scratch.search, key, &lookup);
    counts[i] = lookup.count;
  }
}

void memories_set_weights(memories *m, const double *w) {
  memcpy(m->w, w, sizeof m->w);
  m->stamp++;
}

sfnec_choice memories_choose(memories *m, const float *key, sfnec_random *ties) {
  const bool pruned = m->policies.config.options.gpi == SFNEC_GPI_PRUNED;
  const sfnec_gpi_rule rule = {
      .w = m->w,
      .active = (int32_t)m->policies.count - 1,
      .only = SFNEC_NO_POLICY,
      .likely = m->likely,
      .stamp = pruned ? m->stamp : 0,
      .ties = ties,
  };
  sfnec_frame_look(&m->frame, &m->policies.config, key);
  const sfnec_choice choice = sfnec_gpi_choose(&m->frame, &m->policies, &rule);
  m->likely = choice.policy;
  return choice;
}
