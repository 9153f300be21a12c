// psi.c: what both kinds of psi share; see psi.h.
#include "agent/psi.h"

sfnec_status sfnec_psi_create(const sfnec_psi_shape *shape, const sfnec_psi *previous, sfnec_random *init,
                              sfnec_psi **out) {
  if (shape->options.psi == SFNEC_PSI_LINEAR) return sfnec_psi_linear_create(shape, previous, init, out);
  return sfnec_psi_episodic_create(shape, previous, init, out);
}

void sfnec_psi_destroy(sfnec_psi *psi) {
  if (psi) psi->ops->destroy(psi);
}

size_t sfnec_psi_key_size(const sfnec_psi_shape *shape) {
  if (shape->options.psi == SFNEC_PSI_LINEAR) return 0;
  const bool identity = shape->options.embedding == SFNEC_EMBEDDING_IDENTITY;
  return identity ? shape->observation_size : (size_t)shape->options.key_size;
}

int64_t sfnec_psi_entries(const sfnec_psi *psi) {
  int64_t entries = 0;
  for (int32_t a = 0; a < psi->shape->action_count; a++) {
    const sfnec_memory *memory = psi->ops->memory(psi, a);
    if (memory) entries += sfnec_memory_count(memory);
  }
  return entries;
}

void sfnec_psi_save_keys(const sfnec_psi *psi, sfnec_writer *writer) {
  for (int32_t a = 0; a < psi->shape->action_count; a++) {
    const sfnec_memory *memory = psi->ops->memory(psi, a);
    if (memory) sfnec_memory_save_keys(memory, writer);
  }
}

// Neighbours that an answer has room for.
static size_t neighbour_room(const sfnec_psi_shape *shape) {
  return shape->options.psi == SFNEC_PSI_EPISODIC ? (size_t)shape->options.neighbours : 0;
}

size_t sfnec_answer_size(const sfnec_psi_shape *shape) {
  return neighbour_room(shape) * (sizeof(double) + sizeof(sfnec_neighbour)) + shape->psi_size * sizeof(double);
}

void sfnec_answer_place(const sfnec_psi_shape *shape, void *block, sfnec_answer *answer) {
  double *numbers = block;
  *answer = (sfnec_answer){.asked = false};
  answer->lookup.value = numbers;
  answer->lookup.weights = numbers + shape->psi_size;
  answer->lookup.neighbours = (sfnec_neighbour *)(numbers + shape->psi_size + neighbour_room(shape));
}
