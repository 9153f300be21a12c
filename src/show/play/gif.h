// gif.h: an animated GIF, written frame by frame.
//
// GIF89a with a palette of its own for every frame. After the first frame only the rectangle that has changed is
// stored, so a film of a small agent on a still map stays small.
#ifndef SFNEC_SHOW_PLAY_GIF_H
#define SFNEC_SHOW_PLAY_GIF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct sfnec_gif sfnec_gif;

// Begins a film of at most 65,535 x 65,535 pixels that repeats forever. NULL without memory. A write error stays in
// `file` for the caller.
sfnec_gif *sfnec_gif_open(FILE *file, int width, int height);
// Adds a frame: 0x00RRGGBB per pixel, (height, width); shown for so many hundredths of a second. False if the file
// could not be written.
bool sfnec_gif_add(sfnec_gif *gif, const uint32_t *pixels, int hundredths);
// Ends the film and frees everything; NULL is fine.
void sfnec_gif_close(sfnec_gif *gif);

#endif
