// weights.c: the part of the page about evaluations under several weight vectors: the returns under each, and the
// points and the Pareto front of what an episode collects.
#include "base/error.h"
#include "show/report/data.h"
#include "study/analysis/front.h"

// as many as the evaluations have
sfnec_status sfnec_report_put_features(sfnec_json *json, const sfnec_report_input *in) {
  const sfnec_results *results = in->results;
  const sfnec_env_kind *kind = sfnec_env_kind_find(results->env);
  sfnec_front front = {0};
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < results->configuration_count && !front.n && !status && !sfnec_front_missing(results); i++)
    status = sfnec_front_take(results, i, in->analysis->arena, &front);
  sfnec_json_begin(json, "feature_names", '[');
  for (size_t i = 0; i < front.n && kind && kind->feature_names; i++)
    sfnec_json_text(json, NULL, kind->feature_names[i]);
  sfnec_json_end(json, ']');
  return status;
}

sfnec_status sfnec_report_put_weights(sfnec_json *json, const sfnec_report_input *in, size_t configuration) {
  if (sfnec_front_missing(in->results)) return SFNEC_OK;
  sfnec_arena *arena = in->analysis->arena;
  sfnec_front front;
  sfnec_curve returns;
  sfnec_status status = sfnec_front_take(in->results, configuration, arena, &front);
  if (!status) status = sfnec_curve_weights(in->results, configuration, arena, &returns);
  if (status) return status;
  sfnec_json_begin(json, "by_weights", '[');
  for (size_t i = 0; i < returns.count; i++) sfnec_json_real(json, NULL, returns.points[i].mean);
  sfnec_json_end(json, ']');
  sfnec_json_begin(json, "front", '[');
  for (size_t i = 0; i < front.count; i++) {
    sfnec_json_begin(json, NULL, '{');
    sfnec_json_begin(json, "means", '[');
    for (size_t k = 0; k < front.n; k++) sfnec_json_real(json, NULL, front.means[i * front.n + k]);
    sfnec_json_end(json, ']');
    sfnec_json_bool(json, "front", front.front[i]);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
  return SFNEC_OK;
}
