// tool_note.c: tool_note AGENT: gives a saved agent the note that comes in on standard input, as somebody else may
// have.
#include <stdio.h>

#include "sfnec/agent.h"

int main(int argc, char **argv) {
  static char note[65536];
  sfnec_agent *agent = NULL;
  if (argc != 2) return 2;
  note[fread(note, 1, sizeof note - 1, stdin)] = '\0';
  sfnec_status status = sfnec_agent_load(argv[1], &agent);
  if (!status) status = sfnec_agent_set_note(agent, note);
  if (!status) status = sfnec_agent_save(agent, argv[1]);
  if (status) fprintf(stderr, "tool_note: %s\n", sfnec_last_error());
  sfnec_agent_destroy(agent);
  return status ? 1 : 0;
}
