// cell_graph.h: a world without noise as a table of its own steps, for the tests of the optimum.
#ifndef SFNEC_TESTS_ENV_CELL_GRAPH_H
#define SFNEC_TESTS_ENV_CELL_GRAPH_H

#include <math.h>

#include "world.h"

enum { SIDE = 21, CELLS = SIDE * SIDE, ACTIONS = 4 };

// What a step from each cell does, as the world itself says, with nothing taken.
typedef struct table {
  int32_t count, start, objects, features;
  int32_t next[CELLS][ACTIONS];
  uint32_t takes[CELLS][ACTIONS]; // objects in reach of where it ends
  bool ends[CELLS][ACTIONS];
  int32_t class_of[SFNEC_ROOMS_MOST_OBJECTS];
  double goal[8]; // features of reaching the goal
} table;

static inline void table_of_rooms(const char *name, const char *const *settings, table *t) {
  world w = open_world(name, settings);
  sfnec_look look = {0};
  w.kind->look(&w.state, &w.options, &look);
  *t = (table){.count = CELLS, .start = SIDE + 1, .objects = look.object_count, .features = look.class_count + 1};
  t->goal[look.class_count] = 1;
  for (int32_t i = 0; i < look.object_count; i++) t->class_of[i] = look.objects[i].class_index;
  w.options.step_sd = 0;
  for (int32_t cell = 0; cell < CELLS; cell++) {
    for (int32_t a = 0; a < ACTIONS; a++) {
      place(&w, 0.05 * (cell % SIDE), 0.05 * (cell / SIDE)); // NOLINT(bugprone-integer-division)
      w.state.taken = 0;
      go(&w, a);
      t->next[cell][a] = (int32_t)(lround(w.state.y / 0.05) * SIDE + lround(w.state.x / 0.05));
      t->takes[cell][a] = w.state.taken;
      t->ends[cell][a] = w.outcome.terminated;
    }
  }
}

#endif
