// figure.h: what the figures share: the form of a figure, and how it looks.
#ifndef SFNEC_SHOW_PLOT_FIGURE_H
#define SFNEC_SHOW_PLOT_FIGURE_H

#include <stdio.h>

#include "show/plot/plot.h"
#include "show/theme/agents.h"
#include "show/theme/theme.h"
#include "study/analysis/series.h"

// What a figure is made from, and where it goes.
typedef struct plotting {
  const sfnec_results *results; // NULL: not of a study
  const char *name;             // of the study, or of what it is made from
  sfnec_arena *arena;
  const struct figure *figures; // all there are; the last has the name NULL
  sfnec_theme_of_study styles;  // numbers of the theme's styles
  sfnec_coverage coverage;
  const char *format, *folder;
  const char *stem; // of the file names: "main-average"
  FILE *script, *data;
} plotting;

// What the x axis of a curve counts.
typedef enum plot_over { PLOT_OVER_TASKS, PLOT_OVER_EPISODES, PLOT_OVER_STEPS, PLOT_OVER_EVALUATIONS } plot_over;

// A kind of figure: one row of the table in plot.c.
typedef struct figure {
  const char *name, *help;
  // why it does not apply, as the end of a sentence; NULL if it does
  const char *(*missing)(const plotting *p, const struct figure *figure);
  sfnec_status (*write)(const plotting *p, const struct figure *figure);

  // of curves
  plot_over over;
  const char *metric; // sfnec_series_metric
  sfnec_span span;
  const char *y_label;
  bool log_scale, published;
  bool optimum;                    // with a line of the most that can be earned
  bool skip_zeros;                 // leave out what is 0 all along: a linear function has no entries
  const sfnec_record_field *field; // over steps: a number of the bins
} figure;

const char *sfnec_plot_curves_missing(const plotting *p, const figure *figure);
sfnec_status sfnec_plot_curves(const plotting *p, const figure *figure);
const char *sfnec_plot_boxes_missing(const plotting *p, const figure *figure);
sfnec_status sfnec_plot_boxes(const plotting *p, const figure *figure);
const char *sfnec_plot_forest_missing(const plotting *p, const figure *figure);
sfnec_status sfnec_plot_forest(const plotting *p, const figure *figure);
const char *sfnec_plot_sweep_missing(const plotting *p, const figure *figure);
sfnec_status sfnec_plot_sweep(const plotting *p, const figure *figure);

// ---- the look (figure.c): that of the theme, as gnuplot draws it on white ----

// A symbol: gnuplot's number of a filled one; an open one is drawn with a smaller white one on top, as the outlines of
// gnuplot's own differ between formats.
typedef struct plot_mark {
  const char *color;
  int point;
  bool open;
  double size;
} plot_mark;

typedef struct plot_style {
  int dash; // one more than the theme's number; 0: no line
  plot_mark mark;
} plot_style;

enum { PLOT_STYLES = SFNEC_THEME_STYLES };

plot_style sfnec_plot_style(size_t i);
// Published values are diamonds, and nothing else is.
plot_mark sfnec_plot_diamond(const char *color, bool open);
// The optimum is a line without marks.
plot_style sfnec_plot_optimum(void);
// A colour of the theme.
const char *sfnec_plot_color(sfnec_theme_role role);

// The colour of a share from 0 to 1 on the theme's ramp of values, as gnuplot's `rgb variable` has it.
unsigned sfnec_plot_ramp(double share);
// SFNEC_ERROR_OPTION unless it is svg, pdf or png.
sfnec_status sfnec_plot_check_format(const char *format);

// Where things are, in inches. Room for the legend is added below by sfnec_plot_begin.
typedef struct plot_layout {
  double width, height;            // of the picture
  double left, right, top, bottom; // margins around the frame
} plot_layout;

// The width of a column of a paper, and of both.
#define PLOT_COLUMN 3.5
#define PLOT_PAGE 7.16

