// learned_describe.c: what learned features respond to: the kinds of transitions of which a feature is far from 0.
#include <math.h>
#include <stdlib.h>

#include "agent/plan/internal.h"
#include "base/error.h"

static const double RESPONDS = 0.05; // share of a feature's greatest value from which a sample responds to it

void sfnec_planner_describe_learned(const sfnec_planner *planner, sfnec_learned_info *info) {
  const sfnec_learned *learned = planner->learned;
  *info = (sfnec_learned_info){.features = (int32_t)learned->factors.rank,
                               .kinds = (int32_t)learned->rows,
                               .explained = learned->factors.explained};
  for (uint32_t t = 0; learned->factors.seen && t < learned->factors.tasks; t++)
    info->tasks += learned->factors.seen[t];
}

// The samples of one kind: what they change, and whether they end the episode.
typedef struct kind {
  uint32_t effect, example;
  bool terminated;
  sfnec_response response;
} kind;

static int by_strength(const void *a, const void *b) {
  const kind *x = a, *y = b;
  const double strength = fabs(y->response.value) - fabs(x->response.value);
  if (strength != 0.0) return strength > 0.0 ? 1 : -1;
  return (x->example > y->example) - (x->example < y->example);
}

// Adds a sample to its kind, or to a new one.
static void add(const sfnec_model *model, uint32_t s, double value, kind *kinds, size_t *count) {
  const sfnec_sample *sample = &model->samples[s];
  size_t k = 0;
  while (k < *count && (kinds[k].effect != sample->effect || kinds[k].terminated != sample->terminated ||
                        (kinds[k].response.value > 0.0) != (value > 0.0)))
    k++;
  kind *to = &kinds[k];
  if (k == *count) {
    *to = (kind){.effect = sample->effect, .example = s, .terminated = sample->terminated};
    to->response = (sfnec_response){.action = (int32_t)sample->action, .terminated = sample->terminated};
    ++*count;
  }
  if (to->response.action != (int32_t)sample->action) to->response.action = -1;
  if (sample->count > model->samples[to->example].count) to->example = s;
  const double seen = (double)to->response.transitions + sample->count;
  to->response.value += (value - to->response.value) * sample->count / seen;
  to->response.transitions += sample->count;
}

sfnec_status sfnec_planner_ask_learned(const sfnec_planner *planner, size_t feature, size_t most,
                                       sfnec_response *responses, float *observations, size_t *count) {
  const sfnec_model *model = &planner->model;
  const size_t d = model->config->observation_size, n = model->config->psi_size;
  kind *kinds = calloc((size_t)model->sample_count + 1, sizeof *kinds);
  if (!kinds) return sfnec_fail_memory("learned features");
  size_t found = 0;
  for (uint32_t s = 0; s < model->sample_count; s++) {
    const double value = (double)model->sample_features[s * n + feature];
    if (model->samples[s].forgotten || !(fabs(value) > RESPONDS * (double)model->greatest[feature])) continue;
    add(model, s, value, kinds, &found);
  }
  qsort(kinds, found, sizeof *kinds, by_strength);
  *count = found < most ? found : most;
  for (size_t i = 0; i < *count; i++) {
    responses[i] = kinds[i].response;
    for (size_t c = 0; c < 2 * d; c++) observations[2 * i * d + c] = 0.0f; // components that the model does not use
    sfnec_model_origin(model, kinds[i].example, observations + 2 * i * d);
    sfnec_model_target(model, kinds[i].example, observations + (2 * i + 1) * d);
  }
  free(kinds);
  return SFNEC_OK;
}
