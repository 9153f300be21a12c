// test_embedding.c: embeddings by hand: layers, first weights, principal directions, what a new task takes over; and
// the replay buffer that trains them.
#include "support/tiny.h"

#include "agent/gpi.h"
#include "agent/psi.h"
#include "agent/train/embedding.h"
#include "agent/train/trainer.h"

static sfnec_embedding *create(size_t d, const char *const *settings, sfnec_embedding *previous, uint64_t seed) {
  const sfnec_agent_options options = options_of("sfnec", settings);
  sfnec_random init = sfnec_random_start(seed, SFNEC_PURPOSE_INIT);
  sfnec_embedding *embedding = NULL;
  OK(sfnec_embedding_create(&options, &(sfnec_env_shape){.observation_size = (int32_t)d}, previous, &init, &embedding));
  return embedding;
}

// ---- forward ----

static void apply(const sfnec_embedding *e, const float *observation, float *key) {
  sfnec_net_work *work;
  OK(sfnec_net_work_create(&e->net, sfnec_simd_at(0), 1, false, &work));
  sfnec_embedding_apply(e, observation, work, key);
  sfnec_net_work_destroy(work);
}

static void test_linear(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=linear", "key_size=2", NULL};
  sfnec_embedding *e = create(3, settings, NULL, 1);
  assert_true(e->ready && e->trained && e->count == 8);
  const float weights[8] = {1, 2, 3, 4, 5, 6, 0.5f, -0.5f}; // rows of W, then b
  memcpy(e->weights, weights, sizeof weights);
  const float s[3] = {1, 0, -1};
  float key[2];
  apply(e, s, key);
  assert_true(key[0] == 1 - 5 + 0.5f && key[1] == 2 - 6 - 0.5f);
  sfnec_embedding_destroy(e);
}

static void test_mlp(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=mlp", "key_size=1", "hidden=2", NULL};
  sfnec_embedding *e = create(2, settings, NULL, 1);
  assert_int_equal(e->count, 6 + 3);
  const float weights[9] = {1, -1, 2, 1, 0, 0.25f, 10, 100, 3}; // W1 (2, 2), b1, W2 (2, 1), b2
  memcpy(e->weights, weights, sizeof weights);
  const float first[2] = {1, 1}, second[2] = {-1, 0};
  float key;
  apply(e, first, &key); // 3, 0.25
  assert_true(key == 30 + 25 + 3);
  apply(e, second, &key); // -1 -> 0, 1.25
  assert_true(key == 125 + 3);
  sfnec_embedding_destroy(e);
}

// Keys stay finite whatever the observation.
static void test_bounds(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=linear", "key_size=2", NULL};
  sfnec_embedding *e = create(2, settings, NULL, 1);
  for (size_t i = 0; i < e->count; i++) e->weights[i] = i % 2 ? -SFNEC_NET_WEIGHT_MOST : SFNEC_NET_WEIGHT_MOST;
  const float s[2] = {3e38f, 3e38f};
  float key[2];
  apply(e, s, key);
  assert_true(key[0] == 1e15f && key[1] == -1e15f);
  sfnec_embedding_destroy(e);
}

// A new embedding keeps squared distances on average; linear begins as random.
static void test_first_weights(void **state) {
  (void)state;
  const char *const kinds[] = {"embedding=linear", "embedding=random", "embedding=mlp"};
  double weights[2] = {0};
  for (int k = 0; k < 3; k++) {
    const char *const settings[] = {kinds[k], "key_size=16", "hidden=300", NULL};
    double ratio = 0;
    enum { DRAWS = 200 };
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
      sfnec_embedding *e = create(30, settings, NULL, seed);
      assert_true(e->trained == (k != 1));
      float zero[30] = {0}, s[30], key[16], origin[16];
      for (int i = 0; i < 30; i++) s[i] = (float)(i % 3);
      apply(e, zero, origin);
      apply(e, s, key);
      for (int j = 0; j < 16; j++) ratio += pow((double)key[j] - (double)origin[j], 2) / 50 / DRAWS;
      if (k < 2) weights[k] = (double)e->weights[7];
      sfnec_embedding_destroy(e);
    }
    NEAR(ratio, 1, 0.1); // its standard error is sqrt(2 / 16 / DRAWS) = 0.025
  }
  assert_true(weights[0] == weights[1] && weights[0] != 0);
}

