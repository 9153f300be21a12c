// screen.c: a scene as text for a terminal; see screen.h.
#include "show/play/screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "show/theme/theme.h"

// ---- a rectangle of styled characters that becomes text with ANSI sequences ----

// What a character means; the colours follow from it.
typedef enum style {
  STYLE_PLAIN,
  STYLE_DIM,
  STYLE_STRONG,
  STYLE_WALL,
  STYLE_TRAIL,
  STYLE_AGENT,
  STYLE_GOAL,
  STYLE_MEMORY,
  STYLE_STATE,
  STYLE_FRONTIER,
  STYLE_CHOSEN,
  STYLE_OBJECT, // and the next ones: one per glyph
  STYLE_COUNT = STYLE_OBJECT + SFNEC_THEME_GLYPHS
} style;

typedef struct cell {
  char glyph[5]; // one UTF-8 character; "" is a blank
  uint8_t style;
  int16_t shade; // 0 to 255: a colour of the 256 behind it; -1: none
} cell;

typedef struct screen {
  const sfnec_scene *scene;
  const sfnec_value_map *values;
  const sfnec_screen_options *options;
  cell *cells;       // (rows, columns) of the terminal
  int columns, rows; // of the map
} screen;

static cell *cell_at(screen *s, int row, int column) {
  if (row < 0 || row >= s->options->rows || column < 0 || column >= s->options->columns) return NULL;
  return &s->cells[(size_t)row * (size_t)s->options->columns + (size_t)column];
}

// Puts one character (UTF-8, or its ASCII stand-in); outside of the screen nothing happens.
static void put(screen *s, int row, int column, style style, const char *glyph, const char *plain) {
  cell *cell = cell_at(s, row, column);
  if (!cell) return;
  snprintf(cell->glyph, sizeof cell->glyph, "%s", s->options->unicode ? glyph : plain);
  cell->style = (uint8_t)style;
}

// Writes ASCII text from a cell on, as far as the row reaches.
__attribute__((format(printf, 5, 6))) static void print(screen *s, int row, int column, style style, const char *format,
                                                        ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  for (const char *c = text; *c; c++, column++) {
    // names from a file may hold anything, and a terminal obeys control characters
    const char glyph[2] = {*c >= 0x20 && *c < 0x7f ? *c : '?', '\0'};
    put(s, row, column, style, glyph, glyph);
  }
}

// The sequences of a style without colours and with 8; with 256, what comes before the colour, and the colour, that of
// the theme on a dark ground. Emphasis stays without colours.
static const struct {
  const char *none, *few, *many;
  sfnec_theme_role role;
} sequences[STYLE_OBJECT] = {
    [STYLE_PLAIN] = {"", "", "", 0},
    [STYLE_DIM] = {"", ";2", ";38;5;", SFNEC_ROLE_SOFT},
    [STYLE_STRONG] = {";1", ";1", ";1", 0},
    [STYLE_WALL] = {"", ";37", ";38;5;", SFNEC_ROLE_SOFT},
    [STYLE_TRAIL] = {"", ";37", ";38;5;", SFNEC_ROLE_TRAIL},
    [STYLE_AGENT] = {";1;7", ";1;7", ";1;38;5;16;48;5;", SFNEC_ROLE_AGENT},
    [STYLE_GOAL] = {"", ";32", ";38;5;", SFNEC_ROLE_GOAL},
    [STYLE_MEMORY] = {"", ";36", ";38;5;", SFNEC_ROLE_TEXT},
    [STYLE_STATE] = {"", ";2", ";38;5;", SFNEC_ROLE_TEXT},
    [STYLE_FRONTIER] = {"", ";31", ";38;5;", SFNEC_ROLE_AGENT},
    [STYLE_CHOSEN] = {";1", ";1;33", ";1;38;5;", SFNEC_ROLE_AGENT},
};

static int colour_of(const char *text) {
  double rgb[3];
  sfnec_theme_rgb(text, rgb);
  return sfnec_theme_xterm(rgb);
}

static void write_style(FILE *text, int colours, const cell *cell) {
  const int style = cell->style < STYLE_COUNT ? cell->style : STYLE_PLAIN;
  fputs("\033[0", text);
  if (style >= STYLE_OBJECT && colours) {
    const sfnec_theme_object *object = &sfnec_theme_objects[style - STYLE_OBJECT];
    if (colours < 256) fputs(object->few, text);
    else fprintf(text, ";1;38;5;%d", colour_of(object->colour.dark));
  } else if (style < STYLE_OBJECT) {
    const char *many = sequences[style].many;
    fputs(colours == 0 ? sequences[style].none : colours < 256 ? sequences[style].few : many, text);
    if (colours >= 256 && *many && many[strlen(many) - 1] == ';')
      fprintf(text, "%d", colour_of(sfnec_theme_roles[sequences[style].role].colour.dark));
  }
  // the agent's own background stays
  if (cell->shade >= 0 && colours >= 256 && style != STYLE_AGENT) fprintf(text, ";48;5;%d", cell->shade);
  fputc('m', text);
}

