// replay.c: one episode of a saved agent as JSON; see replay.h.
//
// Numbers are written with four decimals: a page draws them, and a study has hundreds of replays.
#include "show/play/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"
#include "base/json.h"
#include "base/output.h"
#include "memory/entries.h"
#include "show/play/scene.h"
#include "show/play/value_map.h"
#include "show/theme/theme.h"

// a number as short as four decimals allow, whatever the locale; null for one that JSON does not have
static void put_number(sfnec_json *json, const char *key, double value) {
  char text[400] = "null";
  if (isfinite(value)) snprintf(text, sizeof text, "%.4f", value);
  char *point = strpbrk(text, ".,");
  if (point) {
    *point = '.';
    char *end = text + strlen(text);
    while (end[-1] == '0') *--end = '\0';
    if (end[-1] == '.') *--end = '\0';
  }
  sfnec_json_raw(json, key, strcmp(text, "-0") == 0 ? "0" : text);
}

static void put_numbers(sfnec_json *json, const char *key, const double *numbers, size_t count) {
  sfnec_json_begin(json, key, '[');
  for (size_t i = 0; i < count; i++) put_number(json, NULL, numbers[i]);
  sfnec_json_end(json, ']');
}

// ---- the world ----

static void put_goal(sfnec_json *json, const sfnec_look *look) {
  if (look->goal_radius <= 0) {
    sfnec_json_raw(json, "goal", "null");
    return;
  }
  sfnec_json_begin(json, "goal", '{');
  put_number(json, "x", look->goal_x);
  put_number(json, "y", look->goal_y);
  put_number(json, "radius", look->goal_radius);
  sfnec_json_end(json, '}');
}

