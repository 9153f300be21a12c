// saved.h: small trained agents in files, for the tests that look at them.
#ifndef SFNEC_TESTS_VIEW_SAVED_H
#define SFNEC_TESTS_VIEW_SAVED_H

#include "support/player.h"

#include "show/play/scene.h"
#include "study/work/note.h"

// Trains an agent on a few tasks and saves it with the note of its world, as `sfnec train --save` does.
static inline void save_agent(const char *path, const char *world, const char *preset,
                              const char *const *world_settings, uint64_t seed) {
  player p = {.env = open_env(world, world_settings, seed), .per_task = 200};
  const sfnec_env_shape shape = sfnec_env_get_shape(p.env);
  p.agent = agent_for(&shape, preset, NULL, seed);
  play(&p, 2 * 600);
  OK(sfnec_agent_end_episode(p.agent));
  sfnec_arena *arena = sfnec_arena_create();
  const char *note = sfnec_note_make(arena, "tester", p.env);
  assert_non_null(note);
  OK(sfnec_agent_set_note(p.agent, note));
  sfnec_arena_destroy(arena);
  OK(sfnec_agent_save(p.agent, path));
  close_player(&p);
}

static inline sfnec_scene *open_scene(const char *path, uint32_t task, int64_t most_steps) {
  const sfnec_scene_options options = {
      .path = path, .has_seed = true, .seed = 9, .task = task, .most_steps = most_steps};
  sfnec_scene *scene;
  OK(sfnec_scene_open(&options, &scene));
  return scene;
}

#endif
