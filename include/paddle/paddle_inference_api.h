// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Paddle's C++ interface over Coracle, header-only over coracle.h: a program written for Paddle Inference is compiled
/// against these headers and linked with libcoracle. docs/paddle-api.md says what each call does here. Errors are
/// exceptions, derived from std::runtime_error.

#include <memory>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "paddle_analysis_config.h"
#include "paddle_api.h"
#include "paddle_infer_declare.h"

namespace paddle_infer {

namespace experimental {
class InternalUtils;
}

using Config = paddle::AnalysisConfig;
using PrecisionType = paddle::AnalysisConfig::Precision;
using XpuConfig = paddle::XpuConfig;
using DistConfig = paddle::DistConfig;

/// A model ready to run. One thread at a time; clones share the weights and run in other threads at the same time.
class PD_INFER_DECL Predictor {
 public:
  Predictor() = delete;
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;
  ~Predictor() = default;
  explicit Predictor(const Config& config) : predictor_(paddle::CreatePaddlePredictor<Config>(config)) {}
  explicit Predictor(std::unique_ptr<paddle::PaddlePredictor>&& pred) : predictor_(std::move(pred)) {
    paddle::detail::require(predictor_ != nullptr, "a Predictor was made of a null pointer");
  }

  std::vector<std::string> GetInputNames() { return predictor_->GetInputNames(); }
  std::vector<std::string> GetOutputNames() { return predictor_->GetOutputNames(); }
  std::unique_ptr<Tensor> GetInputHandle(const std::string& name) { return predictor_->GetInputTensor(name); }
  std::unique_ptr<Tensor> GetOutputHandle(const std::string& name) { return predictor_->GetOutputTensor(name); }
  /// True, or an exception.
  bool Run() { return predictor_->ZeroCopyRun(); }
  /// Inputs in the order of GetInputNames, outputs in that of GetOutputNames; both copied.
  bool Run(const std::vector<paddle::Tensor>& inputs, std::vector<paddle::Tensor>* outputs) {
    return predictor_->Run(inputs, outputs);
  }
  /// As the model says: -1 for what is free.
  std::map<std::string, std::vector<int64_t>> GetInputTensorShape() { return predictor_->GetInputTensorShape(); }
  std::map<std::string, DataType> GetInputTypes() { return predictor_->GetInputTypes(); }
  std::map<std::string, std::vector<int64_t>> GetOutputTensorShape() { return predictor_->GetOutputTensorShape(); }
  std::map<std::string, DataType> GetOutputTypes() { return predictor_->GetOutputTypes(); }
  /// Any thread may call it, also while this predictor runs.
  std::unique_ptr<Predictor> Clone(void* stream = nullptr) {
    return paddle::detail::owned<Predictor>(predictor_->Clone(stream));
  }
  void ClearIntermediateTensor() { predictor_->ClearIntermediateTensor(); }
  /// Bytes given back; results of the last run are gone.
  uint64_t TryShrinkMemory() { return predictor_->TryShrinkMemory(); }
  void RegisterOutputHook(const OutputTensorHookFunc& hookfunc) { predictor_->RegisterOutputHook(hookfunc); }
  void RegisterInputHook(const InputTensorHookFunc& hookfunc) { predictor_->RegisterInputHook(hookfunc); }
  void* GetExecStream() const { return predictor_->GetExecStream(); }

 private:
  friend class experimental::InternalUtils;

  std::unique_ptr<paddle::PaddlePredictor> predictor_;
};

/// Throws if the model cannot be loaded, or if the Config made a predictor before.
inline std::shared_ptr<Predictor> CreatePredictor(const Config& config) {
  return std::shared_ptr<Predictor>(new Predictor(config));
}

/// Bytes of an element.
inline int GetNumBytesOfDataType(DataType dtype) { return paddle::PaddleDtypeSize(dtype); }
inline std::string GetVersion() { return paddle::get_version(); }
/// There is no TensorRT here.
inline std::tuple<int, int, int> GetTrtCompileVersion() { return std::make_tuple(0, 0, 0); }
inline std::tuple<int, int, int> GetTrtRuntimeVersion() { return std::make_tuple(0, 0, 0); }
inline void UpdateDllFlag(const char* name, const char* value) { paddle::UpdateDllFlag(name, value); }

/// Throws: models are not written here.
[[noreturn]] inline void ConvertToMixedPrecision(const std::string& model_file, const std::string& params_file,
                                                 const std::string& mixed_model_file,
                                                 const std::string& mixed_params_file, PrecisionType mixed_precision,
                                                 PlaceType backend, bool keep_io_types = true,
                                                 const std::unordered_set<std::string>& black_list = {},
                                                 const std::unordered_set<std::string>& white_list = {}) {
  (void)params_file;
  (void)mixed_model_file;
  (void)mixed_params_file;
  (void)mixed_precision;
  (void)backend;
  (void)keep_io_types;
  (void)black_list;
  (void)white_list;
  paddle::detail::fail("ConvertToMixedPrecision('", model_file,
                       "'): models are not converted here; give the model as it is to Config::SetModel");
}

namespace services {

/// A predictor and its clones, for as many threads.
class PD_INFER_DECL PredictorPool {
 public:
  PredictorPool() = delete;
  PredictorPool(const PredictorPool&) = delete;
  PredictorPool& operator=(const PredictorPool&) = delete;
  explicit PredictorPool(const Config& config, size_t size = 1) {
    paddle::detail::require(size >= 1, "a PredictorPool has at least one predictor, asked for ", size);
    predictors_.emplace_back(new Predictor(config));
    while (predictors_.size() < size) predictors_.push_back(predictors_.front()->Clone());
  }
  Predictor* Retrieve(size_t idx) {
    paddle::detail::require(idx < predictors_.size(), "the PredictorPool has ", predictors_.size(),
                            " predictors, there is no predictor ", idx);
    return predictors_[idx].get();
  }
  /// The name until 2.6.
  Predictor* Retrive(size_t idx) { return Retrieve(idx); }

 private:
  std::vector<std::unique_ptr<Predictor>> predictors_;
};

}  // namespace services
}  // namespace paddle_infer

#include "detail/experimental.h"
