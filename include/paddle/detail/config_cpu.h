// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "../paddle_mkldnn_quantizer_config.h"
#include "../paddle_pass_builder.h"
#include "config_tensorrt.h"

namespace paddle {
namespace detail {

/// The part of a Config for the CPU and oneDNN. Coracle's kernels always use what the machine has, so oneDNN's switches
/// are kept for those who ask, and change the list of passes as in Paddle.
struct CpuChoice : TensorRtChoice {
  using TensorRtChoice::TensorRtChoice;

  /// Threads of one run, the caller included.
  void SetCpuMathLibraryNumThreads(int cpu_math_library_num_threads) {
    require(cpu_math_library_num_threads >= 1 && cpu_math_library_num_threads <= 1024,
            "SetCpuMathLibraryNumThreads takes 1 to 1024, given ", cpu_math_library_num_threads);
    threads_ = cpu_math_library_num_threads;
  }
  int cpu_math_library_num_threads() const { return threads_; }

  void EnableMKLDNN() {
    mkldnn_ = true;
    passes_.EnableMKLDNN();
    record("EnableMKLDNN", kKernels);
  }
  void DisableMKLDNN() {
    mkldnn_ = false;
    mkldnn_bfloat16_ = false;
    passes_.DisableMKLDNN();
  }
  bool mkldnn_enabled() const { return mkldnn_; }
  void SetMkldnnCacheCapacity(int capacity) {
    mkldnn_cache_capacity_ = capacity;
    record("SetMkldnnCacheCapacity", "plans are kept up to a bound in bytes");
  }
  void SetMKLDNNOp(const std::unordered_set<std::string>& op_list) {
    (void)op_list;
    record("SetMKLDNNOp", kKernels);
  }
  void EnableMkldnnBfloat16() {
    mkldnn_bfloat16_ = true;
    passes_.EnableMkldnnBfloat16();
  }
  bool mkldnn_bfloat16_enabled() const { return mkldnn_bfloat16_; }
  void SetBfloat16Op(const std::unordered_set<std::string>& op_list) {
    (void)op_list;
    record("SetBfloat16Op", kPrecision);
  }
  void EnableMkldnnInt8(const std::unordered_set<std::string>& op_list = {}) {
    (void)op_list;
    mkldnn_int8_ = true;
    passes_.EnableMkldnnInt8();
    record("EnableMkldnnInt8", kPrecision);
  }
  bool mkldnn_int8_enabled() const { return mkldnn_int8_; }
  void DisableMkldnnFcPasses() {
    fc_passes_disabled_ = true;
    passes_.DisableMkldnnFcPasses();
    record("DisableMkldnnFcPasses", kKernels);
  }
  bool mkldnn_fc_passes_disabled() const { return fc_passes_disabled_; }
  void EnableMkldnnQuantizer() {
    mkldnn_quantizer_ = true;
    record("EnableMkldnnQuantizer", kPrecision);
  }
  bool mkldnn_quantizer_enabled() const { return mkldnn_quantizer_; }
  MkldnnQuantizerConfig* mkldnn_quantizer_config() const { return &quantizer_config_; }
  void DisableFCPadding() {
    fc_padding_ = false;
    record("DisableFCPadding", kKernels);
  }
  bool use_fc_padding() const { return fc_padding_; }

  // The names since 3.2.
  void EnableONEDNN() { EnableMKLDNN(); }
  void DisableONEDNN() { DisableMKLDNN(); }
  bool onednn_enabled() const { return mkldnn_enabled(); }
  void SetOnednnCacheCapacity(int capacity) { SetMkldnnCacheCapacity(capacity); }
  void SetONEDNNOp(const std::unordered_set<std::string>& op_list) { SetMKLDNNOp(op_list); }
  void EnableOnednnBfloat16() { EnableMkldnnBfloat16(); }
  bool onednn_bfloat16_enabled() const { return mkldnn_bfloat16_enabled(); }
  void EnableOnednnInt8(const std::unordered_set<std::string>& op_list = {}) { EnableMkldnnInt8(op_list); }
  bool onednn_int8_enabled() const { return mkldnn_int8_enabled(); }
  void DisableOnednnFcPasses() { DisableMkldnnFcPasses(); }
  bool onednn_fc_passes_disabled() const { return mkldnn_fc_passes_disabled(); }

 protected:
  static constexpr const char* kKernels = "Coracle's own kernels use all the machine has";
  static constexpr const char* kPrecision = "runs in the model's precision";

  int threads_ = 1;
  bool mkldnn_ = false;
  int mkldnn_cache_capacity_ = 10;
  bool mkldnn_bfloat16_ = false;
  bool mkldnn_int8_ = false;
  bool fc_passes_disabled_ = false;
  bool mkldnn_quantizer_ = false;
  bool fc_padding_ = true;
  mutable MkldnnQuantizerConfig quantizer_config_;
  mutable CpuPassStrategy passes_;
};

}  // namespace detail
}  // namespace paddle
