// filter_file.c: a filter, and what is believed by it, in a file; see filter.h.
#include <math.h>
#include <string.h>

#include "agent/plan/filter.h"
#include "agent/plan/numbers.h"

// Variances of standardised components that numbers stay finite with.
static const double VARIANCE_LEAST = 1e-30, VARIANCE_MOST = 1e12;

void sfnec_filter_save(const sfnec_filter *filter, sfnec_writer *writer) {
  sfnec_write_u32(writer, filter->version);
  sfnec_write_u32(writer, filter->size);
  if (filter->size == 0) return;
  sfnec_write_u32(writer, filter->dynamics.degree);
  for (uint32_t i = 0; i < filter->size; i++) {
    sfnec_write_u32(writer, filter->components[i]);
    sfnec_write_f64(writer, filter->middle[i]);
    sfnec_write_f64(writer, filter->narrow[i]);
    sfnec_write_f64(writer, filter->noise[i]);
    sfnec_write_f64(writer, filter->process[i]);
  }
  sfnec_polynomial_save(&filter->dynamics, writer);
  plan_write_floats(writer, filter->constants, (size_t)filter->dynamics.actions * filter->size);
}

static bool is_variance(double number) {
  return number >= VARIANCE_LEAST && number <= VARIANCE_MOST;
}

static sfnec_status load_components(sfnec_filter *filter, size_t size, sfnec_reader *reader) {
  bool good = true;
  for (uint32_t i = 0; i < filter->size && sfnec_reader_good(reader); i++) {
    filter->components[i] = sfnec_read_u32(reader);
    filter->middle[i] = sfnec_read_f64(reader);
    filter->narrow[i] = sfnec_read_f64(reader);
    filter->noise[i] = sfnec_read_f64(reader);
    filter->process[i] = sfnec_read_f64(reader);
    good &= filter->components[i] < size && (i == 0 || filter->components[i] > filter->components[i - 1]) &&
            fabs(filter->middle[i]) <= SFNEC_NUMBER_MOST && filter->narrow[i] > 0.0 &&
            filter->narrow[i] <= SFNEC_NUMBER_MOST && is_variance(filter->noise[i]) && is_variance(filter->process[i]);
  }
  return good && sfnec_reader_good(reader) ? SFNEC_OK
                                           : sfnec_reader_refuse(reader, "a component of its filter is not one");
}

sfnec_status sfnec_filter_load(sfnec_filter *filter, size_t size, uint32_t actions, sfnec_reader *reader) {
  const uint32_t version = sfnec_read_u32(reader), components = sfnec_read_u32(reader);
  filter->version = version;
  if (components > SFNEC_FILTER_SIZE || components > size || (components > 0 && version == 0)) {
    return sfnec_reader_refuse(reader, "its filter has more components than observations have");
  }
  if (components == 0) return SFNEC_OK;
  const uint32_t degree = sfnec_read_u32(reader);
  sfnec_filter read = {.size = components};
  sfnec_status status = degree == 0 ? sfnec_reader_refuse(reader, "its filter has no dynamics") : SFNEC_OK;
  if (!status) status = load_components(&read, size, reader);
  if (!status) status = sfnec_polynomial_load(&read.dynamics, components, 0, actions, degree, reader);
  if (!status) {
    read.constants = sfnec_read_alloc(reader, (size_t)actions * components, sizeof *read.constants);
    status = read.constants ? plan_read_within(reader, read.constants, (size_t)actions * components, SFNEC_WEIGHT_MOST)
                            : sfnec_reader_refuse(reader, "");
  }
  for (uint32_t i = 0; i < components && !status; i++) {
    if (read.dynamics.middle[i] != 0.0f || read.dynamics.narrow[i] != 1.0f) {
      status = sfnec_reader_refuse(reader, "the dynamics of its filter are not of its components");
    }
  }
  read.version = version;
  if (status) {
    sfnec_filter_clear(&read);
    return status;
  }
  *filter = read;
  return SFNEC_OK;
}

void sfnec_belief_save(const sfnec_belief *belief, const sfnec_filter *filter, sfnec_writer *writer) {
  const size_t n = filter->size;
  plan_write_floats(writer, belief->observed, belief->size);
  plan_write_floats(writer, belief->estimated, belief->size);
  sfnec_write_bytes(writer, belief->state.mean, n * sizeof(double));
  sfnec_write_bytes(writer, belief->state.covariance, n * n * sizeof(double));
}

sfnec_status sfnec_belief_load(sfnec_belief *belief, const sfnec_filter *filter, sfnec_reader *reader) {
  const size_t n = filter->size;
  sfnec_status status = plan_read_floats(reader, belief->observed, belief->size);
  if (!status) status = plan_read_floats(reader, belief->estimated, belief->size);
  sfnec_read_bytes(reader, belief->state.mean, n * sizeof(double));
  sfnec_read_bytes(reader, belief->state.covariance, n * n * sizeof(double));
  if (!status && (n == 0 || !sfnec_all_within_f64(belief->state.mean, n, SFNEC_FILTER_AWAY) ||
                  !sfnec_all_within_f64(belief->state.covariance, n * n, VARIANCE_MOST))) {
    status = sfnec_reader_refuse(reader, "its planner believes in a state that is none");
  }
  belief->version = filter->version;
  return status;
}
