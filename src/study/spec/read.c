// read.c: a spec from a file or a text: one table per mapping, and the readers of what is more than one value; the
// contract is in spec.h.
#include "study/spec/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "study/spec/read.h"

// ---- settings: {key: value} ----

sfnec_status sfnec_read_settings(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_settings *settings = field;
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_MAPPING);
  if (status) return status;
  settings->items = sfnec_arena_alloc(source->arena, node->count, sizeof *settings->items);
  if (!settings->items) return sfnec_fail_memory("a spec");
  for (size_t i = 0; i < node->count; i++) {
    const sfnec_yaml *item = &node->items[i];
    status = sfnec_yaml_want(source, item, SFNEC_YAML_TEXT);
    if (status) return status;
    settings->items[settings->count++] = (sfnec_setting){item->key, item->text, item->line};
  }
  return SFNEC_OK;
}

// ---- weights: [[numbers]] ----

static sfnec_status read_vector(const sfnec_yaml_source *source, const sfnec_yaml *node, double *numbers,
                                uint32_t count) {
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_LIST);
  if (!status && node->count != count)
    status = sfnec_yaml_refuse(source, node, "this vector has %zu numbers, the first has %" PRIu32, node->count, count);
  for (size_t i = 0; i < node->count && !status; i++) {
    status = sfnec_yaml_want(source, &node->items[i], SFNEC_YAML_TEXT);
    if (!status && !sfnec_text_to_real(node->items[i].text, &numbers[i]))
      status = sfnec_yaml_refuse(source, &node->items[i], "'%s' is refused; it takes a number",
                                 sfnec_shown(source->arena, node->items[i].text));
  }
  return status;
}

sfnec_status sfnec_read_weights(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  enum { MOST = 10000 };
  sfnec_vectors *weights = field;
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_LIST);
  if (!status && (node->count == 0 || node->count > MOST))
    status = sfnec_yaml_refuse(source, node, "it takes from 1 to %d weight vectors: [[1, 0], [0, 1]]", MOST);
  if (!status) status = sfnec_yaml_want(source, &node->items[0], SFNEC_YAML_LIST);
  if (status) return status;
  const size_t size = node->items[0].count;
  if (size == 0 || size > MOST) return sfnec_yaml_refuse(source, node, "a vector needs a number for each feature");
  weights->items = sfnec_arena_alloc(source->arena, node->count * size, sizeof *weights->items);
  if (!weights->items) return sfnec_fail_memory("a spec");
  weights->count = (uint32_t)node->count;
  weights->size = (uint32_t)size;
  for (size_t i = 0; i < node->count && !status; i++)
    status = read_vector(source, &node->items[i], weights->items + i * size, (uint32_t)size);
  return status;
}

// ---- sweeps: {key: [values]} or {key: {from, to, scale}} ----

static sfnec_status read_scale(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  const sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_TEXT);
  if (status) return status;
  bool *log = field;
  *log = strcmp(node->text, "log") == 0;
  if (*log || strcmp(node->text, "linear") == 0) return SFNEC_OK;
  return sfnec_yaml_refuse(source, node, "'%s' is refused; it takes linear or log",
                           sfnec_shown(source->arena, node->text));
}

static const sfnec_field range_rows[] = {
    ROW("from", SFNEC_FIELD_REAL, sfnec_axis, from, 0, 0, true, NULL, "the least value"),
    ROW("to", SFNEC_FIELD_REAL, sfnec_axis, to, 0, 0, true, NULL, "the greatest value"),
    OTHER("scale", sfnec_axis, log, false, read_scale,
          "`linear`, or `log`: as many points from 0.001 to 0.01 as from 0.01 to 0.1"),
    END,
};
static const sfnec_field_set range_set = {"a range", range_rows};

