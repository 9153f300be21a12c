// npy.c: the .npy format, version 1.0: a magic, the length of a header, a Python dictionary as text, the numbers.
#include "npy.h"

#include <string.h>

#include "bench.h"

enum { HEADER = 128 }; // magic, version and length included: a multiple of 64, as the format wants

FILE *npy_open(const char *dir, const char *name, const char *type, const size_t *shape) {
  char path[4096], text[HEADER] = "\x93NUMPY\x01\x00";
  if (snprintf(path, sizeof path, "%s/%s.npy", dir, name) >= (int)sizeof path)
    bench_die("the name after --dump is too long");
  const size_t start = 10, length = HEADER - start;
  text[8] = (char)(length & 255);
  text[9] = (char)(length >> 8);
  size_t at = start + (size_t)snprintf(text + start, HEADER - start,
                                       "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
  for (; *shape; shape++) at += (size_t)snprintf(text + at, HEADER - at, "%zu, ", *shape);
  at += (size_t)snprintf(text + at, HEADER - at, ")}");
  memset(text + at, ' ', HEADER - at);
  text[HEADER - 1] = '\n';

  FILE *file = fopen(path, "wb");
  if (file) npy_write(file, text, 1, HEADER);
  else bench_die("a file in the folder named by --dump cannot be written: does the folder exist?");
  return file;
}

void npy_write(FILE *file, const void *numbers, size_t size, size_t count) {
  if (fwrite(numbers, size, count, file) != count) bench_die("a file of --dump could not be written");
}

void npy_close(FILE *file) {
  if (fclose(file) != 0) bench_die("a file of --dump could not be written");
}
