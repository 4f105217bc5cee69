// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "model/load.h"
#include "model/pir.h"
#include "support/memory_file.h"
#include "support/pir_writer.h"
#include "support/program_writer.h"

namespace coracle::internal {
namespace {

using namespace test::pir;  // NOLINT(google-build-using-namespace): the writer's vocabulary

LoadedModel load_pir(const std::vector<std::string>& operations, const std::string& params = {}) {
  const std::string program = program_file(operations);
  return load_model(ModelSource::in_memory(test::memory_file(program), test::memory_file(params)));
}

std::string pir_error(const std::string& program) {
  try {
    load_model(ModelSource::in_memory(test::memory_file(program), {}));
  } catch (const Error& e) {
    return e.text();
  }
  return "no error";
}

const std::string kPair = tensor("t_f32", {2});
const std::string kFlag = tensor("t_bool", {1});

Tensor pir_floats(const std::vector<float>& values) {
  return Tensor::of<float>(Shape{static_cast<int64_t>(values.size())}, values);
}
Tensor pir_flag(bool value) { return Tensor::of<bool>(Shape{1}, {&value, 1}); }

TEST(Pir, AttributesOfAllKinds) {
  const std::string program = program_file({operation(
      "1.op_", {3, 0}, {{0, R"({"#":"NULL"})"}},
      {attribute("b", "0.a_bool", "true"), attribute("i", "0.a_i64", "-5"), attribute("f", "0.a_f32", "0.25"),
       attribute("s", "0.a_str", "\"same\""), attribute("list", "1.a_intarray", "[1,-1]"),
       attribute("array", "0.a_array", R"([{"#":"0.a_f32","D":1.5},{"#":"0.a_i32","D":2}])"),
       attribute("empty", "0.a_array", "[]"), attribute("t", "1.a_dtype", "\"int64\""),
       attribute("u", "1.a_dtype", "\"Undefined(ALL_DTYPE)\""), attribute("scalar", "1.a_scalar", R"(["float32",3.5])"),
       R"({"N":"inf","AT":{"#":"0.a_f32","VD":"-INF"}})", R"({"N":"nan","AT":{"#":"0.a_f64","VD":"NaN"}})",
       attribute("place", "1.a_place", "[1,0,\"\"]"), attribute("new", "0.a_not_yet_known", "{}")})});
  const pir::Program parsed = pir::parse(test::memory_file(program, "m.json"));
  ASSERT_EQ(parsed.main.operations.size(), 1U);
  const pir::Operation& op = parsed.main.operations[0];
  EXPECT_EQ(op.name, "op");
  EXPECT_EQ(op.dialect, "pd_op");
  EXPECT_EQ(op.operands, (std::vector<int64_t>{3, 0}));
  const AttributeMap& a = op.attributes;
  EXPECT_TRUE(a.get<bool>("b"));
  EXPECT_EQ(a.get<int64_t>("i"), -5);
  EXPECT_EQ(a.get<double>("f"), 0.25);
  EXPECT_EQ(a.get<std::string>("s"), "same");
  EXPECT_EQ(a.get<Ints>("list"), (Ints{1, -1}));
  EXPECT_EQ(a.get<Floats>("array"), (Floats{1.5, 2}));
  EXPECT_TRUE(a.get<Ints>("empty", {1}).empty());
  EXPECT_EQ(a.get<DType>("t"), DType::kInt64);
  EXPECT_EQ(a.get<DType>("u", DType::kInt8), DType::kInt8);
  EXPECT_EQ(a.get<double>("scalar"), 3.5);
  EXPECT_EQ(a.get<double>("inf"), -INFINITY);
  EXPECT_TRUE(std::isnan(a.get<double>("nan")));
  EXPECT_FALSE(a.has("place"));
  EXPECT_FALSE(a.has("new"));
}

TEST(Pir, DamageIsReportedWithItsPlace) {
  EXPECT_NE(pir_error(R"({"base_code")").find("at byte 12"), std::string::npos) << pir_error(R"({"base_code")");
  EXPECT_NE(pir_error(R"({"base_code":{}})").find("not a PIR program"), std::string::npos);
  const std::string text = pir_error(program_file({operation("1.relu", {1}, {{2, kPair}})}));
  EXPECT_NE(text.find("value 1 is used before"), std::string::npos) << text;
  EXPECT_NE(text.find("operation 0 'relu'"), std::string::npos) << text;
}

TEST(Pir, NestingIsBounded) {
  std::string region_text = region({});
  for (int i = 0; i < 100; ++i) region_text = region({operation("1.if", {}, {}, {}, {region_text})});
  EXPECT_NE(pir_error(program_file({operation("1.if", {}, {}, {}, {region_text})})).find("nested deeper"),
            std::string::npos);
  const std::string deep = std::string(1 << 20, '[');
  EXPECT_NE(pir_error("{" + deep), "no error");
  EXPECT_NE(pir_error(R"({"a":)" + deep), "no error");
}

TEST(ImportPir, ParametersAreMatchedByTheirSortedNames) {
  const std::vector<std::string> operations{parameter(1, "w10", kPair),
                                            parameter(2, "w2", kPair),
                                            parameter(3, "a", kPair, false),
                                            data(4, "x", tensor("t_f32", {-1, 2})),
                                            operation("1.add_", {4, 2}, {{5, kPair}}),
                                            operation("1.multiply", {5, 1}, {{6, kPair}}),
                                            fetch(6, 7, 0, kPair)};
  const std::string params =
      test::record<float>(test::kFloat32, {2}, {10, 10}) + test::record<float>(test::kFloat32, {2}, {1, 2});
  const LoadedModel model = load_pir(operations, params);
  EXPECT_EQ(model.info.parameters.size(), 2U);
  const std::vector<Tensor> out =
      evaluate_graph(model.graph, std::vector<Tensor>{Tensor::of<float>({1, 2}, std::vector<float>{1, 1})});
  EXPECT_EQ(out[0].number(0), 20);
  EXPECT_EQ(out[0].number(1), 30);
  EXPECT_EQ(model.graph.output_names(), (std::vector<std::string>{"fetch_name_0"}));
}

TEST(ImportPir, Float8HasItsNames) {
  for (const auto& [name, element, dtype] : {std::tuple("float8_e4m3fn", "t_f8e4m3fn", DType::kFloat8E4m3),
                                             std::tuple("float8_e5m2", "t_f8e5m2", DType::kFloat8E5m2)}) {
    const std::string small = tensor(element, {2});
    const LoadedModel model =
        load_pir({data(1, "x", kPair), data(2, "codes", small),
                  operation("1.cast", {1}, {{3, small}}, {attribute("dtype", "1.a_dtype", text('"', name, '"'))}),
                  fetch(3, 4, 0, small), fetch(2, 5, 1, small)});
    EXPECT_EQ(model.info.inputs[1].dtype, dtype);
    EXPECT_EQ(model.graph.fact(model.graph.outputs()[0]).dtype, dtype);
  }
}

TEST(ImportPir, ListsAreSeveralOperands) {
  const std::vector<std::string> operations{
      data(1, "x", kPair),
      operation("0.combine", {1, 1}, {{2, vec({kPair, kPair})}}),
      full(3, 0, "int32", "t_i32", {1}),
      operation("1.concat", {2, 3}, {{4, tensor("t_f32", {4})}}),
      operation("1.split_with_num", {4, 3}, {{5, vec({kPair, kPair})}}, {attribute("num", "0.a_i32", "2")}),
      operation("0.split", {5}, {{6, kPair}, {7, kPair}}),
      operation("0.slice", {5}, {{8, kPair}}, {attribute("index", "0.a_i32", "1")}),
      operation("1.add", {6, 8}, {{9, kPair}}),
      fetch(9, 10, 0, kPair)};
  const std::vector<Tensor> out = evaluate_graph(load_pir(operations).graph, std::vector<Tensor>{pir_floats({1, 2})});
  EXPECT_EQ(out[0].number(1), 4);
}

/// The names of what nodes of a graph make, in its order.
std::vector<std::string> value_names(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId id : graph.order()) {
    for (ValueId v : graph.node(id).outputs) names.push_back(graph.value(v).name);
  }
  return names;
}

TEST(ImportPir, ValuesAreNamedAfterTheirOperations) {
  const std::string yes = region({operation("1.add", {7, 7}, {{10, kPair}}), operation("2.yield", {10}, {})});
  const std::string no = region({operation("1.relu", {7}, {{11, kPair}}), operation("2.yield", {11}, {})});
  const LoadedModel model = load_pir(
      {data(1, "x", tensor("t_f32", {4})), data(2, "c", kFlag), full(3, 0, "int32", "t_i32", {1}),
       operation("1.split_with_num", {1, 3}, {{5, vec({kPair, kPair})}}, {attribute("num", "0.a_i32", "2")}),
       operation("0.split", {5}, {{6, kPair}, {7, kPair}}), operation("1.if", {2}, {{8, kPair}}, {}, {yes, no}),
       operation("1.relu_", {8}, {{9, kPair}}), fetch(9, 12, 0, kPair)});
  // Operations of regions are counted, those that only arrange values are not.
  EXPECT_EQ(value_names(model.graph),
            (std::vector<std::string>{"full_0", "split_with_num_1", "split_with_num_1.1", "if_2", "relu_5"}));
  for (NodeId id : model.graph.order()) {
    const Node& node = model.graph.node(id);
    for (size_t r = 0; r < node.regions.size(); ++r) {
      EXPECT_EQ(value_names(*node.regions[r]), std::vector<std::string>{r == 0 ? "add_3" : "relu_4"});
    }
  }
}

TEST(ImportPir, IfTakesWhatItsRegionsUse) {
  const std::string yes = region({operation("1.add", {1, 1}, {{4, kPair}}), operation("2.yield", {4}, {})});
  const std::string no = region({operation("1.relu", {3}, {{5, kPair}}), operation("2.yield", {5}, {})});
  const std::vector<std::string> operations{data(1, "x", kPair), data(2, "c", kFlag),
                                            operation("1.relu", {1}, {{3, kPair}}),
                                            operation("1.if", {2}, {{6, kPair}}, {}, {yes, no}), fetch(6, 7, 0, kPair)};
  const LoadedModel model = load_pir(operations);
  EXPECT_EQ(evaluate_graph(model.graph, std::vector<Tensor>{pir_floats({2, -3}), pir_flag(true)})[0].number(1), -6);
  EXPECT_EQ(evaluate_graph(model.graph, std::vector<Tensor>{pir_floats({2, -3}), pir_flag(false)})[0].number(1), 0);
}

TEST(ImportPir, WhileCarriesItsArguments) {
  const std::string one = tensor("t_f32", {1});
  const std::string body =
      region({operation("1.add", {-1, 4}, {{10, one}}), operation("1.add", {-2, -2}, {{11, kPair}}),
              operation("1.less_than", {10, 3}, {{12, kFlag}}), operation("2.yield", {12, 10, 11}, {})},
             {{-1, one}, {-2, kPair}});
  const std::vector<std::string> operations{data(1, "x", kPair),
                                            full(2, 0, "float32", "t_f32", {1}),
                                            full(3, 3, "float32", "t_f32", {1}),
                                            full(4, 1, "float32", "t_f32", {1}),
                                            operation("1.less_than", {2, 3}, {{5, kFlag}}),
                                            operation("1.while", {5, 2, 1}, {{6, one}, {7, kPair}}, {}, {body}),
                                            fetch(7, 8, 0, kPair)};
  const std::vector<Tensor> out = evaluate_graph(load_pir(operations).graph, std::vector<Tensor>{pir_floats({1, -1})});
  EXPECT_EQ(out[0].number(0), 8);
}

TEST(ImportPir, RmsNormOfPaddle33) {
  const std::string type = tensor("t_f32", {2, 2});
  const std::vector<std::string> operations{
      data(1, "x", type), full(2, 3, "float32", "t_f32", {2}),
      operation("1.rms_norm", {1, 2}, {{3, type}, {4, kPair}},
                {ints_attribute("normalized_shape", {2}, "0.a_i64"), attribute("epsilon", "0.a_f64", "0")}),
      fetch(3, 5, 0, type), fetch(4, 6, 1, kPair)};
  const Tensor x = Tensor::of<float>(Shape{2, 2}, std::vector<float>{1, 7, -5, 5});
  const std::vector<Tensor> out = evaluate_graph(load_pir(operations).graph, std::vector<Tensor>{x});
  EXPECT_FLOAT_EQ(static_cast<float>(out[0].number(0)), 0.6F);
  EXPECT_FLOAT_EQ(static_cast<float>(out[0].number(1)), 4.2F);
  EXPECT_FLOAT_EQ(static_cast<float>(out[0].number(2)), -3);
  ASSERT_EQ(out[1].shape(), Shape{2});
  EXPECT_FLOAT_EQ(static_cast<float>(out[1].number(0)), 0.2F);
}

TEST(ImportPir, Unpool3dReadsItsPaddings) {
  const std::string image = tensor("t_f32", {1, 1, 2, 2, 2});
  const std::vector<std::string> operations{
      data(1, "x", image), data(2, "places", tensor("t_i32", {1, 1, 2, 2, 2})),
      operation("1.unpool3d", {1, 2}, {{4, tensor("t_f32", {1, 1, 2, 3, 4})}},
                {ints_attribute("ksize", {2, 2, 2}), ints_attribute("strides", {2, 2, 2}),
                 ints_attribute("paddings", {1, 0, 0}), ints_attribute("output_size", {2, 3, 4}),
                 string_attribute("data_format", "NCDHW")}),
      fetch(4, 5, 0, tensor("t_f32", {1, 1, 2, 3, 4}))};
  const LoadedModel model = load_pir(operations);
  const Shape& shape = model.graph.fact(model.graph.outputs()[0]).shape;
  EXPECT_EQ(Shape(std::span(shape.begin() + 2, 3)), (Shape{2, 3, 4}));
}

TEST(ImportPir, UnsupportedOperatorsAreListedTogether) {
  const std::string text =
      pir_error(program_file({operation("3.my_op", {}, {}), operation("1.no_such_operator", {}, {}),
                              operation("1.no_such_operator_", {}, {})}));
  EXPECT_NE(text.find("pd_op.no_such_operator (2 times)"), std::string::npos) << text;
  EXPECT_NE(text.find("custom_op.my_op (1 time): a custom operator (PD_BUILD_OP), which has to be registered"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace coracle::internal