static sfnec_status read_range(const sfnec_yaml_source *source, const sfnec_yaml *node, sfnec_axis *axis) {
  const sfnec_status status = sfnec_fields_read(source, &range_set, node, axis);
  if (status) return status;
  if (!(axis->from < axis->to)) return sfnec_yaml_refuse(source, node, "a range needs a 'to' that is above its 'from'");
  if (axis->log && axis->from < 1e-300) {
    return sfnec_yaml_refuse(source, node, "a range with scale log needs a 'from' of at least 1e-300");
  }
  return SFNEC_OK;
}

static sfnec_status read_values(const sfnec_yaml_source *source, const sfnec_yaml *node, sfnec_axis *axis) {
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_LIST);
  if (!status && node->count == 0)
    status = sfnec_yaml_refuse(source, node, "the list is empty; give at least one value");
  if (status) return status;
  axis->values = sfnec_arena_alloc(source->arena, node->count, sizeof *axis->values);
  axis->lines = sfnec_arena_alloc(source->arena, node->count, sizeof *axis->lines);
  if (!axis->values || !axis->lines) return sfnec_fail_memory("a spec");
  for (size_t i = 0; i < node->count; i++) {
    status = sfnec_yaml_want(source, &node->items[i], SFNEC_YAML_TEXT);
    if (status) return status;
    axis->lines[i] = node->items[i].line;
    axis->values[i] = node->items[i].text;
  }
  axis->count = node->count;
  return SFNEC_OK;
}

static sfnec_status read_axes(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_axes *axes = field;
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_MAPPING);
  if (status) return status;
  axes->items = sfnec_arena_alloc(source->arena, node->count, sizeof *axes->items);
  if (!axes->items) return sfnec_fail_memory("a spec");
  for (size_t i = 0; i < node->count && !status; i++) {
    const sfnec_yaml *item = &node->items[i];
    sfnec_axis *axis = &axes->items[axes->count++];
    *axis = (sfnec_axis){.key = item->key, .line = item->key_line};
    status = item->kind == SFNEC_YAML_MAPPING ? read_range(source, item, axis) : read_values(source, item, axis);
  }
  return status;
}

// ---- seeds ----

static sfnec_status read_seeds(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_spec *spec = field;
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_TEXT);
  if (status) return status;
  status = sfnec_seeds_parse(source->arena, node->text, &spec->seeds, &spec->seed_count);
  if (!status || status == SFNEC_ERROR_MEMORY) return status;
  const char *reason = sfnec_arena_copy(source->arena, sfnec_last_error());
  return sfnec_yaml_refuse(source, node, "%s", reason ? reason : "these are no seeds");
}

// ---- agents: a preset, or a mapping ----

static sfnec_status read_own_sweep(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_spec_agent *agent = field;
  agent->own_sweep = true;
  return read_axes(source, node, &agent->sweep);
}

static const sfnec_field agent_rows[] = {
    ROW("label", SFNEC_FIELD_TEXT, sfnec_spec_agent, label, 0, LONGEST_LABEL, false, NULL,
        "its name in tables and figures; the preset's if it is left out"),
    ROW("preset", SFNEC_FIELD_TEXT, sfnec_spec_agent, preset, 0, LONGEST_NAME, true, NULL,
        "the agent: `sfnec list agents` names them"),
    OTHER("options", sfnec_spec_agent, options, false, sfnec_read_settings, "what differs from the preset"),
    {"sweep", SFNEC_FIELD_OTHER, 0, 0, 0, false, read_own_sweep,
     "a sweep of its own instead of the common one; `{}` for none"},
    END,
};
static const sfnec_field_set agent_set = {"an agent", agent_rows};

static sfnec_status read_agent(const sfnec_yaml_source *source, const sfnec_yaml *node, sfnec_spec_agent *agent) {
  agent->line = node->line;
  if (node->kind == SFNEC_YAML_TEXT) {
    if (!node->text[0]) return sfnec_yaml_refuse(source, node, "this is empty; it takes the name of an agent");
    agent->preset = node->text;
  } else {
    const sfnec_status status = sfnec_fields_read(source, &agent_set, node, agent);
    if (status) return status;
  }
  if (!agent->label) agent->label = agent->preset;
  return SFNEC_OK;
}

