// test_bounds.c: what a file may claim is what a step may leave: every number of an agent's file is put to the ends of
// its range, and an agent that is accepted takes steps after each of which its own file is accepted.
#include "support/tiny.h"

#include <float.h>

#include "agent/agent_file.h"
#include "base/file.h"

typedef struct payload {
  unsigned char *bytes;
  size_t size, tasks; // tasks: where the streams and the tasks begin, after shape, options and note
} payload;

static sfnec_status load(const unsigned char *bytes, size_t size, sfnec_agent **agent) {
  sfnec_reader *reader = NULL;
  OK(sfnec_reader_open_memory(bytes, size, NULL, 0, "an agent", &reader));
  const sfnec_status status = sfnec_agent_read(reader, NULL, agent);
  sfnec_reader_close(reader);
  return status;
}

static void save(const sfnec_agent *agent, unsigned char **bytes, size_t *size) {
  sfnec_writer *writer = NULL;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_agent_write(agent, writer, false);
  OK(sfnec_writer_take(writer, bytes, size));
}

// Two tasks, entries, and an episode with transitions that wait.
static payload sample(const char *preset, const char *const *settings) {
  const double w[FEATURES] = {1, 1};
  sfnec_agent *agent = tiny_agent(preset, settings);
  const bool given = sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN;
  for (int task = 0; task < 2; task++) {
    OK(sfnec_agent_begin_task(agent, given ? w : NULL, NULL));
    OK(sfnec_agent_begin_episode(agent));
    for (int i = 0; i < 5; i++) go(agent, i % 4, i % 2, i, 1, (i + 1) % 4, i == 4 ? TERMINATES : GOES_ON);
  }
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 0, 0, 1, 1, 1, GOES_ON);
  go(agent, 1, 1, 1, 1, 2, GOES_ON);
  payload p;
  save(agent, &p.bytes, &p.size);
  sfnec_agent_destroy(agent);

  uint32_t count, length;
  memcpy(&count, p.bytes + 20, 4);
  p.tasks = 24;
  for (uint32_t i = 0; i < 2 * count + 1; i++) {
    memcpy(&length, p.bytes + p.tasks, 4);
    p.tasks += 4 + length;
  }
  return p;
}

static void check_kept(const sfnec_agent *agent, const char *what, size_t at, int step) {
  unsigned char *bytes;
  size_t size;
  sfnec_agent *again = NULL;
  save(agent, &bytes, &size);
  if (load(bytes, size, &again))
    fail_msg("%s: changed at %zu, refused after step %d: %s", what, at, step, sfnec_last_error());
  sfnec_agent_destroy(again);
  free(bytes);
}

// Steps with rewards and features of either sign; a step may be refused, and the agent is whole all the same.
static void take_steps(sfnec_agent *agent, const char *what, size_t at) {
  for (int i = 0; i < 6; i++) {
    const double features[FEATURES] = {i % 3 - 1, 0.5};
    int32_t action = 0;
    (void)sfnec_agent_begin_episode(agent);
    (void)sfnec_agent_act(agent, states[i % STATES], &action);
    const sfnec_transition moved = {.action = action,
                                    .features = features,
                                    .reward = features[0] + 0.5,
                                    .next_observation = states[(i + 1) % STATES],
                                    .terminated = i == 3};
    (void)sfnec_agent_observe(agent, &moved);
    if (i != 2 && i != 4) check_kept(agent, what, at, i + 1);
  }
}

// Ends of ranges, as 8 bytes or as 4.
static size_t put(unsigned char *bytes, size_t end) {
  static const int64_t counts[] = {INT64_MAX / 2, INT64_MAX / 2 - 1, INT64_MAX};
  static const double numbers[] = {1e100, -1e100, 1e120, -1e120, 1e155, 1e200, DBL_MAX, -DBL_MAX, DBL_MIN};
  static const float floats[] = {FLT_MAX, -FLT_MAX};
  enum { COUNTS = 3, NUMBERS = 9, FLOATS = 2 };
  if (end < COUNTS) memcpy(bytes, &counts[end], 8);
  else if (end < COUNTS + NUMBERS) memcpy(bytes, &numbers[end - COUNTS], 8);
  else if (end < COUNTS + NUMBERS + FLOATS) memcpy(bytes, &floats[end - COUNTS - NUMBERS], 4);
  return COUNTS + NUMBERS + FLOATS;
}

static void check(const char *preset, const char *const *settings) {
  payload p = sample(preset, settings);
  unsigned char before[8];
  int accepted = 0;
  const size_t ends = put(before, SIZE_MAX);
  for (size_t at = p.tasks; at + 8 <= p.size; at += 4) {
    for (size_t end = 0; end < ends; end++) {
      memcpy(before, p.bytes + at, 8);
      put(p.bytes + at, end);
      sfnec_agent *agent = NULL;
      if (load(p.bytes, p.size, &agent) == SFNEC_OK) {
        accepted++;
        take_steps(agent, preset, at);
      }
      sfnec_agent_destroy(agent);
      memcpy(p.bytes + at, before, 8);
    }
  }
  assert_true(accepted > 100);
  free(p.bytes);
}

// behind the texts all numbers have 4 or 8 bytes
static void test_kinds(void **state) {
  (void)state;
  static const struct {
    const char *preset, *settings[9];
  } kinds[] = {
      {"sfnec", {"horizon=4", "neighbours=3", NULL}},
      {"sfnec-plus", {"w=rls", "horizon=4", NULL}},
      {"sfnec", {"w=sgd", "horizon=4", "write=episode", NULL}},
      {"nec", {NULL}},
      {"sfql", {"w=rls", NULL}},
      {"ql", {NULL}},
      {"sfnec", {"embedding=pca", "pca_observations=7", "key_size=2", NULL}},
      {"sfnec",
       {"embedding=linear", "training=batch", "key_size=2", "batch=2", "train_every=1", "optimizer=adam", NULL}},
      {"sfnec",
       {"embedding=mlp", "hidden=2", "training=batch", "key_size=2", "batch=2", "train_every=1", "optimizer=rmsprop",
        NULL}},
      {"sfnec", {"embedding=conv", "layers=dense:2", "training=batch", "key_size=2", "batch=2", "train_every=1", NULL}},
      {"sfnec", {"rewards=any", "joint_values=12", "horizon=4", "capacity_total=12", NULL}},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) check(kinds[i].preset, kinds[i].settings);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
