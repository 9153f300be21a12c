// random.c: random streams; the contract is in sfnec/random.h.
#include "sfnec/random.h"

#include <Random123/philox.h>

#include "base/math.h"

sfnec_random sfnec_random_start(uint64_t seed, uint64_t purpose) {
  return (sfnec_random){.seed = seed, .purpose = purpose, .counter = 0};
}

uint64_t sfnec_random_bits(sfnec_random *random) {
  if (!random) return 0;
  // one Philox block is 128 bits: two draws, selected by the lowest bit of the counter
  const uint64_t block = random->counter >> 1;
  const philox4x32_ctr_t in = {
      {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)random->purpose, (uint32_t)(random->purpose >> 32)}};
  const philox4x32_key_t key = {{(uint32_t)random->seed, (uint32_t)(random->seed >> 32)}};
  const philox4x32_ctr_t out = philox4x32(in, key);
  const unsigned half = (unsigned)(random->counter & 1) * 2;
  random->counter++;
  return (uint64_t)out.v[half + 1] << 32 | out.v[half];
}

double sfnec_random_uniform(sfnec_random *random) {
  return (double)(sfnec_random_bits(random) >> 11) * 0x1p-53;
}

uint32_t sfnec_random_below(sfnec_random *random, uint32_t n) {
  if (n == 0) return 0;
  // the top of 32 random bits that does not fill a whole multiple of n is drawn again
  const uint32_t excess = (uint32_t)(-n) % n;
  uint32_t bits;
  do bits = (uint32_t)(sfnec_random_bits(random) >> 32);
  while (bits < excess);
  return bits % n;
}

double sfnec_random_normal(sfnec_random *random) {
  // by the quantile: one draw each, so the counter says how many normals were drawn; the half keeps p off 0 and 1
  return sfnec_normal_quantile(((double)(sfnec_random_bits(random) >> 12) + 0.5) * 0x1p-52);
}
