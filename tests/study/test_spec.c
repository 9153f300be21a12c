// test_spec.c: reading specs: every key, defaults, seeds, overrides, quick, the way back to text, and diffs.
#include "study/spec_support.h"

#include "sfnec/random.h"
#include "study/spec/yaml.h"

static const char full[] = "name: all-keys_1\n"
                           "title: \"A title: with \\\"quotes\\\"\"\n"
                           "env: {name: four_rooms, options: {layout: figure, max_episode_steps: 300}}\n"
                           "tasks: 5\n"
                           "steps: 3000\n"
                           "episodes: 40\n"
                           "seeds: 3-5,9\n"
                           "agents:\n"
                           "  - nec\n"
                           "  - {label: 'SFNEC k=1, \xc3\xa9', preset: sfnec, options: {novelty: 0.10}}\n"
                           "  - {preset: sfql, sweep: {rate: [0.01, 5e-2]}}\n"
                           "  - label: plain\n"
                           "    preset: ql\n"
                           "    sweep: {}\n"
                           "sweep:\n"
                           "  neighbours: [1, 4, 20]\n"
                           "  walls: [endpoint, segment]\n"
                           "record: {episodes: true, bins: 20, agents: yes, state_megabytes: 10}\n"
                           "metric: success\n"
                           "evaluate: {every: 5k, weights: [[1, 0.5, -1, 2], [0, 0, 0.1, 1]], best: yes}\n"
                           "published:\n"
                           "  - {agent: nec, options: {neighbours: 4, walls: segment}, task: 3, mean: 55.5, se: 3}\n"
                           "  - {agent: plain, mean: -1, source: nowhere}\n";

static void test_every_key(void **state) {
  (void)state;
  sfnec_spec *spec = parsed(full, NULL);
  assert_string_equal(spec->path, "s.yaml");
  assert_string_equal(spec->name, "all-keys_1");
  assert_string_equal(spec->title, "A title: with \"quotes\"");
  assert_string_equal(spec->env, "four_rooms");
  assert_int_equal(spec->env_options.count, 2);
  assert_string_equal(spec->env_options.items[1].key, "max_episode_steps");
  assert_string_equal(spec->env_options.items[1].value, "300");
  assert_int_equal(spec->env_options.items[1].line, 3);
  assert_int_equal(spec->tasks, 5);
  assert_int_equal(spec->steps, 3000);
  assert_int_equal(spec->episodes, 40);
  const uint64_t seeds[] = {3, 4, 5, 9};
  assert_int_equal(spec->seed_count, 4);
  assert_memory_equal(spec->seeds, seeds, sizeof seeds);

  assert_int_equal(spec->agent_count, 4);
  assert_string_equal(spec->agents[0].label, "nec");
  assert_string_equal(spec->agents[1].label, "SFNEC k=1, \xc3\xa9");
  assert_string_equal(spec->agents[1].preset, "sfnec");
  assert_string_equal(spec->agents[1].options.items[0].value, "0.1"); // as the table writes it
  assert_int_equal(spec->agents[1].line, 10);
  assert_true(spec->agents[2].own_sweep && spec->agents[3].own_sweep && !spec->agents[1].own_sweep);
  assert_string_equal(spec->agents[2].sweep.items[0].values[1], "0.05");
  assert_int_equal(spec->agents[3].sweep.count, 0);

  assert_int_equal(spec->sweep.count, 2);
  assert_int_equal(spec->sweep.items[0].count, 3);
  assert_string_equal(spec->sweep.items[1].values[1], "segment");
  assert_false(spec->random);
  assert_true(spec->record_episodes && spec->kept_agents == SFNEC_KEPT_ALL);
  assert_int_equal(spec->state_megabytes, 10);
  assert_int_equal(spec->bins, 20);
  assert_string_equal(spec->metric, "success");
  assert_true(spec->evaluate.every == 5000 && spec->evaluate.episodes == 10 && spec->evaluate.best);
  assert_true(spec->evaluate.weights.count == 2 && spec->evaluate.weights.size == 4);
  assert_true(spec->evaluate.weights.items[2] == -1 && spec->evaluate.weights.items[6] == 0.1);

  assert_int_equal(spec->published_count, 2);
  assert_true(spec->published[0].mean == 55.5 && spec->published[0].se == 3);
  assert_int_equal(spec->published[0].task, 3);
  assert_null(spec->published[0].source);
  assert_true(isnan(spec->published[1].se));
  assert_int_equal(spec->published[1].task, 5); // left out: the last
  assert_string_equal(spec->published[1].source, "nowhere");
  sfnec_spec_destroy(spec);
}

