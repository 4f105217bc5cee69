// SPDX-License-Identifier: Apache-2.0
// Files made to cost more than they weigh are refused or loaded in time and memory in proportion to their size.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "loading/model.h"
#include "run/session.h"
#include "support/memory_file.h"
#include "support/pir_writer.h"
#include "support/program_writer.h"
#include "support/resident.h"

namespace coracle::internal {
namespace {

using test::BlockWriter;
using test::OpWriter;
using test::variable;

/// Generous: what these files cost is far below, on a slow machine too, and was far above or endless.
constexpr double kMostSeconds = 40;
constexpr size_t kMostGrowth = size_t{200} << 20U;

/// Loads the program, or has it refused; what the refusal says.
std::string load_in_bounds(const std::string& program) {
  const auto start = std::chrono::steady_clock::now();
  const size_t before = test::peak_resident_bytes();
  std::string refusal;
  try {
    Model::load(ModelSource::in_memory(test::memory_file(program), test::memory_file("")), {});
  } catch (const Error& e) {
    refusal = e.what();
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), kMostSeconds) << program.size() << " bytes";
  EXPECT_LT(test::peak_resident_bytes() - before, kMostGrowth + 200 * program.size()) << program.size() << " bytes";
  return refusal;
}

std::string numbered(const char* name, int64_t i) { return name + std::to_string(i); }

/// A main block of x -> y, with what `fill` puts in between.
template <class F>
std::vector<BlockWriter> main_block(const F& fill) {
  BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 4}, 0);
  fill(main);
  main.variables.push_back(variable("y", test::kFloat32, {-1, 4}));
  test::add_fetch(main, "y", 0);
  return {main};
}

/// `count` operators of a type, one behind the other.
std::string chain(const std::string& type, int64_t count) {
  return test::program_file(main_block([&](BlockWriter& main) {
    for (int64_t i = 0; i < count; ++i) {
      const std::string out = i + 1 == count ? "y" : numbered("v", i);
      main.operators.push_back(OpWriter(type).in("X", {i == 0 ? "x" : numbered("v", i - 1)}).out("Out", {out}));
    }
  }));
}

// ---- long programs

TEST(BoundedWork, ChainsOfAssignments) { EXPECT_EQ(load_in_bounds(chain("assign", 200000)), ""); }
TEST(BoundedWork, ChainsOfOperatorsThatStay) { EXPECT_EQ(load_in_bounds(chain("exp", 200000)), ""); }
TEST(BoundedWork, LongProgramsAreRewrittenAndRun) {
  constexpr int64_t kCount = 60000;
  const std::string program = test::program_file(main_block([&](BlockWriter& main) {
    for (int64_t i = 0; i < kCount; ++i) {
      const std::string in = i == 0 ? "x" : numbered("v", i - 1);
      const std::string out = i + 1 == kCount ? "y" : numbered("v", i);
      if (i % 3 == 0) {
        main.operators.push_back(OpWriter("dropout")
                                     .in("X", {in})
                                     .out("Out", {out})
                                     .real("dropout_prob", 0.5F)
                                     .boolean("is_test", true)
                                     .string("dropout_implementation", "downgrade_in_infer"));
      } else if (i % 3 == 1) {
        main.operators.push_back(
            OpWriter("elementwise_add").in("X", {in}).in("Y", {"x"}).out("Out", {out}).integer("axis", -1));
      } else {
        main.operators.push_back(OpWriter("relu").in("X", {in}).out("Out", {out}));
      }
    }
  }));
  const auto start = std::chrono::steady_clock::now();
  const auto model = Model::load(ModelSource::in_memory(test::memory_file(program), test::memory_file("")), {});
  const Graph& graph = model->program()->graph();
  const auto dropout = [&](NodeId id) { return std::string_view(graph.node(id).op.name()) == "dropout"; };
  EXPECT_TRUE(std::none_of(graph.order().begin(), graph.order().end(), dropout)) << "each is a scale now";
  Session session(model, {.threads = 1});
  session.set_input(0, Tensor::of<float>({2, 4}, std::vector<float>{1, 2, 3, 4, -1, -2, -3, -4}));
  session.run();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), kMostSeconds);
  // x = relu(0.5 x + x0) settles at 2 x0, or at 0.
  EXPECT_EQ(session.output(0).doubles(), (std::vector<double>{2, 4, 6, 8, 0, 0, 0, 0}));
}
TEST(BoundedWork, ChainsThatRewritesShorten) { EXPECT_EQ(load_in_bounds(chain("dropout", 50000)), ""); }

