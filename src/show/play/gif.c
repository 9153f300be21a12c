// gif.c: an animated GIF, written frame by frame; see gif.h.
//
// The compression is the format's LZW: codes of growing width, at most 12 bits, then the table starts again.
#include "show/play/gif.h"

#include <stdlib.h>
#include <string.h>

// ---- the palette: at most 256 colours that stand for those of a picture (median cut, Heckbert 1982) ----
//
// Pixels are counted by the upper five bits of each channel. A box of colours is cut at its median along its longest
// side until there are 256; the mean of the pixels in a box is its colour, so a picture of few colours keeps them.

enum { PALETTE_SIZE = 256, PALETTE_BINS = 1 << 15 };

typedef struct palette {
  uint8_t colours[PALETTE_SIZE][3]; // red, green, blue; 0 past the last
  uint8_t of_bin[PALETTE_BINS];     // the colour that stands for each 5-5-5 colour of the picture
  uint32_t counts[PALETTE_BINS];    // scratch: pixels per 5-5-5 colour
  uint64_t sums[PALETTE_BINS][3];   // scratch: their red, green and blue
} palette;

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

// the mean of the pixels in a box
static void set_colour(palette *p, int colour, const box *box) {
  uint64_t sums[3] = {0}, count = 0;
  for (size_t i = 0; i < box->count; i++) {
    for (int axis = 0; axis < 3; axis++) sums[axis] += p->sums[box->bins[i]][axis];
    count += p->counts[box->bins[i]];
    p->of_bin[box->bins[i]] = (uint8_t)colour;
  }
  if (!count) return;
  for (int axis = 0; axis < 3; axis++) p->colours[colour][axis] = (uint8_t)((sums[axis] + count / 2) / count);
}

static void count_pixels(palette *p, const uint32_t *pixels, size_t count) {
  memset(p, 0, sizeof *p);
  for (size_t i = 0; i < count; i++) {
    const int bin = bin_of(pixels[i]);
    p->counts[bin]++;
    for (int axis = 0; axis < 3; axis++) p->sums[bin][axis] += pixels[i] >> (16 - 8 * axis) & 255;
  }
}

// The palette of some pixels (0x00RRGGBB).
static void make_palette(palette *p, const uint32_t *pixels, size_t count) {
  uint16_t bins[PALETTE_BINS], scratch[PALETTE_BINS];
  box boxes[PALETTE_SIZE] = {{.bins = bins}};
  count_pixels(p, pixels, count);
  for (int bin = 0; bin < PALETTE_BINS; bin++)
    if (p->counts[bin]) bins[boxes[0].count++] = (uint16_t)bin;
  measure(&boxes[0]);
  int colours = 1;
  for (; colours < PALETTE_SIZE; colours++) {
    // the box with the longest side; one of length 0 is a single colour
    box *widest = boxes;
    for (int i = 1; i < colours; i++) widest = boxes[i].length > widest->length ? &boxes[i] : widest;
    if (widest->length <= 0) break;
    boxes[colours] = cut(widest, p->counts, scratch);
  }
  for (int i = 0; i < colours; i++) set_colour(p, i, &boxes[i]);
}

// ---- the file ----

enum { CODE_SIZE = 8, CLEAR = 1 << CODE_SIZE, END, FIRST, MOST_CODES = 4096, BLOCK = 255 };

struct sfnec_gif {
  FILE *file;
  int width, height;
  uint32_t *cut; // the pixels of the changed rectangle
  bool any;      // there was a frame
  palette palette;

  // the code of each known string: its prefix' code and its last pixel lead to it; 0 is none
  uint16_t next[MOST_CODES][256];
  int codes, bits; // known codes, and the width of one
  uint64_t buffer; // bits that wait
  int waiting;
  unsigned char block[BLOCK];
  int block_size;

  uint32_t last[]; // (height, width): the frame before; `cut` has as much room behind it
};

typedef struct rectangle {
  int left, top, width, height;
} rectangle;

static void put_16(FILE *file, int value) {
  fputc(value & 255, file);
  fputc(value >> 8 & 255, file);
}

