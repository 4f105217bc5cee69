// SPDX-License-Identifier: Apache-2.0
// The C interface of libcoracle_quantize, and the C++ one over it.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "coracle/quantize.h"
#include "coracle/quantize.hpp"
#include "small_model.h"

namespace coracle::internal {
namespace {

using test::seeded_numbers;

std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The inputs of set number `set`, by name or in their order.
void fill(coracle_quantize_inputs* inputs, size_t set, bool by_name) {
  const int64_t of_x[] = {2, 16};
  const int64_t of_shift[] = {2, 24};
  const std::vector<float> x = seeded_numbers(32, static_cast<uint32_t>(set));
  const std::vector<float> shift = seeded_numbers(48, static_cast<uint32_t>(1000 + set));
  if (by_name) {
    EXPECT_EQ(coracle_quantize_set_input(inputs, "shift", CORACLE_FLOAT32, 2, of_shift, shift.data()), CORACLE_OK);
    EXPECT_EQ(coracle_quantize_set_input(inputs, "x", CORACLE_FLOAT32, 2, of_x, x.data()), CORACLE_OK);
    return;
  }
  EXPECT_EQ(coracle_quantize_set_input(inputs, nullptr, CORACLE_FLOAT32, 2, of_x, x.data()), CORACLE_OK);
  EXPECT_EQ(coracle_quantize_set_input(inputs, nullptr, CORACLE_FLOAT32, 2, of_shift, shift.data()), CORACLE_OK);
}

class QuantizeInterface : public testing::Test {
 protected:
  static constexpr size_t kSets = 20;

  QuantizeInterface() : model_(test::write_two_products(folder_)) {
    coracle_quantize_options_init(&options_, sizeof(options_));
    options_.sets = kSets;
    options_.data = [](void*, size_t set, coracle_quantize_inputs* inputs) {
      fill(inputs, set, /*by_name=*/true);
      return CORACLE_OK;
    };
  }

  coracle_status quantize(const std::string& output, std::vector<const char*> settings = {},
                          coracle_quantization** quantization = nullptr) {
    options_.settings = settings.data();
    options_.setting_count = settings.size();
    const coracle_status status =
        coracle_quantize(model_.c_str(), folder_.path(output).c_str(), &options_, quantization);
    options_.settings = nullptr;
    options_.setting_count = 0;
    return status;
  }
  void expect_refused(coracle_status status, const std::string& part, const std::vector<const char*>& settings = {}) {
    EXPECT_EQ(quantize("refused", settings), status) << part;
    EXPECT_NE(std::string(coracle_last_error()).find(part), std::string::npos) << coracle_last_error();
    EXPECT_FALSE(std::filesystem::exists(folder_.path("refused")));
  }
  std::string written(const std::string& output) const {
    return file_content(folder_.path(output) + "/inference.pdmodel") +
           file_content(folder_.path(output) + "/inference.pdiparams");
  }

