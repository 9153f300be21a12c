// rewards_seen.c: see rewards_seen.h.
#include "agent/plan/rewards_seen.h"

#include <stdlib.h>
#include <string.h>

#include "agent/plan/numbers.h"
#include "base/error.h"

void sfnec_rewards_seen_init(sfnec_rewards_seen *seen) {
  *seen = (sfnec_rewards_seen){.spare = SFNEC_NONE};
}

void sfnec_rewards_seen_clear(sfnec_rewards_seen *seen) {
  free(seen->items), free(seen->first);
  sfnec_rewards_seen_init(seen);
}

size_t sfnec_rewards_seen_bytes(const sfnec_rewards_seen *seen) {
  return seen->room * sizeof *seen->items + seen->sample_room * sizeof *seen->first;
}

// ---- adding ----

static uint32_t grown(uint32_t room, uint32_t count) {
  uint32_t grown = room ? room : SFNEC_ROOM_FIRST;
  while (grown < count) grown *= 2;
  return grown;
}

// Room for one more reward, and for a sample.
static sfnec_status reserve(sfnec_rewards_seen *seen, uint32_t samples) {
  if (seen->count == seen->room && seen->spare == SFNEC_NONE) {
    const uint32_t room = grown(seen->room, seen->count + 1);
    sfnec_seen_reward *items = realloc(seen->items, room * sizeof *items);
    if (!items) return sfnec_fail_memory("the rewards of a model");
    seen->items = items;
    seen->room = room;
  }
  if (samples <= seen->sample_room) return SFNEC_OK;
  const uint32_t room = grown(seen->sample_room, samples);
  uint32_t *first = realloc(seen->first, room * sizeof *first);
  if (!first) return sfnec_fail_memory("the rewards of a model");
  for (uint32_t i = seen->sample_room; i < room; i++) first[i] = SFNEC_NONE;
  seen->first = first;
  seen->sample_room = room;
  return SFNEC_OK;
}

// The rewards of a sample in a task, made if there are none; there must be room.
static sfnec_seen_reward *find_or_make(sfnec_rewards_seen *seen, uint32_t sample, uint32_t task) {
  for (uint32_t i = seen->first[sample]; i != SFNEC_NONE; i = seen->items[i].next) {
    if (seen->items[i].task == task) return &seen->items[i];
  }
  const uint32_t at = seen->spare == SFNEC_NONE ? seen->count++ : seen->spare;
  sfnec_seen_reward *new = &seen->items[at];
  if (at == seen->spare) seen->spare = new->next;
  *new = (sfnec_seen_reward){.next = seen->first[sample], .task = task};
  seen->first[sample] = at;
  return new;
}

// Takes a reward out of a list.
static void drop(sfnec_rewards_seen *seen, uint32_t *link) {
  const uint32_t at = *link;
  *link = seen->items[at].next;
  seen->items[at].next = seen->spare;
  seen->spare = at;
}

// Adds a mean of `count` rewards with their squares (Chan, Golub and LeVeque 1983).
static void merge(sfnec_seen_reward *into, double mean, double squares, uint32_t count) {
  if (into->count >= SFNEC_COUNT_KNOWN) return;
  const double a = into->count, b = count, apart = mean - into->mean;
  into->count = count < SFNEC_COUNT_KNOWN - into->count ? into->count + count : SFNEC_COUNT_KNOWN;
  into->mean += apart * b / (a + b);
  into->squares += squares + apart * apart * a * b / (a + b);
}

sfnec_status sfnec_rewards_seen_add(sfnec_rewards_seen *seen, uint32_t sample, uint32_t task, double reward,
                                    bool fresh) {
  const sfnec_status status = reserve(seen, sample + 1);
  if (status) return status;
  while (fresh && seen->first[sample] != SFNEC_NONE) drop(seen, &seen->first[sample]);
  merge(find_or_make(seen, sample, task), (double)sfnec_bounded(reward, SFNEC_FEATURE_MOST), 0.0, 1);
  return SFNEC_OK;
}

const sfnec_seen_reward *sfnec_rewards_seen_in(const sfnec_rewards_seen *seen, uint32_t sample, uint32_t task) {
  for (uint32_t i = sfnec_rewards_seen_of(seen, sample); i != SFNEC_NONE; i = seen->items[i].next) {
    if (seen->items[i].task == task) return &seen->items[i];
  }
  return NULL;
}

double sfnec_rewards_seen_noise(const sfnec_rewards_seen *seen) {
  double squares = 0.0, freedom = 0.0;
  for (uint32_t s = 0; s < seen->sample_room; s++) {
    for (uint32_t i = seen->first[s]; i != SFNEC_NONE; i = seen->items[i].next) {
      squares += seen->items[i].squares;
      freedom += (double)(seen->items[i].count - 1);
    }
  }
  return freedom > 0.0 ? squares / freedom : 0.0;
}

// ---- other samples, other tasks ----

