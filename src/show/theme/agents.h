// agents.h: which style an agent has, so that its colour means the same in every figure: figures for print, the page,
// Python's plots, the playground, and the comparison with other libraries.
#ifndef SFNEC_SHOW_THEME_AGENTS_H
#define SFNEC_SHOW_THEME_AGENTS_H

#include "study/store/results.h"

// The style of a preset, a number of sfnec_theme_styles. Styles from SFNEC_THEME_FREE on belong to no preset: the
// comparison gives them to the agents of other libraries.
typedef struct sfnec_theme_agent {
  const char *preset;
  uint8_t style;
} sfnec_theme_agent;

enum { SFNEC_THEME_AGENTS = 8, SFNEC_THEME_FREE = 8 };
extern const sfnec_theme_agent sfnec_theme_agents[SFNEC_THEME_AGENTS];

// Each preset has its own style if no two presets are the same; otherwise styles are 0, 1, 2, ... in their order.
void sfnec_theme_choose_styles(const char *const *presets, size_t count, size_t *styles);

// The styles of a study, both by configuration.
typedef struct sfnec_theme_of_study {
  const size_t *configurations; // chosen among all configurations
  const size_t *agents;         // chosen among the agents: all points of an agent's sweep share one
} sfnec_theme_of_study;

// In the arena. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_theme_dress(const sfnec_results *results, sfnec_arena *arena, sfnec_theme_of_study *out);

#endif
