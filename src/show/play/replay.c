// replay.c: one episode of a saved agent as JSON; see replay.h.
//
// Numbers are written with four decimals: a page draws them, and a study has hundreds of replays.
#include "show/play/replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "base/error.h"
#include "show/play/scene.h"
#include "show/play/value_map.h"

// ---- JSON ----

static void put_text(FILE *json, const char *text) {
  fputc('"', json);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\') fprintf(json, "\\%c", *c);
    else if (*c < 0x20) fprintf(json, "\\u%04x", *c);
    else fputc(*c, json);
  }
  fputc('"', json);
}

// a number as short as four decimals allow, whatever the locale; null for one that JSON does not have
static void put_number(FILE *json, double value) {
  if (!isfinite(value)) {
    fputs("null", json);
    return;
  }
  char text[400];
  snprintf(text, sizeof text, "%.4f", value);
  char *point = strpbrk(text, ".,");
  if (point) {
    *point = '.';
    char *end = text + strlen(text);
    while (end[-1] == '0') *--end = '\0';
    if (end[-1] == '.') *--end = '\0';
  }
  fputs(strcmp(text, "-0") == 0 ? "0" : text, json);
}

static void put_numbers(FILE *json, const char *key, const double *numbers, size_t count) {
  fprintf(json, "\"%s\":[", key);
  for (size_t i = 0; i < count; i++) {
    if (i) fputc(',', json);
    put_number(json, numbers[i]);
  }
  fputc(']', json);
}

static void put_named(FILE *json, const char *key, double value) {
  fprintf(json, "\"%s\":", key);
  put_number(json, value);
}

static void put_pair(FILE *json, double x, double y) {
  fputs("\"x\":", json);
  put_number(json, x);
  fputs(",\"y\":", json);
  put_number(json, y);
}

// ---- the world ----

static void put_walls(FILE *json, const sfnec_look *look) {
  fputs(",\"walls\":[", json);
  for (int32_t i = 0; i < look->wall_count; i++) {
    const sfnec_look_wall *wall = &look->walls[i];
    const double corners[] = {wall->left, wall->bottom, wall->right, wall->top};
    for (int j = 0; j < 4; j++) {
      fputs(j ? "," : i ? ",[" : "[", json);
      put_number(json, corners[j]);
    }
    fputc(']', json);
  }
  fputc(']', json);
}

static void put_goal(FILE *json, const sfnec_look *look) {
  if (look->goal_radius <= 0) {
    fputs(",\"goal\":null", json);
    return;
  }
  fputs(",\"goal\":{", json);
  put_pair(json, look->goal_x, look->goal_y);
  fputc(',', json);
  put_named(json, "radius", look->goal_radius);
  fputc('}', json);
}

static void put_world(FILE *json, const sfnec_scene *scene) {
  const sfnec_look *look = &scene->look;
  put_walls(json, look);
  put_goal(json, look);
  fputs(",\"objects\":[", json);
  for (int32_t i = 0; i < look->object_count; i++) {
    fputs(i ? ",{" : "{", json);
    put_pair(json, look->objects[i].x, look->objects[i].y);
    fprintf(json, ",\"class\":%" PRId32 "}", look->objects[i].class_index);
  }
  fputs("],\"class_names\":[", json);
  for (int32_t i = 0; i < look->class_count; i++) {
    if (i) fputc(',', json);
    put_text(json, sfnec_scene_feature(scene, i));
  }
  fputs("],\"action_names\":[", json);
  for (int32_t i = 0; i < scene->shape.action_count; i++) {
    if (i) fputc(',', json);
    put_text(json, sfnec_scene_action(scene, i));
  }
  fprintf(json, "],\"policy_count\":%" PRIu32, scene->policy_count);
}

// ---- the episode ----

// A state and what the agent chooses there; the reward of the choice follows when it is known.
static void put_frame(FILE *json, const sfnec_scene *scene) {
  fputs(scene->steps ? ",{" : "{", json);
  put_pair(json, scene->look.x, scene->look.y);
  fprintf(json, ",\"action\":%" PRId32 ",\"policy\":%" PRId32 ",\"explored\":false,\"taken\":[", scene->choice.action,
          scene->choice.policy);
  bool first = true;
  for (int32_t i = 0; i < scene->look.object_count; i++) {
    if (!(scene->look.taken >> i & 1)) continue;
    fprintf(json, first ? "%" PRId32 : ",%" PRId32, i);
    first = false;
  }
  fputs("],", json);
  put_numbers(json, "q", scene->q, (size_t)scene->shape.action_count);
}

