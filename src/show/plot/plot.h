// plot.h: figures of an experiment for print, drawn by gnuplot.
//
// Each figure is three files in one folder: a script, its data, and the picture. The script needs nothing but the data
// beside it, so that a user changes a label or a size and draws again: `gnuplot main-average.gp`. The same results give
// the same scripts and data, byte for byte, and with the same gnuplot the same pictures.
#ifndef SFNEC_SHOW_PLOT_PLOT_H
#define SFNEC_SHOW_PLOT_PLOT_H

#include "study/analysis/analysis.h"

typedef struct sfnec_plot_options {
  const char *const *figures; // (figure_count) names; none: all that apply
  size_t figure_count;
  const char *format; // "svg", "pdf" or "png"; NULL: svg
  const char *folder; // made if it is missing
} sfnec_plot_options;

// One figure of the list, in its order.
typedef struct sfnec_plot_figure {
  const char *name, *help;             // "average", and what it shows
  const char *missing;                 // why it does not apply to this experiment; NULL: it was wanted and written
  const char *picture, *script, *data; // file names in the folder; NULL where it was not written
} sfnec_plot_figure;

typedef struct sfnec_plot {
  sfnec_arena *arena;
  sfnec_plot_figure *figures; // those that were wanted
  size_t figure_count;
  sfnec_coverage coverage; // how much of the experiment is there
} sfnec_plot;

// Writes scripts and data of all wanted figures, then draws them. Fails with SFNEC_ERROR_OPTION (no such figure or
// format), _STATE (no run has finished a task; a figure that was asked for does not apply), _IO (cannot write there;
// gnuplot is missing or failed: scripts and data are there) or _MEMORY.
sfnec_status sfnec_plot_make(const sfnec_results *results, const sfnec_plot_options *options, sfnec_plot **out);
void sfnec_plot_destroy(sfnec_plot *plot); // NULL is fine

// What an agent earns under many reward weights: two of them vary, the others stay.
typedef struct sfnec_eval_map {
  const char *agent, *title, *note; // whose it is, the head of the picture, what stands below it
  const char *across, *up;          // the names of the two
  const double *weights;            // (count) the values of both
  const double *returns;            // (count, count), a row for each value of `up`
  size_t count;                     // 1 to SFNEC_EVAL_MAP_MOST
} sfnec_eval_map;

enum { SFNEC_EVAL_MAP_MOST = 24 };

// SFNEC_ERROR_OPTION unless a picture can have this name: .svg, .pdf or .png, and nothing odd in it.
sfnec_status sfnec_plot_check_picture(const char *path);
// Draws it as a heat map into a file .svg, .pdf or .png, with its script and data beside it. Fails with
// SFNEC_ERROR_OPTION (its name), _IO (as above) or _MEMORY.
sfnec_status sfnec_plot_eval_map(const sfnec_eval_map *map, const char *path);

#endif
