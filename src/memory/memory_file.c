// memory_file.c: the content of a memory in a file.
//
// u32 count; then the entries in the order of insertion, each its key and its value as floats, and its tag if it has
// one; then, from the least to
// the most recently used, each entry's position in the order of insertion as u32. Slots are not saved: they hold no
// meaning, and without them equal memories make equal files, whatever happened to them before.
//
// Keys can be kept apart, in a file that is written once: it holds the keys in the same order and nothing else, and the
// memory is saved as above but without them.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/vector.h"
#include "memory/entries.h"

// the first slot in the order of insertion, and the one after another; SFNEC_NO_SLOT at the end
static uint32_t first(const sfnec_memory *memory) {
  return memory->inserted.oldest;
}

static uint32_t after(const sfnec_memory *memory, uint32_t slot) {
  return memory->inserted.links[slot].newer;
}

void sfnec_memory_save(const sfnec_memory *memory, sfnec_writer *writer, bool with_keys) {
  const sfnec_memory_config *config = &memory->config;
  sfnec_write_u32(writer, sfnec_memory_count(memory));
  uint32_t rank = 0;
  for (uint32_t slot = first(memory); slot != SFNEC_NO_SLOT; slot = after(memory, slot)) {
    if (with_keys) sfnec_write_bytes(writer, sfnec_memory_key(memory, slot), config->key_size * sizeof(float));
    sfnec_write_bytes(writer, sfnec_memory_value(memory, slot), config->value_size * sizeof(float));
    if (config->tagged) sfnec_write_u64(writer, memory->tags[slot]);
    memory->ranks[slot] = rank++;
  }
  for (uint32_t slot = memory->used.oldest; slot != SFNEC_NO_SLOT; slot = memory->used.links[slot].newer)
    sfnec_write_u32(writer, memory->ranks[slot]);
}

void sfnec_memory_save_keys(const sfnec_memory *memory, sfnec_writer *writer) {
  const size_t size = memory->config.key_size * sizeof(float);
  for (uint32_t slot = first(memory); slot != SFNEC_NO_SLOT; slot = after(memory, slot))
    sfnec_write_bytes(writer, sfnec_memory_key(memory, slot), size);
}

uint64_t sfnec_memory_digest(sfnec_memory *memory) {
  if (memory->digest_version == memory->keys_version) return memory->digest;
  const size_t size = memory->config.key_size * sizeof(float);
  // chained, so that the order counts and no state is allocated
  uint64_t digest = sfnec_memory_count(memory);
  for (uint32_t slot = first(memory); slot != SFNEC_NO_SLOT; slot = after(memory, slot))
    digest = XXH3_64bits_withSeed(sfnec_memory_key(memory, slot), size, digest);
  memory->digest = digest;
  memory->digest_version = memory->keys_version;
  return digest;
}

// reads one entry; `numbers` has room for its key and its value
static sfnec_status load_entry(sfnec_memory *memory, sfnec_reader *reader, sfnec_reader *keys, float *numbers) {
  const size_t key_size = memory->config.key_size, value_size = memory->config.value_size;
  sfnec_read_bytes(keys, numbers, key_size * sizeof *numbers);
  sfnec_read_bytes(reader, numbers + key_size, value_size * sizeof *numbers);
  if (!sfnec_all_finite_f32(numbers, key_size))
    return sfnec_reader_refuse(keys, "a memory holds a key that is not finite");
  if (!sfnec_all_finite_f32(numbers + key_size, value_size))
    return sfnec_reader_refuse(reader, "a memory holds a value that is not finite");
  const uint64_t tag = memory->config.tagged ? sfnec_read_u64(reader) : 0;
  const uint32_t hash = sfnec_memory_hash(memory, tag, numbers);
  if (sfnec_memory_find(memory, tag, numbers, hash) != SFNEC_NO_SLOT)
    return sfnec_reader_refuse(keys, memory->config.tagged ? "a memory holds the same observation twice"
                                                           : "a memory holds the same key twice");

  uint32_t slot;
  sfnec_status status = sfnec_memory_insert(memory, tag, numbers, hash, &slot);
  if (!status) memcpy(memory->values + slot * value_size, numbers + key_size, value_size * sizeof *numbers);
  return status;
}

// the entries were inserted in order, so the position in that order is the slot; using each once sorts them by use
static sfnec_status load_recency(sfnec_memory *memory, sfnec_reader *reader, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) memory->ranks[i] = SFNEC_NO_SLOT;
  for (uint32_t i = 0; i < count && sfnec_reader_good(reader); i++) {
    const uint32_t slot = sfnec_read_u32(reader);
    if (slot >= count || memory->ranks[slot] != SFNEC_NO_SLOT)
      return sfnec_reader_refuse(reader, "the recency of a memory is not an order of its entries");
    memory->ranks[slot] = i;
    sfnec_recency_touch(&memory->used, slot);
  }
  return SFNEC_OK;
}

// a count is believed only as far as there are bytes for it
static bool bytes_suffice(const sfnec_memory *memory, uint32_t count, sfnec_reader *reader, sfnec_reader *keys) {
  const size_t key = memory->config.key_size * sizeof(float);
  const size_t tag = memory->config.tagged ? sizeof(uint64_t) : 0;
  const size_t others = memory->config.value_size * sizeof(float) + tag + sizeof(uint32_t);
  if (keys == reader) return sfnec_reader_holds(reader, count, key + others);
  return sfnec_reader_holds(reader, count, others) && sfnec_reader_holds(keys, count, key);
}

sfnec_status sfnec_memory_load(sfnec_memory *memory, sfnec_reader *reader, sfnec_reader *keys) {
  const uint32_t count = sfnec_read_u32(reader);
  if (count > memory->config.capacity) return sfnec_reader_refuse(reader, "a memory holds more than its capacity");
  if (!bytes_suffice(memory, count, reader, keys))
    return sfnec_reader_refuse(reader, "a memory ends before its last entry");
  if (count == 0) return SFNEC_OK;

  sfnec_status status = sfnec_memory_reserve(memory, count);
  if (status) return status;
  // of one entry, for which there are bytes
  float *numbers = sfnec_read_alloc(reader, memory->config.key_size + memory->config.value_size, sizeof *numbers);
  if (!numbers) return sfnec_fail_memory("an entry of a memory");
  for (uint32_t i = 0; i < count && !status; i++) status = load_entry(memory, reader, keys, numbers);
  if (!status) status = load_recency(memory, reader, count);
  free(numbers);
  return status;
}
