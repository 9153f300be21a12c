// results.c: the stored results of an experiment as plain arrays.
//
// Everything is read in one transaction, so that it belongs to one moment. A database is a file that anybody may edit:
// every value is checked as it is read (sql.h), and every array grows with the rows that are read. Rows that do not
// continue where the one before ended are passed over.
#include "study/store/results.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "study/store/database.h"

typedef struct reader {
  sfnec_sql sql;
  sfnec_results *results;
  uint32_t edition; // of the records in the database
  sfnec_row row;    // of the query that is read
  int64_t *jobs;    // (run_count) the numbers of the runs' jobs
  size_t job_count;
  size_t run;                     // the run that the query's rows have come to
  sfnec_task_record *features_of; // the task whose features the rows have come to, and how many it has
  size_t feature_at;
} reader;

static sfnec_status no_memory(void) {
  return sfnec_fail_memory("the results of an experiment");
}

static const char *text_at(reader *r, int column) {
  return sfnec_row_text(&r->row, column, false);
}

static int64_t int_at(reader *r, int column, int64_t least, int64_t most) {
  return sfnec_row_int(&r->row, column, least, most);
}

static uint32_t count_at(reader *r, int column, uint32_t least) {
  return (uint32_t)int_at(r, column, least, UINT32_MAX);
}

// runs a query and hands each row to a function
static sfnec_status each(reader *r, const char *query, sfnec_status (*take)(reader *r)) {
  r->run = 0;
  r->row = (sfnec_row){.arena = r->results->arena};
  sfnec_status status = sfnec_sql_query(&r->sql, &r->row.statement, query, "");
  for (bool row = !status; row && !status;) {
    status = sfnec_sql_next(&r->sql, &r->row.statement, &row);
    if (!status && row) status = take(r);
    if (!status && row) status = sfnec_row_check(&r->sql, &r->row);
  }
  sqlite3_finalize(r->row.statement);
  return status;
}

// the same for records: their columns come after those of `before`, and `from` follows
static sfnec_status each_record(reader *r, const sfnec_record_set *set, const char *before, const char *from,
                                sfnec_status (*take)(reader *r)) {
  sfnec_arena *arena = r->results->arena;
  FILE *text = sfnec_arena_open_text(arena);
  if (!text) return no_memory();
  fputs(before, text);
  sfnec_sql_print_columns(text, set, 0, r->edition, SFNEC_SQL_NAMES);
  fputs(from, text);
  const char *query = sfnec_arena_close_text(arena);
  return query ? each(r, query, take) : no_memory();
}

// one more element of an array in the arena; NULL without memory
#define GROW(r, array, count)                                                                                          \
  ((array) = sfnec_arena_grow((r)->results->arena, (array), (count), sizeof *(array)),                                 \
   (array) ? &(array)[(count)++] : NULL)

// ---- what was planned ----

// the metric that a resolved spec names, in the arena; that of the world where an older program wrote the spec
static const char *metric_of(sfnec_arena *arena, const char *spec, const char *env) {
  static const char key[] = "\nmetric: ";
  const char *at = spec ? strstr(spec, key) : NULL;
  if (at) {
    at += sizeof key - 1;
    // a quoted value has no use here: no metric needs quotes
    return sfnec_arena_print(arena, "%.*s", (int)strcspn(at, "\n"), at);
  }
  const sfnec_env_kind *kind = sfnec_env_kind_find(env);
  return kind ? kind->metric : NULL;
}

static sfnec_status take_experiment(reader *r) {
  sfnec_results *results = r->results;
  results->name = text_at(r, 0);
  results->title = text_at(r, 1);
  results->spec_text = sfnec_row_lines(&r->row, 2);
  results->spec_path = text_at(r, 3);
  results->env = text_at(r, 4);
  results->tasks = count_at(r, 5, 1);
  results->steps = int_at(r, 6, 0, INT64_MAX);
  results->episodes = int_at(r, 7, 0, INT64_MAX);
  const sfnec_status status = sfnec_row_check(&r->sql, &r->row);
  if (!status) results->metric = metric_of(results->arena, results->spec_text, results->env);
  if (status || sfnec_spec_is_name(results->name)) return status;
  return sfnec_fail(SFNEC_ERROR_FORMAT, "%s: the study has a name that no spec can have; its database was changed",
                    r->sql.path);
}

