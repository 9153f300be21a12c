// test_relevance.c: which components of small worlds matter is found on several seeds, and does not depend on the order
// of components, their units, or the slices of work; files resume to the bit, and damaged ones are refused.
#include "support/check.h"

#include "agent/plan/relevance.h"
#include "sfnec/random.h"

enum { SEEDS = 3, DISTRACTORS = 5, MOST = 24 };

// A world writes its observation, and moves on under an action; it returns whether the episode terminates.
typedef struct world {
  sfnec_random random;
  double x, v, flag, key, noise; // of several worlds: position, speed, and so on
  double drift, level;           // of distractors
  int time, colour, ball, height;
} world;

typedef struct kind {
  size_t size;
  uint32_t actions;
  void (*reset)(world *w);
  bool (*act)(world *w, uint32_t action, float *reward);
  void (*see)(world *w, float *observation);
  int limit;            // steps of an episode
  double habit;         // share of actions that follow the drift, which means nothing
  const char *expected; // per component: k kept, d dropped, u undecided
} kind;

static double uniform(world *w) {
  return sfnec_random_uniform(&w->random);
}

// ---- a cart that actions push; a constant ----

static void walk_reset(world *w) {
  w->x = uniform(w) - 0.5;
  w->v = 0.0;
}

static bool walk_act(world *w, uint32_t action, float *reward) {
  w->v = 0.95 * w->v + (action ? 0.02 : -0.02) + 0.002 * sfnec_random_normal(&w->random);
  w->x += w->v;
  *reward = 1.0f;
  return fabs(w->x) > 1.0;
}

static void walk_see(world *w, float *o) {
  o[0] = (float)w->x;
  o[1] = 3.0f;
  o[2] = (float)w->v;
}

static const kind walk = {3, 2, walk_reset, walk_act, walk_see, 200, 0.0, "kukddddd"};

static const kind habitual = {3, 2, walk_reset, walk_act, walk_see, 200, 0.7, "kukddddd"};

// ---- the same, and time ends the episode: no action can change that ----

static bool timed_act(world *w, uint32_t action, float *reward) {
  return walk_act(w, action, reward) || w->time == 49;
}

static const kind timed = {3, 2, walk_reset, timed_act, walk_see, 200, 0.0, "kukddddd"};

// ---- a cart that earns at one end, or loses, by a flag of the episode ----

static void goal_reset(world *w) {
  walk_reset(w);
  w->flag = uniform(w) < 0.5;
}

static bool goal_act(world *w, uint32_t action, float *reward) {
  const bool over = walk_act(w, action, reward);
  *reward = w->x > 1.0 ? (w->flag > 0.0 ? 1.0f : -1.0f) : 0.0f;
  return over;
}

static void goal_see(world *w, float *o) {
  o[0] = (float)w->x;
  o[1] = (float)w->flag;
  o[2] = (float)w->v;
}

static const kind goal = {3, 2, goal_reset, goal_act, goal_see, 200, 0.0, "kkkddddd"};

// ---- a corridor whose end pays or costs by a flag of the episode; another flag means nothing ----

static void gate_reset(world *w) {
  w->x = 4.0;
  w->flag = uniform(w) < 0.5;
  w->key = uniform(w) < 0.5;
}

static bool gate_act(world *w, uint32_t action, float *reward) {
  w->x = fmax(w->x + (action ? 1.0 : -1.0), 0.0);
  *reward = w->x >= 8.0 ? (w->flag > 0.0 ? 1.0f : -1.0f) : 0.0f;
  return w->x >= 8.0;
}

static void gate_see(world *w, float *o) {
  o[0] = (float)w->x;
  o[1] = (float)(w->flag + w->noise * sfnec_random_normal(&w->random));
  o[2] = (float)(w->key + w->noise * sfnec_random_normal(&w->random));
}

static const kind gate = {3, 2, gate_reset, gate_act, gate_see, 100, 0.0, "kkdddddd"};

// ---- a key opens a door; the key's colour is a function of whether it is there; the position is one-hot ----

