// SPDX-License-Identifier: Apache-2.0
#include "graph/patch.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "ops/activation/abs.h"
#include "ops/activation/relu.h"
#include "ops/elementwise/cast.h"

namespace coracle::internal {
namespace {

Graph chain() {
  return parse(R"(graph (%x: float32[2]) { %a "first" = relu(%x) %b "second" = abs(%a) return %b "out" })");
}

TEST(Patch, CommitReplacesValues) {
  Graph g = chain();
  const NodeId abs = g.order()[1];
  const ValueId old = g.outputs()[0];
  {
    Patch patch(g, abs);
    patch.replace(old, patch.add(Relu{}, {{g.inputs()[0]}}));
    patch.commit();
  }
  EXPECT_EQ(remove_dead(g), 2);
  verify(g, true);
  EXPECT_EQ(print(g), print(parse(R"(graph (%x: float32[2]) { %b "second" = relu(%x) lod none return %b "out" })")))
      << "the new value takes over the variable's name";
}

TEST(Patch, NothingIsLeftWithoutCommit) {
  Graph g = chain();
  const std::string before = print(g);
  {
    Patch patch(g, g.order()[1]);
    patch.replace(g.outputs()[0], patch.add(Abs{}, {{patch.add(Relu{}, {{g.inputs()[0]}})}}));
  }
  EXPECT_EQ(print(g), before);
  verify(g, true);
}

TEST(Patch, NewNodesAreNamedAfterTheOldOne) {
  Graph g = chain();
  Patch patch(g, g.order()[1]);
  const NodeId added = patch.add_node(Relu{}, {{g.inputs()[0]}}, {});
  EXPECT_EQ(g.node(added).name, "abs_1");
  EXPECT_EQ(g.order()[1], added) << "in front of the node at which the patch stands";
  patch.commit();
}

/// The scope of a node that replaces the last of these lines' value by `relu` of the first.
std::string scope_of_added(const std::string& lines) {
  Graph g = parse("graph (%x: float32[2, 2]) {\n" + lines + "}");
  const NodeId first = g.order()[0];
  Patch patch(g, g.order().back());
  const ValueId by = patch.add(Relu{}, {{g.node(first).output()}});
  patch.replace(g.outputs()[0], by);
  patch.commit();
  return g.node(g.value(by).producer).scope;
}

TEST(Patch, NewNodesHaveTheScopeOfWhatGoes) {
  const std::string first = "%0 = abs(%x) scope \"/first/\"\n";
  EXPECT_EQ(scope_of_added(first + "%1 = exp(%0) scope \"/a/\" return %1"), "/a/");
  EXPECT_EQ(scope_of_added(first + "%1 = exp(%0) scope \"/a/\" %2 = exp(%1) scope \"/b/\" return %2"), "/a/")
      << "the first of them; what the new node reads stays";
  EXPECT_EQ(scope_of_added(first + "%1 = exp(%0) scope \"/a/\" %2 = exp(%1) scope \"/b/\" return %2, %1"), "/b/")
      << "a node that is read elsewhere stays";
  EXPECT_EQ(scope_of_added(first + "%1 = exp(%0) scope \"/a/\" %2 = matmul(%1, %1) scope \"/m/\""
                                   "%3 = exp(%2) scope \"/b/\" return %3"),
            "/m/")
      << "the product, wherever it stands";
  EXPECT_EQ(scope_of_added(first + "%1 = exp(%0) %2 = exp(%1) scope \"/b/\" return %2"), "")
      << "none, if that is what the first has";
  EXPECT_EQ(scope_of_added("@axis: int32[1] = {0}\n" + first +
                           "%1 = concat([%0, %0], @axis) scope \"/c/\""
                           "[%2, %3] = split_with_num(%1, @axis) {num = 2} scope \"/a/\" return %2, %3"),
            "/a/")
      << "that of its place if nothing goes";
}

TEST(Patch, AnotherTypeIsRefused) {
  Graph g = chain();
  const std::string before = print(g);
  try {
    Patch patch(g, g.order()[1]);
    patch.replace(g.outputs()[0], patch.add(Cast{DType::kInt32}, {{g.inputs()[0]}}));
    FAIL() << "int32 stood in for float32";
  } catch (const Error& e) {
    EXPECT_EQ(e.text(), "a value of type float32[2] cannot be replaced by one of type int32[2]");
  }
  EXPECT_EQ(print(g), before);
  Patch patch(g, g.order()[1]);
  EXPECT_THROW(patch.replace(g.outputs()[0], patch.constant(Tensor::make(DType::kFloat32, {3}))), Error);
}

TEST(RemoveDead, KeepsWhatHasEffectsAndWhatTheyNeed) {
  Graph g = parse(R"(graph (%c: bool[1], %x: float32[2]) {
    %dead = relu(%x)
    %dead2 = abs(%dead)
    %needed = abs(%x)
    [%y] = if(%c, [%needed]) graph (%v: float32[2]) { return %v } graph (%v: float32[2]) { return %v }
    return %x })");
  EXPECT_EQ(remove_dead(g), 2);
  EXPECT_EQ(g.order().size(), 2U);
  EXPECT_EQ(remove_dead(g), 0);
}

}  // namespace
}  // namespace coracle::internal
