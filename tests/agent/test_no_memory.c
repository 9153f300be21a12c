// test_no_memory.c: every allocation of every call is refused in turn, for each kind of agent. A call that fails leaves
// the agent as it was, to the byte, and repeated it does what the undisturbed call does; observing moves on, and leaves
// an agent that plays on and can be saved and loaded.
//
// The program puts its own malloc before glibc's, which counts and can refuse; elsewhere the tests are skipped.
#include "support/player.h"

#include "agent/agent_file.h"
#include "sfnec/reward.h"

// after the C library's headers, which say whose it is
#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

// ---- agents as bytes in memory ----

typedef struct block {
  unsigned char *bytes;
  size_t size;
} block;

static block save(const sfnec_agent *agent) {
  block b;
  sfnec_writer *writer = NULL;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_agent_write(agent, writer, false);
  OK(sfnec_writer_take(writer, &b.bytes, &b.size));
  return b;
}

static sfnec_status load(const block *b, sfnec_agent **out) {
  sfnec_reader *reader = NULL;
  sfnec_status status = sfnec_reader_open_memory(b->bytes, b->size, NULL, 0, "an agent", &reader);
  if (!status) status = sfnec_agent_read(reader, NULL, out);
  sfnec_reader_close(reader);
  return status;
}

static sfnec_agent *loaded(const block *b) {
  sfnec_agent *agent = NULL;
  OK(load(b, &agent));
  return agent;
}

static bool is_same(const sfnec_agent *agent, const block *expected) {
  block found = save(agent);
  const bool same = found.size == expected->size && memcmp(found.bytes, expected->bytes, found.size) == 0;
  free(found.bytes);
  return same;
}

static void check_same(const sfnec_agent *agent, const block *expected, const char *what, int at) {
  if (!is_same(agent, expected)) fail_msg("%s, allocation %d refused: the agent is not as it should be", what, at);
}

// ---- the kinds of agents, and what is asked of them ----

