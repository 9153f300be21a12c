// agent.h: an agent that learns from few steps and reuses what it learned for earlier rewards.
//
// Most agents keep one policy per task: a function psi (successor features, one vector per action) and the task's
// reward weights w. Acting takes the best action over all policies under the current w (generalised policy
// improvement). An agent that plans (psi=planned) keeps one model of transitions for all tasks instead, and plans over
// it for w; before its model is fitted, after 100 transitions, such an agent acts at random.
//
//   sfnec_agent_options options;
//   sfnec_agent_options_preset("sfnec", &options);
//   sfnec_agent_create(&shape, &options, seed, &agent);
//   sfnec_agent_begin_task(agent, w, NULL);
//   sfnec_agent_begin_episode(agent);
//   for (;;) {
//     sfnec_agent_act(agent, observation, &action);
//     ... the environment steps and fills `transition` ...
//     sfnec_agent_observe(agent, &transition);
//     if (transition.terminated || transition.truncated) break;
//   }
//
// One handle belongs to one thread at a time, except for queries ("asking without learning", below); different handles
// are independent. All vectors are copied in and out; the agent keeps no pointer of the caller's. A call that fails
// leaves the agent as it was, to the byte, and usable (but see sfnec_agent_observe). Pointers must not be NULL unless a
// comment allows it. Everything marked experimental may change with any version (sfnec.h).
#ifndef SFNEC_AGENT_H
#define SFNEC_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/env.h"
#include "sfnec/export.h"
#include "sfnec/options.h"
#include "sfnec/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- options: every constant of the paper, and the variants ----

typedef enum sfnec_psi_choice { SFNEC_PSI_EPISODIC, SFNEC_PSI_LINEAR, SFNEC_PSI_PLANNED } sfnec_psi_choice;
typedef enum sfnec_terminal_choice { SFNEC_TERMINAL_ZERO, SFNEC_TERMINAL_RESTART } sfnec_terminal_choice;
typedef enum sfnec_contexts_choice { SFNEC_CONTEXTS_OFF, SFNEC_CONTEXTS_ON } sfnec_contexts_choice;
typedef enum sfnec_relevance_choice { SFNEC_RELEVANCE_OFF, SFNEC_RELEVANCE_ON } sfnec_relevance_choice;
typedef enum sfnec_filter_choice { SFNEC_FILTER_OFF, SFNEC_FILTER_ON } sfnec_filter_choice;
// With predict=learned: the most features that are learned, and one that is the reward where they are not known.
#define SFNEC_LEARNED_FEATURES 9

typedef enum sfnec_predict_choice {
  SFNEC_PREDICT_FEATURES,
  SFNEC_PREDICT_REWARD,
  SFNEC_PREDICT_LEARNED
} sfnec_predict_choice;
typedef enum sfnec_rewards_choice { SFNEC_REWARDS_LINEAR, SFNEC_REWARDS_ANY } sfnec_rewards_choice;
typedef enum sfnec_policies_choice { SFNEC_POLICIES_GPI, SFNEC_POLICIES_OWN } sfnec_policies_choice;
typedef enum sfnec_ties_choice { SFNEC_TIES_RANDOM, SFNEC_TIES_FIRST } sfnec_ties_choice;
typedef enum sfnec_write_choice { SFNEC_WRITE_HORIZON, SFNEC_WRITE_EPISODE, SFNEC_WRITE_LATE } sfnec_write_choice;
typedef enum sfnec_bootstrap_choice { SFNEC_BOOTSTRAP_GPI, SFNEC_BOOTSTRAP_OWN } sfnec_bootstrap_choice;
typedef enum sfnec_td_choice { SFNEC_TD_RESIDUAL, SFNEC_TD_SEMI } sfnec_td_choice;
typedef enum sfnec_td_trains_choice { SFNEC_TD_TRAINS_VALUES, SFNEC_TD_TRAINS_ALL } sfnec_td_trains_choice;
typedef enum sfnec_kernel_choice { SFNEC_KERNEL_INVERSE_SQUARED, SFNEC_KERNEL_INVERSE } sfnec_kernel_choice;
typedef enum sfnec_index_choice { SFNEC_INDEX_FLAT, SFNEC_INDEX_FAST } sfnec_index_choice;
typedef enum sfnec_gpi_choice { SFNEC_GPI_PRUNED, SFNEC_GPI_FULL } sfnec_gpi_choice;
typedef enum sfnec_warm_start_choice { SFNEC_WARM_START_PREVIOUS, SFNEC_WARM_START_NONE } sfnec_warm_start_choice;
typedef enum sfnec_w_choice { SFNEC_W_GIVEN, SFNEC_W_SGD, SFNEC_W_RLS } sfnec_w_choice;
typedef enum sfnec_tasks_choice { SFNEC_TASKS_TOLD, SFNEC_TASKS_DETECT } sfnec_tasks_choice;
typedef enum sfnec_without_choice {
  SFNEC_WITHOUT_NONE,
  SFNEC_WITHOUT_REFITS,
  SFNEC_WITHOUT_LOG,
  SFNEC_WITHOUT_SHORT_STEPS,
  SFNEC_WITHOUT_CELLS,
  SFNEC_WITHOUT_COUNTS,
  SFNEC_WITHOUT_NOISE,
  SFNEC_WITHOUT_EXACT,
  SFNEC_WITHOUT_APART,
  SFNEC_WITHOUT_DIFFERENCES,
  SFNEC_WITHOUT_CHANCE,
  SFNEC_WITHOUT_OTHER_ENDS,
  SFNEC_WITHOUT_POLYNOMIAL,
  SFNEC_WITHOUT_BALANCE,
  SFNEC_WITHOUT_OWN_SHARE,
  SFNEC_WITHOUT_TRIED,
  SFNEC_WITHOUT_TRIED_CONTEXT,
  SFNEC_WITHOUT_KNOWN_ENDS,
  SFNEC_WITHOUT_NOVELTY_BY_CHANCE,
  SFNEC_WITHOUT_FIRST_VALUES,
  SFNEC_WITHOUT_INHERITANCE,
  SFNEC_WITHOUT_PATH,
  SFNEC_WITHOUT_STARTS,
  SFNEC_WITHOUT_SILENT_EFFECTS,
  SFNEC_WITHOUT_OPTIMISM,
  SFNEC_WITHOUT_EXPLOITATION,
  SFNEC_WITHOUT_CIRCLES,
  SFNEC_WITHOUT_FEEDBACK,
  SFNEC_WITHOUT_ROLLOUTS,
  SFNEC_WITHOUT_LAMBDA_RETURNS
} sfnec_without_choice;
typedef enum sfnec_embedding_choice {
  SFNEC_EMBEDDING_IDENTITY,
  SFNEC_EMBEDDING_LINEAR,
  SFNEC_EMBEDDING_MLP,
  SFNEC_EMBEDDING_RANDOM,
  SFNEC_EMBEDDING_PCA,
  SFNEC_EMBEDDING_CONV
} sfnec_embedding_choice;
typedef enum sfnec_unit_keys_choice {
  SFNEC_UNIT_KEYS_AUTO,
  SFNEC_UNIT_KEYS_OFF,
  SFNEC_UNIT_KEYS_ON
} sfnec_unit_keys_choice;
typedef enum sfnec_match_choice { SFNEC_MATCH_AUTO, SFNEC_MATCH_KEY, SFNEC_MATCH_OBSERVATION } sfnec_match_choice;
typedef enum sfnec_equal_choice { SFNEC_EQUAL_MOVE, SFNEC_EQUAL_GREATER } sfnec_equal_choice;
typedef enum sfnec_embedding_init_choice {
  SFNEC_EMBEDDING_INIT_FRESH,
  SFNEC_EMBEDDING_INIT_KEEP,
  SFNEC_EMBEDDING_INIT_FROZEN,
  SFNEC_EMBEDDING_INIT_SHARED
} sfnec_embedding_init_choice;
typedef enum sfnec_training_choice { SFNEC_TRAINING_SAMPLE, SFNEC_TRAINING_BATCH } sfnec_training_choice;
typedef enum sfnec_train_per_choice { SFNEC_TRAIN_PER_TARGET, SFNEC_TRAIN_PER_TRANSITION } sfnec_train_per_choice;
typedef enum sfnec_optimizer_choice {
  SFNEC_OPTIMIZER_SGD,
  SFNEC_OPTIMIZER_RMSPROP,
  SFNEC_OPTIMIZER_ADAM
} sfnec_optimizer_choice;