static void write_row(FILE *text, const screen *s, const cell *cells) {
  for (const cell *cell = cells; cell < cells + s->options->columns; cell++) {
    if (cell == cells || cell[-1].style != cell->style || cell[-1].shade != cell->shade)
      write_style(text, s->options->colours, cell);
    fputs(cell->glyph[0] ? cell->glyph : " ", text);
  }
}

// All rows from the top left of the terminal on, the rest of the terminal blank. A new string; NULL without memory.
static char *make_text(const screen *s) {
  char *out = NULL;
  size_t size = 0;
  FILE *text = open_memstream(&out, &size);
  if (!text) return NULL;
  for (int row = 0; row < s->options->rows; row++) {
    // every row has its place, so that a terminal that has just been resized shows no ladder
    fprintf(text, "\033[%d;1H", row + 1);
    write_row(text, s, s->cells + (size_t)row * (size_t)s->options->columns);
    fputs("\033[0m\033[K", text);
  }
  fputs("\033[J", text);
  return sfnec_output_close_text(text, &out) ? out : NULL;
}

// ---- the screen ----

enum { PANEL = 36, BAR = 14, SLIDER = 15, NAME = 9 };

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

static void put_at(screen *s, double x, double y, style style, const char *glyph, const char *plain) {
  put(s, map_row(s, y), map_column(s, x), style, glyph, plain);
}

static void draw_frame(screen *s) {
  const int right = s->columns + 1, bottom = s->rows + 1;
  for (int column = 1; column < right; column++) {
    put(s, 0, column, STYLE_DIM, "─", "-");
    put(s, bottom, column, STYLE_DIM, "─", "-");
  }
  for (int row = 1; row < bottom; row++) {
    put(s, row, 0, STYLE_DIM, "│", "|");
    put(s, row, right, STYLE_DIM, "│", "|");
  }
  put(s, 0, 0, STYLE_DIM, "┌", "+");
  put(s, 0, right, STYLE_DIM, "┐", "+");
  put(s, bottom, 0, STYLE_DIM, "└", "+");
  put(s, bottom, right, STYLE_DIM, "┘", "+");
}

// the colour of a value, dark enough to read on
static int16_t shade_of(double share) {
  double rgb[3];
  sfnec_theme_value(share, rgb);
  for (int i = 0; i < 3; i++) rgb[i] *= 0.6;
  return (int16_t)sfnec_theme_xterm(rgb);
}

static void draw_values(screen *s) {
  if (!s->values || s->options->colours < 256) return;
  for (int row = 0; row < s->rows; row++) {
    for (int column = 0; column < s->columns; column++) {
      // a grid has fewer values than characters
      const double share =
          sfnec_value_map_share(s->values, column * s->values->columns / s->columns, row * s->values->rows / s->rows);
      if (!isnan(share)) cell_at(s, s->rows - row, column + 1)->shade = shade_of(share);
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
      if (in_wide_wall(s, x, y)) put_at(s, x, y, STYLE_WALL, "█", "#");
      else if (hypot(x - look->goal_x, y - look->goal_y) <= look->goal_radius) put_at(s, x, y, STYLE_GOAL, "░", ":");
    }
  }
  if (look->goal_radius > 0) put_at(s, look->goal_x, look->goal_y, STYLE_GOAL, "G", "G");
}

// States as dots, eight to a character: a Braille pattern.
static void draw_states(screen *s) {
  static const unsigned char dots[4][2] = {{0x40, 0x80}, {0x04, 0x20}, {0x02, 0x10}, {0x01, 0x08}}; // from below
  unsigned char *patterns = calloc((size_t)s->rows * (size_t)s->columns, 1);
  for (size_t i = 0; i < s->scene->state_count && patterns; i++) {
    const sfnec_spot *state = &s->scene->states[i];
    const int row = map_row(s, state->y), column = map_column(s, state->x);
    const int up = (int)floor(state->y * s->rows * 4) & 3, across = (int)floor(state->x * s->columns * 2) & 1;
    unsigned char *pattern = &patterns[(row - 1) * s->columns + column - 1];
    *pattern |= dots[up][across];
    const char glyph[] = {(char)0xe2, (char)(0xa0 | *pattern >> 6), (char)(0x80 | (*pattern & 0x3f)), '\0'};
    const bool frontier = state->frontier || cell_at(s, row, column)->style == STYLE_FRONTIER;
    put(s, row, column, frontier ? STYLE_FRONTIER : STYLE_STATE, glyph, frontier ? "?" : ",");
  }
  free(patterns);
}

