// SPDX-License-Identifier: Apache-2.0
// Packed weights serve all shapes and sessions of a model: whatever shape made them, every answer has the bits of a
// model loaded for that shape alone.
#include <gtest/gtest.h>

#include "devices/cpu/isa.h"
#include "loading/model.h"
#include "run/packed_cases.h"
#include "run/session.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

using test::Case;
using test::kCases;
using test::model_of;
using test::random_tensor;
using test::run;
using test::run_fresh;
using test::same_bits;

class PackedWeightsOfCases : public ::testing::TestWithParam<Case> {};

/// One model, one session, the shapes in the order given, each twice; against a model loaded for that shape.
TEST_P(PackedWeightsOfCases, ServeAllShapesInAnyOrder) {
  const Case& c = GetParam();
  ASSERT_EQ(c.shapes.size(), 3U);
  bool taken = false;
  for (cpu::Isa isa : {cpu::Isa::kAvx512, cpu::Isa::kAvx2, cpu::Isa::kSse2}) {
    ModelOptions options = test::options_of(c);
    options.kernels.capability = isa;
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

struct Form {
  static constexpr std::string_view kLayout = "test.copy.v1";
  int64_t count = 4;

  size_t bytes() const { return static_cast<size_t>(count) * sizeof(float); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
    std::memcpy(to, constants[0]->raw(), bytes());
  }
};

class PackedStore : public ::testing::Test {
 protected:
  /// The first `count` elements of constant `value`.
  std::shared_ptr<const void> get(PackedWeights& store, int32_t value, int64_t count = 4) {
    const Form form{count};
    const Tensor* const constant = &constants_[static_cast<size_t>(value)];
    return store.get(0, {&value, 1}, Packing::of(form), {&constant, 1}, pool_, RunContext());
  }
  static std::vector<int32_t> kept(const PackedWeights& store) {
    std::vector<int32_t> values;
    for (const PackedConstants& p : store.all()) values.push_back(p.key.values.at(0));
    return values;
  }

  ThreadPool pool_{1};
  std::vector<Tensor> constants_{random_tensor({4}, 1), random_tensor({4}, 2), random_tensor({4}, 3)};
};

TEST_F(PackedStore, MakingThemAgainFindsADifference) {
  PackedWeights store;
  store.check_every_use(true);
  const auto made = get(store, 0);
  EXPECT_EQ(get(store, 0), made);
  EXPECT_EQ(store.bytes(), 16U);
  constants_[0] = constants_[1];
  EXPECT_THROW(get(store, 0), Error);
}

TEST_F(PackedStore, KeepsWhatIsUsedAndGivesUpTheLongestUnused) {
  PackedWeights store(32);
  auto first = get(store, 0);
  get(store, 1);
  EXPECT_EQ(get(store, 0), first);
  const auto third = get(store, 2);  // in place of 1, which nobody has
  EXPECT_EQ(kept(store), (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(get(store, 1), nullptr);  // both others are used
  EXPECT_EQ(kept(store), (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(std::memcmp(first.get(), constants_[0].raw(), 16), 0);
  first = nullptr;
  EXPECT_NE(get(store, 1), nullptr);
  EXPECT_EQ(kept(store), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(store.bytes(), 32U);
}

TEST_F(PackedStore, RefusesWhatIsLargerThanAllOfItAndGivesUpNothingForIt) {
  PackedWeights store(20);
  get(store, 0);
  PackedWeights none(0);
  EXPECT_EQ(get(none, 0), nullptr);
  EXPECT_EQ(none.bytes(), 0U);
  constants_[1] = random_tensor({8}, 2);
  EXPECT_EQ(get(store, 1, 8), nullptr);
  EXPECT_EQ(kept(store), (std::vector<int32_t>{0}));
}

TEST_F(PackedStore, DoesNotCountWhatIsInTheFile) {
  const auto saved = std::make_shared<std::array<float, 4>>();
  PackedKey key{.graph = 0, .values = {0}, .types = {DType::kFloat32}, .layout = "test.copy.v1", .parameters = {4}};
  PackedWeights store(0, {{key, saved, sizeof(*saved)}});
  EXPECT_EQ(get(store, 0).get(), saved.get());
  EXPECT_EQ(store.bytes(), 0U);
  EXPECT_EQ(get(store, 0, 3), nullptr);  // another key
  key.parameters = {3};
  PackedWeights wrong(0, {{key, saved, sizeof(*saved)}});
  try {
    get(wrong, 0, 3);
    ADD_FAILURE() << "it takes 16 bytes for 12";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_NE(error.text().find("the packed weights test.copy.v1 of graph 0, values 0 have 16 bytes"),
              std::string::npos)
        << error.text();
  }
}

/// Under any bound the answers are the same, nothing more is kept, and what plans hold for themselves is counted there.
TEST(PackedWeights, AreBounded) {
  for (const Case& c : kCases) {
    const auto unbounded = model_of(c.graph, test::options_of(c));
    std::vector<std::vector<Tensor>> expected;
    for (const Shape& shape : c.shapes) expected.push_back(run_fresh(unbounded, {random_tensor(shape, 1)}));
    const size_t all = unbounded->program()->packed().bytes();
    for (size_t limit : {size_t{0}, all / 2, all}) {
      ModelOptions options = test::options_of(c);
      options.weights_cache_bytes = limit;
      const auto model = model_of(c.graph, options);
      Session session(model, {.threads = 2, .cache_bytes = size_t{1} << 30U});
      for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < c.shapes.size(); ++i) {
          EXPECT_TRUE(same_bits(run(session, {random_tensor(c.shapes[i], 1)}), expected[i])) << c.name;
          EXPECT_LE(model->program()->packed().bytes(), limit) << c.name;
        }
      }
      EXPECT_GE(model->program()->packed().bytes() + model->program()->steps().bytes(), all) << c.name;
    }
  }
}

}  // namespace
}  // namespace coracle::internal
