// array.h: arrays that grow without a pause.
//
// Copying a large array takes milliseconds, most of it for pages that are touched for the first time. Where the system
// can (Linux), large arrays are pages of their own, and growing moves the pages' addresses, not their bytes.
#ifndef SFNEC_INDEX_ARRAY_H
#define SFNEC_INDEX_ARRAY_H

#include <stddef.h>

// Makes an array of `old` bytes (NULL and 0 for none) one of `wanted` bytes, aligned to 64; what both have room for is
// kept, and new bytes are zero: kernels look at whole blocks, also at positions that nothing was put into yet, and
// leave them out afterwards. NULL if out of memory or if `wanted` is 0, and then nothing has changed.
void *sfnec_array_resize(void *array, size_t old, size_t wanted);
// NULL is fine.
void sfnec_array_free(void *array, size_t bytes);

#endif
