// playground.c: an agent in the four rooms that learns before somebody's eyes; see playground.h.
#include "playground.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  FEATURES = 4,
  ACTIONS = 4,
  MOST_SIDE = 64,
  MOST_STEPS = 500, // of an episode, as for `sfnec watch`: an agent may stay away from the goal
};

struct playground {
  sfnec_agent *agent;
  sfnec_scratch *scratch; // by which the agent is asked
  sfnec_env *env;
  sfnec_run *run;
  bool planned;
  unsigned char *file; // of the last save

  // the task and its episode
  double w[FEATURES];
  float *observation;    // (observation_size)
  float *elsewhere;      // (observation_size): at a position of the value map
  bool in_episode;       // of the world
  bool agent_in_episode; // the agent learns from it
  double state[PLAYGROUND_STATE_SIZE];

  // the value map: psi is kept, so that other weights are a few products
  uint32_t side, asked; // positions asked so far in this round
  uint32_t psi_tasks;   // tasks that there is room for
  double *psi;          // (side * side, psi_tasks, actions, features); of an agent that plans the value itself
  uint32_t *psi_known;  // (side * side): policies that psi holds there; 0: none
  double values[MOST_SIDE * MOST_SIDE];

  sfnec_look look;
  double walls[4 * SFNEC_LOOK_MOST_WALLS], objects[3 * SFNEC_LOOK_MOST_OBJECTS], goal[3];
  double spots[PLAYGROUND_SPOT_SIZE * PLAYGROUND_MOST_SPOTS];
};

// ---- life ----

// The note that `sfnec train` gives an agent (src/study/work/note.c), by which eval and watch find its world.
static sfnec_status set_note(playground *p, const char *preset) {
  char note[2048];
  const sfnec_env_kind *kind = sfnec_env_get_kind(p->env);
  int length = snprintf(note, sizeof note, "agent=%s\nenv=%s\n", preset, kind->name);
  for (const sfnec_option *row = sfnec_env_kind_option_set(kind)->rows; row->name; row++) {
    char value[256];
    sfnec_options_get_text(row, sfnec_env_get_options(p->env), value, sizeof value);
    length += snprintf(note + length, sizeof note - (size_t)length, "%s=%s\n", row->name, value);
    if ((size_t)length >= sizeof note) return sfnec_set_error(SFNEC_ERROR_ARGUMENT, "the note is too long");
  }
  return sfnec_agent_set_note(p->agent, note);
}

static void describe_world(playground *p) {
  const sfnec_look *look = &p->look;
  for (int32_t i = 0; i < look->wall_count; i++) {
    const sfnec_look_wall *wall = &look->walls[i];
    memcpy(p->walls + 4 * i, (double[]){wall->left, wall->bottom, wall->right, wall->top}, 4 * sizeof(double));
  }
  for (int32_t i = 0; i < look->object_count; i++) {
    const sfnec_look_object *object = &look->objects[i];
    memcpy(p->objects + 3 * i, (double[]){object->x, object->y, object->class_index}, 3 * sizeof(double));
  }
  memcpy(p->goal, (double[]){look->goal_x, look->goal_y, look->goal_radius}, sizeof p->goal);
}

static sfnec_status make(playground *p, const char *preset, uint32_t seed, const sfnec_run_options *run) {
  sfnec_agent_options options;
  sfnec_status status = sfnec_agent_options_preset(preset, &options);
  if (!status) status = sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, seed, &p->env);
  if (status) return status;
  const sfnec_env_shape shape = sfnec_env_get_shape(p->env);
  p->planned = options.psi == SFNEC_PSI_PLANNED;
  p->observation = calloc((size_t)shape.observation_size, sizeof *p->observation);
  p->elsewhere = calloc((size_t)shape.observation_size, sizeof *p->elsewhere);
  if (!p->observation || !p->elsewhere) return sfnec_set_error(SFNEC_ERROR_MEMORY, "no memory for a playground");
  status = sfnec_agent_create(&shape, &options, seed, &p->agent);
  if (!status) status = set_note(p, preset);
  if (!status) status = sfnec_scratch_create(p->agent, &p->scratch);
  if (!status) status = sfnec_run_create(p->agent, p->env, run, &p->run);
  if (!status) status = sfnec_env_get_look(p->env, &p->look);
  if (!status) describe_world(p);
  return status;
}

