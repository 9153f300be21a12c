// capacity.c: one budget of entries for the memories of all tasks; see capacity.h.
//
// When the entries exceed the budget, entries are merged (memory_reduce.c) until a sixteenth of it is free, all at
// once, since what is left is packed again. The tasks that hold most give first: all tasks but the active one come down
// to a common level, as long as they have half of the budget together; beyond that the active task gives.
//
// Every memory keeps an entry, so a budget below the number of memories is exceeded by as many.
#include "agent/capacity.h"

#include "agent/agent.h"

enum {
  PIECE = 16, // the share of the budget that is freed at once: halved, memories are packed twice as often
  OTHERS = 2, // the share of the budget that tasks which are not active keep
};

static sfnec_psi *psi_of(const sfnec_agent *agent, uint32_t task) {
  return agent->policies.list[task].psi;
}

// What tasks but the active one hold together if none has more than the level.
static int64_t entries_below(const sfnec_agent *agent, int64_t level) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < agent->policies.count; i++) {
    const int64_t entries = sfnec_psi_entries(psi_of(agent, i));
    if ((int32_t)i != agent->active) sum += entries < level ? entries : level;
  }
  return sum;
}

// The highest level at which they hold no more than this together.
static int64_t level_for(const sfnec_agent *agent, int64_t most) {
  int64_t low = 0, high = most + 1; // fits, may not fit
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (entries_below(agent, middle) <= most) low = middle;
    else high = middle;
  }
  return low;
}

sfnec_status sfnec_capacity_keep(sfnec_agent *agent) {
  const int64_t budget = agent->policies.config.options.capacity_total;
  sfnec_psi *active = psi_of(agent, (uint32_t)agent->active);
  if (budget == 0 || !active->ops->reduce) return SFNEC_OK;
  const int64_t own = sfnec_psi_entries(active);
  if (own + entries_below(agent, INT64_MAX) <= budget) return SFNEC_OK;
  const int64_t target = budget - budget / PIECE, spare = target - own, share = target / OTHERS;
  const int64_t level = level_for(agent, spare > share ? spare : share);

  sfnec_status status = SFNEC_OK;
  for (uint32_t i = 0; i < agent->policies.count && !status; i++) {
    sfnec_psi *psi = psi_of(agent, i);
    if (psi != active) status = psi->ops->reduce(psi, level);
  }
  return status ? status : active->ops->reduce(active, target - entries_below(agent, level));
}
