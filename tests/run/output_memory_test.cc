// SPDX-License-Identifier: Apache-2.0
#include "run/output_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

/// Outputs in memory of the caller's.
namespace coracle::internal {
namespace {

using test::model_of;
using test::random_graph;
using test::random_tensor;

/// Bytes of the caller's, with others around them that nobody may write.
class Guarded {
 public:
  explicit Guarded(size_t bytes, size_t misplaced = 0)
      : bytes_(bytes), all_(bytes + misplaced + 3 * kMargin, kGuard), at_(misplaced) {
    while (reinterpret_cast<uintptr_t>(all_.data() + at_ + kMargin - misplaced) % 64 != 0) ++at_;
    at_ += kMargin;
  }
  void* data() { return all_.data() + at_; }
  size_t bytes() const { return bytes_; }
  bool kept() const {
    const auto is_guard = [](uint8_t b) { return b == kGuard; };
    const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(at_);
    return std::all_of(all_.begin(), begin, is_guard) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(bytes_), all_.end(), is_guard);
  }

 private:
  static constexpr size_t kMargin = 128;
  static constexpr uint8_t kGuard = 0xA7;
  size_t bytes_;
  std::vector<uint8_t> all_;
  size_t at_;
};

const char* const kSum = R"(graph (%x "x": float32[?, 8]) {
  @w: float32[8, 8] = random(3)
  %y "y" = matmul(%x, @w)
  %z "z" = tanh(%y)
  return %y, %z
})";

Tensor run_on(Session& session, const Tensor& x, size_t output) {
  session.set_input(0, x);
  session.run();
  return session.output(output);
}

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && a.bytes() == b.bytes() &&
         (a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.bytes()) == 0);
}

TEST(OutputMemory, HasTheResultWhereverItLies) {
  const auto model = model_of(kSum);
  for (const size_t misplaced : {size_t{0}, size_t{4}, size_t{32}}) {
    Session plain(model, {.threads = 1});
    Session bound(model, {.threads = 1});
    Guarded memory(size_t{40} * 8 * sizeof(float), misplaced);
    bound.bind_output(1, memory.data(), memory.bytes());
    for (const int64_t rows : {3, 40, 1, 3}) {
      const Tensor x = random_tensor({rows, 8}, static_cast<unsigned>(rows));
      const Tensor expected = run_on(plain, x, 1).clone();
      const Tensor found = run_on(bound, x, 1);
      EXPECT_EQ(found.raw(), memory.data());
      EXPECT_TRUE(same(found, expected)) << rows;
      EXPECT_TRUE(same(bound.output(0), plain.output(0))) << rows;
    }
    EXPECT_TRUE(memory.kept());
  }
}

TEST(OutputMemory, IsWrittenByKernelsWhereItMayBe) {
  Guarded aligned(64);
  Guarded misplaced(64, 4);
  const Tensor apart = Tensor::make(DType::kFloat32, {4});
  EXPECT_TRUE((OutputMemory{aligned.data(), 64}).takes_kernels({&apart, 1}));
  EXPECT_FALSE((OutputMemory{misplaced.data(), 64}).takes_kernels({&apart, 1}));
  EXPECT_FALSE((OutputMemory{nullptr, 0}).takes_kernels({&apart, 1}));
  const Tensor in_it = Tensor::borrow(DType::kFloat32, {1}, static_cast<const char*>(aligned.data()) + 60);
  EXPECT_FALSE((OutputMemory{aligned.data(), 64}).takes_kernels({&in_it, 1}));
  EXPECT_TRUE((OutputMemory{aligned.data(), 60}).takes_kernels({&in_it, 1}));
}

TEST(OutputMemory, MayBeThatOfAnInput) {
  const auto model = model_of(kSum);
  Session plain(model, {.threads = 1});
  Session bound(model, {.threads = 1});
  Guarded memory(size_t{16} * 8 * sizeof(float));
  const Tensor x = random_tensor({16, 8}, 1);
  std::memcpy(memory.data(), x.raw(), x.bytes());
  bound.bind_output(0, memory.data(), memory.bytes());
  bound.set_input(0, Tensor::borrow(DType::kFloat32, x.shape(), memory.data()));
  Tensor expected = x;
  for (int step = 0; step < 3; ++step) {  // each run reads what the one before has written
    expected = run_on(plain, expected, 0).clone();
    bound.run();
    EXPECT_TRUE(same(bound.output(0), expected)) << step;
  }
}

