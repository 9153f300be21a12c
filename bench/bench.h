// bench.h: what the benchmarks share: a clock, arguments, the subcommands.
#ifndef SFNEC_BENCH_H
#define SFNEC_BENCH_H

#include <stdint.h>
#include <stdio.h>

// Seconds from a clock that does not jump.
double bench_seconds(void);

// Says why and ends the program: a benchmark has nothing to save.
_Noreturn void bench_die(const char *what);
// Ends the program with the library's last error if a call failed.
void bench_check(int status);
// Memory or the end of the program.
void *bench_alloc(size_t count, size_t size);

// Arguments of a subcommand: --key value pairs.
typedef struct bench_args {
  int count;
  char **texts;
} bench_args;

// The value of --key, or what is given for its absence.
const char *bench_text(const bench_args *args, const char *key, const char *absent);
long bench_number(const bench_args *args, const char *key, long absent);
// Numbers from 1 on, separated by commas and increasing; returns how many (at most `most`).
uint32_t bench_list(const bench_args *args, const char *key, const char *absent, uint32_t *numbers, uint32_t most);
// Whether a list of names separated by commas has that one; a list that is NULL has every name.
int bench_named(const char *list, const char *name);

// A file for --json, or NULL when it was not asked for.
FILE *bench_json(const bench_args *args);

int bench_env(const bench_args *args);
int bench_memory(const bench_args *args);
int bench_keys(const bench_args *args);
int bench_agent(const bench_args *args);
int bench_train(const bench_args *args);
int bench_limits(const bench_args *args);
int bench_matrix(const bench_args *args);

#endif