enum { CELLS = 8, DOOR = 5 };

static void key_reset(world *w) {
  w->x = 2.0;
  w->key = 0.0;
  w->colour = 1 + (int)sfnec_random_below(&w->random, 5);
}

static bool key_act(world *w, uint32_t action, float *reward) {
  const double to = w->x + (action == 0 ? -1.0 : action == 1 ? 1.0 : 0.0);
  if (to >= 0.0 && (to != DOOR || w->key > 0.0)) w->x = to;
  if (action == 2 && w->x == 0.0) w->key = 1.0;
  *reward = w->x >= CELLS - 1 ? 1.0f : 0.0f;
  return w->x >= CELLS - 1;
}

static void key_see(world *w, float *o) {
  for (int i = 0; i < CELLS; i++) o[i] = (float)((int)w->x == i);
  o[CELLS] = (float)w->key;
  o[CELLS + 1] = (float)(w->key > 0.0 ? 0 : w->colour);
}

static const kind key = {CELLS + 2, 3, key_reset, key_act, key_see, 200, 0.0, "kkkkkkkkkdddddd"};

// ---- a place on a grid: its row and its column are one-hot, their components in turn ----

enum { SIDE = 5 };

static void grid_reset(world *w) {
  w->x = w->v = 2.0;
}

static bool grid_act(world *w, uint32_t action, float *reward) {
  double *moved = action < 2 ? &w->x : &w->v;
  *moved = fmin(fmax(*moved + (action % 2 ? 1.0 : -1.0), 0.0), SIDE - 1.0);
  *reward = w->x + w->v == 2.0 * (SIDE - 1);
  return *reward > 0.0f;
}

static void grid_see(world *w, float *o) {
  for (int i = 0; i < SIDE; i++) {
    o[2 * i] = (float)((int)w->x == i);
    o[2 * i + 1] = (float)((int)w->v == i);
  }
}

static const kind grid = {2 * SIDE, 4, grid_reset, grid_act, grid_see, 100, 0.0, "kkkkkkkkkkddddd"};

// ---- a ball falls, which no action changes; it is to be caught ----

static void catch_reset(world *w) {
  w->x = (double)sfnec_random_below(&w->random, 5);
  w->ball = (int)sfnec_random_below(&w->random, 5);
  w->height = 4 + (int)sfnec_random_below(&w->random, 5);
}

static bool catch_act(world *w, uint32_t action, float *reward) {
  w->x = fmin(fmax(w->x + (double)action - 1.0, 0.0), 4.0);
  w->height--;
  *reward = w->height > 0 ? 0.0f : (int)w->x == w->ball ? 1.0f : -1.0f;
  return w->height == 0;
}

static void catch_see(world *w, float *o) {
  o[0] = (float)w->x;
  o[1] = (float)w->ball;
  o[2] = (float)w->height;
}

static const kind falling = {3, 3, catch_reset, catch_act, catch_see, 100, 0.0, "kkkddddd"};

// ---- logs and fits ----

// Components in another order and other units: component i goes to order[i], times scale[i].
typedef struct view {
  size_t order[MOST];
  float scale[MOST];
} view;

// Components of every world after its own: noise, a clock, a slow drift, a random bit, and a number of the episode.
static void distract(world *w, float *o) {
  w->drift = 0.98 * w->drift + 0.2 * sfnec_random_normal(&w->random);
  o[0] = (float)sfnec_random_normal(&w->random);
  o[1] = (float)w->time / 64.0f;
  o[2] = (float)w->drift;
  o[3] = (float)(uniform(w) < 0.5);
  o[4] = (float)w->level;
}

static size_t size_of(const kind *kind) {
  return kind->size + DISTRACTORS;
}

static void look(const kind *kind, world *w, const view *view, float *o) {
  float plain[MOST];
  kind->see(w, plain);
  distract(w, plain + kind->size);
  for (size_t i = 0; i < size_of(kind); i++) {
    const size_t to = view ? view->order[i] : i;
    o[to] = plain[i] * (view ? view->scale[i] : 1.0f);
  }
}

