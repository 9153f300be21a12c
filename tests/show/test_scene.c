// test_scene.c: a saved agent that plays: its thoughts against the agent's own answers, its path against the world's.
#include "show/saved.h"

#include "show/play/value_map.h"

enum { PATH_STEPS = 200 };

// ---- thoughts ----

// q is the best over the policies, and the choice is the best of q; an agent that plans may leave what brought nothing
static void check_thoughts(sfnec_scene *scene) {
  const size_t actions = (size_t)scene->shape.action_count;
  double *all = calloc(actions * scene->policy_count, sizeof *all);
  OK(sfnec_agent_ask_q(scene->agent, scene->scratch, scene->play.observation, scene->own ? NULL : scene->w, all));
  double best = -INFINITY;
  for (size_t a = 0; a < actions; a++) {
    double most = -INFINITY;
    for (uint32_t k = 0; k < scene->policy_count; k++)
      if (!scene->own || k == scene->task) most = fmax(most, all[k * actions + a]);
    assert_true(scene->q[a] == most);
    best = fmax(best, most);
  }
  if (!scene->ended) {
    if (!scene->planned) {
      NEAR(scene->q[scene->choice.action], best, 1e-12);
      NEAR(all[(size_t)scene->choice.policy * actions + (size_t)scene->choice.action], best, 1e-12);
    }
    NEAR(scene->choice.value, best, 1e-12);
    assert_true(!scene->own || scene->choice.policy == (int32_t)scene->task);
  }
  free(all);
}

static void play_and_check(const char *preset, uint32_t task) {
  save_agent("a.sfnec", "four_rooms", preset, NULL, 4);
  sfnec_scene *scene = open_scene("a.sfnec", task, 40);
  while (!scene->ended) {
    check_thoughts(scene);
    OK(sfnec_scene_step(scene));
  }
  check_thoughts(scene);
  assert_int_equal(scene->choice.action, -1);
  sfnec_scene_close(scene);
}

static void test_thoughts(void **state) {
  (void)state;
  play_and_check("sfnec", 1);
  play_and_check("sfnec-nogpi", 1);
  play_and_check("nec", 0);
  play_and_check("sfql", SFNEC_SCENE_LAST_TASK);
  play_and_check("sfnec-plan", 0);
}

// ---- the path ----

static void test_path(void **state) {
  (void)state;
  // objects are easy to reach, so that there are several rewards
  const char *const easy[] = {"pickup_radius=0.25", "step_mean=0.1", "goal_radius=0.02", NULL};
  save_agent("a.sfnec", "four_rooms", "sfnec", easy, 4);
  sfnec_scene *scene = open_scene("a.sfnec", 2, PATH_STEPS);
  assert_string_equal(scene->label, "tester");
  assert_int_equal(scene->policy_count, 3);
  // the same actions in a world of the same seed
  sfnec_env *env = open_env("four_rooms", easy, 9);
  float observation[128];
  double features[8], total = 0;
  int rewards = 0;
  OK(sfnec_env_reset(env, observation));
  for (int i = 0; !scene->ended; i++) {
    // other rewards lead elsewhere
    const double w[4] = {cos(i), sin(2 * i), cos(3 * i), 1};
    OK(sfnec_scene_set_weights(scene, w));
    sfnec_look now;
    sfnec_env_outcome outcome;
    OK(sfnec_env_get_look(env, &now));
    assert_memory_equal(&now.x, &scene->look.x, sizeof now.x);
    assert_memory_equal(&now.y, &scene->look.y, sizeof now.y);
    assert_int_equal(now.taken, scene->look.taken);
    const sfnec_choice choice = scene->choice;
    OK(sfnec_env_step(env, choice.action, observation, features, &outcome));
    for (int f = 0; f < 4; f++) total += features[f] * w[f];
    OK(sfnec_scene_step(scene));
    rewards += scene->play.reward != 0;
    assert_true(scene->trail[i].x == now.x && scene->trail[i].y == now.y && scene->trail[i].policy == choice.policy);
    assert_int_equal(scene->play.terminated, outcome.terminated);
    NEAR(scene->play.total, total, 1e-12);
  }
  assert_true(scene->play.steps <= PATH_STEPS && scene->play.steps > 0 && rewards > 1);
  // an episode that is over stays over, and another one can begin
  const int64_t steps = scene->play.steps;
  OK(sfnec_scene_step(scene));
  assert_int_equal(scene->play.steps, steps);
  OK(sfnec_scene_restart(scene));
  assert_int_equal(scene->play.steps, 0);
  assert_true(scene->play.total == 0 && !scene->ended && scene->look.taken == 0);
  NEAR(scene->look.x, 0.05, 0);
  sfnec_env_destroy(env);
  sfnec_scene_close(scene);
}

