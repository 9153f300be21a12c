// test_faults.c: every system call of saving and loading an agent fails in turn: one sentence, the old file whole,
// nothing left behind, and the next try writes the same bytes.
#include "support/faults.h"

#include "support/player.h"

static const char path[] = "folder/an agent", good[] = "good";

static player trained(int half_steps) {
  player p = open_player("four_rooms", "sfnec", NULL, 1);
  play(&p, half_steps);
  return p;
}

// Whether the save failed; then the file of before is there.
static void check_save(const sfnec_agent *agent, sfnec_status status, const char *before) {
  assert_int_equal(files_in("folder"), 1);
  if (!status) {
    assert_true(same_files(path, good));
    return;
  }
  assert_int_equal(status, SFNEC_ERROR_IO);
  check_sentence(sfnec_last_error());
  if (!strstr(sfnec_last_error(), path)) fail_msg("the file is not named: %s", sfnec_last_error());
  assert_true(same_files(path, before));
  OK(sfnec_agent_save(agent, path));
  assert_true(same_files(path, good));
}

static void test_save(void **state) {
  (void)state;
  if (!FAULTS) skip();
  assert_int_equal(mkdir("folder", 0777), 0);
  player early = trained(50), late = trained(700);
  const sfnec_agent *older = early.agent, *agent = late.agent;
  OK(sfnec_agent_save(older, "older"));
  OK(sfnec_agent_save(agent, good));
  const int descriptors = open_descriptors();
  int failed = 0, at = 0;
  for (bool reached = true; reached; at++) {
    OK(sfnec_agent_save(older, path));
    faults_begin(at);
    const sfnec_status status = sfnec_agent_save(agent, path);
    reached = faults_end();
    // only the sync of the folder may fail unnoticed
    if (reached && !status && !faults_hit("open")) fail_msg("%s failed unnoticed", faults.name);
    failed += status != SFNEC_OK;
    check_save(agent, status, "older");
  }
  if (failed < 6) fail_msg("only %d calls failed", failed);
  assert_int_equal(open_descriptors(), descriptors);
  close_player(&early);
  close_player(&late);
}

// A file that can be of any size but not this one.
static void test_room(void **state) {
  (void)state;
  player p = trained(700);
  const sfnec_agent *agent = p.agent;
  OK(sfnec_agent_save(agent, good));
  struct stat facts;
  assert_int_equal(stat(good, &facts), 0);
  for (long room = 0; room < facts.st_size; room += 1 + facts.st_size / 50) {
    write_file(path, "old", 3);
    write_file("before", "old", 3);
    file_room(room);
    const sfnec_status status = sfnec_agent_save(agent, path);
    file_room(-1);
    assert_int_equal(status, SFNEC_ERROR_IO);
    check_save(agent, status, "before");
  }
  close_player(&p);
}

// A file that cannot be read now is not called bad, and loads later.
static void test_load(void **state) {
  (void)state;
  if (!FAULTS) skip();
  const int descriptors = open_descriptors();
  int failed = 0, at = 0;
  for (bool reached = true; reached; at++) {
    sfnec_agent *agent = NULL;
    faults_begin(at);
    const sfnec_status status = sfnec_agent_load(good, &agent);
    reached = faults_end();
    // what was read is read, whether its file can be closed or not
    assert_true(status == (reached && !faults_hit("fclose") ? SFNEC_ERROR_IO : SFNEC_OK));
    if (status) check_sentence(sfnec_last_error());
    assert_true((status == SFNEC_OK) == (agent != NULL));
    failed += status != SFNEC_OK;
    sfnec_agent_destroy(agent);
  }
  assert_true(failed >= 2);
  assert_int_equal(open_descriptors(), descriptors);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_save),
      cmocka_unit_test(test_room),
      cmocka_unit_test(test_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
