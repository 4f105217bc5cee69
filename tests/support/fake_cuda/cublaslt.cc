// SPDX-License-Identifier: Apache-2.0
// The stand-in for libcublasLt.so: the functions that devices/cuda/cublaslt.h declares, on the device of the stand-in
// for the driver. What they are given wrongly ends the process or fails, as the real ones check less.
#include "devices/cuda/cublaslt.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "support/fake_cuda/driver_state.h"
#include "support/fake_cuda/products.h"
#include "support/fake_cuda/stop.h"

using namespace coracle::internal::cuda;       // NOLINT(google-build-using-namespace): the names that it exports
using namespace coracle::internal::fake_cuda;  // NOLINT(google-build-using-namespace)

namespace coracle::internal::cuda {

struct cublasLtContext {};
struct cublasLtMatmulDescOpaque_t : ProductDescription {};
struct cublasLtMatrixLayoutOpaque_t : MatrixLayout {};
struct cublasLtMatmulPreferenceOpaque_t : Preference {};

}  // namespace coracle::internal::cuda

namespace {

/// Counts the call, and returns where it fails: with a status of the test's, or as with a context that is spoilt.
#define ENTER_PRODUCTS(needs)                    \
  const Call call(__func__, Call::Needs::needs); \
  if (call.code() != 0) return call.code() < 100 ? call.code() : CUBLAS_STATUS_EXECUTION_FAILED

template <class T>
cublasStatus_t add_description(T** handle) {
  *handle = new T;
  ++Driver::get().described;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t remove_description(T* handle) {
  if (handle == nullptr) stop("a description of cuBLASLt is given back that there is not");
  delete handle;
  --Driver::get().described;
  return CUBLAS_STATUS_SUCCESS;
}
/// Attributes have one size each.
template <class T>
cublasStatus_t put(T& to, const void* value, size_t bytes) {
  if (bytes != sizeof(to)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

size_t cublasLtGetVersion() { return static_cast<size_t>(setting("FAKE_CUBLASLT_VERSION", 120003)); }

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  ENTER_PRODUCTS(kContext);
  return add_description(handle);
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  const Call call(__func__, Call::Needs::kNothing);
  return remove_description(handle);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* product, int compute_type, int scale_type) {
  ENTER_PRODUCTS(kNothing);
  const bool has_type = compute_type == CUBLAS_COMPUTE_32F || compute_type == CUBLAS_COMPUTE_32F_FAST_TF32 ||
                        compute_type == CUBLAS_COMPUTE_32F_FAST_16BF;
  const bool of_integers = compute_type == CUBLAS_COMPUTE_32I && scale_type == CUDA_R_32I;
  if (!of_integers && (!has_type || scale_type != CUDA_R_32F)) return CUBLAS_STATUS_NOT_SUPPORTED;
  add_description(product);
  (*product)->compute_type = compute_type;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  const Call call(__func__, Call::Needs::kNothing);
  return remove_description(product);
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product, int attribute, const void* value,
                                              size_t bytes) {
  ENTER_PRODUCTS(kNothing);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return put(product->operation_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB: return put(product->operation_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return put(product->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return put(product->bias, value, bytes);
    default: return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, int type, uint64_t rows, uint64_t columns,
                                          int64_t leading_dimension) {
  ENTER_PRODUCTS(kNothing);
  const int types[] = {CUDA_R_32F, CUDA_R_16F, CUDA_R_8I, CUDA_R_32I};
  if (std::find(std::begin(types), std::end(types), type) == std::end(types)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (rows == 0 || columns == 0 || leading_dimension < static_cast<int64_t>(rows)) stop("a layout of no matrix");
  add_description(layout);
  static_cast<MatrixLayout&>(**layout) = {type, static_cast<int64_t>(rows), static_cast<int64_t>(columns),
                                          leading_dimension};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  const Call call(__func__, Call::Needs::kNothing);
  return remove_description(layout);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, int attribute, const void* value,
                                                size_t bytes) {
  ENTER_PRODUCTS(kNothing);
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return put(layout->count, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return put(layout->step, value, bytes);
    default: return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  ENTER_PRODUCTS(kNothing);
  return add_description(preference);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  const Call call(__func__, Call::Needs::kNothing);
  return remove_description(preference);
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference, int attribute,
                                                    const void* value, size_t bytes) {
  ENTER_PRODUCTS(kNothing);
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES: return put(preference->workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK: return put(preference->reductions, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: return put(preference->alignments[0], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES: return put(preference->alignments[1], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES: return put(preference->alignments[2], value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: return put(preference->alignments[3], value, bytes);
    default: return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results, int* found) {
  ENTER_PRODUCTS(kContext);
  *found = 0;
  if (handle == nullptr || wanted < 1) return CUBLAS_STATUS_INVALID_VALUE;
  const std::vector<Algorithm> all = algorithms_for({*product, {*a, *b, *c, *d}}, *preference);
  for (; *found < std::min(wanted, static_cast<int>(all.size())); ++*found) {
    results[*found] = {};
    results[*found].algo = all[static_cast<size_t>(*found)].packed();
    results[*found].workspaceSize = all[static_cast<size_t>(*found)].workspace;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algorithm, cublasLtMatmulHeuristicResult_t* result) {
  ENTER_PRODUCTS(kContext);
  const Algorithm given = Algorithm::unpacked(*algorithm);
  if (handle == nullptr || !takes(given, {*product, {*a, *b, *c, *d}})) return CUBLAS_STATUS_NOT_SUPPORTED;
  *result = {};
  result->algo = *algorithm;
  result->workspaceSize = given.workspace;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, CUstream handle_of_stream) {
  ENTER_PRODUCTS(kContext);
  const std::shared_ptr<Stream> stream = Driver::get().stream_of(handle_of_stream);
  if (handle == nullptr || stream == nullptr || algorithm == nullptr) stop("a product without a handle or a stream");
  ProductCall given{{*product, {*a_layout, *b_layout, *c_layout, *d_layout}}, Algorithm::unpacked(*algorithm)};
  for (const void* scale : {alpha, beta}) {
    if (Driver::get().memory->is_device(scale)) stop("a number of the host is at an address of the device");
  }
  if (product->is_of_integers()) {
    int32_t numbers[2];
    std::memcpy(&numbers[0], alpha, sizeof(int32_t));
    std::memcpy(&numbers[1], beta, sizeof(int32_t));
    if (numbers[0] != 1 || numbers[1] != 0) stop("a product of integers has other factors than 1 and 0");
  } else {
    std::memcpy(&given.alpha, alpha, sizeof(float));
    std::memcpy(&given.beta, beta, sizeof(float));
  }
  const void* const addresses[] = {a, b, c, d};
  for (size_t i = 0; i < 4; ++i) given.addresses[i] = reinterpret_cast<uint64_t>(addresses[i]);
  if (workspace_bytes < given.algorithm.workspace || (workspace == nullptr && workspace_bytes != 0)) {
    stop("a product has less workspace than its algorithm needs");
  }
  if (!takes(given.algorithm, given.problem)) return CUBLAS_STATUS_NOT_SUPPORTED;
  check_places(given);
  Streams::give(
      *stream, [given] { return run(given); }, [given] { return can_run(given); });
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
