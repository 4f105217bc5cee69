// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "files.h"
#include "program.h"
#include "support/plainest_isa.h"

// inspect, explain, bench, profile and help.
namespace coracle::internal {
namespace {

rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document d;
  d.Parse(text.c_str());
  EXPECT_FALSE(d.HasParseError()) << text;
  return d;
}

class Commands : public testing::Test {
 protected:
  static std::string results(const std::vector<std::string>& arguments) {
    const test::Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  static void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
    }
  }

  const test::TemporaryFolder folder_;
  const std::string model_ = test::write_model(folder_, test::small_program_models()[0]);
};

TEST_F(Commands, Help) {
  const std::string help = results({"--help"});
  expect_parts(help, {"run", "inspect", "explain", "bench", "profile", "Exit codes: 0 ok", "Examples:"});
  for (const char* command : {"run", "inspect", "explain", "bench", "profile", "compare", "doctor", "predict"}) {
    expect_parts(results({command, "--help"}), {"model", "Examples:", std::string("coracle ") + command + " "});
  }
  expect_parts(help, {"compare", "devices", "doctor", "7 outputs differ"});
  expect_parts(results({"run", "--help"}), {"--params", "--input", "--lod", "--shape", "--seed", "--threads", "--isa",
                                            "--weights", "--output-dir", "--json", "--memory-limit"});
  expect_parts(results({"--version"}), {"."});
}

TEST_F(Commands, Optimize) {
  const std::string saved = folder_.path("saved.coracle");
  expect_parts(results({"optimize", model_, "-o", saved, "--no-packed"}), {"saved.coracle: ", " MiB\n"});
  expect_parts(results({"inspect", saved, "--check"}),
               {"format      Coracle", "2.6.2", "saved by    Coracle ", "format 1.3, operators 1", "(ProgramDesc)",
                "rewrites    ", "fuse_convolution", "0  x  float32[?, 3, ?, ?]", "conv2d_fused\n"});
  const rapidjson::Document d = parsed(results({"inspect", saved, "--json"}));
  EXPECT_STREQ(d["saved"]["source_format"].GetString(), "ProgramDesc");
  const std::vector<std::string> shape{"--shape", "x=1,3,16,16"};
  const auto with_shape = [&](const char* command, const std::string& model) {
    return results({command, model, shape[0], shape[1], "--json"});
  };
  EXPECT_EQ(with_shape("run", saved), with_shape("run", model_));
  EXPECT_EQ(with_shape("explain", saved), with_shape("explain", model_));
  results({"profile", saved, shape[0], shape[1]});
  results({"graph", saved, "-o", folder_.path("graph.svg")});
  const std::string packed = folder_.path("packed.coracle");
  results({"optimize", model_, "-o", packed, shape[0], shape[1]});
  EXPECT_GT(std::filesystem::file_size(packed), std::filesystem::file_size(saved));
  expect_parts(results({"inspect", packed, "--check"}), {"format 1.3, operators 1"});
  EXPECT_EQ(with_shape("run", packed), with_shape("run", model_));
  EXPECT_EQ(results({"run", packed, shape[0], shape[1], "--json", "--weights-cache", "1MB"}),
            with_shape("run", model_));
  // Sizes that nobody gave are no reason not to save.
  const test::Outcome no_sizes = test::coracle_program({"optimize", model_, "-o", packed});
  EXPECT_EQ(no_sizes.code, 0);
  expect_parts(no_sizes.err, {"no packed weights: ", "--shape"});
  EXPECT_EQ(std::filesystem::file_size(packed), std::filesystem::file_size(saved));
  EXPECT_EQ(test::coracle_program({"optimize", model_, "-o", packed, "--shape", "x=1,4,16,16"}).code, 2);
  // Of many sizes each is packed for, and one that the model does not take is told.
  results({"optimize", model_, "-o", packed, "--shape", "x=1..2x3x16..32/8x16"});
  EXPECT_GT(std::filesystem::file_size(packed), std::filesystem::file_size(saved));
  EXPECT_EQ(with_shape("run", packed), with_shape("run", model_));
  for (const char* wrong : {"x=1x3..4x16x16", "x=1x3x16..33/8x16", "x=1x3x16..x16"}) {
    EXPECT_EQ(test::coracle_program({"optimize", model_, "-o", packed, "--shape", wrong}).code, 2) << wrong;
  }
  const test::Outcome undone = test::coracle_program({"run", saved, shape[0], shape[1], "--disable-passes", "all"});
  EXPECT_EQ(undone.code, 2);
  expect_parts(undone.err, {"saved.coracle", "cannot be undone", "convolution.pdmodel"});
}

