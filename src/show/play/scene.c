// scene.c: a saved agent that plays greedily; see scene.h.
#include "show/play/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"
#include "study/work/note.h"

// ---- thinking ----

static sfnec_status recall(sfnec_scene *scene) {
  scene->memory_count = 0;
  sfnec_memory_view views[SFNEC_SCENE_MEMORIES];
  const sfnec_status status =
      sfnec_agent_ask_memories(scene->agent, scene->scratch, scene->play.observation, (uint32_t)scene->choice.policy,
                               scene->choice.action, SFNEC_SCENE_MEMORIES, views, &scene->memory_count);
  if (status) return status;
  // an embedded key shows no position
  const bool plain = sfnec_agent_get_options(scene->agent)->embedding == SFNEC_EMBEDDING_IDENTITY;
  for (size_t i = 0; i < scene->memory_count; i++) {
    sfnec_recall *memory = &scene->memories[i];
    *memory = (sfnec_recall){.distance = views[i].distance, .weight = views[i].weight};
    memory->located = plain && sfnec_env_locate(scene->env, views[i].key, &memory->x, &memory->y);
  }
  return SFNEC_OK;
}

// ---- the plan ----

static bool find_spot(const sfnec_scene *scene, const sfnec_place_view *view, sfnec_spot *spot) {
  spot->frontier = view->frontier;
  return sfnec_env_locate(scene->env, view->observation, &spot->x, &spot->y);
}

// Where the states of the model are; the agent does not learn, so they stay.
static sfnec_status find_states(sfnec_scene *scene) {
  sfnec_model_info model;
  sfnec_status status = sfnec_agent_get_model_info(scene->agent, &model);
  if (status || model.places == 0) return status;
  scene->model_states = model.places;
  scene->states = sfnec_arena_alloc(scene->arena, (size_t)model.places, sizeof *scene->states);
  if (!scene->states) return sfnec_fail_memory("the states of a scene");
  sfnec_place_view views[64];
  for (size_t first = 0, count = 1; count > 0; first += count) {
    status = sfnec_agent_ask_places(scene->agent, scene->scratch, scene->play.observation, scene->own ? NULL : scene->w,
                                    first, 64, views, &count);
    if (status) return status;
    for (size_t i = 0; i < count; i++)
      scene->state_count += find_spot(scene, &views[i], &scene->states[scene->state_count]);
  }
  return SFNEC_OK;
}

static sfnec_status find_path(sfnec_scene *scene) {
  sfnec_place_view views[SFNEC_SCENE_PATH];
  size_t count;
  const sfnec_status status = sfnec_agent_ask_path(scene->agent, scene->scratch, scene->play.observation,
                                                   scene->own ? NULL : scene->w, SFNEC_SCENE_PATH, views, &count);
  for (size_t i = 0; i < count && !status; i++)
    scene->path_count += find_spot(scene, &views[i], &scene->path[scene->path_count]);
  return status;
}

// ---- thoughts ----

static void best_per_action(sfnec_scene *scene) {
  const size_t actions = (size_t)scene->shape.action_count;
  scene->low_q = scene->high_q = 0;
  for (size_t a = 0; a < actions; a++) {
    scene->q[a] = scene->all_q[(scene->own ? scene->task : 0) * actions + a];
    for (size_t k = 0; k < scene->policy_count && !scene->own; k++)
      scene->q[a] = fmax(scene->q[a], scene->all_q[k * actions + a]);
    scene->low_q = fmin(scene->low_q, scene->q[a]);
    scene->high_q = fmax(scene->high_q, scene->q[a]);
  }
}

// Asks the agent about the present state.
static sfnec_status think(sfnec_scene *scene) {
  const double *w = scene->own ? NULL : scene->w;
  sfnec_status status = sfnec_agent_ask_q(scene->agent, scene->scratch, scene->play.observation, w, scene->all_q);
  if (status) return status;
  best_per_action(scene);
  scene->memory_count = scene->path_count = 0;
  scene->choice = (sfnec_choice){.action = -1, .policy = -1, .value = NAN};
  if (scene->ended) return SFNEC_OK;
  const uint8_t *mask;
  status = sfnec_play_get_mask(&scene->play, &mask);
  if (!status) {
    status = sfnec_agent_choose_masked(scene->agent, scene->scratch, scene->play.observation, mask, w, &scene->choice);
  }
  if (!status && scene->planned) status = find_path(scene);
  return status ? status : recall(scene);
}