enum { SETTINGS = 9 };
static const struct {
  const char *preset, *settings[SETTINGS];
} kinds[] = {
    {"sfnec", {NULL}},
    {"sfnec-plus", {"index=flat", "write=episode", NULL}},
    {"nec", {"capacity=20", NULL}},
    {"sfql", {"w=rls", NULL}},
    {"sfql", {"w=sgd", "warm_start=none", NULL}},
    {"sfnec",
     {"embedding=mlp", "training=batch", "key_size=5", "batch=4", "train_every=1", "optimizer=adam", "w=sgd", NULL}},
    {"sfnec", {"embedding=linear", "training=batch", "embedding_init=shared", "key_size=5", "batch=4", NULL}},
    {"sfnec", {"embedding=pca", "pca_observations=40", "key_size=5", "horizon=1", NULL}},
    {"sfnec", {"embedding=pca", "pca_observations=300", "key_size=5", NULL}},
    {"sfnec-plan", {NULL}},
    {"sfnec-plan", {"index=flat", "contexts=off", "terminal=zero", "places=40", "w=rls", NULL}},
    {"sfnec-plan", {"predict=reward", "backups=50", NULL}},
    {"sfnec-plan", {"w=rls", "tasks=detect", "recheck=20", NULL}},
    {"sfnec-plan", {"embedding=pca", "key_size=4", "places=40", NULL}},
    {"sfnec-plan", {"predict=learned", "places=40", "backups=50", NULL}},
    {"sfnec-plan", {"rewards=any", "places=40", "backups=50", NULL}},
    {"sfnec", {"rewards=any", "joint_values=32", NULL}},
    {"sfnec", {"capacity_total=100", NULL}},
    {"sfnec", {"embedding=conv", "layers=dense:6", "training=batch", "key_size=5", "batch=4", "train_every=1", NULL}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// What a call works with besides the agent: a world at rest, and the weights of its next task.
static player *at_rest;

static const double *weights_for(const sfnec_agent *agent) {
  return sfnec_agent_get_options(agent)->w == SFNEC_W_GIVEN ? at_rest->w : NULL;
}

static sfnec_status begin_task(sfnec_agent *agent) {
  return sfnec_agent_begin_task(agent, weights_for(agent), NULL);
}

static sfnec_status add_task(sfnec_agent *agent) {
  return sfnec_agent_add_task(agent, weights_for(agent), NULL);
}

static sfnec_status replace_task(sfnec_agent *agent) {
  return sfnec_agent_replace_task(agent, 0, weights_for(agent));
}

static sfnec_status set_task(sfnec_agent *agent) {
  return sfnec_agent_set_task(agent, 0);
}

static sfnec_status replace_active(sfnec_agent *agent) {
  return sfnec_agent_replace_task(agent, sfnec_agent_get_task_count(agent) - 1, weights_for(agent));
}

static sfnec_status set_weights(sfnec_agent *agent) {
  return sfnec_agent_set_task_weights(agent, sfnec_agent_get_task_count(agent) - 1, at_rest->w);
}

static sfnec_status set_note(sfnec_agent *agent) {
  return sfnec_agent_set_note(agent, "a note of some length");
}

static sfnec_status forget_task(sfnec_agent *agent) {
  return sfnec_agent_forget_task(agent, 0);
}

static sfnec_status begin_episode(sfnec_agent *agent) {
  return sfnec_agent_begin_episode(agent);
}

static sfnec_status end_episode(sfnec_agent *agent) {
  return sfnec_agent_end_episode(agent);
}

// About a reward function, which only an agent that plans can be.
static sfnec_status ask_reward(sfnec_agent *agent) {
  sfnec_reward_expression *reward = NULL;
  sfnec_scratch *scratch = NULL;
  sfnec_choice choice;
  const sfnec_env_shape shape = sfnec_agent_get_shape(agent);
  sfnec_status status = sfnec_reward_parse("phi[0] if action else 0", NULL, &shape, &reward);
  if (!status) status = sfnec_scratch_create(agent, &scratch);
  if (!status) status = sfnec_scratch_set_reward(scratch, sfnec_reward_evaluate, reward);
  if (!status) status = sfnec_agent_choose(agent, scratch, at_rest->observation, NULL, &choice);
  if (!status) status = sfnec_scratch_set_reward(scratch, NULL, NULL);
  sfnec_scratch_destroy(scratch);
  sfnec_reward_destroy(reward);
  return status;
}

static sfnec_status save_file(sfnec_agent *agent) {
  return sfnec_agent_save(agent, "no_memory.agent");
}

static sfnec_status save_bytes(sfnec_agent *agent) {
  unsigned char *bytes = NULL;
  size_t size;
  const sfnec_status status = sfnec_agent_save_bytes(agent, &bytes, &size);
  assert_true((status == SFNEC_OK) == (bytes != NULL));
  sfnec_agent_free_bytes(bytes);
  return status;
}

// In an episode.
static sfnec_status act(sfnec_agent *agent) {
  int32_t action;
  return sfnec_agent_act(agent, at_rest->observation, &action);
}

typedef sfnec_status call(sfnec_agent *agent);

static bool plans(const sfnec_agent *agent) {
  return sfnec_agent_get_options(agent)->psi == SFNEC_PSI_PLANNED;
}

// Makes the call with each of its allocations refused; returns how many it makes.
static int refuse_each(const block *before, call *make, const char *what) {
  sfnec_agent *agent = loaded(before);
  OK(make(agent));
  const block after = save(agent);
  sfnec_agent_destroy(agent);
  for (int at = 0;; at++) {
    const int held = live;
    agent = loaded(before);
    allocations = 0;
    refuse_only(at);
    const sfnec_status status = make(agent);
    refuse_none();
    const bool reached = allocations > at;
    if (status) {
      if (status != SFNEC_ERROR_MEMORY)
        fail_msg("%s, allocation %d refused: %s: %s", what, at, sfnec_status_name(status), sfnec_last_error());
      check_same(agent, before, what, at);
      const uint32_t tasks = sfnec_agent_get_task_count(agent);
      OK(make(agent));
      assert_int_equal(sfnec_agent_get_task_count(agent), tasks + (make == begin_task || make == add_task));
    }
    check_same(agent, &after, what, at);
    sfnec_agent_destroy(agent);
    if (live != held) fail_msg("%s, allocation %d refused: %d blocks are lost", what, at, live - held);
    if (!reached) {
      free(after.bytes);
      return at;
    }
  }
}

static void check_create(size_t kind) {
  const sfnec_agent_options options = options_of(kinds[kind].preset, kinds[kind].settings);
  for (int at = 0;; at++) {
    sfnec_agent *agent = NULL;
    const int held = live;
    allocations = 0;
    refuse_only(at);
    const sfnec_status status = sfnec_agent_create(&tiny_shape, &options, 1, &agent);
    refuse_none();
    assert_true((status == SFNEC_OK) == (agent != NULL));
    if (status) assert_int_equal(status, SFNEC_ERROR_MEMORY);
    sfnec_agent_destroy(agent);
    const int lost = live - held;
    assert_int_equal(lost, 0);
    if (allocations <= at) return;
  }
}

static void check_load(const block *good) {
  for (int at = 0;; at++) {
    sfnec_agent *agent = NULL;
    const int held = live;
    allocations = 0;
    refuse_only(at);
    const sfnec_status status = load(good, &agent);
    refuse_none();
    const bool reached = allocations > at;
    if (status) {
      assert_null(agent);
      if (status != SFNEC_ERROR_MEMORY)
        fail_msg("load, allocation %d refused: %s: %s", at, sfnec_status_name(status), sfnec_last_error());
    } else {
      check_same(agent, good, "load", at);
      sfnec_agent_destroy(agent);
    }
    if (live != held) fail_msg("load, allocation %d refused: %d blocks are lost", at, live - held);
    if (!reached) return;
  }
}

// Between two episodes: everything that changes tasks, asks, saves or loads.
static void check_at_rest(const block *b, bool with_weights, bool asks_rewards) {
  assert_true(refuse_each(b, begin_task, "begin_task") > 0);
  assert_true(refuse_each(b, add_task, "add_task") > 0);
  assert_true(refuse_each(b, replace_task, "replace_task") > 0);
  assert_true(refuse_each(b, replace_active, "replace_task of the active one") > 0);
  refuse_each(b, set_task, "set_task");
  if (with_weights) assert_true(refuse_each(b, set_weights, "set_task_weights") > 0);
  refuse_each(b, forget_task, "forget_task");
  refuse_each(b, begin_episode, "begin_episode");
  assert_int_equal(refuse_each(b, set_note, "set_note"), 1);
  if (asks_rewards) assert_true(refuse_each(b, ask_reward, "ask about a reward function") > 0);
  assert_true(refuse_each(b, save_file, "save") > 0);
  assert_true(refuse_each(b, save_bytes, "save_bytes") > 0);
  check_load(b);
}

static void test_calls(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  for (size_t kind = 0; kind < KINDS; kind++) {
    check_create(kind);
    player p = open_player("one_room", kinds[kind].preset, kinds[kind].settings, 3);
    at_rest = &p;
    play(&p, 300);                  // two and a half tasks
    while (!p.running) play(&p, 2); // into an episode
    block b = save(p.agent);
    refuse_each(&b, act, "act");
    // elsewhere the episode ends although targets are dropped
    if (plans(p.agent)) assert_int_equal(refuse_each(&b, end_episode, "end_episode"), 0);
    check_load(&b);
    free(b.bytes);
    OK(sfnec_agent_end_episode(p.agent));
    b = save(p.agent);
    const bool with_weights = sfnec_agent_get_options(p.agent)->predict == SFNEC_PREDICT_FEATURES;
    check_at_rest(&b, with_weights, with_weights && plans(p.agent));
    free(b.bytes);
    close_player(&p);
  }
}

// ---- questions ----

// The bytes of an answer.
typedef struct answer {
  unsigned char bytes[4096];
  size_t size;
} answer;

static void put(answer *a, const void *bytes, size_t size) {
  assert_true(a->size + size <= sizeof a->bytes);
  memcpy(a->bytes + a->size, bytes, size);
  a->size += size;
}

static void put_choice(answer *a, const sfnec_choice *choice) {
  put(a, &choice->action, sizeof choice->action);
  put(a, &choice->policy, sizeof choice->policy);
  put(a, &choice->value, sizeof choice->value);
}

// psi and q of all tasks, few enough for `most` numbers.
static size_t numbers_of(const sfnec_agent *agent, size_t each, size_t most) {
  const size_t count =
      (size_t)sfnec_agent_get_task_count(agent) * (size_t)sfnec_agent_get_shape(agent).action_count * each;
  assert_true(count <= most);
  return count;
}

typedef sfnec_status question(const sfnec_agent *agent, sfnec_scratch *scratch, answer *a);

static sfnec_status answer_choice(const sfnec_agent *agent, sfnec_scratch *scratch, answer *a) {
  sfnec_choice choice;
  const sfnec_status status = sfnec_agent_choose(agent, scratch, at_rest->observation, NULL, &choice);
  if (!status) put_choice(a, &choice);
  return status;
}

// Other weights than those of the last question, and again its own.
static sfnec_status answer_choices(const sfnec_agent *agent, sfnec_scratch *scratch, answer *a) {
  enum { COUNT = 2 };
  const size_t size = (size_t)sfnec_agent_get_shape(agent).observation_size;
  float observations[COUNT * 128];
  for (size_t i = 0; i < COUNT; i++) memcpy(observations + i * size, at_rest->observation, size * sizeof(float));
  sfnec_choice choices[COUNT];
  const double w[8] = {0.5, -1, 0.25};
  const bool with_weights = sfnec_agent_get_options(agent)->predict == SFNEC_PREDICT_FEATURES;
  sfnec_status status = sfnec_agent_choose_many(agent, scratch, COUNT, observations, with_weights ? w : NULL, choices);
  for (size_t i = 0; i < COUNT && !status; i++) put_choice(a, &choices[i]);
  if (!status) status = answer_choice(agent, scratch, a);
  return status;
}

// Feedback on a choice, and the next one.
static sfnec_status answer_told(const sfnec_agent *agent, sfnec_scratch *scratch, answer *a) {
  sfnec_choice choice;
  sfnec_status status = sfnec_agent_choose(agent, scratch, at_rest->observation, NULL, &choice);
  const sfnec_transition moved = {choice.action, at_rest->features, -1, at_rest->observation, false, false, NULL};
  if (!status) status = sfnec_agent_tell(agent, scratch, at_rest->observation, &moved);
  if (!status) status = answer_choice(agent, scratch, a);
  return status;
}

static sfnec_status answer_psi(const sfnec_agent *agent, sfnec_scratch *scratch, answer *a) {
  double psi[400];
  const size_t count = numbers_of(agent, (size_t)sfnec_agent_get_psi_size(agent), sizeof psi / sizeof *psi);
  const sfnec_status status = sfnec_agent_ask_psi(agent, scratch, at_rest->observation, psi);
  if (!status) put(a, psi, count * sizeof *psi);
  return status;
}

static sfnec_status answer_q(const sfnec_agent *agent, sfnec_scratch *scratch, answer *a) {
  double q[100];
  const size_t count = numbers_of(agent, 1, sizeof q / sizeof *q);
  const sfnec_status status = sfnec_agent_ask_q(agent, scratch, at_rest->observation, NULL, q);
  if (!status) put(a, q, count * sizeof *q);
  return status;
}

static sfnec_status answer_memories(const sfnec_agent *agent, sfnec_scratch *scratch, answer *a) {
  sfnec_memory_view views[5];
  size_t count = 0;
  const sfnec_status status =
      sfnec_agent_ask_memories(agent, scratch, at_rest->observation, 0, 1, sizeof views / sizeof *views, views, &count);
  for (size_t i = 0; i < count && !status; i++) put(a, &views[i], offsetof(sfnec_memory_view, key));
  return status;
}

// Of an agent that plans.
static sfnec_status answer_plan(const sfnec_agent *agent, sfnec_scratch *scratch, answer *a) {
  sfnec_place_view views[5];
  size_t count = 0;
  sfnec_status status = sfnec_agent_ask_places(agent, scratch, at_rest->observation, NULL, 0, 5, views, &count);
  for (size_t i = 0; i < count && !status; i++) put(a, &views[i].value, sizeof views[i].value);
  if (!status) status = sfnec_agent_ask_path(agent, scratch, at_rest->observation, NULL, 5, views, &count);
  for (size_t i = 0; i < count && !status; i++) put(a, &views[i].value, sizeof views[i].value);
  return status;
}

// Asks with each allocation refused, of the scratch's making and of the question itself: neither that nor what failed
// changes the agent, and the same scratch answers the repeated question.
static int refuse_each_answer(const block *b, question *ask, const char *what) {
  answer undisturbed = {.size = 0};
  sfnec_agent *agent = loaded(b);
  sfnec_scratch *scratch = NULL;
  OK(sfnec_scratch_create(agent, &scratch));
  OK(ask(agent, scratch, &undisturbed));
  sfnec_scratch_destroy(scratch);
  for (int at = 0;; at++) {
    const int held = live;
    answer found = {.size = 0};
    scratch = NULL;
    allocations = 0;
    refuse_only(at);
    sfnec_status status = sfnec_scratch_create(agent, &scratch);
    assert_true((status == SFNEC_OK) == (scratch != NULL));
    if (!status) status = ask(agent, scratch, &found);
    refuse_none();
    const bool reached = allocations > at;
    if (status) {
      if (status != SFNEC_ERROR_MEMORY)
        fail_msg("%s, allocation %d refused: %s: %s", what, at, sfnec_status_name(status), sfnec_last_error());
      if (!scratch) OK(sfnec_scratch_create(agent, &scratch));
      found.size = 0;
      OK(ask(agent, scratch, &found));
    }
    if (found.size != undisturbed.size || memcmp(found.bytes, undisturbed.bytes, found.size) != 0)
      fail_msg("%s, allocation %d refused: another answer", what, at);
    sfnec_scratch_destroy(scratch);
    check_same(agent, b, what, at);
    if (live != held) fail_msg("%s, allocation %d refused: %d blocks are lost", what, at, live - held);
    if (!reached) {
      sfnec_agent_destroy(agent);
      return at;
    }
  }
}

// Before the first fit of a plan, soon after it, and later.
static void test_questions(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  for (size_t kind = 0; kind < KINDS; kind++) {
    player p = open_player("one_room", kinds[kind].preset, kinds[kind].settings, 3);
    at_rest = &p;
    for (int moment = 0; moment < 3; moment++) {
      play(&p, moment ? 130 : 60);
      block b = save(p.agent);
      assert_true(refuse_each_answer(&b, answer_choice, "choose") > 0);
      refuse_each_answer(&b, answer_choices, "choose_many");
      refuse_each_answer(&b, answer_told, "tell");
      refuse_each_answer(&b, answer_psi, "ask_psi");
      refuse_each_answer(&b, answer_q, "ask_q");
      refuse_each_answer(&b, answer_memories, "ask_memories");
      const bool drawn = sfnec_agent_get_options(p.agent)->embedding != SFNEC_EMBEDDING_IDENTITY;
      if (plans(p.agent) && !drawn) refuse_each_answer(&b, answer_plan, "ask_places and ask_path");
      free(b.bytes);
    }
    close_player(&p);
  }
}

// ---- observing ----

// Plays on from here to see that the agent is whole.
static void check_alive(sfnec_agent *agent) {
  block b = save(agent);
  sfnec_agent *copy = loaded(&b);
  check_same(copy, &b, "a copy", 0);
  for (int i = 0; i < 3; i++) {
    int32_t action;
    const sfnec_transition transition = {0, at_rest->features, 0, at_rest->observation, false, i == 2, NULL};
    if (i == 0) OK(sfnec_agent_end_episode(copy));
    if (i == 0) OK(sfnec_agent_begin_episode(copy));
    OK(sfnec_agent_act(copy, at_rest->observation, &action));
    OK(sfnec_agent_observe(copy, &transition));
  }
  sfnec_agent_destroy(copy);
  free(b.bytes);
}

// An agent goes on as a copy of it by way of a file does, whatever it failed at before.
static void check_goes_on(sfnec_agent *agent, const char *what, int at) {
  enum { STEPS = 8, BIT = 3 };
  (void)sfnec_agent_end_episode(agent);
  block b = save(agent);
  sfnec_agent *copy = loaded(&b), *both[] = {agent, copy};
  free(b.bytes);
  for (int which = 0; which < 2; which++) {
    float next[128];
    memcpy(next, at_rest->observation, sizeof next);
    OK(sfnec_agent_begin_episode(both[which]));
    for (int i = 0; i < STEPS; i++) {
      int32_t action;
      OK(sfnec_agent_act(both[which], next, &action));
      next[0] += i % BIT ? 0.05f : -0.1f; // back to where it was after each third step, but for rounding
      const sfnec_transition moved = {action, at_rest->features, 0, next, false, false, NULL};
      OK(sfnec_agent_observe(both[which], &moved));
    }
  }
  b = save(copy);
  check_same(agent, &b, what, at);
  sfnec_agent_destroy(copy);
  free(b.bytes);
}

// Each allocation of each observe in turn: it moves on, and what did not fail is as undisturbed; or it has not begun.
static void test_observe(void **state) {
  enum { FIRST_FIT = 100 };
  (void)state;
  if (!OWN_MALLOC) skip();
  for (size_t kind = 0; kind < KINDS; kind++) {
    int failures = 0;
    player p = open_player("one_room", kinds[kind].preset, kinds[kind].settings, 5);
    at_rest = &p;
    // a plan has 100 steps before its first scales, and 200 to the next
    for (int step = 0; step < (plans(p.agent) ? 220 : 100); step++) {
      half_step(&p); // acts
      const block before = save(p.agent);
      float following[128];
      const sfnec_transition transition = next_transition(&p, following);
      OK(sfnec_agent_observe(p.agent, &transition));
      const block after = save(p.agent);
      for (int at = 0;; at++) {
        const int held = live;
        sfnec_agent *agent = loaded(&before);
        allocations = 0;
        refuse_only(at);
        const sfnec_status status = sfnec_agent_observe(agent, &transition);
        refuse_none();
        const bool reached = allocations > at;
        if (status) REFUSED(status, SFNEC_ERROR_MEMORY, "out of memory");
        if (status && is_same(agent, &before)) {
          OK(sfnec_agent_observe(agent, &transition));
          check_same(agent, &after, "observe", at);
        } else if (status) {
          REFUSED(sfnec_agent_observe(agent, &transition), SFNEC_ERROR_STATE, "act first");
          check_alive(agent);
          int32_t action;
          if (!transition.terminated && !transition.truncated) OK(sfnec_agent_act(agent, following, &action));
          if (plans(agent) && step >= FIRST_FIT - 1) check_goes_on(agent, kinds[kind].preset, at);
          failures++;
        } else {
          check_same(agent, &after, "observe", at);
        }
        sfnec_agent_destroy(agent);
        const int lost = live - held;
        assert_int_equal(lost, 0);
        if (!reached) break;
      }
      free(before.bytes);
      free(after.bytes);
      memcpy(p.observation, following, sizeof following);
      p.acted = false;
      p.steps++;
      if (transition.terminated || transition.truncated) p.running = false;
    }
    assert_true(failures > 5 || sfnec_agent_get_options(p.agent)->psi == SFNEC_PSI_LINEAR);
    close_player(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_calls),
      cmocka_unit_test(test_questions),
      cmocka_unit_test(test_observe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
