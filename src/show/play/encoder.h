// encoder.h: the program ffmpeg, which makes an MP4 of frames that come through a pipe.
#ifndef SFNEC_SHOW_PLAY_ENCODER_H
#define SFNEC_SHOW_PLAY_ENCODER_H

#include <stddef.h>
#include <sys/types.h>

#include "sfnec/status.h"

typedef struct sfnec_encoder {
  pid_t process; // 0: none
  int pipe;      // -1: none
} sfnec_encoder;

#define SFNEC_ENCODER_NONE ((sfnec_encoder){0, -1})

// Starts ffmpeg for frames of 0x00RRGGBB pixels, `rate` per second. Fails with SFNEC_ERROR_IO.
sfnec_status sfnec_encoder_start(sfnec_encoder *encoder, int width, int height, int rate, const char *path);
sfnec_status sfnec_encoder_write(sfnec_encoder *encoder, const void *bytes, size_t size);
// Waits until ffmpeg is done; `status` is what happened so far, and comes back unless ffmpeg itself failed.
sfnec_status sfnec_encoder_end(sfnec_encoder *encoder, sfnec_status status);

#endif
