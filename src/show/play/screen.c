// screen.c: a scene as text for a terminal; see screen.h.
#include "show/play/screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/play/canvas.h"

enum { PANEL = 36, BAR = 14, SLIDER = 15, NAME = 9 };

typedef struct screen {
  const sfnec_scene *scene;
  const sfnec_values *values;
  const sfnec_screen_options *options;
  sfnec_canvas canvas;
  int columns, rows; // of the map
} screen;

void sfnec_screen_map_size(const sfnec_scene *scene, const sfnec_screen_options *options, int *columns, int *rows) {
  // a character is about twice as high as it is wide
  const int by_height = options->rows - 4, by_width = (options->columns - PANEL - 4) / 2;
  int height = by_height < by_width ? by_height : by_width;
  if (height < 1) height = 1;
  // whole characters per cell of a grid
  const int cells = scene->look.cells;
  if (cells > 0 && height >= cells) height -= height % cells;
  *rows = height;
  *columns = 2 * height;
}

// ---- the map ----

// a point of the unit square, inside of the frame
static int map_row(const screen *s, double y) {
  const int row = (int)floor(y * s->rows);
  return s->rows - (row < 0 ? 0 : row >= s->rows ? s->rows - 1 : row);
}

static int map_column(const screen *s, double x) {
  const int column = (int)floor(x * s->columns);
  return 1 + (column < 0 ? 0 : column >= s->columns ? s->columns - 1 : column);
}

static void put_at(screen *s, double x, double y, sfnec_style style, const char *glyph, const char *plain) {
  sfnec_canvas_put(&s->canvas, map_row(s, y), map_column(s, x), style, glyph, plain);
}

static void draw_frame(screen *s) {
  const int right = s->columns + 1, bottom = s->rows + 1;
  for (int column = 1; column < right; column++) {
    sfnec_canvas_put(&s->canvas, 0, column, SFNEC_STYLE_DIM, "─", "-");
    sfnec_canvas_put(&s->canvas, bottom, column, SFNEC_STYLE_DIM, "─", "-");
  }
  for (int row = 1; row < bottom; row++) {
    sfnec_canvas_put(&s->canvas, row, 0, SFNEC_STYLE_DIM, "│", "|");
    sfnec_canvas_put(&s->canvas, row, right, SFNEC_STYLE_DIM, "│", "|");
  }
  sfnec_canvas_put(&s->canvas, 0, 0, SFNEC_STYLE_DIM, "┌", "+");
  sfnec_canvas_put(&s->canvas, 0, right, SFNEC_STYLE_DIM, "┐", "+");
  sfnec_canvas_put(&s->canvas, bottom, 0, SFNEC_STYLE_DIM, "└", "+");
  sfnec_canvas_put(&s->canvas, bottom, right, SFNEC_STYLE_DIM, "┘", "+");
}

// from low to high: dark blue, teal, green, yellow; dark enough to read on
static const int16_t shades[] = {17, 18, 24, 23, 29, 28, 64, 100, 136, 172};

static void draw_values(screen *s) {
  if (!s->values || s->canvas.colours < 256) return;
  const int last = (int)(sizeof shades / sizeof *shades) - 1;
  for (int row = 0; row < s->rows; row++) {
    for (int column = 0; column < s->columns; column++) {
      // a grid has fewer values than characters
      const double share =
          sfnec_values_share(s->values, column * s->values->columns / s->columns, row * s->values->rows / s->rows);
      if (!isnan(share)) sfnec_canvas_shade(&s->canvas, s->rows - row, column + 1, shades[(int)(share * last + 0.5)]);
    }
  }
}

// a wall thinner than a character still shows: it is widened to one
static bool in_wide_wall(const screen *s, double x, double y) {
  for (int32_t i = 0; i < s->scene->look.wall_count; i++) {
    const sfnec_look_wall *wall = &s->scene->look.walls[i];
    const double across = fmax((wall->right - wall->left) / 2, 0.5 / s->columns) + 1e-9;
    const double up = fmax((wall->top - wall->bottom) / 2, 0.5 / s->rows) + 1e-9;
    if (fabs(x - (wall->left + wall->right) / 2) <= across && fabs(y - (wall->bottom + wall->top) / 2) <= up)
      return true;
  }
  return false;
}

static void draw_ground(screen *s) {
  const sfnec_look *look = &s->scene->look;
  for (int row = 0; row < s->rows; row++) {
    for (int column = 0; column < s->columns; column++) {
      const double x = (column + 0.5) / s->columns, y = (row + 0.5) / s->rows;
      if (in_wide_wall(s, x, y)) put_at(s, x, y, SFNEC_STYLE_WALL, "█", "#");
      else if (hypot(x - look->goal_x, y - look->goal_y) <= look->goal_radius)
        put_at(s, x, y, SFNEC_STYLE_GOAL, "░", ":");
    }
  }
  if (look->goal_radius > 0) put_at(s, look->goal_x, look->goal_y, SFNEC_STYLE_GOAL, "G", "G");
}

