// reward_rows.c: see reward_rows.h. Which rows identify the factors: an event that changes the context, such as an
// object that is taken, is the same from wherever it is reached and however; it happens once in an episode, so each of
// its samples is rare and their rewards belong together. The ends of episodes, and rewards of neighbouring states, are
// one row as long as no task has paid for them differently. What each task pays mostly is one row however large it is.
#include "agent/plan/reward_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const double SIGMAS = 4.0; // of noise, within which a reward is the same
static const double SAME = 1e-3;  // of the scale of rewards, within which it is, too

double sfnec_reward_tolerance(double noise, double scale, uint32_t count) {
  return SIGMAS * sqrt(noise / (double)(count ? count : 1)) + SAME * scale;
}

// What the rows are made with.
typedef struct maker {
  const sfnec_rewards_seen *seen;
  const sfnec_model *model;
  uint32_t tasks;
  const bool *used; // (tasks): those that count; NULL: all
  double *usual;    // (tasks): the median reward
  uint32_t *parent; // (samples): another sample of the same row; itself: the row's first
  double *means;    // (samples, tasks): of a row, at its first sample
  uint32_t *counts; // (samples, tasks)
  double noise, scale;
} maker;

static void maker_clear(maker *maker) {
  free(maker->usual), free(maker->parent), free(maker->means), free(maker->counts);
}

// The next reward of a sample in a task that counts, from `item` on; NULL: there is none.
static const sfnec_seen_reward *from(const maker *maker, uint32_t item) {
  for (; item != SFNEC_NONE; item = maker->seen->items[item].next) {
    const sfnec_seen_reward *reward = &maker->seen->items[item];
    if (reward->task < maker->tasks && (!maker->used || maker->used[reward->task])) return reward;
  }
  return NULL;
}

