// npz.c: reading NumPy's archives; see npz.h. Every number of a file is compared with the bytes that are there before
// it is used, and nothing is allocated but the file's own bytes and a table of fixed size.
//
// Zip: PKWARE's APPNOTE 6.3, sections 4.3 and 4.4; .npy: NEP 1 of NumPy.
#include "base/npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

struct sfnec_npz {
  const unsigned char *bytes;
  size_t size;
  unsigned char *owned; // NULL: borrowed
  char *path;
  size_t count;
  sfnec_npz_array arrays[SFNEC_NPZ_ARRAYS];
};

static const struct {
  const char *name;
  size_t size;
} types[SFNEC_NPZ_TYPES] = {
    [SFNEC_NPZ_OTHER] = {"", 0}, [SFNEC_NPZ_B1] = {"|b1", 1}, [SFNEC_NPZ_I1] = {"|i1", 1}, [SFNEC_NPZ_U1] = {"|u1", 1},
    [SFNEC_NPZ_I2] = {"<i2", 2}, [SFNEC_NPZ_U2] = {"<u2", 2}, [SFNEC_NPZ_I4] = {"<i4", 4}, [SFNEC_NPZ_U4] = {"<u4", 4},
    [SFNEC_NPZ_I8] = {"<i8", 8}, [SFNEC_NPZ_U8] = {"<u8", 8}, [SFNEC_NPZ_F4] = {"<f4", 4}, [SFNEC_NPZ_F8] = {"<f8", 8}};

size_t sfnec_npz_type_size(sfnec_npz_type type) {
  return types[type].size;
}

const char *sfnec_npz_type_name(sfnec_npz_type type) {
  return types[type].name;
}

uint32_t sfnec_crc32(uint32_t before, const void *bytes, size_t size) {
  // the table costs as much as a few thousand bytes: an array has more
  uint32_t table[256], crc = ~before;
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++) table[i] = table[i] >> 1 ^ (0xedb88320u & -(table[i] & 1));
  }
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++) crc = crc >> 8 ^ table[(crc ^ at[i]) & 0xff];
  return ~crc;
}

static uint32_t number_at(const unsigned char *at, int size) {
  uint32_t number = 0;
  for (int i = 0; i < size; i++) number |= (uint32_t)at[i] << (8 * i);
  return number;
}

static sfnec_status refuse(const sfnec_npz *npz, const char *why) {
  return sfnec_fail(SFNEC_ERROR_FORMAT, "%s cannot be read as an archive of NumPy: %s", npz->path, why);
}

// ---- an array: the head of an .npy ----

enum { NPY_HEAD_MOST = 4096 };

// The value of a key of the dictionary that the head is; NULL: it has no such key.
static const char *value_of(const char *head, const char *key) {
  const char *at = strstr(head, key);
  if (!at) return NULL;
  at += strlen(key);
  at += strspn(at, " ");
  if (*at != ':') return NULL;
  return at + 1 + strspn(at + 1, " ");
}

static void read_type(sfnec_npz_array *array, const char *value) {
  array->type = SFNEC_NPZ_OTHER;
  for (int i = SFNEC_NPZ_OTHER + 1; value && i < SFNEC_NPZ_TYPES; i++) {
    if (*value == '\'' && strncmp(value + 1, types[i].name, 3) == 0 && value[4] == '\'')
      array->type = (sfnec_npz_type)i;
  }
  if (array->type) return;
  array->refused = value && strncmp(value, "'|O", 3) == 0 ? "it has Python objects, which could be a program"
                                                          : "its numbers are of a type that is not read; "
                                                            "convert it to float32, float64 or an integer type";
}

// "(3, 4)" into the shape; false for what is none, or counts more numbers than bytes could hold.
static bool read_shape(sfnec_npz_array *array, const char *at) {
  if (!at || *at++ != '(') return false;
  array->count = 1;
  for (array->dims = 0;;) {
    at += strspn(at, " ,");
    if (*at == ')') return true;
    if (*at < '0' || *at > '9' || array->dims == SFNEC_NPZ_DIMS) return false;
    uint64_t size = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
      size = 10 * size + (uint64_t)(*at - '0');
      if (size > UINT32_MAX) return false;
    }
    array->shape[array->dims++] = size;
    array->count *= size;
    if (array->count > UINT32_MAX) return false;
  }
}