// Fill with sfnec_agent_options_default() or a preset, then change fields; any version may add new fields.
// A field of type sfnec_<FIELD>_choice takes one of the constants above, SFNEC_<FIELD>_<CHOICE>; C++ refuses any other,
// and C compilers warn of those of another field (-Wenum-conversion, in gcc's -Wextra). The comments are the texts of
// the table (sfnec_agent_option_set, `sfnec list options`), which also has the defaults and the ranges.
typedef struct sfnec_agent_options {
  // what psi is, and whose policies are used
  sfnec_psi_choice psi; // how psi is held: one memory per action, a linear function, or a model to plan over
  sfnec_predict_choice
      predict; // what psi predicts: the features, the reward alone (NEC), or features learned from rewards
  sfnec_rewards_choice rewards;   // rewards of a task: phi . w, or any function of a transition too
  int64_t joint_values;           // most joint values of phi, with rewards=any and a psi per task
  sfnec_policies_choice policies; // act by the best of all tasks' policies (GPI), or by the task's own

  // acting
  double epsilon;         // probability of a random action, usually 0.05 to 0.2; agents that plan use 0
  double epsilon_final;   // epsilon after epsilon_steps steps of a task, approached linearly
  int64_t epsilon_steps;  // steps of a task in which epsilon reaches epsilon_final; 0: epsilon is constant
  sfnec_ties_choice ties; // which of several best actions is taken: one at random, or the first
  double gpi_penalty;     // penalty on other policies' values, times min(1, distance to their nearest key), e.g. 0.3
  double novelty;         // bonus on an action's value, times min(1, distance to the task's nearest key), e.g. 0.1

  // learning targets
  double gamma;             // discount factor, usually 0.9 to 0.99
  int64_t horizon;          // steps N of an N-step target before it bootstraps, usually 1 to 32
  sfnec_write_choice write; // when a target is learned: after the horizon, at the episode's end, or one step late
  sfnec_bootstrap_choice bootstrap; // action that a target bootstraps from: GPI's, or the task's own
  sfnec_td_choice td; // one-step update of the other policy that GPI chose: residual gradient or semi-gradient
  sfnec_td_trains_choice
      td_trains; // what the one-step update td trains: values, or with training=batch keys and embedding too
  double rate;   // learning rate of the gradient steps on psi, usually 0.01 to 0.1

  // episodic memory
  int64_t neighbours; // nearest entries k of a look-up, usually 5 to 50; with psi=planned, samples of a prediction, 5
  int64_t capacity;   // most entries of one action's memory; at the limit the least recently used one is replaced
  int64_t capacity_total;     // most entries of all tasks' and actions' memories together; 0: no limit but capacity
  sfnec_kernel_choice kernel; // weight of a neighbour: 1/(d^2+delta) or 1/(d+delta)
  double delta; // keeps the weight of an equal key finite, usually 1e-4 to 1e-2; smaller: nearer neighbours count more
  double alpha; // learning rate of an equal key's value towards a new target, usually 0.1 to 0.5
  sfnec_equal_choice equal; // what a target does to an equal key's value: moves it by alpha, or replaces a lesser one

  // experimental: the keys of the memory, what an observation is turned into
  sfnec_embedding_choice
      embedding; // key of an observation: itself, learned (linear, mlp, conv), or projected (random, pca)
  sfnec_embedding_init_choice embedding_init; // embedding of a new task: fresh, a copy of the last, fixed, or shared
  int64_t key_size;                           // dimensions of a key, with any embedding but identity, usually 8 to 64
  int64_t hidden;                             // hidden units of embedding=mlp, usually 32 to 256
  sfnec_option_text layers;         // layers of embedding=conv before the key, e.g. conv:32x8/4,64x4/2;dense:128
  sfnec_unit_keys_choice unit_keys; // whether keys of learned embeddings have length 1; auto: those of embedding=conv
  sfnec_match_choice
      match;   // what finds the entry of a target again: its key, or its observation, whose key is then renewed
  double blur; // width of the blur of pictures with embedding=random, in shares of their shorter side; 0: none
  int64_t pca_observations; // observations that embedding=pca is fitted on; targets wait until then

  // experimental: training from a replay buffer
  sfnec_training_choice training;   // a gradient step on each target's neighbours, or on minibatches of a replay buffer
  sfnec_optimizer_choice optimizer; // how the weights of a learned embedding are trained
  int64_t replay;                   // capacity of the replay buffer of training=batch, in targets
  int64_t batch;                    // size of a minibatch, in targets, usually 8 to 64
  int64_t train_start;              // targets in the replay buffer before the first minibatch; at least one batch
  int64_t train_every;              // targets, or transitions, from one minibatch to the next, usually 1 to 16
  sfnec_train_per_choice train_per; // what train_every counts: targets or transitions
  double key_rate;                  // learning rate of keys, with a learned embedding
  double clip;                      // greatest norm of a minibatch's gradient; 0: no clipping
  double embedding_rate;            // learning rate of the optimizer, usually 1e-4 to 1e-2
  double rmsprop_decay;             // decay of the mean squared gradient, with optimizer=rmsprop
  double adam_mean_decay;           // decay of the mean gradient (beta 1), with optimizer=adam
  double adam_square_decay;         // decay of the mean squared gradient (beta 2), with optimizer=adam
  double optimizer_epsilon;         // added to the root of the mean square by rmsprop and adam

  // experimental: planned psi. Distances are in steps: the median length of a transition
  double radius;       // radius of a representative state, in steps, usually 0.25 to 1; smaller: a finer plan
  double sample_reach; // greatest distance at which states share samples, in steps, usually 1 to 2; 0: none are shared
  int64_t samples;     // most samples of an action in a state, usually 2 to 8; stochastic environments need more
  int64_t states;      // most representative states; at the limit their radius grows, up to one step
  int64_t interpolation; // nearest states that a value is interpolated over, usually 4 to 8; 1: no interpolation
  sfnec_relevance_choice relevance; // drop components of the observation that do not matter, or use all
  sfnec_filter_choice
      filter; // estimate states by a Kalman filter where observations are noisy, or use them as they are
  sfnec_contexts_choice contexts; // a value table for each context (slow components, e.g. objects taken), or one
  sfnec_terminal_choice terminal; // value of a terminal state: 0 (return per episode) or the start's (reward per step)
  double bonus; // exploration bonus of an action not tried nearby, in units of the reward scale, usually 0.03 to 0.3
  double pessimism;     // penalty on an action not tried nearby, in queries and greedy play, usually 0.1 to 1
  int64_t backups;      // mean backups of an action per step, usually 2,000 to 10,000; fewer: faster steps, worse plans
  int64_t step_backups; // most backups in one step, about 20 ns each; fewer: faster slowest steps, later plans
  int64_t replan_backups;       // most backups of a new plan, for a new task or a question under another w
  int64_t question_backups;     // most backups of one question; the next one resumes its plan; 0: no limit
  sfnec_without_choice without; // the mechanism of the planner that is switched off, to measure what it earns

  // how it is computed; no choice here changes any result
  sfnec_index_choice index; // how neighbours are found: a full scan, or a tree of boxes; the answers are the same
  sfnec_gpi_choice gpi;     // evaluate only policies that may win, or all; the choices are the same

  // linear psi
  sfnec_warm_start_choice warm_start; // first weights of a new task's linear psi: those of the last task, or random
  double init_sd;                     // standard deviation of a linear psi's random first weights

  // reward weights
  sfnec_w_choice w;         // reward weights: given, or learned by SGD or recursive least squares
  sfnec_tasks_choice tasks; // task switches: given by the caller, or detected from rewards (psi=planned, w=rls)
  double w_rate;            // learning rate of w=sgd, usually 0.01 to 0.1
  double w_init_sd;         // standard deviation of the random first weights of w=sgd
  double rls_prior;         // with w=rls: prior variance of a weight, in units of the variance of the reward noise
  double false_alarm_every; // with tasks=detect: least mean number of rewards between two false alarms
  int64_t recheck; // with tasks=detect: steps after which the weight of a feature not seen since counts as unknown
} sfnec_agent_options;

