// cmd_eval.c: `sfnec eval`: how well a saved agent does on new reward weights, without learning.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "study/spec/spec.h"
#include "study/work/note.h"

typedef struct eval_args {
  text_list w, sets;
  int64_t random, steps, episode_steps;
  arg_seed seed;
  const char *env;
} eval_args;

static int run_eval(const void *values, const text_list *operands);

static const arg table[] = {
    {"w", ARG_LIST, offsetof(eval_args, w), "A,B,...", NULL, 0, 0, "reward weights, one per feature"},
    {"random", ARG_INT, offsetof(eval_args, random), "N", "0", 0, 1000000, "also N tasks drawn from the environment"},
    {"steps", ARG_INT, offsetof(eval_args, steps), "N", "20000", 1, 1000000000000, "transitions per weight vector"},
    {"episode-steps", ARG_INT, offsetof(eval_args, episode_steps), "N", "500", 0, 1000000000000,
     "cut off episodes after N steps, 0 = never"},
    {"seed", ARG_SEED, offsetof(eval_args, seed), "N", NULL, 0, 0,
     "of the world's noise and the drawn tasks (default: the agent's + 1)"},
    {"env", ARG_TEXT, offsetof(eval_args, env), "NAME", NULL, 0, 0, "environment (default: where it was trained)"},
    {"set", ARG_LIST, offsetof(eval_args, sets), "KEY=VALUE", NULL, 0, 0, "an option of the environment"},
    {0},
};

const command command_eval = {
    .name = "eval",
    .summary = "try a saved agent on new reward weights, without learning",
    .operands = "AGENT",
    .about = "Acts greedily by all policies of a saved agent under each weight vector and prints what it\n"
             "earned. AGENT is a file of sfnec train --save. With the agent's own seed, --random draws the\n"
             "tasks that it was trained on.",
    .args = table,
    .values_size = sizeof(eval_args),
    .run = run_eval,
};

// ---- weights ----

// all weight vectors in a row (count, features): those given, then those drawn
static int collect_weights(const eval_args *args, const sfnec_env *env, double **out, size_t *count) {
  const size_t features = (size_t)sfnec_env_get_shape(env).feature_count;
  *count = args->w.count + (size_t)args->random;
  if (!*count) return misuse("eval needs reward weights: --w A,B,... or --random N");
  *out = must_alloc(*count * features, sizeof **out);
  for (size_t i = 0; i < args->w.count; i++) {
    const int code = weights_parse(args->w.items[i], env, *out + i * features);
    if (code) return code;
  }
  for (size_t i = args->w.count; i < *count; i++)
    sfnec_env_get_task_weights(env, (uint32_t)(i - args->w.count), *out + i * features);
  return EXIT_OK;
}

// ---- world ----

// where the agent acts: a kind of environment and its settings
typedef struct world {
  const sfnec_env_kind *kind;
  text_list settings; // "key=value"
} world;

// kind and settings from a saved agent's note
static int world_from_note(world *world, const char *text, const char *path, sfnec_arena *arena) {
  sfnec_note note;
  sfnec_status status = sfnec_note_read(text, &note);
  if (status) return code_of(status);
  int code = EXIT_OK;
  if (!note.env) code = misuse("%s does not say where the agent was trained; give --env NAME", path);
  else if (sfnec_key_find_env(arena, note.env, &world->kind)) code = fail("%s", sfnec_last_error());
  for (size_t i = 0; note.settings[i] && !code; i++) text_push(&world->settings, note.settings[i]);
  sfnec_note_clear(&note);
  return code;
}

static int world_set(world *world, const char *assignment, sfnec_arena *arena) {
  sfnec_key key;
  const char *value;
  const sfnec_status status = sfnec_key_assign(arena, world->kind, SFNEC_KEY_ENV, "--set", assignment, &key, &value);
  if (!status) text_push(&world->settings, assignment);
  return code_of(status);
}

static int choose_world(const eval_args *args, const char *path, const sfnec_agent *agent, world *world) {
  sfnec_arena *arena = sfnec_arena_create();
  if (!arena) return fail("out of memory");
  int code = EXIT_OK;
  if (!args->env) {
    code = world_from_note(world, sfnec_agent_get_note(agent), path, arena);
  } else {
    const sfnec_status status = sfnec_key_find_env(arena, args->env, &world->kind);
    if (status) code = code_of(status);
  }
  for (size_t i = 0; i < args->sets.count && !code; i++) code = world_set(world, args->sets.items[i], arena);
  sfnec_arena_destroy(arena);
  return code;
}