playground *playground_open(const char *preset, uint32_t seed, uint32_t tasks, uint32_t steps) {
  playground *p = calloc(1, sizeof *p);
  sfnec_run_options run;
  sfnec_run_options_default(&run);
  run.tasks = tasks;
  run.steps = steps;
  if (p && !make(p, preset, seed, &run)) return p;
  playground_close(p);
  return NULL;
}

void playground_close(playground *p) {
  if (!p) return;
  sfnec_run_destroy(p->run);
  sfnec_scratch_destroy(p->scratch);
  sfnec_agent_destroy(p->agent);
  sfnec_env_destroy(p->env);
  sfnec_agent_free_bytes(p->file);
  free(p->observation);
  free(p->elsewhere);
  free(p->psi);
  free(p->psi_known);
  free(p);
}

const char *playground_get_error(void) {
  return sfnec_last_error();
}

sfnec_status playground_train(playground *p, uint32_t most) {
  const sfnec_status status = sfnec_run_advance(p->run, most);
  uint32_t count;
  (void)sfnec_run_get_results(p->run, &count);
  if (!status && count < sfnec_agent_get_task_count(p->agent))
    return sfnec_agent_get_task_weights(p->agent, count, p->w);
  return status;
}

double playground_get_tasks_done(const playground *p) {
  return sfnec_run_get_tasks_done(p->run);
}

const unsigned char *playground_save(playground *p, size_t *size) {
  sfnec_agent_free_bytes(p->file);
  p->file = NULL;
  return sfnec_agent_save_bytes(p->agent, &p->file, size) ? NULL : p->file;
}

// ---- playing ----

static uint32_t last_task(const playground *p) {
  return sfnec_agent_get_task_count(p->agent) - 1;
}

sfnec_status playground_begin_task(playground *p, const double *w) {
  sfnec_status status = sfnec_agent_end_episode(p->agent);
  if (!status) status = sfnec_agent_begin_task(p->agent, w, NULL);
  if (status) return status;
  p->agent_in_episode = false;
  memcpy(p->w, w, sizeof p->w);
  return SFNEC_OK;
}

sfnec_status playground_set_weights(playground *p, const double *w) {
  const sfnec_status status = sfnec_agent_set_task_weights(p->agent, last_task(p), w);
  if (!status) memcpy(p->w, w, sizeof p->w);
  return status;
}

// Brings world and agent to where an action can be chosen. An agent that begins to learn takes up the world where it
// is.
static sfnec_status begin(playground *p, bool learn) {
  sfnec_status status = SFNEC_OK;
  if (!p->in_episode) {
    status = sfnec_env_reset(p->env, p->observation);
    p->in_episode = !status;
    p->state[PLAYGROUND_EPISODE_STEPS] = p->state[PLAYGROUND_EPISODE_TOTAL] = 0;
  }
  if (status || learn == p->agent_in_episode) return status;
  status = learn ? sfnec_agent_begin_episode(p->agent) : sfnec_agent_end_episode(p->agent);
  if (!status) p->agent_in_episode = learn;
  return status;
}

sfnec_status playground_restart(playground *p) {
  p->in_episode = p->agent_in_episode = false;
  sfnec_status status = sfnec_agent_end_episode(p->agent);
  if (!status) status = begin(p, false);
  return status;
}

double playground_get_optimum(playground *p) {
  double value;
  return sfnec_env_get_optimum(p->env, p->w, 20 * 1000, &value) ? NAN : value / 20;
}

static sfnec_status choose(playground *p, bool learn, sfnec_choice *choice) {
  if (!learn) return sfnec_agent_choose(p->agent, p->scratch, p->observation, NULL, choice);
  int32_t action;
  const sfnec_status status = sfnec_agent_act(p->agent, p->observation, &action);
  return status ? status : sfnec_agent_get_last_choice(p->agent, choice);
}

