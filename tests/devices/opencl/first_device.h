// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "devices/opencl/launch.h"
#include "plan/device.h"

namespace coracle::opencl {
extern const Device device;
}

namespace coracle::test {

/// Tests on the first OpenCL device, skipped where there is none.
class FirstDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const Probe probe = opencl::device.probe();
    if (probe.devices.empty()) GTEST_SKIP() << probe.missing;
    device_ = opencl::device.open(0);
    queue_ = device_->make_queue();
  }
  void TearDown() override {
    queue_.reset();
    device_.reset();
  }

  /// What the queue says at its end; empty where all went well.
  std::string finish() {
    std::string detail;
    const char* failure = queue_->finish(&detail);
    return failure == nullptr ? "" : text(failure, ": ", detail);
  }
  /// What is given afterwards finds it there.
  void upload(const void* from, DeviceBytes to, size_t bytes) {
    queue_->upload(from, to, bytes);
    queue_->order_after(queue_->record());
  }
  void launch(const opencl::Function& function, const opencl::Grid& grid,
              std::initializer_list<opencl::Argument> arguments) {
    KernelCall call;
    call.queue = queue_.get();
    call.context = context_;
    opencl::launch(call, function, grid, arguments);
  }

  std::shared_ptr<OpenDevice> device_;
  std::unique_ptr<Queue> queue_;
  const RunContext* context_ = &kNoRun;
};

/// A source that adds a number to each element of a tensor.
inline constexpr opencl::Source kAddSource = {"add_number", R"(
KERNEL(add_number)(GLOBAL STORED* p, offset_t begin, int count, float number) {
  const int i = global_id(0);
  if (i >= count) return;
  p += begin;
  STORE(p, i, LOAD(p, i) + number * FACTOR);
}
)"};

}  // namespace coracle::test
