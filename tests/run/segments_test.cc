// SPDX-License-Identifier: Apache-2.0
// Programs that cannot be planned in one piece: branches, loops, tensor arrays, sizes that depend on data.
#include <gtest/gtest.h>

#include "run/session_results.h"
#include "support/graph_model.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::run;

Tensor floats(const std::vector<float>& values) {
  return Tensor::of<float>(Shape{static_cast<int64_t>(values.size())}, values);
}
Tensor flag(bool value) { return Tensor::of<bool>(Shape{1}, {&value, 1}); }

/// Runs in one session, compares with the references, and gives output 0.
std::vector<double> checked_run(Session& session, const Graph& graph, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> outputs = run(session, inputs);
  const std::vector<Tensor> expected = evaluate_graph(graph, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(outputs[i].shape(), expected[i].shape());
    for (int64_t k = 0; k < outputs[i].count(); ++k) EXPECT_NEAR(outputs[i].number(k), expected[i].number(k), 1e-5);
  }
  return outputs[0].doubles();
}

TEST(Segments, SizesThatDependOnData) {
  const char* const graph = R"(graph (%x: float32[?]) {
    @axes: int64[1] = {1}
    %a = relu(%x)
    %where = nonzero(%a)
    %rows = squeeze(%where, @axes)
    %b = gather(%a, %rows)
    %c = exp(%b)
    %d = abs(%x)
    return %c, %d, %rows })";
  Session session(model_of(graph), {.threads = 2});
  for (const std::vector<float>& x : {std::vector<float>{1, -1, 2}, std::vector<float>{-1, -1, -2},
                                      std::vector<float>{1, 1, 2}, std::vector<float>{3}}) {
    checked_run(session, parse(graph), {floats(x)});
  }
}

TEST(Segments, KernelsOfSizesThatDependOnData) {
  const char* const graph = R"(graph (%x: float32[?, 40]) {
    @zero: float32[1] = {0}
    %holds = greater_than(%x, @zero)
    %where = nonzero(%holds)
    %taken = masked_select(%x, %holds)
    return %taken, %where })";
  const std::shared_ptr<const Model> model = model_of(graph);
  Session one(model, {.threads = 1});
  Session three(model, {.threads = 3});
  three.set_profiling(true);
  for (int64_t rows : {300, 1, 0, 9000, 20}) {
    Tensor x = Tensor::make(DType::kFloat32, {rows, 40});
    for (int64_t i = 0; i < x.count(); ++i) x.data<float>()[i] = static_cast<float>((i * 37 + rows) % 101 - 60);
    checked_run(three, parse(graph), {x});
    for (const ProfileEvent& e : three.profile()) EXPECT_NE(e.kernel, "reference") << e.op;
    EXPECT_TRUE(test::same_bits(run(one, {x}), run(three, {x}))) << rows;
  }
}

TEST(Segments, ResultsThatDependOnDataKeepTheMemoryLimit) {
  const char* const graph = R"(graph (%x: float32[?]) {
    %where = nonzero(%x)
    return %where })";
  Session session(model_of(graph), {.threads = 1, .memory_limit = 4000});
  const auto ones = [](size_t count) { return floats(std::vector<float>(count, 1)); };
  EXPECT_EQ(run(session, {ones(400)}).at(0).count(), 400);
  try {
    run(session, {ones(600)});
    ADD_FAILURE() << "more than the limit";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("a run needs 4800 bytes for a tensor int64[600, 1]"), std::string::npos)
        << e.what();
  }
  EXPECT_EQ(run(session, {ones(30)}).at(0).count(), 30);
}

TEST(Segments, SizesReadFromAnOperand) {
  const char* const graph = R"(graph (%x: float32[?], %n: int64[1]) {
    @zero: float32[1] = {0.5}
    @axis: int32[1] = {0}
    %two = scale(%n) {bias = 1}
    %a = full_with_tensor(@zero, %two)
    %b = exp(%a)
    %c = concat([%b, %x], @axis)
    return %c })";
  Session session(model_of(graph), {.threads = 1});
  for (int64_t n : {3, 0, 7, 3}) {
    EXPECT_EQ(checked_run(session, parse(graph), {floats({1, 2}), Tensor::ints({&n, 1})}).size(),
              static_cast<size_t>(n + 1 + 2));
  }
}

TEST(Segments, BranchesOfAnyShape) {
  const char* const graph = R"(graph (%c: bool[1], %x: float32[?]) {
    %a = exp(%x)
    [%y] = if(%c, [%a]) graph (%v: float32[?]) {
      @axis: int32[1] = {0}
      %r = concat([%v, %v], @axis)
      return %r
    } graph (%v: float32[?]) {
      %r = relu(%v)
      return %r
    }
    %z = sqrt(%y)
    return %z, %a })";
  Session session(model_of(graph), {.threads = 2});
  for (const bool condition : {true, false, true}) {
    for (const std::vector<float>& x : {std::vector<float>{1, -1, 2}, std::vector<float>{4}}) {
      EXPECT_EQ(checked_run(session, parse(graph), {flag(condition), floats(x)}).size(),
                x.size() * (condition ? 2 : 1));
    }
  }
}

TEST(Segments, LoopsRunUntilTheirConditionFails) {
  const char* const graph = R"(graph (%n: int64[1], %x: float32[?]) {
    @zero: int64[1] = {0}
    %go = less_than(@zero, %n)
    [%i, %y] = while(%go, [@zero, %x], [%n]) graph (%go: bool[1], %i: int64[1], %v: float32[?], %n: int64[1]) {
      %next = scale(%i) {bias = 1}
      %double = add(%v, %v)
      %again = less_than(%next, %n)
      return %again, %next, %double
    }
    return %y, %i })";
  Session session(model_of(graph), {.threads = 1});
  for (int64_t n : {0, 1, 5}) {
    const std::vector<double> y = checked_run(session, parse(graph), {Tensor::ints({&n, 1}), floats({1, 3})});
    EXPECT_EQ(y[1], 3.0 * static_cast<double>(int64_t{1} << n));
  }
}

