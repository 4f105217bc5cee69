// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "quantize_model.h"
#include "support/plain_operators.h"
#include "support/program_writer.h"

// coracle quantize --state: runs that go on from where others were interrupted.
namespace coracle::internal {
namespace {

using test::content;
using test::numbers;

/// x [?, 3, 5, 5] -> reshape, product, relu, product y [?, 3]
test::ModelBytes state_network() {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 3, 5, 5}, 0);
  std::string params;
  for (const auto& [name, dims] : {std::pair("w1", test::Dims{75, 24}), std::pair("w2", test::Dims{24, 3})}) {
    main.variables.push_back(test::variable(name, test::kFloat32, dims, true));
    params += test::record(test::kFloat32, dims,
                           numbers(static_cast<size_t>(dims[0] * dims[1]), 0.3F, static_cast<int>(dims[0])));
  }
  for (const auto& [name, dims] : std::map<std::string, test::Dims>{
           {"r", {-1, 75}}, {"r_shape", {0, -1, 3, 5, 5}}, {"p", {-1, 24}}, {"z", {-1, 24}}, {"y", {-1, 3}}}) {
    main.variables.push_back(test::variable(name, test::kFloat32, dims));
  }
  main.operators.push_back(test::reshape("x", {-1, 75}, "r", "r_shape"));
  const auto product = [&](const char* x, const char* w, const char* y) {
    main.operators.push_back(test::matmul(x, w, y));
  };
  product("r", "w1", "p");
  main.operators.push_back(test::unary("relu", "p", "z"));
  product("z", "w2", "y");
  test::add_fetch(main, "y", 0);
  return {.name = "network", .program = test::program_file({main}), .params = params, .inputs = {}};
}

class QuantizeState : public test::QuantizeModel {
 protected:
  QuantizeState() : QuantizeModel(state_network()), state_(folder_.path("state")) {
    // One of both layers has to stay.
    const rapidjson::Document d = report("expected", {"--min-snr", "42"});
    EXPECT_TRUE(d["layers"][0]["quantized"].GetBool());
    EXPECT_FALSE(d["layers"][1]["quantized"].GetBool());
    std::ofstream(folder_.path("file")) << "no folder";
  }
  /// A run that fails when all is measured: a file is where its folder should be.
  void leave_state(const std::vector<std::string>& more = {"--min-snr", "42"}) const {
    std::vector<std::string> arguments{"--state", state_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::Outcome outcome = quantize("file/out", arguments);
    EXPECT_EQ(outcome.code, 5) << outcome.err;
    EXPECT_TRUE(std::filesystem::exists(state_)) << outcome.err;
  }
  /// Runs to the end, and says what is on standard error.
  std::string finish() const {
    const test::Outcome outcome = quantize("out", {"--min-snr", "42", "--state", state_});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* file : {"inference.pdmodel", "inference.pdiparams"}) {
      EXPECT_EQ(content(folder_.path("out/") + file), content(folder_.path("expected/") + file)) << file;
    }
    EXPECT_FALSE(std::filesystem::exists(state_));
    return outcome.err;
  }

  const std::string state_;
};

constexpr const char* kGoesOn = "goes on behind 32 runs and ";
constexpr const char* kAnew = "all is done anew";

TEST_F(QuantizeState, GoesOnBehindWhatWasMeasured) {
  leave_state();
  const std::string left = content(state_);
  const std::string told = finish();
  EXPECT_NE(told.find(kGoesOn), std::string::npos) << told;
  // What is left of it is enough: the same again adds nothing.
  std::ofstream(state_, std::ios::binary) << left;
  leave_state();
  EXPECT_EQ(content(state_), left);
}

TEST_F(QuantizeState, InterruptedRunsComeToTheSame) {
  for (int after : {1, 10, 20, 30, 40, 60, 80, 120}) {
    std::filesystem::remove(state_);
    const test::Outcome outcome =
        test::coracle_program({"quantize", model_, "--input", "x=" + folder_.path("data"), "-o", folder_.path("out"),
                               "--min-snr", "42", "--state", state_},
                              {}, after);
    EXPECT_TRUE(outcome.code == 130 || outcome.code == 0) << outcome.code << outcome.err;
    const std::string told = finish();
    EXPECT_EQ(told.find(kAnew), std::string::npos) << told;
  }
}

TEST_F(QuantizeState, OfAnythingElseIsDoneAnew) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--min-snr", "43"},
                                               {"--min-snr", "42", "--percentile", "99"},
                                               {"--min-snr", "42", "--keep", "w1"},
                                               {"--min-snr", "42", "--no-bias-correction"},
                                               {"--min-snr", "42", "--method", "mse"}}) {
    leave_state(more);
    const std::string told = finish();
    EXPECT_NE(told.find(kAnew), std::string::npos) << more.back() << told;
  }
  // Other inputs, and another parameter, of the same names.
  const std::string input = content(folder_.path("data/103.npy"));
  write_set("data/103.npy", 77);
  leave_state();
  std::ofstream(folder_.path("data/103.npy"), std::ios::binary) << input;
  EXPECT_NE(finish().find(kAnew), std::string::npos);
  const std::string parameters = content(folder_.path("network.pdiparams"));
  std::string other = parameters;
  other[other.size() - 2] = static_cast<char>(other[other.size() - 2] ^ 1);
  std::ofstream(folder_.path("network.pdiparams"), std::ios::binary) << other;
  leave_state();
  std::ofstream(folder_.path("network.pdiparams"), std::ios::binary) << parameters;
  EXPECT_NE(finish().find(kAnew), std::string::npos);
}

TEST_F(QuantizeState, DamagedIsDoneAnew) {
  leave_state();
  const std::string whole = content(state_);
  for (size_t at : {size_t{30}, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(state_, std::ios::binary) << damaged;
    EXPECT_NE(finish().find(kAnew), std::string::npos) << at;
  }
  std::ofstream(state_, std::ios::binary) << whole.substr(0, whole.size() / 3);
  EXPECT_NE(finish().find(kAnew), std::string::npos);
}

TEST_F(QuantizeState, ReplacesNoOtherFile) {
  const std::string before = content(model_);
  expect_failure(
      {"quantize", model_, "--input", "x=" + folder_.path("data"), "-o", folder_.path("out"), "--state", model_}, 2,
      {"no state of coracle quantize"});
  EXPECT_EQ(content(model_), before);
  expect_failure({"quantize", model_, "--input", "x=" + folder_.path("data"), "-o", folder_.path("out"), "--state",
                  folder_.path("nowhere/state")},
                 5, {"there is no folder"});
}

}  // namespace
}  // namespace coracle::internal
