// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plan/kernel.h"

namespace coracle::internal::test {

/// A kernel call that outlives the one who gave it.
struct LateCall {
  /// An operand or result.
  struct Tensor {
    DeviceBytes at;            ///< on the device,
    bool on_host = false;      ///< or on the host, at `elements`
    size_t bytes = 0;          ///< at least so many lie there
    void* elements = nullptr;  ///< for the queue to find
    const Fact* fact = nullptr;
  };
  /// Runs it on `elements`: null, or why it failed.
  const char* run(std::string* detail) const;

  std::vector<Tensor> tensors;  ///< operands, then results, then the workspace if there is any
  size_t operands = 0;
  size_t results = 0;
  const KernelDef* kernel = nullptr;  ///< of the CPU
  const Prepared* prepared = nullptr;
  KernelCall call;  ///< all else
  int threads = 1;
};

/// What the kernels need of a queue.
class LateKernels {
 public:
  virtual void run(LateCall call) = 0;

 protected:
  ~LateKernels() = default;
};

}  // namespace coracle::internal::test
