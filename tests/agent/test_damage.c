// test_damage.c: files whose checksum is right and whose content is not: refused, or harmless; never a crash.
//
// A good file is taken apart, changed, and sealed again with the checksum of what it now holds.
#include "support/tiny.h"

#include <sys/resource.h>
#include <xxhash.h>

#include "base/file.h"

static const char magic[] = "SFNECAGT";
static const char path[] = "damaged.agent";
enum { VERSION = 1, HEADER = 24, SHAPE_AT = 0, SEED_AT = 12, OPTIONS_AT = 20 };

typedef struct payload {
  unsigned char *bytes;
  size_t size;
} payload;

static payload payload_of(const char *file) {
  sfnec_reader *reader = NULL;
  OK(sfnec_reader_open(file, magic, VERSION, "an agent file", &reader));
  payload p = {.size = sfnec_reader_left(reader)};
  p.bytes = malloc(p.size + 64);
  sfnec_read_bytes(reader, p.bytes, p.size);
  sfnec_reader_close(reader);
  return p;
}

// The container as base/file.h describes it, written without the writer's syncing: there are thousands of these files.
static void seal(const unsigned char *bytes, size_t size) {
  static unsigned char file[1 << 16];
  const uint32_t version = VERSION;
  const uint64_t length = size;
  assert_true(HEADER + size + 8 <= sizeof file);
  memset(file, 0, HEADER);
  memcpy(file, magic, 8);
  memcpy(file + 8, &version, 4);
  memcpy(file + 16, &length, 8);
  memcpy(file + HEADER, bytes, size);
  const uint64_t checksum = XXH3_64bits_withSeed(file, HEADER, XXH3_64bits(bytes, size));
  memcpy(file + HEADER + size, &checksum, 8);
  write_file(path, file, HEADER + size + 8);
}

// An agent with two tasks, a few entries, and an episode in which two transitions and an action wait.
static payload sample_in(const sfnec_env_shape *shape, const char *preset, const char *const *settings) {
  const double w[FEATURES] = {1, 1};
  sfnec_agent *agent = agent_for(shape, preset, settings, 1);
  for (int task = 0; task < 2; task++) {
    const bool given = sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN;
    OK(sfnec_agent_begin_task(agent, given ? w : NULL, NULL));
    OK(sfnec_agent_begin_episode(agent));
    for (int i = 0; i < 5; i++) go(agent, i % 4, i % 2, i, 1, (i + 1) % 4, i == 4 ? TERMINATES : GOES_ON);
  }
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 0, 0, 1, 1, 1, GOES_ON);
  go(agent, 1, 1, 1, 1, 2, GOES_ON);
  int32_t action;
  OK(sfnec_agent_act(agent, states[2], &action));
  OK(sfnec_agent_save(agent, path));
  sfnec_agent_destroy(agent);
  return payload_of(path);
}

static payload sample(const char *preset, const char *const *settings) {
  return sample_in(&tiny_shape, preset, settings);
}

// The same whose observations are pictures: two frames of two pixels.
static payload sample_pictures(const char *const *settings) {
  sfnec_env_shape shape = tiny_shape;
  shape.picture = (sfnec_picture_shape){.frames = 2, .height = 1, .width = 2, .channels = 1, .levels = 1};
  return sample_in(&shape, "sfnec", settings);
}

// An agent that plans, with a plan: a walk to and fro; at its end a flag is raised, which is down again in the next
// episode.
static payload sample_plan(const char *const *more) {
  const sfnec_env_shape shape = {.observation_size = 2, .feature_count = 2, .action_count = 2};
  const char *with[8] = {"places=16", "backups=100", "replan_backups=1000"};
  for (size_t i = 0; more[i]; i++) with[3 + i] = more[i];
  const double w[] = {1, -0.5};
  sfnec_agent *agent = agent_for(&shape, "sfnec-plan", with, 1);
  const bool given = sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN;
  OK(sfnec_agent_begin_task(agent, given ? w : NULL, NULL));
  sfnec_random random = sfnec_random_start(3, 0);
  int at = 0, flag = 0;
  for (int step = 0; step < 140; step++) {
    if (step % 35 == 0) OK(sfnec_agent_begin_episode(agent));
    const float here[] = {(float)at, (float)flag};
    sfnec_transition moved = {.truncated = step % 35 == 34};
    OK(sfnec_agent_act(agent, here, &moved.action));
    moved.action = (int32_t)sfnec_random_below(&random, 2);
    at = moved.action ? (at < 3 ? at + 1 : 3) : (at > 0 ? at - 1 : 0);
    const double features[] = {at == 3 && !flag, 0.25};
    if (at == 3) flag = 1;
    const float next[] = {(float)at, (float)flag};
    moved.next_observation = next;
    moved.features = features;
    moved.reward = features[0] * (step < 70 ? 1 : 0.5) - 0.125; // with a switch that may be detected
    OK(sfnec_agent_observe(agent, &moved));
    if (moved.truncated) at = flag = 0;
  }
  OK(sfnec_agent_save(agent, path));
  sfnec_agent_destroy(agent);
  return payload_of(path);
}

