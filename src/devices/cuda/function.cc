// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/function.h"

#include <algorithm>

#include "base/error.h"
#include "devices/cuda/opened.h"
#include "devices/gpu/launch_plan.h"

namespace coracle::internal::cuda {

Function::Function(std::shared_ptr<Opened> device, std::shared_ptr<const Program> program, std::string_view source,
                   std::string_view name)
    : device_(std::move(device)), program_(std::move(program)), name_(name) {
  const DriverApi& api = device_->api();
  const ContextScope scope = device_->enter();
  const CUresult code = api.cuModuleGetFunction(&function_, program_->handle(), name_.c_str());
  require(code == CUDA_SUCCESS, ErrorCode::kUnsupported, "kernels/", source, ".cl gives no function ", name,
          " for the device ", device_->info().name, ": cuModuleGetFunction returned ", code_text(code));
  int threads = 0;
  if (api.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function_) == CUDA_SUCCESS) {
    largest_group_ = static_cast<size_t>(std::max(threads, 1));
  }
}

Function::~Function() {
  const ContextScope scope = device_->enter();
  program_.reset();
}

std::string Function::launch_text(const gpu::Grid& grid) const {
  const gpu::Grid whole = gpu::whole_groups(grid, largest_group_);
  const std::array<int, 3>& most = device_->found().most_blocks;
  const auto three = [](const auto& f) { return text(f(0), " x ", f(1), " x ", f(2)); };
  return text(three([&](size_t d) { return whole.global[d] / whole.local[d]; }), " blocks of ",
              three([&](size_t d) { return whole.local[d]; }), " threads; there may be ",
              three([&](size_t d) { return most[d]; }), " of ", largest_group_, " threads");
}

CUresult Function::enqueue(CUstream stream, const gpu::Grid& grid,
                           std::span<const gpu::Argument> arguments) const noexcept {
  const gpu::Grid whole = gpu::whole_groups(grid, largest_group_);
  unsigned blocks[3];
  unsigned threads[3];
  for (size_t d = 0; d < 3; ++d) {
    if (whole.global[d] == 0) return CUDA_SUCCESS;
    const size_t count = whole.global[d] / whole.local[d];
    if (count > static_cast<size_t>(device_->found().most_blocks[d]) || whole.local[d] > largest_group_) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    blocks[d] = static_cast<unsigned>(count);
    threads[d] = static_cast<unsigned>(whole.local[d]);
  }
  void* parameters[2 * gpu::kMaxParameters];
  size_t next = 0;
  for (const gpu::Argument& argument : arguments) {
    if (next + 2 > std::size(parameters)) return CUDA_ERROR_INVALID_VALUE;
    if (argument.allocation() != nullptr) {
      parameters[next++] = const_cast<void*>(static_cast<const void*>(argument.allocation()));
    }
    parameters[next++] = const_cast<void*>(argument.value());
  }
  return device_->api().cuLaunchKernel(function_, blocks[0], blocks[1], blocks[2], threads[0], threads[1], threads[2],
                                       0, stream, parameters, nullptr);
}

}  // namespace coracle::internal::cuda
