// SPDX-License-Identifier: Apache-2.0
#include "quantize_pir_model.h"

// coracle quantize for models in PIR.
namespace coracle::internal {
namespace {

using test::content;
using test::PirModel;
namespace pir = test::pir;

/// x [?, 3, 5, 5] -> convolution + bias with another shape, relu, convolution of two groups, reshape, product y [?, 3]
test::ModelBytes pir_network() {
  PirModel m;
  const int64_t filter = m.parameter("filter", {4, 3, 3, 3}, 0.4F);
  const int64_t grouped = m.parameter("a \"name\" of\\its own", {4, 2, 3, 3}, 0.4F);
  const int64_t bias = m.parameter("bias", {4}, 0.2F, 0.1F);
  const int64_t w = m.parameter("w", {100, 3}, 0.2F);
  const int64_t x = m.image();
  const test::Dims image{-1, 4, 5, 5};
  const int64_t c = m.convolution("1.conv2d", x, filter, image, 1);
  const int64_t b = m.operation("1.reshape", {bias, m.integers({1, 4, 1, 1})}, {1, 4, 1, 1});
  const int64_t r = m.operation("1.relu_", {m.operation("1.add", {c, b}, image)}, image);
  const int64_t g = m.convolution("1.conv2d", r, grouped, image, 2);
  const int64_t flat = m.operation("1.reshape", {g, m.integers({-1, 100})}, {-1, 100});
  const int64_t y = m.operation(
      "1.matmul", {flat, w}, {-1, 3},
      {pir::attribute("transpose_x", "0.a_bool", "false"), pir::attribute("transpose_y", "0.a_bool", "false")});
  return m.written("network", y, {-1, 3});
}

/// x [?, 3, 5, 5] -> reshape, product [75, ...] with eight bits, products with four bits, the second one's transposed,
/// y [?, 40]; and rows of a table by the channel of x that is the largest.
test::ModelBytes products() {
  PirModel m;
  const int64_t w0 = m.parameter("w0", {75, 64}, 0.3F);
  const int64_t w1 = m.parameter("w1", {64, 96}, 0.3F);
  const int64_t bias = m.parameter("bias", {96}, 0.2F);
  const int64_t w2 = m.parameter("w2", {40, 96}, 0.3F);
  const int64_t table = m.parameter("table", {3, 40}, 1);
  const int64_t x = m.image();
  const auto product = [&](int64_t of, int64_t w, int64_t columns, bool transposed) {
    return m.operation("1.matmul", {of, w}, {-1, columns},
                       {pir::attribute("transpose_x", "0.a_bool", "false"),
                        pir::attribute("transpose_y", "0.a_bool", transposed ? "true" : "false")});
  };
  const int64_t flat = m.operation("1.reshape", {x, m.integers({-1, 75})}, {-1, 75});
  const int64_t sum = m.operation("1.add", {product(product(flat, w0, 64, false), w1, 96, false), bias}, {-1, 96});
  const int64_t y = product(sum, w2, 40, true);
  // Rows of the table by which of three columns is the largest.
  const int64_t first =
      m.operation("1.slice", {flat, m.integers({0}), m.integers({3})}, {-1, 3},
                  {pir::ints_attribute("axes", {1}, "0.a_i64"), pir::ints_attribute("infer_flags", {1}, "0.a_i64"),
                   pir::list_attribute("decrease_axis", "0.a_i64", {})});
  const int64_t axis = m.next++;
  m.operations.push_back(
      pir::operation("1.full", {}, {{axis, pir::tensor("t_i64", {1})}},
                     {pir::attribute("shape", "1.a_intarray", "[1]"), pir::attribute("value", "0.a_f64", "1"),
                      pir::attribute("dtype", "1.a_dtype", "\"int64\""), PirModel::place(1)}));
  const int64_t ids = m.next++;
  m.operations.push_back(
      pir::operation("1.argmax", {first, axis}, {{ids, pir::tensor("t_i64", {-1})}},
                     {pir::attribute("keepdims", "0.a_bool", "false"), pir::attribute("flatten", "0.a_bool", "false"),
                      pir::attribute("dtype", "1.a_dtype", "\"int64\"")}));
  const int64_t rows =
      m.operation("1.embedding", {ids, table}, {-1, 40},
                  {pir::attribute("padding_idx", "0.a_i64", "-1"), pir::attribute("sparse", "0.a_bool", "false")});
  return m.written("network", m.operation("1.add", {y, rows}, {-1, 40}), {-1, 40});
}

class QuantizePir : public test::QuantizeModel {
 protected:
  explicit QuantizePir(const test::ModelBytes& model = escaped()) : QuantizeModel(model) {}

