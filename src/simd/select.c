// select.c: which levels this CPU has, and which one to use.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef SFNEC_HAVE_AVX2
#include <cpuid.h>
#endif

#include "base/error.h"
#include "simd/simd.h"

static bool always(void) {
  return true;
}

#ifdef SFNEC_HAVE_AVX2
// Asked here and not by __builtin_cpu_supports: the table behind that is in a library that not every compiler brings.
// The CPU must have the instructions (bits of leaf 7), and the operating system must save the registers (bits of XCR0).
static bool cpu_has(unsigned instructions, unsigned registers) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_FMA) || !(c & bit_OSXSAVE)) return false;
  unsigned saved = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  if ((saved & registers) != registers) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & instructions) == instructions;
}

static bool has_avx2(void) {
  enum { YMM = 1 << 1 | 1 << 2 };
  return cpu_has(bit_AVX2, YMM);
}
#endif

#ifdef SFNEC_HAVE_AVX512
static bool has_avx512(void) {
  enum { ZMM = 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7 };
  return cpu_has(bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL, ZMM);
}
#endif

// every level that was compiled, slowest first
static const struct {
  const sfnec_simd *simd;
  bool (*available)(void);
} levels[] = {
    {&sfnec_simd_scalar, always},
#ifdef SFNEC_HAVE_NEON
    {&sfnec_simd_neon, always},
#endif
#ifdef SFNEC_HAVE_WASM
    {&sfnec_simd_wasm, always},
#endif
#ifdef SFNEC_HAVE_AVX2
    {&sfnec_simd_avx2, has_avx2},
#endif
#ifdef SFNEC_HAVE_AVX512
    {&sfnec_simd_avx512, has_avx512},
#endif
};

const sfnec_simd *sfnec_simd_at(size_t i) {
  for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
    if (!levels[l].available()) continue;
    if (i == 0) return levels[l].simd;
    i--;
  }
  return NULL;
}

sfnec_status sfnec_simd_select(const sfnec_simd **out) {
  const char *name = getenv("SFNEC_SIMD");
  const sfnec_simd *fastest = NULL;
  char known[64] = "";
  for (size_t i = 0; sfnec_simd_at(i); i++) {
    fastest = sfnec_simd_at(i);
    if (name && strcmp(name, fastest->name) == 0) {
      *out = fastest;
      return SFNEC_OK;
    }
    if (i > 0) strcat(known, ", ");
    strcat(known, fastest->name);
  }
  // an empty variable is as good as none
  if (name && *name)
    return sfnec_fail(SFNEC_ERROR_OPTION, "SFNEC_SIMD=%s is not a level of this CPU: it has %s", name, known);
  *out = fastest;
  return SFNEC_OK;
}
