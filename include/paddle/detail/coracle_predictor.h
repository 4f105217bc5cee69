// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The one kind of PaddlePredictor there is. Included by paddle_api.h.
#include "../paddle_analysis_config.h"
#include "../paddle_api.h"

namespace paddle {
namespace detail {

class CoraclePredictor : public PaddlePredictor {
 public:
  explicit CoraclePredictor(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  bool Run(const std::vector<PaddleTensor>& inputs, std::vector<PaddleTensor>* output_data, int = -1) override {
    require(output_data != nullptr, "Run was given a null pointer for its outputs");
    check_count(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const PaddleTensor& given = inputs[i];
      const size_t index = index_of(i, given.name);
      const std::string& name = engine_->input_info(index).name;
      const size_t element = coracle_dtype_size(library_type(given.dtype));
      const size_t bytes = static_cast<size_t>(count_of(given.shape, "input", name)) * element;
      require(bytes == given.data.length(), "Run: input '", name, "' of shape ", list_text(given.shape), " needs ",
              bytes, " bytes, its PaddleBuf has ", given.data.length());
      set(index, library_type(given.dtype), given.shape, given.data.data(), given.lod);
    }
    engine_->run();
    output_data->resize(engine_->model().outputs.size());
    for (size_t i = 0; i < output_data->size(); ++i) {
      PaddleTensor& out = (*output_data)[i];
      const coracle_tensor_view view = engine_->output(i);
      out.name = engine_->output_info(i).name;
      out.shape.assign(view.dims, view.dims + view.rank);
      out.dtype = paddle_type(view.dtype);
      out.lod = engine_->output_lod(i);
      out.data.Resize(view.bytes);
      if (view.bytes != 0) engine_->copy_output(i, out.data.data(), view.bytes);
    }
    return true;
  }

  bool Run(const std::vector<paddle::Tensor>& inputs, std::vector<paddle::Tensor>* outputs) override {
    require(outputs != nullptr, "Run was given a null pointer for its outputs");
    check_count(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const paddle::Tensor& given = inputs[i];
      const size_t index = index_of(i, given.name());
      require(given.defined(), "Run: input ", i, " ('", engine_->input_info(index).name, "') has no elements");
      const std::vector<int64_t> shape = given.shape();
      set(index, library_type(given.dtype()), std::vector<int>(shape.begin(), shape.end()), given.data(), given.lod());
    }
    engine_->run();
    outputs->clear();
    for (size_t i = 0; i < engine_->model().outputs.size(); ++i) {
      const coracle_tensor_view view = engine_->output(i);
      outputs->emplace_back(std::vector<int64_t>(view.dims, view.dims + view.rank), view.dtype);
      outputs->back().set_name(engine_->output_info(i).name);
      if (view.bytes != 0) engine_->copy_output(i, outputs->back().data(), view.bytes);
      outputs->back().set_lod(engine_->output_lod(i));
    }
    return true;
  }

  std::vector<std::string> GetInputNames() override { return names(engine_->model().inputs); }
  std::vector<std::string> GetOutputNames() override { return names(engine_->model().outputs); }
  std::map<std::string, std::vector<int64_t>> GetInputTensorShape() override { return shapes(engine_->model().inputs); }
  std::map<std::string, paddle_infer::DataType> GetInputTypes() override { return types(engine_->model().inputs); }
  std::map<std::string, std::vector<int64_t>> GetOutputTensorShape() override {
    return shapes(engine_->model().outputs);
  }
  std::map<std::string, paddle_infer::DataType> GetOutputTypes() override { return types(engine_->model().outputs); }

  std::unique_ptr<ZeroCopyTensor> GetInputTensor(const std::string& name) override {
    return owned<ZeroCopyTensor>(engine_, engine_->find_input(name), true);
  }
  std::unique_ptr<ZeroCopyTensor> GetOutputTensor(const std::string& name) override {
    return owned<ZeroCopyTensor>(engine_, engine_->find_output(name), false);
  }
  bool ZeroCopyRun(bool = false) override {
    engine_->run();
    return true;
  }
  void ClearIntermediateTensor() override { engine_->release_memory(); }
  uint64_t TryShrinkMemory() override { return engine_->release_memory(); }
  void RegisterOutputHook(const paddle_infer::OutputTensorHookFunc& hookfunc) override {
    engine_->add_output_hook(hookfunc);
  }
  void RegisterInputHook(const paddle_infer::InputTensorHookFunc& hookfunc) override {
    engine_->add_input_hook(hookfunc);
  }
  std::unique_ptr<PaddlePredictor> Clone(void* stream = nullptr) override {
    return owned<CoraclePredictor>(engine_->clone(stream));
  }
  void* GetExecStream() const override { return engine_->stream(); }
  bool run_on(void* stream) override {
    engine_->set_stream(stream);
    return ZeroCopyRun();
  }
  std::string GetSerializedProgram() const override {
    const EngineOptions& options = engine_->model().options();
    return options.program_bytes != nullptr ? *options.program_bytes : read_file(options.path);
  }

 private:
  void check_count(size_t given) const {
    const std::vector<std::string> expected = names(engine_->model().inputs);
    require(given == expected.size(), "Run: the model has ", expected.size(), " inputs, ", list_text(expected),
            ", given ", given);
  }
  /// An input without a name is meant by its position.
  size_t index_of(size_t position, const std::string& name) const {
    const bool by_name = engine_->model().options().match_inputs_by_name && !name.empty();
    return by_name ? engine_->find_input(name) : position;
  }
  void set(size_t index, coracle_dtype dtype, const std::vector<int>& shape, const void* data, const Lod& lod) {
    engine_->input(index).shape = shape;
    engine_->input(index).shaped = true;
    void* to = engine_->allocate_input(index, dtype);
    const size_t bytes = engine_->input(index).bytes;
    if (bytes != 0) std::memcpy(to, data, bytes);
    engine_->input(index).lod = lod;
  }
  static std::vector<std::string> names(const std::vector<InputOrOutput>& list) {
    std::vector<std::string> out;
    for (const auto& item : list) out.push_back(item.name);
    return out;
  }
  static std::map<std::string, std::vector<int64_t>> shapes(const std::vector<InputOrOutput>& list) {
    std::map<std::string, std::vector<int64_t>> out;
    for (const auto& item : list) out[item.name] = item.shape;
    return out;
  }
  static std::map<std::string, paddle_infer::DataType> types(const std::vector<InputOrOutput>& list) {
    std::map<std::string, paddle_infer::DataType> out;
    for (const auto& item : list) out[item.name] = paddle_type(item.dtype);
    return out;
  }

  std::shared_ptr<Engine> engine_;
};

inline std::unique_ptr<PaddlePredictor> make_predictor(const EngineOptions& options) {
  return owned<CoraclePredictor>(std::make_shared<Engine>(options));
}

}  // namespace detail

template <>
inline std::unique_ptr<PaddlePredictor> CreatePaddlePredictor<AnalysisConfig>(const AnalysisConfig& config) {
  detail::require(config.is_valid(), "the Config made a predictor already: a Config makes one, copy it before");
  auto predictor = detail::make_predictor(config.engine_options());
  config.SetInValid();
  return predictor;
}
template <>
inline std::unique_ptr<PaddlePredictor> CreatePaddlePredictor<NativeConfig>(const NativeConfig& config) {
  AnalysisConfig analysis;
  if (config.model_dir.empty()) {
    analysis.SetModel(config.prog_file, config.param_file);
  } else {
    analysis.SetModel(config.model_dir);
  }
  if (config.use_gpu) analysis.EnableUseGpu(static_cast<uint64_t>(analysis.memory_pool_init_size_mb()), config.device);
  analysis.SwitchSpecifyInputNames(config.specify_input_name);
  analysis.SetCpuMathLibraryNumThreads(config.cpu_math_library_num_threads());
  return CreatePaddlePredictor(analysis);
}
template <>
inline std::unique_ptr<PaddlePredictor> CreatePaddlePredictor<NativeConfig, PaddleEngineKind::kNative>(
    const NativeConfig& config) {
  return CreatePaddlePredictor<NativeConfig>(config);
}
template <>
inline std::unique_ptr<PaddlePredictor> CreatePaddlePredictor<AnalysisConfig, PaddleEngineKind::kAnalysis>(
    const AnalysisConfig& config) {
  return CreatePaddlePredictor<AnalysisConfig>(config);
}
template <>
inline std::unique_ptr<PaddlePredictor> CreatePaddlePredictor<AnalysisConfig, PaddleEngineKind::kONNXRuntime>(
    const AnalysisConfig& config) {
  return CreatePaddlePredictor<AnalysisConfig>(config);
}

}  // namespace paddle
