// session.h: one start of the program on an experiment: where it runs, in words for people, and how it ended.
#ifndef SFNEC_STUDY_STORE_SESSION_H
#define SFNEC_STUDY_STORE_SESSION_H

#include "base/arena.h"
#include "sfnec/run.h"

typedef struct sfnec_session {
  const char *version, *host, *machine;
  int64_t cores;
  const char *system, *simd;
  int64_t workers, ranks;
  const char *command;         // NULL if it was not noted
  const char *started, *ended; // UTC, ISO 8601; ended NULL: still running, or killed
  const char *how;             // NULL likewise
} sfnec_session;

const sfnec_record_set *sfnec_session_record_set(void);

enum { SFNEC_TIME_TEXT = 24 };

// Says what a session runs on: version, host, machine, cores, system and simd, the texts in the arena. What cannot be
// found out is "unknown".
void sfnec_session_describe(sfnec_session *session, sfnec_arena *arena);

// The time of day as "2025-01-31T12:00:00Z".
void sfnec_machine_time(char text[SFNEC_TIME_TEXT]);

// Whether a folder is on a file system that several machines share; where that cannot be found out, no.
bool sfnec_machine_shares(const char *folder);

#endif
