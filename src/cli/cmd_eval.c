// cmd_eval.c: `sfnec eval`: how well a saved agent does on new reward weights, without learning.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/grid.h"
#include "cli/limit.h"
#include "run/evaluate.h"
#include "run/play.h"
#include "show/plot/plot.h"
#include "stats/pareto.h"
#include "stats/stats.h"
#include "study/spec/spec.h"
#include "study/work/note.h"

typedef struct eval_args {
  text_list w, rewards, sets;
  int64_t random, grid, parts, steps, episode_steps, time_limit;
  arg_seed seed;
  const char *env, *reference, *heat, *out;
  bool front;
} eval_args;

static int run_eval(const void *values, const text_list *operands);

static const arg table[] = {
    {"w", ARG_LIST, offsetof(eval_args, w), "A,B,...", NULL, 0, 0, "reward weights, one per feature"},
    {"reward", ARG_LIST, offsetof(eval_args, rewards), "EXPRESSION", NULL, 0, 0,
     "any reward, such as '1 if goal else -0.1 * (phi[0] > 0)', for an agent that plans"},
    {"random", ARG_INT, offsetof(eval_args, random), "N", "0", 0, 1000000, "also N tasks drawn from the environment"},
    {"grid", ARG_INT, offsetof(eval_args, grid), "N", "0", 0, 1000,
     "also all weights from 0 to 1 that add up to 1, in N even parts"},
    {"front", ARG_FLAG, offsetof(eval_args, front), NULL, NULL, 0, 0,
     "also the features per episode, the Pareto front, expected utility and hypervolume"},
    {"reference", ARG_TEXT, offsetof(eval_args, reference), "A,B,...", NULL, 0, 0,
     "of the hypervolume (default: the least of each feature)"},
    {"heat", ARG_TEXT, offsetof(eval_args, heat), "A,B", NULL, 0, 0,
     "also a heat map: the weights of two features, by name or number, from -1 to 1, the others as in --w"},
    {"parts", ARG_INT, offsetof(eval_args, parts), "N", "8", 1, SFNEC_EVAL_MAP_MOST - 1,
     "even parts of each side of the heat map"},
    {"out", ARG_TEXT, offsetof(eval_args, out), "FILE", "heat.svg", 0, 0,
     "where the heat map goes: FILE.svg, FILE.pdf or FILE.png (needs gnuplot)"},
    {"steps", ARG_INT, offsetof(eval_args, steps), "N", "20000", 1, 1000000000000, "transitions per weight vector"},
    {"episode-steps", ARG_INT, offsetof(eval_args, episode_steps), "N", "500", 0, 1000000000000,
     "cut off episodes after N steps, 0 = never"},
    ARG_TIME_LIMIT(eval_args, time_limit),
    {"seed", ARG_SEED, offsetof(eval_args, seed), "N", NULL, 0, 0,
     "seed of the environment's noise and the drawn tasks (default: the agent's + 1)"},
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
             "tasks that it was trained on. A --reward is Python's arithmetic over features and actions by name,\n"
             "phi[i], observation[i], next_observation[i], action and terminated.",
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
  double *weights; // (count, features): those given, of the grid, drawn, of the heat map
  double *means;   // (count, features) per episode; NULL unless the front is asked for
  size_t side;     // of the heat map, whose weights are the last side x side ones; 0: none
  size_t heat[2];  // its features
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
  const bool weights = e->args->w.count || e->args->grid || e->args->random || !e->args->rewards.count;
  if (weights && sfnec_agent_get_options(e->agent)->predict != SFNEC_PREDICT_FEATURES)
    return misuse("%s knows only the rewards that it was trained on (option predict); new weights need an agent that "
                  "predicts features, such as sfnec",
                  e->path);
  return sfnec_play_fits(e->agent, env) ? misuse("%s; choose another --env", sfnec_last_error()) : EXIT_OK;
}

// ---- weights ----

enum { MOST_GRID = 100000 };

// the ways to put `parts` equal parts on so many weights; too many count as one more than allowed
static size_t count_grid(size_t features, size_t parts) {
  double count = 1;
  for (size_t i = 1; i < features; i++) count *= (double)(parts + i) / (double)i;
  return count > MOST_GRID ? MOST_GRID + 1 : (size_t)(count + 0.5);
}

