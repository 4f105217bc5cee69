// SPDX-License-Identifier: Apache-2.0
// Packed weights serve all shapes and sessions of a model: whatever shape made them, every answer has the bits of a
// model loaded for that shape alone.
#include <gtest/gtest.h>

#include "run/session.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle {
namespace {

using test::model_of;
using test::random_tensor;
using test::run;
using test::run_fresh;
using test::same_bits;

struct Case {
  const char* name;
  const char* graph;
  std::vector<Shape> shapes;
  const char* kernel;  ///< that some run must take; its name's beginning
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const std::vector<Shape> kImages{{1, 16, 32, 32}, {1, 16, 33, 33}, {2, 16, 31, 34}};

const Case kCases[] = {
    {"Indirect",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[8, 16, 3, 3] = random(1)
  %1 = conv2d(%x, @w) {strides = [2, 2], padding_algorithm = SAME}
  return %1 "y"
})",
     kImages, "conv2d.indirect"},
    {"JoinedTaps",
     R"(graph (%x "x": float32[?, 3, ?, ?]) {
  @w: float32[8, 3, 3, 3] = random(1)
  %1 = conv2d(%x, @w) {strides = [2, 2], padding_algorithm = SAME}
  return %1 "y"
})",
     {{1, 3, 32, 32}, {1, 3, 33, 33}, {2, 3, 31, 34}},
     "conv2d.indirect"},
    {"Grouped",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[8, 4, 3, 3] = random(1)
  %1 = conv2d(%x, @w) {strides = [2, 2], padding_algorithm = SAME, groups = 4}
  return %1 "y"
})",
     kImages, "conv2d.indirect"},
    {"Winograd",
     R"(graph (%x "x": float32[?, 64, ?, ?]) {
  @w: float32[64, 64, 3, 3] = random(1)
  %1 = conv2d(%x, @w) {paddings = [1, 1]}
  return %1 "y"
})",
     {{1, 64, 6, 6}, {1, 64, 48, 48}, {1, 64, 14, 14}},
     "conv2d.winograd"},
    {"Depthwise",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 1, 3, 3] = random(1)
  %1 = depthwise_conv2d(%x, @w) {strides = [2, 2], padding_algorithm = SAME, groups = 16}
  return %1 "y"
})",
     kImages, "conv2d.depthwise"},
    {"Transposed",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 16, 3, 3] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2], padding_algorithm = SAME}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedByThree",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 16, 5, 4] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [3, 2], padding_algorithm = SAME}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedGrouped",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 4, 3, 3] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2], padding_algorithm = SAME, groups = 4}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedDilated",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 8, 4, 4] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2], padding_algorithm = SAME, dilations = [1, 1]}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedWithOutputPadding",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 8, 3, 3] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2], padding_algorithm = SAME, output_padding = [1, 1]}
  return %1 "y"
})",
     kImages, "conv2d_transpose.phases"},
    {"TransposedBlocks",
     R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w: float32[16, 8, 2, 2] = random(1)
  %1 = conv2d_transpose(%x, @w) {strides = [2, 2]}
  return %1 "y"
})",
     kImages, "conv2d_transpose.blocks"},
    {"Linear",
     R"(graph (%x "x": float32[?, ?, 48]) {
  @w: float32[48, 33] = random(1)
  %1 = matmul(%x, @w)
  return %1 "y"
})",
     {{1, 5, 48}, {3, 70, 48}, {2, 1, 48}},
     "linear"},
    {"Recurrent",
     R"(graph (%x "x": float32[?, ?, 24]) {
  @h: float32[2, 2, 16] = random(1)
  @w: float32[64, 24] = random(2)
  @u: float32[64, 16] = random(3)
  @v: float32[64, 24] = random(4)
  @z: float32[64, 16] = random(5)
  %1, %2, [%3, %4] = rnn(%x, [@h, @h], [@w, @u, @v, @z]) {mode = LSTM, hidden_size = 16, is_bidirec = true, num_layers = 1}
  return %1 "y"
})",
     {{5, 2, 24}, {1, 2, 24}, {9, 2, 24}},
     "rnn"},
};

