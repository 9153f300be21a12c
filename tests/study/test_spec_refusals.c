// test_spec_refusals.c: a bad spec gets one sentence with file, line and key, whatever is wrong with it; and random
// damage to good ones never does worse.
#include "study/spec_support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "sfnec/random.h"

// a good beginning, three lines long
#define HEAD "name: a\nenv: four_rooms\nagents: [sfnec, nec]\n"

typedef struct refusal {
  const char *text, *sentence;
} refusal;

static const refusal refusals[] = {
    // YAML itself
    {"", "s.yaml: the spec is empty"},
    {"# only a comment\n", "s.yaml: the spec is empty"},
    {"name: a\n\tenv: x\n", "s.yaml:2: a tab indents this line"},
    {"name: [a\nenv: b\n", "s.yaml:2: this is not valid YAML: "},
    {"name: \"a\n", "not valid YAML"},
    {"name: a: b\n", "s.yaml:1: this is not valid YAML: mapping values are not allowed"},
    {"name: \xff\n", "s.yaml:1: this is no text in UTF-8"},
    {"a\nb: \x01\n", "s.yaml:2: this is no text in UTF-8"},
    {HEAD "---\nname: b\n", "s.yaml:4: a second document begins here; a spec is one document"},
    {"name: &x a\nenv: *x\n", "s.yaml:1: anchors (&name) are not part of a spec; write the value out"},
    {"name: *x\n", "aliases (*name) are not part of a spec"},
    {"agents: &x [*x]\n", "anchors"},
    {"name: !!str a\n", "s.yaml:1: tags (!type) are not part of a spec"},
    {"? [a]\n: b\n", "s.yaml:1: a key must be a word"},
    {"[[[[[[[[[[[[[[[[[[[[a]]]]]]]]]]]]]]]]]]]]", "s.yaml:1: this is nested too deeply"},
    {"name: \"a\\nb\"\n", "s.yaml:1: name: a value holds a line break"},
    {"name: \"a\\0b\"\n", "control character"},
    {"name: \"a\\Lb\"\n", "control character"},
    // kinds
    {"just text\n", "s.yaml:1: this is a single value, but a mapping is wanted"},
    {"- a\n", "s.yaml:1: this is a list, but a mapping is wanted"},
    {HEAD "tasks: [3]\n", "s.yaml:4: tasks: this is a list, but a single value is wanted"},
    {HEAD "tasks: {a: 3}\n", "s.yaml:4: tasks: this is a mapping, but a single value is wanted"},
    {HEAD "sweep: [1]\n", "s.yaml:4: sweep: this is a list, but a mapping is wanted"},
    {HEAD "sweep:\n", "s.yaml:4: sweep: this is empty, but a mapping is wanted"},
    {HEAD "published: 3\n", "s.yaml:4: published: this is a single value, but a list is wanted"},
    {HEAD "published: [3]\n", "s.yaml:4: published[1]: this is a single value, but a mapping is wanted"},
    {HEAD "seeds: [1, 2]\n", "s.yaml:4: seeds: this is a list, but a single value is wanted"},
    {"name: a\nenv: [b]\nagents: [nec]\n", "s.yaml:2: env: this is a list, but a mapping is wanted"},
    {"name: a\nenv: four_rooms\nagents: nec\n", "s.yaml:3: agents: this is a single value, but a list is wanted"},
    // keys
    {HEAD "task: 3\n",
     "s.yaml:4: task: a spec has no such key, but name, title, env, tasks, steps, episodes, rewards, seeds, "
     "agents, sweep, random, record, metric, evaluate and published; did you mean 'tasks'?"},
    {HEAD "zzzzzzzz: 3\n", "s.yaml:4: zzzzzzzz: a spec has no such key, but name"},
    {HEAD "tasks: 3\n\ntasks: 4\n", "s.yaml:6: tasks: this key is already given in line 4; keep one of the two"},
    {"env: four_rooms\nagents: [nec]\n", "s.yaml:1: the key 'name' is missing: a word"},
    {"name: a\nagents: [nec]\n", "the key 'env' is missing"},
    {"name: a\nenv: four_rooms\n", "the key 'agents' is missing"},
    {"name: a\nenv: {options: {}}\nagents: [nec]\n", "s.yaml:2: env: the key 'name' is missing"},
    {"name: a\nenv: four_rooms\nagents: [{label: b}]\n", "s.yaml:3: agents[1]: the key 'preset' is missing"},
    {HEAD "record: {agents: last}\n", "s.yaml:4: record.agents: 'last' is refused; it takes yes, no or first"},
    {HEAD "record: {episode: yes}\n", "s.yaml:4: episode: record has no such key, but episodes, bins, agents and "
                                      "state_megabytes; did you mean 'episodes'?"},
    {HEAD "<<: {a: b}\n", "s.yaml:4: <<: a spec has no such key"},
    // numbers and words
    {HEAD "tasks: 0\n", "s.yaml:4: tasks: '0' is refused; it takes a whole number from 1 to 1000000"},
    {HEAD "tasks: 1.5\n", "s.yaml:4: tasks: '1.5' is refused"},
    {HEAD "tasks: -3\n", "'-3' is refused"},
    {HEAD "tasks: 99999999999999999999\n", "is refused; it takes a whole number"},
    {HEAD "tasks:\n", "s.yaml:4: tasks: '' is refused"},
    {HEAD "steps: 1e-3\n", "s.yaml:4: steps: '1e-3' is refused"},
    {HEAD "steps: 0\n", "s.yaml:4: steps: a task needs an end; give steps or episodes above 0"},
    {HEAD "record:\n  episodes: maybe\n", "s.yaml:5: record.episodes: 'maybe' is refused; it takes yes or no"},
    {HEAD "seeds: 4-1\n", "s.yaml:4: seeds: the range 4-1 runs backwards; write 1-4"},
    {HEAD "seeds: 1,1\n", "s.yaml:4: seeds: seed 1 is there twice"},
    {HEAD "title: ''\n", "s.yaml:4: title: this is empty; it takes a text"},
    {"name: A b\nenv: four_rooms\nagents: [nec]\n", "s.yaml:1: name: 'A b' is refused; it takes a word"},
    {"name: ../a\nenv: four_rooms\nagents: [nec]\n", "s.yaml:1: name: '../a' is refused"},
    {"name: -a\nenv: four_rooms\nagents: [nec]\n", "s.yaml:1: name: '-a' is refused"},
    // environment and agents
    {"name: a\nenv: four_room\nagents: [nec]\n",
     "s.yaml:2: env: there is no environment 'four_room' (see sfnec list envs); did you mean 'four_rooms'?"},
    {"name: a\nenv:\n  name: four_rooms\n  options:\n    layot: figure\nagents: [nec]\n",
     "s.yaml:5: layot: four_rooms has no such option (see sfnec list options); did you mean 'layout'?"},
    {"name: a\nenv: {name: four_rooms, options: {layout: big}}\nagents: [nec]\n",
     "s.yaml:2: layout: 'big' is refused; it takes calibrated|figure"},
    {"name: a\nenv: {name: four_rooms, options: {neighbours: 3}}\nagents: [nec]\n",
     "s.yaml:2: neighbours: this is an option of the agents; put it under an agent or in a sweep"},
    {"name: a\nenv: four_rooms\nagents: []\n", "s.yaml:3: agents: the list is empty; name at least one agent"},
    {"name: a\nenv: four_rooms\nagents:\n", "s.yaml:3: agents: this is empty, but a list is wanted"},
    {"name: a\nenv: four_rooms\nagents:\n  - nec\n  - sfnek\n",
     "s.yaml:5: agents: there is no agent 'sfnek' (see sfnec list agents); did you mean 'sfnec'?"},
    {"name: a\nenv: four_rooms\nagents:\n  - nec\n  - {preset: sfnec, label: nec}\n",
     "s.yaml:5: agents: the label 'nec' is already used in line 4; give each agent a label of its own"},
    {"name: a\nenv: four_rooms\nagents:\n  - preset: nec\n    options:\n      gamma: 1\n",
     "s.yaml:6: gamma: '1' is refused; it takes a number from 0 to below 1"},
    {"name: a\nenv: four_rooms\nagents:\n  - preset: nec\n    options: {neighbors: 1}\n",
     "s.yaml:5: neighbors: agents have no such option (see sfnec list options); did you mean 'neighbours'?"},
    {"name: a\nenv: four_rooms\nagents: [{preset: nec, options: {layout: figure}}]\n",
     "s.yaml:3: layout: this is an option of four_rooms; put it under env or in a sweep"},
    {"name: a\nenv: four_rooms\nagents: [{preset: nec, options: {kernel: inverse, kernel: inverse}}]\n",
     "s.yaml:3: kernel: this key is already given in line 3"},
    {"name: a\nenv: four_rooms\nagents: [{preset: nec, options: {kernel: [inverse]}}]\n",
     "s.yaml:3: agents[1].options.kernel: this is a list, but a single value is wanted"},
    {"name: a\nenv: four_rooms\nagents: ['']\n", "s.yaml:3: agents[1]: this is empty"},
    // sweeps
    {HEAD "sweep:\n  neighbors: [1]\n",
     "s.yaml:5: neighbors: neither the agents nor four_rooms have such an option (see "
     "sfnec list options); did you mean 'neighbours'?"},
    {HEAD "sweep:\n  neighbours:\n    - 1\n    - 0\n", "s.yaml:7: neighbours: '0' is refused; it takes a whole number"},
    {HEAD "sweep: {neighbours: []}\n", "s.yaml:4: sweep.neighbours: the list is empty; give at least one value"},
    {HEAD "sweep: {neighbours: 4}\n", "s.yaml:4: sweep.neighbours: this is a single value, but a list is wanted"},
    {HEAD "sweep: {rate: [0.1, 0.2, 0.10]}\n", "s.yaml:4: rate: the value 0.1 is there twice"},
    {HEAD "sweep: {rate: [0.1], rate: [0.2]}\n", "s.yaml:4: rate: this key is already swept in line 4"},
    {HEAD "sweep: {rate: {from: 0.1, to: 1}}\n", "s.yaml:4: rate: a range needs points drawn at random; add random"},
    {HEAD "random: {count: 2}\nsweep: {rate: {from: 1, to: 1}}\n", "s.yaml:5: sweep.rate: a range needs a 'to'"},
    {HEAD "random: {count: 2}\nsweep: {rate: {from: 0, to: 1, scale: log}}\n", "scale log needs a 'from'"},
    {HEAD "random: {count: 2}\nsweep: {rate: {from: 0, to: 1, scale: lin}}\n", "it takes linear or log"},
    {HEAD "random: {count: 2}\nsweep: {rate: {to: 1}}\n", "s.yaml:5: sweep.rate: the key 'from' is missing"},
    {HEAD "random: {count: 2}\nsweep: {rate: {from: -1, to: 1}}\n", "s.yaml:5: rate: '-1' is refused"},
    {HEAD "random: {count: 2}\nsweep: {neighbours: {from: 1.5, to: 3}}\n", "s.yaml:5: neighbours: '1.5' is refused"},
    {HEAD "random: {count: 2}\nsweep: {kernel: {from: 1, to: 3}}\n", "s.yaml:5: kernel: this option takes names"},
    {HEAD "random: {count: 2}\n", "s.yaml:4: random: there is nothing to draw from"},
    {HEAD "random: {count: 0}\nsweep: {rate: [1]}\n", "s.yaml:4: random.count: '0' is refused"},
    {HEAD "random: {seed: 1}\nsweep: {rate: [1]}\n", "s.yaml:4: random: the key 'count' is missing"},
    {HEAD "random: {count: 1, seed: -1}\nsweep: {rate: [1]}\n", "s.yaml:4: random.seed: '-1' is refused"},
    {"name: a\nenv: four_rooms\nagents:\n  - preset: nec\n    options: {rate: 1}\nsweep: {rate: [2]}\n",
     "s.yaml:5: rate: the sweep in line 6 sets this option; remove one of the two"},
    {"name: a\nenv: {name: four_rooms, options: {walls: segment}}\nagents: [nec]\nsweep: {walls: [segment]}\n",
     "s.yaml:2: walls: the sweep in line 4 sets this option"},
    // published numbers
    {HEAD "published:\n  - {agent: sfnek, mean: 1}\n",
     "s.yaml:5: published: no agent of this spec has the label 'sfnek'; did you mean 'sfnec'?"},
    {HEAD "published:\n  - {agent: nec, mean: 1, task: 11}\n",
     "s.yaml:5: published: task 11 is after the last one, 10"},
    {HEAD "published:\n  - {agent: nec, mean: nan}\n", "s.yaml:5: published[1].mean: 'nan' is refused"},
    {HEAD "published:\n  - {agent: nec}\n", "s.yaml:5: published[1]: the key 'mean' is missing"},
    {HEAD "published:\n  - {agent: nec, mean: 1, se: -1}\n",
     "s.yaml:5: published[1]: the standard error 'se' is below 0"},
    {HEAD "published:\n  - {agent: nec, mean: 1, options: {rate: 1}}\n",
     "s.yaml:5: rate: the sweep of 'nec' has no point with rate=1"},
    {HEAD "published:\n  - {agent: nec, mean: 1, options: {rats: 1}}\n", "did you mean 'rate'?"},
    {HEAD "sweep: {rate: [0.5, 2]}\npublished:\n  - {agent: nec, mean: 1, options: {rate: 1}}\n",
     "s.yaml:6: rate: the sweep of 'nec' has no point with rate=1"},
    {HEAD "sweep: {rate: [0.5, 2]}\npublished:\n  - {agent: nec, mean: 1}\n",
     "s.yaml:6: published: this does not say for which point it holds; add options: {rate: VALUE}"},
};

