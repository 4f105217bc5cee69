// SPDX-License-Identifier: Apache-2.0
#include "run/input_padding.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

/// Sequences with a mask: what is added behind them gets the least weight, so that the mean of a row has nothing of it.
const char* const kMasked = R"(graph (%x "x": float32[?, ?, 4], %m "m": int64[?, ?, 1]) {
  @w: float32[4, 6] = random(1)
  @axis: int64[1] = {1}
  %f = cast(%m) {dtype = float32}
  %k = multiply(%x, %f)
  %p = matmul(%k, @w)
  %s = sum(%p, @axis)
  %n = sum(%f, @axis)
  %y = divide(%s, %n)
  return %p "steps", %y "mean", %m "mask"
})";
/// Each pixel becomes four, and all are sequences.
const char* const kLonger = R"(graph (%x "x": float32[?, ?, 2]) {
  @shape: int64[3] = {0, -1, 1}
  %a = reshape(%x, @shape)
  %y = relu(%a)
  return %y "y"
})";
const char* const kFlat = R"(graph (%x "x": float32[?, ?, 2]) {
  @shape: int64[2] = {-1, 2}
  %y = reshape(%x, @shape)
  return %y "y"
})";

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    return e.text();
  }
  return "no error";
}

std::vector<Tensor> masked_inputs(int64_t rows, int64_t steps) {
  Tensor mask = Tensor::make(DType::kInt64, {rows, steps, 1});
  std::fill_n(mask.data<int64_t>(), mask.count(), 1);
  return {random_tensor({rows, steps, 4}, static_cast<unsigned>(steps)), mask};
}

TEST(InputPadding, ResultsAreThoseOfInputsAsTheyAre) {
  const auto model = model_of(kMasked);
  Session padded(model, {.threads = 1, .padding = "x=1..4/3x8..16/8x4,m=1..4/3x8..16/8x1"});
  std::set<std::string> seen;  // shapes of the products that were computed
  padded.set_observer([&](const ObservedValue& value) {
    const Shape& shape = value.fact.shape;
    if (value.is_result && shape.rank() == 3 && shape[2] == 6) seen.insert(text(shape));
  });
  for (const auto& [rows, steps] : {std::pair<int64_t, int64_t>{1, 5}, {3, 8}, {2, 9}, {4, 16}, {5, 17}, {1, 1}}) {
    SCOPED_TRACE(text(rows, " x ", steps));
    const std::vector<Tensor> inputs = masked_inputs(rows, steps);
    const std::vector<Tensor> expected = run_fresh(model, inputs, {.threads = 1});
    const std::vector<Tensor> results = run(padded, inputs);
    ASSERT_EQ(results.size(), 3U);
    EXPECT_TRUE(same_bits({results[0], results[2]}, {expected[0], expected[2]}));
    ASSERT_EQ(results[1].shape(), expected[1].shape());
    for (int64_t i = 0; i < expected[1].count(); ++i) {
      EXPECT_NEAR(results[1].data<float>()[i], expected[1].data<float>()[i], 1e-6);
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"[1, 8, 6]", "[4, 8, 6]", "[4, 16, 6]", "[5, 17, 6]"}));
}

TEST(InputPadding, OtherNumbersAreAdded) {
  const std::string graph = R"(graph (%x "x": float32[?], %i "i": int64[?]) {
    @axis: int64[1] = {0}
    %a = max(%x, @axis)
    %b = min(%i, @axis)
    return %a "a", %b "b"
  })";
  Session session(model_of(graph), {.threads = 1, .padding = "x=4..4:9,i=4..4:-7"});
  const auto results = run(session, {random_tensor({2}, 1), Tensor::of<int64_t>({3}, std::vector<int64_t>{5, 6, 7})});
  EXPECT_EQ(results[0].number(0), 9);
  EXPECT_EQ(results[1].number(0), -7);
}

TEST(InputPadding, DimensionsThatGrowWithOthersAreCut) {
  const auto model = model_of(kLonger);
  Session session(model, {.threads = 1, .padding = "x=?x4..8/4x2"});
  const std::vector<Tensor> inputs = {random_tensor({3, 5, 2}, 1)};
  EXPECT_TRUE(same_bits(run(session, inputs), run_fresh(model, inputs, {.threads = 1})));
}

