// SPDX-License-Identifier: Apache-2.0
// Values whose type is known in a run only: branches and iterations that leave different element types, ranks, tensors
// here and tensor arrays there.
#include <gtest/gtest.h>

#include "graph/patch.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/sanitized.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::run;

Tensor floats_of(const Shape& shape, const std::vector<float>& values) { return Tensor::of<float>(shape, values); }
Tensor truth(bool value) { return Tensor::of<bool>(Shape{1}, {&value, 1}); }
Tensor count(int64_t n) { return Tensor::ints({&n, 1}); }

/// Output 0 of a run in `session`, which must be what the references give.
Tensor run_checked(Session& session, const char* graph, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> outputs = run(session, inputs);
  const std::vector<Tensor> expected = evaluate_graph(parse(graph), inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(outputs[i].dtype(), expected[i].dtype());
    EXPECT_EQ(outputs[i].shape(), expected[i].shape());
    EXPECT_EQ(outputs[i].doubles(), expected[i].doubles());
  }
  return outputs[0];
}

const char* const kBranches = R"(graph (%c: bool[1], %x: float32[?, 2]) {
  [%y] = if(%c, [%x]) graph (%v: float32[?, 2]) {
    @flat: int64[1] = {-1}
    %w = cast(%v) {dtype = int64}
    %r = reshape(%w, @flat)
    return %r
  } graph (%v: float32[?, 2]) {
    %r = relu(%v)
    return %r
  }
  %z = add(%y, %y)
  %f = cast(%z) {dtype = float64}
  return %z, %f
})";

TEST(Untyped, BranchesOfDifferentTypes) {
  const Graph graph = parse(kBranches);
  EXPECT_FALSE(graph.fact(graph.outputs()[0]).type_known());
  EXPECT_EQ(graph.fact(graph.outputs()[1]).dtype, DType::kFloat64) << "a cast says what it gives";
  Session session(model_of(kBranches), {.threads = 2});
  for (const bool c : {true, false, true}) {
    for (int64_t rows : {1, 3}) {
      std::vector<float> x(static_cast<size_t>(rows * 2), 2.5F);
      const Tensor z = run_checked(session, kBranches, {truth(c), floats_of({rows, 2}, x)});
      EXPECT_EQ(z.dtype(), c ? DType::kInt64 : DType::kFloat32);
      EXPECT_EQ(z.shape(), c ? Shape{rows * 2} : (Shape{rows, 2}));
      EXPECT_EQ(z.number(0), c ? 4 : 5);
    }
  }
}

TEST(Untyped, TheTextFormKeepsIt) {
  const std::string printed = print(parse(kBranches));
  EXPECT_NE(printed.find("unknown[...] = add"), std::string::npos) << printed;
  EXPECT_EQ(print(parse(printed)), printed);
  EXPECT_THROW(parse("graph (%x: unknown[2]) { return %x }"), Error);
  EXPECT_THROW(parse("graph (%x: float32[2]) { %y = cast(%x) {dtype = unknown} return %y }"), Error);
  Graph graph = parse(kBranches);
  verify(graph, true);
  run_passes(graph, {.disabled = {}, .verify_types = true});
}

TEST(Untyped, AVariableWithoutValueBeforeTheLoop) {
  const char* const graph = R"(graph (%n: int64[1], %x: float32[2, 3]) {
    @zero: int64[1] = {0}
    @placeholder: float32[1] = {1.77e27}
    %go = less_than(@zero, %n)
    [%i, %y] = while(%go, [@zero, @placeholder], [%n, %x])
      graph (%go: bool[1], %i: int64[1], %v: float32[1], %n: int64[1], %x: float32[2, 3]) {
        %next = scale(%i) {bias = 1}
        %w = cast(%x) {dtype = int32}
        %again = less_than(%next, %n)
        return %again, %next, %w
      }
    return %y })";
  Session session(model_of(graph), {.threads = 1});
  const Tensor x = floats_of({2, 3}, {1, 2, 3, 4, 5, 6.5});
  for (int64_t n : {3, 0, 1}) {
    const Tensor y = run_checked(session, graph, {count(n), x});
    EXPECT_EQ(y.dtype(), n == 0 ? DType::kFloat32 : DType::kInt32);
    EXPECT_EQ(y.shape(), n == 0 ? Shape{1} : (Shape{2, 3}));
  }
}

