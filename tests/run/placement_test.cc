// SPDX-License-Identifier: Apache-2.0
// Programs on a device that does everything late give the bits of the CPU, wherever their nodes run.
#include <gtest/gtest.h>

#include <random>

#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/late_device.h"
#include "support/random_graph.h"

namespace coracle::test {
namespace {

ModelOptions on(const std::vector<std::shared_ptr<LateDevice>>& devices,
                const std::vector<std::string>& disabled = {}) {
  ModelOptions options;
  options.kernels.disabled = disabled;
  options.kernels.disabled.emplace_back("islands");
  for (const auto& device : devices) options.kernels.devices.push_back(use(device));
  return options;
}

/// While it lives, devices refuse nodes by chance.
class Refusals {
 public:
  Refusals(unsigned seed, int percent) { refuse_nodes(seed, percent); }
  ~Refusals() { refuse_nodes(0, 0); }
  Refusals(const Refusals&) = delete;
  Refusals& operator=(const Refusals&) = delete;
};

const std::vector<Shape> kShapes = {{1, 4, 8, 8}, {2, 4, 5, 7}, {1, 4, 33, 20},
                                    {1, 4, 1, 3}, {2, 4, 5, 7}, {1, 4, 8, 8}};

class RandomPlacement : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomPlacement, GivesTheBitsOfTheCpu) {
  const unsigned seed = GetParam();
  const Graph graph = random_graph(seed, 40);
  const auto plain = model_of(Graph(graph));
  for (const int percent : {0, 20, 50, 80}) {
    SCOPED_TRACE(text(percent, " % of the nodes refused"));
    const Refusals refusals(seed, percent);
    const std::shared_ptr<LateDevice> device = LateDevice::make({.threaded = seed % 2 == 0, .seed = seed});
    {
      const auto model = model_of(Graph(graph), on({device}));
      Session used(model, {.threads = 2});
      for (const Shape& shape : kShapes) {
        SCOPED_TRACE(text(shape));
        const Tensor x = random_tensor(shape, seed);
        const std::vector<Tensor> expected = run_fresh(plain, {x}, {.threads = 2});
        EXPECT_TRUE(same_bits(run(used, {x}), expected)) << "used session";
        EXPECT_TRUE(same_bits(run_fresh(model, {x}, {.threads = 1}), expected)) << "fresh session";
      }
    }
    EXPECT_EQ(device->complaint(), "");
    EXPECT_GT(device->counts().kernels, 0);
    EXPECT_EQ(device->counts().bytes + device->counts().host_bytes, 0U) << "the model is gone";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlacement, ::testing::Range(1U, 25U));

}  // namespace
}  // namespace coracle::test
