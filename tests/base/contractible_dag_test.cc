// SPDX-License-Identifier: Apache-2.0
#include "base/contractible_dag.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace coracle::internal {
namespace {

using Edge = std::pair<uint32_t, uint32_t>;

/// Whether groups (by vertex) have a cycle between them, found by taking away what nothing leads to.
bool has_cycle(const std::vector<uint32_t>& group, const std::vector<Edge>& edges) {
  std::set<Edge> left;
  for (const auto& [from, to] : edges) {
    if (group[from] != group[to]) left.insert({group[from], group[to]});
  }
  while (!left.empty()) {
    std::set<uint32_t> reached;
    for (const Edge& e : left) reached.insert(e.second);
    if (std::erase_if(left, [&](const Edge& e) { return !reached.contains(e.first); }) == 0) return true;
  }
  return false;
}

TEST(ContractibleDag, JoinsWhateverMakesNoCycle) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const uint32_t count = 3 + random() % 40;
    std::vector<Edge> edges;
    ContractibleDag dag(count);
    const size_t edge_count = random() % (count * 3);
    for (size_t e = 0; e < edge_count; ++e) {
      const uint32_t a = random() % count;
      const uint32_t b = random() % count;
      if (a == b) continue;
      edges.emplace_back(std::min(a, b), std::max(a, b));
      dag.add_edge(std::min(a, b), std::max(a, b));
    }
    std::vector<uint32_t> group(count);
    for (uint32_t v = 0; v < count; ++v) group[v] = v;
    for (int tries = 0; tries < 60; ++tries) {
      const bool by_edge = !edges.empty() && random() % 4 != 0;
      const Edge pair = by_edge ? edges[random() % edges.size()] : Edge(random() % count, random() % count);
      std::vector<uint32_t> joined = group;
      for (uint32_t& g : joined) {
        if (g == group[pair.first]) g = group[pair.second];
      }
      const bool may = !has_cycle(joined, edges);
      ASSERT_EQ(dag.join(pair.first, pair.second), may) << "seed " << seed;
      if (may) group = joined;
      for (const auto& [from, to] : edges) {
        if (group[from] == group[to]) {
          ASSERT_EQ(dag.group(from), dag.group(to));
        } else {
          ASSERT_LT(dag.position(from), dag.position(to)) << "seed " << seed;
        }
      }
    }
  }
}

TEST(ContractibleDag, ChainsAndFansTakeTimeInProportion) {
#ifdef CORACLE_SANITIZED
  constexpr uint32_t kCount = 10'000;
#else
  constexpr uint32_t kCount = 200'000;
#endif
  ContractibleDag chain(kCount);
  for (uint32_t v = 1; v < kCount; ++v) chain.add_edge(v - 1, v);
  for (uint32_t v = 1; v < kCount; ++v) ASSERT_TRUE(chain.join(v - 1, v));
  ContractibleDag fan(kCount);
  for (uint32_t v = 1; v < kCount; ++v) fan.add_edge(0, v);
  for (uint32_t v = kCount - 1; v > 0; --v) fan.join(0, v);
  EXPECT_EQ(chain.group(0), chain.group(kCount - 1));
}

}  // namespace
}  // namespace coracle::internal