// ---- playing ----

sfnec_status sfnec_scene_restart(sfnec_scene *scene) {
  sfnec_status status = sfnec_play_begin(&scene->play);
  if (!status) status = sfnec_env_get_look(scene->env, &scene->look);
  if (status) return status;
  scene->episodes++;
  scene->ended = false;
  return think(scene);
}

static sfnec_status leave_trail(sfnec_scene *scene) {
  if ((size_t)scene->play.steps == scene->trail_capacity) {
    const size_t capacity = scene->trail_capacity ? 2 * scene->trail_capacity : 256;
    sfnec_step *trail = realloc(scene->trail, capacity * sizeof *trail);
    if (!trail) return sfnec_fail_memory("the trail of an episode");
    scene->trail = trail;
    scene->trail_capacity = capacity;
  }
  scene->trail[scene->play.steps] = (sfnec_step){scene->look.x, scene->look.y, scene->choice.policy};
  return SFNEC_OK;
}

sfnec_status sfnec_scene_step(sfnec_scene *scene) {
  if (scene->ended) return SFNEC_OK;
  sfnec_play *play = &scene->play;
  play->action = scene->choice.action;
  sfnec_status status = leave_trail(scene);
  if (!status) status = sfnec_play_move(play, scene->most_steps > 0 && play->steps + 1 >= scene->most_steps);
  if (!status) status = sfnec_env_get_look(scene->env, &scene->look);
  if (status) return status;
  scene->ended = !play->in_episode;
  return think(scene);
}

// ---- weights ----

sfnec_status sfnec_scene_set_weights(sfnec_scene *scene, const double *w) {
  if (scene->fixed) {
    return sfnec_fail(SFNEC_ERROR_OPTION,
                      "%s knows only the rewards that it was trained on (option predict); new weights need an agent "
                      "that predicts features, such as sfnec",
                      scene->label);
  }
  // an agent that follows its own policy only is asked as the active task, so that the task gets the new weights
  sfnec_status status = sfnec_agent_check_weights(scene->agent, w);
  if (!status && scene->own) status = sfnec_agent_set_task_weights(scene->agent, scene->task, w);
  if (status) return status;
  const size_t size = (size_t)scene->shape.feature_count * sizeof *w;
  memcpy(scene->w, w, size);
  memcpy(scene->true_w, w, size);
  return think(scene);
}

// The weights of the task: those that the agent has, and those that the world gave.
static sfnec_status task_weights(sfnec_scene *scene, const sfnec_scene_options *options, const sfnec_note *note) {
  // tasks depend on the seed of the training, which was the agent's
  sfnec_env *training = NULL;
  const uint64_t seed = sfnec_agent_get_seed(scene->agent);
  sfnec_status status = sfnec_note_world(scene->arena, note, options->path, options->env, seed, &training);
  if (status) return status;
  sfnec_env_get_task_weights(training, scene->task, scene->true_w);
  sfnec_env_destroy(training);
  sfnec_task_info info = {0};
  const size_t size = (size_t)scene->shape.feature_count * sizeof *scene->w;
  memcpy(scene->w, scene->true_w, size);
  // weights of psi that are none of features: the world knows those
  if (scene->any) return SFNEC_OK;
  if (!scene->fixed) status = sfnec_agent_get_task_info(scene->agent, scene->task, &info);
  if (!scene->fixed && !status) status = sfnec_agent_get_task_weights(scene->agent, scene->task, scene->w);
  // weights that were given to the agent are the truth, wherever they came from
  if (!status && !scene->fixed && !info.learned) memcpy(scene->true_w, scene->w, size);
  return status;
}

// ---- life ----

static sfnec_status check_agent(sfnec_scene *scene, const char *path) {
  if (sfnec_play_fits(scene->agent, scene->env)) {
    return sfnec_fail(SFNEC_ERROR_FORMAT, "%s was not made for %s: it has another shape", path,
                      sfnec_env_get_kind(scene->env)->name);
  }
  if (sfnec_agent_get_task_count(scene->agent) == 0)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "%s holds an agent without a task: train it first", path);
  return SFNEC_OK;
}

