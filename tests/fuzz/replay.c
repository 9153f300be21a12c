// replay.c: calls a fuzz target with every file of the folders that are named: the corpus as an ordinary test, by any
// compiler and without libFuzzer.
#include <dirent.h>

#include "fuzz.h"

static void replay(const char *path) {
  FILE *file = fopen(path, "rb");
  HOLDS(file && fseek(file, 0, SEEK_END) == 0);
  const long size = ftell(file);
  HOLDS(size >= 0);
  rewind(file);
  // a block of just that size, so that the sanitizer sees a byte read too far
  uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
  HOLDS(bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size);
  fclose(file);
  LLVMFuzzerTestOneInput(bytes, (size_t)size);
  free(bytes);
}

static int no_dot(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    struct dirent **entries;
    const int count = scandir(argv[i], &entries, no_dot, alphasort);
    if (count <= 0) {
      fprintf(stderr, "no inputs in %s\n", argv[i]);
      return 1;
    }
    for (int j = 0; j < count; j++) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%s", argv[i], entries[j]->d_name);
      printf("%s\n", path); // the last one is to blame
      fflush(stdout);
      replay(path);
      free(entries[j]);
    }
    free(entries);
  }
  return 0;
}
