/* SPDX-License-Identifier: Apache-2.0 */
/* Uses every function of Paddle's C interface of before 2.0, as programs of that time do. Run on a model with an input
 * x
 * [?, 2] and outputs "twice" and "product", of 1 2 / 3 4. every_fluid_function PROGRAM PARAMS */
#include <stdlib.h>
#include <string.h>

#include "paddle_c_api.h"

#define EXPECT(condition)                                                                   \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "every_fluid_function: line %d: not so: %s\n", __LINE__, #condition); \
      exit(1);                                                                              \
    }                                                                                       \
  } while (0)

static char x_name[] = "x";

static void switches(PD_AnalysisConfig* config) {
  PD_EnableUseGpu(config, 100, 1);
  EXPECT(!PD_UseGpu(config) && PD_GpuDeviceId(config) == 1 && PD_MemoryPoolInitSizeMb(config) == 100);
  EXPECT(PD_FractionOfGpuMemoryForPool(config) == 0);
  PD_DisableGpu(config);
  PD_EnableXpu(config, 1024);
  EXPECT(!PD_UseXpu(config) && PD_XpuDeviceId(config) == 0);
  PD_EnableCUDNN(config);
  EXPECT(!PD_CudnnEnabled(config));
  PD_SwitchIrOptim(config, false);
  EXPECT(!PD_IrOptim(config));
  PD_SwitchIrOptim(config, true);
  PD_SwitchUseFeedFetchOps(config, false);
  EXPECT(!PD_UseFeedFetchOpsEnabled(config));
  PD_SwitchSpecifyInputNames(config, true);
  EXPECT(PD_SpecifyInputName(config));
  PD_EnableTensorRtEngine(config, 1 << 20, 1, 3, kFloat32, false, false);
  EXPECT(!PD_TensorrtEngineEnabled(config));
  PD_SwitchIrDebug(config, false);
  PD_EnableMKLDNN(config);
  PD_EnableONEDNN(config);
  PD_SetMkldnnCacheCapacity(config, 10);
  EXPECT(PD_MkldnnEnabled(config));
  PD_SetCpuMathLibraryNumThreads(config, 2);
  EXPECT(PD_CpuMathLibraryNumThreads(config) == 2);
  PD_EnableMkldnnQuantizer(config);
  EXPECT(PD_MkldnnQuantizerEnabled(config));
  EXPECT(!PD_MkldnnBfloat16Enabled(config));
  PD_EnableMemoryOptim(config);
  EXPECT(PD_MemoryOptimEnabled(config));
  PD_EnableProfile(config);
  EXPECT(PD_ProfileEnabled(config));
  PD_DisableGlogInfo(config);
  PD_SetOptimCacheDir(config, ".");
  PD_DeletePass(config, x_name);
  EXPECT(PD_IsValid(config) && !PD_ModelFromMemory(config));
}

static void other_configs(void) {
  PD_AnalysisConfig* config = PD_NewAnalysisConfig();
  PD_SetModel(config, "folder", NULL);
  EXPECT(strcmp(PD_ModelDir(config), "folder") == 0);
  PD_SetProgFile(config, "program");
  PD_SetParamsFile(config, "params");
  EXPECT(strcmp(PD_ProgFile(config), "program") == 0 && strcmp(PD_ParamsFile(config), "params") == 0);
  EXPECT(PD_NewPredictor(config) == NULL); /* there is no such model */
  PD_EnableMkldnnBfloat16(config);
  PD_SetModelBuffer(config, "a", 1, "b", 1);
  EXPECT(PD_ModelFromMemory(config));
  PD_SetInValid(config);
  EXPECT(!PD_IsValid(config));
  PD_DeleteAnalysisConfig(config);
  PD_DeleteAnalysisConfig(NULL);
  EXPECT(!PD_IrOptim(NULL)); /* and is told, not a crash */
}

static void run_with_tensors(const PD_AnalysisConfig* config, float* values) {
  int shape[2] = {2, 2};
  int rank = 0;
  int count = 0;
  const int* result_shape;
  PD_Tensor* input = PD_NewPaddleTensor();
  PD_Tensor* output = NULL;
  PD_PaddleBuf* buffer = PD_NewPaddleBuf();
  PD_PaddleBuf* result;
  EXPECT(PD_PaddleBufEmpty(buffer));
  PD_PaddleBufReset(buffer, values, 4 * sizeof(float));
  EXPECT(PD_PaddleBufLength(buffer) == 16 && PD_PaddleBufData(buffer) == values);
  PD_SetPaddleTensorName(input, x_name);
  PD_SetPaddleTensorDType(input, PD_FLOAT32);
  PD_SetPaddleTensorShape(input, shape, 2);
  PD_SetPaddleTensorData(input, buffer);
  EXPECT(PD_PredictorRun(config, input, 1, &output, &count, 2));
  PD_DeletePaddleTensor(output);
  EXPECT(PD_PredictorRun(config, input, 1, &output, &count, 2) && count == 2);
  EXPECT(strcmp(PD_GetPaddleTensorName(output), "twice") == 0 && PD_GetPaddleTensorDType(output) == PD_FLOAT32);
  result_shape = PD_GetPaddleTensorShape(output, &rank);
  EXPECT(rank == 2 && result_shape[0] == 2 && result_shape[1] == 2);
  result = PD_GetPaddleTensorData(output);
  EXPECT(PD_PaddleBufLength(result) == 16 && ((float*)PD_PaddleBufData(result))[3] == 2 * values[3]);
  PD_PaddleBufResize(result, 64);
  EXPECT(PD_PaddleBufLength(result) == 64);
  PD_DeletePaddleBuf(result);
  PD_DeletePaddleTensor(output);
  EXPECT(!PD_PredictorRun(config, input, 0, &output, &count, 2));
  PD_DeletePaddleBuf(buffer);
  PD_DeletePaddleTensor(input);
}