  /// The name with quotes is written as JSON has it.
  static test::ModelBytes escaped() {
    test::ModelBytes m = pir_network();
    const std::string plain = "a \"name\" of\\its own";
    const std::string quoted = "a \\\"name\\\" of\\\\its own";
    m.program.replace(m.program.find(plain), plain.size(), quoted);
    return m;
  }
};

TEST_F(QuantizePir, ComputesWithIntegersNearTheOriginal) {
  const rapidjson::Document d = report("int8");
  ASSERT_TRUE(d.IsObject());
  ASSERT_EQ(d["layers"].Size(), 3U);
  for (const rapidjson::Value& layer : d["layers"].GetArray()) {
    EXPECT_TRUE(layer["quantized"].GetBool()) << layer["name"].GetString();
  }
  EXPECT_STREQ(d["layers"][0]["name"].GetString(), "conv2d_0");
  EXPECT_GT(d["outputs"][0]["signal_to_noise_db"].GetDouble(), 20);
  expect_near(model_, folder_.path("int8"), "0.5");
  for (const rapidjson::Value& layer : d["layers"].GetArray()) {
    EXPECT_TRUE(layer.HasMember("operand_range"));
    EXPECT_GT(layer["weights_signal_to_noise_db"].GetDouble(), 40);
  }
  const test::Outcome explained =
      test::coracle_program({"explain", folder_.path("int8"), "--shape", "x=2,3,5,5", "--isa", test::plainest_isa()});
  EXPECT_NE(explained.out.find("integer_conv2d"), std::string::npos) << explained.out;
  EXPECT_EQ(explained.out.find("conv2d_fused"), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("integer_linear"), std::string::npos) << explained.out;
  EXPECT_EQ(explained.out.find("fake_quantize"), std::string::npos) << explained.out;
  expect_near(folder_.path("int8"), folder_.path("int8"), "0.02", {"--b", "passes=off"});
}

TEST_F(QuantizePir, TheSameFilesEachTimeAndInEveryForm) {
  report("first");
  report("second", {"--threads", "2"});
  report("third.json");
  report("fourth.coracle");
  for (const char* file : {".json", ".pdiparams"}) {
    const std::string first = content(folder_.path("first/inference") + file);
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(first, content(folder_.path("second/inference") + file));
    EXPECT_EQ(first, content(folder_.path("third") + file));
  }
  expect_near(folder_.path("first"), folder_.path("fourth.coracle"), "0");
}

TEST_F(QuantizePir, StoresWeightsAlone) {
  const rapidjson::Document half = report("half", {"--half"});
  EXPECT_GT(half["outputs"][0]["signal_to_noise_db"].GetDouble(), 55);
  const rapidjson::Document weights = report("weights", {"--weights-only", "int8"});
  EXPECT_GT(weights["outputs"][0]["signal_to_noise_db"].GetDouble(), 25);
}

TEST_F(QuantizePir, KeepsLayersAndWritesWhatWasThere) {
  const rapidjson::Document d = report("all", {"--min-snr", "200"});
  for (const rapidjson::Value& layer : d["layers"].GetArray()) EXPECT_FALSE(layer["quantized"].GetBool());
  expect_near(model_, folder_.path("all"), "0");
  expect_failure({"quantize", model_, "--half", "-o", folder_.path("a.pdmodel")}, 2, {"the model's program is .json"});
}

// As the library's reader has it.
TEST_F(QuantizePir, OfSeveralProgramsTheFirstCounts) {
  std::string text = content(model_);
  text.replace(text.rfind('}'), 1, R"(,"program":3})");
  std::ofstream(model_, std::ios::binary) << text;
  const rapidjson::Document d = report("half", {"--half"});
  ASSERT_TRUE(d.IsObject());
  EXPECT_EQ(d["layers"].Size(), 3U);
  expect_near(model_, folder_.path("half"), "0.05");
}

// Whatever a byte becomes, the program ends with an exit code of its own.
TEST_F(QuantizePir, DamagedProgramsNeverCrash) {
  const std::string whole = content(model_);
  constexpr size_t kStep = 61;
  for (size_t at = 3; at < whole.size(); at += kStep) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (at % 2 == 0 ? 0x01 : 0x1F));
    std::ofstream(model_, std::ios::binary) << damaged;
    const test::Outcome outcome = quantize("out", {"--method", "minmax"});
    EXPECT_GE(outcome.code, 0) << at << outcome.err;
    EXPECT_LE(outcome.code, 6) << at << outcome.err;
  }
}

