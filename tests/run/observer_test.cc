// SPDX-License-Identifier: Apache-2.0
#include "run/observer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

#include "loading/model.h"
#include "plan/copy_elision.h"
#include "run/session.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::random_tensor;

/// Heads out of one product, and images next to each other in one tensor.
const char* const kObserved = R"(graph (%x "x": float32[?, ?, 48], %i "i": float32[?, 6, ?, ?]) {
  @axis: int64[] = {2}
  @channels: int64[] = {1}
  @heads: int64[4] = {0, 0, 2, 8}
  @row: int64[3] = {0, 0, 16}
  @w1: float32[20, 6, 1, 1] = random(1)
  @w3: float32[17, 6, 3, 3] = random(2)
  [%a, %b, %c] = split_with_num(%x, @axis) {num = 3}
  %d = reshape(%a, @heads)
  %e = reshape(%b, @heads)
  %f = reshape(%c, @heads)
  %q "q" = transpose(%d) {perm = [0, 2, 1, 3]}
  %k "k" = transpose(%e) {perm = [0, 2, 1, 3]}
  %v "v" = transpose(%f) {perm = [0, 2, 1, 3]}
  %g "heads" = attention(%q, %k, %v) {scale = 0.3}
  %h "tokens" = transpose(%g) {perm = [0, 2, 1, 3]}
  %y = reshape(%h, @row)
  %l "left" = conv2d(%i, @w1)
  %m "right" = conv2d(%i, @w3) {paddings = [1, 1]}
  %n "both" = concat([%l, %m], @channels)
  %o = relu(%n)
  return %y "y", %o "o"
})";

using Values = std::map<std::string, std::string>;  // by variable, shape and bytes

Values observed(const std::shared_ptr<const Model>& model) {
  Session session(model, {.threads = 1});
  session.set_input(0, random_tensor({2, 9, 48}, 1));
  session.set_input(1, random_tensor({2, 6, 7, 5}, 2));
  Values values;
  session.set_observer([&](const ObservedValue& v) {
    if (v.name.empty()) return;
    std::string bytes(v.fact.bytes(), '\0');
    std::memcpy(bytes.data(), v.data, bytes.size());
    const auto [at, is_new] = values.emplace(v.name, text(v.fact.shape, " ") + bytes);
    EXPECT_TRUE(is_new || at->second == text(v.fact.shape, " ") + bytes) << v.name;
  });
  session.run();
  return values;
}

TEST(Observer, SeesPartsOfLargerTensorsAsTheyAre) {
  ModelOptions options;
  options.kernels.disabled = {kCopyElision.name};
  const Values moved = observed(model_of(kObserved, options));
  const Values strided = observed(model_of(kObserved));
  for (const char* name : {"i", "q", "k", "v", "heads", "left", "right", "both"}) {
    ASSERT_EQ(strided.count(name), 1U) << name;
    EXPECT_EQ(strided.at(name), moved.at(name)) << name;
  }
}

}  // namespace
}  // namespace coracle::internal