// one after the other as an odometer turns: the last weight takes what the others leave
static void fill_grid(double *weights, size_t count, size_t features, size_t parts) {
  size_t *turns = must_alloc(features, sizeof *turns);
  for (size_t i = 0; i < count; i++) {
    size_t left = parts;
    for (size_t k = 0; k + 1 < features; k++) left -= turns[k];
    turns[features - 1] = left;
    for (size_t k = 0; k < features; k++) weights[i * features + k] = (double)turns[k] / (double)parts;
    // the last that can take one of what is left; those behind it begin again
    size_t k = features - 1;
    while (k-- > 0) {
      if (left > 0) {
        turns[k]++;
        break;
      }
      left += turns[k];
      turns[k] = 0;
    }
  }
  free(turns);
}

// the value of a place on a side of the heat map
static double side_weight(const evaluation *e, size_t place) {
  return -1.0 + 2.0 * (double)place / (double)(e->side - 1);
}

// a feature by its name, or by its number from 1
static int find_feature(const sfnec_env *env, const char *text, size_t *out) {
  const sfnec_env_kind *kind = sfnec_env_get_kind(env);
  const size_t count = (size_t)sfnec_env_get_shape(env).feature_count;
  int64_t number;
  for (size_t k = 0; k < count; k++) {
    const bool named = kind->feature_names && strcmp(kind->feature_names[k], text) == 0;
    if (!named && !(sfnec_text_to_int(text, &number) && number == (int64_t)k + 1)) continue;
    *out = k;
    return EXIT_OK;
  }
  return misuse("--heat: %s has no feature '%s'; it has %zu%s", kind->name, text, count,
                kind->feature_names ? ", see sfnec list env" : "");
}

static int choose_heat(evaluation *e, const sfnec_env *env) {
  if (!e->args->heat) return EXIT_OK;
  text_list names = {0};
  text_split(&names, e->args->heat, ',');
  int code = names.count == 2 ? EXIT_OK : misuse("--heat takes two features, such as --heat 1,2");
  for (size_t i = 0; i < 2 && !code; i++) code = find_feature(env, names.items[i], &e->heat[i]);
  if (!code && e->heat[0] == e->heat[1]) code = misuse("--heat takes two features, and '%s' is one", e->args->heat);
  if (!code && e->args->w.count != 1) code = misuse("--heat needs one --w A,B,...: the weights that do not vary");
  if (!code) code = code_of(sfnec_plot_check_picture(e->args->out));
  e->side = (size_t)e->args->parts + 1;
  text_clear(&names);
  return code;
}

static void fill_heat(const evaluation *e, double *weights) {
  for (size_t i = 0; i < e->side * e->side; i++, weights += e->features) {
    memcpy(weights, e->weights, e->features * sizeof *weights);
    weights[e->heat[0]] = side_weight(e, i % e->side);
    weights[e->heat[1]] = side_weight(e, i / e->side);
  }
}

static int collect_weights(evaluation *e, const sfnec_env *env) {
  const text_list *given = &e->args->w;
  e->features = (size_t)sfnec_env_get_shape(env).feature_count;
  const size_t grid = e->args->grid ? count_grid(e->features, (size_t)e->args->grid) : 0;
  if (grid > MOST_GRID) return misuse("--grid %" PRId64 " makes more than %d weight vectors", e->args->grid, MOST_GRID);
  int code = choose_heat(e, env);
  if (code) return code;
  const size_t listed = given->count + grid + (size_t)e->args->random;
  e->count = listed + e->side * e->side;
  if (!e->count && !e->args->rewards.count)
    return misuse("eval needs reward weights or a reward: --w A,B,..., --grid N, --random N or --reward EXPRESSION");
  if (!e->count && e->args->front)
    return misuse("--front compares reward weights: give --w A,B,..., --grid N or --random N");
  e->weights = must_alloc(e->count * e->features + 1, sizeof *e->weights);
  if (e->args->front && e->count) e->means = must_alloc(e->count * e->features, sizeof *e->means);
  if (grid) fill_grid(e->weights + given->count * e->features, grid, e->features, (size_t)e->args->grid);
  for (size_t i = 0; i < listed && !code; i++) {
    double *w = e->weights + i * e->features;
    if (i < given->count) code = weights_parse(given->items[i], env, w);
    else if (i >= given->count + grid) sfnec_env_get_task_weights(env, (uint32_t)(i - given->count - grid), w);
  }
  if (!code) fill_heat(e, e->weights + listed * e->features);
  return code;
}

