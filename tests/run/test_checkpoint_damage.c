// test_checkpoint_damage.c: files that are damaged, missing, mixed up or of another run are recognised.
#include "run/job.h"
#define COUNT_ALLOCATIONS
#include "support/own_malloc.h"

#include <xxhash.h>

static const char *const small[] = {"capacity=25", "neighbours=5", NULL};
static const plan the_plan = {"sfnec", small, {.tasks = 4, .steps = 150, .keep_episodes = true}};
static const char folder[] = "saved";

static int wipe(void **state) {
  (void)state;
  return system("rm -rf saved other template");
}

// Two checkpoints: state-1 at 160 steps and state-0, the newer one, at 310, with new keys.
static void make_folder(const char *where) {
  job j = open_job(&the_plan);
  OK(sfnec_run_advance(j.run, 160));
  OK(sfnec_run_save(j.run, where, label));
  OK(sfnec_run_advance(j.run, 150));
  OK(sfnec_run_save(j.run, where, label));
  close_job(&j);
}

static sfnec_status resume(job *j, const char *with, const sfnec_run_options *options, char *warning) {
  return sfnec_run_resume(folder, with, j->env, options, &j->agent, &j->run, warning);
}

// Passes over the newer state with a warning that holds this text, and ends as the unbroken run.
static void check_falls_back(const job *whole, const char *text) {
  job j = {.env = open_world()};
  char warning[SFNEC_RUN_WARNING];
  OK(resume(&j, label, &the_plan.options, warning));
  assert_non_null(j.run);
  if (!strstr(warning, text) || !strstr(warning, "the run resumes from saved/state-1 instead")) fail_msg("%s", warning);
  assert_int_equal(sfnec_run_get_steps_done(j.run), 160);
  // the next save takes the place of the damaged one
  if (whole) {
    OK(sfnec_run_advance(j.run, 25));
    OK(sfnec_run_save(j.run, folder, label));
    close_job(&j);
    j = resume_job(&the_plan, folder);
    assert_int_equal(sfnec_run_get_steps_done(j.run), 185);
    OK(sfnec_run_advance(j.run, INT64_MAX));
    check_same(whole, &j);
  }
  close_job(&j);
}

// Refuses the folder with this text, and leaves the environment as it was.
static void check_refused_as(sfnec_status status, const char *with, const sfnec_run_options *options, sfnec_env *env,
                             const char *text) {
  job j = {.env = env};
  char warning[SFNEC_RUN_WARNING];
  const size_t size = sfnec_env_get_state_size(env);
  char *before = malloc(size), *after = malloc(size);
  sfnec_env_get_state(env, before);
  REFUSED(resume(&j, with, options, warning), status, text);
  assert_true(!j.agent && !j.run);
  sfnec_env_get_state(env, after);
  assert_memory_equal(before, after, size);
  free(before);
  free(after);
  sfnec_env_destroy(env);
}

static void check_refused(const char *with, const sfnec_run_options *options, sfnec_env *env, const char *text) {
  check_refused_as(SFNEC_ERROR_FORMAT, with, options, env, text);
}

