// rewards_seen.h: which rewards were seen of each sample of a model, task by task: a sparse (sample x task) matrix, for
// features that are learned (learned.h). A model that is made again has other samples, and they take over the rewards
// of those that they match.
#ifndef SFNEC_AGENT_PLAN_REWARDS_SEEN_H
#define SFNEC_AGENT_PLAN_REWARDS_SEEN_H

#include "agent/plan/model.h"
#include "base/file.h"

// The rewards of a sample in one task.
typedef struct sfnec_seen_reward {
  uint32_t next; // of the same sample, of an earlier task; or SFNEC_NONE
  uint32_t task;
  uint32_t count;
  double mean, squares; // squares: the sum of squared differences from the mean
} sfnec_seen_reward;

typedef struct sfnec_rewards_seen {
  uint32_t count, room;
  sfnec_seen_reward *items; // (room)
  uint32_t spare;           // the first of those that nothing has any more, or SFNEC_NONE
  uint32_t sample_room;
  uint32_t *first; // (sample_room): the last task that a sample was seen in, or SFNEC_NONE
} sfnec_rewards_seen;

void sfnec_rewards_seen_init(sfnec_rewards_seen *seen);
void sfnec_rewards_seen_clear(sfnec_rewards_seen *seen);
size_t sfnec_rewards_seen_bytes(const sfnec_rewards_seen *seen);

// The first reward of a sample, or SFNEC_NONE.
static inline uint32_t sfnec_rewards_seen_of(const sfnec_rewards_seen *seen, uint32_t sample) {
  return sample < seen->sample_room ? seen->first[sample] : SFNEC_NONE;
}
// The rewards of a sample in a task; NULL: none.
const sfnec_seen_reward *sfnec_rewards_seen_in(const sfnec_rewards_seen *seen, uint32_t sample, uint32_t task);

// Adds a reward; `fresh`: what was known of the sample was of another one. Fails with SFNEC_ERROR_MEMORY, and then
// nothing has changed.
sfnec_status sfnec_rewards_seen_add(sfnec_rewards_seen *seen, uint32_t sample, uint32_t task, double reward,
                                    bool fresh);
// The rewards for another model of the same world. Fails with SFNEC_ERROR_MEMORY; *out is then empty.
sfnec_status sfnec_rewards_seen_follow(const sfnec_rewards_seen *seen, const sfnec_model *from, const sfnec_model *to,
                                       sfnec_rewards_seen *out);
// Forgets a task; the numbers of later ones are one less, if it is removed.
void sfnec_rewards_seen_forget(sfnec_rewards_seen *seen, uint32_t task, bool removed);
// The variance of the rewards of one sample in one task: noise.
double sfnec_rewards_seen_noise(const sfnec_rewards_seen *seen);

void sfnec_rewards_seen_save(const sfnec_rewards_seen *seen, uint32_t samples, sfnec_writer *writer);
// Into one that is empty, for a model of so many samples and tasks that the file has shown. Fails with
// SFNEC_ERROR_FORMAT or _MEMORY.
sfnec_status sfnec_rewards_seen_load(sfnec_rewards_seen *seen, uint32_t samples, uint32_t tasks, sfnec_reader *reader);

#endif
