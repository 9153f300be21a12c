// learned.c: see learned.h.
#include "agent/plan/learned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/plan/numbers.h"
#include "agent/plan/polynomial.h"
#include "agent/plan/reward_rows.h"
#include "base/error.h"

enum { ROWS_FITTED = 512 };          // rows whose rewards the factors are found in, those seen in the most tasks
static const double OPEN = 0.25;     // share of a row's features up to which they are known
static const double SIGMAS = 4.0;    // of what a task expects, beyond which a reward is another one's...
static const double SURPRISE = 0.02; // ...and of the scale of rewards, for factors are no more exact

enum { FACTORS = SFNEC_FACTORS_MOST, REWARD = SFNEC_LEARNED_REWARD, SIZE = SFNEC_LEARNED_SIZE };

// ---- life ----

void sfnec_learned_init(sfnec_learned *learned) {
  *learned = (sfnec_learned){0};
  sfnec_rewards_seen_init(&learned->seen);
}

void sfnec_learned_clear(sfnec_learned *learned) {
  sfnec_rewards_seen_clear(&learned->seen);
  sfnec_factors_clear(&learned->factors);
}

size_t sfnec_learned_bytes(const sfnec_learned *learned) {
  return sizeof *learned + sfnec_rewards_seen_bytes(&learned->seen) +
         ((size_t)learned->factors.tasks + 1) * learned->factors.rank * sizeof(double);
}

void sfnec_learned_take(sfnec_learned *learned, sfnec_learned *found) {
  sfnec_factors_clear(&learned->factors);
  *learned = *found; // rewards seen are the same
  *found = (sfnec_learned){0};
}

void sfnec_learned_labels_clear(sfnec_learned_labels *labels) {
  free(labels->features), free(labels->known);
  *labels = (sfnec_learned_labels){0};
}

// ---- the features of rows ----

typedef struct row_features {
  double *phi; // (rows, FACTORS)
  bool *known; // (rows)
} row_features;

static void row_features_clear(row_features *of) {
  free(of->phi), free(of->known);
  *of = (row_features){0};
}

// Whether features explain all rewards of a row.
static bool explains(const sfnec_factors *factors, const sfnec_reward_rows *rows, uint32_t row, const double *phi) {
  const double tolerance = sfnec_reward_tolerance(rows->noise, rows->scale, 1) + SURPRISE * rows->scale;
  for (size_t i = rows->first[row]; i < rows->first[row + 1]; i++) {
    const double *w = factors->w + (size_t)rows->rewards[i].task * factors->rank;
    if (fabs(sfnec_dot(phi, w, factors->rank) - rows->rewards[i].reward) > tolerance) return false;
  }
  return true;
}

// A row seen in too few tasks has the features of the known rows that explain its rewards, if they are all the same:
// objects of one kind are paid alike.
static void compare_with_known(const sfnec_factors *factors, const sfnec_reward_rows *rows, uint32_t row,
                               const row_features *of, double *phi, bool *known) {
  const uint32_t k = factors->rank;
  const double *as = NULL;
  for (uint32_t r = 1; r < rows->rows; r++) {
    const double *other = of->phi + (size_t)r * FACTORS;
    if (!of->known[r] || !explains(factors, rows, row, other)) continue;
    double apart = 0.0, size = 0.0;
    for (uint32_t i = 0; as && i < k; i++) {
      apart += (other[i] - as[i]) * (other[i] - as[i]);
      size += as[i] * as[i];
    }
    if (apart > SURPRISE * size) return;
    as = other;
  }
  if (!as) return;
  memcpy(phi, as, k * sizeof *phi);
  *known = true;
}