TEST_F(Commands, Inspect) {
  const std::string text = results({"inspect", model_});
  expect_parts(text, {"convolution.pdmodel", "ProgramDesc", "2.6.2", "0  x  float32[?, 3, ?, ?]", "0  y  ",
                      "parameters  6 tensors", "1  conv2d\n", "1  batch_norm\n", "all operators are supported",
                      "memory", "--shape"});
  const rapidjson::Document d = parsed(results({"inspect", model_, "--shape", "x=1,3,64,64", "--json"}));
  EXPECT_STREQ(d["inputs"][0]["name"].GetString(), "x");
  EXPECT_EQ(d["inputs"][0]["shape"][1].GetInt(), 3);
  EXPECT_EQ(d["operators"]["softmax"].GetInt(), 1);
  EXPECT_TRUE(d["unsupported"].Empty());
  EXPECT_EQ(d["parameters"]["count"].GetInt(), 6);
  const int elements = 4 * 3 * 3 * 3 + 4 * 4 + 4 * 2 * 2 * 2;
  EXPECT_EQ(d["parameters"]["elements"].GetInt(), elements);
  EXPECT_EQ(d["memory"]["weights"].GetInt(), 4 * elements);
  // At least the convolution's result and the result of all.
  EXPECT_GE(d["memory"]["run"].GetInt(), 4 * 4 * 32 * 64);
  EXPECT_LE(d["memory"]["run"].GetInt(), 4 << 20);
}

TEST_F(Commands, InspectNeedsNoWeights) {
  const std::string alone = folder_.write("alone/inference.pdmodel", test::product_model().program);
  expect_parts(results({"inspect", alone}), {"parameters  1 tensors, 4 elements"});
}

TEST_F(Commands, Explain) {
  const std::string text = results({"explain", model_, "--shape", "x=1,3,16,16", "--isa", test::plainest_isa()});
  expect_parts(text, {"conv2d", "softmax", "float32[1, 4, 8, 16]"});
  const rapidjson::Document d = parsed(results({"explain", model_, "--shape", "x=1,3,16,16", "--json"}));
  ASSERT_TRUE(d.IsArray());
  ASSERT_GE(d.Size(), 5U);
  EXPECT_NE(std::string(d[0]["kernel"].GetString()), "");
  const rapidjson::Document plain =
      parsed(results({"explain", model_, "--shape", "x=1,3,16,16", "--json", "--disable-kernels", "conv2d,softmax"}));
  for (const rapidjson::Value& step : plain.GetArray()) {
    EXPECT_FALSE(std::string(step["kernel"].GetString()).starts_with("softmax"));
  }
}

TEST_F(Commands, ExplainOfIntegers) {
  const std::string model = CORACLE_SHARED "/models/int8-ppocr-v3-det-slim";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "the reference folder ../shared is absent";
  const std::vector<std::string> plain = {"explain", model, "--shape", "x=1,3,320,320"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> all = plain;
    all.insert(all.end(), more);
    return results(all);
  };
  const std::string text = with({});
  expect_parts(
      text, {"    in float32: its operand is not rounded to steps\n", "\nint8: 96.4 % of 477960384 multiply-adds\n"});
  EXPECT_EQ(text.find("left out"), std::string::npos);
  expect_parts(with({"--disable-passes", "integer_regions"}),
               {"    in float32: the rewrite integer_regions was left out\n", "int8: 0.0 % of 477960384"});
  int64_t products = 0;
  int in_float32 = 0;
  const rapidjson::Document steps = parsed(with({"--json"}));
  for (const rapidjson::Value& step : steps.GetArray()) {
    if (step.HasMember("multiply_adds")) products += step["multiply_adds"].GetInt64();
    in_float32 += step.HasMember("in_float32") ? 1 : 0;
  }
  EXPECT_EQ(products, 477960384);
  EXPECT_EQ(in_float32, 2);
  EXPECT_EQ(results({"explain", model_, "--shape", "x=1,3,16,16"}).find("int8: "), std::string::npos);
}

