// test_trainer.c: back-propagation through look-ups against finite differences of a loss written out in doubles, and
// one whole training step against that gradient.
#include "support/check.h"
#include "support/tiny.h"

#include "agent/gpi.h"
#include "agent/train/trainer.h"

enum { D = 5, M = 3, HIDDEN = 6, N = 2, ENTRIES = 9, K = 4, BATCH = 5, MOST_WEIGHTS = 100 };

// A point at which the gradient is taken, all in doubles.
typedef struct point {
  double weights[MOST_WEIGHTS];
  double keys[ACTIONS][ENTRIES][M];
  double values[ACTIONS][ENTRIES][N];
} point;

typedef struct sample {
  float observation[D];
  int32_t action;
  double target[N];
} sample;

typedef struct scene {
  sfnec_psi_config config;
  sfnec_random random, replay;
  sfnec_embedding *embedding;
  sfnec_memory *memories[ACTIONS];
  sample samples[BATCH];
  point at;
  sfnec_answer answer; // space for a look-up
  sfnec_psi_scratch scratch;
  void *block;
} scene;

static double normal(scene *s) {
  return sfnec_random_normal(&s->random);
}

static void open_scene(scene *s, const char *const *settings, uint64_t seed) {
  memset(s, 0, sizeof *s);
  s->random = sfnec_random_start(seed, 1000);
  s->replay = sfnec_random_start(seed, SFNEC_PURPOSE_REPLAY);
  const char *const common[] = {"training=batch", "key_size=3", "hidden=6",      "neighbours=4",  "delta=0.3",
                                "batch=5",        "clip=0",     "optimizer=sgd", "train_every=5", NULL};
  s->config = (sfnec_psi_config){.options = options_of("sfnec", common),
                                 .simd = sfnec_simd_at(0),
                                 .minibatches = &s->replay,
                                 .shape = {.observation_size = D},
                                 .observation_size = D,
                                 .psi_size = N,
                                 .action_count = ACTIONS};
  for (size_t i = 0; settings[i]; i++) {
    OK(sfnec_options_assign(sfnec_agent_option_set(), &s->config.options, settings[i]));
  }
  OK(sfnec_embedding_create(&s->config.options, &s->config.shape, NULL, &s->random, &s->embedding));
  assert_true(s->embedding->count <= MOST_WEIGHTS);
  // biases too, so that no part of the gradient is at a special point
  for (size_t i = 0; i < s->embedding->count; i++) {
    s->embedding->weights[i] += (float)(0.1 * normal(s));
    s->at.weights[i] = (double)s->embedding->weights[i];
  }

  const sfnec_memory_config config = {.key_size = M,
                                      .value_size = N,
                                      .capacity = 20,
                                      .neighbours = K,
                                      .weighting = {s->config.options.kernel, s->config.options.delta},
                                      .index = SFNEC_INDEX_FAST};
  for (int a = 0; a < ACTIONS; a++) {
    OK(sfnec_memory_create(&config, sfnec_simd_at(0), &s->memories[a]));
    for (int i = 0; i < ENTRIES; i++) {
      float key[M];
      double value[N];
      for (int j = 0; j < M; j++) s->at.keys[a][i][j] = (double)(key[j] = (float)(1.5 * normal(s)));
      for (int f = 0; f < N; f++) s->at.values[a][i][f] = (double)(float)(value[f] = 2 * normal(s));
      OK(sfnec_memory_write(s->memories[a], key, value, 1));
    }
  }
  for (int b = 0; b < BATCH; b++) {
    for (int i = 0; i < D; i++) s->samples[b].observation[i] = (float)normal(s);
    for (int f = 0; f < N; f++) s->samples[b].target[f] = 2 * normal(s);
    s->samples[b].action = (int32_t)sfnec_random_below(&s->random, ACTIONS);
  }
  s->config.scratch = &s->scratch;
  OK(sfnec_psi_scratch_init(&s->scratch, &s->config));
  s->block = malloc(sfnec_answer_size(&s->config));
  sfnec_answer_place(&s->config, s->block, &s->answer);
}

