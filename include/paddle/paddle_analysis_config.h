// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "detail/config_cpu.h"
#include "detail/summary_table.h"
#include "paddle_api.h"
#include "paddle_infer_declare.h"

namespace paddle {

/// What a predictor is made of: the model, the threads, what is left out of rewriting. Its parts are in
/// detail/config_*.h (location of the model < devices < TensorRT < CPU < this). A Config makes one predictor; a copy of
/// it makes another.
struct PD_INFER_DECL AnalysisConfig : detail::CpuChoice {
  using Precision = detail::Precision;

  AnalysisConfig() = default;
  AnalysisConfig(const AnalysisConfig&) = default;
  AnalysisConfig& operator=(const AnalysisConfig&) = default;
  explicit AnalysisConfig(const std::string& model_dir) : CpuChoice(model_dir) {}
  explicit AnalysisConfig(const std::string& prog_file_or_model_dir, const std::string& params_file_or_model_prefix)
      : CpuChoice(prog_file_or_model_dir, params_file_or_model_prefix) {}

  /// Off: every operator as the model has it, each on its own.
  void SwitchIrOptim(int x = true) { ir_optim_ = x != 0; }
  bool ir_optim() const { return ir_optim_; }
  /// Writes the graph after each rewrite into files of the folder given to SetOptimCacheDir, or of the working
  /// directory.
  void SwitchIrDebug(int x = true, const std::vector<std::string>& passes = {}) {
    (void)passes;
    ir_debug_ = x != 0;
  }
  void SwitchUseFeedFetchOps(int x = true) { use_feed_fetch_ops_ = x != 0; }
  bool use_feed_fetch_ops_enabled() const { return use_feed_fetch_ops_; }
  /// On: PaddlePredictor::Run takes its inputs by their names, not in their order.
  void SwitchSpecifyInputNames(bool x = true) { specify_input_name_ = x; }
  bool specify_input_name() const { return specify_input_name_; }

  void EnableMemoryOptim(bool x = true) {
    memory_optim_ = x;
    if (!x) record("EnableMemoryOptim(false)", "intermediate tensors always share memory");
  }
  bool enable_memory_optim() const { return memory_optim_; }

  PassStrategy* pass_builder() const { return &passes_; }
  void DeletePass(const std::string& pass_type) { passes_.DeletePass(pass_type); }
  /// Passes of Paddle are taken; one of the caller's own is an error when the predictor is made.
  void EnableCustomPasses(const std::vector<std::string>& passes, bool custom_pass_only = false) {
    custom_passes_ = passes;
    if (custom_pass_only) ir_optim_ = false;
    record("EnableCustomPasses", "Coracle has rewrites of its own");
  }
  void SetOptimizationLevel(int opt_level) {
    detail::require(opt_level >= 0 && opt_level <= 4, "SetOptimizationLevel takes 0 to 4, given ", opt_level);
    record("SetOptimizationLevel", "all rewrites are safe; SwitchIrOptim(false) leaves them out");
  }
  void EnableNewExecutor(bool x = true) {
    new_executor_ = x;
    if (x) record("EnableNewExecutor", "there is one executor");
  }
  bool new_executor_enabled() const { return new_executor_; }
  void EnableNewIR(bool x = true) {
    new_ir_ = x;
    if (x) record("EnableNewIR", "both kinds of model become the same graph");
  }
  bool new_ir_enabled() const { return new_ir_; }
  void EnableCINN() { record("EnableCINN", kEngine); }
  bool cinn_enabled() const { return false; }
  void Exp_DisableMixedPrecisionOps(const std::unordered_set<std::string>&) {
    record("Exp_DisableMixedPrecisionOps", kPrecision);
  }
  void Exp_EnableMixedPrecisionOps(const std::unordered_set<std::string>&) {
    record("Exp_EnableMixedPrecisionOps", kPrecision);
  }
  void EnableLowPrecisionIO(bool x = true) {
    if (x) record("EnableLowPrecisionIO", kPrecision);
  }

  void EnableProfile() {
    profile_ = true;
    record("EnableProfile", "nothing is printed; `coracle profile` shows where the time goes");
  }
  bool profile_enabled() const { return profile_; }
  void DisableGlogInfo() { glog_info_disabled_ = true; }
  bool glog_info_disabled() const { return glog_info_disabled_; }
  void PartiallyRelease() {
    if (from_memory_) {
      prog_file_.clear();
      params_file_.clear();
    }
  }