static sfnec_status find_row_features(const sfnec_factors *factors, const sfnec_reward_rows *rows, row_features *of) {
  const size_t n = (size_t)rows->rows + 1;
  *of = (row_features){calloc(n * FACTORS, sizeof(double)), calloc(n, sizeof(bool))};
  double *alike = calloc(n * FACTORS, sizeof *alike);
  bool *found = calloc(n, sizeof *found);
  const bool whole = of->phi && of->known && alike && found;
  for (uint32_t r = 0; whole && factors->rank > 0 && r < rows->rows; r++) {
    const double open = sfnec_factors_of_row(factors, rows->rewards + rows->first[r],
                                             rows->first[r + 1] - rows->first[r], of->phi + (size_t)r * FACTORS);
    of->known[r] = r == 0 || (open <= OPEN && explains(factors, rows, r, of->phi + (size_t)r * FACTORS));
  }
  for (uint32_t r = 0; whole && factors->rank > 0 && r < rows->rows; r++) {
    if (!of->known[r]) compare_with_known(factors, rows, r, of, alike + (size_t)r * FACTORS, &found[r]);
  }
  for (uint32_t r = 0; whole && r < rows->rows; r++) {
    if (!found[r]) continue;
    memcpy(of->phi + (size_t)r * FACTORS, alike + (size_t)r * FACTORS, FACTORS * sizeof *alike);
    of->known[r] = true;
  }
  free(alike), free(found);
  if (whole) return SFNEC_OK;
  row_features_clear(of);
  return sfnec_fail_memory("learned features");
}

// ---- the weights of tasks ----

// What the rewards of a task say of its weights: those of recursive least squares after one reward of each row, which
// begins with their mean over tasks: 1, which is certain, and 0.
static sfnec_status weigh_task(const sfnec_factors *factors, const sfnec_reward_rows *rows, const row_features *of,
                               uint32_t task, sfnec_reward *reward) {
  const uint32_t k = factors->rank;
  const size_t n = SIZE;
  double *p = reward->covariance;
  const sfnec_agent_options options = {.w = SFNEC_W_RLS, .rls_prior = p[0]};
  for (size_t i = 0; i < n; i++) {
    reward->w[i] = (i == 0 && k > 0) || i == REWARD ? 1.0 : 0.0;
    for (size_t j = 0; j < n; j++) {
      if (i != j || i == 0 || i >= k) p[i * n + j] = 0.0;
    }
  }
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; i < rows->count && k > 0 && !status; i++) {
    const uint32_t row = rows->rewards[i].row;
    if (rows->rewards[i].task != task || !of->known[row]) continue;
    double phi[SIZE] = {0};
    memcpy(phi, of->phi + (size_t)row * FACTORS, k * sizeof *phi);
    status = sfnec_reward_learn(reward, &options, phi, rows->rewards[i].reward);
  }
  return status;
}

// ---- labels ----

// What the samples of a model have as features in a task: those of their rows, or the reward that the task paid.
static sfnec_status label(const sfnec_learned *learned, const sfnec_model *model, const sfnec_reward_rows *rows,
                          const row_features *of, uint32_t task, sfnec_learned_labels *labels) {
  const uint32_t k = learned->factors.rank;
  *labels = (sfnec_learned_labels){calloc((size_t)model->sample_count * SIZE + 1, sizeof(float)),
                                   calloc((size_t)model->sample_count + 1, sizeof(bool))};
  if (!labels->features || !labels->known) {
    sfnec_learned_labels_clear(labels);
    return sfnec_fail_memory("learned features");
  }
  for (uint32_t s = 0; s < model->sample_count; s++) {
    const uint32_t row = rows->row_of[s];
    float *features = labels->features + (size_t)s * SIZE;
    if (row != SFNEC_NONE && of->known[row] && k > 0) {
      for (uint32_t i = 0; i < k; i++)
        features[i] = sfnec_bounded(of->phi[(size_t)row * FACTORS + i], SFNEC_FEATURE_MOST);
      labels->known[s] = true;
      continue;
    }
    const sfnec_seen_reward *paid = sfnec_rewards_seen_in(&learned->seen, s, task);
    if (paid) features[REWARD] = (float)paid->mean;
    labels->known[s] = paid != NULL;
  }
  return SFNEC_OK;
}

