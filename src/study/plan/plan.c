// plan.c: from a spec to its jobs; the contract is in plan.h.
#include "study/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/plan/plan_parts.h"

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

static sfnec_status configure(const sfnec_spec *spec, const sfnec_spec_agent *agent, const sfnec_settings *point,
                              sfnec_arena *arena, sfnec_configuration *configuration) {
  *configuration = (sfnec_configuration){
      .label = agent->label,
      .preset = agent->preset,
      .point = point_text(arena, point),
      .settings = *point,
      .env = sfnec_env_kind_find(spec->env),
  };
  if (!configuration->point) return sfnec_fail_memory("a plan");
  configuration->name =
      configuration->point[0] ? sfnec_arena_print(arena, "%s %s", agent->label, configuration->point) : agent->label;
  if (!configuration->name) return sfnec_fail_memory("a plan");
  sfnec_status status = sfnec_agent_options_preset(agent->preset, &configuration->options);
  if (!status) status = set_agent(configuration, &agent->options);
  if (!status) status = set_agent(configuration, point);
  if (!status) status = list_env_settings(spec, configuration, arena);
  return status;
}

// what only creation can refuse is refused before the first job starts
static sfnec_status try(const sfnec_configuration *configuration, sfnec_env **env) {
  sfnec_status status = sfnec_env_create(configuration->env, configuration->env_settings, 1, env);
  if (status) return status;
  const sfnec_env_shape shape = sfnec_env_get_shape(*env);
  sfnec_agent *agent = NULL;
  status = sfnec_agent_create(&shape, &configuration->options, 1, &agent);
  sfnec_agent_destroy(agent);
  return status;
}

// ---- jobs ----

static sfnec_status add_jobs(sfnec_plan *plan, size_t at, const sfnec_env *env) {
  const sfnec_spec *spec = plan->spec;
  const sfnec_configuration *configuration = &plan->configurations[at];
  const char *common = sfnec_identity_common(spec, configuration, env, plan->arena);
  if (!common) return sfnec_fail_memory("a plan");
  const sfnec_run_options run = {
      .tasks = spec->tasks, .steps = spec->steps, .episodes = spec->episodes, .keep_episodes = spec->record_episodes};
  const double work =
      sfnec_plan_work(&configuration->options, &run, sfnec_env_get_max_episode_steps(env), (double)spec->tasks);
  for (size_t i = 0; i < spec->seed_count; i++) {
    sfnec_job *job = &plan->jobs[plan->job_count++];
    *job = (sfnec_job){.configuration = at, .seed = spec->seeds[i], .run = run, .work = work};
    const sfnec_status status = sfnec_identity_finish(job, common, plan->arena);
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
  const sfnec_source source = {plan->arena, plan->spec->path};
  const char *reason = sfnec_arena_copy(plan->arena, sfnec_last_error());
  return sfnec_source_refuse(&source, agent ? agent->line : 0, "agents", "'%s' cannot be made: %s",
                             sfnec_shown(plan->arena, configuration->name), reason ? reason : "out of memory");
}

static sfnec_status make_jobs(sfnec_plan *plan) {
  plan->jobs = sfnec_arena_alloc(plan->arena, plan->configuration_count * plan->spec->seed_count, sizeof *plan->jobs);
  if (!plan->jobs) return sfnec_fail_memory("a plan");
  for (size_t i = 0; i < plan->configuration_count; i++) {
    sfnec_env *env = NULL;
    sfnec_status status = try(&plan->configurations[i], &env);
    if (status) status = refuse_configuration(plan, &plan->configurations[i], status);
    else status = add_jobs(plan, i, env);
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
  const sfnec_source source = {plan->arena, plan->spec->path};
  return sfnec_source_refuse(&source, 0, "agents", "'%s' and '%s' are the same; remove one, or give it another label",
                             sfnec_shown(plan->arena, a->name), sfnec_shown(plan->arena, b->name));
}

// equal ids would share a folder; equal names could not be told apart in a table
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
    sfnec_points points;
    sfnec_status status = sfnec_points_make(spec, &spec->agents[a], plan->arena, &points);
    if (status) return status;
    if ((plan->configuration_count + points.count) * spec->seed_count > SFNEC_MOST_JOBS) {
      const sfnec_source source = {plan->arena, spec->path};
      return sfnec_source_refuse(&source, spec->agents[a].line, "agents",
                                 "agents, points and seeds make more than %d jobs; use several specs", SFNEC_MOST_JOBS);
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
  sfnec_arena *arena = sfnec_arena_create();
  sfnec_plan *plan = arena ? sfnec_arena_alloc(arena, 1, sizeof *plan) : NULL;
  if (!plan) {
    sfnec_arena_destroy(arena);
    return sfnec_fail_memory("a plan");
  }
  *plan = (sfnec_plan){.spec = spec, .arena = arena};
  sfnec_status status = make_configurations(plan);
  if (!status) status = make_jobs(plan);
  if (!status) status = check_twins(plan);
  if (status) {
    sfnec_plan_destroy(plan);
    return status;
  }
  *out = plan;
  return SFNEC_OK;
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
