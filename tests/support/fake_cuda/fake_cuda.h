// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Stand-ins for NVIDIA's driver (libcuda.so.1), compiler (libnvrtc.so.12), cuBLASLt (libcublasLt.so.12) and cuDNN
/// (libcudnn.so.9), for machines without a GPU: one device whose kernels run through OpenCL on the CPU, and products
/// and convolutions in plain code.
///
/// What is given to a stream is not done before somebody waits for it, and then in an order that is drawn from a seed
/// among those that streams and events allow; other threads may call the driver between two things that are done.
/// Device memory has addresses of its own: a pointer of the host is no address of the device, nor the reverse, and the
/// device's are not used again. New memory holds 0xff in each byte. A kernel that is given an address at which nothing
/// is spoils the context, as on a GPU: all fails until nobody holds it. What a program does wrong that a GPU would not
/// notice each time ends the process with a message.
///
/// The environment says how they begin: FAKE_CUDA_VERSION (12000), FAKE_CUDA_ARCHITECTURE (80), FAKE_CUDA_SEED (1),
/// FAKE_NVRTC_VERSION (1200), FAKE_CUBLASLT_VERSION (120003), FAKE_CUDNN_VERSION (90100), FAKE_CUDNN_CUDA
/// (12000).
extern "C" {
/// "captured cuLaunchKernel" is one into a capture, "heuristics of cuDNN" their first call for a convolution.
/// The next `skipped` calls of the function succeed, and all after them return `code`; 0 for none. The compiler has its
/// own: fake_nvrtc_fail; fake_cuda_fail is for functions of the driver, of cuBLASLt and of cuDNN, whose calls
/// are counted together.
using FakeCudaFail = void (*)(const char* function, int code, int64_t skipped);
/// The device is lost with the call of that number from now on, 1 the next: it and all later ones fail as of a GPU that
/// has gone; what was given and is not done never is. 0: it is there again, without anything that was on it.
using FakeCudaLose = void (*)(int64_t call);
/// Calls of functions of the driver, of cuBLASLt and of cuDNN so far; those of one of them where it is not null.
using FakeCudaCalls = int64_t (*)(const char* function);
/// Blocks, pinned ones too, streams, events, graphs, modules, contexts held, and what describes products and
/// convolutions, that are not given back.
using FakeCudaLive = int64_t (*)();
/// Which order is drawn.
using FakeCudaSeed = void (*)(uint64_t seed);
/// 1: from now on what streams do is logged; 0: no longer. Returns the log until then: of each kernel, and copy to and
/// from the device, "k", "u" or "d" and the number of its stream, with a blank behind it.
using FakeCudaLog = const char* (*)(int on);
/// Of a profiler (libfake_nvtx.so): the names of the ranges that were begun since the last call, a line each, with two
/// blanks in front for each range that it lies in.
using FakeNvtxRanges = const char* (*)();
/// From now on addresses and streams are said to be of that device; negative: streams of another context of the first
/// one; 0: as they are.
using FakeCudaElsewhere = void (*)(int device);
/// From now on an engine of cuDNN with that index takes so long, as events see it; an algorithm of cuBLASLt where the
/// index is negative (ConvolutionEngine, Algorithm::block). 0: as long as it does.
using FakeCudaTakes = void (*)(int64_t way, double ms);
/// Device memory that there is, in bytes.
using FakeCudaLimit = void (*)(uint64_t bytes);
}
