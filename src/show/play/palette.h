// palette.h: at most 256 colours that stand for those of a picture (median cut, Heckbert 1982).
#ifndef SFNEC_SHOW_PLAY_PALETTE_H
#define SFNEC_SHOW_PLAY_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SFNEC_PALETTE_SIZE = 256, SFNEC_PALETTE_BINS = 1 << 15 };

typedef struct sfnec_palette {
  int count;
  uint32_t colours[SFNEC_PALETTE_SIZE]; // 0x00RRGGBB
  uint8_t of_bin[SFNEC_PALETTE_BINS];   // the colour that stands for each 5-5-5 colour of the picture
  uint32_t counts[SFNEC_PALETTE_BINS];  // scratch: pixels per 5-5-5 colour
  uint64_t sums[SFNEC_PALETTE_BINS][3]; // scratch: their red, green and blue
} sfnec_palette;

// The palette of some pixels (0x00RRGGBB).
void sfnec_palette_make(sfnec_palette *palette, const uint32_t *pixels, size_t count);
// The number of the colour that stands for a pixel of those.
uint8_t sfnec_palette_find(const sfnec_palette *palette, uint32_t pixel);

#endif