  const test::TemporaryFolder folder_;
  const std::string model_;
  coracle_quantize_options options_;
};

TEST_F(QuantizeInterface, WritesAModelThatAnswersNearly) {
  coracle_quantization* quantization = nullptr;
  ASSERT_EQ(quantize("int8", {}, &quantization), CORACLE_OK) << coracle_last_error();
  rapidjson::Document report;
  report.Parse(coracle_quantization_json(quantization));
  EXPECT_STREQ(report["weights"].GetString(), "int8");
  EXPECT_EQ(report["calibration_sets"].GetUint64(), 16U);
  EXPECT_EQ(report["compared_sets"].GetUint64(), 4U);
  ASSERT_EQ(report["layers"].Size(), 2U);
  EXPECT_TRUE(report["layers"][0]["quantized"].GetBool());
  EXPECT_GT(report["outputs"][0]["signal_to_noise_db"].GetDouble(), 25);
  EXPECT_EQ(std::string(coracle_quantization_html(quantization)).find("<!doctype html>"), 0U);
  EXPECT_NE(std::string(coracle_quantization_text(quantization)).find("2 of 2 layers with int8"), std::string::npos);
  coracle_quantization_free(quantization);

  const coracle::Model original(model_);
  const coracle::Model quantized(folder_.path("int8"));
  std::vector<std::vector<float>> answers;
  for (const coracle::Model* m : {&original, &quantized}) {
    coracle::Session session(*m);
    session.set_input<float>(0, {2, 16}, seeded_numbers(32, 3));
    session.set_input<float>(1, {2, 24}, seeded_numbers(48, 4));
    session.run();
    answers.push_back(session.output(0).copy<float>());
  }
  ASSERT_EQ(answers[0].size(), 8U);
  EXPECT_NE(answers[0], answers[1]);
  for (size_t i = 0; i < answers[0].size(); ++i) EXPECT_NEAR(answers[0][i], answers[1][i], 0.3) << i;
}

TEST_F(QuantizeInterface, InputsComeByNameOrInTheirOrder) {
  ASSERT_EQ(quantize("named"), CORACLE_OK) << coracle_last_error();
  options_.data = [](void*, size_t set, coracle_quantize_inputs* inputs) {
    fill(inputs, set, /*by_name=*/false);
    return CORACLE_OK;
  };
  ASSERT_EQ(quantize("ordered"), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(written("named"), written("ordered"));
  EXPECT_FALSE(written("named").empty());
}

TEST_F(QuantizeInterface, WeightsAloneNeedNoData) {
  options_.sets = 0;
  options_.data = nullptr;
  for (const char* setting : {"half=true", "weights_only=int8", "weights-only=int4"}) {
    coracle_quantization* quantization = nullptr;
    ASSERT_EQ(quantize(setting, {setting}, &quantization), CORACLE_OK) << coracle_last_error();
    EXPECT_NE(std::string(coracle_quantization_json(quantization)).find("\"outputs\":[]"), std::string::npos);
    coracle_quantization_free(quantization);
    EXPECT_LT(file_content(folder_.path(setting) + "/inference.pdiparams").size(),
              file_content(folder_.path("model.pdiparams")).size());
  }
  expect_refused(CORACLE_INVALID_ARGUMENT, "ranges of values are measured with real inputs: give data");
  expect_refused(CORACLE_INVALID_ARGUMENT, "answers are compared with real inputs", {"half=true", "min_snr=20"});
}

TEST_F(QuantizeInterface, SaysWhichSettingsAreWrong) {
  expect_refused(CORACLE_INVALID_ARGUMENT, "there is no option 'metod' of quantising; did you mean 'method'?",
                 {"metod=kl"});
  expect_refused(CORACLE_INVALID_ARGUMENT, "option 'kl': expected NAME=VALUE", {"kl"});
  expect_refused(CORACLE_INVALID_ARGUMENT,
                 "method is 'minmix', expected auto, minmax, percentile, mse or kl; did you mean 'minmax'?",
                 {"method=minmix"});
  expect_refused(CORACLE_INVALID_ARGUMENT, "percentile is '101', expected a number from 50 to 100", {"percentile=101"});
  expect_refused(CORACLE_INVALID_ARGUMENT, "max_drop is 'nan', expected a number", {"max_drop=nan"});
  expect_refused(CORACLE_INVALID_ARGUMENT, "half is 'yes', expected true or false", {"half=yes"});
  expect_refused(CORACLE_INVALID_ARGUMENT, "weights_only excludes half", {"weights_only=int8", "half=true"});
  expect_refused(CORACLE_INVALID_ARGUMENT, "half excludes method, which is about operands", {"half=true", "method=kl"});
  expect_refused(CORACLE_INVALID_ARGUMENT, "keep nowhere", {"keep=nowhere"});
  expect_refused(CORACLE_INVALID_ARGUMENT, "argument 'settings' is null", {nullptr});
}

/// What is wrong with the inputs of the third set.
struct Fault {
  const char* part;
  std::function<coracle_status(coracle_quantize_inputs*)> give;
};

TEST_F(QuantizeInterface, SaysWhichInputsAreWrong) {
  static const std::vector<float> numbers(64, 1.F);
  static const int64_t of_x[] = {2, 16};
  static const int64_t other[] = {2, 17};
  const auto set = [](coracle_quantize_inputs* inputs, const char* name, const int64_t* dims,
                      coracle_dtype dtype = CORACLE_FLOAT32) {
    return coracle_quantize_set_input(inputs, name, dtype, 2, dims, numbers.data());
  };
  for (const Fault& fault :
       std::vector<Fault>{{"data[2]: the model has no input 'shfit'; it has 'x', 'shift'; did you mean 'shift'?",
                           [&](coracle_quantize_inputs* inputs) { return set(inputs, "shfit", of_x); }},
                          {"data[2]: the input 'shift' is not given",
                           [&](coracle_quantize_inputs* inputs) { return set(inputs, "x", of_x); }},
                          {"data[2]: the input 'x' is given twice",
                           [&](coracle_quantize_inputs* inputs) {
                             set(inputs, "x", of_x);
                             return set(inputs, "x", of_x);
                           }},
                          {"third.npy: the input 'shift' is not given",
                           [&](coracle_quantize_inputs* inputs) {
                             coracle_quantize_name_set(inputs, "third.npy");
                             return set(inputs, "x", of_x);
                           }},
                          {"data[2]: ",
                           [&](coracle_quantize_inputs* inputs) {
                             set(inputs, "x", other);
                             return set(inputs, "shift", other);
                           }},
                          {"data[2]: input 'x'",
                           [&](coracle_quantize_inputs* inputs) {
                             set(inputs, "x", of_x, CORACLE_INT32);
                             return set(inputs, "shift", of_x);
                           }},
                          {"no such picture", [&](coracle_quantize_inputs*) {
                             coracle_set_last_error("no such picture");
                             return CORACLE_INVALID_ARGUMENT;
                           }}}) {
    options_.data_user = const_cast<Fault*>(&fault);
    options_.data = [](void* user, size_t index, coracle_quantize_inputs* inputs) {
      if (index == 2) return static_cast<const Fault*>(user)->give(inputs);
      fill(inputs, index, /*by_name=*/true);
      return CORACLE_OK;
    };
    EXPECT_NE(quantize("refused", {"method=minmax"}), CORACLE_OK) << fault.part;
    EXPECT_NE(std::string(coracle_last_error()).find(fault.part), std::string::npos) << fault.part << "\n"
                                                                                     << coracle_last_error();
    EXPECT_FALSE(std::filesystem::exists(folder_.path("refused")));
  }
}

TEST_F(QuantizeInterface, RefusesWhatCannotBeQuantisedOrWritten) {
  ASSERT_EQ(quantize("once", {"method=minmax"}), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(coracle_quantize(folder_.path("once").c_str(), folder_.path("twice").c_str(), &options_, nullptr),
            CORACLE_UNSUPPORTED);
  EXPECT_NE(std::string(coracle_last_error()).find("quantised already"), std::string::npos) << coracle_last_error();
  EXPECT_EQ(coracle_quantize(folder_.path("none").c_str(), folder_.path("out").c_str(), &options_, nullptr),
            CORACLE_IO);
  EXPECT_EQ(quantize("model.pdmodel"), CORACLE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(coracle_last_error()).find("the model itself is there"), std::string::npos);
  folder_.write("file", "no folder");
  EXPECT_EQ(quantize("file/out"), CORACLE_IO) << coracle_last_error();
  EXPECT_NE(std::string(coracle_last_error()).find("file/out: cannot be made"), std::string::npos)
      << coracle_last_error();
}

TEST_F(QuantizeInterface, IsCancelledWithoutATrace) {
  static std::atomic<uint32_t> cancelled;
  cancelled = 0;
  options_.cancelled = reinterpret_cast<const uint32_t*>(&cancelled);
  options_.progress = [](void*, const char* step, size_t done, size_t) {
    if (std::string(step) == "calibration" && done == 3) cancelled = 1;
  };
  expect_refused(CORACLE_CANCELLED, "cancelled");
  cancelled = 1;  // before it begins
  expect_refused(CORACLE_CANCELLED, "cancelled");
  cancelled = 0;
  options_.progress = nullptr;
  EXPECT_EQ(quantize("refused"), CORACLE_OK) << coracle_last_error();
}

TEST_F(QuantizeInterface, TellsHowFarItIs) {
  using Told = std::vector<std::pair<std::string, std::pair<size_t, size_t>>>;
  Told told;
  options_.progress_user = &told;
  options_.progress = [](void* user, const char* step, size_t done, size_t total) {
    static_cast<Told*>(user)->push_back({step, {done, total}});
  };
  std::vector<std::string> messages;
  options_.message_user = &messages;
  options_.message = [](void* user, coracle_log_level level, const char* message) {
    EXPECT_EQ(level, CORACLE_LOG_WARNING);
    static_cast<std::vector<std::string>*>(user)->emplace_back(message);
  };
  options_.sets = 10;
  ASSERT_EQ(quantize("out", {"scaling=none"}), CORACLE_OK) << coracle_last_error();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].find("10 sets of inputs: values may reach further"), 0U) << messages[0];
  ASSERT_EQ(told.size(), 18U);  // 8 sets twice, 2 operands
  EXPECT_EQ(told[0], (Told::value_type{"calibration", {1, 16}}));
  EXPECT_EQ(told[15], (Told::value_type{"calibration", {16, 16}}));
  EXPECT_EQ(told[17], (Told::value_type{"methods", {2, 2}}));
}

TEST_F(QuantizeInterface, OptionsOfOtherVersionsAreTold) {
  options_.struct_size = 3;  // of no version
  expect_refused(CORACLE_INVALID_ARGUMENT, "call coracle_quantize_options_init first");
  // A program of an older version, whose struct ends behind `params`.
  coracle_quantize_options_init(&options_, offsetof(coracle_quantize_options, settings));
  expect_refused(CORACLE_INVALID_ARGUMENT, "give data");
  EXPECT_EQ(coracle_quantize(nullptr, "out", nullptr, nullptr), CORACLE_INVALID_ARGUMENT);
  EXPECT_STREQ(coracle_last_error(), "argument 'model' is null");
  EXPECT_EQ(coracle_quantization_json(nullptr), nullptr);
  coracle_quantization_free(nullptr);
}

TEST_F(QuantizeInterface, GoesOnFromAState) {
  ASSERT_EQ(quantize("expected"), CORACLE_OK) << coracle_last_error();
  const std::string state = folder_.path("state");
  options_.state = state.c_str();
  folder_.write("file", "no folder");
  EXPECT_EQ(quantize("file/out"), CORACLE_IO);
  EXPECT_TRUE(std::filesystem::exists(state));
  std::vector<std::string> messages;
  options_.message_user = &messages;
  options_.message = [](void* user, coracle_log_level, const char* message) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(message);
  };
  ASSERT_EQ(quantize("out"), CORACLE_OK) << coracle_last_error();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_NE(messages[0].find("goes on behind 32 runs"), std::string::npos) << messages[0];
  EXPECT_EQ(written("out"), written("expected"));
  EXPECT_FALSE(std::filesystem::exists(state));
}

TEST_F(QuantizeInterface, TheCppInterfaceGivesTheSame) {
  ASSERT_EQ(quantize("c", {"method=kl", "keep=w2"}), CORACLE_OK) << coracle_last_error();
  coracle::QuantizeOptions options;
  options.settings = {"method=kl", "keep=w2"};
  options.sets = kSets;
  options.data = [](size_t set, coracle::QuantizeInputs& inputs) {
    inputs.set<float>("x", {2, 16}, seeded_numbers(32, static_cast<uint32_t>(set)));
    inputs.set<float>({}, {2, 24}, seeded_numbers(48, static_cast<uint32_t>(1000 + set)));
  };
  options.session.threads = 1;
  const coracle::Quantization quantization = coracle::quantize(model_, folder_.path("cpp"), options);
  EXPECT_EQ(written("c"), written("cpp"));
  EXPECT_NE(quantization.text().find("1 of 2 layers with int8"), std::string::npos) << quantization.text();
  options.data = [](size_t, coracle::QuantizeInputs&) { throw std::out_of_range("no such set"); };
  EXPECT_THROW(coracle::quantize(model_, folder_.path("cpp"), options), std::out_of_range);
  options.settings = {"method=none"};
  try {
    coracle::quantize(model_, folder_.path("cpp"), options);
    ADD_FAILURE() << "not refused";
  } catch (const coracle::Exception& e) {
    EXPECT_EQ(e.status(), CORACLE_INVALID_ARGUMENT);
  }
}

}  // namespace
}  // namespace coracle::internal
