// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/error.h"
#include "devices/gpu/open_gpu.h"
#include "plan/device.h"

namespace coracle::internal::CORACLE_TEST_GPU {
extern const Device device;
}

namespace coracle::internal::test {

/// The kind of device that the program tests: CORACLE_TEST_GPU is its name.
inline const Device& kDevice = CORACLE_TEST_GPU::device;

inline std::shared_ptr<const gpu::Function> compile(OpenDevice& device, const gpu::Source& source,
                                                    std::string_view name, std::string_view definitions) {
  return static_cast<gpu::OpenGpu&>(device).compile(source, name, definitions);
}
inline void launch(Queue& queue, const gpu::Function& function, const gpu::Grid& grid,
                   std::initializer_list<gpu::Argument> arguments, const RunContext& run = kNoRun) {
  static_cast<gpu::GpuQueue&>(queue).launch(run, function, grid, {arguments.begin(), arguments.size()});
}

/// Tests on the first device of the kind, skipped where there is none.
class FirstDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const Probe probe = kDevice.probe();
    if (probe.devices.empty()) GTEST_SKIP() << probe.missing;
    device_ = kDevice.open(0);
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
  std::shared_ptr<OpenDevice> device_;
  std::unique_ptr<Queue> queue_;
  const RunContext* context_ = &kNoRun;
};

/// A source that adds a number to each element of a tensor.
inline constexpr gpu::Source kAddSource = {"add_number", R"(
KERNEL(add_number)(GLOBAL STORED* p, offset_t begin, int count, float number) {
  const int i = global_id(0);
  if (i >= count) return;
  p += begin;
  STORE(p, i, LOAD(p, i) + number * FACTOR);
}
)"};

}  // namespace coracle::internal::test