// ---- evaluation ----

// under weights or, if they are NULL, a reward; the features of an episode go to `means`, if it is there
static sfnec_status evaluate(const evaluation *e, const double *w, sfnec_reward_expression *reward, double *means,
                             sfnec_evaluation *out) {
  const sfnec_evaluation_plan plan = {
      .steps = e->args->steps, .episode_steps = e->args->episode_steps, .features = means};
  sfnec_env *env = NULL;
  sfnec_scratch *scratch = NULL;
  sfnec_status status = create_world(e, &env);
  if (!status) status = sfnec_scratch_create(e->agent, &scratch);
  if (!status && reward) status = sfnec_scratch_set_reward(scratch, sfnec_reward_evaluate, reward);
  if (!status) status = sfnec_evaluate(e->agent, scratch, env, w, &plan, out);
  for (size_t k = 0; means && !status && k < e->features; k++) means[k] /= (double)out->episodes;
  sfnec_scratch_destroy(scratch);
  sfnec_env_destroy(env);
  return status;
}

// ---- several objectives: the features of an episode ----

static int find_reference(const evaluation *e, const sfnec_env *env, double *reference) {
  if (e->args->reference) return weights_parse(e->args->reference, env, reference);
  for (size_t i = 0; i < e->count; i++)
    for (size_t k = 0; k < e->features; k++)
      if (!i || e->means[i * e->features + k] < reference[k]) reference[k] = e->means[i * e->features + k];
  return EXIT_OK;
}

// The features under each w, the Pareto front of them, and what the front is worth.
static int print_front(const evaluation *e, const sfnec_env *env, const char *const *texts, const double *returns) {
  const size_t n = e->features;
  const char *const *names = sfnec_env_get_kind(env)->feature_names;
  bool *front = must_alloc(e->count, sizeof *front);
  double *reference = must_alloc(n, sizeof *reference), volume = 0;
  sfnec_pareto_front(e->means, e->count, n, front);
  // a row per w, a star on those of the front
  grid grid = {.columns = n + 2};
  grid_add(&grid, "w");
  for (size_t k = 0; k < n; k++) {
    if (names) grid_add(&grid, "%s", names[k]);
    else grid_add(&grid, "phi %zu", k + 1);
  }
  grid_add(&grid, "front");
  size_t kept = 0;
  for (size_t i = 0; i < e->count; i++) {
    kept += front[i];
    grid_add(&grid, "%s", texts[i]);
    for (size_t k = 0; k < n; k++) grid_add(&grid, "%.3f", e->means[i * n + k]);
    grid_add(&grid, "%s", front[i] ? "*" : "");
  }
  printf("\nfeatures per episode\n");
  grid_print(&grid);
  // the front as single numbers
  printf("Pareto front: %zu of %zu\n", kept, e->count);
  printf("expected utility: %.3f, the mean return per episode over these weights\n",
         sfnec_stats_mean(returns, e->count));
  int code = find_reference(e, env, reference);
  if (!code) code = code_of(sfnec_hypervolume(e->means, e->count, n, reference, &volume));
  char *text = code ? NULL : text_weights(reference, n);
  if (!code) printf("hypervolume: %g above %s\n", volume, text);
  free(text);
  free(front);
  free(reference);
  return code ? code : flush_output();
}

// ---- the heat map ----

static int draw_heat(const evaluation *e, const sfnec_env *env, const double *returns) {
  const char *const *names = sfnec_env_get_kind(env)->feature_names;
  double weights[SFNEC_EVAL_MAP_MOST];
  char *axes[2], *fixed = text_weights(e->weights, e->features);
  for (size_t i = 0; i < e->side; i++) weights[i] = side_weight(e, i);
  for (size_t i = 0; i < 2; i++)
    axes[i] = names ? text_print("weight of %s", names[e->heat[i]]) : text_print("weight %zu", e->heat[i] + 1);
  char *title = text_print("return in %" PRId64 " steps", e->args->steps);
  char *note = text_print("the other weights as in %s; no learning", fixed);
  const sfnec_eval_map map = {e->path, title, note, axes[0], axes[1], weights, returns, e->side};
  const int code = code_of(sfnec_plot_eval_map(&map, e->args->out));
  if (!code) printf("%s  what it earns by the weights of two features\n", e->args->out);
  free(title);
  free(note);
  free(fixed);
  for (size_t i = 0; i < 2; i++) free(axes[i]);
  return code ? code : flush_output();
}

