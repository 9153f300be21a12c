// cmd_list.c: `sfnec list`: environments, agents and options, from the registries and option tables.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/option_groups.h"
#include "base/json.h"
#include "cli/cli.h"
#include "study/plan/plan.h"

typedef struct list_args {
  const char *agent, *env;
  bool json, all;
} list_args;

static int run_list(const void *values, const text_list *operands);

static const arg table[] = {
    {"agent", ARG_TEXT, offsetof(list_args, agent), "NAME", NULL, 0, 0,
     "with options: the resolved values of this agent as key=value"},
    {"env", ARG_TEXT, offsetof(list_args, env), "NAME", NULL, 0, 0,
     "with envs and options: this one only, NAME or FILE.so: a plugin"},
    {"all", ARG_FLAG, offsetof(list_args, all), NULL, NULL, 0, 0,
     "with options: also those for studies of the agent itself"},
    {"json", ARG_FLAG, offsetof(list_args, json), NULL, NULL, 0, 0, "the list as JSON"},
    {0},
};

const command command_list = {
    .name = "list",
    .summary = "list environments, agents or options",
    .operands = "envs|agents|options",
    .about = "Lists the environments, the agents (presets), or the options of the agent and of each\n"
             "environment with default, range and meaning. sfnec train --env NAME --help lists them too.",
    .args = table,
    .values_size = sizeof(list_args),
    .run = run_list,
};

// ---- environments ----

// the one that the user named, or all built-in ones; NULL past the last
static const sfnec_env_kind *kind_at(const sfnec_env_kind *only, size_t i) {
  return !only ? sfnec_env_kind_at(i) : i ? NULL : only;
}

static void print_names(const char *title, const char *const *names, int32_t count) {
  if (!names) return;
  printf("  %s:", title);
  for (int32_t i = 0; i < count; i++) printf("%s %s", i ? "," : "", names[i]);
  printf("\n");
}

static void json_names(sfnec_json *json, const char *key, const char *const *names, int32_t count) {
  sfnec_json_begin_flat(json, key, '[');
  for (int32_t i = 0; names && i < count; i++) sfnec_json_text(json, NULL, names[i]);
  sfnec_json_end(json, ']');
}

static void print_env(sfnec_json *json, const sfnec_env_kind *kind, sfnec_env_shape shape, int width) {
  if (json) {
    sfnec_json_begin(json, NULL, '{');
    sfnec_json_text(json, "name", kind->name);
    sfnec_json_text(json, "help", kind->help);
    sfnec_json_int(json, "observation_size", shape.observation_size);
    sfnec_json_int(json, "action_count", shape.action_count);
    sfnec_json_int(json, "feature_count", shape.feature_count);
    json_names(json, "actions", kind->action_names, shape.action_count);
    json_names(json, "features", kind->feature_names, shape.feature_count);
    sfnec_json_end(json, '}');
    return;
  }
  printf("%-*s  ", width, kind->name);
  text_print_wrapped(stdout, width + 2, kind->help);
  printf("\n  observation: %" PRId32 " floats\n", shape.observation_size);
  print_names("actions", kind->action_names, shape.action_count);
  print_names("features", kind->feature_names, shape.feature_count);
}

static int list_envs(sfnec_json *json, const sfnec_env_kind *only) {
  const sfnec_env_kind *kind;
  int width = 0;
  for (size_t i = 0; (kind = kind_at(only, i)); i++)
    if ((int)strlen(kind->name) > width) width = (int)strlen(kind->name);
  for (size_t i = 0; (kind = kind_at(only, i)); i++) {
    sfnec_env *env;
    const int code = code_of(sfnec_env_create(kind, NULL, 1, &env));
    if (code) return code;
    print_env(json, kind, sfnec_env_get_shape(env), width);
    sfnec_env_destroy(env);
  }
  return EXIT_OK;
}

// ---- agents ----

static void json_agent(sfnec_json *json, const sfnec_agent_preset *preset) {
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_text(json, "name", preset->name);
  sfnec_json_text(json, "help", preset->help);
  sfnec_json_begin_flat(json, "settings", '[');
  for (size_t j = 0; preset->assignments && preset->assignments[j]; j++)
    sfnec_json_text(json, NULL, preset->assignments[j]);
  sfnec_json_end(json, ']');
  sfnec_json_end(json, '}');
}

static int list_agents(sfnec_json *json) {
  enum { COLUMN = 15 };
  const sfnec_agent_preset *preset;
  for (size_t i = 0; (preset = sfnec_agent_preset_at(i)); i++) {
    if (json) {
      json_agent(json, preset);
      continue;
    }
    printf("%-*s ", COLUMN - 1, preset->name);
    text_print_wrapped(stdout, COLUMN, preset->help);
    printf("\n");
    for (size_t j = 0; preset->assignments && preset->assignments[j]; j++)
      printf("%s%s%s", j ? " " : "  ", preset->assignments[j], preset->assignments[j + 1] ? "" : "\n");
  }
  return EXIT_OK;
}

// ---- options ----

// `former`: a name of an earlier version, which still works; NULL: none
static void print_option(const char *name, const char *initial, const char *range, const char *help,
                         const char *former) {
  enum { COLUMN = 38 };
  printf("  %-18s %-16s ", name, initial);
  char *text = text_print("%s (%s)%s%s", help, range, former ? "; formerly " : "", former ? former : "");
  text_print_wrapped(stdout, COLUMN, text);
  printf("\n");
  free(text);
}

