// driver.c: a small fuzzer for compilers that have no libFuzzer: it changes inputs of the corpus at random and keeps
// those that reach code that no other has reached. It takes the options of libFuzzer that run.sh gives it.
//
// gcc's -fsanitize-coverage=trace-pc calls __sanitizer_cov_trace_pc at each block of code. Which pairs of blocks follow
// each other, and roughly how often, is what an input reaches (as AFL counts it). The input that runs is in the file
// <artifact_prefix>running, so that it is there when it breaks something.
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "fuzz.h"

enum { PAIRS = 1 << 16, INPUTS_MOST = 1 << 14, LENGTH_MOST = 1 << 16, CHANGES_MOST = 8, NAME = 512 };

// ---- what is reached ----

static uint8_t counts[PAIRS], reached[PAIRS];
static uintptr_t previous;

void __sanitizer_cov_trace_pc(void);
__attribute__((no_sanitize_coverage, no_sanitize("address", "undefined"))) void __sanitizer_cov_trace_pc(void) {
  const uintptr_t here = (uintptr_t)__builtin_return_address(0);
  uint8_t *count = &counts[((here >> 1) ^ previous) % PAIRS];
  *count += *count < UINT8_MAX;
  previous = here >> 2;
}

// A bit for about how often: 1, 2, 3, 4-7, 8-15, 16-31, 32-127, more.
static uint8_t bit_of(uint8_t count) {
  return count == 0    ? 0
         : count < 4   ? (uint8_t)(1 << (count - 1))
         : count < 8   ? 8
         : count < 16  ? 16
         : count < 32  ? 32
         : count < 128 ? 64
                       : 128;
}

// Whether something new was reached; then it is known.
static bool note_reached(void) {
  bool new = false;
  for (size_t i = 0; i < PAIRS; i++) {
    const uint8_t bit = bit_of(counts[i]);
    new |= (bit & ~reached[i]) != 0;
    reached[i] |= bit;
  }
  return new;
}

// ---- inputs ----

static struct {
  uint8_t *bytes;
  size_t size;
} inputs[INPUTS_MOST];
static size_t input_count;
static sfnec_random dice;

static uint32_t draw(size_t end) {
  return sfnec_random_below(&dice, (uint32_t)(end ? end : 1));
}

static void keep(const uint8_t *bytes, size_t size) {
  if (input_count == INPUTS_MOST) return;
  inputs[input_count].bytes = malloc(size + 1);
  HOLDS(inputs[input_count].bytes);
  memcpy(inputs[input_count].bytes, bytes, size);
  inputs[input_count++].size = size;
}

// One change: a bit, a byte, a number of 4 or 8 bytes from the ends of ranges, a part removed, doubled or taken from
// another input.
static size_t change(uint8_t *bytes, size_t size, size_t most) {
  static const uint64_t odd[] = {0,
                                 1,
                                 0x7f,
                                 0xff,
                                 0x7fff,
                                 0xffff,
                                 0x7fffffff,
                                 0xffffffff,
                                 0x3f800000,
                                 0x7f7fffff,
                                 0x7f800000,
                                 0x7fffffffffffffff,
                                 0xffffffffffffffff,
                                 0x3ff0000000000000,
                                 0x7fefffffffffffff};
  const size_t at = draw(size);
  size_t part = 1 + draw(size - at < 64 ? size - at : 64);
  const uint64_t number = odd[draw(sizeof odd / sizeof odd[0])];
  const size_t width = draw(2) ? 8 : 4;
  switch (draw(7)) {
  case 0:
    if (size) bytes[at] ^= (uint8_t)(1 << draw(8));
    return size;
  case 1:
    if (size) bytes[at] = (uint8_t)draw(256);
    return size;
  case 2:
    if (at + width <= size) memcpy(bytes + at, &number, width);
    return size;
  case 3:
    if (at + part > size) return size;
    memmove(bytes + at, bytes + at + part, size - at - part);
    return size - part;
  case 4:
    if (size + part > most || at + part > size) return size;
    memmove(bytes + at + part, bytes + at, size - at);
    return size + part;
  case 5:
    if (size < most) bytes[size++] = (uint8_t)draw(256);
    return size;
  default: {
    const size_t other = draw(input_count), from = draw(inputs[other].size);
    if (part > inputs[other].size - from) part = inputs[other].size - from;
    if (at + part > most) return size;
    memcpy(bytes + at, inputs[other].bytes + from, part);
    return at + part > size ? at + part : size;
  }
  }
}

