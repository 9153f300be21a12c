// cmd_inspect.c: `sfnec inspect`: what is in a saved agent, for people and as JSON.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/limit.h"
#include "sfnec/diagnosis.h"

typedef struct inspect_args {
  bool all, json;
  int64_t time_limit;
} inspect_args;

static int run_inspect(const void *values, const text_list *operands);

static const arg table[] = {
    {"all", ARG_FLAG, offsetof(inspect_args, all), NULL, NULL, 0, 0, "all options, not only those that were changed"},
    {"json", ARG_FLAG, offsetof(inspect_args, json), NULL, NULL, 0, 0, "everything as one JSON object"},
    ARG_TIME_LIMIT(inspect_args, time_limit),
    {0},
};

const command command_inspect = {
    .name = "inspect",
    .summary = "show the options, tasks and memories of a saved agent",
    .operands = "AGENT",
    .about = "Shows where a saved agent was trained, its options, and for each task the weights, the steps,\n"
             "how often its policy was chosen, and the entries in memory.\n"
             "\n"
             "For an agent that plans also its model: its size, how it distinguishes states (tabular, cells or\n"
             "continuous), the detected noise on observations, and which components of the observation\n"
             "matter. Components of the key define the distance between states, predictions depend on those\n"
             "of the context, constant and dropped ones have no effect. Each row has the reason, and the\n"
             "p-value of the test behind it. A ? marks components with too little evidence; they are used.\n"
             "\n"
             "Warnings name what keeps the agent from learning well, and the option that helps.",
    .args = table,
    .values_size = sizeof(inspect_args),
    .run = run_inspect,
};

// as the header has them, in its order
static const char *const regime_names[] = {"none", "cells", "tabular", "continuous"};
static const char *const role_names[] = {"unused", "key", "context", "constant", "dropped"};
enum { ROLE_COUNT = sizeof role_names / sizeof role_names[0] };

// a task and its weights (a new array)
typedef struct task_row {
  sfnec_task_info info;
  size_t size;
  double *w; // (size)
} task_row;

static task_row get_task(const sfnec_agent *agent, uint32_t task) {
  task_row row = {.size = (size_t)sfnec_agent_get_psi_size(agent)};
  row.w = must_alloc(row.size, sizeof *row.w);
  sfnec_agent_get_task_info(agent, task, &row.info);
  sfnec_agent_get_task_weights(agent, task, row.w);
  return row;
}

// entries, and minibatches trained and skipped, of all tasks
static sfnec_task_info total_of(const sfnec_agent *agent) {
  sfnec_task_info total = {0}, info;
  for (uint32_t task = 0; task < sfnec_agent_get_task_count(agent); task++) {
    if (sfnec_agent_get_task_info(agent, task, &info)) continue;
    total.entries += info.entries;
    total.trained += info.trained;
    total.skipped += info.skipped;
  }
  return total;
}

// Whether the agent plans; then the model has the facts about its model.
static bool has_model(const sfnec_agent *agent, sfnec_model_info *model) {
  return sfnec_agent_get_options(agent)->psi == SFNEC_PSI_PLANNED && !sfnec_agent_get_model_info(agent, model);
}

// ---- for people ----

static void print_options(const sfnec_agent *agent, bool all) {
  sfnec_agent_options defaults;
  sfnec_agent_options_default(&defaults);
  bool any = false;
  printf("\noptions%s\n", all ? "" : " that differ from the defaults (--all shows the rest)");
  for (const sfnec_option *row = sfnec_agent_option_set()->rows; row->name; row++) {
    char value[256], usual[256];
    sfnec_options_get_text(row, sfnec_agent_get_options(agent), value, sizeof value);
    sfnec_options_get_text(row, &defaults, usual, sizeof usual);
    const bool same = strcmp(value, usual) == 0;
    any = any || all || !same;
    if (same && all) printf("  %s=%s\n", row->name, value);
    if (!same) printf("  %s=%s (default %s)\n", row->name, value, usual);
  }
  if (!any) printf("  none\n");
}

// the greatest weight of all tasks, by its size
static double greatest_weight(const sfnec_agent *agent) {
  double most = 0;
  for (uint32_t task = 0; task < sfnec_agent_get_task_count(agent); task++) {
    task_row row = get_task(agent, task);
    for (size_t i = 0; i < row.size; i++) most = fmax(most, fabs(row.w[i]));
    free(row.w);
  }
  return most;
}

