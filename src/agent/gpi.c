// gpi.c: choosing by all policies (paper, algorithm 1, line "j <- argmax"), with two additions that are off in the
// paper's agents: a penalty for policies whose memories are far from the state, whose values are extrapolated guesses
// and among many of which the maximum is optimistic; and a bonus for actions not yet tried near here.
#include "agent/gpi.h"

#include <math.h>

#include "agent/reward.h"

static double score(sfnec_frame *frame, const sfnec_library *library, const sfnec_gpi_rule *rule, uint32_t policy,
                    int32_t action) {
  const sfnec_answer *answer = sfnec_frame_ask(frame, library, policy, action);
  double sum = sfnec_reward_dot(answer->lookup.value, rule->w, library->shape.psi_size);
  if (rule->penalty != 0.0 && (int32_t)policy != rule->active) sum -= rule->penalty * answer->remoteness;
  if (rule->novelty != 0.0 && rule->active != SFNEC_NO_POLICY) {
    sum += rule->novelty * sfnec_frame_ask(frame, library, (uint32_t)rule->active, action)->remoteness;
  }
  return isnan(sum) ? -(double)INFINITY : sum;
}

sfnec_choice sfnec_gpi_choose(sfnec_frame *frame, const sfnec_library *library, const sfnec_gpi_rule *rule) {
  const uint32_t actions = (uint32_t)library->shape.action_count;
  const uint32_t first = rule->only == SFNEC_NO_POLICY ? 0 : (uint32_t)rule->only;
  const uint32_t end = rule->only == SFNEC_NO_POLICY ? library->count : first + 1;

  // all scores, the best, and how many share it
  double best = -(double)INFINITY;
  uint32_t ties = 0;
  for (uint32_t i = first * actions; i < end * actions; i++) {
    const double s = frame->scores[i] = score(frame, library, rule, i / actions, (int32_t)(i % actions));
    ties = s > best ? 1 : ties + (s == best);
    best = s > best ? s : best;
  }

  uint32_t skip = rule->ties && ties > 1 ? sfnec_random_below(rule->ties, ties) : 0;
  uint32_t at = first * actions;
  while (frame->scores[at] != best || skip-- > 0) at++;

  const uint32_t policy = at / actions;
  const int32_t action = (int32_t)(at % actions);
  const double *psi = sfnec_frame_ask(frame, library, policy, action)->lookup.value;
  return (sfnec_choice){
      .action = action, .policy = (int32_t)policy, .value = sfnec_reward_dot(psi, rule->w, library->shape.psi_size)};
}
