// learned.h: features that are learned from rewards alone (predict=learned).
//
// The rewards that were seen of the model's samples in the tasks so far are a matrix with many gaps. Its rows are what
// the tasks pay for alike: all samples that change the context in the same way, neighbours that end the episode or were
// paid alike, and one row of all that is ordinary. Its factors (factors.h) are the features and the weights of the
// tasks. A transition of which they are known has these features, and a task learns its weights as with w=rls; of
// others the last feature is the reward itself, with the weight 1, and a new task forgets it, as with predict=reward.
#ifndef SFNEC_AGENT_PLAN_LEARNED_H
#define SFNEC_AGENT_PLAN_LEARNED_H

#include "agent/plan/factors.h"
#include "agent/plan/model.h"
#include "agent/plan/rewards_seen.h"
#include "agent/reward.h"

_Static_assert(SFNEC_LEARNED_FEATURES == SFNEC_FACTORS_MOST + 1, "a feature for each factor, and the reward");

enum {
  SFNEC_LEARNED_REWARD = SFNEC_FACTORS_MOST,   // the feature that is the reward itself
  SFNEC_LEARNED_SIZE = SFNEC_LEARNED_FEATURES, // features in all
};

typedef struct sfnec_learned {
  sfnec_rewards_seen seen;
  uint32_t task, tasks;                // the active one, and how many there are
  sfnec_factors factors;               // of the matrix when the task began
  double ordinary[SFNEC_FACTORS_MOST]; // features of what is ordinary
  double scale;                        // root mean square of the other rewards
  uint32_t rows;                       // of the matrix
} sfnec_learned;

// What a model's samples are given when a task begins.
typedef struct sfnec_learned_labels {
  float *features; // (samples, n)
  bool *known;     // (samples)
} sfnec_learned_labels;

void sfnec_learned_init(sfnec_learned *learned);
void sfnec_learned_clear(sfnec_learned *learned);
size_t sfnec_learned_bytes(const sfnec_learned *learned);

// Finds the features again for a task that begins, number `task` of so many, into `out`, and what is known of the
// weights of all tasks, into rewards (tasks) made with w=rls. What out has of rewards seen is borrowed from `learned`,
// until sfnec_learned_take makes it that. The labels are those of the task. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_learned_find(const sfnec_learned *learned, const sfnec_model *model, uint32_t task, uint32_t tasks,
                                sfnec_reward *rewards, sfnec_learned *out, sfnec_learned_labels *labels);
void sfnec_learned_take(sfnec_learned *learned, sfnec_learned *found);
// The model is made again, with other samples: takes the rewards seen over to them, and labels them for the active task
// by the present factors. Fails with SFNEC_ERROR_MEMORY, and then nothing has changed.
sfnec_status sfnec_learned_follow(sfnec_learned *learned, const sfnec_model *from, const sfnec_model *to,
                                  sfnec_learned_labels *labels);
// Forgets the rewards of a task; the numbers of later ones are one less, if it is removed.
void sfnec_learned_forget(sfnec_learned *learned, uint32_t task, bool removed);
void sfnec_learned_labels_clear(sfnec_learned_labels *labels);

// The features (n) of a transition that paid a reward, in a task with such weights.
void sfnec_learned_features(const sfnec_learned *learned, const sfnec_model *model,
                            const sfnec_model_transition *transition, double paid, const sfnec_reward *reward,
                            const sfnec_agent_options *options, double *features);

void sfnec_learned_save(const sfnec_learned *learned, uint32_t samples, sfnec_writer *writer);
// Into one that is empty, of an agent with so many tasks and an active one (negative: none). Fails with
// SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_learned_load(sfnec_learned *learned, uint32_t samples, uint32_t tasks, int32_t active,
                                sfnec_reader *reader);

#endif
