// SPDX-License-Identifier: Apache-2.0
// Copies between host and device run beside kernels, and each waits for what it has to.
#include <numeric>

#include "base/cancellation.h"
#include "base/run_context.h"
#include "devices/gpu/on_device/first_device.h"

namespace coracle::internal::test {
namespace {

/// One item that adds 1 as often as it is told, one after the other: it takes long, and one thread of the device.
constexpr gpu::Source kSlowSource = {"slow", R"(
KERNEL(slow)(GLOBAL float* p, offset_t begin, int times) {
  if (global_id(0) != 0) return;
  p += begin;
  for (int i = 0; i < times; ++i) *(volatile GLOBAL float*)p = *(volatile GLOBAL float*)p + 1.0f;
}
)"};

class GpuQueue : public FirstDevice {
 protected:
  void SetUp() override {
    FirstDevice::SetUp();
    if (IsSkipped()) return;
    function_ = compile(*device_, kSlowSource, "slow", "");
    block_ = device_->allocate(kBytes);
  }
  void TearDown() override {
    function_.reset();
    block_.reset();
    FirstDevice::TearDown();
  }
  void run_slowly(int times) {
    launch(*queue_, *function_, {.global = {1, 1, 1}}, {{DeviceBytes{block_.get(), 0}, 4}, times}, *context_);
  }

  static constexpr size_t kCount = size_t{1} << 20U;
  static constexpr size_t kBytes = kCount * sizeof(float);
  std::shared_ptr<const gpu::Function> function_;
  std::shared_ptr<void> block_;
};

TEST_F(GpuQueue, CopiesRunBesideKernels) {
  if (device_->info().compute_units < 2) GTEST_SKIP() << "the device does one thing at a time";
  const auto other = device_->allocate(kBytes);
  std::vector<float> numbers(kCount, 3.0F);
  run_slowly(1);  // drivers may compile it now
  ASSERT_EQ(finish(), "");
  queue_->profile(true);
  const Queue::Event start = queue_->record();
  run_slowly(100'000'000);
  const Queue::Event given = queue_->record();
  queue_->upload(numbers.data(), {other.get(), 0}, kBytes);
  const Queue::Event end = queue_->record();
  ASSERT_EQ(queue_->wait(end, nullptr), nullptr);
  ASSERT_EQ(finish(), "");
  const Queue::Span kernel = queue_->span(start, given);
  const Queue::Span copy = queue_->span(given, end);
  ASSERT_GE(kernel.duration_ns, 0) << "the driver keeps no times";
  EXPECT_LT(copy.begin_ns + copy.duration_ns, kernel.begin_ns + kernel.duration_ns) << "it waited for the kernel";
  queue_->profile(false);
}

TEST_F(GpuQueue, CopiesToTheHostWaitForTheKernelsBefore) {
  std::vector<float> numbers(kCount, 0.0F);
  upload(numbers.data(), {block_.get(), 0}, kBytes);
  for (int i = 1; i <= 20; ++i) {
    run_slowly(100'000);
    float result = 0;
    queue_->download({block_.get(), 0}, &result, sizeof(result));
    ASSERT_EQ(queue_->wait(queue_->record(), nullptr), nullptr);
    EXPECT_EQ(result, 100'000.0F * static_cast<float>(i));
  }
}

TEST_F(GpuQueue, KernelsWaitForTheCopiesThatTheyAreOrderedAfter) {
  std::vector<std::vector<float>> numbers;
  for (int i = 0; i < 20; ++i) numbers.emplace_back(kCount, static_cast<float>(i));
  std::vector<float> results(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto block = std::exchange(block_, device_->allocate(kBytes));
    upload(numbers[i].data(), {block_.get(), 0}, kBytes);
    run_slowly(1000);
    queue_->download({block_.get(), 0}, &results[i], sizeof(float));
  }
  EXPECT_EQ(finish(), "");
  for (size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], static_cast<float>(i) + 1000.0F);
}

TEST_F(GpuQueue, OldMarksAreOrderedAfterWithLaterOnes) {
  // More events than a queue keeps: whoever is ordered after an old one waits for a later copy instead.
  std::vector<float> numbers(500);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  std::vector<Queue::Event> events;
  for (size_t i = 0; i < numbers.size(); ++i) {
    queue_->upload(&numbers[i], {block_.get(), 0}, sizeof(float));
    events.push_back(queue_->record());
  }
  float result = -1;
  for (const size_t i : {size_t{0}, size_t{499}}) queue_->order_after(events[i]);
  run_slowly(1);
  queue_->download({block_.get(), 0}, &result, sizeof(result));
  EXPECT_EQ(finish(), "");
  EXPECT_EQ(result, 500.0F);
}

TEST_F(GpuQueue, AHostThatMayBeCancelledIsNotFarAhead) {
  constexpr int kKernels = 1000;
  const auto other = device_->make_queue();
  const float zero = 0;
  queue_->upload(&zero, {block_.get(), 0}, sizeof(zero));
  queue_->order_after(queue_->record());
  Cancellation calls;
  const Cancellation::Scope call(calls);
  const RunContext context(Deadline("the run", Deadline::Clock::now(), 0, &calls.state()));
  context_ = &context;
  for (int i = 0; i < kKernels; ++i) run_slowly(1);
  // Another queue waits for nothing of the first one.
  float done = 0;
  other->download({block_.get(), 0}, &done, sizeof(done));
  ASSERT_EQ(other->finish(nullptr), nullptr);
  EXPECT_GE(done, kKernels - 128.0F) << "of so many kernels are done";
  EXPECT_EQ(finish(), "");
}

}  // namespace
}  // namespace coracle::internal::test