static void count_step(playground *p, const sfnec_choice *choice, double reward, bool ended) {
  p->state[PLAYGROUND_ACTION] = choice->action;
  p->state[PLAYGROUND_POLICY] = choice->policy;
  p->state[PLAYGROUND_EXPLORED] = choice->explored;
  p->state[PLAYGROUND_REWARD] = reward;
  p->state[PLAYGROUND_ENDED] = ended;
  p->state[PLAYGROUND_EPISODE_STEPS] += 1;
  p->state[PLAYGROUND_EPISODE_TOTAL] += reward;
  p->in_episode = !ended;
  if (ended) p->agent_in_episode = false;
}

sfnec_status playground_step(playground *p, bool learn) {
  sfnec_choice choice;
  sfnec_env_outcome outcome;
  double features[FEATURES], reward = 0;
  sfnec_status status = begin(p, learn);
  if (!status) status = choose(p, learn, &choice);
  if (!status) status = sfnec_env_step(p->env, choice.action, p->observation, features, &outcome);
  if (status) return status;
  for (int i = 0; i < FEATURES; i++) reward += features[i] * p->w[i];
  const sfnec_transition transition = {.action = choice.action,
                                       .features = features,
                                       .reward = reward,
                                       .next_observation = p->observation,
                                       .terminated = outcome.terminated,
                                       .truncated =
                                           outcome.truncated || p->state[PLAYGROUND_EPISODE_STEPS] + 1 >= MOST_STEPS};
  if (learn) status = sfnec_agent_observe(p->agent, &transition);
  count_step(p, &choice, reward, transition.terminated || transition.truncated);
  return status;
}

const double *playground_state(playground *p) {
  double entries = 0;
  sfnec_task_info task;
  sfnec_model_info model = {0};
  for (uint32_t i = 0; i < sfnec_agent_get_task_count(p->agent); i++)
    if (!sfnec_agent_get_task_info(p->agent, i, &task)) entries += (double)task.entries;
  if (p->planned) (void)sfnec_agent_get_model_info(p->agent, &model);
  (void)sfnec_env_get_look(p->env, &p->look);
  p->state[PLAYGROUND_X] = p->look.x;
  p->state[PLAYGROUND_Y] = p->look.y;
  p->state[PLAYGROUND_TAKEN] = (double)p->look.taken;
  p->state[PLAYGROUND_TASKS] = sfnec_agent_get_task_count(p->agent);
  p->state[PLAYGROUND_ENTRIES] = entries;
  p->state[PLAYGROUND_PLACES] = (double)model.places;
  p->state[PLAYGROUND_BYTES] = (double)sfnec_agent_get_bytes(p->agent);
  return p->state;
}

// ---- what is drawn once ----

const double *playground_walls(const playground *p, uint32_t *count) {
  *count = (uint32_t)p->look.wall_count;
  return p->walls;
}

const double *playground_objects(const playground *p, uint32_t *count) {
  *count = (uint32_t)p->look.object_count;
  return p->objects;
}

const double *playground_goal(const playground *p, uint32_t *count) {
  *count = 1;
  return p->goal;
}

// ---- values ----

static uint32_t per_position(const playground *p) {
  return p->planned ? 1 : p->psi_tasks * ACTIONS * FEATURES;
}

// Room for a map of that side and the agent's tasks; what was known is asked again.
static bool make_room(playground *p, uint32_t side) {
  const uint32_t tasks = sfnec_agent_get_task_count(p->agent);
  if (p->psi && p->side == side && (p->planned || p->psi_tasks == tasks)) return true;
  free(p->psi);
  free(p->psi_known);
  p->side = side;
  p->psi_tasks = tasks;
  p->asked = 0;
  p->psi = calloc((size_t)side * side * per_position(p), sizeof *p->psi);
  p->psi_known = calloc((size_t)side * side, sizeof *p->psi_known);
  return p->psi && p->psi_known;
}