sfnec_status sfnec_rewards_seen_follow(const sfnec_rewards_seen *seen, const sfnec_model *from, const sfnec_model *to,
                                       sfnec_rewards_seen *out) {
  const size_t d = from->config->observation_size;
  sfnec_rewards_seen_init(out);
  float *before = calloc(2 * d, sizeof *before), *after = before + d;
  sfnec_status status = before ? SFNEC_OK : sfnec_fail_memory("the rewards of a model");
  for (uint32_t s = 0; s < from->sample_count && !status; s++) {
    if (sfnec_rewards_seen_of(seen, s) == SFNEC_NONE) continue;
    sfnec_model_origin(from, s, before);
    sfnec_model_target(from, s, after);
    const sfnec_model_transition transition = {
        .before = before, .after = after, .action = from->samples[s].action, .terminated = from->samples[s].terminated};
    const uint32_t sample = sfnec_model_find_sample(to, &transition, NULL);
    for (uint32_t i = seen->first[s]; i != SFNEC_NONE && sample != SFNEC_NONE && !status; i = seen->items[i].next) {
      const sfnec_seen_reward *item = &seen->items[i];
      status = reserve(out, sample + 1);
      if (!status) merge(find_or_make(out, sample, item->task), item->mean, item->squares, item->count);
    }
  }
  free(before);
  if (status) sfnec_rewards_seen_clear(out);
  return status;
}

void sfnec_rewards_seen_forget(sfnec_rewards_seen *seen, uint32_t task, bool removed) {
  for (uint32_t s = 0; s < seen->sample_room; s++) {
    for (uint32_t *link = &seen->first[s]; *link != SFNEC_NONE;) {
      sfnec_seen_reward *item = &seen->items[*link];
      if (item->task == task) {
        drop(seen, link);
        continue;
      }
      if (removed && item->task > task) item->task--;
      link = &item->next;
    }
  }
}

// ---- files ----

void sfnec_rewards_seen_save(const sfnec_rewards_seen *seen, uint32_t samples, sfnec_writer *writer) {
  for (uint32_t s = 0; s < samples; s++) {
    uint32_t count = 0;
    for (uint32_t i = sfnec_rewards_seen_of(seen, s); i != SFNEC_NONE; i = seen->items[i].next) count++;
    sfnec_write_u32(writer, count);
    for (uint32_t i = sfnec_rewards_seen_of(seen, s); i != SFNEC_NONE; i = seen->items[i].next) {
      sfnec_write_u32(writer, seen->items[i].task);
      sfnec_write_u32(writer, seen->items[i].count);
      sfnec_write_f64(writer, seen->items[i].mean);
      sfnec_write_f64(writer, seen->items[i].squares);
    }
  }
}

// The rewards of a sample, which stand in the order of their list; `last_in` (tasks) has the last sample of each task,
// from 1: with a search of the list, samples of many tasks would take quadratic time.
static sfnec_status load_sample(sfnec_rewards_seen *seen, uint32_t sample, uint32_t tasks, uint32_t *last_in,
                                sfnec_reader *reader) {
  const size_t least = 2 * sizeof(uint32_t) + 2 * sizeof(double);
  uint32_t count;
  sfnec_status status = plan_read_count(reader, tasks, least, &count);
  uint32_t last = SFNEC_NONE;
  for (uint32_t i = 0; i < count && !status; i++) {
    status = reserve(seen, sample + 1);
    if (status) break;
    sfnec_seen_reward item = {.next = SFNEC_NONE, .task = plan_read_number(reader, tasks, &status)};
    item.count = sfnec_read_u32(reader);
    item.mean = sfnec_read_f64(reader);
    item.squares = sfnec_read_f64(reader);
    const bool good = item.count > 0 && item.count <= SFNEC_COUNT_KNOWN &&
                      fabs(item.mean) <= (double)SFNEC_FEATURE_MOST && item.squares >= 0.0 && item.squares <= 1e60;
    if (!status && (!good || last_in[item.task] == sample + 1))
      status = sfnec_reader_refuse(reader, "a reward of its model is none");
    if (status) break;
    last_in[item.task] = sample + 1;
    uint32_t *link = last == SFNEC_NONE ? &seen->first[sample] : &seen->items[last].next;
    *link = last = seen->count;
    seen->items[seen->count++] = item;
  }
  return status;
}

sfnec_status sfnec_rewards_seen_load(sfnec_rewards_seen *seen, uint32_t samples, uint32_t tasks, sfnec_reader *reader) {
  uint32_t *last_in = sfnec_read_alloc(reader, (size_t)tasks + 1, sizeof *last_in); // the file has shown its tasks
  sfnec_status status = last_in ? SFNEC_OK : sfnec_fail_memory("the rewards of a model");
  for (uint32_t s = 0; s < samples && !status; s++) status = load_sample(seen, s, tasks, last_in, reader);
  free(last_in);
  return status;
}
