// test_log.c: logs of transitions: a run records what happened, and an agent learns from a file what it learns from the
// transitions themselves.
#include "support/player.h"

#include "run/log.h"
#include "run/state.h"

enum { STEPS = 400, TASKS = 2 };
static const char *const none[] = {NULL};
static const char *const planner[] = {"replan_backups=20000", NULL};

// Records two short tasks of a run.
static void record(const char *path) {
  sfnec_env *env = open_env("four_rooms", short_episodes, 3);
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_agent *agent = agent_for(&shape, "sfnec", none, 3);
  const sfnec_run_options protocol = {.tasks = TASKS, .steps = STEPS};
  sfnec_run *run = NULL;
  sfnec_log_writer *writer = NULL;
  OK(sfnec_run_create(agent, env, &protocol, &run));
  OK(sfnec_log_writer_create(shape, &writer));
  OK(sfnec_run_set_log(run, writer));
  OK(sfnec_run_advance(run, INT64_MAX));
  OK(sfnec_log_writer_save(writer, "agent=test\nenv=four_rooms\n", path));
  sfnec_log_writer_destroy(writer);
  sfnec_run_destroy(run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

// Recording changes nothing, rows follow on each other, and rewards are phi . w of the task.
static void test_records_what_happened(void **state) {
  (void)state;
  record("run.npz");
  sfnec_log log;
  sfnec_logged_row row;
  OK(sfnec_log_open("run.npz", &log));
  assert_int_equal(log.count, TASKS * STEPS);
  assert_int_equal(log.task_count, TASKS);
  assert_string_equal(log.note, "agent=test\nenv=four_rooms\n");
  OK(sfnec_logged_row_create(&log, &row));
  sfnec_env *env = open_env("four_rooms", short_episodes, 3);
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  float *observation = calloc((size_t)shape.observation_size, sizeof *observation);
  double *w = calloc((size_t)shape.feature_count, sizeof *w), *features = calloc(4, sizeof *features);
  bool fresh = true;
  for (uint64_t i = 0; i < log.count; i++) {
    // the same actions in the same world
    if (fresh) OK(sfnec_env_reset(env, observation));
    sfnec_log_get(&log, i, &row);
    assert_int_equal(row.task, i / STEPS);
    assert_memory_equal(row.observation, observation, (size_t)shape.observation_size * sizeof(float));
    sfnec_env_outcome outcome;
    OK(sfnec_env_step(env, row.transition.action, observation, features, &outcome));
    assert_memory_equal(row.next_observation, observation, (size_t)shape.observation_size * sizeof(float));
    assert_memory_equal(row.features, features, 4 * sizeof *features);
    assert_true(row.transition.terminated == outcome.terminated && row.known);
    assert_true(row.transition.truncated == (!outcome.terminated && (outcome.truncated || (i + 1) % STEPS == 0)));
    sfnec_env_get_task_weights(env, row.task, w);
    double reward = 0;
    for (int k = 0; k < 4; k++) reward += features[k] * w[k];
    assert_true(row.transition.reward == reward);
    fresh = row.transition.terminated || row.transition.truncated;
  }
  free(observation), free(w), free(features);
  sfnec_env_destroy(env);
  sfnec_logged_row_free(&row);
  sfnec_log_close(&log);
}

// An agent that learns the rows one by one is that of the file, to the byte; so with weights for all of it.
static void test_learns_what_was_logged(void **state) {
  (void)state;
  record("learn.npz");
  const double w[] = {1, 0, 0, 1};
  for (int given = 0; given < 2; given++) {
    sfnec_log log;
    sfnec_logged_row row;
    sfnec_log_lesson lesson;
    OK(sfnec_log_open("learn.npz", &log));
    assert_int_equal(log.shape.action_count, 4);
    sfnec_agent *of_file = agent_for(&log.shape, "sfnec-plan", planner, 1);
    sfnec_agent *of_rows = agent_for(&log.shape, "sfnec-plan", planner, 1);
    OK(sfnec_log_learn(&log, of_file, given ? w : NULL, &lesson));
    assert_true(lesson.learned == log.count && lesson.left_out == 0);
    OK(sfnec_logged_row_create(&log, &row));
    uint64_t episodes = 0;
    for (uint64_t i = 0; i < log.count; i++) {
      double of_task[4];
      sfnec_log_get(&log, i, &row);
      sfnec_log_get_weights(&log, row.task, of_task);
      if (i % STEPS == 0 && (i == 0 || !given)) OK(sfnec_agent_begin_task(of_rows, given ? w : of_task, NULL));
      if (given) row.transition.reward = row.features[0] + row.features[3];
      OK(sfnec_agent_learn_transition(of_rows, row.observation, &row.transition));
      episodes += row.transition.terminated || row.transition.truncated;
    }
    assert_int_equal(lesson.episodes, episodes);
    OK(sfnec_agent_end_episode(of_rows));
    OK(sfnec_agent_save(of_file, "file.agent"));
    OK(sfnec_agent_save(of_rows, "rows.agent"));
    assert_true(same_files("file.agent", "rows.agent"));
    sfnec_logged_row_free(&row);
    sfnec_log_close(&log);
    sfnec_agent_destroy(of_file);
    sfnec_agent_destroy(of_rows);
  }
}

// ---- logs of others ----

enum { ROWS = 6 };
static const float steps[ROWS] = {0, 1, 2, 0, 1, 2};
static const double paid[ROWS] = {0, 0, 1, 0, 0, 0};
static const int64_t actions[ROWS] = {0, 1, 1, 0, 1, 1};
static const uint8_t ends[ROWS] = {0, 0, 1, 0, 0, 0}, cuts[ROWS] = {0, 0, 0, 0, 1, 0};

static sfnec_npz_array column(const char *name, sfnec_npz_type type, const void *data, uint64_t rows) {
  sfnec_npz_array array = {.type = type, .dims = 1, .shape = {rows}, .count = rows, .data = data};
  snprintf(array.name, sizeof array.name, "%s", name);
  return array;
}

// Without next_observations the next row counts; nobody knows where a row led that was cut off, or is the last.
static void test_without_next_observations(void **state) {
  (void)state;
  const sfnec_npz_array arrays[] = {
      column("obs", SFNEC_NPZ_F4, steps, ROWS), column("action", SFNEC_NPZ_I8, actions, ROWS),
      column("reward", SFNEC_NPZ_F8, paid, ROWS), column("terminations", SFNEC_NPZ_B1, ends, ROWS),
      column("truncations", SFNEC_NPZ_U1, cuts, ROWS)};
  OK(sfnec_npz_write("short.npz", arrays, 5));
  sfnec_log log;
  sfnec_logged_row row;
  OK(sfnec_log_open("short.npz", &log));
  assert_true(log.shape.observation_size == 1 && log.shape.action_count == 2 && log.shape.feature_count == 1);
  OK(sfnec_logged_row_create(&log, &row));
  const bool known[ROWS] = {true, true, true, true, false, false};
  for (uint64_t i = 0; i < ROWS; i++) {
    sfnec_log_get(&log, i, &row);
    assert_true(row.known == known[i] && row.features[0] == paid[i] && row.transition.reward == paid[i]);
    if (i < 2) assert_true(row.next_observation[0] == steps[i + 1] && !row.transition.truncated);
  }
  // the row before one that is left out ends its piece
  sfnec_log_get(&log, 3, &row);
  assert_true(row.transition.truncated && row.next_observation[0] == 1.0f);
  sfnec_agent *agent = agent_for(&log.shape, "nec", none, 1);
  sfnec_log_lesson lesson;
  OK(sfnec_log_learn(&log, agent, NULL, &lesson));
  assert_true(lesson.learned == 4 && lesson.left_out == 2 && lesson.episodes == 2);
  sfnec_agent_destroy(agent);
  sfnec_logged_row_free(&row);
  sfnec_log_close(&log);
}

// Writes the rows with one array more, or another one in the place of the one of that name, and says what is refused.
static void refuse(sfnec_npz_array other, const char *sentence) {
  const sfnec_npz_array whole[] = {column("observations", SFNEC_NPZ_F4, steps, ROWS),
                                   column("actions", SFNEC_NPZ_I8, actions, ROWS),
                                   column("rewards", SFNEC_NPZ_F8, paid, ROWS)};
  sfnec_npz_array arrays[4];
  size_t count = 0;
  bool replaced = false;
  for (size_t i = 0; i < 3; i++) {
    const bool same = strcmp(whole[i].name, other.name) == 0;
    replaced = replaced || same;
    if (!same) arrays[count++] = whole[i];
    else if (other.count) arrays[count++] = other;
  }
  if (!replaced) arrays[count++] = other;
  OK(sfnec_npz_write("refused.npz", arrays, count));
  sfnec_log log;
  REFUSED(sfnec_log_open("refused.npz", &log), SFNEC_ERROR_FORMAT, sentence);
}

static void test_refusals(void **state) {
  (void)state;
  static const double parts[ROWS] = {0, 0.5, 1, 0, 0, 0};
  static const int64_t below[ROWS] = {0, -1};
  refuse(column("observations", SFNEC_NPZ_F4, steps, 0), "no array observations");
  refuse(column("actions", SFNEC_NPZ_F4, steps, 0), "no array actions");
  refuse(column("rewards", SFNEC_NPZ_F4, steps, 0), "neither an array rewards nor features");
  refuse(column("actions", SFNEC_NPZ_F8, parts, ROWS), "no numbers of discrete actions");
  refuse(column("actions", SFNEC_NPZ_I8, below, ROWS), "no numbers of discrete actions");
  refuse(column("terminals", SFNEC_NPZ_B1, ends, ROWS - 1), "terminals has another number of rows");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_records_what_happened),
      cmocka_unit_test(test_learns_what_was_logged),
      cmocka_unit_test(test_without_next_observations),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
