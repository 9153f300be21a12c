// figure.c: how figures look: sizes, fonts, colours, and the texts and numbers of scripts and data.
//
// Sizes are those of print: a column of 3.5 inches, letters of 8.5 points. Colours, dashes and marks are those of the
// theme.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "show/plot/figure.h"

// gnuplot's numbers of the filled marks
static const int points[SFNEC_MARK_COUNT] = {
    [SFNEC_MARK_CIRCLE] = 7,  [SFNEC_MARK_SQUARE] = 5,    [SFNEC_MARK_TRIANGLE] = 9,
    [SFNEC_MARK_UPSIDE] = 11, [SFNEC_MARK_PENTAGON] = 15, [SFNEC_MARK_DIAMOND] = 13};
#define DIAMOND points[SFNEC_MARK_DIAMOND]

plot_style sfnec_plot_style(size_t i) {
  const sfnec_theme_style *style = &sfnec_theme_styles[i % SFNEC_THEME_STYLES];
  return (plot_style){style->dash + 1, {style->colour.light, points[style->mark], style->open, 0.55}};
}

const char *sfnec_plot_color(sfnec_theme_role role) {
  return sfnec_theme_roles[role].colour.light;
}

plot_mark sfnec_plot_diamond(const char *color, bool open) {
  return (plot_mark){color, DIAMOND, open, open ? 1.35 : 1.05};
}

plot_style sfnec_plot_optimum(void) {
  return (plot_style){2, {.color = sfnec_plot_color(SFNEC_ROLE_OPTIMUM)}};
}

unsigned sfnec_plot_ramp(double share) {
  double rgb[3];
  unsigned color = 0;
  sfnec_theme_value(share, rgb);
  for (int i = 0; i < 3; i++) color = color << 8 | (unsigned)(255 * rgb[i] + 0.5);
  return color;
}

sfnec_status sfnec_plot_check_format(const char *format) {
  static const char *const formats[] = {"svg", "pdf", "png"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(formats[i], format) == 0) return SFNEC_OK;
  return sfnec_fail(SFNEC_ERROR_OPTION, "there is no format '%s'; there are svg, pdf and png", format);
}

// ---- texts and numbers ----

// Gnuplot runs what stands in backquotes within double quotes, and reads tic labels as formats. So nothing but letters,
// digits and blanks stands there as itself: every other byte is written as its octal number, which gnuplot turns back
// into the byte after it has looked for code; of four digits, as it would take a digit that follows three for one.
void sfnec_plot_text(FILE *script, const char *text, plot_text_use use) {
  fputc('"', script);
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == ' ' && use == PLOT_TIC_WORDS) fputs("\\n", script);
    else if (c == '-' && use == PLOT_TIC_WORDS && text[1]) fputs("-\\n", script);
    else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ') fputc(c, script);
    else if (iscntrl(c)) fputc(' ', script);
    else fprintf(script, "\\%04o%s", c, c == '%' && use != PLOT_LABEL ? "\\0045" : "");
  }
  fputc('"', script);
}

void sfnec_plot_tics(const plotting *p, const char *axis, const char *const *values, size_t count, size_t step) {
  fprintf(p->script, "set %srange [0.5:%g]\nset %stics scale 0 (", axis, (double)count + 0.5, axis);
  for (size_t i = 0; i < count; i += step) {
    if (i) fputs(", ", p->script);
    sfnec_plot_text(p->script, values[i], PLOT_TIC);
    fprintf(p->script, " %zu", i + 1);
  }
  fputs(")\n", p->script);
}

void sfnec_plot_number(FILE *data, double value) {
  char text[32] = "NaN";
  if (isfinite(value)) sfnec_real_to_text(value, text, sizeof text);
  fprintf(data, " %s", text);
}

void sfnec_plot_point(FILE *data, double mean, double error) {
  const double around = isnan(error) ? 0 : error;
  const double numbers[] = {mean, error, mean - around, mean + around};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sfnec_plot_number(data, numbers[i]);
  fputc('\n', data);
}

// one line of comment; a newline in a title would begin a row
static void print_comment(FILE *data, const char *text) {
  for (; *text; text++) fputc(iscntrl((unsigned char)*text) ? ' ' : *text, data);
}

void sfnec_plot_data_head(const plotting *p, const char *help, const char *columns) {
  fprintf(p->data, "# ");
  print_comment(p->data, p->name);
  fprintf(p->data, ": %s\n# columns: %s\n", help, columns);
}

double sfnec_plot_round_step(double range, double parts) {
  const double power = pow(10, floor(log10(range / parts))), step = range / parts / power;
  return power * (step <= 1 ? 1 : step <= 2 ? 2 : step <= 5 ? 5 : 10);
}

const char *sfnec_plot_published_title(const plotting *p) {
  const char *source = NULL;
  for (size_t i = 0; i < p->results->published_count; i++) {
    const char *at = p->results->published[i].source;
    if (!at || (source && strcmp(source, at) != 0)) return "published";
    source = at;
  }
  return source ? sfnec_arena_print(p->arena, "published (%s)", source) : "published";
}

// ---- the head of a script ----

