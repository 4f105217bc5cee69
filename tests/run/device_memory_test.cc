// SPDX-License-Identifier: Apache-2.0
// Where tensors on a device lie depends on what is made and left, and on nothing before it; and memory stays flat.
#include "run/device_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/late_device.h"

namespace coracle::internal::test {
namespace {

Tensor tensor_in(DeviceMemory& memory, size_t bytes) {
  return memory.make(DType::kUint8, {static_cast<int64_t>(bytes)}, nullptr);
}

/// Makes and leaves tensors of up to `largest` bytes, some at a time, which ones and when `seed` says. `order` says in
/// which order the last ones are left. Returns where each lay.
std::vector<void*> make_and_leave(DeviceMemory& memory, unsigned seed, size_t largest, unsigned order,
                                  size_t* most = nullptr) {
  std::mt19937 random(seed);
  std::vector<Tensor> held;
  std::vector<void*> addresses;
  for (int i = 0; i < 60; ++i) {
    if (held.size() > random() % 6) held.erase(held.begin() + static_cast<ptrdiff_t>(random() % held.size()));
    held.push_back(tensor_in(memory, 1 + random() % largest));
    addresses.push_back(held.back().storage()->memory());
    size_t bytes = 0;
    for (const Tensor& t : held) bytes += t.storage()->bytes();
    if (most != nullptr) *most = std::max(*most, bytes);
  }
  std::shuffle(held.begin(), held.end(), std::mt19937(order));
  for (Tensor& t : held) t = Tensor();
  return addresses;
}

TEST(DeviceMemory, TheSameTensorsLieWhereTheyLay) {
  const auto device = LateDevice::make();
  const auto memory = std::make_shared<DeviceMemory>(device);
  std::vector<std::vector<void*>> first;
  for (unsigned seed = 0; seed < 8; ++seed) first.push_back(make_and_leave(*memory, seed, 1000, seed));
  const int allocations = device->counts().allocations;
  EXPECT_LT(allocations, 8 * 60 / 4) << "blocks are used again";
  std::mt19937 random(1);
  for (unsigned i = 0; i < 100; ++i) {
    const unsigned seed = random() % 8;
    EXPECT_EQ(make_and_leave(*memory, seed, 1000, i), first[seed]) << i;
  }
  EXPECT_EQ(device->counts().allocations, allocations);
}

TEST(DeviceMemory, IsAtMostTwiceWhatTensorsTookAtOneTime) {
  constexpr size_t kMegabyte = size_t{1} << 20U;
  const auto device = LateDevice::make();
  const auto memory = std::make_shared<DeviceMemory>(device);
  size_t most = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    make_and_leave(*memory, seed, kMegabyte, seed, &most);
    EXPECT_LE(memory->bytes(), 2 * most);
    EXPECT_EQ(memory->bytes(), device->counts().bytes);
  }
  // What a loop carries, where that grows.
  memory->release();
  EXPECT_EQ(memory->bytes(), 0U);
  size_t peak = 0;
  Tensor carried;
  for (size_t bytes = kMegabyte; bytes < 4 * kMegabyte; bytes += kMegabyte / 16) {
    carried = tensor_in(*memory, bytes);
    peak = std::max(peak, memory->bytes());
  }
  EXPECT_LE(peak, 16 * kMegabyte) << "the last two, and as much again";
}

TEST(DeviceMemory, WhatIsKeptMakesRoom) {
  const auto device = LateDevice::make();
  const auto memory = std::make_shared<DeviceMemory>(device);
  Tensor held = tensor_in(*memory, 1000);
  tensor_in(*memory, 100);
  device->set_faults({.allocation = 1});
  Tensor other = tensor_in(*memory, 10);
  EXPECT_EQ(memory->bytes(), 1010U) << "the block of 100 bytes is freed";
  device->set_faults({.allocation = 1});
  EXPECT_THROW(tensor_in(*memory, 100), Error) << "nothing is kept";
  device->set_faults({});
  EXPECT_EQ(memory->bytes(), 1010U);
  held = Tensor();
  other = Tensor();
  EXPECT_EQ(memory->bytes(), 1010U) << "they are kept";
  memory->close();
  EXPECT_EQ(device->counts().bytes, 0U);
}

}  // namespace
}  // namespace coracle::internal::test
