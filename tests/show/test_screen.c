// test_screen.c: a scene as text: taken apart again by a small terminal.
#include <inttypes.h>

#include "show/saved.h"

#include "show/play/screen.h"

enum { MOST_COLUMNS = 200, MOST_ROWS = 60 };

// What a terminal shows: one byte per place ('?' stands for a character of several bytes).
typedef struct terminal {
  char cells[MOST_ROWS][MOST_COLUMNS + 1];
  int row, column, rows;
  int colours;    // sequences that set a colour
  bool multibyte; // a byte outside of ASCII was seen
} terminal;

static const char *obey(terminal *t, const char *at) {
  int numbers[16] = {0}, count = 0;
  assert_true(at[0] == '[');
  for (at++; (*at >= '0' && *at <= '9') || *at == ';'; at++) {
    if (*at == ';') count++;
    else numbers[count] = 10 * numbers[count] + (*at - '0');
  }
  if (*at == 'H') {
    t->row = numbers[0] - 1;
    t->column = 0;
    if (t->row + 1 > t->rows) t->rows = t->row + 1;
  } else if (*at == 'm') {
    for (int i = 0; i <= count; i++) t->colours += numbers[i] >= 30 && numbers[i] < 50;
  } else {
    assert_true(*at == 'K' || *at == 'J');
  }
  return at + 1;
}

static void show(terminal *t, const char *text) {
  *t = (terminal){0};
  memset(t->cells, ' ', sizeof t->cells);
  for (int row = 0; row < MOST_ROWS; row++) t->cells[row][MOST_COLUMNS] = '\0';
  while (*text) {
    const unsigned char byte = (unsigned char)*text++;
    if (byte == 033) {
      text = obey(t, text);
      continue;
    }
    assert_true(byte >= 0x20 && byte != 0x7f);
    t->multibyte = t->multibyte || byte >= 0x80;
    if ((byte & 0xc0) == 0x80) continue;
    assert_true(t->row < MOST_ROWS && t->column < MOST_COLUMNS);
    t->cells[t->row][t->column++] = byte < 0x80 ? (char)byte : '?';
  }
}

static terminal draw(const sfnec_scene *scene, const sfnec_value_map *values, const sfnec_screen_options *options) {
  char *text = sfnec_screen_draw(scene, values, options);
  assert_non_null(text);
  terminal t;
  show(&t, text);
  free(text);
  return t;
}

static void contains(const terminal *t, const char *text) {
  for (int row = 0; row < t->rows; row++)
    if (strstr(t->cells[row], text)) return;
  fail_msg("the screen lacks '%s'", text);
}

static const sfnec_screen_options plain = {.columns = 80, .rows = 24, .speed = 8};

static void test_plain(void **state) {
  (void)state;
  save_agent("a.sfnec", "four_rooms", "sfnec", NULL, 4);
  sfnec_scene *scene = open_scene("a.sfnec", 0, 50);
  terminal t = draw(scene, NULL, &plain);
  assert_int_equal(t.rows, 24);
  assert_int_equal(t.colours, 0);
  assert_false(t.multibyte);
  for (int row = 0; row < 24; row++) assert_true(t.cells[row][80] == ' ');
  // the map has 40 x 20 characters in a frame; the start (0.05, 0.05) is column 2 and row 1 from the bottom
  assert_true(t.cells[0][0] == '+' && t.cells[21][41] == '+');
  assert_true(t.cells[19][3] == '@');
  // the goal's centre (0.86, 0.86): column 34, row 17
  assert_true(t.cells[3][35] == 'G');
  // the wall at x = 0.5, and the door around y = 4/21
  assert_true(t.cells[20][20] == '#' && t.cells[20][21] == '#' && t.cells[17][20] == ' ');
  // an object: a circle at (9.5, 11.5) / 21
  assert_true(t.cells[10][19] == 'o');
  contains(&t, "tester in four_rooms");
  contains(&t, "episode 1  step 0  playing");
  contains(&t, "q quit");
  char line[64];
  snprintf(line, sizeof line, "> %s", sfnec_scene_action(scene, scene->choice.action));
  contains(&t, line);
  snprintf(line, sizeof line, "GPI chose policy %d", (int)scene->choice.policy + 1);
  contains(&t, line);
  snprintf(line, sizeof line, "%9.3f", scene->q[2]);
  contains(&t, line);
  contains(&t, "> circle");

  // after a few steps: the trail is left behind
  for (int i = 0; i < 5; i++) OK(sfnec_scene_step(scene));
  t = draw(scene, NULL, &plain);
  contains(&t, "step 5");
  assert_true(t.cells[19][3] == '.' || t.cells[19][3] == '@' || t.cells[19][3] == '+');
  sfnec_scene_close(scene);
}

static void test_sliders(void **state) {
  (void)state;
  save_agent("a.sfnec", "four_rooms", "sfnec", NULL, 4);
  sfnec_scene *scene = open_scene("a.sfnec", 0, 50);
  const double w[4] = {-1, 0, 1, 7};
  OK(sfnec_scene_set_weights(scene, w));
  sfnec_screen_options options = plain;
  options.feature = 2;
  const terminal t = draw(scene, NULL, &options);
  contains(&t, "  circle   O------+-------  -1.00");
  contains(&t, "  square   -------O-------   0.00");
  contains(&t, "> triangle -------+------O   1.00");
  contains(&t, "  goal     -------+------O   7.00");
  sfnec_scene_close(scene);
}

