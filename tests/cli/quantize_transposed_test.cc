// SPDX-License-Identifier: Apache-2.0
#include "quantize_model.h"
#include "support/plain_operators.h"
#include "support/program_writer.h"

// coracle quantize: operands of transposed convolutions are rounded where an operator on integers computes with them.
namespace coracle {
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

class QuantizeTransposed : public testing::TestWithParam<TransposedCase> {};

class Enlargement : public test::QuantizeModel {
 public:
  explicit Enlargement(const TransposedCase& c) : QuantizeModel(enlargement(c)) {}

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

 private:
  void TestBody() override {}
};

TEST_P(QuantizeTransposed, ComputesWithIntegersWhereItCan) { Enlargement(GetParam()).check(GetParam().integers); }

INSTANTIATE_TEST_SUITE_P(Cases, QuantizeTransposed,
                         testing::Values(TransposedCase{"Blocks", 2, 2, 0, 1, true},
                                         TransposedCase{"LargeBlocks", 3, 3, 0, 1, true},
                                         TransposedCase{"Overlapping", 3, 2, 0, 1, false},
                                         TransposedCase{"Cut", 2, 2, 1, 1, false},
                                         TransposedCase{"Grouped", 2, 2, 0, 4, false},
                                         TransposedCase{"Padded", 2, 2, 0, 1, false, "NCHW", {1, 1}},
                                         TransposedCase{"ChannelsLast", 2, 2, 0, 1, false, "NHWC"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace coracle
