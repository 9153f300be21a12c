// test_pictures.c: observations that are pictures: kept as bytes whose frames stacks share, with the answers, the
// learning and the files of the same agent that keeps floats.
#include "support/tiny.h"

#include "agent/agent.h"
#include "agent/ring.h"
#include "agent/train/embedding.h"
#include "env/picture.h"

enum { FRAMES = 3, HEIGHT = 6, WIDTH = 5, FRAME = HEIGHT * WIDTH, SIZE = FRAMES * FRAME, LEVELS = 255 };

static const sfnec_env_shape seen = {
    .observation_size = SIZE,
    .action_count = 2,
    .feature_count = 1,
    .picture = {.frames = FRAMES, .height = HEIGHT, .width = WIDTH, .channels = 1, .levels = LEVELS}};

// ---- a world: a dot that walks to and fro over a grey slope ----

typedef struct walk {
  int at, step, actions;
  float stack[SIZE]; // the last frames, the oldest first
} walk;

static void draw(int at, float *frame) {
  for (int i = 0; i < FRAME; i++) frame[i] = (float)((i == at ? LEVELS : i) * (1.0 / LEVELS));
}

static void begin(walk *w) {
  w->step = 0;
  for (int i = 0; i < FRAMES; i++) draw(w->at, w->stack + i * FRAME);
}

static void move(walk *w, int action) {
  w->at = (w->at + (action ? 1 : FRAME - 1)) % FRAME;
  w->step++;
  memmove(w->stack, w->stack + FRAME, (FRAMES - 1) * FRAME * sizeof *w->stack);
  draw(w->at, w->stack + (FRAMES - 1) * FRAME);
}

// ---- queues ----

static void push(sfnec_ring *ring, const walk *w, int i) {
  OK(sfnec_ring_reserve(ring));
  *sfnec_ring_push(ring, w->stack, i % 2) = i;
}

// Both hold the same, whatever came and went.
static void check_same(const sfnec_ring *bytes, const sfnec_ring *floats) {
  assert_int_equal(bytes->count, floats->count);
  for (size_t i = 0; i < bytes->count; i++) {
    assert_memory_equal(sfnec_ring_observation(bytes, i), sfnec_ring_observation(floats, i), SIZE * sizeof(float));
    assert_int_equal(sfnec_ring_at(bytes, i).action, sfnec_ring_at(floats, i).action);
    assert_true(*sfnec_ring_at(bytes, i).numbers == *sfnec_ring_at(floats, i).numbers);
  }
}

static void test_queue(void **state) {
  (void)state;
  enum { LIMIT = 100, EPISODE = 40 };
  sfnec_ring bytes, floats;
  sfnec_ring_init(&bytes, SIZE, 1, 4, LIMIT);
  sfnec_ring_set_picture(&bytes, &seen.picture);
  sfnec_ring_init(&floats, SIZE, 1, 4, LIMIT);
  walk w = {.at = 3};
  sfnec_random random = sfnec_random_start(1, 0);
  for (int i = 0; i < 5 * LIMIT; i++) {
    if (i % EPISODE == 0) begin(&w);
    else move(&w, (int)sfnec_random_below(&random, 2));
    push(&bytes, &w, i);
    push(&floats, &w, i);
    // at times the oldest goes before there are too many
    if (i % 7 == 0) sfnec_ring_pop(&bytes), sfnec_ring_pop(&floats);
    check_same(&bytes, &floats);
    for (size_t j = 0; j + 1 < bytes.count; j++) {
      assert_true(sfnec_ring_same_observation(&bytes, j, j + 1) == sfnec_ring_same_observation(&floats, j, j + 1));
    }
  }
  // one new frame for each picture, and some more where an episode began
  assert_true(bytes.count == LIMIT && bytes.pictures.count <= LIMIT + FRAMES * (LIMIT / EPISODE + 1));
  assert_true(sfnec_ring_bytes(&floats) > 4 * sfnec_ring_bytes(&bytes));
  while (bytes.count > 0) sfnec_ring_pop(&bytes);
  assert_int_equal(bytes.pictures.count, 0);
  sfnec_ring_clear(&bytes);
  sfnec_ring_clear(&floats);
}

// ---- agents ----

