// bound.c: what a walk of the fast index proves about the scores of the k nearest keys, without looking at any.
//
// The mean of the scores x_i, weighted by distance, is below a floor if sum_i u_i (x_i - floor) is negative. Each
// candidate's distance lies in an interval, and so does its weight u_i. If even the heaviest weights of the scores
// above the floor and the lightest of those below it leave the sum negative, then it is negative. Below the floor count
// only candidates that are certainly among the k nearest.
#include <math.h>

#include "index/fast/walk.h"

enum { MARKS = 64 }; // of the scale on which candidates are counted

typedef sfnec_walk walk;

// A distance of codes that at most k of the candidates are below; the candidates are within the limit.
static uint32_t rank_bound(const walk *w) {
  uint32_t counts[MARKS] = {0}, below = 0, mark = 0;
  const float scale = 0.9999f * MARKS / ((float)w->limit + 1.0f);
  for (uint32_t i = 0; i < w->count; i++) counts[(uint32_t)((float)w->f->family->distances[i] * scale)]++;
  while (mark < MARKS && below + counts[mark] <= w->k) below += counts[mark++];
  if (mark == MARKS) return SFNEC_FARTHEST;
  return (uint32_t)(0.9999f * (float)mark / scale);
}

bool sfnec_walk_worthless(const sfnec_walk *w, const sfnec_worth *worth) {
  const sfnec_index_family *lists = w->f->family;
  float most = -INFINITY;
  for (uint32_t i = 0; i < w->count; i++) most = lists->scores[i] > most ? lists->scores[i] : most;
  if (most < worth->floor) return true;

  // a key that is certainly nearer than this is among the k nearest
  const uint32_t rank = rank_bound(w);
  const float certain = rank == SFNEC_FARTHEST ? INFINITY : sfnec_coder_lower(w->coder, rank, w->blur);
  double above = 0.0, below = 0.0, floor = (double)worth->floor;
  if (worth->penalty > 0.0) {
    const double nearest = sqrt((double)sfnec_coder_lower(w->coder, w->least, w->blur));
    floor += worth->penalty * (nearest < 1.0 ? nearest : 1.0);
  }
  for (uint32_t i = 0; i < w->count; i++) {
    const double gap = (double)lists->scores[i] - floor;
    if (!(gap < 0.0)) {
      above += gap * sfnec_weight(worth->weighting, sfnec_coder_lower(w->coder, lists->distances[i], w->blur));
      continue;
    }
    const float upper = sfnec_coder_upper(w->coder, (double)lists->uppers[i], w->blur);
    if (upper < certain) below -= gap * sfnec_weight(worth->weighting, upper);
  }
  // false if anything is not a number
  return above < below * (1 - 1e-9);
}
