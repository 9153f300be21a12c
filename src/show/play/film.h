// film.h: an episode as a film, or as one picture; no display is needed.
#ifndef SFNEC_SHOW_PLAY_FILM_H
#define SFNEC_SHOW_PLAY_FILM_H

#include <stdio.h>

#include "show/play/scene.h"

typedef struct sfnec_film_options {
  int size;  // the height in pixels
  int speed; // steps per second
  // called after each step with the number of steps; NULL: none
  void (*progress)(void *context, int64_t steps);
  void *context;
} sfnec_film_options;

// All of these play the scene to the end of its episode, and fail as sfnec_paint and sfnec_scene_step do. A write error
// of a FILE stays in it for the caller.

// An animated GIF that repeats.
sfnec_status sfnec_film_gif(sfnec_scene *scene, const sfnec_film_options *options, FILE *file);
// An MP4 by the program ffmpeg, which gets the frames through a pipe and writes to `path`. Also fails with
// SFNEC_ERROR_IO if ffmpeg is not there or cannot do it. The caller ignores SIGPIPE.
sfnec_status sfnec_film_mp4(sfnec_scene *scene, const sfnec_film_options *options, const char *path);
// One picture: the trail of the whole episode over the values at its start.
sfnec_status sfnec_film_png(sfnec_scene *scene, const sfnec_film_options *options, FILE *file);

#endif
