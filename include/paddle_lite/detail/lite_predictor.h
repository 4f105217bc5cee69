// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The one kind of PaddlePredictor there is. Included by paddle_api.h.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../paddle/detail/owned.h"
#include "../paddle_api.h"

namespace paddle {
namespace detail {

class LitePredictor : public lite_api::PaddlePredictor {
 public:
  using Tensor = lite_api::Tensor;

  LitePredictor(std::shared_ptr<LiteSession> session, lite_api::PowerMode mode) : session_(std::move(session)) {
    threads_ = session_->model().threads();
    mode_ = mode;
  }

  std::unique_ptr<Tensor> GetInput(int i) override {
    return owned<Tensor>(session_, index_of(session_->model().inputs, i, "input"), true);
  }
  std::unique_ptr<const Tensor> GetOutput(int i) const override {
    return owned<Tensor>(session_, index_of(session_->model().outputs, i, "output"), false);
  }
  std::vector<std::string> GetInputNames() override { return names(session_->model().inputs); }
  std::vector<std::string> GetOutputNames() override { return names(session_->model().outputs); }
  std::unique_ptr<Tensor> GetInputByName(const std::string& name) override {
    return owned<Tensor>(session_, find_by_name(session_->model().inputs, name, "input"), true);
  }
  std::unique_ptr<const Tensor> GetTensor(const std::string& name) const override { return find(name); }
  std::unique_ptr<Tensor> GetMutableTensor(const std::string& name) override { return find(name); }
  [[noreturn]] std::vector<std::string> GetParamNames() override {
    fail(
        "GetParamNames: parameters have no names when the model is loaded; `coracle inspect MODEL` lists those in "
        "files");
  }

  void Run() override { session_->run(); }

  std::shared_ptr<PaddlePredictor> Clone() override {
    return std::make_shared<LitePredictor>(session_->clone(), mode_);
  }
  std::shared_ptr<PaddlePredictor> Clone(const std::vector<std::string>& /*var_names*/) override { return Clone(); }

  std::string GetVersion() const override { return coracle_version(); }
  bool TryShrinkMemory() override {
    session_->release_memory();
    return true;
  }
  void SetStream(lite_api::TargetType /*target*/, void* /*stream*/) override {}

  void SaveOptimizedModel(const std::string& model_dir, lite_api::LiteModelType model_type, bool) override {
    using lite_api::LiteModelType;
    require(!model_dir.empty(), "SaveOptimizedModel was given no name");
    require(model_type == LiteModelType::kProtobuf || model_type == LiteModelType::kNaiveBuffer,
            "SaveOptimizedModel takes kProtobuf or kNaiveBuffer, given ", static_cast<int>(model_type));
    if (ends_with(model_dir, ".nb") || ends_with(model_dir, ".coracle")) return save(model_dir);
    if (model_type == LiteModelType::kNaiveBuffer) return save(model_dir + ".nb");
    make_folder(model_dir);
    save(model_dir + "/model");
    require(write_file(model_dir + "/params", ""), "SaveOptimizedModel: cannot write file '", model_dir, "/params'");
  }

 private:
  void save(const std::string& path) const { check(coracle_model_save(session_->model().get(), path.c_str())); }

  static size_t index_of(const std::vector<InputOrOutput>& list, int i, const char* kind) {
    require(i >= 0 && static_cast<size_t>(i) < list.size(), "the model has ", list.size(), " ", kind, "s, ",
            list_text(names(list)), ", there is no ", kind, " ", i);
    return static_cast<size_t>(i);
  }
  static std::vector<std::string> names(const std::vector<InputOrOutput>& list) {
    std::vector<std::string> out;
    for (const auto& item : list) out.push_back(item.name);
    return out;
  }
  std::unique_ptr<Tensor> find(const std::string& name) const {
    const LiteModel& model = session_->model();
    for (bool is_input : {false, true}) {
      const std::vector<InputOrOutput>& list = is_input ? model.inputs : model.outputs;
      for (size_t i = 0; i < list.size(); ++i) {
        if (list[i].name == name) return owned<Tensor>(session_, i, is_input);
      }
    }
    return nullptr;
  }

  std::shared_ptr<LiteSession> session_;
};

template <class Config>
std::shared_ptr<lite_api::PaddlePredictor> make_lite_predictor(const Config& config) {
  return std::make_shared<LitePredictor>(std::make_shared<LiteSession>(config.model_options()), config.power_mode());
}

}  // namespace detail

namespace lite_api {

template <>
inline std::shared_ptr<PaddlePredictor> CreatePaddlePredictor<CxxConfig>(const CxxConfig& config) {
  return detail::make_lite_predictor(config);
}
template <>
inline std::shared_ptr<PaddlePredictor> CreatePaddlePredictor<MobileConfig>(const MobileConfig& config) {
  return detail::make_lite_predictor(config);
}

}  // namespace lite_api
}  // namespace paddle
