// film.c: an episode as a film, or as one picture; see film.h.
#include "show/play/film.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "show/play/encoder.h"
#include "show/play/gif.h"
#include "show/play/paint.h"

// positions along each side of the value map
enum { SIDE = 41 };
// how long the last frame is shown
static const double end_seconds = 2;

// Where the frames go.
typedef struct sink {
  sfnec_status (*add)(void *to, const uint32_t *pixels, double seconds);
  void *to;
} sink;

// What is filmed.
typedef struct reel {
  sfnec_scene *scene;
  int size, width, height;
  double seconds; // of a frame
  uint32_t *pixels;
  sfnec_values *values; // NULL in a world without positions
} reel;

static sfnec_status reel_open(reel *reel, sfnec_scene *scene, const sfnec_film_options *options) {
  *reel = (struct reel){.scene = scene, .size = options->size, .seconds = 1.0 / options->speed};
  sfnec_paint_extent(options->size, &reel->width, &reel->height);
  reel->pixels = calloc((size_t)reel->width * (size_t)reel->height, sizeof *reel->pixels);
  if (!reel->pixels) return sfnec_fail_memory("a picture");
  if (scene->look.view != SFNEC_LOOK_MAP) return SFNEC_OK;
  return sfnec_values_create(scene, SIDE, SIDE, &reel->values);
}

static void reel_close(reel *reel) {
  free(reel->pixels);
  sfnec_values_destroy(reel->values);
}

static sfnec_status paint(reel *reel) {
  const sfnec_status status = reel->values ? sfnec_values_update(reel->values, reel->scene) : SFNEC_OK;
  return status ? status : sfnec_paint(reel->scene, reel->values, reel->size, false, reel->pixels);
}

// Plays the episode, a frame per step and a longer one at its end.
static sfnec_status shoot(reel *reel, const sink *sink) {
  for (;;) {
    const bool last = reel->scene->ended;
    sfnec_status status = paint(reel);
    if (!status) status = sink->add(sink->to, reel->pixels, last ? end_seconds : reel->seconds);
    if (!status && !last) status = sfnec_scene_step(reel->scene);
    if (status || last) return status;
  }
}

// ---- GIF ----

static sfnec_status add_to_gif(void *to, const uint32_t *pixels, double seconds) {
  // the error stays in the file, and is told by whoever opened it
  if (!sfnec_gif_add(to, pixels, (int)(100 * seconds + 0.5)))
    return sfnec_fail(SFNEC_ERROR_IO, "cannot write the film: %s", strerror(errno));
  return SFNEC_OK;
}

sfnec_status sfnec_film_gif(sfnec_scene *scene, const sfnec_film_options *options, FILE *file) {
  reel reel;
  sfnec_gif *gif = NULL;
  sfnec_status status = reel_open(&reel, scene, options);
  if (!status) {
    gif = sfnec_gif_open(file, reel.width, reel.height);
    const sink sink = {add_to_gif, gif};
    status = gif ? shoot(&reel, &sink) : sfnec_fail_memory("a film");
  }
  sfnec_gif_close(gif);
  reel_close(&reel);
  return status;
}

// ---- MP4 ----

// a pipe has no durations, so a long frame is a frame many times
typedef struct pipe_sink {
  sfnec_encoder *encoder;
  size_t bytes;
  double seconds; // of a frame
} pipe_sink;

static sfnec_status add_to_pipe(void *to, const uint32_t *pixels, double seconds) {
  const pipe_sink *pipe = to;
  sfnec_status status = SFNEC_OK;
  const int64_t times = (int64_t)ceil(seconds / pipe->seconds - 0.5);
  for (int64_t i = 0; i < times && !status; i++) status = sfnec_encoder_write(pipe->encoder, pixels, pipe->bytes);
  return status;
}

sfnec_status sfnec_film_mp4(sfnec_scene *scene, const sfnec_film_options *options, const char *path) {
  reel reel;
  sfnec_encoder encoder = SFNEC_ENCODER_NONE;
  sfnec_status status = reel_open(&reel, scene, options);
  // painted once before: without cairo nothing is started
  if (!status) status = paint(&reel);
  if (!status) status = sfnec_encoder_start(&encoder, reel.width, reel.height, options->speed, path);
  if (!status) {
    pipe_sink pipe = {&encoder, 4 * (size_t)reel.width * (size_t)reel.height, reel.seconds};
    const sink sink = {add_to_pipe, &pipe};
    status = shoot(&reel, &sink);
  }
  status = sfnec_encoder_end(&encoder, status);
  reel_close(&reel);
  return status;
}

// ---- PNG ----

sfnec_status sfnec_film_png(sfnec_scene *scene, const sfnec_film_options *options, FILE *file) {
  reel reel;
  sfnec_status status = reel_open(&reel, scene, options);
  // the values of the start, and nothing taken yet
  if (!status && reel.values) status = sfnec_values_update(reel.values, scene);
  while (!status && !scene->ended) status = sfnec_scene_step(scene);
  if (!status) status = sfnec_paint(scene, reel.values, options->size, true, reel.pixels);
  if (!status) status = sfnec_paint_png(reel.pixels, reel.width, reel.height, file);
  reel_close(&reel);
  return status;
}
