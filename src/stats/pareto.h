// pareto.h: points of several objectives, all of which are better when greater: which of them no other one beats, and
// how much of the space below them they cover. docs/statistics.md explains both to users.
#ifndef SFNEC_STATS_PARETO_H
#define SFNEC_STATS_PARETO_H

#include <stdbool.h>
#include <stddef.h>

#include "sfnec/status.h"

// Marks the points (count, n) that are on the Pareto front: no other point is at least as good in every objective and
// better in one. Of equal points the first is marked.
void sfnec_pareto_front(const double *points, size_t count, size_t n, bool *front);

// The hypervolume of points (count, n) above a reference (n): the volume of all that lies between the reference and
// some point. Points that are below the reference in an objective add nothing. Exact, by the exclusive volumes of
// While, Bradstreet and Barone (2012); the time grows exponentially with n, so a front of more than 100 points in more
// than four objectives is refused with SFNEC_ERROR_ARGUMENT. Fails with SFNEC_ERROR_MEMORY.
sfnec_status sfnec_hypervolume(const double *points, size_t count, size_t n, const double *reference, double *volume);

#endif
