// test_ask.c: questions answer what the agent would do, and change nothing of what it will do or learn.
#include "support/player.h"

static const char *const names[] = {"sfnec", "sfnec-plus", "sfnec-nogpi", "nec", "sfql", "ql"};

// Every question there is, about where the agent is and about somewhere else.
static void ask_everything(player *p) {
  const sfnec_env_shape shape = sfnec_agent_get_shape(p->agent);
  const uint32_t tasks = sfnec_agent_get_task_count(p->agent);
  float elsewhere[128];
  memcpy(elsewhere, p->observation, sizeof elsewhere);
  elsewhere[0] += 0.25f;
  double numbers[16 * 4 * 4];
  assert_true(tasks <= 16);
  const bool reward = sfnec_agent_get_options(p->agent)->predict == SFNEC_PREDICT_REWARD;
  for (int i = 0; i < 2; i++) {
    const float *at = i ? elsewhere : p->observation;
    sfnec_choice choice;
    OK(sfnec_agent_choose(p->agent, p->scratch, at, NULL, &choice));
    if (!reward) OK(sfnec_agent_choose(p->agent, p->scratch, at, p->w, &choice));
    OK(sfnec_agent_ask_psi(p->agent, p->scratch, at, numbers));
    OK(sfnec_agent_ask_q(p->agent, p->scratch, at, NULL, numbers));
    if (!reward) OK(sfnec_agent_ask_q(p->agent, p->scratch, at, p->w, numbers));
    for (uint32_t t = 0; t < tasks; t++) {
      sfnec_memory_view views[5];
      size_t count;
      sfnec_task_info info;
      OK(sfnec_agent_ask_memories(p->agent, p->scratch, at, t, (int32_t)t % shape.action_count, 5, views, &count));
      OK(sfnec_agent_get_task_info(p->agent, t, &info));
    }
  }
  (void)sfnec_agent_get_bytes(p->agent);
}

// The same run with and without questions: the same actions, and in the end the same file, small capacity and all.
static void test_no_trace(void **state) {
  (void)state;
  const char *const settings[] = {"capacity=15", "neighbours=5", NULL};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    player silent = open_player("four_rooms", names[i], settings, 3),
           asked = open_player("four_rooms", names[i], settings, 3);
    for (int h = 0; h < 500; h++) {
      half_step(&silent);
      half_step(&asked);
      if (h % 3 != 2) ask_everything(&asked);
    }
    assert_true(silent.trace == asked.trace);
    OK(sfnec_agent_save(silent.agent, "silent.agent"));
    OK(sfnec_agent_save(asked.agent, "asked.agent"));
    assert_true(same_files("silent.agent", "asked.agent"));
    close_player(&silent);
    close_player(&asked);
  }
}

// With epsilon 0 and no ties the greedy question is what the agent then does, and the last choice says so.
static void test_choose_is_act(void **state) {
  (void)state;
  const char *const settings[] = {"epsilon=0", "ties=first", "novelty=0", NULL};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    player p = open_player("one_room", names[i], settings, 4);
    sfnec_choice last, choice;
    REFUSED(sfnec_agent_get_last_choice(p.agent, &last), SFNEC_ERROR_STATE, "has not acted yet");
    for (int s = 0; s < 200; s++) {
      begin_if_needed(&p);
      OK(sfnec_agent_choose(p.agent, p.scratch, p.observation, NULL, &choice));
      half_step(&p);
      OK(sfnec_agent_get_last_choice(p.agent, &last));
      assert_true(choice.action == p.action && last.action == p.action && choice.policy == last.policy);
      assert_true(choice.value == last.value && !last.explored);
      half_step(&p);
    }
    close_player(&p);
  }
}

