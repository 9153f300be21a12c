// noise.c: see noise.h.
#include "agent/plan/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/train/pca.h"
#include "base/error.h"
#include "base/fields.h"
#include "base/vector.h"

// What is done next; each stage goes over all of something.
typedef enum stage { SPREAD, TURN, RANK, WHITE, DONE } stage;

struct sfnec_noise_search {
  size_t rows, size, most; // transitions; components; directions that are looked for
  float *before, *after;   // (rows, size): scaled observations; NULL: what is to be found is known
  double *numbers;         // the arrays below
  double *mean, *covariance, *directions, *scratch;
  stage stage;
  size_t at; // which row or round is next
  size_t rank;
  double variance;    // in each direction that does not stand out
  double both, power; // of what is left without the others: with the next observation, and in all
  sfnec_key_noise found;
};

// ---- life ----

static void read_row(const sfnec_scaling *scaling, const float *observation, float *scaled) {
  size_t at = 0;
  for (size_t i = 0; i < scaling->fast_count; i++) {
    const uint32_t c = scaling->fast[i];
    if (scaling->scale[c] > 0.0f) scaled[at++] = sfnec_scaling_read(scaling, observation, c) * scaling->scale[c];
  }
}

static void fill(const sfnec_scaling *scaling, const sfnec_transition_log *log, sfnec_noise_search *search) {
  const size_t every = log->count / SFNEC_NOISE_ROWS_MOST + 1;
  sfnec_log_cursor cursor = sfnec_transition_log_start(log);
  sfnec_logged_transition row;
  for (size_t t = 0; sfnec_transition_log_next(log, &cursor, &row); t++) {
    if (t % every != 0) continue;
    read_row(scaling, row.before, search->before + search->rows * search->size);
    read_row(scaling, row.after, search->after + search->rows * search->size);
    search->rows++;
  }
}

static sfnec_noise_search *create(size_t rows, size_t size) {
  sfnec_noise_search *search = calloc(1, sizeof *search);
  if (!search) return NULL;
  search->size = size;
  search->most = size / 2 < SFNEC_NOISE_RANK_MOST ? size / 2 : SFNEC_NOISE_RANK_MOST;
  search->rows = rows;
  return search;
}

sfnec_status sfnec_noise_begin(const sfnec_scaling *scaling, const sfnec_transition_log *log,
                               sfnec_noise_search **out) {
  size_t size = 0;
  for (size_t i = 0; i < scaling->fast_count; i++) size += scaling->scale[scaling->fast[i]] > 0.0f;
  const size_t room = log->count < SFNEC_NOISE_ROWS_MOST ? log->count : SFNEC_NOISE_ROWS_MOST;
  *out = NULL;
  if (size < SFNEC_NOISE_COMPONENTS_LEAST || size > SFNEC_NOISE_COMPONENTS_MOST || room < SFNEC_NOISE_ROWS_EACH * size)
    return SFNEC_OK;
  sfnec_noise_search *search = create(0, size);
  if (!search) return sfnec_fail_memory("a model");
  search->before = malloc(room * size * sizeof *search->before);
  search->after = malloc(room * size * sizeof *search->after);
  search->numbers = calloc(size + size * size + 2 * search->most * size, sizeof *search->numbers);
  if (!search->before || !search->after || !search->numbers) {
    sfnec_noise_destroy(search);
    return sfnec_fail_memory("a model");
  }
  search->mean = search->numbers;
  search->covariance = search->mean + size;
  search->directions = search->covariance + size * size;
  search->scratch = search->directions + search->most * size;
  fill(scaling, log, search);
  *out = search;
  return SFNEC_OK;
}

void sfnec_noise_destroy(sfnec_noise_search *search) {
  if (!search) return;
  free(search->before), free(search->after), free(search->numbers);
  free(search);
}

size_t sfnec_noise_bytes(const sfnec_noise_search *search) {
  const size_t size = search->size, numbers = size + size * size + 2 * search->most * size;
  return sizeof *search + (search->before ? 2 * search->rows * size * sizeof(float) + numbers * sizeof(double) : 0);
}

// ---- the work ----

// The first direction that does not stand out of the rest, and the variance in each of those.
static void find_rank(sfnec_noise_search *search) {
  const size_t d = search->size;
  const double edge = SFNEC_NOISE_EVEN * (1.0 + sqrt((double)d / (double)search->rows));
  double rest = 0.0;
  for (size_t i = 0; i < d; i++) rest += search->covariance[i * d + i];
  for (search->rank = 0; search->rank < search->most; search->rank++) {
    const double *direction = search->directions + search->rank * d;
    double along = 0.0;
    for (size_t i = 0; i < d; i++) along += direction[i] * sfnec_dot(search->covariance + i * d, direction, d);
    search->variance = rest / (double)(d - search->rank);
    if (along <= search->variance * edge) return;
    rest -= along;
  }
}

// Adds a transition to the correlation of what is left of consecutive observations without the first directions.
static void correlate(sfnec_noise_search *search, size_t t) {
  const size_t d = search->size;
  const float *x = search->before + t * d, *y = search->after + t * d;
  for (size_t i = 0; i < d; i++) {
    const double a = (double)x[i] - search->mean[i], b = (double)y[i] - search->mean[i];
    search->both += a * b;
    search->power += 0.5 * (a * a + b * b);
  }
  for (size_t j = 0; j < search->rank; j++) {
    const double *direction = search->directions + j * d;
    double a = 0.0, b = 0.0;
    for (size_t i = 0; i < d; i++) {
      a += direction[i] * ((double)x[i] - search->mean[i]);
      b += direction[i] * ((double)y[i] - search->mean[i]);
    }
    search->both -= a * b;
    search->power -= 0.5 * (a * a + b * b);
  }
}