static const char *const plans[][4] = {{"contexts=on", NULL},
                                       {"contexts=off", NULL},
                                       {"w=rls", "tasks=detect", NULL},
                                       {"contexts=off", "embedding=random", "key_size=1", NULL},
                                       {"contexts=off", "embedding=pca", "key_size=1", NULL}};
enum { PLANS = sizeof plans / sizeof plans[0] };

static const char *const settings[] = {"neighbours=3", "horizon=4", "capacity=50", NULL};

static const char *const embedded[] = {"neighbours=3",   "horizon=4",      "embedding=linear",
                                       "training=batch", "key_size=2",     "batch=2",
                                       "train_every=1",  "optimizer=adam", NULL};

static const char *const replayed[] = {"neighbours=3", "horizon=4", "training=batch", "batch=2", "train_every=1", NULL};

// Whatever a damaged file made of an agent, it must survive use.
static void use(sfnec_agent *agent, bool save) {
  const sfnec_env_shape shape = sfnec_agent_get_shape(agent);
  float *observation = calloc((size_t)shape.observation_size, sizeof *observation);
  double *features = calloc((size_t)shape.feature_count, sizeof *features);
  int32_t action;
  for (int i = 0; i < 12; i++) {
    const sfnec_transition transition = {0, features, 1, observation, i == 9, false, NULL};
    (void)sfnec_agent_observe(agent, &transition);
    if (i == 10) (void)sfnec_agent_end_episode(agent);
    (void)sfnec_agent_begin_episode(agent);
    (void)sfnec_agent_act(agent, observation, &action);
  }
  if (save) {
    sfnec_agent *again = NULL;
    OK(sfnec_agent_save(agent, "used.agent"));
    OK(sfnec_agent_load("used.agent", &again));
    sfnec_agent_destroy(again);
  }
  free(observation);
  free(features);
}

// Loads; a failure must be one that the header names. Returns whether it was refused.
static bool refused(const char *what, size_t at) {
  sfnec_agent *agent = NULL;
  const sfnec_status status = sfnec_agent_load(path, &agent);
  if (status == SFNEC_OK) {
    use(agent, at % 16 == 0);
    sfnec_agent_destroy(agent);
    return false;
  }
  assert_null(agent);
  if (status == SFNEC_ERROR_IO || strlen(sfnec_last_error()) == 0)
    fail_msg("%s at %zu: %s: %s", what, at, sfnec_status_name(status), sfnec_last_error());
  return true;
}

static void test_truncated(void **state) {
  (void)state;
  const char *const presets[] = {"sfnec", "sfql", "sfnec", "contexts", "plain", "detect", "random", "pca", "pictures"};
  for (size_t i = 0; i < 4 + PLANS; i++) {
    payload p = i == 3 + PLANS ? sample_pictures(replayed)
                : i >= 3       ? sample_plan(plans[i - 3])
                               : sample(presets[i], i < 2 ? settings : embedded);
    for (size_t n = 0; n < p.size; n++) {
      seal(p.bytes, n);
      if (!refused("cut", n)) fail_msg("%s cut at %zu of %zu is accepted", presets[i], n, p.size);
    }
    memset(p.bytes + p.size, 0, 64);
    seal(p.bytes, p.size);
    assert_false(refused("whole", 0));
    seal(p.bytes, p.size + 1);
    assert_true(refused("longer", 1));
    seal(p.bytes, p.size + 64);
    assert_true(refused("longer", 64));
    free(p.bytes);
  }
}

