// paint_map.c: the left half of a picture: the world and the agent in it.
#include <math.h>

#include "show/play/picture.h"

static const double turn = 2 * 3.14159265358979323846;

static double at_x(const sfnec_picture *p, double x) {
  return p->left + x * p->side;
}

static double at_y(const sfnec_picture *p, double y) {
  return p->top + (1 - y) * p->side;
}

// ---- the ground ----

// the share of a position, or of one beside it if it lies in a wall: the colours must not bleed at its edge
static double share_near(const sfnec_value_map *values, int column, int row) {
  for (int reach = 0; reach <= 3; reach++) {
    for (int dy = -reach; dy <= reach; dy++) {
      for (int dx = -reach; dx <= reach; dx++) {
        const int x = column + dx, y = row + dy;
        if (x < 0 || y < 0 || x >= values->columns || y >= values->rows) continue;
        const double share = sfnec_value_map_share(values, x, y);
        if (!isnan(share)) return share;
      }
    }
  }
  return 0;
}

static void paint_values(const sfnec_picture *p) {
  const sfnec_value_map *values = p->values;
  if (!values) return;
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, values->columns, values->rows);
  cairo_t *dots = cairo_create(image);
  for (int row = 0; row < values->rows; row++) {
    for (int column = 0; column < values->columns; column++) {
      const sfnec_colour colour = sfnec_value_colour(share_near(values, column, row));
      sfnec_paint_box(dots, column, values->rows - 1 - row, 1, 1, colour);
    }
  }
  cairo_destroy(dots);
  cairo_save(p->cairo);
  cairo_rectangle(p->cairo, p->left, p->top, p->side, p->side);
  cairo_clip(p->cairo);
  cairo_translate(p->cairo, p->left, p->top);
  cairo_scale(p->cairo, p->side / values->columns, p->side / values->rows);
  cairo_set_source_surface(p->cairo, image, 0, 0);
  cairo_pattern_set_extend(cairo_get_source(p->cairo), CAIRO_EXTEND_PAD);
  cairo_pattern_set_filter(cairo_get_source(p->cairo),
                           p->scene->look.cells > 0 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR);
  cairo_paint(p->cairo);
  cairo_restore(p->cairo);
  cairo_surface_destroy(image);
}

static void paint_goal(const sfnec_picture *p) {
  const sfnec_look *look = &p->scene->look;
  if (look->goal_radius <= 0) return;
  const double x = at_x(p, look->goal_x), y = at_y(p, look->goal_y), radius = look->goal_radius * p->side;
  const sfnec_colour goal = sfnec_role_colour(SFNEC_ROLE_GOAL);
  cairo_save(p->cairo);
  cairo_rectangle(p->cairo, p->left, p->top, p->side, p->side);
  cairo_clip(p->cairo);
  if (look->cells > 0) cairo_rectangle(p->cairo, x - radius, y - radius, 2 * radius, 2 * radius);
  else cairo_arc(p->cairo, x, y, radius, 0, turn);
  cairo_set_source_rgba(p->cairo, goal.red, goal.green, goal.blue, 0.35);
  cairo_fill_preserve(p->cairo);
  sfnec_paint_stroke(p->cairo, 0.14 * p->unit, goal);
  cairo_restore(p->cairo);
  sfnec_paint_text(p->cairo, x - 0.28 * p->unit, y + 0.28 * p->unit, 0.8 * p->unit, true, SFNEC_ALIGN_LEFT,
                   sfnec_role_colour(SFNEC_ROLE_TEXT), "G");
}

static void paint_walls(const sfnec_picture *p) {
  // walls that touch show no seam
  cairo_set_antialias(p->cairo, CAIRO_ANTIALIAS_NONE);
  for (int32_t i = 0; i < p->scene->look.wall_count; i++) {
    const sfnec_look_wall *wall = &p->scene->look.walls[i];
    sfnec_paint_box(p->cairo, at_x(p, wall->left), at_y(p, wall->top), (wall->right - wall->left) * p->side,
                    (wall->top - wall->bottom) * p->side, sfnec_role_colour(SFNEC_ROLE_WALL));
  }
  cairo_set_antialias(p->cairo, CAIRO_ANTIALIAS_DEFAULT);
}