static void play(const kind *kind, uint64_t seed, double noise, size_t rows, const view *view,
                 sfnec_transition_log *log) {
  world w = {.random = sfnec_random_start(seed, SFNEC_PURPOSE_WORLD), .noise = noise};
  sfnec_random policy = sfnec_random_start(seed, SFNEC_PURPOSE_EXPLORATION);
  float before[MOST], after[MOST], reward;
  OK(sfnec_transition_log_init(log, size_of(kind), 1, kind->actions));
  bool last = true;
  for (size_t t = 0; t < rows; t++) {
    if (last) {
      kind->reset(&w);
      w.time = 0;
      w.level = (double)sfnec_random_below(&w.random, 4);
      look(kind, &w, view, before);
    }
    const uint32_t drawn = sfnec_random_below(&policy, kind->actions);
    const uint32_t action = sfnec_random_uniform(&policy) < kind->habit ? w.drift > 0.0 : drawn;
    const bool terminated = kind->act(&w, action, &reward);
    last = ++w.time == kind->limit || terminated;
    look(kind, &w, view, after);
    OK(sfnec_transition_log_add(log, before, action, &reward, after, terminated, last));
    memcpy(before, after, sizeof after);
  }
}

static sfnec_relevance_fit *fit_log(const sfnec_transition_log *log, uint64_t budget) {
  sfnec_relevance_fit *fit;
  OK(sfnec_relevance_fit_begin(log, NULL, 7, &fit));
  while (!sfnec_relevance_fit_step(fit, budget)) {
  }
  return fit;
}

// Verdicts of two fits that agree.
static void judge(const kind *kind, uint64_t seed, double noise, size_t rows, const view *view,
                  sfnec_relevance *relevance) {
  sfnec_transition_log log;
  play(kind, seed, noise, rows, view, &log);
  sfnec_relevance_fit *fit = fit_log(&log, 1000000);
  OK(sfnec_relevance_init(relevance, size_of(kind)));
  sfnec_relevance_apply(relevance, fit);
  for (size_t i = 0; i < size_of(kind); i++) assert_true(relevance->components[i].verdict != SFNEC_VERDICT_DROPPED);
  sfnec_relevance_apply(relevance, fit);
  sfnec_relevance_fit_destroy(fit);
  sfnec_transition_log_clear(&log);
}

static void expect(const kind *kind, uint64_t seed, const sfnec_relevance *relevance) {
  for (size_t i = 0; i < size_of(kind); i++) {
    const sfnec_component_relevance *c = &relevance->components[i];
    const char found = "ukd"[c->verdict];
    char why[128];
    sfnec_relevance_explain(c, why, sizeof why);
    if (found != kind->expected[i]) {
      fail_msg("seed %d, component %zu: %c instead of %c: %s", (int)seed, i, found, kind->expected[i], why);
    }
  }
}

// The reason of a component reads so.
static void explains(const sfnec_relevance *relevance, size_t i, const char *expected) {
  char why[128];
  sfnec_relevance_explain(&relevance->components[i], why, sizeof why);
  assert_string_equal(why, expected);
}

// ---- verdicts ----

static void test_walk(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    sfnec_relevance relevance;
    judge(&walk, seed, 0.0, 2000, NULL, &relevance);
    expect(&walk, seed, &relevance);
    explains(&relevance, 1, "constant so far");
    explains(&relevance, 2, "the action changes it");
    explains(&relevance, 3, "changes on its own and predicts nothing");
    sfnec_relevance_clear(&relevance);
  }
}

// Verdicts on several seeds.
static void judge_seeds(const kind *kind, size_t rows) {
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    sfnec_relevance relevance;
    judge(kind, seed, 0.0, rows, NULL, &relevance);
    expect(kind, seed, &relevance);
    sfnec_relevance_clear(&relevance);
  }
}

static void test_habits_and_time_limits(void **state) {
  (void)state;
  judge_seeds(&habitual, 3000);
  judge_seeds(&timed, 3000);
}

static void test_flag_of_goal(void **state) {
  (void)state;
  judge_seeds(&goal, 5000);
}

