// diagnosis.c: what keeps an agent from learning well: the rules of sfnec_agent_diagnose, and their sentences. They
// name options as key=value, which the command, specs and C take; Python says what it has besides.
#include "sfnec/diagnosis.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/agent.h"
#include "base/error.h"
#include "base/vector.h"
#include "memory/entries.h"

// When something is worth a finding.
enum {
  STEPS = 1000,      // learned, before model and memories say something about the environment
  CONTEXTS = 1000,   // each with values of its own...
  CONTEXT_SHARE = 4, // ...and fewer transitions than this in each: hardly any evidence
  UNREWARDED = 5000, // steps of a task: ten episodes of 500
  UNSTRUCTURED = 6,  // tasks: fewer do not tell kinds of rewards apart
  KEYS = 20,         // of a memory, before their scales are compared
};
#define NEW_STATES 0.8 // states per transition: nothing is seen twice, so nothing is learned of it
#define SCALES 100.0   // times the range of half of the components is that of the widest: distances are its alone
#define UNBOUNDED 1e4  // of a component: keys of 1e4 lie apart by rounding

typedef struct findings {
  sfnec_finding *list; // (SFNEC_FINDINGS_MOST)
  size_t count;
} findings;

__attribute__((format(printf, 4, 5))) static void add(findings *all, sfnec_finding_kind kind, const char *name,
                                                      const char *format, ...) {
  sfnec_finding *finding = &all->list[all->count++];
  va_list values;
  finding->kind = kind;
  snprintf(finding->name, sizeof finding->name, "%s", name);
  va_start(values, format);
  vsnprintf(finding->text, sizeof finding->text, format, values);
  va_end(values);
}

static int64_t steps_of(const sfnec_agent *agent) {
  int64_t steps = 0;
  for (uint32_t i = 0; i < agent->policies.count; i++) {
    const int64_t more = agent->policies.list[i].steps; // of a stranger's file up to the most for each
    steps = more < SFNEC_COUNT_MOST - steps ? steps + more : SFNEC_COUNT_MOST;
  }
  return steps;
}

// ---- the model ----

static void check_model(const sfnec_agent *agent, int64_t steps, findings *all) {
  sfnec_model_info model;
  agent->learner->describe_model(agent, &model);
  if (model.regime == SFNEC_REGIME_NONE) return;
  if (model.contexts > CONTEXTS && model.contexts > steps / CONTEXT_SHARE) {
    add(all, SFNEC_FINDING_CONTEXTS, "contexts",
        "%" PRId64 " contexts in %" PRId64 " steps, of %" PRId32
        " components that change rarely: each context has values of its own, so little is learned of any; set "
        "contexts=off, or leave out components that say nothing (pixels, counters)",
        model.contexts, steps, model.slow);
  }
  if ((double)model.places > NEW_STATES * (double)steps) {
    add(all, SFNEC_FINDING_STATES, "states",
        "%" PRId64 " states in %" PRId64
        " steps: nearly every state is new, so there is nothing to plan over; set a greater radius, embedding=pca with "
        "key_size=8, or take an agent with memories (sfnec, nec)",
        model.places, steps);
  }
}

static void check_features(const sfnec_agent *agent, findings *all) {
  sfnec_learned_info learned;
  if (agent->policies.config.options.predict != SFNEC_PREDICT_LEARNED) return;
  agent->learner->describe_learned(agent, &learned);
  if (learned.features > 0 || agent->policies.count <= UNSTRUCTURED) return;
  add(all, SFNEC_FINDING_STRUCTURE, "structure",
      "no features were found in the rewards of %" PRIu32 " tasks, so each task begins without what the others have "
      "learned of rewards: the tasks have too little in common, or too few transitions were seen in several of them",
      agent->policies.count - 1);
}

// ---- the keys of memories ----

// The range of each component over the keys of a task; low and high (d) come as those of no key.
static size_t find_ranges(const sfnec_agent *agent, float *low, float *high) {
  const sfnec_psi *psi = agent->policies.list[agent->active].psi;
  size_t keys = 0;
  for (int32_t a = 0; a < agent->shape.action_count; a++) {
    const sfnec_memory *memory = psi->ops->memory(psi, a);
    const sfnec_recency *order = &memory->inserted;
    for (uint32_t slot = order->oldest; slot != SFNEC_NO_SLOT; slot = order->links[slot].newer, keys++) {
      const float *key = sfnec_memory_key(memory, slot);
      for (size_t i = 0; i < agent->policies.config.observation_size; i++) {
        low[i] = fminf(low[i], key[i]);
        high[i] = fmaxf(high[i], key[i]);
      }
    }
  }
  return keys;
}

static void name_component(const sfnec_agent *agent, size_t component, char *name, size_t size) {
  const char *own = agent->components ? agent->components[component].name : "";
  if (own[0]) snprintf(name, size, "%s", own);
  else snprintf(name, size, "component %zu", component);
}