// few digits, and a bar beside each unless there are many; --json has all digits
static void print_weights(const task_row *row, double most) {
  enum { MOST_BARS = 8 };
  for (size_t i = 0; i < row->size; i++) {
    if (row->size > MOST_BARS) {
      printf("%s%.3g", i ? " " : "", row->w[i]);
      continue;
    }
    char *bar = text_bar(most > 0 ? row->w[i] / most : 0);
    printf("%s%7.3g %s", i ? " " : "", row->w[i], bar);
    free(bar);
  }
}

static void print_tasks(const sfnec_agent *agent) {
  const double most = greatest_weight(agent);
  printf("\n%5s %10s %10s %9s  %s\n", "task", "steps", "chosen", "entries", "w");
  for (uint32_t task = 0; task < sfnec_agent_get_task_count(agent); task++) {
    task_row row = get_task(agent, task);
    printf("%5" PRIu32 " %10" PRId64 " %10" PRId64 " %9" PRId64 "  ", task + 1, row.info.steps, row.info.chosen,
           row.info.entries);
    print_weights(&row, most);
    printf("%s%s\n", row.info.learned ? " (learned)" : "", row.info.active ? " (active)" : "");
    free(row.w);
  }
}

static sfnec_component_info get_component(const sfnec_agent *agent, int32_t component) {
  sfnec_component_info info;
  sfnec_agent_get_component_info(agent, component, &info);
  return info;
}

static bool are_alike(const sfnec_component_info *a, const sfnec_component_info *b) {
  return a->role == b->role && a->decided == b->decided && a->levels == b->levels && strcmp(a->reason, b->reason) == 0;
}

// a component's name, or its number without one
static void write_label(const sfnec_agent *agent, int32_t component, char *label, size_t size) {
  const sfnec_component_space *spaces = sfnec_agent_get_components(agent);
  if (spaces && spaces[component].name[0]) snprintf(label, size, "%s", spaces[component].name);
  else snprintf(label, size, "%" PRId32, component);
}

// columns for labels: names are longer than numbers
static int label_width(const sfnec_agent *agent) {
  enum { NUMBERS = 11, NAMES = 24 };
  return sfnec_agent_get_components(agent) ? NAMES : NUMBERS;
}

// a run of components that are alike, with the least evidence of any
static void print_run(const sfnec_agent *agent, int32_t first, int32_t last, const sfnec_component_info *run,
                      double p) {
  char from[SFNEC_COMPONENT_NAME], to[SFNEC_COMPONENT_NAME], range[2 * SFNEC_COMPONENT_NAME + 8];
  char role[32], evidence[32] = "-";
  write_label(agent, first, from, sizeof from);
  write_label(agent, last, to, sizeof to);
  const bool numbers = from[0] >= '0' && from[0] <= '9';
  if (first == last) snprintf(range, sizeof range, "%s", from);
  else snprintf(range, sizeof range, "%s%s%s", from, numbers ? "-" : " to ", to);
  snprintf(role, sizeof role, "%s%s", role_names[run->role], run->decided ? "" : "?");
  if (p < 1.0) snprintf(evidence, sizeof evidence, "%.1e", p);
  printf("  %*s  %-9s %8s  %s", label_width(agent), range, role, evidence, run->reason);
  if (run->levels > 0) printf("; rounded to %" PRId32 " levels", run->levels);
  printf("\n");
}

static void print_components(const sfnec_agent *agent) {
  const int32_t size = sfnec_agent_get_shape(agent).observation_size;
  printf("\n  %*s  %-9s %8s  %s\n", label_width(agent), "components", "role", "p", "reason");
  sfnec_component_info run = get_component(agent, 0);
  double p = run.p;
  int32_t first = 0;
  for (int32_t i = 1; i < size; i++) {
    const sfnec_component_info next = get_component(agent, i);
    if (are_alike(&run, &next)) {
      p = fmax(p, next.p);
      continue;
    }
    print_run(agent, first, i - 1, &run, p);
    run = next, first = i, p = next.p;
  }
  print_run(agent, first, size - 1, &run, p);
}

