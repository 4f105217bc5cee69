// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <map>

#include "quantize_model.h"
#include "support/plain_operators.h"
#include "support/program_writer.h"

// coracle quantize --weights-only int4
namespace coracle::internal {
namespace {

using test::content;
using test::numbers;
using test::OpWriter;

/// x [?, 3, 5, 5] -> convolution, reshape, product w1 + bias, relu, product w2 transposed, product w3 (mul), product w4
/// y [?, 3]; and rows of a table by the channel of x that is the largest, e [?, 5, 5, 6].
test::ModelBytes four_bit_network(float size = 0.3F) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 3, 5, 5}, 0);
  std::map<std::string, std::string> records;
  const auto parameter = [&](const std::string& name, const test::Dims& dims, float scale) {
    size_t count = 1;
    for (int64_t d : dims) count *= static_cast<size_t>(d);
    main.variables.push_back(test::variable(name, test::kFloat32, dims, true));
    records[name] = test::record(test::kFloat32, dims, numbers(count, scale, static_cast<int>(records.size())));
  };
  parameter("filter", {4, 3, 1, 1}, 0.4F);
  parameter("w1", {100, 64}, size);
  parameter("bias", {64}, 0.2F);
  parameter("w2", {40, 64}, 0.3F);
  parameter("w3", {40, 8}, 0.3F);
  parameter("w4", {8, 3}, 0.3F);
  parameter("table", {3, 6}, 1);
  const auto value = [&](const std::string& name, const test::Dims& dims) {
    main.variables.push_back(test::variable(name, test::kFloat32, dims));
  };
  value("c", {-1, 4, 5, 5});
  value("r", {-1, 100});
  value("r_shape", {0, -1, 4, 5, 5});
  for (const char* name : {"p1", "b1", "z1"}) value(name, {-1, 64});
  value("p2", {-1, 40});
  value("p3", {-1, 8});
  value("y", {-1, 3});
  main.variables.push_back(test::variable("ids", test::kInt64, {-1, 5, 5}));
  value("e", {-1, 5, 5, 6});
  main.operators.push_back(test::convolution("conv2d", "x", "filter", "c", 1, 0));
  main.operators.push_back(test::reshape("c", {-1, 100}, "r", "r_shape"));
  const auto product = [&](const char* x, const char* w, const char* y, bool transposed) {
    main.operators.push_back(test::matmul(x, w, y, transposed));
  };
  product("r", "w1", "p1", false);
  main.operators.push_back(test::add("p1", "bias", "b1", -1));
  main.operators.push_back(test::unary("relu", "b1", "z1"));
  product("z1", "w2", "p2", true);
  main.operators.push_back(OpWriter("mul")
                               .in("X", {"p2"})
                               .in("Y", {"w3"})
                               .out("Out", {"p3"})
                               .integer("x_num_col_dims", 1)
                               .integer("y_num_col_dims", 1));
  product("p3", "w4", "y", false);
  main.operators.push_back(OpWriter("arg_max")
                               .in("X", {"x"})
                               .out("Out", {"ids"})
                               .long_integer("axis", 1)
                               .boolean("keepdims", false)
                               .boolean("flatten", false)
                               .integer("dtype", test::kInt64));
  main.operators.push_back(OpWriter("lookup_table_v2")
                               .in("Ids", {"ids"})
                               .in("W", {"table"})
                               .out("Out", {"e"})
                               .long_integer("padding_idx", -1));
  test::add_fetch(main, "y", 0);
  test::add_fetch(main, "e", 1);
  std::string params;
  for (const auto& [name, bytes] : records) params += bytes;
  return {.name = "network", .program = test::program_file({main}), .params = params, .inputs = {}};
}

class QuantizeFourBits : public test::QuantizeModel {
 protected:
  explicit QuantizeFourBits(float size = 0.3F) : QuantizeModel(four_bit_network(size)) {}
};

/// Of the same model: tables have no operand that is rounded.
TEST_F(QuantizeFourBits, TablesBecomeIntegersBesideProducts) {
  const rapidjson::Document d = report("int8", {"--scaling", "none"});
  ASSERT_TRUE(d.IsObject());
  EXPECT_TRUE(d["operands_are_quantized"].GetBool());
  ASSERT_EQ(d["layers"].Size(), 6U);
  for (const rapidjson::Value& layer : d["layers"].GetArray()) {
    const bool table = std::string_view(layer["weights"].GetString()) == "table";
    EXPECT_TRUE(layer["quantized"].GetBool());
    EXPECT_EQ(layer.HasMember("operand_range"), !table) << layer["weights"].GetString();
  }
  EXPECT_GT(d["outputs"][0]["signal_to_noise_db"].GetDouble(), 20);
  EXPECT_GT(d["outputs"][1]["signal_to_noise_db"].GetDouble(), 42);
  const std::vector<std::string> kept = {"--scaling", "none", "--keep", "table"};
  EXPECT_FALSE(report("kept", kept)["layers"][5]["quantized"].GetBool());
  EXPECT_LT(content(folder_.path("int8/inference.pdiparams")).size(),
            content(folder_.path("kept/inference.pdiparams")).size());
  expect_near(folder_.path("int8"), folder_.path("int8"), "0.02", {"--b", "passes=off"});
}

