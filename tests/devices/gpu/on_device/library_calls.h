// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cmath>
#include <deque>
#include <thread>
#include <vector>

#include "devices/gpu/on_device/first_device.h"

namespace coracle::internal::test {

/// Numbers that sums in another order show.
inline std::vector<float> numbers(int64_t count, unsigned seed) {
  std::vector<float> all(static_cast<size_t>(count));
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = std::sin(static_cast<float>(i * 37 + seed * 11 + 1)) * (i % 5 == 0 ? 100.0F : 0.37F);
  }
  return all;
}

/// Functions of a library of the device's maker: `Base` opens the device and has a queue.
template <class Base>
class LibraryCalls : public Base {
 protected:
  gpu::OpenGpu& gpu() const { return static_cast<gpu::OpenGpu&>(*this->device_); }
  /// Bytes on the device, at an offset that arenas give.
  struct Block {
    std::shared_ptr<void> memory;
    gpu::Argument argument;
  };
  template <class T>
  Block block(const std::vector<T>& values) {
    constexpr size_t kOffset = 128;
    const size_t bytes = values.size() * sizeof(T);
    auto memory = this->device_->allocate(kOffset + bytes);
    upload_.emplace_back(reinterpret_cast<const char*>(values.data()), bytes);
    this->queue_->upload(upload_.back().data(), {memory.get(), kOffset}, bytes);
    this->queue_->order_after(this->queue_->record());
    const DeviceBytes at{memory.get(), kOffset};
    return {std::move(memory), gpu::Argument(at, sizeof(T))};
  }
  /// y of float32, `count` elements; what fails is in `error_`, also that there is no function.
  std::vector<float> run(const std::shared_ptr<const gpu::Function>& function, int64_t count,
                         const std::vector<std::vector<float>>& operands) {
    error_.clear();
    std::vector<float> y(static_cast<size_t>(count), NAN);
    if (function == nullptr) {
      error_ = "not taken";
      return y;
    }
    const Block result = block(y);
    std::vector<Block> blocks;
    std::vector<gpu::Argument> arguments = {result.argument};
    for (const std::vector<float>& operand : operands) {
      blocks.push_back(block(operand));
      arguments.push_back(blocks.back().argument);
    }
    if (const size_t bytes = function->workspace(); bytes != 0) {
      blocks.push_back(block(std::vector<float>((bytes + 3) / 4)));
      arguments.push_back(blocks.back().argument);
    }
    static_cast<gpu::GpuQueue&>(*this->queue_).launch(kNoRun, *function, {}, arguments);
    this->queue_->download({result.memory.get(), 128}, y.data(), y.size() * sizeof(float));
    error_ = this->finish();
    upload_.clear();
    return y;
  }

  /// Four threads call a function, each with a bias of its own, `biases` times the same: it adds that to `sum` in all
  /// 16 elements of y.
  void expect_for_threads(const std::shared_ptr<const gpu::Function>& function, const std::vector<float>& a,
                          const std::vector<float>& b, size_t biases, float sum) {
    ASSERT_NE(function, nullptr);
    const Block first = block(a);
    const Block second = block(b);
    ASSERT_EQ(this->finish(), "");
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const auto queue = this->device_->make_queue();
        const auto memory = this->device_->allocate(256);
        const std::vector<float> bias(biases, static_cast<float>(t));
        queue->upload(bias.data(), {memory.get(), 0}, biases * sizeof(float));
        queue->order_after(queue->record());
        for (int i = 0; i < 50; ++i) {
          std::vector<float> y(16);
          launch(*queue, *function, {},
                 {{DeviceBytes{memory.get(), 128}, 4},
                  first.argument,
                  second.argument,
                  {DeviceBytes{memory.get(), 0}, 4}});
          queue->download({memory.get(), 128}, y.data(), y.size() * sizeof(float));
          if (queue->finish(nullptr) != nullptr || y != std::vector<float>(16, sum + static_cast<float>(t))) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }

  std::deque<std::string> upload_;
  std::string error_;
};

}  // namespace coracle::internal::test