// how the model reads observations: the regime, noise, and what each component is for
static void print_reading(const sfnec_agent *agent, const sfnec_model_info *model) {
  int32_t counts[ROLE_COUNT] = {0};
  for (int32_t i = 0; i < sfnec_agent_get_shape(agent).observation_size; i++) counts[get_component(agent, i).role]++;
  if (model->regime != SFNEC_REGIME_NONE) printf("  regime: %s\n", regime_names[model->regime]);
  if (model->directions > 0)
    printf("  keys are projected on %" PRId32 " direction%s\n", model->directions, plural((size_t)model->directions));
  if (model->noise > 0) printf("  noise on observations moves a key by %.2g steps\n", model->noise);
  else printf("  no noise in keys was found\n");
  printf("  of the components %" PRId32 " make the key, %" PRId32 " the context, %" PRId32 " %s constant, %" PRId32
         " %s dropped\n",
         counts[SFNEC_COMPONENT_KEY], counts[SFNEC_COMPONENT_CONTEXT], counts[SFNEC_COMPONENT_CONSTANT],
         counts[SFNEC_COMPONENT_CONSTANT] == 1 ? "is" : "are", counts[SFNEC_COMPONENT_DROPPED],
         counts[SFNEC_COMPONENT_DROPPED] == 1 ? "is" : "are");
  print_components(agent);
}

// the model of an agent that plans
static void print_model(const sfnec_agent *agent) {
  sfnec_model_info model;
  if (!has_model(agent, &model)) return;
  printf("\nmodel\n  %" PRId64 " states, %" PRId64 " samples, %zu bytes\n", model.places, model.samples, model.bytes);
  if (model.slow > 0)
    printf("  %" PRId64 " contexts, made of %" PRId32 " components of the observation\n", model.contexts, model.slow);
  if (model.places == 0) return;
  printf("  a step is %.4g long, the radius of a state %.4g steps\n", model.step, model.radius);
  print_reading(agent, &model);
}

// ---- features that are learned ----

enum { MOST_RESPONSES = 6, MOST_NAMED = 4 };

// what an example of a response changes; where nothing but the key does, where it was
static void print_example(const sfnec_agent *agent, const float *before, const float *after) {
  const int32_t size = sfnec_agent_get_shape(agent).observation_size;
  char label[SFNEC_COMPONENT_NAME];
  int named = 0;
  for (int32_t i = 0; i < size; i++) {
    if (get_component(agent, i).role != SFNEC_COMPONENT_CONTEXT || before[i] == after[i]) continue;
    write_label(agent, i, label, sizeof label);
    if (named++ < MOST_NAMED)
      printf("%s%s %g -> %g", named > 1 ? ", " : ", component ", label, (double)before[i], (double)after[i]);
  }
  const bool changes = named > 0;
  for (int32_t i = 0; i < size && !changes && named < MOST_NAMED; i++) {
    if (get_component(agent, i).role != SFNEC_COMPONENT_KEY) continue;
    write_label(agent, i, label, sizeof label);
    printf("%s%s = %.3g", named++ ? ", " : ", such as where ", label, (double)before[i]);
  }
}

static void print_responses(const sfnec_agent *agent, int32_t feature) {
  const size_t size = (size_t)sfnec_agent_get_shape(agent).observation_size;
  sfnec_response responses[MOST_RESPONSES];
  float *observations = must_alloc(MOST_RESPONSES * 2 * size, sizeof *observations);
  size_t count = 0;
  sfnec_agent_ask_learned(agent, feature, MOST_RESPONSES, responses, observations, &count);
  printf("  feature %" PRId32 "%s\n", feature, feature ? "" : " (paid alike by all tasks)");
  for (size_t i = 0; i < count; i++) {
    printf("    %8.3g  ", responses[i].value);
    if (responses[i].action < 0) printf("several actions");
    else printf("action %" PRId32, responses[i].action);
    print_example(agent, observations + 2 * i * size, observations + (2 * i + 1) * size);
    printf("%s (%" PRId64 " transitions)\n", responses[i].terminated ? ", the end of the episode" : "",
           responses[i].transitions);
  }
  if (count == 0) printf("    nothing\n");
  free(observations);
}

static bool has_learned(const sfnec_agent *agent, sfnec_learned_info *info) {
  return sfnec_agent_get_options(agent)->predict == SFNEC_PREDICT_LEARNED && !sfnec_agent_get_learned_info(agent, info);
}

static void print_learned(const sfnec_agent *agent) {
  sfnec_learned_info info;
  if (!has_learned(agent, &info)) return;
  printf("\nlearned features\n");
  if (info.features == 0) {
    printf("  none yet: in the rewards of the tasks so far no structure was found, and the agent acts on the reward "
           "alone\n");
    return;
  }
  printf("  %" PRId32 ", of %" PRId32 " kinds of transitions in %" PRId32
         " tasks; they predict %.0f %% of rewards held "
         "out\n",
         info.features, info.kinds, info.tasks, 100 * info.explained);
  for (int32_t i = 0; i < info.features; i++) print_responses(agent, i);
}

