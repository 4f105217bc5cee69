// SPDX-License-Identifier: Apache-2.0
// Sizes that no memory holds, written in a model or computed in a run: an error that names the operator and the shape,
// before anything is computed from them.
#include <gtest/gtest.h>

#include <functional>

#include "plan/arena.h"
#include "run/session.h"
#include "run/session_results.h"
#include "support/graph_model.h"

namespace coracle::internal {
namespace {

struct Huge {
  const char* op;
  const char* text;  ///< of the node %y and the constants before it
};

void PrintTo(const Huge& huge, std::ostream* out) { *out << huge.op; }

class HugeSizes : public testing::TestWithParam<Huge> {};

std::string refusal_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory) << e.text();
    return e.text();
  }
  return "nothing was refused";
}

/// All dimensions of x are known while loading, or none.
TEST_P(HugeSizes, AreRefusedByOperatorAndShape) {
  for (const char* x : {"float32[1, 1, 4, 4]", "float32[?, ?, ?, ?]"}) {
    const std::string text =
        std::string("graph (%x \"x\": ") + x + ") {\n" + GetParam().text + "\n  return %y \"y\"\n}";
    const std::string told = refusal_of([&] {
      Session session(test::model_of(text), {.threads = 1});
      Tensor image = Tensor::make(DType::kFloat32, {1, 1, 4, 4});
      std::fill_n(image.data<float>(), 16, 1.0F);
      session.set_input(0, image);
      session.run();
    });
    EXPECT_NE(told.find(GetParam().op), std::string::npos) << told;
    EXPECT_NE(told.find("is too large"), std::string::npos) << told;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Operators, HugeSizes,
    testing::Values(
        Huge{"tile", "  @t: int64[4] = {65536, 65536, 8192, 8192}\n  %y = tile(%x, @t)"},
        Huge{"expand", "  @s: int64[6] = {1073741824, 1073741824, 1, 1, 4, 4}\n  %y = expand(%x, @s)"},
        Huge{"conv2d",
             "  @w: float32[1, 1, 3, 3] = random(1)\n  %y = conv2d(%x, @w) {paddings = [1073741824, 1073741824]}"},
        Huge{"conv2d_transpose",
             "  @w: float32[1, 1, 3, 3] = random(1)\n"
             "  %y = conv2d_transpose(%x, @w) {strides = [536870912, 536870912]}"},
        Huge{"pool2d",
             "  @k: int64[2] = {2147483647, 2147483647}\n"
             "  %y = pool2d(%x, @k) {adaptive = true, pooling_type = avg}"},
        Huge{"pool2d", "  @k: int64[2] = {1, 1}\n  %y = pool2d(%x, @k) {paddings = [1073741824, 1073741824]}"},
        Huge{"pad", "  %y = pad(%x) {paddings = [0, 0, 0, 0, 2147483644, 0, 2147483644, 0]}"},
        Huge{"pad3d",
             "  @a: int64[1] = {0}\n  %v = unsqueeze(%x, @a)\n"
             "  @p: int64[6] = {1073741824, 0, 1073741824, 0, 4, 4}\n  %y = pad3d(%v, @p)"},
        Huge{"nearest_interp", "  %y = nearest_interp(%x) {out_h = 2147483647, out_w = 2147483647}"},
        Huge{"bicubic_interp", "  %y = bicubic_interp(%x) {out_h = 2147483647, out_w = 2147483647}"},
        Huge{"full", "  %z = full() {shape = [2147483648, 2147483648]}\n  %y = add(%x, %z)"},
        Huge{"one_hot",
             "  @d: int64[] = {4611686018427387904}\n  %i = cast(%x) {dtype = int64}\n"
             "  %y = one_hot(%i, @d)"},
        Huge{"eye", "  @n: int64[] = {2147483648}\n  %z = eye(@n) {dtype = float32}\n  %y = add(%x, %z)"},
        Huge{"repeat_interleave",
             "  %z = repeat_interleave(%x) {repeats = 2147483647, axis = 2}\n"
             "  %y = repeat_interleave(%z) {repeats = 2147483647, axis = 3}"}));

const char* const kExpand = R"(graph (%x "x": float32[1], %shape "shape": int64[?]) {
  %1 = expand(%x, %shape)
  %2 = exp(%1)
  return %2 "y"
})";

