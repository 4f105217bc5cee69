// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <map>

#include "quantize_pir_model.h"
#include "support/plain_operators.h"

// coracle quantize: channels of operands are scaled between operators. What is computed stays the same in float32,
// comes nearer with int8, and is left alone where somebody else reads what would change.
namespace coracle::internal {
namespace {

using test::content;
using test::numbers;
using test::OpWriter;

/// Channels of very different sizes.
constexpr float kSizes[] = {1, 60, 0.1F, 4};

std::vector<float> spread(const test::Dims& dims, size_t dimension, float size, int seed, bool inverse = false) {
  size_t count = 1;
  size_t inner = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    count *= static_cast<size_t>(dims[i]);
    if (i > dimension) inner *= static_cast<size_t>(dims[i]);
  }
  std::vector<float> values = numbers(count, size, seed);
  for (size_t i = 0; i < count; ++i) {
    const float by = kSizes[i / inner % static_cast<size_t>(dims[dimension]) % std::size(kSizes)];
    values[i] = inverse ? values[i] / by : values[i] * by;
  }
  return values;
}

/// Writes models in ProgramDesc with an input x [?, 3, 5, 5].
struct ProgramModel {
  test::BlockWriter main;
  std::map<std::string, std::string> records;
  int fetched = 0;

  ProgramModel() { test::add_feed(main, "x", test::kFloat32, {-1, 3, 5, 5}, 0); }
  void parameter(const std::string& name, const test::Dims& dims, const std::vector<float>& values) {
    main.variables.push_back(test::variable(name, test::kFloat32, dims, true));
    records[name] = test::record(test::kFloat32, dims, values);
  }
  void value(const std::string& name, const test::Dims& dims) {
    main.variables.push_back(test::variable(name, test::kFloat32, dims));
  }
  void convolution(const char* type, const char* x, const char* filter, const char* y, int groups) {
    value(y, {-1, 4, 5, 5});
    main.operators.push_back(test::convolution(type, x, filter, y, groups));
  }
  void simple(const char* type, const char* x, const char* y, const test::Dims& dims) {
    value(y, dims);
    main.operators.push_back(OpWriter(type).in("X", {x}).out("Out", {y}));
  }
  void sum(const char* x, const char* y, const char* z, const test::Dims& dims, int axis) {
    value(z, dims);
    main.operators.push_back(test::add(x, y, z, axis));
  }
  void product(const char* x, const char* w, const char* y, const test::Dims& dims) {
    value(y, dims);
    main.operators.push_back(test::matmul(x, w, y));
  }
  void fetch(const char* name) { test::add_fetch(main, name, fetched++); }
  test::ModelBytes written(const char* name) const {
    std::string params;
    for (const auto& [of, bytes] : records) params += bytes;
    return {.name = name, .program = test::program_file({main}), .params = params, .inputs = {}};
  }
};

enum class Between { kRelu, kHardSwish, kReluReadTwice };

/// x -> convolution, batch norm of unequal channels, an activation z, depthwise convolution, bias, relu, convolution y.
/// All channels count as much in the end. Another convolution of x is the second output.
test::ModelBytes convolutions(Between between) {
  ProgramModel m;
  m.parameter("filter", {4, 3, 3, 3}, numbers(108, 0.4F, 1));
  m.parameter("side", {4, 3, 3, 3}, numbers(108, 0.4F, 2));
  m.parameter("scale", {4}, {std::begin(kSizes), std::end(kSizes)});
  m.parameter("shift", {4}, spread({4}, 0, 0.3F, 3));
  m.parameter("mean", {4}, numbers(4, 0.1F, 4));
  m.parameter("variance", {4}, {0.5F, 0.6F, 0.7F, 0.4F});
  m.parameter("depthwise", {4, 1, 3, 3}, spread({4, 1, 3, 3}, 0, 0.5F, 5, true));
  m.parameter("bias", {4}, numbers(4, 0.1F, 6));
  m.parameter("last", {4, 4, 3, 3}, numbers(144, 0.3F, 7));
  const test::Dims image{-1, 4, 5, 5};
  m.convolution("conv2d", "x", "filter", "c", 1);
  m.value("n", image);
  for (const char* name : {"saved_mean", "saved_variance"}) m.value(name, {4});
  m.main.operators.push_back(test::batch_norm("c", "n"));
  m.simple(between == Between::kHardSwish ? "hard_swish" : "relu", "n", "z", image);
  m.convolution("depthwise_conv2d", "z", "depthwise", "d", 4);
  m.sum("d", "bias", "b", image, 1);
  m.simple("relu", "b", "r", image);
  m.convolution("conv2d", "r", "last", "y", 1);
  m.convolution("conv2d", "x", "side", "s", 1);
  m.fetch("y");
  m.fetch("s");
  if (between == Between::kReluReadTwice) {
    m.simple("sqrt", "z", "root", image);
    m.fetch("root");
  }
  return m.written("convolutions");
}

/// Rows of x -> layer_norm or rms_norm with channels that reach far, or one that another operator reads too, two
/// products of it, relu of one with a bias, another product; y the sum of both.
test::ModelBytes transformer(bool residual, bool rms = false) {
  ProgramModel m;
  constexpr int64_t kRow = 25;
  const test::Dims rows{-1, 3, kRow};
  std::vector<float> scale = numbers(kRow, 0.2F, 1);
  for (float& s : scale) s += 1;
  scale[3] = 90;
  scale[17] = 40;
  m.parameter("scale", {kRow}, scale);
  m.parameter("shift", {kRow}, numbers(kRow, 0.2F, 2));
  std::vector<float> q = numbers(kRow * 8, 0.3F, 3);
  std::vector<float> k = numbers(kRow * 8, 0.3F, 4);
  for (size_t i = 0; i < 8; ++i) {
    for (const size_t outlier : {3, 17}) {
      q[outlier * 8 + i] /= scale[outlier];
      k[outlier * 8 + i] /= scale[outlier];
    }
    for (size_t row = 0; row < kRow; ++row) q[row * 8 + i] *= kSizes[i % std::size(kSizes)];
  }
  m.parameter("q", {kRow, 8}, q);
  m.parameter("k", {kRow, 8}, k);
  m.parameter("bias", {8}, spread({8}, 0, 0.2F, 5));
  m.parameter("o", {8, 8}, spread({8, 8}, 0, 0.4F, 6, true));
  m.value("t", rows);
  m.value("t_shape", {0, -1, 3, 5, 5});
  m.main.operators.push_back(test::reshape("x", {-1, 3, 25}, "t", "t_shape"));
  m.value("n", rows);
  for (const char* name : {"mean", "variance"}) m.value(name, {-1});
  const OpWriter root = OpWriter("rms_norm")
                            .in("x", {"t"})
                            .in("norm_weight", {"scale"})
                            .in("norm_bias", {"shift"})
                            .out("out", {"n"})
                            .out("inv_var", {"variance"})
                            .real("epsilon", 1e-5F)
                            .integer("begin_norm_axis", 2);
  m.main.operators.push_back(rms ? root
                                 : OpWriter("layer_norm")
                                       .in("X", {"t"})
                                       .in("Scale", {"scale"})
                                       .in("Bias", {"shift"})
                                       .out("Y", {"n"})
                                       .out("Mean", {"mean"})
                                       .out("Variance", {"variance"})
                                       .real("epsilon", 1e-5F)
                                       .integer("begin_norm_axis", 2));
  m.product("n", "q", "qx", {-1, 3, 8});
  m.product("n", "k", "kx", {-1, 3, 8});
  m.sum("qx", "bias", "qb", {-1, 3, 8}, -1);
  m.simple("relu", "qb", "qr", {-1, 3, 8});
  m.product("qr", "o", "ox", {-1, 3, 8});
  m.sum("ox", "kx", "y", {-1, 3, 8}, -1);
  m.fetch("y");
  if (residual) {
    m.sum("n", "t", "kept", rows, -1);
    m.fetch("kept");
  }
  return m.written("transformer");
}

/// x -> convolution + bias with another shape, relu, convolution, in PIR, with unequal channels between; y [?, 4, 5,
/// 5].
test::ModelBytes pir_convolutions(const char* activation) {
  test::PirModel m;
  const int64_t filter = m.parameter("filter", {4, 3, 3, 3}, 0.4F);
  const int64_t last = m.parameter("last", {4, 4, 3, 3}, 0.4F);
  const int64_t bias = m.parameter("bias", {4}, 0.2F);
  m.records["filter"] = test::record(test::kFloat32, {4, 3, 3, 3}, spread({4, 3, 3, 3}, 0, 0.4F, 1));
  m.records["last"] = test::record(test::kFloat32, {4, 4, 3, 3}, spread({4, 4, 3, 3}, 1, 0.4F, 2, true));
  m.records["bias"] = test::record(test::kFloat32, {4}, spread({4}, 0, 0.2F, 3));
  const int64_t x = m.image();
  const test::Dims image{-1, 4, 5, 5};
  const int64_t c = m.convolution("1.conv2d", x, filter, image, 1);
  const int64_t b = m.operation("1.reshape", {bias, m.integers({1, 4, 1, 1})}, {1, 4, 1, 1});
  const int64_t r = m.operation(activation, {m.operation("1.add", {c, b}, image)}, image);
  return m.written("convolutions", m.convolution("1.conv2d", r, last, image, 1), image);
}

class Scaling : public test::QuantizeModel {
 protected:
  explicit Scaling(const test::ModelBytes& model) : QuantizeModel(model) {}