static void check_flips_of(payload p) {
  const unsigned char flips[] = {0x01, 0x80, 0xff};
  for (size_t at = 0; at < p.size; at++) {
    for (size_t i = 0; i < sizeof flips; i++) {
      p.bytes[at] ^= flips[i];
      seal(p.bytes, p.size);
      (void)refused("flip", at);
      p.bytes[at] ^= flips[i];
    }
  }
  free(p.bytes);
}

static void check_flips(const char *preset, const char *const *with) {
  check_flips_of(sample(preset, with));
}

static void test_flipped(void **state) {
  (void)state;
  check_flips("sfnec", settings);
}

static void test_flipped_variants(void **state) {
  (void)state;
  const char *const rls[] = {"w=rls", "horizon=4", "write=episode", NULL};
  check_flips("sfql", rls);
}

// weights, moments, replayed and waiting targets
static void test_flipped_embeddings(void **state) {
  (void)state;
  const char *const pca[] = {"neighbours=3", "horizon=4", "embedding=pca", "pca_observations=7", "key_size=2", NULL};
  check_flips("sfnec", embedded);
  check_flips("sfnec", pca);
}

// their shape, frames that wait and that are replayed
static void test_flipped_pictures(void **state) {
  (void)state;
  check_flips_of(sample_pictures(replayed));
}

// places, samples, rows, contexts, layers
static void test_flipped_plan(void **state) {
  (void)state;
  for (size_t i = 0; i < PLANS; i++) check_flips_of(sample_plan(plans[i]));
}

// Where a text (its u32 length, then its bytes) lies in the payload.
static size_t find_text(const payload *p, const char *text) {
  const size_t length = strlen(text);
  for (size_t at = 0; at + 4 + length <= p->size; at++) {
    uint32_t found;
    memcpy(&found, p->bytes + at, 4);
    if (found == length && memcmp(p->bytes + at + 4, text, length) == 0) return at;
  }
  fail_msg("'%s' is not in the file", text);
  return 0;
}

static void put_u32(payload *p, size_t at, uint32_t value) {
  memcpy(p->bytes + at, &value, sizeof value);
}

static void check_refused(payload *p, const char *why) {
  seal(p->bytes, p->size);
  sfnec_agent *agent = NULL;
  REFUSED(sfnec_agent_load(path, &agent), SFNEC_ERROR_FORMAT, why);
  assert_non_null(strstr(sfnec_last_error(), path));
  assert_null(agent);
  free(p->bytes);
}

static void test_options(void **state) {
  (void)state;
  // a name that this program does not know
  payload p = sample("sfnec", settings);
  p.bytes[find_text(&p, "gamma") + 4] = 'g' ^ 0x20;
  check_refused(&p, "there is no agent option 'Gamma'");
  // a value that the option refuses
  p = sample("sfnec", settings);
  p.bytes[find_text(&p, "neighbours") + 4 + 10 + 4] = '0';
  check_refused(&p, "agent option neighbours=0 is refused");
  // a text without end
  p = sample("sfnec", settings);
  put_u32(&p, find_text(&p, "gamma"), 0x7fffffff);
  check_refused(&p, "its options cannot be read");
  // more options than there are
  p = sample("sfnec", settings);
  put_u32(&p, OPTIONS_AT, 0xffffffffu);
  check_refused(&p, "");
}

// After the options: the note (empty), four counters, the number of tasks, the active one.
static size_t tasks_at(const payload *p) {
  size_t at = OPTIONS_AT;
  uint32_t count, length;
  memcpy(&count, p->bytes + at, 4);
  at += 4;
  for (uint32_t i = 0; i < 2 * count + 1; i++) {
    memcpy(&length, p->bytes + at, 4);
    at += 4 + length;
  }
  return at + 4 * 8;
}