static sfnec_status allocate(sfnec_scene *scene) {
  const size_t features = (size_t)scene->shape.feature_count, actions = (size_t)scene->shape.action_count;
  scene->w = sfnec_arena_alloc(scene->arena, features, sizeof *scene->w);
  scene->true_w = sfnec_arena_alloc(scene->arena, features, sizeof *scene->true_w);
  scene->q = sfnec_arena_alloc(scene->arena, actions, sizeof *scene->q);
  scene->all_q = sfnec_arena_alloc(scene->arena, actions * scene->policy_count, sizeof *scene->all_q);
  if (!scene->w || !scene->true_w || !scene->q || !scene->all_q) return sfnec_fail_memory("a scene");
  return sfnec_play_open_greedy(&scene->play, scene->agent, scene->scratch, scene->env, scene->true_w);
}

// Chooses the task, and the way in which the agent is asked.
static sfnec_status prepare_agent(sfnec_scene *scene, const sfnec_scene_options *options) {
  const sfnec_agent_options *agent = sfnec_agent_get_options(scene->agent);
  scene->policy_count = sfnec_agent_get_task_count(scene->agent);
  scene->task = options->task < scene->policy_count ? options->task : scene->policy_count - 1;
  scene->fixed = agent->predict != SFNEC_PREDICT_FEATURES;
  scene->planned = agent->psi == SFNEC_PSI_PLANNED;
  scene->any = agent->rewards == SFNEC_REWARDS_ANY && !scene->fixed;
  scene->own = scene->fixed || agent->policies == SFNEC_POLICIES_OWN;
  // an agent may have been saved in the middle of an episode
  const sfnec_status status = sfnec_agent_end_episode(scene->agent);
  return status ? status : sfnec_agent_set_task(scene->agent, scene->task);
}

static sfnec_status open_world(sfnec_scene *scene, const sfnec_scene_options *options, const sfnec_note *note) {
  scene->seed = options->has_seed ? options->seed : sfnec_agent_get_seed(scene->agent) + 1;
  scene->most_steps = options->most_steps;
  scene->label = sfnec_arena_copy(scene->arena, note->label ? note->label : "agent");
  if (!scene->label) return sfnec_fail_memory("a scene");
  sfnec_status status = sfnec_note_world(scene->arena, note, options->path, options->env, scene->seed, &scene->env);
  if (status) return status;
  scene->shape = sfnec_env_get_shape(scene->env);
  status = sfnec_env_get_look(scene->env, &scene->look);
  if (!status) status = check_agent(scene, options->path);
  if (!status) status = prepare_agent(scene, options);
  if (!status) status = allocate(scene);
  if (!status) status = task_weights(scene, options, note);
  if (!status) status = sfnec_scene_restart(scene);
  return !status && scene->planned ? find_states(scene) : status;
}

sfnec_status sfnec_scene_open(const sfnec_scene_options *options, sfnec_scene **out) {
  *out = NULL;
  sfnec_arena *arena;
  sfnec_scene *scene = sfnec_arena_create_for(sizeof *scene, &arena);
  if (!scene) return sfnec_fail_memory("a scene");
  scene->arena = arena;
  sfnec_note note = {0};
  sfnec_status status = sfnec_agent_load(options->path, &scene->agent);
  if (!status) (void)sfnec_agent_limit_plans(scene->agent);
  if (!status) status = sfnec_scratch_create(scene->agent, &scene->scratch);
  if (!status) status = sfnec_note_read(arena, sfnec_agent_get_note(scene->agent), &note);
  if (!status) status = open_world(scene, options, &note);
  if (status) sfnec_scene_close(scene);
  else *out = scene;
  return status;
}

void sfnec_scene_close(sfnec_scene *scene) {
  if (!scene) return;
  sfnec_scratch_destroy(scene->scratch);
  sfnec_agent_destroy(scene->agent);
  sfnec_env_destroy(scene->env);
  sfnec_play_close(&scene->play);
  free(scene->trail);
  sfnec_arena_destroy(scene->arena);
}

const char *sfnec_scene_end(const sfnec_scene *scene) {
  if (!scene->play.terminated) return "cut off";
  if (scene->look.view == SFNEC_LOOK_POLE) return "fallen";
  return scene->look.goal_radius > 0 ? "goal reached" : "ended";
}

const char *sfnec_scene_feature(const sfnec_scene *scene, int32_t feature) {
  const char *const *names = sfnec_env_get_kind(scene->env)->feature_names;
  return names ? names[feature] : "feature";
}

const char *sfnec_scene_action(const sfnec_scene *scene, int32_t action) {
  const char *const *names = sfnec_env_get_kind(scene->env)->action_names;
  return names ? names[action] : "action";
}
