/* SPDX-License-Identifier: Apache-2.0 */
/* Uses every function of Paddle's C interface once: that it compiles and links is the test. Also run, on a model with
 * an input x [?, 2] and outputs "twice" and "product". every_function PROGRAM PARAMS */
#include <stdlib.h>
#include <string.h>

#include "pd_inference_api.h"

#define EXPECT(condition)                                                             \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "every_function: line %d: not so: %s\n", __LINE__, #condition); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

static char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  char* bytes;
  EXPECT(file != NULL);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  bytes = malloc(*size + 1);
  EXPECT(bytes != NULL && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

static void location(PD_Config* config, const char* program, const char* params) {
  size_t program_size;
  size_t params_size;
  char* program_bytes = read_file(program, &program_size);
  char* params_bytes = read_file(params, &params_size);
  PD_ConfigSetModelDir(config, "somewhere");
  EXPECT(strcmp(PD_ConfigGetModelDir(config), "somewhere") == 0);
  PD_ConfigSetModelDir(config, "");
  PD_ConfigSetModelBuffer(config, program_bytes, program_size, params_bytes, params_size);
  EXPECT(PD_ConfigModelFromMemory(config) == TRUE);
  free(program_bytes);
  free(params_bytes);
  PD_ConfigSetModel(config, program, params);
  EXPECT(PD_ConfigModelFromMemory(config) == FALSE);
  PD_ConfigSetProgFile(config, program);
  PD_ConfigSetParamsFile(config, params);
  EXPECT(strcmp(PD_ConfigGetProgFile(config), program) == 0 && strcmp(PD_ConfigGetParamsFile(config), params) == 0);
  PD_ConfigSetOptimCacheDir(config, "");
  PD_ConfigUseOptimizedModel(config, FALSE);
  PD_ConfigPartiallyRelease(config);
}

static void devices(PD_Config* config) {
  int stream = 0;
  const char* names[] = {"conv2d", "pool2d"};
  char type[] = "npu";
  PD_ConfigEnableUseGpu(config, 100, 0, PD_PRECISION_FLOAT32);
  EXPECT(PD_ConfigUseGpu(config) == FALSE && PD_ConfigGpuDeviceId(config) == 0);
  EXPECT(PD_ConfigMemoryPoolInitSizeMb(config) == 100 && PD_ConfigFractionOfGpuMemoryForPool(config) >= 0.F);
  PD_ConfigDisableGpu(config);
  PD_ConfigEnableCudnn(config);
  EXPECT(PD_ConfigCudnnEnabled(config) == FALSE);
  PD_ConfigEnableGpuMultiStream(config);
  EXPECT(PD_ConfigThreadLocalStreamEnabled(config) == FALSE);
  PD_ConfigSetExecStream(config, &stream);
  PD_ConfigEnableONNXRuntime(config);
  PD_ConfigDisableONNXRuntime(config);
  EXPECT(PD_ConfigONNXRuntimeEnabled(config) == FALSE);
  PD_ConfigEnableORTOptimization(config);
  PD_ConfigEnableXpu(config, 0xfffc00, FALSE, FALSE, "", "int16", FALSE, FALSE);
  EXPECT(PD_ConfigUseXpu(config) == FALSE && PD_ConfigXpuDeviceId(config) == 0);
  PD_ConfigEnableNpu(config, 0);
  EXPECT(PD_ConfigUseNpu(config) == FALSE && PD_ConfigNpuDeviceId(config) == 0);
  PD_ConfigEnableCustomDevice(config, type, 1, PD_PRECISION_HALF);
  EXPECT(PD_ConfigUseCustomDevice(config) == FALSE && PD_ConfigCustomDeviceId(config) == 1);
  EXPECT(strcmp(PD_ConfigCustomDeviceType(config), "npu") == 0);
  PD_ConfigEnableLiteEngine(config, PD_PRECISION_FLOAT32, FALSE, 2, names, 0, NULL);
  EXPECT(PD_ConfigLiteEngineEnabled(config) == FALSE);
}

static void tensorrt(PD_Config* config) {
  const char* names[] = {"x"};
  size_t ranks[] = {2};
  int32_t shape[] = {1, 2};
  int32_t* shapes[] = {shape};
  PD_Config* collecting = PD_ConfigCreate();
  PD_ConfigEnableTensorRtEngine(config, 1 << 30, 1, 3, PD_PRECISION_FLOAT32, FALSE, FALSE);
  EXPECT(PD_ConfigTensorRtEngineEnabled(config) == FALSE);
  PD_ConfigSetTrtDynamicShapeInfo(config, 1, names, ranks, shapes, shapes, shapes, FALSE);
  EXPECT(PD_ConfigTensorRtDynamicShapeEnabled(config) == TRUE);
  PD_ConfigEnableTunedTensorRtDynamicShape(config, "shapes.txt", TRUE);
  EXPECT(PD_ConfigTunedTensorRtDynamicShape(config) == TRUE && PD_ConfigTrtAllowBuildAtRuntime(config) == TRUE);
  PD_ConfigCollectShapeRangeInfo(collecting, "shapes.txt");
  EXPECT(PD_ConfigShapeRangeInfoCollected(collecting) == TRUE);
  EXPECT(strcmp(PD_ConfigShapeRangeInfoPath(collecting), "shapes.txt") == 0);
  PD_ConfigDestroy(collecting);
  PD_ConfigDisableTensorRtOPs(config, 1, names);
  PD_ConfigEnableVarseqlen(config);
  PD_ConfigEnableTensorRtOSS(config);
  EXPECT(PD_ConfigTensorRtOssEnabled(config) == FALSE);
  PD_ConfigEnableTensorRtDla(config, 0);
  EXPECT(PD_ConfigTensorRtDlaEnabled(config) == FALSE);
}

static void cpu(PD_Config* config) {
  const char* names[] = {"conv2d", "pool2d"};
  PD_ConfigSetCpuMathLibraryNumThreads(config, 2);
  EXPECT(PD_ConfigGetCpuMathLibraryNumThreads(config) == 2);
  PD_ConfigEnableMKLDNN(config);
  EXPECT(PD_ConfigMkldnnEnabled(config) == TRUE);
  PD_ConfigSetMkldnnCacheCapacity(config, 10);
  PD_ConfigSetMkldnnOp(config, 2, names);
  PD_ConfigEnableMkldnnBfloat16(config);
  EXPECT(PD_ConfigMkldnnBfloat16Enabled(config) == TRUE);
  PD_ConfigSetBfloat16Op(config, 2, names);
  PD_ConfigEnableMkldnnInt8(config);
  EXPECT(PD_ConfigMkldnnInt8Enabled(config) == TRUE);
  PD_ConfigEnableMkldnnQuantizer(config);
  EXPECT(PD_ConfigMkldnnQuantizerEnabled(config) == TRUE);
  PD_ConfigDisableFCPadding(config);
  EXPECT(PD_ConfigUseFcPadding(config) == FALSE);
}

static void graph(PD_Config* config) {
  PD_OneDimArrayCstr* passes;
  PD_Cstr* summary;
  PD_Config* used = PD_ConfigCreate();
  PD_ConfigSwitchIrOptim(config, TRUE);
  EXPECT(PD_ConfigIrOptim(config) == TRUE);
  PD_ConfigSwitchIrDebug(config, FALSE);
  PD_ConfigEnableMemoryOptim(config, TRUE);
  EXPECT(PD_ConfigMemoryOptimEnabled(config) == TRUE);
  PD_ConfigEnableProfile(config);
  EXPECT(PD_ConfigProfileEnabled(config) == TRUE);
  PD_ConfigDisableGlogInfo(config);
  EXPECT(PD_ConfigGlogInfoDisabled(config) == TRUE);
  PD_ConfigEnableNewExecutor(config, TRUE);
  EXPECT(PD_ConfigNewExecutorEnabled(config) == TRUE);
  PD_ConfigEnableNewIR(config, TRUE);
  EXPECT(PD_ConfigNewIREnabled(config) == TRUE);
  PD_ConfigDeletePass(config, "conv_bn_fuse_pass");
  PD_ConfigAppendPass(config, "fc_fuse_pass");
  PD_ConfigInsertPass(config, 0, "is_test_pass");
  passes = PD_ConfigAllPasses(config);
  EXPECT(passes != NULL && passes->size > 2 && strcmp(passes->data[0], "is_test_pass") == 0);
  PD_OneDimArrayCstrDestroy(passes);
  summary = PD_ConfigSummary(config);
  EXPECT(summary != NULL && summary->size == strlen(summary->data) + 1);
  PD_CstrDestroy(summary);
  EXPECT(PD_ConfigIsValid(used) == TRUE);
  PD_ConfigSetInvalid(used);
  EXPECT(PD_ConfigIsValid(used) == FALSE);
  PD_ConfigDestroy(used);
}

/* Each of the five element types once; the model takes float32 only. */
static void tensors(PD_Predictor* predictor) {
  int32_t dims[] = {1, 2};
  const float x[] = {1, 2};
  float y[2] = {0, 0};
  int64_t of_int64[2] = {0, 0};
  int32_t of_int32[2] = {0, 0};
  uint8_t of_uint8[2] = {0, 0};
  int8_t of_int8[2] = {0, 0};
  int32_t size = 0;
  PD_PlaceType place = PD_PLACE_UNK;
  PD_OneDimArrayInt32* shape;
  PD_TwoDimArraySize* lod;
  PD_Tensor* in = PD_PredictorGetInputHandle(predictor, "x");
  PD_Tensor* out = PD_PredictorGetOutputHandle(predictor, "product");
  EXPECT(in != NULL && out != NULL && strcmp(PD_TensorGetName(out), "product") == 0);
  PD_TensorReshape(in, 2, dims);
  EXPECT(PD_TensorMutableDataInt64(in, PD_PLACE_CPU) == NULL && PD_TensorMutableDataInt32(in, PD_PLACE_CPU) == NULL);
  EXPECT(PD_TensorMutableDataUint8(in, PD_PLACE_CPU) == NULL && PD_TensorMutableDataInt8(in, PD_PLACE_CPU) == NULL);
  PD_TensorCopyFromCpuInt64(in, of_int64);
  PD_TensorCopyFromCpuInt32(in, of_int32);
  PD_TensorCopyFromCpuUint8(in, of_uint8);
  PD_TensorCopyFromCpuInt8(in, of_int8);
  EXPECT(PD_PredictorRun(predictor) == FALSE);
  PD_TensorMutableDataFloat(in, PD_PLACE_CPU)[0] = 1;
  PD_TensorCopyFromCpuFloat(in, x);
  EXPECT(PD_PredictorRun(predictor) == TRUE);
  EXPECT(PD_TensorDataFloat(out, &place, &size)[1] == 10.F && place == PD_PLACE_CPU && size == 2);
  EXPECT(PD_TensorDataInt64(out, &place, &size) == NULL && PD_TensorDataInt32(out, &place, &size) == NULL);
  EXPECT(PD_TensorDataUint8(out, &place, &size) == NULL && PD_TensorDataInt8(out, &place, &size) == NULL);
  PD_TensorCopyToCpuInt64(out, of_int64);
  PD_TensorCopyToCpuInt32(out, of_int32);
  PD_TensorCopyToCpuUint8(out, of_uint8);
  PD_TensorCopyToCpuInt8(out, of_int8);
  PD_TensorCopyToCpuFloat(out, y);
  EXPECT(y[0] == 7.F && y[1] == 10.F && of_int64[0] == 0);
  shape = PD_TensorGetShape(out);
  EXPECT(shape != NULL && shape->size == 2 && shape->data[0] == 1 && shape->data[1] == 2);
  PD_OneDimArrayInt32Destroy(shape);
  lod = PD_TensorGetLod(in);
  EXPECT(lod != NULL && lod->size == 0);
  PD_TensorSetLod(in, lod);
  PD_TwoDimArraySizeDestroy(lod);
  EXPECT(PD_TensorGetDataType(out) == PD_DATA_FLOAT32);
  PD_TensorDestroy(in);
  PD_TensorDestroy(out);
}

static void predictors(PD_Predictor* predictor) {
  PD_OneDimArrayCstr* names = PD_PredictorGetInputNames(predictor);
  PD_IOInfos* infos = PD_PredictorGetInputInfos(predictor);
  PD_Predictor* clone = PD_PredictorClone(predictor);
  EXPECT(names != NULL && names->size == 1 && strcmp(names->data[0], "x") == 0);
  PD_OneDimArrayCstrDestroy(names);
  names = PD_PredictorGetOutputNames(predictor);
  EXPECT(names != NULL && names->size == 2);
  PD_OneDimArrayCstrDestroy(names);
  EXPECT(infos != NULL && infos->size == 1 && infos->io_info[0]->shape->data[0] == -1);
  PD_IOInfosDestroy(infos);
  infos = PD_PredictorGetOutputInfos(predictor);
  EXPECT(infos != NULL && infos->size == 2 && infos->io_info[1]->dtype == PD_DATA_FLOAT32);
  PD_IOInfosDestroy(infos);
  EXPECT(PD_PredictorGetInputNum(predictor) == 1 && PD_PredictorGetOutputNum(predictor) == 2);
  EXPECT(clone != NULL);
  tensors(clone);
  PD_PredictorClearIntermediateTensor(clone);
  (void)PD_PredictorTryShrinkMemory(clone);
  PD_PredictorDestroy(clone);
}

int main(int argc, char** argv) {
  PD_Config* config = PD_ConfigCreate();
  PD_Predictor* predictor;
  if (argc != 3) return 2;
  location(config, argv[1], argv[2]);
  devices(config);
  tensorrt(config);
  cpu(config);
  graph(config);
  predictor = PD_PredictorCreate(config);
  EXPECT(predictor != NULL && PD_ConfigIsValid(config) == FALSE);
  PD_ConfigDestroy(config);
  tensors(predictor);
  predictors(predictor);
  PD_PredictorDestroy(predictor);
  EXPECT(strstr(PD_GetVersion(), "version: ") == PD_GetVersion());
  PD_IOInfoDestroy(NULL);
  PD_OneDimArraySizeDestroy(NULL);
  PD_OneDimArrayInt64Destroy(NULL);
  printf("every function was used\n");
  return 0;
}
