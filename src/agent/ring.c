// ring.c: a queue in arrays that go round; see ring.h.
#include "agent/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "env/picture.h"

void sfnec_ring_init(sfnec_ring *ring, size_t observation_size, size_t number_count, size_t least, size_t limit) {
  *ring =
      (sfnec_ring){.observation_size = observation_size, .number_count = number_count, .least = least, .limit = limit};
}

void sfnec_ring_set_picture(sfnec_ring *ring, const sfnec_picture_shape *picture) {
  ring->has_pictures = sfnec_picture_is(picture);
  if (ring->has_pictures) sfnec_pictures_init(&ring->pictures, picture);
}

static void free_arrays(sfnec_ring *ring) {
  free(ring->observations);
  free(ring->actions);
  free(ring->numbers);
  free(ring->frames);
}

void sfnec_ring_clear(sfnec_ring *ring) {
  free_arrays(ring);
  sfnec_pictures pictures = ring->pictures;
  const bool has_pictures = ring->has_pictures;
  sfnec_ring_init(ring, ring->observation_size, ring->number_count, ring->least, ring->limit);
  ring->has_pictures = has_pictures;
  if (has_pictures) sfnec_pictures_clear(&pictures);
  ring->pictures = pictures;
}

// The numbers by which an entry holds its observation, in bytes.
static size_t observation_bytes(const sfnec_ring *ring) {
  return ring->has_pictures ? ring->pictures.stack * sizeof *ring->frames
                            : ring->observation_size * sizeof *ring->observations;
}

static size_t entry_bytes(const sfnec_ring *ring) {
  return observation_bytes(ring) + sizeof(int32_t) + ring->number_count * sizeof(double);
}

size_t sfnec_ring_bytes(const sfnec_ring *ring) {
  const size_t bytes = ring->capacity * entry_bytes(ring);
  if (!ring->has_pictures) return bytes;
  return bytes + sfnec_pictures_bytes(&ring->pictures) +
         (ring->observations ? ring->observation_size : 0) * sizeof(float);
}

// Where the i-th oldest entry lies.
static size_t index_of(const sfnec_ring *ring, size_t i) {
  const size_t at = ring->first + i;
  return at < ring->capacity ? at : at - ring->capacity;
}

// Arrays for `capacity` entries, without any.
static sfnec_status allocate(sfnec_ring *ring, size_t capacity) {
  const size_t pictures = ring->has_pictures ? ring->pictures.stack : 0, kept = ring->has_pictures ? 1 : capacity;
  ring->observations = malloc(kept * ring->observation_size * sizeof *ring->observations);
  ring->actions = malloc(capacity * sizeof *ring->actions);
  ring->numbers = malloc(capacity * ring->number_count * sizeof *ring->numbers);
  if (pictures) ring->frames = malloc(capacity * pictures * sizeof *ring->frames);
  ring->capacity = capacity;
  if (ring->observations && ring->actions && ring->numbers && (!pictures || ring->frames)) return SFNEC_OK;
  free_arrays(ring);
  return sfnec_fail_memory("a queue of transitions");
}

// Copies the i-th oldest entry to the same place of another ring, whose first one lies at 0; frames keep their numbers.
static void copy_entry(const sfnec_ring *from, sfnec_ring *to, size_t i) {
  const size_t at = index_of(from, i), d = from->observation_size, n = from->number_count;
  const size_t stack = from->pictures.stack;
  if (from->has_pictures) memcpy(to->frames + i * stack, from->frames + at * stack, stack * sizeof *to->frames);
  else memcpy(to->observations + i * d, from->observations + at * d, d * sizeof *to->observations);
  to->actions[i] = from->actions[at];
  memcpy(to->numbers + i * n, from->numbers + at * n, n * sizeof *to->numbers);
}

// Space for so many entries.
static sfnec_status reserve(sfnec_ring *ring, size_t wanted) {
  if (wanted <= ring->capacity) return SFNEC_OK;
  size_t capacity = 2 * ring->capacity > ring->least ? 2 * ring->capacity : ring->least;
  while (capacity < wanted) capacity *= 2;
  if (capacity > ring->limit) capacity = ring->limit;
  if (capacity > SIZE_MAX / 2 / entry_bytes(ring)) return sfnec_fail_memory("a queue of transitions");

  sfnec_ring next = *ring;
  next.frames = NULL;
  const sfnec_status status = allocate(&next, capacity);
  if (status) return status;
  for (size_t i = 0; i < ring->count; i++) copy_entry(ring, &next, i);
  next.first = 0;
  free_arrays(ring);
  *ring = next;
  return SFNEC_OK;
}

static sfnec_status reserve_picture(sfnec_ring *ring, sfnec_status status) {
  return status || !ring->has_pictures ? status : sfnec_pictures_reserve(&ring->pictures);
}

sfnec_status sfnec_ring_reserve(sfnec_ring *ring) {
  return reserve_picture(ring, ring->count == ring->limit ? SFNEC_OK : reserve(ring, ring->count + 1));
}

sfnec_status sfnec_ring_reserve_all(sfnec_ring *ring, size_t entries) {
  return reserve(ring, entries < ring->limit ? entries : ring->limit);
}

static uint64_t *frames_of(const sfnec_ring *ring, size_t i) {
  return ring->frames + index_of(ring, i) * ring->pictures.stack;
}

