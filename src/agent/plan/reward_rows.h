// reward_rows.h: the rows of the matrix of rewards whose factors are learned features (learned.h): samples that the
// tasks so far have paid for alike.
#ifndef SFNEC_AGENT_PLAN_REWARD_ROWS_H
#define SFNEC_AGENT_PLAN_REWARD_ROWS_H

#include "agent/plan/factors.h"
#include "agent/plan/rewards_seen.h"

typedef struct sfnec_reward_rows {
  uint32_t rows;    // row 0 is what is ordinary: samples whose reward is the median of each task they were seen in
  uint32_t *row_of; // (samples): SFNEC_NONE where no reward was seen
  size_t count;     // rewards of all rows, by row and task
  sfnec_row_reward *rewards; // (count)
  size_t *first;             // (rows + 1): where those of a row begin
  double scale;              // root mean square of the rewards that are not ordinary
  double noise;              // variance of a reward of one sample in one task
} sfnec_reward_rows;

// Of the rewards in tasks that count (tasks; NULL: all do). Fails with SFNEC_ERROR_MEMORY; *out is then empty.
sfnec_status sfnec_reward_rows_make(const sfnec_rewards_seen *seen, const sfnec_model *model, uint32_t tasks,
                                    const bool *counts, sfnec_reward_rows *out);
void sfnec_reward_rows_clear(sfnec_reward_rows *rows);

// How far the mean of so many rewards may be from what it should be without being another reward.
double sfnec_reward_tolerance(double noise, double scale, uint32_t count);

#endif
