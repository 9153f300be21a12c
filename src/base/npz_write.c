// npz_write.c: writing NumPy's archives, members stored as they are; see npz.h.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/npz.h"
#include "base/output.h"

// NumPy aligns the numbers of a member within it to so many bytes
enum { HEAD_ALIGNMENT = 64, HEAD_MOST = 512, ZIP_VERSION = 20 };

// A member as its entries in the archive describe it.
typedef struct member {
  char name[SFNEC_NPZ_NAME + 8]; // with .npy
  char head[HEAD_MOST];
  size_t head_size, data_size;
  uint32_t crc, offset;
} member;

static void put(FILE *file, uint32_t number, int size) {
  for (int i = 0; i < size; i++) fputc((int)(number >> (8 * i) & 0xff), file);
}

// The head of an .npy of version 1.0: magic, the length of the text, the text padded with blanks to a line.
static void write_head(member *member, const sfnec_npz_array *array) {
  char shape[SFNEC_NPZ_DIMS * 24] = "", text[HEAD_MOST - HEAD_ALIGNMENT];
  for (int i = 0, at = 0; i < array->dims; i++)
    at += snprintf(shape + at, sizeof shape - (size_t)at, "%" PRIu64 ",%s", array->shape[i],
                   i + 1 < array->dims ? " " : "");
  const int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                              sfnec_npz_type_name(array->type), shape);
  enum { BEFORE = 10 };
  const size_t whole = (BEFORE + (size_t)length + 1 + HEAD_ALIGNMENT - 1) / HEAD_ALIGNMENT * HEAD_ALIGNMENT;
  memset(member->head, ' ', sizeof member->head);
  memcpy(member->head, "\x93NUMPY\1\0", 8);
  member->head[8] = (char)((whole - BEFORE) & 0xff);
  member->head[9] = (char)((whole - BEFORE) >> 8);
  memcpy(member->head + BEFORE, text, (size_t)length);
  member->head[whole - 1] = '\n';
  member->head_size = whole;
}

// What the head of a member and its entry in the directory have in common; no time of day, so that equal logs are equal
// files.
static void write_common(FILE *file, const member *member) {
  enum { FIRST_DAY = 1 << 5 | 1 }; // 1 January 1980
  const uint32_t size = (uint32_t)(member->head_size + member->data_size);
  put(file, ZIP_VERSION, 2);
  put(file, 0, 2); // flags
  put(file, 0, 2); // stored
  put(file, 0, 2);
  put(file, FIRST_DAY, 2);
  put(file, member->crc, 4);
  put(file, size, 4);
  put(file, size, 4);
  put(file, (uint32_t)strlen(member->name), 2);
  put(file, 0, 2);
}

static void write_member(FILE *file, const member *member, const void *data) {
  fputs("PK\3\4", file);
  write_common(file, member);
  fputs(member->name, file);
  fwrite(member->head, 1, member->head_size, file);
  if (member->data_size) fwrite(data, 1, member->data_size, file);
}

static void write_entry(FILE *file, const member *member) {
  fputs("PK\1\2", file);
  put(file, ZIP_VERSION, 2);
  write_common(file, member);
  put(file, 0, 2); // comment
  put(file, 0, 2); // disk
  put(file, 0, 2);
  put(file, 0, 4);
  put(file, member->offset, 4);
  fputs(member->name, file);
}

static void write_end(FILE *file, size_t count, uint32_t first, uint32_t size) {
  fputs("PK\5\6", file);
  put(file, 0, 4);
  put(file, (uint32_t)count, 2);
  put(file, (uint32_t)count, 2);
  put(file, size, 4);
  put(file, first, 4);
  put(file, 0, 2);
}

sfnec_status sfnec_npz_write(const char *path, const sfnec_npz_array *arrays, size_t count) {
  enum { LOCAL_SIZE = 30, ENTRY_SIZE = 46 };
  member members[SFNEC_NPZ_ARRAYS];
  uint64_t at = 0, directory = 0;
  for (size_t i = 0; i < count; i++) {
    member *member = &members[i];
    snprintf(member->name, sizeof member->name, "%s.npy", arrays[i].name);
    write_head(member, &arrays[i]);
    member->data_size = arrays[i].count * sfnec_npz_type_size(arrays[i].type);
    member->crc = sfnec_crc32(sfnec_crc32(0, member->head, member->head_size), arrays[i].data, member->data_size);
    member->offset = (uint32_t)at;
    at += LOCAL_SIZE + strlen(member->name) + member->head_size + member->data_size;
    directory += ENTRY_SIZE + strlen(member->name);
  }
  if (at + directory >= UINT32_MAX)
    return sfnec_fail(SFNEC_ERROR_ARGUMENT, "%s would be larger than 4 GB; write several logs of fewer steps", path);
  sfnec_output output;
  const sfnec_status status = sfnec_output_open(&output, path);
  if (status) return status;
  for (size_t i = 0; i < count; i++) write_member(output.file, &members[i], arrays[i].data);
  for (size_t i = 0; i < count; i++) write_entry(output.file, &members[i]);
  write_end(output.file, count, (uint32_t)at, (uint32_t)directory);
  return sfnec_output_close(&output, true);
}