static void draw_things(screen *s) {
  const sfnec_scene *scene = s->scene;
  for (int64_t i = 0; i < scene->play.steps; i++)
    put_at(s, scene->trail[i].x, scene->trail[i].y, STYLE_TRAIL, "·", ".");
  for (size_t i = 0; i < scene->path_count && s->options->plan; i++)
    put_at(s, scene->path[i].x, scene->path[i].y, STYLE_CHOSEN, "∘", "-");
  for (int32_t i = 0; i < scene->look.object_count; i++) {
    const sfnec_look_object *object = &scene->look.objects[i];
    const sfnec_look_glyph glyph = scene->look.glyphs[object->class_index];
    if (!(scene->look.taken >> i & 1))
      put_at(s, object->x, object->y, STYLE_OBJECT + (style)glyph, sfnec_theme_objects[glyph].symbol,
             sfnec_theme_objects[glyph].letter);
  }
  for (size_t i = 0; i < scene->memory_count; i++)
    if (scene->memories[i].located) put_at(s, scene->memories[i].x, scene->memories[i].y, STYLE_MEMORY, "+", "+");
  put_at(s, scene->look.x, scene->look.y, STYLE_AGENT, "@", "@");
}

// the track at three quarters of the height; the pole is half of the map long and its angle three times what it is, as
// 12 degrees end an episode
static void draw_cart(screen *s) {
  const double ground = 0.25, x = s->scene->look.x, angle = 3 * s->scene->look.angle;
  for (int column = 0; column < s->columns; column++)
    put_at(s, (column + 0.5) / s->columns, ground - 1.0 / s->rows, STYLE_DIM, "─", "-");
  for (int i = 0; i <= 2 * s->rows; i++) {
    const double along = 0.55 * i / (2 * s->rows);
    put_at(s, x + along * sin(angle), ground + along * cos(angle), STYLE_CHOSEN, "█", "#");
  }
  for (int i = -3; i <= 3; i++) put_at(s, x + (double)i / s->columns, ground, STYLE_WALL, "▀", "=");
}

static void draw_map(screen *s) {
  draw_frame(s);
  if (s->scene->look.view != SFNEC_LOOK_MAP) {
    draw_cart(s);
    return;
  }
  draw_values(s);
  if (s->options->plan) draw_states(s);
  draw_ground(s);
  draw_things(s);
}

// ---- the panel ----

// a number that rounds to nothing is shown without a sign
static double shown(double value, double half) {
  return fabs(value) < half ? 0 : value;
}

static void draw_bar(screen *s, int row, int column, double share, style style) {
  const int eighths = (int)(share * BAR * 8 + 0.5);
  static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  for (int i = 0; i < BAR; i++) {
    const int here = eighths - 8 * i;
    if (here >= 8) put(s, row, column + i, style, "█", "=");
    else if (here > 0) put(s, row, column + i, style, parts[here], here >= 4 ? "-" : "");
  }
}

// bars from zero, so that they do not make small differences large; below zero they begin at the lowest
static int draw_q(screen *s, int row, int column) {
  const sfnec_scene *scene = s->scene;
  const double low = scene->low_q, high = scene->high_q;
  print(s, row++, column, STYLE_DIM, "Q of each action");
  for (int32_t a = 0; a < scene->shape.action_count; a++, row++) {
    const bool chosen = a == scene->choice.action;
    const style style = chosen ? STYLE_CHOSEN : STYLE_PLAIN;
    print(s, row, column, style, "%c %-6.6s", chosen ? '>' : ' ', sfnec_scene_action(scene, a));
    draw_bar(s, row, column + 9, high > low ? (scene->q[a] - low) / (high - low) : 0, style);
    print(s, row, column + 9 + BAR + 1, style, "%9.3f", shown(scene->q[a], 0.0005));
  }
  return row;
}

static void draw_policy(screen *s, int row, int column) {
  const sfnec_scene *scene = s->scene;
  if (scene->ended) return;
  int64_t used = 0;
  for (int64_t i = 0; i < scene->play.steps; i++) used += scene->trail[i].policy == scene->choice.policy;
  if (scene->planned) {
    print(s, row, column, STYLE_PLAIN, "plans over %" PRId64 " states", scene->model_states);
    return;
  }
  if (scene->own) {
    print(s, row, column, STYLE_PLAIN, "policy of task %" PRIu32 " (no GPI)", scene->task + 1);
    return;
  }
  print(s, row, column, STYLE_PLAIN, "GPI chose policy");
  print(s, row, column + 17, STYLE_CHOSEN, "%" PRId32, scene->choice.policy + 1);
  print(s, row, column + 20, STYLE_PLAIN, "of %" PRIu32 " (%" PRId64 "x)", scene->policy_count, used);
}

