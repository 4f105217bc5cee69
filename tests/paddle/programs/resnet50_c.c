/* SPDX-License-Identifier: Apache-2.0 */
/* An image classifier as users of Paddle's C interface write it.
 *   resnet50_c PROGRAM PARAMS BATCH HEIGHT WIDTH OUTPUT */
#include <stdio.h>
#include <stdlib.h>

#include "pd_inference_api.h"

int main(int argc, char* argv[]) {
  PD_Config* config;
  PD_Predictor* predictor;
  PD_OneDimArrayCstr* input_names;
  PD_OneDimArrayCstr* output_names;
  PD_OneDimArrayInt32* output_shape;
  PD_Tensor* input_tensor;
  PD_Tensor* output_tensor;
  int32_t input_shape[4];
  float* input_data;
  float* out_data;
  int32_t out_size = 1;
  int32_t count;
  int32_t i;
  size_t d;
  FILE* out;
  if (argc != 7) return 2;

  config = PD_ConfigCreate();
  PD_ConfigSetModel(config, argv[1], argv[2]);
  PD_ConfigDisableGlogInfo(config);
  PD_ConfigSetCpuMathLibraryNumThreads(config, 2);
  predictor = PD_PredictorCreate(config);
  if (predictor == NULL) return 1;

  input_names = PD_PredictorGetInputNames(predictor);
  input_tensor = PD_PredictorGetInputHandle(predictor, input_names->data[0]);
  input_shape[0] = atoi(argv[3]);
  input_shape[1] = 3;
  input_shape[2] = atoi(argv[4]);
  input_shape[3] = atoi(argv[5]);
  count = input_shape[0] * 3 * input_shape[2] * input_shape[3];
  input_data = (float*)malloc((size_t)count * sizeof(float));
  for (i = 0; i < count; ++i) input_data[i] = (float)(i % 255 * 0.1);
  PD_TensorReshape(input_tensor, 4, input_shape);
  PD_TensorCopyFromCpuFloat(input_tensor, input_data);
  if (!PD_PredictorRun(predictor)) return 1;

  output_names = PD_PredictorGetOutputNames(predictor);
  output_tensor = PD_PredictorGetOutputHandle(predictor, output_names->data[0]);
  output_shape = PD_TensorGetShape(output_tensor);
  for (d = 0; d < output_shape->size; ++d) out_size = out_size * output_shape->data[d];
  out_data = (float*)malloc((size_t)out_size * sizeof(float));
  PD_TensorCopyToCpuFloat(output_tensor, out_data);
  printf("Output size: %d, first %f\n", out_size, out_data[0]);
  out = fopen(argv[6], "wb");
  fwrite(out_data, sizeof(float), (size_t)out_size, out);
  fclose(out);

  free(out_data);
  PD_OneDimArrayInt32Destroy(output_shape);
  PD_TensorDestroy(output_tensor);
  PD_OneDimArrayCstrDestroy(output_names);
  free(input_data);
  PD_TensorDestroy(input_tensor);
  PD_OneDimArrayCstrDestroy(input_names);
  PD_PredictorDestroy(predictor);
  return 0;
}
