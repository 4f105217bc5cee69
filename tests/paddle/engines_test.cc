// SPDX-License-Identifier: Apache-2.0
// Calls for Paddle's engines, and what runs: plug-ins "tensorrt" and "stand_in", which take single nodes `negative`.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "coracle/coracle.h"
#include "paddle/paddle_models.h"
#include "paddle/pd_inference_api.h"

namespace coracle::internal::test {
namespace {

using paddle_infer::Config;
using paddle_infer::PrecisionType;
using Floats = std::vector<float>;

/// y = -relu(-x), of any length.
ModelBytes clipped() {
  BlockWriter main;
  add_feed(main, "x", kFloat32, {-1}, 0);
  main.operators.push_back(OpWriter("negative").in("X", {"x"}).out("Out", {"a"}));
  main.operators.push_back(OpWriter("relu").in("X", {"a"}).out("Out", {"b"}));
  main.operators.push_back(OpWriter("negative").in("X", {"b"}).out("Out", {"y"}));
  add_fetch(main, "y", 0);
  return {.name = "clipped", .program = program_file({main}), .params = {}, .inputs = {}};
}

class PaddleEngines : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("CORACLE_PADDLE_ENGINES");
    ::setenv("CORACLE_ENGINE_PATH", CORACLE_TEST_PLUGINS, 1);
    ::setenv("CORACLE_ENGINE_CACHE", "", 1);
    const coracle_log_function keep = [](void* user, coracle_log_level level, const char* message) {
      static_cast<std::vector<std::string>*>(user)->push_back((level == CORACLE_LOG_WARNING ? "warning: " : "") +
                                                              std::string(message));
    };
    ASSERT_EQ(coracle_set_logger(CORACLE_LOG_INFO, keep, &messages_), CORACLE_OK);
  }
  void TearDown() override {
    for (const char* name : {"CORACLE_PADDLE_ENGINES", "CORACLE_ENGINE_PATH", "CORACLE_ENGINE_CACHE"}) ::unsetenv(name);
    EXPECT_EQ(coracle_set_logger(CORACLE_LOG_OFF, nullptr, nullptr), CORACLE_OK);
  }

  static Config enabled(const Config& config, int min_subgraph_size) {
    Config out = config;
    out.EnableTensorRtEngine(1 << 30, 1, min_subgraph_size, PrecisionType::kFloat32, false, true);
    return out;
  }

  /// The messages about engines while a predictor of the Config is made, which gives min(x, 0).
  std::string told(const Config& config) {
    messages_.clear();
    const auto predictor = paddle_infer::CreatePredictor(config);
    std::string about;
    for (const std::string& message : messages_) {
      if (message.find("engine") != std::string::npos) about += message + "\n";
    }
    fill<float>(*predictor, "x", {3}, {-1, 0, 2});
    EXPECT_TRUE(predictor->Run());
    EXPECT_EQ(result<float>(*predictor, predictor->GetOutputNames()[0]), (Floats{-1, 0, 0}));
    return about;
  }

