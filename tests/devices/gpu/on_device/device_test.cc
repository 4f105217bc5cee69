// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <thread>

#include "base/error.h"
#include "base/half.h"
#include "devices/gpu/on_device/first_device.h"

namespace coracle::internal::test {
namespace {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.text();
  }
  return "no error";
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

using GpuDevice = FirstDevice;

TEST_F(GpuDevice, SaysWhatItIs) {
  const DeviceInfo& info = device_->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_GT(info.memory_bytes, size_t{1} << 20U);
  EXPECT_GT(info.largest_allocation, size_t{1} << 20U);
  EXPECT_GE(info.alignment, 128U);
  EXPECT_GE(info.compute_units, 1);
  EXPECT_FALSE(device_->lost());
}

TEST_F(GpuDevice, IsOpenOnceForAllModels) { EXPECT_EQ(kDevice.open(0), device_); }

TEST_F(GpuDevice, IndexBeyondTheDevices) {
  for (const int index : {-1, 1000}) {
    EXPECT_TRUE(says(error_of([&] { kDevice.open(index); }), text(" device ", index, ": ")));
  }
}

TEST_F(GpuDevice, CopiesGoThereAndBackInOrder) {
  std::vector<float> numbers(100'003);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  const size_t bytes = numbers.size() * sizeof(float);
  const auto a = device_->allocate(bytes + 512);
  const auto b = device_->allocate(bytes + 512);
  std::vector<float> back(numbers.size());
  upload(numbers.data(), {a.get(), 256}, bytes);
  queue_->copy({a.get(), 256}, {b.get(), 128}, bytes);
  queue_->download({b.get(), 128}, back.data(), bytes);
  EXPECT_EQ(finish(), "");
  EXPECT_EQ(back, numbers);
}

TEST_F(GpuDevice, NothingIsCopiedWithoutBytes) {
  const auto block = device_->allocate(0);
  queue_->upload(nullptr, {block.get(), 0}, 0);
  queue_->download({block.get(), 0}, nullptr, 0);
  EXPECT_EQ(finish(), "");
}

TEST_F(GpuDevice, HostMemoryIsAlignedAndCopiedFrom) {
  for (const size_t count : {1U, 1000U, 300'000U}) {
    const auto host = device_->allocate_host(count * sizeof(float));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(host.get()) % 128, 0U);
    auto* numbers = static_cast<float*>(host.get());
    std::iota(numbers, numbers + count, 1.0F);
    const auto block = device_->allocate(count * sizeof(float));
    std::vector<float> back(count);
    queue_->upload(numbers, {block.get(), 0}, count * sizeof(float));
    queue_->download({block.get(), 0}, back.data(), count * sizeof(float));
    EXPECT_EQ(finish(), "");
    EXPECT_TRUE(std::equal(back.begin(), back.end(), numbers));
  }
}

TEST_F(GpuDevice, BlocksLiveUntilTheWorkIsDone) {
  std::vector<float> numbers(1U << 20U, 3.0F);
  std::vector<float> back(numbers.size());
  const size_t bytes = numbers.size() * sizeof(float);
  auto a = device_->allocate(bytes);
  auto b = device_->allocate(bytes);
  upload(numbers.data(), {a.get(), 0}, bytes);
  queue_->copy({a.get(), 0}, {b.get(), 0}, bytes);
  a.reset();
  queue_->download({b.get(), 0}, back.data(), bytes);
  b.reset();
  EXPECT_EQ(finish(), "");
  EXPECT_EQ(back, numbers);
}

TEST_F(GpuDevice, TooMuchMemoryIsRefused) {
  constexpr size_t kPetabyte = size_t{1} << 50U;
  try {
    device_->allocate(kPetabyte);
    FAIL() << "a petabyte was given";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
    EXPECT_TRUE(says(e.text(), "1125899906842624 bytes")) << e.text();
    EXPECT_TRUE(says(e.text(), device_->info().name)) << e.text();
  }
  EXPECT_NE(device_->allocate(16), nullptr);
}

TEST_F(GpuDevice, MarksAreWaitedForInAnyOrderAndNumber) {
  const auto block = device_->allocate(sizeof(int));
  std::vector<int> values(500);
  std::iota(values.begin(), values.end(), 0);
  std::vector<int> back(values.size(), -1);
  std::vector<Queue::Event> events;
  for (size_t i = 0; i < values.size(); ++i) {
    queue_->upload(&values[i], {block.get(), 0}, sizeof(int));
    queue_->download({block.get(), 0}, &back[i], sizeof(int));
    events.push_back(queue_->record());
  }
  for (const size_t i : {size_t{0}, size_t{250}, size_t{100}, size_t{499}}) {
    EXPECT_EQ(queue_->wait(events[i], nullptr), nullptr);
    EXPECT_TRUE(std::equal(values.begin(), values.begin() + static_cast<int>(i) + 1, back.begin()));
  }
}

TEST_F(GpuDevice, KernelsGetTensorsAndNumbers) {
  const auto function = compile(*device_, kAddSource, "add_number", "-DFACTOR=2.0f");
  for (const int count : {1, 63, 64, 65, 1000}) {
    std::vector<float> numbers(static_cast<size_t>(count) + 64, 1.0F);
    const size_t bytes = numbers.size() * sizeof(float);
    const auto block = device_->allocate(bytes);
    upload(numbers.data(), {block.get(), 0}, bytes);
    const Fact fact(DType::kFloat32, {count});
    TensorView tensor{block.get(), &fact, 128};
    launch(*queue_, *function, {.global = {static_cast<size_t>(count), 1, 1}}, {tensor, count, 0.5F});
    queue_->download({block.get(), 0}, numbers.data(), bytes);
    EXPECT_EQ(finish(), "");
    for (int i = 0; i < count + 64; ++i) {
      EXPECT_EQ(numbers[static_cast<size_t>(i)], i >= 32 && i < 32 + count ? 2.0F : 1.0F) << i << " of " << count;
    }
  }
}

TEST_F(GpuDevice, HalfIsStoredRoundedToEven) {
  const auto function = compile(*device_, kAddSource, "add_number", "-DFACTOR=1.0f -DHALF");
  const std::vector<float> given = {1.0F, 2048.0F, 2049.0F, 65504.0F, 1e-7F, -3.25F};
  std::vector<uint16_t> halves(given.size());
  for (size_t i = 0; i < given.size(); ++i) halves[i] = Float16::from_float(given[i]);
  std::vector<uint16_t> expected(given.size());
  for (size_t i = 0; i < given.size(); ++i) expected[i] = Float16::from_float(Float16::to_float(halves[i]) + 1.0F);
  const auto block = device_->allocate(halves.size() * 2);
  upload(halves.data(), {block.get(), 0}, halves.size() * 2);
  launch(*queue_, *function, {.global = {halves.size(), 1, 1}},
         {{DeviceBytes{block.get(), 0}, 2}, static_cast<int32_t>(halves.size()), 1.0F});
  queue_->download({block.get(), 0}, halves.data(), halves.size() * 2);
  EXPECT_EQ(finish(), "");
  EXPECT_EQ(halves, expected);
}

TEST_F(GpuDevice, OneFunctionServesManyThreads) {
  const auto function = compile(*device_, kAddSource, "add_number", "-DFACTOR=1.0f");
  constexpr int kCount = 1000;
  std::vector<std::vector<float>> results(4, std::vector<float>(kCount, 0.0F));
  std::vector<std::thread> threads;
  for (size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto queue = device_->make_queue();
      const auto block = device_->allocate(kCount * sizeof(float));
      queue->upload(results[t].data(), {block.get(), 0}, kCount * sizeof(float));
      queue->order_after(queue->record());
      for (int i = 0; i < 100; ++i) {
        launch(*queue, *function, {.global = {kCount, 1, 1}},
               {{DeviceBytes{block.get(), 0}, 4}, kCount, static_cast<float>(t + 1)});
      }
      queue->download({block.get(), 0}, results[t].data(), kCount * sizeof(float));
      EXPECT_EQ(queue->finish(nullptr), nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < results.size(); ++t) {
    EXPECT_EQ(results[t], std::vector<float>(kCount, 100.0F * static_cast<float>(t + 1)));
  }
}

TEST_F(GpuDevice, WhatDoesNotCompileShowsTheCompilersWords) {
  const gpu::Source wrong = {"wrong", "KERNEL(wrong)(GLOBAL float* p) { *p = no_such_name; }\n"};
  const std::string error = error_of([&] { compile(*device_, wrong, "wrong", "-DONE=1"); });
  EXPECT_TRUE(says(error, "kernels/wrong.cl does not compile ")) << error;
  EXPECT_TRUE(says(error, "-DONE=1")) << error;
  EXPECT_TRUE(says(error, "no_such_name")) << error;
  EXPECT_TRUE(says(error_of([&] { compile(*device_, kAddSource, "other", "-DFACTOR=1.0f"); }),
                   "kernels/add_number.cl gives no function other"));
  EXPECT_EQ(error_of([&] { compile(*device_, {"no_such_file"}, "f", ""); }),
            "there is no source kernels/no_such_file.cl");
}

TEST_F(GpuDevice, FailuresAreKeptUntilTheyAreTold) {
  const auto function = compile(*device_, kAddSource, "add_number", "-DFACTOR=1.0f");
  std::vector<float> numbers(8, 1.0F);
  const auto block = device_->allocate(32);
  queue_->upload(numbers.data(), {block.get(), 0}, 32);
  EXPECT_EQ(finish(), "");
  // Groups larger than those of any device.
  constexpr size_t kItems = size_t{1} << 24U;
  launch(*queue_, *function, {.global = {kItems, 1, 1}, .local = {kItems, 1, 1}},
         {{DeviceBytes{block.get(), 0}, 4}, 8, 1.0F});
  std::vector<float> untouched(8, 7.0F);
  queue_->download({block.get(), 0}, untouched.data(), 32);
  const Queue::Event event = queue_->record();
  std::string detail;
  EXPECT_NE(queue_->wait(event, &detail), nullptr);
  EXPECT_TRUE(says(detail, "add_number")) << detail;
  EXPECT_EQ(untouched, std::vector<float>(8, 7.0F));
  EXPECT_FALSE(device_->lost());
  queue_->download({block.get(), 0}, untouched.data(), 32);
  EXPECT_EQ(finish(), "");
  EXPECT_EQ(untouched, numbers);
}

TEST_F(GpuDevice, TimesAreKeptWhileTheyAreWanted) {
  const auto function = compile(*device_, kAddSource, "add_number", "-DFACTOR=1.0f");
  constexpr int kCount = 1 << 20;
  const auto block = device_->allocate(kCount * sizeof(float));
  const gpu::Argument memory(DeviceBytes{block.get(), 0}, 4);
  Queue::Event before = queue_->record();
  EXPECT_LT(queue_->span(before, queue_->record()).begin_ns, 0);
  queue_->profile(true);
  before = queue_->record();
  launch(*queue_, *function, {.global = {kCount, 1, 1}}, {memory, kCount, 1.0F});
  const Queue::Event between = queue_->record();
  for (int i = 0; i < 10; ++i) launch(*queue_, *function, {.global = {kCount, 1, 1}}, {memory, kCount, 1.0F});
  const Queue::Event after = queue_->record();
  EXPECT_EQ(finish(), "");
  const Queue::Span one = queue_->span(before, between);
  const Queue::Span ten = queue_->span(between, after);
  EXPECT_GE(one.begin_ns, 0);
  EXPECT_GT(one.duration_ns, 0);
  EXPECT_GE(ten.begin_ns, one.begin_ns + one.duration_ns);
  EXPECT_GT(ten.duration_ns, 0);
  queue_->profile(false);
  EXPECT_LT(queue_->span(before, between).begin_ns, 0);
}

}  // namespace
}  // namespace coracle::internal::test
