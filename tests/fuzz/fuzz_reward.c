// fuzz_reward.c: rewards as text. A text that is accepted has a value for any transition, or is refused there with a
// sentence; nothing of it is ever executed.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  HOLDS(text);
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  const sfnec_env_kind *kind = sfnec_env_kind_find("four_rooms");
  const sfnec_env_shape shape = {.observation_size = 3, .action_count = 4, .feature_count = 4};
  sfnec_reward_expression *reward = NULL;
  if (!sfnec_reward_parse(text, kind, &shape, &reward)) {
    const float observations[] = {0.5f, -1.0f, 3e38f};
    const double features[] = {1.0, 0.0, -1e100, 0.25};
    const int32_t action = 3;
    const bool terminated = true;
    const sfnec_transitions one = {.count = 1,
                                   .observation_size = shape.observation_size,
                                   .feature_count = shape.feature_count,
                                   .observations = observations,
                                   .actions = &action,
                                   .next_observations = observations,
                                   .features = features,
                                   .terminated = &terminated};
    double value = NAN, again = NAN;
    const sfnec_status status = sfnec_reward_evaluate(reward, &one, &value);
    HOLDS(status ? !isfinite(value) : isfinite(value));
    HOLDS(sfnec_reward_evaluate(reward, &one, &again) == status);
    HOLDS(memcmp(&value, &again, sizeof value) == 0);
  } else {
    HOLDS(!reward && *sfnec_last_error());
  }
  sfnec_reward_destroy(reward);
  free(text);
  return 0;
}
