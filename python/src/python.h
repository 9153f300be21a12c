// python.h: what the Python package adds to the library: loops that would be slow in Python.
//
// The functions work on plain structs that Python fills and keeps. They hold no state of their own, and every pointer
// in them is Python's: the arrays are NumPy's, so nothing is copied on the way.
#ifndef SFNEC_PYTHON_H
#define SFNEC_PYTHON_H

#include "run/play.h"
#include "sfnec/sfnec.h"

// Marks what is written in Python; wrap.py tells cffi.
#define SFNEC_FROM_PYTHON extern

// ---- several environments in one block ----

// n environments of the same shape; all arrays have n rows.
typedef struct sfnec_python_batch {
  int32_t count;
  int32_t observation_size;
  int32_t feature_count;
  sfnec_env **envs;
  const double *w;     // (n, features): the weights of each one's task
  float *observations; // (n, observation_size): the present ones
  double *features;    // (n, features)
  double *rewards;     // (n): features . w
  uint8_t *terminated; // (n)
  uint8_t *truncated;  // (n)
  uint8_t *fresh;      // (n): 1 if this step began a new episode instead of acting
} sfnec_python_batch;

// Starts an episode in the environments whose mask is not 0 (NULL: in all).
sfnec_status sfnec_python_batch_reset(const sfnec_python_batch *batch, const uint8_t *mask);
// One step in every environment. `next_step`: one that ended in the step before begins anew instead of acting, with
// reward 0. Fails for an action out of range before any environment has moved.
sfnec_status sfnec_python_batch_step(const sfnec_python_batch *batch, const int64_t *actions, bool next_step);

// ---- learning ----

// Learns from at most `most` transitions in one of the library's own environments (run/play.h), and returns early when
// an episode has ended. `cut`: the last of them ends its episode. `done` gets the number of transitions.
sfnec_status sfnec_python_play(sfnec_play *play, int64_t most, bool cut, int64_t *done);

// An environment that lives in Python: begins an episode and chooses its first action.
sfnec_status sfnec_python_begin(sfnec_play *play);
// Learns from the transition that Python put into `play` and, unless it ended the episode, chooses the next action.
// `judged`: the reward is the environment's, and should be phi . w.
sfnec_status sfnec_python_next(sfnec_play *play, bool judged);

// Transitions of a log; all arrays have a row per transition.
typedef struct sfnec_python_log {
  int64_t count;
  const float *observations, *next_observations; // (n, observation_size)
  const int32_t *actions;                        // (n), from 0
  const double *features;                        // (n, feature_count)
  const double *rewards;                         // (n)
  const uint8_t *terminated, *truncated;         // (n)
} sfnec_python_log;

// Learns from rows `first` to `last` - 1 of a log, as sfnec_agent_learn_transition does; `done` gets the number of rows
// learned. Fails with what the agent says of row first + done.
sfnec_status sfnec_python_learn_log(sfnec_agent *agent, const sfnec_python_log *log, int64_t first, int64_t last,
                                    int64_t *done);

// ---- the jobs of a study, in worlds that Python holds (_worker.py) ----

// A world that Python has made: where it leaves what it shows.
typedef struct sfnec_python_world {
  int64_t number; // Python's own
  sfnec_env_shape shape;
  const float *observation; // (observation_size)
  const double *features;   // (feature_count)
  const uint8_t *mask;      // (action_count): those that are allowed now
} sfnec_python_world;

enum { SFNEC_PYTHON_TERMINATED = 1, SFNEC_PYTHON_TRUNCATED = 2, SFNEC_PYTHON_FAILED = 4 };

// Does the jobs that come over a socket until the other side says stop, or is gone. The bytes are the study, the shape
// is that of its world, and the components (observation_size; NULL: not known) say what it observes. Fails with what
// reading and planning the study returns.
sfnec_status sfnec_python_serve(int socket, const unsigned char *bytes, size_t size, sfnec_env_shape shape,
                                const sfnec_component_space *components);

// What follows is written in Python, and called by the jobs. One that did not come to its own last line, whatever
// was raised in it, has failed: the jobs see NULL, false or SFNEC_PYTHON_FAILED then, and sfnec_set_error was called.
// Makes a world with these settings, lines "key=value"; NULL if it cannot.
SFNEC_FROM_PYTHON sfnec_python_world *sfnec_python_open(const char *settings);
SFNEC_FROM_PYTHON void sfnec_python_close(int64_t world);
// Begins an episode; the first one of a world by this seed. What fails is said again by the first step.
SFNEC_FROM_PYTHON bool sfnec_python_reset(int64_t world, bool first, uint64_t seed);
// Takes an action; a sum of SFNEC_PYTHON_*.
SFNEC_FROM_PYTHON int sfnec_python_step(int64_t world, int32_t action);
// The weights of a task (feature_count).
SFNEC_FROM_PYTHON bool sfnec_python_weights(uint32_t task, sfnec_random *tasks, double *w);

// ---- rewards that are not phi . w (sfnec/reward.h) ----

// A sfnec_reward_function whose context is Python's handle of the function to call (rewards.py).
SFNEC_FROM_PYTHON sfnec_status sfnec_python_reward(void *context, const sfnec_transitions *transitions,
                                                   double *rewards);

// ---- learning in several environments at once ----

// One agent, and an episode in each of `count` environments that live elsewhere. The agent must outlive it, and none of
// its own episodes may be running meanwhile. Fails with SFNEC_ERROR_STATE and _MEMORY.
typedef struct sfnec_python_vector sfnec_python_vector;
sfnec_status sfnec_python_vector_create(sfnec_agent *agent, int32_t count, sfnec_python_vector **out);
void sfnec_python_vector_destroy(sfnec_python_vector *vector); // NULL is fine

// What followed the last actions; all arrays have a row per environment.
typedef struct sfnec_python_turns {
  const float *observations; // (n, observation_size): the present ones
  const double *features;    // (n, features)
  const double *rewards;     // (n)
  const uint8_t *terminated; // (n)
  const uint8_t *truncated;  // (n)
  const uint8_t *fresh;      // (n): 1 where an episode has just begun: there was no transition
  const uint8_t *masks;      // (n, actions): those that are allowed now; NULL: all
  int64_t *actions;          // (n): the last ones; the next ones come in their place
} sfnec_python_turns;

// Learns from every environment's transition, in their order, and chooses the next actions. Where an episode has ended
// the action is 0, and the next turn of that environment must be fresh. Fails with what the agent says.
sfnec_status sfnec_python_vector_step(sfnec_python_vector *vector, const sfnec_python_turns *turns);
// Ends all episodes that are running.
sfnec_status sfnec_python_vector_end(sfnec_python_vector *vector);

// ---- asking ----

// sfnec_run_evaluate of at most so many steps and episodes (0: as many as the steps hold), with the return and the
// length of each episode: room for `episodes`, or for `steps`.
sfnec_status sfnec_python_evaluate(const sfnec_agent *agent, sfnec_scratch *scratch, sfnec_env *env, const double *w,
                                   int64_t steps, int64_t episodes, int64_t episode_steps, double *returns,
                                   int64_t *lengths, sfnec_evaluation *out);

#endif