TEST_F(QuantizePir, TheRealPaddleRunsIt) {
  report("int8", {"--method", "minmax"});
  report("weights", {"--weights-only", "int8"});
  report("half", {"--half"});
  if (!paddle_agrees("int8", CORACLE_ORACLE_PIR_PYTHON, "0.02")) {
    GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PIR_PYTHON;
  }
  paddle_agrees("weights", CORACLE_ORACLE_PIR_PYTHON, "1e-5");
  paddle_agrees("half", CORACLE_ORACLE_PIR_PYTHON, "1e-5");
}

class QuantizeFourBitsPir : public QuantizePir {
 protected:
  QuantizeFourBitsPir() : QuantizePir(products()) {}
};

TEST_F(QuantizeFourBitsPir, StoresProductsInFourBitsAndTheRestInEight) {
  const rapidjson::Document d = report("int4", {"--weights-only", "int4"});
  ASSERT_TRUE(d.IsObject());
  ASSERT_EQ(d["layers"].Size(), 4U);
  for (const auto& [at, stored] : {std::pair(0U, "int8"), {1U, "int4"}, {2U, "int4"}, {3U, "int8"}}) {
    ASSERT_TRUE(d["layers"][at]["quantized"].GetBool()) << at;
    EXPECT_STREQ(d["layers"][at]["stored"].GetString(), stored) << at;
  }
  EXPECT_GT(d["outputs"][0]["signal_to_noise_db"].GetDouble(), 15);
  const test::Outcome explained =
      test::coracle_program({"explain", folder_.path("int4"), "--shape", "x=2,3,5,5", "--isa", test::plainest_isa()});
  EXPECT_NE(explained.out.find("weight_only_linear"), std::string::npos) << explained.out;
  expect_failure({"quantize", folder_.path("int4"), "--half", "-o", folder_.path("again")}, 4,
                 {"quantised already (weights of four bits)"});
  expect_near(folder_.path("int4"), folder_.path("int4"), "1e-5", {"--b", "passes=off"});
}

TEST_F(QuantizeFourBitsPir, TablesBecomeIntegersBesideProducts) {
  const rapidjson::Document d = report("int8", {"--scaling", "none"});
  ASSERT_TRUE(d.IsObject());
  ASSERT_EQ(d["layers"].Size(), 4U);
  for (const rapidjson::Value& layer : d["layers"].GetArray()) {
    const bool table = std::string_view(layer["weights"].GetString()) == "table";
    EXPECT_TRUE(layer["quantized"].GetBool());
    EXPECT_EQ(layer.HasMember("operand_range"), !table) << layer["weights"].GetString();
  }
  EXPECT_GT(d["outputs"][0]["signal_to_noise_db"].GetDouble(), 20);
}

TEST_F(QuantizeFourBitsPir, TheRealPaddleRunsIt) {
  report("int4", {"--weights-only", "int4"});
  report("int8", {"--weights-only", "int8"});
  report("integers", {"--scaling", "none"});
  if (!paddle_agrees("int4", CORACLE_ORACLE_PIR_PYTHON, "1e-5")) {
    GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PIR_PYTHON;
  }
  paddle_agrees("int8", CORACLE_ORACLE_PIR_PYTHON, "1e-5");
  paddle_agrees("integers", CORACLE_ORACLE_PIR_PYTHON, "0.02");
}

}  // namespace
}  // namespace coracle::internal
