// plan.c: from a spec to its jobs: the points of a sweep, configurations, identities, jobs; the contract is in plan.h.
#include "study/plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/math.h"
#include "base/text.h"
#include "study/spec/yaml.h"

enum { MOST_JOBS = 100000 };

// ---- the points of a sweep: all combinations, or points drawn at random ----

// A random point depends on random.seed, its number, the order of the keys, and on nothing else but that a point drawn
// twice is drawn again; so a greater count keeps the points that there were. All arithmetic is exactly rounded, so the
// points are the same on every machine.

// (count) settings each; one empty point without a sweep
typedef struct points {
  sfnec_settings *items;
  size_t count;
} points;

// all combinations, the last key changing fastest
static sfnec_status make_grid(const sfnec_spec *spec, const sfnec_axes *axes, sfnec_arena *arena, points *points) {
  size_t count = 1;
  for (size_t i = 0; i < axes->count; i++) {
    count *= axes->items[i].count;
    if (count > MOST_JOBS)
      return sfnec_refuse_at(spec->path, axes->items[i].line, "sweep", "these are more than 100000 points");
  }
  points->count = count;
  points->items = sfnec_arena_alloc(arena, count, sizeof *points->items);
  if (!points->items) return sfnec_fail_memory("a plan");
  for (size_t p = 0; p < count; p++) {
    sfnec_setting *items = sfnec_arena_alloc(arena, axes->count, sizeof *items);
    if (!items) return sfnec_fail_memory("a plan");
    size_t number = p; // in the base of the axes, the last one its lowest digit
    for (size_t i = axes->count; i-- > 0;) {
      const sfnec_axis *axis = &axes->items[i];
      items[i] = (sfnec_setting){axis->key, axis->values[number % axis->count], axis->lines[number % axis->count]};
      number /= axis->count;
    }
    points->items[p] = (sfnec_settings){items, axes->count};
  }
  return SFNEC_OK;
}

