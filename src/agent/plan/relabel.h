// relabel.h: a model of the same transitions with other rewards.
//
// A model knows what every transition was like, and so it can be asked what the world would be worth under any reward,
// not only under weights of its features: each sample is labelled with the reward that a function gives it, as in
// hindsight relabelling (Andrychowicz et al. 2017), and predictions are made of these labels. What comes of it is a
// model with one feature, that reward; a plan for the weight 1 is the plan for the function.
#ifndef SFNEC_AGENT_PLAN_RELABEL_H
#define SFNEC_AGENT_PLAN_RELABEL_H

#include "agent/plan/labels.h"
#include "agent/plan/model.h"
#include "sfnec/reward.h"

// The labelled model borrows all but predictions and labels from the one that it was made of, and is good until that
// one changes.
typedef struct sfnec_relabelled {
  sfnec_psi_config config; // with one feature
  sfnec_model model;
  sfnec_judge *judge; // of labels that depend on the context; NULL: none do
} sfnec_relabelled;

// Labels the samples of a fitted model. Fails with what the function returns, with SFNEC_ERROR_ARGUMENT for a reward
// that is not finite, and with SFNEC_ERROR_MEMORY; *out is then empty.
sfnec_status sfnec_relabel(const sfnec_model *model, sfnec_reward_function function, void *context,
                           sfnec_relabelled *out);
void sfnec_relabelled_clear(sfnec_relabelled *relabelled); // also of an empty one

#endif
