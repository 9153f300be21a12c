// log_agent.h: what learn and cover share: a log, the world that it was recorded in as far as it is known, and an agent
// that learns from it.
#ifndef SFNEC_CLI_LOG_AGENT_H
#define SFNEC_CLI_LOG_AGENT_H

#include "base/arena.h"
#include "cli/args.h"
#include "run/log.h"

typedef struct log_args {
  const char *agent, *env, *w;
  int64_t actions;
  arg_seed seed;
} log_args;

// The rows of these arguments in a command's table, in its field `field`.
#define LOG_ARGS(type, field)                                                                                          \
  {"agent",                                                                                                            \
   ARG_TEXT,                                                                                                           \
   offsetof(type, field.agent),                                                                                        \
   "NAME",                                                                                                             \
   "sfnec-plan",                                                                                                       \
   0,                                                                                                                  \
   0,                                                                                                                  \
   "a preset of sfnec list agents, or one with changes: sfnec-plan:terminal=zero"},                                    \
      {"seed", ARG_SEED, offsetof(type, field.seed), "N", NULL, 0, 0, "of the agent (default 1)"},                     \
      {"env",                                                                                                          \
       ARG_TEXT,                                                                                                       \
       offsetof(type, field.env),                                                                                      \
       "NAME",                                                                                                         \
       NULL,                                                                                                           \
       0,                                                                                                              \
       0,                                                                                                              \
       "where it was recorded, NAME or FILE.so (default: what the log says, unless that was a plugin)"},               \
      {"actions",                                                                                                      \
       ARG_INT,                                                                                                        \
       offsetof(type, field.actions),                                                                                  \
       "N",                                                                                                            \
       "0",                                                                                                            \
       0,                                                                                                              \
       SFNEC_SIZE_MOST,                                                                                                \
       "how many actions there are, if neither log nor environment says (0: those in the log)"},                       \
  {                                                                                                                    \
    "w", ARG_TEXT, offsetof(type, field.w), "A,B,...", NULL, 0, 0,                                                     \
        "reward weights of all of it, one per feature (default: those of the log)"                                     \
  }

typedef struct log_agent {
  const log_args *args;
  sfnec_arena *arena;
  sfnec_log log;
  sfnec_env *env; // NULL: not known
  sfnec_agent *agent;
  double *w; // NULL: the log's
} log_agent;

// Opens a log, and makes the agent, or loads it (`from`; NULL: none). To be closed in every case.
int log_agent_open(log_agent *l, const log_args *args, const char *from, const char *path);
// Takes another log for the same agent.
int log_agent_open_next(log_agent *l, const char *path);
// Learns the log.
int log_agent_learn(log_agent *l, sfnec_log_lesson *lesson);
void log_agent_close(log_agent *l);

#endif