  rapidjson::Document scaled(const std::string& mode, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--method", "minmax", "--scaling", mode});
    return report(mode, more);
  }
  /// Of an output, in decibels; null stands for no difference.
  static double ratio(const rapidjson::Document& d, unsigned output = 0) {
    const rapidjson::Value& ratio = d["outputs"][output]["signal_to_noise_db"];
    return ratio.IsNull() ? std::numeric_limits<double>::infinity() : ratio.GetDouble();
  }
  static std::map<std::string, std::string> operands(const rapidjson::Document& d) {
    std::map<std::string, std::string> by;
    for (const rapidjson::Value& o : d["scaling"]["operands"].GetArray()) {
      by[o["name"].GetString()] = o["by"].GetString();
    }
    return by;
  }
  /// Expects int8 to be nearer by so many decibels.
  void expect_gain(const std::string& mode, double decibels, std::vector<std::string> more = {}) const {
    const rapidjson::Document d = scaled(mode, more);
    EXPECT_TRUE(d["scaling"]["used"].GetBool());
    EXPECT_GT(ratio(d), ratio(scaled("none")) + decibels);
    EXPECT_GT(d["scaling"]["signal_to_noise_db_after"].GetDouble(),
              d["scaling"]["signal_to_noise_db_before"].GetDouble() + decibels);
  }
  /// Expects the first output of the scaled model to be the original's in float32, where `kept` are all the layers that
  /// it follows from.
  void expect_same_floats(const std::string& mode, const std::vector<std::string>& kept) const {
    std::vector<std::string> more;
    for (const std::string& name : kept) more.insert(more.end(), {"--keep", name});
    const rapidjson::Document d = scaled(mode, more);
    EXPECT_TRUE(d["scaling"]["used"].GetBool());
    EXPECT_GT(ratio(d), 100) << "1e-5 relative";
    EXPECT_LT(ratio(d), 1e3) << "rounding of float32";
  }
};

struct QuantizeScaling : Scaling {
  QuantizeScaling() : Scaling(convolutions(Between::kRelu)) {}
};

TEST_F(QuantizeScaling, ComesNearerWithFactorsInTheBatchNorm) {
  expect_gain("fold", 6);
  expect_gain("auto", 6);
  const std::map<std::string, std::string> by = operands(scaled("fold"));
  ASSERT_EQ(by.count("z"), 1U);
  EXPECT_EQ(by.at("z"), "batch_norm");
  EXPECT_EQ(by.count("x"), 0U) << "an input is nobody's result";
}

TEST_F(QuantizeScaling, KeepsTheFloatsAsTheyAre) { expect_same_floats("fold", {"c", "d", "y"}); }

TEST_F(QuantizeScaling, FollowsTheShareOfTheOperand) {
  const double none = ratio(scaled("none"));
  const double all = ratio(scaled("fold", {"--scaling-alpha", "1"}));
  EXPECT_GT(all, none + 6);
  EXPECT_NE(all, ratio(scaled("fold", {"--scaling-alpha", "0.5"})));
}

TEST_F(QuantizeScaling, SaysSo) {
  const test::Outcome outcome = quantize("out", {"--report", folder_.path("report.html")});
  EXPECT_NE(outcome.out.find(" scaled, signal to noise "), std::string::npos) << outcome.out;
  EXPECT_NE(content(folder_.path("report.html")).find("<h2>Scaling</h2>"), std::string::npos);
  EXPECT_FALSE(scaled("none").HasMember("scaling"));
}

TEST_F(QuantizeScaling, TheSameFilesEachTime) {
  report("first");
  report("second", {"--threads", "2"});
  for (const char* file : {"/inference.pdmodel", "/inference.pdiparams"}) {
    EXPECT_EQ(content(folder_.path("first") + file), content(folder_.path("second") + file));
  }
}

TEST_F(QuantizeScaling, LeavesTheModelWhereNothingIsQuantised) {
  const rapidjson::Document d = scaled("fold", {"--min-snr", "300"});
  EXPECT_FALSE(d["scaling"]["used"].GetBool());
  expect_near(model_, folder_.path("fold"), "0");
}

TEST_F(QuantizeScaling, TheRealPaddleRunsIt) {
  scaled("fold");
  if (!paddle_agrees("fold", CORACLE_ORACLE_PYTHON, "0.1")) GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PYTHON;
}

struct QuantizeScalingOfSharedValues : Scaling {
  QuantizeScalingOfSharedValues() : Scaling(convolutions(Between::kReluReadTwice)) {}
};

TEST_F(QuantizeScalingOfSharedValues, LeavesThemAlone) {
  // Output 2 follows from the first convolution alone.
  const rapidjson::Document d = scaled("fold", {"--keep", "c"});
  EXPECT_EQ(operands(d).count("z"), 0U);
  EXPECT_GT(ratio(d, 2), 120) << "rounding of float32";
  // A product of its own changes nothing for the others.
  const rapidjson::Document inserted = scaled("insert", {"--keep", "c"});
  EXPECT_EQ(operands(inserted)["z"], "product");
  EXPECT_GT(ratio(inserted), ratio(d) + 6);
  EXPECT_GT(ratio(inserted, 2), 120) << "rounding of float32";
}

struct QuantizeScalingByProducts : Scaling {
  QuantizeScalingByProducts() : Scaling(convolutions(Between::kHardSwish)) {}
};

TEST_F(QuantizeScalingByProducts, ComesNearer) {
  EXPECT_EQ(operands(scaled("fold")).count("z"), 0U);
  expect_gain("insert", 6);
  EXPECT_EQ(operands(scaled("insert"))["z"], "product");
  expect_near(folder_.path("insert"), folder_.path("insert"), "0.1", {"--b", "passes=off"});
}

TEST_F(QuantizeScalingByProducts, AreNotMadeForLayersThatStay) {
  EXPECT_EQ(operands(scaled("insert", {"--keep", "d"})).count("z"), 0U);
}

TEST_F(QuantizeScalingByProducts, TheRealPaddleRunsIt) {
  scaled("insert");
  if (!paddle_agrees("insert", CORACLE_ORACLE_PYTHON, "0.1")) GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PYTHON;
}

struct QuantizeScalingOfNorms : Scaling {
  QuantizeScalingOfNorms() : Scaling(transformer(false)) {}
};

TEST_F(QuantizeScalingOfNorms, TakesOutliersIntoTheWeights) {
  expect_gain("fold", 6);
  const std::map<std::string, std::string> by = operands(scaled("fold"));
  ASSERT_EQ(by.count("n"), 1U);
  EXPECT_EQ(by.at("n"), "layer_norm");
  ASSERT_EQ(by.count("qr"), 1U);
  EXPECT_EQ(by.at("qr"), "matmul_v2");
}

TEST_F(QuantizeScalingOfNorms, TheRealPaddleRunsIt) {
  scaled("fold");
  if (!paddle_agrees("fold", CORACLE_ORACLE_PYTHON, "0.1")) GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PYTHON;
}

struct QuantizeScalingOfRootMeanSquares : Scaling {
  QuantizeScalingOfRootMeanSquares() : Scaling(transformer(false, true)) {}
};

TEST_F(QuantizeScalingOfRootMeanSquares, TakesOutliersIntoTheWeights) {
  expect_gain("fold", 6);
  EXPECT_EQ(operands(scaled("fold"))["n"], "rms_norm");
}

struct QuantizeScalingOfResiduals : Scaling {
  QuantizeScalingOfResiduals() : Scaling(transformer(true)) {}
};

TEST_F(QuantizeScalingOfResiduals, NeedsAProduct) {
  const rapidjson::Document d = scaled("fold");
  EXPECT_EQ(operands(d).count("n"), 0U);
  EXPECT_TRUE(d["outputs"][1]["signal_to_noise_db"].IsNull()) << "nothing differs";
  const rapidjson::Document inserted = scaled("insert");
  EXPECT_EQ(operands(inserted)["n"], "product");
  EXPECT_TRUE(inserted["outputs"][1]["signal_to_noise_db"].IsNull()) << "nothing differs";
  EXPECT_GT(ratio(inserted), ratio(d) + 6);
}

struct QuantizeScalingPir : Scaling {
  QuantizeScalingPir() : Scaling(pir_convolutions("1.relu_")) {}
};

TEST_F(QuantizeScalingPir, ComesNearerWithFactorsInTheConvolution) {
  expect_gain("fold", 3);
  EXPECT_EQ(operands(scaled("fold")).begin()->second, "conv2d");
}

TEST_F(QuantizeScalingPir, TheRealPaddleRunsIt) {
  scaled("fold");
  if (!paddle_agrees("fold", CORACLE_ORACLE_PIR_PYTHON, "0.1")) {
    GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PIR_PYTHON;
  }
}

struct QuantizeScalingPirByProducts : Scaling {
  QuantizeScalingPirByProducts() : Scaling(pir_convolutions("1.hardswish")) {}
};

TEST_F(QuantizeScalingPirByProducts, ComesNearer) { expect_gain("insert", 3); }

TEST_F(QuantizeScalingPirByProducts, TheRealPaddleRunsIt) {
  scaled("insert");
  if (!paddle_agrees("insert", CORACLE_ORACLE_PIR_PYTHON, "0.1")) {
    GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PIR_PYTHON;
  }
}

}  // namespace
}  // namespace coracle::internal
