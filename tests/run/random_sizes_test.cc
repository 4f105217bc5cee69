// SPDX-License-Identifier: Apache-2.0
// One session under inputs that change their size with every run: the same bits as a fresh session, and memory that
// stops growing.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "loading/model.h"
#include "run/session.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

#ifdef CORACLE_SANITIZED
constexpr int kSizes = 20;  // many times slower, and memory is not compared
#else
constexpr int kSizes = 300;
#endif
/// From this run on memory is compared.
constexpr int kSettled = 50;

/// Resident memory of this process that belongs to no file, in bytes.
size_t anonymous_memory() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) * 1024;
  }
  return 0;
}

/// FNV-1a of a tensor's shape and bytes.
uint64_t hash_of(const Tensor& t) {
  uint64_t hash = 0xCBF29CE484222325U;
  const auto add = [&](const void* data, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const uint8_t*>(data)[i]) * 0x100000001B3U;
  };
  for (int64_t d : t.shape()) add(&d, sizeof(d));
  add(t.raw(), t.bytes());
  return hash;
}

struct Sizes {
  const char* model;
  Shape largest;
  Shape (*shape)(std::mt19937& random);
};

int64_t between(std::mt19937& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

/// Detection takes images whose sides are multiples of 32.
Shape detection(std::mt19937& random) { return {1, 3, 32 * between(random, 1, 8), 32 * between(random, 1, 8)}; }
/// Recognition takes lines of any width.
Shape recognition(std::mt19937& random) { return {between(random, 1, 4), 3, 48, between(random, 16, 160)}; }

void PrintTo(const Sizes& sizes, std::ostream* out) { *out << sizes.model; }

class RandomSizes : public ::testing::TestWithParam<Sizes> {};

TEST_P(RandomSizes, GiveTheSameBitsInSettledMemory) {
  const std::string folder = std::string(CORACLE_DEMO_MODELS) + "/models/" + GetParam().model;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no models in " << CORACLE_DEMO_MODELS;
  const auto model = Model::load(ModelSource::on_disk(folder), {});
  std::mt19937 random(1);
  std::vector<Shape> shapes;
  for (int i = 0; i < kSizes; ++i) shapes.push_back(GetParam().shape(random));
  shapes[0] = GetParam().largest;  // a session's memory is that of its largest run
  // All inputs lie in one buffer, so that only the session's memory changes.
  const Tensor noise = test::random_tensor(Shape{GetParam().largest.count()}, 1);
  const auto image = [&](int i) {
    return Tensor::borrow(DType::kFloat32, shapes[static_cast<size_t>(i)], noise.raw());
  };
  const auto run = [&](Session& session, int i) {
    session.set_input(0, image(i));
    session.run();
    return hash_of(session.output(0));
  };

  std::vector<uint64_t> hashes;
  size_t settled = 0;
  size_t most = 0;
  {
    // The bound on plans is reached before memory is compared.
    Session session(model, {.threads = 2, .cache_bytes = size_t{2} << 20U});
    for (int i = 0; i < kSizes; ++i) {
      hashes.push_back(run(session, i));
      if (i + 1 == kSettled) settled = anonymous_memory();
      if (i + 1 > kSettled) most = std::max(most, anonymous_memory());
    }
  }
  std::printf("%s: %.1f MB after run %d, at most %.1f MB later\n", GetParam().model, static_cast<double>(settled) / 1e6,
              kSettled, static_cast<double>(most) / 1e6);
#ifndef CORACLE_SANITIZED  // whose allocators hold memory back
  EXPECT_LT(static_cast<double>(most), 1.05 * static_cast<double>(settled));
#endif

  int compared = 0;
  for (int i = 0; i < kSizes; ++i) {
    Session fresh(model, {.threads = 1 + i % 2});
    EXPECT_EQ(run(fresh, i), hashes[static_cast<size_t>(i)])
        << "run " << i << " of " << text(shapes[static_cast<size_t>(i)]);
    ++compared;
  }
  EXPECT_EQ(compared, kSizes);
}

INSTANTIATE_TEST_SUITE_P(Models, RandomSizes,
                         ::testing::Values(Sizes{"ch_PP-OCRv4_det_infer", {1, 3, 256, 256}, detection},
                                           Sizes{"ch_PP-OCRv4_rec_infer", {4, 3, 48, 160}, recognition}));

}  // namespace
}  // namespace coracle::internal
