// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

#include "files.h"
#include "program.h"
#include "support/npy.h"
#include "support/program_writer.h"

// coracle quantize: models of int8 from models of float32, and what is said of their answers.
namespace coracle {
namespace {

using test::OpWriter;

constexpr int kUsage = 2;
constexpr int kUnsupported = 4;
constexpr size_t kSets = 20;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Numbers in (-size, size) that follow from the seed.
std::vector<float> numbers(size_t count, float size, int seed) {
  std::vector<float> values(count);
  uint32_t state = static_cast<uint32_t>(seed) * 2654435761U + 1;
  for (float& v : values) {
    state = state * 1664525U + 1013904223U;
    v = size * (static_cast<float>(state >> 8U) / 8388608.F - 1.F);
  }
  return values;
}

/// x [?, 3, 5, 5] -> convolution, batch norm, relu, depthwise convolution + bias, reshape, product y [?, 3]
test::ModelBytes network() {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 3, 5, 5}, 0);
  std::map<std::string, std::string> records;
  const auto parameter = [&](const std::string& name, const test::Dims& dims, float size, float centre = 0) {
    size_t count = 1;
    for (int64_t d : dims) count *= static_cast<size_t>(d);
    std::vector<float> values = numbers(count, size, static_cast<int>(records.size()));
    for (float& v : values) v += centre;
    main.variables.push_back(test::variable(name, test::kFloat32, dims, true));
    records[name] = test::record(test::kFloat32, dims, values);
  };
  parameter("filter", {4, 3, 3, 3}, 0.4F);
  parameter("scale", {4}, 0.2F, 1);
  parameter("shift", {4}, 0.2F, 0.3F);
  parameter("mean", {4}, 0.1F);
  parameter("variance", {4}, 0.1F, 0.5F);
  parameter("depthwise", {4, 1, 3, 3}, 0.5F);
  parameter("bias", {4}, 0.1F);
  parameter("w", {100, 3}, 0.2F);
  const auto value = [&](const std::string& name, const test::Dims& dims) {
    main.variables.push_back(test::variable(name, test::kFloat32, dims));
  };
  for (const char* name : {"c", "n", "z", "d", "b"}) value(name, {-1, 4, 5, 5});
  for (const char* name : {"saved_mean", "saved_variance"}) value(name, {4});
  value("r", {-1, 100});
  value("r_shape", {0, -1, 4, 5, 5});
  value("y", {-1, 3});
  const auto convolution = [&](const char* type, const char* x, const char* filter, const char* y, int groups) {
    main.operators.push_back(OpWriter(type)
                                 .in("Input", {x})
                                 .in("Filter", {filter})
                                 .out("Output", {y})
                                 .integers("strides", {1, 1})
                                 .integers("paddings", {1, 1})
                                 .integers("dilations", {1, 1})
                                 .integer("groups", groups)
                                 .string("data_format", "NCHW"));
  };
  convolution("conv2d", "x", "filter", "c", 1);
  main.operators.push_back(OpWriter("batch_norm")
                               .in("X", {"c"})
                               .in("Scale", {"scale"})
                               .in("Bias", {"shift"})
                               .in("Mean", {"mean"})
                               .in("Variance", {"variance"})
                               .out("Y", {"n"})
                               .out("MeanOut", {"mean"})
                               .out("VarianceOut", {"variance"})
                               .out("SavedMean", {"saved_mean"})
                               .out("SavedVariance", {"saved_variance"})
                               .real("epsilon", 1e-5F)
                               .boolean("is_test", true)
                               .string("data_layout", "NCHW"));
  main.operators.push_back(OpWriter("relu").in("X", {"n"}).out("Out", {"z"}));
  convolution("depthwise_conv2d", "z", "depthwise", "d", 4);
  main.operators.push_back(
      OpWriter("elementwise_add").in("X", {"d"}).in("Y", {"bias"}).out("Out", {"b"}).integer("axis", 1));
  main.operators.push_back(
      OpWriter("reshape2").in("X", {"b"}).out("Out", {"r"}).out("XShape", {"r_shape"}).integers("shape", {-1, 100}));
  main.operators.push_back(OpWriter("matmul_v2")
                               .in("X", {"r"})
                               .in("Y", {"w"})
                               .out("Out", {"y"})
                               .boolean("trans_x", false)
                               .boolean("trans_y", false));
  test::add_fetch(main, "y", 0);
  std::string params;
  for (const auto& [name, bytes] : records) params += bytes;
  return {.name = "network", .program = test::program_file({main}), .params = params, .inputs = {}};
}