static sfnec_status take_session(reader *r) {
  sfnec_results *results = r->results;
  sfnec_session *session = GROW(r, results->sessions, results->session_count);
  if (!session) return no_memory();
  sfnec_row_record(&r->row, 0, sfnec_session_record_set(), r->edition, session);
  return SFNEC_OK;
}

// configurations are numbered from 1 without a gap
static sfnec_status take_configuration(reader *r) {
  sfnec_results *results = r->results;
  sfnec_result_configuration *c = GROW(r, results->configurations, results->configuration_count);
  if (!c) return no_memory();
  c->label = text_at(r, 0);
  c->preset = text_at(r, 1);
  c->point = text_at(r, 2);
  c->name = text_at(r, 3);
  return SFNEC_OK;
}

static sfnec_status push_setting(reader *r, sfnec_settings *settings, int column) {
  sfnec_setting *setting = GROW(r, settings->items, settings->count);
  if (!setting) return no_memory();
  setting->key = text_at(r, column);
  setting->value = text_at(r, column + 1);
  return SFNEC_OK;
}

static sfnec_status take_setting(reader *r) {
  const int64_t number = int_at(r, 0, 1, (int64_t)r->results->configuration_count);
  if (!number) return SFNEC_OK;
  sfnec_result_configuration *c = &r->results->configurations[number - 1];
  const char *kind = text_at(r, 1);
  sfnec_settings *settings = &c->settings;
  if (strcmp(kind, "agent") == 0) settings = &c->options;
  else if (strcmp(kind, "env") == 0) settings = &c->env_options;
  return push_setting(r, settings, 2);
}

static sfnec_status take_published(reader *r) {
  sfnec_results *results = r->results;
  sfnec_published *published = GROW(r, results->published, results->published_count);
  if (!published) return no_memory();
  published->agent = text_at(r, 0);
  published->task = count_at(r, 1, 0);
  published->mean = sfnec_row_real(&r->row, 2);
  published->se = sfnec_row_real(&r->row, 3);
  published->source = sfnec_row_text(&r->row, 4, true);
  return SFNEC_OK;
}

static sfnec_status take_published_setting(reader *r) {
  const int64_t number = int_at(r, 0, 1, (int64_t)r->results->published_count);
  if (!number) return SFNEC_OK;
  return push_setting(r, &r->results->published[number - 1].options, 1);
}

// ---- results ----

// the runs of a configuration are neighbours, as the numbers of its runs say
static bool is_next(const sfnec_results *results, const sfnec_result_configuration *c) {
  return !c->run_count || c->first_run + c->run_count == results->run_count;
}

static sfnec_status take_run(reader *r) {
  sfnec_results *results = r->results;
  const int64_t number = int_at(r, 2, 1, (int64_t)results->configuration_count);
  const char *id = text_at(r, 1);
  sfnec_status status = sfnec_row_check(&r->sql, &r->row);
  if (status) return status;
  sfnec_result_configuration *c = &results->configurations[number - 1];
  // an id is the name of a folder too
  if (!is_next(results, c) || !sfnec_spec_is_name(id)) return sfnec_sql_fail_damaged(&r->sql, "its jobs do not fit");
  int64_t *job = GROW(r, r->jobs, r->job_count);
  if (!c->run_count++) c->first_run = results->run_count;
  sfnec_result_run *run = GROW(r, results->runs, results->run_count);
  if (!job || !run) return no_memory();
  *job = int_at(r, 0, INT64_MIN, INT64_MAX);
  run->id = id;
  run->configuration = (size_t)number - 1;
  run->seed = sfnec_row_seed(&r->row, 3);
  run->state = sfnec_job_state_read(text_at(r, 4));
  run->error = sfnec_row_text(&r->row, 5, true);
  run->attempts = count_at(r, 6, 0);
  run->tasks_wanted = count_at(r, 7, 1);
  return SFNEC_OK;
}

// the run of a row's job in column 0; rows come in the order of the runs. NULL, and a wrong row, if there is none
static sfnec_result_run *run_at(reader *r) {
  const int64_t job = int_at(r, 0, INT64_MIN, INT64_MAX);
  while (r->run < r->job_count && r->jobs[r->run] != job) r->run++;
  if (r->run < r->job_count) return &r->results->runs[r->run];
  r->row.wrong = "number of a job";
  return NULL;
}