static void step(sfnec_agent *agent, walk *w, sfnec_choice *choice) {
  sfnec_transition transition = {0};
  OK(sfnec_agent_act(agent, w->stack, &transition.action));
  OK(sfnec_agent_get_last_choice(agent, choice));
  move(w, transition.action);
  const double feature = w->at == 0;
  transition.features = &feature;
  transition.reward = feature;
  transition.next_observation = w->stack;
  transition.terminated = w->at == 0;
  transition.truncated = w->step == 25;
  OK(sfnec_agent_observe(agent, &transition));
  if (!transition.terminated && !transition.truncated) return;
  w->at = 11;
  begin(w);
  OK(sfnec_agent_begin_episode(agent));
}

static sfnec_agent *begin_agent(const sfnec_env_shape *shape, const char *const *settings, walk *w) {
  sfnec_agent *agent = agent_for(shape, "sfnec", settings, 5);
  const double one = 1;
  OK(sfnec_agent_begin_task(agent, &one, NULL));
  OK(sfnec_agent_begin_episode(agent));
  *w = (walk){.at = 11};
  begin(w);
  return agent;
}

static const char *const ways[][8] = {
    {"neighbours=4", "training=batch", "embedding=linear", "key_size=4", "replay=50", "batch=4", NULL},
    {"neighbours=4", "write=episode", NULL},
    {"neighbours=4", "write=late", NULL},
    {"neighbours=4", "embedding=random", "key_size=4", "blur=0", NULL},
    {"neighbours=4", "embedding=pca", "pca_observations=40", "key_size=4", NULL},
    // what an embedding makes of a picture it does not make of numbers
    {"embedding=conv", "layers=conv:5x3/1;dense:9", "training=batch", "batch=4", "optimizer=adam", "capacity=60", NULL},
    {"embedding=conv", "layers=conv:5x2/2p1", "training=batch", "batch=4", "train_start=30", "match=key", NULL},
};
enum { WAYS = sizeof ways / sizeof ways[0], WAYS_OF_NUMBERS = WAYS - 2 };

// To keep bytes is a matter of room alone.
static void test_same_as_floats(void **state) {
  (void)state;
  sfnec_env_shape plain = seen;
  plain.picture = (sfnec_picture_shape){0};
  for (size_t i = 0; i < WAYS_OF_NUMBERS; i++) {
    walk a, b;
    sfnec_agent *bytes = begin_agent(&seen, ways[i], &a), *floats = begin_agent(&plain, ways[i], &b);
    for (int t = 0; t < 400; t++) {
      sfnec_choice of_bytes, of_floats;
      step(bytes, &a, &of_bytes);
      step(floats, &b, &of_floats);
      assert_true(of_bytes.action == of_floats.action && of_bytes.value == of_floats.value);
    }
    assert_true(entries_of(bytes, 0) > 20 && entries_of(bytes, 0) == entries_of(floats, 0));
    sfnec_agent_destroy(bytes);
    sfnec_agent_destroy(floats);
  }
}

// A file continues bit for bit, wherever it was written.
static void test_resumed(void **state) {
  (void)state;
  for (size_t i = 0; i < WAYS; i++) {
    walk a;
    sfnec_agent *unbroken = begin_agent(&seen, ways[i], &a), *resumed = NULL;
    sfnec_choice choice;
    unsigned char *first = NULL, *second = NULL;
    size_t size, again;
    for (int t = 0; t < 120; t++) step(unbroken, &a, &choice);
    walk b = a;
    OK(sfnec_agent_save_bytes(unbroken, &first, &size));
    OK(sfnec_agent_load_bytes(first, size, &resumed));
    sfnec_agent_free_bytes(first);
    const sfnec_env_shape shape = sfnec_agent_get_shape(resumed);
    assert_memory_equal(&shape, &seen, sizeof seen);
    for (int t = 0; t < 200; t++) {
      step(unbroken, &a, &choice);
      step(resumed, &b, &choice);
    }
    OK(sfnec_agent_save_bytes(unbroken, &first, &size));
    OK(sfnec_agent_save_bytes(resumed, &second, &again));
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    sfnec_agent_free_bytes(first);
    sfnec_agent_free_bytes(second);
    sfnec_agent_destroy(unbroken);
    sfnec_agent_destroy(resumed);
  }
}

// ---- embeddings ----

static sfnec_embedding *embed(const char *const *settings) {
  const sfnec_agent_options options = options_of("sfnec", settings);
  sfnec_random init = sfnec_random_start(1, SFNEC_PURPOSE_INIT);
  sfnec_embedding *embedding = NULL;
  OK(sfnec_embedding_create(&options, &seen, NULL, &init, &embedding));
  return embedding;
}

