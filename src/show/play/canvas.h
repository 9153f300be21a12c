// canvas.h: a rectangle of styled characters that becomes text with ANSI sequences.
#ifndef SFNEC_SHOW_PLAY_CANVAS_H
#define SFNEC_SHOW_PLAY_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

// What a character means; the colours follow from it.
typedef enum sfnec_style {
  SFNEC_STYLE_PLAIN,
  SFNEC_STYLE_DIM,
  SFNEC_STYLE_STRONG,
  SFNEC_STYLE_WALL,
  SFNEC_STYLE_TRAIL,
  SFNEC_STYLE_AGENT,
  SFNEC_STYLE_GOAL,
  SFNEC_STYLE_MEMORY,
  SFNEC_STYLE_CHOSEN,
  SFNEC_STYLE_OBJECT, // and the next ones: one per class
  SFNEC_STYLE_COUNT = SFNEC_STYLE_OBJECT + 4
} sfnec_style;

typedef struct sfnec_cell {
  char glyph[5]; // one UTF-8 character; "" is a blank
  uint8_t style;
  int16_t shade; // 0 to 255: a colour of the 256 behind it; -1: none
} sfnec_cell;

typedef struct sfnec_canvas {
  int columns, rows;
  int colours;  // 0, 8 or 256
  bool unicode; // otherwise glyphs outside of ASCII are '?'
  sfnec_cell *cells;
} sfnec_canvas;

// Blank cells; false without memory.
bool sfnec_canvas_init(sfnec_canvas *canvas, int columns, int rows);
void sfnec_canvas_clear(sfnec_canvas *canvas);

// Puts one character (UTF-8, or its ASCII stand-in); outside of the canvas nothing happens.
void sfnec_canvas_put(sfnec_canvas *canvas, int row, int column, sfnec_style style, const char *glyph,
                      const char *plain);
// Writes ASCII text from a cell on, as far as the row reaches.
__attribute__((format(printf, 5, 6))) void sfnec_canvas_print(sfnec_canvas *canvas, int row, int column,
                                                              sfnec_style style, const char *format, ...);
void sfnec_canvas_shade(sfnec_canvas *canvas, int row, int column, int shade);

// All rows from the top left of the terminal on, the rest of the terminal blank. A new string; NULL without memory.
char *sfnec_canvas_text(const sfnec_canvas *canvas);

#endif