static void put_map(sfnec_json *json, const sfnec_look *look) {
  sfnec_json_begin(json, "walls", '[');
  for (int32_t i = 0; i < look->wall_count; i++) {
    const sfnec_look_wall *wall = &look->walls[i];
    put_numbers(json, NULL, (const double[]){wall->left, wall->bottom, wall->right, wall->top}, 4);
  }
  sfnec_json_end(json, ']');
  put_goal(json, look);
  sfnec_json_begin(json, "objects", '[');
  for (int32_t i = 0; i < look->object_count; i++) {
    sfnec_json_begin(json, NULL, '{');
    put_number(json, "x", look->objects[i].x);
    put_number(json, "y", look->objects[i].y);
    sfnec_json_int(json, "class", look->objects[i].class_index);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

static void put_names(sfnec_json *json, const sfnec_scene *scene) {
  sfnec_json_begin(json, "class_names", '[');
  for (int32_t i = 0; i < scene->look.class_count; i++) sfnec_json_text(json, NULL, sfnec_scene_feature(scene, i));
  sfnec_json_end(json, ']');
  sfnec_json_begin(json, "glyphs", '[');
  for (int32_t i = 0; i < scene->look.class_count; i++)
    sfnec_json_text(json, NULL, sfnec_theme_objects[scene->look.glyphs[i]].name);
  sfnec_json_end(json, ']');
  sfnec_json_begin(json, "action_names", '[');
  for (int32_t i = 0; i < scene->shape.action_count; i++) sfnec_json_text(json, NULL, sfnec_scene_action(scene, i));
  sfnec_json_end(json, ']');
}

static sfnec_status put_values(sfnec_json *json, const sfnec_scene *scene) {
  if (!sfnec_value_map_possible(scene)) {
    sfnec_json_raw(json, "value_map", "{\"columns\":0,\"rows\":0,\"values\":[]}");
    return SFNEC_OK;
  }
  sfnec_value_map *values;
  sfnec_status status = sfnec_value_map_create(scene, SFNEC_REPLAY_SIDE, SFNEC_REPLAY_SIDE, &values);
  if (!status) status = sfnec_value_map_update(values, scene);
  if (!status) {
    sfnec_json_begin(json, "value_map", '{');
    sfnec_json_int(json, "columns", values->columns);
    sfnec_json_int(json, "rows", values->rows);
    put_numbers(json, "values", values->values, (size_t)values->columns * (size_t)values->rows);
    sfnec_json_end(json, '}');
  }
  sfnec_value_map_destroy(values);
  return status;
}

// ---- the episode ----

// A state and what the agent chooses there; the reward of the choice follows when it is known.
static void put_frame(sfnec_json *json, const sfnec_scene *scene) {
  put_number(json, "x", scene->look.x);
  put_number(json, "y", scene->look.y);
  sfnec_json_int(json, "action", scene->choice.action);
  sfnec_json_int(json, "policy", scene->choice.policy);
  sfnec_json_bool(json, "explored", false);
  sfnec_json_begin(json, "taken", '[');
  for (int32_t i = 0; i < scene->look.object_count; i++)
    if (scene->look.taken >> i & 1) sfnec_json_int(json, NULL, i);
  sfnec_json_end(json, ']');
  put_numbers(json, "q", scene->q, (size_t)scene->shape.action_count);
  if (!scene->planned) return;
  sfnec_json_begin(json, "path", '[');
  for (size_t i = 0; i < scene->path_count && i < SFNEC_REPLAY_PATH; i++) {
    put_number(json, NULL, scene->path[i].x);
    put_number(json, NULL, scene->path[i].y);
  }
  sfnec_json_end(json, ']');
}

static sfnec_status put_frames(sfnec_json *json, sfnec_scene *scene) {
  sfnec_json_begin(json, "frames", '[');
  for (bool last = false; !last;) {
    last = scene->ended;
    sfnec_json_begin(json, NULL, '{');
    put_frame(json, scene);
    const sfnec_status status = sfnec_scene_step(scene);
    if (status) return status;
    put_number(json, "reward", last ? 0 : scene->play.reward);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
  put_number(json, "total", scene->play.total);
  sfnec_json_bool(json, "terminated", scene->play.terminated);
  return SFNEC_OK;
}

// ---- memories ----

// Evenly chosen entries of the task's own memories, all actions after one another.
static void put_memories(sfnec_json *json, const sfnec_scene *scene) {
  const sfnec_psi *psi = scene->agent->policies.list[scene->task].psi;
  const bool plain = psi && sfnec_agent_get_options(scene->agent)->embedding == SFNEC_EMBEDDING_IDENTITY;
  size_t total = 0, passed = 0;
  for (int32_t a = 0; plain && a < scene->shape.action_count; a++) {
    const sfnec_memory *memory = psi->ops->memory(psi, a);
    total += memory ? sfnec_memory_count(memory) : 0;
  }
  const size_t stride = 1 + (total - (total > 0)) / SFNEC_REPLAY_MEMORIES; // total / MEMORIES, rounded up
  sfnec_json_begin(json, "memories", '[');
  for (int32_t a = 0; total > 0 && a < scene->shape.action_count; a++) {
    const sfnec_memory *memory = psi->ops->memory(psi, a);
    const sfnec_recency *order = &memory->inserted;
    for (uint32_t slot = order->oldest; slot != SFNEC_NO_SLOT; slot = order->links[slot].newer, passed++) {
      double at[2];
      if (passed % stride) continue;
      if (sfnec_env_locate(scene->env, sfnec_memory_key(memory, slot), &at[0], &at[1])) put_numbers(json, NULL, at, 2);
    }
  }
  sfnec_json_end(json, ']');
}

// Evenly chosen states of the model.
static void put_states(sfnec_json *json, const sfnec_scene *scene) {
  if (!scene->planned) return;
  const size_t stride = 1 + (scene->state_count - (scene->state_count > 0)) / SFNEC_REPLAY_STATES;
  sfnec_json_begin(json, "places", '[');
  for (size_t i = 0; i < scene->state_count; i += stride) {
    const sfnec_spot *state = &scene->states[i];
    put_numbers(json, NULL, (const double[]){state->x, state->y, state->frontier}, 3);
  }
  sfnec_json_end(json, ']');
}

// ---- all of it ----

static sfnec_status put_episode(sfnec_json *json, sfnec_scene *scene) {
  sfnec_json_seed(json, "seed", scene->seed);
  sfnec_json_int(json, "task", scene->task);
  put_numbers(json, "w", scene->w, (size_t)scene->shape.feature_count);
  put_map(json, &scene->look);
  put_names(json, scene);
  sfnec_json_int(json, "policy_count", scene->policy_count);
  // before the episode: the values are those of its start
  sfnec_status status = put_values(json, scene);
  if (!status) status = put_frames(json, scene);
  if (!status) put_memories(json, scene);
  if (!status) put_states(json, scene);
  return status;
}

static sfnec_status write_replay(const char *label, sfnec_scene *scene, char **text) {
  size_t size = 0;
  sfnec_json json = {.file = open_memstream(text, &size), .compact = true};
  if (!json.file) return sfnec_fail_memory("a replay");
  sfnec_status status = SFNEC_OK;
  sfnec_json_begin(&json, NULL, '{');
  sfnec_json_text(&json, "env", sfnec_env_get_kind(scene->env)->name);
  sfnec_json_text(&json, "label", label ? label : scene->label);
  if (scene->look.view == SFNEC_LOOK_MAP) status = put_episode(&json, scene);
  else sfnec_json_bool(&json, "unsupported", true);
  sfnec_json_end(&json, '}');
  return !sfnec_output_close_text(json.file, text) && !status ? sfnec_fail_memory("a replay") : status;
}

sfnec_status sfnec_replay_json(const char *agent_path, const char *env, const char *label, uint64_t seed, uint32_t task,
                               char **text) {
  const sfnec_scene_options options = {
      .path = agent_path, .env = env, .has_seed = true, .seed = seed, .task = task, .most_steps = SFNEC_REPLAY_STEPS};
  sfnec_scene *scene;
  *text = NULL;
  sfnec_status status = sfnec_scene_open(&options, &scene);
  if (!status) status = write_replay(label, scene, text);
  sfnec_scene_close(scene);
  if (status) {
    free(*text);
    *text = NULL;
  }
  return status;
}
