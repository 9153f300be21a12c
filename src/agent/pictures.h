// pictures.h: pictures as bytes, for queues of states: a frame that several stacks hold is stored once.
//
// A picture is a stack of frames (sfnec_picture_shape). Where stacks follow each other, as in an episode, each has one
// new frame: 84 x 84 pixels take 7 kB, where a stack of four as floats takes 113 kB. Frames are numbered from 0 in the
// order in which they came, in a queue that goes round; a picture is the numbers of its frames, which never refer to a
// frame older than the picture before does, so that the oldest can be dropped together.
#ifndef SFNEC_AGENT_PICTURES_H
#define SFNEC_AGENT_PICTURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "sfnec/env.h"
#include "sfnec/status.h"

typedef struct sfnec_pictures {
  size_t stack, frame_size, levels; // frames of a picture; bytes of a frame; its greatest number
  size_t capacity, first, count;    // frames: room, where the oldest lies, how many there are
  uint64_t oldest;                  // number of the oldest
  uint8_t *frames;                  // (capacity, frame_size)
  uint8_t *packed;                  // (stack, frame_size): the picture that is added
} sfnec_pictures;

// An empty one that holds no memory yet.
void sfnec_pictures_init(sfnec_pictures *pictures, const sfnec_picture_shape *shape);
// Frees what it holds; it is empty then, and as usable as before.
void sfnec_pictures_clear(sfnec_pictures *pictures);
size_t sfnec_pictures_bytes(const sfnec_pictures *pictures);

// Room for one more picture, so that the next add cannot fail. Fails with SFNEC_ERROR_MEMORY and changes nothing.
sfnec_status sfnec_pictures_reserve(sfnec_pictures *pictures);
// Adds a picture (stack * frame_size numbers) after the one with the frames `before` (stack; NULL: none), and writes
// the numbers of its frames (stack).
void sfnec_pictures_add(sfnec_pictures *pictures, const float *picture, const uint64_t *before, uint64_t *frames);
// Drops the frames that no picture from this one (stack; NULL: there is none) on needs.
void sfnec_pictures_drop(sfnec_pictures *pictures, const uint64_t *frames);
// The numbers of a picture.
void sfnec_pictures_get(const sfnec_pictures *pictures, const uint64_t *frames, float *picture);

// Are two pictures the same?
bool sfnec_pictures_same(const sfnec_pictures *pictures, const uint64_t *a, const uint64_t *b);

// The frames alone; who has the pictures saves their numbers, less that of the oldest frame, which is 0 when they are
// loaded. Into an empty one. Fails with SFNEC_ERROR_FORMAT, where `what` names a picture, or SFNEC_ERROR_MEMORY.
void sfnec_pictures_save(const sfnec_pictures *pictures, sfnec_writer *writer);
sfnec_status sfnec_pictures_load(sfnec_pictures *pictures, uint64_t most, const char *what, sfnec_reader *reader);

#endif