// Reads the head of a member, whose bytes these are.
static const char *read_array(sfnec_npz_array *array, const unsigned char *bytes, size_t size) {
  static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  enum { VERSION_AT = sizeof magic, LENGTH_AT = VERSION_AT + 2 };
  if (size < LENGTH_AT + 4 || memcmp(bytes, magic, sizeof magic) != 0) return "a member is no array (.npy)";
  const int length_size = bytes[VERSION_AT] == 1 ? 2 : 4;
  const size_t length = number_at(bytes + LENGTH_AT, length_size), from = LENGTH_AT + (size_t)length_size;
  if (length > NPY_HEAD_MOST || length > size - from) return "the head of an array is longer than its bytes";
  char head[NPY_HEAD_MOST + 1];
  memcpy(head, bytes + from, length);
  head[length] = '\0';
  const char *order = value_of(head, "'fortran_order'");
  read_type(array, value_of(head, "'descr'"));
  if (!order || !read_shape(array, value_of(head, "'shape'"))) return "the head of an array has no shape that fits";
  if (strncmp(order, "False", 5) != 0 && array->dims > 1)
    array->refused = "it is in Fortran's order; write numpy.ascontiguousarray of it";
  array->data = bytes + from + length;
  const uint64_t there = size - from - length;
  if (array->type && array->count * types[array->type].size != there)
    return "an array has another number of bytes than its shape says";
  return NULL;
}

// ---- the archive ----

enum {
  END_SIZE = 22,   // of the record at the end, without its comment
  ENTRY_SIZE = 46, // of an entry of the directory, without its texts
  LOCAL_SIZE = 30, // of the head before a member
  COMMENT_MOST = 65535,
};

static const unsigned char *find_end(const sfnec_npz *npz) {
  for (size_t back = END_SIZE; back <= npz->size && back <= END_SIZE + COMMENT_MOST; back++) {
    const unsigned char *at = npz->bytes + npz->size - back;
    if (memcmp(at, "PK\5\6", 4) == 0) return at;
  }
  return NULL;
}

// Reads the member that an entry of the directory speaks of.
static const char *read_member(sfnec_npz *npz, const unsigned char *entry, size_t name_size) {
  const uint32_t flags = number_at(entry + 8, 2), method = number_at(entry + 10, 2), crc = number_at(entry + 16, 4);
  const uint32_t packed = number_at(entry + 20, 4), size = number_at(entry + 24, 4), local = number_at(entry + 42, 4);
  if (npz->count == SFNEC_NPZ_ARRAYS) return "it has more than 64 arrays";
  sfnec_npz_array *array = &npz->arrays[npz->count];
  *array = (sfnec_npz_array){0};
  if (name_size < 5 || name_size - 4 >= sizeof array->name ||
      memcmp(entry + ENTRY_SIZE + name_size - 4, ".npy", 4) != 0)
    return "the name of a member is none of an array (NAME.npy)";
  memcpy(array->name, entry + ENTRY_SIZE, name_size - 4);
  sfnec_text_clean(array->name);
  if (packed == UINT32_MAX || size == UINT32_MAX || local == UINT32_MAX) return "it has arrays of more than 4 GB";
  if (local > npz->size || npz->size - local < LOCAL_SIZE || memcmp(npz->bytes + local, "PK\3\4", 4) != 0)
    return "its directory points to a place without a member";
  const size_t texts = number_at(npz->bytes + local + 26, 2) + number_at(npz->bytes + local + 28, 2);
  const size_t from = local + LOCAL_SIZE + texts;
  if (from > npz->size || packed > npz->size - from) return "it ends before a member does";
  npz->count++;
  if (flags & 1) {
    array->refused = "it is encrypted";
  } else if (method != 0) {
    array->refused = "it is compressed; write the log by numpy.savez, which does not, or learn from it in Python "
                     "(Agent.learn_from)";
  } else {
    if (packed != size) return "a member has two sizes";
    if (sfnec_crc32(0, npz->bytes + from, size) != crc) return "the checksum of a member does not match its content";
    return read_array(array, npz->bytes + from, size);
  }
  return NULL;
}

