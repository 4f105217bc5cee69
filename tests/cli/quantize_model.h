// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "files.h"
#include "program.h"
#include "support/npy.h"
#include "support/plainest_isa.h"

namespace coracle::internal::test {

inline std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Numbers in (-size, size) that follow from the seed.
inline std::vector<float> numbers(size_t count, float size, int seed) {
  std::vector<float> values(count);
  uint32_t state = static_cast<uint32_t>(seed) * 2654435761U + 1;
  for (float& v : values) {
    state = state * 1664525U + 1013904223U;
    v = size * (static_cast<float>(state >> 8U) / 8388608.F - 1.F);
  }
  return values;
}

/// A model with an input x [2, 3, 5, 5] and 20 sets of it.
class QuantizeModel : public testing::Test {
 protected:
  static constexpr size_t kSets = 20;

  explicit QuantizeModel(const ModelBytes& model) : model_(write_model(folder_, model)) {
    std::filesystem::create_directory(folder_.path("data"));
    for (size_t i = 0; i < kSets; ++i) write_set("data/" + std::to_string(100 + i) + ".npy", static_cast<int>(i));
  }
  void write_set(const std::string& name, int seed) const {
    write_npy(folder_.path(name), Tensor::of<float>({2, 3, 5, 5}, numbers(150, 1, 1000 + seed)));
  }
  Outcome quantize(const std::string& output, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"quantize",          model_, "--input", "x=" + folder_.path("data"), "-o",
                                       folder_.path(output)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return coracle_program(arguments);
  }
  rapidjson::Document report(const std::string& output, std::vector<std::string> more = {}) const {
    more.emplace_back("--json");
    const Outcome outcome = quantize(output, more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    rapidjson::Document d;
    d.Parse(outcome.out.c_str());
    return d;
  }
  void expect_failure(const std::vector<std::string>& arguments, int code,
                      const std::vector<std::string>& parts) const {
    const Outcome outcome = coracle_program(arguments);
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
    const Outcome outcome = coracle_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  }

  /// Expects the model in FOLDER to answer in Paddle as here; false where there is no such Paddle.
  bool paddle_agrees(const std::string& folder, const std::string& python, const char* tolerance) const {
    if (!std::filesystem::exists(python)) return false;
    const Outcome outcome =
        coracle_program({"compare", folder_.path(folder), "--data", folder_.path("data/100.npy"), "--engine", "paddle",
                         "--python", python, "--rtol", "0", "--atol", tolerance, "--no-locate"});
    EXPECT_EQ(outcome.code, 0) << python << outcome.out << outcome.err;
    return true;
  }

  const TemporaryFolder folder_;
  const std::string model_;
};

}  // namespace coracle::internal::test
