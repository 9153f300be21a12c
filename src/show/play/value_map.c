// value_map.c: max_a Q over the positions of a world; see value_map.h.
#include "show/play/value_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// Whether the agent is asked for values: its psi need not be weighed by the scene's weights, or there is none.
static bool asks_values(const sfnec_scene *scene) {
  return scene->planned || scene->any;
}

bool sfnec_value_map_possible(const sfnec_scene *scene) {
  return scene->look.view == SFNEC_LOOK_MAP && sfnec_env_get_kind(scene->env)->observe_at;
}

sfnec_status sfnec_value_map_create(const sfnec_scene *scene, int columns, int rows, sfnec_value_map **out) {
  *out = NULL;
  if (!sfnec_value_map_possible(scene)) {
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "the world %s has no positions to draw values over",
                      sfnec_env_get_kind(scene->env)->name);
  }
  if (scene->look.cells > 0) columns = rows = scene->look.cells;
  sfnec_value_map *values = calloc(1, sizeof *values);
  if (!values) return sfnec_fail_memory("a value map");
  const size_t psi =
      (size_t)scene->policy_count * (size_t)scene->shape.action_count * (size_t)sfnec_agent_get_psi_size(scene->agent);
  *values = (sfnec_value_map){.columns = columns, .rows = rows, .per_position = asks_values(scene) ? 1 : psi};
  const size_t positions = (size_t)columns * (size_t)rows, features = (size_t)scene->shape.feature_count;
  values->values = calloc(positions * (1 + values->per_position) + features, sizeof *values->values);
  if (!values->values) {
    free(values);
    return sfnec_fail_memory("a value map");
  }
  values->psi = values->values + positions;
  values->w = values->psi + positions * values->per_position;
  *out = values;
  return SFNEC_OK;
}

void sfnec_value_map_destroy(sfnec_value_map *values) {
  if (!values) return;
  free(values->values);
  free(values);
}

static sfnec_status ask_value(const sfnec_scene *scene, const float *observation, double *value) {
  sfnec_choice choice;
  const double *w = scene->own ? NULL : scene->w;
  const sfnec_status status = sfnec_agent_choose(scene->agent, scene->scratch, observation, w, &choice);
  *value = status ? NAN : choice.value;
  return status;
}

// Asks the agent at every position outside of walls; inside, the first number is NAN.
static sfnec_status ask(sfnec_value_map *values, const sfnec_scene *scene, float *observation) {
  double *psi = values->psi;
  for (int row = 0; row < values->rows; row++) {
    for (int column = 0; column < values->columns; column++, psi += values->per_position) {
      const double x = (column + 0.5) / values->columns, y = (row + 0.5) / values->rows;
      psi[0] = NAN;
      if (!sfnec_env_observe_at(scene->env, x, y, observation)) continue;
      const sfnec_status status = asks_values(scene)
                                      ? ask_value(scene, observation, psi)
                                      : sfnec_agent_ask_psi(scene->agent, scene->scratch, observation, psi);
      if (status) return status;
    }
  }
  return SFNEC_OK;
}

static double best(const sfnec_value_map *values, const sfnec_scene *scene, const double *psi) {
  if (isnan(psi[0]) || asks_values(scene)) return psi[0];
  const size_t size = (size_t)sfnec_agent_get_psi_size(scene->agent), actions = (size_t)scene->shape.action_count;
  const size_t first = scene->own ? scene->task * actions : 0;
  const size_t end = scene->own ? first + actions : values->per_position / size;
  double most = -INFINITY;
  for (size_t i = first; i < end; i++) {
    double q = 0;
    for (size_t f = 0; f < size; f++) q += psi[i * size + f] * (scene->fixed ? 1 : scene->w[f]);
    most = fmax(most, q);
  }
  return most;
}

static void weigh(sfnec_value_map *values, const sfnec_scene *scene) {
  const size_t positions = (size_t)values->columns * (size_t)values->rows;
  values->low = INFINITY;
  values->high = -INFINITY;
  for (size_t i = 0; i < positions; i++) {
    const double value = best(values, scene, values->psi + i * values->per_position);
    values->values[i] = value;
    values->low = fmin(values->low, value);
    values->high = fmax(values->high, value);
  }
  if (values->low > values->high) values->low = values->high = 0;
}

// Whether the agent was asked about another state of the world, or a plan made for other weights.
static bool is_stale(const sfnec_value_map *values, const sfnec_scene *scene) {
  const size_t size = (size_t)scene->shape.feature_count * sizeof *values->w;
  return !values->known || values->taken != scene->look.taken ||
         (asks_values(scene) && memcmp(values->w, scene->w, size) != 0);
}

sfnec_status sfnec_value_map_update(sfnec_value_map *values, const sfnec_scene *scene) {
  if (is_stale(values, scene)) {
    float *observation = malloc((size_t)scene->shape.observation_size * sizeof *observation);
    if (!observation) return sfnec_fail_memory("a value map");
    const sfnec_status status = ask(values, scene, observation);
    free(observation);
    if (status) return status;
    values->known = true;
    values->taken = scene->look.taken;
    memcpy(values->w, scene->w, (size_t)scene->shape.feature_count * sizeof *values->w);
  }
  weigh(values, scene);
  return SFNEC_OK;
}

double sfnec_value_map_share(const sfnec_value_map *values, int column, int row) {
  const double value = values->values[(size_t)row * (size_t)values->columns + (size_t)column];
  return values->high > values->low ? (value - values->low) / (values->high - values->low) : value - value;
}