// the same picture in every format, in letters of 8.5 points: a point is 2 units of an SVG and 300/72 pixels of a PNG,
// whose letters are made for 96 pixels per inch, as those of a PDF are for 72 where it takes 96
static void print_terminal(const plotting *p, const plot_layout *at) {
  const double letters = 8.5;
  const bool svg = strcmp(p->format, "svg") == 0;
  const char *back = sfnec_plot_color(SFNEC_ROLE_BACK);
  if (svg)
    fprintf(p->script, "set terminal svg size %.0f,%.0f fixed background '%s' font '%s,%.1f' linewidth 2",
            144 * at->width, 144 * at->height, back, sfnec_theme_font_print, 2 * letters);
  else if (strcmp(p->format, "pdf") == 0)
    fprintf(p->script,
            "set terminal pdfcairo size %.2fin,%.2fin background '%s' font '%s,%.1f' fontscale 0.75 "
            "linewidth 1.5 pointscale 0.8",
            at->width, at->height, back, sfnec_theme_font_print, letters);
  else
    fprintf(p->script,
            "set terminal pngcairo size %.0f,%.0f background '%s' font '%s,%.1f' fontscale 3.125 "
            "linewidth 4 pointscale 3.5",
            300 * at->width, 300 * at->height, back, sfnec_theme_font_print, letters);
  fprintf(p->script, " noenhanced\nset output '%s.%s'\n", p->stem, p->format);
  // what formats draw differently: how far numbers stand from the axis, and the size of diamonds
  fprintf(p->script, "set xtics offset 0,%g\ndiamond = %g\nsmall = ',%g'\n", svg ? 0.45 : 0.25, svg ? 0.62 : 1.0,
          svg ? 15.0 : 7.5);
}

void sfnec_plot_margins(const plotting *p, const plot_layout *at) {
  fprintf(p->script,
          "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen %.4f\n"
          "set bmargin at screen %.4f\n",
          at->left / at->width, 1 - at->right / at->width, 1 - at->top / at->height, at->bottom / at->height);
}

void sfnec_plot_label(const plotting *p, const plot_layout *layout, const char *text, double x, double y,
                      bool upright) {
  fputs("set label ", p->script);
  sfnec_plot_text(p->script, text, PLOT_LABEL);
  fprintf(p->script, " at screen %.4f, screen %.4f center%s\n", x / layout->width, y / layout->height,
          upright ? " rotate by 90" : "");
}

enum { COLUMNS = 2 }; // of frames

plot_layout sfnec_plot_frames(const plot_frame_size *size, size_t count, double width, double top, double bottom) {
  const double rows = (double)((count + COLUMNS - 1) / COLUMNS);
  return (plot_layout){width, top + bottom + rows * size->height + (rows - 1) * size->between, 0.62, 0.08, top, bottom};
}

void sfnec_plot_place_frame(const plotting *p, const plot_layout *at, const plot_frame_size *size, size_t i,
                            const char *name) {
  const double x = at->left + (double)(i % COLUMNS) * (size->width + size->gap);
  const double y = at->height - at->top - size->height - (double)(i / COLUMNS) * (size->height + size->between);
  const plot_layout own = {at->width, at->height, x, at->width - x - size->width, at->height - y - size->height, y};
  fprintf(p->script, "set format y '%s'\n", i % COLUMNS ? "" : "%g");
  sfnec_plot_margins(p, &own);
  sfnec_plot_label(p, at, name, x + size->width / 2, y + size->height + 0.09, false);
}

void sfnec_plot_axes(const plotting *p, const plot_layout *at, const char *x_label, double below, const char *y_label) {
  const double middle_x = (at->left + at->width - at->right) / 2, middle_y = (at->bottom + at->height - at->top) / 2;
  if (x_label[0]) sfnec_plot_label(p, at, x_label, middle_x, at->bottom - below, false);
  sfnec_plot_label(p, at, y_label, 0.11, middle_y, true);
}

// ---- marks ----

// diamonds have their own size
static void print_mark(FILE *script, const plot_mark *mark, double scale, const char *color) {
  fprintf(script, "pointtype %d pointsize %.3g%s linecolor '%s'", mark->point, scale * mark->size,
          mark->point == DIAMOND ? "*diamond" : "", color);
}

static const double hole = 0.6;

void sfnec_plot_marks(const plotting *p, const char *what, const plot_mark *mark) {
  fprintf(p->script, "  '' %s with points ", what);
  print_mark(p->script, mark, 1, mark->color);
  fputs(" notitle, \\\n", p->script);
  if (!mark->open) return;
  fprintf(p->script, "  '' %s with points ", what);
  print_mark(p->script, mark, hole, sfnec_plot_color(SFNEC_ROLE_BACK));
  fputs(" notitle, \\\n", p->script);
}

// ---- the legend ----

// inches: a letter on average, a line with its gap to the text, the gap between entries, a row
static const double letter = 0.064, sample = 0.30, between = 0.16, row = 0.165;

enum { MOST_COLUMNS = 8 };

typedef struct grid {
  size_t columns, rows;
  double left[MOST_COLUMNS + 1]; // where each column begins, from the left of the first, and where the last ends
} grid;

