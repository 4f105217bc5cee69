// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "config_model.h"
#include "summary_table.h"

namespace paddle {
namespace detail {

enum class Precision { kFloat32 = 0, kInt8 = 1, kHalf = 2, kBf16 = 3 };

/// The part of a Config for engines, libraries of others that run parts of a model. A call for one of Paddle's engines
/// asks for that of Coracle with the same name ("tensorrt", a plug-in). Others stand in only where somebody says so,
/// with SetCoracleEngines or the environment variable CORACLE_PADDLE_ENGINES: results then differ by rounding, and an
/// engine compiles for each new size of inputs.
struct EngineCalls : ModelLocation {
  using ModelLocation::ModelLocation;

  /// An addition to Paddle's: engines of Coracle, in order of preference ("openvino,xnnpack", see
  /// coracle_model_options.engines), run parts of the model, whatever other calls and the environment say. Empty: none.
  void SetCoracleEngines(const std::string& engines) {
    engines_ = engines;
    engines_are_set_ = true;
  }
  /// What is asked of Coracle: the engines set, else those of the environment if any call asks for an engine, else the
  /// ones that calls ask for ("tensorrt?": where it is there; with EnableUseGpu "tensorrt?,cudnn?"). Empty: none.
  std::string coracle_engines() const {
    if (engines_are_set_) return engines_;
    if (asked_.empty()) return "";
    if (const char* named = std::getenv("CORACLE_PADDLE_ENGINES")) return named;
    std::string all;
    for (const Asked& asked : asked_) {
      all += (all.empty() ? "" : ",") + asked.engine;
      if (asked.engine == kTensorRtPlugin && asks_for_nvidia()) all += ",cudnn?";
    }
    return all;
  }

 protected:
  struct Asked {
    std::string call;
    std::string engine;  ///< as coracle_model_options.engines has it
  };

  /// A plug-in; on a GPU, where it has none, cuDNN stands in, by which the device computes.
  static constexpr const char* kTensorRtPlugin = "tensorrt?";
  bool asks_for_nvidia() const {
    const char* named = std::getenv("CORACLE_PADDLE_DEVICE");
    return asks_for_gpu_ && (named == nullptr || std::string(named).compare(0, 4, "cuda") == 0);
  }

  /// A call again changes nothing.
  void ask_for(const char* call, const char* engine) {
    if (!asks(call)) asked_.push_back({call, engine});
  }
  void take_back(const char* call) {
    asked_.erase(std::remove_if(asked_.begin(), asked_.end(), [&](const Asked& a) { return a.call == call; }),
                 asked_.end());
  }
  bool asks(const char* call) const {
    return std::any_of(asked_.begin(), asked_.end(), [&](const Asked& a) { return a.call == call; });
  }
  /// The engines that will run parts of the model, as far as they are there. Loads their libraries.
  std::string engines_there() const {
    std::string there;
    const std::string list = coracle_engines();
    for (size_t begin = 0; begin < list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      std::string name = list.substr(begin, end - begin);
      name = name.substr(0, std::min(name.find_first_of("?:"), name.size()));
      if (name.find_first_not_of(' ') != std::string::npos && is_there(name))
        there += (there.empty() ? "" : ",") + name;
      begin = end + 1;
    }
    return there;
  }
  /// True if the call was made and engines run what it asks for.
  bool is_on(const char* call) const { return asks(call) && !engines_there().empty(); }

  void summarize_engines(SummaryTable& table) const {
    const std::string there = engines_there();
    if (!asked_.empty() || engines_are_set_) table.row("engines of parts", there.empty() ? "none" : there);
    std::string named = coracle_engines();
    named.erase(std::remove(named.begin(), named.end(), '?'), named.end());
    const std::string effect = !there.empty() ? "parts run on " + there + ", the rest by Coracle's own kernels"
                               : !named.empty()
                                   ? "no effect: none is here of " + named +
                                         ", runs by Coracle's own kernels; CORACLE_PADDLE_ENGINES names others"
                                   : "no effect: engines are turned off, runs by Coracle's own kernels";
    for (const Asked& asked : asked_) table.row(asked.call, effect);
  }

  static bool is_there(const std::string& name) {
    char* json = nullptr;
    check(::coracle_engines(name.c_str(), &json));
    const std::unique_ptr<char, void (*)(char*)> owner(json, coracle_string_free);
    return std::string(json).find("\"missing\":") == std::string::npos;
  }

  bool asks_for_gpu_ = false;

 private:
  std::vector<Asked> asked_;
  std::string engines_;
  bool engines_are_set_ = false;
};

}  // namespace detail
}  // namespace paddle