static void test_defaults(void **state) {
  (void)state;
  sfnec_spec *spec = parsed("name: a\nenv: one_room\nagents: [sfnec]\n", NULL);
  assert_string_equal(spec->title, "a");
  assert_int_equal(spec->tasks, 10);
  assert_int_equal(spec->steps, 20000);
  assert_int_equal(spec->episodes, 0);
  assert_int_equal(spec->seed_count, 1);
  assert_int_equal(spec->seeds[0], 1);
  assert_true(!spec->record_episodes && spec->kept_agents == SFNEC_KEPT_NONE && spec->state_megabytes == 0);
  assert_int_equal(spec->bins, 50);
  assert_int_equal(spec->evaluate.every, 0);
  assert_int_equal(spec->published_count, 0);
  sfnec_spec_destroy(spec);
  spec = parsed("name: a\nenv: one_room\nagents: [sfnec]\nrecord: {agents: first}\n", NULL);
  assert_int_equal(spec->kept_agents, SFNEC_KEPT_FIRST);
  assert_non_null(strstr(sfnec_spec_text(spec), "agents: first\n"));
  sfnec_spec_destroy(spec);
  // counting episodes takes the place of counting steps
  spec = parsed("name: a\nenv: one_room\nepisodes: 7\nagents: [sfnec]\n", NULL);
  assert_true(spec->steps == 0 && spec->episodes == 7);
  sfnec_spec_destroy(spec);
  sfnec_spec_destroy(NULL);
}

static void test_random_keys(void **state) {
  (void)state;
  sfnec_spec *spec = parsed("name: a\nenv: one_room\nagents: [sfnec]\nrandom: {count: 20, seed: 18446744073709551615}\n"
                            "sweep: {rate: {from: 0.001, to: 0.1, scale: log}, alpha: {from: 0, to: 1}}\n",
                            NULL);
  assert_true(spec->random && spec->random_count == 20 && spec->random_seed == UINT64_MAX);
  assert_true(spec->sweep.items[0].log && spec->sweep.items[0].from == 0.001 && spec->sweep.items[0].to == 0.1);
  assert_true(!spec->sweep.items[1].log && spec->sweep.items[1].count == 0);
  sfnec_spec_destroy(spec);
}

// ---- seeds ----

static void check_seeds(const char *text, const char *expected) {
  sfnec_arena *arena = sfnec_arena_create();
  uint64_t *seeds;
  size_t count;
  OK(sfnec_seeds_parse(arena, text, &seeds, &count));
  char back[200] = "";
  FILE *stream = fmemopen(back, sizeof back, "w");
  sfnec_seeds_print(stream, seeds, count);
  fclose(stream);
  assert_string_equal(back, expected);
  sfnec_arena_destroy(arena);
}