static int print_row(const char *name, int width, const sfnec_evaluation *result) {
  printf("%-*s %12.2f %9" PRId64 " %7" PRId64 " %12.3f\n", width, name, result->total, result->episodes, result->goals,
         result->per_episode);
  return flush_output();
}

// The rewards that are no weights; they come after those that are.
static int print_rewards(const evaluation *e, const sfnec_env *env, int width) {
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  int code = EXIT_OK;
  for (size_t i = 0; i < e->args->rewards.count && !code; i++) {
    sfnec_reward_expression *reward = NULL;
    sfnec_evaluation result = {0};
    code = code_of(sfnec_reward_parse(e->args->rewards.items[i], sfnec_env_get_kind(env), &shape, &reward));
    if (!code) code = code_of(evaluate(e, NULL, reward, NULL, &result));
    if (!code) code = print_row(e->args->rewards.items[i], width, &result);
    sfnec_reward_destroy(reward);
  }
  return code;
}

static int print_rows(const evaluation *e, const sfnec_env *env) {
  // the widest vector sets the first column
  text_list texts = {0};
  int width = 1, code = EXIT_OK;
  double *per_episode = must_alloc(e->count + 1, sizeof *per_episode);
  double *totals = must_alloc(e->count + 1, sizeof *totals);
  for (size_t i = 0; i < e->count; i++) {
    char *text = text_weights(e->weights + i * e->features, e->features);
    text_push(&texts, text);
    if ((int)strlen(text) > width) width = (int)strlen(text);
    free(text);
  }
  for (size_t i = 0; i < e->args->rewards.count; i++) {
    const int columns = sfnec_text_columns(e->args->rewards.items[i]);
    if (columns > width) width = columns;
  }
  printf("%-*s %12s %9s %7s %12s\n", width, e->count ? "w" : "reward", "return", "episodes", "goals", "per episode");
  for (size_t i = 0; i < e->count && !code; i++) {
    // the world begins again, and so does the stream for ties: a row does not depend on the rows before it
    sfnec_evaluation result = {0};
    code =
        code_of(evaluate(e, e->weights + i * e->features, NULL, e->means ? e->means + i * e->features : NULL, &result));
    if (code) break;
    per_episode[i] = result.per_episode;
    totals[i] = result.total;
    code = print_row(texts.items[i], width, &result);
  }
  if (!code) code = print_rewards(e, env, width);
  if (!code && e->args->front) code = print_front(e, env, (const char *const *)texts.items, per_episode);
  if (!code && e->side) code = draw_heat(e, env, totals + e->count - e->side * e->side);
  free(per_episode);
  free(totals);
  text_clear(&texts);
  return code;
}

static int run_eval(const void *values, const text_list *operands) {
  const eval_args *args = values;
  evaluation e = {.args = args, .path = operands->items[0], .arena = sfnec_arena_create()};
  sfnec_env *env = NULL;
  limit_time(args->time_limit);
  int code = e.arena ? code_of(sfnec_agent_load(e.path, &e.agent)) : fail("out of memory");
  if (!code) limit_plans(e.agent, e.path);
  if (!code) e.seed = args->seed.given ? args->seed.value : sfnec_agent_get_seed(e.agent) + 1;
  if (!code) code = choose_world(&e);
  if (!code) code = code_of(create_world(&e, &env));
  if (!code) code = check_agent(&e, env);
  if (!code) code = collect_weights(&e, env);
  if (!code) code = print_rows(&e, env);
  free(e.weights);
  free(e.means);
  sfnec_env_destroy(env);
  text_clear(&e.settings);
  sfnec_agent_destroy(e.agent);
  sfnec_arena_destroy(e.arena);
  return code;
}