sfnec_gif *sfnec_gif_open(FILE *file, int width, int height) {
  const size_t pixels = (size_t)width * (size_t)height;
  sfnec_gif *gif = calloc(1, sizeof *gif + 2 * pixels * sizeof *gif->last);
  if (!gif) return NULL;
  *gif = (sfnec_gif){.file = file, .width = width, .height = height, .cut = gif->last + pixels};
  fputs("GIF89a", file);
  put_16(file, width);
  put_16(file, height);
  // no palette for all frames
  fwrite("\x70\0\0", 1, 3, file);
  // repeats forever
  fwrite("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 1, 19, file);
  return gif;
}

// ---- compression ----

static void flush_block(sfnec_gif *gif) {
  if (!gif->block_size) return;
  fputc(gif->block_size, gif->file);
  fwrite(gif->block, 1, (size_t)gif->block_size, gif->file);
  gif->block_size = 0;
}

static void put_byte(sfnec_gif *gif, unsigned byte) {
  gif->block[gif->block_size++] = (unsigned char)byte;
  if (gif->block_size == BLOCK) flush_block(gif);
}

static void put_code(sfnec_gif *gif, int code) {
  gif->buffer |= (uint64_t)code << gif->waiting;
  for (gif->waiting += gif->bits; gif->waiting >= 8; gif->waiting -= 8, gif->buffer >>= 8)
    put_byte(gif, gif->buffer & 255);
}

static void start_table(sfnec_gif *gif) {
  put_code(gif, CLEAR);
  memset(gif->next, 0, sizeof gif->next);
  gif->codes = FIRST;
  gif->bits = CODE_SIZE + 1;
}

// a new string; the reader learns it one code later, so the width grows when the code itself needs it
static void learn(sfnec_gif *gif, int prefix, uint8_t pixel) {
  if (gif->codes == MOST_CODES) {
    start_table(gif);
    return;
  }
  if (gif->codes == 1 << gif->bits) gif->bits++;
  gif->next[prefix][pixel] = (uint16_t)gif->codes++;
}

static void compress(sfnec_gif *gif, size_t count) {
  fputc(CODE_SIZE, gif->file);
  gif->bits = CODE_SIZE + 1;
  start_table(gif);
  int prefix = gif->palette.of_bin[bin_of(gif->cut[0])];
  for (size_t i = 1; i < count; i++) {
    const uint8_t pixel = gif->palette.of_bin[bin_of(gif->cut[i])];
    if (gif->next[prefix][pixel]) {
      prefix = gif->next[prefix][pixel];
      continue;
    }
    put_code(gif, prefix);
    learn(gif, prefix, pixel);
    prefix = pixel;
  }
  put_code(gif, prefix);
  // the last string teaches the reader one more code, which may widen the end mark
  if (gif->codes == 1 << gif->bits && gif->bits < 12) gif->bits++;
  put_code(gif, END);
  if (gif->waiting > 0) put_byte(gif, gif->buffer & 255);
  gif->buffer = 0;
  gif->waiting = 0;
  flush_block(gif);
  fputc(0, gif->file);
}

// ---- frames ----

// what differs from the frame before; one pixel if nothing does
static rectangle changed(const sfnec_gif *gif, const uint32_t *pixels) {
  if (!gif->any) return (rectangle){0, 0, gif->width, gif->height};
  int left = gif->width, right = -1, top = gif->height, bottom = -1;
  for (int y = 0; y < gif->height; y++) {
    for (int x = 0; x < gif->width; x++) {
      const size_t at = (size_t)y * (size_t)gif->width + (size_t)x;
      if (pixels[at] == gif->last[at]) continue;
      left = x < left ? x : left;
      right = x > right ? x : right;
      top = y < top ? y : top;
      bottom = y;
    }
  }
  return right < 0 ? (rectangle){0, 0, 1, 1} : (rectangle){left, top, right - left + 1, bottom - top + 1};
}

static void put_frame_head(sfnec_gif *gif, rectangle area, int hundredths) {
  // the frame stays below the next one
  fwrite("\x21\xf9\x04\x04", 1, 4, gif->file);
  put_16(gif->file, hundredths);
  fwrite("\0\0\x2c", 1, 3, gif->file);
  put_16(gif->file, area.left);
  put_16(gif->file, area.top);
  put_16(gif->file, area.width);
  put_16(gif->file, area.height);
  fputc(0x87, gif->file); // 256 colours of its own
  fwrite(gif->palette.colours, 1, sizeof gif->palette.colours, gif->file);
}

bool sfnec_gif_add(sfnec_gif *gif, const uint32_t *pixels, int hundredths) {
  const rectangle area = changed(gif, pixels);
  const size_t width = (size_t)area.width;
  for (int y = 0; y < area.height; y++)
    memcpy(gif->cut + (size_t)y * width, pixels + (size_t)(area.top + y) * (size_t)gif->width + (size_t)area.left,
           width * sizeof *pixels);
  memcpy(gif->last, pixels, (size_t)gif->width * (size_t)gif->height * sizeof *pixels);
  gif->any = true;
  const size_t count = width * (size_t)area.height;
  make_palette(&gif->palette, gif->cut, count);
  put_frame_head(gif, area, hundredths);
  compress(gif, count);
  return !ferror(gif->file);
}

void sfnec_gif_close(sfnec_gif *gif) {
  if (!gif) return;
  fputc(0x3b, gif->file);
  free(gif);
}
