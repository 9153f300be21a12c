// pareto.c: Pareto front and hypervolume; see pareto.h.
#include "stats/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// at least as good in every objective
static bool covers(const double *a, const double *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!(a[i] >= b[i])) return false;
  return true;
}

void sfnec_pareto_front(const double *points, size_t count, size_t n, bool *front) {
  for (size_t i = 0; i < count; i++) {
    const double *point = points + i * n;
    front[i] = true;
    for (size_t j = 0; j < count && front[i]; j++) {
      const double *other = points + j * n;
      const bool equal = covers(point, other, n);
      if (i != j && covers(other, point, n) && (!equal || j < i)) front[i] = false;
    }
  }
}

// ---- hypervolume ----

// those of the front come first, in their order; returns how many
static size_t keep_front(double *points, size_t count, size_t n, bool *marks) {
  size_t kept = 0;
  sfnec_pareto_front(points, count, n, marks);
  for (size_t i = 0; i < count; i++) {
    if (!marks[i]) continue;
    if (kept != i) memcpy(points + kept * n, points + i * n, n * sizeof *points);
    kept++;
  }
  return kept;
}

static double box(const double *point, const double *reference, size_t n) {
  double volume = 1;
  for (size_t i = 0; i < n; i++) volume *= point[i] - reference[i];
  return volume;
}

// Of points of a front: each adds what the ones after it do not cover, which is its box less the volume of the others
// cut down to it. `room` has a level of (count, n) numbers and count marks for every level of the recursion.
static double volume_of(const double *points, size_t count, size_t n, const double *reference, double *room,
                        bool *marks, size_t level) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    const double *point = points + i * n;
    const size_t others = count - i - 1;
    for (size_t j = 0; j < others; j++)
      for (size_t k = 0; k < n; k++) room[j * n + k] = fmin(point[k], points[(i + 1 + j) * n + k]);
    const size_t kept = keep_front(room, others, n, marks);
    sum += box(point, reference, n);
    if (kept) sum -= volume_of(room, kept, n, reference, room + level * n, marks, level);
  }
  return sum;
}

sfnec_status sfnec_hypervolume(const double *points, size_t count, size_t n, const double *reference, double *volume) {
  enum { MOST = 100, FEW_OBJECTIVES = 4 };
  *volume = 0;
  if (!count || !n) return SFNEC_OK;
  double *front = malloc(count * n * sizeof *front), *room = NULL;
  bool *marks = malloc(count * sizeof *marks);
  sfnec_status status = front && marks ? SFNEC_OK : sfnec_fail_memory("a hypervolume");
  size_t above = 0;
  for (size_t i = 0; !status && i < count; i++)
    if (covers(points + i * n, reference, n)) memcpy(front + above++ * n, points + i * n, n * sizeof *front);
  const size_t kept = status ? 0 : keep_front(front, above, n, marks);
  if (kept > MOST && n > FEW_OBJECTIVES)
    status =
        sfnec_fail(SFNEC_ERROR_ARGUMENT, "the hypervolume of %zu points in %zu objectives takes too long", kept, n);
  // each level of the recursion has fewer points than the one above it
  if (!status && !(room = malloc((kept + 1) * kept * n * sizeof *room + 1)))
    status = sfnec_fail_memory("a hypervolume");
  if (!status) *volume = volume_of(front, kept, n, reference, room, marks, kept);
  free(room);
  free(front);
  free(marks);
  return status;
}