static void test_tasks(void **state) {
  (void)state;
  payload p = sample("sfnec", settings);
  uint32_t count, active;
  memcpy(&count, p.bytes + tasks_at(&p), 4);
  memcpy(&active, p.bytes + tasks_at(&p) + 4, 4);
  assert_true(count == 2 && active == 1);
  put_u32(&p, tasks_at(&p) + 4, 2);
  check_refused(&p, "its active task does not exist");
  p = sample("sfnec", settings);
  put_u32(&p, tasks_at(&p) + 4, 0xfffffffeu);
  check_refused(&p, "its active task does not exist");
  p = sample("sfnec", settings);
  put_u32(&p, tasks_at(&p) + 4, 0xffffffffu); // none active, and yet an episode
  check_refused(&p, "its episode contradicts itself");
  p = sample("sfnec", settings);
  put_u32(&p, tasks_at(&p), 0xffffffffu);
  check_refused(&p, "");

  // a weight that is not finite
  const double bad[] = {(double)NAN, (double)INFINITY};
  for (int i = 0; i < 2; i++) {
    p = sample("sfnec", settings);
    memcpy(p.bytes + tasks_at(&p) + 8 + 4, &bad[i], sizeof bad[i]);
    check_refused(&p, "a reward weight is not finite");
  }
  p = sample("sfql", settings);
  memcpy(p.bytes + tasks_at(&p) + 8 + 4 + 16 + 16, &bad[0], sizeof bad[0]);
  check_refused(&p, "a linear weight is not finite");
}

// The file ends with the collector: u64 count, then the waiting transitions (key, action, phi, bootstrap). Before it
// the two frames (one observation here), before them the choice.
enum { TRANSITION = 4 * STATES + 4 + 2 * 8 * FEATURES };

static void test_episode(void **state) {
  (void)state;
  payload p = sample("sfnec", settings);
  uint64_t count;
  const size_t collector = p.size - 8 - 2 * TRANSITION;
  memcpy(&count, p.bytes + collector, 8);
  assert_true(count == 2);
  put_u32(&p, collector + 8 + 4 * STATES, ACTIONS);
  check_refused(&p, "a transition of its episode is not valid");
  const float bad = (float)NAN;
  p = sample("sfnec", settings);
  memcpy(p.bytes + collector + 8, &bad, sizeof bad);
  check_refused(&p, "a transition of its episode is not valid");
  p = sample("sfnec", settings);
  const double infinite = (double)INFINITY;
  memcpy(p.bytes + collector + 8 + 4 * STATES + 4, &infinite, sizeof infinite);
  check_refused(&p, "a transition of its episode is not valid");
  p = sample("sfnec", settings);
  put_u32(&p, collector, 0xffffffffu);
  check_refused(&p, "");

  // frames: valid, observation, invalid; the choice's seven fields before them
  const size_t frames = collector - 4 - 4 - 4 * STATES, choice = frames - 6 * 4 - 8;
  uint32_t flags[5];
  p = sample("sfnec", settings);
  memcpy(flags, p.bytes + choice, sizeof flags);
  assert_true(flags[0] == 1 && flags[1] == 1 && flags[2] == 1 && flags[3] < ACTIONS && flags[4] < 2);
  memcpy(p.bytes + frames + 4, &bad, sizeof bad);
  check_refused(&p, "an observation is not finite");
  const uint32_t fields[][2] = {{0, 0}, {2, 0}, {3, ACTIONS}, {3, 0xffffffffu}, {4, 2}, {4, 0xffffffffu}};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    p = sample("sfnec", settings);
    put_u32(&p, choice + 4 * fields[i][0], fields[i][1]);
    check_refused(&p, "its episode contradicts itself");
  }
}

// Sizes are compared with the bytes that are there before anything of that size is made.
static void test_sizes(void **state) {
  (void)state;
  const char *const presets[] = {"sfnec", "sfql", "sfnec", "sfnec"};
  const char *const rls[] = {"w=rls", NULL};
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < 4; i++) {
    for (size_t field = 0; field < 3; field++) {
      payload p = sample(presets[i], i < 2 ? settings : i == 2 ? embedded : rls);
      put_u32(&p, SHAPE_AT + 4 * field, 1 << 20);
      check_refused(&p, "");
    }
  }
  getrusage(RUSAGE_SELF, &after);
  assert_true(after.ru_maxrss - before.ru_maxrss < 100 * 1024); // kilobytes
}