static void draw_things(screen *s) {
  static const char *const glyphs[] = {"●", "■", "▲", "✖", "★"}, *const plain[] = {"o", "s", "t", "x", "*"};
  const sfnec_scene *scene = s->scene;
  for (int64_t i = 0; i < scene->steps; i++)
    put_at(s, scene->trail[i].x, scene->trail[i].y, SFNEC_STYLE_TRAIL, "·", ".");
  for (int32_t i = 0; i < scene->look.object_count; i++) {
    const sfnec_look_object *object = &scene->look.objects[i];
    const sfnec_look_glyph glyph = scene->look.glyphs[object->class_index];
    if (!(scene->look.taken >> i & 1))
      put_at(s, object->x, object->y, SFNEC_STYLE_OBJECT + (sfnec_style)object->class_index, glyphs[glyph],
             plain[glyph]);
  }
  for (size_t i = 0; i < scene->memory_count; i++)
    if (scene->memories[i].located) put_at(s, scene->memories[i].x, scene->memories[i].y, SFNEC_STYLE_MEMORY, "+", "+");
  put_at(s, scene->look.x, scene->look.y, SFNEC_STYLE_AGENT, "@", "@");
}

// the track at three quarters of the height; the pole is half of the map long and its angle three times what it is, as
// 12 degrees end an episode
static void draw_cart(screen *s) {
  const double ground = 0.25, x = s->scene->look.x, angle = 3 * s->scene->look.angle;
  for (int column = 0; column < s->columns; column++)
    put_at(s, (column + 0.5) / s->columns, ground - 1.0 / s->rows, SFNEC_STYLE_DIM, "─", "-");
  for (int i = 0; i <= 2 * s->rows; i++) {
    const double along = 0.55 * i / (2 * s->rows);
    put_at(s, x + along * sin(angle), ground + along * cos(angle), SFNEC_STYLE_CHOSEN, "█", "#");
  }
  for (int i = -3; i <= 3; i++) put_at(s, x + (double)i / s->columns, ground, SFNEC_STYLE_WALL, "▀", "=");
}

static void draw_map(screen *s) {
  draw_frame(s);
  if (s->scene->look.view != SFNEC_LOOK_MAP) {
    draw_cart(s);
    return;
  }
  draw_values(s);
  draw_ground(s);
  draw_things(s);
}

// ---- the panel ----

// a number that rounds to nothing is shown without a sign
static double shown(double value, double half) {
  return fabs(value) < half ? 0 : value;
}

static void draw_bar(screen *s, int row, int column, double share, sfnec_style style) {
  const int eighths = (int)(share * BAR * 8 + 0.5);
  static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  for (int i = 0; i < BAR; i++) {
    const int here = eighths - 8 * i;
    if (here >= 8) sfnec_canvas_put(&s->canvas, row, column + i, style, "█", "=");
    else if (here > 0) sfnec_canvas_put(&s->canvas, row, column + i, style, parts[here], here >= 4 ? "-" : "");
  }
}

// bars from zero, so that they do not make small differences large; below zero they begin at the lowest
static int draw_q(screen *s, int row, int column) {
  const sfnec_scene *scene = s->scene;
  double low = 0, high = 0;
  for (int32_t a = 0; a < scene->shape.action_count; a++) {
    low = fmin(low, scene->q[a]);
    high = fmax(high, scene->q[a]);
  }
  sfnec_canvas_print(&s->canvas, row++, column, SFNEC_STYLE_DIM, "Q of each action");
  for (int32_t a = 0; a < scene->shape.action_count; a++, row++) {
    const bool chosen = a == scene->choice.action;
    const sfnec_style style = chosen ? SFNEC_STYLE_CHOSEN : SFNEC_STYLE_PLAIN;
    sfnec_canvas_print(&s->canvas, row, column, style, "%c %-6.6s", chosen ? '>' : ' ', sfnec_scene_action(scene, a));
    draw_bar(s, row, column + 9, high > low ? (scene->q[a] - low) / (high - low) : 0, style);
    sfnec_canvas_print(&s->canvas, row, column + 9 + BAR + 1, style, "%9.3f", shown(scene->q[a], 0.0005));
  }
  return row;
}

static void draw_policy(screen *s, int row, int column) {
  const sfnec_scene *scene = s->scene;
  if (scene->ended) return;
  int64_t used = 0;
  for (int64_t i = 0; i < scene->steps; i++) used += scene->trail[i].policy == scene->choice.policy;
  if (scene->own) {
    sfnec_canvas_print(&s->canvas, row, column, SFNEC_STYLE_PLAIN, "policy of task %" PRIu32 " (no GPI)",
                       scene->task + 1);
    return;
  }
  sfnec_canvas_print(&s->canvas, row, column, SFNEC_STYLE_PLAIN, "GPI chose policy");
  sfnec_canvas_print(&s->canvas, row, column + 17, SFNEC_STYLE_CHOSEN, "%" PRId32, scene->choice.policy + 1);
  sfnec_canvas_print(&s->canvas, row, column + 20, SFNEC_STYLE_PLAIN, "of %" PRIu32 " (%" PRId64 "x)",
                     scene->policy_count, used);
}

