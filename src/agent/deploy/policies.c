// policies.c: the data of an agent with a psi per task: the entries of its memories, its embeddings, or its matrices.
#include <stdlib.h>
#include <string.h>

#include "agent/deploy/deploy.h"
#include "base/error.h"
#include "memory/entries.h"

// Which policies are asked: all of them, or the active one alone.
typedef struct chosen {
  uint32_t first, end;
} chosen;

static const sfnec_memory *memory_of(const sfnec_agent *agent, uint32_t policy, int32_t action) {
  const sfnec_psi *psi = agent->policies.list[policy].psi;
  return psi->ops->memory(psi, action);
}

static const sfnec_embedding *embedding_of(const sfnec_agent *agent, uint32_t policy) {
  const sfnec_psi *psi = agent->policies.list[policy].psi;
  return psi->ops->embedding(psi);
}

// ---- memories ----

// All entries of the policies as arrays, memory after memory, each in insertion order.
typedef struct entries {
  size_t count, key_size;
  float *keys, *values;
  int64_t *first; // (memories + 1)
  uint32_t most;  // of one memory
} entries;

static void entries_clear(entries *all) {
  free(all->keys), free(all->values), free(all->first);
}

static sfnec_status gather(const sfnec_agent *agent, chosen which, entries *all) {
  const size_t actions = (size_t)agent->shape.action_count, n = agent->policies.config.psi_size;
  *all = (entries){.key_size = sfnec_psi_key_size(&agent->policies.config)};
  for (uint32_t p = which.first; p < which.end; p++) {
    for (int32_t a = 0; a < agent->shape.action_count; a++) {
      const uint32_t count = sfnec_memory_count(memory_of(agent, p, a));
      all->count += count;
      if (count > all->most) all->most = count;
    }
  }
  all->keys = calloc(all->count * all->key_size + 1, sizeof *all->keys);
  all->values = calloc(all->count * n + 1, sizeof *all->values);
  all->first = calloc((which.end - which.first) * actions + 1, sizeof *all->first);
  if (!all->keys || !all->values || !all->first) return sfnec_fail_memory("a policy in C");
  size_t at = 0, memories = 0;
  for (uint32_t p = which.first; p < which.end; p++) {
    for (int32_t a = 0; a < agent->shape.action_count; a++) {
      const sfnec_memory *memory = memory_of(agent, p, a);
      const sfnec_recency *order = &memory->inserted;
      for (uint32_t slot = order->oldest; slot != SFNEC_NO_SLOT; slot = order->links[slot].newer, at++) {
        memcpy(all->keys + at * all->key_size, sfnec_memory_key(memory, slot), all->key_size * sizeof *all->keys);
        memcpy(all->values + at * n, sfnec_memory_value(memory, slot), n * sizeof *all->values);
      }
      all->first[++memories] = (int64_t)at;
    }
  }
  return SFNEC_OK;
}

// The layers of a network; returns the most numbers that go into one or come out of it.
static size_t write_layers(const sfnec_net *net, sfnec_source *source) {
  enum { EACH = 11 }; // as the runtime reads them
  int64_t numbers[SFNEC_NET_LAYERS * EACH];
  size_t most = 1;
  for (size_t i = 0; i < net->count; i++) {
    const sfnec_layer *l = &net->layers[i];
    const size_t each[EACH] = {l->height, l->width,  l->channels, l->out_height, l->out_width, l->units,
                               l->kernel, l->stride, l->padding,  l->weights,    l->rectified};
    for (size_t j = 0; j < EACH; j++) numbers[i * EACH + j] = (int64_t)each[j];
    if (sfnec_layer_inputs(l) > most) most = sfnec_layer_inputs(l);
    if (sfnec_layer_outputs(l) > most) most = sfnec_layer_outputs(l);
  }
  sfnec_source_count(source, "LAYERS", (int64_t)net->count);
  sfnec_source_count(source, "UNIT", net->unit);
  sfnec_source_counts(source, "layers", numbers, net->count * EACH);
  return most;
}

