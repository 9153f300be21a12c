// test_agent_file.c: an agent saved at any moment and loaded again continues bit for bit.
#include "support/player.h"

#include <unistd.h>

static const char path[] = "moment.agent";

// The same player with the agent of a file and a copy of the environment.
static player loaded_copy(const player *p, const char *env) {
  player copy = *p;
  copy.agent = NULL;
  copy.scratch = NULL; // of the other agent
  OK(sfnec_agent_load(path, &copy.agent));
  copy.env = open_env(env, short_episodes, 0);
  const size_t size = sfnec_env_get_state_size(p->env);
  void *bytes = malloc(size);
  sfnec_env_get_state(p->env, bytes);
  OK(sfnec_env_set_state(copy.env, bytes, size));
  free(bytes);
  return copy;
}

// Tasks are drawn from the environment's seed, which is not part of its state: the copy gets them from the original.
static void check_continues(player *p, const char *env, int half_steps) {
  OK(sfnec_agent_save(p->agent, path));
  player copy = loaded_copy(p, env);
  OK(sfnec_agent_save(copy.agent, "again.agent"));
  assert_true(same_files(path, "again.agent"));

  const int64_t boundary = p->per_task * (int64_t)p->tasks;
  double psi[2][6 * 4 * 4] = {{0}};
  for (int i = 0; i < half_steps; i++) {
    if (!p->acted && p->steps == boundary) break;
    half_step(p);
    half_step(&copy);
    assert_int_equal(p->action, copy.action);
    sfnec_choice ours, theirs;
    OK(sfnec_agent_get_last_choice(p->agent, &ours));
    OK(sfnec_agent_get_last_choice(copy.agent, &theirs));
    assert_true(ours.value == theirs.value && ours.policy == theirs.policy && ours.explored == theirs.explored);
  }
  OK(ask_psi(p->agent, p->observation, psi[0]));
  OK(ask_psi(copy.agent, p->observation, psi[1]));
  assert_memory_equal(psi[0], psi[1], sizeof psi[0]);
  OK(sfnec_agent_save(p->agent, path));
  OK(sfnec_agent_save(copy.agent, "again.agent"));
  assert_true(same_files(path, "again.agent"));
  close_player(&copy);
}

// Saves at moments all over a run: between episodes, in the middle of one, between act and observe, in several tasks.
static void check_everywhere(const char *env, const char *preset, const char *const *settings) {
  player p = open_player(env, preset, settings, 11);
  OK(sfnec_agent_set_note(p.agent, "a note"));
  play(&p, 1);
  for (int i = 0; i < 14; i++) {
    check_continues(&p, env, 21 + i);
    play(&p, 9 + i % 4);
  }
  assert_true(p.tasks >= 3);
  close_player(&p);
}

static void test_presets(void **state) {
  (void)state;
  const char *const settings[] = {"capacity=12", "neighbours=5", NULL};
  for (size_t i = 0; sfnec_agent_preset_at(i); i++)
    check_everywhere("four_rooms", sfnec_agent_preset_at(i)->name, settings);
}

static void test_write_at_the_end(void **state) {
  (void)state;
  const char *const settings[] = {"capacity=12", "neighbours=5", "write=episode", NULL};
  check_everywhere("one_room", "sfnec", settings);
  check_everywhere("one_room", "nec", settings);
}

static void test_learned_weights(void **state) {
  (void)state;
  const char *const sgd[] = {"w=sgd", "capacity=12", NULL}, *const rls[] = {"w=rls", "capacity=12", NULL};
  check_everywhere("four_rooms", "sfnec", sgd);
  check_everywhere("four_rooms", "sfnec-plus", rls);
  check_everywhere("one_room", "sfql", rls);
}

static void test_variants(void **state) {
  (void)state;
  const char *const one[] = {"kernel=inverse", "td=semi", "bootstrap=own", "ties=first", "horizon=1",
                             "capacity=1",     NULL};
  const char *const two[] = {"epsilon=1", "epsilon_final=0", "epsilon_steps=40", "horizon=30", "warm_start=none", NULL};
  check_everywhere("one_room", "sfnec", one);
  check_everywhere("one_room", "sfnec", two);
  check_everywhere("one_room", "sfql", two);
}

// Embeddings, moments, replayed and waiting targets.
static void test_embeddings(void **state) {
  (void)state;
  const char *const linear[] = {"embedding=linear", "training=batch", "key_size=4",   "capacity=12",
                                "batch=3",          "replay=20",      "neighbours=5", NULL};
  const char *const mlp[] = {"embedding=mlp",  "training=batch", "key_size=4",    "embedding_init=keep",
                             "optimizer=adam", "batch=3",        "train_every=1", NULL};
  const char *const pca[] = {"embedding=pca", "pca_observations=25", "key_size=4", NULL};
  const char *const random[] = {"embedding=random", "training=batch", "embedding_init=frozen", NULL};
  check_everywhere("four_rooms", "sfnec", linear);
  check_everywhere("one_room", "nec", mlp);
  check_everywhere("four_rooms", "sfnec-plus", pca);
  check_everywhere("one_room", "sfnec", random);
}