TEST(BoundedWork, EqualOperators) {
  EXPECT_EQ(load_in_bounds(test::program_file(main_block([&](BlockWriter& main) {
              for (int64_t i = 0; i < 100000; ++i) {
                main.operators.push_back(OpWriter("exp").in("X", {"x"}).out("Out", {i == 0 ? "y" : numbered("v", i)}));
              }
            }))),
            "");
}

TEST(BoundedWork, ChainsOfConstants) {
  EXPECT_EQ(
      load_in_bounds(test::program_file(main_block([&](BlockWriter& main) {
        main.operators.push_back(OpWriter("fill_constant")
                                     .out("Out", {"c0"})
                                     .integers("shape", {1, 4})
                                     .integer("dtype", test::kFloat32)
                                     .real("value", 0.5F));
        constexpr int64_t kCount = 50000;
        for (int64_t i = 0; i < kCount; ++i) {
          main.operators.push_back(OpWriter("tanh").in("X", {numbered("c", i)}).out("Out", {numbered("c", i + 1)}));
        }
        main.operators.push_back(
            OpWriter("elementwise_add").in("X", {"x"}).in("Y", {numbered("c", kCount)}).out("Out", {"y"}));
      }))),
      "");
}

// ---- blocks

TEST(BoundedWork, NestedBlocks) {
  constexpr int64_t kDepth = 50000;
  std::vector<BlockWriter> blocks =
      main_block([](BlockWriter& main) { main.variables.push_back(variable("c", test::kBool, {1})); });
  for (int64_t b = 0; b + 1 < kDepth; ++b) {
    blocks.back().operators.push_back(OpWriter("conditional_block")
                                          .in("Cond", {"c"})
                                          .out("Out", {"y"})
                                          .boolean("is_scalar_condition", true)
                                          .block("sub_block", b + 1));
    BlockWriter next;
    next.index = b + 1;
    next.parent = b;
    next.operators.push_back(OpWriter("assign").in("X", {"x"}).out("Out", {"y"}));
    blocks.push_back(std::move(next));
  }
  EXPECT_NE(load_in_bounds(test::program_file(blocks)).find("nested deeper than"), std::string::npos);
}

TEST(BoundedWork, ManyBlocksAndInputs) {
  constexpr int64_t kCount = 20000;
  std::vector<BlockWriter> blocks = main_block([](BlockWriter& main) {
    for (int64_t i = 0; i < kCount; ++i) test::add_feed(main, numbered("in", i), test::kFloat32, {1}, 1);
  });
  for (int64_t b = 1; b < kCount; ++b) {
    BlockWriter next;
    next.index = b;
    next.parent = 0;
    next.operators.push_back(OpWriter("assign").in("X", {"x"}).out("Out", {numbered("in", b)}));
    blocks.push_back(std::move(next));
  }
  load_in_bounds(test::program_file(blocks));
}

TEST(BoundedWork, NestedRegions) {
  std::string open;
  std::string close;
  for (int i = 0; i < 50000; ++i) {
    open += R"({"#":"region_0","blocks":[{"#":"b","args":[],"ops":[{"#":"1.if","I":[],"O":[],"A":[],"regions":[)";
    close += "]}]}]}";
  }
  const std::string program =
      R"({"base_code":{"magic":"pir","trainable":true,"version":1},"program":{"regions":[)" + open + close + "]}}";
  EXPECT_NE(load_in_bounds(program).find("nested deeper than"), std::string::npos);
}

// ---- types of loops