static void measure(const plot_entry *entries, size_t count, grid *grid) {
  for (size_t c = 0; c < grid->columns; c++) {
    double width = 0;
    for (size_t i = c; i < count; i += grid->columns)
      width = fmax(width, sample + 0.06 + letter * sfnec_text_columns(entries[i].text) + between);
    grid->left[c + 1] = grid->left[c] + width;
  }
}

// as many columns as fit
static grid arrange(const plot_entry *entries, size_t count, double room) {
  grid grid = {.columns = count < MOST_COLUMNS ? count : MOST_COLUMNS};
  if (!count) return grid;
  for (;; grid.columns--) {
    measure(entries, count, &grid);
    if (grid.columns == 1 || grid.left[grid.columns] - between <= room) break;
  }
  grid.rows = (count + grid.columns - 1) / grid.columns;
  return grid;
}

static void print_entry(const plotting *p, const plot_layout *at, const plot_entry *entry, double x, double y) {
  const plot_mark *mark = &entry->style.mark;
  if (entry->style.dash)
    fprintf(p->script,
            "set arrow from screen %.4f, screen %.4f to screen %.4f, screen %.4f nohead linecolor '%s' dashtype %d "
            "linewidth 1.2\n",
            x / at->width, y / at->height, (x + sample) / at->width, y / at->height, mark->color, entry->style.dash);
  for (int layer = 0; mark->size > 0 && layer < (mark->open ? 2 : 1); layer++) {
    fprintf(p->script, "set label '' at screen %.4f, screen %.4f front point ", (x + sample / 2) / at->width,
            y / at->height);
    print_mark(p->script, mark, layer ? hole : 1, layer ? sfnec_plot_color(SFNEC_ROLE_BACK) : mark->color);
    fputc('\n', p->script);
  }
  fputs("set label ", p->script);
  sfnec_plot_text(p->script, entry->text, PLOT_LABEL);
  fprintf(p->script, " at screen %.4f, screen %.4f left\n", (x + sample + 0.06) / at->width, y / at->height);
}

// a unit of gnuplot's dashes is 0.4 widths of a line
static void print_theme(FILE *script) {
  for (size_t i = 0; i < SFNEC_THEME_DASHES; i++) {
    const uint8_t *dash = sfnec_theme_dashes[i];
    fprintf(script, "set dashtype %zu ", i + 1);
    if (!dash[0]) fputs("solid", script);
    for (size_t k = 0; k < SFNEC_THEME_DASH_PARTS && dash[k]; k++)
      fprintf(script, "%c%g", k ? ',' : '(', 2.5 * dash[k]);
    fputs(dash[0] ? ")\n" : "\n", script);
  }
  const char *text = sfnec_plot_color(SFNEC_ROLE_TEXT);
  fprintf(script,
          "unset key\nset border 3 linecolor '%s' linewidth 0.6\nset tics nomirror out scale 0.5 textcolor '%s'\n"
          "set grid ytics linetype 1 dashtype 1 linecolor '%s' linewidth 0.5\n"
          "set style fill transparent solid 0.18 noborder\n",
          sfnec_plot_color(SFNEC_ROLE_SOFT), text, sfnec_plot_color(SFNEC_ROLE_GRID));
}

const char *sfnec_plot_note(const plotting *p, const char *what, size_t least, size_t most) {
  if (least >= most) return sfnec_arena_print(p->arena, "%s, %zu seed%s", what, most, most == 1 ? "" : "s");
  return sfnec_arena_print(p->arena, "%s, %zu to %zu seeds", what, least, most);
}

static void print_note(const plotting *p, const plot_layout *at, const char *note) {
  fputs("set label ", p->script);
  sfnec_plot_text(p->script, note, PLOT_LABEL);
  fprintf(p->script, " at screen 0.5, screen %.4f center font small textcolor '%s'\n", 0.5 * row / at->height,
          sfnec_plot_color(SFNEC_ROLE_SOFT));
}

void sfnec_plot_begin(const plotting *p, plot_layout *layout, const char *title, const plot_entry *entries,
                      size_t count, const char *note) {
  const grid grid = arrange(entries, count, layout->width - 0.1);
  const double foot = note ? row : 0;
  const double legend = row * (double)(grid.rows + (title != NULL)) + (count ? 0.06 : 0) + foot;
  layout->height += legend;
  layout->bottom += legend;
  fprintf(p->script, "# draw again: gnuplot %s.gp\nset encoding utf8\n", p->stem);
  print_terminal(p, layout);
  print_theme(p->script);
  sfnec_plot_margins(p, layout);
  if (title) sfnec_plot_label(p, layout, title, layout->width / 2, legend - row / 2, false);
  if (note) print_note(p, layout, note);
  const double left = (layout->width - grid.left[grid.columns] + between) / 2;
  const double top = legend - row * (title ? 1.5 : 0.5);
  for (size_t i = 0; i < count; i++)
    print_entry(p, layout, &entries[i], left + grid.left[i % grid.columns], top - row * (double)(i / grid.columns));
}