double *sfnec_ring_push(sfnec_ring *ring, const float *observation, int32_t action) {
  if (ring->count == ring->limit) sfnec_ring_pop(ring);
  const size_t at = index_of(ring, ring->count++);
  if (ring->has_pictures) {
    const uint64_t *before = ring->count > 1 ? frames_of(ring, ring->count - 2) : NULL;
    sfnec_pictures_add(&ring->pictures, observation, before, frames_of(ring, ring->count - 1));
  } else {
    memcpy(ring->observations + at * ring->observation_size, observation, ring->observation_size * sizeof *observation);
  }
  ring->actions[at] = action;
  return ring->numbers + at * ring->number_count;
}

sfnec_ring_entry sfnec_ring_at(const sfnec_ring *ring, size_t i) {
  const size_t at = index_of(ring, i);
  return (sfnec_ring_entry){.numbers = ring->numbers + at * ring->number_count, .action = ring->actions[at]};
}

const float *sfnec_ring_observation(const sfnec_ring *ring, size_t i) {
  if (!ring->has_pictures) return ring->observations + index_of(ring, i) * ring->observation_size;
  sfnec_pictures_get(&ring->pictures, frames_of(ring, i), ring->observations);
  return ring->observations;
}

bool sfnec_ring_same_observation(const sfnec_ring *ring, size_t i, size_t j) {
  if (ring->has_pictures) return sfnec_pictures_same(&ring->pictures, frames_of(ring, i), frames_of(ring, j));
  const size_t bytes = ring->observation_size * sizeof(float);
  return memcmp(sfnec_ring_observation(ring, i), sfnec_ring_observation(ring, j), bytes) == 0;
}

void sfnec_ring_pop(sfnec_ring *ring) {
  ring->first = index_of(ring, 1);
  ring->count--;
  if (ring->has_pictures) sfnec_pictures_drop(&ring->pictures, ring->count ? frames_of(ring, 0) : NULL);
}

// ---- files: the count, the frames of pictures, then the entries from the oldest ----

static void save_observation(const sfnec_ring *ring, size_t i, sfnec_writer *writer) {
  if (!ring->has_pictures) {
    sfnec_write_bytes(writer, sfnec_ring_observation(ring, i), ring->observation_size * sizeof(float));
    return;
  }
  const uint64_t *frames = frames_of(ring, i);
  for (size_t j = 0; j < ring->pictures.stack; j++) sfnec_write_u64(writer, frames[j] - ring->pictures.oldest);
}

void sfnec_ring_save(const sfnec_ring *ring, sfnec_writer *writer) {
  sfnec_write_u64(writer, ring->count);
  if (ring->has_pictures) sfnec_pictures_save(&ring->pictures, writer);
  for (size_t i = 0; i < ring->count; i++) {
    const sfnec_ring_entry entry = sfnec_ring_at(ring, i);
    save_observation(ring, i, writer);
    sfnec_write_u32(writer, (uint32_t)entry.action);
    sfnec_write_bytes(writer, entry.numbers, ring->number_count * sizeof(double));
  }
}

// Whether the frames of entry i are there, and none is older than all of the entry before: those are dropped first.
static bool load_frames(sfnec_ring *ring, size_t i, uint64_t *least, sfnec_reader *reader) {
  uint64_t *frames = ring->frames + i * ring->pictures.stack, first = UINT64_MAX;
  bool good = true;
  for (size_t j = 0; j < ring->pictures.stack && good; j++) {
    frames[j] = sfnec_read_u64(reader);
    good = frames[j] < ring->pictures.count;
    if (frames[j] < first) first = frames[j];
  }
  // nor are frames kept that come before the oldest picture
  good = good && first >= *least && (i > 0 || first == 0);
  *least = first;
  return good;
}

sfnec_status sfnec_ring_load(sfnec_ring *ring, int32_t action_count, const char *what, sfnec_reader *reader) {
  const size_t d = ring->observation_size, n = ring->number_count;
  char why[128];
  const uint64_t count = sfnec_read_u64(reader);
  if (count > ring->limit || !sfnec_reader_holds(reader, count, entry_bytes(ring))) {
    snprintf(why, sizeof why, "%s is missing, or one too many", what);
    return sfnec_reader_refuse(reader, why);
  }
  sfnec_status status = reserve(ring, (size_t)count);
  if (!status && ring->has_pictures) {
    status = sfnec_pictures_load(&ring->pictures, count * ring->pictures.stack, what, reader);
  }
  if (status) return status;
  ring->count = (size_t)count;
  bool good = true;
  uint64_t least = 0;
  for (size_t i = 0; i < count && good; i++) {
    if (ring->has_pictures) good = load_frames(ring, i, &least, reader);
    else sfnec_read_bytes(reader, ring->observations + i * d, d * sizeof(float));
    const uint32_t action = sfnec_read_u32(reader);
    sfnec_read_bytes(reader, ring->numbers + i * n, n * sizeof(double));
    ring->actions[i] = (int32_t)action;
    good = good && sfnec_reader_good(reader) && action < (uint32_t)action_count;
  }
  // what is learned of a number is at most some thousand times as large, and must stay finite
  if (good && (ring->has_pictures || sfnec_all_finite_f32(ring->observations, ring->count * d)) &&
      sfnec_all_within_f64(ring->numbers, ring->count * n, 1e200)) {
    return SFNEC_OK;
  }
  snprintf(why, sizeof why, "%s is not valid", what);
  return sfnec_reader_refuse(reader, why);
}
