// cmd_list.c: `sfnec list`: what there is to choose from, straight from the registries and option tables.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "study/plan/plan.h"

typedef struct list_args {
  const char *agent;
} list_args;

static int run_list(const void *values, const text_list *operands);

static const arg table[] = {
    {"agent", ARG_TEXT, offsetof(list_args, agent), "NAME", NULL, 0, 0,
     "with options: the resolved values of this agent as key=value"},
    {0},
};

const command command_list = {
    .name = "list",
    .summary = "list environments, agents or options",
    .operands = "envs|agents|options",
    .about = "Lists the environments, the agents (presets), or the options of the agent and of each\n"
             "environment with default, range and meaning.",
    .args = table,
    .values_size = sizeof(list_args),
    .run = run_list,
};

static void print_names(const char *title, const char *const *names, int32_t count) {
  if (!names) return;
  printf("  %s:", title);
  for (int32_t i = 0; i < count; i++) printf("%s %s", i ? "," : "", names[i]);
  printf("\n");
}

static int list_envs(void) {
  const sfnec_env_kind *kind;
  for (size_t i = 0; (kind = sfnec_env_kind_at(i)); i++) {
    sfnec_env *env;
    const int code = code_of(sfnec_env_create(kind, NULL, 1, &env));
    if (code) return code;
    const sfnec_env_shape shape = sfnec_env_get_shape(env);
    printf("%-14s %s\n", kind->name, kind->help);
    printf("  observation: %" PRId32 " floats\n", shape.observation_size);
    print_names("actions", kind->action_names, shape.action_count);
    print_names("features", kind->feature_names, shape.feature_count);
    sfnec_env_destroy(env);
  }
  return EXIT_OK;
}

static int list_agents(void) {
  const sfnec_agent_preset *preset;
  for (size_t i = 0; (preset = sfnec_agent_preset_at(i)); i++) {
    printf("%-14s %s\n", preset->name, preset->help);
    if (!preset->assignments || !preset->assignments[0]) continue;
    printf("  ");
    for (size_t j = 0; preset->assignments[j]; j++) printf("%s%s", j ? " " : "", preset->assignments[j]);
    printf("\n");
  }
  return EXIT_OK;
}

static void print_option(const char *name, const char *initial, const char *range, const char *help) {
  printf("  %-18s %-16s %s (%s)\n", name, initial, help, range);
}

static void print_set(const sfnec_option_set *set) {
  for (const sfnec_option *row = set->rows; row->name; row++) {
    char initial[256], range[256];
    sfnec_options_get_default_text(row, initial, sizeof initial);
    sfnec_options_get_range_text(row, range, sizeof range);
    print_option(row->name, initial, range, row->help);
  }
}

static int list_options(void) {
  printf("agent\n");
  print_option("name", "default", "range", "meaning");
  print_set(sfnec_agent_option_set());
  const sfnec_env_kind *kind;
  for (size_t i = 0; (kind = sfnec_env_kind_at(i)); i++) {
    printf("\n%s\n", kind->name);
    print_set(sfnec_env_kind_option_set(kind));
  }
  return EXIT_OK;
}

static int list_resolved(const char *text) {
  const char *const agents[] = {text, NULL};
  const sfnec_overrides none = {0};
  sfnec_spec *spec = NULL;
  sfnec_plan *plan = NULL;
  sfnec_status status = sfnec_spec_make("list", agents, &none, &spec);
  if (!status) status = sfnec_plan_create(spec, &plan);
  for (const sfnec_option *row = sfnec_agent_option_set()->rows; !status && row->name; row++) {
    char value[256];
    sfnec_options_get_text(row, &plan->configurations[0].options, value, sizeof value);
    printf("%s=%s\n", row->name, value);
  }
  sfnec_plan_destroy(plan);
  sfnec_spec_destroy(spec);
  return code_of(status);
}

static int run_list(const void *values, const text_list *operands) {
  const list_args *args = values;
  const char *what = operands->items[0];
  if (args->agent && strcmp(what, "options") != 0) return misuse("list --agent goes with options, not with '%s'", what);
  if (strcmp(what, "envs") == 0) return list_envs();
  if (strcmp(what, "agents") == 0) return list_agents();
  if (strcmp(what, "options") == 0) return args->agent ? list_resolved(args->agent) : list_options();
  return misuse("there is no list of '%s'; say envs, agents or options", what);
}
