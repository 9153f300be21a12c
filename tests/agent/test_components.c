// test_components.c: what the components of observations are: from the world to the agent, its file, and back.
#include "support/masked.h"

#include "agent/agent_file.h"
#include "sfnec/run.h"

static sfnec_env_shape shape(const void *options) {
  (void)options;
  return masked_shape;
}

static void reset(void *self, const void *options, sfnec_random *world, float *observation) {
  (void)self, (void)options, (void)world;
  memset(observation, 0, MASKED_OBSERVATION * sizeof *observation);
}

static sfnec_env_outcome step(void *self, const void *options, int32_t action, sfnec_random *world, float *observation,
                              double *features) {
  (void)self, (void)options, (void)world;
  for (int i = 0; i < MASKED_OBSERVATION; i++) observation[i] = (float)(action == i);
  features[0] = action, features[1] = 1;
  return (sfnec_env_outcome){.terminated = false};
}

static void describe(const void *options, sfnec_component_space *components) {
  (void)options;
  strcpy(components[0].name, "column");
  memset(components[1].name, 'r', sizeof components[1].name); // too long, and without an end
  components[1].kind = SFNEC_SPACE_DISCRETE;
  components[1].values = 5;
}

static const sfnec_env_kind kind = {
    .name = "cells", .state_size = 4, .shape = shape, .reset = reset, .step = step, .describe = describe};

static sfnec_agent *trained(const char *preset) {
  sfnec_env *env = NULL;
  sfnec_run *run = NULL;
  OK(sfnec_env_create(&kind, NULL, 1, &env));
  sfnec_agent *agent = agent_for(&masked_shape, preset, NULL, 1);
  assert_null(sfnec_agent_get_components(agent));
  sfnec_run_options options;
  sfnec_run_options_default(&options);
  options.tasks = 1, options.steps = 150;
  OK(sfnec_run_create(agent, env, &options, &run));
  OK(sfnec_run_advance(run, 150));
  sfnec_run_destroy(run);
  sfnec_env_destroy(env);
  return agent;
}

static void check_components(const sfnec_agent *agent) {
  const sfnec_component_space *found = sfnec_agent_get_components(agent);
  assert_non_null(found);
  assert_string_equal(found[0].name, "column");
  assert_int_equal(strlen(found[1].name), SFNEC_COMPONENT_NAME - 1);
  assert_int_equal(found[1].kind, SFNEC_SPACE_DISCRETE);
  assert_int_equal(found[1].values, 5);
  assert_string_equal(found[2].name, "");
}

static void test_from_the_world(void **state) {
  (void)state;
  for (size_t i = 0; sfnec_agent_preset_at(i); i++) {
    sfnec_agent *agent = trained(sfnec_agent_preset_at(i)->name), *again = NULL;
    check_components(agent);
    OK(sfnec_agent_save(agent, "named.agent"));
    OK(sfnec_agent_load("named.agent", &again));
    check_components(again);
    OK(sfnec_agent_save(again, "again.agent"));
    assert_true(same_files("named.agent", "again.agent"));
    sfnec_agent_destroy(agent);
    sfnec_agent_destroy(again);
  }
}

// Without a description a file has the bytes that it always had, and the choices are the same.
static void test_says_nothing(void **state) {
  (void)state;
  sfnec_agent *agent = trained("sfnec-plan");
  size_t named, plain;
  unsigned char *bytes = NULL;
  OK(sfnec_agent_save_bytes(agent, &bytes, &named));
  sfnec_agent_free_bytes(bytes);
  OK(sfnec_agent_set_components(agent, NULL));
  OK(sfnec_agent_save_bytes(agent, &bytes, &plain));
  sfnec_agent_free_bytes(bytes);
  // three numbers of four bytes for each, and the names
  assert_int_equal(named - plain, 3 * 12 + strlen("column") + SFNEC_COMPONENT_NAME - 1);
  sfnec_agent_destroy(agent);
}

static void test_refused(void **state) {
  (void)state;
  sfnec_agent *agent = agent_for(&masked_shape, "nec", NULL, 1);
  sfnec_component_space components[MASKED_OBSERVATION] = {{.name = "a"}, {.name = "a\nb"}, {.name = "c"}};
  OK(sfnec_agent_set_components(agent, components));
  assert_string_equal(sfnec_agent_get_components(agent)[1].name, "a?b"); // nothing that a terminal would obey
  components[2].values = -1;
  REFUSED(sfnec_agent_set_components(agent, components), SFNEC_ERROR_ARGUMENT, "component 2 is none");
  components[2].values = 0;
  components[2].kind = (sfnec_space_kind)7;
  REFUSED(sfnec_agent_set_components(agent, components), SFNEC_ERROR_ARGUMENT, "component 2 is none");
  assert_string_equal(sfnec_agent_get_components(agent)[2].name, "c");
  sfnec_agent_destroy(agent);
}

// Each byte of the description in a file is checked: what loads is a description, and can be saved again.
static void test_damaged(void **state) {
  (void)state;
  sfnec_agent *agent = agent_for(&masked_shape, "nec", NULL, 1);
  const sfnec_component_space components[MASKED_OBSERVATION] = {{.name = "a", .values = 3}, {.name = "b"}};
  OK(sfnec_agent_set_components(agent, components));
  sfnec_writer *writer = NULL;
  unsigned char *bytes = NULL;
  size_t size;
  OK(sfnec_writer_open_memory(NULL, 0, &writer));
  sfnec_agent_write(agent, writer, false);
  OK(sfnec_writer_take(writer, &bytes, &size));
  int loaded = 0, refused = 0;
  for (size_t at = size - 38; at < size; at++) {
    for (int bit = 0; bit < 8; bit++) {
      bytes[at] ^= (unsigned char)(1 << bit);
      sfnec_reader *reader = NULL;
      sfnec_agent *again = NULL;
      OK(sfnec_reader_open_memory(bytes, size, NULL, 0, "an agent", &reader));
      const sfnec_status status = sfnec_agent_read(reader, NULL, &again);
      sfnec_reader_close(reader);
      loaded += !status;
      refused += status == SFNEC_ERROR_FORMAT;
      if (!status) OK(sfnec_agent_set_components(again, sfnec_agent_get_components(again)));
      sfnec_agent_destroy(again);
      bytes[at] ^= (unsigned char)(1 << bit);
    }
  }
  assert_int_equal(loaded + refused, 38 * 8);
  assert_true(loaded > 0 && refused > 100);
  free(bytes);
  sfnec_agent_destroy(agent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_from_the_world),
      cmocka_unit_test(test_says_nothing),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_damaged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
