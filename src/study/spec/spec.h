// spec.h: the description of a study, read from a YAML file.
//
//   name: main
//   title: Average return over the tasks
//   env: {name: four_rooms, options: {layout: calibrated}}   # or {plugin: ./corridor.so, options: {length: 9}},
//                                                            # or {gymnasium: CartPole-v1}
//   tasks: 50
//   rewards: ["1 if goal else -0.1", weights]  # what the tasks reward, in turn; weights drawn by the environment
//   steps: 20000            # transitions per task, and/or
//   episodes: 500           # episodes per task: whichever limit comes first
//   seeds: 1-10             # a seed, a range, or "1-4,7"
//   agents:
//     - sfnec               # a preset; the label is its name
//     - {label: SFNEC k=1, preset: sfnec, options: {neighbours: 1}}
//     - {preset: sfql, sweep: {rate: [0.01, 0.05]}}       # a sweep of its own instead of the common one
//   sweep:                  # all combinations of these
//     neighbours: [1, 4, 20, 50]
//   random: {count: 20, seed: 1}   # instead: so many points drawn at random; axes may then be ranges,
//                                  # rate: {from: 0.001, to: 0.1, scale: log}
//   evaluate: {every: 5000, episodes: 10, weights: [[1, 0], [0, 1]], best: yes}
//   record: {episodes: no, bins: 50, agents: no, state_megabytes: 0}
//   published:
//     - {agent: sfnec, options: {neighbours: 4}, task: 10, mean: 550, se: 30, source: thesis}
//
// Keys of options, sweeps and --set are those of the agent or of the environment; the tables of the library check them.
// Every refusal says file, line, key, what is allowed, and the nearest valid name.
#ifndef SFNEC_STUDY_SPEC_SPEC_H
#define SFNEC_STUDY_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "sfnec/sfnec.h"
#include "study/spec/gym.h"
#include "study/spec/world.h"

typedef struct sfnec_setting {
  const char *key, *value;
  int line; // in the spec; 0: from the command line
} sfnec_setting;

typedef struct sfnec_settings {
  sfnec_setting *items;
  size_t count;
} sfnec_settings;

// One key of a sweep: a list of values, or (random only) a range to draw from.
typedef struct sfnec_axis {
  const char *key;
  const char **values; // (count)
  int *lines;          // (count) of the values
  size_t count;        // 0: a range
  double from, to;
  bool log;
  int line;
} sfnec_axis;

typedef struct sfnec_axes {
  sfnec_axis *items;
  size_t count;
} sfnec_axes;

typedef struct sfnec_spec_agent {
  const char *label, *preset;
  sfnec_settings options;
  bool own_sweep;
  sfnec_axes sweep;
  int line;
} sfnec_spec_agent;

typedef struct sfnec_published {
  const char *agent;      // a label
  sfnec_settings options; // the sweep point; none: the agent without a sweep
  uint32_t task;          // after so many tasks (the average up to there); a spec that does not say: its last
  double mean;
  double se;          // NaN if it was not published
  const char *source; // NULL if it is not said
  int line;
} sfnec_published;

typedef enum sfnec_kept {
  SFNEC_KEPT_NONE,
  SFNEC_KEPT_FIRST, // of the first seed
  SFNEC_KEPT_ALL,
} sfnec_kept;

// Evaluation on the side of every job (sfnec/run.h).
typedef struct sfnec_spec_evaluate {
  int64_t every; // transitions between two; 0: there is none
  int64_t episodes;
  int64_t steps;         // an episode is cut off after so many; 0: as the world does
  sfnec_vectors weights; // none: those of the present task
  bool best;             // keep the agent that did best
  int line;
} sfnec_spec_evaluate;

typedef struct sfnec_spec {
  sfnec_arena *arena;
  const char *path; // as given, for messages
  const char *name; // [a-z0-9_-]+: also the default folder
  const char *title;
  const char *env;         // as given, a name or the file of a plugin; once it is checked, its name
  const char *env_version; // that the plugin must have, or that a world of Gymnasium is said to have; NULL: any
  int env_line;            // in the file
  sfnec_gym gym;           // of a world of Gymnasium
  sfnec_world world;       // known once it is checked
  sfnec_settings env_options;
  uint32_t tasks;
  const char **rewards; // (reward_count) of the tasks, in turn, as texts; 0: all have weights
  uint32_t reward_count;
  int64_t steps, episodes; // per task; 0: no such limit; not both
  uint64_t *seeds;
  size_t seed_count;
  sfnec_spec_agent *agents;
  size_t agent_count;
  sfnec_axes sweep;
  bool random;
  int random_line;
  uint32_t random_count;
  uint64_t random_seed;
  bool record_episodes;    // a row per episode
  uint32_t bins;           // points of the curve over steps of each task, at most; 0: no curves
  sfnec_kept kept_agents;  // which trained agents are kept as files
  int64_t state_megabytes; // room for the states of finished jobs, which let an experiment be extended by tasks
  const char *metric;      // what statistics lead with; NULL: the world's own
  sfnec_spec_evaluate evaluate;
  sfnec_published *published;
  size_t published_count;
} sfnec_spec;

