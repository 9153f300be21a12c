// pack.h: values as little-endian bytes in memory: the content of result files and of messages between ranks.
#ifndef SFNEC_BASE_PACK_H
#define SFNEC_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes that grow. A failed allocation is remembered in `failed`; later values are dropped.
typedef struct sfnec_pack {
  unsigned char *bytes; // the caller frees them
  size_t size, room;
  bool failed;
} sfnec_pack;

void sfnec_pack_u32(sfnec_pack *pack, uint32_t value);
void sfnec_pack_i64(sfnec_pack *pack, int64_t value);
void sfnec_pack_f64(sfnec_pack *pack, double value);
void sfnec_pack_text(sfnec_pack *pack, const char *text); // u32 length, then the bytes

// Bytes being read. Reading past the end gives zeros and is remembered in `failed`.
typedef struct sfnec_unpack {
  const unsigned char *bytes;
  size_t left;
  bool failed;
} sfnec_unpack;

uint32_t sfnec_unpack_u32(sfnec_unpack *pack);
int64_t sfnec_unpack_i64(sfnec_unpack *pack);
double sfnec_unpack_f64(sfnec_unpack *pack);
// A new string that the caller frees; NULL (and `failed`) if there is none or no memory.
char *sfnec_unpack_text(sfnec_unpack *pack);

#endif