// A few narrow components among many are no trouble: they hardly move.
static void compare_scales(const sfnec_agent *agent, const float *low, const float *high, findings *all) {
  const size_t d = agent->policies.config.observation_size;
  size_t widest = 0, moving = 0, narrow = 0;
  float most = 0.0f, greatest = 0.0f;
  for (size_t i = 0; i < d; i++) {
    if (high[i] - low[i] > most) most = high[i] - low[i], widest = i;
    greatest = fmaxf(greatest, fmaxf(fabsf(low[i]), fabsf(high[i])));
  }
  for (size_t i = 0; i < d; i++) {
    moving += high[i] > low[i];
    narrow += high[i] > low[i] && SCALES * (double)(high[i] - low[i]) < (double)most;
  }
  char name[SFNEC_COMPONENT_NAME];
  name_component(agent, widest, name, sizeof name);
  if (narrow > 0 && 2 * narrow >= moving) {
    add(all, SFNEC_FINDING_SCALES, "scales",
        "the components of observations differ in scale: %s has a range of %.3g, %zu of the %zu that vary have less "
        "than a hundredth of it, so distances between memories are not theirs; scale all components to about 1, or "
        "take an agent that plans (sfnec-plan), which scales them itself",
        name, (double)most, narrow, moving);
  } else if ((double)greatest > UNBOUNDED) {
    add(all, SFNEC_FINDING_UNBOUNDED, "unbounded",
        "observations reach %.3g: distances grow with them, and memories are never near; scale them to about 1",
        (double)greatest);
  }
}

// Distances are between observations where keys are not embedded.
static void check_scales(const sfnec_agent *agent, findings *all) {
  const sfnec_agent_options *options = &agent->policies.config.options;
  const size_t d = agent->policies.config.observation_size;
  if (options->psi != SFNEC_PSI_EPISODIC || options->embedding != SFNEC_EMBEDDING_IDENTITY) return;
  float *low = malloc(2 * d * sizeof *low);
  if (!low) return; // it is only advice
  for (size_t i = 0; i < d; i++) low[i] = INFINITY, low[d + i] = -INFINITY;
  if (find_ranges(agent, low, low + d) >= KEYS) compare_scales(agent, low, low + d, all);
  free(low);
}

// ---- rewards ----

static void check_rewards(const sfnec_agent *agent, findings *all) {
  const sfnec_watch *watch = &agent->watch;
  if (watch->unrewarded >= UNREWARDED) {
    add(all, SFNEC_FINDING_REWARDS, "rewards",
        "no reward in %" PRId64
        " steps of this task, so there is nothing to learn from: explore more (%s), shorten the way to a reward, or "
        "give features that are rewarded on the way",
        watch->unrewarded,
        agent->planner ? "a greater bonus" : "a greater epsilon, novelty=0.1 or the preset sfnec-plus");
  }
  if (watch->mismatched) {
    add(all, SFNEC_FINDING_WEIGHTS, "weights",
        "a reward (%.6g) is not phi . w (%.6g), by which the agent learns: give the task the weights that make up the "
        "reward, or set w=rls to learn them",
        watch->reward, watch->product);
  }
}

// ---- time ----

static void check_time(const sfnec_agent *agent, const sfnec_stopwatch *watch, sfnec_finding_kind kind,
                       const char *what, findings *all) {
  const bool asks = kind == SFNEC_FINDING_SLOW_QUESTION;
  if (watch->slowest == 0.0) return;
  add(all, kind, what, "a %s took %.0f ms: %s make it faster", asks ? "question" : "step of learning",
      1e3 * watch->slowest,
      !agent->planner ? "a smaller capacity and index=fast"
      : asks          ? "fewer states and a smaller question_backups"
                      : "fewer states and a smaller step_backups");
}

sfnec_status sfnec_agent_diagnose(const sfnec_agent *agent, const sfnec_scratch *scratch, sfnec_finding *list,
                                  size_t *count) {
  if (!agent || !list || !count) return sfnec_fail_null(__func__);
  if (scratch && scratch->agent != agent)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "a diagnosis needs a scratch that was made for this agent, or none");
  findings all = {.list = list};
  const int64_t steps = steps_of(agent);
  if (steps >= STEPS && agent->planner) check_model(agent, steps, &all);
  check_rewards(agent, &all);
  if (steps >= STEPS && agent->active != SFNEC_NO_POLICY) check_scales(agent, &all);
  check_time(agent, &agent->watch.steps, SFNEC_FINDING_SLOW_STEP, "slow step", &all);
  if (scratch) check_time(agent, &scratch->watch, SFNEC_FINDING_SLOW_QUESTION, "slow question", &all);
  check_features(agent, &all);
  *count = all.count;
  return SFNEC_OK;
}