// the group of an agent's option; NULL for an option of an environment
static const char *group_of(const sfnec_option_set *set, const char *name) {
  const sfnec_option_group *group;
  for (size_t i = 0; set == sfnec_agent_option_set() && (group = sfnec_agent_option_group_at(i)); i++)
    for (const char *const *at = group->names; *at; at++)
      if (strcmp(*at, name) == 0) return group->title;
  return NULL;
}

static void json_option(sfnec_json *json, const sfnec_option *row, const char *initial, const char *range,
                        const char *group) {
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_text(json, "name", row->name);
  if (row->type == SFNEC_OPTION_CHOICE || row->type == SFNEC_OPTION_TEXT) sfnec_json_text(json, "default", initial);
  else sfnec_json_raw(json, "default", initial);
  sfnec_json_text(json, "range", range);
  sfnec_json_text(json, "help", row->help);
  if (group) sfnec_json_text(json, "group", group);
  if (row->former) sfnec_json_text(json, "former", row->former);
  sfnec_json_end(json, '}');
}

static void list_option(sfnec_json *json, const sfnec_option_set *set, const sfnec_option *row) {
  char initial[256], range[512];
  sfnec_options_get_default_text(row, initial, sizeof initial);
  sfnec_options_get_range_text(row, range, sizeof range);
  if (json) json_option(json, row, initial, range, group_of(set, row->name));
  else print_option(row->name, initial, range, row->help, row->former);
}

static void list_set(sfnec_json *json, const char *owner, const sfnec_option_set *set, bool all) {
  if (json) sfnec_json_begin(json, owner, '[');
  for (const sfnec_option *row = set->rows; row->name; row++) {
    if (all || !row->internal) list_option(json, set, row);
  }
  if (json) sfnec_json_end(json, ']');
}

// the options of agents by the agents that they serve
static void print_groups(bool all) {
  const sfnec_option_set *set = sfnec_agent_option_set();
  const sfnec_option_group *group;
  for (size_t i = 0; (group = sfnec_agent_option_group_at(i)); i++) {
    if (sfnec_options_find(set, group->names[0])->internal && !all) continue;
    printf("%s%s\n", i ? "\n" : "", group->title);
    if (i == 0) print_option("name", "default", "range", "meaning", NULL);
    for (const char *const *name = group->names; *name; name++) list_option(NULL, set, sfnec_options_find(set, *name));
  }
}

static int list_options(sfnec_json *json, const sfnec_env_kind *only, bool all) {
  if (!json && !only) print_groups(all);
  else if (!only) list_set(json, "agent", sfnec_agent_option_set(), all);
  const sfnec_env_kind *kind;
  for (size_t i = 0; (kind = kind_at(only, i)); i++) {
    if (!json) printf("%s%s\n", only ? "" : "\n", kind->name);
    list_set(json, kind->name, sfnec_env_kind_option_set(kind), all);
  }
  return EXIT_OK;
}

static int list_resolved(sfnec_json *json, const char *text) {
  const char *const agents[] = {text, NULL};
  const sfnec_overrides none = {0};
  sfnec_spec *spec = NULL;
  sfnec_plan *plan = NULL;
  sfnec_status status = sfnec_spec_make("list", agents, &none, &spec);
  if (!status) status = sfnec_plan_create(spec, &plan);
  for (const sfnec_option *row = sfnec_agent_option_set()->rows; !status && row->name; row++) {
    char value[256];
    sfnec_options_get_text(row, &plan->configurations[0].options, value, sizeof value);
    if (!json) printf("%s=%s\n", row->name, value);
    else if (row->type == SFNEC_OPTION_CHOICE || row->type == SFNEC_OPTION_TEXT)
      sfnec_json_text(json, row->name, value);
    else sfnec_json_raw(json, row->name, value);
  }
  sfnec_plan_destroy(plan);
  sfnec_spec_destroy(spec);
  return code_of(status);
}

static int list_what(const char *what, const list_args *args, sfnec_json *json) {
  if (strcmp(what, "agents") == 0) return list_agents(json);
  if (args->agent) return list_resolved(json, args->agent);
  sfnec_arena *arena = sfnec_arena_create();
  sfnec_world world = {0};
  int code = !arena ? fail("out of memory") : args->env ? code_of(sfnec_world_find(arena, args->env, &world)) : EXIT_OK;
  if (!code) {
    code = strcmp(what, "envs") == 0 ? list_envs(json, world.kind) : list_options(json, world.kind, args->all);
  }
  sfnec_arena_destroy(arena);
  return code;
}

int list_env_options(const char *name) {
  return list_what("options", &(list_args){.env = name}, NULL);
}

static int run_list(const void *values, const text_list *operands) {
  const list_args *args = values;
  const char *what = operands->items[0];
  const bool options = strcmp(what, "options") == 0;
  if (args->agent && !options) return misuse("list --agent goes with options, not with '%s'", what);
  if (!options && strcmp(what, "envs") != 0 && strcmp(what, "agents") != 0)
    return misuse("there is no list of '%s'; say envs, agents or options", what);
  if (args->env && (args->agent || strcmp(what, "agents") == 0))
    return misuse("list --env goes with envs and options, not with agents");
  if (!args->json) return list_what(what, args, NULL);
  sfnec_json json = {.file = stdout};
  sfnec_json_begin(&json, NULL, options ? '{' : '[');
  const int code = list_what(what, args, &json);
  sfnec_json_end(&json, options ? '}' : ']');
  return code;
}