static sfnec_status read_agents(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  enum { MOST = 1000 };
  sfnec_spec *spec = field;
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_LIST);
  if (!status && node->count == 0)
    status = sfnec_yaml_refuse(source, node, "the list is empty; name at least one agent");
  if (!status && node->count > MOST) {
    status = sfnec_yaml_refuse(source, node, "these are more than %d agents; use a sweep, or several specs", MOST);
  }
  if (status) return status;
  spec->agents = sfnec_arena_alloc(source->arena, node->count, sizeof *spec->agents);
  if (!spec->agents) return sfnec_fail_memory("a spec");
  for (size_t i = 0; i < node->count && !status; i++)
    status = read_agent(source, &node->items[i], &spec->agents[spec->agent_count++]);
  return status;
}

// ---- rewards: an expression, or a list of those ----

sfnec_status sfnec_spec_add_reward(sfnec_spec *spec, const char *text) {
  spec->rewards = sfnec_arena_grow(spec->arena, spec->rewards, spec->reward_count, sizeof *spec->rewards);
  if (!spec->rewards) return sfnec_fail_memory("a spec");
  spec->rewards[spec->reward_count++] = text;
  return SFNEC_OK;
}

static sfnec_status read_reward(const sfnec_yaml_source *source, const sfnec_yaml *node, sfnec_spec *spec) {
  const sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_TEXT);
  if (status) return status;
  if (!node->text[0])
    return sfnec_yaml_refuse(source, node,
                             "this is empty; it takes an expression like '1 if goal else -0.1', or the "
                             "word weights");
  return sfnec_spec_add_reward(spec, node->text);
}

static sfnec_status read_rewards(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  enum { MOST = 1000 };
  sfnec_spec *spec = field;
  if (node->kind == SFNEC_YAML_TEXT) return read_reward(source, node, spec);
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_LIST);
  if (!status && (node->count == 0 || node->count > MOST))
    status = sfnec_yaml_refuse(source, node, "it takes an expression, or a list of 1 to %d", MOST);
  for (size_t i = 0; !status && i < node->count; i++) status = read_reward(source, &node->items[i], spec);
  return status;
}

// ---- random sweeps, records ----

static const sfnec_field random_rows[] = {
    ROW("count", SFNEC_FIELD_COUNT, sfnec_spec, random_count, 1, 10000, true, NULL,
        "how many points are drawn; more later keeps the first ones"),
    ROW("seed", SFNEC_FIELD_SEED, sfnec_spec, random_seed, 0, 0, false, NULL, "of the draws"),
    END,
};
static const sfnec_field_set random_set = {"random", random_rows};

static sfnec_status read_random(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_spec *spec = field;
  spec->random = true;
  spec->random_line = node->line;
  return sfnec_fields_read(source, &random_set, node, spec);
}

static sfnec_status read_kept(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  static const struct {
    const char *name;
    sfnec_kept kept;
  } names[] = {{"no", SFNEC_KEPT_NONE},
               {"false", SFNEC_KEPT_NONE},
               {"first", SFNEC_KEPT_FIRST},
               {"yes", SFNEC_KEPT_ALL},
               {"true", SFNEC_KEPT_ALL}};
  const sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_TEXT);
  if (status) return status;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(node->text, names[i].name) != 0) continue;
    *(sfnec_kept *)field = names[i].kept;
    return SFNEC_OK;
  }
  return sfnec_yaml_refuse(source, node, "'%s' is refused; it takes yes, no or first",
                           sfnec_shown(source->arena, node->text));
}

