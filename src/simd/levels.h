// levels.h: the tables of the instruction-set levels beyond scalar; each exists only if the build compiled its file.
#ifndef SFNEC_SIMD_LEVELS_H
#define SFNEC_SIMD_LEVELS_H

#include "simd/simd.h"

extern const sfnec_simd sfnec_simd_avx2;   // SFNEC_HAVE_AVX2
extern const sfnec_simd sfnec_simd_avx512; // SFNEC_HAVE_AVX512
extern const sfnec_simd sfnec_simd_neon;   // SFNEC_HAVE_NEON

#endif