// What the command line changes.
typedef struct sfnec_overrides {
  const char *seeds;          // as in the spec; NULL: unchanged
  const char *env;            // another environment, with its defaults: a name, FILE.so or gym:ID; NULL: unchanged
  int64_t tasks;              // 0: unchanged
  int64_t steps, episodes;    // per task, 0: unchanged
  const char *const *rewards; // of the tasks, NULL-terminated, or NULL: unchanged
  const char *const *sets;    // "key=value", NULL-terminated, or NULL: over the options of all agents, or of the env
                              // A key that is swept is set to this one value: one point of the study
  bool keep_states;           // room for the states of all finished jobs
  bool quick; // at most 2 tasks of 1,000 steps (or 10 episodes), 2 seeds, the ends of each axis (2 points
              // of a random sweep); explicit overrides win
  const sfnec_gym_host *gym_host; // who makes worlds of Gymnasium; NULL: nobody
} sfnec_overrides;
// Published numbers that the overrides leave without a counterpart are dropped: of later tasks, of points that are not
// run, and all of them when tasks have another environment, other steps or episodes than the spec says.

// Reads and checks a spec. Fails with SFNEC_ERROR_FORMAT ("main.yaml:7: agents: ..."), _OPTION (a refused override),
// _IO or _MEMORY.
sfnec_status sfnec_spec_load(const char *path, const sfnec_overrides *overrides, sfnec_spec **out);
// The same from text (`path` names it in messages): the stored spec of an experiment.
sfnec_status sfnec_spec_parse(const char *path, const char *text, size_t size, const sfnec_overrides *overrides,
                              sfnec_spec **out);
// A spec without a file, by the command line alone: agents (NULL-terminated) in four_rooms, unless the overrides say
// otherwise, for 10 tasks of 20,000 steps (or of the episodes that they give). An agent is a preset, or a preset with
// options of its own, "sfnec:neighbours=1:alpha=0.3", which win over the overrides' sets; the whole text is its label.
// Fails with SFNEC_ERROR_OPTION or _MEMORY.
sfnec_status sfnec_spec_make(const char *name, const char *const *agents, const sfnec_overrides *overrides,
                             sfnec_spec **out);
void sfnec_spec_destroy(sfnec_spec *spec); // NULL is fine

// The resolved spec as YAML that reads back to the same spec: what an experiment stores, and what a diff compares. A
// new string in the spec's arena; NULL without memory. Overrides are resolved, defaults are written out.
const char *sfnec_spec_text(sfnec_spec *spec);

// The lines that differ between two texts, "-" before the old and "+" before the new ones, unchanged lines left out
// but for the key that they belong to. A new string in the arena; NULL without memory.
const char *sfnec_spec_diff(sfnec_arena *arena, const char *before, const char *after);

// Is this a name for a study? It becomes a folder, files in it, and a word of a batch script.
bool sfnec_spec_is_name(const char *text);

// Seeds as text: "1-4,7". On failure the sentence has no place in it; the caller says where.
sfnec_status sfnec_seeds_parse(sfnec_arena *arena, const char *text, uint64_t **seeds, size_t *count);
// And back, in the same order.
void sfnec_seeds_print(FILE *stream, const uint64_t *seeds, size_t count);

// ---- what reading is made of ----

enum { SFNEC_SPEC_BINS = 50 };
#define SFNEC_SPEC_STATES_MOST INT64_C(1000000000) // megabytes of states: as much as there is room for
enum { SFNEC_SPEC_STEPS = 20000 };                 // per task, if neither steps nor episodes are given

// A spec that holds the defaults, and limits below 0 until it is known which of them are given; NULL without memory.
sfnec_spec *sfnec_spec_create(const char *path);
// Checks names, option keys and values by the library's tables, and brings values into the table's form. Refusals name
// the spec's path and the lines in it, 0 for what comes from no file.
sfnec_status sfnec_spec_check(sfnec_spec *spec, const sfnec_overrides *overrides);
// Changes a checked spec as the command line asks. Fails with SFNEC_ERROR_OPTION.
sfnec_status sfnec_spec_override(sfnec_spec *spec, const sfnec_overrides *overrides);
// Adds a reward to those of the tasks; the text must live as long as the spec. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_spec_add_reward(sfnec_spec *spec, const char *text);
// Finds the world of the environment that the spec names. Fails with SFNEC_ERROR_OPTION or _MEMORY.
sfnec_status sfnec_spec_find_world(sfnec_spec *spec, const sfnec_overrides *overrides);
// The environment has to be changed before the check, which needs to know whose options are meant.
sfnec_status sfnec_spec_override_env(sfnec_spec *spec, const char *name, const sfnec_overrides *overrides);

// The axes that count for an agent: its own, or the common ones.
const sfnec_axes *sfnec_spec_axes(const sfnec_spec *spec, const sfnec_spec_agent *agent);

// Refuses a published number that is not that of a point which the spec runs. Without a sweep there is one point,
// without settings.
sfnec_status sfnec_published_check(const sfnec_spec *spec, const sfnec_published *published);

// The tables of all mappings (yaml.h), that of the spec itself first; NULL past the last.
const struct sfnec_field_set *sfnec_spec_field_set_at(size_t i);

// ---- the option keys that a spec may use: those of the agent's table and those of the environment's ----

// Whose option it is; as bits, so that a sum says where to look.
typedef enum sfnec_key_owner { SFNEC_KEY_AGENT = 1, SFNEC_KEY_ENV = 2 } sfnec_key_owner;

typedef struct sfnec_key {
  sfnec_key_owner owner;
  sfnec_option row; // with offset 0: the table of a struct that has this field alone
} sfnec_key;

// The option of that name, the agent's before the environment's; false if neither has it.
bool sfnec_key_find(const sfnec_env_kind *kind, const char *name, sfnec_key *key);

// An assignment of the command line, "key=value", to an option that one of the owners must have: the key, and the value
// as the table writes it. `where` begins the sentence ("--set"). Fails with SFNEC_ERROR_OPTION.
sfnec_status sfnec_key_assign(sfnec_arena *arena, const sfnec_env_kind *kind, int owners, const char *where,
                              const char *assignment, sfnec_key *key, const char **plain);

#endif