static void test_memories(void **state) {
  (void)state;
  save_agent("a.sfnec", "four_rooms", "sfnec", NULL, 4);
  sfnec_scene *scene = open_scene("a.sfnec", 0, 20);
  float observation[128];
  while (!scene->ended) {
    assert_int_equal(scene->memory_count, SFNEC_SCENE_MEMORIES);
    for (size_t i = 0; i < scene->memory_count; i++) {
      const sfnec_recall *memory = &scene->memories[i];
      assert_true(i == 0 || memory->distance >= scene->memories[i - 1].distance);
      // walking leaves memories inside of the square and outside of walls
      assert_true(memory->located && memory->x >= 0 && memory->x <= 1 && memory->y >= 0 && memory->y <= 1);
      assert_true(sfnec_env_observe_at(scene->env, memory->x, memory->y, observation));
    }
    OK(sfnec_scene_step(scene));
  }
  sfnec_scene_close(scene);
}

// states and the planned path of an agent that plans: inside of the square and outside of walls, step by step
static void test_plan(void **state) {
  (void)state;
  save_agent("a.sfnec", "four_rooms", "sfnec-plan", NULL, 4);
  sfnec_scene *scene = open_scene("a.sfnec", 2, 20);
  sfnec_model_info model;
  OK(sfnec_agent_get_model_info(scene->agent, &model));
  assert_true(scene->planned && model.places > 0);
  assert_int_equal(scene->state_count, model.places);
  float observation[128];
  size_t frontier = 0;
  for (size_t i = 0; i < scene->state_count; i++) {
    const sfnec_spot *spot = &scene->states[i];
    assert_true(sfnec_env_observe_at(scene->env, spot->x, spot->y, observation));
    frontier += spot->frontier;
  }
  assert_true(frontier > 0 && frontier < scene->state_count); // it has not been everywhere
  size_t longest = 0;
  while (!scene->ended) {
    double x = scene->look.x, y = scene->look.y;
    for (size_t i = 0; i < scene->path_count; i++) {
      const sfnec_spot *spot = &scene->path[i];
      assert_true(hypot(spot->x - x, spot->y - y) < 0.15); // a step is 0.05 long
      x = spot->x, y = spot->y;
    }
    if (scene->path_count > longest) longest = scene->path_count;
    OK(sfnec_scene_step(scene));
  }
  assert_true(longest > 3 && scene->path_count == 0);
  sfnec_scene_close(scene);
  // one that does not plan has neither
  save_agent("a.sfnec", "four_rooms", "sfnec", NULL, 4);
  scene = open_scene("a.sfnec", 2, 20);
  assert_true(!scene->planned && scene->state_count == 0 && scene->path_count == 0);
  sfnec_scene_close(scene);
}

// ---- weights ----

static void test_weights(void **state) {
  (void)state;
  save_agent("a.sfnec", "four_rooms", "sfnec", NULL, 4);
  sfnec_scene *scene = open_scene("a.sfnec", 0, 50);
  sfnec_env *training = open_env("four_rooms", NULL, 4);
  double w[4];
  sfnec_env_get_task_weights(training, 0, w);
  for (int f = 0; f < 4; f++) assert_true(scene->w[f] == w[f] && scene->true_w[f] == w[f]);
  const double zero[4] = {0}, other[4] = {1, -1, 0.5, 1}, wrong[4] = {NAN};
  OK(sfnec_scene_set_weights(scene, zero));
  for (int a = 0; a < 4; a++) assert_true(scene->q[a] == 0);
  OK(sfnec_scene_set_weights(scene, other));
  check_thoughts(scene);
  REFUSED(sfnec_scene_set_weights(scene, wrong), SFNEC_ERROR_ARGUMENT, "");
  assert_true(scene->w[0] == 1);
  sfnec_env_destroy(training);
  sfnec_scene_close(scene);

  // an agent of its own policy gets the weights of its task; one that predicts the reward keeps what it has
  save_agent("b.sfnec", "four_rooms", "sfnec-nogpi", NULL, 4);
  scene = open_scene("b.sfnec", 1, 50);
  OK(sfnec_scene_set_weights(scene, other));
  check_thoughts(scene);
  sfnec_scene_close(scene);
  save_agent("c.sfnec", "four_rooms", "nec", NULL, 4);
  scene = open_scene("c.sfnec", 1, 50);
  assert_true(scene->fixed);
  REFUSED(sfnec_scene_set_weights(scene, other), SFNEC_ERROR_OPTION, "option predict");
  sfnec_scene_close(scene);
}

