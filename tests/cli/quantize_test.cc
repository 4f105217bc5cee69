// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "quantize_model.h"
#include "support/archive_writer.h"
#include "support/plain_operators.h"
#include "support/program_writer.h"

// coracle quantize: models of int8 from models of float32, and what is said of their answers.
namespace coracle::internal {
namespace {

using test::content;
using test::numbers;

constexpr int kBadUsage = 2;
constexpr int kCannot = 4;

/// x [?, 3, 5, 5] -> convolution, batch norm, relu, depthwise convolution + bias, reshape, product y [?, 3]
/// `files`: the content of a file for each parameter.
test::ModelBytes network(std::map<std::string, std::string>* files = nullptr) {
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
    main.operators.push_back(test::convolution(type, x, filter, y, groups));
  };
  convolution("conv2d", "x", "filter", "c", 1);
  main.operators.push_back(test::batch_norm("c", "n"));
  main.operators.push_back(test::unary("relu", "n", "z"));
  convolution("depthwise_conv2d", "z", "depthwise", "d", 4);
  main.operators.push_back(test::add("d", "bias", "b", 1));
  main.operators.push_back(test::reshape("b", {-1, 100}, "r", "r_shape"));
  main.operators.push_back(test::matmul("r", "w", "y"));
  test::add_fetch(main, "y", 0);
  std::string params;
  for (const auto& [name, bytes] : records) params += bytes;
  if (files != nullptr) *files = records;
  return {.name = "network", .program = test::program_file({main}), .params = params, .inputs = {}};
}

class Quantize : public test::QuantizeModel {
 protected:
  Quantize() : QuantizeModel(network()) {}
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

// Half the steps, so twice the error of weights, and operands as before.
TEST_F(Quantize, ReducesTheRangeOfWeights) {
  const rapidjson::Document all = report("all");
  const rapidjson::Document reduced = report("reduced", {"--reduce-range"});
  ASSERT_TRUE(all.IsObject());
  ASSERT_TRUE(reduced.IsObject());
  for (rapidjson::SizeType i = 0; i < all["layers"].Size(); ++i) {
    const auto ratio = [&](const rapidjson::Document& d, const char* of) { return d["layers"][i][of].GetDouble(); };
    const char* const weights = "weights_signal_to_noise_db";
    EXPECT_NEAR(ratio(all, weights) - ratio(reduced, weights), 20 * std::log10(127.0 / 64), 1);
    EXPECT_GT(ratio(reduced, "operand_signal_to_noise_db"), 20);
  }
  expect_near(folder_.path("reduced"), folder_.path("reduced"), "0.02", {"--b", "passes=off"});
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

// The same files as from a folder.
TEST_F(Quantize, ReadsArchives) {
  report("expected");
  const std::string program = content(model_);
  const std::string parameters = content(folder_.path("network.pdiparams"));
  const test::ArchivedFiles files{{"net/inference.pdmodel", program},
                                  {"net/inference.pdiparams", parameters},
                                  {"net/inference.yml", "Global: 1\n"}};
  const auto quantized = [&](const std::string& name, const std::string& archive, const std::string& inside,
                             const std::vector<std::string>& more) {
    std::ofstream(folder_.path(name), std::ios::binary) << archive;
    std::vector<std::string> arguments{"quantize", folder_.path(name) + inside, "--input", "x=" + folder_.path("data"),
                                       "-o",       folder_.path("out")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::filesystem::remove_all(folder_.path("out"));
    const test::Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, 0) << name << outcome.err;
    for (const char* file : {"inference.pdmodel", "inference.pdiparams"}) {
      EXPECT_EQ(content(folder_.path("out/") + file), content(folder_.path("expected/") + file)) << name << inside;
    }
  };
  quantized("a.tar", test::tar_archive(files), "", {});
  EXPECT_EQ(content(folder_.path("out/inference.yml")), "Global: 1\n");
  quantized("a.tar", test::tar_archive(files), "/net/inference.pdmodel", {});
  quantized("a.tar.gz", test::gzipped(test::tar_archive(files)), "/net", {});
  quantized("a.zip", test::zip_archive(files, true), "", {});
  const std::string apart = test::tar_archive({{"net/model.pdmodel", program}, {"net/values", parameters}});
  quantized("b.tar", apart, "", {"--params", "values"});
  quantized("b.tar", apart, "", {"--params", folder_.path("network.pdiparams")});
  // A file for each parameter.
  std::map<std::string, std::string> of_parameters;
  network(&of_parameters);
  test::ArchivedFiles single{{"__model__", program}};
  single.insert(single.end(), of_parameters.begin(), of_parameters.end());
  quantized("c.zip", test::zip_archive(single, false), "", {});
  expect_failure({"quantize", folder_.path("a.tar"), "--half", "-o", folder_.path("a.tar")}, 5, {"a.tar"});
  single.pop_back();
  std::ofstream(folder_.path("d.tar"), std::ios::binary) << test::tar_archive(single);
  expect_failure({"quantize", folder_.path("d.tar"), "--half", "-o", folder_.path("d")}, 5, {"w", "d.tar"});
}

TEST_F(Quantize, WritesReports) {
  const std::string page = folder_.path("report.html");
  const std::string json = folder_.path("report.json");
  report("out", {"--keep", "d", "--report", page});
  for (const char* part : {"<!doctype html>", "2 of 3 layers with int8", "<td>c<td>conv2d<td><svg",
                           "<path class=\"operand\"", "<line class=\"range\"", "--keep names it", "</html>"}) {
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
  expect_failure({"quantize", model_, "-o", out}, kBadUsage, {"real inputs: give --data or --input"});
  expect_failure({"quantize", model_, "--input", data, "-o", out, "--keep", "nowhere"}, kBadUsage,
                 {"--keep nowhere: no "});
  expect_failure({"quantize", model_, "--input", data, "-o", folder_.path("network.pdmodel")}, kBadUsage,
                 {"the model itself is there"});
  expect_failure({"quantize", model_, "--half", "-o", out, "--report", folder_.path("nowhere/r.html")}, 5,
                 {"nowhere/r.html: there is no folder ", "nowhere"});
  EXPECT_FALSE(std::filesystem::exists(out));
  report("once");
  expect_failure({"quantize", folder_.path("once"), "--input", data, "-o", out}, kCannot, {"quantised already"});
  const std::string saved = folder_.path("saved.coracle");
  ASSERT_EQ(test::coracle_program({"optimize", model_, "-o", saved, "--no-packed"}).code, 0);
  expect_failure({"quantize", saved, "--input", data, "-o", out}, kCannot, {"only Paddle's own files"});
  std::vector<float> bad = numbers(150, 1, 1);
  bad[7] = std::numeric_limits<float>::quiet_NaN();
  test::write_npy(folder_.path("data/105.npy"), Tensor::of<float>({2, 3, 5, 5}, bad));
  expect_failure({"quantize", model_, "--input", data, "-o", out}, kBadUsage,
                 {"105.npy: the input 'x' has a value at 7 that is not a finite number"});
  EXPECT_FALSE(std::filesystem::exists(out));
}

// Those that only answers are compared with, too.
TEST_F(Quantize, RefusesHeldBackInputsThatAreNoNumbers) {
  std::vector<float> bad = numbers(150, 1, 1);
  bad[3] = std::numeric_limits<float>::infinity();
  test::write_npy(folder_.path("data/104.npy"), Tensor::of<float>({2, 3, 5, 5}, bad));
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--method", "minmax"}, {"--half"}}) {
    const test::Outcome outcome = quantize("out", more);
    EXPECT_EQ(outcome.code, kBadUsage) << outcome.err;
    EXPECT_NE(outcome.err.find("104.npy: the input 'x' has a value at 3 that is not a finite number"),
              std::string::npos)
        << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path("out")));
}

TEST_F(Quantize, ReplacesNeitherFileOfTheModelNorAFolder) {
  const std::string folder = folder_.path("there");
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(model_, folder + "/__model__");
  const std::string parameters = folder + "/inference.pdiparams";
  std::filesystem::copy_file(folder_.path("network.pdiparams"), parameters);
  const std::string before = content(parameters);
  expect_failure({"quantize", folder + "/__model__", "--params", parameters, "--half", "-o", folder}, kBadUsage,
                 {"the model itself is there"});
  EXPECT_EQ(content(parameters), before);
  report("out", {"--half"});
  const std::string written = content(folder_.path("out/inference.pdiparams"));
  std::filesystem::remove(folder_.path("out/inference.pdmodel"));
  std::filesystem::create_directory(folder_.path("out/inference.pdmodel"));
  expect_failure({"quantize", model_, "--weights-only", "int8", "-o", folder_.path("out")}, kBadUsage,
                 {"inference.pdmodel is a folder"});
  EXPECT_EQ(content(folder_.path("out/inference.pdiparams")), written);
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
  report("weights", {"--weights-only", "int8"});
  report("half", {"--half"});
  bool found = false;
  for (const char* python : {CORACLE_ORACLE_PYTHON, CORACLE_ORACLE_PIR_PYTHON}) {
    found = paddle_agrees("int8", python, "0.02") || found;
    found = paddle_agrees("weights", python, "1e-5") || found;
    found = paddle_agrees("half", python, "1e-5") || found;
  }
  if (!found) GTEST_SKIP() << "there is no " << CORACLE_ORACLE_PYTHON;
}

// Without inputs, answers are not compared; with them they are, for all of them.
TEST_F(Quantize, StoresWeightsAlone) {
  for (const auto& [name, more, least] : {std::tuple("int8", std::vector<std::string>{"--weights-only", "int8"}, 25.0),
                                          std::tuple("float16", std::vector<std::string>{"--half"}, 55.0)}) {
    const rapidjson::Document d = report(name, more);
    ASSERT_TRUE(d.IsObject()) << name;
    EXPECT_STREQ(d["weights"].GetString(), name);
    EXPECT_FALSE(d["operands_are_quantized"].GetBool());
    EXPECT_EQ(d["compared_sets"].GetUint64(), kSets);
    EXPECT_GT(d["outputs"][0]["signal_to_noise_db"].GetDouble(), least) << name;
    ASSERT_EQ(d["layers"].Size(), 3U);
    for (const rapidjson::Value& layer : d["layers"].GetArray()) EXPECT_TRUE(layer["quantized"].GetBool());
    std::vector<std::string> arguments{"quantize", model_, "-o", folder_.path("blind"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::Outcome blind = test::coracle_program(arguments);
    EXPECT_EQ(blind.code, 0) << blind.err;
    EXPECT_NE(blind.out.find("\"outputs\":[]"), std::string::npos) << blind.out;
    EXPECT_EQ(content(folder_.path("blind/inference.pdiparams")),
              content(folder_.path(std::string(name) + "/inference.pdiparams")));
  }
  EXPECT_LT(content(folder_.path("int8/inference.pdiparams")).size(),
            content(folder_.path("network.pdiparams")).size());
  expect_failure({"quantize", model_, "-o", folder_.path("out"), "--half", "--min-snr", "20"}, kBadUsage,
                 {"answers are compared with real inputs"});
  EXPECT_FALSE(std::filesystem::exists(folder_.path("out")));
}

// What was written before stays whole, and nothing else is left.
TEST_F(Quantize, InterruptedRunsLeaveWhatWasThereOrWriteAll) {
  const std::vector<std::string> options = {"--method", "auto", "--percentile", "50"};
  report("out");
  report("whole", options);
  const std::string before = content(folder_.path("out/inference.pdiparams"));
  const std::string whole = content(folder_.path("whole/inference.pdiparams"));
  std::vector<std::string> arguments{"quantize",         model_, "--input", "x=" + folder_.path("data"), "-o",
                                     folder_.path("out")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  for (int after : {1, 20, 60, 150}) {
    const test::Outcome outcome = test::coracle_program(arguments, {}, after);
    EXPECT_TRUE(outcome.code == 130 || outcome.code == 0) << outcome.code << outcome.err;
    const std::string now = content(folder_.path("out/inference.pdiparams"));
    EXPECT_TRUE(now == whole || (outcome.code == 130 && now == before)) << outcome.code;
  }
  const auto names = [&](const char* folder) {
    std::set<std::string> all;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path(folder)))
      all.insert(file.path().filename());
    return all;
  };
  EXPECT_EQ(names("out"), names("whole"));
}

}  // namespace
}  // namespace coracle::internal
