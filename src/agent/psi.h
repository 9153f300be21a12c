// psi.h: the successor features of one policy, psi(s, a) for every action.
//
// Two kinds hold them: episodic (one memory per action) and linear (one matrix per action). The agent sees only this
// interface: ask, learn a target, take a gradient step. An agent that plans holds one model for all tasks instead
// (plan/planner.h); its policies have no psi. With predict=reward the same functions hold Q: one feature, the reward.
#ifndef SFNEC_AGENT_PSI_H
#define SFNEC_AGENT_PSI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/train/embedding.h"
#include "base/file.h"
#include "memory/memory.h"
#include "sfnec/agent.h"
#include "simd/simd.h"

// What asking psi changes besides the answer. One serves all policies of an agent, one question at a time; several
// threads may ask policies that nobody changes, each with a scratch of its own. gpi.h makes and grows it.
typedef struct sfnec_psi_scratch {
  sfnec_index_scratch *search;
  // the key made last: the actions are asked one after another about the same observation
  const void *embedding;      // that made it; NULL: none
  uint64_t embedding_version; // at this version
  float *observation;         // (d)
  float *key;                 // (key_size)
  sfnec_net_work *work;       // for one; NULL without an embedding
  // for pruning
  double *w;                  // (n): the weights asked about last
  uint64_t stamp;             // changes whenever they do
  uint64_t uses;              // how often in a row they were asked about
  sfnec_value_bounds *bounds; // (bound_count): of each policy and action, under those weights
  size_t bound_count;
  // what learning saw (sfnec_agent_set_loss)
  double loss;     // mean squared differences of psi from its targets, added up
  int64_t targets; // how many
} sfnec_psi_scratch;

// What every psi of an agent has in common; it lives as long as the agent.
typedef struct sfnec_psi_config {
  sfnec_agent_options options;
  const sfnec_simd *simd;
  sfnec_codebook *codebook;   // of all memories whose keys are observations, or NULL
  sfnec_random *minibatches;  // the stream that draws those of training=batch
  sfnec_psi_scratch *scratch; // for learning
  sfnec_env_shape shape;
  size_t observation_size; // d
  size_t psi_size;         // n: the features, or 1
  int32_t action_count;
} sfnec_psi_config;

// psi of one action in one state, kept with the versions of what it was computed from: asking again is free while none
// of them has changed.
typedef struct sfnec_answer {
  sfnec_lookup lookup; // lookup.value (n) is psi; neighbours and weights are filled by episodic psi only
  double remoteness;   // min(1, distance to the nearest key); 1 in an empty memory, 0 for linear psi
  bool asked;          // false: the fields above are not for the state at hand
  uint64_t keys_version, values_version, embedding_version;

  // what was found out instead of asking: psi . w - penalty * remoteness is below this number...
  double pruned_floor;
  uint64_t pruned_stamp;          // ...for these weights; 0: nothing is known
  uint64_t pruned_values_version; // ...as long as no value changed
  uint64_t pruned_embedding_version;
} sfnec_answer;

// How many minibatches a psi was trained with.
typedef struct sfnec_training {
  int64_t trained;
  int64_t skipped; // their gradient was not finite
} sfnec_training;

// A gradient step on psi(s, a): how far it is to move, and the answer that is to move, which is up to date.
typedef struct sfnec_psi_step {
  const float *observation; // (d)
  int32_t action;
  const sfnec_answer *answer;
  const double *step; // (n)
} sfnec_psi_step;

typedef struct sfnec_psi sfnec_psi;

