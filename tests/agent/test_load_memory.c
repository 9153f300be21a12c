// test_load_memory.c: what a file claims does not decide how much memory its reader asks for: the bytes that it holds
// do.
//
// Every cut of a file is loaded, and files that claim large shapes and options; what is asked for in all is compared
// with a line: so many bytes for each byte of the file, and so many beside.
#include "support/tiny.h"

#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

#include "agent/agent_file.h"
#include "base/file.h"

// A payload without its container, in memory of its own; the caller frees it.
typedef struct payload {
  unsigned char *bytes;
  size_t size;
} payload;

static payload payload_of(sfnec_agent *agent) {
  payload p;
  sfnec_writer *writer = NULL;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_agent_write(agent, writer, false);
  OK(sfnec_writer_take(writer, &p.bytes, &p.size));
  sfnec_agent_destroy(agent);
  return p;
}

// Loads the first bytes of a payload, and says what was asked for.
static size_t asked_for(const payload *p, size_t size, bool *accepted) {
  sfnec_reader *reader = NULL;
  sfnec_agent *agent = NULL;
  OK(sfnec_reader_open_memory(p->bytes, size, NULL, 0, "an agent", &reader));
  requested = 0;
  *accepted = sfnec_agent_read(reader, NULL, &agent) == SFNEC_OK;
  const size_t asked = requested;
  sfnec_agent_destroy(agent);
  sfnec_reader_close(reader);
  return asked;
}

static void add_tasks(sfnec_agent *agent, int tasks) {
  const double w[FEATURES] = {1, 1};
  const bool given = sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN;
  for (int i = 0; i < tasks; i++) {
    OK(sfnec_agent_begin_task(agent, given ? w : NULL, NULL));
    OK(sfnec_agent_begin_episode(agent));
    for (int k = 0; k < 6; k++)
      go(agent, k % STATES, k % ACTIONS, k, 1, (k + 1) % STATES, k == 5 ? TERMINATES : GOES_ON);
  }
}

static const struct {
  const char *preset, *settings[9];
} kinds[] = {
    {"sfnec", {"horizon=4", NULL}},
    {"sfnec-plus", {"w=rls", "horizon=4", NULL}},
    {"nec", {NULL}},
    {"sfql", {NULL}},
    {"ql", {NULL}},
    {"sfnec-plan", {"w=rls", NULL}},
    {"sfnec-plan", {"w=rls", "tasks=detect", NULL}},
    {"sfnec-plan", {NULL}},
    {"sfnec-plan", {"predict=reward", "embedding=pca", "key_size=2", NULL}},
    {"sfnec", {"embedding=pca", "pca_observations=7", "key_size=2", NULL}},
    {"sfnec", {"embedding=mlp", "hidden=3", "training=batch", "key_size=2", "batch=2", "optimizer=adam", NULL}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// A whole or cut file of a small agent: memory in proportion to it. An agent without a byte takes some 100 KB.
static void test_cuts(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  for (size_t k = 0; k < KINDS; k++) {
    sfnec_agent *agent = tiny_agent(kinds[k].preset, kinds[k].settings);
    add_tasks(agent, 3);
    payload p = payload_of(agent);
    for (size_t size = 0; size <= p.size; size++) {
      bool accepted;
      const size_t asked = asked_for(&p, size, &accepted);
      assert_true(accepted == (size == p.size));
      if (asked > (512 << 10) + 64 * size) fail_msg("%s: %zu bytes ask for %zu", kinds[k].preset, size, asked);
    }
    free(p.bytes);
  }
}

// An agent that plans, past the first fit of its scales: with contexts, effects and value tables.
static void test_plan(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  static const char *const settings[] = {"w=rls", "states=64", "backups=50", "replan_backups=500", NULL};
  sfnec_agent *agent = tiny_agent("sfnec-plan", settings);
  for (int i = 0; i < 30; i++) add_tasks(agent, 1);
  payload p = payload_of(agent);
  for (size_t size = 0; size <= p.size; size += 1 + size / 500) {
    bool accepted;
    const size_t asked = asked_for(&p, size, &accepted);
    assert_true(accepted == (size == p.size));
    if (asked > (512 << 10) + 64 * size) fail_msg("%zu bytes of %zu ask for %zu", size, p.size, asked);
  }
  free(p.bytes);
}

// Legal options that make each task dear are paid for by a whole file, not by one that ends early: 160 KB for each
// action of each task, twice.
static void test_dear_options(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  static const char *const dear[] = {"neighbours=10000", NULL};
  sfnec_agent *agent = tiny_agent("sfnec", dear);
  add_tasks(agent, 64);
  payload p = payload_of(agent);
  bool accepted;
  const size_t asked = asked_for(&p, p.size - 1, &accepted);
  assert_false(accepted);
  if (asked > 24u << 20) fail_msg("%zu bytes ask for %zu", p.size, asked);
  (void)asked_for(&p, p.size, &accepted);
  assert_true(accepted);
  free(p.bytes);
}

// Shapes of any size, each number alone and all together; the payload begins with them.
static void test_shapes(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  for (size_t k = 0; k < KINDS; k++) {
    sfnec_agent *agent = tiny_agent(kinds[k].preset, kinds[k].settings);
    add_tasks(agent, 3);
    payload p = payload_of(agent);
    for (unsigned which = 1; which < 8; which++) {
      for (int bits = 8; bits <= 20; bits += 4) {
        uint32_t shape[3], claimed[3];
        memcpy(shape, p.bytes, sizeof shape);
        for (int i = 0; i < 3; i++) claimed[i] = which >> i & 1 ? 1u << bits : shape[i];
        memcpy(p.bytes, claimed, sizeof claimed);
        bool accepted;
        const size_t asked = asked_for(&p, p.size, &accepted);
        // one observation and one vector of features are 12 MB at the most, and an agent has a few of each
        const size_t most = 96u << 20;
        if (asked > most) fail_msg("%s %u %d: %zu bytes ask for %zu", kinds[k].preset, which, bits, p.size, asked);
        memcpy(p.bytes, shape, sizeof shape);
      }
    }
    free(p.bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cuts),
      cmocka_unit_test(test_plan),
      cmocka_unit_test(test_dear_options),
      cmocka_unit_test(test_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