class Quantize : public testing::Test {
 protected:
  Quantize() {
    std::filesystem::create_directory(folder_.path("data"));
    for (size_t i = 0; i < kSets; ++i) write_set("data/" + std::to_string(100 + i) + ".npy", static_cast<int>(i));
  }
  void write_set(const std::string& name, int seed) const {
    test::write_npy(folder_.path(name), Tensor::of<float>({2, 3, 5, 5}, numbers(150, 1, 1000 + seed)));
  }
  test::Outcome quantize(const std::string& output, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"quantize",          model_, "--input", "x=" + folder_.path("data"), "-o",
                                       folder_.path(output)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return test::coracle_program(arguments);
  }
  rapidjson::Document report(const std::string& output, std::vector<std::string> more = {}) const {
    more.emplace_back("--json");
    const test::Outcome outcome = quantize(output, more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    rapidjson::Document d;
    d.Parse(outcome.out.c_str());
    return d;
  }
  void expect_failure(const std::vector<std::string>& arguments, int code,
                      const std::vector<std::string>& parts) const {
    const test::Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    for (const std::string& part : parts)
      EXPECT_NE(outcome.err.find(part), std::string::npos) << part << "\n" << outcome.err;
  }
  /// Largest difference of the outputs of two models.
  void expect_near(const std::string& a, const std::string& b, const char* tolerance,
                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"compare", a,   b,        "--data",  folder_.path("data/100.npy"),
                                       "--rtol",  "0", "--atol", tolerance, "--no-locate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  }

  const test::TemporaryFolder folder_;
  const std::string model_ = test::write_model(folder_, network());
};

TEST_F(Quantize, AllMethodsAnswerNearTheOriginal) {
  for (const char* method : {"auto", "minmax", "percentile", "mse", "kl"}) {
    const rapidjson::Document d = report(method, {"--method", method, "--percentile", "99.9"});
    ASSERT_TRUE(d.IsObject()) << method;
    EXPECT_EQ(d["compared_sets"].GetUint64(), kSets / 5);
    EXPECT_EQ(d["calibration_sets"].GetUint64(), kSets - kSets / 5);
    ASSERT_EQ(d["layers"].Size(), 3U);
    for (const rapidjson::Value& layer : d["layers"].GetArray()) {
      EXPECT_TRUE(layer["quantized"].GetBool()) << method << " " << layer["name"].GetString();
      EXPECT_GT(layer["operand_signal_to_noise_db"].GetDouble(), 20);
      EXPECT_GT(layer["weights_signal_to_noise_db"].GetDouble(), 40);
    }
    EXPECT_GT(d["outputs"][0]["signal_to_noise_db"].GetDouble(), 15) << method;
    EXPECT_EQ(d["outputs"][0]["decisions"].GetUint64(), 2 * kSets / 5);
    expect_near(model_, folder_.path(method), "0.5");
  }
}

TEST_F(Quantize, ProductsComputeWithIntegers) {
  report("int8");
  const test::Outcome explained =
      test::coracle_program({"explain", folder_.path("int8"), "--shape", "x=2,3,5,5", "--isa", test::plainest_isa()});
  EXPECT_NE(explained.out.find("int8: 100.0 %"), std::string::npos) << explained.out;
  const std::string parameters = folder_.path("int8/inference.pdiparams");
  EXPECT_LT(std::filesystem::file_size(parameters), content(folder_.path("network.pdiparams")).size());
  // The simulation in float32 and the integers differ by the rounding of single steps.
  expect_near(folder_.path("int8"), folder_.path("int8"), "0.02", {"--b", "passes=off"});
}

TEST_F(Quantize, TheSameFilesEachTimeAndInEveryForm) {
  report("first");
  report("second");
  report("third.pdmodel");
  const std::string program = content(folder_.path("first/inference.pdmodel"));
  EXPECT_FALSE(program.empty());
  EXPECT_EQ(program, content(folder_.path("second/inference.pdmodel")));
  EXPECT_EQ(program, content(folder_.path("third.pdmodel")));
  const std::string parameters = content(folder_.path("first/inference.pdiparams"));
  EXPECT_EQ(parameters, content(folder_.path("second/inference.pdiparams")));
  EXPECT_EQ(parameters, content(folder_.path("third.pdiparams")));
  report("fourth.coracle");
  expect_near(folder_.path("first"), folder_.path("fourth.coracle"), "0");
}

TEST_F(Quantize, WritesReports) {
  const std::string page = folder_.path("report.html");
  const std::string json = folder_.path("report.json");
  report("out", {"--keep", "d", "--report", page});
  for (const char* part :
       {"<!doctype html>", "2 of 3 layers with int8", "<td>c<td>conv2d<td><svg", "--keep names it", "</html>"}) {
    EXPECT_NE(content(page).find(part), std::string::npos) << part;
  }
  const test::Outcome outcome = quantize("out", {"--report", json});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("3 of 3 layers with int8"), std::string::npos) << outcome.out;
  rapidjson::Document d;
  d.Parse(content(json).c_str());
  ASSERT_TRUE(d.IsObject());
  EXPECT_EQ(d["layers"].Size(), 3U);
}

TEST_F(Quantize, TakesBackTheMeanErrorOfWeights) {
  const auto ratio = [&](const std::vector<std::string>& more) {
    return report("out", more)["outputs"][0]["signal_to_noise_db"].GetDouble();
  };
  EXPECT_NE(ratio({"--method", "minmax"}), ratio({"--method", "minmax", "--no-bias-correction"}));
}

TEST_F(Quantize, KeepsLayers) {
  const rapidjson::Document d = report("out", {"--keep", "c", "--keep", "w"});
  EXPECT_FALSE(d["layers"][0]["quantized"].GetBool());
  EXPECT_STREQ(d["layers"][0]["reason"].GetString(), "--keep names it");
  EXPECT_TRUE(d["layers"][1]["quantized"].GetBool());
  EXPECT_FALSE(d["layers"][2]["quantized"].GetBool());
  const rapidjson::Document all = report("all", {"--min-snr", "200"});
  for (const rapidjson::Value& layer : all["layers"].GetArray()) EXPECT_FALSE(layer["quantized"].GetBool());
  EXPECT_TRUE(all["outputs"][0]["signal_to_noise_db"].IsNull()) << "nothing differs";
  expect_near(model_, folder_.path("all"), "0");
  const double full = report("full")["outputs"][0]["signal_to_noise_db"].GetDouble();
  const rapidjson::Document some = report("some", {"--min-snr", std::to_string(full + 1)});
  EXPECT_GE(
      some["outputs"][0]["signal_to_noise_db"].IsNull() ? 1e3 : some["outputs"][0]["signal_to_noise_db"].GetDouble(),
      full + 1);
}

TEST_F(Quantize, RefusesWhatCannotBeDone) {
  const std::string out = folder_.path("out");
  const std::string data = "x=" + folder_.path("data");
  expect_failure({"quantize", model_, "-o", out}, kUsage, {"real inputs: give --data or --input"});
  expect_failure({"quantize", model_, "--input", data, "-o", out, "--keep", "nowhere"}, kUsage,
                 {"--keep nowhere: no "});
  expect_failure({"quantize", model_, "--input", data, "-o", folder_.path("network.pdmodel")}, kUsage,
                 {"the model itself is there"});
  report("once");
  expect_failure({"quantize", folder_.path("once"), "--input", data, "-o", out}, kUnsupported, {"quantised already"});
  const std::string saved = folder_.path("saved.coracle");
  ASSERT_EQ(test::coracle_program({"optimize", model_, "-o", saved, "--no-packed"}).code, 0);
  expect_failure({"quantize", saved, "--input", data, "-o", out}, kUnsupported, {"only ProgramDesc models"});
  std::vector<float> bad = numbers(150, 1, 1);
  bad[7] = std::numeric_limits<float>::quiet_NaN();
  test::write_npy(folder_.path("data/105.npy"), Tensor::of<float>({2, 3, 5, 5}, bad));
  expect_failure({"quantize", model_, "--input", data, "-o", out}, kUsage,
                 {"105.npy: the input 'x' has a value at 7 that is no finite number"});
  EXPECT_FALSE(std::filesystem::exists(out));
}

// Whatever a byte becomes, the program ends with an exit code of its own.
TEST_F(Quantize, DamagedProgramsNeverCrash) {
  const std::string whole = network().program;
  constexpr size_t kStep = 29;
  for (size_t at = 3; at < whole.size(); at += kStep) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (at % 2 == 0 ? 0x01 : 0x7F));
    std::ofstream(model_, std::ios::binary) << damaged;
    const test::Outcome outcome = quantize("out", {"--method", "minmax"});
    EXPECT_GE(outcome.code, 0) << at << outcome.err;
    EXPECT_LE(outcome.code, 6) << at << outcome.err;
  }
}

TEST_F(Quantize, TheRealPaddleRunsIt) {
  report("int8", {"--method", "minmax"});
  bool found = false;
  for (const char* python : {CORACLE_ORACLE_PYTHON, CORACLE_ORACLE_PIR_PYTHON}) {
    if (!std::filesystem::exists(python)) continue;
    found = true;
    const test::Outcome outcome =
        test::coracle_program({"compare", folder_.path("int8"), "--data", folder_.path("data/100.npy"), "--engine",
                               "paddle", "--python", python, "--rtol", "0", "--atol", "0.02", "--no-locate"});
    EXPECT_EQ(outcome.code, 0) << python << outcome.out << outcome.err;
  }
  if (!found) GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PYTHON;
}

}  // namespace
}  // namespace coracle