static void test_flag_gates_reward(void **state) {
  (void)state;
  const double noises[] = {0.0, 0.01, 0.05, 0.1};
  for (size_t n = 0; n < 4; n++) {
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      sfnec_relevance relevance;
      judge(&gate, seed, noises[n], 4000, NULL, &relevance);
      expect(&gate, seed, &relevance);
      const sfnec_component_relevance *flag = &relevance.components[1];
      assert_int_equal(flag->reason, SFNEC_REASON_PREDICTS_FEATURE);
      assert_true(flag->z >= SFNEC_RELEVANCE_Z && flag->p < SFNEC_RELEVANCE_RATE);
      assert_int_equal(flag->level_count, n ? 2 : 0);
      if (n) assert_true(fabsf(flag->levels[0]) < 0.02f && fabsf(flag->levels[1] - 1.0f) < 0.02f);
      assert_int_equal(relevance.components[0].level_count, 0);
      sfnec_relevance_clear(&relevance);
    }
  }
}

static void test_key_opens_door(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    sfnec_relevance relevance;
    judge(&key, seed, 0.0, 4000, NULL, &relevance);
    expect(&key, seed, &relevance);
    for (size_t i = 0; i < CELLS; i++) assert_int_equal(relevance.components[i].group, 0);
    assert_int_equal(relevance.components[CELLS].group, CELLS);
    explains(&relevance, CELLS + 1, "function of component 8");
    sfnec_relevance_clear(&relevance);
  }
}

// Components of a one-hot group need not stand side by side; a random bit among them is in none.
static void test_scattered_groups(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    sfnec_relevance relevance;
    judge(&grid, seed, 0.0, 3000, NULL, &relevance);
    expect(&grid, seed, &relevance);
    for (size_t i = 0; i < 2 * SIDE; i++) assert_int_equal(relevance.components[i].group, i % 2);
    for (size_t i = 2 * SIDE; i < size_of(&grid); i++) assert_int_equal(relevance.components[i].group, i);
    sfnec_relevance_clear(&relevance);
  }
}

static void test_ball_to_catch(void **state) {
  (void)state;
  judge_seeds(&falling, 4000);
}

// Too little to conclude anything from: nothing is dropped that was constant in its episodes or changed rarely.
static void test_little_evidence(void **state) {
  (void)state;
  sfnec_relevance relevance;
  judge(&gate, 1, 0.0, 60, NULL, &relevance);
  for (size_t i = 1; i < 3; i++) assert_int_equal(relevance.components[i].verdict, SFNEC_VERDICT_UNDECIDED);
  sfnec_relevance_clear(&relevance);
  judge(&gate, 1, 0.0, 0, NULL, &relevance);
  for (size_t i = 0; i < size_of(&gate); i++) explains(&relevance, i, "constant so far");
  sfnec_relevance_clear(&relevance);
}

// Each value of noise and of a random bit is new evidence, and 200 transitions are enough to drop them; a slow drift,
// which takes some ten independent values in them, stays, and so does a clock while there are ends that it may explain.
static void test_smooth_shows_late(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    sfnec_relevance few, many;
    judge(&timed, seed, 0.0, 620, NULL, &few);
    judge(&timed, seed, 0.0, 1000, NULL, &many);
    const size_t noise = timed.size, clock = timed.size + 1, drift = timed.size + 2, bit = timed.size + 3;
    for (int i = 0; i < 2; i++) assert_int_equal(few.components[i ? bit : noise].verdict, SFNEC_VERDICT_DROPPED);
    for (int i = 0; i < 2; i++) assert_int_not_equal(few.components[i ? drift : clock].verdict, SFNEC_VERDICT_DROPPED);
    assert_int_equal(many.components[clock].verdict, SFNEC_VERDICT_DROPPED);
    assert_int_equal(many.components[drift].verdict, SFNEC_VERDICT_DROPPED);
    sfnec_relevance_clear(&few);
    judge(&walk, seed, 0.0, 200, NULL, &few); // an episode without an end
    assert_int_equal(few.components[clock].verdict, SFNEC_VERDICT_DROPPED);
    assert_int_not_equal(few.components[drift].verdict, SFNEC_VERDICT_DROPPED);
    sfnec_relevance_clear(&few);
    sfnec_relevance_clear(&many);
  }
}