static const sfnec_field record_rows[] = {
    ROW("episodes", SFNEC_FIELD_FLAG, sfnec_spec, record_episodes, 0, 0, false, NULL,
        "a row per episode as well as per task"),
    ROW("bins", SFNEC_FIELD_COUNT, sfnec_spec, bins, 0, 10000, false, NULL,
        "points of the curve over steps of each task, at most; 0: no curves"),
    OTHER("agents", sfnec_spec, kept_agents, false, read_kept,
          "keep the trained agents as files, of all seeds or of the first; the report replays them"),
    ROW("state_megabytes", SFNEC_FIELD_INT, sfnec_spec, state_megabytes, 0, SFNEC_SPEC_STATES_MOST, false, NULL,
        "room for the states of finished jobs, which let more tasks be added without running the first again"),
    END,
};
static const sfnec_field_set record_set = {"record", record_rows};

static sfnec_status read_record(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  return sfnec_fields_read(source, &record_set, node, field);
}

// ---- evaluation ----

static const sfnec_field evaluate_rows[] = {
    ROW("every", SFNEC_FIELD_INT, sfnec_spec_evaluate, every, 1, 1e12, true, NULL,
        "transitions of a run between two evaluations"),
    ROW("episodes", SFNEC_FIELD_INT, sfnec_spec_evaluate, episodes, 1, 1e6, false, NULL,
        "episodes of each, per weight vector"),
    ROW("steps", SFNEC_FIELD_INT, sfnec_spec_evaluate, steps, 0, 1e9, false, NULL,
        "an episode is cut off after so many; 0: where the environment does, or after 1000"),
    OTHER("weights", sfnec_spec_evaluate, weights, false, sfnec_read_weights,
          "the reward weights to play under, a list of vectors; those of the present task if it is left out"),
    ROW("best", SFNEC_FIELD_FLAG, sfnec_spec_evaluate, best, 0, 0, false, NULL,
        "keep the agent whose mean return was the highest: `agents/ID.best.sfnec`"),
    END,
};
static const sfnec_field_set evaluate_set = {"evaluate", evaluate_rows};

static sfnec_status read_evaluate(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_spec_evaluate *evaluate = field;
  *evaluate = (sfnec_spec_evaluate){.episodes = 10, .line = node->line};
  return sfnec_fields_read(source, &evaluate_set, node, evaluate);
}

// ---- published numbers ----

static const sfnec_field published_rows[] = {
    ROW("agent", SFNEC_FIELD_TEXT, sfnec_published, agent, 0, LONGEST_LABEL, true, NULL, "the label of an agent"),
    OTHER("options", sfnec_published, options, false, sfnec_read_settings,
          "the point of the sweep: every swept key with one of its values"),
    ROW("task", SFNEC_FIELD_COUNT, sfnec_published, task, 1, 1000000, false, NULL,
        "the number is the average over the tasks 1 to this one; the last if it is left out"),
    ROW("mean", SFNEC_FIELD_REAL, sfnec_published, mean, 0, 0, true, NULL, "the mean return over runs"),
    ROW("se", SFNEC_FIELD_REAL, sfnec_published, se, 0, 0, false, NULL, "its standard error"),
    ROW("source", SFNEC_FIELD_TEXT, sfnec_published, source, 0, LONGEST_TEXT, false, NULL, "where it was published"),
    END,
};
static const sfnec_field_set published_set = {"a published number", published_rows};

static sfnec_status read_one_published(const sfnec_yaml_source *source, const sfnec_yaml *node,
                                       sfnec_published *published) {
  *published = (sfnec_published){.se = NAN, .line = node->line};
  const sfnec_status status = sfnec_fields_read(source, &published_set, node, published);
  if (status) return status;
  if (published->se < 0) return sfnec_yaml_refuse(source, node, "the standard error 'se' is below 0");
  return SFNEC_OK;
}

static sfnec_status read_published(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  sfnec_spec *spec = field;
  sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_LIST);
  if (status) return status;
  spec->published = sfnec_arena_alloc(source->arena, node->count, sizeof *spec->published);
  if (!spec->published) return sfnec_fail_memory("a spec");
  for (size_t i = 0; i < node->count && !status; i++)
    status = read_one_published(source, &node->items[i], &spec->published[spec->published_count++]);
  return status;
}

// ---- the spec ----

