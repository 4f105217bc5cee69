// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "devices/cuda/cublaslt.h"

/// What the stand-in for cuBLASLt computes.
namespace coracle::internal::fake_cuda {

/// Columns of `rows` elements, `leading` apart; `count` such matrices, `step` apart.
struct MatrixLayout {
  int type = cuda::CUDA_R_32F;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t leading = 0;
  int32_t count = 1;
  int64_t step = 0;

  int64_t element_bytes() const { return type == cuda::CUDA_R_8I ? 1 : type == cuda::CUDA_R_16F ? 2 : 4; }
  /// From the first element's begin to the last one's end.
  size_t extent() const {
    return static_cast<size_t>(((count - 1) * step + (columns - 1) * leading + rows) * element_bytes());
  }
};

struct ProductDescription {
  int compute_type = cuda::CUBLAS_COMPUTE_32F;
  int32_t operation_a = cuda::CUBLAS_OP_N;
  int32_t operation_b = cuda::CUBLAS_OP_N;
  uint32_t epilogue = cuda::CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;

  bool has_bias() const { return (epilogue & uint32_t{cuda::CUBLASLT_EPILOGUE_BIAS}) != 0; }
  bool is_of_integers() const { return compute_type == cuda::CUBLAS_COMPUTE_32I; }
};

struct Preference {
  uint64_t workspace = 0;
  uint32_t reductions = 7;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

/// d = epilogue(alpha * op(a) * op(b) + beta * c)
struct Problem {
  ProductDescription product;
  MatrixLayout matrices[4];  ///< a, b, c, d
};

/// How sums are added: in blocks, whose size is one for many columns and one for few, and which is drawn each time
/// where they are added in parts.
struct Algorithm {
  uint64_t block = 0;  ///< 0: none
  uint64_t alignment = 1;
  uint64_t workspace = 0;
  uint64_t in_parts = 0;

  cuda::cublasLtMatmulAlgo_t packed() const;
  static Algorithm unpacked(const cuda::cublasLtMatmulAlgo_t& algorithm);
};

/// The algorithms for a problem, the fastest first, as a library guesses.
std::vector<Algorithm> algorithms_for(const Problem& problem, const Preference& preference);
/// Whether it can compute the problem.
bool takes(const Algorithm& algorithm, const Problem& problem);

struct ProductCall {
  Problem problem;
  Algorithm algorithm;
  float alpha = 1;  ///< of integers always 1, and beta 0
  float beta = 0;
  uint64_t addresses[4] = {};
};

/// Ends the process where addresses are not where they have to be.
void check_places(const ProductCall& call);
/// Whether there is still memory at its addresses.
bool can_run(const ProductCall& call);
/// Computes it; an error of the driver.
int run(const ProductCall& call);

}  // namespace coracle::internal::fake_cuda
