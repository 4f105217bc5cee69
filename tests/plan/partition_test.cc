// SPDX-License-Identifier: Apache-2.0
#include "plan/partition.h"

#include <gtest/gtest.h>

#include <map>

#include "loading/model.h"
#include "run/session.h"
#include "support/late_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

/// The steps for an input of that shape, with causes.
std::shared_ptr<const Steps> explained(const std::shared_ptr<const Model>& model, const Shape& shape) {
  Session session(model, {.threads = 1});
  session.set_input(0, random_tensor(shape, 1));
  return session.explain();
}

const Step& step_of(const Steps& planned, std::string_view op) {
  for (const Step& step : planned.steps) {
    if (op == step.op.name()) return step;
  }
  throw Error(ErrorCode::kInvalidArgument, text("there is no step ", op));
}

std::shared_ptr<const Model> with_unprofitable(const char* graph, const LateOptions& device = {}) {
  ModelOptions options;
  options.kernels.devices = {use(LateDevice::make(device))};
  return model_of(graph, options);
}

const char* const kConvolution = R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[64, 16, 3, 3] = random(1)
  %a = conv2d(%x, @w) {paddings = [1, 1]}
  %b = sinh(%a)
  return %b "y"
})";

TEST(Partition, LargeIslandsStayOnTheDeviceAndSmallOnesGoBack) {
  const auto model = with_unprofitable(kConvolution);
  const auto large = explained(model, {1, 16, 200, 200});
  EXPECT_EQ(step_of(*large, "sinh").place, Place{1});
  EXPECT_EQ(step_of(*large, "sinh").cause, "a kernel of late takes it");
  const auto small = explained(model, {1, 16, 3, 3});
  EXPECT_EQ(step_of(*small, "sinh").place, Place{});
  EXPECT_TRUE(step_of(*small, "sinh").cause.starts_with("small: 2 connected nodes would save about "))
      << step_of(*small, "sinh").cause;
  EXPECT_TRUE(small->devices.empty()) << "nothing is left to do there";
}

TEST(Partition, CausesNameWhatTheKernelsRefuse) {
  const Refusals refusals(1, 100);
  const auto planned = explained(model_on({LateDevice::make()}, kConvolution), {1, 16, 8, 8});
  const std::string& cause = step_of(*planned, "sinh").cause;
  EXPECT_TRUE(cause.starts_with("no kernel of late takes it: late.")) << cause;
  EXPECT_TRUE(cause.ends_with(": refused by chance")) << cause;
}

TEST(Partition, WhatIsTooLargeForTheDeviceStaysOnTheHost) {
  const auto model = model_on({LateDevice::make({.largest_allocation = 40000})}, kConvolution);
  const auto planned = explained(model, {1, 16, 20, 20});
  const std::string& cause = step_of(*planned, "sinh").cause;
  EXPECT_EQ(cause, "no kernel of late takes it: float32[1, 64, 20, 20] is larger than its largest block, 40000 bytes");
  EXPECT_EQ(step_of(*explained(model, {1, 16, 8, 8}), "sinh").place, Place{1});
}

TEST(Partition, WhatIsKnownWhilePlanningStaysOnTheHost) {
  const auto planned = explained(model_on({LateDevice::make()}, R"(graph (%x "x": float32[?, 6, ?, ?]) {
    @perm: int64[4] = {0, 0, -1, 1}
    %s = shape(%x)
    %r = reshape(%x, @perm)
    %e = exp(%r)
    %back = reshape(%e, %s)
    return %back "y" })"),
                                 {2, 6, 3, 5});
  int copies = 0;
  for (const Step& step : planned->steps) {
    EXPECT_EQ(step.place, Place{1}) << step.op.name();
    if (step.copy != nullptr) copies += static_cast<int>(step.in.size());
  }
  EXPECT_EQ(copies, 2) << "x and y alone";
}

TEST(Partition, ATensorIsCopiedOnceToEachPlace) {
  // x is read by two nodes of the device and a by two of the host.
  const char* const graph = R"(graph (%x "x": float32[?, 8]) {
    %a = exp(%x)
    %b = sinh(%a)
    %c = cosh(%a)
    %d = add(%b, %c)
    %e = tanh(%x)
    %f = add(%d, %e)
    return %f "y" })";
  bool found = false;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Refusals refusals(seed, 50);
    const auto planned = explained(model_on({LateDevice::make()}, graph), {3, 8});
    std::map<std::pair<ValueId, int>, int> copies;
    for (const Step& step : planned->steps) {
      if (step.copy == nullptr) continue;
      for (int l : step.out) {
        const SegmentBuffer& buffer = planned->buffers[static_cast<size_t>(l)];
        const int count = ++copies[{buffer.value, buffer.fact.place.device}];
        EXPECT_EQ(count, 1) << "value " << static_cast<int>(buffer.value) << ", seed " << seed;
      }
    }
    found = found || copies.size() >= 4;
  }
  EXPECT_TRUE(found) << "some placement copies much";
}

}  // namespace
}  // namespace coracle::internal::test