TEST_F(Commands, EnginesThatAreMissing) {
  const auto with_warning = [](const std::vector<std::string>& arguments) {
    const test::Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("coracle: warning: the engine 'nobody' cannot be used, "), 0U) << outcome.err;
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "one line: " << outcome.err;
    return outcome.out;
  };
  const std::string text = with_warning({"explain", model_, "--shape", "x=1,3,16,16", "--engines", "nobody"});
  expect_parts(text, {"engine nobody: missing: there is no engine 'nobody'; this build has ", " natively\n", "softmax",
                      "float32[1, 4, 8, 16]"});
  EXPECT_EQ(text.find("block "), std::string::npos) << text;
  const rapidjson::Document d =
      parsed(with_warning({"explain", model_, "--shape", "x=1,3,16,16", "--mark", "nobody=conv2d", "--json"}));
  EXPECT_EQ(std::string(d["engines"]["engines"][0]["name"].GetString()), "nobody");
  EXPECT_TRUE(d["engines"]["blocks"].Empty());
  EXPECT_GE(d["steps"].Size(), 5U);
  expect_parts(with_warning({"run", model_, "--shape", "x=1,3,16,16", "--engines", "nobody"}), {"float32"});
}

TEST_F(Commands, Bench) {
  const rapidjson::Document d = parsed(results(
      {"bench", model_, "--shape", "x=1,3,16,16", "--threads", "1", "--repeat", "7", "--warmup", "1", "--json"}));
  ASSERT_EQ(d["times_ms"].Size(), 7U);
  std::vector<double> times;
  for (const rapidjson::Value& t : d["times_ms"].GetArray()) times.push_back(t.GetDouble());
  std::sort(times.begin(), times.end());
  EXPECT_EQ(d["min_ms"].GetDouble(), times.front());
  EXPECT_EQ(d["median_ms"].GetDouble(), times[3]);
  EXPECT_EQ(d["p99_ms"].GetDouble(), times.back());
  EXPECT_EQ(d["threads"].GetInt(), 1);
  for (const char* field : {"load_ms", "first_ms", "peak_mib", "arena_mib"})
    EXPECT_GT(d[field].GetDouble(), 0) << field;
  expect_parts(results({"bench", model_, "--shape", "x=1,3,16,16", "--repeat", "2"}),
               {"machine", "runs      2 by 1 session", "load", "first run", "min", "mean", "median", "p90", "p99",
                "throughput", "peak"});
}

TEST_F(Commands, BenchOfSeveralSessions) {
  const rapidjson::Document d = parsed(results(
      {"bench", model_, "--shape", "x=1,3,16,16", "--threads", "1", "--sessions", "3", "--repeat", "5", "--json"}));
  EXPECT_EQ(d["times_ms"].Size(), 15U);
  EXPECT_EQ(d["sessions"].GetInt(), 3);
  EXPECT_GT(d["runs_per_second"].GetDouble(), 0);
  EXPECT_GE(d["p90_ms"].GetDouble(), d["median_ms"].GetDouble());
  EXPECT_GE(d["mean_ms"].GetDouble(), d["min_ms"].GetDouble());
  EXPECT_NE(std::string(d["processor"].GetString()), "");
  const auto start = std::chrono::steady_clock::now();
  expect_parts(results({"bench", model_, "--shape", "x=1,3,16,16", "--sessions", "2", "--duration", "0.2"}),
               {"by 2 sessions at once, of ", " each", "throughput"});
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(200));
}