bool sfnec_spec_is_name(const char *text) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  const size_t length = strlen(text);
  return length > 0 && length <= LONGEST_NAME && text[0] != '-' && strspn(text, allowed) == length;
}

static sfnec_status read_name(const sfnec_yaml_source *source, const sfnec_yaml *node, void *field) {
  const sfnec_status status = sfnec_yaml_want(source, node, SFNEC_YAML_TEXT);
  if (status) return status;
  if (!sfnec_spec_is_name(node->text)) {
    return sfnec_yaml_refuse(source, node, "'%s' is refused; it takes a word of at most %d of a-z, 0-9, _ and -",
                             sfnec_shown(source->arena, node->text), LONGEST_NAME);
  }
  *(const char **)field = node->text;
  return SFNEC_OK;
}

static const sfnec_field spec_rows[] = {
    OTHER("name", sfnec_spec, name, true, read_name, "a word of a-z, 0-9, _ and -: also the folder under `runs/`"),
    ROW("title", SFNEC_FIELD_TEXT, sfnec_spec, title, 0, LONGEST_TEXT, false, NULL,
        "a line for tables and figures; the name if it is left out"),
    {"env", SFNEC_FIELD_OTHER, 0, 0, 0, true, sfnec_read_env,
     "the environment: a name, the file of a plugin, or a mapping"},
    ROW("tasks", SFNEC_FIELD_COUNT, sfnec_spec, tasks, 1, 1000000, false, NULL, "tasks one after the other"),
    ROW("steps", SFNEC_FIELD_INT, sfnec_spec, steps, 0, 1e12, false, NULL, "transitions per task; 0: no such limit"),
    ROW("episodes", SFNEC_FIELD_INT, sfnec_spec, episodes, 0, 1e9, false, NULL,
        "episodes per task; 0: no such limit. A task ends at the limit that comes first"),
    {"rewards", SFNEC_FIELD_OTHER, 0, 0, 0, false, read_rewards,
     "what the tasks reward, if not `phi . w`: an expression, or a list that they take in turn, where `weights` stands "
     "for the environment's"},
    {"seeds", SFNEC_FIELD_OTHER, 0, 0, 0, false, read_seeds, "a seed, a range, or a list of both: `1-4,7`"},
    {"agents", SFNEC_FIELD_OTHER, 0, 0, 0, true, read_agents, "the agents: each a preset, or a mapping"},
    OTHER("sweep", sfnec_spec, sweep, false, read_axes,
          "option keys of the agents or of the environment, each with the values to try"),
    {"random", SFNEC_FIELD_OTHER, 0, 0, 0, false, read_random,
     "draw points at random instead of all combinations; keys may then have ranges"},
    {"record", SFNEC_FIELD_OTHER, 0, 0, 0, false, read_record, "what to keep besides the results of each task"},
    ROW("metric", SFNEC_FIELD_TEXT, sfnec_spec, metric, 0, LONGEST_NAME, false, NULL,
        "what tables, statistics and the report lead with, a metric of `sfnec stats`; the environment's own if it is "
        "left out"),
    OTHER("evaluate", sfnec_spec, evaluate, false, read_evaluate,
          "evaluate the agent greedily during learning, without changing the runs"),
    {"published", SFNEC_FIELD_OTHER, 0, 0, 0, false, read_published, "numbers to compare with"},
    END,
};
static const sfnec_field_set spec_set = {"a spec", spec_rows};

const sfnec_field_set *sfnec_spec_field_set_at(size_t i) {
  static const sfnec_field_set *const sets[] = {&spec_set,   &sfnec_env_fields, &agent_set,     &range_set, &random_set,
                                                &record_set, &evaluate_set,     &published_set, NULL};
  return i < sizeof sets / sizeof *sets ? sets[i] : NULL;
}

