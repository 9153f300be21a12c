// canvas.c: a rectangle of styled characters; see canvas.h.
#include "show/play/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sfnec_canvas_init(sfnec_canvas *canvas, int columns, int rows) {
  canvas->columns = columns;
  canvas->rows = rows;
  const size_t count = (size_t)columns * (size_t)rows;
  canvas->cells = calloc(count, sizeof *canvas->cells);
  for (size_t i = 0; canvas->cells && i < count; i++) canvas->cells[i].shade = -1;
  return canvas->cells != NULL;
}

void sfnec_canvas_clear(sfnec_canvas *canvas) {
  free(canvas->cells);
  canvas->cells = NULL;
}

static sfnec_cell *cell_at(sfnec_canvas *canvas, int row, int column) {
  if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns) return NULL;
  return &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
}

void sfnec_canvas_put(sfnec_canvas *canvas, int row, int column, sfnec_style style, const char *glyph,
                      const char *plain) {
  sfnec_cell *cell = cell_at(canvas, row, column);
  if (!cell) return;
  snprintf(cell->glyph, sizeof cell->glyph, "%s", canvas->unicode ? glyph : plain);
  cell->style = (uint8_t)style;
}

void sfnec_canvas_print(sfnec_canvas *canvas, int row, int column, sfnec_style style, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  for (const char *c = text; *c; c++, column++) {
    // names from a file may hold anything, and a terminal obeys control characters
    const char glyph[2] = {*c >= 0x20 && *c < 0x7f ? *c : '?', '\0'};
    sfnec_canvas_put(canvas, row, column, style, glyph, glyph);
  }
}

void sfnec_canvas_shade(sfnec_canvas *canvas, int row, int column, int shade) {
  sfnec_cell *cell = cell_at(canvas, row, column);
  if (cell) cell->shade = (int16_t)shade;
}

// ---- as text ----

// The sequences of a style with 8 colours and with 256; emphasis stays without colours. Okabe and Ito's palette, which
// colour-blind people can tell apart.
static const struct {
  const char *none, *few, *many;
} looks[SFNEC_STYLE_COUNT] = {
    [SFNEC_STYLE_PLAIN] = {"", "", ""},
    [SFNEC_STYLE_DIM] = {"", ";2", ";38;5;245"},
    [SFNEC_STYLE_STRONG] = {";1", ";1", ";1"},
    [SFNEC_STYLE_WALL] = {"", ";37", ";38;5;250"},
    [SFNEC_STYLE_TRAIL] = {"", ";37", ";38;5;255"},
    [SFNEC_STYLE_AGENT] = {";1;7", ";1;7", ";1;38;5;16;48;5;231"},
    [SFNEC_STYLE_GOAL] = {"", ";32", ";38;5;156"},
    [SFNEC_STYLE_MEMORY] = {"", ";36", ";38;5;117"},
    [SFNEC_STYLE_CHOSEN] = {";1", ";1;33", ";1;38;5;220"},
    [SFNEC_STYLE_OBJECT] = {"", ";33", ";1;38;5;214"},
    [SFNEC_STYLE_OBJECT + 1] = {"", ";36", ";1;38;5;81"},
    [SFNEC_STYLE_OBJECT + 2] = {"", ";35", ";1;38;5;218"},
    [SFNEC_STYLE_OBJECT + 3] = {"", ";32", ";1;38;5;120"},
};

static void write_look(FILE *text, const sfnec_canvas *canvas, const sfnec_cell *cell) {
  const int style = cell->style < SFNEC_STYLE_COUNT ? cell->style : SFNEC_STYLE_PLAIN;
  const char *look = canvas->colours == 0    ? looks[style].none
                     : canvas->colours < 256 ? looks[style].few
                                             : looks[style].many;
  fprintf(text, "\033[0%s", look);
  // the agent's own background stays
  if (cell->shade >= 0 && canvas->colours >= 256 && style != SFNEC_STYLE_AGENT) fprintf(text, ";48;5;%d", cell->shade);
  fputc('m', text);
}

static void write_row(FILE *text, const sfnec_canvas *canvas, const sfnec_cell *cells) {
  const sfnec_cell *before = NULL;
  for (int column = 0; column < canvas->columns; column++) {
    const sfnec_cell *cell = &cells[column];
    if (!before || before->style != cell->style || before->shade != cell->shade) write_look(text, canvas, cell);
    fputs(cell->glyph[0] ? cell->glyph : " ", text);
    before = cell;
  }
}

char *sfnec_canvas_text(const sfnec_canvas *canvas) {
  char *out = NULL;
  size_t size = 0;
  FILE *text = open_memstream(&out, &size);
  if (!text) return NULL;
  for (int row = 0; row < canvas->rows; row++) {
    // every row has its place, so that a terminal that has just been resized shows no ladder
    fprintf(text, "\033[%d;1H", row + 1);
    write_row(text, canvas, canvas->cells + (size_t)row * (size_t)canvas->columns);
    fputs("\033[0m\033[K", text);
  }
  fputs("\033[J", text);
  if (fclose(text) == 0) return out;
  free(out);
  return NULL;
}