static void close_scene(scene *s) {
  for (int a = 0; a < ACTIONS; a++) sfnec_memory_destroy(s->memories[a]);
  sfnec_embedding_destroy(s->embedding);
  sfnec_psi_scratch_clear(&s->scratch);
  free(s->block);
}

// ---- the loss, written out ----

static void layer(const double *weights, const double *in, int rows, int columns, double *out) {
  for (int j = 0; j < columns; j++) {
    out[j] = weights[rows * columns + j];
    for (int i = 0; i < rows; i++) out[j] += in[i] * weights[i * columns + j];
  }
}

static void embed(const scene *s, const double *weights, const float *observation, double key[M]) {
  double in[D], hidden[HIDDEN];
  for (int i = 0; i < D; i++) in[i] = (double)observation[i];
  if (s->config.options.embedding == SFNEC_EMBEDDING_LINEAR) {
    layer(weights, in, D, M, key);
    return;
  }
  layer(weights, in, D, HIDDEN, hidden);
  for (int j = 0; j < HIDDEN; j++) hidden[j] = fmax(0, hidden[j]);
  layer(weights + (D + 1) * HIDDEN, hidden, HIDDEN, M, key);
  if (s->config.options.embedding != SFNEC_EMBEDDING_CONV) return;
  const double length = sqrt(key[0] * key[0] + key[1] * key[1] + key[2] * key[2]);
  for (int j = 0; j < M; j++) key[j] /= length;
}

static void psi_of(const scene *s, const point *p, const sample *sample, double psi[N]) {
  double key[M], distances[ENTRIES], sum = 0;
  bool taken[ENTRIES] = {0};
  memset(psi, 0, N * sizeof *psi);
  embed(s, p->weights, sample->observation, key);
  for (int i = 0; i < ENTRIES; i++) {
    distances[i] = 0;
    for (int j = 0; j < M; j++) distances[i] += pow(key[j] - p->keys[sample->action][i][j], 2);
  }
  for (int n = 0; n < K; n++) {
    int best = -1;
    for (int i = 0; i < ENTRIES; i++) {
      if (!taken[i] && (best < 0 || distances[i] < distances[best])) best = i;
    }
    taken[best] = true;
    const double delta = s->config.options.delta;
    const double u = s->config.options.kernel == SFNEC_KERNEL_INVERSE ? 1 / (sqrt(distances[best] + 1e-8) + delta)
                                                                      : 1 / (distances[best] + delta);
    sum += u;
    for (int f = 0; f < N; f++) psi[f] += u * p->values[sample->action][best][f];
  }
  for (int f = 0; f < N; f++) psi[f] /= sum;
}

// That of a minibatch.
static double loss_of(const scene *s, const point *p) {
  double loss = 0, psi[N];
  for (int b = 0; b < BATCH; b++) {
    psi_of(s, p, &s->samples[b], psi);
    for (int f = 0; f < N; f++) loss += pow(psi[f] - s->samples[b].target[f], 2) / (N * BATCH);
  }
  return loss;
}

// That of a one-step target: from the first sample to the second, with the first one's target as the features.
static double residual_of(const scene *s, const point *p) {
  double loss = 0, here[N], after[N];
  psi_of(s, p, &s->samples[0], here);
  psi_of(s, p, &s->samples[1], after);
  for (int f = 0; f < N; f++) {
    loss += pow(here[f] - s->samples[0].target[f] - s->config.options.gamma * after[f], 2) / N;
  }
  return loss;
}

// The derivative of a loss by one number of the point.
static double slope_of(double (*loss)(const scene *s, const point *p), const scene *s, point *p, double *number) {
  const double step = 1e-6, before = *number;
  *number = before + step;
  const double above = loss(s, p);
  *number = before - step;
  const double below = loss(s, p);
  *number = before;
  return (above - below) / (2 * step);
}

static double slope(const scene *s, point *p, double *number) {
  return slope_of(loss_of, s, p, number);
}

// ---- the tests ----

