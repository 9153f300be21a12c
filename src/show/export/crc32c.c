// crc32c.c: the checksum of TensorBoard's files: CRC-32C (Castagnoli), bit by bit.
//
// Without a table: an event has some 50 bytes, and a million events take half a second.
#include "show/export/crc32c.h"

uint32_t sfnec_crc32c(const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < size; i++) {
    crc ^= at[i];
    // the polynomial 0x1edc6f41 with its bits in reverse
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0x82f63b78 & -(crc & 1));
  }
  return ~crc;
}
