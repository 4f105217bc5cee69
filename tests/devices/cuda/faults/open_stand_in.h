// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"
#include "devices/cuda/faults/stand_in.h"

namespace coracle::internal::test {

/// The device is open during each test.
class OpenStandIn : public CudaStandIn {
 protected:
  void SetUp() override {
    CudaStandIn::SetUp();
    if (!HasFatalFailure() && !IsSkipped()) open();
  }
  void TearDown() override {
    close();
    CudaStandIn::TearDown();
  }
  void open() {
    device_ = kDevice.open(0);
    queue_ = device_->make_queue();
  }
  void close() {
    queue_.reset();
    device_.reset();
  }
  std::string finish() {
    std::string detail;
    const char* failure = queue_->finish(&detail);
    return failure == nullptr ? "" : text(failure, ": ", detail);
  }

  std::shared_ptr<OpenDevice> device_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace coracle::internal::test