static void run_with_data(const PD_AnalysisConfig* config, float* values) {
  int shape[2] = {2, 2};
  int count = 0;
  int i;
  PD_ZeroCopyData input;
  PD_ZeroCopyData* outputs = NULL;
  input.name = x_name;
  input.data = values;
  input.dtype = PD_FLOAT32;
  input.shape = shape;
  input.shape_size = 2;
  EXPECT(PD_PredictorZeroCopyRun(config, &input, 1, &outputs, &count) && count == 2);
  EXPECT(strcmp(outputs[1].name, "product") == 0 && outputs[1].shape_size == 2 && outputs[1].dtype == PD_FLOAT32);
  EXPECT(((float*)outputs[1].data)[0] == 7 && ((float*)outputs[1].data)[3] == 22);
  for (i = 0; i < count; ++i) {
    free(outputs[i].name);
    free(outputs[i].data);
    free(outputs[i].shape);
  }
  free(outputs);
  input.dtype = PD_UNKDTYPE;
  EXPECT(!PD_PredictorZeroCopyRun(config, &input, 1, &outputs, &count));
}

static void run_predictor(const PD_AnalysisConfig* config, float* values) {
  int shape[2] = {2, 2};
  char output_name[] = "product";
  PD_ZeroCopyTensor input;
  PD_ZeroCopyTensor* output = PD_NewZeroCopyTensor();
  PD_Predictor* predictor = PD_NewPredictor(config);
  PD_Predictor* clone;
  EXPECT(predictor != NULL && PD_GetInputNum(predictor) == 1 && PD_GetOutputNum(predictor) == 2);
  EXPECT(strcmp(PD_GetInputName(predictor, 0), "x") == 0 && strcmp(PD_GetOutputName(predictor, 1), output_name) == 0);
  EXPECT(PD_GetInputName(predictor, 1) == NULL && PD_GetOutputName(predictor, -1) == NULL);
  PD_InitZeroCopyTensor(&input);
  input.name = x_name;
  input.dtype = PD_FLOAT32;
  input.data.data = values;
  input.data.length = input.data.capacity = 4 * sizeof(float);
  input.shape.data = shape;
  input.shape.length = input.shape.capacity = sizeof(shape);
  clone = PD_ClonePredictor(predictor);
  PD_SetZeroCopyInput(clone, &input);
  PD_ZeroCopyRun(clone);
  output->name = output_name;
  PD_GetZeroCopyOutput(clone, output);
  EXPECT(output->dtype == PD_FLOAT32 && output->data.length == 16 && output->shape.length == sizeof(shape));
  EXPECT(((int*)output->shape.data)[0] == 2 && ((float*)output->data.data)[3] == 22 && output->lod.length == 0);
  shape[0] = 1;
  input.data.length = 2 * sizeof(float);
  PD_SetZeroCopyInput(clone, &input);
  PD_ZeroCopyRun(clone);
  PD_GetZeroCopyOutput(clone, output);
  EXPECT(output->data.length == 8 && output->data.capacity == 16 && ((float*)output->data.data)[1] == 10);
  PD_DestroyZeroCopyTensor(output);
  EXPECT(output->data.data == NULL && output->data.capacity == 0);
  PD_DeleteZeroCopyTensor(output);
  PD_DeletePredictor(clone);
  PD_DeletePredictor(predictor);
}

int main(int argc, char* argv[]) {
  float values[4] = {1, 2, 3, 4};
  PD_AnalysisConfig* config = PD_NewAnalysisConfig();
  if (argc < 3) return 2;
  PD_SetModel(config, argv[1], argv[2]);
  switches(config);
  other_configs();
  run_with_tensors(config, values);
  run_with_data(config, values);
  PD_DeleteAnalysisConfig(config);
  config = PD_NewAnalysisConfig();
  PD_SetModel(config, argv[1], argv[2]);
  run_predictor(config, values);
  PD_DeleteAnalysisConfig(config);
  return 0;
}