static int draw_memories(screen *s, int row, int column) {
  const sfnec_scene *scene = s->scene;
  print(s, row++, column, STYLE_DIM, "%s distance  share  made at", scene->planned ? "sample" : "memory");
  for (size_t i = 0; i < 3; i++, row++) {
    if (i >= scene->memory_count) continue;
    const sfnec_recall *memory = &scene->memories[i];
    print(s, row, column, STYLE_MEMORY, "%4zu %10.4f  %4.0f%%", i + 1, memory->distance, 100 * memory->weight);
    if (memory->located) print(s, row, column + 24, STYLE_MEMORY, "%.2f %.2f", memory->x, memory->y);
  }
  return row;
}

static void draw_slider(screen *s, int row, int column, int32_t feature) {
  const sfnec_scene *scene = s->scene;
  const double w = scene->w[feature];
  const bool chosen = feature == s->options->feature && !scene->fixed;
  const style style = chosen ? STYLE_CHOSEN : STYLE_PLAIN;
  print(s, row, column, style, "%c %-8.8s", chosen ? '>' : ' ', sfnec_scene_feature(scene, feature));
  for (int i = 0; i < SLIDER; i++)
    put(s, row, column + 11 + i, STYLE_DIM, i == SLIDER / 2 ? "┼" : "─", i == SLIDER / 2 ? "+" : "-");
  const double inside = fmin(fmax(w, -1), 1);
  const int knob = (int)floor((inside + 1) / 2 * (SLIDER - 1) + 0.5);
  put(s, row, column + 11 + knob, style, "◆", "O");
  print(s, row, column + 11 + SLIDER + 1, style, "%6.2f", shown(w, 0.005));
}

static const char *state_of(const screen *s) {
  if (s->scene->ended) return sfnec_scene_end(s->scene);
  return s->options->paused ? "paused" : "playing";
}

static void draw_panel(screen *s) {
  const sfnec_scene *scene = s->scene;
  const int column = s->columns + 3, label = (int)strcspn(scene->label, ":");
  print(s, 0, column, STYLE_STRONG, "%.*s in %s", label < 20 ? label : 20, scene->label,
        sfnec_env_get_kind(scene->env)->name);
  print(s, 1, column, STYLE_PLAIN, "episode %" PRId64 "  step %" PRId64 "  %s", scene->episodes, scene->play.steps,
        state_of(s));
  print(s, 2, column, STYLE_PLAIN, "return %.2f  last reward %.2f", shown(scene->play.total, 0.005),
        shown(scene->play.reward, 0.005));
  int row = draw_q(s, 4, column);
  draw_policy(s, ++row, column);
  row = draw_memories(s, row + 2, column);
  print(s, ++row, column, STYLE_DIM, "w, the reward of each%s", scene->fixed ? " (fixed)" : "");
  for (int32_t f = 0; f < scene->shape.feature_count; f++) draw_slider(s, ++row, column, f);
}

static void draw_keys(screen *s) {
  const int row = s->options->rows - 1;
  if (s->options->notice) {
    print(s, row, 0, STYLE_STRONG, "%s", s->options->notice);
    return;
  }
  if (s->scene->planned) {
    print(s, row, 0, STYLE_DIM, "arrows w  0 undo  space %s  s step  +/- %" PRId64 "/s  n new  v map  p plan  q quit",
          s->options->paused ? "play" : "pause", s->options->speed);
    return;
  }
  print(s, row, 0, STYLE_DIM, "arrows w  0 undo  space %s  s step  +/- speed %" PRId64 "  n new  v values  q quit",
        s->options->paused ? "play" : "pause", s->options->speed);
}

char *sfnec_screen_draw(const sfnec_scene *scene, const sfnec_value_map *values, const sfnec_screen_options *options) {
  screen s = {.scene = scene, .values = values, .options = options};
  const size_t count = (size_t)options->columns * (size_t)options->rows;
  s.cells = calloc(count, sizeof *s.cells);
  if (!s.cells) return NULL;
  for (size_t i = 0; i < count; i++) s.cells[i].shade = -1;
  if (options->columns < SFNEC_SCREEN_LEAST_COLUMNS || options->rows < SFNEC_SCREEN_LEAST_ROWS) {
    print(&s, 0, 0, STYLE_PLAIN, "too small: needs %d x %d", SFNEC_SCREEN_LEAST_COLUMNS, SFNEC_SCREEN_LEAST_ROWS);
  } else {
    sfnec_screen_map_size(scene, options, &s.columns, &s.rows);
    draw_map(&s);
    draw_panel(&s);
    draw_keys(&s);
  }
  char *text = make_text(&s);
  free(s.cells);
  return text;
}
