// levels.h: the tables of the instruction-set levels beyond scalar; each exists only if the build compiled its file.
#ifndef SFNEC_KERNEL_LEVELS_H
#define SFNEC_KERNEL_LEVELS_H

#include "kernel/kernel.h"

extern const sfnec_kernel sfnec_kernel_avx2;   // SFNEC_HAVE_AVX2
extern const sfnec_kernel sfnec_kernel_avx512; // SFNEC_HAVE_AVX512
extern const sfnec_kernel sfnec_kernel_neon;   // SFNEC_HAVE_NEON

#endif
