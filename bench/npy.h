// npy.h: arrays as files that numpy.load reads.
#ifndef SFNEC_BENCH_NPY_H
#define SFNEC_BENCH_NPY_H

#include <stddef.h>
#include <stdio.h>

// Opens DIR/NAME.npy for a C-ordered array of this type ("<f4", "<i8") and shape (0 after the last size); ends the
// program if it cannot be written. The caller writes the numbers and closes the file.
FILE *npy_open(const char *dir, const char *name, const char *type, const size_t *shape);

// Writes numbers to the file; ends the program if that fails.
void npy_write(FILE *file, const void *numbers, size_t size, size_t count);
void npy_close(FILE *file);

#endif