// what training by minibatches did, if there was any
static void print_training(const sfnec_agent *agent) {
  const sfnec_agent_options *options = sfnec_agent_get_options(agent);
  const int32_t key = sfnec_agent_get_key_size(agent), observation = sfnec_agent_get_shape(agent).observation_size;
  const sfnec_task_info total = total_of(agent);
  if (options->training == SFNEC_TRAINING_BATCH)
    printf("\n%" PRId64 " minibatches trained, %" PRId64 " skipped because their gradient was not finite\n",
           total.trained, total.skipped);
  if (key > observation)
    printf("\nkeys of %" PRId32 " numbers are longer than the observation, which has %" PRId32
           ": they hold no more than it does\n",
           key, observation);
}

// what keeps it from learning well
static void print_findings(const sfnec_agent *agent) {
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  size_t count;
  if (sfnec_agent_diagnose(agent, NULL, findings, &count) || !count) return;
  printf("\nwarnings\n");
  for (size_t i = 0; i < count; i++) {
    sfnec_text_clean(findings[i].text); // names of components may be a stranger's
    printf("  %s: %s\n", findings[i].name, findings[i].text);
  }
}

static void print_note(const char *note) {
  if (!note[0]) return;
  printf("\nnote\n");
  text_list lines = {0};
  text_split(&lines, note, '\n');
  for (size_t i = 0; i < lines.count; i++) {
    sfnec_text_clean(lines.items[i]);
    if (lines.items[i][0]) printf("  %s\n", lines.items[i]);
  }
  text_clear(&lines);
}

static void print_agent(const sfnec_agent *agent, const char *path, bool all) {
  const sfnec_env_shape shape = sfnec_agent_get_shape(agent);
  printf("%s: %" PRIu32 " task%s, %" PRId64 " entries, %zu bytes in memory, seed %" PRIu64 "\n", path,
         sfnec_agent_get_task_count(agent), plural(sfnec_agent_get_task_count(agent)), total_of(agent).entries,
         sfnec_agent_get_bytes(agent), sfnec_agent_get_seed(agent));
  printf("observation of %" PRId32 ", %" PRId32 " action%s, %" PRId32 " feature%s\n", shape.observation_size,
         shape.action_count, plural((size_t)shape.action_count), shape.feature_count,
         plural((size_t)shape.feature_count));
  print_note(sfnec_agent_get_note(agent));
  print_options(agent, all);
  print_tasks(agent);
  print_model(agent);
  print_learned(agent);
  print_training(agent);
  print_findings(agent);
}

// ---- as JSON ----

static void json_options(sfnec_json *json, const sfnec_agent *agent) {
  sfnec_json_begin(json, "options", '{');
  for (const sfnec_option *row = sfnec_agent_option_set()->rows; row->name; row++) {
    char value[256];
    sfnec_options_get_text(row, sfnec_agent_get_options(agent), value, sizeof value);
    if (row->type == SFNEC_OPTION_CHOICE || row->type == SFNEC_OPTION_TEXT) sfnec_json_text(json, row->name, value);
    else sfnec_json_raw(json, row->name, value);
  }
  sfnec_json_end(json, '}');
}

static void json_task(sfnec_json *json, const sfnec_agent *agent, uint32_t task) {
  task_row row = get_task(agent, task);
  sfnec_json_begin_flat(json, NULL, '{');
  sfnec_json_int(json, "task", task + 1);
  sfnec_json_begin(json, "w", '[');
  for (size_t i = 0; i < row.size; i++) sfnec_json_real(json, NULL, row.w[i]);
  sfnec_json_end(json, ']');
  sfnec_json_bool(json, "learned", row.info.learned);
  sfnec_json_bool(json, "active", row.info.active);
  sfnec_json_int(json, "steps", row.info.steps);
  sfnec_json_int(json, "chosen", row.info.chosen);
  sfnec_json_int(json, "entries", row.info.entries);
  sfnec_json_int(json, "trained", row.info.trained);
  sfnec_json_int(json, "skipped", row.info.skipped);
  sfnec_json_end(json, '}');
  free(row.w);
}