static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    sfnec_spec *spec;
    const sfnec_status status = parse(refusals[i].text, NULL, &spec);
    if (status != SFNEC_ERROR_FORMAT) fail_msg("not refused: %s", refusals[i].text);
    // the sentence begins with the place unless only its end is given
    if (!strstr(sfnec_last_error(), refusals[i].sentence) || strncmp(sfnec_last_error(), "s.yaml:", 7) != 0)
      fail_msg("'%s' lacks '%s'", sfnec_last_error(), refusals[i].sentence);
    assert_null(spec);
  }
}

static void test_good_neighbours(void **state) {
  (void)state;
  // what the refusals above are near to
  static const char *const good[] = {
      HEAD,
      "---\n" HEAD "...\n",
      "\xef\xbb\xbf" HEAD,
      HEAD "title: >\n  folded\n  text\n",
      HEAD "sweep: {rate: [0.5, 2]}\npublished:\n  - {agent: nec, mean: 1, options: {rate: 2.0}}\n",
      HEAD "published: []\nsweep: {}\n",
      "name: a\nenv: four_rooms\nagents: [{preset: sfql, options: {neighbours: 3}}]\n", // ignored by sfql, and accepted
      "{\"name\": \"a\", \"env\": \"one_room\", \"agents\": [\"ql\"]}",
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) sfnec_spec_destroy(parsed(good[i], NULL));
}

