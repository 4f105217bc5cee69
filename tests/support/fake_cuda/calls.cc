// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cuda/calls.h"

#include <cstdlib>

#include "devices/cuda/driver.h"

namespace coracle::internal::fake_cuda {

int Calls::enter(const char* function, bool may_be_lost) {
  ++counts_[function];
  if (++total_ == lost_at_) lost_ = true;
  if (lost_ && may_be_lost) {
    has_failed_ = true;
    return cuda::CUDA_ERROR_UNKNOWN;
  }
  if (failing_ != function || code_ == 0) return 0;
  if (skipped_ > 0) {
    --skipped_;
    return 0;
  }
  has_failed_ = true;
  return code_;
}

void Calls::fail(const char* function, int code, int64_t skipped) {
  failing_ = function;
  code_ = code;
  skipped_ = skipped;
}

void Calls::lose(int64_t call) {
  lost_ = false;
  if (call == 0) has_failed_ = false;
  lost_at_ = call == 0 ? 0 : total_ + call;
}

int64_t Calls::count(const char* function) const {
  if (function == nullptr) return total_;
  const auto it = counts_.find(function);
  return it == counts_.end() ? 0 : it->second;
}

int setting(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : std::atoi(value);
}

}  // namespace coracle::internal::fake_cuda