// A component that is dropped returns at the first fit that finds a reason, and goes only after two.
static void test_two_fits_agree(void **state) {
  (void)state;
  sfnec_transition_log few, many;
  play(&falling, 1, 0.0, 200, NULL, &few);
  play(&falling, 1, 0.0, 4000, NULL, &many);
  sfnec_relevance_fit *early = fit_log(&few, 1000000), *late = fit_log(&many, 1000000);
  sfnec_relevance relevance;
  OK(sfnec_relevance_init(&relevance, size_of(&falling)));
  sfnec_relevance_apply(&relevance, late);
  assert_true(relevance.components[3].drop_proposed);
  assert_int_equal(relevance.components[3].verdict, SFNEC_VERDICT_UNDECIDED);
  assert_true(sfnec_relevance_apply(&relevance, late));
  assert_int_equal(relevance.components[3].verdict, SFNEC_VERDICT_DROPPED);
  assert_false(sfnec_relevance_apply(&relevance, late));
  sfnec_relevance_apply(&relevance, early);
  sfnec_relevance_apply(&relevance, early);
  sfnec_relevance_apply(&relevance, late);
  assert_int_equal(relevance.components[1].verdict, SFNEC_VERDICT_KEPT);
  assert_int_equal(relevance.fits, 6);
  sfnec_relevance_clear(&relevance);
  sfnec_relevance_fit_destroy(early);
  sfnec_relevance_fit_destroy(late);
  sfnec_transition_log_clear(&few);
  sfnec_transition_log_clear(&many);
}

// ---- levels ----

static int compare_floats(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

enum { DRAWS = 1000 };

static size_t levels_of(float *sample, float *levels) {
  static double scratch[2 * (DRAWS + 1)];
  qsort(sample, DRAWS, sizeof *sample, compare_floats);
  return sfnec_quantise_fit(sample, DRAWS, scratch, levels);
}

// Levels are found, and none in samples without, but in one random walk of a hundred: its residuals are not white.
static void test_levels(void **state) {
  (void)state;
  float sample[DRAWS], levels[SFNEC_LEVELS_MOST];
  int walks = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    sfnec_random random = sfnec_random_start(seed, 1);
    for (uint32_t count = 2; count <= SFNEC_LEVELS_MOST; count += 2) {
      for (size_t i = 0; i < DRAWS; i++) {
        sample[i] = (float)(sfnec_random_below(&random, count) + 0.08 * sfnec_random_normal(&random));
      }
      assert_int_equal(levels_of(sample, levels), count);
      for (uint32_t l = 0; l < count; l++) assert_true(fabsf(levels[l] - (float)l) < 0.05f);
      assert_true(sfnec_quantise(0.9f, levels, count) == levels[1]);
      assert_true(sfnec_quantise(99.0f, levels, count) == levels[count - 1]);
    }
    for (int shape = 0; shape < 5; shape++) {
      double sum = 0.0;
      for (size_t i = 0; i < DRAWS; i++) {
        const double u = sfnec_random_uniform(&random), z = sfnec_random_normal(&random);
        sum += z;
        const double bump = exp(-(u - 0.5) * (u - 0.5) / 0.00125); // a radial basis function of a position
        sample[i] = (float)(shape == 0 ? u : shape == 1 ? z : shape == 2 ? sum : shape == 3 ? -log(1.0 - u) : bump);
      }
      const size_t found = levels_of(sample, levels);
      walks += shape == 2 && found > 0;
      assert_true(shape == 2 || found == 0);
    }
  }
  assert_true(walks <= 2);
}

// ---- invariances ----

