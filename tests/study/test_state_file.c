// test_state_file.c: the compressed state of a finished job: a run goes on from it as from the run itself, it is
// smaller, and what is damaged or claims too much is refused.
#include "support/check.h"

#include <stdio.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "sfnec/sfnec.h"
#include "study/work/state_file.h"

static const char label[] = "job=1\n";
static const sfnec_run_options two = {.tasks = 2, .steps = 400}, four = {.tasks = 4, .steps = 400};
enum { HEAD = 24, TAIL = 8 };

static sfnec_run *make_run(const sfnec_run_options *options, sfnec_env **env, sfnec_agent **agent) {
  sfnec_agent_options agent_options;
  sfnec_run *run;
  OK(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, 3, env));
  OK(sfnec_agent_options_preset("sfnec", &agent_options));
  const sfnec_env_shape shape = sfnec_env_get_shape(*env);
  OK(sfnec_agent_create(&shape, &agent_options, 3, agent));
  OK(sfnec_run_create(*agent, *env, options, &run));
  OK(sfnec_run_advance(run, INT64_MAX));
  return run;
}

static void close_run(sfnec_run *run, sfnec_agent *agent, sfnec_env *env) {
  sfnec_run_destroy(run);
  sfnec_agent_destroy(agent);
  sfnec_env_destroy(env);
}

static void check_same_agents(const sfnec_agent *a, const sfnec_agent *b) {
  unsigned char *bytes[2];
  size_t sizes[2];
  OK(sfnec_agent_save_bytes(a, &bytes[0], &sizes[0]));
  OK(sfnec_agent_save_bytes(b, &bytes[1], &sizes[1]));
  assert_int_equal(sizes[0], sizes[1]);
  assert_memory_equal(bytes[0], bytes[1], sizes[0]);
  sfnec_agent_free_bytes(bytes[0]);
  sfnec_agent_free_bytes(bytes[1]);
}

static void test_goes_on(void **state) {
  (void)state;
  sfnec_env *env, *whole_env, *again_env;
  sfnec_agent *agent, *whole_agent, *again_agent;
  sfnec_run *again, *run = make_run(&two, &env, &agent), *whole = make_run(&four, &whole_env, &whole_agent);
  OK(sfnec_state_write("job", label, run));
  OK(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, 3, &again_env));
  OK(sfnec_state_read("job", label, again_env, &four, &again_agent, &again));
  check_same_agents(agent, again_agent);
  OK(sfnec_run_advance(again, INT64_MAX));
  check_same_agents(whole_agent, again_agent);

  // one file, smaller than a checkpoint with its keys
  OK(sfnec_run_save(run, "checkpoint", label));
  const int64_t bytes = sfnec_state_get_bytes("job"), plain = sfnec_run_get_saved_bytes("checkpoint");
  assert_true(bytes > 0 && bytes < plain * 8 / 10);
  // both places count, and both go
  OK(sfnec_run_save(run, "job", label));
  assert_int_equal(sfnec_state_get_bytes("job"), bytes + plain);
  OK(sfnec_state_discard("job"));
  assert_int_equal(sfnec_state_get_bytes("job"), 0);
  OK(sfnec_state_discard("job"));
  close_run(run, agent, env);
  close_run(whole, whole_agent, whole_env);
  close_run(again, again_agent, again_env);
}

static void check_read(sfnec_status status, const char *text) {
  sfnec_env *env;
  sfnec_agent *agent;
  sfnec_run *run;
  OK(sfnec_env_create(sfnec_env_kind_find("four_rooms"), NULL, 3, &env));
  REFUSED(sfnec_state_read("job", label, env, &four, &agent, &run), status, text);
  assert_true(!agent && !run);
  sfnec_env_destroy(env);
}

// the payload with a right checksum around it
static void write_sealed(const void *payload, size_t size) {
  unsigned char *file = calloc(1, HEAD + size + TAIL);
  const uint32_t version = 1;
  const uint64_t length = size;
  memcpy(file, "SFNECZST", 8);
  memcpy(file + 8, &version, 4);
  memcpy(file + 16, &length, 8);
  memcpy(file + HEAD, payload, size);
  const uint64_t checksum = XXH3_64bits_withSeed(file, HEAD, XXH3_64bits(file + HEAD, size));
  memcpy(file + HEAD + size, &checksum, TAIL);
  FILE *stream = fopen("job.state", "wb");
  assert_int_equal(fwrite(file, 1, HEAD + size + TAIL, stream), HEAD + size + TAIL);
  fclose(stream);
  free(file);
}

static void test_damage(void **state) {
  (void)state;
  sfnec_env *env;
  sfnec_agent *agent, *none_agent;
  sfnec_run *run = make_run(&two, &env, &agent), *none;
  OK(sfnec_state_read("nothing", label, env, &four, &none_agent, &none));
  assert_true(!none && !none_agent);
  OK(sfnec_state_write("job", "another", run));
  check_read(SFNEC_ERROR_FORMAT, "job.state belongs to another run");
  OK(sfnec_state_write("job", label, run));
  const sfnec_run_options one = {.tasks = 1, .steps = 400};
  REFUSED(sfnec_state_read("job", label, env, &one, &none_agent, &none), SFNEC_ERROR_STATE, "2 tasks");
  close_run(run, agent, env);

  // a byte in the middle, half of it
  FILE *stream = fopen("job.state", "r+b");
  fseek(stream, 5000, SEEK_SET);
  fputc('x', stream);
  fclose(stream);
  check_read(SFNEC_ERROR_FORMAT, "its checksum does not match");
  assert_int_equal(truncate("job.state", 4000), 0);
  check_read(SFNEC_ERROR_FORMAT, "truncated");
  OK(sfnec_state_put_aside("job"));
  assert_int_equal(sfnec_state_get_bytes("job"), 0);
  assert_int_equal(access("job.state.damaged", F_OK), 0);
}

static void test_bombs(void **state) {
  (void)state;
  const uint32_t plain = 0, zstd = 1, other = 9;
  write_sealed(&other, 4);
  check_read(SFNEC_ERROR_FORMAT, "unknown way");
  write_sealed(&plain, 4);
  check_read(SFNEC_ERROR_FORMAT, "is not the state of a job");
  write_sealed(&zstd, 4);
  check_read(SFNEC_ERROR_FORMAT, "not packed as it says");

  // 100 MB of zeros in a few thousand bytes
  const size_t large = 100 * 1000 * 1000, room = ZSTD_compressBound(large);
  unsigned char *zeros = calloc(1, large), *bomb = malloc(4 + room);
  memcpy(bomb, &zstd, 4);
  const size_t size = ZSTD_compress(bomb + 4, room, zeros, large, 3);
  assert_true(size < 100000);
  write_sealed(bomb, 4 + size);
  check_read(SFNEC_ERROR_FORMAT, "claims to be many times larger");
  // a frame with something behind it, and one that is cut
  const size_t small = ZSTD_compress(bomb + 4, room, zeros, 1000, 3);
  bomb[4 + small] = 0;
  write_sealed(bomb, 4 + small + 1);
  check_read(SFNEC_ERROR_FORMAT, "not packed as it says");
  write_sealed(bomb, 4 + small - 1);
  check_read(SFNEC_ERROR_FORMAT, "not packed as it says");
  free(zeros);
  free(bomb);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_goes_on),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_bombs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