class PackedWeightsOfCases : public ::testing::TestWithParam<Case> {};

/// One model, one session, the shapes in the order given, each twice; against a model loaded for that shape.
TEST_P(PackedWeightsOfCases, ServeAllShapesInAnyOrder) {
  const Case& c = GetParam();
  bool taken = false;
  for (Isa isa : {Isa::kAvx512, Isa::kAvx2, Isa::kSse2}) {
    ModelOptions options;
    options.kernels.isa = isa;
    std::vector<std::vector<Tensor>> expected;
    for (const Shape& shape : c.shapes) {
      expected.push_back(run_fresh(model_of(c.graph, options), {random_tensor(shape, 1)}));
    }
    std::vector<size_t> order{0, 1, 2};
    do {
      const auto model = model_of(c.graph, options);
      model->program()->packed().check_every_use(true);
      Session session(model, {.threads = 2});
      session.set_profiling(true);
      for (size_t i : {order[0], order[1], order[2], order[0], order[1], order[2]}) {
        EXPECT_TRUE(same_bits(run(session, {random_tensor(c.shapes[i], 1)}), expected[i]))
            << text(name_of(isa), ", ", c.shapes[i], " after ", c.shapes[order[0]]);
        for (const ProfileEvent& e : session.profile()) taken |= std::string_view(e.kernel).starts_with(c.kernel);
        EXPECT_TRUE(same_bits(run_fresh(model, {random_tensor(c.shapes[i], 1)}, {.threads = 3}), expected[i]));
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_TRUE(taken) << "no run took " << c.kernel;
}

INSTANTIATE_TEST_SUITE_P(Kernels, PackedWeightsOfCases, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

/// A filter that planning computes from the shape of the input is another one for each shape.
TEST(PackedWeights, OfComputedConstantsBelongToTheirShape) {
  constexpr const char* kGraph = R"(graph (%x "x": float32[1, 4, ?, ?]) {
  @w: float32[4, 4, 1, 1] = random(1)
  %1 = shape64(%x)
  @a: int64[1] = {2}
  @b: int64[1] = {3}
  @axes: int64[1] = {0}
  %2 = slice(%1, @a, @b) {axes = [0]}
  %3 = cast(%2) {dtype = float32}
  %4 = multiply(@w, %3)
  %5 = conv2d(%x, %4)
  return %5 "y"
})";
  const auto model = model_of(kGraph);
  Session session(model, {.threads = 1});
  for (int64_t size : {4, 8, 4, 16, 8}) {
    const Tensor x = random_tensor({1, 4, size, size}, 1);
    EXPECT_TRUE(same_bits(run(session, {x}), run_fresh(model_of(kGraph), {x}))) << size;
  }
}

TEST(PackedWeights, MakingThemAgainFindsADifference) {
  struct Form {
    int64_t count = 4;
    size_t bytes() const { return 4 * sizeof(float); }
    void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
      std::memcpy(to, constants[0]->raw(), bytes());
    }
  };
  const Tensor a = random_tensor({4}, 1);
  const Tensor b = random_tensor({4}, 2);
  const Tensor* const first = &a;
  const Tensor* const second = &b;
  ThreadPool pool(1);
  PackedWeights weights;
  weights.check_every_use(true);
  const Form form;
  const auto made = weights.get("w", Packing::of(form), {&first, 1}, pool);
  EXPECT_EQ(weights.get("w", Packing::of(form), {&first, 1}, pool), made);
  EXPECT_THROW(weights.get("w", Packing::of(form), {&second, 1}, pool), Error);
  EXPECT_EQ(weights.bytes(), form.bytes());
}

}  // namespace
}  // namespace coracle