static void play_shared(sfnec_agent *agent) {
  OK(sfnec_agent_begin_episode(agent));
  for (int i = 0; i < 6; i++) go(agent, i % 2, i % 2, 1, 1, i % 3, i < 5 ? GOES_ON : TERMINATES);
}

// All policies have one embedding, also one that replaced the first.
static void test_shared_embedding(void **state) {
  (void)state;
  const char *const settings[] = {
      "embedding=linear", "training=batch", "embedding_init=shared", "key_size=2", "batch=2", "train_every=1", NULL};
  sfnec_agent *agent = tiny_agent("sfnec", settings), *loaded = NULL;
  const double w[FEATURES] = {1, 2};
  for (int task = 0; task < 2; task++) {
    OK(sfnec_agent_begin_task(agent, w, NULL));
    play_shared(agent);
  }
  OK(sfnec_agent_replace_task(agent, 0, w));
  OK(sfnec_agent_save(agent, path));
  OK(sfnec_agent_load(path, &loaded));
  for (int i = 0; i < 2; i++) {
    OK(sfnec_agent_save(agent, path));
    OK(sfnec_agent_save(loaded, "again.agent"));
    assert_true(same_files(path, "again.agent"));
    play_shared(agent);
    play_shared(loaded);
  }
  sfnec_agent_destroy(loaded);
  OK(sfnec_agent_forget_task(agent, 1)); // the other one still has it
  double psi[4 * FEATURES];
  OK(ask_psi(agent, states[0], psi));
  sfnec_agent_destroy(agent);
}

// Every stream goes on where it was: first weights of new tasks (init) and ties of questions (evaluation).
static void test_streams(void **state) {
  (void)state;
  const char *const settings[] = {"w=sgd", NULL};
  const char *const presets[] = {"sfnec", "sfql"};
  for (int i = 0; i < 2; i++) {
    sfnec_agent *agent = tiny_agent(presets[i], settings), *loaded = NULL;
    sfnec_scratch *scratch = scratch_for(agent);
    const double w[FEATURES] = {0, 0};
    sfnec_choice ours, theirs;
    OK(sfnec_agent_begin_task(agent, NULL, NULL));
    for (int j = 0; j < 5; j++) OK(sfnec_agent_choose(agent, scratch, states[0], w, &ours)); // all tie at 0
    sfnec_scratch_commit(scratch, agent);
    OK(sfnec_agent_save(agent, path));
    OK(sfnec_agent_load(path, &loaded));
    sfnec_scratch *other = scratch_for(loaded);
    double a[FEATURES], b[FEATURES], first[FEATURES];
    OK(sfnec_agent_begin_task(agent, NULL, NULL));
    OK(sfnec_agent_begin_task(loaded, NULL, NULL));
    OK(sfnec_agent_get_task_weights(agent, 0, first));
    OK(sfnec_agent_get_task_weights(agent, 1, a));
    OK(sfnec_agent_get_task_weights(loaded, 1, b));
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, first, sizeof a);
    for (int j = 0; j < 40; j++) {
      OK(sfnec_agent_choose(agent, scratch, states[0], w, &ours));
      OK(sfnec_agent_choose(loaded, other, states[0], w, &theirs));
      assert_true(ours.action == theirs.action && ours.policy == theirs.policy);
    }
    sfnec_scratch_destroy(scratch);
    sfnec_scratch_destroy(other);
    sfnec_agent_destroy(agent);
    sfnec_agent_destroy(loaded);
  }
}

// Saved after a transition and ended right after loading: the last state is still known.
static void test_end_after_load(void **state) {
  (void)state;
  const char *const settings[] = {"horizon=3", "rate=0", "gamma=0.5", "neighbours=1", "ties=first", NULL};
  const double w[FEATURES] = {1, 1};
  sfnec_agent *agent = tiny_agent("sfnec", settings), *loaded = NULL;
  OK(sfnec_agent_begin_task(agent, w, NULL));
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 1, 0, 0, 4, 3, TERMINATES);
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 0, 0, 0, 1, 3, TERMINATES);
  OK(sfnec_agent_begin_episode(agent));
  go(agent, 0, 1, 1, 0, 1, GOES_ON);
  OK(sfnec_agent_save(agent, path));
  OK(sfnec_agent_load(path, &loaded));
  OK(sfnec_agent_end_episode(agent));
  OK(sfnec_agent_end_episode(loaded));
  check_stored(agent, 0, 0, 1, 1, 2); // (1, 0) + (0, 4) / 2
  check_stored(loaded, 0, 0, 1, 1, 2);
  sfnec_agent_destroy(agent);
  sfnec_agent_destroy(loaded);
}