/// A loop that hands `count` variables on from each to the next: the type of the first, which the loop changes, reaches
/// one more with each look at the body.
void add_shifting_loop(std::vector<BlockWriter>& blocks, size_t parent, int64_t count, int depth) {
  const size_t self = blocks.size();
  blocks[parent].operators.push_back(OpWriter("while")
                                         .in("X", {"x"})
                                         .in("Condition", {"c"})
                                         .out("Out", {"v0"})
                                         .block("sub_block", static_cast<int64_t>(self)));
  BlockWriter body;
  body.index = static_cast<int64_t>(self);
  body.parent = static_cast<int64_t>(parent);
  blocks.push_back(body);
  for (int64_t i = count; i-- > 1;) {
    blocks[self].operators.push_back(OpWriter("assign").in("X", {numbered("v", i - 1)}).out("Out", {numbered("v", i)}));
  }
  if (depth > 1) add_shifting_loop(blocks, self, count, depth - 1);
  blocks[self].operators.push_back(OpWriter("concat").in("X", {"v0", "v0"}).out("Out", {"v0"}).integer("axis", 0));
  blocks[self].operators.push_back(OpWriter("logical_not").in("X", {"c"}).out("Out", {"c"}));
}

std::string shifting_loops(int64_t count, int depth) {
  std::vector<BlockWriter> blocks = main_block([&](BlockWriter& main) {
    main.variables.push_back(variable("c", test::kBool, {1}));
    main.operators.push_back(OpWriter("fill_constant")
                                 .out("Out", {"c"})
                                 .integers("shape", {1})
                                 .integer("dtype", test::kBool)
                                 .string("str_value", "1"));
    for (int64_t i = 0; i < count; ++i) {
      main.variables.push_back(variable(numbered("v", i), test::kFloat32, {2, 4}));
      main.operators.push_back(OpWriter("fill_constant")
                                   .out("Out", {numbered("v", i)})
                                   .integers("shape", {2, 4})
                                   .integer("dtype", test::kFloat32)
                                   .real("value", 1.0F));
    }
  });
  blocks[0].operators.pop_back();  // the fetch comes last
  add_shifting_loop(blocks, 0, count, depth);
  blocks[0].operators.push_back(OpWriter("assign").in("X", {numbered("v", count - 1)}).out("Out", {"y"}));
  blocks[0].operators.push_back(OpWriter("fetch").in("X", {"y"}).out("Out", {"fetch"}).integer("col", 0));
  return test::program_file(blocks);
}

TEST(BoundedWork, TypesThatCreepThroughALoop) { EXPECT_EQ(load_in_bounds(shifting_loops(4000, 1)), ""); }
TEST(BoundedWork, TypesThatCreepThroughNestedLoops) { load_in_bounds(shifting_loops(200, 8)); }

// ---- tensors

TEST(BoundedWork, ParametersThatAreNotStored) {
  namespace pir = test::pir;
  const std::string type = pir::tensor("t_f32", {1024, 1024, 1024});
  const std::string x = pir::tensor("t_f32", {1});
  EXPECT_EQ(load_in_bounds(pir::program_file({pir::parameter(1, "w", type, false), pir::data(2, "x", x),
                                              pir::operation("1.exp", {2}, {{3, x}}), pir::fetch(3, 4, 0, x)})),
            "")
      << "unused";
  load_in_bounds(pir::program_file(
      {pir::parameter(1, "w", type, false), pir::operation("1.exp", {1}, {{3, type}}), pir::fetch(3, 4, 0, type)}));
}

TEST(BoundedWork, ConstantsOfAnySize) {
  namespace pir = test::pir;
  const std::string type = pir::tensor("t_f32", {1024, 1024, 1024});
  EXPECT_EQ(load_in_bounds(pir::program_file({pir::full(1, 1.0, "float32", "t_f32", {1024, 1024, 1024}),
                                              pir::operation("1.exp", {1}, {{3, type}}), pir::fetch(3, 4, 0, type)})),
            "");
}

}  // namespace
}  // namespace coracle::internal
