// screen.h: a scene as text for a terminal: the map at the left, the thoughts at the right, the keys below.
//
// Nothing is printed here: a screen is a text with ANSI sequences, made again for every redraw.
#ifndef SFNEC_SHOW_PLAY_SCREEN_H
#define SFNEC_SHOW_PLAY_SCREEN_H

#include "show/play/scene.h"
#include "show/play/value_map.h"

enum { SFNEC_SCREEN_LEAST_COLUMNS = 80, SFNEC_SCREEN_LEAST_ROWS = 24 };

typedef struct sfnec_screen_options {
  int columns, rows;  // of the terminal
  int colours;        // 0, 8 or 256; the value map needs 256
  bool unicode;       // UTF-8, otherwise ASCII only
  bool plan;          // with the states and the path of an agent that plans
  bool paused;        // shown
  int64_t speed;      // steps per second, shown
  int32_t feature;    // the weight that the keys change, marked
  const char *notice; // shown in place of the keys; NULL: none
} sfnec_screen_options;

// How wide and high the map of a screen is, in characters, without its frame.
void sfnec_screen_map_size(const sfnec_scene *scene, const sfnec_screen_options *options, int *columns, int *rows);

// Draws the scene; `values` (of the map's size) is the background of the map, or NULL. A terminal that is too small
// gets a line that says so. The text is a new string, or NULL without memory.
char *sfnec_screen_draw(const sfnec_scene *scene, const sfnec_value_map *values, const sfnec_screen_options *options);

#endif
