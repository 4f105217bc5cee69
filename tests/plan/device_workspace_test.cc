// SPDX-License-Identifier: Apache-2.0
// Workspaces of a device's kernels lie in its arena, beside what is alive while their kernel runs.
#include <gtest/gtest.h>

#include <algorithm>

#include "ops/activation/relu.h"
#include "plan/placement.h"
#include "plan/reference_kernel.h"
#include "plan/waits.h"
#include "support/late_device.h"

namespace coracle::internal {
namespace {

constexpr int64_t kElements = 1000;

/// A chain on device 1: %1 comes from the host, %3 is made of it, %5 of %3, %7 of %5 and %1.
Steps chain(const std::vector<size_t>& workspaces) {
  Steps steps;
  for (int l = 0; l < 8; ++l) {
    SegmentBuffer& buffer = steps.buffers.emplace_back();
    buffer.fact = Fact(DType::kFloat32, {kElements});
    buffer.fact.place = Place{static_cast<uint8_t>(l % 2)};
  }
  const auto add = [&](std::vector<int> in, int out) -> Step& {
    Step& step = steps.steps.emplace_back();
    step.op = Relu{};
    step.kernel = &nothing_kernel();
    step.place = Place{1};
    step.in = std::move(in);
    step.out = {out};
    return step;
  };
  add({0}, 1).copy = std::make_shared<CopyPlan>(CopyPlan{.upload = true});
  add({1}, 3);
  add({3}, 5);
  add({5, 1}, 7);
  add({7}, 6).copy = std::make_shared<CopyPlan>(CopyPlan{.upload = false});
  for (size_t i = 0; i < workspaces.size(); ++i) steps.steps[i + 1].prepared.workspace = workspaces[i];
  add_waits(steps);
  const std::vector<UsedDevice> devices = {test::use(test::LateDevice::make())};
  place_in_memory(kNoRun, steps, devices);
  return steps;
}

TEST(DeviceWorkspaces, AreAlignedAndApartFromWhatIsAlive) {
  const std::vector<size_t> sizes = {1001, 0, 70000};
  const Steps steps = chain(sizes);
  // Of the device's buffers, by the step that runs.
  const std::vector<std::vector<int>> alive = {{1, 3}, {1, 3, 5}, {1, 5, 7}};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Step& step = steps.steps[i + 1];
    ASSERT_EQ(step.workspace >= 0, sizes[i] != 0);
    if (step.workspace < 0) continue;
    const SegmentBuffer& own = steps.buffers[static_cast<size_t>(step.workspace)];
    EXPECT_EQ(own.fact.place, Place{1});
    EXPECT_EQ(own.slot.kind, Slot::Kind::kArena);
    EXPECT_EQ(own.slot.offset % 256, 0U);
    EXPECT_LE(own.slot.offset + sizes[i], steps.devices[0].allocations.at(own.slot.allocation));
    for (const int l : alive[i]) {
      const Slot& other = steps.buffers[static_cast<size_t>(l)].slot;
      const bool apart = other.allocation != own.slot.allocation ||
                         other.offset + kElements * sizeof(float) <= own.slot.offset ||
                         own.slot.offset + sizes[i] <= other.offset;
      EXPECT_TRUE(apart) << "step " << i + 1 << ", buffer " << l;
    }
  }
  EXPECT_EQ(steps.arena_bytes, steps.workspace_offset) << "the host has none";
}

TEST(DeviceWorkspaces, LieWhereOthersLieAtOtherTimes) {
  const auto bytes = [](const std::vector<size_t>& workspaces) {
    return chain(workspaces).devices[0].allocations.at(0);
  };
  EXPECT_EQ(bytes({4000, 0, 0}), bytes({0, 0, 0})) << "where %5 will be";
  EXPECT_EQ(bytes({70000, 0, 70000}), bytes({0, 0, 70000}));
}

}  // namespace
}  // namespace coracle::internal
