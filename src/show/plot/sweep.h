// sweep.h: the points of all sweeps of a study as figures take them: axes (keys with their values), and where each
// point lies on them.
#ifndef SFNEC_SHOW_PLOT_SWEEP_H
#define SFNEC_SHOW_PLOT_SWEEP_H

#include "show/plot/figure.h"

enum { PLOT_KEYS = 8, PLOT_VALUES = SFNEC_EVAL_MAP_MOST, PLOT_AGENTS = 8 };

typedef struct plot_axis {
  const char *key;
  const char *values[PLOT_VALUES]; // in the order of the plan
  size_t count;
} plot_axis;

typedef struct plot_point {
  size_t configuration, agent;
  double value;         // the mean of its runs
  size_t at[PLOT_KEYS]; // its value on each axis, from 1; 0: it does not have that key
} plot_point;

typedef struct plot_sweep {
  sfnec_metric metric;
  plot_axis axes[PLOT_KEYS];
  size_t axis_count;
  const char *agents[PLOT_AGENTS]; // labels
  size_t agent_count;
  plot_point *points;
  size_t count;
  double low, high;   // of the values
  size_t least, most; // runs of a point
} plot_sweep;

// All of it, in the arena.
sfnec_status sfnec_plot_sweep_take(const plotting *p, plot_sweep *out);
// The mean over the points of an agent that have this value of a key, and of another key if `other` < PLOT_KEYS; NaN
// without any.
double sfnec_plot_sweep_mean(const plot_sweep *sweep, size_t agent, size_t key, size_t value, size_t other,
                             size_t other_value);
// What the values are, for an axis: "average return per task after 10 tasks".
const char *sfnec_plot_sweep_label(const plotting *p, const plot_sweep *sweep);
// The colour of a value on the ramp of this sweep, as gnuplot's `rgb variable` has it.
unsigned sfnec_plot_sweep_color(const plot_sweep *sweep, double value);
// Whether more is better.
bool sfnec_plot_sweep_better(const plot_sweep *sweep, double a, double b);

#endif
