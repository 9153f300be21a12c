// drive.h: advancing a run to its end in slices short enough to stop and to report between them.
#ifndef SFNEC_CLI_DRIVE_H
#define SFNEC_CLI_DRIVE_H

#include <stdbool.h>

#include "sfnec/sfnec.h"

// Ctrl-C and SIGTERM stop the work at the next slice; a second one ends the program at once.
void interrupt_catch(void);
bool interrupted(void);

// Advances until the run is done, an interrupt came, or `between` (called after each slice) says false.
sfnec_status drive(sfnec_run *run, bool (*between)(void *context), void *context);

// Seconds from some fixed moment.
double now(void);

// The share of a run's work that lies behind its first tasks (2.25: two and a quarter of the third): with GPI, a step
// looks up the policies of all tasks so far, so late steps weigh more. The run has a limit on its steps.
double work_share(const sfnec_agent_options *options, const sfnec_run_options *run, double tasks_done);

#endif