// The table behind the struct; never NULL.
SFNEC_API const sfnec_option_set *sfnec_agent_option_set(void);
// The defaults: the paper's SFNEC.
SFNEC_API void sfnec_agent_options_default(sfnec_agent_options *options);

// A named point in the space of options: the defaults with these changes.
typedef struct sfnec_agent_preset {
  const char *name;
  const char *help;               // one line, no full stop
  const char *const *assignments; // "key=value", NULL-terminated
} sfnec_agent_preset;

// The presets in a fixed order; NULL past the last.
SFNEC_API const sfnec_agent_preset *sfnec_agent_preset_at(size_t i);
// Fills the options of a preset. Fails with SFNEC_ERROR_OPTION for an unknown name; the sentence says what is near.
SFNEC_API sfnec_status sfnec_agent_options_preset(const char *name, sfnec_agent_options *options);

// Changes the options of a preset that the shape of an environment decides; call it before you set your own. Where
// observations are pictures and keys would be the pictures themselves, keys are learned by embedding=conv, with
// constants that suit pictures. Otherwise it changes nothing.
SFNEC_API void sfnec_agent_options_for(const sfnec_env_shape *shape, sfnec_agent_options *options);

// ---- life ----

typedef struct sfnec_agent sfnec_agent;

// The most numbers that an agent holds for each task besides its memories: one psi of every action (action_count *
// feature_count, or action_count with predict=reward), times observation_size with psi=linear.
enum { SFNEC_TASK_NUMBERS_MOST = 1 << 28 };

