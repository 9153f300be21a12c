// library.c: the list of policies; see library.h.
#include "agent/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void sfnec_library_clear(sfnec_library *library) {
  for (uint32_t i = 0; i < library->count; i++) sfnec_policy_clear(&library->policies[i]);
  free(library->policies);
  free(library->last_w);
  library->last_w = NULL;
  library->policies = NULL;
  library->count = library->room = 0;
}

// What a fresh policy at the place `task` may start from: the policy before it; for an embedding that all share, any.
static const sfnec_psi *find_previous(const sfnec_library *library, uint32_t task) {
  const sfnec_agent_options *options = &library->shape.options;
  if (task > 0) return library->policies[task - 1].psi;
  const bool shared = options->psi == SFNEC_PSI_EPISODIC && options->embedding_init == SFNEC_EMBEDDING_SHARED;
  return shared && library->count > 1 ? library->policies[1].psi : NULL;
}

sfnec_status sfnec_policy_init(sfnec_policy *policy, const sfnec_library *library, uint32_t task, const double *w,
                               sfnec_random *init) {
  const sfnec_psi_shape *shape = &library->shape;
  *policy = (sfnec_policy){0};
  sfnec_status status = sfnec_psi_create(shape, find_previous(library, task), init, &policy->psi);
  if (!status) status = sfnec_reward_init(&policy->reward, &shape->options, shape->psi_size, w, init);
  if (status) sfnec_policy_clear(policy);
  return status;
}

void sfnec_policy_clear(sfnec_policy *policy) {
  sfnec_psi_destroy(policy->psi);
  sfnec_reward_clear(&policy->reward);
  *policy = (sfnec_policy){0};
}

sfnec_status sfnec_library_reserve(sfnec_library *library) {
  if (library->count < library->room) return SFNEC_OK;
  const uint32_t room = library->room ? 2 * library->room : 8;
  sfnec_policy *policies = realloc(library->policies, room * sizeof *policies);
  if (!policies) return sfnec_fail_memory("the list of policies");
  library->policies = policies;
  library->room = room;
  return SFNEC_OK;
}

void sfnec_library_push(sfnec_library *library, const sfnec_policy *policy) {
  library->policies[library->count++] = *policy;
}

void sfnec_library_remove(sfnec_library *library, uint32_t i) {
  sfnec_policy_clear(&library->policies[i]);
  library->count--;
  memmove(&library->policies[i], &library->policies[i + 1], (library->count - i) * sizeof *library->policies);
}

uint64_t sfnec_library_stamp(sfnec_library *library, const double *w) {
  enum { PAYS_AFTER = 64 };
  const size_t size = library->shape.psi_size * sizeof *w;
  if (!library->last_w && !(library->last_w = calloc(1, size))) return 0;
  if (memcmp(library->last_w, w, size) != 0 || library->stamp == 0) {
    memcpy(library->last_w, w, size);
    library->stamp++;
    library->uses = 0;
  }
  return ++library->uses > PAYS_AFTER ? library->stamp : 0;
}