// ---- pca ----

// Points in a plane of a space of five: the plane's two directions, by variance, and nothing else.
static void test_pca(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=pca", "key_size=4", NULL};
  sfnec_embedding *e = create(5, settings, NULL, 1);
  assert_true(!e->ready && !e->trained);
  enum { POINTS = 300 };
  static float points[POINTS][5];
  sfnec_random random = sfnec_random_start(3, 1000);
  for (int i = 0; i < POINTS; i++) {
    const double a = 3 * sfnec_random_normal(&random), b = sfnec_random_normal(&random);
    points[i][0] = (float)(a * 0.6 + 7);
    points[i][2] = (float)(a * 0.8);
    points[i][3] = (float)(b * -1.0 + 2);
  }
  OK(sfnec_embedding_fit(e, &points[0][0], POINTS));
  assert_true(e->ready && e->version == 2);
  NEAR(fabs((double)e->weights[0 * 4 + 0]), 0.6, 0.03);
  NEAR(fabs((double)e->weights[2 * 4 + 0]), 0.8, 0.03);
  NEAR(fabs((double)e->weights[3 * 4 + 1]), 1, 0.03);
  for (int i = 0; i < 5; i++) assert_true(e->weights[i * 4 + 2] == 0 && e->weights[i * 4 + 3] == 0);
  // distances stay, as nothing was lost
  float x[4], y[4];
  for (int i = 1; i < 50; i++) {
    double before = 0, after = 0;
    for (int j = 0; j < 5; j++) before += pow((double)(points[i][j] - points[0][j]), 2);
    apply(e, points[0], x);
    apply(e, points[i], y);
    for (int j = 0; j < 4; j++) after += pow((double)(x[j] - y[j]), 2);
    NEAR(after, before, 1e-4);
  }
  sfnec_embedding_destroy(e);
}

// Targets wait until there are enough observations; then all are in memory.
static void test_pca_waits(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=pca", "key_size=2", "pca_observations=10", "rate=0", NULL};
  sfnec_psi_scratch scratch;
  const sfnec_psi_config config = {.options = options_of("sfnec", settings),
                                   .simd = sfnec_simd_at(0),
                                   .scratch = &scratch,
                                   .shape = {.observation_size = 3},
                                   .observation_size = 3,
                                   .psi_size = 1,
                                   .action_count = 2};
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  sfnec_psi *psi = NULL;
  OK(sfnec_psi_scratch_init(&scratch, &config));
  OK(sfnec_psi_create(&config, NULL, &init, &psi));
  assert_int_equal(init.counter, 0);
  for (int i = 0; i < 12; i++) {
    const float s[3] = {(float)i, (float)(i * i), (float)(i % 2)};
    const double target = i;
    OK(psi->ops->learn(psi, s, i % 2, &target, &target));
    assert_int_equal(sfnec_psi_entries(psi), i < 9 ? 0 : i + 1);
  }
  sfnec_psi_destroy(psi);
  sfnec_psi_scratch_clear(&scratch);
}

// ---- new tasks ----

static void test_new_tasks(void **state) {
  (void)state;
  const char *const fresh[] = {"embedding=linear", NULL};
  const char *const keep[] = {"embedding=linear", "embedding_init=keep", NULL};
  const char *const frozen[] = {"embedding=linear", "embedding_init=frozen", NULL};
  sfnec_embedding *first = create(4, frozen, NULL, 1);
  assert_true(first->trained); // there is nothing to freeze yet
  const size_t size = first->count * sizeof *first->weights;
  const char *const *const all[] = {fresh, keep, frozen};
  for (int i = 0; i < 3; i++) {
    sfnec_embedding *next = create(4, all[i], first, 2);
    assert_true(next->trained == (i < 2));
    assert_true((memcmp(next->weights, first->weights, size) == 0) == (i > 0));
    next->weights[0] += 1; // it is its own
    assert_true(next->weights[0] != first->weights[0]);
    sfnec_embedding_destroy(next);
  }
  const char *const shared[] = {"embedding=linear", "embedding_init=shared", NULL};
  const size_t bytes = sfnec_embedding_bytes(first);
  sfnec_embedding *same = create(4, shared, first, 2);
  assert_ptr_equal(same, first);
  assert_int_equal(sfnec_embedding_bytes(first), bytes / 2);
  sfnec_embedding_destroy(same);
  assert_int_equal(sfnec_embedding_bytes(first), bytes); // it is still there for the other
  sfnec_embedding_destroy(first);
}

