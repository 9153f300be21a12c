// bench.h: what the benchmarks share: a clock, a table row, the subcommands.
#ifndef SFNEC_BENCH_H
#define SFNEC_BENCH_H

#include <stdio.h>

// Seconds from a clock that does not jump.
double bench_seconds(void);

// Says why and ends the program: a benchmark has nothing to save.
_Noreturn void bench_die(const char *what);

// Arguments of a subcommand: --key value pairs.
typedef struct bench_args {
  int count;
  char **texts;
} bench_args;

// The value of --key, or what is given for its absence.
const char *bench_text(const bench_args *args, const char *key, const char *absent);
long bench_number(const bench_args *args, const char *key, long absent);

// A file for --json, or NULL when it was not asked for.
FILE *bench_json(const bench_args *args);

int bench_env(const bench_args *args);
int bench_agent(const bench_args *args);

#endif
