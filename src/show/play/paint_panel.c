// paint_panel.c: the right half of a picture: what the agent expects, whose policy it follows, what it is rewarded for.
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
  cairo_t *cairo;
  const sfnec_scene *scene;
  double unit, left, width, y;
} panel;

__attribute__((format(printf, 5, 6))) static void write_text(panel *p, double size, bool bold, sfnec_colour colour,
                                                             const char *format, ...) {
  char text[TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  p->y += 1.45 * size * p->unit;
  // what is too long is written smaller
  const double width = sfnec_paint_text_width(p->cairo, size * p->unit, bold, text);
  if (width > p->width) size *= p->width / width;
  sfnec_paint_text(p->cairo, p->left, p->y, size * p->unit, bold, SFNEC_ALIGN_LEFT, colour, text);
}

static void number_right(const panel *p, sfnec_colour colour, bool bold, int decimals, double value) {
  char text[TEXT];
  // no "-0.00"
  if (fabs(value) < 0.5 * pow(10, -decimals)) value = 0;
  snprintf(text, sizeof text, "%.*f", decimals, value);
  sfnec_paint_text(p->cairo, p->left + p->width, p->y, 0.68 * p->unit, bold, SFNEC_ALIGN_RIGHT, colour, text);
}

static void paint_title(panel *p) {
  const sfnec_scene *scene = p->scene;
  // without the options that may follow its name
  write_text(p, 0.95, true, sfnec_role_colour(SFNEC_ROLE_TEXT), "%.*s in %s", (int)strcspn(scene->label, ":"),
             scene->label, sfnec_env_get_kind(scene->env)->name);
  write_text(p, 0.72, false, sfnec_role_colour(SFNEC_ROLE_TEXT), "step %" PRId64 "   return %.2f", scene->play.steps,
             fabs(scene->play.total) < 0.005 ? 0 : scene->play.total);
  const bool goal = scene->play.terminated && scene->look.goal_radius > 0;
  sfnec_paint_text(p->cairo, p->left + p->width, p->y, 0.72 * p->unit, true, SFNEC_ALIGN_RIGHT,
                   goal ? sfnec_role_colour(SFNEC_ROLE_GOAL) : sfnec_role_colour(SFNEC_ROLE_SOFT),
                   scene->ended ? sfnec_scene_end(scene) : "");
}

// bars from zero: they do not make small differences large
static void paint_q(panel *p) {
  const sfnec_scene *scene = p->scene;
  const double unit = p->unit, from = p->left + 3 * unit, space = p->width - 6.2 * unit;
  const double low = scene->low_q, high = scene->high_q;
  const double scale = high > low ? space / (high - low) : 0;
  p->y += 0.5 * unit;
  write_text(p, 0.68, false, sfnec_role_colour(SFNEC_ROLE_SOFT), "Q of each action");
  for (int32_t a = 0; a < scene->shape.action_count; a++) {
    const bool chosen = a == scene->choice.action;
    write_text(p, 0.72, chosen, chosen ? sfnec_role_colour(SFNEC_ROLE_AGENT) : sfnec_role_colour(SFNEC_ROLE_TEXT), "%s",
               sfnec_scene_action(scene, a));
    const double zero = from - low * scale, length = scene->q[a] * scale;
    sfnec_paint_box(p->cairo, length < 0 ? zero + length : zero, p->y - 0.56 * unit, fabs(length), 0.62 * unit,
                    chosen ? sfnec_role_colour(SFNEC_ROLE_AGENT) : sfnec_role_colour(SFNEC_ROLE_CALM));
    sfnec_paint_box(p->cairo, zero - 0.03 * unit, p->y - 0.68 * unit, 0.06 * unit, 0.86 * unit,
                    sfnec_role_colour(SFNEC_ROLE_TEXT));
    number_right(p, chosen ? sfnec_role_colour(SFNEC_ROLE_AGENT) : sfnec_role_colour(SFNEC_ROLE_TEXT), chosen, 3,
                 scene->q[a]);
  }
}

// ---- policies ----

static void paint_policy_title(panel *p) {
  const sfnec_scene *scene = p->scene;
  p->y += 0.5 * p->unit;
  if (scene->planned) {
    write_text(p, 0.72, false, sfnec_role_colour(SFNEC_ROLE_TEXT), "plans over %" PRId64 " states",
               scene->model_states);
  } else if (scene->own) {
    write_text(p, 0.72, false, sfnec_role_colour(SFNEC_ROLE_TEXT), "own policy, of task %" PRIu32, scene->task + 1);
  } else if (scene->ended || p->picture->whole) {
    write_text(p, 0.68, false, sfnec_role_colour(SFNEC_ROLE_SOFT), "policies that GPI followed, by step");
  } else {
    write_text(p, 0.72, true, sfnec_role_colour(SFNEC_ROLE_AGENT), "GPI follows policy %" PRId32 " of %" PRIu32,
               scene->choice.policy + 1, scene->policy_count);
  }
}

// where the policies are drawn
typedef struct strip {
  double left, top, step, row;
} strip;

// one box for a policy that was followed for a while
static void mark_policy(const panel *p, const strip *strip, int64_t from, int64_t to, int32_t policy) {
  sfnec_paint_box(p->cairo, strip->left + (double)from * strip->step, strip->top + (policy + 0.08) * strip->row,
                  fmax((double)(to - from) * strip->step, 1), 0.84 * strip->row, sfnec_role_colour(SFNEC_ROLE_AGENT));
}

static void mark_policies(const panel *p, const strip *strip) {
  const sfnec_scene *scene = p->scene;
  for (int64_t from = 0, to; from < scene->play.steps; from = to) {
    const int32_t policy = scene->trail[from].policy;
    for (to = from + 1; to < scene->play.steps && scene->trail[to].policy == policy;) to++;
    mark_policy(p, strip, from, to, policy);
  }
  if (!scene->ended) mark_policy(p, strip, scene->play.steps, scene->play.steps + 1, scene->choice.policy);
}

static void number_rows(const panel *p, const strip *strip) {
  const double unit = p->unit, size = 0.55 * unit, x = strip->left - 0.2 * unit;
  const double inset = fmax(0.5 * strip->row, 0.25 * unit), count = p->scene->policy_count;
  char last[32];
  snprintf(last, sizeof last, "%.0f", count);
  sfnec_paint_text(p->cairo, x, strip->top + inset + 0.35 * size, size, false, SFNEC_ALIGN_RIGHT,
                   sfnec_role_colour(SFNEC_ROLE_SOFT), "1");
  sfnec_paint_text(p->cairo, x, strip->top + count * strip->row - inset + 0.35 * size, size, false, SFNEC_ALIGN_RIGHT,
                   sfnec_role_colour(SFNEC_ROLE_SOFT), last);
}

// a row per policy, a column per step
static void paint_policies(panel *p) {
  const sfnec_scene *scene = p->scene;
  const bool one = scene->own || scene->planned;
  if (one || scene->policy_count > 1) paint_policy_title(p);
  if (one || scene->policy_count < 2) return;
  const double unit = p->unit, width = p->width - 1.1 * unit, height = 3.6 * unit;
  const int64_t span = scene->play.steps + 1 > LEAST_SPAN ? scene->play.steps + 1 : LEAST_SPAN;
  const strip strip = {.left = p->left + 1.1 * unit,
                       .top = p->y + 0.35 * unit,
                       .step = width / (double)span,
                       .row = height / scene->policy_count};
  sfnec_paint_box(p->cairo, strip.left, strip.top, width, height, sfnec_role_colour(SFNEC_ROLE_PANEL));
  mark_policies(p, &strip);
  number_rows(p, &strip);
  p->y = strip.top + height;
}

// ---- weights ----

// its name, after its glyph if it is a class of objects
static void write_feature(panel *p, int32_t feature) {
  write_text(p, 0.72, false, sfnec_role_colour(SFNEC_ROLE_TEXT), "     %s", sfnec_scene_feature(p->scene, feature));
  if (feature < p->scene->look.class_count)
    sfnec_paint_glyph(p->cairo, p->scene->look.glyphs[feature], p->left + 0.45 * p->unit, p->y - 0.26 * p->unit,
                      0.34 * p->unit, true);
}

static void paint_weights(panel *p) {
  const sfnec_scene *scene = p->scene;
  const double unit = p->unit, from = p->left + 4.4 * unit, space = p->width - 7 * unit;
  double most = 1;
  for (int32_t f = 0; f < scene->shape.feature_count; f++) most = fmax(most, fabs(scene->w[f]));
  p->y += 0.5 * unit;
  write_text(p, 0.68, false, sfnec_role_colour(SFNEC_ROLE_SOFT), "w, the reward of each");
  for (int32_t f = 0; f < scene->shape.feature_count; f++) {
    write_feature(p, f);
    const double zero = from + space / 2, length = scene->w[f] / most * space / 2;
    sfnec_paint_box(p->cairo, from, p->y - 0.3 * unit, space, 0.06 * unit, sfnec_role_colour(SFNEC_ROLE_RULE));
    sfnec_paint_box(p->cairo, length < 0 ? zero + length : zero, p->y - 0.52 * unit, fabs(length), 0.5 * unit,
                    sfnec_role_colour(SFNEC_ROLE_CALM));
    sfnec_paint_box(p->cairo, zero - 0.03 * unit, p->y - 0.66 * unit, 0.06 * unit, 0.78 * unit,
                    sfnec_role_colour(SFNEC_ROLE_TEXT));
    number_right(p, sfnec_role_colour(SFNEC_ROLE_TEXT), false, 2, scene->w[f]);
  }
}

// ---- what was taken, in a picture of a whole episode ----

static void paint_taken(panel *p) {
  const sfnec_scene *scene = p->scene;
  const sfnec_look *look = &scene->look;
  if (!look->object_count) return;
  p->y += 0.5 * p->unit;
  write_text(p, 0.68, false, sfnec_role_colour(SFNEC_ROLE_SOFT), "taken (ringed)");
  for (int32_t class = 0; class < look->class_count; class ++) {
    int taken = 0, all = 0;
    for (int32_t i = 0; i < look->object_count; i++) {
      if (look->objects[i].class_index != class) continue;
      all++;
      taken += look->taken >> i & 1;
    }
    write_feature(p, class);
    char text[TEXT];
    snprintf(text, sizeof text, "%d of %d", taken, all);
    sfnec_paint_text(p->cairo, p->left + 6.6 * p->unit, p->y, 0.68 * p->unit, false, SFNEC_ALIGN_LEFT,
                     sfnec_role_colour(SFNEC_ROLE_TEXT), text);
    number_right(p, sfnec_role_colour(SFNEC_ROLE_TEXT), false, 2, taken * scene->true_w[class]);
  }
}

// ---- legend ----

static void paint_legend(panel *p) {
  const sfnec_picture *picture = p->picture;
  if (!picture->values) return;
  const double unit = picture->unit, from = p->left + 3.6 * unit, space = p->width - 7.4 * unit;
  const double bottom = picture->top + picture->side - 0.15 * unit;
  if (p->y + unit > bottom) return;
  enum { PARTS = 48 };
  for (int i = 0; i < PARTS; i++)
    sfnec_paint_box(picture->cairo, from + space * i / PARTS, bottom - 0.55 * unit, space / PARTS + 1, 0.6 * unit,
                    sfnec_value_colour((i + 0.5) / PARTS));
  char text[TEXT];
  snprintf(text, sizeof text, "%.2f", fabs(picture->values->low) < 0.005 ? 0 : picture->values->low);
  sfnec_paint_text(picture->cairo, from - 0.3 * unit, bottom, 0.62 * unit, false, SFNEC_ALIGN_RIGHT,
                   sfnec_role_colour(SFNEC_ROLE_TEXT), text);
  snprintf(text, sizeof text, "%.2f", picture->values->high);
  sfnec_paint_text(picture->cairo, from + space + 0.3 * unit, bottom, 0.62 * unit, false, SFNEC_ALIGN_LEFT,
                   sfnec_role_colour(SFNEC_ROLE_TEXT), text);
  const char *marks =
      p->scene->planned ? "ground: max Q    +  samples    ·  states" : "ground: max Q    +  nearest memories";
  sfnec_paint_text(picture->cairo, p->left, bottom - unit, 0.68 * unit, false, SFNEC_ALIGN_LEFT,
                   sfnec_role_colour(SFNEC_ROLE_SOFT), picture->whole ? "ground: max Q at the start" : marks);
}

void sfnec_paint_panel(const sfnec_picture *picture) {
  panel panel = {.picture = picture,
                 .cairo = picture->cairo,
                 .scene = picture->scene,
                 .unit = picture->unit,
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