// Fills a spec that holds the defaults from the root of a file: kinds, keys, numbers. Texts are as in the file.
static sfnec_status read_spec(const sfnec_yaml_source *source, const sfnec_yaml *root, sfnec_spec *spec) {
  const sfnec_status status = sfnec_fields_read(source, &spec_set, root, spec);
  if (status) return status;
  if (!spec->title) spec->title = spec->name;
  // the paper's length of a task unless the spec counts episodes
  if (spec->steps < 0) spec->steps = spec->episodes > 0 ? 0 : SFNEC_SPEC_STEPS;
  if (spec->episodes < 0) spec->episodes = 0;
  if (spec->steps == 0 && spec->episodes == 0) {
    const sfnec_yaml *item = sfnec_yaml_item(root, "steps");
    return sfnec_yaml_refuse(source, item ? item : root, "a task needs an end; give steps or episodes above 0");
  }
  return SFNEC_OK;
}

// ---- a spec from a text ----

sfnec_spec *sfnec_spec_create(const char *path) {
  sfnec_arena *arena;
  sfnec_spec *spec = sfnec_arena_create_for(sizeof *spec, &arena);
  const char *copy = spec ? sfnec_arena_copy(arena, path) : NULL;
  uint64_t *seed = copy ? sfnec_arena_alloc(arena, 1, sizeof *seed) : NULL;
  if (!seed) {
    sfnec_arena_destroy(arena);
    return NULL;
  }
  *seed = 1;
  *spec = (sfnec_spec){
      .arena = arena,
      .path = copy,
      .tasks = 10,
      .steps = -1,
      .episodes = -1,
      .seeds = seed,
      .seed_count = 1,
      .random_seed = 1,
      .bins = SFNEC_SPEC_BINS,
      .state_megabytes = 0,
  };
  return spec;
}

void sfnec_spec_destroy(sfnec_spec *spec) {
  if (spec) sfnec_arena_destroy(spec->arena);
}

sfnec_status sfnec_spec_parse(const char *path, const char *text, size_t size, const sfnec_overrides *overrides,
                              sfnec_spec **out) {
  *out = NULL;
  sfnec_spec *spec = sfnec_spec_create(path);
  if (!spec) return sfnec_fail_memory("a spec");
  const sfnec_yaml_source source = {spec->arena, spec->path};
  const sfnec_yaml *root = NULL;
  sfnec_status status = sfnec_yaml_parse(&source, text, size, &root);
  if (!status) status = read_spec(&source, root, spec);
  if (!status && overrides && overrides->env) status = sfnec_spec_override_env(spec, overrides->env, overrides);
  if (!status) status = sfnec_spec_check(spec, overrides);
  if (!status && overrides) status = sfnec_spec_override(spec, overrides);
  if (status) sfnec_spec_destroy(spec);
  else *out = spec;
  return status;
}

// ---- files ----

// the largest file that is still taken for a spec
enum { MOST_BYTES = 1 << 20 };

static sfnec_status refuse_file(const char *path, int error) {
  const char *reason = strerror(error);
  if (error == ENOENT) reason = "there is no such file; experiments/ holds the published studies";
  if (error == EISDIR) reason = "it is a folder; name a YAML file";
  if (error == EFBIG) reason = "it has more than a megabyte; no spec is that long";
  return sfnec_fail(SFNEC_ERROR_IO, "cannot read the spec %.300s: %s", path, reason);
}

sfnec_status sfnec_spec_load(const char *path, const sfnec_overrides *overrides, sfnec_spec **out) {
  *out = NULL;
  FILE *stream = fopen(path, "rbe");
  if (!stream) return refuse_file(path, errno);
  // one byte more than allowed shows that there is more
  char *text = malloc(MOST_BYTES + 1);
  const size_t size = text ? fread(text, 1, MOST_BYTES + 1, stream) : 0;
  const int error = ferror(stream) ? errno : size > MOST_BYTES ? EFBIG : 0;
  fclose(stream);
  sfnec_status status;
  if (!text) status = sfnec_fail_memory("a spec");
  else if (error) status = refuse_file(path, error);
  else status = sfnec_spec_parse(path, text, size, overrides, out);
  free(text);
  return status;
}
