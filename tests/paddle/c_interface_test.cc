// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <functional>

#include "coracle/coracle.h"
#include "paddle/paddle_models.h"
#include "paddle/pd_inference_api.h"
#include "paddle_c/guard.h"

namespace coracle::internal::test {
namespace {

using Floats = std::vector<float>;

TEST(PaddleC, EnumsHavePaddlesNumbers) {
  EXPECT_EQ(PD_DATA_UNK, -1);
  EXPECT_EQ(PD_DATA_FLOAT32, 0);
  EXPECT_EQ(PD_DATA_INT32, 1);
  EXPECT_EQ(PD_DATA_INT64, 2);
  EXPECT_EQ(PD_DATA_UINT8, 3);
  EXPECT_EQ(PD_DATA_INT8, 4);
  EXPECT_EQ(PD_PRECISION_FLOAT32, 0);
  EXPECT_EQ(PD_PRECISION_INT8, 1);
  EXPECT_EQ(PD_PRECISION_HALF, 2);
  EXPECT_EQ(PD_PLACE_UNK, -1);
  EXPECT_EQ(PD_PLACE_CPU, 0);
  EXPECT_EQ(PD_PLACE_GPU, 1);
  EXPECT_EQ(PD_PLACE_XPU, 2);
  EXPECT_EQ(PD_PLACE_CUSTOM, 3);
  EXPECT_EQ(sizeof(PD_DataType), 4U);
  EXPECT_EQ(sizeof(PD_Bool), 1U);
  EXPECT_EQ(TRUE, 1);
  EXPECT_EQ(FALSE, 0);
  static_assert(paddle_infer::INT64 == 1 && paddle_infer::INT32 == 2, "the C++ interface has them the other way round");
}

TEST(PaddleC, TextsOfTheLanguageAreNotRepeated) {
  const auto reason = [](const std::function<void()>& f) {
    paddle_c::guard("PD_Call", f);
    return std::string(coracle_last_error());
  };
  EXPECT_EQ(reason([] { static_cast<void>(std::vector<int>(3).at(7)); }),
            "PD_Call: a check within the library failed: this is a fault of it, not of its use");
  EXPECT_EQ(reason([] { throw std::system_error(std::make_error_code(std::errc::io_error), "what"); }),
            "PD_Call: the system refused a call");
  EXPECT_EQ(reason([] { throw std::bad_alloc(); }), "PD_Call: out of memory");
  EXPECT_EQ(reason([] { throw std::runtime_error("my archive is locked"); }), "PD_Call: my archive is locked");
}

class PaddleCRun : public testing::Test {
 protected:
  ~PaddleCRun() override {
    for (PD_Tensor* t : tensors_) PD_TensorDestroy(t);
    PD_PredictorDestroy(predictor_);
    PD_ConfigDestroy(config_);
  }
  void load(const ModelBytes& bytes) {
    PD_ConfigSetModelBuffer(config_, bytes.program.data(), bytes.program.size(), bytes.params.data(),
                            bytes.params.size());
    predictor_ = PD_PredictorCreate(config_);
    ASSERT_NE(predictor_, nullptr) << coracle_last_error();
  }
  PD_Tensor* input(const char* name) { return kept(PD_PredictorGetInputHandle(predictor_, name)); }
  PD_Tensor* output(const char* name) { return kept(PD_PredictorGetOutputHandle(predictor_, name)); }
  PD_Tensor* kept(PD_Tensor* t) {
    EXPECT_NE(t, nullptr) << coracle_last_error();
    tensors_.push_back(t);
    return t;
  }
  static void expect_reason(const std::string& part) {
    EXPECT_NE(std::string(coracle_last_error()).find(part), std::string::npos)
        << "no '" << part << "' in: " << coracle_last_error();
    coracle_set_last_error("");
  }