static const sfnec_seen_reward *first_of(const maker *maker, uint32_t sample) {
  return from(maker, sfnec_rewards_seen_of(maker->seen, sample));
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median of a task's rewards, over samples.
static double median_of(const maker *maker, uint32_t task, double *rewards) {
  size_t count = 0;
  for (uint32_t s = 0; s < maker->model->sample_count; s++) {
    const bool counts = !maker->used || maker->used[task];
    const sfnec_seen_reward *item = counts ? sfnec_rewards_seen_in(maker->seen, s, task) : NULL;
    if (item) rewards[count++] = item->mean;
  }
  qsort(rewards, count, sizeof *rewards, by_size);
  return count ? rewards[count / 2] : 0.0;
}

static bool is_usual(const maker *maker, uint32_t sample) {
  for (const sfnec_seen_reward *item = first_of(maker, sample); item; item = from(maker, item->next)) {
    const double tolerance = sfnec_reward_tolerance(maker->noise, maker->scale, item->count);
    if (fabs(item->mean - maker->usual[item->task]) > tolerance) return false;
  }
  return true;
}

// ---- samples that were paid alike ----

static uint32_t find(maker *maker, uint32_t sample) {
  while (maker->parent[sample] != sample) {
    maker->parent[sample] = maker->parent[maker->parent[sample]];
    sample = maker->parent[sample];
  }
  return sample;
}

// Whether no task has paid for two rows differently; *common: in how many both were seen.
static bool agree(const maker *maker, uint32_t a, uint32_t b, uint32_t *common) {
  const size_t n = maker->tasks;
  *common = 0;
  for (size_t t = 0; t < n; t++) {
    const uint32_t x = maker->counts[a * n + t], y = maker->counts[b * n + t];
    if (!x || !y) continue;
    const double apart = fabs(maker->means[a * n + t] - maker->means[b * n + t]);
    if (apart > sfnec_reward_tolerance(maker->noise, maker->scale, x < y ? x : y)) return false;
    ++*common;
  }
  return true;
}

static void join(maker *maker, uint32_t a, uint32_t b) {
  const size_t n = maker->tasks;
  const uint32_t into = a < b ? a : b, from = a < b ? b : a;
  maker->parent[from] = into;
  for (size_t t = 0; t < n; t++) {
    const uint32_t x = maker->counts[into * n + t], y = maker->counts[from * n + t];
    if (!y) continue;
    maker->means[into * n + t] += (maker->means[from * n + t] - maker->means[into * n + t]) * y / ((double)x + y);
    maker->counts[into * n + t] = x + y < SFNEC_COUNT_KNOWN ? x + y : SFNEC_COUNT_KNOWN;
  }
}

static bool is_event(const maker *maker, uint32_t sample) {
  return maker->parent[sample] != SFNEC_NONE;
}

// Joins the rows of two samples that may be the same; where nothing but their place says so (`evidence`), a task must
// have paid for both.
static void try_join(maker *maker, uint32_t s, uint32_t other, bool evidence) {
  const uint32_t a = find(maker, s), b = find(maker, other);
  uint32_t common;
  if (a != b && agree(maker, a, b, &common) && (!evidence || common > 0)) join(maker, a, b);
}

// Joins a sample to earlier ones in neighbouring states.
static void join_neighbours(maker *maker, uint32_t s) {
  const sfnec_model *model = maker->model;
  const sfnec_sample *sample = &model->samples[s];
  const sfnec_state *state = &model->states[sample->state];
  const uint32_t actions = (uint32_t)model->config->action_count;
  const float reach = fmaxf((float)model->config->options.sample_reach * model->step, 2.0f * model->radius);
  for (uint32_t i = 0; i <= state->neighbour_count; i++) {
    const uint32_t near = i ? state->neighbours[i - 1] : sample->state;
    if (i && state->distances[i - 1] > reach * reach) break;
    for (uint32_t a = 0; a < actions; a++) {
      for (uint32_t o = model->cells[near * actions + a]; o != SFNEC_NONE; o = model->samples[o].sibling) {
        const sfnec_sample *other = &model->samples[o];
        if (o >= s || !is_event(maker, o) || other->effect != 0 || other->terminated != sample->terminated) continue;
        try_join(maker, s, o, !sample->terminated);
      }
    }
  }
}

// Joins a sample to the earlier ones that changed the context in the same way.
static void join_effects(maker *maker, uint32_t s) {
  const sfnec_sample *samples = maker->model->samples;
  for (uint32_t o = 0; o < s; o++) {
    if (maker->parent[o] != o || samples[o].effect != samples[s].effect) continue;
    if (samples[o].terminated == samples[s].terminated) try_join(maker, s, o, false);
  }
}

// ---- the rows ----

static sfnec_status maker_init(maker *maker, const sfnec_rewards_seen *seen, const sfnec_model *model, uint32_t tasks,
                               const bool *used) {
  const size_t samples = (size_t)model->sample_count + 1, n = (size_t)tasks + 1;
  *maker = (struct maker){
      .seen = seen, .model = model, .tasks = tasks, .used = used, .noise = sfnec_rewards_seen_noise(seen)};
  maker->usual = calloc(n, sizeof *maker->usual);
  maker->parent = calloc(samples, sizeof *maker->parent);
  maker->means = calloc(samples * n, sizeof *maker->means);
  maker->counts = calloc(samples * n, sizeof *maker->counts);
  if (maker->usual && maker->parent && maker->means && maker->counts) return SFNEC_OK;
  maker_clear(maker);
  return sfnec_fail_memory("the rewards of a model");
}

// Finds what is ordinary, and what it is not: the scale of rewards.
static void find_usual(maker *maker) {
  const uint32_t samples = maker->model->sample_count;
  double squares = 0.0, most = 0.0;
  size_t count = 0;
  for (uint32_t t = 0; t < maker->tasks; t++) maker->usual[t] = median_of(maker, t, maker->means);
  memset(maker->means, 0, samples * sizeof *maker->means);
  for (uint32_t s = 0; s < samples; s++) {
    for (const sfnec_seen_reward *item = first_of(maker, s); item; item = from(maker, item->next))
      most = fmax(most, fabs(item->mean));
  }
  maker->scale = most;
  for (uint32_t s = 0; s < samples; s++) {
    maker->parent[s] = SFNEC_NONE;
    if (is_usual(maker, s)) continue;
    maker->parent[s] = s;
    for (const sfnec_seen_reward *item = first_of(maker, s); item; item = from(maker, item->next)) {
      maker->means[(size_t)s * maker->tasks + item->task] = item->mean;
      maker->counts[(size_t)s * maker->tasks + item->task] = item->count;
      squares += item->mean * item->mean;
      count++;
    }
  }
  if (count) maker->scale = sqrt(squares / (double)count);
}

// Writes down a row, with the rewards of sample `first`, or what is ordinary (SFNEC_NONE) in tasks of which something
// was seen.
static void write_row(const maker *maker, const bool *any, uint32_t first, sfnec_reward_rows *out) {
  out->first[out->rows] = out->count;
  for (uint32_t t = 0; t < maker->tasks; t++) {
    const size_t at = (size_t)first * maker->tasks + t;
    if (first == SFNEC_NONE ? !any[t] : !maker->counts[at]) continue;
    out->rewards[out->count++] =
        (sfnec_row_reward){out->rows, t, first == SFNEC_NONE ? maker->usual[t] : maker->means[at]};
  }
  out->rows++;
}

static sfnec_status write_rows(maker *maker, sfnec_reward_rows *out) {
  const size_t samples = maker->model->sample_count, n = maker->tasks;
  size_t rows = 1;
  for (uint32_t s = 0; s < samples; s++) rows += maker->parent[s] == s;
  bool *any = calloc(n + 1, sizeof *any);
  out->row_of = calloc(samples + 1, sizeof *out->row_of);
  out->rewards = calloc(rows * n + 1, sizeof *out->rewards);
  out->first = calloc(rows + 1, sizeof *out->first);
  if (!any || !out->row_of || !out->rewards || !out->first) {
    free(any);
    return sfnec_fail_memory("the rewards of a model");
  }
  for (uint32_t s = 0; s < samples; s++) {
    for (const sfnec_seen_reward *item = first_of(maker, s); item; item = from(maker, item->next))
      any[item->task] = true;
  }
  write_row(maker, any, SFNEC_NONE, out);
  for (uint32_t s = 0; s < samples; s++) {
    out->row_of[s] = first_of(maker, s) ? 0 : SFNEC_NONE;
    if (!is_event(maker, s)) continue;
    const uint32_t first = find(maker, s); // never a later sample
    if (first == s) {
      out->row_of[s] = out->rows;
      write_row(maker, any, s, out);
    } else {
      out->row_of[s] = out->row_of[first];
    }
  }
  out->first[out->rows] = out->count;
  free(any);
  return SFNEC_OK;
}

sfnec_status sfnec_reward_rows_make(const sfnec_rewards_seen *seen, const sfnec_model *model, uint32_t tasks,
                                    const bool *counts, sfnec_reward_rows *out) {
  *out = (sfnec_reward_rows){0};
  maker maker;
  sfnec_status status = maker_init(&maker, seen, model, tasks, counts);
  if (status) return status;
  find_usual(&maker);
  for (uint32_t s = 0; s < model->sample_count; s++) {
    if (!is_event(&maker, s)) continue;
    if (model->samples[s].effect != 0) join_effects(&maker, s);
    else join_neighbours(&maker, s);
  }
  out->scale = maker.scale;
  out->noise = maker.noise;
  status = write_rows(&maker, out);
  if (status) sfnec_reward_rows_clear(out);
  maker_clear(&maker);
  return status;
}

void sfnec_reward_rows_clear(sfnec_reward_rows *rows) {
  free(rows->row_of), free(rows->rewards), free(rows->first);
  *rows = (sfnec_reward_rows){0};
}
