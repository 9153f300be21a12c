// select.c: which levels this CPU has, and which one to use.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "simd/simd.h"

static bool always(void) {
  return true;
}

// the compiler's CPU tests include the operating system's support for the wide registers
#ifdef SFNEC_HAVE_AVX2
static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#ifdef SFNEC_HAVE_AVX512
static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
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