static const char *read_directory(sfnec_npz *npz) {
  const unsigned char *end = find_end(npz);
  if (!end) return "it is no zip file, or cut off";
  const uint32_t entries = number_at(end + 10, 2), first = number_at(end + 16, 4);
  const size_t stop = (size_t)(end - npz->bytes);
  if (first == UINT32_MAX) return "it is of more than 4 GB";
  size_t at = first;
  for (uint32_t i = 0; i < entries; i++) {
    if (at > stop || stop - at < ENTRY_SIZE || memcmp(npz->bytes + at, "PK\1\2", 4) != 0)
      return "its directory is not whole";
    const size_t name = number_at(npz->bytes + at + 28, 2);
    const size_t whole = ENTRY_SIZE + name + number_at(npz->bytes + at + 30, 2) + number_at(npz->bytes + at + 32, 2);
    if (whole > stop - at) return "its directory is not whole";
    const char *why = read_member(npz, npz->bytes + at, name);
    if (why) return why;
    at += whole;
  }
  return NULL;
}

sfnec_status sfnec_npz_open_memory(const void *bytes, size_t size, const char *path, sfnec_npz **out) {
  sfnec_npz *npz = calloc(1, sizeof *npz);
  if (!npz || !(npz->path = strdup(path))) {
    sfnec_npz_close(npz);
    return sfnec_fail_memory("an archive of NumPy");
  }
  npz->bytes = bytes;
  npz->size = size;
  const char *why = read_directory(npz);
  if (!why) {
    *out = npz;
    return SFNEC_OK;
  }
  const sfnec_status status = refuse(npz, why);
  sfnec_npz_close(npz);
  return status;
}

sfnec_status sfnec_npz_open(const char *path, sfnec_npz **out) {
  unsigned char *bytes = NULL;
  size_t size = 0;
  sfnec_status status = sfnec_file_read(path, &bytes, &size);
  if (!status) status = sfnec_npz_open_memory(bytes, size, path, out);
  if (status) free(bytes);
  else (*out)->owned = bytes;
  return status;
}

void sfnec_npz_close(sfnec_npz *npz) {
  if (!npz) return;
  free(npz->owned);
  free(npz->path);
  free(npz);
}

// ---- asking ----

const char *sfnec_npz_path(const sfnec_npz *npz) {
  return npz->path;
}

size_t sfnec_npz_count(const sfnec_npz *npz) {
  return npz->count;
}

const sfnec_npz_array *sfnec_npz_at(const sfnec_npz *npz, size_t i) {
  return &npz->arrays[i];
}

const sfnec_npz_array *sfnec_npz_find(const sfnec_npz *npz, const char *name) {
  for (size_t i = 0; i < npz->count; i++)
    if (strcmp(npz->arrays[i].name, name) == 0) return &npz->arrays[i];
  return NULL;
}

double sfnec_npz_number(const sfnec_npz_array *array, uint64_t i) {
  const unsigned char *at = array->data + i * types[array->type].size;
  union {
    int8_t i1;
    int16_t i2;
    uint16_t u2;
    int32_t i4;
    uint32_t u4;
    int64_t i8;
    uint64_t u8;
    float f4;
    double f8;
  } number = {0};
  // members of an archive need not be aligned
  memcpy(&number, at, types[array->type].size);
  switch (array->type) {
  case SFNEC_NPZ_B1:
    return *at != 0;
  case SFNEC_NPZ_I1:
    return number.i1;
  case SFNEC_NPZ_U1:
    return *at;
  case SFNEC_NPZ_I2:
    return number.i2;
  case SFNEC_NPZ_U2:
    return number.u2;
  case SFNEC_NPZ_I4:
    return number.i4;
  case SFNEC_NPZ_U4:
    return number.u4;
  case SFNEC_NPZ_I8:
    return (double)number.i8;
  case SFNEC_NPZ_U8:
    return (double)number.u8;
  case SFNEC_NPZ_F4:
    return (double)number.f4;
  case SFNEC_NPZ_F8:
    return number.f8;
  default:
    return 0.0;
  }
}
