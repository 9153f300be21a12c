// test_threads.c: several threads ask one agent at once, each with a scratch of its own: each hears what a single
// thread hears, to the bit, and the agent stays as it was. The thread sanitizer runs this too.
#include <pthread.h>

#include "support/player.h"

#include "agent/agent.h"

enum { THREADS = 4, STEPS = 240, TASKS = 3, MOST = TASKS * 4 };

// What one thread heard.
typedef struct transcript {
  const sfnec_agent *agent;
  const float *observations; // (STEPS, 128)
  sfnec_status status;
  uint32_t bounded; // memories of which it came to know bounds
  struct {
    sfnec_choice choice, own;
    double psi[MOST * 4], q[MOST];
    size_t count;
    double distance, weight;
    float value;
  } heard[STEPS];
} transcript;

static const double weights[2][4] = {{1, -0.5, 0.25, 1}, {-1, 0.5, 1, 0.25}};

// Asks everything; each of the weights often enough in a row that pruning pays.
static void *ask(void *context) {
  transcript *t = context;
  sfnec_scratch *scratch = NULL;
  t->status = sfnec_scratch_create(t->agent, &scratch);
  for (int i = 0; i < STEPS && !t->status; i++) {
    const float *at = t->observations + (size_t)i * 128;
    const double *w = weights[i >= STEPS / 2];
    sfnec_memory_view view = {0};
    t->status = sfnec_agent_choose(t->agent, scratch, at, w, &t->heard[i].choice);
    if (i % 3 == 0) {
      if (!t->status) t->status = sfnec_agent_ask_psi(t->agent, scratch, at, t->heard[i].psi);
      if (!t->status) t->status = sfnec_agent_ask_q(t->agent, scratch, at, w, t->heard[i].q);
      if (!t->status)
        t->status =
            sfnec_agent_ask_memories(t->agent, scratch, at, (uint32_t)i % TASKS, i % 4, 1, &view, &t->heard[i].count);
    }
    if (t->heard[i].count > 0) {
      t->heard[i].distance = view.distance;
      t->heard[i].weight = view.weight;
      t->heard[i].value = view.psi[0];
    }
  }
  // and about the active task, whose weights are others again
  for (int i = 0; i < STEPS && !t->status; i++)
    t->status = sfnec_agent_choose(t->agent, scratch, t->observations + (size_t)i * 128, NULL, &t->heard[i].own);
  for (size_t i = 0; scratch && i < scratch->psi.bound_count; i++) t->bounded += scratch->psi.bounds[i].upper != NULL;
  sfnec_scratch_destroy(scratch);
  return NULL;
}

static void check(const char *preset, const char *const *settings, bool prunes) {
  player p = open_player("four_rooms", preset, settings, 6);
  p.per_task = 1700;
  play(&p, 2 * 1700 * TASKS - 100);
  OK(sfnec_agent_save(p.agent, "before.agent"));
  static float observations[STEPS][128];
  sfnec_env *env = open_env("four_rooms", short_episodes, 8);
  double features[4];
  sfnec_env_outcome end = {.terminated = true};
  for (int i = 0; i < STEPS; i++) {
    if (end.terminated || end.truncated) OK(sfnec_env_reset(env, observations[i]));
    OK(sfnec_env_step(env, i * i % 4, observations[i], features, &end));
    if (i + 1 < STEPS) memcpy(observations[i + 1], observations[i], sizeof observations[i]);
  }
  sfnec_env_destroy(env);

  transcript *t = calloc(THREADS + 1, sizeof *t);
  assert_non_null(t);
  for (int i = 0; i <= THREADS; i++) {
    t[i].agent = p.agent;
    t[i].observations = observations[0];
  }
  ask(&t[THREADS]);
  OK(t[THREADS].status);
  if (prunes) assert_true(t[THREADS].bounded > 2);

  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, ask, &t[i]), 0);
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(t[i].status, SFNEC_OK);
    assert_memory_equal(t[i].heard, t[THREADS].heard, sizeof t[i].heard);
  }
  OK(sfnec_agent_save(p.agent, "after.agent"));
  assert_true(same_files("before.agent", "after.agent"));
  free(t);
  close_player(&p);
}

static void test_memories(void **state) {
  (void)state;
  check("sfnec", NULL, true);
}

// a penalty, a kernel of the other kind, and all policies asked
static void test_variants(void **state) {
  (void)state;
  check("sfnec-plus", (const char *const[]){"kernel=inverse", NULL}, true);
  check("sfnec", (const char *const[]){"gpi=full", NULL}, false);
}

// keys that an embedding makes, of each policy's own and of all
static void test_embeddings(void **state) {
  (void)state;
  check("sfnec",
        (const char *const[]){"embedding=mlp", "training=batch", "key_size=8", "hidden=16", "train_every=40", NULL},
        true);
  check("sfnec",
        (const char *const[]){"embedding=linear", "training=batch", "key_size=8", "embedding_init=shared",
                              "train_every=40", NULL},
        true);
}

static void test_linear(void **state) {
  (void)state;
  check("sfql", NULL, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memories),
      cmocka_unit_test(test_variants),
      cmocka_unit_test(test_embeddings),
      cmocka_unit_test(test_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
