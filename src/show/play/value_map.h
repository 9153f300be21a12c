// value_map.h: the value map: max_a Q over the positions of a world, with the objects that are taken now.
//
// Asking an agent costs a search per position; what it answers (psi) does not depend on the weights. So psi is kept,
// and a change of weights is a few products: a slider moves the map at once. An agent that plans is asked for values:
// its psi would be that of another plan at every change, and takes long.
#ifndef SFNEC_SHOW_PLAY_VALUE_MAP_H
#define SFNEC_SHOW_PLAY_VALUE_MAP_H

#include "show/play/scene.h"

typedef struct sfnec_value_map {
  int columns, rows;
  double *values;   // (rows, columns) from the bottom left; NAN in walls
  double low, high; // the range of the values; 0 and 0 if there are none

  bool known; // psi is that of `taken`
  uint64_t taken;
  size_t per_position; // numbers of psi at one position
  double *psi;         // (rows, columns, per_position), behind the values; of an agent that plans the value itself
  double *w;           // (feature_count): the weights of that value
} sfnec_value_map;

// Whether the world has positions, and says what the agent would observe there.
bool sfnec_value_map_possible(const sfnec_scene *scene);
// A map of so many positions; a grid world has its own number. Fails with SFNEC_ERROR_MEMORY, and with
// SFNEC_ERROR_ARGUMENT for a world without positions.
sfnec_status sfnec_value_map_create(const sfnec_scene *scene, int columns, int rows, sfnec_value_map **out);
void sfnec_value_map_destroy(sfnec_value_map *values); // NULL is fine

// Brings the map up to date with the scene: its weights, and the objects that are taken.
sfnec_status sfnec_value_map_update(sfnec_value_map *values, const sfnec_scene *scene);
// Where a value lies between the lowest and the highest: 0 to 1; NAN stays NAN.
double sfnec_value_map_share(const sfnec_value_map *values, int column, int row);

#endif
