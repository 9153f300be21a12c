// cmd_watch.c: `sfnec watch`: a saved agent plays in the terminal, and the keys change what it is rewarded for.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/scene_args.h"
#include "cli/terminal.h"
#include "show/play/screen.h"

typedef struct watch_args {
  scene_args scene;
  int64_t speed;
} watch_args;

static int run_watch(const void *values, const text_list *operands);

enum { FASTEST = 1000 };

static const arg table[] = {
    SCENE_ARGS(watch_args),
    {"speed", ARG_INT, offsetof(watch_args, speed), "N", "8", 1, FASTEST, "steps per second"},
    {0},
};

const command command_watch = {
    .name = "watch",
    .summary = "watch a saved agent play, and change its reward while it does",
    .operands = "AGENT",
    .about = "Plays a saved agent greedily in the terminal: the environment, the trail, the value of each\n"
             "action, the policy in use, and the memories behind the choice.\n"
             "Keys: up and down choose a weight, left and right change it, 0 takes the changes back, space\n"
             "pauses, s makes one step, + and - change the speed, n begins another episode, v shows or hides\n"
             "the values of positions, p the states and the path of an agent that plans, q quits.",
    .args = table,
    .values_size = sizeof(watch_args),
    .run = run_watch,
};

// how long the end of an episode is shown, and the smallest change of a weight
static const double end_seconds = 2, notch = 0.1;

typedef struct watch {
  sfnec_scene *scene;
  sfnec_value_map *values; // NULL: not shown, or not of the present size
  double *first_w;
  sfnec_screen_options screen;
  bool show_values, quit;
  double next; // when the next step is due
  int code;
} watch;

// ---- drawing ----

static void library_failed(watch *watch, sfnec_status status) {
  if (!status) return;
  terminal_close();
  watch->code = code_of(status);
}

// the value map has one value per character
static void update_values(watch *watch) {
  int columns, rows;
  sfnec_screen_map_size(watch->scene, &watch->screen, &columns, &rows);
  const bool wanted = watch->show_values && watch->screen.colours >= 256 && sfnec_value_map_possible(watch->scene);
  const bool grid = watch->scene->look.cells > 0;
  if (watch->values && (!wanted || (!grid && (watch->values->columns != columns || watch->values->rows != rows)))) {
    sfnec_value_map_destroy(watch->values);
    watch->values = NULL;
  }
  if (wanted && !watch->values)
    library_failed(watch, sfnec_value_map_create(watch->scene, columns, rows, &watch->values));
  if (watch->values) library_failed(watch, sfnec_value_map_update(watch->values, watch->scene));
}

static void draw(watch *watch) {
  terminal_size(STDOUT_FILENO, &watch->screen.columns, &watch->screen.rows);
  update_values(watch);
  if (watch->code) return;
  char *text = sfnec_screen_draw(watch->scene, watch->values, &watch->screen);
  watch->code = text ? terminal_write(text) : fail("out of memory");
  free(text);
}

// ---- keys ----

static void set_weights(watch *watch, const double *w) {
  if (watch->scene->fixed) watch->screen.notice = "this agent predicts the reward itself: its weights are fixed";
  else library_failed(watch, sfnec_scene_set_weights(watch->scene, w));
}

static void change_weight(watch *watch, double by) {
  const size_t size = (size_t)watch->scene->shape.feature_count * sizeof(double);
  double *w = must_alloc(1, size);
  memcpy(w, watch->scene->w, size);
  // on the notches, so that 0 is met
  const double value = floor((w[watch->screen.feature] + by) / notch + 0.5) * notch;
  w[watch->screen.feature] = fmin(fmax(value, -1), 1) + 0.0;
  set_weights(watch, w);
  free(w);
}

static void choose_weight(watch *watch, int32_t by) {
  const int32_t count = watch->scene->shape.feature_count;
  watch->screen.feature = (watch->screen.feature + by + count) % count;
}

static void change_speed(watch *watch, bool faster) {
  const int64_t speed = watch->screen.speed;
  const int64_t changed = faster ? speed + (speed + 2) / 3 : speed - (speed + 3) / 4;
  watch->screen.speed = changed < 1 ? 1 : changed > FASTEST ? FASTEST : changed;
  watch->next = 0;
}