static double clamp(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

// four significant digits: a name that can be read, and far finer than any sweep
static double shorten(double value) {
  const double size = fabs(value);
  if (size < 1e-290) return value;
  double unit = 1; // a power of ten with 1000 <= size / unit < 10000, or its inverse below 1
  int exponent = 0;
  for (; size / unit >= 10000; exponent++) unit *= 10;
  for (; size * unit < 1000 && exponent <= 0; exponent--) unit *= 10;
  const double digits = floor((exponent < 0 ? size * unit : size / unit) + 0.5);
  return copysign(exponent < 0 ? digits / unit : digits * unit, value);
}

static double draw(const sfnec_axis *axis, bool whole, double uniform) {
  // a whole number owns the interval up to the next one
  const double to = whole ? axis->to + 1 : axis->to;
  double value = axis->from + uniform * (to - axis->from);
  if (axis->log) value = sfnec_exp(sfnec_log(axis->from) + uniform * (sfnec_log(to) - sfnec_log(axis->from)));
  return clamp(whole ? floor(value) : shorten(value), axis->from, axis->to);
}

static const char *draw_value(const sfnec_axis *axis, bool whole, sfnec_random *random, sfnec_arena *arena) {
  const double uniform = sfnec_random_uniform(random);
  if (axis->count > 0) return axis->values[(size_t)(uniform * (double)axis->count)];
  const double value = draw(axis, whole, uniform);
  char text[32];
  if (whole) snprintf(text, sizeof text, "%lld", (long long)value);
  else sfnec_real_to_text(value, text, sizeof text);
  return sfnec_arena_copy(arena, text);
}

static bool same_point(const sfnec_settings *a, const sfnec_settings *b) {
  for (size_t i = 0; i < a->count; i++)
    if (strcmp(a->items[i].value, b->items[i].value) != 0) return false;
  return true;
}

// point number `p`, drawn for the `attempt`th time
static sfnec_status draw_point(const sfnec_spec *spec, const sfnec_axes *axes, size_t p, uint64_t attempt,
                               sfnec_arena *arena, sfnec_settings *point) {
  sfnec_random random = sfnec_random_start(spec->random_seed, SFNEC_PURPOSE_STUDY);
  random.counter = (uint64_t)p << 32 | attempt << 16;
  for (size_t i = 0; i < axes->count; i++) {
    const sfnec_axis *axis = &axes->items[i];
    sfnec_key key = {0};
    const bool whole = sfnec_key_find(spec->world.kind, axis->key, &key) && key.row.type == SFNEC_OPTION_INT;
    const char *value = draw_value(axis, whole, &random, arena);
    if (!value) return sfnec_fail_memory("a plan");
    point->items[i] = (sfnec_setting){axis->key, value, axis->line};
  }
  point->count = axes->count;
  return SFNEC_OK;
}

static sfnec_status make_random(const sfnec_spec *spec, const sfnec_axes *axes, sfnec_arena *arena, points *points) {
  enum { ATTEMPTS = 1000 };
  points->items = sfnec_arena_alloc(arena, spec->random_count, sizeof *points->items);
  if (!points->items) return sfnec_fail_memory("a plan");
  for (size_t p = 0; p < spec->random_count; p++) {
    sfnec_settings *point = &points->items[p];
    point->items = sfnec_arena_alloc(arena, axes->count, sizeof *point->items);
    if (!point->items) return sfnec_fail_memory("a plan");
    bool fresh = false;
    for (uint64_t attempt = 0; !fresh && attempt < ATTEMPTS; attempt++) {
      const sfnec_status status = draw_point(spec, axes, p, attempt, arena, point);
      if (status) return status;
      fresh = true;
      for (size_t other = 0; other < p && fresh; other++) fresh = !same_point(point, &points->items[other]);
    }
    if (!fresh) {
      return sfnec_refuse_at(spec->path, axes->items[0].line, "random",
                             "the sweep does not have %u different points, but about %zu; use a smaller count",
                             (unsigned)spec->random_count, p);
    }
    points->count++;
  }
  return SFNEC_OK;
}

static sfnec_status make_points(const sfnec_spec *spec, const sfnec_spec_agent *agent, sfnec_arena *arena,
                                points *points) {
  const sfnec_axes *axes = sfnec_spec_axes(spec, agent);
  *points = (struct points){0};
  return spec->random && axes->count > 0 ? make_random(spec, axes, arena, points)
                                         : make_grid(spec, axes, arena, points);
}

// ---- what decides the results of a job, as text, and its hash ----

// the rows of a table in which a struct differs from the defaults
static void print_changed(FILE *stream, const char *owner, const sfnec_option_set *set, const void *options) {
  for (const sfnec_option *row = set->rows; row->name; row++) {
    char value[64], initial[64];
    sfnec_options_get_text(row, options, value, sizeof value);
    sfnec_options_get_default_text(row, initial, sizeof initial);
    if (strcmp(value, initial) != 0) fprintf(stream, "%s.%s=%s\n", owner, row->name, value);
  }
}

// the lines of the identity that a configuration decides; NULL without memory
static const char *common_identity(const sfnec_spec *spec, const sfnec_configuration *configuration,
                                   const sfnec_env *env, sfnec_arena *arena) {
  const sfnec_env_kind *kind = configuration->env;
  FILE *stream = sfnec_arena_open_text(arena);
  if (!stream) return NULL;
  fprintf(stream, "label=%s\nenv=%s\n", configuration->label, kind->name);
  if (spec->world.identity) fputs(spec->world.identity, stream);
  print_changed(stream, "env", sfnec_env_kind_option_set(kind), sfnec_env_get_options(env));
  print_changed(stream, "agent", sfnec_agent_option_set(), &configuration->options);
  if (spec->steps) fprintf(stream, "steps=%" PRId64 "\n", spec->steps);
  if (spec->episodes) fprintf(stream, "episodes=%" PRId64 "\n", spec->episodes);
  for (uint32_t i = 0; i < spec->reward_count; i++) fprintf(stream, "reward=%s\n", spec->rewards[i]);
  if (spec->record_episodes) fputs("record.episodes=yes\n", stream);
  return sfnec_arena_close_text(arena);
}

static sfnec_status set_identity(sfnec_job *job, const char *common, sfnec_arena *arena) {
  job->identity = sfnec_arena_print(arena, "%sseed=%" PRIu64 "\n", common, job->seed);
  if (!job->identity) return sfnec_fail_memory("a plan");
  const uint64_t hash = XXH3_64bits(job->identity, strlen(job->identity));
  snprintf(job->id, sizeof job->id, "%016" PRIx64, hash);
  return SFNEC_OK;
}

// ---- configurations ----

// "neighbours=4 alpha=0.1"
static const char *point_text(sfnec_arena *arena, const sfnec_settings *point) {
  const char *text = "";
  for (size_t i = 0; i < point->count && text; i++)
    text = sfnec_arena_print(arena, "%s%s%s=%s", text, i ? " " : "", point->items[i].key, point->items[i].value);
  return text;
}

// values were checked by the same tables, so only what options say together can be refused here
static sfnec_status set_agent(sfnec_configuration *configuration, const sfnec_settings *settings) {
  for (size_t i = 0; i < settings->count; i++) {
    const sfnec_setting *setting = &settings->items[i];
    if (!sfnec_options_find(sfnec_agent_option_set(), setting->key)) continue;
    const sfnec_status status =
        sfnec_options_set(sfnec_agent_option_set(), &configuration->options, setting->key, setting->value);
    if (status) return status;
  }
  return SFNEC_OK;
}

// the environment's settings, then those of the point: later ones win
static sfnec_status list_env_settings(const sfnec_spec *spec, sfnec_configuration *configuration, sfnec_arena *arena) {
  const sfnec_settings *parts[] = {&spec->env_options, &configuration->settings};
  const char **list = sfnec_arena_alloc(arena, parts[0]->count + parts[1]->count + 1, sizeof *list);
  if (!list) return sfnec_fail_memory("a plan");
  size_t count = 0;
  for (int p = 0; p < 2; p++) {
    for (size_t i = 0; i < parts[p]->count; i++) {
      const sfnec_setting *setting = &parts[p]->items[i];
      if (sfnec_options_find(sfnec_agent_option_set(), setting->key)) continue;
      list[count] = sfnec_arena_print(arena, "%s=%s", setting->key, setting->value);
      if (!list[count++]) return sfnec_fail_memory("a plan");
    }
  }
  configuration->env_settings = list;
  return SFNEC_OK;
}

static bool has_reward(const sfnec_spec *spec) {
  bool any = false;
  for (uint32_t i = 0; i < spec->reward_count; i++) any |= strcmp(spec->rewards[i], "weights") != 0;
  return any;
}

static bool gives(const sfnec_settings *settings, const char *key) {
  for (size_t i = 0; i < settings->count; i++)
    if (strcmp(settings->items[i].key, key) == 0) return true;
  return false;
}

// What the observations of the environment decide, unless an embedding is given. An environment that cannot be made is
// refused when it is tried.
static void adapt(const sfnec_spec_agent *agent, const sfnec_settings *point, sfnec_configuration *configuration) {
  if (gives(&agent->options, "embedding") || gives(point, "embedding")) return;
  sfnec_env *env = NULL;
  if (sfnec_env_create(configuration->env, configuration->env_settings, 1, &env)) return;
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_agent_options_for(&shape, &configuration->options);
  sfnec_env_destroy(env);
}

static sfnec_status configure(const sfnec_spec *spec, const sfnec_spec_agent *agent, const sfnec_settings *point,
                              sfnec_arena *arena, sfnec_configuration *configuration) {
  *configuration = (sfnec_configuration){
      .label = agent->label,
      .preset = agent->preset,
      .point = point_text(arena, point),
      .settings = *point,
      .env = spec->world.kind,
  };
  if (!configuration->point) return sfnec_fail_memory("a plan");
  configuration->name =
      configuration->point[0] ? sfnec_arena_print(arena, "%s %s", agent->label, configuration->point) : agent->label;
  if (!configuration->name) return sfnec_fail_memory("a plan");
  sfnec_status status = sfnec_agent_options_preset(agent->preset, &configuration->options);
  // an agent learns a reward as text in no other way
  if (!status && has_reward(spec)) configuration->options.rewards = SFNEC_REWARDS_ANY;
  if (!status) status = list_env_settings(spec, configuration, arena);
  if (!status) adapt(agent, point, configuration);
  if (!status) status = set_agent(configuration, &agent->options);
  if (!status) status = set_agent(configuration, point);
  return status;
}

// what only creation can refuse is refused before the first job starts
static sfnec_status try_reward(sfnec_agent *agent, const sfnec_env *env, const char *text) {
  const sfnec_env_shape shape = sfnec_env_get_shape(env);
  sfnec_reward_expression *reward = NULL;
  if (strcmp(text, "weights") == 0) return SFNEC_OK;
  sfnec_status status = sfnec_reward_parse(text, sfnec_env_get_kind(env), &shape, &reward);
  if (!status) status = sfnec_agent_begin_reward(agent, sfnec_reward_evaluate, reward, NULL);
  sfnec_reward_destroy(reward);
  return status;
}

static sfnec_status try(const sfnec_spec *spec, const sfnec_configuration *configuration, sfnec_env **env) {
  sfnec_status status = sfnec_env_create(configuration->env, configuration->env_settings, 1, env);
  if (status) return status;
  const sfnec_env_shape shape = sfnec_env_get_shape(*env);
  sfnec_agent *agent = NULL;
  status = sfnec_agent_create(&shape, &configuration->options, 1, &agent);
  for (uint32_t i = 0; i < spec->reward_count && !status; i++) status = try_reward(agent, *env, spec->rewards[i]);
  sfnec_agent_destroy(agent);
  return status;
}

// ---- jobs ----

static sfnec_status add_jobs(sfnec_plan *plan, size_t at, const sfnec_env *env) {
  const sfnec_spec *spec = plan->spec;
  const sfnec_configuration *configuration = &plan->configurations[at];
  const char *common = common_identity(spec, configuration, env, plan->arena);
  if (!common) return sfnec_fail_memory("a plan");
  const sfnec_run_options run = {.tasks = spec->tasks,
                                 .steps = spec->steps,
                                 .episodes = spec->episodes,
                                 .keep_episodes = spec->record_episodes,
                                 .rewards = spec->rewards,
                                 .reward_count = spec->reward_count,
                                 .bins = spec->bins};
  const double work =
      sfnec_plan_work(&configuration->options, &run, sfnec_env_get_max_episode_steps(env), (double)spec->tasks);
  for (size_t i = 0; i < spec->seed_count; i++) {
    sfnec_job *job = &plan->jobs[plan->job_count++];
    *job = (sfnec_job){.configuration = at, .seed = spec->seeds[i], .run = run, .work = work};
    const sfnec_status status = set_identity(job, common, plan->arena);
    if (status) return status;
  }
  return SFNEC_OK;
}

// puts the place in the spec before what the library said
static sfnec_status refuse_configuration(const sfnec_plan *plan, const sfnec_configuration *configuration,
                                         sfnec_status status) {
  if (status == SFNEC_ERROR_MEMORY) return status;
  const sfnec_spec_agent *agent = NULL;
  for (size_t i = 0; i < plan->spec->agent_count; i++)
    if (plan->spec->agents[i].label == configuration->label) agent = &plan->spec->agents[i];
  const char *reason = sfnec_arena_copy(plan->arena, sfnec_last_error());
  return sfnec_refuse_at(plan->spec->path, agent ? agent->line : 0, "agents", "'%s' cannot be made: %s",
                         sfnec_shown(plan->arena, configuration->name), reason ? reason : "out of memory");
}

static sfnec_status check_weights(const sfnec_plan *plan, const sfnec_env *env) {
  const sfnec_spec_evaluate *evaluate = &plan->spec->evaluate;
  const uint32_t n = (uint32_t)sfnec_env_get_shape(env).feature_count;
  if (!evaluate->weights.count || evaluate->weights.size == n) return SFNEC_OK;
  return sfnec_refuse_at(plan->spec->path, evaluate->line, "evaluate.weights",
                         "its vectors have %" PRIu32 " numbers, but the environment has %" PRIu32 " features",
                         evaluate->weights.size, n);
}

static sfnec_status make_jobs(sfnec_plan *plan) {
  plan->jobs = sfnec_arena_alloc(plan->arena, plan->configuration_count * plan->spec->seed_count, sizeof *plan->jobs);
  if (!plan->jobs) return sfnec_fail_memory("a plan");
  for (size_t i = 0; i < plan->configuration_count; i++) {
    sfnec_env *env = NULL;
    sfnec_status status = try(plan->spec, &plan->configurations[i], &env);
    if (status) status = refuse_configuration(plan, &plan->configurations[i], status);
    else status = check_weights(plan, env);
    if (!status) status = add_jobs(plan, i, env);
    sfnec_env_destroy(env);
    if (status) return status;
  }
  return SFNEC_OK;
}

static int by_id(const void *a, const void *b) {
  return strcmp((*(const sfnec_job *const *)a)->id, (*(const sfnec_job *const *)b)->id);
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(const sfnec_configuration *const *)a)->name, (*(const sfnec_configuration *const *)b)->name);
}

