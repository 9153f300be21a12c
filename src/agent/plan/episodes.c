// episodes.c: episodes that are learned in turns, as those of several environments; see planner.h.
//
// The model and the plan are one, and so is the start that a plan begins from: that of the episode begun last. What
// belongs to an episode is where it is, what its last action promised, and the path that is backed up at its end. An
// episode that waits keeps numbers of states; if they have come to mean others meanwhile, it forgets its path.
#include <stdlib.h>
#include <string.h>

#include "agent/plan/internal.h"

struct sfnec_planner_episode {
  bool in_episode, has_target;
  float target_value, asked;
  uint32_t target_action;
  uint32_t path_count, path_states[SFNEC_PLAN_PATH], path_contexts[SFNEC_PLAN_PATH];
  uint64_t numbering;  // of the planner, when it was put aside
  sfnec_belief belief; // where it is, under noise
};

sfnec_planner_episode *sfnec_planner_episode_create(const sfnec_planner *planner) {
  sfnec_planner_episode *episode = calloc(1, sizeof *episode);
  if (episode && !sfnec_belief_init(&episode->belief, planner->config->observation_size)) return episode;
  sfnec_planner_episode_destroy(episode);
  return NULL;
}

void sfnec_planner_episode_destroy(sfnec_planner_episode *episode) {
  if (!episode) return;
  sfnec_belief_clear(&episode->belief);
  free(episode);
}

static void put_aside(const sfnec_planner *planner, sfnec_planner_episode *out) {
  *out = (sfnec_planner_episode){.in_episode = planner->in_episode,
                                 .has_target = planner->has_target,
                                 .target_value = planner->target_value,
                                 .asked = planner->asked,
                                 .target_action = planner->target_action,
                                 .path_count = planner->path_count,
                                 .numbering = planner->numbering,
                                 .belief = planner->belief};
  memcpy(out->path_states, planner->path_states, planner->path_count * sizeof(uint32_t));
  memcpy(out->path_contexts, planner->path_contexts, planner->path_count * sizeof(uint32_t));
}

void sfnec_planner_swap_episode(sfnec_planner *planner, sfnec_planner_episode *other) {
  const sfnec_planner_episode next = *other;
  put_aside(planner, other);
  const bool known = next.numbering == planner->numbering;
  planner->in_episode = next.in_episode;
  planner->located = false; // looked for again when it is needed
  planner->has_target = known && next.has_target;
  planner->target_value = next.target_value;
  planner->asked = next.asked;
  planner->target_action = next.target_action;
  planner->path_count = known ? next.path_count : 0;
  memcpy(planner->path_states, next.path_states, planner->path_count * sizeof(uint32_t));
  memcpy(planner->path_contexts, next.path_contexts, planner->path_count * sizeof(uint32_t));
  planner->belief = next.belief;
  planner->takes_turns = true;
}