// Creates an agent for environments of this shape. Options that contradict each other are refused: embedding=linear and
// embedding=mlp need training=batch, which needs a replay of at least one batch. Fails with SFNEC_ERROR_OPTION,
// _ARGUMENT (a size below 1 or above SFNEC_SIZE_MOST, more than SFNEC_TASK_NUMBERS_MOST numbers for each task, more
// than 4096 components with embedding=pca, a NULL) or _MEMORY; *out is then as it was.
SFNEC_API sfnec_status sfnec_agent_create(const sfnec_env_shape *shape, const sfnec_agent_options *options,
                                          uint64_t seed, sfnec_agent **out);
SFNEC_API void sfnec_agent_destroy(sfnec_agent *agent); // NULL is fine

// Writes the whole agent (memories, weights, unfinished episode, random streams) to a file, or reads it back. A loaded
// agent continues bit for bit. The file appears under its name only when it is complete and on disk. Fails with
// SFNEC_ERROR_IO, _FORMAT or _VERSION (load), _MEMORY, or _ARGUMENT for a path that is NULL; a failed save leaves an
// older file of that name untouched, a failed load *out.
SFNEC_API sfnec_status sfnec_agent_save(const sfnec_agent *agent, const char *path);
SFNEC_API sfnec_status sfnec_agent_load(const char *path, sfnec_agent **out);

// The same with the bytes of that file in memory: a new block of *size bytes, which sfnec_agent_free_bytes frees. Load
// only reads the bytes during the call. Fails with SFNEC_ERROR_FORMAT or _VERSION (load), _MEMORY, or _ARGUMENT for a
// NULL; the results are then as they were.
SFNEC_API sfnec_status sfnec_agent_save_bytes(const sfnec_agent *agent, unsigned char **bytes, size_t *size);
SFNEC_API sfnec_status sfnec_agent_load_bytes(const unsigned char *bytes, size_t size, sfnec_agent **out);
SFNEC_API void sfnec_agent_free_bytes(unsigned char *bytes); // NULL is fine

// A copy that shares nothing with the agent: a snapshot to act with while another thread continues to learn, or two
// agents that learn on from the same memories. Both continue bit for bit as the agent would have. Takes about as long
// as saving and loading the bytes. Fails with SFNEC_ERROR_MEMORY, and with SFNEC_ERROR_ARGUMENT for a NULL; *out is
// then as it was.
SFNEC_API sfnec_status sfnec_agent_clone(const sfnec_agent *agent, sfnec_agent **out);

// A text of the caller's that is saved with the agent (where it was trained, say). Fails with SFNEC_ERROR_ARGUMENT for
// NULL and for more than 65,535 bytes, and with SFNEC_ERROR_MEMORY.
SFNEC_API sfnec_status sfnec_agent_set_note(sfnec_agent *agent, const char *note);
SFNEC_API const char *sfnec_agent_get_note(const sfnec_agent *agent); // never NULL; valid until set_note or destroy

// Experimental: a description of the components of its observations (observation_size), saved with the agent. A run in
// an environment that has a description sets it; NULL: unknown. Names are made printable. Fails with
// SFNEC_ERROR_ARGUMENT for a kind that does not exist, a negative number of values or an unterminated name, and with
// SFNEC_ERROR_MEMORY; then nothing has changed.
SFNEC_API sfnec_status sfnec_agent_set_components(sfnec_agent *agent, const sfnec_component_space *components);
// NULL if unknown; valid until set_components or destroy.
SFNEC_API const sfnec_component_space *sfnec_agent_get_components(const sfnec_agent *agent);

// The options, shape and seed that the agent was created with. The options are valid until the agent is destroyed.
SFNEC_API const sfnec_agent_options *sfnec_agent_get_options(const sfnec_agent *agent);
SFNEC_API sfnec_env_shape sfnec_agent_get_shape(const sfnec_agent *agent);
SFNEC_API uint64_t sfnec_agent_get_seed(const sfnec_agent *agent);
// The length of one psi: feature_count, or 1 with predict=reward. With rewards=any it is longer: an agent that plans
// has the reward of the active task as one more feature, and others have joint_values indicators instead.
SFNEC_API int32_t sfnec_agent_get_psi_size(const sfnec_agent *agent);
// Bytes held by the agent.
SFNEC_API size_t sfnec_agent_get_bytes(const sfnec_agent *agent);

