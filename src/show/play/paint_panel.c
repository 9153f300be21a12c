// paint_panel.c: the right half of a picture: what the agent expects, whose policy it follows, what it is rewarded for.
#ifdef SFNEC_HAVE_CAIRO
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "show/play/picture.h"

enum { TEXT = 200, LEAST_SPAN = 60 };

// where the panel is, and how far it is written
typedef struct panel {
  const sfnec_picture *picture;
  double left, width, y;
} panel;

__attribute__((format(printf, 5, 6))) static void write_text(panel *panel, double size, bool bold, sfnec_colour colour,
                                                             const char *format, ...) {
  char text[TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const double unit = panel->picture->unit;
  panel->y += 1.45 * size * unit;
  sfnec_paint_text(panel->picture->cairo, panel->left, panel->y, size * unit, bold, SFNEC_ALIGN_LEFT, colour, text);
}

static void number_right(const panel *panel, sfnec_colour colour, bool bold, int decimals, double value) {
  char text[TEXT];
  // no "-0.00"
  if (fabs(value) < 0.5 * pow(10, -decimals)) value = 0;
  snprintf(text, sizeof text, "%.*f", decimals, value);
  sfnec_paint_text(panel->picture->cairo, panel->left + panel->width, panel->y, 0.68 * panel->picture->unit, bold,
                   SFNEC_ALIGN_RIGHT, colour, text);
}

static void paint_title(panel *panel) {
  const sfnec_scene *scene = panel->picture->scene;
  // without the options that may follow its name
  write_text(panel, 0.95, true, sfnec_ink, "%.*s in %s", (int)strcspn(scene->label, ":"), scene->label,
             sfnec_env_get_kind(scene->env)->name);
  write_text(panel, 0.72, false, sfnec_ink, "step %" PRId64 "   return %.2f", scene->play.steps,
             fabs(scene->play.total) < 0.005 ? 0 : scene->play.total);
  const bool goal = scene->play.terminated && scene->look.goal_radius > 0;
  sfnec_paint_text(panel->picture->cairo, panel->left + panel->width, panel->y, 0.72 * panel->picture->unit, true,
                   SFNEC_ALIGN_RIGHT, goal ? sfnec_goal_colour : sfnec_faint,
                   scene->ended ? sfnec_scene_end(scene) : "");
}

// bars from zero: they do not make small differences large
static void paint_q(panel *panel) {
  const sfnec_scene *scene = panel->picture->scene;
  const double unit = panel->picture->unit, from = panel->left + 3 * unit, space = panel->width - 6.2 * unit;
  double low = 0, high = 0;
  for (int32_t a = 0; a < scene->shape.action_count; a++) {
    low = fmin(low, scene->q[a]);
    high = fmax(high, scene->q[a]);
  }
  const double scale = high > low ? space / (high - low) : 0;
  panel->y += 0.5 * unit;
  write_text(panel, 0.68, false, sfnec_faint, "Q of each action");
  for (int32_t a = 0; a < scene->shape.action_count; a++) {
    const bool chosen = a == scene->choice.action;
    write_text(panel, 0.72, chosen, chosen ? sfnec_accent : sfnec_ink, "%s", sfnec_scene_action(scene, a));
    const double zero = from - low * scale, length = scene->q[a] * scale;
    sfnec_paint_box(panel->picture->cairo, length < 0 ? zero + length : zero, panel->y - 0.56 * unit, fabs(length),
                    0.62 * unit, chosen ? sfnec_accent : sfnec_calm);
    sfnec_paint_box(panel->picture->cairo, zero - 0.03 * unit, panel->y - 0.68 * unit, 0.06 * unit, 0.86 * unit,
                    sfnec_ink);
    number_right(panel, chosen ? sfnec_accent : sfnec_ink, chosen, 3, scene->q[a]);
  }
}

// ---- policies ----

static void paint_policy_title(panel *panel) {
  const sfnec_scene *scene = panel->picture->scene;
  panel->y += 0.5 * panel->picture->unit;
  if (scene->own) {
    write_text(panel, 0.72, false, sfnec_ink, "own policy, of task %" PRIu32, scene->task + 1);
  } else if (scene->ended || panel->picture->whole) {
    write_text(panel, 0.68, false, sfnec_faint, "policies that GPI followed, by step");
  } else {
    write_text(panel, 0.72, true, sfnec_accent, "GPI follows policy %" PRId32 " of %" PRIu32, scene->choice.policy + 1,
               scene->policy_count);
  }
}

// where the policies are drawn
typedef struct strip {
  double left, top, step, row;
} strip;

// one box for a policy that was followed for a while
static void mark_policy(const panel *panel, const strip *strip, int64_t from, int64_t to, int32_t policy) {
  sfnec_paint_box(panel->picture->cairo, strip->left + (double)from * strip->step,
                  strip->top + (policy + 0.08) * strip->row, fmax((double)(to - from) * strip->step, 1),
                  0.84 * strip->row, sfnec_accent);
}

static void mark_policies(const panel *panel, const strip *strip) {
  const sfnec_scene *scene = panel->picture->scene;
  for (int64_t from = 0, to; from < scene->play.steps; from = to) {
    const int32_t policy = scene->trail[from].policy;
    for (to = from + 1; to < scene->play.steps && scene->trail[to].policy == policy;) to++;
    mark_policy(panel, strip, from, to, policy);
  }
  if (!scene->ended) mark_policy(panel, strip, scene->play.steps, scene->play.steps + 1, scene->choice.policy);
}

static void number_rows(const panel *panel, const strip *strip) {
  const double unit = panel->picture->unit, size = 0.55 * unit, x = strip->left - 0.2 * unit;
  const double inset = fmax(0.5 * strip->row, 0.25 * unit), count = panel->picture->scene->policy_count;
  char last[32];
  snprintf(last, sizeof last, "%.0f", count);
  sfnec_paint_text(panel->picture->cairo, x, strip->top + inset + 0.35 * size, size, false, SFNEC_ALIGN_RIGHT,
                   sfnec_faint, "1");
  sfnec_paint_text(panel->picture->cairo, x, strip->top + count * strip->row - inset + 0.35 * size, size, false,
                   SFNEC_ALIGN_RIGHT, sfnec_faint, last);
}

// a row per policy, a column per step
static void paint_policies(panel *panel) {
  const sfnec_scene *scene = panel->picture->scene;
  if (scene->own || scene->policy_count > 1) paint_policy_title(panel);
  if (scene->own || scene->policy_count < 2) return;
  const double unit = panel->picture->unit, width = panel->width - 1.1 * unit, height = 3.6 * unit;
  const int64_t span = scene->play.steps + 1 > LEAST_SPAN ? scene->play.steps + 1 : LEAST_SPAN;
  const strip strip = {.left = panel->left + 1.1 * unit,
                       .top = panel->y + 0.35 * unit,
                       .step = width / (double)span,
                       .row = height / scene->policy_count};
  sfnec_paint_box(panel->picture->cairo, strip.left, strip.top, width, height, (sfnec_colour){0.95, 0.95, 0.96});
  mark_policies(panel, &strip);
  number_rows(panel, &strip);
  panel->y = strip.top + height;
}

// ---- weights ----

static void paint_weights(panel *panel) {
  const sfnec_scene *scene = panel->picture->scene;
  const double unit = panel->picture->unit, from = panel->left + 4.4 * unit, space = panel->width - 7 * unit;
  double most = 1;
  for (int32_t f = 0; f < scene->shape.feature_count; f++) most = fmax(most, fabs(scene->w[f]));
  panel->y += 0.5 * unit;
  write_text(panel, 0.68, false, sfnec_faint, "w, the reward of each");
  for (int32_t f = 0; f < scene->shape.feature_count; f++) {
    write_text(panel, 0.72, false, sfnec_ink, "     %s", sfnec_scene_feature(scene, f));
    if (f < scene->look.class_count)
      sfnec_paint_glyph(panel->picture->cairo, scene->look.glyphs[f], panel->left + 0.45 * unit, panel->y - 0.26 * unit,
                        0.34 * unit, true);
    const double zero = from + space / 2, length = scene->w[f] / most * space / 2;
    sfnec_paint_box(panel->picture->cairo, from, panel->y - 0.3 * unit, space, 0.06 * unit, sfnec_line);
    sfnec_paint_box(panel->picture->cairo, length < 0 ? zero + length : zero, panel->y - 0.52 * unit, fabs(length),
                    0.5 * unit, sfnec_calm);
    sfnec_paint_box(panel->picture->cairo, zero - 0.03 * unit, panel->y - 0.66 * unit, 0.06 * unit, 0.78 * unit,
                    sfnec_ink);
    number_right(panel, sfnec_ink, false, 2, scene->w[f]);
  }
}

// ---- what was taken, in a picture of a whole episode ----

static void paint_taken(panel *panel) {
  const sfnec_scene *scene = panel->picture->scene;
  const sfnec_look *look = &scene->look;
  if (!look->object_count) return;
  const double unit = panel->picture->unit;
  panel->y += 0.5 * unit;
  write_text(panel, 0.68, false, sfnec_faint, "taken (ringed)");
  for (int32_t class = 0; class < look->class_count; class ++) {
    int taken = 0, all = 0;
    for (int32_t i = 0; i < look->object_count; i++) {
      if (look->objects[i].class_index != class) continue;
      all++;
      taken += scene->look.taken >> i & 1;
    }
    write_text(panel, 0.72, false, sfnec_ink, "     %s", sfnec_scene_feature(scene, class));
    sfnec_paint_glyph(panel->picture->cairo, look->glyphs[class], panel->left + 0.45 * unit, panel->y - 0.26 * unit,
                      0.34 * unit, true);
    char text[TEXT];
    snprintf(text, sizeof text, "%d of %d", taken, all);
    sfnec_paint_text(panel->picture->cairo, panel->left + 6.6 * unit, panel->y, 0.68 * unit, false, SFNEC_ALIGN_LEFT,
                     sfnec_ink, text);
    number_right(panel, sfnec_ink, false, 2, taken * scene->true_w[class]);
  }
}

// ---- legend ----

static void paint_legend(panel *panel) {
  const sfnec_picture *picture = panel->picture;
  if (!picture->values) return;
  const double unit = picture->unit, from = panel->left + 3.6 * unit, space = panel->width - 7.4 * unit;
  const double bottom = picture->top + picture->side - 0.15 * unit;
  if (panel->y + unit > bottom) return;
  enum { PARTS = 48 };
  for (int i = 0; i < PARTS; i++)
    sfnec_paint_box(picture->cairo, from + space * i / PARTS, bottom - 0.55 * unit, space / PARTS + 1, 0.6 * unit,
                    sfnec_value_colour((i + 0.5) / PARTS));
  char text[TEXT];
  snprintf(text, sizeof text, "%.2f", fabs(picture->values->low) < 0.005 ? 0 : picture->values->low);
  sfnec_paint_text(picture->cairo, from - 0.3 * unit, bottom, 0.62 * unit, false, SFNEC_ALIGN_RIGHT, sfnec_ink, text);
  snprintf(text, sizeof text, "%.2f", picture->values->high);
  sfnec_paint_text(picture->cairo, from + space + 0.3 * unit, bottom, 0.62 * unit, false, SFNEC_ALIGN_LEFT, sfnec_ink,
                   text);
  sfnec_paint_text(picture->cairo, panel->left, bottom - unit, 0.68 * unit, false, SFNEC_ALIGN_LEFT, sfnec_faint,
                   picture->whole ? "ground: max Q at the start" : "ground: max Q    +  nearest memories");
}

void sfnec_paint_panel(const sfnec_picture *picture) {
  panel panel = {.picture = picture,
                 .left = picture->left + picture->side + 1.0 * picture->unit,
                 .y = picture->top - 0.45 * picture->unit};
  panel.width = picture->width - panel.left - 0.8 * picture->unit;
  paint_title(&panel);
  if (!picture->whole) paint_q(&panel);
  paint_policies(&panel);
  paint_weights(&panel);
  if (picture->whole) paint_taken(&panel);
  paint_legend(&panel);
}
#else
// the pedantic want a declaration in every file
typedef int sfnec_no_panel;
#endif
