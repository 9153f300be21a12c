// replay.c: one episode of each configuration's agent on the same task, for the page.
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "show/play/replay.h"
#include "show/report/data.h"

static const char *agent_path(const sfnec_report_input *in, const sfnec_result_run *run) {
  return sfnec_arena_print(in->arena, "%s/agents/%s.sfnec", in->results->folder, run->id);
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

// the seed that most configurations have an agent of; the first of those
static bool choose_seed(const sfnec_report_input *in, uint64_t *seed) {
  const sfnec_results *results = in->results;
  size_t most = 0;
  for (size_t i = 0; i < results->configurations[0].run_count; i++) {
    const uint64_t candidate = results->runs[results->configurations[0].first_run + i].seed;
    size_t have = 0;
    for (size_t c = 0; c < results->configuration_count; c++) have += has_agent(in, find_run(results, c, candidate));
    if (have > most) *seed = candidate;
    if (have > most) most = have;
  }
  return most > 0;
}

// an agent that cannot be played does not spoil the report: its place says why
static sfnec_status put_replay(sfnec_json *json, const sfnec_report_input *in, size_t configuration,
                               const sfnec_result_run *run) {
  const char *path = agent_path(in, run), *name = in->results->configurations[configuration].name;
  char *text = NULL;
  if (!path) return sfnec_fail_memory("the replays");
  const sfnec_status status = sfnec_replay_json(path, name, run->seed, in->analysis->coverage.task - 1, &text);
  if (status == SFNEC_ERROR_MEMORY) return status;
  sfnec_json_begin(json, NULL, '{');
  sfnec_json_int(json, "configuration", (int64_t)configuration);
  if (status) sfnec_json_text(json, "error", sfnec_last_error());
  else sfnec_json_raw(json, "data", text);
  sfnec_json_end(json, '}');
  free(text);
  return SFNEC_OK;
}

sfnec_status sfnec_report_put_replays(sfnec_json *json, const sfnec_report_input *in, sfnec_report_facts *facts) {
  const sfnec_results *results = in->results;
  uint64_t seed = 0;
  sfnec_status status = SFNEC_OK;
  sfnec_json_begin(json, "replays", '[');
  const bool any = choose_seed(in, &seed);
  for (size_t c = 0; c < results->configuration_count && any && !status; c++) {
    const sfnec_result_run *run = find_run(results, c, seed);
    if (facts->replays == in->options->replays || !has_agent(in, run)) continue;
    status = put_replay(json, in, c, run);
    facts->replays++;
  }
  sfnec_json_end(json, ']');
  return status;
}
