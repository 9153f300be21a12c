// film.c: an episode as a film, or as one picture; see film.h.
#include "show/play/film.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "show/play/gif.h"
#include "show/play/paint.h"

extern char **environ;

// positions along each side of the value map
enum { SIDE = 41 };
// how long the last frame is shown
static const double end_seconds = 2;

// What is filmed, and where the frames go.
typedef struct reel {
  sfnec_scene *scene;
  const sfnec_film_options *options;
  int size, width, height;
  double seconds; // of a frame
  uint32_t *pixels;
  sfnec_value_map *values; // NULL in a world without positions
  sfnec_gif *gif;
  pid_t encoder; // 0: none
  int pipe;      // to the encoder; -1: none
} reel;

static sfnec_status reel_open(reel *reel, sfnec_scene *scene, const sfnec_film_options *options) {
  *reel = (struct reel){
      .scene = scene, .options = options, .size = options->size, .seconds = 1.0 / options->speed, .pipe = -1};
  sfnec_paint_extent(options->size, &reel->width, &reel->height);
  reel->pixels = calloc((size_t)reel->width * (size_t)reel->height, sizeof *reel->pixels);
  if (!reel->pixels) return sfnec_fail_memory("a picture");
  if (!sfnec_value_map_possible(scene)) return SFNEC_OK;
  return sfnec_value_map_create(scene, SIDE, SIDE, &reel->values);
}

static void reel_close(reel *reel) {
  sfnec_gif_close(reel->gif);
  free(reel->pixels);
  sfnec_value_map_destroy(reel->values);
}

static sfnec_status step(const sfnec_film_options *options, sfnec_scene *scene, int64_t *steps) {
  const sfnec_status status = sfnec_scene_step(scene);
  ++*steps;
  if (!status && options->progress) options->progress(options->context, *steps);
  return status;
}

static sfnec_status paint(reel *reel) {
  const sfnec_status status = reel->values ? sfnec_value_map_update(reel->values, reel->scene) : SFNEC_OK;
  return status ? status : sfnec_paint(reel->scene, reel->values, reel->size, false, reel->pixels);
}

// Plays the episode, a frame per step and a longer one at its end.
static sfnec_status shoot(reel *reel, sfnec_status (*add)(const struct reel *reel, double seconds)) {
  for (int64_t steps = 0;;) {
    const bool last = reel->scene->ended;
    sfnec_status status = paint(reel);
    if (!status) status = add(reel, last ? end_seconds : reel->seconds);
    if (!status && !last) status = step(reel->options, reel->scene, &steps);
    if (status || last) return status;
  }
}

// ---- GIF ----

static sfnec_status add_to_gif(const reel *reel, double seconds) {
  // the error stays in the file, and the caller who opened it reports it
  if (!sfnec_gif_add(reel->gif, reel->pixels, (int)(100 * seconds + 0.5)))
    return sfnec_fail(SFNEC_ERROR_IO, "cannot write the film: %s", strerror(errno));
  return SFNEC_OK;
}

sfnec_status sfnec_film_gif(sfnec_scene *scene, const sfnec_film_options *options, FILE *file) {
  reel reel;
  sfnec_status status = reel_open(&reel, scene, options);
  if (!status) reel.gif = sfnec_gif_open(file, reel.width, reel.height);
  if (!status) status = reel.gif ? shoot(&reel, add_to_gif) : sfnec_fail_memory("a film");
  reel_close(&reel);
  return status;
}

// ---- MP4: the program ffmpeg at the other end of a pipe ----

static sfnec_status refuse(int why) {
  if (why == ENOENT)
    return sfnec_fail(SFNEC_ERROR_IO,
                      "the program ffmpeg, which makes mp4 films, was not found: install ffmpeg, or make "
                      "a gif");
  return sfnec_fail(SFNEC_ERROR_IO, "cannot start ffmpeg: %s", strerror(why));
}