static void test_seeds(void **state) {
  (void)state;
  check_seeds("7", "7");
  check_seeds("0", "0");
  check_seeds("1-4,7", "1-4,7");
  check_seeds("7,1-2,3", "7,1-3");
  check_seeds("5,4,3", "5,4,3");
  check_seeds("9-9", "9");
  check_seeds("18446744073709551614-18446744073709551615,0", "18446744073709551614-18446744073709551615,0");
  static const char *const wrong[][2] = {
      {"", "neither a seed"},
      {" 1", "neither"},
      {"1,", "neither"},
      {",1", "neither"},
      {"1-", "neither"},
      {"-1", "neither"},
      {"1-2-3", "neither"},
      {"1 2", "neither"},
      {"one", "neither"},
      {"1.5", "neither"},
      {"4-1", "write 1-4"},
      {"1-3,2", "seed 2 is there twice"},
      {"0-10000", "more than"},
      {"0-18446744073709551615", "more than"},
      {"18446744073709551616", "neither"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sfnec_arena *arena = sfnec_arena_create();
    uint64_t *seeds;
    size_t count;
    REFUSED(sfnec_seeds_parse(arena, wrong[i][0], &seeds, &count), SFNEC_ERROR_OPTION, wrong[i][1]);
    sfnec_arena_destroy(arena);
  }
}

// ---- overrides ----

static void test_overrides(void **state) {
  (void)state;
  const char *sets[] = {"neighbours=4", "layout=calibrated", "novelty=0.5", "epsilon=0.2", NULL};
  sfnec_spec *spec = parsed(full, &(sfnec_overrides){.seeds = "8", .tasks = 3, .sets = sets});
  assert_int_equal(spec->tasks, 3);
  assert_int_equal(spec->steps, 3000);
  assert_true(spec->seed_count == 1 && spec->seeds[0] == 8);
  // a swept key is fixed where it is swept, and an option elsewhere
  assert_int_equal(spec->sweep.items[0].count, 1);
  assert_string_equal(spec->sweep.items[0].values[0], "4");
  assert_int_equal(spec->agents[0].options.count, 2);
  assert_string_equal(spec->agents[2].options.items[0].key, "neighbours");
  assert_string_equal(spec->agents[1].options.items[0].value, "0.5");
  assert_int_equal(spec->agents[1].options.count, 2);
  assert_int_equal(spec->env_options.count, 2);
  assert_string_equal(spec->env_options.items[0].value, "calibrated");
  // the number of task 5 has no counterpart among 3 tasks
  assert_int_equal(spec->published_count, 1);
  assert_string_equal(spec->published[0].agent, "nec");
  sfnec_spec_destroy(spec);

  // other steps: no published number holds
  spec = parsed(full, &(sfnec_overrides){.steps = 100});
  assert_true(spec->steps == 100 && spec->episodes == 40 && spec->published_count == 0);
  sfnec_spec_destroy(spec);
  // the same steps: all do
  spec = parsed(full, &(sfnec_overrides){.steps = 3000});
  assert_int_equal(spec->published_count, 2);
  sfnec_spec_destroy(spec);
}

static void test_quick(void **state) {
  (void)state;
  sfnec_spec *spec = parsed(full, &(sfnec_overrides){.quick = true});
  assert_true(spec->tasks == 2 && spec->steps == 1000 && spec->episodes == 10 && spec->seed_count == 2);
  assert_int_equal(spec->sweep.items[0].count, 2);
  assert_string_equal(spec->sweep.items[0].values[0], "1");
  assert_string_equal(spec->sweep.items[0].values[1], "20");
  assert_int_equal(spec->published_count, 0);
  sfnec_spec_destroy(spec);
  const char *sets[] = {"neighbours=7", NULL};
  spec = parsed(full, &(sfnec_overrides){.quick = true, .tasks = 4, .steps = 2000, .seeds = "1-3", .sets = sets});
  assert_true(spec->tasks == 4 && spec->steps == 2000 && spec->seed_count == 3);
  assert_true(spec->sweep.items[0].count == 1 && strcmp(spec->sweep.items[0].values[0], "7") == 0);
  sfnec_spec_destroy(spec);
}

static void check_override_refused(sfnec_overrides overrides, const char *sentence) {
  sfnec_spec *spec;
  REFUSED(parse(full, &overrides, &spec), SFNEC_ERROR_OPTION, sentence);
  assert_null(spec);
}

static void test_refused_overrides(void **state) {
  (void)state;
  static const char *const sets[][2] = {
      {"neighbours", "--set: 'neighbours' is refused; it takes key=value"},
      {"=3", "it takes key=value"},
      {"", "it takes key=value"},
      {"neighbors=3", "--set: neither the agents nor four_rooms have an option 'neighbors'"},
      {"neighbors=3", "did you mean 'neighbours'?"},
      {"neighbours=0", "--set neighbours: '0' is refused; it takes a whole number from 1 to 10000"},
      {"neighbours=", "--set neighbours: '' is refused"},
      {"walls=segments", "endpoint|segment; did you mean 'segment'?"},
      {"max_episode_steps=-1", "a whole number from 0"},
  };
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    const char *list[] = {sets[i][0], NULL};
    check_override_refused((sfnec_overrides){.sets = list}, sets[i][1]);
  }
  check_override_refused((sfnec_overrides){.seeds = "3-1"}, "--seeds: the range 3-1 runs backwards; write 1-3");
  check_override_refused((sfnec_overrides){.tasks = -1}, "--tasks takes");
  check_override_refused((sfnec_overrides){.tasks = 1000001}, "--tasks takes");
  check_override_refused((sfnec_overrides){.steps = -1}, "--steps takes");
  check_override_refused((sfnec_overrides){.episodes = -1}, "--episodes takes");
  check_override_refused((sfnec_overrides){.env = "one_rom"}, "there is no environment 'one_rom'");
  check_override_refused((sfnec_overrides){.env = "one_rom"}, "did you mean 'one_room'?");
}