// tasks from the first on without a gap
static sfnec_status take_task(reader *r) {
  sfnec_result_run *run = run_at(r);
  if (!run || count_at(r, 1, 1) != run->task_count + 1) return SFNEC_OK;
  sfnec_task_record *record = GROW(r, run->tasks, run->task_count);
  if (!record) return no_memory();
  record->task = run->task_count - 1;
  sfnec_row_record(&r->row, 2, sfnec_task_record_set(), r->edition, &record->result);
  return SFNEC_OK;
}

// the task of a row's columns 0 and 1; NULL if there is none
static sfnec_task_record *record_at(reader *r) {
  const sfnec_result_run *run = run_at(r);
  const uint32_t task = count_at(r, 1, 1);
  return run && task >= 1 && task <= run->task_count ? &run->tasks[task - 1] : NULL;
}

// records are read-only for those who get them, but these arrays are ours
static sfnec_status take_use(reader *r) {
  sfnec_task_record *record = record_at(r);
  if (!record || count_at(r, 2, 1) != record->use_count + 1) return SFNEC_OK;
  int64_t *uses = (int64_t *)record->uses, *use = GROW(r, uses, record->use_count);
  if (!use) return no_memory();
  record->uses = uses;
  *use = int_at(r, 3, 0, INT64_MAX);
  return SFNEC_OK;
}

static sfnec_status take_episode(reader *r) {
  sfnec_task_record *record = record_at(r);
  if (!record || count_at(r, 2, 1) != record->episode_count + 1) return SFNEC_OK;
  sfnec_episode_result *episodes = (sfnec_episode_result *)record->episodes;
  sfnec_episode_result *episode = GROW(r, episodes, record->episode_count);
  if (!episode) return no_memory();
  record->episodes = episodes;
  episode->task = record->task;
  sfnec_row_record(&r->row, 3, sfnec_episode_record_set(), r->edition, episode);
  return SFNEC_OK;
}

static sfnec_status take_bin(reader *r) {
  sfnec_task_record *record = record_at(r);
  if (!record || count_at(r, 2, 1) != record->bin_count + 1) return SFNEC_OK;
  sfnec_bin_result *bins = (sfnec_bin_result *)record->bins, *bin = GROW(r, bins, record->bin_count);
  if (!bin) return no_memory();
  record->bins = bins;
  sfnec_row_record(&r->row, 3, sfnec_bin_record_set(), r->edition, bin);
  return SFNEC_OK;
}

static sfnec_status take_evaluation(reader *r) {
  sfnec_task_record *record = record_at(r);
  if (!record || count_at(r, 2, 1) != record->evaluation_count + 1) return SFNEC_OK;
  sfnec_evaluation_result *evaluations = (sfnec_evaluation_result *)record->evaluations;
  sfnec_evaluation_result *evaluation = GROW(r, evaluations, record->evaluation_count);
  if (!evaluation) return no_memory();
  record->evaluations = evaluations;
  sfnec_row_record(&r->row, 3, sfnec_evaluation_record_set(), r->edition, evaluation);
  return SFNEC_OK;
}

// a task some of whose features somebody has taken away has none
static void end_features(reader *r) {
  sfnec_task_record *record = r->features_of;
  if (record && r->feature_at != (size_t)record->evaluation_count * record->feature_count) {
    record->features = NULL;
    record->feature_count = 0;
  }
  r->features_of = NULL;
  r->feature_at = 0;
}

// those of the first evaluation of a task say how many there are
static sfnec_status take_feature(reader *r) {
  sfnec_task_record *record = record_at(r);
  const uint32_t evaluation = count_at(r, 2, 1), feature = count_at(r, 3, 1);
  if (r->features_of != record) end_features(r);
  r->features_of = record;
  if (!record || evaluation < 1 || feature < 1) return SFNEC_OK;
  const uint32_t n = evaluation == 1 ? feature : record->feature_count;
  if (r->feature_at != (size_t)(evaluation - 1) * n + feature - 1 && evaluation > 1) return SFNEC_OK;
  if (evaluation == 1 && r->feature_at != feature - 1) return SFNEC_OK;
  double *features = (double *)record->features, *total = GROW(r, features, r->feature_at);
  if (!total) return no_memory();
  record->features = features;
  record->feature_count = n;
  *total = sfnec_row_real(&r->row, 4);
  return SFNEC_OK;
}

// ---- all of it ----