// ffmpeg reads the pipe and says nothing
static int spawn(pid_t *process, int input, char *const *arguments) {
  posix_spawn_file_actions_t actions;
  int why = posix_spawn_file_actions_init(&actions);
  if (why) return why;
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  why = posix_spawnp(process, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return why;
}

// Starts ffmpeg for frames of 0x00RRGGBB pixels, `rate` per second. Fails with SFNEC_ERROR_IO.
static sfnec_status start_encoder(reel *reel, int rate, const char *path) {
  char size[32], speed[16], target[4096];
  snprintf(size, sizeof size, "%dx%d", reel->width, reel->height);
  snprintf(speed, sizeof speed, "%d", rate);
  // the prefix keeps ffmpeg from taking a name with a colon for a protocol
  if (snprintf(target, sizeof target, "file:%s", path) >= (int)sizeof target)
    return sfnec_fail(SFNEC_ERROR_IO, "the path of the film is too long: %.100s", path);
  const char *arguments[] = {"ffmpeg",   "-hide_banner", "-loglevel", "quiet",   "-f",         "rawvideo",
                             "-pix_fmt", "bgr0",         "-s",        size,      "-framerate", speed,
                             "-i",       "pipe:0",       "-pix_fmt",  "yuv420p", "-movflags",  "+faststart",
                             "-f",       "mp4",          "-y",        target,    NULL};
  int ends[2];
  if (pipe(ends) != 0) return refuse(errno);
  // ffmpeg must not hold the writing end, or it would wait for itself
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  reel->pipe = ends[1];
  pid_t process;
  const int why = spawn(&process, ends[0], (char *const *)arguments);
  close(ends[0]);
  if (why) return refuse(why);
  reel->encoder = process;
  return SFNEC_OK;
}

// a pipe has no durations, so a long frame is a frame many times
static sfnec_status add_to_pipe(const reel *reel, double seconds) {
  for (int64_t times = (int64_t)ceil(seconds / reel->seconds - 0.5); times > 0; times--) {
    const char *at = (const char *)reel->pixels;
    for (size_t left = 4 * (size_t)reel->width * (size_t)reel->height; left > 0;) {
      const ssize_t written = write(reel->pipe, at, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return sfnec_fail(SFNEC_ERROR_IO, "ffmpeg stopped in the middle of the film: is the disk full?");
      at += written;
      left -= (size_t)written;
    }
  }
  return SFNEC_OK;
}

// Waits until ffmpeg is done; `status` is what happened so far, and comes back unless ffmpeg itself failed.
static sfnec_status end_encoder(const reel *reel, sfnec_status status) {
  if (reel->pipe >= 0) close(reel->pipe);
  if (!reel->encoder) return status;
  int result = 0;
  pid_t ended;
  do ended = waitpid(reel->encoder, &result, 0);
  while (ended < 0 && errno == EINTR);
  if (status) return status;
  if (ended > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0) return SFNEC_OK;
  if (ended > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 127) return refuse(ENOENT);
  return sfnec_fail(SFNEC_ERROR_IO, "ffmpeg could not make the film (exit %d): does it know the format mp4?",
                    WIFEXITED(result) ? WEXITSTATUS(result) : -1);
}

sfnec_status sfnec_film_mp4(sfnec_scene *scene, const sfnec_film_options *options, const char *path) {
  reel reel;
  sfnec_status status = reel_open(&reel, scene, options);
  // painted once before: without cairo nothing is started
  if (!status) status = paint(&reel);
  if (!status) status = start_encoder(&reel, options->speed, path);
  if (!status) status = shoot(&reel, add_to_pipe);
  status = end_encoder(&reel, status);
  reel_close(&reel);
  return status;
}

// ---- PNG ----

sfnec_status sfnec_film_png(sfnec_scene *scene, const sfnec_film_options *options, FILE *file) {
  reel reel;
  sfnec_status status = reel_open(&reel, scene, options);
  // the values of the start, and nothing taken yet
  if (!status && reel.values) status = sfnec_value_map_update(reel.values, scene);
  for (int64_t steps = 0; !status && !scene->ended;) status = step(options, scene, &steps);
  if (!status) status = sfnec_paint(scene, reel.values, options->size, true, reel.pixels);
  if (!status) status = sfnec_paint_png(reel.pixels, reel.width, reel.height, file);
  reel_close(&reel);
  return status;
}
