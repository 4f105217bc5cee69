// SPDX-License-Identifier: Apache-2.0
#include "graph/node_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace coracle::internal {
namespace {

TEST(NodeOrder, IsTheListThatTheSameChangesMake) {
  std::mt19937 random(3);
  NodeOrder order;
  std::vector<NodeId> list;
  for (int32_t i = 0; i < 2000; ++i) {
    const NodeId id{i};
    const auto at = list.begin() + static_cast<int>(random() % (list.size() + 1));
    if (at == list.end() || random() % 2 == 0) {
      order.append(id);
      list.push_back(id);
    } else {
      order.insert(id, *at);
      list.insert(at, id);
    }
    if (random() % 3 == 0) {
      const auto gone = list.begin() + static_cast<int>(random() % list.size());
      order.remove(*gone);
      list.erase(gone);
    }
    if (random() % 5 == 0) {
      ASSERT_EQ(order.list(), list) << i;
    }
  }
  while (!list.empty()) {
    order.remove(list.front());
    list.erase(list.begin());
  }
  EXPECT_TRUE(order.list().empty());
}

}  // namespace
}  // namespace coracle::internal
