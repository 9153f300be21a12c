// cmd_eval.c: `sfnec eval`: how well a saved agent does on new reward weights, without learning.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "run/play.h"
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
    {"env", ARG_TEXT, offsetof(eval_args, env), "NAME", NULL, 0, 0, ENV_PLAYED},
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

// everything that one evaluation holds
typedef struct evaluation {
  const eval_args *args;
  const char *path;
  sfnec_arena *arena;
  sfnec_agent *agent;
  // where it acts
  const sfnec_env_kind *kind;
  text_list settings; // "key=value"
  uint64_t seed;
  // for which rewards
  size_t count, features;
  double *weights; // (count, features): those given, then those drawn
} evaluation;

// ---- world ----

static int choose_world(evaluation *e) {
  const eval_args *args = e->args;
  sfnec_note note;
  const char *const *noted = NULL;
  int code = code_of(sfnec_note_read(e->arena, sfnec_agent_get_note(e->agent), &note));
  if (!code && !args->env && !note.env)
    code = misuse("%s does not say where the agent was trained; give --env NAME", e->path);
  if (!code) code = code_of(sfnec_note_find(e->arena, &note, e->path, args->env, &e->kind, &noted));
  for (size_t i = 0; noted && noted[i] && !code; i++) text_push(&e->settings, noted[i]);
  for (size_t i = 0; i < args->sets.count && !code; i++) {
    sfnec_key key;
    const char *value, *assignment = args->sets.items[i];
    code = code_of(sfnec_key_assign(e->arena, e->kind, SFNEC_KEY_ENV, "--set", assignment, &key, &value));
    text_push(&e->settings, assignment);
  }
  return code;
}

static sfnec_status create_world(const evaluation *e, sfnec_env **env) {
  return sfnec_env_create(e->kind, (const char *const *)e->settings.items, e->seed, env);
}

static int check_agent(const evaluation *e, const sfnec_env *env) {
  if (sfnec_agent_get_options(e->agent)->predict == SFNEC_PREDICT_REWARD)
    return misuse("%s knows only the rewards that it was trained on (predict=reward); new weights need an agent that "
                  "predicts features, such as sfnec",
                  e->path);
  return sfnec_play_fits(e->agent, env) ? misuse("%s; choose another --env", sfnec_last_error()) : EXIT_OK;
}

// ---- weights ----

static int collect_weights(evaluation *e, const sfnec_env *env) {
  const text_list *given = &e->args->w;
  e->features = (size_t)sfnec_env_get_shape(env).feature_count;
  e->count = given->count + (size_t)e->args->random;
  if (!e->count) return misuse("eval needs reward weights: --w A,B,... or --random N");
  e->weights = must_alloc(e->count * e->features, sizeof *e->weights);
  int code = EXIT_OK;
  for (size_t i = 0; i < e->count && !code; i++) {
    double *w = e->weights + i * e->features;
    if (i < given->count) code = weights_parse(given->items[i], env, w);
    else sfnec_env_get_task_weights(env, (uint32_t)(i - given->count), w);
  }
  return code;
}

// ---- evaluation ----

static sfnec_status evaluate(const evaluation *e, const double *w, sfnec_evaluation *out) {
  sfnec_env *env = NULL;
  sfnec_scratch *scratch = NULL;
  sfnec_status status = create_world(e, &env);
  if (!status) status = sfnec_scratch_create(e->agent, &scratch);
  if (!status) status = sfnec_run_evaluate(e->agent, scratch, env, w, e->args->steps, e->args->episode_steps, out);
  sfnec_scratch_destroy(scratch);
  sfnec_env_destroy(env);
  return status;
}

static int print_rows(const evaluation *e) {
  // the widest vector sets the first column
  text_list texts = {0};
  int width = 1, code = EXIT_OK;
  for (size_t i = 0; i < e->count; i++) {
    char *text = text_weights(e->weights + i * e->features, e->features);
    text_push(&texts, text);
    if ((int)strlen(text) > width) width = (int)strlen(text);
    free(text);
  }
  printf("%-*s %12s %9s %7s %12s\n", width, "w", "return", "episodes", "goals", "per episode");
  for (size_t i = 0; i < e->count && !code; i++) {
    // the world begins anew, and so does the stream for ties: a row does not depend on the rows before it
    sfnec_evaluation result = {0};
    code = code_of(evaluate(e, e->weights + i * e->features, &result));
    if (code) break;
    printf("%-*s %12.2f %9" PRId64 " %7" PRId64 " %12.3f\n", width, texts.items[i], result.total, result.episodes,
           result.goals, result.per_episode);
    code = flush_output();
  }
  text_clear(&texts);
  return code;
}

static int run_eval(const void *values, const text_list *operands) {
  const eval_args *args = values;
  evaluation e = {.args = args, .path = operands->items[0], .arena = sfnec_arena_create()};
  sfnec_env *env = NULL;
  int code = e.arena ? code_of(sfnec_agent_load(e.path, &e.agent)) : fail("out of memory");
  if (!code) e.seed = args->seed.given ? args->seed.value : sfnec_agent_get_seed(e.agent) + 1;
  if (!code) code = choose_world(&e);
  if (!code) code = code_of(create_world(&e, &env));
  if (!code) code = check_agent(&e, env);
  if (!code) code = collect_weights(&e, env);
  if (!code) code = print_rows(&e);
  free(e.weights);
  sfnec_env_destroy(env);
  text_clear(&e.settings);
  sfnec_agent_destroy(e.agent);
  sfnec_arena_destroy(e.arena);
  return code;
}
