// palette.c: at most 256 colours that stand for those of a picture; see palette.h.
//
// Pixels are counted by the upper five bits of each channel. A box of colours is cut at its median along its longest
// side until there are 256; the mean of the pixels in a box is its colour, so a picture of few colours keeps them.
#include "show/play/palette.h"

#include <stdlib.h>
#include <string.h>

typedef struct box {
  uint16_t *bins; // of the shared list
  size_t count;
  int axis, length; // its longest side
} box;

static int bin_of(uint32_t pixel) {
  return (int)((pixel >> 19 & 31) << 10 | (pixel >> 11 & 31) << 5 | (pixel >> 3 & 31));
}

static int level(uint16_t bin, int axis) {
  return bin >> (10 - 5 * axis) & 31;
}

static void measure(box *box) {
  box->length = -1;
  for (int axis = 0; axis < 3; axis++) {
    int low = 31, high = 0;
    for (size_t i = 0; i < box->count; i++) {
      const int at = level(box->bins[i], axis);
      low = at < low ? at : low;
      high = at > high ? at : high;
    }
    if (high - low > box->length) {
      box->length = high - low;
      box->axis = axis;
    }
  }
}

// sorts the bins of a box along its axis, by counting
static void sort(box *box, uint16_t *scratch) {
  size_t starts[33] = {0};
  for (size_t i = 0; i < box->count; i++) starts[level(box->bins[i], box->axis) + 1]++;
  for (int i = 0; i < 32; i++) starts[i + 1] += starts[i];
  for (size_t i = 0; i < box->count; i++) scratch[starts[level(box->bins[i], box->axis)]++] = box->bins[i];
  memcpy(box->bins, scratch, box->count * sizeof *scratch);
}

// cuts off the upper half of the pixels
static box cut(box *lower, const uint32_t *counts, uint16_t *scratch) {
  sort(lower, scratch);
  uint64_t all = 0, below = 0;
  for (size_t i = 0; i < lower->count; i++) all += counts[lower->bins[i]];
  size_t at = 0;
  while (at + 2 < lower->count && 2 * (below + counts[lower->bins[at]]) < all) below += counts[lower->bins[at++]];
  at++; // at least one on either side
  box upper = {.bins = lower->bins + at, .count = lower->count - at};
  lower->count = at;
  measure(lower);
  measure(&upper);
  return upper;
}

static uint32_t mean_of(const sfnec_palette *palette, const box *box) {
  uint64_t sums[3] = {0}, count = 0;
  for (size_t i = 0; i < box->count; i++) {
    for (int axis = 0; axis < 3; axis++) sums[axis] += palette->sums[box->bins[i]][axis];
    count += palette->counts[box->bins[i]];
  }
  if (count == 0) return 0;
  uint32_t colour = 0;
  for (int axis = 0; axis < 3; axis++) colour = colour << 8 | (uint32_t)((sums[axis] + count / 2) / count);
  return colour;
}

static void count_pixels(sfnec_palette *palette, const uint32_t *pixels, size_t count) {
  memset(palette->counts, 0, sizeof palette->counts);
  memset(palette->sums, 0, sizeof palette->sums);
  for (size_t i = 0; i < count; i++) {
    const int bin = bin_of(pixels[i]);
    palette->counts[bin]++;
    for (int axis = 0; axis < 3; axis++) palette->sums[bin][axis] += pixels[i] >> (16 - 8 * axis) & 255;
  }
}

void sfnec_palette_make(sfnec_palette *palette, const uint32_t *pixels, size_t count) {
  uint16_t bins[SFNEC_PALETTE_BINS], scratch[SFNEC_PALETTE_BINS];
  box boxes[SFNEC_PALETTE_SIZE] = {{.bins = bins}};
  count_pixels(palette, pixels, count);
  for (int bin = 0; bin < SFNEC_PALETTE_BINS; bin++)
    if (palette->counts[bin]) bins[boxes[0].count++] = (uint16_t)bin;
  measure(&boxes[0]);
  for (palette->count = 1; palette->count < SFNEC_PALETTE_SIZE; palette->count++) {
    // the box with the longest side; one of length 0 is a single colour
    box *widest = boxes;
    for (int i = 1; i < palette->count; i++) widest = boxes[i].length > widest->length ? &boxes[i] : widest;
    if (widest->length <= 0) break;
    boxes[palette->count] = cut(widest, palette->counts, scratch);
  }
  for (int i = 0; i < palette->count; i++) {
    palette->colours[i] = boxes[i].count ? mean_of(palette, &boxes[i]) : 0;
    for (size_t j = 0; j < boxes[i].count; j++) palette->of_bin[boxes[i].bins[j]] = (uint8_t)i;
  }
}

uint8_t sfnec_palette_find(const sfnec_palette *palette, uint32_t pixel) {
  return palette->of_bin[bin_of(pixel)];
}