// ---- finding them ----

// The rewards of the rows that were seen in the most tasks, ROWS_FITTED of them or a few more, numbered again.
static size_t choose_rows(const sfnec_reward_rows *rows, sfnec_row_reward *chosen, uint32_t *count) {
  size_t least = 1, kept = 0, total = 0;
  for (uint32_t r = 1; r < rows->rows; r++) {
    const size_t size = rows->first[r + 1] - rows->first[r];
    least = size > least ? size : least;
  }
  for (; least > 1; least--) {
    size_t as_many = 0;
    for (uint32_t r = 1; r < rows->rows; r++) as_many += rows->first[r + 1] - rows->first[r] >= least;
    if (as_many >= ROWS_FITTED) break;
  }
  *count = 0;
  for (uint32_t r = 0; r < rows->rows && (r == 0 || kept < ROWS_FITTED); r++) {
    const size_t size = rows->first[r + 1] - rows->first[r];
    if (size < least && r > 0) continue;
    kept += r > 0;
    for (size_t i = 0; i < size; i++) {
      chosen[total] = rows->rewards[rows->first[r] + i];
      chosen[total++].row = *count;
    }
    ++*count;
  }
  return total;
}

static sfnec_status find_factors(const sfnec_reward_rows *rows, uint32_t tasks, sfnec_factors *out) {
  sfnec_row_reward *chosen = calloc(rows->count + 1, sizeof *chosen);
  if (!chosen) return sfnec_fail_memory("learned features");
  uint32_t count;
  const size_t rewards = choose_rows(rows, chosen, &count);
  const sfnec_status status = sfnec_factors_find(chosen, rewards, count, tasks, out);
  free(chosen);
  return status;
}

sfnec_status sfnec_learned_find(const sfnec_learned *learned, const sfnec_model *model, uint32_t task, uint32_t tasks,
                                sfnec_reward *rewards, sfnec_learned *out, sfnec_learned_labels *labels) {
  sfnec_reward_rows rows;
  row_features of = {0};
  *out = (sfnec_learned){.seen = learned->seen, .task = task, .tasks = tasks};
  *labels = (sfnec_learned_labels){0};
  sfnec_status status = sfnec_reward_rows_make(&learned->seen, model, tasks, NULL, &rows);
  if (status) return status;
  out->scale = fmin(rows.scale, (double)SFNEC_FEATURE_MOST); // rounding
  out->rows = rows.rows;
  status = find_factors(&rows, tasks, &out->factors);
  if (!status) status = find_row_features(&out->factors, &rows, &of);
  if (!status) memcpy(out->ordinary, of.phi, sizeof out->ordinary);
  for (uint32_t t = 0; t < tasks && !status; t++) status = weigh_task(&out->factors, &rows, &of, t, &rewards[t]);
  if (!status) status = label(out, model, &rows, &of, task, labels);
  row_features_clear(&of);
  sfnec_reward_rows_clear(&rows);
  if (status) sfnec_factors_clear(&out->factors);
  return status;
}

// ---- another model ----

// The rewards of the first transitions, before there was a model, are the features of its samples.
static sfnec_status note_first(const sfnec_learned *learned, const sfnec_model *model, sfnec_rewards_seen *seen) {
  sfnec_status status = SFNEC_OK;
  for (uint32_t s = 0; s < model->sample_count && !status; s++) {
    const double paid = (double)model->sample_features[(size_t)s * SIZE + REWARD];
    if (!model->samples[s].forgotten) status = sfnec_rewards_seen_add(seen, s, learned->task, paid, false);
  }
  return status;
}