// The embeddings, each once, and which of them each policy has.
static sfnec_status write_embeddings(const sfnec_agent *agent, chosen which, sfnec_source *source,
                                     sfnec_deploy_cost *cost) {
  const size_t policies = which.end - which.first, weights = embedding_of(agent, which.first)->count;
  const sfnec_embedding **found = calloc(policies, sizeof *found);
  int64_t *number = calloc(policies, sizeof *number);
  float *all = calloc(policies, weights * sizeof *all);
  const bool whole = found && number && all;
  size_t count = 0;
  for (uint32_t p = which.first; p < which.end && whole; p++) {
    const sfnec_embedding *each = embedding_of(agent, p);
    size_t at = 0;
    while (at < count && found[at] != each) at++;
    number[p - which.first] = (int64_t)at;
    if (at < count) continue;
    memcpy(all + count * weights, each->weights, weights * sizeof *all);
    found[count++] = each;
  }
  if (whole) {
    const size_t numbers = write_layers(&found[0]->net, source);
    sfnec_source_count(source, "FRAMES", (int64_t)found[0]->frames);
    sfnec_source_count(source, "CHANNELS", (int64_t)found[0]->channels);
    sfnec_source_count(source, "LAYER_NUMBERS", (int64_t)numbers);
    sfnec_source_count(source, "EMBEDDING_WEIGHTS", (int64_t)weights);
    sfnec_source_counts(source, "embedding", number, policies);
    sfnec_source_floats(source, "embeddings", all, count * weights, 1, 1);
    cost->embedding = (double)policies * sfnec_net_multiplies(&found[0]->net);
    cost->state_bytes += 2 * numbers * sizeof(float);
  }
  free(found), free(number), free(all);
  return whole ? SFNEC_OK : sfnec_fail_memory("a policy in C");
}

static sfnec_status write_memories(const sfnec_agent *agent, chosen which, sfnec_source *source,
                                   sfnec_deploy_cost *cost) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  const size_t actions = (size_t)agent->shape.action_count, n = agent->policies.config.psi_size;
  const size_t policies = which.end - which.first;
  const bool embedded = options->embedding != SFNEC_EMBEDDING_IDENTITY && policies > 0;
  entries all;
  sfnec_status status = gather(agent, which, &all);
  if (!status && embedded) status = write_embeddings(agent, which, source, cost);
  if (!status && !embedded) sfnec_source_count(source, "LAYER_NUMBERS", 1);
  if (!status) {
    const uint32_t found = all.most < (uint32_t)options->neighbours ? all.most : (uint32_t)options->neighbours;
    const uint32_t k = found ? found : 1;
    sfnec_source_count(source, "KEY", (int64_t)all.key_size);
    sfnec_source_count(source, "NEIGHBOURS", k);
    sfnec_source_count(source, "KERNEL_INVERSE", options->kernel == SFNEC_KERNEL_INVERSE);
    sfnec_source_double(source, "DELTA", options->delta);
    sfnec_source_counts(source, "first", all.first, policies * actions + 1);
    sfnec_source_floats(source, "keys", all.keys, all.count, all.key_size, all.key_size);
    sfnec_source_floats(source, "values_of", all.values, all.count, n, n);
    cost->distances = (double)all.count;
    cost->multiplies = (double)(policies * actions * (k + 2) * n);
    cost->state_bytes += k * 16 + 4 * all.key_size + 4 + (embedded ? 0 : 2 * sizeof(float));
  }
  entries_clear(&all);
  return status;
}

// ---- matrices ----

static sfnec_status write_matrices(const sfnec_agent *agent, chosen which, sfnec_source *source,
                                   sfnec_deploy_cost *cost) {
  const size_t each =
      (size_t)agent->shape.action_count * (size_t)agent->shape.observation_size * agent->policies.config.psi_size;
  const size_t policies = which.end - which.first;
  double *all = calloc(policies * each + 1, sizeof *all);
  if (!all) return sfnec_fail_memory("a policy in C");
  for (uint32_t p = which.first; p < which.end; p++) {
    const sfnec_psi *psi = agent->policies.list[p].psi;
    memcpy(all + (p - which.first) * each, psi->ops->matrices(psi), each * sizeof *all);
  }
  sfnec_source_doubles(source, "z", all, policies * each);
  free(all);
  cost->multiplies = (double)(policies * each) * 2;
  return SFNEC_OK;
}

sfnec_status sfnec_deploy_policies(const sfnec_agent *agent, const double *w, sfnec_source *source,
                                   sfnec_deploy_cost *cost) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  const size_t n = agent->policies.config.psi_size;
  const bool own = !w && options->policies == SFNEC_POLICIES_OWN;
  const uint32_t active = agent->active == SFNEC_NO_POLICY ? 0 : (uint32_t)agent->active;
  const chosen which = own ? (chosen){active, active + 1} : (chosen){0, agent->policies.count};
  const size_t values = (size_t)(which.end - which.first) * (size_t)agent->shape.action_count;
  cost->per = "act, act_for or q";
  cost->state_bytes = 8 * (1 + n + 2 * values) + 8;
  sfnec_source_count(source, "POLICIES", which.end - which.first);
  sfnec_source_count(source, "ACTIVE", w ? -1 : (int64_t)(active - which.first));
  sfnec_source_double(source, "PENALTY", options->gpi_penalty);
  sfnec_source_doubles(source, "w", sfnec_agent_weights(agent, w), n);
  return options->psi == SFNEC_PSI_LINEAR ? write_matrices(agent, which, source, cost)
                                          : write_memories(agent, which, source, cost);
}