// The gradient of the samples by the policies.
static void take_gradient(scene *s, sfnec_gradient *g) {
  OK(sfnec_gradient_init(g, BATCH, K, N, s->embedding));
  sfnec_gradient_begin(g);
  sfnec_lookup *lookup = &s->answer.lookup;
  sfnec_net_work *work;
  OK(sfnec_net_work_create(&s->embedding->net, s->config.simd, BATCH, true, &work));
  for (size_t b = 0; b < BATCH; b++) sfnec_embedding_put(s->embedding, s->samples[b].observation, work, b);
  sfnec_embedding_forward(s->embedding, work, BATCH);
  for (int b = 0; b < BATCH; b++) {
    const sample *each = &s->samples[b];
    const sfnec_memory *memory = s->memories[each->action];
    const float *key = work->outputs + b * M;
    double error[N];
    sfnec_memory_search(memory, s->scratch.search, key, lookup);
    sfnec_memory_blend(memory, lookup);
    for (int f = 0; f < N; f++) error[f] = 2.0 / (N * BATCH) * (lookup->value[f] - each->target[f]);
    sfnec_gradient_add(g, memory, each->action, key, lookup, error, work->output_gradients + b * M);
  }
  sfnec_net_backward(&s->embedding->net, s->embedding->weights, work, BATCH, g->weights);
  sfnec_net_work_destroy(work);
}

static const sfnec_gradient_row *row_of(const sfnec_gradient *g, int action, uint32_t slot) {
  for (uint32_t r = 0; r < g->count; r++) {
    if (g->rows[r].action == action && g->rows[r].slot == slot) return &g->rows[r];
  }
  return NULL;
}

static void check_gradient(const char *const *settings, uint64_t seed) {
  scene s;
  open_scene(&s, settings, seed);
  sfnec_gradient g;
  take_gradient(&s, &g);
  point p = s.at;
  double values = 0, keys = 0, weights = 0, squares = 0;
  for (int a = 0; a < ACTIONS; a++) {
    for (uint32_t i = 0; i < ENTRIES; i++) {
      const sfnec_gradient_row *row = row_of(&g, a, i); // slots are in the order of insertion here
      const size_t r = row ? (size_t)(row - g.rows) : 0;
      for (int f = 0; f < N; f++) {
        const double found = row ? g.values[r * N + (size_t)f] : 0;
        NEAR(found, slope(&s, &p, &p.values[a][i][f]), 2e-5);
        values += fabs(found);
        squares += found * found;
      }
      for (int j = 0; j < M; j++) {
        const double found = row ? g.keys[r * M + (size_t)j] : 0;
        NEAR(found, slope(&s, &p, &p.keys[a][i][j]), 5e-5);
        keys += fabs(found);
        squares += found * found;
      }
    }
  }
  for (size_t i = 0; i < s.embedding->count; i++) {
    const double found = (double)g.weights[i];
    NEAR(found, slope(&s, &p, &p.weights[i]), 5e-5);
    weights += fabs(found);
    squares += found * found;
  }
  assert_true(values > 0.1 && keys > 0.1 && weights > 0.1);
  NEAR(sfnec_gradient_squares(&g), squares, 1e-9);
  sfnec_gradient_free(&g);
  close_scene(&s);
}

static const char *const linear[] = {"embedding=linear", NULL}, *const mlp[] = {"embedding=mlp", NULL},
                         *const linear_inverse[] = {"embedding=linear", "kernel=inverse", NULL},
                         *const mlp_inverse[] = {"embedding=mlp", "kernel=inverse", NULL},
                         *const unit[] = {"embedding=conv", "layers=dense:6", NULL};

static void test_gradients(void **state) {
  (void)state;
  const char *const *const all[] = {linear, mlp, linear_inverse, mlp_inverse, unit};
  for (int i = 0; i < 5; i++) {
    for (uint64_t seed = 1; seed <= 5; seed++) check_gradient(all[i], seed);
  }
}

// The entry whose key is (nearly) this one holds (nearly) this value.
static void check_entry(scene *s, int action, const double *key, const double *value) {
  float query[M];
  for (int j = 0; j < M; j++) query[j] = (float)key[j];
  sfnec_lookup *lookup = &s->answer.lookup;
  sfnec_memory_search(s->memories[action], s->scratch.search, query, lookup);
  assert_true(lookup->count == K && lookup->neighbours[0].squared < 1e-10f);
  const float *found = sfnec_memory_value(s->memories[action], lookup->neighbours[0].slot);
  for (int f = 0; f < N; f++) NEAR((double)found[f], value[f], 1e-5);
}

