// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../paddle_place.h"
#include "lite_accelerator_config.h"
#include "lite_model.h"

namespace paddle {
namespace lite_api {

/// Memory of a program's own, which Paddle Lite can be given.
struct CustomAllocator {
  void* (*alloc)(size_t size, size_t alignment);
  void (*free)(void* memory);
};

/// What both kinds of Config have: where the model is, and how many threads run it. Copies are independent.
class LITE_API ConfigBase : public AcceleratorConfig {
 public:
  explicit ConfigBase(PowerMode mode = LITE_POWER_NO_BIND, int threads = 1) {
    set_power_mode(mode);
    set_threads(threads);
  }

  /// A folder with a model, or a saved model.
  void set_model_dir(const std::string& x) { model_dir_ = x; }
  const std::string& model_dir() const { return model_dir_; }

  /// Threads of one run: the larger of the two numbers. Results do not depend on it.
  void set_threads(int threads) { threads_ = checked(threads, "set_threads"); }
  int threads() const { return threads_; }
  void set_x86_math_num_threads(int threads) { x86_math_num_threads_ = checked(threads, "set_x86_math_num_threads"); }
  int x86_math_num_threads() const { return x86_math_num_threads_; }

  /// The processors that a thread runs on from its first Run on, and with it the others that work for it: the fast
  /// ones, the slow ones or all. Where the system refuses, or tells no speeds, it chooses.
  void set_power_mode(PowerMode mode) { mode_ = mode; }
  PowerMode power_mode() const { return mode_; }

  void add_discarded_pass(const std::string& pass) {
    record("add_discarded_pass", "Coracle's own passes run");
    discarded_passes_.push_back(pass);
  }
  std::vector<std::string> get_discarded_passes() const { return discarded_passes_; }
  void set_custom_allocator(TargetType /*target*/, const CustomAllocator& /*allocator*/) {
    record("set_custom_allocator", "memory comes from the system");
  }

  /// An addition: the device that runs the model, "opencl" or "cuda:1", as coracle_model_options.device names it.
  void set_coracle_device(const std::string& device) { device_ = device; }
  const std::string& coracle_device() const { return device_; }

 protected:
  detail::LiteModelOptions common_options() const {
    detail::LiteModelOptions options;
    options.threads = threads_ > x86_math_num_threads_ ? threads_ : x86_math_num_threads_;
    options.cpus = cpus_of(mode_);
    options.device = device_;
    return options;
  }

  static int checked(int threads, const char* call) {
    detail::require(threads >= 1 && threads <= 1024, call, " takes 1 to 1024, given ", threads);
    return threads;
  }

 private:
  /// As coracle_bind_thread takes them. The system moves threads among them, so that the modes that choose at random
  /// are like the others.
  static const char* cpus_of(PowerMode mode) {
    switch (mode) {
      case LITE_POWER_HIGH:
      case LITE_POWER_RAND_HIGH: return "fast";
      case LITE_POWER_LOW:
      case LITE_POWER_RAND_LOW: return "slow";
      case LITE_POWER_FULL: return "all";
      case LITE_POWER_NO_BIND: break;
    }
    return nullptr;
  }

  std::string model_dir_;
  int threads_ = 1;
  int x86_math_num_threads_ = 1;
  PowerMode mode_ = LITE_POWER_NO_BIND;
  std::vector<std::string> discarded_passes_;
  std::string device_;
};

}  // namespace lite_api
}  // namespace paddle