static void ask_at(playground *p, uint32_t position) {
  double *psi = p->psi + (size_t)position * per_position(p);
  const double x = (position % p->side + 0.5) / p->side, y = (position / p->side + 0.5) / p->side;
  p->psi_known[position] = 0;
  if (!sfnec_env_observe_at(p->env, x, y, p->elsewhere)) return;
  sfnec_choice choice;
  const sfnec_status status = p->planned ? sfnec_agent_choose(p->agent, p->scratch, p->elsewhere, NULL, &choice)
                                         : sfnec_agent_ask_psi(p->agent, p->scratch, p->elsewhere, psi);
  if (status) return;
  if (p->planned) *psi = choice.value;
  p->psi_known[position] = p->psi_tasks;
}

static double value_at(const playground *p, uint32_t position) {
  const double *psi = p->psi + (size_t)position * per_position(p);
  if (p->psi_known[position] == 0) return NAN;
  if (p->planned) return *psi;
  double most = -INFINITY;
  for (uint32_t i = 0; i < p->psi_tasks * ACTIONS; i++, psi += FEATURES) {
    double q = 0;
    for (int f = 0; f < FEATURES; f++) q += psi[f] * p->w[f];
    most = fmax(most, q);
  }
  return most;
}

const double *playground_values(playground *p, uint32_t side, uint32_t most, bool *complete) {
  *complete = true;
  if (side < 1 || side > MOST_SIDE || !make_room(p, side)) return NULL;
  const uint32_t positions = side * side;
  if (p->asked == positions) p->asked = 0;
  for (; most > 0 && p->asked < positions; most--) ask_at(p, p->asked++);
  *complete = p->asked == positions;
  for (uint32_t i = 0; i < positions; i++) p->values[i] = value_at(p, i);
  return p->values;
}

// ---- memories and plans ----

static bool put_spot(playground *p, uint32_t at, const float *observation, double number) {
  double *spot = p->spots + PLAYGROUND_SPOT_SIZE * at;
  spot[2] = number;
  return at < PLAYGROUND_MOST_SPOTS && sfnec_env_locate(p->env, observation, &spot[0], &spot[1]);
}

const double *playground_memories(playground *p, uint32_t *count) {
  *count = 0;
  sfnec_memory_view views[PLAYGROUND_MOST_MEMORIES];
  sfnec_choice choice;
  size_t found = 0;
  sfnec_status status = p->in_episode ? SFNEC_OK : SFNEC_ERROR_STATE;
  if (!status) status = sfnec_agent_choose(p->agent, p->scratch, p->observation, NULL, &choice);
  if (!status) {
    status = sfnec_agent_ask_memories(p->agent, p->scratch, p->observation, (uint32_t)choice.policy, choice.action,
                                      PLAYGROUND_MOST_MEMORIES, views, &found);
  }
  for (size_t i = 0; !status && i < found; i++) *count += put_spot(p, *count, views[i].key, views[i].weight);
  return p->spots;
}

const double *playground_places(playground *p, uint32_t *count) {
  *count = 0;
  sfnec_place_view views[64];
  sfnec_status status = p->planned && p->in_episode ? SFNEC_OK : SFNEC_ERROR_STATE;
  size_t found = 1;
  for (size_t first = 0; !status && found > 0; first += found) {
    status = sfnec_agent_ask_places(p->agent, p->scratch, p->observation, NULL, first, 64, views, &found);
    for (size_t i = 0; !status && i < found; i++)
      *count += put_spot(p, *count, views[i].observation, views[i].frontier);
  }
  return p->spots;
}

const double *playground_path(playground *p, uint32_t *count) {
  *count = 0;
  sfnec_place_view views[PLAYGROUND_MOST_PATH];
  sfnec_status status = p->planned && p->in_episode ? SFNEC_OK : SFNEC_ERROR_STATE;
  size_t found = 0;
  if (!status)
    status = sfnec_agent_ask_path(p->agent, p->scratch, p->observation, NULL, PLAYGROUND_MOST_PATH, views, &found);
  for (size_t i = 0; !status && i < found; i++) *count += put_spot(p, *count, views[i].observation, 0);
  return p->spots;
}
