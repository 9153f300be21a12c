// draws.c: very many whole numbers from a random stream; see draws.h.
//
// A block of Philox4x32-10 is two draws, and the rounds of several blocks have nothing to do with each other: they are
// computed side by side, which compilers turn into vector instructions. The bits are those of sfnec_random_bits.
#include "base/draws.h"

enum { BLOCKS = SFNEC_DRAWS / 2, ROUNDS = 10 };

// the constants of Philox4x32 (Salmon et al. 2011)
static const uint32_t multiplier[2] = {0xD2511F53, 0xCD9E8D57}, weyl[2] = {0x9E3779B9, 0xBB67AE85};

sfnec_draws sfnec_draws_start(const sfnec_random *random) {
  return (sfnec_draws){.random = *random};
}

// the upper 32 bits of the draws of the next blocks
static void draw_blocks(sfnec_draws *draws) {
  const sfnec_random *random = &draws->random;
  const uint64_t block = random->counter >> 1;
  uint32_t a[BLOCKS], b[BLOCKS], c[BLOCKS], d[BLOCKS];
  for (int i = 0; i < BLOCKS; i++) {
    a[i] = (uint32_t)(block + (uint64_t)i);
    b[i] = (uint32_t)((block + (uint64_t)i) >> 32);
    c[i] = (uint32_t)random->purpose;
    d[i] = (uint32_t)(random->purpose >> 32);
  }
  uint32_t key[2] = {(uint32_t)random->seed, (uint32_t)(random->seed >> 32)};
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < BLOCKS; i++) {
      const uint64_t first = (uint64_t)multiplier[0] * a[i], second = (uint64_t)multiplier[1] * c[i];
      a[i] = (uint32_t)(second >> 32) ^ b[i] ^ key[0];
      b[i] = (uint32_t)second;
      c[i] = (uint32_t)(first >> 32) ^ d[i] ^ key[1];
      d[i] = (uint32_t)first;
    }
    key[0] += weyl[0];
    key[1] += weyl[1];
  }
  for (int i = 0; i < BLOCKS; i++) {
    draws->words[2 * i] = b[i];
    draws->words[2 * i + 1] = d[i];
  }
}

// a stream that was in the middle of a block begins with the block's second half
static void read_ahead(sfnec_draws *draws) {
  draw_blocks(draws);
  draws->left = SFNEC_DRAWS - (uint32_t)(draws->random.counter & 1);
  draws->random.counter += draws->left;
}

void sfnec_draws_below(sfnec_draws *draws, uint32_t n, uint32_t *out, size_t count) {
  const uint32_t excess = (uint32_t)(-n) % n;
  for (size_t filled = 0; filled < count;) {
    if (!draws->left) read_ahead(draws);
    const uint32_t *word = draws->words + SFNEC_DRAWS - draws->left;
    for (; draws->left && filled < count; draws->left--, word++) {
      out[filled] = *word % n;
      filled += *word >= excess;
    }
  }
}