// ---- tasks ----
//
// Tasks are numbered from 0 in the order in which they were added; forgetting one moves the later ones down.
// Those that change the list of tasks do so between episodes only: during one they fail with SFNEC_ERROR_STATE. A
// number that is no task's fails with SFNEC_ERROR_ARGUMENT.

// Adds a task and makes it the active one. `w` has feature_count weights; NULL: learn them (needs the option w=sgd or
// w=rls). An agent with predict=reward learns the rewards of transitions, whatever makes them: it needs no w and
// ignores it, so that hosts may treat all agents alike. `task` gets the number; NULL is fine. Fails with
// SFNEC_ERROR_STATE, _ARGUMENT (w is missing, not finite or beyond 1e100) or _MEMORY.
SFNEC_API sfnec_status sfnec_agent_begin_task(sfnec_agent *agent, const double *w, uint32_t *task);
// Adds a task without making it the active one; else the same.
SFNEC_API sfnec_status sfnec_agent_add_task(sfnec_agent *agent, const double *w, uint32_t *task);
// Makes an existing task the active one again; learning resumes where it stopped. Fails with SFNEC_ERROR_STATE or
// _ARGUMENT.
SFNEC_API sfnec_status sfnec_agent_set_task(sfnec_agent *agent, uint32_t task);
// Replaces an existing task by a fresh one (nothing learned yet); w and failures as for begin_task.
SFNEC_API sfnec_status sfnec_agent_replace_task(sfnec_agent *agent, uint32_t task, const double *w);
// Removes a task and frees its memory. If it was the active one, no task is active until one is begun or set. Fails
// with SFNEC_ERROR_STATE or _ARGUMENT.
SFNEC_API sfnec_status sfnec_agent_forget_task(sfnec_agent *agent, uint32_t task);

// Allocates now all that the present tasks can ever need, so that acting and learning allocate nothing from then on:
// for hosts with a fixed memory budget. sfnec_agent_get_bytes then returns the whole budget. Possible with psi=linear,
// and with psi=episodic under index=flat, gpi=full, embedding=identity, training=sample, write=horizon and
// capacity_total=0. Fails with
// SFNEC_ERROR_STATE under other options, which allocate later (the sentence names those to set), and for an agent that
// plans, and with SFNEC_ERROR_MEMORY.
SFNEC_API sfnec_status sfnec_agent_reserve(sfnec_agent *agent);

typedef struct sfnec_task_info {
  bool active;     // it is the active task
  bool learned;    // w is learned, not given
  int64_t steps;   // transitions observed while it was the active task
  int64_t chosen;  // transitions for which GPI chose this task's policy
  int64_t entries; // entries over all actions; linear psi: 0; planned: all samples, counted for the last task
  int64_t trained; // minibatches that were trained (training=batch)
  int64_t skipped; // minibatches that were not, because their gradient was not finite
} sfnec_task_info;

SFNEC_API uint32_t sfnec_agent_get_task_count(const sfnec_agent *agent);
// Facts about a task. Fails with SFNEC_ERROR_ARGUMENT.
SFNEC_API sfnec_status sfnec_agent_get_task_info(const sfnec_agent *agent, uint32_t task, sfnec_task_info *info);
// The weights of a task as the agent has them, given or learned: psi_size doubles. Fails with SFNEC_ERROR_ARGUMENT.
SFNEC_API sfnec_status sfnec_agent_get_task_weights(const sfnec_agent *agent, uint32_t task, double *w);
// Changes them and keeps what was learned; allowed during an episode too. Fails with SFNEC_ERROR_ARGUMENT (also for
// weights that are not finite, or NULL), and with SFNEC_ERROR_STATE if predict=reward.
SFNEC_API sfnec_status sfnec_agent_set_task_weights(sfnec_agent *agent, uint32_t task, const double *w);

// ---- learning ----

// What followed the last action.
typedef struct sfnec_transition {
  int32_t action;                // the action really taken: the agent's, or one that the caller took instead
  const double *features;        // phi of this transition, feature_count
  double reward;                 // used to learn w, by predict=reward, and with rewards=any
  const float *next_observation; // observation_size; needed even at the end of an episode
  bool terminated;               // the return ends here
  bool truncated;                // the episode ends here but the return continues; ignored if terminated
  const uint8_t *next_mask;      // which actions are allowed after it (action_count); NULL: all; not read if terminated
} sfnec_transition;

// Begins an episode of the active task. Fails with SFNEC_ERROR_STATE if there is none, or an episode is running.
SFNEC_API sfnec_status sfnec_agent_begin_episode(sfnec_agent *agent);
// Chooses an action for an observation (observation_size), exploring. Each act is followed by one observe. Fails with
// SFNEC_ERROR_STATE (no episode, or the last action was not observed), _ARGUMENT (not finite, or NULL) or _MEMORY.
SFNEC_API sfnec_status sfnec_agent_act(sfnec_agent *agent, const float *observation, int32_t *action);
// The same where not every action is allowed: `mask` has a byte for each (action_count), 0 where it is not; NULL: all
// are. No action that is not allowed is taken, explored or counted on: give the masks of later states as next_mask of
// their transitions. An agent that plans remembers the last mask of each state. A mask that allows all changes no bit.
// Fails with SFNEC_ERROR_ARGUMENT for a mask that allows none.
SFNEC_API sfnec_status sfnec_agent_act_masked(sfnec_agent *agent, const float *observation, const uint8_t *mask,
                                              int32_t *action);
