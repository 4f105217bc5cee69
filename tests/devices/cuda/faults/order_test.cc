// SPDX-License-Identifier: Apache-2.0
// Whole graphs give the same bits in whatever order streams do their work, and end with an error where the device goes.
#include <random>

#include "devices/cuda/faults/stand_in.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

class CudaOrder : public CudaStandIn {
 protected:
  /// A graph on the device; of its kernels so many percent are left out, so that values go to and from the host.
  static std::shared_ptr<const Model> model(unsigned seed, unsigned percent) {
    ModelOptions options;
    options.device = kDevice.name;
    options.kernels.disabled = {"islands"};
    std::mt19937 random(seed);
    for (const KernelTable* table : kDevice.kernels()) {
      for (const KernelDef& kernel : table->kernels) {
        if (random() % 100 < percent) options.kernels.disabled.emplace_back(kernel.name);
      }
    }
    return model_of(random_graph(seed, 15), options);
  }
};

TEST_F(CudaOrder, DoesNotShowInResults) {
  for (const unsigned graph : {1U, 2U, 3U}) {
    for (const unsigned percent : {0U, 40U}) {
      const int64_t launched = calls_("cuLaunchKernel");
      const auto on_device = model(graph, percent);
      Session session(on_device, {.threads = 1});
      const Tensor x = random_tensor({1, 4, 8, 8}, graph);
      seed_(1);
      const std::vector<Tensor> expected = run(session, {x});
      EXPECT_GT(calls_("cuLaunchKernel"), launched);
      for (uint64_t seed = 2; seed <= 30; ++seed) {
        seed_(seed);
        EXPECT_TRUE(same_bits(run(session, {x}), expected)) << "graph " << graph << ", seed " << seed;
      }
    }
  }
}

TEST_F(CudaOrder, ADeviceThatGoesIsAnErrorOfTheRun) {
  const Tensor x = random_tensor({1, 4, 8, 8}, 1);
  std::vector<Tensor> expected;
  int64_t calls = 0;
  {
    Session session(model(1, 40), {.threads = 1});
    expected = run(session, {x});
    const int64_t before = calls_(nullptr);
    EXPECT_TRUE(same_bits(run(session, {x}), expected));
    calls = calls_(nullptr) - before;
  }
  int failed = 0;
  const int64_t step = std::max<int64_t>(1, calls / 12);
  for (int64_t i = 1; i <= calls; i += step) {
    {
      Session session(model(1, 40), {.threads = 1});
      run(session, {x});
      lose_(i);
      try {
        EXPECT_TRUE(same_bits(run(session, {x}), expected)) << "call " << i << " of " << calls;
      } catch (const Error& e) {
        ++failed;
        EXPECT_EQ(e.code(), ErrorCode::kRunFailure) << e.text();
        EXPECT_NE(e.text().find("fake GPU"), std::string::npos) << e.text();
      }
    }
    lose_(0);
  }
  EXPECT_GT(failed, 3);
  Session session(model(1, 40), {.threads = 1});
  EXPECT_TRUE(same_bits(run(session, {x}), expected)) << "the device is there again";
}

}  // namespace
}  // namespace coracle::internal::test