// ---- answers that are kept ----

// An answer with room of its own.
static sfnec_answer new_answer(const sfnec_psi_config *config) {
  sfnec_answer answer;
  sfnec_answer_place(config, malloc(sfnec_answer_size(config)), &answer);
  return answer;
}

// The embedding changes while keys and values of a memory do not: a kept answer about it must not outlive that.
static void test_kept_answers(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=linear", "training=batch", "key_size=2",   "rate=0",
                                  "key_rate=0",       "train_every=1",  "neighbours=5", NULL};
  sfnec_psi_scratch scratch;
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT), replay = init, world = sfnec_random_start(1, 1000);
  const sfnec_psi_config config = {.options = options_of("sfnec", settings),
                                   .simd = sfnec_simd_at(0),
                                   .minibatches = &replay,
                                   .scratch = &scratch,
                                   .shape = {.observation_size = 2},
                                   .observation_size = 2,
                                   .psi_size = 1,
                                   .action_count = 2};
  OK(sfnec_psi_scratch_init(&scratch, &config));
  sfnec_psi *psi = NULL;
  OK(sfnec_psi_create(&config, NULL, &init, &psi));
  for (int i = 0; i < 60; i++) {
    const float s[2] = {(float)sfnec_random_normal(&world), (float)sfnec_random_normal(&world)};
    const double target = (double)s[0] - (double)s[1];
    OK(psi->ops->learn(psi, s, 1, &target, &target));
  }
  const sfnec_memory *memory = psi->ops->memory(psi, 1);
  const uint64_t keys = sfnec_memory_keys_version(memory), values = sfnec_memory_values_version(memory);
  const float probe[2] = {0.3f, -0.4f};
  sfnec_answer kept = new_answer(&config), fresh = new_answer(&config);
  psi->ops->ask(psi, psi->config->scratch, probe, 1, &kept);
  const double before = kept.lookup.value[0];
  // trains on this action's samples too, and writes to the other one's memory only
  for (int i = 0; i < 20; i++) {
    const float s[2] = {(float)i, 1};
    const double target = 3;
    OK(psi->ops->learn(psi, s, 0, &target, &target));
    fresh.asked = false;
    psi->ops->ask(psi, psi->config->scratch, probe, 1, &fresh);
    psi->ops->ask(psi, psi->config->scratch, probe, 1, &kept);
    assert_true(kept.lookup.value[0] == fresh.lookup.value[0] && kept.remoteness == fresh.remoteness);
  }
  assert_true(kept.lookup.value[0] != before);
  assert_true(sfnec_memory_keys_version(memory) == keys && sfnec_memory_values_version(memory) == values);
  free(kept.lookup.value);
  free(fresh.lookup.value);
  sfnec_psi_destroy(psi);
  sfnec_psi_scratch_clear(&scratch);
}

// ---- replay ----

static void test_replay(void **state) {
  (void)state;
  sfnec_ring replay;
  sfnec_ring_init(&replay, 1, 1, 8, 100);
  for (int i = 0; i < 250; i++) {
    const float s = (float)i;
    const double target = -i;
    OK(sfnec_ring_reserve(&replay));
    *sfnec_ring_push(&replay, &s, i % 3) = target;
    const size_t count = i < 100 ? (size_t)i + 1 : 100;
    assert_int_equal(replay.count, count);
    for (size_t j = 0; j < count; j += 13) {
      const sfnec_ring_entry each = sfnec_ring_at(&replay, j);
      const int age = i + 1 - (int)count + (int)j;
      assert_true(sfnec_ring_observation(&replay, j)[0] == (float)age && each.numbers[0] == -age &&
                  each.action == age % 3);
    }
  }
  sfnec_ring_clear(&replay);
  assert_true(replay.count == 0 && replay.capacity == 0 && replay.limit == 100);
}

