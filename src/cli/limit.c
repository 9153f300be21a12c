// limit.c: bounds for commands that only look; see limit.h.
#include "cli/limit.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "cli/cli.h"

static char sentence[160]; // made before the signal, whose handler may not format

static void give_up(int number) {
  (void)number;
  (void)!write(STDERR_FILENO, sentence, strlen(sentence));
  _exit(EXIT_FAILED);
}

void limit_time(int64_t seconds) {
  if (seconds <= 0) return;
  snprintf(sentence, sizeof sentence,
           "sfnec: the time limit of %" PRId64 " s is reached and nothing more is written; raise --time-limit\n",
           seconds);
  struct sigaction action = {.sa_handler = give_up};
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, NULL);
  alarm((unsigned)seconds);
}

void limit_plans(sfnec_agent *agent, const char *path) {
  const int64_t asked = sfnec_agent_get_options(agent)->replan_backups;
  if (!sfnec_agent_limit_plans(agent)) return;
  complain("%s asks for plans of %" PRId64 " backups (replan_backups); to look at it, they get %" PRId64, path, asked,
           sfnec_agent_get_options(agent)->replan_backups);
}
