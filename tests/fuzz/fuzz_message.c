// fuzz_message.c: what a worker sends. A message that is accepted packs to bytes that are accepted, and to the same.
#include "fuzz.h"
#include "study/work/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sfnec_message *message, *again;
  if (sfnec_message_unpack(data, size, &message)) {
    HOLDS(!message);
    return 0;
  }
  unsigned char *bytes, *again_bytes;
  size_t packed, again_packed;
  HOLDS(!sfnec_message_pack(message, &bytes, &packed));
  HOLDS(!sfnec_message_unpack(bytes, packed, &again));
  HOLDS(!sfnec_message_pack(again, &again_bytes, &again_packed));
  HOLDS(packed == again_packed && memcmp(bytes, again_bytes, packed) == 0);
  free(bytes);
  free(again_bytes);
  sfnec_message_destroy(again);
  sfnec_message_destroy(message);
  return 0;
}
