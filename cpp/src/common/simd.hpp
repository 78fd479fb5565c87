#pragma once

// What kernels need to be compiled for several sets of instructions: the intrinsics,
// and an attribute per set. Code with intrinsics stands between
// #ifdef FEATSIEVE_X86 and #endif; which set runs is said by an Instructions.

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#if defined(__GNUC__) && !defined(__clang__)
// The headers of g++ 12 start many AVX-512 intrinsics from an undefined register.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#define FEATSIEVE_X86
#define FEATSIEVE_INLINE __attribute__((always_inline)) inline
#define FEATSIEVE_NOINLINE __attribute__((noinline))
#define FEATSIEVE_AVX2 __attribute__((target("avx2")))
/// What Instructions::kAvx512 promises: processors from Ice Lake and Zen 4 on.
#define FEATSIEVE_AVX512                                              \
  __attribute__((                                                     \
      target("avx2,popcnt,gfni,avx512f,avx512bw,avx512vl,avx512vbmi," \
             "avx512vbmi2,avx512vpopcntdq,prefer-vector-width=512")))
#else
#define FEATSIEVE_INLINE inline
#define FEATSIEVE_NOINLINE
#define FEATSIEVE_AVX2
#endif
