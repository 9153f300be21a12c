// env.h: environments with features.
//
// An environment has an observation (floats), a few discrete actions and, for every transition, a feature vector phi.
// A task is a weight vector w; the reward of a transition is phi . w. Environments render nothing and have no globals;
// all their noise comes from the stream that their functions receive.
//
// One handle belongs to one thread at a time. Pointers are not NULL unless a comment says that they may be.
#ifndef SFNEC_ENV_H
#define SFNEC_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/export.h"
#include "sfnec/options.h"
#include "sfnec/random.h"
#include "sfnec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Experimental: an observation that is a picture, or a stack of the last ones: frames one after another, the oldest
// first, their rows from the top, and the channels of a pixel side by side. Each number is (float)(k * (1.0 / levels))
// for a whole number k from 0 to levels, so that agents keep bytes, and a frame that several stacks share once. All 0:
// it is no picture.
typedef struct sfnec_picture_shape {
  int32_t frames, height, width, channels; // their product is observation_size
  int32_t levels;                          // 1 to 255: 255 for grey scales and colours, 1 for planes of yes and no
} sfnec_picture_shape;

// The shape of an environment; all sizes at least 1. An agent takes sizes of at most SFNEC_SIZE_MOST.
enum { SFNEC_SIZE_MOST = 1 << 20 };
typedef struct sfnec_env_shape {
  int32_t observation_size;    // floats of an observation
  int32_t action_count;        // actions are numbered from 0
  int32_t feature_count;       // doubles of phi and of w
  sfnec_picture_shape picture; // experimental: what the observation is a picture of; zeros: it is none
} sfnec_env_shape;

// ---- experimental: what the components of an observation are ----

// The kind of numbers that a component takes.
typedef enum sfnec_space_kind {
  SFNEC_SPACE_NUMBER,   // any number
  SFNEC_SPACE_DISCRETE, // one of a few: a factor of the state
  SFNEC_SPACE_PIXEL,    // of a picture
} sfnec_space_kind;

enum { SFNEC_COMPONENT_NAME = 64 };

// One component of an observation.
typedef struct sfnec_component_space {
  char name[SFNEC_COMPONENT_NAME]; // "dealer_card"; "": it has none
  sfnec_space_kind kind;
  int32_t values; // how many a discrete one takes; 0: not known
} sfnec_component_space;

// What one transition produced, besides the next observation.
typedef struct sfnec_env_outcome {
  bool terminated; // the episode ended by the rules of the environment: the return ends here
  bool truncated;  // the episode was cut off: the return continues
  // SFNEC_OK, or what sfnec_set_error returned if the environment failed (a lost simulator, an unreadable file)
  sfnec_status status;
} sfnec_env_outcome;

// ---- experimental: how an environment looks ----
//
// The terminal, pictures, films, the page of a report and Python draw every environment from this description of its
// present state. All positions lie in the unit square, y upwards; environments of other sizes scale their positions.

enum { SFNEC_LOOK_MOST_WALLS = 256, SFNEC_LOOK_MOST_OBJECTS = 64, SFNEC_LOOK_MOST_CLASSES = 8 };

// The view.
typedef enum sfnec_look_view {
  SFNEC_LOOK_MAP,  // from above: walls, objects, a goal, and the agent at a position
  SFNEC_LOOK_POLE, // from the side: a cart on a level track, and the pole that it balances
} sfnec_look_view;

// The shape that stands for objects of a class.
typedef enum sfnec_look_glyph {
  SFNEC_LOOK_CIRCLE,
  SFNEC_LOOK_SQUARE,
  SFNEC_LOOK_TRIANGLE,
  SFNEC_LOOK_CROSS,
  SFNEC_LOOK_STAR,
} sfnec_look_glyph;

// An axis-aligned rectangle.
typedef struct sfnec_look_wall {
  double left, right, bottom, top;
} sfnec_look_wall;

// An object to collect.
typedef struct sfnec_look_object {
  double x, y;
  int32_t class_index; // from 0; the feature of the same number counts it
} sfnec_look_object;

typedef struct sfnec_look {
  sfnec_look_view view;
  double x, y;  // where the agent is; of a cart x alone
  double angle; // of a pole: radians from upright, positive to the right

  // what follows belongs to a map
  int32_t cells;                      // along each side, at most 1000, if it is a grid; 0: positions are continuous
  double goal_x, goal_y, goal_radius; // radius 0: there is no goal
  int32_t wall_count, object_count, class_count;
  uint64_t taken;                                   // bit i: object i is gone
  sfnec_look_glyph glyphs[SFNEC_LOOK_MOST_CLASSES]; // (class_count)
  sfnec_look_wall walls[SFNEC_LOOK_MOST_WALLS];
  sfnec_look_object objects[SFNEC_LOOK_MOST_OBJECTS];
} sfnec_look;

// ---- kinds ----

// The options that every environment has. The options struct of a kind begins with this one, and its table ends with
// the rows of it, which SFNEC_ENV_COMMON_ROWS writes.
typedef struct sfnec_env_common {
  int64_t max_episode_steps; // episodes are truncated after so many steps; 0 = never
} sfnec_env_common;