  PD_Config* config_ = PD_ConfigCreate();
  PD_Predictor* predictor_ = nullptr;
  std::vector<PD_Tensor*> tensors_;
};

TEST_F(PaddleCRun, AConfigIsUsedUpAndMayBeDestroyedAfterwards) {
  load(product_model());
  EXPECT_EQ(PD_ConfigIsValid(config_), FALSE);
  EXPECT_EQ(PD_PredictorCreate(config_), nullptr);
  expect_reason("PD_PredictorCreate: the Config made a predictor already");
  PD_ConfigDestroy(config_);
  config_ = nullptr;
  int32_t dims[] = {1, 2};
  const float x[] = {1, 2};
  PD_TensorReshape(input("x"), 2, dims);
  PD_TensorCopyFromCpuFloat(input("x"), x);
  EXPECT_EQ(PD_PredictorRun(predictor_), TRUE);
}

TEST_F(PaddleCRun, InfosNameShapesAndTypes) {
  load(reader_model());
  PD_IOInfos* infos = PD_PredictorGetInputInfos(predictor_);
  ASSERT_EQ(infos->size, 2U);
  EXPECT_STREQ(infos->io_info[0]->name->data, "words");
  EXPECT_EQ(infos->io_info[0]->name->size, 6U);
  EXPECT_EQ(infos->io_info[1]->dtype, PD_DATA_INT64);
  ASSERT_EQ(infos->io_info[1]->shape->size, 2U);
  EXPECT_EQ(infos->io_info[1]->shape->data[1], -1);
  PD_IOInfosDestroy(infos);
  infos = PD_PredictorGetOutputInfos(predictor_);
  ASSERT_EQ(infos->size, 1U);
  EXPECT_STREQ(infos->io_info[0]->name->data, "scores");
  PD_IOInfosDestroy(infos);
}

TEST_F(PaddleCRun, OffsetsGoRound) {
  load(small_model("sequences"));
  PD_Tensor* in = input("words");
  int32_t dims[] = {5, 1};
  const int64_t words[] = {0, 2, 4, 6, 8};
  size_t offsets[] = {0, 3, 5};
  PD_OneDimArraySize level = {3, offsets};
  PD_OneDimArraySize* levels[] = {&level};
  PD_TwoDimArraySize lod = {1, levels};
  PD_TensorReshape(in, 2, dims);
  PD_TensorCopyFromCpuInt64(in, words);
  PD_TensorSetLod(in, &lod);
  ASSERT_EQ(PD_PredictorRun(predictor_), TRUE) << coracle_last_error();
  for (PD_Tensor* t : {in, output("y")}) {
    PD_TwoDimArraySize* got = PD_TensorGetLod(t);
    ASSERT_EQ(got->size, 1U);
    ASSERT_EQ(got->data[0]->size, 3U);
    EXPECT_EQ(got->data[0]->data[1], 3U);
    PD_TwoDimArraySizeDestroy(got);
  }
}

TEST_F(PaddleCRun, GivesWhatTheCppInterfaceGives) {
  const ModelBytes bytes = small_model("convolution");
  const ModelOnDisk model(bytes);
  const auto predictor = model.predictor();
  load(bytes);
  const Floats x(3 * 9 * 8, 0.75F);
  fill<float>(*predictor, "x", {1, 3, 9, 8}, x);
  predictor->Run();
  const Floats expected = result<float>(*predictor, "y");
  int32_t dims[] = {1, 3, 9, 8};
  PD_TensorReshape(input("x"), 4, dims);
  std::memcpy(PD_TensorMutableDataFloat(input("x"), PD_PLACE_CPU), x.data(), x.size() * sizeof(float));
  PD_Predictor* clone = PD_PredictorClone(predictor_);
  EXPECT_EQ(PD_PredictorRun(clone), FALSE);
  PD_PredictorDestroy(clone);
  ASSERT_EQ(PD_PredictorRun(predictor_), TRUE);
  int32_t size = 0;
  const float* y = PD_TensorDataFloat(output("y"), nullptr, &size);
  EXPECT_EQ(Floats(y, y + size), expected);
}

TEST_F(PaddleCRun, AnOutputHasNoElementsBeforeTheFirstRun) {
  load(product_model());
  PD_OneDimArrayInt32* shape = PD_TensorGetShape(output("product"));
  ASSERT_NE(shape, nullptr);
  ASSERT_EQ(shape->size, 1U);
  EXPECT_EQ(shape->data[0], 0);
  PD_OneDimArrayInt32Destroy(shape);
}

TEST_F(PaddleCRun, FailuresKeepTheirReasonAndChangeNothing) {
  load(product_model());
  EXPECT_EQ(PD_PredictorGetInputHandle(predictor_, "y"), nullptr);
  expect_reason("PD_PredictorGetInputHandle: the model has no input 'y', its inputs are ['x']");
  EXPECT_EQ(PD_PredictorGetOutputHandle(predictor_, nullptr), nullptr);
  expect_reason("argument 'name' is null");
  EXPECT_EQ(PD_PredictorRun(predictor_), FALSE);
  expect_reason("PD_PredictorRun: input 'x' was not set");
  PD_Tensor* in = input("x");
  PD_Tensor* out = output("product");
  int32_t dims[] = {1, 2};
  PD_TensorReshape(out, 2, dims);
  expect_reason("'product' is an output");
  PD_TensorReshape(in, 2, nullptr);
  expect_reason("argument 'shape' is null");
  dims[0] = -1;
  PD_TensorReshape(in, 2, dims);
  expect_reason("dimension 0 is -1, expected 0 or more");
  dims[0] = 1;
  PD_TensorReshape(in, 2, dims);
  PD_TensorCopyFromCpuFloat(in, nullptr);
  expect_reason("null pointer");
  const int32_t whole[] = {1, 2};
  PD_TensorCopyFromCpuInt32(in, whole);
  expect_reason("takes elements of type float32, given int32");
  EXPECT_EQ(PD_TensorMutableDataFloat(in, PD_PLACE_GPU), nullptr);
  expect_reason("lies on the CPU");
  PD_TensorSetLod(in, nullptr);
  expect_reason("argument 'lod' is null");
  PD_TwoDimArraySize lod = {1, nullptr};
  PD_TensorSetLod(in, &lod);
  expect_reason("argument 'lod->data' is null");
  const float x[] = {1, 2};
  PD_TensorCopyFromCpuFloat(in, x);
  ASSERT_EQ(PD_PredictorRun(predictor_), TRUE) << coracle_last_error();
  EXPECT_EQ(PD_TensorDataInt64(out, nullptr, nullptr), nullptr);
  expect_reason("asked for int64");
  PD_TensorCopyToCpuFloat(out, nullptr);
  expect_reason("null pointer");
  float y[2];
  PD_TensorCopyToCpuFloat(out, y);
  EXPECT_EQ(y[1], 10.F);
}

TEST_F(PaddleCRun, NullHandlesAreRefused) {
  EXPECT_EQ(PD_PredictorCreate(nullptr), nullptr);
  expect_reason("argument 'pd_config' is null");
  EXPECT_EQ(PD_PredictorRun(nullptr), FALSE);
  expect_reason("argument 'pd_predictor' is null");
  EXPECT_EQ(PD_PredictorGetInputNum(nullptr), 0U);
  EXPECT_EQ(PD_PredictorGetInputNames(nullptr), nullptr);
  EXPECT_EQ(PD_PredictorGetInputInfos(nullptr), nullptr);
  EXPECT_EQ(PD_PredictorClone(nullptr), nullptr);
  EXPECT_EQ(PD_PredictorTryShrinkMemory(nullptr), 0U);
  EXPECT_EQ(PD_TensorGetName(nullptr), nullptr);
  expect_reason("argument 'pd_tensor' is null");
  EXPECT_EQ(PD_TensorGetDataType(nullptr), PD_DATA_UNK);
  EXPECT_EQ(PD_ConfigIrOptim(nullptr), FALSE);
  PD_ConfigSetModel(nullptr, "a", "b");
  expect_reason("argument 'pd_config' is null");
  PD_ConfigSetModel(config_, "a", nullptr);
  expect_reason("argument 'params_file_path' is null");
  PD_ConfigSetModelDir(config_, nullptr);
  expect_reason("argument 'model_dir' is null");
  PD_ConfigSetExecStream(config_, nullptr);
  expect_reason("null pointer");
  PD_ConfigSetMkldnnOp(config_, 2, nullptr);
  expect_reason("argument 'op_list' is null");
  PD_ConfigEnableUseGpu(config_, 100, 0, 17);
  expect_reason("there is no PD_PrecisionType 17");
  PD_ConfigDestroy(nullptr);
  PD_PredictorDestroy(nullptr);
  PD_TensorDestroy(nullptr);
  PD_OneDimArrayInt32Destroy(nullptr);
  PD_OneDimArrayInt64Destroy(nullptr);
  PD_OneDimArrayCstrDestroy(nullptr);
  PD_OneDimArraySizeDestroy(nullptr);
  PD_TwoDimArraySizeDestroy(nullptr);
  PD_CstrDestroy(nullptr);
  PD_IOInfoDestroy(nullptr);
  PD_IOInfosDestroy(nullptr);
}

TEST_F(PaddleCRun, ModelsThatAreNotThereAreNoPredictors) {
  PD_ConfigSetModel(config_, "no/program", "no/params");
  EXPECT_EQ(PD_PredictorCreate(config_), nullptr);
  expect_reason("no/program");
  EXPECT_EQ(PD_ConfigIsValid(config_), TRUE);
  PD_ConfigAppendPass(config_, "my_pass");
  EXPECT_EQ(PD_PredictorCreate(config_), nullptr);
  expect_reason("not a pass of Paddle");
}

TEST_F(PaddleCRun, PassesCanBeListedAndDeleted) {
  PD_OneDimArrayCstr* passes = PD_ConfigAllPasses(config_);
  const size_t before = passes->size;
  PD_OneDimArrayCstrDestroy(passes);
  PD_ConfigDeletePass(config_, "fc_fuse_pass");
  passes = PD_ConfigAllPasses(config_);
  EXPECT_EQ(passes->size, before - 1);
  PD_OneDimArrayCstrDestroy(passes);
  PD_Cstr* summary = PD_ConfigSummary(config_);
  EXPECT_NE(std::string(summary->data).find("fuse_linear"), std::string::npos);
  PD_CstrDestroy(summary);
}

}  // namespace
}  // namespace coracle::internal::test
