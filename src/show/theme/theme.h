// theme.h: how everything looks that is drawn: figures for print, the page, films, the terminal, Python's pictures.
//
// The tables in theme.c are the one place. C reads them; tests/show/tool_theme.c makes web/src/palette.ts,
// web/src/palette.css and python/sfnec/_theme.py from them, and tests/show/one_theme.sh says when to make those again.
#ifndef SFNEC_SHOW_THEME_THEME_H
#define SFNEC_SHOW_THEME_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/env.h"

// A colour as "#RRGGBB", on a light and on a dark ground.
typedef struct sfnec_theme_colour {
  const char *light, *dark;
} sfnec_theme_colour;

// ---- curves ----

typedef enum sfnec_theme_mark {
  SFNEC_MARK_CIRCLE,
  SFNEC_MARK_SQUARE,
  SFNEC_MARK_TRIANGLE,
  SFNEC_MARK_UPSIDE, // a triangle that stands on its tip
  SFNEC_MARK_PENTAGON,
  SFNEC_MARK_DIAMOND, // published values, and nothing else
  SFNEC_MARK_COUNT
} sfnec_theme_mark;

// How the curve of one configuration looks everywhere.
typedef struct sfnec_theme_style {
  sfnec_theme_colour colour;
  uint8_t dash; // of sfnec_theme_dashes
  sfnec_theme_mark mark;
  bool open;
} sfnec_theme_style;

enum { SFNEC_THEME_STYLES = 16, SFNEC_THEME_DASHES = 5, SFNEC_THEME_DASH_PARTS = 6 };
extern const sfnec_theme_style sfnec_theme_styles[SFNEC_THEME_STYLES]; // readers cannot distinguish more curves
// On, off, on, off, ... in widths of the line; 0 ends it, and a solid line has none.
extern const uint8_t sfnec_theme_dashes[SFNEC_THEME_DASHES][SFNEC_THEME_DASH_PARTS];
extern const char *const sfnec_theme_mark_names[SFNEC_MARK_COUNT];

// ---- surfaces, and things in worlds ----

typedef enum sfnec_theme_role {
  SFNEC_ROLE_BACK,
  SFNEC_ROLE_PANEL,
  SFNEC_ROLE_TEXT,
  SFNEC_ROLE_SOFT,
  SFNEC_ROLE_RULE,
  SFNEC_ROLE_GRID,
  SFNEC_ROLE_ACCENT,
  SFNEC_ROLE_CALM,
  SFNEC_ROLE_GOOD,
  SFNEC_ROLE_NEAR,
  SFNEC_ROLE_OFF,
  SFNEC_ROLE_GOOD_BACK,
  SFNEC_ROLE_NEAR_BACK,
  SFNEC_ROLE_OFF_BACK,
  SFNEC_ROLE_OPTIMUM,
  SFNEC_ROLE_ROOM,
  SFNEC_ROLE_WALL,
  SFNEC_ROLE_AGENT,
  SFNEC_ROLE_GOAL,
  SFNEC_ROLE_TRAIL,
  SFNEC_ROLE_OUTLINE,
  SFNEC_ROLE_MEMORY,
  SFNEC_ROLE_COUNT
} sfnec_theme_role;

typedef struct sfnec_theme_entry {
  const char *name, *help;
  sfnec_theme_colour colour;
} sfnec_theme_entry;

extern const sfnec_theme_entry sfnec_theme_roles[SFNEC_ROLE_COUNT];

// An object of a world: its shape by name, its colour, and how it looks in a terminal with and without UTF-8.
typedef struct sfnec_theme_object {
  const char *name;
  sfnec_theme_colour colour;
  const char *symbol, *letter;
  const char *few; // the sequence of a terminal with 8 colours
} sfnec_theme_object;

enum { SFNEC_THEME_GLYPHS = SFNEC_LOOK_STAR + 1 };
extern const sfnec_theme_object sfnec_theme_objects[SFNEC_THEME_GLYPHS]; // by sfnec_look_glyph

// ---- values: from low to high, even steps to every eye and in grey ----

enum { SFNEC_THEME_STOPS = 6 };
extern const char *const sfnec_theme_ramp[SFNEC_THEME_STOPS];

// ---- fonts ----

extern const char sfnec_theme_font_print[];  // of figures and films
extern const char sfnec_theme_font_screen[]; // of the page, as CSS has it

// ---- use ----

// Red, green and blue between 0 and 1.
void sfnec_theme_rgb(const char *colour, double rgb[3]);
// The colour of a value; 0 is low and 1 high.
void sfnec_theme_value(double share, double rgb[3]);
// The nearest of a terminal's 256 colours.
int sfnec_theme_xterm(const double rgb[3]);

#endif
