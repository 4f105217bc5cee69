// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <unordered_set>
#include <vector>

#include "detail/pass_table.h"
#include "paddle_infer_declare.h"

namespace paddle {

/// A list of names of Paddle's passes. What is deleted from a Config's list has an effect (detail/pass_table.h); the
/// order has none, Coracle's rewrites have one of their own.
class PD_INFER_DECL PaddlePassBuilder {
 public:
  explicit PaddlePassBuilder(const std::vector<std::string>& passes) : passes_(passes) {}

  /// What the list had and has no more counts as deleted.
  void SetPasses(std::initializer_list<std::string> passes) {
    deleted_passes_.insert(passes_.begin(), passes_.end());
    passes_ = passes;
  }
  void AppendPass(const std::string& pass_type) { passes_.push_back(pass_type); }
  void InsertPass(size_t idx, const std::string& pass_type) {
    detail::require(idx <= passes_.size(), "InsertPass: there are ", passes_.size(), " passes, there is no place ",
                    idx);
    passes_.insert(passes_.begin() + static_cast<std::ptrdiff_t>(idx), pass_type);
  }
  void DeletePass(size_t idx) {
    detail::require(idx < passes_.size(), "DeletePass: there are ", passes_.size(), " passes, there is no pass ", idx);
    deleted_passes_.insert(passes_[idx]);
    passes_.erase(passes_.begin() + static_cast<std::ptrdiff_t>(idx));
  }
  /// Unknown names are no error.
  void DeletePass(const std::string& pass_type) {
    deleted_passes_.insert(pass_type);
    passes_.erase(std::remove(passes_.begin(), passes_.end(), pass_type), passes_.end());
  }
  /// static_cast<size_t>(-1) where there is no such pass.
  size_t GetPassIndex(const std::string& pass_type) {
    const auto found = std::find(passes_.begin(), passes_.end(), pass_type);
    return found == passes_.end() ? static_cast<size_t>(-1) : static_cast<size_t>(found - passes_.begin());
  }
  void ClearPasses() {
    deleted_passes_.insert(passes_.begin(), passes_.end());
    passes_.clear();
  }
  void AppendAnalysisPass(const std::string& pass) { analysis_passes_.push_back(pass); }
  /// Puts a graph_viz_pass behind each: graphs are written as by Config::SwitchIrDebug.
  void TurnOnDebug() {
    std::vector<std::string> all;
    for (const std::string& pass : passes_) {
      if (pass == "graph_viz_pass") continue;
      all.push_back(pass);
      all.emplace_back("graph_viz_pass");
    }
    passes_ = all;
  }
  std::string DebugString() {
    std::string out = "Passes to apply:\n";
    for (const std::string& pass : passes_) out += "  - " + pass + "\n";
    return out;
  }
  const std::vector<std::string>& AllPasses() const { return passes_; }
  std::vector<std::string> AnalysisPasses() const {
    std::vector<std::string> passes = analysis_passes_;
    passes.emplace_back("ir_graph_to_program_pass");
    return passes;
  }
  const std::unordered_set<std::string>& GetAllDeletedPasses() const { return deleted_passes_; }

 protected:
  std::vector<std::string> analysis_passes_{"ir_graph_build_pass",
                                            "ir_analysis_pass",
                                            "ir_params_sync_among_devices_pass",
                                            "adjust_cudnn_workspace_size_pass",
                                            "inference_op_replace_pass",
                                            "save_optimized_model_pass"};
  std::vector<std::string> passes_;
  std::unordered_set<std::string> deleted_passes_;
};

class PD_INFER_DECL PassStrategy : public PaddlePassBuilder {
 public:
  explicit PassStrategy(const std::vector<std::string>& passes) : PaddlePassBuilder(passes) {}
  PassStrategy(const PassStrategy&) = default;
  PassStrategy& operator=(const PassStrategy&) = default;
  virtual ~PassStrategy() = default;