// q is psi . w, and the choice is its largest entry.
static void test_agreement(void **state) {
  (void)state;
  player p = open_player("four_rooms", "sfnec", NULL, 5);
  play(&p, 400);
  const uint32_t tasks = sfnec_agent_get_task_count(p.agent);
  const double w[4] = {0.5, -1, 0.25, 1};
  double psi[8][4][4], q[8][4], best = -1e300;
  OK(sfnec_agent_ask_psi(p.agent, p.scratch, p.observation, &psi[0][0][0]));
  OK(sfnec_agent_ask_q(p.agent, p.scratch, p.observation, w, &q[0][0]));
  for (uint32_t k = 0; k < tasks; k++) {
    for (int a = 0; a < 4; a++) {
      double sum = 0;
      for (int f = 0; f < 4; f++) sum += psi[k][a][f] * w[f];
      NEAR(q[k][a], sum, 1e-12);
      best = fmax(best, q[k][a]);

      // psi is the weighted sum of the memories behind it
      sfnec_memory_view views[20];
      size_t count;
      OK(sfnec_agent_ask_memories(p.agent, p.scratch, p.observation, k, a, 20, views, &count));
      double total = 0, blend = 0, last = 0;
      for (size_t i = 0; i < count; i++) {
        assert_true(views[i].distance >= last);
        last = views[i].distance;
        total += views[i].weight;
        blend += views[i].weight * (double)views[i].psi[3];
      }
      NEAR(total, 1, 1e-12);
      NEAR(blend, psi[k][a][3], 1e-12);
      OK(sfnec_agent_ask_memories(p.agent, p.scratch, p.observation, k, a, 3, views, &count));
      assert_true(count <= 3);
    }
  }
  sfnec_choice choice;
  OK(sfnec_agent_choose(p.agent, p.scratch, p.observation, w, &choice));
  assert_true(choice.value == best);
  close_player(&p);
}

static void test_refused(void **state) {
  (void)state;
  sfnec_agent *agent = tiny_agent("sfnec", NULL);
  const double w[FEATURES] = {1, 1}, bad[FEATURES] = {(double)NAN, 1};
  const float broken[STATES] = {0, 0, (float)INFINITY, 0};
  double numbers[ACTIONS * FEATURES];
  sfnec_choice choice;
  sfnec_memory_view view;
  size_t count;
  REFUSED(ask_psi(agent, states[0], numbers), SFNEC_ERROR_STATE, "the agent has no task to answer by");
  OK(sfnec_agent_begin_task(agent, w, NULL));
  REFUSED(ask_psi(agent, broken, numbers), SFNEC_ERROR_ARGUMENT, "an observation must be 4 finite numbers");
  REFUSED(ask_psi(agent, NULL, numbers), SFNEC_ERROR_ARGUMENT, "an observation must be 4 finite numbers");
  REFUSED(ask_q(agent, states[0], bad, numbers), SFNEC_ERROR_ARGUMENT, "must be 2 finite numbers");
  REFUSED(ask_choose(agent, states[0], bad, &choice), SFNEC_ERROR_ARGUMENT, "must be 2 finite numbers");
  REFUSED(ask_memories(agent, states[0], 1, 0, 1, &view, &count), SFNEC_ERROR_ARGUMENT, "there is no task 1");
  REFUSED(ask_memories(agent, states[0], 0, 2, 1, &view, &count), SFNEC_ERROR_ARGUMENT, "there is no action 2");
  REFUSED(ask_memories(agent, states[0], 0, -1, 1, &view, &count), SFNEC_ERROR_ARGUMENT, "no action -1");
  OK(ask_memories(agent, states[0], 0, 0, 1, &view, &count));
  assert_int_equal(count, 0);

  // a scratch belongs to one agent
  sfnec_agent *other = tiny_agent("sfnec", NULL);
  sfnec_scratch *scratch = scratch_for(other);
  REFUSED(sfnec_agent_ask_psi(agent, scratch, states[0], numbers), SFNEC_ERROR_ARGUMENT, "made for this agent");
  REFUSED(sfnec_agent_ask_psi(agent, NULL, states[0], numbers), SFNEC_ERROR_ARGUMENT, "made for this agent");
  REFUSED(sfnec_scratch_create(NULL, &scratch), SFNEC_ERROR_ARGUMENT, "got NULL");
  REFUSED(sfnec_scratch_create(agent, NULL), SFNEC_ERROR_ARGUMENT, "got NULL");
  sfnec_agent_destroy(other);
  sfnec_scratch_destroy(scratch); // also later than its agent
  sfnec_agent_destroy(agent);

  agent = tiny_agent("nec", NULL);
  OK(sfnec_agent_begin_task(agent, NULL, NULL));
  REFUSED(ask_q(agent, states[0], w, numbers), SFNEC_ERROR_ARGUMENT, "cannot be asked about other reward");
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_trace),
      cmocka_unit_test(test_choose_is_act),
      cmocka_unit_test(test_agreement),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
