// test_feature_noise.c: noise on features that are mostly the same is removed, and what follows from the action or from
// the steps before is left; it survives a file, and a damaged one is refused.
#include "support/check.h"

#include <math.h>

#include "agent/plan/feature_noise.h"
#include "base/file.h"
#include "sfnec/random.h"

enum { FEATURES = 6, ACTIONS = 3, ROWS = 1000, RARE = 50 };
enum { SPARSE, WALK, BY_ACTION, EXACT, OFTEN, COST }; // the features

static const double sd = 0.07;

// A reward now and then; a number that walks; one that the action decides; one without noise; one that is something
// else half of the time; and a cost on every step.
static void fill(sfnec_transition_log *all, int rows) {
  sfnec_random random = sfnec_random_start(5, 83);
  double walk = 0.0;
  OK(sfnec_transition_log_init(all, 1, FEATURES, ACTIONS));
  for (int t = 0; t < rows; t++) {
    const float at[1] = {(float)t};
    const uint32_t action = (uint32_t)sfnec_random_below(&random, ACTIONS);
    const double noise = sd * sfnec_random_normal(&random);
    walk = 0.9 * walk + noise;
    const float features[FEATURES] = {
        (float)((t % RARE == 0) + noise),
        (float)walk,
        (float)(0.1 * action + noise),
        (float)(t % RARE == 0),
        (float)(sfnec_random_below(&random, 2) + noise),
        (float)(-0.1 + sd * sfnec_random_normal(&random)),
    };
    OK(sfnec_transition_log_add(all, at, action, features, at, false, false));
  }
}

static void test_found(void **state) {
  (void)state;
  sfnec_transition_log transitions;
  sfnec_feature_noise noise;
  bool found;
  fill(&transitions, ROWS);
  OK(sfnec_feature_noise_init(&noise, FEATURES));
  assert_false(sfnec_feature_noise_any(&noise));
  OK(sfnec_feature_noise_fit(&noise, &transitions, ROWS, &found));
  assert_true(found && sfnec_feature_noise_any(&noise));
  for (size_t i = 0; i < FEATURES; i++) assert_int_equal(noise.reach[i] > 0.0f, i == SPARSE || i == COST);
  assert_true(fabs((double)noise.usual[SPARSE]) < 0.01 && fabs((double)noise.usual[COST] + 0.1) < 0.01);
  assert_true(fabs((double)noise.reach[SPARSE] / (sd * sqrt(2.0 * log((double)ROWS))) - 1.0) < 0.1);
  assert_true(sfnec_feature_noise_remove(&noise, SPARSE, 2.0 * sd) == (double)noise.usual[SPARSE]);
  assert_true(sfnec_feature_noise_remove(&noise, SPARSE, 0.9) == 0.9); // a reward
  assert_true(sfnec_feature_noise_remove(&noise, WALK, 0.01) == 0.01);
  OK(sfnec_feature_noise_fit(&noise, &transitions, ROWS, &found));
  assert_false(found); // nothing new
  OK(sfnec_feature_noise_fit(&noise, &transitions, 99, &found));
  assert_false(found); // too few to tell
  sfnec_feature_noise_forget(&noise);
  assert_false(sfnec_feature_noise_any(&noise));
  sfnec_feature_noise_clear(&noise);
  sfnec_transition_log_clear(&transitions);
}

static void test_few(void **state) {
  (void)state;
  sfnec_transition_log transitions;
  sfnec_feature_noise noise;
  bool found;
  fill(&transitions, 90);
  OK(sfnec_feature_noise_init(&noise, FEATURES));
  OK(sfnec_feature_noise_fit(&noise, &transitions, ROWS, &found));
  assert_false(found || sfnec_feature_noise_any(&noise));
  sfnec_feature_noise_clear(&noise);
  sfnec_transition_log_clear(&transitions);
}

static sfnec_status load(const float *numbers, size_t count, sfnec_feature_noise *noise) {
  sfnec_reader *reader = NULL;
  OK(sfnec_reader_open_memory(numbers, count * sizeof *numbers, NULL, 0, "noise", &reader));
  OK(sfnec_feature_noise_init(noise, 2));
  sfnec_status status = sfnec_feature_noise_load(noise, reader);
  if (!status && !sfnec_reader_good(reader)) status = SFNEC_ERROR_FORMAT;
  sfnec_reader_close(reader);
  return status;
}

static void test_files(void **state) {
  (void)state;
  static const float good[] = {0.5f, -1.0f, 0.25f, 0.0f};
  static const float wrong[][4] = {
      {NAN, 0, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, INFINITY}, {1e30f, 0, 0, 0}, {0, 0, 1e30f, 0}};
  sfnec_feature_noise noise;
  OK(load(good, 4, &noise));
  sfnec_writer *writer = NULL;
  unsigned char *bytes;
  size_t size;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_feature_noise_save(&noise, writer);
  OK(sfnec_writer_take(writer, &bytes, &size));
  assert_int_equal(size, sizeof good);
  assert_memory_equal(bytes, good, sizeof good);
  free(bytes);
  sfnec_feature_noise_clear(&noise);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_equal(load(wrong[i], 4, &noise), SFNEC_ERROR_FORMAT);
    sfnec_feature_noise_clear(&noise);
  }
  assert_int_equal(load(good, 3, &noise), SFNEC_ERROR_FORMAT);
  sfnec_feature_noise_clear(&noise);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_found),
      cmocka_unit_test(test_few),
      cmocka_unit_test(test_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