static void test_other_env(void **state) {
  (void)state;
  static const char text[] = "name: a\nenv: {name: four_rooms, options: {layout: figure}}\nagents: [nec]\n"
                             "published: [{agent: nec, mean: 5}]\n";
  sfnec_spec *spec = parsed(text, &(sfnec_overrides){.env = "four_rooms", .episodes = 7});
  assert_true(spec->env_options.count == 1 && spec->steps == 20000 && spec->episodes == 7);
  sfnec_spec_destroy(spec);
  // what belongs to the other environment goes with it
  const char *sets[] = {"max_episode_steps=50", NULL};
  spec = parsed(text, &(sfnec_overrides){.env = "cartpole", .sets = sets});
  assert_string_equal(spec->env, "cartpole");
  assert_int_equal(spec->env_options.count, 1);
  assert_string_equal(spec->env_options.items[0].key, "max_episode_steps");
  assert_int_equal(spec->published_count, 0);
  sfnec_spec_destroy(spec);
  // a sweep that it has no option for is refused where it stands
  REFUSED(parse("name: a\nenv: four_rooms\nagents: [nec]\nsweep: {walls: [segment]}\n",
                &(sfnec_overrides){.env = "cartpole"}, &spec),
          SFNEC_ERROR_FORMAT, "s.yaml:4: walls: neither the agents nor cartpole have such an option");
}

// ---- without a file ----

static sfnec_status make(const char *agent, const char *other, const sfnec_overrides *overrides, sfnec_spec **spec) {
  const char *const agents[] = {agent, other, NULL};
  return sfnec_spec_make("words", agents, overrides, spec);
}

static void test_made(void **state) {
  (void)state;
  sfnec_spec *spec;
  OK(make("nec", NULL, &(sfnec_overrides){0}, &spec));
  assert_true(strcmp(spec->env, "four_rooms") == 0 && spec->tasks == 10 && spec->steps == 20000 && spec->episodes == 0);
  assert_true(spec->seed_count == 1 && spec->seeds[0] == 1 && spec->agent_count == 1);
  sfnec_spec_destroy(spec);

  // options of one agent win over those of all; the last of two counts; values are as the table writes them
  const char *sets[] = {"neighbours=4", "max_episode_steps=9", "gamma=0.90", NULL};
  const sfnec_overrides overrides = {.sets = sets, .episodes = 3, .seeds = "2-3", .env = "one_room"};
  OK(make("sfnec", "sfnec:neighbours=2:neighbours=1:alpha=0.30", &overrides, &spec));
  assert_true(strcmp(spec->env, "one_room") == 0 && spec->steps == 0 && spec->episodes == 3);
  const sfnec_settings *first = &spec->agents[0].options, *second = &spec->agents[1].options;
  assert_int_equal(first->count, 2);
  assert_string_equal(first->items[0].value, "4");
  assert_string_equal(first->items[1].value, "0.9");
  assert_int_equal(second->count, 3);
  assert_string_equal(second->items[0].value, "1");
  assert_string_equal(second->items[2].value, "0.3");
  assert_string_equal(spec->agents[1].label, "sfnec:neighbours=2:neighbours=1:alpha=0.30");
  assert_string_equal(spec->agents[1].preset, "sfnec");
  assert_true(spec->env_options.count == 1 && strcmp(spec->env_options.items[0].value, "9") == 0);

  // the same study from a file has the same jobs
  sfnec_spec *read = parsed(sfnec_spec_text(spec), NULL);
  sfnec_plan *made_plan = planned(spec), *read_plan = planned(read);
  assert_int_equal(made_plan->job_count, 4);
  for (size_t i = 0; i < 4; i++) assert_string_equal(made_plan->jobs[i].id, read_plan->jobs[i].id);
  discard(read, read_plan);
  discard(spec, made_plan);
}

