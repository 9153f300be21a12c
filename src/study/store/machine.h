// machine.h: where an experiment runs, in words for people.
#ifndef SFNEC_STUDY_STORE_MACHINE_H
#define SFNEC_STUDY_STORE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum { SFNEC_MACHINE_TEXT = 256, SFNEC_TIME_TEXT = 24 };

typedef struct sfnec_machine {
  char host[SFNEC_MACHINE_TEXT];
  char model[SFNEC_MACHINE_TEXT];  // of the processor
  char system[SFNEC_MACHINE_TEXT]; // "Linux 6.1.0 x86_64"
  char simd[SFNEC_MACHINE_TEXT];   // the instruction-set level in use
  uint32_t cores;
} sfnec_machine;

// What cannot be found out stays "unknown".
void sfnec_machine_describe(sfnec_machine *machine);

// The time of day as "2025-01-31T12:00:00Z".
void sfnec_machine_time(char text[SFNEC_TIME_TEXT]);

// Whether a folder is on a file system that several machines share; where that cannot be found out, no.
bool sfnec_machine_shares(const char *folder);

#endif
