// cmd_cover.c: `sfnec cover`: what a log, or the memory of an agent that plans, knows, where a plan over it would leave
// it, and what the plan is worth by the model: questions to ask before anything runs.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/limit.h"
#include "cli/log_agent.h"

typedef struct cover_args {
  log_args log;
  int64_t starts, time_limit;
} cover_args;

static int run_cover(const void *values, const text_list *operands);

static const arg table[] = {
    LOG_ARGS(cover_args, log),
    {"starts", ARG_INT, offsetof(cover_args, starts), "N", "20", 1, 10000,
     "first observations of episodes of a log that plans begin in"},
    ARG_TIME_LIMIT(cover_args, time_limit),
    {0},
};

const command command_cover = {
    .name = "cover",
    .summary = "report what a log or an agent covers, and where a plan would leave the data",
    .operands = "LOG|AGENT",
    .about = "For a log (.npz) or a saved agent that plans: the number of states, the share of their actions\n"
             "that were tried, the value of the plan from the starts by the model with a standard error, and\n"
             "the steps of the plan that were not tried within a step. --w plans for other weights. Plans start\n"
             "at the first observations of a log's episodes, or of the agent's last episode.",
    .args = table,
    .values_size = sizeof(cover_args),
    .run = run_cover,
};

enum { OUTSIDE_SHOWN = 8, COMPONENTS_SHOWN = 6 };

// What plans from all starts have in common.
typedef struct survey {
  const sfnec_agent *agent;
  sfnec_scratch *scratch;
  const double *w;
  size_t size; // of an observation
  sfnec_plan_coverage last;
  int64_t starts, steps, outside, leaving; // leaving: starts whose plan leaves the data
  double value, squares, variance;
  size_t shown;
  float *observations; // (OUTSIDE_SHOWN, size)
  int32_t actions[OUTSIDE_SHOWN];
} survey;

static sfnec_status ask(survey *s, const float *start) {
  const sfnec_status status =
      sfnec_agent_ask_coverage(s->agent, s->scratch, start, s->w, OUTSIDE_SHOWN - s->shown,
                               s->observations + s->shown * s->size, s->actions + s->shown, &s->last);
  if (status) return status;
  s->starts++;
  s->steps += s->last.steps;
  s->outside += s->last.outside;
  s->leaving += s->last.outside > 0;
  s->value += s->last.value;
  s->squares += s->last.value * s->last.value;
  s->variance += s->last.error * s->last.error;
  const size_t more = (size_t)s->last.outside, room = OUTSIDE_SHOWN - s->shown;
  s->shown += more < room ? more : room;
  return SFNEC_OK;
}

// ---- printing ----

