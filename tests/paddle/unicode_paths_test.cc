// SPDX-License-Identifier: Apache-2.0
// Paths that are not ASCII, through Paddle's headers and coracle.hpp: UTF-8 on every system.
#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/system/native_path.h"
#include "coracle/coracle.hpp"
#include "paddle/paddle_inference_api.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

using paddle_infer::Config;

class UnicodePaths : public testing::Test {
 protected:
  UnicodePaths() : folder(temporary_.path("Модель 模型 \U0001F600 é")) {
    std::filesystem::create_directory(native_path(folder));
    const ModelBytes model = product_model();
    coracle::write_file(folder + "/модель.pdmodel", model.program);
    coracle::write_file(folder + "/модель.pdiparams", model.params);
  }
  bool has(const std::string& name) const { return std::filesystem::exists(native_path(folder + "/" + name)); }
  static std::vector<float> product_of(const Config& config) {
    const std::shared_ptr<paddle_infer::Predictor> predictor = paddle_infer::CreatePredictor(config);
    std::vector<float> values = {1, 1};
    const auto input = predictor->GetInputHandle("x");
    input->Reshape({1, 2});
    input->CopyFromCpu(values.data());
    EXPECT_TRUE(predictor->Run());
    predictor->GetOutputHandle(predictor->GetOutputNames()[1])->CopyToCpu(values.data());
    return values;
  }

 private:
  TemporaryFolder temporary_;

 protected:
  const std::string folder;
  const std::vector<float> expected = {4, 6};
};

TEST_F(UnicodePaths, ConfigsFindModels) {
  EXPECT_EQ(product_of(Config(folder + "/модель.pdmodel", folder + "/модель.pdiparams")), expected);
  EXPECT_EQ(product_of(Config(folder, "модель")), expected);
  EXPECT_THROW(Config(folder + "/нет.pdmodel", folder + "/модель.pdiparams"), std::exception);
}

TEST_F(UnicodePaths, ConfigsWriteBesideThem) {
  Config saving(folder + "/модель.pdmodel", folder + "/модель.pdiparams");
  saving.EnableSaveOptimModel(true);
  EXPECT_EQ(product_of(saving), expected);
  EXPECT_TRUE(has("_optimized.pdmodel"));
  Config collecting(folder + "/модель.pdmodel", folder + "/модель.pdiparams");
  collecting.CollectShapeRangeInfo(folder + "/формы.pbtxt");
  EXPECT_EQ(product_of(collecting), expected);
  EXPECT_TRUE(has("формы.pbtxt"));
  Config used(folder + "/модель.pdmodel", folder + "/модель.pdiparams");
  used.UseOptimizedModel();
  EXPECT_EQ(product_of(used), expected);
  Config cached(folder + "/модель.pdmodel", folder + "/модель.pdiparams");
  cached.SetOptimCacheDir(folder + "/кэш");
  cached.EnableSaveOptimModel(true);
  EXPECT_EQ(product_of(cached), expected);
  EXPECT_TRUE(has("кэш/_optimized.pdmodel"));
}

TEST_F(UnicodePaths, ModelsOfCoracle) {
  const coracle::Model model(folder + "/модель.pdmodel");
  model.save(folder + "/сохранено.coracle");
  EXPECT_TRUE(has("сохранено.coracle"));
  EXPECT_EQ(coracle::Model(folder + "/сохранено.coracle").inputs().size(), 1U);
  EXPECT_NE(coracle::inspect(folder + "/модель.pdmodel").find("ProgramDesc"), std::string::npos);
  try {
    const coracle::Model missing(folder + "/нет");
    FAIL();
  } catch (const coracle::Exception& e) {
    EXPECT_EQ(e.status(), CORACLE_IO);
    EXPECT_NE(std::string(e.what()).find("нет"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace coracle::internal::test