TEST_F(Commands, BenchOfStarts) {
  const rapidjson::Document d =
      parsed(results({"bench", model_, "--shape", "x=1,3,16,16", "--threads", "1", "--cold", "3", "--json"}));
  EXPECT_EQ(d["starts"].GetInt(), 3);
  EXPECT_EQ(d["threads"].GetInt(), 1);
  for (const char* part : {"start_ms", "load_ms", "plan_ms", "first_run_ms", "answer_ms"}) {
    ASSERT_EQ(d[part].Size(), 3U) << part;
    for (const rapidjson::Value& t : d[part].GetArray()) EXPECT_GT(t.GetDouble(), 0) << part;
  }
  for (rapidjson::SizeType i = 0; i < 3; ++i) {
    const double parts = d["start_ms"][i].GetDouble() + d["load_ms"][i].GetDouble() + d["plan_ms"][i].GetDouble() +
                         d["first_run_ms"][i].GetDouble();
    EXPECT_NEAR(d["answer_ms"][i].GetDouble(), parts, 1e-3);
  }
  expect_parts(
      results({"bench", model_, "--shape", "x=1,3,16,16", "--cold", "1"}),
      {"starts    1 process, each", "cache     none", "min", "median", "start", "load", "plan", "first run", "answer"});
}

TEST_F(Commands, Profile) {
  const std::string trace = folder_.path("trace.json");
  expect_parts(results({"profile", model_, "--shape", "x=1,3,16,16", "--repeat", "2", "-o", trace}),
               {"share", "calls", "GFLOP/s", "GB/s", "limit", "conv2d", "softmax", "last of 2 runs",
                trace + ": written, a trace of "});
  expect_parts(results({"profile", model_, "--shape", "x=1,3,16,16", "--nodes"}),
               {"operator, kernel, result and node", "conv2d", "float32[1, "});
  std::ifstream file(trace);
  const rapidjson::Document d = parsed({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  double last_end = 0;
  int lanes = 0;
  size_t calls = 0;
  for (const rapidjson::Value& e : d["traceEvents"].GetArray()) {
    EXPECT_NE(std::string(e["name"].GetString()), "");
    if (std::string(e["ph"].GetString()) == "M") {
      EXPECT_EQ(e["tid"].GetInt(), ++lanes) << "lanes are named in order";
      continue;
    }
    EXPECT_STREQ(e["ph"].GetString(), "X");
    EXPECT_NE(std::string(e["args"]["kernel"].GetString()), "");
    if (e["tid"].GetInt() != 1) continue;  // of a helper
    ++calls;
    EXPECT_GE(e["ts"].GetDouble(), last_end - 1e-3) << "calls follow each other";
    last_end = e["ts"].GetDouble() + e["dur"].GetDouble();
  }
  EXPECT_GE(calls, 5U);
  EXPECT_GE(lanes, 1);
}

TEST_F(Commands, ProfileAsJson) {
  const std::string trace = folder_.path("trace.json");
  const rapidjson::Document d = parsed(
      results({"profile", model_, "--shape", "x=1,3,16,16", "--repeat", "2", "--threads", "1", "--json", "-o", trace}));
  EXPECT_EQ(d["runs"].GetInt(), 2);
  EXPECT_STREQ(d["trace"].GetString(), trace.c_str());
  EXPECT_GT(d["machine"]["flops_per_second"].GetDouble(), 0);
  ASSERT_GE(d["calls"].Size(), 5U);
  double ms = 0;
  int calls = 0;
  for (const rapidjson::Value& o : d["operators"].GetArray()) {
    ms += o["ms"].GetDouble();
    calls += o["calls"].GetInt();
  }
  EXPECT_NEAR(ms, d["total"]["ms"].GetDouble(), 1e-6);
  EXPECT_EQ(static_cast<size_t>(calls), d["calls"].Size());
  EXPECT_TRUE(d["calls"][0]["helpers"].Empty()) << "of one thread";
  EXPECT_TRUE(parsed(results({"profile", model_, "--shape", "x=1,3,16,16", "--nodes", "--json"})).HasMember("nodes"));
}

}  // namespace
}  // namespace coracle::internal
