// SPDX-License-Identifier: Apache-2.0
// The engine xnnpack against the operators' references: the graphs of xnnpack.txt, random ones, and what it refuses.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <thread>

#include "graph/text.h"
#include "passes/pass.h"
#include "run_block.h"
#include "support/random_graph.h"
#include "xnnpack_support.h"

namespace coracle::internal::test {
namespace {

// XNNPACK's threads come from a library that the thread sanitizer does not see into.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CORACLE_ONE_THREAD
#endif
#endif
#ifdef CORACLE_ONE_THREAD
constexpr int kThreads[] = {1};
#else
constexpr int kThreads[] = {1, 2};
#endif

/// A graph of xnnpack.txt: "== name", then its text.
struct Case {
  std::string name;
  std::string text;
};

std::vector<Case> cases() {
  std::ifstream file(CORACLE_ENGINE_CASES "/xnnpack.txt");
  std::vector<Case> found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ")) {
      found.push_back({line.substr(3), {}});
    } else if (!found.empty()) {
      found.back().text.append(line).append("\n");
    }
  }
  return found;
}

class XnnpackTest : public WithXnnpack {
 protected:
  void check(const Graph& graph) {
    for (NodeId id : graph.order()) {
      EXPECT_EQ(engine_->refusal(graph, graph.node(id)), "") << graph.node(id).op.name();
    }
    for (int threads : kThreads) {
      SCOPED_TRACE(text(threads, " threads"));
      const auto compiled = compile_block(*engine_, graph, random_inputs(graph, 1), threads);
      const auto run = compiled->make_run();
      for (unsigned seed : {1U, 100U}) {
        const std::vector<Tensor> inputs = random_inputs(graph, seed);
        expect_near(run_block(*run, graph, inputs), evaluate_graph(graph, inputs));
      }
      // Another run of the same block, beside the first.
      const std::vector<Tensor> inputs = random_inputs(graph, 7);
      const auto other = compiled->make_run();
      expect_near(run_block(*other, graph, inputs), evaluate_graph(graph, inputs));
    }
  }

  /// Why the last node of a graph is refused, before or while it is compiled.
  std::string reason(const std::string& text) {
    const Graph graph = parse(text);
    std::string refused = engine_->refusal(graph, graph.node(graph.order().back()));
    if (!refused.empty()) return refused;
    try {
      compile_block(*engine_, graph, random_inputs(graph, 1), 1);
    } catch (const Error& e) {
      return e.text();
    }
    return {};
  }
};

TEST_F(XnnpackTest, GivesWhatTheReferencesGive) {
  const std::vector<Case> all = cases();
  ASSERT_GE(all.size(), 60U);
  for (const Case& c : all) {
    SCOPED_TRACE(c.name);
    try {
      check(parse(c.text));
    } catch (const Error& e) {
      ADD_FAILURE() << e.text();
    }
  }
}

TEST_F(XnnpackTest, HasACaseForEachOperator) {
  std::set<std::string> covered;
  for (const Case& c : cases()) {
    const Graph graph = parse(c.text);
    for (NodeId id : graph.order()) covered.insert(graph.node(id).op.name());
  }
  const Graph nothing;
  int taken = 0;
  for (const OpSchema* schema : all_ops()) {
    Node node;
    node.op = Op(schema);
    if (engine_->refusal(nothing, node).starts_with("it has nothing for ")) continue;
    ++taken;
    EXPECT_TRUE(covered.contains(schema->name)) << "tests/engines/xnnpack.txt has no " << schema->name;
  }
  EXPECT_EQ(taken, static_cast<int>(covered.size()));
  EXPECT_GE(taken, 60);
}

TEST_F(XnnpackTest, KeepsToWhatItKnowsOfTypes) {
  // Nothing of the sizes is known: an answer, and no other end.
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Graph graph = parse(c.text);
    for (ValueId v : graph.inputs()) {
      const int rank = graph.fact(v).shape.rank();
      graph.set_input_fact(v, Fact(DType::kFloat32, Shape::filled(rank, Shape::kUnknown)));
    }
    try {
      graph.infer_all();
    } catch (const Error&) {
      continue;
    }
    for (NodeId id : graph.order()) {
      const std::string refused = engine_->refusal(graph, graph.node(id));
      EXPECT_TRUE(refused.empty() || refused.starts_with("the rank of ")) << refused;  // a squeeze leaves any rank
    }
    for (ValueId v : graph.inputs()) graph.set_input_fact(v, Fact::unknown());
    try {
      graph.infer_all();
    } catch (const Error&) {
      continue;
    }
    for (NodeId id : graph.order()) {
      bool reads_input = false;
      for (ValueId v : graph.node(id).inputs) reads_input = reads_input || !graph.fact(v).type_known();
      if (reads_input) {
        EXPECT_NE(engine_->refusal(graph, graph.node(id)), "");
      }
    }
  }
}

/// A node of a graph alone: its operands are inputs, but for constants.
Graph alone(const Graph& graph, const Node& node) {
  Graph one;
  PortValues operands;
  size_t next = 0;
  for (int count : node.input_counts) {
    std::vector<ValueId>& port = operands.emplace_back();
    for (int i = 0; i < count; ++i, ++next) {
      const Value& v = graph.value(node.inputs[next]);
      port.push_back(v.fact.value != nullptr ? one.add_constant(*v.fact.value) : one.add_input("x", v.fact));
    }
  }
  const NodeId made = one.add_node(node.op, operands, node.output_counts);
  for (ValueId v : one.node(made).outputs) one.add_output(v, "y");
  return one;
}