static void test_order_and_units(void **state) {
  (void)state;
  static const kind *kinds[] = {&walk, &gate, &falling};
  for (size_t k = 0; k < 3; k++) {
    const kind *kind = kinds[k];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      view view;
      sfnec_random random = sfnec_random_start(seed, 1);
      for (size_t i = 0; i < size_of(kind); i++) {
        const size_t j = sfnec_random_below(&random, (uint32_t)i + 1);
        view.order[i] = i;
        view.order[i] = view.order[j];
        view.order[j] = i;
        view.scale[i] = (float)ldexp(1.0, (int)sfnec_random_below(&random, 21) - 10);
      }
      sfnec_relevance plain, other;
      judge(kind, seed, 0.05, 3000, NULL, &plain);
      judge(kind, seed, 0.05, 3000, &view, &other);
      for (size_t i = 0; i < size_of(kind); i++) {
        const sfnec_component_relevance *a = &plain.components[i], *b = &other.components[view.order[i]];
        assert_int_equal(a->verdict, b->verdict);
        assert_int_equal(a->reason, b->reason);
        assert_int_equal(a->partner_kind, b->partner_kind);
        assert_int_equal(a->level_count, b->level_count);
        assert_true(a->p == b->p && a->z == b->z);
        for (uint32_t l = 0; l < a->level_count; l++) assert_true(a->levels[l] * view.scale[i] == b->levels[l]);
      }
      sfnec_relevance_clear(&plain);
      sfnec_relevance_clear(&other);
    }
  }
}

// ---- slices and files ----

static unsigned char *save_fit(const sfnec_relevance_fit *fit, size_t *size) {
  sfnec_writer *writer;
  unsigned char *bytes;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_relevance_fit_save(fit, writer);
  OK(sfnec_writer_take(writer, &bytes, size));
  return bytes;
}

static sfnec_status load_fit(const unsigned char *bytes, size_t size, size_t components, sfnec_relevance_fit **fit) {
  sfnec_reader *reader;
  OK(sfnec_reader_open_memory(bytes, size, NULL, 0, "a fit", &reader));
  const sfnec_status status = sfnec_relevance_fit_load(components, true, reader, fit);
  sfnec_reader_close(reader);
  return status;
}

static void test_slices(void **state) {
  (void)state;
  sfnec_transition_log log;
  play(&falling, 1, 0.0, 1500, NULL, &log);
  const uint64_t budgets[] = {UINT64_MAX / 4, 1, 777, 100000};
  unsigned char *first = NULL;
  size_t first_size = 0;
  for (size_t b = 0; b < 4; b++) {
    sfnec_relevance_fit *fit = fit_log(&log, budgets[b]);
    size_t size;
    unsigned char *bytes = save_fit(fit, &size);
    if (!first) {
      first = bytes;
      first_size = size;
    } else {
      assert_int_equal(size, first_size);
      assert_memory_equal(bytes + 8, first + 8, size - 8); // all but what was granted
      free(bytes);
    }
    sfnec_relevance_fit_destroy(fit);
  }
  free(first);
  sfnec_transition_log_clear(&log);
}

// A fit that is completed early to be saved is done at the same step as the unbroken one, with the same result.
static void test_resumes(void **state) {
  (void)state;
  enum { BUDGET = 50000 };
  sfnec_transition_log log;
  play(&gate, 2, 0.0, 1500, NULL, &log);
  sfnec_relevance_fit *unbroken, *resumed;
  OK(sfnec_relevance_fit_begin(&log, NULL, 7, &unbroken));
  for (int i = 0; i < 5; i++) assert_false(sfnec_relevance_fit_step(unbroken, BUDGET));
  OK(sfnec_relevance_fit_begin(&log, NULL, 7, &resumed));
  for (int i = 0; i < 5; i++) assert_false(sfnec_relevance_fit_step(resumed, BUDGET));
  sfnec_relevance_fit_complete(resumed);
  size_t size, sizes[2];
  unsigned char *bytes = save_fit(resumed, &size);
  sfnec_relevance_fit_destroy(resumed);
  OK(load_fit(bytes, size, size_of(&gate), &resumed));
  bool done = false;
  for (int steps = 0; !done; steps++) {
    assert_true(steps < 100000);
    done = sfnec_relevance_fit_step(unbroken, BUDGET);
    assert_int_equal(sfnec_relevance_fit_step(resumed, BUDGET), done);
  }
  unsigned char *ends[2] = {save_fit(unbroken, &sizes[0]), save_fit(resumed, &sizes[1])};
  assert_int_equal(sizes[0], sizes[1]);
  assert_memory_equal(ends[0], ends[1], sizes[0]);
  free(bytes);
  free(ends[0]);
  free(ends[1]);
  sfnec_relevance_fit_destroy(unbroken);
  sfnec_relevance_fit_destroy(resumed);
  sfnec_transition_log_clear(&log);
}