// Whether there is noise, and what it is.
static void judge(sfnec_noise_search *search) {
  const double correlation = search->power > 0.0 ? search->both / search->power : 1.0;
  search->found = (sfnec_key_noise){0};
  if (search->rank == 0 || search->rank == search->most || fabs(correlation) > SFNEC_NOISE_WHITE) return;
  search->found.rank = (uint32_t)search->rank;
  search->found.squared = (float)((double)search->rank * search->variance);
}

// The next operation.
static void operate(sfnec_noise_search *search) {
  const size_t d = search->size;
  switch (search->stage) {
  case SPREAD:
    if (search->at == 0) sfnec_pca_mean(search->before, search->rows, d, search->mean);
    sfnec_pca_add(search->before + search->at * d, search->rows, d, search->mean, search->covariance);
    break;
  case TURN:
    if (search->at == 0) sfnec_pca_start(d, search->most, search->directions);
    sfnec_pca_turn(search->covariance, d, search->most, search->directions, search->scratch);
    break;
  case RANK:
    find_rank(search);
    break;
  case WHITE:
    correlate(search, search->at);
    if (search->at + 1 == search->rows) judge(search);
    break;
  case DONE:
    break;
  }
}

// How many operations a stage has, and what one costs in backups.
static size_t operations(const sfnec_noise_search *search) {
  return search->stage == TURN ? SFNEC_PCA_ROUNDS : search->stage == RANK ? 1 : search->rows;
}

static int64_t cost(const sfnec_noise_search *search) {
  enum { NUMBERS = 16 }; // that are multiplied and added in the time of a backup
  const size_t d = search->size, m = search->most;
  const size_t numbers[] = {[SPREAD] = d * d, [TURN] = m * d * (d + 2 * m), [RANK] = m * d * d, [WHITE] = 2 * m * d};
  return 1 + (int64_t)(numbers[search->stage] / NUMBERS);
}

bool sfnec_noise_continue(sfnec_noise_search *search, int64_t *backups) {
  while (search->stage != DONE && *backups > 0) {
    *backups -= cost(search);
    if (search->before) operate(search);
    if (++search->at < operations(search)) continue;
    search->stage++;
    search->at = 0;
  }
  return search->stage == DONE;
}

void sfnec_noise_restart(sfnec_noise_search *search) {
  search->stage = SPREAD;
  search->at = 0;
  search->both = search->power = 0.0;
  if (search->numbers) memset(search->covariance, 0, search->size * search->size * sizeof *search->covariance);
}

sfnec_key_noise sfnec_noise_found(const sfnec_noise_search *search) {
  return search->found;
}

// ---- files ----

// Does the rest of the work, and then forgets what it was done with: what follows is to wait for the result.
static void complete(sfnec_noise_search *search) {
  const stage stage = search->stage;
  const size_t at = search->at;
  int64_t backups = INT64_MAX;
  sfnec_noise_continue(search, &backups);
  search->stage = stage, search->at = at;
  free(search->before), free(search->after), free(search->numbers);
  search->before = search->after = NULL;
  search->numbers = search->mean = search->covariance = search->directions = search->scratch = NULL;
}

enum { DIRECTIONS = 1 }; // a limit of noise

static const sfnec_fields noise_fields =
    SFNEC_FIELDS("the noise of its model", {SFNEC_BELOW(sfnec_key_noise, rank, DIRECTIONS)},
                 {SFNEC_UP_TO(sfnec_key_noise, squared, SFNEC_RADIUS_MOST)});

void sfnec_key_noise_save(const sfnec_key_noise *noise, sfnec_writer *writer) {
  sfnec_fields_save(&noise_fields, noise, writer);
}

sfnec_status sfnec_key_noise_load(sfnec_key_noise *noise, const sfnec_psi_config *config, sfnec_reader *reader) {
  const bool chosen = config->options.embedding != SFNEC_EMBEDDING_IDENTITY; // by the user: no noise is sought
  return sfnec_fields_load(&noise_fields, noise, (uint64_t[]){chosen ? 1 : config->observation_size + 1}, 0, reader);
}

void sfnec_noise_save(sfnec_noise_search *search, sfnec_writer *writer) {
  if (search->before) complete(search);
  sfnec_write_u32(writer, (uint32_t)search->rows);
  sfnec_write_u32(writer, (uint32_t)search->size);
  sfnec_write_u32(writer, search->stage);
  sfnec_write_u32(writer, (uint32_t)search->at);
  sfnec_key_noise_save(&search->found, writer);
}

sfnec_status sfnec_noise_load(sfnec_reader *reader, size_t components, sfnec_noise_search **out) {
  const uint32_t rows = sfnec_read_u32(reader), size = sfnec_read_u32(reader), stage = sfnec_read_u32(reader),
                 at = sfnec_read_u32(reader);
  sfnec_key_noise found;
  const uint32_t most = size / 2 < SFNEC_NOISE_RANK_MOST ? size / 2 : SFNEC_NOISE_RANK_MOST;
  const sfnec_status status = sfnec_fields_load(&noise_fields, &found, (uint64_t[]){(uint64_t)most + 1}, 0, reader);
  if (status) return status;
  if (size < SFNEC_NOISE_COMPONENTS_LEAST || size > SFNEC_NOISE_COMPONENTS_MOST || size > components || rows == 0 ||
      rows > SFNEC_NOISE_ROWS_MOST || stage > DONE) {
    return sfnec_reader_refuse(reader, "it looks for noise that none can be");
  }
  sfnec_noise_search *search = create(rows, size);
  if (!search) return sfnec_fail_memory("a model");
  search->stage = (enum stage)stage;
  search->found = found;
  search->at = search->stage == DONE || at >= operations(search) ? 0 : at;
  *out = search;
  return SFNEC_OK;
}
