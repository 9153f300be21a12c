// test_theme.c: the theme is readable on both grounds and to colour-blind people, and its colours are taken right.
#include <math.h>
#include <string.h>

#include "sfnec/agent.h"
#include "show/theme/agents.h"
#include "show/theme/theme.h"
#include "support/check.h"

static double luminance(const char *colour) {
  double rgb[3];
  sfnec_theme_rgb(colour, rgb);
  for (int i = 0; i < 3; i++) rgb[i] = rgb[i] <= 0.04045 ? rgb[i] / 12.92 : pow((rgb[i] + 0.055) / 1.055, 2.4);
  return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

// as WCAG 2 has it
static double contrast(const char *a, const char *b) {
  const double x = luminance(a), y = luminance(b);
  return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void test_readable(void **state) {
  (void)state;
  static const struct {
    sfnec_theme_role front, back;
    double least;
  } pairs[] = {
      {SFNEC_ROLE_TEXT, SFNEC_ROLE_BACK, 7},        {SFNEC_ROLE_TEXT, SFNEC_ROLE_PANEL, 7},
      {SFNEC_ROLE_SOFT, SFNEC_ROLE_BACK, 4.5},      {SFNEC_ROLE_ACCENT, SFNEC_ROLE_BACK, 4.5},
      {SFNEC_ROLE_GOOD, SFNEC_ROLE_GOOD_BACK, 4.5}, {SFNEC_ROLE_NEAR, SFNEC_ROLE_NEAR_BACK, 4.5},
      {SFNEC_ROLE_OFF, SFNEC_ROLE_OFF_BACK, 4.5},   {SFNEC_ROLE_WALL, SFNEC_ROLE_ROOM, 4.5},
      {SFNEC_ROLE_MEMORY, SFNEC_ROLE_ROOM, 4.5},    {SFNEC_ROLE_OPTIMUM, SFNEC_ROLE_BACK, 4.5},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const sfnec_theme_colour front = sfnec_theme_roles[pairs[i].front].colour;
    const sfnec_theme_colour back = sfnec_theme_roles[pairs[i].back].colour;
    assert_true(contrast(front.light, back.light) >= pairs[i].least);
    assert_true(contrast(front.dark, back.dark) >= pairs[i].least);
  }
  const sfnec_theme_colour back = sfnec_theme_roles[SFNEC_ROLE_BACK].colour;
  for (size_t i = 0; i < SFNEC_THEME_STYLES; i++) {
    assert_true(contrast(sfnec_theme_styles[i].colour.light, back.light) >= 2.1);
    assert_true(contrast(sfnec_theme_styles[i].colour.dark, back.dark) >= 4.5);
  }
  // walls are seen on every value
  for (size_t i = 0; i < SFNEC_THEME_STOPS; i++)
    assert_true(contrast(sfnec_theme_ramp[i], sfnec_theme_roles[SFNEC_ROLE_WALL].colour.light) >= 2.4);
}

// what people without red or without green cones see of a colour (Machado, Oliveira, Fernandes 2009)
static void blind(const char *colour, int kind, double seen[3]) {
  static const double matrices[2][3][3] = {
      {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
      {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
  double rgb[3];
  sfnec_theme_rgb(colour, rgb);
  for (int i = 0; i < 3; i++) {
    seen[i] = 0;
    for (int k = 0; k < 3; k++) seen[i] += matrices[kind][i][k] * rgb[k];
  }
}

static double distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// the first five curves differ to every eye by colour alone; all of them by colour, dash or mark
static void test_told_apart(void **state) {
  (void)state;
  for (size_t i = 0; i < SFNEC_THEME_STYLES; i++)
    for (size_t k = 0; k < i; k++) {
      const sfnec_theme_style *a = &sfnec_theme_styles[i], *b = &sfnec_theme_styles[k];
      assert_true(strcmp(a->colour.light, b->colour.light) != 0 || a->dash != b->dash);
      assert_true(strcmp(a->colour.light, b->colour.light) != 0 || a->mark != b->mark || a->open != b->open);
      assert_int_not_equal(a->mark, SFNEC_MARK_DIAMOND);
      for (int kind = 0; kind < 2 && i < 5; kind++) {
        double x[3], y[3];
        blind(a->colour.light, kind, x), blind(b->colour.light, kind, y);
        assert_true(distance(x, y) > 0.14);
        blind(a->colour.dark, kind, x), blind(b->colour.dark, kind, y);
        assert_true(distance(x, y) > 0.14);
      }
    }
}

// lighter from low to high, so that it reads in grey
static void test_ramp(void **state) {
  (void)state;
  for (size_t i = 1; i < SFNEC_THEME_STOPS; i++)
    assert_true(luminance(sfnec_theme_ramp[i]) > luminance(sfnec_theme_ramp[i - 1]));
  double rgb[3], stop[3];
  sfnec_theme_value(-1, rgb);
  sfnec_theme_rgb(sfnec_theme_ramp[0], stop);
  assert_true(distance(rgb, stop) < 1e-12);
  sfnec_theme_value(1, rgb);
  sfnec_theme_rgb(sfnec_theme_ramp[SFNEC_THEME_STOPS - 1], stop);
  assert_true(distance(rgb, stop) < 1e-12);
  sfnec_theme_value(0.5 / (SFNEC_THEME_STOPS - 1), rgb);
  double low[3];
  sfnec_theme_rgb(sfnec_theme_ramp[0], low);
  sfnec_theme_rgb(sfnec_theme_ramp[1], stop);
  assert_true(fabs(rgb[0] - (low[0] + stop[0]) / 2) < 1e-12);
}

static void test_xterm(void **state) {
  (void)state;
  double rgb[3];
  sfnec_theme_rgb("#000000", rgb);
  assert_int_equal(sfnec_theme_xterm(rgb), 16);
  sfnec_theme_rgb("#FF8700", rgb);
  assert_int_equal(sfnec_theme_xterm(rgb), 208);
  sfnec_theme_rgb("#808080", rgb);
  assert_int_equal(sfnec_theme_xterm(rgb), 244);
  sfnec_theme_rgb("#FFFFFF", rgb);
  assert_int_equal(sfnec_theme_xterm(rgb), 231);
}

// every preset has a style that is its alone, before those that are free; but for the newest ones, whose styles go by
// position: all free ones are taken by the agents of other libraries in the comparison with them
static void test_agents(void **state) {
  (void)state;
  bool taken[SFNEC_THEME_FREE] = {false};
  const sfnec_agent_preset *preset;
  size_t known = 0;
  for (size_t p = 0; (preset = sfnec_agent_preset_at(p)); p++) {
    bool listed = false;
    for (size_t i = 0; i < SFNEC_THEME_AGENTS; i++)
      listed = listed || strcmp(sfnec_theme_agents[i].preset, preset->name) == 0;
    assert_true(listed || strcmp(preset->name, "nec-atari") == 0 || strcmp(preset->name, "mfec") == 0);
    if (!listed) continue;
    size_t style;
    sfnec_theme_choose_styles(&preset->name, 1, &style);
    assert_true(style < SFNEC_THEME_FREE && !taken[style]);
    taken[style] = true;
    known++;
  }
  assert_int_equal(known, SFNEC_THEME_AGENTS);
}

// a preset keeps its style whatever else is in the study, unless there are two of it or one that is not known
static void test_choose(void **state) {
  (void)state;
  size_t styles[3], again[3];
  const char *all[] = {"nec", "sfnec-plan", "sfnec"}, *two[] = {"sfnec", "nec", "sfnec"}, *new[] = {"sfnec", "mine"};
  sfnec_theme_choose_styles(all, 3, styles);
  sfnec_theme_choose_styles(all + 1, 2, again);
  assert_int_equal(again[0], styles[1]);
  assert_int_equal(again[1], styles[2]);
  assert_int_not_equal(styles[0], 0);
  sfnec_theme_choose_styles(two, 3, styles);
  for (size_t i = 0; i < 3; i++) assert_int_equal(styles[i], i);
  sfnec_theme_choose_styles(new, 2, styles);
  for (size_t i = 0; i < 2; i++) assert_int_equal(styles[i], i);
}

// all points of an agent's sweep share the style of their preset, where each agent has another
static void test_dress(void **state) {
  (void)state;
  sfnec_result_configuration swept[] = {
      {.label = "sfql", .preset = "sfql"}, {.label = "sfql", .preset = "sfql"}, {.label = "sfnec", .preset = "sfnec"}};
  const sfnec_results results = {.configurations = swept, .configuration_count = 3};
  sfnec_arena *arena = sfnec_arena_create();
  sfnec_theme_of_study study;
  size_t sfql, sfnec;
  sfnec_theme_choose_styles(&swept[0].preset, 1, &sfql);
  sfnec_theme_choose_styles(&swept[2].preset, 1, &sfnec);
  assert_int_equal(sfnec_theme_dress(&results, arena, &study), SFNEC_OK);
  for (size_t i = 0; i < 3; i++) assert_int_equal(study.configurations[i], i);
  assert_int_equal(study.agents[0], sfql);
  assert_int_equal(study.agents[1], sfql);
  assert_int_equal(study.agents[2], sfnec);
  sfnec_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_readable), cmocka_unit_test(test_told_apart),
                                     cmocka_unit_test(test_ramp),     cmocka_unit_test(test_xterm),
                                     cmocka_unit_test(test_agents),   cmocka_unit_test(test_choose),
                                     cmocka_unit_test(test_dress)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
