// npz.h: arrays in NumPy's archives (.npz), for logs that NumPy and this program exchange.
//
// An archive is a zip file with a member NAME.npy for each array: a short text that says type and shape, and the
// numbers in rows. numpy.savez stores members as they are, and those are read; numpy.savez_compressed deflates them,
// and those are refused by name. Nothing of a file is executed: an array of Python objects is refused.
#ifndef SFNEC_BASE_NPZ_H
#define SFNEC_BASE_NPZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sfnec/status.h"

enum { SFNEC_NPZ_ARRAYS = 64, SFNEC_NPZ_NAME = 64, SFNEC_NPZ_DIMS = 8 };

// The types of numbers that are read, by NumPy's names without the order of bytes.
typedef enum sfnec_npz_type {
  SFNEC_NPZ_OTHER, // a type that is not read
  SFNEC_NPZ_B1,    // bool
  SFNEC_NPZ_I1,
  SFNEC_NPZ_U1,
  SFNEC_NPZ_I2,
  SFNEC_NPZ_U2,
  SFNEC_NPZ_I4,
  SFNEC_NPZ_U4,
  SFNEC_NPZ_I8,
  SFNEC_NPZ_U8,
  SFNEC_NPZ_F4,
  SFNEC_NPZ_F8,
  SFNEC_NPZ_TYPES
} sfnec_npz_type;

// One array; its first dimension counts rows.
typedef struct sfnec_npz_array {
  char name[SFNEC_NPZ_NAME]; // without .npy
  sfnec_npz_type type;
  const char *refused; // why its numbers cannot be read; NULL: they can
  int dims;
  uint64_t shape[SFNEC_NPZ_DIMS];
  uint64_t count;            // numbers: the product of the shape
  const unsigned char *data; // borrowed; not aligned
} sfnec_npz_array;

// ---- reading ----

typedef struct sfnec_npz sfnec_npz;

// Reads a whole archive and checks it: its directory, the checksums of its members, their shapes against their bytes.
// Fails with SFNEC_ERROR_IO, _MEMORY, or _FORMAT for what is no archive.
sfnec_status sfnec_npz_open(const char *path, sfnec_npz **out);
// The same of bytes in memory, which are borrowed; sentences speak of them as `path`.
sfnec_status sfnec_npz_open_memory(const void *bytes, size_t size, const char *path, sfnec_npz **out);
void sfnec_npz_close(sfnec_npz *npz); // NULL is fine

const char *sfnec_npz_path(const sfnec_npz *npz);
size_t sfnec_npz_count(const sfnec_npz *npz);
const sfnec_npz_array *sfnec_npz_at(const sfnec_npz *npz, size_t i);
// The array of that name; NULL if there is none.
const sfnec_npz_array *sfnec_npz_find(const sfnec_npz *npz, const char *name);
// Number i of an array whose type is read; whole numbers beyond 2^53 are rounded.
double sfnec_npz_number(const sfnec_npz_array *array, uint64_t i);

// ---- writing ----

// Writes an archive with these arrays, by their name, type, dims, shape and data, under its name when it is whole.
// Fails with SFNEC_ERROR_IO, and with _ARGUMENT for more than 4 GB.
sfnec_status sfnec_npz_write(const char *path, const sfnec_npz_array *arrays, size_t count);

// ---- both ----

// Bytes of a number of this type, and NumPy's name of it ("<f4"); 0 and "" for SFNEC_NPZ_OTHER.
size_t sfnec_npz_type_size(sfnec_npz_type type);
const char *sfnec_npz_type_name(sfnec_npz_type type);
// The checksum of zip (CRC-32, ISO 3309): of bytes that follow others whose checksum is `before`, 0 at first.
uint32_t sfnec_crc32(uint32_t before, const void *bytes, size_t size);

#endif
