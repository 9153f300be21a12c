// vector.c: one agent that learns in several environments at once; the contract is in python.h.
//
// An agent has one episode under way. Here each environment has its own: what belongs to an episode (the transitions
// that wait for their target, the answers about its states, its choice, its path) is put into the agent for the moment
// in which its environment's turn comes, and taken out again. Turns go by the number of the environment, so the same
// seeds give the same agent.
#include <stdlib.h>
#include <string.h>

#include "agent/agent.h"
#include "agent/plan/internal.h"
#include "base/error.h"
#include "python.h"

typedef struct episode {
  bool in_episode, acted, has_choice;
  sfnec_choice choice;
  sfnec_ring waiting;
  sfnec_frame here, next;
  uint64_t generation;            // of the agent, that the frames are about
  sfnec_planner_episode *planned; // of an agent that plans; else NULL
} episode;

struct sfnec_python_vector {
  sfnec_agent *agent;
  int32_t count;
  episode *episodes; // (count)
};

// Changes the agent's episode and another one's places.
static void swap(sfnec_agent *agent, episode *other) {
  const episode mine = {.in_episode = agent->in_episode,
                        .acted = agent->acted,
                        .has_choice = agent->has_choice,
                        .choice = agent->choice,
                        .waiting = agent->waiting,
                        .here = agent->here,
                        .next = agent->next,
                        .generation = other->generation,
                        .planned = other->planned};
  agent->in_episode = other->in_episode;
  agent->acted = other->acted;
  agent->has_choice = other->has_choice;
  agent->choice = other->choice;
  agent->waiting = other->waiting;
  agent->here = other->here;
  agent->next = other->next;
  *other = mine;
  if (agent->planner) sfnec_planner_swap_episode(agent->planner, other->planned);
}

// Lets an environment have the agent; leave gives it back.
static sfnec_status enter(sfnec_agent *agent, episode *e) {
  swap(agent, e);
  const sfnec_status status = sfnec_agent_reserve_frames(agent, agent->policies.count);
  if (!status && e->generation != agent->generation) {
    sfnec_frame_invalidate(&agent->here, &agent->policies.config);
    sfnec_frame_invalidate(&agent->next, &agent->policies.config);
    e->generation = agent->generation;
  }
  return status;
}

static void leave(sfnec_agent *agent, episode *e) {
  swap(agent, e);
  if (agent->planner) agent->planner->takes_turns = false;
}

sfnec_status sfnec_python_vector_create(sfnec_agent *agent, int32_t count, sfnec_python_vector **out) {
  if (agent->in_episode) return sfnec_fail(SFNEC_ERROR_STATE, "an episode is running already: end it first");
  sfnec_python_vector *vector = calloc(1, sizeof *vector);
  if (vector) vector->episodes = calloc((size_t)count, sizeof *vector->episodes);
  if (!vector || !vector->episodes) {
    sfnec_python_vector_destroy(vector);
    return sfnec_fail_memory("several environments");
  }
  vector->agent = agent;
  for (vector->count = 0; vector->count < count;) {
    episode *e = &vector->episodes[vector->count];
    const sfnec_ring *own = &agent->waiting;
    sfnec_ring_init(&e->waiting, own->observation_size, own->number_count, own->least, own->limit);
    e->generation = agent->generation;
    vector->count++;
    if (agent->planner) e->planned = sfnec_planner_episode_create(agent->planner);
    if (agent->planner && !e->planned) {
      sfnec_python_vector_destroy(vector);
      return sfnec_fail_memory("several environments");
    }
  }
  *out = vector;
  return SFNEC_OK;
}

void sfnec_python_vector_destroy(sfnec_python_vector *vector) {
  if (!vector) return;
  for (int32_t i = 0; i < vector->count; i++) {
    sfnec_ring_clear(&vector->episodes[i].waiting);
    sfnec_frame_clear(&vector->episodes[i].here);
    sfnec_frame_clear(&vector->episodes[i].next);
    sfnec_planner_episode_destroy(vector->episodes[i].planned);
  }
  free(vector->episodes);
  free(vector);
}

// The turn of one environment: what followed its last action, then its next one.
static sfnec_status take_turn(sfnec_agent *agent, const sfnec_python_turns *turns, int32_t i) {
  const float *observation = turns->observations + (size_t)i * (size_t)agent->shape.observation_size;
  const uint8_t *mask = turns->masks ? turns->masks + (size_t)i * (size_t)agent->shape.action_count : NULL;
  sfnec_status status = SFNEC_OK;
  if (turns->fresh[i]) {
    status = sfnec_agent_begin_episode(agent);
  } else if (agent->in_episode) {
    const sfnec_transition transition = {.action = (int32_t)turns->actions[i],
                                         .features = turns->features + (size_t)i * (size_t)agent->shape.feature_count,
                                         .reward = turns->rewards[i],
                                         .next_observation = observation,
                                         .terminated = turns->terminated[i],
                                         .truncated = turns->truncated[i],
                                         .next_mask = mask};
    status = sfnec_agent_observe(agent, &transition);
  }
  int32_t action = 0;
  if (!status && agent->in_episode) status = sfnec_agent_act_masked(agent, observation, mask, &action);
  if (!status) turns->actions[i] = action;
  return status;
}

sfnec_status sfnec_python_vector_step(sfnec_python_vector *vector, const sfnec_python_turns *turns) {
  sfnec_status status = SFNEC_OK;
  for (int32_t i = 0; i < vector->count && !status; i++) {
    status = enter(vector->agent, &vector->episodes[i]);
    if (!status) status = take_turn(vector->agent, turns, i);
    leave(vector->agent, &vector->episodes[i]);
  }
  return status;
}

sfnec_status sfnec_python_vector_end(sfnec_python_vector *vector) {
  sfnec_status first = SFNEC_OK;
  for (int32_t i = 0; i < vector->count; i++) {
    sfnec_status status = enter(vector->agent, &vector->episodes[i]);
    if (!status) status = sfnec_agent_end_episode(vector->agent);
    leave(vector->agent, &vector->episodes[i]);
    if (!first) first = status;
  }
  return first;
}