TEST_F(QuantizeFourBits, StoresProductsInFourBitsAndTheRestInEight) {
  const rapidjson::Document d = report("int4", {"--weights-only", "int4"});
  ASSERT_TRUE(d.IsObject());
  EXPECT_STREQ(d["weights"].GetString(), "int4");
  EXPECT_FALSE(d["operands_are_quantized"].GetBool());
  EXPECT_EQ(d["compared_sets"].GetUint64(), kSets);
  const std::map<std::string, std::string> expected{{"filter", "int8"}, {"w1", "int4"}, {"w2", "int4"},
                                                    {"w3", "int4"},     {"w4", "int8"}, {"table", "int8"}};
  ASSERT_EQ(d["layers"].Size(), expected.size());
  for (const rapidjson::Value& layer : d["layers"].GetArray()) {
    const std::string weights = layer["weights"].GetString();
    ASSERT_TRUE(layer["quantized"].GetBool()) << weights;
    EXPECT_EQ(layer["stored"].GetString(), expected.at(weights)) << weights;
    // Numbers that are spread evenly have 20 log10(14) = 22.9 decibels where the largest is 7 steps.
    EXPECT_GT(layer["weights_signal_to_noise_db"].GetDouble(), expected.at(weights) == "int4" ? 23.8 : 42) << weights;
  }
  EXPECT_GT(d["outputs"][0]["signal_to_noise_db"].GetDouble(), 15);
  EXPECT_GT(d["outputs"][1]["signal_to_noise_db"].GetDouble(), 42);
  const test::Outcome text = quantize("int4", {"--weights-only", "int4"});
  EXPECT_NE(text.out.find("3 of 6 layers with int4, 3 with int8"), std::string::npos) << text.out;
  // 100 * 64 + 40 * 64 + 40 * 8 halves of bytes, (2 + 1) * 64 ... steps, the table of halves, and the names around
  // them.
  report("int8", {"--weights-only", "int8"});
  const size_t four = content(folder_.path("int4/inference.pdiparams")).size();
  const size_t eight = content(folder_.path("int8/inference.pdiparams")).size();
  constexpr size_t kHalves = size_t{256} * 2 * sizeof(float);
  EXPECT_LT(four, eight - 9280 / 2 + (2 * 64 + 40 + 8) * sizeof(float) + kHalves + 1000);
}

TEST_F(QuantizeFourBits, ProductsComputeWithFourBits) {
  report("int4", {"--weights-only", "int4"});
  const test::Outcome explained =
      test::coracle_program({"explain", folder_.path("int4"), "--shape", "x=2,3,5,5", "--isa", test::plainest_isa()});
  size_t products = 0;
  for (size_t at = 0; (at = explained.out.find("weight_only_linear", at + 1)) != std::string::npos;) ++products;
  EXPECT_EQ(products, 3U * 2) << explained.out;  // operator and kernel
  EXPECT_NE(explained.out.find("linear.narrow"), std::string::npos) << explained.out;
  expect_near(folder_.path("int4"), folder_.path("int4"), "1e-5", {"--b", "passes=off"});
}

TEST_F(QuantizeFourBits, TheSameFilesEachTimeAndInEveryForm) {
  report("first", {"--weights-only", "int4"});
  report("second.pdmodel", {"--weights-only", "int4", "--threads", "2"});
  for (const char* file : {".pdmodel", ".pdiparams"}) {
    const std::string first = content(folder_.path("first/inference") + file);
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(first, content(folder_.path("second") + file));
  }
  report("third.coracle", {"--weights-only", "int4"});
  expect_near(folder_.path("first"), folder_.path("third.coracle"), "0");
}

TEST_F(QuantizeFourBits, KeepsLayersThatDoHarm) {
  const rapidjson::Document d = report("kept", {"--weights-only", "int4", "--keep", "w1"});
  EXPECT_FALSE(d["layers"][1]["quantized"].GetBool());
  const rapidjson::Document all = report("all", {"--weights-only", "int4", "--min-snr", "200"});
  for (const rapidjson::Value& layer : all["layers"].GetArray()) EXPECT_FALSE(layer["quantized"].GetBool());
  expect_near(model_, folder_.path("all"), "0");
}

TEST_F(QuantizeFourBits, TheRealPaddleRunsIt) {
  report("int4", {"--weights-only", "int4"});
  report("int8", {"--scaling", "none"});
  bool found = false;
  for (const char* python : {CORACLE_ORACLE_PYTHON, CORACLE_ORACLE_PIR_PYTHON}) {
    found = paddle_agrees("int4", python, "1e-5") || found;
    paddle_agrees("int8", python, "0.02");
  }
  if (!found) GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PYTHON;
}

/// Weights of which none, or all, are far from what float32 can scale.
class QuantizeFourBitsOfZeros : public QuantizeFourBits {
 protected:
  QuantizeFourBitsOfZeros() : QuantizeFourBits(0) {}
};

TEST_F(QuantizeFourBitsOfZeros, AreZeros) {
  const rapidjson::Document d = report("int4", {"--weights-only", "int4"});
  EXPECT_STREQ(d["layers"][1]["stored"].GetString(), "int4");
  EXPECT_TRUE(d["layers"][1]["weights_signal_to_noise_db"].IsNull()) << "nothing differs";
  expect_near(model_, folder_.path("int4"), "0.5");
}

class QuantizeFourBitsOfLargeNumbers : public QuantizeFourBits {
 protected:
  QuantizeFourBitsOfLargeNumbers() : QuantizeFourBits(3e38F) {}
};

TEST_F(QuantizeFourBitsOfLargeNumbers, StayInEightBits) {
  const test::Outcome outcome =
      test::coracle_program({"quantize", model_, "--weights-only", "int4", "-o", folder_.path("int4"), "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  rapidjson::Document d;
  d.Parse(outcome.out.c_str());
  ASSERT_TRUE(d.IsObject());
  EXPECT_STREQ(d["layers"][1]["stored"].GetString(), "int8");
}

}  // namespace
}  // namespace coracle::internal
