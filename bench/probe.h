// SPDX-License-Identifier: Apache-2.0
#pragma once

/** What the machine can do at this moment, measured; all functions may be called from one thread at a time. */
#ifdef __cplusplus
extern "C" {
#endif

/**
 * GFLOP/s of fused multiply-adds in registers, with `threads` threads at once for about `milliseconds`: the slowest
 * thread's rate times the number of threads, so that a thread without a core of its own shows.
 */
double probe_fma(int threads, double milliseconds);

/** GB/s read from memory with `threads` threads, each from a block of `bytes` bytes of its own, best of `repeats`. */
double probe_read(int threads, long bytes, int repeats);

#ifdef __cplusplus
}
#endif
