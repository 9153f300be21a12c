// cmd_film.c: `sfnec film`: an episode of a saved agent as GIF, MP4 or PNG.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/limit.h"
#include "cli/output.h"
#include "cli/scene_args.h"
#include "show/play/film.h"
#include "show/play/paint.h"

typedef struct film_args {
  scene_args scene;
  const char *out;
  int64_t size, speed, time_limit;
} film_args;

static int run_film(const void *values, const text_list *operands);

static const arg table[] = {
    {"out", ARG_TEXT, offsetof(film_args, out), "FILE", NULL, 0, 0,
     "the film to write: FILE.gif, FILE.mp4 (needs ffmpeg) or FILE.png (one picture)"},
    SCENE_ARGS(film_args),
    {"speed", ARG_INT, offsetof(film_args, speed), "N", "10", 1, 50, "steps per second"},
    {"size", ARG_INT, offsetof(film_args, size), "N", "480", SFNEC_PAINT_LEAST_SIZE, SFNEC_PAINT_MOST_SIZE,
     "height in pixels"},
    ARG_TIME_LIMIT(film_args, time_limit),
    {0},
};

const command command_film = {
    .name = "film",
    .summary = "make a film or a picture of a saved agent that plays",
    .operands = "AGENT",
    .about = "Plays one episode greedily and films it without a display: the environment over the value of its\n"
             "positions, the trail, what the agent expects of each action, which policy it follows and the\n"
             "weights. A PNG shows the trail of the whole episode.",
    .args = table,
    .values_size = sizeof(film_args),
    .run = run_film,
};

static bool is_format(const char *path, const char *ending) {
  const char *dot = strrchr(path, '.');
  return dot && strcasecmp(dot, ending) == 0;
}

// on a terminal, a few times a second
static void show_progress(void *context, int64_t steps) {
  double *shown = context;
  const double now = sfnec_seconds();
  if (now - *shown < 0.2) return;
  *shown = now;
  fprintf(stderr, "\r\033[Kstep %" PRId64, steps);
  fflush(stderr);
}

static int shoot(const film_args *args, sfnec_scene *scene, const output *output) {
  double shown = sfnec_seconds();
  const bool terminal = isatty(STDERR_FILENO);
  const sfnec_film_options options = {.size = (int)args->size,
                                      .speed = (int)args->speed,
                                      .progress = terminal ? show_progress : NULL,
                                      .context = &shown};
  sfnec_status status;
  if (is_format(args->out, ".gif")) status = sfnec_film_gif(scene, &options, output->file);
  else if (is_format(args->out, ".png")) status = sfnec_film_png(scene, &options, output->file);
  else if (output->whole.temporary) status = sfnec_film_mp4(scene, &options, output->whole.temporary);
  else return fail("--out %s: an mp4 needs a plain file, because its head is written last", args->out);
  if (terminal) fprintf(stderr, "\r\033[K");
  // a file that cannot be written is reported when it is closed
  if (status && ferror(output->file)) return EXIT_OK;
  return code_of(status);
}

static int run_film(const void *values, const text_list *operands) {
  const film_args *args = values;
  if (!args->out) return misuse("film needs --out FILE.gif, FILE.mp4 or FILE.png");
  if (!is_format(args->out, ".gif") && !is_format(args->out, ".mp4") && !is_format(args->out, ".png"))
    return misuse("--out %s: the name must end in .gif, .mp4 or .png", args->out);
  sfnec_scene *scene = NULL;
  output output;
  limit_time(args->time_limit);
  int code = scene_args_open(&args->scene, operands->items[0], &scene);
  if (code) return code;
  code = output_open(&output, "out", args->out);
  if (!code) code = output_close(&output, shoot(args, scene, &output));
  if (!code) printf("wrote %s: %" PRId64 " steps\n", args->out, scene->play.steps);
  sfnec_scene_close(scene);
  return code;
}