static sfnec_status refuse_twins(const sfnec_plan *plan, const sfnec_configuration *a, const sfnec_configuration *b) {
  return sfnec_refuse_at(plan->spec->path, 0, "agents",
                         "'%s' and '%s' are the same; remove one, or give it another label",
                         sfnec_shown(plan->arena, a->name), sfnec_shown(plan->arena, b->name));
}

// equal ids would share a folder; equal names could not be distinguished in a table
static sfnec_status check_twins(const sfnec_plan *plan) {
  const sfnec_job **jobs = sfnec_arena_alloc(plan->arena, plan->job_count, sizeof *jobs);
  const sfnec_configuration **names = sfnec_arena_alloc(plan->arena, plan->configuration_count, sizeof *names);
  if (!jobs || !names) return sfnec_fail_memory("a plan");
  for (size_t i = 0; i < plan->job_count; i++) jobs[i] = &plan->jobs[i];
  for (size_t i = 0; i < plan->configuration_count; i++) names[i] = &plan->configurations[i];
  qsort(jobs, plan->job_count, sizeof *jobs, by_id);
  qsort(names, plan->configuration_count, sizeof *names, by_name);
  for (size_t i = 1; i < plan->job_count; i++)
    if (by_id(&jobs[i - 1], &jobs[i]) == 0)
      return refuse_twins(plan, &plan->configurations[jobs[i - 1]->configuration],
                          &plan->configurations[jobs[i]->configuration]);
  for (size_t i = 1; i < plan->configuration_count; i++)
    if (by_name(&names[i - 1], &names[i]) == 0) return refuse_twins(plan, names[i - 1], names[i]);
  return SFNEC_OK;
}

