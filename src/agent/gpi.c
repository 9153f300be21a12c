// gpi.c: choosing by all policies (paper, algorithm 1, line "j <- argmax"), with two additions that are off in the
// paper's agents: a penalty for policies whose memories are far from the state, whose values are extrapolated guesses
// and among many of which the maximum is optimistic; and a bonus for actions not yet tried near here.
#include "agent/gpi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/mask.h"
#include "agent/train/embedding.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/vector.h"

// ---- what asking works with ----

sfnec_status sfnec_psi_scratch_init(sfnec_psi_scratch *scratch, const sfnec_psi_config *config) {
  sfnec_net net;
  *scratch = (sfnec_psi_scratch){.search = sfnec_index_scratch_create()};
  scratch->w = calloc(config->psi_size, sizeof *scratch->w);
  if (!scratch->search || !scratch->w) return sfnec_fail_memory("the scratch of an agent");
  if (config->options.psi != SFNEC_PSI_EPISODIC) return SFNEC_OK;
  sfnec_status status = sfnec_embedding_describe(&config->options, &config->shape, &net);
  if (status || net.count == 0) return status;
  scratch->observation = malloc(config->observation_size * sizeof *scratch->observation);
  scratch->key = malloc(sfnec_psi_key_size(config) * sizeof *scratch->key);
  status = sfnec_net_work_create(&net, config->simd, 1, false, &scratch->work);
  return scratch->observation && scratch->key ? status : sfnec_fail_memory("the scratch of an agent");
}

void sfnec_psi_scratch_clear(sfnec_psi_scratch *scratch) {
  sfnec_psi_scratch_forget(scratch);
  sfnec_index_scratch_destroy(scratch->search);
  free(scratch->observation);
  free(scratch->key);
  sfnec_net_work_destroy(scratch->work);
  free(scratch->w);
  free(scratch->bounds);
  *scratch = (sfnec_psi_scratch){0};
}

void sfnec_psi_scratch_forget(sfnec_psi_scratch *scratch) {
  for (size_t i = 0; i < scratch->bound_count; i++) sfnec_value_bounds_clear(&scratch->bounds[i]);
  scratch->embedding = NULL;
}

size_t sfnec_psi_scratch_bytes(const sfnec_psi_scratch *scratch) {
  size_t sum = sfnec_index_scratch_bytes(scratch->search) + scratch->bound_count * sizeof *scratch->bounds;
  if (scratch->work) sum += scratch->work->bytes;
  for (size_t i = 0; i < scratch->bound_count; i++)
    sum += scratch->bounds[i].capacity * sizeof *scratch->bounds[i].upper;
  return sum;
}

uint64_t sfnec_psi_scratch_stamp(sfnec_psi_scratch *scratch, const sfnec_psi_config *config, const double *w) {
  enum { PAYS_AFTER = 64 };
  if (config->options.gpi != SFNEC_GPI_PRUNED) return 0;
  const size_t size = config->psi_size * sizeof *w;
  if (memcmp(scratch->w, w, size) != 0 || scratch->stamp == 0) {
    memcpy(scratch->w, w, size);
    scratch->stamp++;
    scratch->uses = 0;
  }
  return ++scratch->uses > PAYS_AFTER ? scratch->stamp : 0;
}

// ---- the answers about one state ----

static sfnec_status reserve_bounds(sfnec_psi_scratch *scratch, size_t count) {
  const size_t old = scratch->bound_count;
  if (count <= old) return SFNEC_OK;
  if (!SFNEC_WIDEN(scratch->bounds, count)) return sfnec_fail_memory("the scratch of an agent");
  memset(scratch->bounds + old, 0, (count - old) * sizeof *scratch->bounds);
  scratch->bound_count = count;
  return SFNEC_OK;
}

