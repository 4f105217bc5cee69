// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <thread>

#include "engines/openvino/convert.h"
#include "graph/text.h"
#include "openvino_support.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/index/embedding.h"
#include "ops/matmul/matmul.h"
#include "passes/pass.h"
#include "passes/passes.h"
#include "run_block.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

using Cases = testing::TestWithParam<std::string>;

std::string name_of_file(const std::string& file) {
  const size_t begin = file.rfind('/') + 1;
  return file.substr(begin, file.rfind('.') - begin);
}

TEST_P(Cases, Agree) {
  CORACLE_NEEDS_OPENVINO();
  for (const EngineCase& c : engine_cases(GetParam())) {
    SCOPED_TRACE(c.title);
    const Graph graph = parse(c.graph);
    EXPECT_EQ(complaint_of(graph, inputs_for(graph), 2), "");
  }
}

std::vector<std::string> files_of_agreement() {
  std::vector<std::string> files = case_files();
  std::erase_if(files, [](const std::string& f) { return f.ends_with("/refused.txt"); });
  return files;
}

INSTANTIATE_TEST_SUITE_P(OpenVino, Cases, testing::ValuesIn(files_of_agreement()),
                         [](const auto& info) { return name_of_file(info.param); });

TEST(OpenVino, RefusesWithAReason) {
  const std::vector<EngineCase> cases = engine_cases(CORACLE_ENGINE_CASES "/openvino/refused.txt");
  EXPECT_FALSE(cases.empty());
  for (const EngineCase& c : cases) {
    SCOPED_TRACE(c.title);
    const Graph graph = parse(c.graph);
    EXPECT_NE(openvino_engine().refusal(graph, graph.node(graph.order().back())).find(c.reason), std::string::npos)
        << openvino_engine().refusal(graph, graph.node(graph.order().back()));
  }
}

/// A unary operator with the attributes that it has by itself.
Graph graph_of_unary(const OpSchema& schema) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {3, 37}));
  PortValues operands(schema.inputs.size());
  operands[0] = {x};
  for (size_t port = 1; port < operands.size(); ++port) {
    if (schema.inputs[port].kind == Port::Kind::kOne) operands[port] = {graph.add_constant(Tensor::scalar(0.5F))};
  }
  graph.add_output(graph.add(Op(&schema), operands), "y");
  return graph;
}

TEST(OpenVino, FunctionsOfOneNumber) {
  CORACLE_NEEDS_OPENVINO();
  int taken = 0;
  for (const OpSchema* schema : all_ops()) {
    const openvino::Converter* converter = openvino::find_converter(*schema);
    if (schema->unary_step == nullptr || converter == nullptr || converter->schema != nullptr) continue;
    SCOPED_TRACE(schema->name);
    const Graph graph = graph_of_unary(*schema);
    if (!openvino_engine().refusal(graph, graph.node(graph.order().front())).empty()) continue;
    Tensor x = random_tensor(Shape{3, 37}, 7);
    for (int64_t i = 0; i < x.count(); ++i) x.data<float>()[i] *= 8;
    // Where two steps meet, and halves.
    const float edges[] = {0, 0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -2.5F, 3, -3, 6, 20, -20, 1};
    std::copy(std::begin(edges), std::end(edges), x.data<float>());
    EXPECT_EQ(complaint_of(graph, std::vector<Tensor>{x}), "");
    ++taken;
  }
  EXPECT_GE(taken, 40);
}

TEST(OpenVino, EachStepOfAnEpilogue) {
  CORACLE_NEEDS_OPENVINO();
  const auto check = [](EpilogueStep step) {
    Graph graph;
    const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {1, 3, 6, 5}));
    const ValueId w = graph.add_constant(random_tensor(Shape{4, 3, 3, 3}, 2));
    Conv2dFused op;
    op.epilogue = {step};
    graph.add_output(graph.add(op, {{x}, {w}, {}}), "y");
    EXPECT_EQ(complaint_of(graph, inputs_for(graph)), "") << names_of(step.kind)[static_cast<size_t>(step.kind)];
  };
#define CORACLE_FUNCTION(name, text) check({EpilogueKind::k##name, 0.5F, 2.0F, 3.0F});
  CORACLE_EPILOGUE_FUNCTIONS(CORACLE_FUNCTION)
#undef CORACLE_FUNCTION
}

