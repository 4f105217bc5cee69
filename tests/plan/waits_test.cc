// SPDX-License-Identifier: Apache-2.0
#include "plan/waits.h"

#include <gtest/gtest.h>

#include <climits>

#include "ops/activation/relu.h"
#include "plan/reference_kernel.h"

namespace coracle::internal {
namespace {

/// Steps by hand: buffers on the host are even, those on device 1 odd.
class Plan {
 public:
  explicit Plan(int buffers) {
    for (int l = 0; l < buffers; ++l) {
      SegmentBuffer& buffer = steps_.buffers.emplace_back();
      buffer.fact = Fact(DType::kFloat32, {4});
      buffer.fact.place = Place{static_cast<uint8_t>(l % 2)};
    }
  }
  Plan& host(int in, int out) { return add(Place{}, in, out); }
  Plan& device(int in, int out) { return add(Place{1}, in, out); }
  Plan& up(int in, int out) { return copy(true, in, out); }
  Plan& down(int in, int out) { return copy(false, in, out); }

  Steps steps() const { return steps_; }
  const Steps& with_waits() {
    add_waits(steps_);
    return steps_;
  }

 private:
  Plan& add(Place place, int in, int out) {
    Step& step = steps_.steps.emplace_back();
    step.op = Relu{};
    step.kernel = &nothing_kernel();
    step.place = place;
    step.in = {in};
    step.out = {out};
    return *this;
  }
  Plan& copy(bool upload, int in, int out) {
    add(Place{1}, in, out);
    steps_.steps.back().copy = std::make_shared<CopyPlan>();
    steps_.steps.back().copy->upload = upload;
    return *this;
  }

  Steps steps_;
};

std::vector<std::vector<int>> waits_of(const Steps& steps) {
  std::vector<std::vector<int>> waits;
  for (const Step& step : steps.steps) waits.push_back(step.waits);
  return waits;
}
using Waits = std::vector<std::vector<int>>;

std::vector<int> orders_of(const Steps& steps) {
  std::vector<int> orders;
  for (const Step& step : steps.steps) orders.push_back(step.after);
  return orders;
}

/// Of copies, in order.
using Spans = std::vector<CopySpan>;
Spans spans_of(const Steps& steps) {
  const Spans all = copy_spans(steps);
  Spans of_copies;
  for (size_t s = 0; s < all.size(); ++s) {
    if (steps.steps[s].copy != nullptr) of_copies.push_back(all[s]);
  }
  return of_copies;
}

TEST(Waits, TheHostWaitsForWhatItReads) {
  Plan plan(8);
  const Steps& steps = plan.up(0, 1).device(1, 3).down(3, 2).host(2, 4).host(2, 6).with_waits();
  EXPECT_EQ(waits_of(steps), (Waits{{}, {}, {}, {2}, {}})) << "once";
  EXPECT_EQ(spans_of(steps), (Spans{{0, 3}, {0, 3}})) << "what went up is there, too";
  EXPECT_EQ(orders_of(steps), (std::vector<int>{-1, 0, -1, -1, -1}));
}

TEST(Waits, OneWaitCoversAllThatWasGivenBefore) {
  Plan plan(12);
  const Steps& steps = plan.up(0, 1).down(1, 2).device(1, 3).down(3, 4).host(4, 6).host(2, 8).up(8, 5).with_waits();
  EXPECT_EQ(waits_of(steps), (Waits{{}, {}, {}, {}, {3}, {}, {}}));
  EXPECT_EQ(spans_of(steps), (Spans{{0, 4}, {0, 4}, {0, 4}, {4, INT_MAX}})) << "the end waits for the last";
}

TEST(Waits, AWaitForAnEarlierCopyFreesNoLaterOne) {
  Plan plan(12);
  // The second copy up is given before the host waits for the first copy down, which says nothing of it.
  const Steps& steps = plan.up(0, 1).down(1, 2).up(4, 3).host(2, 6).down(3, 8).host(8, 10).with_waits();
  EXPECT_EQ(waits_of(steps), (Waits{{}, {}, {}, {1}, {}, {4}}));
  EXPECT_EQ(spans_of(steps), (Spans{{0, 3}, {0, 3}, {0, 5}, {2, 5}}));
}

TEST(Waits, KernelsWaitForTheCopiesThatTheyReadAndOnce) {
  Plan plan(12);
  // Two copies up before any kernel; the first kernel needs the first of them alone, two need the second.
  const Steps& steps = plan.up(0, 1).up(2, 3).device(1, 5).device(3, 7).device(3, 9).device(7, 11).with_waits();
  EXPECT_EQ(orders_of(steps), (std::vector<int>{-1, -1, 0, 1, -1, -1}));
  EXPECT_EQ(waits_of(steps), Waits(6)) << "the host waits for none of it";
}

TEST(Waits, WhatIsReadOfTheHostWhileAKernelIsGivenHasArrived) {
  Plan plan(8);
  const Steps& steps = plan.up(0, 1).device(1, 3).down(3, 2).device(2, 5).with_waits();
  EXPECT_EQ(waits_of(steps), (Waits{{}, {}, {}, {2}}));
  EXPECT_EQ(orders_of(steps), (std::vector<int>{-1, 0, -1, -1}));
}

TEST(Waits, MemoryThatACopyWritesIsOutOfUse) {
  Plan plan(16);
  // The host makes something of a first result while the device goes on; the last copy up may begin while kernel 3
  // still runs.
  const Steps& steps = plan.up(0, 1).device(1, 3).down(3, 2).device(3, 5).host(2, 4).up(4, 7).device(7, 9).with_waits();
  EXPECT_EQ(spans_of(steps), (Spans{{0, 4}, {0, 4}, {3, INT_MAX}}));
  EXPECT_EQ(orders_of(steps), (std::vector<int>{-1, 0, -1, -1, -1, -1, 5}));
}

TEST(Waits, CopiesAreGivenBehindWhatMakesTheirTensors) {
  Plan plan(16);
  // Two tensors of the device for the host, wanted late and in the other order; one of them goes up again.
  Steps steps =
      plan.up(0, 1).device(1, 3).device(1, 5).host(0, 2).down(5, 4).down(3, 6).host(4, 8).host(6, 10).up(6, 7).steps();
  advance_copies(steps);
  std::vector<int> made;
  for (const Step& step : steps.steps) made.push_back(step.out[0]);
  EXPECT_EQ(made, (std::vector<int>{1, 3, 6, 7, 5, 4, 2, 8, 10}));
  add_waits(steps);
  EXPECT_EQ(waits_of(steps), (Waits{{}, {}, {}, {2}, {}, {}, {}, {5}, {}}));
}

TEST(Waits, StepsOfOneDeviceWaitForNothing) {
  Plan plan(8);
  const Steps& steps = plan.up(0, 1).device(1, 3).device(3, 5).device(5, 7).down(7, 2).with_waits();
  EXPECT_EQ(waits_of(steps), Waits(5));
}

}  // namespace
}  // namespace coracle::internal
