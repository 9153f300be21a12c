// picture.h: observations that are pictures: numbers that are whole multiples of 1 / levels, so that a byte holds each.
#ifndef SFNEC_ENV_PICTURE_H
#define SFNEC_ENV_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/env.h"

// Is the observation a picture?
static inline bool sfnec_picture_is(const sfnec_picture_shape *picture) {
  return picture->levels > 0;
}

// Whether a shape's picture is none, or has as many numbers as the observation. Fails with SFNEC_ERROR_ARGUMENT.
sfnec_status sfnec_picture_check(const sfnec_env_shape *shape);

// How many numbers (of size) come before the first that is no level; size: all are levels.
size_t sfnec_picture_whole(int32_t levels, const float *numbers, size_t size);
// The levels of numbers that are levels, and back: to the bit.
void sfnec_picture_pack(int32_t levels, const float *numbers, size_t size, uint8_t *bytes);
void sfnec_picture_unpack(int32_t levels, const uint8_t *bytes, size_t size, float *numbers);

#endif