// Learns from what followed. A terminated or truncated transition ends the episode. Fails with SFNEC_ERROR_ARGUMENT for
// an action that does not exist and for numbers that are missing, not finite or beyond 1e100; then nothing was learned,
// and the transition can be observed again. Fails with SFNEC_ERROR_STATE if no action waits. SFNEC_ERROR_STATE because
// psi or w has diverged (the sentence names the option to lower), and SFNEC_ERROR_MEMORY, mean that one of the steps of
// learning was not taken: unlike after any other failure, the agent has moved on; its numbers are finite, and it stays
// usable.
SFNEC_API sfnec_status sfnec_agent_observe(sfnec_agent *agent, const sfnec_transition *transition);
// Learns a transition that somebody else's policy made: from a log, or a demonstration. Begins an episode where none is
// running, and ends the running one as truncated where the observation is not the last transition's next one, so that a
// log may have holes. Any policy may have made it: an agent that plans keeps the transition, and makes its plan when it
// acts or is asked; other agents cut the return of a target off where the action is not the one that they would take
// (Watkins 1989), so with little agreement their targets are one-step. Fails as begin_episode, act and observe do.
SFNEC_API sfnec_status sfnec_agent_learn_transition(sfnec_agent *agent, const float *observation,
                                                    const sfnec_transition *transition);
// Experimental: plans on call, in time that the host has to spare: at most so many more backups (about 20 ns each), as
// observing would make later. *made says how many they were: 0 for an agent that does not plan, has no model yet, or
// has nowhere to plan from. With a small option step_backups acting and observing take little time, and
// the host plans in slices until its deadline; the slices are counted in backups, so the same calls give the same
// bytes. Fails with SFNEC_ERROR_ARGUMENT for a negative number, and with SFNEC_ERROR_MEMORY as observe does.
SFNEC_API sfnec_status sfnec_agent_plan(sfnec_agent *agent, int64_t backups, int64_t *made);
// Ends an episode that did not end by itself, as if its last transition had been truncated. No episode: nothing to do.
// Fails as observe does when targets are dropped; the episode has ended all the same.
SFNEC_API sfnec_status sfnec_agent_end_episode(sfnec_agent *agent);

typedef struct sfnec_choice {
  int32_t action; // the action taken
  int32_t policy; // the task whose policy was chosen by GPI
  double value;   // psi . w of that policy and the greedy action; psi=planned: its planned value
  bool explored;  // the action was drawn at random instead
} sfnec_choice;

// The choice behind the last sfnec_agent_act. Fails with SFNEC_ERROR_STATE if there was none.
SFNEC_API sfnec_status sfnec_agent_get_last_choice(const sfnec_agent *agent, sfnec_choice *choice);

// ---- asking without learning ----
//
// None of these changes the agent: what a question changes is the scratch that it is given. So several threads may ask
// one agent at once, each with a scratch of its own, as long as no thread changes the agent (by a call that takes it
// without const) or saves it. The answers are the same to the bit, whoever asks. (With psi=planned
// a scratch keeps plans, which questions extend and which resume when the agent has learned: there the same questions
// at the same times have the same answers, and a new scratch plans from scratch.)
//
// A scratch also keeps what was looked up last, so that asking again about the same state costs little, and a stream of
// its own for breaking ties.

typedef struct sfnec_scratch sfnec_scratch;

// A scratch for questions to this agent, and to no other. It stays valid when the agent learns, and when tasks are
// added or forgotten; the agent must outlive its last use. Ties between actions are broken by a random stream of the
// scratch. All scratches start it at the position that the agent holds: that of its creation, of the file it was loaded
// from, or of the last sfnec_scratch_commit. So the same questions to two scratches have the same answers. Fails with
// SFNEC_ERROR_ARGUMENT if either is NULL, and with SFNEC_ERROR_MEMORY.
SFNEC_API sfnec_status sfnec_scratch_create(const sfnec_agent *agent, sfnec_scratch **out);
SFNEC_API void sfnec_scratch_destroy(sfnec_scratch *scratch); // NULL is fine; also after the agent was destroyed
// Copies the position of this scratch's stream into the agent: scratches that are created later start there, and so
// does the agent when it is saved and loaded. Without it, every session of questions breaks ties alike.
SFNEC_API void sfnec_scratch_commit(const sfnec_scratch *scratch, sfnec_agent *agent);
// Whether the last question was answered by a plan that is not whole, because the option question_backups cut it: the
// next question about the same weights resumes it. False for NULL and for agents that do not plan.
SFNEC_API bool sfnec_scratch_is_planning(const sfnec_scratch *scratch);

// The questions fail with SFNEC_ERROR_STATE if there is no task (or no active one, where w is NULL), with
// SFNEC_ERROR_ARGUMENT for an observation or weights that are not finite, for weights given to an agent with
// predict=reward, which has none, and for a scratch that was not made for this agent, and with SFNEC_ERROR_MEMORY.

// The greedy choice under the weights w, by all policies; w NULL: under the active task as it would act there, without
// exploring. With w, no policy counts as the active one.
SFNEC_API sfnec_status sfnec_agent_choose(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                          const double *w, sfnec_choice *choice);
// The same among the actions that are allowed there (action_count bytes, as for sfnec_agent_act_masked). Fails with
// SFNEC_ERROR_ARGUMENT too for a mask that allows none.
SFNEC_API sfnec_status sfnec_agent_choose_masked(const sfnec_agent *agent, sfnec_scratch *scratch,
                                                 const float *observation, const uint8_t *mask, const double *w,
                                                 sfnec_choice *choice);