// clang-format off
// The common rows of a kind's table; `steps` is the kind's own default of max_episode_steps.
#define SFNEC_ENV_COMMON_ROWS(steps)                                                                           \
  {.name = "max_episode_steps", .type = SFNEC_OPTION_INT, .offset = offsetof(sfnec_env_common, max_episode_steps), \
   .initial = (steps), .least = 0, .most = 1e15, .help = "episodes are truncated after so many steps; 0 = never"}
// clang-format on

// A kind of environment: the description that the registry lists, and that a user writes for an environment of their
// own (see examples/corridor/corridor.c). All functions get `self`, a block of `state_size` zeroed bytes that the
// library allocates, and `options`, the struct that the option table describes (constant after `init`; an
// sfnec_env_common for a kind without a table). `self` holds no pointers: saving an environment is saving those bytes.
typedef struct sfnec_env_kind {
  const char *name;                   // what the registry and files call it
  const char *help;                   // one line, no full stop
  const char *const *action_names;    // action_count names, or NULL
  const char *const *feature_names;   // feature_count names, or NULL
  const sfnec_option_set *option_set; // its table, or NULL if it has only the common options
  size_t options_size;                // of the options struct; 0 without a table
  size_t state_size;                  // of self

  // The shape under these options. Required.
  sfnec_env_shape (*shape)(const void *options);
  // Checks options that the table cannot check alone (sfnec_set_error says why they are refused), prepares constants in
  // self. Optional.
  sfnec_status (*init)(void *self, const void *options);
  // Starts an episode and writes the first observation (observation_size). Required.
  void (*reset)(void *self, const void *options, sfnec_random *world, float *observation);
  // Takes one action in [0, action_count); writes the next observation and phi (feature_count). All must be finite, phi
  // not beyond 1e100: a run ends with an error that names the environment and the number otherwise. Required.
  sfnec_env_outcome (*step)(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                            double *features);
  // Draws the weights of a task (feature_count). Optional: without it, each weight is uniform in [-1, 1].
  void (*sample_task)(const void *options, sfnec_random *tasks, double *w);

  // Whether bytes (state_size) can be a saved self: numbers finite and in range, indexes within
  // their arrays. `self` is the present one, so that constants of init can be compared. Optional, but without it
  // sfnec_env_set_state trusts any bytes, and a stranger's checkpoint can put anything into self.
  bool (*check_state)(const void *self, const void *options, const void *saved);

  // Experimental, and optional: for pictures and explanations.
  // The range of each number of the observation: low and high (observation_size) come filled with -INFINITY and
  // INFINITY.
  void (*bounds)(const void *options, float *low, float *high);
  // Describes how the environment looks now; `look` is zeroed before the call.
  void (*look)(const void *self, const void *options, sfnec_look *look);
  // Of a map: the observation if the agent were at (x, y) and all else as it is now; false where it cannot be. A grid
  // takes the cell around the point.
  bool (*observe_at)(const void *self, const void *options, double x, double y, float *observation);
  // Of a map: the position that an observation shows; false if it shows none.
  bool (*locate)(const void *options, const float *observation, double *x, double *y);

  // Experimental, and optional: writes the most that `steps` transitions can earn under w (feature_count); *value comes
  // as NaN (see sfnec_env_get_optimum). *memo is NULL at first; a block of malloc that is left there comes again with
  // the next call, and is freed with the environment.
  sfnec_status (*optimum)(const void *self, const void *options, const double *w, int64_t steps, void **memo,
                          double *value);

  // Experimental, and optional: the metric of this environment, which tables and statistics lead with:
  // "return" (per task; also if it is NULL), "episode-return", "success" or "steps-to-goal" (docs/statistics.md).
  const char *metric;

  // Experimental, and optional: ends a world that lives outside of self (in a simulator, in another process), once for
  // each init that succeeded. Self may then hold pointers, and nobody can save the world: sfnec_run_save and
  // sfnec_env_set_state fail with SFNEC_ERROR_STATE, and a job of a study that is stopped begins again.
  void (*destroy)(void *self, const void *options);

  // Experimental, and optional: which actions are allowed now. The mask (action_count) comes filled with 1; write 0
  // where an action is not. Asked after reset and after each step that does not terminate the episode; at least one
  // action must be allowed then.
  void (*mask)(const void *self, const void *options, uint8_t *mask);

  // Experimental, and optional: what the components of an observation are (observation_size); they come as numbers
  // without names. Agents that learn in the world keep it, and speak of components by name.
  void (*describe)(const void *options, sfnec_component_space *components);
} sfnec_env_kind;

typedef struct sfnec_env sfnec_env;

// The built-in kinds, in a fixed order; NULL past the last.
SFNEC_API const sfnec_env_kind *sfnec_env_kind_at(size_t i);
// The built-in kind of that name; NULL if there is none.
SFNEC_API const sfnec_env_kind *sfnec_env_kind_find(const char *name);
// All options of a kind, its own and the common ones; never NULL.
SFNEC_API const sfnec_option_set *sfnec_env_kind_option_set(const sfnec_env_kind *kind);

