// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "call_record.h"
#include "engine_options.h"

namespace paddle {
namespace detail {

/// The part of a Config that says where the model is.
struct ModelLocation : CallRecord {
  ModelLocation() = default;
  explicit ModelLocation(const std::string& model_dir) : model_dir_(model_dir) {}
  /// Throws if the program is missing (SetModel does not).
  ModelLocation(const std::string& prog_file_or_model_dir, const std::string& params_file_or_model_prefix) {
    SetModel(prog_file_or_model_dir, params_file_or_model_prefix);
    require(file_exists(prog_file_), "there is no program file '", prog_file_,
            "': Config takes a program and a parameter file, or a folder and the files' common name");
  }

  void SetModel(const std::string& model_dir) {
    model_dir_ = model_dir;
    from_memory_ = false;
  }
  /// Two files, or a folder and the name that both files have before .pdmodel (or .json) and .pdiparams.
  void SetModel(const std::string& prog_file_or_dir, const std::string& params_file_or_prefix) {
    from_memory_ = false;
    prog_file_ = prog_file_or_dir;
    params_file_ = params_file_or_prefix;
    if (is_folder(prog_file_or_dir)) {
      const std::string stem = prog_file_or_dir + "/" + params_file_or_prefix;
      prog_file_ = stem + (file_exists(stem + ".pdmodel") ? ".pdmodel" : ".json");
      params_file_ = stem + ".pdiparams";
    }
  }
  void SetProgFile(const std::string& x) { prog_file_ = x; }
  void SetParamsFile(const std::string& x) { params_file_ = x; }
  /// The bytes are copied.
  void SetModelBuffer(const char* prog_buffer, size_t prog_buffer_size, const char* params_buffer,
                      size_t params_buffer_size) {
    require(prog_buffer != nullptr, "SetModelBuffer was given a null pointer as program");
    require(params_buffer != nullptr || params_buffer_size == 0,
            "SetModelBuffer was given a null pointer as parameters of ", params_buffer_size, " bytes");
    prog_file_.assign(prog_buffer, prog_buffer_size);
    params_file_.clear();
    if (params_buffer_size != 0) params_file_.assign(params_buffer, params_buffer_size);
    from_memory_ = true;
  }
  bool model_from_memory() const { return from_memory_; }
  const std::string& model_dir() const { return model_dir_; }
  /// The file's name; with SetModelBuffer its bytes.
  const std::string& prog_file() const { return prog_file_; }
  const std::string& params_file() const { return params_file_; }

  /// Where SwitchIrDebug and EnableSaveOptimModel put their files.
  void SetOptimCacheDir(const std::string& opt_cache_dir) { optim_cache_dir_ = opt_cache_dir; }
  /// The model, as it is after rewriting, becomes _optimized.pdmodel, with an empty _optimized.pdiparams, in the folder
  /// of SetOptimCacheDir or else of the model; a model from memory has none.
  void EnableSaveOptimModel(bool save_optimized_model) { save_optimized_model_ = save_optimized_model; }
  /// Loads what EnableSaveOptimModel wrote; where it is not there, it is written.
  void UseOptimizedModel(bool x = true) { use_optimized_model_ = x; }
  void SetApplyOptim(bool apply_optim) { apply_optim_ = apply_optim; }
  void SetSkipLoadParams(bool skip_load_params) {
    if (skip_load_params) record("SetSkipLoadParams", "parameters are always read");
  }

 protected:
  void locate(EngineOptions& options) const {
    options.save = save_optimized_model_;
    options.use_saved = use_optimized_model_;
    options.saved_folder = saved_folder();
    if (from_memory_) {
      options.program_bytes = std::make_shared<const std::string>(prog_file_);
      options.params_bytes = std::make_shared<const std::string>(params_file_);
      return;
    }
    require(!model_dir_.empty() || !prog_file_.empty(),
            "the Config names no model: call SetModel with a folder, or with a program and a parameter file");
    options.path = model_dir_.empty() ? prog_file_ : model_dir_;
    if (model_dir_.empty()) options.params = params_file_;
  }
  std::string saved_folder() const {
    if (!optim_cache_dir_.empty()) return optim_cache_dir_;
    if (from_memory_) return "";
    if (!model_dir_.empty()) return model_dir_;
    return folder_of(prog_file_);
  }

  std::string model_dir_;
  std::string prog_file_;
  std::string params_file_;
  std::string optim_cache_dir_;
  bool from_memory_ = false;
  bool save_optimized_model_ = false;
  bool use_optimized_model_ = false;
  bool apply_optim_ = false;
};

}  // namespace detail
}  // namespace paddle