  const ModelOnDisk model_{clipped()};
  std::vector<std::string> messages_;
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_HAS_NOT(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

TEST_F(PaddleEngines, APlugInOfTheNameRunsWhatItTakes) {
  Config config = enabled(model_.config(), 1);
  EXPECT_TRUE(config.tensorrt_engine_enabled());
  EXPECT_EQ(config.coracle_engines(), "tensorrt?");
  const std::string summary = config.Summary();
  EXPECT_HAS(summary, "EnableTensorRtEngine");
  EXPECT_HAS(summary, "parts run on tensorrt, the rest by Coracle's own kernels");
  EXPECT_HAS(told(config), "the engine 'tensorrt' runs 2 of 3 nodes of ");
}

/// What a Config tells engines.
struct Told : Config {
  explicit Told(const Config& config) : Config(config) {}
  std::string precision() const {
    paddle::detail::EngineOptions options;
    choose_engines(options);
    return options.precision;
  }
};

TEST_F(PaddleEngines, PrecisionIsWhatEnginesMayComputeWith) {
  for (const auto& [precision, expected] :
       {std::pair(PrecisionType::kFloat32, ""), std::pair(PrecisionType::kHalf, ""),
        std::pair(PrecisionType::kInt8, "int8"), std::pair(PrecisionType::kBf16, "bf16")}) {
    Config config = model_.config();
    config.EnableTensorRtEngine(1 << 30, 1, 1, precision, false, true);
    EXPECT_EQ(Told(config).precision(), expected);
    ::setenv("CORACLE_PADDLE_ENGINES", "nobody", 1);
    EXPECT_EQ(Told(config).precision(), "") << "no engine is there";
    ::unsetenv("CORACLE_PADDLE_ENGINES");
  }
}

TEST_F(PaddleEngines, WithoutOneTheModelRunsNativelyAndOneMessageSaysSo) {
  ::setenv("CORACLE_ENGINE_PATH", "/nowhere", 1);
  Config config = model_.config();
  config.EnableONNXRuntime();
  EXPECT_FALSE(config.use_onnxruntime());
  EXPECT_HAS(config.Summary(), "no effect: none is here of onnxruntime, runs by Coracle's own kernels");
  const std::string said = told(config);
  EXPECT_HAS(said, "the engine 'onnxruntime' is not used: there is no engine 'onnxruntime'");
  EXPECT_HAS(said, "no engine runs a part of ");
  EXPECT_HAS_NOT(said, "warning");
  Config off = model_.config();
  off.EnableONNXRuntime();
  off.DisableONNXRuntime();
  EXPECT_EQ(told(off), "");
  EXPECT_HAS_NOT(off.Summary(), "EnableONNXRuntime");
}

TEST_F(PaddleEngines, OthersStandInWhereTheEnvironmentSaysSo) {
  ::setenv("CORACLE_PADDLE_ENGINES", "stand_in", 1);
  EXPECT_EQ(told(model_.config()), "") << "nothing asked for an engine";
  Config config = enabled(model_.config(), 1);
  EXPECT_TRUE(config.tensorrt_engine_enabled());
  EXPECT_HAS(config.Summary(), "parts run on stand_in, the rest");
  const std::string said = told(config);
  EXPECT_HAS(said, "the engine 'stand_in' runs 2 of 3 nodes of ");
  EXPECT_HAS_NOT(said, "tensorrt");

  ::setenv("CORACLE_PADDLE_ENGINES", "nobody", 1);
  EXPECT_FALSE(enabled(model_.config(), 1).tensorrt_engine_enabled());
  EXPECT_HAS(told(enabled(model_.config(), 1)), "warning: the engine 'nobody' cannot be used");
  ::setenv("CORACLE_PADDLE_ENGINES", "", 1);
  EXPECT_EQ(told(enabled(model_.config(), 1)), "") << "set to nothing, it turns all of them off";
}

TEST_F(PaddleEngines, AConfigMayNameThemItself) {
  ::setenv("CORACLE_PADDLE_ENGINES", "nobody", 1);
  Config config = enabled(model_.config(), 1);
  config.SetCoracleEngines("stand_in");
  EXPECT_HAS(told(config), "the engine 'stand_in' runs 2 of 3 nodes of ");
  Config none = enabled(model_.config(), 1);
  none.SetCoracleEngines("");
  EXPECT_EQ(told(none), "");
  EXPECT_FALSE(none.tensorrt_engine_enabled());
  EXPECT_HAS(none.Summary(), "no effect: engines are turned off");
}

TEST_F(PaddleEngines, SmallSubgraphsAndDisabledOperatorsRunNatively) {
  EXPECT_HAS(told(enabled(model_.config(), 2)), "no engine runs a part of ");
  Config types = enabled(model_.config(), 1);
  types.Exp_DisableTensorRtOPs({"relu"});
  EXPECT_HAS(told(types), "runs 2 of 3 nodes");
  Config both = enabled(model_.config(), 1);
  both.Exp_DisableTensorRtOPs({"relu"});
  both.Exp_DisableTensorRtOPs({"negative"});
  EXPECT_HAS(told(both), "no engine runs a part of ");
  Config variables = enabled(model_.config(), 1);
  variables.Exp_DisableTensorRtSubgraph({"a"});
  EXPECT_HAS(told(variables), "runs 1 of 3 nodes");
  expect_refused([&] { variables.Exp_DisableTensorRtOPs({"a,b"}); }, "was given 'a,b', expected names without commas");
}

TEST_F(PaddleEngines, ShapesAreThoseOfInputs) {
  Config config = enabled(model_.config(), 1);
  config.SetTRTDynamicShapeInfo({{"x", {1}}, {"a", {1}}, {"alone", {1}}}, {{"x", {8}}, {"a", {8}}},
                                {{"x", {3}}, {"a", {3}}});
  EXPECT_HAS(told(config), "runs 2 of 3 nodes");
  Config wrong = enabled(model_.config(), 1);
  wrong.SetTRTDynamicShapeInfo({{"x", {4}}}, {{"x", {3}}}, {{"x", {3}}});
  expect_refused([&] { paddle_infer::CreatePredictor(wrong); },
                 "shapes gives dimension 0 of the input 'x' the range 4..3..3");

  const std::string file = model_.path("shapes.pbtxt");
  Config collecting = model_.config();
  collecting.CollectShapeRangeInfo(file);
  told(collecting);
  Config tuned = enabled(model_.config(), 1);
  tuned.EnableTunedTensorRtDynamicShape(file, true);
  EXPECT_HAS(told(tuned), "runs 2 of 3 nodes");
  Config missing = enabled(model_.config(), 1);
  missing.EnableTunedTensorRtDynamicShape(model_.path("none.pbtxt"), true);
  expect_refused([&] { paddle_infer::CreatePredictor(missing); }, "there is no file of shape ranges");
  // Without an engine nobody needs them.
  for (Config without : {missing, wrong}) {
    without.SetCoracleEngines("nobody?");
    EXPECT_HAS(told(without), "no engine runs a part of ");
  }
}

TEST_F(PaddleEngines, OperatorsThatRunAloneRunNatively) {
  Config plain = enabled(model_.config(), 1);
  plain.SwitchIrOptim(false);
  EXPECT_EQ(told(plain), "");
  Config collecting = enabled(model_.config(), 1);
  collecting.CollectShapeRangeInfo(model_.path("shapes.txt"));
  EXPECT_EQ(told(collecting), "");
}

TEST_F(PaddleEngines, TheCInterfaceDoesTheSame) {
  PD_Config* config = PD_ConfigCreate();
  PD_ConfigSetModel(config, model_.program.c_str(), model_.params.c_str());
  PD_ConfigEnableTensorRtEngine(config, 1 << 30, 1, 1, PD_PRECISION_FLOAT32, FALSE, FALSE);
  EXPECT_EQ(PD_ConfigTensorRtEngineEnabled(config), TRUE);
  const char* disabled[] = {"relu"};
  PD_ConfigDisableTensorRtOPs(config, 1, disabled);
  messages_.clear();
  PD_Predictor* predictor = PD_PredictorCreate(config);
  ASSERT_NE(predictor, nullptr) << coracle_last_error();
  std::string all;
  for (const std::string& message : messages_) all += message + "\n";
  EXPECT_HAS(all, "the engine 'tensorrt' runs 2 of 3 nodes");
  PD_PredictorDestroy(predictor);
  PD_ConfigDestroy(config);
}

}  // namespace
}  // namespace coracle::internal::test
