// gpi.c: choosing by all policies (paper, algorithm 1, line "j <- argmax"), with two additions that are off in the
// paper's agents: a penalty for policies whose memories are far from the state, whose values are extrapolated guesses
// and among many of which the maximum is optimistic; and a bonus for actions not yet tried near here.
#include "agent/gpi.h"

#include <math.h>

#include "agent/reward.h"

// What one choice knows: the rule, the scores so far and the best of them.
typedef struct search {
  sfnec_frame *frame;
  const sfnec_library *library;
  const sfnec_gpi_rule *rule;
  double best;
} search;

static double novelty(const search *s, int32_t action) {
  if (s->rule->novelty == 0.0 || s->rule->active == SFNEC_NO_POLICY) return 0.0;
  return s->rule->novelty * sfnec_frame_ask(s->frame, s->library, (uint32_t)s->rule->active, action)->remoteness;
}

// Below this, a value with this bonus and up to this penalty stays below the best, however the sums are rounded.
static double floor_for(double best, double bonus, double penalty) {
  if (bonus == 0.0 && penalty == 0.0) return best;
  return best - bonus - 1e-12 * (fabs(best) + bonus + penalty);
}

// Scores the actions of one policy. Those that certainly stay below the best so far are ruled out: they can neither
// win nor tie, whatever comes later, as the best only grows.
static void score(search *s, uint32_t policy) {
  const int32_t actions = s->library->shape.action_count;
  double *scores = s->frame->scores + (size_t)policy * (size_t)actions;
  // the active policy is asked in any case: its memories are in use
  const bool active = (int32_t)policy == s->rule->active;
  const sfnec_weighing weighing = {
      .w = s->rule->w, .stamp = active ? 0 : s->rule->stamp, .penalty = active ? 0.0 : s->rule->penalty};
  for (int32_t b = 0; b < actions; b++) {
    const double bonus = novelty(s, b);
    scores[b] = -(double)INFINITY;
    if (sfnec_frame_below(s->frame, s->library, policy, b, &weighing, floor_for(s->best, bonus, weighing.penalty))) {
      continue;
    }
    const sfnec_answer *answer = sfnec_frame_ask(s->frame, s->library, policy, b);
    double sum = sfnec_reward_dot(answer->lookup.value, s->rule->w, s->library->shape.psi_size);
    if (weighing.penalty != 0.0) sum -= weighing.penalty * answer->remoteness;
    sum += bonus;
    if (!isnan(sum)) scores[b] = sum;
    if (scores[b] > s->best) s->best = scores[b];
  }
}

sfnec_choice sfnec_gpi_choose(sfnec_frame *frame, const sfnec_library *library, const sfnec_gpi_rule *rule) {
  const uint32_t actions = (uint32_t)library->shape.action_count;
  const uint32_t first = rule->only == SFNEC_NO_POLICY ? 0 : (uint32_t)rule->only;
  const uint32_t end = rule->only == SFNEC_NO_POLICY ? library->count : first + 1;

  // the policies that probably do well first: the higher the best, the more of the others can be ruled out
  search s = {frame, library, rule, -(double)INFINITY};
  const int32_t early[2] = {rule->active, rule->likely == rule->active ? SFNEC_NO_POLICY : rule->likely};
  for (int i = 0; i < 2; i++) {
    if (early[i] >= (int32_t)first && early[i] < (int32_t)end) score(&s, (uint32_t)early[i]);
  }
  for (uint32_t k = first; k < end; k++) {
    if ((int32_t)k != early[0] && (int32_t)k != early[1]) score(&s, k);
  }

  uint32_t ties = 0;
  for (uint32_t i = first * actions; i < end * actions; i++) ties += frame->scores[i] == s.best;
  uint32_t skip = rule->ties && ties > 1 ? sfnec_random_below(rule->ties, ties) : 0;
  uint32_t at = first * actions;
  while (frame->scores[at] != s.best || skip-- > 0) at++;

  const uint32_t policy = at / actions;
  const int32_t action = (int32_t)(at % actions);
  const double *psi = sfnec_frame_ask(frame, library, policy, action)->lookup.value;
  return (sfnec_choice){
      .action = action, .policy = (int32_t)policy, .value = sfnec_reward_dot(psi, rule->w, library->shape.psi_size)};
}