TEST(InputPadding, BoundOutputsHaveThePartAlone) {
  const auto model = model_of(kLonger);
  Session session(model, {.threads = 1, .padding = "x=?x4..8/4x2"});
  std::vector<float> memory(32, -1);
  session.bind_output(0, memory.data(), 30 * sizeof(float));
  const std::vector<Tensor> inputs = {random_tensor({3, 5, 2}, 1)};
  const std::vector<Tensor> results = run(session, inputs);
  EXPECT_EQ(session.output(0).raw(), memory.data());
  EXPECT_TRUE(same_bits(results, run_fresh(model, inputs, {.threads = 1})));
  EXPECT_EQ(memory[30], -1);
  session.bind_output(0, memory.data(), 29 * sizeof(float));
  EXPECT_NE(message_of([&] { run(session, inputs); }).find("output 0 needs 120 bytes"), std::string::npos);
}

TEST(InputPadding, PlansAreThoseOfPaddedSizes) {
  Session session(model_of(kLonger), {.threads = 1, .padding = "x=?x4..8/4x2"});
  session.set_input(0, random_tensor({1, 5, 2}, 1));
  const auto planned = session.explain();
  EXPECT_EQ(planned->buffers.at(static_cast<size_t>(planned->live_out.at(0).buffer)).fact.shape, (Shape{1, 16, 1}));
}

TEST(InputPadding, WhatCannotBeCutIsRefused) {
  const auto refusal = [](const char* graph, const char* padding, const Shape& shape) {
    Session session(model_of(graph), {.threads = 1, .padding = padding});
    return message_of([&] { run(session, {random_tensor(shape, 1)}); });
  };
  const std::string before = "output 'y' cannot be cut back to what was not padded: ";
  EXPECT_EQ(refusal(kFlat, "x=?x4..8/4x2", {3, 5, 2}),
            before + "one of its dimensions holds several rows that are padded each");
  EXPECT_EQ(refusal(kFlat, "x=4..4x4..8/4x2", {3, 5, 2}),
            before + "one of its dimensions depends on two that are padded");
  EXPECT_EQ(refusal(kFlat, "x=4..4x?x2", {3, 5, 2}), "no error") << "rows are added at the end";
  EXPECT_EQ(refusal("graph (%x \"x\": float32[?]) {\n  %y = nonzero(%x)\n  return %y \"y\"\n}", "x=4..4", {3}),
            before + "its size depends on data");
  EXPECT_EQ(refusal(kFlat, "x=?x4..8/4x2", {3, 8, 2}), "no error") << "nothing is padded";
}

TEST(InputPadding, TextsThatAreNone) {
  const auto message = [](const char* padding) {
    const auto model = model_of(kMasked);
    return message_of([&] { const Session session(model, {.threads = 1, .padding = padding}); });
  };
  EXPECT_EQ(message("x"), "padding 'x': expected INPUT=SHAPE or INPUT=SHAPE:VALUE, as in ids=?x32..128/32");
  EXPECT_EQ(message("z=?x1..2x4"), "padding 'z=?x1..2x4': the model has no input of that name");
  EXPECT_EQ(message("x=?x1..2"),
            "padding 'x=?x1..2': expected sizes of 3 dimensions, as the input has the shape [?, ?, 4], found 2");
  EXPECT_EQ(message("x=?x1..2x4,x=?x1..2x4"), "padding 'x=?x1..2x4': the input is named twice");
  EXPECT_EQ(message("x=?x1..4/2x4"),
            "padding 'x=?x1..4/2x4': '1..4/2' does not end with its last size: steps of 2 from 1 on lead to 3");
  EXPECT_EQ(message("x=?x1..2x4:a"), "padding 'x=?x1..2x4:a': expected a whole number behind the colon");
  for (const char* sizes : {"5..2", "1..", "..2", "1..4/0", "-1..4", "a", "", "1..4/"}) {
    EXPECT_NE(message(("x=?x" + std::string(sizes) + "x4").c_str()).find("is neither a number, ? nor sizes"),
              std::string::npos)
        << sizes;
  }
}

}  // namespace
}  // namespace coracle::internal::test