static void json_component(sfnec_json *json, const sfnec_agent *agent, int32_t component) {
  const sfnec_component_info info = get_component(agent, component);
  sfnec_json_begin_flat(json, NULL, '{');
  const sfnec_component_space *spaces = sfnec_agent_get_components(agent);
  sfnec_json_int(json, "component", component);
  if (spaces) sfnec_json_text(json, "name", spaces[component].name);
  sfnec_json_text(json, "role", role_names[info.role]);
  sfnec_json_bool(json, "decided", info.decided);
  sfnec_json_int(json, "levels", info.levels);
  sfnec_json_int(json, "group", info.group);
  sfnec_json_real(json, "p", info.p);
  sfnec_json_real(json, "z", info.z);
  sfnec_json_text(json, "reason", info.reason);
  sfnec_json_end(json, '}');
}

// null for an agent that does not plan
static void json_model(sfnec_json *json, const sfnec_agent *agent) {
  sfnec_model_info model;
  if (!has_model(agent, &model)) {
    sfnec_json_raw(json, "model", "null");
    return;
  }
  sfnec_json_begin(json, "model", '{');
  sfnec_json_int(json, "places", model.places);
  sfnec_json_int(json, "samples", model.samples);
  sfnec_json_int(json, "contexts", model.contexts);
  sfnec_json_int(json, "slow", model.slow);
  sfnec_json_real(json, "step", model.step);
  sfnec_json_real(json, "radius", model.radius);
  sfnec_json_int(json, "bytes", (int64_t)model.bytes);
  sfnec_json_text(json, "regime", regime_names[model.regime]);
  sfnec_json_int(json, "directions", model.directions);
  sfnec_json_real(json, "noise", model.noise);
  sfnec_json_begin(json, "components", '[');
  for (int32_t i = 0; i < sfnec_agent_get_shape(agent).observation_size; i++) json_component(json, agent, i);
  sfnec_json_end(json, ']');
  sfnec_json_end(json, '}');
}

static void json_findings(sfnec_json *json, const sfnec_agent *agent) {
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  size_t count;
  if (sfnec_agent_diagnose(agent, NULL, findings, &count)) count = 0;
  sfnec_json_begin(json, "findings", '[');
  for (size_t i = 0; i < count; i++) {
    sfnec_json_begin_flat(json, NULL, '{');
    sfnec_json_text(json, "name", findings[i].name);
    sfnec_json_text(json, "text", findings[i].text);
    sfnec_json_end(json, '}');
  }
  sfnec_json_end(json, ']');
}

// null for an agent that learns no features
static void json_learned(sfnec_json *json, const sfnec_agent *agent) {
  sfnec_learned_info info;
  if (!has_learned(agent, &info)) {
    sfnec_json_raw(json, "learned", "null");
    return;
  }
  sfnec_json_begin(json, "learned", '{');
  sfnec_json_int(json, "features", info.features);
  sfnec_json_int(json, "tasks", info.tasks);
  sfnec_json_int(json, "kinds", info.kinds);
  sfnec_json_real(json, "explained", info.explained);
  sfnec_json_end(json, '}');
}

static void json_agent(const sfnec_agent *agent) {
  const sfnec_env_shape shape = sfnec_agent_get_shape(agent);
  sfnec_json json = {.file = stdout};
  sfnec_json_begin(&json, NULL, '{');
  sfnec_json_text(&json, "note", sfnec_agent_get_note(agent));
  sfnec_json_seed(&json, "seed", sfnec_agent_get_seed(agent));
  sfnec_json_int(&json, "observations", shape.observation_size);
  sfnec_json_int(&json, "actions", shape.action_count);
  sfnec_json_int(&json, "features", shape.feature_count);
  sfnec_json_int(&json, "entries", total_of(agent).entries);
  sfnec_json_int(&json, "bytes", (int64_t)sfnec_agent_get_bytes(agent));
  json_model(&json, agent);
  json_learned(&json, agent);
  json_options(&json, agent);
  sfnec_json_begin(&json, "tasks", '[');
  for (uint32_t task = 0; task < sfnec_agent_get_task_count(agent); task++) json_task(&json, agent, task);
  sfnec_json_end(&json, ']');
  json_findings(&json, agent);
  sfnec_json_end(&json, '}');
}

static int run_inspect(const void *values, const text_list *operands) {
  const inspect_args *args = values;
  const char *path = operands->items[0];
  sfnec_agent *agent;
  limit_time(args->time_limit);
  const int code = code_of(sfnec_agent_load(path, &agent));
  if (code) return code;
  if (args->json) json_agent(agent);
  else print_agent(agent, path, args->all);
  sfnec_agent_destroy(agent);
  return EXIT_OK;
}
