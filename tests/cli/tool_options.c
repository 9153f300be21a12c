// tool_options.c: AGENT KEY=VALUE...: changes options of a saved agent, as a stranger could who seals the file again.
// The agent neither learns nor plans by them here.
#include <stdio.h>

#include "agent/agent.h"
#include "sfnec/sfnec.h"

int main(int argc, char **argv) {
  sfnec_agent *agent = NULL;
  sfnec_status status = argc < 3 ? SFNEC_ERROR_ARGUMENT : sfnec_agent_load(argv[1], &agent);
  for (int i = 2; i < argc && !status; i++)
    status = sfnec_options_assign(sfnec_agent_option_set(), &agent->policies.config.options, argv[i]);
  if (!status) status = sfnec_agent_save(agent, argv[1]);
  if (status) fprintf(stderr, "tool_options: %s\n", sfnec_last_error());
  sfnec_agent_destroy(agent);
  return status != SFNEC_OK;
}