// Frames of one size in rows of two, in inches.
typedef struct plot_frame_size {
  double width, height;
  double gap, between; // from one to the next in a row, and from row to row
} plot_frame_size;

// One entry of a legend: a line with a mark, or (dash 0) the mark alone, or (size 0) the line alone.
typedef struct plot_entry {
  const char *text;
  plot_style style;
} plot_entry;

// Writes the head of a script: where the picture goes, its size, fonts, axes, grid, and the legend below the frame,
// where no curve can run into it. The layout's height and bottom grow by the legend. Below it stands a note in small
// letters: how many seeds, what the band is. `title` and `note` may be NULL.
void sfnec_plot_begin(const plotting *p, plot_layout *layout, const char *title, const plot_entry *entries,
                      size_t count, const char *note);
// The least round number (1, 2, 5, 10, ...) that parts a range into at most so many steps.
double sfnec_plot_round_step(double range, double parts);
// "WHAT, 10 seeds", or "WHAT, 8 to 10 seeds"; in the arena, or NULL.
const char *sfnec_plot_note(const plotting *p, const char *what, size_t least, size_t most);
// The margins of the next frame of a picture with several.
void sfnec_plot_margins(const plotting *p, const plot_layout *at);
// A picture of so many frames, with room above and below all of them; then frame number i with its name above, and
// numbers on the y axes of the left ones alone.
plot_layout sfnec_plot_frames(const plot_frame_size *size, size_t count, double width, double top, double bottom);
void sfnec_plot_place_frame(const plotting *p, const plot_layout *at, const plot_frame_size *size, size_t i,
                            const char *name);
// A text in the picture, its middle so many inches from the left and from the bottom.
void sfnec_plot_label(const plotting *p, const plot_layout *layout, const char *text, double x, double y, bool upright);
// The names of the axes, y_label at the left and x_label `below` inches below the frame.
void sfnec_plot_axes(const plotting *p, const plot_layout *at, const char *x_label, double below, const char *y_label);
// The part of a plot command that draws marks; `what` selects the data ("index 1 using 1:3").
void sfnec_plot_marks(const plotting *p, const char *what, const plot_mark *mark);

// What a text is for: a label, a label of a tic, or the same with its words below each other.
typedef enum plot_text_use { PLOT_LABEL, PLOT_TIC, PLOT_TIC_WORDS } plot_text_use;
// A text as a string of the script: the one way by which a text of a user reaches gnuplot, and never as code.
void sfnec_plot_text(FILE *script, const char *text, plot_text_use use);
// The tics of an axis ("x", "y") whose values are words, at 1, 2, ...: every `step`th of them, and the range around.
void sfnec_plot_tics(const plotting *p, const char *axis, const char *const *values, size_t count, size_t step);
// A number of the data; "NaN" where there is none.
void sfnec_plot_number(FILE *data, double value);
// The end of a row: the mean, its standard error, and both ends of the error bar.
void sfnec_plot_point(FILE *data, double mean, double error);
// The head of the data: the study, what the figure shows, and the columns.
void sfnec_plot_data_head(const plotting *p, const char *help, const char *columns);
// "published (thesis)" if all values of the study have one source, else "published". In the arena, or NULL.
const char *sfnec_plot_published_title(const plotting *p);

// ---- its files (gnuplot.c) ----

// Writes what it is given into p->script and p->data.
typedef sfnec_status plot_writer(const plotting *p, const void *what);
// Writes STEM.gp and STEM.dat in the folder.
sfnec_status sfnec_plot_files(plotting *p, plot_writer *write, const void *what);
// Lets gnuplot draw a script of the folder. Fails with SFNEC_ERROR_IO (gnuplot is missing or failed: script and data
// stay) or _MEMORY.
sfnec_status sfnec_plot_draw(const plotting *p, const char *script, const char *picture);

#endif