static void test_long_texts(void **state) {
  (void)state;
  // neither a long path nor a long value pushes the reason out of the sentence
  enum { LONG = 3000 };
  char path[LONG + 1], text[LONG + 200];
  memset(path, 'p', LONG);
  path[LONG] = '\0';
  snprintf(text, sizeof text, "name: a\nenv: %s\nagents: [nec]\n", path);
  sfnec_spec *spec;
  REFUSED(sfnec_spec_parse(path, text, strlen(text), NULL, &spec), SFNEC_ERROR_FORMAT,
          "p:2: env: there is no environment 'pppp");
  assert_non_null(strstr(sfnec_last_error(), "(see sfnec list envs)"));
  snprintf(text, sizeof text, HEAD "%s: 1\n", path + LONG - 1000); // longer keys are no keys of YAML
  REFUSED(sfnec_spec_parse(path, text, strlen(text), NULL, &spec), SFNEC_ERROR_FORMAT,
          "a spec has no such key, but name");
  snprintf(text, sizeof text, HEAD "sweep: {rate: [%s]}\n", path);
  REFUSED(sfnec_spec_parse(path, text, strlen(text), NULL, &spec), SFNEC_ERROR_FORMAT,
          "it takes a number from 0 to 1000");
  // a cut text stays UTF-8
  for (size_t i = 0; i + 1 < LONG; i += 2) memcpy(path + i, "\xc3\xa9", 2);
  snprintf(text, sizeof text, "name: x%s\nenv: four_rooms\nagents: [nec]\n", path);
  REFUSED(parse(text, NULL, &spec), SFNEC_ERROR_FORMAT, "\xc3\xa9...' is refused");
}