sfnec_status sfnec_frame_reserve(sfnec_frame *frame, const sfnec_psi_config *config, sfnec_psi_scratch *scratch,
                                 uint32_t policies) {
  frame->scratch = scratch;
  if (!frame->observation) {
    frame->observation = malloc(config->observation_size * sizeof *frame->observation);
    if (!frame->observation) return sfnec_fail_memory("the look-ups of a state");
  }
  if (policies <= frame->capacity) return SFNEC_OK;
  uint32_t capacity = frame->capacity ? frame->capacity : 1;
  while (capacity < policies) capacity *= 2;
  const size_t count = (size_t)capacity * (size_t)config->action_count, block = sfnec_answer_size(config);
  const sfnec_status status = reserve_bounds(scratch, count);
  if (status) return status;

  sfnec_frame next = {.scratch = scratch, .capacity = capacity, .valid = frame->valid};
  next.answers = malloc(count * sizeof *next.answers);
  next.blocks = malloc(count * block);
  next.values = malloc(count * sizeof *next.values);
  if (!next.answers || !next.blocks || !next.values) {
    sfnec_frame_clear(&next);
    return sfnec_fail_memory("the look-ups of a state");
  }
  for (size_t i = 0; i < count; i++) sfnec_answer_place(config, next.blocks + i * block, &next.answers[i]);
  next.observation = frame->observation;
  next.masked = frame->masked;
  next.mask = frame->mask;
  frame->observation = NULL;
  frame->mask = NULL;
  sfnec_frame_clear(frame);
  *frame = next;
  return SFNEC_OK;
}

void sfnec_frame_clear(sfnec_frame *frame) {
  free(frame->observation);
  free(frame->mask);
  free(frame->answers);
  free(frame->blocks);
  free(frame->values);
  *frame = (sfnec_frame){0};
}

size_t sfnec_frame_bytes(const sfnec_frame *frame, const sfnec_psi_config *config) {
  const size_t answer = sizeof(sfnec_answer) + sfnec_answer_size(config) + sizeof(double);
  return (size_t)frame->capacity * (size_t)config->action_count * answer +
         (frame->mask ? (size_t)config->action_count : 0);
}

void sfnec_frame_look(sfnec_frame *frame, const sfnec_psi_config *config, const float *observation) {
  const size_t size = config->observation_size * sizeof *observation;
  if (frame->valid && memcmp(frame->observation, observation, size) == 0) return;
  memcpy(frame->observation, observation, size);
  frame->valid = true;
  sfnec_frame_invalidate(frame, config);
}

sfnec_status sfnec_frame_reserve_mask(sfnec_frame *frame, const sfnec_psi_config *config) {
  if (!frame->mask) frame->mask = malloc((size_t)config->action_count);
  return frame->mask ? SFNEC_OK : sfnec_fail_memory("a mask of actions");
}

void sfnec_frame_set_mask(sfnec_frame *frame, const sfnec_psi_config *config, const uint8_t *mask) {
  frame->masked = mask != NULL;
  if (mask && mask != frame->mask) memcpy(frame->mask, mask, (size_t)config->action_count);
}

void sfnec_frame_invalidate(sfnec_frame *frame, const sfnec_psi_config *config) {
  const size_t count = (size_t)frame->capacity * (size_t)config->action_count;
  for (size_t i = 0; i < count; i++) {
    frame->answers[i].asked = false;
    frame->answers[i].pruned_stamp = 0;
  }
}

static size_t answer_of(const sfnec_policies *policies, uint32_t policy, int32_t action) {
  return (size_t)policy * (size_t)policies->config.action_count + (size_t)action;
}

const sfnec_answer *sfnec_frame_ask(sfnec_frame *frame, const sfnec_policies *policies, uint32_t policy,
                                    int32_t action) {
  const sfnec_psi *psi = policies->list[policy].psi;
  sfnec_answer *answer = &frame->answers[answer_of(policies, policy, action)];
  psi->ops->ask(psi, frame->scratch, frame->observation, action, answer);
  return answer;
}

// ---- the choice ----

// What one choice knows: the rule, the values so far and the best of them.
typedef struct search {
  sfnec_frame *frame;
  const sfnec_policies *policies;
  const sfnec_gpi_rule *rule;
  double best;
} search;

static double novelty(const search *s, int32_t action) {
  if (s->rule->novelty == 0.0 || s->rule->active == SFNEC_NO_POLICY) return 0.0;
  return s->rule->novelty * sfnec_frame_ask(s->frame, s->policies, (uint32_t)s->rule->active, action)->remoteness;
}