// A minibatch of SGD moves everything by the rates times the gradient of the drawn samples; `clip`: to that length.
static void check_step(const char *const *settings, double clip) {
  scene s;
  open_scene(&s, settings, 7);
  s.config.options.rate = 0.5;
  s.config.options.key_rate = 0.25;
  s.config.options.embedding_rate = 0.125;
  s.config.options.clip = clip;
  sfnec_trainer trainer;
  OK(sfnec_trainer_init(&trainer, &s.config));
  // what the trainer will draw
  sfnec_random draws = s.replay;
  sample pushed[BATCH];
  memcpy(pushed, s.samples, sizeof pushed);
  for (int b = 0; b < BATCH; b++) s.samples[b] = pushed[sfnec_random_below(&draws, BATCH)];
  sfnec_gradient g;
  take_gradient(&s, &g);
  const double norm = sqrt(sfnec_gradient_squares(&g)), scale = clip > 0 && clip < norm ? clip / norm : 1;
  assert_true((clip > 0) == (scale < 1));

  for (int b = 0; b < BATCH; b++) {
    assert_int_equal(trainer.done.trained, 0);
    OK(sfnec_trainer_learn(&trainer, s.memories, s.embedding, pushed[b].observation, pushed[b].action, pushed[b].target,
                           &s.answer.lookup));
  }
  assert_int_equal(trainer.done.trained, 1);
  assert_int_equal(s.replay.counter, draws.counter);
  for (size_t i = 0; i < s.embedding->count; i++) {
    NEAR((double)s.embedding->weights[i], s.at.weights[i] - 0.125 * scale * (double)g.weights[i], 1e-6);
  }
  for (int a = 0; a < ACTIONS; a++) {
    assert_int_equal(sfnec_memory_count(s.memories[a]), ENTRIES);
    for (uint32_t i = 0; i < ENTRIES; i++) {
      const sfnec_gradient_row *row = row_of(&g, a, i);
      const size_t r = row ? (size_t)(row - g.rows) : 0;
      double key[M], value[N];
      for (size_t j = 0; j < M; j++) key[j] = s.at.keys[a][i][j] - (row ? 0.25 * scale * g.keys[r * M + j] : 0);
      for (size_t f = 0; f < N; f++) value[f] = s.at.values[a][i][f] - (row ? 0.5 * scale * g.values[r * N + f] : 0);
      check_entry(&s, a, key, value);
    }
  }
  sfnec_gradient_free(&g);
  sfnec_trainer_free(&trainer);
  close_scene(&s);
}

static void test_step(void **state) {
  (void)state;
  check_step(linear, 0);
  check_step(mlp_inverse, 0);
  check_step(unit, 0);
  check_step(linear_inverse, 0.1);
}