static void test_refused_words(void **state) {
  (void)state;
  static const char *const words[][2] = {
      {"", "no agent ''"},
      {"sfnek", "did you mean 'sfnec'?"},
      {"sfnec,ql", "must not hold commas"},
      {"a\nb", "line ends"},
      {"sfnec:", "it takes key=value"},
      {"sfnec:neighbours", "sfnec:neighbours: 'neighbours' is refused; it takes key=value"},
      {"sfnec:neighbors=1", "agents have no option 'neighbors' (see sfnec list options); did you mean 'neighbours'?"},
      {"sfnec:neighbours=0", "neighbours: '0' is refused; it takes a whole number from 1"},
      {"sfnec:walls=segment", "walls is an option of four_rooms; give it by --set"},
      {"nec", "the agents name 'nec' twice"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    sfnec_spec *spec;
    REFUSED(make("nec", words[i][0], &(sfnec_overrides){0}, &spec), SFNEC_ERROR_OPTION, words[i][1]);
    assert_null(spec);
  }
}

// ---- text ----

// the same plan: names, options by way of identities, work
static void check_same_plan(sfnec_spec *a, sfnec_spec *b) {
  sfnec_plan *pa = planned(a), *pb = planned(b);
  assert_int_equal(pa->job_count, pb->job_count);
  for (size_t i = 0; i < pa->job_count; i++) {
    assert_string_equal(pa->jobs[i].identity, pb->jobs[i].identity);
    assert_string_equal(pa->configurations[pa->jobs[i].configuration].name,
                        pb->configurations[pb->jobs[i].configuration].name);
    assert_int_equal(pa->jobs[i].run.tasks, pb->jobs[i].run.tasks);
  }
  sfnec_plan_destroy(pa);
  sfnec_plan_destroy(pb);
}

static void check_round_trip(sfnec_spec *spec) {
  const char *text = sfnec_spec_text(spec);
  sfnec_spec *again = parsed(text, NULL);
  assert_string_equal(sfnec_spec_text(again), text);
  check_same_plan(spec, again);
  assert_int_equal(again->published_count, spec->published_count);
  for (size_t i = 0; i < spec->published_count; i++) {
    assert_true(again->published[i].mean == spec->published[i].mean);
    assert_true(isnan(again->published[i].se) == isnan(spec->published[i].se));
  }
  sfnec_spec_destroy(again);
}

static void test_round_trip(void **state) {
  (void)state;
  const char *sets[] = {"neighbours=4", "layout=calibrated", "walls=segment", "novelty=0.5", NULL};
  const sfnec_overrides overrides[] = {{0}, {.quick = true}, {.seeds = "8,1-3", .tasks = 3, .sets = sets}};
  const char *const texts[] = {
      full,
      "name: a\nenv: one_room\nepisodes: 7\nagents: [{label: \"it's # 'a': [b] \\\\ {c}, 100% - \", preset: ql}]\n",
      "name: a\nenv: four_rooms\nagents: [sfnec]\nrandom: {count: 20, seed: 3}\n"
      "sweep: {rate: {from: 0.001, to: 0.1, scale: log}, neighbours: {from: 1, to: 50}, walls: [segment, endpoint]}\n"};
  for (size_t t = 0; t < 3; t++) {
    for (size_t i = 0; i < 3; i++) {
      sfnec_spec *spec = parsed(texts[t], t == 0 || i < 2 ? &overrides[i] : NULL);
      check_round_trip(spec);
      sfnec_spec_destroy(spec);
    }
  }
}

static void test_diff(void **state) {
  (void)state;
  sfnec_arena *arena = sfnec_arena_create();
  assert_string_equal(sfnec_spec_diff(arena, full, full), "");
  assert_string_equal(sfnec_spec_diff(arena, "", ""), "");
  assert_string_equal(sfnec_spec_diff(arena, "", "a: 1\n"), "+ a: 1\n");
  assert_string_equal(sfnec_spec_diff(arena, "a: 1\nb: 2\nc: 3\n", "a: 1\nc: 3\n"), "- b: 2\n");
  assert_string_equal(sfnec_spec_diff(arena, "env:\n  name: x\n  options:\n    layout: a\n    walls: b\ntasks: 3\n",
                                      "env:\n  name: x\n  options:\n    layout: c\n    walls: d\ntasks: 3\n"),
                      "  env:\n    options:\n-     layout: a\n-     walls: b\n+     layout: c\n+     walls: d\n");
  // as few lines as can be
  assert_string_equal(sfnec_spec_diff(arena, "x: 1\na: 1\nb: 1\n", "a: 1\nb: 1\nx: 1\n"), "- x: 1\n+ x: 1\n");
  assert_string_equal(sfnec_spec_diff(arena, "a: 1\nb: 1\nx: 1\n", "x: 1\na: 1\nb: 1\n"), "+ x: 1\n- x: 1\n");
  // the parent is told once for each place
  assert_string_equal(sfnec_spec_diff(arena, "a:\n  b: 1\n  c: 2\nd:\n  e: 3\n", "a:\n  b: 4\n  c: 2\nd:\n  e: 5\n"),
                      "  a:\n-   b: 1\n+   b: 4\n  d:\n-   e: 3\n+   e: 5\n");
  sfnec_arena_destroy(arena);
}

// common lines of two lists of one-letter lines, by trying everything
static size_t common(const char *a, const char *b) {
  if (!*a || !*b) return 0;
  if (*a == *b) return 1 + common(a + 2, b + 2);
  const size_t x = common(a + 2, b), y = common(a, b + 2);
  return x > y ? x : y;
}

static void random_lines(char *text, sfnec_random *random) {
  for (uint32_t i = sfnec_random_below(random, 8); i > 0; i--) {
    *text++ = (char)('a' + sfnec_random_below(random, 3));
    *text++ = '\n';
  }
  *text = '\0';
}

// a diff is as short as can be, and leads from one text to the other
static void test_diff_random(void **state) {
  (void)state;
  sfnec_arena *arena = sfnec_arena_create();
  sfnec_random random = sfnec_random_start(3, 1000);
  for (int i = 0; i < 2000; i++) {
    char before[20], after[20];
    random_lines(before, &random);
    random_lines(after, &random);
    int taken = 0, added = 0;
    for (const char *at = sfnec_spec_diff(arena, before, after); *at; at += 4) {
      taken += *at == '-';
      added += *at == '+';
    }
    const size_t shared = common(before, after);
    assert_int_equal(taken, strlen(before) / 2 - shared);
    assert_int_equal(added, strlen(after) / 2 - shared);
  }
  sfnec_arena_destroy(arena);
}

// ---- the published studies, and the documentation ----

static void test_studies(void **state) {
  (void)state;
  for (size_t i = 0; i < STUDY_COUNT; i++) {
    char name[64], path[1024];
    snprintf(name, sizeof name, "experiments/%s.yaml", studies[i]);
    if (!source_path(path, sizeof path, name)) skip();
    for (int quick = 0; quick < 2; quick++) {
      sfnec_spec *spec;
      OK(sfnec_spec_load(path, &(sfnec_overrides){.quick = quick}, &spec));
      assert_string_equal(spec->name, studies[i]);
      if (!quick && !strstr(name, "cartpole") && !strstr(name, "one-room")) assert_true(spec->published_count > 0);
      check_round_trip(spec);
      sfnec_spec_destroy(spec);
    }
  }
}

// each key of each table, with its help, is a row of docs/specs.md
static void test_documented(void **state) {
  (void)state;
  char path[1024];
  if (!source_path(path, sizeof path, "docs/specs.md")) skip();
  size_t size;
  char *text = (char *)file_bytes(path, &size);
  text[size] = '\0';
  const sfnec_field_set *set;
  size_t rows = 0;
  for (size_t i = 0; (set = sfnec_spec_field_set_at(i)); i++) {
    for (const sfnec_field *row = set->rows; row->name; row++, rows++) {
      char line[400];
      snprintf(line, sizeof line, "| `%s` | ", row->name);
      const char *at = strstr(text, line);
      while (at && !(strcspn(at, "\n") < sizeof line && strstr(at, row->help) &&
                     strstr(at, row->help) < at + strcspn(at, "\n")))
        at = strstr(at + 1, line);
      if (!at) fail_msg("docs/specs.md has no row for %s of %s: %s", row->name, set->title, row->help);
    }
  }
  assert_true(rows > 30);
  free(text);
}

// A text of any length that the table takes is kept whole.
static void test_text_option(void **state) {
  (void)state;
  const char longest[] = "conv:32x8/4,64x4/2,64x3/1;dense:512,512,512,512,512,512,512,512";
  assert_int_equal(sizeof longest, SFNEC_OPTION_TEXT_SIZE);
  char text[300];
  snprintf(text, sizeof text,
           "name: s\nenv: cartpole\ntasks: 1\nepisodes: 1\nseeds: 1\nagents:\n"
           "  - {preset: sfnec, options: {layers: '%s'}}\n",
           longest);
  sfnec_spec *spec = NULL;
  OK(parse(text, NULL, &spec));
  assert_string_equal(spec->agents[0].options.items[0].value, longest);
  sfnec_spec_destroy(spec);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_key),   cmocka_unit_test(test_defaults),          cmocka_unit_test(test_random_keys),
      cmocka_unit_test(test_seeds),       cmocka_unit_test(test_overrides),         cmocka_unit_test(test_quick),
      cmocka_unit_test(test_diff),        cmocka_unit_test(test_refused_overrides), cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_studies),     cmocka_unit_test(test_documented),        cmocka_unit_test(test_other_env),
      cmocka_unit_test(test_made),        cmocka_unit_test(test_refused_words),     cmocka_unit_test(test_diff_random),
      cmocka_unit_test(test_text_option),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