// ---- the command line ----

static const char *prefix = "";
static char running[NAME];
static uint64_t executions;

static bool run(const uint8_t *bytes, size_t size, unsigned timeout) {
  fuzz_write_file(running, bytes, size);
  // a block of just that size, so that the sanitizer sees a byte read too far
  uint8_t *block = malloc(size ? size : 1);
  HOLDS(block);
  memcpy(block, bytes, size);
  memset(counts, 0, sizeof counts);
  alarm(timeout); // its signal ends the program
  LLVMFuzzerTestOneInput(block, size);
  alarm(0);
  free(block);
  executions++;
  return note_reached();
}

static void read_folder(const char *folder, unsigned timeout) {
  DIR *all = opendir(folder);
  HOLDS(all);
  static uint8_t bytes[LENGTH_MOST];
  for (const struct dirent *entry; (entry = readdir(all));) {
    char path[NAME];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    struct stat facts;
    if (entry->d_name[0] == '.' || stat(path, &facts) || !S_ISREG(facts.st_mode)) continue;
    FILE *file = fopen(path, "rb");
    HOLDS(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    run(bytes, size, timeout);
    keep(bytes, size);
  }
  closedir(all);
}

int main(int argc, char **argv) {
  double seconds = 60.0;
  size_t most = 4096;
  unsigned timeout = 20;
  const char *found = NULL;
  int folders = 0;
  for (int i = 1; i < argc; i++) {
    if (sscanf(argv[i], "-max_total_time=%lf", &seconds) == 1 || sscanf(argv[i], "-max_len=%zu", &most) == 1 ||
        sscanf(argv[i], "-timeout=%u", &timeout) == 1)
      continue;
    if (strncmp(argv[i], "-artifact_prefix=", 17) == 0) prefix = argv[i] + 17;
    if (argv[i][0] == '-') continue;
    if (!found) found = argv[i];
    argv[1 + folders++] = argv[i];
  }
  if (most > LENGTH_MOST) most = LENGTH_MOST;
  snprintf(running, sizeof running, "%srunning", prefix);
  dice = sfnec_random_start((uint64_t)getpid() ^ (uint64_t)time(NULL), 1);
  for (int i = 0; i < folders; i++) read_folder(argv[1 + i], timeout);
  HOLDS(input_count > 0);
  static uint8_t bytes[LENGTH_MOST];
  const double end = sfnec_seconds() + seconds;
  while (sfnec_seconds() < end) {
    const size_t from = draw(input_count);
    size_t size = inputs[from].size < most ? inputs[from].size : most;
    memcpy(bytes, inputs[from].bytes, size);
    for (uint32_t i = 1 + draw(CHANGES_MOST); i > 0; i--) size = change(bytes, size, most);
    if (!run(bytes, size, timeout)) continue;
    keep(bytes, size);
    char path[NAME];
    snprintf(path, sizeof path, "%s/%016llx-%zu", found, (unsigned long long)executions, size);
    fuzz_write_file(path, bytes, size);
  }
  unlink(running);
  size_t pairs = 0;
  for (size_t i = 0; i < PAIRS; i++) pairs += reached[i] != 0;
  printf("%zu pairs of blocks, %zu inputs\nstat::number_of_executed_units: %llu\n", pairs, input_count,
         (unsigned long long)executions);
  return 0;
}