// What a policy that is not the active one learns of a transition with td_trains=all: one step of SGD moves everything
// by the rates times the gradient of the residual, through both look-ups, and leaves no moments.
static void check_residual(const char *const *settings, uint64_t seed) {
  scene s;
  open_scene(&s, settings, seed);
  s.config.options.rate = 0.5;
  s.config.options.key_rate = 0.25;
  s.config.options.embedding_rate = 0.125;
  s.config.options.td_trains = SFNEC_TD_TRAINS_ALL;
  sfnec_trainer trainer;
  OK(sfnec_trainer_init(&trainer, &s.config));
  sfnec_answer answers[2];
  void *blocks[2];
  sfnec_psi_step parts[2];
  double steps[2][N];
  for (int i = 0; i < 2; i++) {
    const sample *each = &s.samples[i];
    float key[M];
    blocks[i] = malloc(sfnec_answer_size(&s.config));
    sfnec_answer_place(&s.config, blocks[i], &answers[i]);
    sfnec_embedding_apply(s.embedding, each->observation, s.scratch.work, key);
    sfnec_memory_search(s.memories[each->action], s.scratch.search, key, &answers[i].lookup);
    sfnec_memory_blend(s.memories[each->action], &answers[i].lookup);
    parts[i] = (sfnec_psi_step){each->observation, each->action, &answers[i], steps[i]};
  }
  const double gamma = s.config.options.gamma;
  for (int f = 0; f < N; f++) {
    const double target = s.samples[0].target[f] + gamma * answers[1].lookup.value[f];
    steps[0][f] = 0.5 * 2 / N * (target - answers[0].lookup.value[f]);
    steps[1][f] = -gamma * steps[0][f];
  }
  OK(sfnec_trainer_step(&trainer, s.memories, s.embedding, parts, 2));
  assert_true(trainer.done.trained == 1 && trainer.optimizer.count == 0);

  point p = s.at;
  double moved = 0;
  for (size_t i = 0; i < s.embedding->count; i++) {
    const double weight = (double)s.embedding->weights[i];
    NEAR(weight, s.at.weights[i] - 0.125 * slope_of(residual_of, &s, &p, &p.weights[i]), 1e-5);
    moved += fabs(weight - s.at.weights[i]);
  }
  assert_true(moved > 0.01);
  for (int a = 0; a < ACTIONS; a++) {
    for (uint32_t i = 0; i < ENTRIES; i++) {
      double key[M], value[N];
      for (size_t j = 0; j < M; j++) {
        key[j] = s.at.keys[a][i][j] - 0.25 * slope_of(residual_of, &s, &p, &p.keys[a][i][j]);
      }
      for (size_t f = 0; f < N; f++) {
        value[f] = s.at.values[a][i][f] - 0.5 * slope_of(residual_of, &s, &p, &p.values[a][i][f]);
      }
      check_entry(&s, a, key, value);
    }
  }
  for (int i = 0; i < 2; i++) free(blocks[i]);
  sfnec_trainer_free(&trainer);
  close_scene(&s);
}

static void test_residual(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    check_residual(linear, seed);
    check_residual(mlp_inverse, seed);
  }
}

// By the count of transitions: nothing is trained when a target is learned, and once for so many transitions.
static void test_transitions(void **state) {
  (void)state;
  scene s;
  open_scene(&s, linear, 3);
  s.config.options.train_per = SFNEC_TRAIN_PER_TRANSITION;
  s.config.options.train_every = 2;
  s.config.options.batch = 1;
  sfnec_trainer trainer;
  OK(sfnec_trainer_init(&trainer, &s.config));
  sfnec_lookup *lookup = &s.answer.lookup;
  OK(sfnec_trainer_tick(&trainer, s.memories, s.embedding, lookup));
  OK(sfnec_trainer_tick(&trainer, s.memories, s.embedding, lookup)); // nothing to learn yet
  assert_int_equal(trainer.done.trained, 0);
  const sample *each = &s.samples[0];
  for (int i = 0; i < 3; i++) {
    OK(sfnec_trainer_learn(&trainer, s.memories, s.embedding, each->observation, each->action, each->target, lookup));
  }
  assert_int_equal(trainer.done.trained, 0);
  for (int i = 1; i <= 5; i++) {
    OK(sfnec_trainer_tick(&trainer, s.memories, s.embedding, lookup));
    assert_int_equal(trainer.done.trained, (i + 1) / 2); // two had passed before
  }
  sfnec_trainer_free(&trainer);
  close_scene(&s);
}

// The squared error of one sample as things are.
static double error_of(scene *s, const sample *each) {
  sfnec_lookup *lookup = &s->answer.lookup;
  float key[M];
  double sum = 0;
  sfnec_embedding_apply(s->embedding, each->observation, s->scratch.work, key);
  sfnec_memory_search(s->memories[each->action], s->scratch.search, key, lookup);
  sfnec_memory_blend(s->memories[each->action], lookup);
  for (int f = 0; f < N; f++) sum += pow(lookup->value[f] - each->target[f], 2);
  return sum;
}