static int world_create(const world *world, uint64_t seed, sfnec_env **env) {
  const sfnec_status status = sfnec_env_create(world->kind, (const char *const *)world->settings.items, seed, env);
  return code_of(status);
}

static int check_shape(const sfnec_agent *agent, const sfnec_env *env) {
  const sfnec_env_shape a = sfnec_agent_get_shape(agent), e = sfnec_env_get_shape(env);
  if (a.observation_size == e.observation_size && a.action_count == e.action_count &&
      a.feature_count == e.feature_count)
    return EXIT_OK;
  return misuse("the agent was made for %" PRId32 " observations, %" PRId32 " actions and %" PRId32
                " features, but %s has %" PRId32 ", %" PRId32 " and %" PRId32 "; choose another --env",
                a.observation_size, a.action_count, a.feature_count, sfnec_env_get_kind(env)->name, e.observation_size,
                e.action_count, e.feature_count);
}

// ---- evaluation ----

// everything that one evaluation holds
typedef struct evaluation {
  const eval_args *args;
  const char *path;
  sfnec_agent *agent;
  world world;
  uint64_t seed;
  double *weights; // (count, features)
  size_t count;
} evaluation;

static int load(evaluation *e) {
  const sfnec_status status = sfnec_agent_load(e->path, &e->agent);
  return code_of(status);
}

static int evaluate(evaluation *e, const double *w, sfnec_evaluation *out) {
  sfnec_env *env = NULL;
  sfnec_scratch *scratch = NULL;
  const int code = world_create(&e->world, e->seed, &env);
  if (code) return code;
  sfnec_status status = sfnec_scratch_create(e->agent, &scratch);
  if (!status) status = sfnec_run_evaluate(e->agent, scratch, env, w, e->args->steps, e->args->episode_steps, out);
  sfnec_scratch_destroy(scratch);
  sfnec_env_destroy(env);
  return code_of(status);
}

static void print_row(const char *w, int width, const sfnec_evaluation *result) {
  printf("%-*s %12.2f %9" PRId64 " %7" PRId64 " %12.3f\n", width, w, result->total, result->episodes, result->goals,
         result->per_episode);
}

static int print_rows(evaluation *e) {
  const size_t features = (size_t)sfnec_agent_get_shape(e->agent).feature_count;
  // the widest vector sets the first column
  text_list texts = {0};
  int width = 1, code = EXIT_OK;
  for (size_t i = 0; i < e->count; i++) {
    char *text = text_weights(e->weights + i * features, features);
    text_push(&texts, text);
    if ((int)strlen(text) > width) width = (int)strlen(text);
    free(text);
  }
  printf("%-*s %12s %9s %7s %12s\n", width, "w", "return", "episodes", "goals", "per episode");
  for (size_t i = 0; i < e->count && !code; i++) {
    // the world begins anew, and so does the stream for ties: a row does not depend on the rows before it
    sfnec_evaluation result;
    code = evaluate(e, e->weights + i * features, &result);
    if (!code) print_row(texts.items[i], width, &result);
    if (!code) code = flush_output();
  }
  text_clear(&texts);
  return code;
}

static int check_agent(const evaluation *e, const sfnec_env *env) {
  if (sfnec_agent_get_options(e->agent)->predict == SFNEC_PREDICT_REWARD)
    return misuse("%s knows only the rewards that it was trained on (predict=reward); new weights need an agent that "
                  "predicts features, such as sfnec",
                  e->path);
  return check_shape(e->agent, env);
}

static int eval(const eval_args *args, const char *path) {
  evaluation e = {.args = args, .path = path};
  sfnec_env *env = NULL;
  int code = load(&e);
  if (code) return code;
  e.seed = args->seed.given ? args->seed.value : sfnec_agent_get_seed(e.agent) + 1;
  code = choose_world(args, path, e.agent, &e.world);
  if (!code) code = world_create(&e.world, e.seed, &env);
  if (!code) code = check_agent(&e, env);
  if (!code) code = collect_weights(args, env, &e.weights, &e.count);
  if (!code) code = print_rows(&e);
  free(e.weights);
  sfnec_env_destroy(env);
  text_clear(&e.world.settings);
  sfnec_agent_destroy(e.agent);
  return code;
}

static int run_eval(const void *values, const text_list *operands) {
  return eval(values, operands->items[0]);
}
