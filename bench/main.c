// main.c: sfnec-bench: one program, one subcommand per question.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "sfnec/sfnec.h"

// `keys` are the arguments that a subcommand knows, each followed by a blank
static const struct {
  const char *name, *help, *keys;
  int (*run)(const bench_args *args);
} benches[] = {
    {"env", "steps per second of each environment under a random policy [--steps N] [--json FILE]", "--steps --json ",
     bench_env},
    {"memory",
     "look-ups in the memories of many tasks, fast against flat, every answer compared\n"
     "         [--tasks 1,10,25,50] [--queries 400: at most] [--seconds 8: per row] [--seed 1] [--json FILE]\n"
     "         [--dump DIR: keys, queries and distances as .npy files]",
     "--tasks --queries --seconds --seed --json --dump ", bench_memory},
    {"keys",
     "harder keys: one index of growing size, or frozen, fast against flat; insertions and removals\n"
     "         [--most 100000: entries] [--kinds four_rooms,mixture,uniform,duplicates] [--queries 200: at most]\n"
     "         [--repeats 3] [--seconds 2: per size and repetition] [--seed 1] [--json FILE]",
     "--most --kinds --queries --repeats --seconds --seed --json ", bench_keys},
    {"agent",
     "steps per second of whole agents at given tasks, and index=fast against index=flat there\n"
     "         [--tasks 1,10] [--agents a,b] [--set key=value]... [--steps 20000] [--flat-steps 500] [--seed 1]\n"
     "         [--json FILE]",
     "--tasks --agents --set --steps --flat-steps --seed --json ", bench_agent},
    {"train",
     "a training step of a learned embedding with either index [--entries 10000] [--key-size 32] [--batch 16]\n"
     "         [--neighbours 20] [--steps 500] [--seed 1] [--json FILE] [--dump DIR: for bench/peers/torch_train.sh]",
     "--entries --key-size --batch --neighbours --steps --seed --json --dump ", bench_train},
    {"matrix",
     "matrix products in the shapes of networks' layers, against OpenBLAS in the same run\n"
     "         [--blas FILE: a shared library of OpenBLAS] [--seconds 1: per shape] [--json FILE]",
     "--blas --seconds --json ", bench_matrix},
    {"limits",
     "what the greatest agents cost: a memory of many entries, agents of many features or actions\n"
     "         [--entries 10000000] [--size 10000: features, actions] [--steps 1000]",
     "--entries --size --steps ", bench_limits},
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

void bench_check(int status) {
  if (status) bench_die(sfnec_last_error());
}

void *bench_alloc(size_t count, size_t size) {
  void *block = calloc(count ? count : 1, size);
  if (!block) bench_die("out of memory");
  return block;
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
  if (end == text || *end || number < 1) {
    fprintf(stderr, "sfnec-bench: %s takes a whole number from 1 on, not '%s'\n", key, text);
    exit(1);
  }
  return number;
}

uint32_t bench_list(const bench_args *args, const char *key, const char *absent, uint32_t *numbers, uint32_t most) {
  const char *text = bench_text(args, key, absent), *at = text;
  uint32_t count = 0;
  long last = 0;
  while (*at && count < most) {
    char *end;
    const long number = strtol(at, &end, 10);
    if (end == at || number <= last || number > INT32_MAX || (*end && *end != ',')) break;
    numbers[count++] = (uint32_t)number;
    last = number;
    at = *end ? end + 1 : end;
  }
  if (*at || count == 0) {
    fprintf(stderr, "sfnec-bench: %s takes increasing numbers from 1 on, separated by commas, not '%s'\n", key, text);
    exit(1);
  }
  return count;
}

int bench_named(const char *list, const char *name) {
  const size_t size = strlen(name);
  if (!list) return 1;
  for (const char *at = list; (at = strstr(at, name)); at += size) {
    if ((at == list || at[-1] == ',') && (at[size] == '\0' || at[size] == ',')) return 1;
  }
  return 0;
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

// Are these pairs of a known key and a value?
static int check_args(const bench_args *args, const char *keys) {
  for (int i = 0; i < args->count; i += 2) {
    const char *key = args->texts[i], *at = strstr(keys, key);
    const size_t size = strlen(key);
    if (strncmp(key, "--", 2) != 0 || size < 3 || !at || at[size] != ' ') {
      fprintf(stderr, "sfnec-bench: there is no argument '%s' here: sfnec-bench --help lists them\n", key);
      return 0;
    }
    if (i + 1 == args->count) {
      fprintf(stderr, "sfnec-bench: %s needs a value\n", key);
      return 0;
    }
  }
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return usage(stderr);
  if (strcmp(argv[1], "--help") == 0) return usage(stdout);
  const bench_args args = {argc - 2, argv + 2};
  for (size_t i = 0; i < sizeof benches / sizeof benches[0]; i++) {
    if (strcmp(argv[1], benches[i].name) == 0) return check_args(&args, benches[i].keys) ? benches[i].run(&args) : 2;
  }
  return usage(stderr);
}