// An mlp that claims to be unfitted would be fitted as pca is, into weights of another size.
static void test_embedding_of_another_kind(void **state) {
  (void)state;
  const char *const mlp[] = {"embedding=mlp", "training=batch", "hidden=1",           "key_size=8",
                             "horizon=2",     "batch=2",        "pca_observations=2", NULL};
  const char *const random[] = {"embedding=random", "horizon=2", "key_size=2", NULL};
  const size_t task = 8 + 4 + 8 * FEATURES + 16; // after the number of tasks: w, counters, then the embedding
  const uint32_t bad[][2] = {{2, 1}, {2, 0}, {3, 0}};
  for (int i = 0; i < 3; i++) {
    payload p = sample("sfnec", mlp);
    uint32_t flags[2];
    memcpy(flags, p.bytes + tasks_at(&p) + task, sizeof flags);
    assert_true(flags[0] == 3 && flags[1] == 1); // ready, in floats; trained
    memcpy(p.bytes + tasks_at(&p) + task, bad[i], sizeof bad[i]);
    check_refused(&p, "its embedding is not of the kind that its options name");
  }
  payload p = sample("sfnec", random);
  put_u32(&p, tasks_at(&p) + task + 4, 1);
  check_refused(&p, "its embedding is not of the kind that its options name");
}

// numbers that are finite, and from which the next step would not be
static void test_too_large(void **state) {
  (void)state;
  const double huge = 1e300;
  const int64_t most = INT64_MAX;
  payload p = sample("sfnec", settings);
  memcpy(p.bytes + tasks_at(&p) + 8 + 4, &huge, sizeof huge);
  check_refused(&p, "a reward weight is not finite, or too large");
  p = sample("sfql", settings);
  memcpy(p.bytes + tasks_at(&p) + 8 + 4 + 16 + 16, &huge, sizeof huge);
  check_refused(&p, "a linear weight is not finite, or too large");
  p = sample("sfnec", settings);
  memcpy(p.bytes + tasks_at(&p) + 8 + 4 + 16, &most, sizeof most);
  check_refused(&p, "out of range");
}

// the sentence names the file, also when it is the agent that refuses the shape
static void test_shape(void **state) {
  (void)state;
  payload p = sample("sfnec", settings);
  put_u32(&p, SHAPE_AT + 4, 0);
  check_refused(&p, "");
}

// learned weights with the option w=given
static void test_learned_given(void **state) {
  (void)state;
  payload p = sample("sfnec", settings);
  put_u32(&p, tasks_at(&p) + 8, 1);
  check_refused(&p, "");
}

// negative counter
static void test_negative_steps(void **state) {
  (void)state;
  payload p = sample("sfnec", settings);
  const int64_t minus = -5;
  memcpy(p.bytes + tasks_at(&p) + 8 + 4 + 16, &minus, 8);
  check_refused(&p, "");
}

// a value that no psi . w can be
static void test_choice_value(void **state) {
  (void)state;
  payload p = sample("sfnec", settings);
  const size_t collector = p.size - 8 - 2 * TRANSITION, choice = collector - 4 - 4 - 4 * STATES - 6 * 4 - 8;
  const double bad = (double)NAN;
  memcpy(p.bytes + choice + 20, &bad, 8);
  check_refused(&p, "");
}

// transitions wait although no episode runs
static void test_waiting_without_episode(void **state) {
  (void)state;
  payload p = sample("sfnec", settings);
  const size_t collector = p.size - 8 - 2 * TRANSITION, choice = collector - 4 - 4 - 4 * STATES - 6 * 4 - 8;
  put_u32(&p, choice, 0);
  put_u32(&p, choice + 4, 0);
  check_refused(&p, "");
}

// more transitions wait than the horizon allows: from then on nothing would be learned before the episode's end
static void test_waiting_beyond_horizon(void **state) {
  (void)state;
  payload p = sample("sfnec", settings);
  const size_t at = find_text(&p, "horizon") + 4 + 7 + 4;
  p.bytes[at] = '2';
  check_refused(&p, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_truncated),
      cmocka_unit_test(test_flipped),
      cmocka_unit_test(test_flipped_variants),
      cmocka_unit_test(test_flipped_embeddings),
      cmocka_unit_test(test_flipped_pictures),
      cmocka_unit_test(test_flipped_plan),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_tasks),
      cmocka_unit_test(test_episode),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_embedding_of_another_kind),
      cmocka_unit_test(test_too_large),
      cmocka_unit_test(test_shape),
      cmocka_unit_test(test_learned_given),
      cmocka_unit_test(test_negative_steps),
      cmocka_unit_test(test_choice_value),
      cmocka_unit_test(test_waiting_without_episode),
      cmocka_unit_test(test_waiting_beyond_horizon),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