TEST(OpenVino, EveryConverterHasACase) {
  std::set<std::string> tested;
  for (const std::string& file : files_of_agreement()) {
    for (const EngineCase& c : engine_cases(file)) {
      const Graph graph = parse(c.graph);
      for (const NodeId id : graph.order()) tested.insert(graph.node(id).op.name());
    }
  }
  for (const OpSchema* schema : all_ops()) {
    const openvino::Converter* converter = openvino::find_converter(*schema);
    if (converter == nullptr || converter->schema == nullptr) continue;
    EXPECT_TRUE(tested.contains(schema->name)) << schema->name;
  }
}

/// Random programs as they are and after the passes, which make fused operators of them.
void check_random_graphs(unsigned first, unsigned last) {
  for (unsigned seed = first; seed < last; ++seed) {
    Graph graph = random_graph(seed, 20 + static_cast<int>(seed % 30));
    for (const bool fused : {false, true}) {
      if (fused) run_passes(graph, PassOptions{});
      for (const Shape& shape : {Shape{1, 4, 12, 16}, Shape{2, 4, 17, 9}}) {
        SCOPED_TRACE(text("seed ", seed, fused ? " fused " : " ", shape));
        const std::vector<Tensor> inputs = inputs_for(graph, {&shape, 1});
        for (const int threads : {1, 2}) {
          try {
            EXPECT_EQ(difference(run_by_engine(graph, inputs, threads), evaluate_graph(graph, inputs)), "");
          } catch (const Error& e) {
            ADD_FAILURE() << e.text();
          }
        }
      }
    }
  }
}

TEST(OpenVino, RandomGraphs) {
  CORACLE_NEEDS_OPENVINO();
  check_random_graphs(0, 12);
}

TEST(OpenVino, AnIndexOutOfRangeIsAnErrorOfTheRun) {
  CORACLE_NEEDS_OPENVINO();
  Graph graph;
  const ValueId ids = graph.add_input("ids", Fact(DType::kInt64, {3}));
  const ValueId table = graph.add_constant(random_tensor(Shape{4, 5}, 1));
  graph.add_output(graph.add(Embedding{}, {{ids}, {table}}), "y");
  const std::vector<Tensor> inputs{Tensor::ints(Ints{0, 4, 1})};
  try {
    run_by_engine(graph, inputs);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.text(), "index 4 (element 1 of Ids) is out of range: expected 0 to 3");
  }
}

TEST(OpenVino, ACompileErrorNamesTheOperatorOrWhatIsWrong) {
  CORACLE_NEEDS_OPENVINO();
  const Graph graph = parse("graph (%x: float32[3, 3]) {\n  %a = relu(%x)\n  %y = det(%a)\n  return %y\n}\n");
  const auto inputs = inputs_for(graph);
  try {
    run_by_engine(graph, inputs);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(e.text().find("converting operator det"), std::string::npos) << e.text();
    EXPECT_NE(e.text().find("compiling a block of 2 operators (relu, det)"), std::string::npos) << e.text();
  }
  const Graph relu = parse("graph (%x: float32[3, 3]) {\n  %y = relu(%x)\n  return %y\n}\n");
  const std::vector<Fact> facts = infer_graph(relu, std::vector<Fact>{Fact(DType::kFloat32, {3, 3})});
  const EngineOptions nowhere{.device = "NOWHERE"};
  try {
    openvino_engine().compile({relu, facts, 1, nowhere});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(e.text().find("NOWHERE"), std::string::npos) << e.text();
  }
}

TEST(OpenVino, BlocksThatWereSavedGiveTheSameBits) {
  CORACLE_NEEDS_OPENVINO();
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Graph graph = random_graph(seed, 25);
    const Shape shape{1, 4, 20, 12};
    const std::vector<Tensor> inputs = inputs_for(graph, {&shape, 1});
    const std::vector<Fact> facts = infer_graph(graph, std::vector<Fact>{Fact(DType::kFloat32, shape)});
    const EngineOptions options;
    for (const int threads : {1, 2}) {
      const BlockToCompile block{graph, facts, threads, options};
      const auto compiled = openvino_engine().compile(block);
      const std::vector<uint8_t> saved = compiled->save();
      EXPECT_FALSE(saved.empty());
      // At addresses of all kinds; the block keeps what it needs of it.
      const auto lead = static_cast<size_t>(threads - 1);
      const auto size = static_cast<int64_t>(saved.size());
      auto memory = std::make_shared<Tensor>(Tensor::make(DType::kUint8, {size + threads - 1}));
      std::copy(saved.begin(), saved.end(), memory->data<uint8_t>() + lead);
      Tensor from = Tensor::share(DType::kUint8, {size}, memory, memory->data<uint8_t>() + lead);
      memory = nullptr;
      const auto loaded = openvino_engine().load(block, from);
      from = {};
      const std::vector<Tensor> want = run_block(*compiled->make_run(), graph, inputs);
      const std::vector<Tensor> got = run_block(*loaded->make_run(), graph, inputs);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].shape(), want[i].shape());
        EXPECT_EQ(std::memcmp(got[i].raw(), want[i].raw(), want[i].bytes()), 0) << "seed " << seed << ", result " << i;
      }
    }
  }
}