typedef struct sfnec_psi_ops {
  void (*destroy)(sfnec_psi *psi);
  // Computes the answer about an observation (d), or as much of it as has changed since it was asked last.
  void (*ask)(const sfnec_psi *psi, sfnec_psi_scratch *scratch, const float *observation, int32_t action,
              sfnec_answer *answer);
  // Whether psi . w - penalty * remoteness is certainly below the floor, found out without the cost of asking. If not,
  // the answer is up to date, or asking for it costs next to nothing.
  bool (*prune)(const sfnec_psi *psi, sfnec_psi_scratch *scratch, const float *observation, int32_t action,
                const sfnec_memory_pruning *pruning, sfnec_answer *answer);
  // Marks the entries behind an answer as used just now: a full memory evicts the one whose use is longest ago.
  void (*touch)(sfnec_psi *psi, int32_t action, const sfnec_answer *answer);
  // Learns a target (n) for an observation and an action. An episodic psi writes `written` (n), which is the target but
  // in a batch with equal keys (sfnec_collector_fold), and trains towards the target; NULL: the batch has written for
  // it already. Fails with SFNEC_ERROR_MEMORY, or with SFNEC_ERROR_STATE when psi has diverged; the target is dropped
  // then.
  sfnec_status (*learn)(sfnec_psi *psi, const float *observation, int32_t action, const double *target,
                        const double *written);
  // Gradient steps, all at once: every parameter moves by step (n) times the derivative of psi by it. That is an
  // entry's weight in the look-up (episodic), or the observation's number (linear). With td_trains=all keys and the
  // embedding move too, at their own rates. Fails with SFNEC_ERROR_MEMORY.
  sfnec_status (*nudge)(sfnec_psi *psi, const sfnec_psi_step *steps, size_t count);
  // A transition of its task was observed: trains, if train_per=transition and it is time to; NULL: there is nothing to
  // train. Fails with SFNEC_ERROR_MEMORY.
  sfnec_status (*train)(sfnec_psi *psi);
  // Its task is no longer the active one: drops what only training needs, and packs the keys for searching.
  void (*freeze)(sfnec_psi *psi);
  // Merges entries until it has at most so many, or one for each action that had any (sfnec_memory_reduce). Fails
  // with SFNEC_ERROR_MEMORY. NULL: it has no entries.
  sfnec_status (*reduce)(sfnec_psi *psi, int64_t entries);
  // Makes room for all that it can hold; NULL: it holds all from its beginning. Fails with SFNEC_ERROR_MEMORY.
  sfnec_status (*reserve)(sfnec_psi *psi);
  // The memory of an action; NULL for linear psi.
  const sfnec_memory *(*memory)(const sfnec_psi *psi, int32_t action);
  // What makes keys of observations; NULL for linear psi, and where keys are observations.
  const sfnec_embedding *(*embedding)(const sfnec_psi *psi);
  // The matrices (actions, d, n) of linear psi; else NULL.
  const double *(*matrices)(const sfnec_psi *psi);
  sfnec_training (*training)(const sfnec_psi *psi);
  size_t (*bytes)(const sfnec_psi *psi); // that it holds
  // Saves everything, or everything but the keys of its memories (sfnec_psi_save_keys).
  void (*save)(const sfnec_psi *psi, sfnec_writer *writer, bool with_keys);
  // Into a psi just created; `keys` is the reader itself, or the one that holds the keys saved apart.
  sfnec_status (*load)(sfnec_psi *psi, sfnec_reader *reader, sfnec_reader *keys);
  // A hash of all keys, by which a checkpoint names the file that holds them; 0 if there are none. Cheap while they do
  // not change.
  uint64_t (*digest)(sfnec_psi *psi);
} sfnec_psi_ops;

struct sfnec_psi {
  const sfnec_psi_ops *ops;
  const sfnec_psi_config *config;
  double step_size; // a gradient step is this times (target - psi): 2 rate / n (episodic), rate (linear)
};

// A new policy's psi; NULL for an agent that plans. Linear psi, or the embedding of an episodic one, is taken over from
// `previous` (NULL: none) if the options say so, else drawn from `init`.
sfnec_status sfnec_psi_create(const sfnec_psi_config *config, const sfnec_psi *previous, sfnec_random *init,
                              sfnec_psi **out);
void sfnec_psi_destroy(sfnec_psi *psi); // NULL is fine

// The kinds, for sfnec_psi_create.
sfnec_status sfnec_psi_episodic_create(const sfnec_psi_config *config, const sfnec_psi *previous, sfnec_random *init,
                                       sfnec_psi **out);
sfnec_status sfnec_psi_linear_create(const sfnec_psi_config *config, const sfnec_psi *previous, sfnec_random *init,
                                     sfnec_psi **out);

// Counts a target that psi was trained with, by the squared difference of psi from it, added up over its numbers (n).
// Here, for it is a part of every step.
static inline void sfnec_psi_count_loss(const sfnec_psi_config *config, double squared) {
  config->scratch->loss += squared / (double)config->psi_size;
  config->scratch->targets++;
}

// Whether a gradient step (n) is one that psi can take: beyond 1e60 it has diverged. Fails with SFNEC_ERROR_STATE.
sfnec_status sfnec_psi_check_step(const sfnec_psi_config *config, const double *step);

// The numbers of a key: the observation's, or those that the embedding makes; 0 for linear psi.
size_t sfnec_psi_key_size(const sfnec_psi_config *config);
// Entries over all memories; 0 for linear psi.
int64_t sfnec_psi_entries(const sfnec_psi *psi);
// The fewest bytes that any saved psi of this configuration has: a file that has less left holds none.
size_t sfnec_psi_least_bytes(const sfnec_psi_config *config);
// Saves the keys of all memories, and nothing else.
void sfnec_psi_save_keys(const sfnec_psi *psi, sfnec_writer *writer);

// The arrays of an answer lie in one block of the caller's, aligned to 8 bytes: its size, and setting the answer's
// pointers into it.
size_t sfnec_answer_size(const sfnec_psi_config *config);
void sfnec_answer_place(const sfnec_psi_config *config, void *block, sfnec_answer *answer);

#endif
