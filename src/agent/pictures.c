// pictures.c: frames in a queue that goes round; see pictures.h.
#include "agent/pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "env/picture.h"

void sfnec_pictures_init(sfnec_pictures *pictures, const sfnec_picture_shape *shape) {
  *pictures = (sfnec_pictures){.stack = (size_t)shape->frames,
                               .frame_size = (size_t)shape->height * (size_t)shape->width * (size_t)shape->channels,
                               .levels = (size_t)shape->levels};
}

void sfnec_pictures_clear(sfnec_pictures *pictures) {
  free(pictures->frames);
  free(pictures->packed);
  *pictures =
      (sfnec_pictures){.stack = pictures->stack, .frame_size = pictures->frame_size, .levels = pictures->levels};
}

size_t sfnec_pictures_bytes(const sfnec_pictures *pictures) {
  return (pictures->capacity + (pictures->packed ? pictures->stack : 0)) * pictures->frame_size;
}

static uint8_t *frame_at(const sfnec_pictures *pictures, uint64_t number) {
  const size_t at = pictures->first + (size_t)(number - pictures->oldest);
  return pictures->frames + (at < pictures->capacity ? at : at - pictures->capacity) * pictures->frame_size;
}

// Room for so many frames.
static sfnec_status reserve(sfnec_pictures *pictures, size_t wanted) {
  enum { LEAST = 8 };
  if (wanted <= pictures->capacity) return SFNEC_OK;
  size_t capacity = pictures->capacity > LEAST ? pictures->capacity + pictures->capacity / 2 : LEAST;
  if (capacity < wanted) capacity = wanted;
  if (capacity > SIZE_MAX / 2 / pictures->frame_size) return sfnec_fail_memory("the frames of pictures");
  uint8_t *frames = malloc(capacity * pictures->frame_size);
  if (!frames) return sfnec_fail_memory("the frames of pictures");
  for (size_t i = 0; i < pictures->count; i++) {
    memcpy(frames + i * pictures->frame_size, frame_at(pictures, pictures->oldest + i), pictures->frame_size);
  }
  free(pictures->frames);
  pictures->frames = frames;
  pictures->capacity = capacity;
  pictures->first = 0;
  return SFNEC_OK;
}

sfnec_status sfnec_pictures_reserve(sfnec_pictures *pictures) {
  if (!pictures->packed) pictures->packed = malloc(pictures->stack * pictures->frame_size);
  if (!pictures->packed) return sfnec_fail_memory("the frames of pictures");
  return reserve(pictures, pictures->count + pictures->stack);
}

static bool same(const sfnec_pictures *pictures, const uint8_t *frame, uint64_t number) {
  return memcmp(frame, frame_at(pictures, number), pictures->frame_size) == 0;
}

// Frame i of a picture is usually frame i + 1 of the one before; where nothing moved, it is frame i; at the beginning
// of an episode all are the first.
static uint64_t find_or_add(sfnec_pictures *pictures, size_t i, const uint64_t *before, const uint64_t *frames) {
  const uint8_t *frame = pictures->packed + i * pictures->frame_size;
  if (before && i + 1 < pictures->stack && same(pictures, frame, before[i + 1])) return before[i + 1];
  if (before && same(pictures, frame, before[i])) return before[i];
  if (i > 0 && same(pictures, frame, frames[i - 1])) return frames[i - 1];
  const uint64_t number = pictures->oldest + pictures->count++;
  memcpy(frame_at(pictures, number), frame, pictures->frame_size);
  return number;
}

void sfnec_pictures_add(sfnec_pictures *pictures, const float *picture, const uint64_t *before, uint64_t *frames) {
  sfnec_picture_pack((int32_t)pictures->levels, picture, pictures->stack * pictures->frame_size, pictures->packed);
  for (size_t i = 0; i < pictures->stack; i++) frames[i] = find_or_add(pictures, i, before, frames);
}

void sfnec_pictures_drop(sfnec_pictures *pictures, const uint64_t *frames) {
  uint64_t oldest = pictures->oldest + pictures->count;
  for (size_t i = 0; frames && i < pictures->stack; i++) oldest = frames[i] < oldest ? frames[i] : oldest;
  const size_t dropped = (size_t)(oldest - pictures->oldest);
  pictures->oldest = oldest;
  pictures->count -= dropped;
  pictures->first = pictures->capacity ? (pictures->first + dropped) % pictures->capacity : 0;
}

void sfnec_pictures_get(const sfnec_pictures *pictures, const uint64_t *frames, float *picture) {
  for (size_t i = 0; i < pictures->stack; i++) {
    sfnec_picture_unpack((int32_t)pictures->levels, frame_at(pictures, frames[i]), pictures->frame_size,
                         picture + i * pictures->frame_size);
  }
}

bool sfnec_pictures_same(const sfnec_pictures *pictures, const uint64_t *a, const uint64_t *b) {
  for (size_t i = 0; i < pictures->stack; i++) {
    if (a[i] != b[i] && !same(pictures, frame_at(pictures, a[i]), b[i])) return false;
  }
  return true;
}

// ---- files: the count, then the frames from the oldest ----

void sfnec_pictures_save(const sfnec_pictures *pictures, sfnec_writer *writer) {
  sfnec_write_u64(writer, pictures->count);
  for (size_t i = 0; i < pictures->count; i++) {
    sfnec_write_bytes(writer, frame_at(pictures, pictures->oldest + i), pictures->frame_size);
  }
}

sfnec_status sfnec_pictures_load(sfnec_pictures *pictures, uint64_t most, const char *what, sfnec_reader *reader) {
  char why[128];
  const uint64_t count = sfnec_read_u64(reader);
  if (count > most || !sfnec_reader_holds(reader, count, pictures->frame_size)) {
    snprintf(why, sizeof why, "a frame of %s is missing, or one too many", what);
    return sfnec_reader_refuse(reader, why);
  }
  const sfnec_status status = reserve(pictures, (size_t)count);
  if (status) return status;
  pictures->count = (size_t)count;
  sfnec_read_bytes(reader, pictures->frames, pictures->count * pictures->frame_size);
  bool good = sfnec_reader_good(reader);
  for (size_t i = 0; i < pictures->count * pictures->frame_size && good; i++) {
    good = pictures->frames[i] <= pictures->levels;
  }
  if (good) return SFNEC_OK;
  snprintf(why, sizeof why, "a frame of %s is not valid", what);
  return sfnec_reader_refuse(reader, why);
}