TEST(Untyped, AListHereAndATensorThere) {
  const char* const graph = R"(graph (%c: bool[1], %x: float32[2]) {
    [%y] = if(%c, [%x]) graph (%v: float32[2]) {
      @zero: int64[1] = {0}
      @one: int64[1] = {1}
      %a = array_write(_, %v, @zero)
      %b = array_write(%a, %v, @one)
      return %b
    } graph (%v: float32[2]) {
      return %v
    }
    [%z] = if(%c, [%y]) graph (%v: unknown[...]) {
      %n = array_length(%v)
      return %n
    } graph (%v: unknown[...]) {
      %r = add(%v, %v)
      return %r
    }
    return %z })";
  Session session(model_of(graph), {.threads = 1});
  for (const bool c : {true, false, true, false}) {
    const Tensor z = run_checked(session, graph, {truth(c), floats_of({2}, {3, 4})});
    EXPECT_EQ(z.number(0), c ? 2 : 6);
  }
}

TEST(Untyped, ABranchThatIsNotTakenNeedNotFit) {
  const char* const graph = R"(graph (%c: bool[1], %x: float32[?]) {
    [%y] = if(%c, [%x]) graph (%v: float32[?]) {
      @to: int64[2] = {2, 3}
      %r = reshape(%v, @to)
      return %r
    } graph (%v: float32[?]) {
      return %v
    }
    return %y })";
  Session session(model_of(graph), {.threads = 1});
  EXPECT_EQ(run_checked(session, graph, {truth(false), floats_of({4}, {1, 2, 3, 4})}).shape(), Shape{4});
  EXPECT_EQ(run_checked(session, graph, {truth(true), floats_of({6}, {1, 2, 3, 4, 5, 6})}).shape(), (Shape{2, 3}));
  EXPECT_THROW(run(session, {truth(true), floats_of({4}, {1, 2, 3, 4})}), Error);
}

TEST(Untyped, NestsOfLoopsAreRefusedRatherThanInferredForever) {
  // Each loop hands its values on by one place: the type of the last reaches one more of them in each step, and in each
  // of these steps the loop inside, which has values of its own, begins again.
  constexpr int kValues = 10;
  std::string inputs = "(%c: bool[1]";
  std::string initial;
  std::string results;
  std::string shifted;
  for (int i = 0; i < kValues; ++i) {
    const std::string comma = i == 0 ? "" : ", ";
    const bool last = i + 1 == kValues;
    inputs += text(", %v", i, last ? ": int64[1]" : ": float32[1]");
    initial += comma + (last ? "@whole" : "@real");
    results += text(comma, "%r", i);
    shifted += text(", %v", last ? i : i + 1);
  }
  inputs += ")";
  const std::string constants = "@real: float32[1] = {0} @whole: int64[1] = {0} ";
  std::string body = "return %c" + shifted;
  for (int depth = 1; depth < 13; ++depth) {
    body = text(constants, "[", results, "] = while(%c, [", initial, "], []) graph ", inputs, " { ", body,
                " } return %c", shifted);
  }
  std::string refused;
  try {
    parse("graph " + inputs + " { " + body + " }");
  } catch (const Error& e) {
    refused = e.text();
  }
  EXPECT_NE(refused.find("the types of these nested loops were not determined"), std::string::npos) << refused;
}