// ---- values ----

static void check_values(sfnec_value_map *values, const sfnec_scene *scene) {
  float observation[256];
  double all[64], low = INFINITY, high = -INFINITY;
  int walls = 0;
  OK(sfnec_value_map_update(values, scene));
  for (int row = 0; row < values->rows; row++) {
    for (int column = 0; column < values->columns; column++) {
      const double value = values->values[row * values->columns + column];
      const double x = (column + 0.5) / values->columns, y = (row + 0.5) / values->rows;
      if (!sfnec_env_observe_at(scene->env, x, y, observation)) {
        walls++;
        assert_true(isnan(value) && isnan(sfnec_value_map_share(values, column, row)));
        continue;
      }
      OK(sfnec_agent_ask_q(scene->agent, scene->scratch, observation, scene->w, all));
      double most = -INFINITY;
      for (uint32_t i = 0; i < 4 * scene->policy_count; i++) most = fmax(most, all[i]);
      NEAR(value, most, 1e-12);
      low = fmin(low, most);
      high = fmax(high, most);
    }
  }
  assert_true(walls > 0);
  NEAR(values->low, low, 1e-12);
  NEAR(values->high, high, 1e-12);
}

static void check_world(const char *world, const char *preset, const char *const *settings) {
  save_agent("a.sfnec", world, preset, settings, 4);
  sfnec_scene *scene = open_scene("a.sfnec", 0, 200);
  sfnec_value_map *values;
  OK(sfnec_value_map_create(scene, 21, 21, &values));
  assert_int_equal(values->columns, settings ? 13 : 21);
  check_values(values, scene);
  const double w[4] = {-1, 0.3, 0.2, 0.5};
  OK(sfnec_scene_set_weights(scene, w));
  check_values(values, scene);
  // and with whatever was taken on the way
  for (int step = 0; step < 100; step++) OK(sfnec_scene_step(scene));
  check_values(values, scene);
  sfnec_value_map_destroy(values);
  sfnec_scene_close(scene);
}

static void test_values(void **state) {
  (void)state;
  check_world("four_rooms", "sfnec", NULL);
  check_world("four_rooms_grid", "sfnec", (const char *[]){"observation=rbf", NULL});
  check_world("four_rooms", "sfnec-plan", NULL);
}

// ---- refusals ----

static void refused_note(const char *note, const char *why) {
  sfnec_agent *agent;
  OK(sfnec_agent_load("a.sfnec", &agent));
  OK(sfnec_agent_set_note(agent, note));
  OK(sfnec_agent_save(agent, "bad.sfnec"));
  sfnec_agent_destroy(agent);
  const sfnec_scene_options options = {.path = "bad.sfnec"};
  sfnec_scene *scene;
  REFUSED(sfnec_scene_open(&options, &scene), SFNEC_ERROR_FORMAT, why);
  assert_null(scene);
}

static void test_refusals(void **state) {
  (void)state;
  save_agent("a.sfnec", "four_rooms", "sfnec", NULL, 4);
  refused_note("", "does not say where");
  refused_note("agent=x\nenv=moon", "'moon'");
  refused_note("agent=x\nenv=one_room", "was not made for one_room");
  const sfnec_scene_options missing = {.path = "nothing.sfnec"};
  sfnec_scene *scene;
  REFUSED(sfnec_scene_open(&missing, &scene), SFNEC_ERROR_IO, "nothing.sfnec");

  const sfnec_env_shape shape = {.observation_size = 113, .action_count = 4, .feature_count = 4};
  sfnec_agent *fresh = agent_for(&shape, "sfnec", NULL, 1);
  OK(sfnec_agent_set_note(fresh, "env=four_rooms"));
  OK(sfnec_agent_save(fresh, "fresh.sfnec"));
  sfnec_agent_destroy(fresh);
  const sfnec_scene_options untrained = {.path = "fresh.sfnec"};
  REFUSED(sfnec_scene_open(&untrained, &scene), SFNEC_ERROR_ARGUMENT, "without a task");

  save_agent("cart.sfnec", "cartpole", "nec", (const char *[]){"max_episode_steps=30", NULL}, 4);
  scene = open_scene("cart.sfnec", 0, 20);
  sfnec_value_map *values;
  REFUSED(sfnec_value_map_create(scene, 9, 9, &values), SFNEC_ERROR_ARGUMENT, "no positions");
  sfnec_scene_close(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thoughts), cmocka_unit_test(test_path),    cmocka_unit_test(test_memories),
      cmocka_unit_test(test_plan),     cmocka_unit_test(test_weights), cmocka_unit_test(test_values),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