static sfnec_status put_frames(FILE *json, sfnec_scene *scene) {
  fputs(",\"frames\":[", json);
  for (;;) {
    const bool last = scene->ended;
    put_frame(json, scene);
    const sfnec_status status = sfnec_scene_step(scene);
    if (status) return status;
    fputc(',', json);
    put_named(json, "reward", last ? 0 : scene->reward);
    fputc('}', json);
    if (last) break;
  }
  fputc(']', json);
  fputc(',', json);
  put_named(json, "total", scene->total);
  fprintf(json, ",\"terminated\":%s", scene->terminated ? "true" : "false");
  return SFNEC_OK;
}

static sfnec_status put_values(FILE *json, const sfnec_scene *scene) {
  sfnec_value_map *values;
  sfnec_status status = sfnec_value_map_create(scene, SFNEC_REPLAY_SIDE, SFNEC_REPLAY_SIDE, &values);
  if (!status) status = sfnec_value_map_update(values, scene);
  if (!status) {
    fprintf(json, ",\"value_map\":{\"columns\":%d,\"rows\":%d,", values->columns, values->rows);
    put_numbers(json, "values", values->values, (size_t)values->columns * (size_t)values->rows);
    fputc('}', json);
  }
  sfnec_value_map_destroy(values);
  return status;
}

// ---- memories ----

// Evenly chosen entries of the task's own memories, all actions after one another.
static void put_memories(FILE *json, const sfnec_scene *scene) {
  const sfnec_psi *psi = scene->agent->policies.list[scene->task].psi;
  const bool plain = sfnec_agent_get_options(scene->agent)->embedding == SFNEC_EMBEDDING_IDENTITY;
  size_t total = 0, passed = 0, written = 0;
  for (int32_t a = 0; plain && a < scene->shape.action_count; a++) {
    const sfnec_memory *memory = psi->ops->memory(psi, a);
    total += memory ? sfnec_memory_count(memory) : 0;
  }
  const size_t stride = 1 + (total - (total > 0)) / SFNEC_REPLAY_MEMORIES; // total / MEMORIES, rounded up
  fputs(",\"memories\":[", json);
  for (int32_t a = 0; total > 0 && a < scene->shape.action_count; a++) {
    const sfnec_memory *memory = psi->ops->memory(psi, a);
    for (uint32_t slot = 0; slot < sfnec_memory_count(memory); slot++, passed++) {
      double x, y;
      if (passed % stride || !sfnec_env_locate(scene->env, sfnec_memory_key(memory, slot), &x, &y)) continue;
      fputs(written++ ? ",[" : "[", json);
      put_number(json, x);
      fputc(',', json);
      put_number(json, y);
      fputc(']', json);
    }
  }
  fputc(']', json);
}

// ---- all of it ----

static sfnec_status put_replay(FILE *json, const char *label, sfnec_scene *scene) {
  fputs("{\"env\":", json);
  put_text(json, sfnec_env_get_kind(scene->env)->name);
  fputs(",\"label\":", json);
  put_text(json, label ? label : scene->label);
  if (scene->look.view != SFNEC_LOOK_MAP) {
    fputs(",\"unsupported\":true}", json);
    return SFNEC_OK;
  }
  fprintf(json, ",\"seed\":%" PRIu64 ",\"task\":%" PRIu32 ",", scene->seed, scene->task);
  put_numbers(json, "w", scene->w, (size_t)scene->shape.feature_count);
  put_world(json, scene);
  // before the episode: the values are those of its start
  sfnec_status status = put_values(json, scene);
  if (!status) status = put_frames(json, scene);
  if (status) return status;
  put_memories(json, scene);
  fputc('}', json);
  return SFNEC_OK;
}

// writes all or nothing
static sfnec_status write_whole(FILE *json, const char *label, sfnec_scene *scene) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return sfnec_fail_memory("a replay");
  sfnec_status status = put_replay(stream, label, scene);
  if (fclose(stream) != 0 && !status) status = sfnec_fail_memory("a replay");
  if (!status) fwrite(text, 1, size, json);
  free(text);
  return status;
}

sfnec_status sfnec_replay_json(const char *agent_path, const char *label, uint64_t seed, uint32_t task, FILE *json) {
  const sfnec_scene_options options = {
      .path = agent_path, .has_seed = true, .seed = seed, .task = task, .most_steps = SFNEC_REPLAY_STEPS};
  sfnec_scene *scene;
  sfnec_status status = sfnec_scene_open(&options, &scene);
  if (!status) status = write_whole(json, label, scene);
  sfnec_scene_close(scene);
  return status;
}