static void test_damaged_state(void **state) {
  (void)state;
  make_folder(folder);
  job whole = open_job(&the_plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  size_t size;
  unsigned char *bytes = file_bytes("saved/state-0", &size);
  for (size_t i = 0; i < 60; i++) {
    const size_t at = i < 30 ? i : size / 31 * (i - 29);
    bytes[at] ^= 0x10;
    write_file("saved/state-0", bytes, size);
    check_falls_back(NULL, "saved/state-0 ");
    bytes[at] ^= 0x10;
    write_file("saved/state-0", bytes, at);
    check_falls_back(NULL, "saved/state-0 is ");
  }
  check_falls_back(&whole, "saved/state-0 is truncated");
  close_job(&whole);
  free(bytes);
}

// Content that the checksum accepts and the program does not: the payload is changed and sealed again (base/file.h).
static void seal(const char *path, unsigned char *file, size_t size) {
  const uint64_t length = size - 24 - 8;
  memcpy(file + 16, &length, 8);
  const uint64_t checksum = XXH3_64bits_withSeed(file, 24, XXH3_64bits(file + 24, (size_t)length));
  memcpy(file + size - 8, &checksum, 8);
  write_file(path, file, size);
}

static void test_forged_state(void **state) {
  (void)state;
  make_folder(folder);
  size_t size;
  unsigned char *good = file_bytes("saved/state-0", &size), *bytes = malloc(size);
  for (size_t i = 0; i < 1200; i++) {
    const size_t at = i < 800 ? 24 + i : 824 + (i - 800) * ((size - 832) / 400);
    memcpy(bytes, good, size);
    bytes[at] ^= i % 2 ? 0x80 : 0x01;
    seal("saved/state-0", bytes, size);
    job j = {.env = open_world()};
    char warning[SFNEC_RUN_WARNING];
    const sfnec_status status = resume(&j, label, &the_plan.options, warning);
    // refused, further than is asked for, passed over, or a number that may be another one: never a crash
    if (status == SFNEC_OK) (void)sfnec_run_advance(j.run, 5);
    else assert_true(status == SFNEC_ERROR_FORMAT || status == SFNEC_ERROR_STATE);
    close_job(&j);
  }
  for (size_t i = 0; i < 300; i++) {
    const size_t length = 32 + i * ((size - 33) / 300);
    memcpy(bytes, good, length);
    seal("saved/state-0", bytes, length);
    job j = {.env = open_world()};
    char warning[SFNEC_RUN_WARNING];
    const sfnec_status status = resume(&j, label, &the_plan.options, warning);
    if (status == SFNEC_OK) assert_int_equal(sfnec_run_get_steps_done(j.run), 160);
    else assert_int_equal(status, SFNEC_ERROR_FORMAT);
    close_job(&j);
  }
  free(bytes);
  free(good);
}

// steps of tasks that do not add up to a number are refused
static void test_too_many_steps(void **state) {
  (void)state;
  make_folder(folder);
  size_t size;
  unsigned char *bytes = file_bytes("saved/state-0", &size);
  const int64_t steps = the_plan.options.steps, most = INT64_MAX;
  bool refused = false;
  for (size_t at = 24; at + 16 <= size; at++) {
    if (memcmp(bytes + at, &steps, sizeof steps) != 0) continue;
    memcpy(bytes + at, &most, sizeof most);
    seal("saved/state-0", bytes, size);
    memcpy(bytes + at, &steps, sizeof steps);
    job j = {.env = open_world()};
    char warning[SFNEC_RUN_WARNING];
    if (!resume(&j, label, &the_plan.options, warning)) {
      assert_true(sfnec_run_get_steps_done(j.run) >= 0);
      refused = refused || strstr(warning, "its steps are too many");
    }
    close_job(&j);
  }
  assert_true(refused);
  free(bytes);
}

static void test_damaged_keys(void **state) {
  (void)state;
  job whole = open_job(&the_plan);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  make_folder(folder);
  shell("cp -r saved template");
  // the keys of the second task are those that the older state does not refer to
  job older = open_job(&the_plan);
  OK(sfnec_run_advance(older.run, 160));
  OK(sfnec_run_save(older.run, "other", label));
  char first[512], second[512], path[512], command[2048];
  path_like("other", "keys-", 0, path);
  snprintf(first, sizeof first, "saved/%s", path + strlen("other/"));
  path_like(folder, "keys-", 0, second);
  if (strcmp(first, second) == 0) path_like(folder, "keys-", 1, second);
  close_job(&older);

  size_t size;
  unsigned char *bytes = file_bytes(second, &size);
  unlink(second);
  check_falls_back(NULL, "is missing");
  write_file(second, bytes, size / 2);
  check_falls_back(NULL, "is truncated");
  // the lowest bit of a key: still a key, and no longer the one
  bytes[24 + 4 * 113] ^= 1;
  write_file(second, bytes, size);
  check_falls_back(NULL, "is corrupted");
  seal(second, bytes, size);
  check_falls_back(NULL, "its keys are not those that its name stands for");
  write_file(second, "other things", 12);
  check_falls_back(NULL, "is not a file of keys");
  // keys of another task under this name: whole, and yet not those that the state means
  snprintf(command, sizeof command, "cp '%s' '%s'", first, second);
  shell(command);
  check_falls_back(NULL, "keys");
  check_falls_back(&whole, "keys");

  // keys that both states need
  shell("rm -r saved && cp -r template saved");
  unlink(first);
  check_refused(label, &the_plan.options, open_world(), "is missing; no good checkpoint is left in saved");
  snprintf(command, sizeof command, "cp '%s' '%s'", second, first);
  shell("rm -r saved && cp -r template saved");
  shell(command);
  check_refused(label, &the_plan.options, open_world(),
                "no good checkpoint is left in saved: remove it to begin again");
  free(bytes);
  close_job(&whole);
}

static void test_nothing_good(void **state) {
  (void)state;
  make_folder(folder);
  write_file("saved/state-0", "", 0);
  write_file("saved/state-1", "SFNECRUN", 8);
  check_refused(label, &the_plan.options, open_world(), "saved/state-0 is not a checkpoint");
  unlink("saved/state-0");
  check_refused(label, &the_plan.options, open_world(), "saved/state-1 is truncated");
  // a run that begins again takes the place over
  job j = open_job(&the_plan);
  OK(sfnec_run_save(j.run, folder, label));
  OK(sfnec_run_save(j.run, folder, label));
  close_job(&j);
  j = resume_job(&the_plan, folder);
  assert_int_equal(sfnec_run_get_steps_done(j.run), 0);
  close_job(&j);
}

// An agent file is no checkpoint.
static void test_foreign_file(void **state) {
  (void)state;
  make_folder(folder);
  job j = open_job(&the_plan);
  OK(sfnec_agent_save(j.agent, "saved/state-0"));
  close_job(&j);
  check_falls_back(NULL, "saved/state-0 is not a checkpoint");
}

static void test_other_run(void **state) {
  (void)state;
  make_folder(folder);
  const sfnec_run_options *same = &the_plan.options;
  check_refused("agent=test\nseed=4\nsteps=many", same, open_world(),
                "saved/state-0 belongs to another run: its label says 'seed=3', not 'seed=4'");
  check_refused("agent=test", same, open_world(), "its label says 'agent=test', not 'agent=test'");
  check_refused("", same, open_world(), "its label says 'agent=test', not ''");

  sfnec_run_options other = *same;
  other.steps = 151;
  check_refused(label, &other, open_world(), "a run of 150 steps and 0 episodes per task");
  other = *same;
  other.episodes = 5;
  check_refused(label, &other, open_world(), "not 150 and 5: ask for the same");
  other = *same;
  other.keep_episodes = false;
  check_refused(label, &other, open_world(), "that keeps its episodes");
  other = *same;
  other.tasks = 2; // two are finished, and the third is running
  // no damage: what is further is not put aside
  check_refused_as(SFNEC_ERROR_STATE, label, &other, open_world(),
                   "has finished 2 tasks and begun another and 2 are asked for");

  check_refused(label, same, open_env("one_room", NULL, 3),
                "saved/state-0 was saved in another environment than one_room");
  check_refused(label, same, open_env("four_rooms", NULL, 3), "was saved in four_rooms with other options");
  check_refused(label, same, open_env("four_rooms", short_episodes, 4), "was saved in four_rooms with another seed");
}

// Fewer tasks than the saved run was to have, but not fewer than it has begun.
static void test_fewer_tasks(void **state) {
  (void)state;
  make_folder(folder);
  plan three = the_plan;
  three.options.tasks = 3;
  job whole = open_job(&three), j = resume_job(&three, folder);
  OK(sfnec_run_advance(whole.run, INT64_MAX));
  OK(sfnec_run_advance(j.run, INT64_MAX));
  check_same(&whole, &j);
  close_job(&whole);
  close_job(&j);
}

static void test_bad_folders(void **state) {
  (void)state;
  job j = open_job(&the_plan), other = {.env = open_world()};
  char warning[SFNEC_RUN_WARNING], name[5000];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  REFUSED(sfnec_run_save(j.run, NULL, label), SFNEC_ERROR_ARGUMENT, "needs the name of a folder");
  REFUSED(sfnec_run_save(j.run, "", label), SFNEC_ERROR_ARGUMENT, "needs the name of a folder");
  REFUSED(sfnec_run_save(j.run, name, label), SFNEC_ERROR_ARGUMENT, "too long: it has 4999 bytes");
  REFUSED(sfnec_run_save(j.run, folder, NULL), SFNEC_ERROR_ARGUMENT, "label must be a text");
  REFUSED(sfnec_run_resume(folder, NULL, other.env, &the_plan.options, &other.agent, &other.run, warning),
          SFNEC_ERROR_ARGUMENT, "got NULL");
  REFUSED(sfnec_run_discard(""), SFNEC_ERROR_ARGUMENT, "needs the name of a folder");
  write_file("plain", "x", 1);
  REFUSED(sfnec_run_save(j.run, "plain/folder", label), SFNEC_ERROR_IO,
          "cannot make the folder plain/folder: Not a directory");
  REFUSED(sfnec_run_save(j.run, "plain", label), SFNEC_ERROR_IO, "cannot make the folder plain: Not a directory");
  REFUSED(sfnec_run_save(j.run, "/proc/sfnec", label), SFNEC_ERROR_IO, "cannot make the folder /proc/sfnec");
  unlink("plain");

  // rights do not bind the superuser
  if (geteuid() != 0) {
    OK(sfnec_run_save(j.run, folder, label));
    assert_int_equal(chmod(folder, 0555), 0);
    OK(sfnec_run_advance(j.run, 10));
    REFUSED(sfnec_run_save(j.run, folder, label), SFNEC_ERROR_IO, "Permission denied");
    REFUSED(sfnec_run_discard(folder), SFNEC_ERROR_IO, "cannot remove saved/state-1");
    job resumed = resume_job(&the_plan, folder);
    assert_int_equal(sfnec_run_get_steps_done(resumed.run), 0);
    close_job(&resumed);
    assert_int_equal(chmod(folder, 0755), 0);
    OK(sfnec_run_save(j.run, folder, label));
  }
  close_job(&j);
  close_job(&other);
}

// A state of a newer program is whole for all we know: it is refused, and the older one beside it is not gone on from.
static void test_newer_state(void **state) {
  (void)state;
  make_folder(folder);
  size_t size;
  unsigned char *bytes = file_bytes("saved/state-0", &size);
  bytes[8] = 200;
  seal("saved/state-0", bytes, size);
  job j = {.env = open_world()};
  char warning[SFNEC_RUN_WARNING];
  REFUSED(resume(&j, label, &the_plan.options, warning), SFNEC_ERROR_VERSION,
          "saved/state-0 has format version 200 and this program reads versions 1 to 5; use the newer program");
  assert_true(!j.agent && !j.run && access("saved/state-0", F_OK) == 0 && access("saved/state-1", F_OK) == 0);
  close_job(&j);
  free(bytes);
}

// What is put away keeps its bytes, and the folder is free for a new run.
static void test_put_aside(void **state) {
  (void)state;
  make_folder(folder);
  size_t before, after;
  unsigned char *bytes = file_bytes("saved/state-0", &before);
  OK(sfnec_run_put_aside(folder));
  unsigned char *kept = file_bytes("saved/state-0.damaged", &after);
  assert_int_equal(before, after);
  assert_memory_equal(bytes, kept, before);
  assert_int_equal(sfnec_run_get_saved_bytes(folder), 0);
  job j = {.env = open_world()};
  char warning[SFNEC_RUN_WARNING];
  OK(resume(&j, label, &the_plan.options, warning));
  assert_null(j.run);
  close_job(&j);
  REFUSED(sfnec_run_put_aside(""), SFNEC_ERROR_ARGUMENT, "needs the name of a folder");
  free(bytes);
  free(kept);
}

// Without memory at any moment nothing is called damaged: what is there is whole, and resuming works later.
static void test_no_memory(void **state) {
  (void)state;
  if (!OWN_MALLOC) skip();
  make_folder(folder);
  for (int number = 0;; number++) {
    job j = {.env = open_world()};
    char warning[SFNEC_RUN_WARNING];
    allocations = 0;
    refuse_only(number);
    const sfnec_status status = resume(&j, label, &the_plan.options, warning);
    refuse_none();
    if (status) assert_int_equal(status, SFNEC_ERROR_MEMORY);
    assert_string_equal(warning, "");
    close_job(&j);
    if (!status) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_newer_state, wipe),  cmocka_unit_test_teardown(test_put_aside, wipe),
      cmocka_unit_test_teardown(test_no_memory, wipe),    cmocka_unit_test_teardown(test_damaged_state, wipe),
      cmocka_unit_test_teardown(test_forged_state, wipe), cmocka_unit_test_teardown(test_damaged_keys, wipe),
      cmocka_unit_test_teardown(test_nothing_good, wipe), cmocka_unit_test_teardown(test_foreign_file, wipe),
      cmocka_unit_test_teardown(test_other_run, wipe),    cmocka_unit_test_teardown(test_fewer_tasks, wipe),
      cmocka_unit_test_teardown(test_bad_folders, wipe),  cmocka_unit_test_teardown(test_too_many_steps, wipe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