static int draw_memories(screen *s, int row, int column) {
  const sfnec_scene *scene = s->scene;
  sfnec_canvas_print(&s->canvas, row++, column, SFNEC_STYLE_DIM, "memory distance  share  made at");
  for (size_t i = 0; i < 3; i++, row++) {
    if (i >= scene->memory_count) continue;
    const sfnec_recall *memory = &scene->memories[i];
    sfnec_canvas_print(&s->canvas, row, column, SFNEC_STYLE_MEMORY, "%4zu %10.4f  %4.0f%%", i + 1, memory->distance,
                       100 * memory->weight);
    if (memory->located)
      sfnec_canvas_print(&s->canvas, row, column + 24, SFNEC_STYLE_MEMORY, "%.2f %.2f", memory->x, memory->y);
  }
  return row;
}

static void draw_slider(screen *s, int row, int column, int32_t feature) {
  const sfnec_scene *scene = s->scene;
  const double w = scene->w[feature];
  const bool chosen = feature == s->options->feature && !scene->fixed;
  const sfnec_style style = chosen ? SFNEC_STYLE_CHOSEN : SFNEC_STYLE_PLAIN;
  sfnec_canvas_print(&s->canvas, row, column, style, "%c %-8.8s", chosen ? '>' : ' ',
                     sfnec_scene_feature(scene, feature));
  for (int i = 0; i < SLIDER; i++)
    sfnec_canvas_put(&s->canvas, row, column + 11 + i, SFNEC_STYLE_DIM, i == SLIDER / 2 ? "┼" : "─",
                     i == SLIDER / 2 ? "+" : "-");
  const double inside = fmin(fmax(w, -1), 1);
  const int knob = (int)floor((inside + 1) / 2 * (SLIDER - 1) + 0.5);
  sfnec_canvas_put(&s->canvas, row, column + 11 + knob, style, "◆", "O");
  sfnec_canvas_print(&s->canvas, row, column + 11 + SLIDER + 1, style, "%6.2f", shown(w, 0.005));
}

static const char *state_of(const screen *s) {
  if (s->scene->ended) return sfnec_scene_end(s->scene);
  return s->options->paused ? "paused" : "playing";
}

static void draw_panel(screen *s) {
  const sfnec_scene *scene = s->scene;
  const int column = s->columns + 3, label = (int)strcspn(scene->label, ":");
  sfnec_canvas_print(&s->canvas, 0, column, SFNEC_STYLE_STRONG, "%.*s in %s", label < 20 ? label : 20, scene->label,
                     sfnec_env_get_kind(scene->env)->name);
  sfnec_canvas_print(&s->canvas, 1, column, SFNEC_STYLE_PLAIN, "episode %" PRId64 "  step %" PRId64 "  %s",
                     scene->episodes, scene->steps, state_of(s));
  sfnec_canvas_print(&s->canvas, 2, column, SFNEC_STYLE_PLAIN, "return %.2f  last reward %.2f",
                     shown(scene->total, 0.005), shown(scene->reward, 0.005));
  int row = draw_q(s, 4, column);
  draw_policy(s, ++row, column);
  row = draw_memories(s, row + 2, column);
  sfnec_canvas_print(&s->canvas, ++row, column, SFNEC_STYLE_DIM, "w, the reward of each%s",
                     scene->fixed ? " (fixed)" : "");
  for (int32_t f = 0; f < scene->shape.feature_count; f++) draw_slider(s, ++row, column, f);
}

static void draw_keys(screen *s) {
  const int row = s->options->rows - 1;
  if (s->options->notice) {
    sfnec_canvas_print(&s->canvas, row, 0, SFNEC_STYLE_STRONG, "%s", s->options->notice);
    return;
  }
  sfnec_canvas_print(&s->canvas, row, 0, SFNEC_STYLE_DIM,
                     "arrows w  0 undo  space %s  s step  +/- speed %" PRId64 "  n new  v values  q quit",
                     s->options->paused ? "play" : "pause", s->options->speed);
}

char *sfnec_screen_draw(const sfnec_scene *scene, const sfnec_values *values, const sfnec_screen_options *options) {
  screen s = {.scene = scene, .values = values, .options = options};
  s.canvas.colours = options->colours;
  s.canvas.unicode = options->unicode;
  if (!sfnec_canvas_init(&s.canvas, options->columns, options->rows)) return NULL;
  if (options->columns < SFNEC_SCREEN_LEAST_COLUMNS || options->rows < SFNEC_SCREEN_LEAST_ROWS) {
    sfnec_canvas_print(&s.canvas, 0, 0, SFNEC_STYLE_PLAIN, "too small: needs %d x %d", SFNEC_SCREEN_LEAST_COLUMNS,
                       SFNEC_SCREEN_LEAST_ROWS);
  } else {
    sfnec_screen_map_size(scene, options, &s.columns, &s.rows);
    draw_map(&s);
    draw_panel(&s);
    draw_keys(&s);
  }
  char *text = sfnec_canvas_text(&s.canvas);
  sfnec_canvas_clear(&s.canvas);
  return text;
}