TEST(Untyped, AConditionNeedsOneElementInARunOnly) {
  const char* const graph = R"(graph (%c: bool[?], %x: float32[2]) {
    [%y] = if(%c, [%x]) graph (%v: float32[2]) {
      return %v
    } graph (%v: float32[2]) {
      %r = add(%v, %v)
      return %r
    }
    return %y })";
  Session session(model_of(graph), {.threads = 1});
  EXPECT_EQ(run_checked(session, graph, {truth(false), floats_of({2}, {1, 2})}).number(0), 2);
  const bool two[] = {true, false};
  try {
    run(session, {Tensor::of<bool>({2}, two), floats_of({2}, {1, 2})});
    FAIL() << "a condition of two elements";
  } catch (const Error& e) {
    EXPECT_NE(e.text().find("the condition is a tensor [2], expected one element"), std::string::npos) << e.text();
  }
}

TEST(Untyped, SelectInputOfAnyNumberOfBranches) {
  const char* const graph = R"(graph (%k: int32[1], %x: float32[2]) {
    %a = cast(%x) {dtype = int64}
    @wide: int64[2] = {1, 2}
    %b = reshape(%x, @wide)
    %y = select_input(%k, [%x, %a, %b])
    return %y })";
  Session session(model_of(graph), {.threads = 1});
  for (int32_t k : {2, 0, 1}) {
    const Tensor y = run_checked(session, graph, {Tensor::of<int32_t>({1}, {&k, 1}), floats_of({2}, {1.5, 2})});
    EXPECT_EQ(y.dtype(), k == 1 ? DType::kInt64 : DType::kFloat32);
    EXPECT_EQ(y.shape().rank(), k == 2 ? 2 : 1);
  }
}

/// Copying the list of elements at each write would take minutes.
TEST(Untyped, ALoopFillsAnArrayInTimeOfItsLength) {
  const char* const graph = R"(graph (%n: int64[1], %x: float32[1]) {
    @zero: int64[1] = {0}
    %go = less_than(@zero, %n)
    %array = array_write(_, %x, @zero)
    [%i, %a] = while(%go, [@zero, %array], [%n, %x])
      graph (%go: bool[1], %i: int64[1], %a: float32[1]:array, %n: int64[1], %x: float32[1]) {
        [%b] = if(%go, [%a, %i, %x]) graph (%a: float32[1]:array, %i: int64[1], %x: float32[1]) {
          %length = array_length(%a)
          %b = array_write(%a, %x, %length)
          return %b
        } graph (%a: float32[1]:array, %i: int64[1], %x: float32[1]) {
          return %a
        }
        %c = assign(%b)
        %next = scale(%i) {bias = 1}
        %again = less_than(%next, %n)
        return %again, %next, %c
      }
    %length = array_length(%a)
    return %length })";
  Session session(model_of(graph), {.threads = 1, .time_limit_ms = 30000});
  constexpr int64_t kCount = test::as_time_allows(50000);
  EXPECT_EQ(run(session, {count(kCount), floats_of({1}, {3})})[0].integer(0), kCount + 1);
}

TEST(Untyped, AnArrayThatIsStillNeededStaysAsItIs) {
  const char* const graph = R"(graph (%x: float32[1]) {
    @zero: int64[1] = {0}
    @one: int64[1] = {1}
    %a = array_write(_, %x, @zero)
    %b = array_write(%a, %x, @one)
    %c, %last = array_pop(%b)
    %na = array_length(%a)
    %nb = array_length(%b)
    %nc = array_length(%c)
    return %na, %nb, %nc })";
  Session session(model_of(graph), {.threads = 1});
  for (int run_number = 0; run_number < 2; ++run_number) {
    const std::vector<Tensor> lengths = run(session, {floats_of({1}, {3})});
    EXPECT_EQ(lengths[0].integer(0), 1);
    EXPECT_EQ(lengths[1].integer(0), 2);
    EXPECT_EQ(lengths[2].integer(0), 1);
  }
}

}  // namespace
}  // namespace coracle::internal