// Steps make the loss smaller, with every optimizer.
static void test_descent(void **state) {
  (void)state;
  const int optimizers[] = {SFNEC_OPTIMIZER_SGD, SFNEC_OPTIMIZER_RMSPROP, SFNEC_OPTIMIZER_ADAM};
  for (int o = 0; o < 3; o++) {
    scene s;
    open_scene(&s, mlp, 3);
    s.config.options.rate = s.config.options.key_rate = 0.1;
    s.config.options.embedding_rate = optimizers[o] == SFNEC_OPTIMIZER_SGD ? 0.05 : 0.002;
    s.config.options.optimizer = optimizers[o];
    s.config.options.train_every = 1;
    sfnec_trainer trainer;
    OK(sfnec_trainer_init(&trainer, &s.config));
    double first = 0, last = 0;
    for (int b = 0; b < BATCH; b++) first += error_of(&s, &s.samples[b]);
    for (int i = 0; i < 2000; i++) {
      const sample *each = &s.samples[i % BATCH];
      OK(sfnec_trainer_learn(&trainer, s.memories, s.embedding, each->observation, each->action, each->target,
                             &s.answer.lookup));
    }
    for (int b = 0; b < BATCH; b++) last += error_of(&s, &s.samples[b]);
    assert_true(trainer.done.trained == 2000 - BATCH + 1 && trainer.done.skipped == 0);
    if (!(last < 0.2 * first)) fail_msg("optimizer %d: %g is not far below %g", o, last, first);
    sfnec_trainer_free(&trainer);
    close_scene(&s);
  }
}

// A gradient that is not finite moves nothing, and is counted.
static void test_not_finite(void **state) {
  (void)state;
  scene s;
  open_scene(&s, linear, 4);
  s.config.options.train_every = 1;
  s.config.options.batch = 2;
  sfnec_trainer trainer;
  OK(sfnec_trainer_init(&trainer, &s.config));
  const double huge[N] = {1e200, 1}, bearable[N] = {1, 1};
  const uint64_t keys = sfnec_memory_keys_version(s.memories[0]), values = sfnec_memory_values_version(s.memories[0]);
  for (int i = 0; i < 3; i++) {
    OK(sfnec_trainer_learn(&trainer, s.memories, s.embedding, s.samples[i].observation, 0, huge, &s.answer.lookup));
  }
  assert_true(trainer.done.skipped == 2 && trainer.done.trained == 0);
  assert_true(sfnec_memory_keys_version(s.memories[0]) == keys && sfnec_memory_values_version(s.memories[0]) == values);
  for (size_t i = 0; i < s.embedding->count; i++) assert_true((double)s.embedding->weights[i] == s.at.weights[i]);
  assert_int_equal(s.embedding->version, 1);
  // training goes on once such targets are gone
  sfnec_ring_clear(&trainer.replay_buffer);
  for (int i = 0; i < 2; i++) {
    OK(sfnec_trainer_learn(&trainer, s.memories, s.embedding, s.samples[i].observation, 0, bearable, &s.answer.lookup));
  }
  assert_true(trainer.done.skipped == 2 && trainer.done.trained == 1);
  assert_true(sfnec_memory_keys_version(s.memories[0]) != keys && s.embedding->version == 2);
  sfnec_trainer_free(&trainer);
  close_scene(&s);
}

// With a fixed embedding only values are trained.
static void test_fixed(void **state) {
  (void)state;
  const char *const random[] = {"embedding=random", "train_every=1", NULL};
  scene s;
  open_scene(&s, random, 5);
  sfnec_trainer trainer;
  OK(sfnec_trainer_init(&trainer, &s.config));
  uint64_t keys[ACTIONS];
  for (int a = 0; a < ACTIONS; a++) keys[a] = sfnec_memory_keys_version(s.memories[a]);
  const uint64_t values = sfnec_memory_values_version(s.memories[s.samples[0].action]);
  for (int i = 0; i < 20; i++) {
    const sample *each = &s.samples[i % BATCH];
    OK(sfnec_trainer_learn(&trainer, s.memories, s.embedding, each->observation, each->action, each->target,
                           &s.answer.lookup));
  }
  assert_int_equal(trainer.done.trained, 16);
  assert_true(sfnec_memory_values_version(s.memories[s.samples[0].action]) > values);
  for (int a = 0; a < ACTIONS; a++) assert_int_equal(sfnec_memory_keys_version(s.memories[a]), keys[a]);
  for (size_t i = 0; i < s.embedding->count; i++) assert_true((double)s.embedding->weights[i] == s.at.weights[i]);
  sfnec_trainer_free(&trainer);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradients),   cmocka_unit_test(test_step),    cmocka_unit_test(test_residual),
      cmocka_unit_test(test_transitions), cmocka_unit_test(test_descent), cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_fixed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