  virtual void EnableCUDNN() {}
  virtual void EnableMKLDNN() {}
  virtual void DisableMKLDNN() {}
  virtual void EnableMkldnnQuantizer() {}
  virtual void EnableMkldnnBfloat16() {}
  virtual void EnableMkldnnInt8() {}
  virtual void DisableMkldnnFcPasses() {}
  void EnableONEDNN() { EnableMKLDNN(); }
  void DisableONEDNN() { DisableMKLDNN(); }
  void EnableOnednnBfloat16() { EnableMkldnnBfloat16(); }
  void EnableOnednnInt8() { EnableMkldnnInt8(); }
  void DisableOnednnFcPasses() { DisableMkldnnFcPasses(); }

  bool use_gpu() const { return use_gpu_; }
  bool use_xpu() const { return use_xpu_; }
  bool use_ipu() const { return use_ipu_; }
  bool use_custom_device() const { return use_custom_device_; }

 protected:
  bool use_gpu_ = false;
  bool use_xpu_ = false;
  bool use_ipu_ = false;
  bool use_custom_device_ = false;
};

/// The list of a Config. oneDNN's passes come and go with EnableMKLDNN, as far as they were not deleted.
class PD_INFER_DECL CpuPassStrategy : public PassStrategy {
 public:
  CpuPassStrategy() : PassStrategy(detail::cpu_passes()) {}

  void EnableMKLDNN() override {
    if (GetPassIndex(kPlacement) != static_cast<size_t>(-1)) return;
    passes_.insert(passes_.begin(), kPlacement);
    append(detail::onednn_passes());
  }
  /// Back to the list without oneDNN.
  void DisableMKLDNN() override {
    passes_.clear();
    append(detail::cpu_passes());
  }
  void EnableMkldnnBfloat16() override { append(detail::onednn_bfloat16_passes()); }
  void EnableMkldnnInt8() override { append(detail::onednn_int8_passes()); }
  void DisableMkldnnFcPasses() override {
    DeletePass("fc_onednn_pass");
    DeletePass("fc_act_onednn_fuse_pass");
  }

 private:
  static constexpr const char* kPlacement = "onednn_placement_pass";

  void append(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (deleted_passes_.count(name) == 0) passes_.push_back(name);
    }
  }
};

/// The other lists exist for programs that make or change them; no Config uses them.
class PD_INFER_DECL GpuPassStrategy : public PassStrategy {
 public:
  GpuPassStrategy() : PassStrategy(detail::gpu_passes()) { use_gpu_ = true; }
  void EnableCUDNN() override { passes_.insert(passes_.begin(), "cudnn_placement_pass"); }
};
class PD_INFER_DECL XpuPassStrategy final : public PassStrategy {
 public:
  XpuPassStrategy() : PassStrategy(detail::pir_xpu_passes()) { use_xpu_ = true; }
};
class PD_INFER_DECL CustomDevicePassStrategy final : public PassStrategy {
 public:
  CustomDevicePassStrategy() : PassStrategy(std::vector<std::string>()) { use_custom_device_ = true; }
};
class PD_INFER_DECL IpuPassStrategy final : public PassStrategy {
 public:
  IpuPassStrategy() : PassStrategy({"inference_process_pass"}) { use_ipu_ = true; }
};

/// Paddle's lists by their names.
constexpr detail::PassList kTRTSubgraphPasses{&detail::trt_passes};
constexpr detail::PassList kCINNCompilerPasses{&detail::cinn_passes};
constexpr detail::PassList kGpuLowerPrecisionPasses{&detail::gpu_low_precision_passes};
constexpr detail::PassList kTrtLowerPrecisionPasses{&detail::trt_low_precision_passes};
constexpr detail::PassList kPirGpuPasses{&detail::pir_gpu_passes};
constexpr detail::PassList kPirCpuPasses{&detail::pir_cpu_passes};
constexpr detail::PassList kPirXpuPasses{&detail::pir_xpu_passes};
constexpr detail::PassList kPirMkldnnPasses{&detail::pir_onednn_passes};
constexpr detail::PassList kPirMkldnnBf16Passes{&detail::pir_onednn_bfloat16_passes};

}  // namespace paddle