// ---- refusals ----

static void check_creation(const char *const *settings, const char *refusal) {
  const sfnec_agent_options options = options_of("sfnec", settings);
  sfnec_agent *agent = NULL;
  if (refusal) REFUSED(sfnec_agent_create(&tiny_shape, &options, 1, &agent), SFNEC_ERROR_OPTION, refusal);
  else OK(sfnec_agent_create(&tiny_shape, &options, 1, &agent));
  sfnec_agent_destroy(agent);
}

static void test_refusals(void **state) {
  (void)state;
  const char *const linear[] = {"embedding=linear", NULL}, *const mlp[] = {"embedding=mlp", NULL};
  const char *const small[] = {"training=batch", "replay=15", NULL};
  const char *const unused[] = {"psi=linear", "embedding=mlp", "replay=1", "training=batch", NULL};
  const char *const just[] = {"training=batch", "replay=16", NULL}, *const sample[] = {"replay=1", NULL};
  check_creation(linear, "embedding=linear is refused: it is trained from a replay buffer, so set training=batch");
  check_creation(mlp, "embedding=mlp is refused");
  check_creation(small, "replay=15 is refused: it takes at least one batch, which is 16");
  check_creation(unused, NULL);
  check_creation(just, NULL);
  check_creation(sample, NULL);
  const sfnec_env_shape wide = {.observation_size = 5000, .action_count = 2, .feature_count = 1};
  const char *const pca[] = {"embedding=pca", NULL};
  const sfnec_agent_options options = options_of("sfnec", pca);
  sfnec_agent *agent = NULL;
  REFUSED(sfnec_agent_create(&wide, &options, 1, &agent), SFNEC_ERROR_OPTION, "at most 4096 numbers, not 5000");
}

// A key may be longer than the observation.
static void test_key_size(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=linear", "training=batch", "key_size=9", NULL};
  const char *const *const all[] = {NULL, settings};
  const char *const presets[] = {"sfnec", "sfnec"};
  const int32_t sizes[] = {STATES, 9};
  const double w[FEATURES] = {1, 1};
  for (int i = 0; i < 2; i++) {
    sfnec_agent *agent = tiny_agent(presets[i], all[i]);
    assert_int_equal(sfnec_agent_get_key_size(agent), sizes[i]);
    OK(sfnec_agent_begin_task(agent, w, NULL));
    for (int episode = 0; episode < 30; episode++) {
      OK(sfnec_agent_begin_episode(agent));
      for (int j = 0; j < 4; j++) go(agent, j, j % 2, j, 1, (j + 1) % 4, j == 3 ? TERMINATES : GOES_ON);
    }
    sfnec_task_info info;
    OK(sfnec_agent_get_task_info(agent, 0, &info));
    assert_true((info.trained > 0) == (i == 1) && info.skipped == 0);
    sfnec_memory_view views[2];
    size_t count;
    OK(ask_memories(agent, states[0], 0, 0, 2, views, &count));
    assert_true(count == 2 && isfinite(views[0].key[sizes[i] - 1]));
    sfnec_agent_destroy(agent);
  }
  sfnec_agent *agent = tiny_agent("sfql", NULL);
  assert_int_equal(sfnec_agent_get_key_size(agent), 0);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linear),        cmocka_unit_test(test_mlp),          cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_first_weights), cmocka_unit_test(test_pca),          cmocka_unit_test(test_pca_waits),
      cmocka_unit_test(test_new_tasks),     cmocka_unit_test(test_kept_answers), cmocka_unit_test(test_replay),
      cmocka_unit_test(test_refusals),      cmocka_unit_test(test_key_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
