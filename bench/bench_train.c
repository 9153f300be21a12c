// bench_train.c: one training step of a learned embedding: a minibatch of look-ups, back-propagation into values, keys
// and weights, the optimizer, and the keys that move in the index.
//
// Memories and replay buffer are filled from the walker's trajectory in four_rooms. Times are processor time, so that
// others on the machine count little. --dump writes the state before the first step and the weights after it, for
// peers/torch_train.py, which takes the same step.
#include <stdlib.h>
#include <string.h>

#include "agent/gpi.h"
#include "agent/train/trainer.h"
#include "bench.h"
#include "memory/entries.h"
#include "npy.h"
#include "stats.h"
#include "walker.h"

typedef struct plan {
  uint32_t entries, key_size, batch, neighbours, steps;
  uint64_t seed;
  const char *dump; // or NULL
} plan;

typedef struct scene {
  sfnec_psi_config config;
  sfnec_random init, replay;
  sfnec_embedding *embedding;
  sfnec_memory *memories[WALKER_ACTIONS];
  sfnec_trainer trainer;
  sfnec_answer answer;
  void *block;
  sfnec_psi_scratch scratch;
  walk walk;
} scene;

static void set(sfnec_agent_options *options, const char *key, uint32_t value) {
  char text[16];
  snprintf(text, sizeof text, "%u", value);
  bench_check(sfnec_options_set(sfnec_agent_option_set(), options, key, text));
}

static sfnec_psi_config config_of(const plan *p, const char *index, sfnec_random *replay) {
  sfnec_psi_config config = {.minibatches = replay,
                             .shape = {.observation_size = WALKER_KEY},
                             .observation_size = WALKER_KEY,
                             .psi_size = WALKER_FEATURES,
                             .action_count = WALKER_ACTIONS};
  bench_check(sfnec_simd_select(&config.simd));
  sfnec_agent_options_default(&config.options);
  const sfnec_option_set *rows = sfnec_agent_option_set();
  bench_check(sfnec_options_set(rows, &config.options, "embedding", "linear"));
  bench_check(sfnec_options_set(rows, &config.options, "training", "batch"));
  bench_check(sfnec_options_set(rows, &config.options, "index", index));
  set(&config.options, "key_size", p->key_size);
  set(&config.options, "batch", p->batch);
  set(&config.options, "neighbours", p->neighbours);
  set(&config.options, "capacity", p->entries);
  set(&config.options, "train_every", 1);
  return config;
}

// Writes the walk to the memories until all of them are full.
static void fill(const plan *p, scene *s) {
  walker w;
  walker_start(&w, p->seed, 0);
  const size_t stretch = (size_t)4096;
  float *key = bench_alloc(p->key_size, sizeof *key);
  for (uint32_t full = 0; full < WALKER_ACTIONS;) {
    walk_record(&s->walk, &w, stretch, 0.95);
    for (size_t i = 0; i < stretch; i++) {
      sfnec_embedding_apply(s->embedding, s->walk.observations + i * WALKER_KEY, s->scratch.work, key);
      bench_check(sfnec_memory_write(s->memories[s->walk.actions[i]], key, s->walk.psi + i * WALKER_FEATURES, 0.1));
    }
    full = 0;
    for (int a = 0; a < WALKER_ACTIONS; a++) full += sfnec_memory_count(s->memories[a]) == p->entries;
  }
  free(key);
}

static void open_scene(const plan *p, const char *index, scene *s) {
  *s = (scene){.init = sfnec_random_start(p->seed, SFNEC_PURPOSE_INIT),
               .replay = sfnec_random_start(p->seed, SFNEC_PURPOSE_REPLAY)};
  s->config = config_of(p, index, &s->replay);
  s->config.scratch = &s->scratch;
  bench_check(sfnec_psi_scratch_init(&s->scratch, &s->config));
  const sfnec_agent_options *options = &s->config.options;
  bench_check(sfnec_embedding_create(options, &(sfnec_env_shape){.observation_size = WALKER_KEY}, NULL, &s->init,
                                     &s->embedding));
  bench_check(sfnec_trainer_init(&s->trainer, &s->config));
  s->block = bench_alloc(1, sfnec_answer_size(&s->config));
  sfnec_answer_place(&s->config, s->block, &s->answer);
  const sfnec_memory_config memory = {.key_size = p->key_size,
                                      .value_size = WALKER_FEATURES,
                                      .capacity = p->entries,
                                      .neighbours = p->neighbours,
                                      .weighting = {options->kernel, options->delta},
                                      .index = options->index};
  for (int a = 0; a < WALKER_ACTIONS; a++) {
    bench_check(sfnec_memory_create(&memory, s->config.simd, &s->memories[a]));
  }
  fill(p, s);
  // all but the last one, so that the first step is that of sfnec_trainer_learn
  for (size_t i = 0; i + 1 < s->walk.count; i++) {
    sfnec_ring *buffer = &s->trainer.replay_buffer;
    bench_check(sfnec_ring_reserve(buffer));
    memcpy(sfnec_ring_push(buffer, s->walk.observations + i * WALKER_KEY, s->walk.actions[i]),
           s->walk.psi + i * WALKER_FEATURES, WALKER_FEATURES * sizeof(double));
  }
}