static void test_colours_and_size(void **state) {
  (void)state;
  save_agent("a.sfnec", "four_rooms", "sfnec", NULL, 4);
  sfnec_scene *scene = open_scene("a.sfnec", 0, 50);
  sfnec_screen_options options = {.columns = 170, .rows = 50, .colours = 256, .unicode = true, .speed = 8};
  int columns, rows;
  sfnec_screen_map_size(scene, &options, &columns, &rows);
  assert_int_equal(rows, 46);
  assert_int_equal(columns, 92);
  sfnec_value_map *values;
  OK(sfnec_value_map_create(scene, columns, rows, &values));
  OK(sfnec_value_map_update(values, scene));
  terminal t = draw(scene, values, &options);
  assert_true(t.colours > 500 && t.multibyte && t.rows == 50);
  sfnec_value_map_destroy(values);

  // too small: one line that says so
  const int sizes[][2] = {{79, 24}, {80, 23}, {10, 3}, {1, 1}};
  for (int i = 0; i < 4; i++) {
    options.columns = sizes[i][0];
    options.rows = sizes[i][1];
    t = draw(scene, NULL, &options);
    assert_true(strncmp(t.cells[0], "too small: needs 80 x 24", (size_t)(sizes[i][0] < 24 ? sizes[i][0] : 24)) == 0);
  }
  sfnec_scene_close(scene);
}

// states as dots, those at the frontier marked, and the planned path
static void test_plan(void **state) {
  (void)state;
  save_agent("a.sfnec", "four_rooms", "sfnec-plan", NULL, 4);
  sfnec_scene *scene = open_scene("a.sfnec", 0, 50);
  sfnec_screen_options options = plain;
  terminal t = draw(scene, NULL, &options);
  char line[64];
  snprintf(line, sizeof line, "plans over %" PRId64 " states", scene->model_states);
  contains(&t, line);
  contains(&t, "p plan  q quit");
  for (int row = 1; row < 21; row++) assert_true(!memchr(t.cells[row], ',', 41) && !memchr(t.cells[row], '?', 41));
  options.plan = true;
  t = draw(scene, NULL, &options);
  int dots = 0, marks = 0, path = 0;
  for (int row = 1; row < 21; row++) {
    for (int column = 1; column < 41; column++) {
      dots += t.cells[row][column] == ',';
      marks += t.cells[row][column] == '?';
      path += t.cells[row][column] == '-';
    }
  }
  assert_true(dots > 10 && marks > 0 && path > 0);
  options.unicode = true;
  assert_true(draw(scene, NULL, &options).multibyte);
  sfnec_scene_close(scene);
}

// a label from a file cannot give orders to the terminal
static void test_evil_label(void **state) {
  (void)state;
  save_agent("a.sfnec", "four_rooms", "sfnec", NULL, 4);
  sfnec_agent *agent;
  OK(sfnec_agent_load("a.sfnec", &agent));
  OK(sfnec_agent_set_note(agent, "agent=a\033[2Jb\nenv=four_rooms"));
  OK(sfnec_agent_save(agent, "a.sfnec"));
  sfnec_agent_destroy(agent);
  sfnec_scene *scene = open_scene("a.sfnec", 0, 50);
  const terminal t = draw(scene, NULL, &plain);
  contains(&t, "a?[2Jb in four_rooms");
  sfnec_scene_close(scene);
}

static void test_other_worlds(void **state) {
  (void)state;
  save_agent("g.sfnec", "four_rooms_grid", "sfnec", (const char *[]){"observation=rbf", NULL}, 4);
  sfnec_scene *scene = open_scene("g.sfnec", 0, 50);
  terminal t = draw(scene, NULL, &plain);
  // 13 rows of 26 columns; the start is bottom left
  assert_true(t.cells[14][27] == '+' && t.cells[13][2] == '@');
  sfnec_scene_close(scene);
  save_agent("c.sfnec", "cartpole", "nec", (const char *[]){"max_episode_steps=30", NULL}, 4);
  scene = open_scene("c.sfnec", 0, 500);
  t = draw(scene, NULL, &plain);
  contains(&t, "=======");
  contains(&t, "policy of task 1 (no GPI)");
  contains(&t, "(fixed)");
  for (int i = 0; i < 500; i++) OK(sfnec_scene_step(scene));
  t = draw(scene, NULL, &plain);
  contains(&t, scene->play.terminated ? "fallen" : "cut off");
  sfnec_scene_close(scene);
  // a world that locates no observation: none of the model's states is drawn, and they count all the same
  save_agent("p.sfnec", "cartpole", "sfnec-plan", (const char *[]){"max_episode_steps=30", NULL}, 4);
  scene = open_scene("p.sfnec", 0, 500);
  sfnec_model_info model;
  OK(sfnec_agent_get_model_info(scene->agent, &model));
  assert_true(model.places > 0 && scene->state_count == 0);
  t = draw(scene, NULL, &plain);
  char line[64];
  snprintf(line, sizeof line, "plans over %" PRId64 " states", model.places);
  contains(&t, line);
  sfnec_scene_close(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain),      cmocka_unit_test(test_sliders),      cmocka_unit_test(test_colours_and_size),
      cmocka_unit_test(test_evil_label), cmocka_unit_test(test_other_worlds), cmocka_unit_test(test_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
