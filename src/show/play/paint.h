// paint.h: a scene as a picture, by cairo.
//
// At the left the map: the value of positions as its ground, walls, goal, objects, trail, nearest memories, the agent;
// of one that plans also its model's states, those at the frontier in another colour, and the path that it means to
// take. At the right what the agent thinks: Q of each action, the policy that GPI follows and those before it, the
// weights.
#ifndef SFNEC_SHOW_PLAY_PAINT_H
#define SFNEC_SHOW_PLAY_PAINT_H

#include <stdio.h>

#include "show/play/scene.h"
#include "show/play/value_map.h"

enum { SFNEC_PAINT_LEAST_SIZE = 160, SFNEC_PAINT_MOST_SIZE = 4096 };

// The width and height of pictures of that size; both are even, as films need.
void sfnec_paint_extent(int size, int *width, int *height);

// Paints the scene on width x height pixels, 0x00RRGGBB. `values` may be NULL. `whole`: a picture of an episode that is
// over, with the objects as they lay at its start. Fails with SFNEC_ERROR_MEMORY, and with SFNEC_ERROR_STATE in a
// program that was built without cairo.
sfnec_status sfnec_paint(const sfnec_scene *scene, const sfnec_value_map *values, int size, bool whole,
                         uint32_t *pixels);

// Writes such pixels as PNG; a write error stays in `file` for the caller.
sfnec_status sfnec_paint_png(uint32_t *pixels, int width, int height, FILE *file);

#endif
