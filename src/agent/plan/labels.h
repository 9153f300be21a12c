// labels.h: the rewards of remembered transitions by a function.
//
// Each sample is labelled with the reward that a function gives it, as in hindsight relabelling (Andrychowicz et al.
// 2017). A question plans over labels alone (relabel.h). An agent with rewards=any keeps them as its last feature:
// while a task has a reward function, the label of a new transition is its reward, and at a switch of tasks all that is
// remembered is labelled again.
#ifndef SFNEC_AGENT_PLAN_LABELS_H
#define SFNEC_AGENT_PLAN_LABELS_H

#include "agent/plan/model.h"
#include "agent/plan/planner.h"
#include "agent/plan/values.h"
#include "sfnec/reward.h"

// Asks a function about all samples of a fitted model: labels (sample_count). Fails with what the function returns,
// with SFNEC_ERROR_ARGUMENT for a reward that is not finite, and with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_label_samples(const sfnec_model *model, sfnec_reward_function function, void *context,
                                 float *labels);
// The mean label of each effect (effect_room), and how many transitions had it; returns the greatest magnitude of all.
float sfnec_label_effects(const sfnec_model *model, const float *labels, float *means, uint32_t *seen);

// A function may read slow components of an observation, such as what was taken before. A sample was seen in one
// context and stands for others, too: where its label depends on the context, a plan asks for the label in the context
// of each value table.

// Finds the samples of a model whose labels (sample_count) are others in other contexts. *out is NULL if there are
// none. Model, function and labels must outlive it. Fails as above.
sfnec_status sfnec_judge_create(const sfnec_model *model, sfnec_reward_function function, void *context,
                                const float *labels, sfnec_judge **out);
void sfnec_judge_destroy(sfnec_judge *judge); // NULL is fine
// Writes how other the labels are in a context (slow components) to *other (sample_count), which is allocated if it is
// NULL. Fails as above, and then all are 0.
sfnec_status sfnec_judge_ask(sfnec_judge *judge, const float *tuple, float **other);
// What it failed with last, with its sentence; SFNEC_OK also for NULL.
sfnec_status sfnec_judge_failure(const sfnec_judge *judge);

// The labels of all that a planner remembers.
typedef struct sfnec_labels {
  float *samples, *log, *waiting; // (samples of the model, rows of the log, transitions before the first model)
  float *effects, greatest;       // (effects of the model); see sfnec_label_effects
} sfnec_labels;

// Asks a function about all of it. Fails as above, and *out is then empty.
sfnec_status sfnec_labels_ask(const sfnec_planner *planner, sfnec_reward_function function, void *context,
                              sfnec_labels *out);
void sfnec_labels_clear(sfnec_labels *labels); // also of empty ones
// Exchanges them with the last feature of all that the planner remembers, and makes its predictions of those; doing so
// twice changes nothing. To be called before the plan begins again. Fails with SFNEC_ERROR_MEMORY, and then has not
// changed anything.
sfnec_status sfnec_labels_swap(sfnec_planner *planner, sfnec_labels *labels);

#endif
