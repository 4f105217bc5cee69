// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Paddle Lite's C++ interface over Coracle, header-only over coracle.h: a program written for Paddle Lite is compiled
/// against these headers and linked with libcoracle. docs/paddle-lite-api.md says what each call does here. Errors are
/// exceptions, derived from std::runtime_error.

#include <functional>  // for programs that count on it
#include <map>         // likewise
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detail/lite_cxx_config.h"
#include "detail/lite_mobile_config.h"
#include "detail/lite_tensor.h"
#include "paddle_place.h"

namespace paddle {
namespace lite_api {

/// A model ready to run. One thread at a time; clones share the weights and run in other threads at the same time.
class LITE_API PaddlePredictor {
 public:
  PaddlePredictor() = default;
  PaddlePredictor(const PaddlePredictor&) = delete;
  PaddlePredictor& operator=(const PaddlePredictor&) = delete;
  virtual ~PaddlePredictor() = default;

  virtual std::unique_ptr<Tensor> GetInput(int i) = 0;
  virtual std::unique_ptr<const Tensor> GetOutput(int i) const = 0;
  virtual std::vector<std::string> GetInputNames() = 0;
  virtual std::vector<std::string> GetOutputNames() = 0;
  virtual std::unique_ptr<Tensor> GetInputByName(const std::string& name) = 0;
  /// Null where the model has no output and no input of that name. Other variables have no tensors here.
  virtual std::unique_ptr<const Tensor> GetTensor(const std::string& name) const = 0;
  virtual std::unique_ptr<Tensor> GetMutableTensor(const std::string& name) = 0;
  /// Throws: parameters have no names when the model is loaded.
  virtual std::vector<std::string> GetParamNames() = 0;

  virtual void Run() = 0;

  /// With the same model, without inputs and results. Any thread may call it, also while this predictor runs.
  virtual std::shared_ptr<PaddlePredictor> Clone() = 0;
  /// The same: all variables of a clone are its own.
  virtual std::shared_ptr<PaddlePredictor> Clone(const std::vector<std::string>& var_names) = 0;

  /// Coracle's.
  virtual std::string GetVersion() const = 0;
  /// Gives back what the next run makes again; results of the last one are gone. True.
  virtual bool TryShrinkMemory() = 0;
  /// Nothing: the model runs on streams of its own, and Run returns when all is done.
  virtual void SetStream(TargetType target, void* stream) = 0;

  /// Saves the model as it is after rewriting, in one file that each Config takes: with kNaiveBuffer `model_dir`.nb,
  /// with kProtobuf `model_dir`/model with an empty `model_dir`/params; a name that ends with .nb or .coracle is that
  /// of the file. Its format is Coracle's.
  virtual void SaveOptimizedModel(const std::string& model_dir, LiteModelType model_type = LiteModelType::kProtobuf,
                                  bool record_info = false) = 0;

 protected:
  int threads_ = 1;
  PowerMode mode_ = LITE_POWER_NO_BIND;
};

/// For MobileConfig and CxxConfig. Throws if the model cannot be loaded. A Config makes any number of predictors.
template <typename ConfigT>
std::shared_ptr<PaddlePredictor> CreatePaddlePredictor(const ConfigT& config);

/// False: a program that asks would load a model of its own for OpenCL, and models are not made for devices here.
inline bool IsOpenCLBackendValid(bool /*check_fp16_valid*/ = false) { return false; }
/// -1, as where there is no OpenCL.
inline int GetOpenCLDeviceType() { return -1; }

}  // namespace lite_api
}  // namespace paddle

#include "detail/lite_predictor.h"
