// SPDX-License-Identifier: Apache-2.0
// Own declarations say the same as NVIDIA's headers: compiled where these are found.
#include "devices/cuda/driver.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "devices/cuda/cublaslt.h"
#include "devices/cuda/cudnn.h"
#include "devices/cuda/nvtx.h"

namespace own = coracle::internal::cuda;

// Before the headers, which give some names another meaning.
#define CORACLE_OWN(result, name, ...) using Own_##name = decltype(CORACLE_API::name);
#define CORACLE_API own::DriverApi
CORACLE_CUDA_FUNCTIONS(CORACLE_OWN)
#undef CORACLE_API
#define CORACLE_API own::CompilerApi
CORACLE_NVRTC_FUNCTIONS(CORACLE_OWN)
#undef CORACLE_API
#define CORACLE_API own::ProductsApi
CORACLE_CUBLASLT_FUNCTIONS(CORACLE_OWN)
#undef CORACLE_API
#define CORACLE_API own::ConvolutionsApi
CORACLE_CUDNN_FUNCTIONS(CORACLE_OWN)

#include <cublasLt.h>
#include <cuda.h>
#if __has_include(<cudnn.h>)  // not in a toolkit
#include <cudnn.h>
#endif
#include <nvrtc.h>
#include <nvtx3/nvToolsExt.h>

namespace {

/// Whether calls pass the same: numbers of the same size, pointers to the same or to what only the library sees.
template <class A, class B>
constexpr bool same_number() {
  if constexpr (std::is_same_v<A, B>) return true;
  if constexpr (std::is_class_v<A> || std::is_class_v<B>) return std::is_class_v<A> && std::is_class_v<B>;
  if constexpr (std::is_integral_v<A> && (std::is_enum_v<B> || std::is_integral_v<B>)) return sizeof(A) == sizeof(B);
  return false;
}
template <class A, class B>
struct Same : std::bool_constant<same_number<A, B>()> {};
template <class A, class B>
struct Same<A*, B*> : std::bool_constant<(std::is_class_v<A> && std::is_class_v<B>) ||
                                         (std::is_const_v<A> == std::is_const_v<B> &&
                                          Same<std::remove_const_t<A>, std::remove_const_t<B>>::value)> {};
template <class R, class... P, class S, class... Q>
struct Same<R (*)(P...), S (*)(Q...)> {
  static constexpr bool all() {
    if constexpr (sizeof...(P) == sizeof...(Q)) {
      return Same<R, S>::value && (Same<P, Q>::value && ...);
    }
    return false;
  }
  static constexpr bool value = all();
};
static_assert(!Same<int (*)(int), int (*)(float)>::value && !Same<int (*)(int), int (*)(int*)>::value);
static_assert(!Same<int (*)(size_t), int (*)(unsigned)>::value && !Same<int (*)(), int (*)(int)>::value);

#define CORACLE_FUNCTION(result, name, ...) static_assert(Same<Own_##name, decltype(&::name)>::value, #name);
CORACLE_CUDA_FUNCTIONS(CORACLE_FUNCTION)
CORACLE_NVRTC_FUNCTIONS(CORACLE_FUNCTION)
CORACLE_CUBLASLT_FUNCTIONS(CORACLE_FUNCTION)
#define CORACLE_NUMBER(name, value) static_assert(static_cast<int>(::name) == (value), #name);
CORACLE_CUDA_RESULTS(CORACLE_NUMBER)
CORACLE_CUDA_NUMBERS(CORACLE_NUMBER)
CORACLE_NVRTC_RESULTS(CORACLE_NUMBER)
CORACLE_CUBLAS_RESULTS(CORACLE_NUMBER)
CORACLE_CUBLAS_NUMBERS(CORACLE_NUMBER)
#if CUDNN_MAJOR >= 9
CORACLE_CUDNN_FUNCTIONS(CORACLE_FUNCTION)
CORACLE_CUDNN_RESULTS(CORACLE_NUMBER)
CORACLE_CUDNN_NUMBERS(CORACLE_NUMBER)
#endif
#if CUDNN_MAJOR > 9 || (CUDNN_MAJOR == 9 && CUDNN_MINOR >= 8)
CORACLE_CUDNN_DEVICE_NUMBERS(CORACLE_NUMBER)
#endif
static_assert(sizeof(own::cublasLtMatmulAlgo_t) == sizeof(::cublasLtMatmulAlgo_t) &&
              sizeof(own::cublasLtMatmulHeuristicResult_t) == sizeof(::cublasLtMatmulHeuristicResult_t) &&
              offsetof(own::cublasLtMatmulHeuristicResult_t, workspaceSize) ==
                  offsetof(::cublasLtMatmulHeuristicResult_t, workspaceSize) &&
              offsetof(own::cublasLtMatmulHeuristicResult_t, state) ==
                  offsetof(::cublasLtMatmulHeuristicResult_t, state));
CORACLE_NVTX_NUMBERS(CORACLE_NUMBER)
static_assert(own::kNvtxVersion == NVTX_VERSION);
#define CORACLE_MODULE(name, number, functions) \
  static_assert(::NVTX_CB_MODULE_##name == (number) && ::NVTX_CBID_##name##_SIZE == (functions), #name);
CORACLE_NVTX_MODULES(CORACLE_MODULE)
static_assert(::NVTX_CB_MODULE_SIZE == 7);
static_assert(sizeof(own::NvtxExportTableCallbacks) == sizeof(::NvtxExportTableCallbacks) &&
              offsetof(own::NvtxExportTableCallbacks, GetModuleFunctionTable) ==
                  offsetof(::NvtxExportTableCallbacks, GetModuleFunctionTable) &&
              Same<decltype(own::NvtxExportTableCallbacks::GetModuleFunctionTable),
                   decltype(::NvtxExportTableCallbacks::GetModuleFunctionTable)>::value);
static_assert(sizeof(own::NvtxExportTableVersionInfo) == sizeof(::NvtxExportTableVersionInfo) &&
              offsetof(own::NvtxExportTableVersionInfo, version) == offsetof(::NvtxExportTableVersionInfo, version) &&
              offsetof(own::NvtxExportTableVersionInfo, SetInjectionNvtxVersion) ==
                  offsetof(::NvtxExportTableVersionInfo, SetInjectionNvtxVersion));
static_assert(Same<decltype(own::RangeFunctions::push), ::nvtxRangePushA_impl_fntype>::value &&
              Same<decltype(own::RangeFunctions::pop), ::nvtxRangePop_impl_fntype>::value);
static_assert(sizeof(own::CUuuid) == sizeof(::CUuuid) && sizeof(own::CUdeviceptr) == sizeof(::CUdeviceptr));

TEST(CudaDriver, IsDeclaredAsInTheHeaders) { SUCCEED() << "static_assert looks at each declaration"; }

}  // namespace