// ---- the plan ----

static sfnec_status make_configurations(sfnec_plan *plan) {
  sfnec_spec *spec = plan->spec;
  for (size_t a = 0; a < spec->agent_count; a++) {
    points points;
    sfnec_status status = make_points(spec, &spec->agents[a], plan->arena, &points);
    if (status) return status;
    if ((plan->configuration_count + points.count) * spec->seed_count > MOST_JOBS) {
      return sfnec_refuse_at(spec->path, spec->agents[a].line, "agents",
                             "agents, points and seeds make more than %d jobs; use several specs", MOST_JOBS);
    }
    for (size_t p = 0; p < points.count && !status; p++) {
      plan->configurations =
          sfnec_arena_grow(plan->arena, plan->configurations, plan->configuration_count, sizeof *plan->configurations);
      if (!plan->configurations) return sfnec_fail_memory("a plan");
      status = configure(spec, &spec->agents[a], &points.items[p], plan->arena,
                         &plan->configurations[plan->configuration_count++]);
    }
    if (status) return status;
  }
  return SFNEC_OK;
}

sfnec_status sfnec_plan_create(sfnec_spec *spec, sfnec_plan **out) {
  *out = NULL;
  sfnec_arena *arena;
  sfnec_plan *plan = sfnec_arena_create_for(sizeof *plan, &arena);
  if (!plan) return sfnec_fail_memory("a plan");
  *plan = (sfnec_plan){.spec = spec, .arena = arena};
  sfnec_status status = make_configurations(plan);
  if (!status) status = make_jobs(plan);
  if (!status) status = check_twins(plan);
  if (status) sfnec_plan_destroy(plan);
  else *out = plan;
  return status;
}

void sfnec_plan_destroy(sfnec_plan *plan) {
  if (plan) sfnec_arena_destroy(plan->arena);
}

// ---- work ----

double sfnec_plan_work(const sfnec_agent_options *options, const sfnec_run_options *run, int64_t episode_steps,
                       double tasks_done) {
  // steps of a task, by the limit that comes first; an episode without a limit is guessed to be a few hundred steps
  const double guess = 200;
  const double by_episodes = (double)run->episodes * (episode_steps > 0 ? (double)episode_steps : guess);
  double steps = (double)run->steps;
  if (run->episodes > 0 && (run->steps == 0 || by_episodes < steps)) steps = by_episodes;

  // the steps of task t (from 0) ask t + 1 policies
  double policies = tasks_done;
  if (options->policies == SFNEC_POLICIES_GPI) {
    const double whole = (double)(int64_t)tasks_done;
    policies = whole * (whole + 1) / 2 + (tasks_done - whole) * (whole + 1);
  }
  // a search in a memory of thousands of keys against one product per feature: about a hundred to one
  return (options->psi == SFNEC_PSI_EPISODIC ? 100 : 1) * steps * policies;
}