TEST_F(XnnpackTest, RandomGraphsWholeAndByNode) {
  int wholes = 0;
  int nodes = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Graph graph = random_graph(seed, 12);
    for (ValueId v : graph.inputs()) graph.set_input_fact(v, Fact(DType::kFloat32, {1, 4, 9, 7}));
    graph.infer_all();
    if (seed % 2 == 1) run_passes(graph, {});
    bool taken = true;
    for (NodeId id : graph.order()) {
      if (!engine_->refusal(graph, graph.node(id)).empty()) {
        taken = false;
      } else if (seed % 4 < 2) {
        SCOPED_TRACE(graph.node(id).op.name());
        check(alone(graph, graph.node(id)));
        ++nodes;
      }
    }
    if (!taken) continue;
    ++wholes;
    check(graph);
  }
  RecordProperty("wholes", wholes);
  RecordProperty("nodes", nodes);
  EXPECT_GE(wholes, 5);
  EXPECT_GE(nodes, 100);
}

TEST_F(XnnpackTest, Refuses) {
  struct {
    const char* graph;
    const char* reason;
  } const refused[] = {
      {"graph (%x: float32[3]) {\n %y = tanh(%x)\n return %y\n}", "it has nothing for tanh"},
      {"graph (%x: float64[3]) {\n %y = relu(%x)\n return %y\n}", "x is not float32"},
      {"graph (%x: float32[1, 1, 1, 1, 1, 1, 3]) {\n %y = relu(%x)\n return %y\n}", "more than six dimensions"},
      {"graph (%x: float32[0, 3]) {\n %y = relu(%x)\n return %y\n}", "no elements"},
      {"graph (%x: float32[2, 3, 5]) {\n %y = softmax(%x) {axis = 1}\n return %y\n}", "not the last"},
      {"graph (%x: float32[3]) {\n %y = round(%x)\n return %y\n}", "halves"},
      {"graph (%x: float32[3]) {\n %y = elu(%x) {alpha = -1}\n return %y\n}", "alpha"},
      {"graph (%x: float32[3, 4], %y: float32[4, 5]) {\n %z = matmul(%x, %y)\n return %z\n}", "y is not constant"},
      {"graph (%x: float32[1, 5, 5, 3]) {\n @w: float32[2, 3, 3, 3] = random(1)\n"
       " %y = conv2d(%x, @w) {data_format = NHWC}\n return %y\n}",
       "channels are last"},
      {"graph (%x: float32[1, 3, 5, 5]) {\n @w: float32[2, 3, 3, 3] = random(1)\n"
       " %y = conv2d_fused(%x, @w, []) {epilogue = [\"gelu\"], epilogue_numbers = [0, 0, 0]}\n return %y\n}",
       "it has nothing for gelu"},
      {"graph (%x: float32[1, 3, 7, 5]) {\n @k: int64[2] = {2, 2}\n"
       " %y = pool2d(%x, @k) {pooling_type = max, adaptive = true}\n return %y\n}",
       "adaptive maximum"},
      {"graph (%x: float32[1, 3, 7, 5]) {\n @p: int64[4] = {1, 1, 1, 1}\n %y = pad2d(%x, @p) {mode = \"reflect\"}\n"
       " return %y\n}",
       "its mode is reflect"},
      {"graph (%x: float32[3], %n: int64[1]) {\n %y = expand(%x, %n)\n return %y\n}", "it has nothing for expand"},
  };
  for (const auto& r : refused) {
    EXPECT_NE(reason(r.graph).find(r.reason), std::string::npos) << r.graph << "\n" << reason(r.graph);
  }
}

TEST_F(XnnpackTest, NamesDevicesItDoesNotHave) {
  const Graph graph = parse("graph (%x: float32[3]) {\n %y = relu(%x)\n return %y\n}");
  const std::vector<Fact> facts = facts_for(graph, random_inputs(graph, 1));
  const EngineOptions gpu{.device = "GPU"};
  try {
    engine_->compile({graph, facts, 1, gpu});
    FAIL() << "it has taken the device GPU";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kUnsupported);
    EXPECT_NE(e.text().find("there is no device GPU"), std::string::npos) << e.text();
  }
}

TEST_F(XnnpackTest, ManyThreadsUseOneBlock) {
  const Graph graph = parse(R"(graph (%x: float32[1, 3, 19, 17]) {
    @w: float32[5, 3, 3, 3] = random(1)
    %a = conv2d(%x, @w) {paddings = [1, 1]}
    %b = hardswish(%a)
    return %b
  })");
  const auto compiled = compile_block(*engine_, graph, random_inputs(graph, 1), 1);
  EXPECT_GT(compiled->bytes(), 0U);
  std::vector<std::vector<Tensor>> got(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < got.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto run = compiled->make_run();
      for (int i = 0; i < 20; ++i) got[t] = run_block(*run, graph, random_inputs(graph, t));
    });
  }
  for (std::thread& t : threads) t.join();
  for (unsigned t = 0; t < got.size(); ++t) expect_near(got[t], evaluate_graph(graph, random_inputs(graph, t)));
}

TEST_F(XnnpackTest, SaysItsVersion) {
  EXPECT_TRUE(engine_->version().starts_with("xnnpack ")) << engine_->version();
  EXPECT_EQ(engine_, find_engine("xnnpack").engine);
}

}  // namespace
}  // namespace coracle::internal::test
