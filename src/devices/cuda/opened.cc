// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/opened.h"

#include <cstdlib>
#include <mutex>
#include <string_view>

#include "base/counted.h"
#include "base/error.h"
#include "devices/cuda/command_queue.h"
#include "devices/cuda/function.h"
#include "devices/cuda/product_function.h"

namespace coracle::internal::cuda {
namespace {

ErrorCode code_of(CUresult code) {
  return code == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kUnsupported;
}

/// CORACLE_CUDA_GRAPHS=0 switches them off.
bool wants_graphs() {
  const char* variable = std::getenv("CORACLE_CUDA_GRAPHS");
  return variable == nullptr || std::string_view(variable) != "0";
}

/// CORACLE_NVTX=1, for one.
bool is_on(const char* name) {
  const char* variable = std::getenv(name);
  return variable != nullptr && std::string_view(variable) == "1";
}

}  // namespace

Opened::Opened(FoundDevice found)
    : api_(*loaded_driver().api),
      found_(std::move(found)),
      uses_graphs_(wants_graphs()),
      ranges_(is_on("CORACLE_NVTX") ? loaded_ranges() : nullptr),
      choices_(found_, is_on("CORACLE_CUDA_MEASURE")) {
  const CUresult code = api_.cuDevicePrimaryCtxRetain(&context_, found_.device);
  require(code == CUDA_SUCCESS, code_of(code), "the device ", info().name,
          " cannot be opened: cuDevicePrimaryCtxRetain returned ", code_text(code));
  // After a fault the context fails for as long as others in this process, such as torch, hold it.
  CUresult working = CUDA_SUCCESS;
  {
    const ContextScope scope = enter();
    CUstream stream = nullptr;
    working = api_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (working == CUDA_SUCCESS) working = api_.cuStreamDestroy_v2(stream);
  }
  if (working == CUDA_SUCCESS) return;
  api_.cuDevicePrimaryCtxRelease_v2(found_.device);
  fail(code_of(working), "the device ", info().name, " cannot be opened: ", code_text(working),
       "; where it stays so, start the process anew, and look at nvidia-smi");
}

Opened::~Opened() {
  {
    const ContextScope scope = enter();
    programs_.clear();
    // Not in a forked child, where it would ask the driver.
    if (loaded_driver().api != nullptr) {
      if (products_ != nullptr) loaded_products().api->cublasLtDestroy(products_);
      if (convolutions_.handle != nullptr) loaded_convolutions().api->cudnnDestroy(convolutions_.handle);
    }
  }
  api_.cuDevicePrimaryCtxRelease_v2(found_.device);
}

void Opened::require_there() const {
  require(!lost(), ErrorCode::kRunFailure, "the device ", info().name, " is gone: the process has to open it again");
}

std::unique_ptr<coracle::internal::Queue> Opened::make_queue() {
  return std::make_unique<CommandQueue>(shared_from_this());
}

std::shared_ptr<void> Opened::allocate(size_t bytes) {
  require_there();
  const ContextScope scope = enter();
  CUdeviceptr memory = 0;
  const CUresult code = api_.cuMemAlloc_v2(&memory, bytes != 0 ? bytes : 1);  // no block is empty
  if (code != CUDA_SUCCESS) {
    note(code);
    fail(code_of(code), "no memory for a block of ", counted(bytes, "byte"), " on the device ", info().name,
         ", which has ", counted(info().memory_bytes, "byte"), ": cuMemAlloc returned ", code_text(code));
  }
  return {reinterpret_cast<void*>(memory), [self = shared_from_this()](void* block) {
            const ContextScope inside = self->enter();
            self->api_.cuMemFree_v2(reinterpret_cast<CUdeviceptr>(block));
          }};
}

std::shared_ptr<void> Opened::allocate_host(size_t bytes) {
  require_there();
  const ContextScope scope = enter();
  void* memory = nullptr;
  const CUresult code = api_.cuMemHostAlloc(&memory, bytes != 0 ? bytes : 1, 0);
  if (code != CUDA_SUCCESS) {
    note(code);
    fail(code_of(code), "no pinned host memory of ", counted(bytes, "byte"), " for copies to the device ", info().name,
         ": cuMemHostAlloc returned ", code_text(code));
  }
  return {memory, [self = shared_from_this()](void* block) {
            const ContextScope inside = self->enter();
            self->api_.cuMemFreeHost(block);
          }};
}

std::shared_ptr<const gpu::Function> Opened::compile(const gpu::Source& source, std::string_view name,
                                                     std::string_view definitions) {
  require_there();
  const ContextScope scope = enter();
  auto program = std::static_pointer_cast<const Program>(programs_.get(source, definitions));
  return std::make_shared<Function>(shared_from_this(), std::move(program), source.name, name);
}

std::shared_ptr<const gpu::Function> Opened::product(const gpu::Product& product) {
  require_there();
  const ContextScope scope = enter();
  std::call_once(products_asked_, [&] {
    const ProductsApi* api = loaded_products().api;
    if (api != nullptr && api->cublasLtCreate(&products_) != CUBLAS_STATUS_SUCCESS) products_ = nullptr;
  });
  return products_ == nullptr ? nullptr : ProductFunction::make(shared_from_this(), products_, product);
}

std::shared_ptr<const gpu::Function> Opened::convolution(const gpu::ImageConvolution& convolution) {
  require_there();
  const ContextScope scope = enter();
  std::call_once(convolutions_asked_, [&] {
    const ConvolutionsApi* api = loaded_convolutions().api;
    if (api != nullptr && api->cudnnCreate(&convolutions_.handle) != CUDNN_STATUS_SUCCESS) {
      convolutions_.handle = nullptr;
    }
  });
  if (convolutions_.handle == nullptr) return nullptr;
  return ConvolutionFunction::make(shared_from_this(), convolutions_, convolution);
}

void Opened::note(CUresult code) noexcept {
  switch (code) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_UNKNOWN: lost_.store(true, std::memory_order_relaxed); break;
    default: break;
  }
}

std::shared_ptr<OpenDevice> open(int index) {
  Probe none;
  std::vector<FoundDevice> found = find_devices(none);
  require(!found.empty(), ErrorCode::kUnsupported, "there is no CUDA device: ", none.missing);
  require(index >= 0 && static_cast<size_t>(index) < found.size(), ErrorCode::kInvalidArgument,
          "there is no CUDA device ", index, ": this machine has ", found.size(), ", counted from 0");
  FoundDevice& wanted = found[static_cast<size_t>(index)];
  struct Open {
    std::mutex mutex;
    std::vector<std::weak_ptr<Opened>> devices;
  };
  static Open& all = *new Open;
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.devices, [](const auto& device) { return device.expired(); });
  for (const auto& weak : all.devices) {
    const std::shared_ptr<Opened> device = weak.lock();
    if (device == nullptr || device->found().device != wanted.device) continue;
    // The context is one for the process: what is wrong with it stays as long as anybody holds it.
    require(!device->lost(), ErrorCode::kRunFailure, "the device ", wanted.info.name,
            " is gone, and models that use it are still loaded: close them before it is opened again");
    return device;
  }
  auto device = std::make_shared<Opened>(std::move(wanted));
  all.devices.push_back(device);
  return device;
}

}  // namespace coracle::internal::cuda