static void test_files(void **state) {
  (void)state;
  sfnec_spec *spec;
  REFUSED(sfnec_spec_load("missing.yaml", NULL, &spec), SFNEC_ERROR_IO,
          "cannot read the spec missing.yaml: there is no such file");
  assert_null(spec);
  assert_int_equal(mkdir("folder", 0777), 0);
  REFUSED(sfnec_spec_load("folder", NULL, &spec), SFNEC_ERROR_IO, "it is a folder; name a YAML file");
  REFUSED(sfnec_spec_load("", NULL, &spec), SFNEC_ERROR_IO, "cannot read the spec");
  char *big = malloc(2 << 20);
  memset(big, '#', 2 << 20);
  write_file("big.yaml", big, 2 << 20);
  REFUSED(sfnec_spec_load("big.yaml", NULL, &spec), SFNEC_ERROR_IO, "more than a megabyte");
  free(big);
  write_file("binary.yaml", "SQLite\0\1\2", 9);
  REFUSED(sfnec_spec_load("binary.yaml", NULL, &spec), SFNEC_ERROR_FORMAT, "binary.yaml: this is a binary file");
  write_file("empty.yaml", "", 0);
  REFUSED(sfnec_spec_load("empty.yaml", NULL, &spec), SFNEC_ERROR_FORMAT, "empty.yaml: the spec is empty");
  write_file("good.yaml", HEAD, strlen(HEAD));
  OK(sfnec_spec_load("good.yaml", NULL, &spec));
  assert_string_equal(spec->path, "good.yaml");
  sfnec_spec_destroy(spec);
}