// The same as sfnec_agent_choose for `count` observations (count, observation_size) in a row, with one call: choices
// (count) are those of as many calls of sfnec_agent_choose. On a failure the choices before it are there.
SFNEC_API sfnec_status sfnec_agent_choose_many(const sfnec_agent *agent, sfnec_scratch *scratch, size_t count,
                                               const float *observations, const double *w, sfnec_choice *choices);
// The same among the actions that are allowed in each of them: masks (count, action_count); NULL: all are.
SFNEC_API sfnec_status sfnec_agent_choose_many_masked(const sfnec_agent *agent, sfnec_scratch *scratch, size_t count,
                                                      const float *observations, const uint8_t *masks, const double *w,
                                                      sfnec_choice *choices);
// Feedback on a choice, for a host that plays without learning: the observation that it was asked about, and the
// transition that followed (its features are not read). An agent that plans lowers the value of that action in that
// state by the temporal-difference error, as far as chance does not explain it, until the episode ends: in the next
// choices by this scratch another action may be better. The plan is that of the last choice; without one, nothing is
// corrected. Other questions and other agents answer as before. Fails as a question does, and with SFNEC_ERROR_ARGUMENT
// for a transition that is none.
SFNEC_API sfnec_status sfnec_agent_tell(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                        const sfnec_transition *transition);
// psi of every policy and action: (task_count, action_count, psi_size) doubles.
SFNEC_API sfnec_status sfnec_agent_ask_psi(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                           double *psi);
// psi . w of every policy and action: (task_count, action_count) doubles; w NULL: the active task's.
SFNEC_API sfnec_status sfnec_agent_ask_q(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                         const double *w, double *q);

// ---- experimental: the memories behind an answer ----

// One memory behind a value.
typedef struct sfnec_memory_view {
  double distance;  // to the key of the observation (not squared)
  double weight;    // its weight in psi; the weights add up to 1
  const float *key; // key_size numbers: the observation itself, or its embedding
  const float *psi; // psi_size numbers; for planned psi the features of a transition
} sfnec_memory_view;

// The length of one key of the episodic memories: observation_size, or the option key_size with an embedding. A key
// longer than the observation is allowed, but holds no more than it. 0 for linear psi.
SFNEC_API int32_t sfnec_agent_get_key_size(const sfnec_agent *agent);
// The nearest memories of one policy and action, nearest first: at most `most`, and at most the option neighbours.
// Of an agent that plans: the samples of the action that its value is made of, distances in steps. The pointers are
// valid until the next call that changes the agent, or asks with this scratch. Linear psi has none: *count = 0. Fails
// as the questions above, and with SFNEC_ERROR_ARGUMENT for a task or an action that does not exist.
SFNEC_API sfnec_status sfnec_agent_ask_memories(const sfnec_agent *agent, sfnec_scratch *scratch,
                                                const float *observation, uint32_t task, int32_t action, size_t most,
                                                sfnec_memory_view *views, size_t *count);

// ---- experimental: the model of an agent that plans ----

// How the model distinguishes states; chosen by evidence. The numbers are those of files.
typedef enum sfnec_regime {
  SFNEC_REGIME_NONE,       // not chosen yet, or in a file of an older version that knew cells alone
  SFNEC_REGIME_CELLS,      // tabular, and of the key components at most one is lit: distances mean nothing
  SFNEC_REGIME_TABULAR,    // states come again to the bit: each is one of its own, and near ones may be alike
  SFNEC_REGIME_CONTINUOUS, // a state is all that is within a radius of it
} sfnec_regime;

// The model of all tasks. Before its first fit, after 100 transitions, it has no states.
typedef struct sfnec_model_info {
  int64_t places;   // representative states
  int64_t samples;  // transitions kept, each for all that were similar
  int64_t contexts; // contexts that transitions were seen in; 1 where contexts are not used
  int32_t slow;     // components of the observation that make the context; 0: contexts are not used
  double step;      // median length of a move, the components scaled as the model has them
  double radius;    // of a representative state, in steps
  size_t bytes;     // held by the model and the present plan
  sfnec_regime regime;
  int32_t directions; // directions that keys are projected on; 0: a key is the scaled components themselves
  double noise;       // expected length of the noise in a key, in steps; 0: none was found
} sfnec_model_info;

// How the model uses a component of the observation.
typedef enum sfnec_component_role {
  SFNEC_COMPONENT_UNUSED,   // nothing is used yet: the model has not been fitted
  SFNEC_COMPONENT_KEY,      // it is a part of the key, by which states are near or far
  SFNEC_COMPONENT_CONTEXT,  // it is a part of the context, in which predictions are made
  SFNEC_COMPONENT_CONSTANT, // it has not varied, or had not when the model was fitted, and makes no difference
  SFNEC_COMPONENT_DROPPED,  // it was found to be irrelevant, and is not read
} sfnec_component_role;

// How the model uses one component, and why. A component that is found to matter, or not to, changes its role with the
// next fit of the model.
typedef struct sfnec_component_info {
  sfnec_component_role role;
  bool decided;    // the tests have decided that it matters or not; else there is too little evidence, and it is used
  int32_t levels;  // it is rounded to so many values; 0: it is used as it is
  int32_t group;   // first component of the one-hot group that it belongs to; its own number without one
  double p;        // p-value of the test behind the decision; 1: there was none
  double z;        // how much predictions are better with it, in standard errors; 0: this was not tested
  char reason[96]; // one phrase, such as "the action changes it"; made by the library alone, never empty
} sfnec_component_info;

// A representative state, or a state on a planned path.
typedef struct sfnec_place_view {
  const float *observation; // observation_size numbers: what would be observed there
  double value;             // its planned value
  bool frontier;            // some action was never tried there, nor near it
} sfnec_place_view;