TEST(OpenVino, OneBlockInSeveralThreads) {
  CORACLE_NEEDS_OPENVINO();
  const Graph graph = random_graph(3, 25);
  const Shape shape{1, 4, 20, 12};
  const std::vector<Tensor> inputs = inputs_for(graph, {&shape, 1});
  const std::vector<Fact> facts = infer_graph(graph, std::vector<Fact>{Fact(DType::kFloat32, shape)});
  const EngineOptions options;
  const auto block = openvino_engine().compile({graph, facts, 1, options});
  EXPECT_GT(block->bytes(), 0U);
  const std::vector<Tensor> want = evaluate_graph(graph, inputs);
  std::vector<std::string> complaints(4);
  std::vector<std::thread> threads;
  for (std::string& complaint : complaints) {
    threads.emplace_back([&] {
      const auto run = block->make_run();
      for (int i = 0; i < 5; ++i) {
        std::vector<Tensor> outputs;
        for (const Tensor& t : want) outputs.push_back(Tensor::make(t.dtype(), t.shape()));
        run->run(inputs, outputs);
        complaint += difference(outputs, want);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& complaint : complaints) EXPECT_EQ(complaint, "");
}

TEST(OpenVino, RoundsToBfloat16OnlyWhereAsked) {
  CORACLE_NEEDS_OPENVINO();
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {64, 256}));
  const ValueId w = graph.add_constant(random_tensor(Shape{256, 64}, 1));
  graph.add_output(graph.add(Matmul{}, {{x}, {w}}), "y");
  const std::vector<Tensor> inputs = inputs_for(graph);
  EXPECT_EQ(difference(run_by_engine(graph, inputs), evaluate_graph(graph, inputs), 1e-5), "");
  EngineOptions rounded;
  rounded.precision = Precision::kBf16;
  EXPECT_EQ(difference(run_by_engine(graph, inputs, 1, rounded), evaluate_graph(graph, inputs), 0.2), "");
}

TEST(OpenVino, ElementsOfAnInputThatAreKnownDecideLayers) {
  CORACLE_NEEDS_OPENVINO();
  const Graph graph =
      parse("graph (%x: float32[2, 6], %s: int64[2]) {\n  %a = relu(%x)\n  %y = reshape(%a, %s)\n  return %y\n}\n");
  const std::vector<Tensor> inputs{random_tensor(Shape{2, 6}, 1), Tensor::ints(Ints{3, 4})};
  const std::vector<Fact> facts =
      infer_graph(graph, std::vector<Fact>{Fact(DType::kFloat32, {2, 6}), Fact::constant(inputs[1])});
  const EngineOptions options;
  const auto run = openvino_engine().compile({graph, facts, 1, options})->make_run();
  std::vector<Tensor> outputs{Tensor::make(DType::kFloat32, Shape{3, 4})};
  run->run(inputs, outputs);
  EXPECT_EQ(difference(outputs, evaluate_graph(graph, inputs)), "");
}

TEST(OpenVino, AWrongPathIsNamed) {
  // A process of its own: the library is looked for once.
  const std::string command = "CORACLE_OPENVINO=/nowhere/libopenvino_c.so '" CORACLE_MISSING_PROGRAM "' openvino 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string said;
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) said += buffer;
  ::pclose(pipe);
  EXPECT_NE(said.find("OpenVINO is missing: CORACLE_OPENVINO is /nowhere/libopenvino_c.so"), std::string::npos) << said;
  EXPECT_NE(said.find("pip install openvino"), std::string::npos) << said;
}

}  // namespace
}  // namespace coracle::internal::test
