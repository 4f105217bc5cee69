// SPDX-License-Identifier: Apache-2.0
// Type auto through the C++ interface: measured on this machine, and from tables of times.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "coracle/quantize.hpp"
#include "small_model.h"

namespace coracle::internal {
namespace {

using test::seeded_numbers;

std::string bytes_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class QuantizeAuto : public testing::Test {
 protected:
  static constexpr size_t kSets = 10;

  QuantizeAuto() : model_(test::write_two_products(folder_)) {
    options_.sets = kSets;
    options_.data = [](size_t set, QuantizeInputs& inputs) {
      inputs.set<float>("x", {2, 16}, seeded_numbers(32, static_cast<uint32_t>(set)));
      inputs.set<float>("shift", {2, 24}, seeded_numbers(48, static_cast<uint32_t>(1000 + set)));
    };
    options_.session.threads = 1;
  }

  rapidjson::Document quantize(const std::string& output, const std::vector<std::string>& settings) {
    options_.settings = {"type=auto"};
    options_.settings.insert(options_.settings.end(), settings.begin(), settings.end());
    const Quantization q = coracle::quantize(model_, folder_.path(output), options_);
    EXPECT_NE(q.text().find("error (rms)"), std::string::npos) << q.text();
    EXPECT_NE(q.html().find("<h2>Precisions</h2>"), std::string::npos);
    folder_.write("report.json", q.json());
    rapidjson::Document report;
    report.Parse(q.json().c_str());
    return report;
  }
  void expect_refused(const std::vector<std::string>& settings, const std::string& part) {
    options_.settings = settings;
    try {
      coracle::quantize(model_, folder_.path("refused"), options_);
      ADD_FAILURE() << part;
    } catch (const coracle::Exception& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
    EXPECT_FALSE(std::filesystem::exists(folder_.path("refused")));
  }
  /// The path of a table of times of both layers.
  std::string table(const std::string& of_first, const std::string& of_second) {
    return folder_.write("times.json", R"({"layers":[{"name":"p","times_ms":)" + of_first +
                                           R"(},{"name":"y","times_ms":)" + of_second + "}]}");
  }
  std::string written(const std::string& output) const {
    return bytes_in(folder_.path(output) + "/inference.pdmodel") +
           bytes_in(folder_.path(output) + "/inference.pdiparams");
  }
  /// The root mean square error of y, relative to what the original answers, for the worst of the sets.
  double error_of(const std::string& output) const {
    double worst = 0;
    const coracle::Model original(model_);
    const coracle::Model chosen(folder_.path(output));
    for (size_t set = 0; set < kSets; ++set) {
      std::vector<std::vector<float>> answers;
      for (const coracle::Model* m : {&original, &chosen}) {
        coracle::Session session(*m);
        session.set_input<float>(0, {2, 16}, seeded_numbers(32, static_cast<uint32_t>(set)));
        session.set_input<float>(1, {2, 24}, seeded_numbers(48, static_cast<uint32_t>(1000 + set)));
        session.run();
        answers.push_back(session.output(0).copy<float>());
      }
      double square = 0;
      double of_errors = 0;
      for (size_t i = 0; i < answers[0].size(); ++i) {
        square += std::pow(answers[0][i], 2);
        of_errors += std::pow(static_cast<double>(answers[1][i]) - answers[0][i], 2);
      }
      worst = std::max(worst, std::sqrt(of_errors / square));
    }
    return worst;
  }

  const test::TemporaryFolder folder_;
  const std::string model_;
  QuantizeOptions options_;
};

constexpr const char* kInt8IsFaster = R"({"int8":1,"float32":2})";
constexpr const char* kInt8IsMuchFaster = R"({"int8":1,"float32":9})";
constexpr const char* kFloat32IsFaster = R"({"int8":2,"float32":1})";

TEST_F(QuantizeAuto, MeasuresAndStaysWithinTheBound) {
  std::set<std::string> steps;
  options_.progress = [&](const std::string& step, size_t, size_t) { steps.insert(step); };
  for (const char* output : {"folder", "model.coracle"}) {
    const rapidjson::Document report = quantize(output, {"max_error=0.02"});
    EXPECT_EQ(report["compared_sets"].GetUint64(), kSets);
    EXPECT_LE(report["automatic"]["error"].GetDouble(), 0.02);
    EXPECT_EQ(report["automatic"]["max_error"].GetDouble(), 0.02);
    EXPECT_STREQ(report["automatic"]["error_metric"].GetString(), "rms");
    EXPECT_NEAR(error_of(output), report["automatic"]["error"].GetDouble(), 1e-6);
    for (const char* model : {"float32", "int8", "chosen"}) {
      EXPECT_GT(report["automatic"]["times_ms"][model].GetDouble(), 0) << model;
    }
    for (const rapidjson::Value& layer : report["layers"].GetArray()) {
      const std::string precision = layer["precision"].GetString();
      EXPECT_TRUE(precision == "int8" || precision == "float32") << precision;
      EXPECT_EQ(layer["quantized"].GetBool(), precision == "int8");
      EXPECT_GT(layer["times_ms"]["int8"].GetDouble(), 0);
      EXPECT_GT(layer["times_ms"]["float32"].GetDouble(), 0);
      EXPECT_GT(layer["errors"]["int8"].GetDouble(), 0);
      EXPECT_EQ(layer["errors"]["float32"].GetDouble(), 0);
      EXPECT_GT(layer["reason"].GetStringLength(), 0U);
    }
  }
  EXPECT_EQ(steps, (std::set<std::string>{"calibration", "methods", "times", "layers", "choice"}));
}

TEST_F(QuantizeAuto, TimesOfAReportStandForMeasuring) {
  quantize("here", {"max_error=0.02"});
  std::set<std::string> steps;
  options_.progress = [&](const std::string& step, size_t, size_t) { steps.insert(step); };
  const std::string times = "times=" + folder_.write("other.json", bytes_in(folder_.path("report.json")));
  const rapidjson::Document report = quantize("there", {"max_error=0.02", times});
  EXPECT_EQ(steps.count("times"), 0U);
  EXPECT_FALSE(report["automatic"].HasMember("times_ms"));
  EXPECT_STREQ(report["automatic"]["times"].GetString(), folder_.path("other.json").c_str());
  quantize("again", {"max_error=0.02", times});
  EXPECT_EQ(written("there"), written("again"));
  EXPECT_LE(error_of("there"), 0.02);
}

TEST_F(QuantizeAuto, ChoosesByTimeAndError) {
  const auto chosen = [&](const std::string& times, const std::string& bound) {
    const rapidjson::Document report = quantize("chosen", {bound, "times=" + times});
    EXPECT_LE(error_of("chosen"), report["automatic"]["error"].GetDouble() + 1e-6);
    std::string all;
    for (const rapidjson::Value& layer : report["layers"].GetArray()) {
      all += std::string(layer["precision"].GetString()) + ": " + layer["reason"].GetString() + "\n";
    }
    return all;
  };
  EXPECT_EQ(chosen(table(R"({"int8":1,"bf16":0.5,"float32":2})", kFloat32IsFaster), "max_error=1"),
            "int8: it takes least time\nfloat32: fewer bits save no time\n");
  EXPECT_EQ(chosen(table(kInt8IsFaster, kFloat32IsFaster), "max_error=1"),
            "int8: it takes least time\nfloat32: fewer bits save no time\n");
  const std::string far = "float32: with it in int8 the answers are too far away\n";
  EXPECT_EQ(chosen(table(kInt8IsFaster, kInt8IsFaster), "max_error=0"), far + far);
  EXPECT_EQ(error_of("chosen"), 0);
  // Either layer is enough; the one that costs less goes.
  const rapidjson::Document both = quantize("both", {"max_error=1", "times=" + table(kInt8IsFaster, kInt8IsFaster)});
  double least = 0;
  for (const rapidjson::Value& layer : both["layers"].GetArray()) {
    least = std::max(least, layer["errors"]["int8"].GetDouble());
  }
  const std::string bound = "max_error=" + std::to_string((least + both["automatic"]["error"].GetDouble()) / 2);
  ASSERT_LT(least, both["automatic"]["error"].GetDouble());
  const std::string fast = "int8: it takes least time\n";
  EXPECT_EQ(chosen(table(kInt8IsMuchFaster, kInt8IsFaster), bound), fast + far);
  EXPECT_EQ(chosen(table(kInt8IsFaster, kInt8IsMuchFaster), bound), far + fast);
  // The written model is one that computes with those integers.
  EXPECT_NE(written("chosen").find("quantize_linear"), std::string::npos);
}

TEST_F(QuantizeAuto, OtherBoundsAndLayersThatStay) {
  const rapidjson::Document report = quantize("kept", {"min_snr=20", "keep=w2"});
  EXPECT_FALSE(report["automatic"].HasMember("max_error"));
  EXPECT_STREQ(report["layers"][1]["precision"].GetString(), "float32");
  EXPECT_FALSE(report["layers"][1].HasMember("times_ms"));
  const rapidjson::Value& ratio = report["outputs"][0]["signal_to_noise_db"];
  EXPECT_TRUE(ratio.IsNull() || ratio.GetDouble() >= 20);  // null: without noise
}

TEST_F(QuantizeAuto, SaysWhatIsWrong) {
  expect_refused({"type=auto"}, "type auto chooses within a bound: give max_error");
  expect_refused({"times=t.json"}, "give type auto too");
  expect_refused({"type=auto", "max_error=0.1", "times=" + folder_.path("none.json")},
                 "there is no such file of times");
  expect_refused({"type=auto", "max_error=-1"}, "max_error is '-1', expected a number from 0 to");
  expect_refused({"type=auto", "half=true"}, "half excludes type");
  expect_refused({"type=bf16"}, "type is 'bf16', expected int8 or auto");
  expect_refused({"type=auto", "max_error=0.1", "times=" + folder_.write("w.json", R"({"layers":[]})")},
                 "w.json: layer 'p' has no \"times_ms\" there");
}

// Its answers are no numbers, whatever the precision.
TEST_F(QuantizeAuto, RefusesWhereNothingIsNearEnough) {
  options_.data = [](size_t set, QuantizeInputs& inputs) {
    inputs.set<float>("x", {2, 16}, std::vector<float>(32, set == 0 ? 3e38F : 1.F));
    inputs.set<float>("shift", {2, 24}, std::vector<float>(48, 1.F));
  };
  expect_refused({"type=auto", "max_error=0.5", "scaling=none", "method=minmax"},
                 "no choice of precisions keeps the answers within the bounds; the nearest has an error (rms) of inf");
}

// With int8 alone it is one of the bounds.
TEST_F(QuantizeAuto, MaxErrorBoundsInt8Too) {
  options_.settings = {"max_error=0"};
  coracle::quantize(model_, folder_.path("exact"), options_);
  EXPECT_EQ(error_of("exact"), 0);
  options_.settings = {"max_error=0.5", "error_metric=max"};
  const Quantization q = coracle::quantize(model_, folder_.path("near"), options_);
  EXPECT_NE(q.text().find("2 of 2 layers with int8"), std::string::npos) << q.text();
}

TEST_F(QuantizeAuto, GoesOnFromAState) {
  folder_.write("file", "no folder");
  options_.settings = {"type=auto", "max_error=0.02"};
  options_.state = folder_.path("state");
  EXPECT_THROW(coracle::quantize(model_, folder_.path("file/out"), options_), coracle::Exception);
  ASSERT_TRUE(std::filesystem::exists(options_.state));
  std::set<std::string> steps;
  options_.progress = [&](const std::string& step, size_t, size_t) { steps.insert(step); };
  coracle::quantize(model_, folder_.path("out"), options_);
  EXPECT_EQ(steps.count("times"), 0U) << "what was measured is measured again";
  EXPECT_FALSE(std::filesystem::exists(options_.state));
  EXPECT_LE(error_of("out"), 0.02);
}

}  // namespace
}  // namespace coracle::internal
