// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "quantize_pir_model.h"
#include "support/plain_operators.h"
#include "support/program_writer.h"

// coracle quantize: sums of a layer's result and another layer's operand read what is rounded for that layer.
namespace coracle::internal {
namespace {

/// x [?, 3, 5, 5] -> convolution, relu a; sum of a and a convolution of it, relu, convolution y
test::ModelBytes residual_network(bool residual_first) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 3, 5, 5}, 0);
  std::string records;
  const auto parameter = [&](const char* name, const test::Dims& dims, size_t count, int seed) {
    main.variables.push_back(test::variable(name, test::kFloat32, dims, true));
    records += test::record(test::kFloat32, dims, test::numbers(count, 0.4F, seed));
  };
  parameter("first", {4, 3, 3, 3}, 108, 1);
  parameter("last", {4, 4, 3, 3}, 144, 3);
  parameter("second", {4, 4, 3, 3}, 144, 2);
  for (const char* name : {"c", "a", "b", "s", "r", "y"}) {
    main.variables.push_back(test::variable(name, test::kFloat32, {-1, 4, 5, 5}));
  }
  main.operators.push_back(test::convolution("conv2d", "x", "first", "c"));
  main.operators.push_back(test::unary("relu", "c", "a"));
  main.operators.push_back(test::convolution("conv2d", "a", "second", "b"));
  main.operators.push_back(test::OpWriter("elementwise_add")
                               .in("X", {residual_first ? "a" : "b"})
                               .in("Y", {residual_first ? "b" : "a"})
                               .out("Out", {"s"})
                               .integer("axis", -1));
  main.operators.push_back(test::unary("relu", "s", "r"));
  main.operators.push_back(test::convolution("conv2d", "r", "last", "y"));
  test::add_fetch(main, "y", 0);
  return {.name = "residual", .program = test::program_file({main}), .params = records, .inputs = {}};
}

/// The same in PIR, with a bias between the second convolution and the sum.
test::ModelBytes residual_network_in_pir() {
  test::PirModel m;
  const int64_t first = m.parameter("first", {4, 3, 3, 3}, 0.4F);
  const int64_t second = m.parameter("second", {4, 4, 3, 3}, 0.4F);
  const int64_t last = m.parameter("last", {4, 4, 3, 3}, 0.4F);
  const int64_t bias = m.parameter("bias", {4}, 0.2F, 0.1F);
  const int64_t x = m.image();
  const test::Dims image{-1, 4, 5, 5};
  const int64_t a = m.operation("1.relu", {m.convolution("1.conv2d", x, first, image, 1)}, image);
  const int64_t b = m.convolution("1.conv2d", a, second, image, 1);
  const int64_t shaped = m.operation("1.reshape", {bias, m.integers({1, 4, 1, 1})}, {1, 4, 1, 1});
  const int64_t sum = m.operation("1.add", {a, m.operation("1.add", {b, shaped}, image)}, image);
  const int64_t y = m.convolution("1.conv2d", m.operation("1.relu", {sum}, image), last, image, 1);
  return m.written("residual", y, image);
}

int occurrences(const std::string& text, std::string_view part) {
  int n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

class Residuals : public test::QuantizeModel {
 protected:
  explicit Residuals(const test::ModelBytes& model) : QuantizeModel(model) {}

  void check(bool rounds) const {
    const char* const name = rounds ? "rounded" : "in_float32";
    std::vector<std::string> options = {"--scaling", "none"};
    if (rounds) options.emplace_back("--round-residuals");
    const rapidjson::Document d = report(name, options);
    ASSERT_TRUE(d.IsObject());
    EXPECT_EQ(d["residuals"].GetInt(), 1);
    EXPECT_EQ(d["residuals_are_quantized"].GetBool(), rounds);
    EXPECT_GT(d["outputs"][0]["signal_to_noise_db"].GetDouble(), 25);
    const test::Outcome explained =
        test::coracle_program({"explain", folder_.path(name), "--shape", "x=2,3,5,5", "--isa", test::plainest_isa()});
    // Else `a` is there in float32 as well.
    EXPECT_EQ(occurrences(explained.out, " to_int8 "), rounds ? 1 : 2) << explained.out;
    EXPECT_NE(explained.out.find("int8: 100.0 %"), std::string::npos) << explained.out;
    expect_near(folder_.path(name), folder_.path(name), "0.02", {"--b", "passes=off"});
  }
};

class QuantizeResiduals : public Residuals, public testing::WithParamInterface<bool> {
 protected:
  QuantizeResiduals() : Residuals(residual_network(GetParam())) {}
};

TEST_P(QuantizeResiduals, AreRoundedIfSaid) {
  check(true);
  check(false);
}

TEST_P(QuantizeResiduals, StayInFloat32WhereALayerOfThemDoes) {
  for (const char* kept : {"second", "b"}) {
    const rapidjson::Document d = report(kept, {"--round-residuals", "--keep", kept});
    ASSERT_TRUE(d.IsObject());
    EXPECT_EQ(d["residuals"].GetInt(), 0);
    EXPECT_FALSE(d["residuals_are_quantized"].GetBool());
  }
}

TEST_P(QuantizeResiduals, WeightsAloneRoundNone) {
  expect_failure({"quantize", model_, "--weights-only", "int8", "--round-residuals", "-o", folder_.path("w")}, 2,
                 {"--round-residuals", "--weights-only"});
}

class QuantizeResidualsFirst : public Residuals {
 protected:
  QuantizeResidualsFirst() : Residuals(residual_network(true)) {}
};

TEST_F(QuantizeResidualsFirst, TheRealPaddleRunsIt) {
  report("int8", {"--round-residuals"});
  bool found = false;
  for (const char* python : {CORACLE_ORACLE_PYTHON, CORACLE_ORACLE_PIR_PYTHON}) {
    found = paddle_agrees("int8", python, "0.02") || found;
  }
  if (!found) GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PYTHON;
}

INSTANTIATE_TEST_SUITE_P(Operands, QuantizeResiduals, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "ResidualFirst" : "ResidualLast"; });

class QuantizeResidualsPir : public Residuals {
 protected:
  QuantizeResidualsPir() : Residuals(residual_network_in_pir()) {}
};

TEST_F(QuantizeResidualsPir, AreRoundedIfSaid) {
  check(true);
  check(false);
}

TEST_F(QuantizeResidualsPir, TheRealPaddleRunsIt) {
  report("int8", {"--round-residuals"});
  if (!paddle_agrees("int8", CORACLE_ORACLE_PIR_PYTHON, "0.02")) {
    GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PIR_PYTHON;
  }
}

}  // namespace
}  // namespace coracle::internal