// Fails with SFNEC_ERROR_STATE for an agent that does not plan (psi=planned), and with SFNEC_ERROR_ARGUMENT for a NULL.
SFNEC_API sfnec_status sfnec_agent_get_model_info(const sfnec_agent *agent, sfnec_model_info *info);
// How the model uses component number `component` of the observation, from 0 to observation_size - 1, as of now: `info`
// is a copy. Fails as sfnec_agent_get_model_info, and with SFNEC_ERROR_ARGUMENT for a component that does not exist.
SFNEC_API sfnec_status sfnec_agent_get_component_info(const sfnec_agent *agent, int32_t component,
                                                      sfnec_component_info *info);

// ---- features that are learned from rewards (predict=learned; experimental) ----

typedef struct sfnec_learned_info {
  int32_t features; // that were found; all tasks pay for the first alike, with the weight 1. 0: none yet, and the agent
                    // acts on the reward alone
  int32_t tasks;    // in whose rewards they were found
  int32_t kinds;    // kinds of transitions that these paid for, all that is ordinary being one
  double explained; // share of the squares of rewards held out that the features predict
} sfnec_learned_info;

// Transitions of one kind that a feature responds to.
typedef struct sfnec_response {
  double value;        // of the feature, on average
  int32_t action;      // -1: several
  bool terminated;     // they end the episode
  int64_t transitions; // how many were seen
} sfnec_response;

// What was learned when the active task began. Fails with SFNEC_ERROR_STATE for an agent that learns no features, and
// with SFNEC_ERROR_ARGUMENT for a NULL.
SFNEC_API sfnec_status sfnec_agent_get_learned_info(const sfnec_agent *agent, sfnec_learned_info *info);
// What feature number `feature` responds to, the strongest first and at most `most`, with an example of each in
// observations (most, 2, observation_size): before and after. Components that the model does not use are 0. Fails as
// above, and with SFNEC_ERROR_ARGUMENT for a feature that does not exist.
SFNEC_API sfnec_status sfnec_agent_ask_learned(const sfnec_agent *agent, int32_t feature, size_t most,
                                               sfnec_response *responses, float *observations, size_t *count);

// Questions about the plan for the weights w, NULL: the active task's; the plan explores no more than the other
// questions' does. At most `most` views; what they point to is valid until the next question with this scratch. Fail as
// the questions above, and with SFNEC_ERROR_STATE for an agent that does not plan. There are none of an agent whose
// keys are projections (option embedding): the observations behind those are not known.

// The representative states from number `first` on, in the context of an observation. *count = 0: there are no more.
SFNEC_API sfnec_status sfnec_agent_ask_places(const sfnec_agent *agent, sfnec_scratch *scratch,
                                              const float *observation, const double *w, size_t first, size_t most,
                                              sfnec_place_view *views, size_t *count);
// The planned path: the states that the agent expects one, two, ... steps after the observation, each by the most
// likely outcome of the best action. It ends with the episode, and where nothing is known or nothing moves.
SFNEC_API sfnec_status sfnec_agent_ask_path(const sfnec_agent *agent, sfnec_scratch *scratch, const float *observation,
                                            const double *w, size_t most, sfnec_place_view *views, size_t *count);

// ---- what is known, and where a plan leaves that (experimental) ----

typedef struct sfnec_plan_coverage {
  int64_t states;  // representative states in which an episode may continue
  int64_t choices; // their actions
  int64_t tried;   // of those, tried in the very state
  int64_t near;    // tried there or within a step of it
  double value;    // of the observation, by the plan
  double error;    // its standard error by the model: what is not known of what was tried. Nothing is said of the rest
  int64_t steps;   // of the planned path from there, as far as they count
  int64_t outside; // of those, with an action that nobody tried within a step
} sfnec_plan_coverage;

// What the agent knows, and what its plan for the weights w (NULL: the active task's) from an observation is worth and
// where it leaves that: the first `most` states in which it takes an action that was not tried within a step, into
// observations (most, observation_size), where components that the model does not use are 0 (all, where keys are
// projections), and those actions (most); both may be NULL if most is 0. Fails as sfnec_agent_ask_path, and with
// SFNEC_ERROR_STATE without a model.
SFNEC_API sfnec_status sfnec_agent_ask_coverage(const sfnec_agent *agent, sfnec_scratch *scratch,
                                                const float *observation, const double *w, size_t most,
                                                float *observations, int32_t *actions, sfnec_plan_coverage *coverage);
// Where the last episode that an agent that plans has learned from began (observation_size). Fails with
// SFNEC_ERROR_STATE where there was none.
SFNEC_API sfnec_status sfnec_agent_get_start(const sfnec_agent *agent, float *observation);

// ---- deploying (experimental) ----

// Writes the frozen agent as one C99 file without dependencies, which allocates nothing. The head of the file lists the
// functions to call, the worst case of a call and the memory. Its answers are those of
// sfnec_agent_choose_masked, sfnec_agent_ask_q and sfnec_agent_tell by a new scratch, to the bit; of an agent that
// plans those of a scratch that was asked about each context (sfnec_model_info.contexts) seen in training; in another
// context it says so, and answers as in the one with the fewest differences. `w` (feature_count) NULL: the weights of
// the active task. `name` begins all names in it; NULL: policy. Fails with SFNEC_ERROR_ARGUMENT (the name, the weights,
// weights with predict=reward), _STATE (no task, no model yet, a plan with too many tables), _IO or _MEMORY; an older
// file of that name is then untouched.
SFNEC_API sfnec_status sfnec_agent_export_c(const sfnec_agent *agent, const double *w, const char *name,
                                            const char *path);

#ifdef __cplusplus
}
#endif

#endif