static void close_scene(scene *s) {
  for (int a = 0; a < WALKER_ACTIONS; a++) sfnec_memory_destroy(s->memories[a]);
  sfnec_trainer_free(&s->trainer);
  sfnec_embedding_destroy(s->embedding);
  sfnec_psi_scratch_clear(&s->scratch);
  walk_free(&s->walk);
  free(s->block);
}

// Learns sample i of the walk again, which trains one minibatch.
static void step(scene *s, size_t i) {
  bench_check(sfnec_trainer_learn(&s->trainer, s->memories, s->embedding, s->walk.observations + i * WALKER_KEY,
                                  s->walk.actions[i], s->walk.psi + i * WALKER_FEATURES, &s->answer.lookup));
}

// ---- for peers ----

static void dump_array(const char *dir, const char *name, const char *type, const void *numbers, size_t size, size_t a,
                       size_t b) {
  const size_t shape[] = {a, b, 0};
  FILE *file = npy_open(dir, name, type, shape);
  npy_write(file, numbers, size, a * (b ? b : 1));
  npy_close(file);
}

// Keys and values of all memories, one after another.
static void dump_entries(const plan *p, const scene *s) {
  const size_t keys[] = {WALKER_ACTIONS, p->entries, p->key_size, 0};
  const size_t values[] = {WALKER_ACTIONS, p->entries, WALKER_FEATURES, 0};
  FILE *key_file = npy_open(p->dump, "keys", "<f4", keys), *value_file = npy_open(p->dump, "values", "<f4", values);
  for (int a = 0; a < WALKER_ACTIONS; a++) {
    const sfnec_memory *memory = s->memories[a];
    for (uint32_t slot = memory->inserted.oldest; slot != SFNEC_NO_SLOT; slot = memory->inserted.links[slot].newer) {
      npy_write(key_file, sfnec_memory_key(memory, slot), sizeof(float), p->key_size);
      npy_write(value_file, sfnec_memory_value(memory, slot), sizeof(float), WALKER_FEATURES);
    }
  }
  npy_close(key_file);
  npy_close(value_file);
}

static void dump_before(const plan *p, const scene *s) {
  const walk *w = &s->walk;
  dump_entries(p, s);
  dump_array(p->dump, "weights", "<f4", s->embedding->weights, sizeof(float), WALKER_KEY + 1, p->key_size);
  dump_array(p->dump, "observations", "<f4", w->observations, sizeof(float), w->count, WALKER_KEY);
  dump_array(p->dump, "actions", "<i4", w->actions, sizeof(int32_t), w->count, 0);
  dump_array(p->dump, "targets", "<f8", w->psi, sizeof(double), w->count, WALKER_FEATURES);
  sfnec_random draws = s->replay;
  int64_t *drawn = bench_alloc(p->batch, sizeof *drawn);
  for (uint32_t i = 0; i < p->batch; i++) drawn[i] = sfnec_random_below(&draws, (uint32_t)w->count);
  dump_array(p->dump, "drawn", "<i8", drawn, sizeof *drawn, p->batch, 0);
  free(drawn);
}

// ---- measuring ----

static double measure(const plan *p, const char *index) {
  scene s;
  open_scene(p, index, &s);
  if (p->dump) dump_before(p, &s);
  step(&s, s.walk.count - 1);
  if (p->dump) {
    dump_array(p->dump, "after", "<f4", s.embedding->weights, sizeof(float), WALKER_KEY + 1, p->key_size);
  }
  double *times = bench_alloc(p->steps, sizeof *times);
  for (uint32_t i = 0; i < p->steps; i++) {
    const double start = stats_cpu_seconds();
    step(&s, i % s.walk.count);
    times[i] = 1e6 * (stats_cpu_seconds() - start);
  }
  double sum = 0;
  for (uint32_t i = 0; i < p->steps; i++) sum += times[i];
  const double mean = sum / p->steps, median = stats_median(times, p->steps);
  printf("%-6s %10.1f %10.1f %12lld\n", index, median, mean, (long long)s.trainer.done.skipped);
  free(times);
  close_scene(&s);
  return mean;
}

int bench_train(const bench_args *args) {
  const plan p = {.entries = (uint32_t)bench_number(args, "--entries", 10000),
                  .key_size = (uint32_t)bench_number(args, "--key-size", 32),
                  .batch = (uint32_t)bench_number(args, "--batch", 16),
                  .neighbours = (uint32_t)bench_number(args, "--neighbours", 20),
                  .steps = (uint32_t)bench_number(args, "--steps", 500),
                  .seed = (uint64_t)bench_number(args, "--seed", 1),
                  .dump = bench_text(args, "--dump", NULL)};
  FILE *json = bench_json(args);
  printf("microseconds of processor time per minibatch of %u: linear embedding %d -> %u, %d memories of %u entries, "
         "k = %u\n",
         p.batch, WALKER_KEY, p.key_size, WALKER_ACTIONS, p.entries, p.neighbours);
  printf("%-6s %10s %10s %12s\n", "index", "median", "mean", "not finite");
  const double flat = measure(&p, "flat"), fast = measure(&p, "fast");
  if (json) {
    fprintf(json, "{\"entries\": %u, \"key_size\": %u, \"batch\": %u, \"neighbours\": %u, ", p.entries, p.key_size,
            p.batch, p.neighbours);
    fprintf(json, "\"flat_us\": %.2f, \"fast_us\": %.2f}\n", flat, fast);
    fclose(json);
  }
  return 0;
}
