// relevance_neighbours.c: predictions by leave-one-out nearest neighbours: by the rows of the same action that are the
// nearest in the kept factors; see relevance_select.c, whose stages ask for them.
#include <string.h>

#include "agent/plan/relevance_fit.h"

void sfnec_fit_choose_references(sfnec_relevance_fit *fit) {
  fit->references = 0;
  for (size_t a = 0; a < SFNEC_ASSOCIATION_BINS; a++) {
    fit->reference_start[a] = fit->references;
    size_t count = 0, seen = 0;
    for (size_t i = 0; i < fit->rows && a < fit->action_count; i++) count += fit->action[i] == a;
    const size_t most = SFNEC_RELEVANCE_REFERENCES, wanted = count < most ? count : most;
    for (size_t i = 0, taken = 0; i < fit->rows && taken < wanted; i++) {
      if (fit->action[i] != a) continue;
      if (wanted == count || seen == taken * (count - 1) / (most - 1)) {
        fit->reference_row[fit->references++] = (uint32_t)i;
        taken++;
      }
      seen++;
    }
  }
  fit->reference_start[SFNEC_ASSOCIATION_BINS] = fit->references;
}

void sfnec_fit_fill_column(sfnec_relevance_fit *fit, const sfnec_factor *factor, size_t at) {
  const float *values = sfnec_fit_before(fit, factor), scale = factor->count > 1 ? 1.0f : factor->scale;
  float *x = fit->x + at * fit->rows, *references = fit->x_references + at * fit->rows;
  for (size_t i = 0; i < fit->rows; i++) x[i] = values[i] * scale;
  for (size_t r = 0; r < fit->references; r++) references[r] = x[fit->reference_row[r]];
}

// Squared distances of a row to the references of its action, in the kept factors and one more (NULL: none); two
// different values of a categorical factor are sqrt(2) apart, as two corners are.
static void measure_distances(const sfnec_relevance_fit *fit, size_t row, const sfnec_factor *more, size_t from,
                              size_t count) {
  float *distance = fit->distance;
  memset(distance, 0, count * sizeof *distance);
  if (count < SFNEC_RELEVANCE_NEIGHBOUR_ROWS) return;
  for (size_t k = 0; k < fit->kept_count + (more != NULL); k++) {
    const sfnec_factor *factor = k < fit->kept_count ? &fit->factors[fit->kept[k]] : more;
    const float x = fit->x[k * fit->rows + row], *references = fit->x_references + k * fit->rows + from;
    if (factor->count > 1) {
      for (size_t r = 0; r < count; r++) distance[r] += references[r] == x ? 0.0f : 2.0f;
    } else {
      for (size_t r = 0; r < count; r++) distance[r] += (references[r] - x) * (references[r] - x);
    }
  }
}

// Adds the targets of a row from `first` on, by weight.
static void add_targets(const sfnec_relevance_fit *fit, size_t row, size_t first, size_t count, double weight) {
  const float *y = fit->y + row * fit->target_count + first;
  for (size_t t = 0; t < count; t++) fit->prediction[t] += weight * (double)y[t];
}

size_t sfnec_fit_predict(const sfnec_relevance_fit *fit, size_t row, const sfnec_factor *more, size_t first,
                         size_t targets) {
  enum { K = SFNEC_RELEVANCE_NEIGHBOURS };
  const size_t from = fit->reference_start[fit->action[row]], count = fit->reference_start[fit->action[row] + 1] - from;
  const uint32_t *rows = fit->reference_row + from;
  measure_distances(fit, row, more, from, count);
  float nearest[K + 1];
  size_t at[K + 1], found = 0, equal = 0;
  double total = 0.0;
  memset(fit->prediction, 0, targets * sizeof *fit->prediction);
  for (size_t r = 0; r < count; r++) {
    const float distance = fit->distance[r];
    if (found == K && distance >= nearest[K - 1] && distance != 0.0f) continue;
    if (rows[r] == row) continue;
    if (distance == 0.0f) {
      add_targets(fit, rows[r], first, targets, 1.0);
      total += 1.0;
      equal++;
    }
    size_t slot = found < K ? found++ : K - 1;
    for (; slot > 0 && nearest[slot - 1] > distance; slot--) {
      nearest[slot] = nearest[slot - 1];
      at[slot] = at[slot - 1];
    }
    nearest[slot] = distance;
    at[slot] = r;
  }
  const double near_zero = 1e-5 * (double)(fit->kept_count + 1); // of scaled values, which range over 1 and more
  for (size_t i = 0; i < found && nearest[0] > 0.0f; i++) {
    const double weight = 1.0 / ((double)nearest[i] + near_zero);
    add_targets(fit, rows[at[i]], first, targets, weight);
    total += weight;
  }
  for (size_t t = 0; t < targets && total > 0.0; t++) fit->prediction[t] /= total;
  return (fit->kept_count / 2 + 3) * count + (10 + equal) * targets;
}

void sfnec_fit_find_live_targets(sfnec_relevance_fit *fit) {
  for (size_t t = 0; t < fit->target_count; t++) {
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < fit->rows; i++) {
      const double left = (double)fit->residual[t * fit->rows + i];
      sum += left;
      squares += left * left;
    }
    const double n = (double)fit->rows;
    fit->live[t] = squares / n - sum / n * (sum / n) > SFNEC_RELEVANCE_UNEXPLAINED;
  }
}