Tensor ints(std::initializer_list<int64_t> values) { return Tensor::ints(std::vector<int64_t>(values)); }

/// 2^62 float32 elements are 2^64 bytes, which 64 bits count as 0.
TEST(HugeSizesOfARun, ThatAnInputAsksForAreRefused) {
  Session session(test::model_of(kExpand), {.threads = 1});
  const Tensor x = Tensor::of<float>({1}, std::vector<float>{0});
  const std::vector<Tensor> small = test::run(session, {x, ints({2, 3})});
  for (const Tensor& shape : {ints({65536, 65536, 32768, 32768}), ints({int64_t{1} << 61, 1}), ints({INT64_MAX}),
                              ints({int64_t{1} << 32, int64_t{1} << 32})}) {
    const std::string told = refusal_of([&] { test::run(session, {x, shape}); });
    EXPECT_NE(told.find("operator expand"), std::string::npos) << told;
    EXPECT_TRUE(test::same_bits(test::run(session, {x, ints({2, 3})}), small)) << "the next run succeeds";
  }
}

TEST(HugeSizesOfARun, ThatALoopReachesAreRefused) {
  // The tensor doubles in each round.
  const auto model = test::model_of(R"(graph (%n "n": int64[1], %x "x": float32[1]) {
  @zero: int64[1] = {0}
  %go = less_than(@zero, %n)
  [%i, %y] = while(%go, [@zero, %x], [%n]) graph (%go: bool[1], %i: int64[1], %v: float32[1], %n: int64[1]) {
    @axis: int32[1] = {0}
    %longer = concat([%v, %v], @axis)
    %next = scale(%i) {bias = 1}
    %again = less_than(%next, %n)
    return %again, %next, %longer
  }
  return %y "y"
})");
  Session session(model, {.threads = 1, .memory_limit = size_t{1} << 24U});
  session.set_input(0, ints({1000}));
  session.set_input(1, Tensor::of<float>({1}, std::vector<float>{1}));
  refusal_of([&] { session.run(); });
  session.set_input(0, ints({3}));
  session.run();
  EXPECT_EQ(session.output(0).shape(), Shape{8});
}

TEST(HugeSizesOfFacts, NeverWrap) {
  const Shape wraps{int64_t{1} << 62};
  EXPECT_THROW(Fact(DType::kFloat32, wraps).bytes(), Error);
  EXPECT_THROW(Fact(DType::kComplex128, {int64_t{1} << 30, int64_t{1} << 30}).bytes(), Error);
  EXPECT_THROW(Tensor::borrow(DType::kFloat32, wraps, nullptr).bytes(), Error);
  Tensor small = Tensor::make(DType::kFloat32, {4});
  EXPECT_THROW(small.reusable_for(DType::kFloat32, wraps), Error);
  EXPECT_EQ(Fact(DType::kFloat32, {int64_t{1} << 62, 0, int64_t{1} << 62}).bytes(), 0U) << "no elements take no memory";
}

TEST(HugeSizesOfArenas, NeverWrap) {
  constexpr size_t kHalf = size_t{1} << 62U;
  EXPECT_EQ(plan_arena(kNoRun, {{kHalf, 0, 1}, {64, 0, 1}}).bytes, kHalf + 64);
  EXPECT_THROW(plan_arena(kNoRun, {{kHalf, 0, 1}, {kHalf, 1, 2}}), Error);
  EXPECT_THROW(plan_arena(kNoRun, {{size_t{PTRDIFF_MAX}, 0, 1}}), Error) << "rounded up it is more";
  EXPECT_EQ(plan_arena(kNoRun, {{kHalf, 0, 1}, {kHalf, 2, 3}}).bytes, kHalf) << "one after the other";
}

}  // namespace
}  // namespace coracle::internal
