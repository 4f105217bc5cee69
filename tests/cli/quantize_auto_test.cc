// SPDX-License-Identifier: Apache-2.0
#include "quantize_model.h"
#include "support/plain_operators.h"
#include "support/program_writer.h"

// coracle quantize --type auto: a precision for each layer.
namespace coracle::internal {
namespace {

constexpr int kInvalidArgument = 2;

/// x [?, 3, 5, 5] -> two convolutions -> z
test::ModelBytes two_convolutions() {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 3, 5, 5}, 0);
  std::string params;
  for (const auto& [name, dims] :
       {std::pair("first", test::Dims{8, 3, 3, 3}), std::pair("second", test::Dims{4, 8, 3, 3})}) {
    main.variables.push_back(test::variable(name, test::kFloat32, dims, true));
    params += test::record(test::kFloat32, dims,
                           test::numbers(static_cast<size_t>(dims[0] * dims[1] * dims[2] * dims[3]), 0.3F, 1));
  }
  main.variables.push_back(test::variable("y", test::kFloat32, {-1, 8, 5, 5}));
  main.variables.push_back(test::variable("z", test::kFloat32, {-1, 4, 5, 5}));
  main.operators.push_back(test::convolution("conv2d", "x", "first", "y", 1));
  main.operators.push_back(test::convolution("conv2d", "y", "second", "z", 1));
  test::add_fetch(main, "z", 0);
  return {.name = "network", .program = test::program_file({main}), .params = params, .inputs = {}};
}

class QuantizePrecisions : public test::QuantizeModel {
 protected:
  QuantizePrecisions() : QuantizeModel(two_convolutions()) {}

  /// A report in which the second convolution is faster with float32.
  std::string times() const {
    return folder_.write("times.json", R"({"layers":[{"name":"y","times_ms":{"int8":1,"float32":2}},
                                            {"name":"z","times_ms":{"int8":2,"float32":1}}]})");
  }
};

TEST_F(QuantizePrecisions, TheSavedModelHasThePrecisionsOfTheReport) {
  const rapidjson::Document d = report("out.coracle", {"--type", "auto", "--max-error", "0.1", "--times", times(),
                                                       "--report", folder_.path("page.html")});
  ASSERT_TRUE(d.IsObject());
  EXPECT_STREQ(d["layers"][0]["precision"].GetString(), "int8");
  EXPECT_STREQ(d["layers"][1]["precision"].GetString(), "float32");
  EXPECT_STREQ(d["layers"][1]["reason"].GetString(), "fewer bits save no time");
  EXPECT_EQ(d["layers"][0]["times_ms"]["float32"].GetDouble(), 2);
  EXPECT_NE(test::content(folder_.path("page.html")).find("int8: 1, float32: 1; error (rms)"), std::string::npos);
  const test::Outcome explained = test::coracle_program(
      {"explain", folder_.path("out.coracle"), "--shape", "x=2,3,5,5", "--isa", test::plainest_isa()});
  const size_t first = explained.out.find(" integer_conv2d ");
  const size_t second = explained.out.find(" conv2d_fused ");
  ASSERT_NE(first, std::string::npos) << explained.out;
  ASSERT_NE(second, std::string::npos) << explained.out;
  EXPECT_LT(first, second);
  EXPECT_NE(explained.out.find("in float32: its operand is not rounded to steps"), std::string::npos) << explained.out;
  expect_near(model_, folder_.path("out.coracle"), "0.1");
}

TEST_F(QuantizePrecisions, TheSameFilesWithAnyNumberOfThreads) {
  for (const char* threads : {"1", "2"}) {
    const std::string name = std::string(threads) + ".coracle";
    EXPECT_EQ(quantize(name, {"--type", "auto", "--max-error", "0.1", "--times", times(), "--threads", threads}).code,
              0);
  }
  EXPECT_EQ(test::content(folder_.path("1.coracle")), test::content(folder_.path("2.coracle")));
}

TEST_F(QuantizePrecisions, AReportOfAMeasurementIsATableOfTimes) {
  const std::string measured = folder_.path("measured.json");
  const test::Outcome here =
      quantize("here.coracle", {"--type", "auto", "--max-error", "0.05", "--report", measured, "--threads", "1"});
  ASSERT_EQ(here.code, 0) << here.err;
  EXPECT_NE(here.out.find("int8 ms"), std::string::npos) << here.out;
  EXPECT_NE(here.out.find("error (rms)"), std::string::npos) << here.out;
  EXPECT_NE(here.out.find(" of at most 0.05; "), std::string::npos) << here.out;
  const test::Outcome there = quantize("there.coracle", {"--type", "auto", "--max-error", "0.05", "--times", measured});
  ASSERT_EQ(there.code, 0) << there.err;
  EXPECT_NE(there.out.find("times of " + measured), std::string::npos) << there.out;
}

TEST_F(QuantizePrecisions, SaysWhatItNeeds) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& part) {
    const test::Outcome outcome = quantize("refused", more);
    EXPECT_EQ(outcome.code, kInvalidArgument) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.path("refused")));
  };
  refused({"--type", "auto"}, "give max_error (0.01 is a hundredth), max_drop or min_snr");
  refused({"--type", "auto", "--max-error", "0.1", "--half"}, "excludes");
  refused({"--type", "float32"}, "--type");
  refused({"--times", times()}, "give type auto too");
}

}  // namespace
}  // namespace coracle::internal