TEST(OutputMemory, IsNoMoreUsedOnceItIsTakenAway) {
  Session session(model_of(kSum), {.threads = 1});
  Guarded memory(size_t{4} * 8 * sizeof(float));
  session.bind_output(1, memory.data(), memory.bytes());
  const Tensor x = random_tensor({4, 8}, 1);
  EXPECT_EQ(run_on(session, x, 1).raw(), memory.data());
  session.bind_output(1, nullptr, 0);
  EXPECT_THROW(session.output(1), Error) << "it was in memory that is gone";
  std::memset(memory.data(), 0, memory.bytes());
  EXPECT_NE(run_on(session, x, 1).raw(), memory.data());
  const auto* bytes = static_cast<const uint8_t*>(memory.data());
  EXPECT_TRUE(std::all_of(bytes, bytes + memory.bytes(), [](uint8_t b) { return b == 0; }));
}

TEST(OutputMemory, WithTooLittleRoomIsRefused) {
  Session session(model_of(kSum), {.threads = 1});
  Guarded memory(size_t{4} * 8 * sizeof(float));
  session.bind_output(1, memory.data(), memory.bytes());
  session.set_input(0, random_tensor({5, 8}, 1));
  try {
    session.run();
    FAIL() << "it runs";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(e.text().find("is float32[5, 8], 160 bytes, its memory has room for 128"), std::string::npos) << e.text();
  }
  EXPECT_TRUE(memory.kept());
  EXPECT_EQ(run_on(session, random_tensor({4, 8}, 1), 1).raw(), memory.data());
}

TEST(OutputMemory, OfTwoOutputsMayNotOverlap) {
  Session session(model_of(kSum), {.threads = 1});
  Guarded memory(512);
  session.bind_output(0, memory.data(), 256);
  EXPECT_THROW(session.bind_output(1, static_cast<char*>(memory.data()) + 255, 1), Error);
  session.bind_output(1, static_cast<char*>(memory.data()) + 256, 256);
  EXPECT_THROW(session.bind_output(2, memory.data(), 1), Error) << "there are two outputs";
}

/// One value as two outputs, an input as an output, a constant, a reshaped value, nothing.
TEST(OutputMemory, TakesWhatNoKernelWrites) {
  const auto model = model_of(R"(graph (%x "x": float32[?, 8]) {
  @c "c": float32[3] = {1, 2, 3}
  @flat: int64[1] = {-1}
  %y "y" = tanh(%x)
  %f "f" = reshape(%y, @flat)
  return %y, %y, %x, @c, %f
})");
  for (const int64_t rows : {4, 0}) {
    Session plain(model, {.threads = 1});
    Session bound(model, {.threads = 1});
    std::vector<Guarded> memory;
    memory.reserve(5);
    for (size_t i = 0; i < 5; ++i) {
      Guarded& m = memory.emplace_back(i == 3 ? 12 : static_cast<size_t>(rows) * 8 * sizeof(float));
      bound.bind_output(i, m.data(), m.bytes());
    }
    const Tensor x = random_tensor({rows, 8}, 1);
    run_on(plain, x, 0);
    run_on(bound, x, 0);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_TRUE(same(bound.output(i), plain.output(i))) << i;
      EXPECT_EQ(bound.output(i).raw(), memory[i].data()) << i;
      EXPECT_TRUE(memory[i].kept()) << i;
    }
  }
}

class RandomOutputMemory : public testing::TestWithParam<unsigned> {};

TEST_P(RandomOutputMemory, HasTheBitsOfASessionsOwn) {
  const Graph graph = random_graph(GetParam(), 40);
  const auto model = model_of(Graph(graph));
  Session plain(model, {.threads = 2});
  Session bound(model, {.threads = 2});
  for (size_t round = 0; round < test::kSmallImages.size(); ++round) {
    const Tensor x = random_tensor(test::kSmallImages[round], GetParam());
    plain.set_input(0, x);
    bound.set_input(0, x);
    plain.run();
    std::vector<Guarded> memory;
    memory.reserve(graph.outputs().size());
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      Guarded& m = memory.emplace_back(plain.output(i).bytes(), (i + round) % 3 * 8);
      bound.bind_output(i, m.data(), m.bytes());
    }
    bound.run();
    for (size_t i = 0; i < memory.size(); ++i) {
      EXPECT_TRUE(same(bound.output(i), plain.output(i))) << i;
      EXPECT_TRUE(memory[i].kept()) << i;
    }
    for (size_t i = 0; i < memory.size(); ++i) bound.bind_output(i, nullptr, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomOutputMemory, testing::Range(1U, 17U));

}  // namespace
}  // namespace coracle::internal