// ---- damage ----

// changes, removes, doubles and swaps bytes and lines
static size_t damage(char *text, size_t size, size_t room, sfnec_random *random) {
  static const char odd[] = "\t\n :-,[]{}&*!#|>'\"%@`0123456789.abcdefghijklmnopqrstuvwxyz\0\xff\xc3~?";
  const uint32_t times = 1 + sfnec_random_below(random, 4);
  for (uint32_t i = 0; i < times && size > 0; i++) {
    const size_t at = sfnec_random_below(random, (uint32_t)size);
    const size_t length = 1 + sfnec_random_below(random, 20) % (size - at ? size - at : 1);
    switch (sfnec_random_below(random, 5)) {
    case 0:
      text[at] = odd[sfnec_random_below(random, sizeof odd - 1)];
      break;
    case 1:
      size = at; // cut off
      break;
    case 2:
      memmove(text + at, text + at + length, size - at - length);
      size -= length;
      break;
    case 3:
      if (size + length > room) break;
      memmove(text + at + length, text + at, size - at);
      size += length;
      break;
    default:
      if (size + 1 > room) break;
      memmove(text + at + 1, text + at, size - at);
      text[at] = odd[sfnec_random_below(random, sizeof odd - 1)];
      size++;
    }
  }
  return size;
}

static bool is_sentence(const char *text) {
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ') return false;
  return strlen(text) > 10;
}

// a spec that survives must make a plan, or a sentence, and its text must read back
static bool try_spec(const char *text, size_t size) {
  sfnec_spec *spec;
  sfnec_status status = sfnec_spec_parse("s.yaml", text, size, NULL, &spec);
  if (!status) {
    // bounded: a changed digit may ask for thousands of jobs
    if (spec->seed_count > 3) spec->seed_count = 3;
    sfnec_spec *again;
    const char *resolved = sfnec_spec_text(spec);
    OK(sfnec_spec_parse("again.yaml", resolved, strlen(resolved), NULL, &again));
    assert_string_equal(sfnec_spec_text(again), resolved);
    sfnec_spec_destroy(again);
    sfnec_plan *plan;
    status = sfnec_plan_create(spec, &plan);
    sfnec_plan_destroy(plan);
    sfnec_spec_destroy(spec);
  }
  if (status && !is_sentence(sfnec_last_error())) fail_msg("no sentence: '%s'", sfnec_last_error());
  return !status;
}

static void test_damage(void **state) {
  (void)state;
  static const char *const seeds[] = {
      "name: a\ntitle: x y\nenv: {name: four_rooms, options: {layout: figure}}\ntasks: 5\nsteps: 30\nseeds: 1-2,5\n"
      "agents:\n  - nec\n  - {label: k 1, preset: sfnec, options: {novelty: 0.1}}\n  - {preset: sfql, sweep: {rate: "
      "[0.01, 5e-2]}}\nsweep:\n  neighbours: [1, 4]\nrecord: {episodes: yes}\npublished:\n  - {agent: nec, options: "
      "{neighbours: 4}, task: 3, mean: 55.5, se: 3}\n",
      "name: a\nenv: one_room\nepisodes: 9\nagents: [sfnec, ql]\nrandom: {count: 4, seed: 2}\nsweep:\n  rate: {from: "
      "0.001, to: 0.1, scale: log}\n  horizon: {from: 1, to: 9}\n  kernel: [inverse, inverse_squared]\n",
  };
  enum { ROUNDS = 6000, ROOM = 1200 };
  sfnec_random random = sfnec_random_start(7, 1000);
  int survived = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const char *seed = seeds[i % 2];
    const size_t size = strlen(seed);
    // in a block of its exact size, so that reading past the end is seen
    char *copy = malloc(ROOM);
    memcpy(copy, seed, size);
    const size_t left = damage(copy, size, ROOM, &random);
    char *exact = malloc(left ? left : 1);
    memcpy(exact, copy, left);
    free(copy);
    survived += try_spec(exact, left);
    free(exact);
  }
  // the damage is neither harmless nor always fatal
  assert_in_range(survived, ROUNDS / 100, ROUNDS / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_refusals), cmocka_unit_test(test_good_neighbours), cmocka_unit_test(test_long_texts),
      cmocka_unit_test(test_files),    cmocka_unit_test(test_damage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