static double percent(int64_t part, int64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void print_component(const survey *s, int32_t i, float value, bool first) {
  const sfnec_component_space *spaces = sfnec_agent_get_components(s->agent);
  printf("%s", first ? "" : ", ");
  if (spaces && spaces[i].name[0]) printf("%s = %g", spaces[i].name, (double)value);
  else printf("component %" PRId32 " = %g", i, (double)value);
}

// What distinguishes a state for the model: components of the context that are not 0, then those of the key.
static void print_state(const survey *s, const float *observation) {
  static const sfnec_component_role roles[] = {SFNEC_COMPONENT_CONTEXT, SFNEC_COMPONENT_KEY};
  int shown = 0;
  for (size_t r = 0; r < 2; r++) {
    for (int32_t i = 0; i < (int32_t)s->size && shown < COMPONENTS_SHOWN; i++) {
      sfnec_component_info info;
      if (sfnec_agent_get_component_info(s->agent, i, &info) || info.role != roles[r]) continue;
      if (roles[r] == SFNEC_COMPONENT_CONTEXT && observation[i] == 0.0f) continue;
      print_component(s, i, observation[i], shown++ == 0);
    }
  }
}

static void print_survey(const survey *s) {
  const double n = (double)s->starts, mean = s->value / n;
  printf("states: %" PRId64 "\n", s->last.states);
  printf("their actions: %.1f %% were tried in the very state, %.1f %% there or within a step\n",
         percent(s->last.tried, s->last.choices), percent(s->last.near, s->last.choices));
  printf("plans from %" PRId64 " start%s: worth %.4g, standard error %.2g by the model\n", s->starts,
         s->starts == 1 ? "" : "s", mean, sqrt(s->variance) / n);
  if (s->starts > 1)
    printf("  starts differ by %.2g (standard deviation)\n", sqrt(fmax(0.0, s->squares / n - mean * mean)));
  printf("  %.1f steps on average; %.1f %% of them take an action that was not tried within a step\n",
         (double)s->steps / n, percent(s->outside, s->steps));
  if (s->outside == 0) return;
  printf("  %" PRId64 " of the plans leave the data, such as by\n", s->leaving);
  for (size_t i = 0; i < s->shown; i++) {
    printf("    action %" PRId32 " where ", s->actions[i]);
    print_state(s, s->observations + i * s->size);
    printf("\n");
  }
}

// ---- the starts ----

// The first observations of the log's episodes, spread over the log.
static sfnec_status ask_starts(survey *s, const sfnec_log *log, int64_t most) {
  sfnec_logged_row row;
  sfnec_status status = sfnec_logged_row_create(log, &row);
  bool begins = true;
  for (uint64_t i = 0; i < log->count && !status && s->starts < most; i++) {
    sfnec_log_get(log, i, &row);
    if (begins) status = ask(s, row.observation);
    begins = row.transition.terminated || row.transition.truncated;
  }
  sfnec_logged_row_free(&row);
  return status;
}

static sfnec_status ask_start(survey *s) {
  float *start = must_alloc(s->size, sizeof *start);
  sfnec_status status = sfnec_agent_get_start(s->agent, start);
  if (!status) status = ask(s, start);
  free(start);
  return status;
}

static int make_survey(const sfnec_agent *agent, const double *w, const sfnec_log *log, int64_t starts) {
  survey s = {.agent = agent, .w = w, .size = (size_t)sfnec_agent_get_shape(agent).observation_size};
  s.observations = must_alloc(OUTSIDE_SHOWN * s.size, sizeof *s.observations);
  sfnec_status status = sfnec_scratch_create(agent, &s.scratch);
  if (!status) status = log ? ask_starts(&s, log, starts) : ask_start(&s);
  if (!status && s.starts > 0) print_survey(&s);
  sfnec_scratch_destroy(s.scratch);
  free(s.observations);
  return status ? code_of(status) : flush_output();
}

static int cover_log(const cover_args *args, const char *path) {
  log_agent l;
  sfnec_log_lesson lesson;
  int code = log_agent_open(&l, &args->log, NULL, path);
  if (!code) code = log_agent_learn(&l, &lesson);
  if (!code) {
    printf("%s: %" PRIu64 " transitions, %" PRIu64 " episodes\n", path, lesson.learned, lesson.episodes);
    code = make_survey(l.agent, NULL, &l.log, args->starts);
  }
  log_agent_close(&l);
  return code;
}

static int cover_agent(const cover_args *args, const char *path) {
  sfnec_agent *agent = NULL;
  int code = code_of(sfnec_agent_load(path, &agent));
  if (code) return code;
  limit_plans(agent, path);
  double *w = args->log.w ? must_alloc((size_t)sfnec_agent_get_shape(agent).feature_count, sizeof *w) : NULL;
  if (w) code = weights_parse_of(args->log.w, agent, w);
  if (!code) code = make_survey(agent, w, NULL, 1);
  free(w);
  sfnec_agent_destroy(agent);
  return code;
}

static int run_cover(const void *values, const text_list *operands) {
  const cover_args *args = values;
  const char *path = operands->items[0];
  const size_t length = strlen(path);
  limit_time(args->time_limit);
  const bool is_log = length > 4 && strcmp(path + length - 4, ".npz") == 0;
  return is_log ? cover_log(args, path) : cover_agent(args, path);
}
