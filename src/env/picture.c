// picture.c: pictures between floats and bytes; see picture.h.
//
// Levels are recognised by arithmetic on whole rows, which compilers vectorise; every operation is exactly rounded, so
// the bytes are the same everywhere.
#include "env/picture.h"

#include <inttypes.h>

#include "base/error.h"

sfnec_status sfnec_picture_check(const sfnec_env_shape *shape) {
  const sfnec_picture_shape *p = &shape->picture;
  if (!p->frames && !p->height && !p->width && !p->channels && !p->levels) return SFNEC_OK;
  const int32_t sizes[] = {p->frames, p->height, p->width, p->channels};
  // a product of at most SFNEC_SIZE_MOST before each step stays an int64_t
  int64_t product = 1;
  for (size_t i = 0; i < 4 && product >= 1 && product <= SFNEC_SIZE_MOST; i++) product *= sizes[i] > 0 ? sizes[i] : 0;
  if (product == shape->observation_size && p->levels >= 1 && p->levels <= UINT8_MAX) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_ARGUMENT,
                    "a picture of %" PRId32 " frames of %" PRId32 " x %" PRId32 " x %" PRId32 " numbers with %" PRId32
                    " levels is no observation of %" PRId32 " numbers: their product must be that, and the levels 1 to "
                    "%d",
                    p->frames, p->height, p->width, p->channels, p->levels, shape->observation_size, UINT8_MAX);
}

// The number of a level.
static inline float number_of(int32_t level, double unit) {
  return (float)(level * unit);
}

// The nearest level of a number between 0 and 1; of others, some level.
static inline int32_t level_of(float number, int32_t levels) {
  const float inside = number >= 0.0f && number <= 1.0f ? number : 0.0f;
  return (int32_t)(inside * (float)levels + 0.5f);
}

size_t sfnec_picture_whole(int32_t levels, const float *numbers, size_t size) {
  enum { ROW = 256 };
  const double unit = 1.0 / levels;
  for (size_t from = 0; from < size; from += ROW) {
    const size_t end = from + ROW < size ? from + ROW : size;
    int wrong = 0;
    for (size_t i = from; i < end; i++) wrong |= number_of(level_of(numbers[i], levels), unit) != numbers[i];
    for (size_t i = from; i < end && wrong; i++) {
      if (number_of(level_of(numbers[i], levels), unit) != numbers[i]) return i;
    }
  }
  return size;
}

void sfnec_picture_pack(int32_t levels, const float *numbers, size_t size, uint8_t *bytes) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)level_of(numbers[i], levels);
}

void sfnec_picture_unpack(int32_t levels, const uint8_t *bytes, size_t size, float *numbers) {
  const double unit = 1.0 / levels;
  for (size_t i = 0; i < size; i++) numbers[i] = number_of(bytes[i], unit);
}
