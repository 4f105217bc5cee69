// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "api/handles.h"
#include "base/fact.h"

namespace coracle::internal {

/// What a caller lends, until it is released; where a function fails that is to take it, the caller keeps it.
class Lent {
 public:
  Lent(coracle_release_function release, void* user) : release_(release), user_(user) {}
  ~Lent() {
    if (is_taken_ && release_ != nullptr) release_(user_);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  void take() { is_taken_ = true; }

 private:
  const coracle_release_function release_;
  void* const user_;
  bool is_taken_ = false;
};

/// A tensor of a type in memory of the caller's on a device. Throws Error; then nothing is taken.
std::unique_ptr<coracle_device_tensor> wrapped(std::shared_ptr<OpenDevice> device, const Fact& type, void* data,
                                               void* stream, coracle_release_function release, void* user);

/// The device of a tensor, and with that its address given to somebody who uses it on that stream. Throws Error for
/// devices that are not shared.
SharedDevice& given_out(const coracle_device_tensor& tensor, void* stream);

}  // namespace coracle::internal
