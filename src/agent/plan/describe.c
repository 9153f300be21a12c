// describe.c: what a planner says of its model and of the components of observations; see planner.h.
#include <math.h>
#include <stdio.h>

#include "agent/plan/internal.h"

static bool is_slow(const sfnec_scaling *scaling, size_t component) {
  size_t low = 0, high = scaling->slow_count; // they are in order
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (scaling->slow[middle] == component) return true;
    if (scaling->slow[middle] < component) low = middle + 1;
    else high = middle;
  }
  return false;
}

// What the model does with a component now; verdicts that are newer are those of its next fit.
static sfnec_component_role role_of(const sfnec_model *model, size_t component) {
  const sfnec_scaling *scaling = &model->scaling;
  if (!model->fitted) return SFNEC_COMPONENT_UNUSED;
  if (scaling->readings && scaling->readings[component].dropped) return SFNEC_COMPONENT_DROPPED;
  const sfnec_component *seen = &scaling->components[component];
  if (!(seen->high > seen->low)) return SFNEC_COMPONENT_CONSTANT; // also among the slow ones, and among cells
  if (is_slow(scaling, component)) return SFNEC_COMPONENT_CONTEXT;
  return scaling->scale[component] > 0.0f ? SFNEC_COMPONENT_KEY : SFNEC_COMPONENT_CONSTANT;
}

// The expected length of the noise of a key, in steps: of what the filter knows, or the key's own.
static double noise_length(const sfnec_planner *planner) {
  const sfnec_model *model = &planner->model;
  const sfnec_filter *filter = &planner->encoder.filter;
  double squared = (double)model->noise.squared;
  for (uint32_t i = 0; i < filter->size; i++) {
    const double scale = (double)model->scaling.scale[filter->components[i]] / filter->narrow[i];
    squared += scale * scale * filter->noise[i];
  }
  return sqrt(squared) / (double)model->step;
}

void sfnec_planner_describe_model(const sfnec_planner *planner, sfnec_model_info *info) {
  const sfnec_model *model = &planner->model;
  *info = (sfnec_model_info){.bytes = sfnec_planner_bytes(planner)};
  if (!model->fitted) return;
  info->places = model->state_count;
  info->samples = model->sample_count;
  info->contexts = model->contexts.count;
  for (size_t i = 0; i < model->scaling.slow_count; i++) // constant and dropped ones are among the slow ones
    info->slow += role_of(model, model->scaling.slow[i]) == SFNEC_COMPONENT_CONTEXT;
  info->step = (double)model->step;
  info->radius = (double)(model->radius / model->step);
  info->regime = model->scaling.regime;
  info->directions = model->projects ? (int32_t)model->key_size : 0;
  info->noise = noise_length(planner);
}

void sfnec_planner_describe_component(const sfnec_planner *planner, size_t component, sfnec_component_info *info) {
  const sfnec_relevance *relevance = &planner->encoder.relevance;
  const sfnec_component_relevance *found = &relevance->components[component];
  const sfnec_reading *readings = planner->model.scaling.readings;
  *info = (sfnec_component_info){
      .role = role_of(&planner->model, component),
      .decided = found->verdict != SFNEC_VERDICT_UNDECIDED,
      .levels = readings ? readings[component].level_count : 0,
      .group = (int32_t)found->group,
      .p = found->p,
      .z = found->z,
  };
  if (planner->config->options.relevance == SFNEC_RELEVANCE_OFF) {
    snprintf(info->reason, sizeof info->reason, "not examined: the option relevance is off");
  } else if (relevance->fits == 0) {
    snprintf(info->reason, sizeof info->reason, "not examined yet");
  } else {
    sfnec_relevance_explain(found, info->reason, sizeof info->reason);
  }
}
