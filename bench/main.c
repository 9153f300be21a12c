// main.c: sfnec-bench: one program, one subcommand per question.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "sfnec/sfnec.h"

static const struct {
  const char *name, *help;
  int (*run)(const bench_args *args);
} benches[] = {
    {"env", "steps per second of each environment under a random policy [--steps N] [--json FILE]", bench_env},
    {"agent",
     "steps per second of each agent at given tasks [--tasks 1,10] [--agents a,b] [--steps 20000] [--seed 1] [--json "
     "FILE]",
     bench_agent},
};

double bench_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_die(const char *what) {
  fprintf(stderr, "sfnec-bench: %s\n", what);
  exit(1);
}

const char *bench_text(const bench_args *args, const char *key, const char *absent) {
  for (int i = 0; i + 1 < args->count; i += 2) {
    if (strcmp(args->texts[i], key) == 0) return args->texts[i + 1];
  }
  return absent;
}

long bench_number(const bench_args *args, const char *key, long absent) {
  const char *text = bench_text(args, key, NULL);
  if (!text) return absent;
  char *end;
  const long number = strtol(text, &end, 10);
  if (end == text || *end || number < 1) bench_die("a number from 1 on is needed after --steps and --seed");
  return number;
}

FILE *bench_json(const bench_args *args) {
  const char *path = bench_text(args, "--json", NULL);
  if (!path) return NULL;
  FILE *file = fopen(path, "w");
  if (!file) bench_die("the file named by --json cannot be written");
  return file;
}

static int usage(FILE *to) {
  fprintf(to, "usage: sfnec-bench NAME [--key value]...\n\n");
  for (size_t i = 0; i < sizeof benches / sizeof benches[0]; i++) {
    fprintf(to, "  %-6s %s\n", benches[i].name, benches[i].help);
  }
  return to == stderr ? 2 : 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return usage(stderr);
  if (strcmp(argv[1], "--help") == 0) return usage(stdout);
  const bench_args args = {argc - 2, argv + 2};
  if (args.count % 2 != 0) return usage(stderr);
  for (size_t i = 0; i < sizeof benches / sizeof benches[0]; i++) {
    if (strcmp(argv[1], benches[i].name) == 0) return benches[i].run(&args);
  }
  return usage(stderr);
}