static void key_of(const sfnec_embedding *embedding, const float *picture, float *key) {
  sfnec_net_work *work;
  OK(sfnec_net_work_create(&embedding->net, sfnec_simd_at(0), 1, false, &work));
  sfnec_embedding_apply(embedding, picture, work, key);
  sfnec_net_work_destroy(work);
}

// The network sees all frames of a pixel side by side: a kernel of one pixel makes sums over frames of it.
static void test_frames(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=conv", "layers=conv:1x1/1", "key_size=90", "unit_keys=off", NULL};
  sfnec_embedding *e = embed(settings);
  assert_int_equal(e->net.layers[0].terms, FRAMES);
  memset(e->weights, 0, e->count * sizeof *e->weights);
  for (size_t f = 0; f < FRAMES; f++) e->weights[f] = (float)(f + 1);
  for (size_t p = 0; p < FRAME; p++) e->weights[e->net.layers[1].weights + p * SIZE + p] = 1.0f;
  float picture[SIZE], key[SIZE];
  for (int i = 0; i < SIZE; i++) picture[i] = (float)i;
  key_of(e, picture, key);
  for (int p = 0; p < FRAME; p++) {
    assert_true(key[p] == picture[p] + 2.0f * picture[FRAME + p] + 3.0f * picture[2 * FRAME + p]);
  }
  sfnec_embedding_destroy(e);
}

// Keys have length 1, and those of pictures that do not differ by much are near.
static void test_unit(void **state) {
  (void)state;
  const char *const settings[] = {"embedding=conv", "layers=small", "key_size=16", NULL};
  sfnec_embedding *e = embed(settings);
  assert_true(e->net.unit && e->trained && e->net.count == 3);
  float picture[SIZE], key[16];
  for (int i = 0; i < SIZE; i++) picture[i] = (float)(i % 7) / 7.0f;
  key_of(e, picture, key);
  double squares = 0;
  for (int j = 0; j < 16; j++) squares += (double)key[j] * (double)key[j];
  NEAR(squares, 1, 1e-6);
  sfnec_embedding_destroy(e);
}

static double squared_between(const sfnec_embedding *e, int a, int b) {
  float first[SIZE] = {0}, second[SIZE] = {0}, x[64], y[64];
  first[FRAME + a] = second[FRAME + b] = 1.0f;
  key_of(e, first, x);
  key_of(e, second, y);
  double sum = 0;
  for (int j = 0; j < 64; j++) sum += pow((double)x[j] - (double)y[j], 2);
  return sum;
}

// A blurred projection keeps the length of one pixel, and neighbouring pixels are nearer than distant ones.
static void test_blur(void **state) {
  (void)state;
  const char *const sharp[] = {"embedding=random", "key_size=64", "blur=0", NULL}, *const blurred[] = {
                                                                                       "embedding=random",
                                                                                       "key_size=64", "blur=0.3", NULL};
  sfnec_embedding *a = embed(sharp), *b = embed(blurred);
  const int at = 2 * WIDTH + 2;
  double lengths = 0;
  float pixel[SIZE] = {0}, key[64];
  pixel[FRAME + at] = 1.0f;
  key_of(b, pixel, key);
  for (int j = 0; j < 64; j++) lengths += (double)key[j] * (double)key[j];
  NEAR(lengths, 1, 0.5); // a chi-squared number of 64 degrees, divided by 64
  assert_true(squared_between(b, at, at + 1) < 0.5 * squared_between(a, at, at + 1));
  assert_true(squared_between(b, at, at + 1) < 0.5 * squared_between(b, at, at + 3 * WIDTH));
  sfnec_embedding_destroy(a);
  sfnec_embedding_destroy(b);
}

