// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "paddle/paddle_models.h"

namespace coracle::internal::test {
namespace {

using Floats = std::vector<float>;

constexpr int kThreads = 16;

struct Request {
  std::vector<int> shape;
  Floats pixels;
  Floats expected;
};

Floats answer(paddle_infer::Predictor& predictor, const Request& request) {
  fill<float>(predictor, "x", request.shape, request.pixels);
  predictor.Run();
  return result<float>(predictor, "y");
}

/// Images of random sizes with what the predictor gives for them, one after the other.
std::vector<Request> requests(paddle_infer::Predictor& predictor, size_t count) {
  std::mt19937 random(7);
  std::vector<Request> out(count);
  for (Request& r : out) {
    const auto size = [&] { return static_cast<int>(6 + random() % 24); };
    r.shape = {static_cast<int>(1 + random() % 2), 3, size(), size()};
    r.pixels.resize(static_cast<size_t>(r.shape[0]) * 3 * static_cast<size_t>(r.shape[2] * r.shape[3]));
    for (float& p : r.pixels) p = static_cast<float>(random() % 1000) / 500.F - 1.F;
    r.expected = answer(predictor, r);
  }
  return out;
}

/// CORACLE_CLONE_SECONDS makes it longer.
std::chrono::milliseconds duration() {
  const char* seconds = std::getenv("CORACLE_CLONE_SECONDS");
  return seconds == nullptr ? std::chrono::milliseconds(500) : std::chrono::milliseconds(1000 * std::atoi(seconds));
}

TEST(PaddleClone, SixteenThreadsGiveTheBitsOfOne) {
  const ModelBytes bytes = small_model("convolution");
  const ModelOnDisk model(bytes);
  paddle_infer::Config config = model.config();
  config.SetCpuMathLibraryNumThreads(2);
  const auto predictor = paddle_infer::CreatePredictor(config);
  const std::vector<Request> all = requests(*predictor, 40);
  const auto end = std::chrono::steady_clock::now() + duration();
  std::atomic<int> wrong{0};
  std::atomic<int> runs{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      std::unique_ptr<paddle_infer::Predictor> mine = predictor->Clone();  // all at once
      for (int i = 0; i < 4 || std::chrono::steady_clock::now() < end; ++i) {
        const Request& request = all[random() % all.size()];
        if (answer(*mine, request) != request.expected) ++wrong;
        if (i % 50 == 49) mine = predictor->Clone();
        ++runs;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0) << "of " << runs << " runs";
  EXPECT_GE(runs, kThreads * 4);
}

}  // namespace
}  // namespace coracle::internal::test
