// crc32c.h: the checksum of TensorBoard's files.
#ifndef SFNEC_SHOW_EXPORT_CRC32C_H
#define SFNEC_SHOW_EXPORT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

// CRC-32C (Castagnoli) of some bytes: 0xe3069283 for "123456789".
uint32_t sfnec_crc32c(const void *bytes, size_t size);

#endif