static sfnec_status label_again(const sfnec_learned *learned, const sfnec_model *model, sfnec_learned_labels *labels) {
  const sfnec_factors *factors = &learned->factors;
  sfnec_reward_rows rows;
  row_features of = {0};
  const uint32_t tasks = factors->rank ? factors->tasks : 0;
  sfnec_status status = sfnec_reward_rows_make(&learned->seen, model, tasks, factors->seen, &rows);
  if (status) return status;
  status = find_row_features(factors, &rows, &of);
  if (!status) status = label(learned, model, &rows, &of, learned->task, labels);
  row_features_clear(&of);
  sfnec_reward_rows_clear(&rows);
  return status;
}

sfnec_status sfnec_learned_follow(sfnec_learned *learned, const sfnec_model *from, const sfnec_model *to,
                                  sfnec_learned_labels *labels) {
  sfnec_learned next = *learned;
  *labels = (sfnec_learned_labels){0};
  sfnec_rewards_seen_init(&next.seen);
  sfnec_status status = from->fitted ? sfnec_rewards_seen_follow(&learned->seen, from, to, &next.seen)
                                     : note_first(learned, to, &next.seen);
  if (!status) status = label_again(&next, to, labels);
  if (status) {
    sfnec_rewards_seen_clear(&next.seen);
    return status;
  }
  sfnec_rewards_seen_clear(&learned->seen);
  *learned = next;
  return SFNEC_OK;
}

void sfnec_learned_forget(sfnec_learned *learned, uint32_t task, bool removed) {
  sfnec_rewards_seen_forget(&learned->seen, task, removed);
  sfnec_factors_clear(&learned->factors); // they are found again when a task begins
  if (!removed) return;
  learned->tasks -= task < learned->tasks; // others were added since, and have no rewards yet
  if (learned->task > task) learned->task--;
}

// ---- the features of a transition ----

// The features of the sample that a transition is like, or NULL.
static const float *features_like(const sfnec_model *model, const sfnec_model_transition *transition, bool *unknown) {
  uint32_t effect;
  const uint32_t sample = sfnec_model_find_sample(model, transition, &effect);
  if (sample != SFNEC_NONE) {
    const float *features = model->sample_features + (size_t)sample * SIZE;
    *unknown = model->samples[sample].forgotten || features[REWARD] != 0.0f;
    return *unknown ? NULL : features;
  }
  // what changes the context alike is the same event wherever it happens
  for (uint32_t s = 0; s < model->sample_count && effect != 0; s++) {
    const float *features = model->sample_features + (size_t)s * SIZE;
    const sfnec_sample *other = &model->samples[s];
    if (other->effect != effect || other->terminated != transition->terminated) continue;
    if (!other->forgotten && features[REWARD] == 0.0f) return features;
  }
  *unknown = effect != 0 || transition->terminated;
  return NULL;
}

// Whether a task may pay this for features, as far as its weights are known.
static bool may_pay(const sfnec_learned *learned, const sfnec_reward *reward, const sfnec_agent_options *options,
                    const double *features, double paid) {
  const sfnec_expectation expected = sfnec_reward_expect(reward, features);
  const sfnec_noise noise = sfnec_residuals_noise(&reward->residuals, options);
  const double spread = sfnec_noise_spread(&noise, &expected);
  if (spread > 0.0 && !(noise.variance > 0.0)) return true; // nothing is known yet
  return fabs(paid - expected.mean) <= SIGMAS * sqrt(noise.variance * (1.0 + spread)) + SURPRISE * learned->scale;
}

void sfnec_learned_features(const sfnec_learned *learned, const sfnec_model *model,
                            const sfnec_model_transition *transition, double paid, const sfnec_reward *reward,
                            const sfnec_agent_options *options, double *features) {
  const uint32_t k = learned->factors.rank;
  memset(features, 0, SIZE * sizeof *features);
  bool unknown = true;
  if (k > 0 && model->fitted) {
    unknown = false;
    const float *like = features_like(model, transition, &unknown);
    for (uint32_t i = 0; i < k && !unknown; i++) features[i] = like ? (double)like[i] : learned->ordinary[i];
    unknown = unknown || !may_pay(learned, reward, options, features, paid);
  }
  if (!unknown) return;
  memset(features, 0, SIZE * sizeof *features);
  features[REWARD] = paid;
}