  void SetInValid() const { used_.set(); }
  bool is_valid() const { return !used_.get(); }
  NativeConfig ToNativeConfig() const {
    NativeConfig config;
    config.model_dir = model_dir_;
    config.prog_file = prog_file_;
    config.param_file = params_file_;
    config.use_gpu = use_gpu();
    config.device = gpu_device_id();
    config.specify_input_name = specify_input_name_;
    config.SetCpuMathLibraryNumThreads(threads_);
    return config;
  }

  /// A table of what was set: Paddle's rows, then those calls that change nothing here, each with what happens instead.
  std::string Summary() {
    detail::SummaryTable table;
    table.row("Option", "Value");
    table.line();
    summarize_location(table);
    table.row("cpu_math_thread", threads_);
    table.row("enable_mkldnn", mkldnn_);
    table.row("mkldnn_cache_capacity", mkldnn_cache_capacity_);
    table.line();
    summarize_gpu(table);
    table.line();
    table.row("use_xpu", use_xpu());
    table.line();
    table.row("use_cinn_compiler", cinn_enabled());
    table.row("save_optimized_model", save_optimized_model_);
    table.row("ir_optim", ir_optim_);
    table.row("ir_debug", ir_debug_);
    table.row("use_optimized_model", use_optimized_model_);
    table.row("memory_optim", memory_optim_);
    table.row("enable_profile", profile_);
    table.row("enable_log", !glog_info_disabled_);
    table.row("collect_shape_range_info", shape_range_info_collected_ ? shape_range_info_path_ : "false");
    table.line();
    table.row("engine", std::string("coracle ") + coracle_version() + " on " + coracle_cpu_isa());
    const std::string left_out = disabled_rewrites();
    table.row("rewrites left out", left_out.empty() ? "none" : left_out);
    summarize_device(table);
    for (const auto& call : recorded_calls()) table.row(call.first, "no effect: " + call.second);
    summarize_engines(table);
    return table.text();
  }

  /// For the predictors of these headers: what Coracle is asked for.
  detail::EngineOptions engine_options() const {
    detail::EngineOptions options;
    locate(options);
    detail::check_passes(passes_.AllPasses(), "the Config's pass_builder()");
    detail::check_passes(custom_passes_, "EnableCustomPasses");
    const std::vector<std::string>& passes = passes_.AllPasses();
    options.threads = threads_;
    options.disable_passes = disabled_rewrites();
    // Row tiles run several operators as one.
    if (options.disable_passes == "all") options.disable_kernels = "row_tiles,strided";
    options.device = coracle_device();
    options.stream = GetExecStream();
    options.precision = mkldnn_bfloat16_enabled() ? "bf16" : gpu_precision();
    // Every operator alone: so is none in a block of an engine.
    if (options.disable_passes != "all") choose_engines(options);
    options.dump_graphs = ir_debug_ || std::find(passes.begin(), passes.end(), "graph_viz_pass") != passes.end();
    options.dump_folder = optim_cache_dir_;
    if (shape_range_info_collected_) options.shape_range_file = shape_range_info_path_;
    options.match_inputs_by_name = specify_input_name_;
    return options;
  }

 private:
  std::string disabled_rewrites() const {
    if (!ir_optim_ || shape_range_info_collected_) return "all";
    return detail::rewrites_without(passes_.AllPasses(), passes_.GetAllDeletedPasses());
  }
  void summarize_location(detail::SummaryTable& table) const {
    if (from_memory_) {
      table.row("model_from_memory", true);
    } else if (!model_dir_.empty()) {
      table.row("model_dir", model_dir_);
    } else if (!prog_file_.empty() || !params_file_.empty()) {
      table.row("model_file", prog_file_);
      table.row("params_file", params_file_);
    }
    table.line();
  }

  bool ir_optim_ = true;
  bool ir_debug_ = false;
  bool use_feed_fetch_ops_ = false;
  bool specify_input_name_ = false;
  bool memory_optim_ = false;
  bool new_executor_ = false;
  bool new_ir_ = false;
  bool profile_ = false;
  bool glog_info_disabled_ = false;
  std::vector<std::string> custom_passes_;
  mutable detail::UsedFlag used_;
};

}  // namespace paddle

#include "detail/coracle_predictor.h"
