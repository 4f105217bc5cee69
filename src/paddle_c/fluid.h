// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "paddle/paddle_c_api.h"
#include "paddle/paddle_inference_api.h"
#include "paddle_c/guard.h"

/// What is behind the handles of paddle_c_api.h, Paddle's C interface of before 2.0.
struct PD_PaddleBuf {
  paddle::PaddleBuf buffer;
};

struct PD_AnalysisConfig {
  paddle::AnalysisConfig config;
  mutable std::unique_ptr<paddle::PaddlePredictor> predictor;  ///< of the runs that are given the configuration
};

struct PD_FluidTensor {
  paddle::PaddleTensor tensor;
};

struct PD_FluidPredictor {
  explicit PD_FluidPredictor(std::unique_ptr<paddle::PaddlePredictor> made)
      : predictor(std::move(made)), inputs(predictor->GetInputNames()), outputs(predictor->GetOutputNames()) {}

  std::unique_ptr<paddle::PaddlePredictor> predictor;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

namespace coracle::paddle_c {

/// Throws Misuse for a number that is no element type.
paddle::PaddleDType paddle_type_of(PD_DataType type);
/// PD_UNKDTYPE for what the interface has no number for.
PD_DataType fluid_type_of(paddle::PaddleDType type);

/// Gives elements to an input. Throws.
void set_input(paddle::PaddlePredictor& predictor, const std::string& name, PD_DataType type, const int* shape,
               size_t rank, const void* data, const std::vector<std::vector<size_t>>& lod);

/// Elements and shape of an output.
struct Output {
  PD_DataType type = PD_UNKDTYPE;
  std::vector<int> shape;
  const void* data = nullptr;
  size_t bytes = 0;
  std::vector<std::vector<size_t>> lod;
};
Output output_of(paddle::PaddlePredictor& predictor, const std::string& name);

}  // namespace coracle::paddle_c
