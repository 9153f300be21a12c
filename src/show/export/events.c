// events.c: scalars in an event file that TensorBoard shows.
//
// TFRecord: u64 length, u32 masked CRC of the length, the bytes, u32 masked CRC of the bytes; little-endian. Protobuf:
// each field is a key (number * 8 + wire type) and a value; wire types here: 0 varint, 1 eight bytes, 2 length and
// bytes, 5 four bytes.
#include "show/export/events.h"

#include <string.h>

// fields of Event, Summary and Summary.Value in event.proto and summary.proto
enum { EVENT_WALL_TIME = 1, EVENT_STEP = 2, EVENT_FILE_VERSION = 3, EVENT_SUMMARY = 5 };
enum { SUMMARY_VALUE = 1, VALUE_TAG = 1, VALUE_SIMPLE = 2 };
enum { VARINT = 0, EIGHT = 1, BYTES = 2, FOUR = 5 };

// ---- a message under construction ----

enum { LONGEST = 512 };

typedef struct message {
  unsigned char bytes[LONGEST];
  size_t size;
} message;

static void put_bytes(message *m, const void *bytes, size_t size) {
  // tags are ours and short; the room is never used up
  if (size > LONGEST - m->size) size = LONGEST - m->size;
  memcpy(m->bytes + m->size, bytes, size);
  m->size += size;
}

static void put_little(message *m, uint64_t value, int size) {
  for (int i = 0; i < size; i++) put_bytes(m, &(unsigned char){(unsigned char)(value >> 8 * i)}, 1);
}

static void put_varint(message *m, uint64_t value) {
  for (; value >= 0x80; value >>= 7) put_little(m, (value & 0x7f) | 0x80, 1);
  put_little(m, value, 1);
}

static void put_key(message *m, int field, int wire) {
  put_varint(m, (uint64_t)field << 3 | (uint64_t)wire);
}

static void put_block(message *m, int field, const void *bytes, size_t size) {
  put_key(m, field, BYTES);
  put_varint(m, size);
  put_bytes(m, bytes, size);
}

static void put_double(message *m, int field, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_key(m, field, EIGHT);
  put_little(m, bits, 8);
}

static void put_float(message *m, int field, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_key(m, field, FOUR);
  put_little(m, bits, 4);
}

// ---- records ----

// bit by bit, without a table: an event has some 50 bytes, and a million events take half a second
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

// a checksum of data that holds checksums is poor, so stored ones are turned and shifted
static uint32_t masked(const void *bytes, size_t size) {
  const uint32_t crc = sfnec_crc32c(bytes, size);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void write_record(FILE *file, const message *m) {
  message head = {.size = 0}, tail = {.size = 0};
  put_little(&head, m->size, 8);
  put_little(&head, masked(head.bytes, 8), 4);
  put_little(&tail, masked(m->bytes, m->size), 4);
  fwrite(head.bytes, 1, head.size, file);
  fwrite(m->bytes, 1, m->size, file);
  fwrite(tail.bytes, 1, tail.size, file);
}

void sfnec_events_begin(FILE *file) {
  static const char version[] = "brain.Event:2";
  message event = {.size = 0};
  put_double(&event, EVENT_WALL_TIME, 0);
  put_block(&event, EVENT_FILE_VERSION, version, strlen(version));
  write_record(file, &event);
}

void sfnec_events_scalar(FILE *file, const char *tag, int64_t step, double seconds, double value) {
  message point = {.size = 0}, summary = {.size = 0}, event = {.size = 0};
  put_block(&point, VALUE_TAG, tag, strlen(tag));
  put_float(&point, VALUE_SIMPLE, (float)value);
  put_block(&summary, SUMMARY_VALUE, point.bytes, point.size);
  put_double(&event, EVENT_WALL_TIME, seconds);
  put_key(&event, EVENT_STEP, VARINT);
  put_varint(&event, (uint64_t)step);
  put_block(&event, EVENT_SUMMARY, summary.bytes, summary.size);
  write_record(file, &event);
}