static sfnec_status read_plan(reader *r) {
  sfnec_status status =
      each(r, "SELECT name, title, spec, spec_path, env, tasks, steps, episodes FROM experiment", take_experiment);
  if (!status && !r->results->name)
    status = sfnec_fail(SFNEC_ERROR_FORMAT,
                        "the experiment in %s has no plan yet: its first start was cut short; start it again with "
                        "'sfnec run SPEC -o %s'",
                        r->sql.folder, r->sql.folder);
  if (!status)
    status = each_record(r, sfnec_session_record_set(), "SELECT ", " FROM session ORDER BY session", take_session);
  if (!status)
    status = each(r, "SELECT label, preset, point, name FROM configuration ORDER BY configuration", take_configuration);
  if (!status)
    status = each(r, "SELECT configuration, kind, key, value FROM setting ORDER BY configuration, kind, position",
                  take_setting);
  if (!status)
    status = each(r, "SELECT label, task, mean, se, source FROM published ORDER BY published", take_published);
  if (!status)
    status = each(r, "SELECT published, key, value FROM published_setting ORDER BY published, position",
                  take_published_setting);
  return status;
}

// Jobs, then what is recorded of each, in the order in which the arrays grow; older editions lack the last tables.
static sfnec_status read_runs(reader *r) {
  sfnec_status status = each(r,
                             "SELECT job, id, configuration, seed, state, error, attempts, tasks FROM job"
                             " ORDER BY position, job",
                             take_run);
  if (!status)
    status = each_record(r, sfnec_task_record_set(), "SELECT job, task, ",
                         " FROM job JOIN task USING (job) ORDER BY position, job, task", take_task);
  if (!status)
    status = each(r,
                  "SELECT job, task, policy, policy_use.steps FROM job JOIN policy_use USING (job)"
                  " ORDER BY position, job, task, policy",
                  take_use);
  if (!status)
    status = each_record(r, sfnec_episode_record_set(), "SELECT job, task, episode, ",
                         " FROM job JOIN episode USING (job) ORDER BY position, job, task, episode", take_episode);
  if (!status && (int)r->edition >= sfnec_bin_record_set()->since)
    status = each_record(r, sfnec_bin_record_set(), "SELECT job, task, bin, ",
                         " FROM job JOIN bin USING (job) ORDER BY position, job, task, bin", take_bin);
  if (!status && (int)r->edition >= sfnec_evaluation_record_set()->since)
    status =
        each_record(r, sfnec_evaluation_record_set(), "SELECT job, task, evaluation, ",
                    " FROM job JOIN evaluation USING (job) ORDER BY position, job, task, evaluation", take_evaluation);
  if (!status && (int)r->edition >= sfnec_evaluation_record_set()->since)
    status = each(r,
                  "SELECT job, task, evaluation, feature, total FROM job JOIN evaluation_feature USING (job)"
                  " ORDER BY position, job, task, evaluation, feature",
                  take_feature);
  end_features(r);
  // no runs are an array too: those of a configuration without any are looked for in it
  sfnec_results *results = r->results;
  if (!status && !results->runs && !(results->runs = sfnec_arena_alloc(results->arena, 1, sizeof *results->runs)))
    status = no_memory();
  return status;
}

sfnec_status sfnec_results_load(const char *folder, sfnec_results **out) {
  sfnec_arena *arena;
  sfnec_results *results = sfnec_arena_create_for(sizeof *results, &arena);
  const char *own_folder = results ? sfnec_arena_copy(arena, folder) : NULL;
  const char *path = own_folder ? sfnec_arena_print(arena, "%s/experiment.db", folder) : NULL;
  if (!path) {
    sfnec_arena_destroy(arena);
    return no_memory();
  }
  results->arena = arena;
  results->folder = own_folder;
  reader r = {.sql = {.folder = own_folder, .path = path}, .results = results};
  sfnec_status status = sfnec_database_open_read(&r.sql, &r.edition);
  if (!status) status = read_plan(&r);
  if (!status) status = read_runs(&r);
  sqlite3_close(r.sql.db);
  if (status) sfnec_arena_destroy(arena);
  else *out = results;
  return status;
}

void sfnec_results_destroy(sfnec_results *results) {
  if (results) sfnec_arena_destroy(results->arena);
}

// ---- as they come ----

