// SPDX-License-Identifier: Apache-2.0
#include "quantize_pir_model.h"
#include "support/plain_operators.h"
#include "support/program_writer.h"

// coracle quantize: operands of transposed convolutions are rounded where an operator on integers computes with them.
namespace coracle::internal {
namespace {

struct TransposedCase {
  const char* name;
  int64_t kernel, stride, padding, groups;
  bool integers;
  const char* data_format = "NCHW";
  test::Dims output_padding = {};
};

/// x [?, 3, 5, 5] -> convolution to 4 channels, relu, transposed convolution y
test::ModelBytes enlargement(const TransposedCase& c) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 3, 5, 5}, 0);
  std::string records;
  const auto parameter = [&](const char* name, const test::Dims& dims, size_t count, int seed) {
    main.variables.push_back(test::variable(name, test::kFloat32, dims, true));
    records += test::record(test::kFloat32, dims, test::numbers(count, 0.4F, seed));
  };
  const bool last = std::string_view(c.data_format) == "NHWC";
  parameter("filter", {4, 3, 3, 3}, 108, 1);
  const int64_t in = last ? 5 : 4;  // read as [n, 4, 5, channels 5]
  const int64_t out = c.groups == 1 ? 2 : 1;
  parameter("transposed", {in, out, c.kernel, c.kernel}, static_cast<size_t>(in * out * c.kernel * c.kernel), 2);
  for (const char* name : {"c", "z"}) main.variables.push_back(test::variable(name, test::kFloat32, {-1, 4, 5, 5}));
  main.variables.push_back(test::variable("y", test::kFloat32, {-1, -1, -1, -1}));
  main.operators.push_back(test::convolution("conv2d", "x", "filter", "c"));
  main.operators.push_back(test::unary("relu", "c", "z"));
  main.operators.push_back(test::OpWriter("conv2d_transpose")
                               .in("Input", {"z"})
                               .in("Filter", {"transposed"})
                               .out("Output", {"y"})
                               .integers("strides", {c.stride, c.stride})
                               .integers("paddings", {c.padding, c.padding})
                               .integers("dilations", {1, 1})
                               .integers("output_padding", c.output_padding)
                               .integers("output_size", {})
                               .integer("groups", c.groups)
                               .string("padding_algorithm", "EXPLICIT")
                               .string("data_format", c.data_format));
  test::add_fetch(main, "y", 0);
  return {.name = "enlargement", .program = test::program_file({main}), .params = records, .inputs = {}};
}

/// The same in PIR, with blocks of 2x2.
test::ModelBytes enlargement_in_pir() {
  namespace pir = test::pir;
  test::PirModel m;
  const int64_t filter = m.parameter("filter", {4, 3, 3, 3}, 0.4F);
  const int64_t transposed = m.parameter("transposed", {4, 2, 2, 2}, 0.4F);
  const int64_t x = m.image();
  const int64_t c = m.convolution("1.conv2d", x, filter, {-1, 4, 5, 5}, 1);
  const int64_t z = m.operation("1.relu", {c}, {-1, 4, 5, 5});
  const int64_t y =
      m.operation("1.conv2d_transpose", {z, transposed, m.integers({})}, {-1, 2, 10, 10},
                  {pir::ints_attribute("strides", {2, 2}), pir::ints_attribute("paddings", {0, 0}),
                   pir::ints_attribute("output_padding", {}), pir::string_attribute("padding_algorithm", "EXPLICIT"),
                   pir::attribute("groups", "0.a_i32", "1"), pir::ints_attribute("dilations", {1, 1}),
                   pir::string_attribute("data_format", "NCHW")});
  return m.written("enlargement", y, {-1, 2, 10, 10});
}

class Enlargement : public test::QuantizeModel {
 protected:
  explicit Enlargement(const test::ModelBytes& model) : QuantizeModel(model) {}

  void check(bool integers) const {
    const rapidjson::Document d = report("int8", {"--scaling", "none"});
    ASSERT_TRUE(d.IsObject());
    ASSERT_EQ(d["layers"].Size(), 2U);
    EXPECT_TRUE(d["layers"][1]["quantized"].GetBool());
    EXPECT_GT(d["outputs"][0]["signal_to_noise_db"].GetDouble(), 25);
    const test::Outcome explained =
        test::coracle_program({"explain", folder_.path("int8"), "--shape", "x=2,3,5,5", "--isa", test::plainest_isa()});
    EXPECT_EQ(explained.out.find("int8: 100.0 %") != std::string::npos, integers) << explained.out;
    expect_near(folder_.path("int8"), folder_.path("int8"), "0.02", {"--b", "passes=off"});
  }
};

class QuantizeTransposed : public Enlargement, public testing::WithParamInterface<TransposedCase> {
 protected:
  QuantizeTransposed() : Enlargement(enlargement(GetParam())) {}
};

TEST_P(QuantizeTransposed, ComputesWithIntegersWhereItCan) { check(GetParam().integers); }

INSTANTIATE_TEST_SUITE_P(Cases, QuantizeTransposed,
                         testing::Values(TransposedCase{"Blocks", 2, 2, 0, 1, true},
                                         TransposedCase{"LargeBlocks", 3, 3, 0, 1, true},
                                         TransposedCase{"Overlapping", 3, 2, 0, 1, false},
                                         TransposedCase{"Cut", 2, 2, 1, 1, false},
                                         TransposedCase{"Grouped", 2, 2, 0, 4, false},
                                         TransposedCase{"Padded", 2, 2, 0, 1, false, "NCHW", {1, 1}},
                                         TransposedCase{"ChannelsLast", 2, 2, 0, 1, false, "NHWC"}),
                         [](const auto& info) { return info.param.name; });

class QuantizeBlocks : public Enlargement {
 protected:
  QuantizeBlocks() : Enlargement(enlargement({"Blocks", 2, 2, 0, 1, true})) {}
};
class QuantizeBlocksPir : public Enlargement {
 protected:
  QuantizeBlocksPir() : Enlargement(enlargement_in_pir()) {}
};

TEST_F(QuantizeBlocks, TheRealPaddleRunsIt) {
  report("int8");
  bool found = false;
  for (const char* python : {CORACLE_ORACLE_PYTHON, CORACLE_ORACLE_PIR_PYTHON}) {
    found = paddle_agrees("int8", python, "0.02") || found;
  }
  if (!found) GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PYTHON;
}

TEST_F(QuantizeBlocksPir, ComputesWithIntegers) { check(true); }

TEST_F(QuantizeBlocksPir, TheRealPaddleRunsIt) {
  report("int8");
  if (!paddle_agrees("int8", CORACLE_ORACLE_PIR_PYTHON, "0.02")) {
    GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PIR_PYTHON;
  }
}

}  // namespace
}  // namespace coracle::internal
