// curves.h: curves in the making, shared by those who gather them (curves.c) and those who draw their frames (frames.c,
// panels.c).
#ifndef SFNEC_SHOW_PLOT_CURVES_H
#define SFNEC_SHOW_PLOT_CURVES_H

#include "show/plot/figure.h"

// points of a short curve, frames side by side
enum { PLOT_SHORT = 12, PLOT_COLUMNS = 2, PLOT_FRAMES = 6 };

typedef struct plot_curve {
  sfnec_curve curve;
  size_t frame;
  plot_style style;
  size_t published; // the block of the data that has its published values; 0: none
} plot_curve;

// Curves in one frame; those of several agents with a sweep each in a frame per agent, where equal points look equal.
typedef struct plot_curves {
  plot_curve items[PLOT_STYLES];
  size_t count, blocks;
  const char *frames[PLOT_FRAMES]; // the agents; a single frame has no name
  size_t frame_count;
  sfnec_curve optimum;                 // the average over the runs; count 0: it is not known or not drawn
  size_t optimum_block;                // of the data
  plot_entry entries[PLOT_STYLES + 2]; // of the legend
  size_t entry_count;
  const char *title;      // of the legend, or NULL
  double most, low, high; // the last x, and the range of all that is drawn
  bool over_steps;        // x is the environment step, not a number from 1
  bool evaluations;       // of evaluations on the side
  bool weights;           // of the last of them, x is the weight vector
} plot_curves;

// ---- which curves there are (curves.c) ----

// Those of all configurations that have any; `window` episodes to a point, 0: no episodes.
sfnec_status sfnec_plot_gather(const plotting *p, const figure *figure, size_t window, plot_curves *curves);
void sfnec_plot_widen(plot_curves *curves, double value, double error);
// The block of data of a curve, and of the optimum if the figure has it.
void sfnec_plot_write_curve(const plotting *p, const sfnec_curve *curve);
sfnec_status sfnec_plot_write_optimum(const plotting *p, const figure *figure, plot_curves *curves);
// "mean and standard error, 10 seeds"; in the arena, or NULL
const char *sfnec_plot_curves_note(const plotting *p, const plot_curves *curves);

// ---- how they are drawn (frames.c) ----

// One frame, or one per agent.
sfnec_status sfnec_plot_frames(const plotting *p, const figure *figure, const plot_curves *curves, const char *x_label);

// Frames of one size in rows of PLOT_COLUMNS, in inches.
typedef struct plot_grid {
  size_t count;
  double width, height; // of a frame
  double gap, between;  // from one to the next in a row, and from row to row
} plot_grid;

plot_layout sfnec_plot_grid_layout(const plot_grid *grid, double width, double right);
// A frame among others: its margins and what stands around it; numbers only at the outer frames.
void sfnec_plot_place_frame(const plotting *p, const plot_grid *grid, const plot_layout *at, size_t i,
                            const char *name);
// The line of the optimum, as a part of a plot command; `unit` divides it ("/unit", "").
void sfnec_plot_optimum_line(const plotting *p, const plot_curves *curves, const char *unit);
// The x axis of tasks: whole numbers from 1 on.
void sfnec_plot_task_tics(const plotting *p, double most, double room);

#endif
