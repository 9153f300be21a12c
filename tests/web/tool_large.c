// tool_large.c: makes an experiment of any size in a folder, with results that look like those of a study.
//
//   tool_large FOLDER CONFIGURATIONS SEEDS TASKS
//
// Configurations are points of a sweep of "sfnec" over neighbours; returns rise over the tasks, with noise by seed.
#include "support/check.h"

#include "sfnec/random.h"
#include "study/store/store.h"

enum { CONFIGURATIONS = 64, SEEDS = 64, TASKS = 128, STEPS = 20000 };

typedef struct large {
  sfnec_spec spec;
  sfnec_plan plan;
  sfnec_configuration configurations[CONFIGURATIONS];
  sfnec_setting settings[CONFIGURATIONS];
  char points[CONFIGURATIONS][2][32]; // the point and its value
  char names[CONFIGURATIONS][64];
  sfnec_job jobs[CONFIGURATIONS * SEEDS];
  char identities[CONFIGURATIONS * SEEDS][64];
} large;

static void configure(large *l, size_t i) {
  sfnec_configuration *c = &l->configurations[i];
  snprintf(l->points[i][1], sizeof l->points[i][1], "%zu", i + 1);
  snprintf(l->points[i][0], sizeof l->points[i][0], "neighbours=%zu", i + 1);
  snprintf(l->names[i], sizeof l->names[i], "sfnec %s", l->points[i][0]);
  l->settings[i] = (sfnec_setting){"neighbours", l->points[i][1], 1};
  *c = (sfnec_configuration){.label = "sfnec", .preset = "sfnec", .point = l->points[i][0], .name = l->names[i]};
  c->settings = (sfnec_settings){&l->settings[i], 1};
  c->env = sfnec_env_kind_find("four_rooms");
  sfnec_agent_options_preset(c->preset, &c->options);
}

static void plan(large *l, size_t configurations, size_t seeds, uint32_t tasks) {
  l->spec = (sfnec_spec){.path = "large.yaml", .name = "large", .title = "A large study", .env = "four_rooms"};
  l->spec.tasks = tasks;
  l->spec.steps = STEPS;
  for (size_t i = 0; i < configurations; i++) configure(l, i);
  for (size_t i = 0; i < configurations * seeds; i++) {
    sfnec_job *job = &l->jobs[i];
    job->configuration = i / seeds;
    job->seed = 1 + i % seeds;
    snprintf(job->id, sizeof job->id, "%016zx", i + 1);
    snprintf(l->identities[i], sizeof l->identities[i], "job=%zu", i);
    job->identity = l->identities[i];
    job->run = (sfnec_run_options){.tasks = tasks, .steps = STEPS};
  }
  l->plan = (sfnec_plan){&l->spec, NULL, l->configurations, configurations, l->jobs, configurations * seeds};
}

static sfnec_status run_job(sfnec_store *store, const sfnec_job *job, sfnec_random *random) {
  static sfnec_task_record records[TASKS];
  static int64_t uses[TASKS][TASKS];
  memset(uses, 0, sizeof uses);
  for (uint32_t task = 0; task < job->run.tasks; task++) {
    const double level = 300 + 10 * (double)job->configuration + 8 * task;
    int64_t left = STEPS;
    for (uint32_t policy = 0; policy < task; policy++) {
      uses[task][policy] = (int64_t)(sfnec_random_uniform(random) * (double)left / (task + 1));
      left -= uses[task][policy];
    }
    uses[task][task] = left;
    records[task] = (sfnec_task_record){.task = task, .uses = uses[task], .use_count = task + 1};
    records[task].result = (sfnec_task_result){.total = level * (0.3 + 1.4 * sfnec_random_uniform(random)),
                                               .steps = STEPS,
                                               .episodes = 300 + task,
                                               .goals = 250 + task,
                                               .entries = 18000 * (int64_t)(task + 1),
                                               .seconds = 0.4 + 0.1 * task * sfnec_random_uniform(random)};
  }
  sfnec_status status = sfnec_store_set_state(store, job, SFNEC_JOB_RUNNING, NULL);
  for (uint32_t task = 0; task < job->run.tasks && !status; task++)
    status = sfnec_store_put_task(store, job, &records[task]);
  return status ? status : sfnec_store_set_state(store, job, SFNEC_JOB_DONE, NULL);
}

int main(int argc, char **argv) {
  static large l;
  if (argc != 5) return 2;
  const size_t configurations = strtoul(argv[2], NULL, 10), seeds = strtoul(argv[3], NULL, 10);
  const size_t tasks = strtoul(argv[4], NULL, 10);
  if (configurations > CONFIGURATIONS || seeds > SEEDS || tasks > TASKS) return 2;
  plan(&l, configurations, seeds, (uint32_t)tasks);
  sfnec_store *store = NULL;
  sfnec_random random = sfnec_random_start(1, 0);
  sfnec_status status = sfnec_store_open(argv[1], &store);
  if (!status) status = sfnec_store_set_plan(store, &l.plan, "name: large\ntitle: A large study\n");
  if (!status) status = sfnec_store_begin_session(store, 2, 1);
  for (size_t i = 0; i < l.plan.job_count && !status; i++) status = run_job(store, &l.jobs[i], &random);
  if (!status) status = sfnec_store_end_session(store, "done");
  sfnec_store_close(store);
  if (!status) return 0;
  fprintf(stderr, "%s\n", sfnec_last_error());
  return 1;
}
