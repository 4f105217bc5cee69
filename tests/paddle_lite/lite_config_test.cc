// SPDX-License-Identifier: Apache-2.0
// Configs keep what they are given, and tell what has no effect; places and their names.
#include <sched.h>

#include <algorithm>
#include <thread>

#include "paddle_lite/lite_models.h"

namespace coracle::internal::test {
namespace {

using lite::Place;

bool has_recorded(const lite::ConfigBase& config, const std::string& call) {
  const auto& calls = config.recorded_calls();
  return std::any_of(calls.begin(), calls.end(), [&](const auto& c) { return c.first == call && !c.second.empty(); });
}

TEST(PaddleLiteConfig, KeepsWhatItIsGiven) {
  lite::MobileConfig config(lite::LITE_POWER_LOW, 3);
  EXPECT_EQ(config.threads(), 3);
  EXPECT_EQ(config.power_mode(), lite::LITE_POWER_LOW);
  config.set_threads(2);
  config.set_power_mode(lite::PowerMode::LITE_POWER_FULL);
  config.set_model_dir("folder");
  config.set_model_from_file("file");
  EXPECT_EQ(config.threads(), 2);
  EXPECT_EQ(config.x86_math_num_threads(), 1);
  EXPECT_EQ(config.power_mode(), lite::LITE_POWER_FULL);
  EXPECT_EQ(config.model_dir(), "folder");
  EXPECT_EQ(config.lite_model_file(), "file");
  EXPECT_FALSE(config.is_model_from_memory());
  config.set_precision_mode(lite::LITE_PRECISION_LOW);
  EXPECT_EQ(config.precision_mode(), lite::LITE_PRECISION_LOW);
  EXPECT_FALSE(config.check_fp16_valid());
  EXPECT_FALSE(has_recorded(config, "set_power_mode")) << "it has an effect";
  EXPECT_TRUE(has_recorded(config, "set_precision_mode"));
  lite::CxxConfig cxx;
  cxx.set_valid_places({Place{TARGET(kARM), PRECISION(kFloat)}, Place{TARGET(kHost)}});
  cxx.set_passes_internal({"a_pass"});
  cxx.set_quant_model(true);
  EXPECT_EQ(cxx.valid_places().size(), 2U);
  EXPECT_EQ(cxx.get_passes_internal(), std::vector<std::string>{"a_pass"});
  EXPECT_TRUE(cxx.quant_model());
  for (const char* call : {"set_valid_places", "set_passes_internal", "set_quant_model"}) {
    EXPECT_TRUE(has_recorded(cxx, call)) << call;
  }
  EXPECT_TRUE(lite::CxxConfig().recorded_calls().empty()) << "what says the usual is not told";
}

TEST(PaddleLiteConfig, OneConfigMakesManyPredictorsAndMayChangeBetween) {
  const ModelOnDisk model(product_model());
  lite::CxxConfig config = cxx_config(model);
  const LitePredictor first = lite::CreatePaddlePredictor(config);
  config.set_threads(2);
  const LitePredictor second = lite::CreatePaddlePredictor(config);
  EXPECT_EQ(product_of(*first, {1, 2}), product_of(*second, {1, 2}));
}

int allowed_processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
}

TEST(PaddleLiteConfig, PowerModesChooseTheProcessorsOfWhoRuns) {
  const ModelOnDisk model(product_model());
  const int all = allowed_processors();
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    const auto run_with = [&](lite::PowerMode mode) {
      lite::CxxConfig config = cxx_config(model);
      config.set_power_mode(mode);
      EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(config), {1, 2}), (std::vector<float>{7, 10}));
      return allowed_processors();
    };
    EXPECT_EQ(run_with(lite::LITE_POWER_NO_BIND), 1);
    EXPECT_EQ(run_with(lite::LITE_POWER_FULL), all);
    const int fast = run_with(lite::LITE_POWER_HIGH);
    EXPECT_EQ(run_with(lite::LITE_POWER_RAND_HIGH), fast);
    const int slow = run_with(lite::LITE_POWER_LOW);
    EXPECT_EQ(run_with(lite::LITE_POWER_RAND_LOW), slow);
    EXPECT_EQ(fast + slow, fast == all ? 2 * all : all) << "processors that are alike are both";
  }).join();
}