static void new_episode(watch *watch) {
  library_failed(watch, sfnec_scene_restart(watch->scene));
  watch->next = sfnec_seconds() + 1.0 / (double)watch->screen.speed;
}

static void step(watch *watch) {
  if (watch->scene->ended) {
    new_episode(watch);
    return;
  }
  library_failed(watch, sfnec_scene_step(watch->scene));
  watch->next = sfnec_seconds() + (watch->scene->ended ? end_seconds : 1.0 / (double)watch->screen.speed);
}

static void obey(watch *watch, int key) {
  watch->screen.notice = NULL;
  switch (key) {
  // the weights: up and down choose one, left and right change it
  case TERMINAL_UP:
  case 'k':
    choose_weight(watch, -1);
    break;
  case TERMINAL_DOWN:
  case 'j':
  case '\t':
    choose_weight(watch, 1);
    break;
  case TERMINAL_LEFT:
  case 'h':
    change_weight(watch, -notch);
    break;
  case TERMINAL_RIGHT:
  case 'l':
    change_weight(watch, notch);
    break;
  case '0':
    set_weights(watch, watch->first_w);
    break;
  // time
  case ' ':
    watch->screen.paused = !watch->screen.paused;
    break;
  case 's':
    watch->screen.paused = true;
    step(watch);
    break;
  case '+':
  case '=':
    change_speed(watch, true);
    break;
  case '-':
    change_speed(watch, false);
    break;
  case 'n':
    new_episode(watch);
    break;
  // what is shown
  case 'v':
    watch->show_values = !watch->show_values;
    break;
  case 'p':
    watch->screen.plan = !watch->screen.plan;
    break;
  case 'q':
    watch->quit = true;
    break;
  default:
    break;
  }
}

// ---- playing ----

// one key, one step or one change of the terminal
static void go_on(watch *watch) {
  const double left = watch->next - sfnec_seconds();
  const int event = terminal_wait(watch->screen.paused ? 60 : left);
  if (event == TERMINAL_ENDED) {
    watch->quit = true;
    if (!watch->code) watch->code = EXIT_INTERRUPTED;
  } else if (event >= 0) {
    obey(watch, event);
  }
  if (!watch->quit && !watch->code && !watch->screen.paused && sfnec_seconds() >= watch->next) step(watch);
}

static int check_size(void) {
  int columns, rows;
  terminal_size(STDOUT_FILENO, &columns, &rows);
  if (columns >= SFNEC_SCREEN_LEAST_COLUMNS && rows >= SFNEC_SCREEN_LEAST_ROWS) return EXIT_OK;
  return fail("the terminal has %d columns and %d rows, but watch needs %d and %d; make it larger", columns, rows,
              SFNEC_SCREEN_LEAST_COLUMNS, SFNEC_SCREEN_LEAST_ROWS);
}

static int play(watch *watch) {
  watch->code = check_size();
  if (!watch->code) watch->code = terminal_open("watch");
  if (watch->code) return watch->code;
  watch->next = sfnec_seconds() + 1.0 / (double)watch->screen.speed;
  while (!watch->quit && !watch->code) {
    draw(watch);
    if (!watch->code) go_on(watch);
  }
  terminal_close();
  return watch->code;
}

static int run_watch(const void *values, const text_list *operands) {
  const watch_args *args = values;
  watch watch = {
      .show_values = true,
      .screen = {.speed = args->speed, .plan = true, .colours = terminal_colours(), .unicode = terminal_unicode()}};
  int code = scene_args_open(&args->scene, operands->items[0], &watch.scene);
  if (code) return code;
  const size_t size = (size_t)watch.scene->shape.feature_count * sizeof *watch.first_w;
  watch.first_w = must_alloc(1, size);
  memcpy(watch.first_w, watch.scene->w, size);
  code = play(&watch);
  free(watch.first_w);
  sfnec_value_map_destroy(watch.values);
  sfnec_scene_close(watch.scene);
  return code;
}