// Creates an environment of a kind. `settings` is a NULL-terminated list of "key=value", or NULL for the defaults. The
// kind must outlive the environment. Fails with SFNEC_ERROR_OPTION or _MEMORY, with SFNEC_ERROR_ARGUMENT for a kind
// that is NULL or lacks something, or with what init returned; *out is then NULL.
SFNEC_API sfnec_status sfnec_env_create(const sfnec_env_kind *kind, const char *const *settings, uint64_t seed,
                                        sfnec_env **out);
SFNEC_API void sfnec_env_destroy(sfnec_env *env); // NULL is fine

// What it was created with.
SFNEC_API const sfnec_env_kind *sfnec_env_get_kind(const sfnec_env *env);
SFNEC_API sfnec_env_shape sfnec_env_get_shape(const sfnec_env *env);
// What the components of an observation are: writes observation_size of them. False for a kind that does not say; then
// they are numbers without names. Names are cut off after SFNEC_COMPONENT_NAME - 1 bytes.
SFNEC_API bool sfnec_env_get_components(const sfnec_env *env, sfnec_component_space *components);
// The resolved options, as the table of sfnec_env_kind_option_set describes them; read only, never NULL.
SFNEC_API const void *sfnec_env_get_options(const sfnec_env *env);
SFNEC_API int64_t sfnec_env_get_max_episode_steps(const sfnec_env *env);

// Starts an episode; writes observation_size floats. Fails with SFNEC_ERROR_ARGUMENT for a NULL only.
SFNEC_API sfnec_status sfnec_env_reset(sfnec_env *env, float *observation);
// One transition; writes observation_size floats and feature_count doubles. Fails with SFNEC_ERROR_STATE when no
// episode is running and with SFNEC_ERROR_ARGUMENT for an action out of range or a NULL; then nothing has changed.
// Fails with what the world says when that fails; the episode is over then.
SFNEC_API sfnec_status sfnec_env_step(sfnec_env *env, int32_t action, float *observation, double *features,
                                      sfnec_env_outcome *outcome);
// Which actions are allowed now: writes action_count bytes, 0 where one is not. False for a kind that does not say;
// then all are 1.
SFNEC_API bool sfnec_env_get_mask(const sfnec_env *env, uint8_t *mask);
// The weights of task number `task` (from 0), feature_count doubles: they depend only on the seed and the number.
SFNEC_API void sfnec_env_get_task_weights(const sfnec_env *env, uint32_t task, double *w);

// ---- experimental: the optimum ----

// The highest return under w (feature_count) of any sequence of `steps` actions from the start of an episode, without
// noise: every step in the rooms has its mean length. A yardstick for
// returns, not a bound: noise may carry an agent a little further than even steps do (docs/statistics.md).
// *value is NaN if the optimum is unknown: for a kind without the function (cartpole), and for steps so short that
// there are too many positions. The first call in the rooms searches them, in some 40 ms. Fails with
// SFNEC_ERROR_ARGUMENT for a NULL or fewer than 0 steps, and with SFNEC_ERROR_MEMORY.
SFNEC_API sfnec_status sfnec_env_get_optimum(sfnec_env *env, const double *w, int64_t steps, double *value);

// ---- experimental: how the world of an environment looks ----

// How the world looks now. Fails with SFNEC_ERROR_ARGUMENT for a kind that does not say, and for a description that
// cannot be drawn: counts beyond the arrays, classes or glyphs that are none, numbers that are not finite.
SFNEC_API sfnec_status sfnec_env_get_look(const sfnec_env *env, sfnec_look *look);
// The observation that the agent would have at (x, y), all else as it is now; false (and nothing written) where the
// agent cannot be, and for a kind that does not say.
SFNEC_API bool sfnec_env_observe_at(const sfnec_env *env, double x, double y, float *observation);
// The position that an observation shows, or the key of a memory if keys are observations; false if none is found in
// the unit square, and for a kind that does not say.
SFNEC_API bool sfnec_env_locate(const sfnec_env *env, const float *observation, double *x, double *y);
// The least and the greatest value of each number of the observation (observation_size); infinite where unknown.
SFNEC_API void sfnec_env_get_bounds(const sfnec_env *env, float *low, float *high);

// ---- experimental: the state between two calls as bytes ----

// Begins again: the world and its noise are as sfnec_env_create left them, and no episode is running. Fails with
// SFNEC_ERROR_ARGUMENT for a NULL, and with what init returns; then the world is gone, and every step fails.
SFNEC_API sfnec_status sfnec_env_restart(sfnec_env *env);

// Its size, a copy out, and a copy in, into an environment of the same kind and options. Fails with SFNEC_ERROR_FORMAT
// if these are not the bytes of such a state (the kind's check_state), with SFNEC_ERROR_STATE for a world that cannot
// be saved (the kind's destroy), and with SFNEC_ERROR_ARGUMENT for a NULL; then nothing has changed.
SFNEC_API size_t sfnec_env_get_state_size(const sfnec_env *env);
SFNEC_API void sfnec_env_get_state(const sfnec_env *env, void *bytes);
SFNEC_API sfnec_status sfnec_env_set_state(sfnec_env *env, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