TEST(PaddleLiteConfig, TheLastModelCounts) {
  const ModelOnDisk model(product_model());
  lite::MobileConfig config;
  config.set_model_buffer("program", 7, "params", 6);
  EXPECT_EQ(config.param_buffer(), "params");
  config.set_model_from_file(model.program);
  EXPECT_FALSE(config.is_model_from_memory());
  EXPECT_TRUE(config.param_buffer().empty() && config.model_buffer().empty());
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(config), {1, 2}), (std::vector<float>{7, 10}));
}

TEST(PaddleLiteConfig, ADeviceIsAnAddition) {
  const ModelOnDisk model(product_model());
  lite::CxxConfig config = cxx_config(model);
  config.set_coracle_device("abacus");
  expect_refused([&] { lite::CreatePaddlePredictor(config); }, "abacus");
  config.set_coracle_device("cpu");
  EXPECT_EQ(config.coracle_device(), "cpu");
  EXPECT_EQ(product_of(*lite::CreatePaddlePredictor(config), {1, 2}), (std::vector<float>{7, 10}));
}

TEST(PaddleLitePlace, IsComparedAndWritten) {
  const Place none;
  EXPECT_FALSE(none.is_valid());
  const Place arm{TARGET(kARM)};
  EXPECT_TRUE(arm.is_valid());
  EXPECT_EQ(arm.precision, PRECISION(kFloat));
  EXPECT_EQ(arm.layout, DATALAYOUT(kNCHW));
  EXPECT_EQ(arm.DebugString(), "arm/float/NCHW");
  EXPECT_EQ(arm.Serialize(), "4/1/1");
  Place read;
  read.Deserialize("4/1/1");
  EXPECT_TRUE(read == arm);
  EXPECT_EQ(read.hash(), arm.hash());
  const Place second{TARGET(kARM), PRECISION(kFloat), DATALAYOUT(kNCHW), 1};
  EXPECT_TRUE(second != arm && arm < second && !(second < arm));
  EXPECT_NE(second.hash(), arm.hash());
  for (const char* text : {"", "4/1", "4/1/1/1", "4,1,1", "a/b/c"}) {
    expect_refused([&] { read.Deserialize(text); }, "takes three numbers");
  }
}

TEST(PaddleLitePlace, EnumerationsHaveNames) {
  EXPECT_EQ(lite::TargetToStr(TARGET(kNNAdapter)), "nnadapter");
  EXPECT_EQ(lite::TargetRepr(TARGET(kX86)), "kX86");
  EXPECT_EQ(lite::PrecisionToStr(PRECISION(kFP64)), "double");
  EXPECT_EQ(lite::PrecisionRepr(PRECISION(kUInt8)), "kUInt8");
  EXPECT_EQ(lite::DataLayoutToStr(DATALAYOUT(kNHWC)), "NHWC");
  EXPECT_EQ(lite::DataLayoutRepr(DATALAYOUT(kMetalTexture2D)), "kMetalTexture2D");
  EXPECT_EQ(lite::ActivationTypeToStr(lite::ActivationType::kLog1p), "Log1p");
  EXPECT_EQ(lite::ActivationTypeToStr(lite::ActivationType::kHardSigmoid), "HardSigmoid");
  EXPECT_EQ(lite::CLTuneModeToStr(lite::CL_TUNE_EXHAUSTIVE), "CL_TUNE_EXHAUSTIVE");
  EXPECT_EQ(lite::CLPrecisionTypeToStr(lite::CL_PRECISION_FP16), "CL_PRECISION_FP16");
  expect_refused([] { lite::TargetToStr(TARGET(NUM)); }, "TargetType has the numbers 0 to 18, given 19");
  EXPECT_EQ(lite::ExpandValidTargets().size(), 17U);
  EXPECT_EQ(lite::ExpandValidTargets().count(TARGET(kAny)), 0U);
  EXPECT_EQ(lite::ExpandValidTargets(TARGET(kARM)).size(), 1U);
  EXPECT_EQ(lite::ExpandValidPrecisions().size(), 4U);
  EXPECT_EQ(lite::ExpandValidLayouts().size(), 8U);
  EXPECT_EQ(lite::PrecisionTypeLength(PRECISION(kInt64)), 8U);
  EXPECT_EQ(lite::PrecisionTypeLength(PRECISION(kFP16)), 2U);
  EXPECT_EQ(lite::PrecisionTypeLength(PRECISION(kAny)), 0U);
  EXPECT_EQ(lite::PrecisionTypeTrait<int64_t>::Type(), PRECISION(kInt64));
  EXPECT_EQ(lite::PrecisionTypeTrait<char*>::Type(), PRECISION(kUnk));
}

}  // namespace
}  // namespace coracle::internal::test