static void paint_border(const sfnec_picture *p) {
  cairo_rectangle(p->cairo, p->left, p->top, p->side, p->side);
  sfnec_paint_stroke(p->cairo, 0.16 * p->unit, sfnec_role_colour(SFNEC_ROLE_TEXT));
}

// ---- what moves ----

static void trail_path(const sfnec_picture *p) {
  cairo_new_path(p->cairo);
  for (int64_t i = 0; i < p->scene->play.steps; i++)
    cairo_line_to(p->cairo, at_x(p, p->scene->trail[i].x), at_y(p, p->scene->trail[i].y));
  cairo_line_to(p->cairo, at_x(p, p->scene->look.x), at_y(p, p->scene->look.y));
}

static void paint_trail(const sfnec_picture *p) {
  cairo_set_line_join(p->cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(p->cairo, CAIRO_LINE_CAP_ROUND);
  trail_path(p);
  sfnec_paint_set_colour(p->cairo, sfnec_role_colour(SFNEC_ROLE_OUTLINE));
  cairo_set_line_width(p->cairo, 0.32 * p->unit);
  cairo_stroke_preserve(p->cairo);
  sfnec_paint_stroke(p->cairo, 0.16 * p->unit, sfnec_role_colour(SFNEC_ROLE_TRAIL));
  if (p->scene->play.steps == 0) return;
  // where it began
  cairo_arc(p->cairo, at_x(p, p->scene->trail[0].x), at_y(p, p->scene->trail[0].y), 0.28 * p->unit, 0, turn);
  sfnec_paint_set_colour(p->cairo, sfnec_role_colour(SFNEC_ROLE_BACK));
  cairo_fill_preserve(p->cairo);
  sfnec_paint_stroke(p->cairo, 0.13 * p->unit, sfnec_role_colour(SFNEC_ROLE_TEXT));
}

static void paint_objects(const sfnec_picture *p) {
  const sfnec_look *look = &p->scene->look;
  for (int32_t i = 0; i < look->object_count; i++) {
    const sfnec_look_object *object = &look->objects[i];
    const bool taken = p->scene->look.taken >> i & 1;
    const double radius = 0.5 * p->unit, x = at_x(p, object->x), y = at_y(p, object->y);
    const sfnec_look_glyph glyph = look->glyphs[object->class_index];
    if (!taken || p->whole) sfnec_paint_glyph(p->cairo, glyph, x, y, radius, true);
    else sfnec_paint_glyph(p->cairo, glyph, x, y, 0.8 * radius, false);
    if (!taken || !p->whole) continue;
    // a picture of the whole episode marks what was taken by a ring
    cairo_arc(p->cairo, x, y, 1.55 * radius, 0, turn);
    sfnec_paint_stroke(p->cairo, 0.14 * p->unit, sfnec_role_colour(SFNEC_ROLE_AGENT));
  }
}

static void paint_memories(const sfnec_picture *p) {
  for (size_t i = 0; i < p->scene->memory_count && !p->whole; i++) {
    const sfnec_recall *memory = &p->scene->memories[i];
    if (!memory->located) continue;
    // the larger its share, the larger the mark
    const double arm = (0.22 + 0.3 * sqrt(memory->weight)) * p->unit, x = at_x(p, memory->x), y = at_y(p, memory->y);
    for (int line = 0; line < 2; line++) {
      cairo_move_to(p->cairo, x - arm, y);
      cairo_line_to(p->cairo, x + arm, y);
      cairo_move_to(p->cairo, x, y - arm);
      cairo_line_to(p->cairo, x, y + arm);
      sfnec_paint_stroke(p->cairo, (line ? 0.1 : 0.22) * p->unit,
                         sfnec_role_colour(line ? SFNEC_ROLE_MEMORY : SFNEC_ROLE_BACK));
    }
  }
}

static void paint_states(const sfnec_picture *p) {
  for (size_t i = 0; i < p->scene->state_count; i++) {
    const sfnec_spot *state = &p->scene->states[i];
    cairo_arc(p->cairo, at_x(p, state->x), at_y(p, state->y), (state->frontier ? 0.11 : 0.08) * p->unit, 0, turn);
    sfnec_paint_set_colour(p->cairo, sfnec_role_colour(state->frontier ? SFNEC_ROLE_AGENT : SFNEC_ROLE_MEMORY));
    cairo_fill(p->cairo);
  }
}

// the way that is planned, a thin line
static void paint_path(const sfnec_picture *p) {
  if (p->scene->path_count == 0 || p->whole) return;
  cairo_move_to(p->cairo, at_x(p, p->scene->look.x), at_y(p, p->scene->look.y));
  for (size_t i = 0; i < p->scene->path_count; i++)
    cairo_line_to(p->cairo, at_x(p, p->scene->path[i].x), at_y(p, p->scene->path[i].y));
  sfnec_paint_stroke(p->cairo, 0.13 * p->unit, sfnec_role_colour(SFNEC_ROLE_AGENT));
}

static void paint_agent(const sfnec_picture *p) {
  cairo_arc(p->cairo, at_x(p, p->scene->look.x), at_y(p, p->scene->look.y), 0.46 * p->unit, 0, turn);
  sfnec_paint_set_colour(p->cairo, sfnec_role_colour(SFNEC_ROLE_AGENT));
  cairo_fill_preserve(p->cairo);
  sfnec_paint_stroke(p->cairo, 0.14 * p->unit, sfnec_role_colour(SFNEC_ROLE_BACK));
}

// ---- cart and pole ----

// a pole as long as the cart-pole world has it against a track of 4.8 m; the cart, as in Gymnasium's pictures
static void paint_cart(const sfnec_picture *p) {
  const double metre = p->side / 4.8, x = at_x(p, p->scene->look.x), ground = at_y(p, 0.3);
  const double angle = p->scene->look.angle, length = 1.6 * metre;
  sfnec_paint_box(p->cairo, p->left, ground - 0.06 * p->unit, p->side, 0.12 * p->unit,
                  sfnec_role_colour(SFNEC_ROLE_TEXT));
  sfnec_paint_box(p->cairo, x - 0.42 * metre, ground - 0.25 * metre, 0.84 * metre, 0.5 * metre,
                  sfnec_role_colour(SFNEC_ROLE_TEXT));
  cairo_set_line_cap(p->cairo, CAIRO_LINE_CAP_ROUND);
  cairo_move_to(p->cairo, x, ground - 0.15 * metre);
  cairo_line_to(p->cairo, x + length * sin(angle), ground - 0.15 * metre - length * cos(angle));
  sfnec_paint_stroke(p->cairo, 0.18 * metre, sfnec_role_colour(SFNEC_ROLE_AGENT));
  cairo_arc(p->cairo, x, ground - 0.15 * metre, 0.07 * metre, 0, turn);
  sfnec_paint_set_colour(p->cairo, sfnec_role_colour(SFNEC_ROLE_BACK));
  cairo_fill(p->cairo);
}

void sfnec_paint_map(const sfnec_picture *p) {
  if (p->scene->look.view != SFNEC_LOOK_MAP) {
    paint_cart(p);
    paint_border(p);
    return;
  }
  paint_values(p);
  paint_goal(p);
  paint_walls(p);
  paint_border(p);
  paint_states(p);
  paint_trail(p);
  paint_path(p);
  paint_objects(p);
  paint_memories(p);
  paint_agent(p);
}
