// test_warm.c: a warm agent allocates nothing per step, also when it trains an embedding; and allocations that fail
// while it trains cost a target, not the agent.
//
// The program puts its own malloc before glibc's, which counts and can refuse; elsewhere the tests are skipped.
#include "support/player.h"

// after the C library's headers, which say whose it is
#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

static const char *const settings[] = {"embedding=mlp", "training=batch", "key_size=5",
                                       "capacity=400",  "batch=4",        "replay=80",
                                       "train_every=1", "optimizer=adam", NULL};

static void test_warm(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  player p = open_player("four_rooms", "sfnec", settings, 4);
  p.per_task = 100000;
  play(&p, 12000); // all memories are full, and their codes were made again a few times
  allocations = 0;
  play(&p, 3000);
  const int counted = allocations;
  assert_int_equal(counted, 0);
  sfnec_task_info info;
  OK(sfnec_agent_get_task_info(p.agent, 0, &info));
  assert_true(info.trained > 2000 && info.skipped == 0);
  close_player(&p);
}

// Refuses all allocations of one step after another; the step may fail, and the agent goes on.
static void test_refused(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  int failures = 0;
  player p = open_player("four_rooms", "sfnec", settings, 4);
  p.per_task = 100000;
  for (int i = 0; i < 400; i++) {
    begin_if_needed(&p);
    OK(sfnec_agent_act(p.agent, p.observation, &p.action));
    float following[128];
    const sfnec_transition transition = next_transition(&p, following);
    allocations = 0;
    if (i % 4) refuse_from(i % 4 - 1);
    const sfnec_status status = sfnec_agent_observe(p.agent, &transition);
    refuse_none();
    if (status != SFNEC_OK) {
      assert_int_equal(status, SFNEC_ERROR_MEMORY);
      failures++;
      sfnec_choice choice;
      // the first failure of an episode may be that of its queue, and then the transition can be observed again
      if (sfnec_agent_observe(p.agent, &transition) == SFNEC_OK) OK(sfnec_agent_get_last_choice(p.agent, &choice));
    }
    memcpy(p.observation, following, sizeof following);
    p.steps++;
    if (transition.terminated || transition.truncated) p.running = false;
  }
  assert_true(failures > 5);
  OK(sfnec_agent_end_episode(p.agent));
  OK(sfnec_agent_save(p.agent, "survivor.agent"));
  sfnec_agent *loaded = NULL;
  OK(sfnec_agent_load("survivor.agent", &loaded));
  sfnec_agent_destroy(loaded);
  close_player(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_warm),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
