// pack.c: values as little-endian bytes in memory; see pack.h.
#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

static void put(sfnec_pack *pack, const void *bytes, size_t size) {
  if (pack->failed || size == 0) return;
  if (pack->room - pack->size < size) {
    size_t room = pack->room ? pack->room : 256;
    while (room - pack->size < size) room *= 2;
    unsigned char *grown = realloc(pack->bytes, room);
    if (!grown) {
      pack->failed = true;
      return;
    }
    pack->bytes = grown;
    pack->room = room;
  }
  memcpy(pack->bytes + pack->size, bytes, size);
  pack->size += size;
}

static void put_number(sfnec_pack *pack, uint64_t value, size_t size) {
  unsigned char bytes[8];
  for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(value >> (8 * i));
  put(pack, bytes, size);
}

void sfnec_pack_u32(sfnec_pack *pack, uint32_t value) {
  put_number(pack, value, 4);
}

void sfnec_pack_i64(sfnec_pack *pack, int64_t value) {
  put_number(pack, (uint64_t)value, 8);
}

void sfnec_pack_f64(sfnec_pack *pack, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_number(pack, bits, 8);
}

void sfnec_pack_text(sfnec_pack *pack, const char *text) {
  const size_t length = strlen(text);
  sfnec_pack_u32(pack, (uint32_t)length);
  put(pack, text, length);
}

static uint64_t take_number(sfnec_unpack *pack, size_t size) {
  if (pack->failed || pack->left < size) {
    pack->failed = true;
    return 0;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value |= (uint64_t)pack->bytes[i] << (8 * i);
  pack->bytes += size;
  pack->left -= size;
  return value;
}

uint32_t sfnec_unpack_u32(sfnec_unpack *pack) {
  return (uint32_t)take_number(pack, 4);
}

int64_t sfnec_unpack_i64(sfnec_unpack *pack) {
  return (int64_t)take_number(pack, 8);
}

double sfnec_unpack_f64(sfnec_unpack *pack) {
  const uint64_t bits = take_number(pack, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

char *sfnec_unpack_text(sfnec_unpack *pack) {
  const uint32_t length = sfnec_unpack_u32(pack);
  if (pack->left < length) pack->failed = true;
  char *text = pack->failed ? NULL : malloc((size_t)length + 1);
  if (!text) {
    pack->failed = true;
    return NULL;
  }
  memcpy(text, pack->bytes, length);
  text[length] = '\0';
  pack->bytes += length;
  pack->left -= length;
  return text;
}