// Below this, a value with this bonus and up to this penalty stays below the best, however the sums are rounded.
static double floor_for(double best, double bonus, double penalty) {
  if (bonus == 0.0 && penalty == 0.0) return best;
  return best - bonus - 1e-12 * (fabs(best) + bonus + penalty);
}

// Values the actions of one policy. Those that certainly stay below the best so far are pruned: they can neither win
// nor tie, whatever comes later, as the best only grows.
static void evaluate(search *s, uint32_t policy) {
  const int32_t actions = s->policies->config.action_count;
  const uint8_t *mask = sfnec_frame_mask(s->frame);
  double *values = s->frame->values + (size_t)policy * (size_t)actions;
  // the active policy is asked in any case: its memories are in use
  const bool active = (int32_t)policy == s->rule->active;
  const sfnec_psi *psi = s->policies->list[policy].psi;
  sfnec_memory_pruning pruning = {
      .w = s->rule->w, .stamp = active ? 0 : s->rule->stamp, .penalty = active ? 0.0 : s->rule->penalty};
  for (int32_t b = 0; b < actions; b++) {
    values[b] = -(double)INFINITY;
    if (!sfnec_mask_allows(mask, (uint32_t)b)) continue;
    const double bonus = novelty(s, b);
    const size_t at = answer_of(s->policies, policy, b);
    pruning.floor = floor_for(s->best, bonus, pruning.penalty);
    pruning.bounds = &s->frame->scratch->bounds[at];
    if (pruning.stamp != 0 &&
        psi->ops->prune(psi, s->frame->scratch, s->frame->observation, b, &pruning, &s->frame->answers[at]))
      continue;
    const sfnec_answer *answer = sfnec_frame_ask(s->frame, s->policies, policy, b);
    double sum = sfnec_dot(answer->lookup.value, s->rule->w, s->policies->config.psi_size);
    if (pruning.penalty != 0.0) sum -= pruning.penalty * answer->remoteness;
    sum += bonus;
    if (!isnan(sum)) values[b] = sum;
    if (values[b] > s->best) s->best = values[b];
  }
}

// If no sum was a number, all values are the least one; then actions that are not allowed are no number, and no best.
static void exclude_masked(sfnec_frame *frame, uint32_t from, uint32_t end, uint32_t actions) {
  for (uint32_t i = from; i < end; i++) {
    if (!frame->mask[i % actions]) frame->values[i] = (double)NAN;
  }
}

sfnec_choice sfnec_gpi_choose(sfnec_frame *frame, const sfnec_policies *policies, const sfnec_gpi_rule *rule) {
  const uint32_t actions = (uint32_t)policies->config.action_count;
  const uint32_t first = rule->only == SFNEC_NO_POLICY ? 0 : (uint32_t)rule->only;
  const uint32_t end = rule->only == SFNEC_NO_POLICY ? policies->count : first + 1;

  // the policies that probably do well first: the higher the best, the more of the others can be pruned
  search s = {frame, policies, rule, -(double)INFINITY};
  const int32_t early[2] = {rule->active, rule->likely == rule->active ? SFNEC_NO_POLICY : rule->likely};
  for (int i = 0; i < 2; i++) {
    if (early[i] >= (int32_t)first && early[i] < (int32_t)end) evaluate(&s, (uint32_t)early[i]);
  }
  for (uint32_t k = first; k < end; k++) {
    if ((int32_t)k != early[0] && (int32_t)k != early[1]) evaluate(&s, k);
  }

  if (frame->masked && s.best == -(double)INFINITY) exclude_masked(frame, first * actions, end * actions, actions);
  uint32_t ties = 0;
  for (uint32_t i = first * actions; i < end * actions; i++) ties += frame->values[i] == s.best;
  uint32_t skip = rule->ties && ties > 1 ? sfnec_random_below(rule->ties, ties) : 0;
  uint32_t at = first * actions;
  while (frame->values[at] != s.best || skip-- > 0) at++;

  const uint32_t policy = at / actions;
  const int32_t action = (int32_t)(at % actions);
  const double *psi = sfnec_frame_ask(frame, policies, policy, action)->lookup.value;
  return (sfnec_choice){
      .action = action, .policy = (int32_t)policy, .value = sfnec_dot(psi, rule->w, policies->config.psi_size)};
}
