// replays.c: the replays of the page: one episode of each configuration's agent on the same tasks.
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "show/play/replay.h"
#include "show/report/data.h"

static const char *agent_path(const sfnec_report_input *in, const sfnec_result_run *run) {
  return sfnec_arena_print(in->analysis->arena, "%s/agents/%s.sfnec", in->results->folder, run->id);
}

static const sfnec_result_run *find_run(const sfnec_results *results, size_t configuration, uint64_t seed) {
  const sfnec_result_configuration *c = &results->configurations[configuration];
  for (size_t i = 0; i < c->run_count; i++)
    if (results->runs[c->first_run + i].seed == seed) return &results->runs[c->first_run + i];
  return NULL;
}

static bool has_agent(const sfnec_report_input *in, const sfnec_result_run *run) {
  const char *path = run && run->state == SFNEC_JOB_DONE ? agent_path(in, run) : NULL;
  return path && access(path, R_OK) == 0;
}

// so many seeds and tasks there are to choose from
enum { REPLAY_SEEDS = 2, REPLAY_TASKS = 3 };

// the seeds that most configurations have an agent of, the first of those
static size_t choose_seeds(const sfnec_report_input *in, uint64_t seeds[REPLAY_SEEDS]) {
  const sfnec_results *results = in->results;
  size_t found = 0, most[REPLAY_SEEDS] = {0};
  for (size_t i = 0; i < results->configurations[0].run_count; i++) {
    const uint64_t candidate = results->runs[results->configurations[0].first_run + i].seed;
    size_t have = 0, at = found < REPLAY_SEEDS ? found : REPLAY_SEEDS;
    for (size_t c = 0; c < results->configuration_count; c++) have += has_agent(in, find_run(results, c, candidate));
    while (at > 0 && have > most[at - 1]) at--;
    if (!have || at == REPLAY_SEEDS) continue;
    for (size_t k = REPLAY_SEEDS - 1; k > at; k--) most[k] = most[k - 1], seeds[k] = seeds[k - 1];
    most[at] = have, seeds[at] = candidate;
    if (found < REPLAY_SEEDS) found++;
  }
  return found;
}

// the last task that all have, the first, and one in the middle
static size_t choose_tasks(const sfnec_report_input *in, uint32_t tasks[REPLAY_TASKS]) {
  const uint32_t count = in->analysis->coverage.task;
  tasks[0] = count - 1;
  tasks[1] = 0;
  tasks[2] = count / 2;
  return count < REPLAY_TASKS ? count : REPLAY_TASKS;
}

// an agent that cannot be played does not spoil the report: its place says why
static sfnec_status put_replay(sfnec_json *json, const sfnec_report_input *in, size_t configuration,
                               const sfnec_result_run *run, uint32_t task) {
  const char *path = agent_path(in, run), *name = in->results->configurations[configuration].name;
  char *text = NULL;
  if (!path) return sfnec_fail_memory("the replays");
  const sfnec_status status = sfnec_replay_json(path, in->options->env, name, run->seed, task, &text);
  if (status == SFNEC_ERROR_MEMORY) return status;
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_int(json, "configuration", (int64_t)configuration);
  if (status) sfnec_json_text(json, "error", sfnec_last_error());
  else sfnec_json_raw(json, "data", text);
  sfnec_json_end(json, '}');
  free(text);
  return SFNEC_OK;
}

// those of all configurations on one task of one seed
static sfnec_status put_scene(sfnec_json *json, const sfnec_report_input *in, uint64_t seed, uint32_t task) {
  const sfnec_results *results = in->results;
  uint32_t count = 0;
  sfnec_status status = SFNEC_OK;
  for (size_t c = 0; c < results->configuration_count && !status; c++) {
    const sfnec_result_run *run = find_run(results, c, seed);
    if (count == in->options->replays || !has_agent(in, run)) continue;
    status = put_replay(json, in, c, run, task);
    count++;
  }
  return status;
}

sfnec_status sfnec_report_put_replays(sfnec_json *json, const sfnec_report_input *in) {
  uint64_t seeds[REPLAY_SEEDS] = {0};
  uint32_t tasks[REPLAY_TASKS] = {0};
  const size_t seed_count = choose_seeds(in, seeds), task_count = choose_tasks(in, tasks);
  sfnec_status status = SFNEC_OK;
  sfnec_json_begin(json, "replays", '[');
  for (size_t s = 0; s < seed_count; s++)
    for (size_t t = 0; t < task_count && !status; t++) status = put_scene(json, in, seeds[s], tasks[t]);
  sfnec_json_end(json, ']');
  return status;
}
