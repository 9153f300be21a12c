// frame.c: the answers about one state; see frame.h.
#include "agent/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sfnec_status sfnec_frame_reserve(sfnec_frame *frame, const sfnec_psi_shape *shape, uint32_t policies) {
  if (policies <= frame->room) return SFNEC_OK;
  uint32_t room = frame->room ? frame->room : 8;
  while (room < policies) room *= 2;
  const size_t count = (size_t)room * (size_t)shape->action_count, block = sfnec_answer_size(shape);

  sfnec_frame next = {.room = room};
  next.observation = malloc(shape->observation_size * sizeof *next.observation);
  next.answers = malloc(count * sizeof *next.answers);
  next.blocks = malloc(count * block);
  next.scores = malloc(count * sizeof *next.scores);
  if (!next.observation || !next.answers || !next.blocks || !next.scores) {
    sfnec_frame_clear(&next);
    return sfnec_fail_memory("the look-ups of a state");
  }
  for (size_t i = 0; i < count; i++) sfnec_answer_place(shape, next.blocks + i * block, &next.answers[i]);
  next.valid = frame->valid;
  if (frame->valid) memcpy(next.observation, frame->observation, shape->observation_size * sizeof(float));
  sfnec_frame_clear(frame);
  *frame = next;
  return SFNEC_OK;
}

void sfnec_frame_clear(sfnec_frame *frame) {
  free(frame->observation);
  free(frame->answers);
  free(frame->blocks);
  free(frame->scores);
  *frame = (sfnec_frame){0};
}

void sfnec_frame_look(sfnec_frame *frame, const sfnec_psi_shape *shape, const float *observation) {
  const size_t size = shape->observation_size * sizeof *observation;
  if (frame->valid && memcmp(frame->observation, observation, size) == 0) return;
  memcpy(frame->observation, observation, size);
  frame->valid = true;
  sfnec_frame_invalidate(frame, shape);
}

void sfnec_frame_invalidate(sfnec_frame *frame, const sfnec_psi_shape *shape) {
  const size_t count = (size_t)frame->room * (size_t)shape->action_count;
  for (size_t i = 0; i < count; i++) {
    frame->answers[i].asked = false;
    frame->answers[i].below_stamp = 0;
  }
}

const sfnec_answer *sfnec_frame_ask(sfnec_frame *frame, const sfnec_library *library, uint32_t policy, int32_t action) {
  const sfnec_psi *psi = library->policies[policy].psi;
  sfnec_answer *answer = &frame->answers[(size_t)policy * (size_t)library->shape.action_count + (size_t)action];
  psi->ops->ask(psi, frame->observation, action, answer);
  return answer;
}

bool sfnec_frame_below(sfnec_frame *frame, const sfnec_library *library, uint32_t policy, int32_t action,
                       const sfnec_weighing *weighing, double floor) {
  sfnec_psi *psi = library->policies[policy].psi;
  sfnec_answer *answer = &frame->answers[(size_t)policy * (size_t)library->shape.action_count + (size_t)action];
  return weighing->stamp != 0 && psi->ops->below(psi, frame->observation, action, weighing, floor, answer);
}