TEST(Segments, LoopsMayGrowTheirTensors) {
  const char* const graph = R"(graph (%n: int64[1], %x: float32[?]) {
    @zero: int64[1] = {0}
    %go = less_than(@zero, %n)
    [%i, %y] = while(%go, [@zero, %x], [%n]) graph (%go: bool[1], %i: int64[1], %v: float32[?], %n: int64[1]) {
      @axis: int32[1] = {0}
      @one: float32[1] = {1}
      @wide: int64[2] = {1, -1}
      @flat: int64[1] = {-1}
      %next = scale(%i) {bias = 1}
      %longer = concat([%v, @one], @axis)
      %row = reshape(%longer, @wide)
      %soft = softmax(%row)
      %column = reshape(%soft, @flat)
      %again = less_than(%next, %n)
      return %again, %next, %column
    }
    return %y })";
  Session session(model_of(graph), {.threads = 2, .cache_bytes = 3000});
  for (int64_t n : {9, 2, 9}) {
    EXPECT_EQ(checked_run(session, parse(graph), {Tensor::ints({&n, 1}), floats({1, 3})}).size(),
              static_cast<size_t>(n + 2));
  }
}

TEST(Segments, LoopsInBranchesInLoops) {
  const char* const graph = R"(graph (%n: int64[1], %x: float32[2]) {
    @zero: int64[1] = {0}
    %go = less_than(@zero, %n)
    [%i, %y] = while(%go, [@zero, %x], [%n]) graph (%go: bool[1], %i: int64[1], %v: float32[2], %n: int64[1]) {
      @two: int64[1] = {2}
      %small = less_than(%i, @two)
      [%w] = if(%small, [%v]) graph (%v: float32[2]) {
        @zero: int64[1] = {0}
        @three: int64[1] = {3}
        %go = less_than(@zero, @three)
        [%i, %u] = while(%go, [@zero, %v], []) graph (%go: bool[1], %i: int64[1], %v: float32[2]) {
          @three: int64[1] = {3}
          %next = scale(%i) {bias = 1}
          %more = scale(%v) {bias = 1}
          %again = less_than(%next, @three)
          return %again, %next, %more
        }
        return %u
      } graph (%v: float32[2]) {
        %r = add(%v, %v)
        return %r
      }
      %next = scale(%i) {bias = 1}
      %again = less_than(%next, %n)
      return %again, %next, %w
    }
    return %y })";
  Session session(model_of(graph), {.threads = 1});
  for (int64_t n : {1, 4, 0}) {
    const std::vector<double> y = checked_run(session, parse(graph), {Tensor::ints({&n, 1}), floats({1, 3})});
    EXPECT_EQ(y[0], n == 0 ? 1 : (n == 1 ? 4 : 28));
  }
}

TEST(Segments, OutputsMayBeInputsConstantsAndEachOther) {
  const char* const graph = R"(graph (%x: float32[?]) {
    @c: float32[2] = {5, 6}
    %a = relu(%x)
    %b = assign(%x)
    return %a, %x, @c, %a, %b })";
  Session session(model_of(graph), {.threads = 1});
  const std::vector<Tensor> outputs = run(session, {floats({-1, 2})});
  EXPECT_EQ(outputs[0].doubles(), (std::vector<double>{0, 2}));
  EXPECT_EQ(outputs[1].doubles(), (std::vector<double>{-1, 2}));
  EXPECT_EQ(outputs[2].doubles(), (std::vector<double>{5, 6}));
  EXPECT_EQ(outputs[3].doubles(), (std::vector<double>{0, 2}));
  EXPECT_EQ(outputs[4].doubles(), (std::vector<double>{-1, 2}));
}

TEST(Segments, EmptyTensorsRun) {
  const char* const graph = R"(graph (%x: float32[?, 3]) {
    @axis: int32[1] = {0}
    %a = relu(%x)
    %b = concat([%a, %a], @axis)
    %c = softmax(%b)
    return %c })";
  Session session(model_of(graph), {.threads = 2});
  EXPECT_EQ(run(session, {Tensor::make(DType::kFloat32, {0, 3})})[0].shape(), (Shape{0, 3}));
  EXPECT_EQ(run(session, {Tensor::of<float>({1, 3}, std::vector<float>{1, 1, 1})})[0].shape(), (Shape{2, 3}));
}

TEST(Segments, AFailedRunNamesItsOperatorAndLeavesTheSessionUsable) {
  const char* const graph = R"(graph (%x: float32[?], %i: int64[?]) {
    %a = relu(%x)
    %b = gather(%a, %i)
    return %b })";
  Session session(model_of(graph), {.threads = 1});
  const int64_t bad = 7;
  const int64_t good = 1;
  session.set_input(0, floats({1, 2}));
  session.set_input(1, Tensor::ints({&bad, 1}));
  try {
    session.run();
    FAIL() << "index 7 of 2";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kRunFailure);
    EXPECT_NE(e.text().find("gather"), std::string::npos) << e.text();
  }
  EXPECT_THROW(session.output(0), Error);
  EXPECT_EQ(run(session, {floats({1, 2}), Tensor::ints({&good, 1})})[0].number(0), 2);
}

}  // namespace
}  // namespace coracle::internal
