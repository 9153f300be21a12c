// playground.h: an agent in the four rooms that learns before somebody's eyes: what the page of the playground calls.
//
// The page is the only caller, by way of WebAssembly (web/src/playground/engine.ts), so that everything crosses as
// numbers: state, values and spots are arrays of doubles that the playground owns. Functions that can fail return an
// sfnec_status; sfnec_last_error has the sentence. It is all made of the library's public functions, and compiled
// natively for the tests.
#ifndef SFNEC_PLAYGROUND_H
#define SFNEC_PLAYGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/sfnec.h"

// What the page can call. (The library's own functions are declared without it, so that only those used here are
// linked.)
#ifdef __EMSCRIPTEN__
#define PLAYGROUND_API __attribute__((used, visibility("default")))
#else
#define PLAYGROUND_API
#endif

typedef struct playground playground;

// What playground_state tells, one double each; engine.ts has the same list.
enum {
  PLAYGROUND_X,
  PLAYGROUND_Y,
  PLAYGROUND_TAKEN,         // bit i: object i is gone
  PLAYGROUND_ACTION,        // of the last step
  PLAYGROUND_POLICY,        // whose policy it followed
  PLAYGROUND_EXPLORED,      // it was drawn at random
  PLAYGROUND_REWARD,        // of the last step
  PLAYGROUND_ENDED,         // the last step ended its episode
  PLAYGROUND_EPISODE_STEPS, // of the episode, or of the one that ended
  PLAYGROUND_EPISODE_TOTAL,
  PLAYGROUND_TASKS, // tasks that the agent has
  PLAYGROUND_ENTRIES,
  PLAYGROUND_PLACES,
  PLAYGROUND_BYTES,
  PLAYGROUND_STATE_SIZE
};

// A spot is x, y and a number: the share of a memory in the value, or 1 for a place where some action was never tried.
enum {
  PLAYGROUND_SPOT_SIZE = 3,
  PLAYGROUND_MOST_SPOTS = 4096,
  PLAYGROUND_MOST_MEMORIES = 50,
  PLAYGROUND_MOST_PATH = 60
};

// ---- life ----

// Why the last call failed.
PLAYGROUND_API const char *playground_get_error(void);

// An agent of a preset, and a run of so many tasks and steps ahead of it; NULL if that fails.
PLAYGROUND_API playground *playground_open(const char *preset, uint32_t seed, uint32_t tasks, uint32_t steps);
PLAYGROUND_API void playground_close(playground *p); // NULL is fine

// Goes on with the run by at most so many steps: what `sfnec train` does.
PLAYGROUND_API sfnec_status playground_train(playground *p, uint32_t most);
PLAYGROUND_API double playground_get_tasks_done(const playground *p); // 2.25: a quarter of the third
// The file of the agent as it is now; valid until the next call of it. NULL if it fails.
PLAYGROUND_API const unsigned char *playground_save(playground *p, size_t *size);

// ---- playing ----

// Begins a new task under weights (4); the policies of the earlier ones stay.
PLAYGROUND_API sfnec_status playground_begin_task(playground *p, const double *w);
// Gives the task other weights; what was learned stays.
PLAYGROUND_API sfnec_status playground_set_weights(playground *p, const double *w);
// One step: exploring and learning, or greedy and as it is.
PLAYGROUND_API sfnec_status playground_step(playground *p, bool learn);
// Begins another episode.
PLAYGROUND_API sfnec_status playground_restart(playground *p);
// The most that 1,000 steps can earn under the weights, on average over 20,000; NaN if it is not known.
PLAYGROUND_API double playground_get_optimum(playground *p);
// (PLAYGROUND_STATE_SIZE)
PLAYGROUND_API const double *playground_state(playground *p);

// ---- what is drawn once: x, y, ... of each; *count of them ----

PLAYGROUND_API const double *playground_walls(const playground *p, uint32_t *count);   // left, bottom, right, top
PLAYGROUND_API const double *playground_objects(const playground *p, uint32_t *count); // x, y, class
PLAYGROUND_API const double *playground_goal(const playground *p, uint32_t *count);    // x, y, radius; one

// ---- questions about the present state; they do not change the agent ----

// max Q over the positions: (side, side) from the bottom left, NaN in walls. Asks about at most so many positions and
// says whether the map is complete; the next call goes on, or begins anew after a complete one. Values that are there
// follow the weights at once, but for those of an agent that plans.
PLAYGROUND_API const double *playground_values(playground *p, uint32_t side, uint32_t most, bool *complete);
// Spots of the memories that the value of the last choice was made of.
PLAYGROUND_API const double *playground_memories(playground *p, uint32_t *count);
// Spots of the places of an agent that plans, and those on the path that it plans; none of another.
PLAYGROUND_API const double *playground_places(playground *p, uint32_t *count);
PLAYGROUND_API const double *playground_path(playground *p, uint32_t *count);

#endif