// Before the first task, and with none active.
static void test_empty(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", NULL), *loaded = NULL;
  OK(sfnec_agent_save(agent, path));
  OK(sfnec_agent_load(path, &loaded));
  assert_int_equal(sfnec_agent_get_task_count(loaded), 0);
  assert_true(sfnec_agent_get_seed(loaded) == 1 && sfnec_agent_get_shape(loaded).feature_count == FEATURES);
  assert_memory_equal(sfnec_agent_get_options(loaded), sfnec_agent_get_options(agent), sizeof(sfnec_agent_options));
  sfnec_agent_destroy(loaded);

  const double w[FEATURES] = {1, 2};
  OK(sfnec_agent_add_task(agent, w, NULL));
  OK(sfnec_agent_save(agent, path));
  OK(sfnec_agent_load(path, &loaded));
  REFUSED(sfnec_agent_begin_episode(loaded), SFNEC_ERROR_STATE, "an episode needs a task");
  OK(sfnec_agent_set_task(loaded, 0));
  OK(sfnec_agent_begin_episode(loaded));
  sfnec_agent_destroy(loaded);
  sfnec_agent_destroy(agent);
}

static void test_bad_paths(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", NULL), *loaded = NULL;
  REFUSED(sfnec_agent_save(agent, "no/such/folder/x.agent"), SFNEC_ERROR_IO, "cannot write no/such/folder/x.agent");
  unlink("missing.agent");
  REFUSED(sfnec_agent_load("missing.agent", &loaded), SFNEC_ERROR_IO, "cannot open missing.agent");
  write_file("foreign.agent", "agent,seed,task,return\n", 23);
  REFUSED(sfnec_agent_load("foreign.agent", &loaded), SFNEC_ERROR_FORMAT, "foreign.agent is not an agent file");
  write_file("empty.agent", "", 0);
  REFUSED(sfnec_agent_load("empty.agent", &loaded), SFNEC_ERROR_FORMAT, "empty.agent is not an agent file");
  assert_null(loaded);
  sfnec_agent_destroy(agent);
}

// the same bytes in memory, whole or refused
static void test_bytes(void **state) {
  (void)state;
  player p = open_player("one_room", "sfnec", NULL, 4);
  play(&p, 60);
  OK(sfnec_agent_save(p.agent, path));
  size_t file_size, size = 0, again_size;
  unsigned char *file = file_bytes(path, &file_size), *bytes = NULL, *again;
  OK(sfnec_agent_save_bytes(p.agent, &bytes, &size));
  assert_int_equal(size, file_size);
  assert_memory_equal(bytes, file, size);

  sfnec_agent *agent = NULL;
  OK(sfnec_agent_load_bytes(bytes, size, &agent));
  OK(sfnec_agent_save_bytes(agent, &again, &again_size));
  assert_int_equal(again_size, size);
  assert_memory_equal(again, bytes, size);
  sfnec_agent_destroy(agent);
  sfnec_agent_free_bytes(again);

  agent = NULL;
  for (size_t i = 0; i < size; i += 97) {
    assert_int_equal(sfnec_agent_load_bytes(bytes, i, &agent), SFNEC_ERROR_FORMAT);
    file[i] ^= 0x10;
    assert_int_not_equal(sfnec_agent_load_bytes(file, size, &agent), SFNEC_OK);
    file[i] ^= 0x10;
  }
  assert_null(agent);
  assert_int_equal(sfnec_agent_load_bytes(NULL, 0, &agent), SFNEC_ERROR_ARGUMENT);
  assert_int_equal(sfnec_agent_load_bytes(bytes, size, NULL), SFNEC_ERROR_ARGUMENT);
  assert_int_equal(sfnec_agent_save_bytes(NULL, &again, &again_size), SFNEC_ERROR_ARGUMENT);
  assert_int_equal(sfnec_agent_save_bytes(p.agent, NULL, &again_size), SFNEC_ERROR_ARGUMENT);
  sfnec_agent_free_bytes(NULL);
  sfnec_agent_free_bytes(bytes);
  free(file);
  close_player(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_presets),         cmocka_unit_test(test_write_at_the_end),
      cmocka_unit_test(test_learned_weights), cmocka_unit_test(test_variants),
      cmocka_unit_test(test_embeddings),      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_end_after_load),  cmocka_unit_test(test_empty),
      cmocka_unit_test(test_bad_paths),       cmocka_unit_test(test_shared_embedding),
      cmocka_unit_test(test_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
