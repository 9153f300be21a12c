// store_plan.c: the plan in the store: what is to be done, and whether it may take the place of what was.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/store/machine.h"
#include "study/store/store_parts.h"

// ---- does it fit? ----

static const sfnec_job *find_job(const sfnec_plan *plan, const char *id) {
  for (size_t i = 0; id && i < plan->job_count; i++)
    if (strcmp(plan->jobs[i].id, id) == 0) return &plan->jobs[i];
  return NULL;
}

sfnec_status sfnec_store_fits(sfnec_store *store, const sfnec_plan *plan, bool *fits) {
  sqlite3_stmt *statement;
  sfnec_status status = sfnec_sql_query(&store->sql, &statement, "SELECT id, tasks FROM job", "");
  *fits = true;
  for (bool row = !status; row && !status;) {
    status = sfnec_sql_next(&store->sql, &statement, &row);
    if (status || !row) break;
    const sfnec_job *job = find_job(plan, (const char *)sqlite3_column_text(statement, 0));
    *fits = *fits && job && job->run.tasks >= sqlite3_column_int64(statement, 1);
  }
  return status;
}

// ---- storing it ----

static sfnec_status put_experiment(const sfnec_sql *sql, const sfnec_plan *plan, const char *spec_text) {
  const sfnec_spec *spec = plan->spec;
  char now[SFNEC_TIME_TEXT];
  sfnec_machine_time(now);
  return sfnec_sql_do(sql,
                      "INSERT INTO experiment (one, name, title, spec, spec_path, env, tasks, steps, episodes, version,"
                      " created) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                      " ON CONFLICT (one) DO UPDATE SET name = excluded.name, title = excluded.title,"
                      " spec = excluded.spec, spec_path = excluded.spec_path, env = excluded.env,"
                      " tasks = excluded.tasks, steps = excluded.steps, episodes = excluded.episodes,"
                      " version = excluded.version",
                      "tttttiiitt", spec->name, spec->title ? spec->title : "", spec_text, spec->path ? spec->path : "",
                      spec->env, (int64_t)spec->tasks, spec->steps, spec->episodes, sfnec_version(), now);
}

static sfnec_status put_setting(const sfnec_sql *sql, int64_t configuration, const char *kind, size_t position,
                                const char *key, const char *value) {
  return sfnec_sql_do(sql, "INSERT INTO setting (configuration, kind, position, key, value) VALUES (?, ?, ?, ?, ?)",
                      "ititt", configuration, kind, (int64_t)position, key, value);
}

static sfnec_status put_agent_options(const sfnec_sql *sql, int64_t number, const sfnec_agent_options *options) {
  sfnec_status status = SFNEC_OK;
  const sfnec_option *first = sfnec_agent_option_set()->rows;
  for (const sfnec_option *row = first; row->name && !status; row++) {
    char value[256];
    sfnec_options_get_text(row, options, value, sizeof value);
    status = put_setting(sql, number, "agent", (size_t)(row - first) + 1, row->name, value);
  }
  return status;
}

static sfnec_status put_env_options(const sfnec_sql *sql, int64_t number, const char *const *settings) {
  sfnec_status status = SFNEC_OK;
  for (size_t i = 0; settings && settings[i] && !status; i++) {
    const char *equals = strchr(settings[i], '=');
    if (!equals) continue;
    char *key = strndup(settings[i], (size_t)(equals - settings[i]));
    if (!key) return sfnec_fail_memory("the options of an environment");
    // the last one counts when a key was set twice
    status = sfnec_sql_do(sql, "DELETE FROM setting WHERE configuration = ? AND kind = 'env' AND key = ?", "it", number,
                          key);
    if (!status) status = put_setting(sql, number, "env", i + 1, key, equals + 1);
    free(key);
  }
  return status;
}

static sfnec_status put_configuration(const sfnec_sql *sql, const sfnec_configuration *c, int64_t number) {
  sfnec_status status =
      sfnec_sql_do(sql, "INSERT INTO configuration (configuration, label, preset, point, name) VALUES (?, ?, ?, ?, ?)",
                   "itttt", number, c->label, c->preset, c->point, c->name);
  for (size_t i = 0; i < c->settings.count && !status; i++)
    status = put_setting(sql, number, "sweep", i + 1, c->settings.items[i].key, c->settings.items[i].value);
  if (!status) status = put_agent_options(sql, number, &c->options);
  if (!status) status = put_env_options(sql, number, c->env_settings);
  return status;
}

// results of a job that is there stay; one that lacks tasks now has not failed at them yet
static sfnec_status put_job(const sfnec_sql *sql, const sfnec_job *job, int64_t position) {
  return sfnec_sql_do(
      sql,
      "INSERT INTO job (id, identity, configuration, position, seed, tasks) VALUES (?, ?, ?, ?, ?, ?)"
      " ON CONFLICT (id) DO UPDATE SET identity = excluded.identity, configuration = excluded.configuration,"
      " position = excluded.position, seed = excluded.seed, tasks = excluded.tasks,"
      " (state, attempts) = (SELECT CASE WHEN short THEN 'waiting' ELSE state END, CASE WHEN short THEN 0 ELSE attempts"
      " END FROM (SELECT state = 'done' AND count(*) < excluded.tasks AS short FROM task WHERE task.job = job.job))",
      "ttiini", job->id, job->identity, (int64_t)job->configuration + 1, position, job->seed, (int64_t)job->run.tasks);
}

static sfnec_status put_published(const sfnec_sql *sql, const sfnec_published *p, int64_t number) {
  sfnec_status status =
      sfnec_sql_do(sql, "INSERT INTO published (published, label, task, mean, se, source) VALUES (?, ?, ?, ?, ?, ?)",
                   "itirrt", number, p->agent, (int64_t)p->task, p->mean, p->se, p->source);
  for (size_t i = 0; i < p->options.count && !status; i++)
    status = sfnec_sql_do(sql, "INSERT INTO published_setting (published, position, key, value) VALUES (?, ?, ?, ?)",
                          "iitt", number, (int64_t)i + 1, p->options.items[i].key, p->options.items[i].value);
  return status;
}

static sfnec_status put_plan(const sfnec_sql *sql, const sfnec_plan *plan, const char *spec_text) {
  // jobs refer to configurations, which are checked at the end; position 0 is left to the jobs that are not planned
  sfnec_status status = sfnec_sql_exec(sql, "DELETE FROM configuration; DELETE FROM published;"
                                            "UPDATE job SET position = 0");
  if (!status) status = put_experiment(sql, plan, spec_text);
  for (size_t i = 0; i < plan->configuration_count && !status; i++)
    status = put_configuration(sql, &plan->configurations[i], (int64_t)i + 1);
  for (size_t i = 0; i < plan->job_count && !status; i++) status = put_job(sql, &plan->jobs[i], (int64_t)i + 1);
  for (size_t i = 0; i < plan->spec->published_count && !status; i++)
    status = put_published(sql, &plan->spec->published[i], (int64_t)i + 1);
  if (!status)
    status = sfnec_sql_exec(sql, "DELETE FROM job WHERE position = 0;"
                                 "DELETE FROM task WHERE task > (SELECT tasks FROM job WHERE job.job = task.job)");
  return status;
}

sfnec_status sfnec_store_set_plan(sfnec_store *store, const sfnec_plan *plan, const char *spec_text) {
  sfnec_status status = sfnec_sql_begin(&store->sql, true);
  if (!status) status = sfnec_sql_end(&store->sql, put_plan(&store->sql, plan, spec_text));
  return status ? status : sfnec_store_read_spec(store);
}
