// cmd_learn.c: `sfnec learn`: an agent learns from logs (run/log.h), without an environment.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/log_agent.h"
#include "cli/output.h"
#include "sfnec/diagnosis.h"

typedef struct learn_args {
  log_args log;
  const char *from, *save;
} learn_args;

static int run_learn(const void *values, const text_list *operands);

static const arg table[] = {
    LOG_ARGS(learn_args, log),
    {"from", ARG_TEXT, offsetof(learn_args, from), "AGENT", NULL, 0, 0,
     "a saved agent that continues to learn, instead of a new one"},
    {"save", ARG_TEXT, offsetof(learn_args, save), "FILE", NULL, 0, 0, "save the agent at the end"},
    {0},
};

const command command_learn = {
    .name = "learn",
    .summary = "learn from recorded transitions, without an environment",
    .operands = "LOG",
    .more_operands = true,
    .about = "Learns from logs: files .npz of sfnec train --log, of sfnec.recording.RecordLog, or of\n"
             "numpy.savez with observations, actions, rewards, terminals, timeouts and optionally\n"
             "next_observations and features. Any policy may have recorded them. eval, watch, cover and Python\n"
             "take the saved agent, and it can learn online.",
    .args = table,
    .values_size = sizeof(learn_args),
    .run = run_learn,
};

static void print_lesson(const char *path, const sfnec_log_lesson *lesson, double seconds) {
  char time[TEXT_NUMBER];
  printf("%s: %" PRIu64 " transition%s, %" PRIu64 " episode%s, in %s\n", path, lesson->learned,
         plural((size_t)lesson->learned), lesson->episodes, plural((size_t)lesson->episodes),
         text_duration(seconds, time));
  if (lesson->left_out)
    printf("  %" PRIu64 " left out: an episode was cut off there, and the log has no next_observations\n",
           lesson->left_out);
}

static void print_model(const sfnec_agent *agent) {
  sfnec_model_info model;
  if (sfnec_agent_get_options(agent)->psi != SFNEC_PSI_PLANNED || sfnec_agent_get_model_info(agent, &model)) return;
  if (model.places == 0) printf("too few transitions for a model: it is fitted after 100\n");
  else printf("model: %" PRId64 " states, %" PRId64 " samples\n", model.places, model.samples);
}

static void complain_of(const sfnec_agent *agent) {
  sfnec_finding findings[SFNEC_FINDINGS_MOST];
  size_t count;
  if (sfnec_agent_diagnose(agent, NULL, findings, &count)) return;
  for (size_t i = 0; i < count; i++) complain("%s", findings[i].text);
}

static int learn_all(log_agent *l, const learn_args *args, const text_list *paths) {
  int code = EXIT_OK;
  for (size_t i = 0; i < paths->count && !code; i++) {
    sfnec_log_lesson lesson;
    const double start = sfnec_seconds();
    code = i ? log_agent_open_next(l, paths->items[i]) : EXIT_OK;
    if (!code) code = log_agent_learn(l, &lesson);
    if (!code) print_lesson(paths->items[i], &lesson, sfnec_seconds() - start);
  }
  if (code) return code;
  print_model(l->agent);
  complain_of(l->agent);
  if (args->save) code = code_of(sfnec_agent_save(l->agent, args->save));
  if (!code && args->save) printf("agent saved in %s\n", args->save);
  return code ? code : flush_output();
}

static int run_learn(const void *values, const text_list *operands) {
  const learn_args *args = values;
  log_agent l;
  int code = args->save ? check_writable(args->save, "--save") : EXIT_OK;
  if (code) return code;
  code = log_agent_open(&l, &args->log, args->from, operands->items[0]);
  if (!code) code = learn_all(&l, args, operands);
  log_agent_close(&l);
  return code;
}
