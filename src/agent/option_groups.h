// option_groups.h: which agents an option of the table serves, for lists that people read.
//
// The rows of the table stand in the order of agent files, which never changes; here they are sorted by use.
#ifndef SFNEC_AGENT_OPTION_GROUPS_H
#define SFNEC_AGENT_OPTION_GROUPS_H

#include <stddef.h>

typedef struct sfnec_option_group {
  const char *title;
  const char *const *names; // of options, NULL-terminated
} sfnec_option_group;

// The groups in a fixed order, each option in one of them; NULL past the last.
const sfnec_option_group *sfnec_agent_option_group_at(size_t i);

#endif