static void test_verdicts_in_files(void **state) {
  (void)state;
  sfnec_relevance relevance, loaded;
  judge(&gate, 1, 0.05, 3000, NULL, &relevance);
  unsigned char *bytes[2];
  size_t sizes[2];
  for (int i = 0; i < 2; i++) {
    sfnec_writer *writer;
    OK(sfnec_writer_open_memory(NULL, 0, &writer));
    sfnec_relevance_save(i ? &loaded : &relevance, writer);
    OK(sfnec_writer_take(writer, &bytes[i], &sizes[i]));
    if (i) break;
    sfnec_reader *reader;
    OK(sfnec_relevance_init(&loaded, size_of(&gate)));
    OK(sfnec_reader_open_memory(bytes[0], sizes[0], NULL, 0, "verdicts", &reader));
    OK(sfnec_relevance_load(&loaded, true, reader));
    sfnec_reader_close(reader);
  }
  assert_int_equal(sizes[0], sizes[1]);
  assert_memory_equal(bytes[0], bytes[1], sizes[0]);
  free(bytes[0]);
  free(bytes[1]);
  sfnec_relevance_clear(&relevance);
  sfnec_relevance_clear(&loaded);
}

static void test_refuses_damage(void **state) {
  (void)state;
  sfnec_transition_log log;
  play(&gate, 1, 0.05, 600, NULL, &log);
  sfnec_relevance_fit *fit = fit_log(&log, 1000000), *damaged;
  size_t size;
  unsigned char *bytes = save_fit(fit, &size);
  for (size_t part = 0; part < size; part++) {
    assert_int_equal(load_fit(bytes, part, size_of(&gate), &damaged), SFNEC_ERROR_FORMAT);
    assert_null(damaged);
  }
  // fields of the first component: verdict, reason, partner, target, partner, group, levels, their values, p, z,
  // proposed
  const size_t at[] = {0, 4, 8, 12, 16, 20, 24, 28, 60, 68, 76};
  for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
    unsigned char kept[8];
    memcpy(kept, bytes + 16 + at[i], 8);
    memset(bytes + 16 + at[i], 0xff, at[i] >= 60 && at[i] < 76 ? 8 : 4);
    if (load_fit(bytes, size, size_of(&gate), &damaged) != SFNEC_ERROR_FORMAT) fail_msg("damage at %zu", at[i]);
    memcpy(bytes + 16 + at[i], kept, 8);
  }
  memset(bytes, 0xff, 8);
  assert_int_equal(load_fit(bytes, size, size_of(&gate), &damaged), SFNEC_ERROR_FORMAT);
  free(bytes);
  sfnec_relevance_fit_destroy(fit);
  sfnec_transition_log_clear(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_walk),
      cmocka_unit_test(test_habits_and_time_limits),
      cmocka_unit_test(test_flag_of_goal),
      cmocka_unit_test(test_flag_gates_reward),
      cmocka_unit_test(test_key_opens_door),
      cmocka_unit_test(test_scattered_groups),
      cmocka_unit_test(test_ball_to_catch),
      cmocka_unit_test(test_little_evidence),
      cmocka_unit_test(test_smooth_shows_late),
      cmocka_unit_test(test_two_fits_agree),
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_order_and_units),
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_resumes),
      cmocka_unit_test(test_verdicts_in_files),
      cmocka_unit_test(test_refuses_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
