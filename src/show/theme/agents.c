// agents.c: the styles of agents; see agents.h.
#include "show/theme/agents.h"

#include <string.h>

#include "base/error.h"
#include "show/theme/theme.h"

const sfnec_theme_agent sfnec_theme_agents[SFNEC_THEME_AGENTS] = {
    {"sfnec-plan", 0}, {"sfnec", 1},      {"sfnec-nogpi", 2}, {"nec", 3},
    {"sfql", 4},       {"sfnec-plus", 5}, {"ql", 6},          {"sfnec-authors", 7},
};

static const sfnec_theme_agent *find_agent(const char *preset) {
  for (size_t i = 0; i < SFNEC_THEME_AGENTS; i++)
    if (strcmp(sfnec_theme_agents[i].preset, preset) == 0) return &sfnec_theme_agents[i];
  return NULL;
}

void sfnec_theme_choose_styles(const char *const *presets, size_t count, size_t *styles) {
  bool taken[SFNEC_THEME_STYLES] = {false}, own = true;
  for (size_t i = 0; i < count && own; i++) {
    const sfnec_theme_agent *agent = find_agent(presets[i]);
    own = agent && !taken[agent->style];
    if (own) taken[styles[i] = agent->style] = true;
  }
  for (size_t i = 0; i < count && !own; i++) styles[i] = i;
}

// the number of the agent of each configuration, in the order of the plan, and the preset of each agent; their count
static size_t find_agents(const sfnec_results *results, size_t *agents, const char **presets) {
  const sfnec_result_configuration *const all = results->configurations;
  size_t count = 0;
  for (size_t i = 0; i < results->configuration_count; i++) {
    size_t before = 0;
    while (before < i && strcmp(all[before].label, all[i].label) != 0) before++;
    agents[i] = before < i ? agents[before] : count;
    if (before == i) presets[count++] = all[i].preset;
  }
  return count;
}

sfnec_status sfnec_theme_dress(const sfnec_results *results, sfnec_arena *arena, sfnec_theme_of_study *out) {
  const size_t count = results->configuration_count;
  size_t *configurations = sfnec_arena_alloc(arena, count, sizeof *configurations);
  size_t *agents = sfnec_arena_alloc(arena, count, sizeof *agents);
  size_t *chosen = sfnec_arena_alloc(arena, count, sizeof *chosen);
  const char **presets = sfnec_arena_alloc(arena, count, sizeof *presets);
  if (!configurations || !agents || !chosen || !presets) return sfnec_fail_memory("the styles of a study");
  for (size_t i = 0; i < count; i++) presets[i] = results->configurations[i].preset;
  sfnec_theme_choose_styles(presets, count, configurations);
  sfnec_theme_choose_styles(presets, find_agents(results, agents, presets), chosen);
  for (size_t i = 0; i < count; i++) agents[i] = chosen[agents[i]];
  *out = (sfnec_theme_of_study){configurations, agents};
  return SFNEC_OK;
}