// ---- files ----

void sfnec_learned_save(const sfnec_learned *learned, uint32_t samples, sfnec_writer *writer) {
  const sfnec_factors *factors = &learned->factors;
  sfnec_write_u32(writer, learned->tasks);
  sfnec_write_u32(writer, learned->task);
  sfnec_write_u32(writer, learned->rows);
  sfnec_write_f64(writer, learned->scale);
  sfnec_write_f64(writer, factors->explained);
  sfnec_write_u32(writer, factors->rank);
  sfnec_write_u32(writer, factors->tasks);
  if (factors->rank) {
    sfnec_write_bytes(writer, learned->ordinary, factors->rank * sizeof(double));
    sfnec_write_bytes(writer, factors->w, (size_t)factors->tasks * factors->rank * sizeof(double));
    for (uint32_t t = 0; t < factors->tasks; t++) sfnec_write_u32(writer, factors->seen[t]);
  }
  sfnec_rewards_seen_save(&learned->seen, samples, writer);
}

static sfnec_status load_factors(sfnec_learned *learned, sfnec_reader *reader) {
  sfnec_factors *factors = &learned->factors;
  const size_t k = factors->rank, tasks = factors->tasks;
  sfnec_read_bytes(reader, learned->ordinary, k * sizeof(double));
  factors->w = sfnec_read_array(reader, (uint64_t)tasks * k, sizeof *factors->w);
  factors->seen = sfnec_read_room(reader, tasks, sizeof(uint32_t), sizeof *factors->seen);
  if (!factors->w || !factors->seen)
    return sfnec_reader_starved(reader) ? sfnec_fail_memory("learned features")
                                        : sfnec_reader_refuse(reader, "its learned features end early");
  for (size_t t = 0; t < tasks && sfnec_reader_good(reader); t++) factors->seen[t] = sfnec_read_u32(reader) != 0;
  const bool good = sfnec_all_within_f64(learned->ordinary, k, SFNEC_NUMBER_MOST) &&
                    sfnec_all_within_f64(factors->w, tasks * k, SFNEC_NUMBER_MOST);
  return good ? SFNEC_OK : sfnec_reader_refuse(reader, "its learned features are out of range");
}

sfnec_status sfnec_learned_load(sfnec_learned *learned, uint32_t samples, uint32_t tasks, int32_t active,
                                sfnec_reader *reader) {
  sfnec_factors *factors = &learned->factors;
  learned->tasks = sfnec_read_u32(reader);
  learned->task = sfnec_read_u32(reader);
  learned->rows = sfnec_read_u32(reader);
  learned->scale = sfnec_read_f64(reader);
  factors->explained = sfnec_read_f64(reader);
  factors->rank = sfnec_read_u32(reader);
  factors->tasks = sfnec_read_u32(reader);
  const bool goes_on = active < 0 || (learned->task == (uint32_t)active && learned->task < learned->tasks);
  const bool good = goes_on && learned->tasks <= tasks && learned->task <= learned->tasks &&
                    factors->tasks <= learned->tasks && factors->rank <= FACTORS && learned->rows <= INT32_MAX &&
                    learned->scale >= 0.0 && learned->scale <= (double)SFNEC_FEATURE_MOST &&
                    factors->explained >= 0.0 && factors->explained <= 1.0;
  sfnec_status status = good ? SFNEC_OK : sfnec_reader_refuse(reader, "its learned features are none");
  if (status) factors->rank = factors->tasks = 0;
  if (!status && factors->rank) status = load_factors(learned, reader);
  return status ? status : sfnec_rewards_seen_load(&learned->seen, samples, learned->tasks, reader);
}
