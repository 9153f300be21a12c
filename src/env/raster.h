// raster.h: worlds as pictures that agents observe (option observe=picture).
//
// This is not the renderer for people (show/play): what an agent observes belongs to the world, must not change with a
// theme, and is small. It draws the same description of a state, sfnec_look.
#ifndef SFNEC_ENV_RASTER_H
#define SFNEC_ENV_RASTER_H

#include <stddef.h>

#include "sfnec/env.h"

enum { SFNEC_RASTER_CHANNELS = 3, SFNEC_RASTER_LEVELS = 255, SFNEC_RASTER_MOST_SIDE = 256 };

// The shape of such a picture.
sfnec_picture_shape sfnec_raster_shape(int32_t side);
// Draws a map (side, side, 3), the top row first, as multiples of 1 / 255.
void sfnec_raster_draw(const sfnec_look *look, int32_t side, float *picture);

#endif