// What a picture decides: keys are learned, unless a preset says how they are made.
static void test_chosen(void **state) {
  (void)state;
  sfnec_agent_options options = options_of("nec", NULL), before = options;
  sfnec_env_shape plain = seen;
  plain.picture = (sfnec_picture_shape){0};
  sfnec_agent_options_for(&plain, &options);
  assert_memory_equal(&options, &before, sizeof before);
  sfnec_agent_options_for(&seen, &options);
  assert_true(options.embedding == SFNEC_EMBEDDING_CONV && options.training == SFNEC_TRAINING_BATCH);
  sfnec_agent *agent = NULL;
  OK(sfnec_agent_create(&seen, &options, 1, &agent));
  sfnec_agent_destroy(agent);
  // agents that transfer explore as they do elsewhere
  assert_true(options.epsilon == 1 && options.train_start == 1000);
  options = before = options_of("sfnec", NULL);
  sfnec_agent_options_for(&seen, &options);
  assert_true(options.embedding == SFNEC_EMBEDDING_CONV && options.epsilon == before.epsilon);
  const char *const others[] = {"mfec", "nec-atari", "sfnec-plan", "ql"};
  for (size_t i = 0; i < 4; i++) {
    options = before = options_of(others[i], NULL);
    sfnec_agent_options_for(&seen, &options);
    assert_memory_equal(&options, &before, sizeof before);
  }
}

// ---- refusals ----

static void test_refused_layers(void **state) {
  (void)state;
  const char *const bad[] = {"layers=nature", "layers=conv:8x7/1", "layers=conv:8", "layers=dense:0",
                             "layers=conv:70000x1/1,70000x1/1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *const settings[] = {"embedding=conv", "training=batch", bad[i], NULL};
    const sfnec_agent_options options = options_of("sfnec", settings);
    sfnec_agent *agent = NULL;
    REFUSED(sfnec_agent_create(&seen, &options, 1, &agent), SFNEC_ERROR_OPTION, bad[i]);
  }
  const char *const untrained[] = {"embedding=conv", NULL};
  const sfnec_agent_options options = options_of("sfnec", untrained);
  sfnec_agent *agent = NULL;
  REFUSED(sfnec_agent_create(&seen, &options, 1, &agent), SFNEC_ERROR_OPTION,
          "embedding=conv is refused: it is trained");
}

static void test_refused(void **state) {
  (void)state;
  walk w;
  sfnec_agent *agent = begin_agent(&seen, ways[1], &w);
  int32_t action;
  const float wrong[] = {0.5f, -1.0f, 1.5f, 1e30f, nextafterf(w.stack[7], 1.0f)};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    const float right = w.stack[7];
    w.stack[7] = wrong[i];
    REFUSED(sfnec_agent_act(agent, w.stack, &action), SFNEC_ERROR_ARGUMENT, "number 7 of a picture is");
    w.stack[7] = right;
  }
  OK(sfnec_agent_act(agent, w.stack, &action));
  sfnec_agent_destroy(agent);

  const sfnec_agent_options options = options_of("sfnec", NULL);
  const sfnec_picture_shape bad[] = {
      {FRAMES, HEIGHT, WIDTH, 2, LEVELS},       {FRAMES, HEIGHT, WIDTH, 1, 0}, {FRAMES, HEIGHT, WIDTH, 1, 256},
      {-FRAMES, -HEIGHT, WIDTH, 1, LEVELS},     {0, HEIGHT, WIDTH, 1, LEVELS}, {SIZE, 1, 1, 1, -1},
      {INT32_MAX, INT32_MAX, INT32_MAX, 2, 255}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    sfnec_env_shape shape = seen;
    shape.picture = bad[i];
    REFUSED(sfnec_agent_create(&shape, &options, 1, &agent), SFNEC_ERROR_ARGUMENT, "is no observation of 90 numbers");
  }
}

// Every level comes back, of every number of levels.
static void test_levels(void **state) {
  (void)state;
  for (int32_t levels = 1; levels <= 255; levels++) {
    float numbers[256], again[256];
    uint8_t bytes[256];
    const size_t count = (size_t)levels + 1;
    for (size_t i = 0; i < count; i++) numbers[i] = (float)((double)i * (1.0 / levels));
    assert_int_equal(sfnec_picture_whole(levels, numbers, count), count);
    sfnec_picture_pack(levels, numbers, count, bytes);
    for (size_t i = 0; i < count; i++) assert_int_equal(bytes[i], i);
    sfnec_picture_unpack(levels, bytes, count, again);
    assert_memory_equal(numbers, again, count * sizeof *numbers);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_queue),          cmocka_unit_test(test_same_as_floats), cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_refused),        cmocka_unit_test(test_levels),         cmocka_unit_test(test_frames),
      cmocka_unit_test(test_unit),           cmocka_unit_test(test_blur),           cmocka_unit_test(test_chosen),
      cmocka_unit_test(test_refused_layers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
