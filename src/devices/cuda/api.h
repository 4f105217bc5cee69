// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "devices/cuda/cublaslt.h"
#include "devices/cuda/cudnn.h"
#include "devices/cuda/driver.h"

/// The functions of NVIDIA's driver, of NVRTC, of cuBLASLt and of cuDNN, from the libraries of this machine.
namespace coracle::internal::cuda {

struct LoadedDriver {
  const DriverApi* api = nullptr;
  int version = 0;      ///< 12040 of 12.4: the newest CUDA that it knows
  bool found = false;   ///< the library is there, whether or not it can be used
  std::string missing;  ///< why there is none, and what to do
};

/// Loads the driver when first asked for it; it stays until the process ends. Drivers do not survive a fork: in the
/// child the functions of a DriverApi that the parent has loaded return CUDA_ERROR_DEINITIALIZED at once, and `missing`
/// says why.
const LoadedDriver& loaded_driver();

struct LoadedCompiler {
  const CompilerApi* api = nullptr;
  int version = 0;                 ///< 1204 of 12.4
  std::vector<int> architectures;  ///< 90 of sm_90, ascending
  std::string missing;
};

/// NVRTC from the folders that CORACLE_CUDA_PATH names (colons between them); otherwise by the system's names, from
/// /usr/local/cuda or from packages of Python. The newest of at most the driver's own major version, as drivers load no
/// programs of newer ones.
const LoadedCompiler& loaded_compiler();

struct LoadedProducts {
  const ProductsApi* api = nullptr;
  std::string version;  ///< "12.4.5"
  std::string missing;
};

/// cuBLASLt, from where NVRTC is looked for and by the same rule; no device needs it. With CORACLE_CUBLASLT=0 there is
/// none.
const LoadedProducts& loaded_products();

struct LoadedConvolutions {
  const ConvolutionsApi* api = nullptr;
  std::string version;  ///< "9.1.0"
  std::string missing;
};

/// cuDNN 9, from where NVRTC is looked for; made for CUDA of at most the driver's own major version. No device needs
/// it. With CORACLE_CUDNN=0 there is none.
const LoadedConvolutions& loaded_convolutions();

/// A status of cuBLASLt as a code beside those of the driver.
CUresult code_of_products(cublasStatus_t status);
/// The same of cuDNN.
CUresult code_of_convolutions(cudnnStatus_t status);
/// "CUDA_ERROR_LAUNCH_FAILED (719)", "CUBLAS_STATUS_EXECUTION_FAILED (13)"
std::string code_text(CUresult code);
/// "NVRTC_ERROR_COMPILATION (6)"
std::string compiler_code_text(nvrtcResult code);

}  // namespace coracle::internal::cuda
