// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "config_engines.h"

namespace paddle {
namespace detail {

/// The part of a Config for GPUs: EnableUseGpu asks for Coracle's device `cuda:ID`. Without NVIDIA's driver, or where
/// it has no device, the model runs on the CPU, as in a Paddle that was built without CUDA; Config::Summary and a
/// warning (coracle_set_logger) say why. Where there is a driver, a device that it does not have or that cannot be used
/// is an error when the predictor is made.
struct GpuChoice : EngineCalls {
  using EngineCalls::EngineCalls;

  void EnableUseGpu(uint64_t memory_pool_init_size_mb, int device_id = 0,
                    Precision precision_mode = Precision::kFloat32) {
    memory_pool_init_size_mb_ = memory_pool_init_size_mb;
    gpu_device_id_ = device_id;
    gpu_precision_ = precision_mode;
    asks_for_gpu_ = true;
  }
  void DisableGpu() { asks_for_gpu_ = false; }
  /// An addition to Paddle's: the device that runs the model, as coracle_model_options.device names it, whatever other
  /// calls and the environment say. "cuda:1" must be there, "cuda:1?" only where there is a driver; empty: the CPU.
  void SetCoracleDevice(const std::string& device) {
    device_ = device;
    device_is_set_ = true;
  }
  /// What is asked of Coracle: the device set; else, if EnableUseGpu was called, the one that the environment variable
  /// CORACLE_PADDLE_DEVICE names, or "cuda:ID?". Empty: the CPU.
  std::string coracle_device() const {
    if (device_is_set_) return device_;
    if (!asks_for_gpu_) return "";
    if (const char* named = std::getenv("CORACLE_PADDLE_DEVICE")) return named;
    return "cuda:" + std::to_string(gpu_device_id_) + "?";
  }

  /// True if the model will run on a device: not where there is no driver for it. Loads the driver.
  bool use_gpu() const { return device_outlook().on; }
  int gpu_device_id() const { return gpu_device_id_; }
  int memory_pool_init_size_mb() const { return static_cast<int>(memory_pool_init_size_mb_); }
  float fraction_of_gpu_memory_for_pool() const { return 0.F; }
  void EnableCUDNN() { record("EnableCUDNN", kEngine); }
  bool cudnn_enabled() const { return false; }
  void EnableGpuMultiStream() { record("EnableGpuMultiStream", "each predictor has streams of its own"); }
  bool thread_local_stream_enabled() const { return false; }
  void Exp_EnableUseCutlass() { record("Exp_EnableUseCutlass", kEngine); }
  void SetExecStream(void* stream) {
    require(stream != nullptr, "SetExecStream was given a null pointer");
    exec_stream_ = stream;
    record("SetExecStream", "runs begin after what the stream was given, which goes on after them");
  }
  void* GetExecStream() const { return exec_stream_; }
  bool external_stream_enabled() const { return exec_stream_ != nullptr; }

 protected:
  /// How the device may compute, as coracle_model_options.precision; empty: as it is without the call.
  std::string gpu_precision() const {
    const bool rounds = gpu_precision_ == Precision::kHalf || gpu_precision_ == Precision::kBf16;
    if (!asks_for_gpu_ || !rounds || !device_outlook().on) return "";
    return gpu_precision_ == Precision::kHalf ? "fp16" : "bf16";
  }

  static constexpr const char* kCpu = "runs on the CPU";
  static constexpr const char* kEngine = "runs by Coracle's own kernels";

  /// Paddle's rows.
  void summarize_gpu(SummaryTable& table) const {
    const bool on = use_gpu();
    table.row("use_gpu", on);
    if (!on) return;
    table.row("gpu_device_id", gpu_device_id_);
    table.row("enable_gpu_mixed", false);
    table.row("memory_pool_init_size", std::to_string(memory_pool_init_size_mb_) + "MB");
    table.row("use_external_stream", external_stream_enabled());
    table.row("thread_local_stream", thread_local_stream_enabled());
  }
  /// What becomes of the calls.
  void summarize_device(SummaryTable& table) const {
    if (!asks_for_gpu_ && !device_is_set_) return;
    const Outlook outlook = device_outlook();
    table.row(asks_for_gpu_ ? "EnableUseGpu" : "SetCoracleDevice", outlook.text);
    if (!asks_for_gpu_) return;
    if (outlook.on)
      table.row("EnableUseGpu(memory pool)", "no effect: memory is taken from the device as it is needed");
    if (gpu_precision_ != Precision::kFloat32) {
      const std::string precision = gpu_precision();
      table.row("EnableUseGpu(precision)", precision.empty()
                                               ? "no effect: runs in the model's precision"
                                               : "products are computed as precision " + precision + " allows");
    }
  }

 private:
  struct Outlook {
    bool on;  ///< the model runs on the device, or there is no predictor
    std::string text;
  };
  Outlook device_outlook() const {
    std::string device = coracle_device();
    if (device.empty() || device == "cpu") return {false, "no effect: devices are turned off, runs on the CPU"};
    char* text = nullptr;
    if (coracle_find_device(device.c_str(), &text) != CORACLE_OK) {
      return {true, std::string("no predictor can be made: ") + coracle_last_error()};
    }
    const std::unique_ptr<char, void (*)(char*)> owner(text, coracle_string_free);
    const bool may_be_missing = device.back() == '?';
    if (may_be_missing) device.pop_back();
    if (text == nullptr) return {true, "runs on " + device + ", and on the CPU what has no kernel there"};
    return may_be_missing ? Outlook{false, std::string("no effect: runs on the CPU: ") + text}
                          : Outlook{true, std::string("no predictor can be made: ") + text};
  }

  uint64_t memory_pool_init_size_mb_ = 100;
  int gpu_device_id_ = 0;
  Precision gpu_precision_ = Precision::kFloat32;
  std::string device_;
  bool device_is_set_ = false;
  void* exec_stream_ = nullptr;
};

}  // namespace detail
}  // namespace paddle