static sfnec_status plan_runs(sfnec_results *results, const sfnec_plan *plan) {
  results->configurations =
      sfnec_arena_alloc(results->arena, plan->configuration_count, sizeof *results->configurations);
  results->runs = sfnec_arena_alloc(results->arena, plan->job_count, sizeof *results->runs);
  if (!results->configurations || !results->runs) return no_memory();
  results->configuration_count = plan->configuration_count;
  for (size_t i = 0; i < plan->configuration_count; i++) {
    const sfnec_configuration *c = &plan->configurations[i];
    results->configurations[i] = (sfnec_result_configuration){
        .label = c->label, .preset = c->preset, .point = c->point, .name = c->name, .settings = c->settings};
  }
  for (size_t i = 0; i < plan->job_count; i++) {
    const sfnec_job *job = &plan->jobs[i];
    sfnec_result_configuration *c = &results->configurations[job->configuration];
    if (c->run_count++ == 0) c->first_run = i;
    results->runs[i] = (sfnec_result_run){
        .id = job->id, .configuration = job->configuration, .seed = job->seed, .tasks_wanted = job->run.tasks};
  }
  results->run_count = plan->job_count;
  return SFNEC_OK;
}

sfnec_status sfnec_results_make(const sfnec_plan *plan, sfnec_results **out) {
  sfnec_arena *arena;
  sfnec_results *results = sfnec_arena_create_for(sizeof *results, &arena);
  if (!results) return no_memory();
  const sfnec_spec *spec = plan->spec;
  *results = (sfnec_results){.arena = arena,
                             .folder = spec->path,
                             .name = spec->name,
                             .title = spec->title,
                             .spec_path = spec->path,
                             .env = spec->env,
                             .metric = spec->metric       ? spec->metric
                                       : spec->world.kind ? spec->world.kind->metric
                                                          : NULL,
                             .tasks = spec->tasks,
                             .steps = spec->steps,
                             .episodes = spec->episodes};
  const sfnec_status status = plan_runs(results, plan);
  if (status) sfnec_arena_destroy(arena);
  else *out = results;
  return status;
}

sfnec_status sfnec_results_put(sfnec_results *results, size_t run, const sfnec_task_record *record) {
  sfnec_result_run *into = &results->runs[run];
  if (record->task > into->task_count)
    return sfnec_fail(SFNEC_ERROR_FORMAT,
                      "job %s has task %" PRIu32 " without task %" PRIu32 ": its results were changed", into->id,
                      record->task + 1, into->task_count + 1);
  // arrays that were loaded have grown by the same function, so their room is what it expects
  if (record->task == into->task_count) {
    into->tasks = sfnec_arena_grow(results->arena, into->tasks, into->task_count, sizeof *into->tasks);
    if (!into->tasks) return no_memory();
    into->task_count++;
  }
  into->tasks[record->task] = (sfnec_task_record){.task = record->task, .result = record->result};
  return SFNEC_OK;
}

// ---- published values ----

// "0.10" in one place and "0.1" in another are the same
static bool same_value(const char *a, const char *b) {
  double x, y;
  if (strcmp(a, b) == 0) return true;
  return sfnec_text_to_real(a, &x) && sfnec_text_to_real(b, &y) && x <= y && x >= y;
}

static bool has_setting(const sfnec_settings *settings, const sfnec_setting *wanted) {
  for (size_t i = 0; i < settings->count; i++)
    if (strcmp(settings->items[i].key, wanted->key) == 0) return same_value(settings->items[i].value, wanted->value);
  return false;
}

static bool belongs(const sfnec_published *published, const sfnec_result_configuration *configuration) {
  if (strcmp(published->agent, configuration->label) != 0) return false;
  if (published->options.count != configuration->settings.count) return false;
  for (size_t i = 0; i < published->options.count; i++)
    if (!has_setting(&configuration->settings, &published->options.items[i])) return false;
  return true;
}

const sfnec_published *sfnec_published_next(const sfnec_results *results, size_t configuration,
                                            const sfnec_published *after) {
  for (size_t i = after ? (size_t)(after - results->published) + 1 : 0; i < results->published_count; i++)
    if (belongs(&results->published[i], &results->configurations[configuration])) return &results->published[i];
  return NULL;
}

const sfnec_published *sfnec_published_after(const sfnec_results *results, size_t configuration, uint32_t task) {
  const sfnec_published *at = NULL;
  do at = sfnec_published_next(results, configuration, at);
  while (at && sfnec_published_task(results, at) != task);
  return at;
}

uint32_t sfnec_published_task(const sfnec_results *results, const sfnec_published *published) {
  return published->task ? published->task : results->tasks;
}
