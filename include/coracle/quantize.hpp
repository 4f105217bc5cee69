// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Quantising a model in C++: header-only over quantize.h, in the way of coracle.hpp. Linked with libcoracle_quantize
/// and libcoracle.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "coracle/coracle.hpp"
#include "coracle/quantize.h"

namespace coracle {
#if !defined(__cpp_exceptions)
inline namespace without_exceptions {  // so that both kinds of objects may be in one program
#endif

/// The inputs of one run, to be filled in: each input of the model once.
class QuantizeInputs {
 public:
  explicit QuantizeInputs(coracle_quantize_inputs* handle) : handle_(handle) {}

  /// Sets an input by copying. `name` as the model has it; empty: the first that is not set yet.
  template <class T>
  void set(const std::string& name, const Dims& dims, Span<const T> values) {
    std::size_t count = 1;
    for (std::int64_t d : dims) count *= static_cast<std::size_t>(d);
    if (count != values.size()) {
      fail(CORACLE_INVALID_ARGUMENT, "input '" + name + "': the shape has " + std::to_string(count) +
                                         " elements, given " + std::to_string(values.size()));
    }
    set(name, dtype_of<T>(), dims, values.data());
  }
  template <class T>
  void set(const std::string& name, const Dims& dims, const std::vector<T>& values) {
    set(name, dims, Span<const T>(values));
  }
  /// The same with elements of any type.
  void set(const std::string& name, coracle_dtype dtype, const Dims& dims, const void* data) {
    check(coracle_quantize_set_input(handle_, name_or_null(name), dtype, static_cast<std::int32_t>(dims.size()),
                                     dims.data(), data));
  }
  /// The sequence offsets of an input that was set before; `name` empty: of the last.
  void set_lod(const std::string& name, const Lod& lod) {
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> offsets;
    for (const std::vector<std::size_t>& level : lod) {
      sizes.push_back(level.size());
      offsets.insert(offsets.end(), level.begin(), level.end());
    }
    check(coracle_quantize_set_input_lod(handle_, name_or_null(name), lod.size(), sizes.data(), offsets.data()));
  }
  /// What messages call this set.
  void name_set(const std::string& name) { check(coracle_quantize_name_set(handle_, name.c_str())); }

 private:
  static const char* name_or_null(const std::string& name) { return name.empty() ? nullptr : name.c_str(); }

  coracle_quantize_inputs* handle_;
};

/// See coracle_quantize_options.
struct QuantizeOptions {
  std::string params = {};                 ///< parameter file; empty: by Paddle's naming rules
  std::vector<std::string> settings = {};  ///< "method=kl", "max_drop=1"
  std::size_t sets = 0;                    ///< of inputs, which `data` gives
  /// Fills in the inputs of a set, from 0 on, the same each time it is asked. What it throws ends quantising.
  std::function<void(std::size_t set, QuantizeInputs& inputs)> data = {};
  SessionOptions session = {};  ///< of all runs
  std::string state = {};       ///< file that an interrupted call is gone on with from; empty: none
  /// Told of "calibration", "methods", "times", "layers" or "choice", how much of how much is done. May not throw, nor
  /// may `message`.
  std::function<void(const std::string& step, std::size_t done, std::size_t total)> progress = {};
  std::function<void(coracle_log_level level, const std::string& message)> message = {};
  /// What another thread or a signal handler sets to 1 to end it with CORACLE_CANCELLED; null: nobody does.
  const std::atomic<std::uint32_t>* cancelled = nullptr;
};

/// What came of quantising a model. Copies share it.
class Quantization {
 public:
  explicit Quantization(coracle_quantization* handle) : handle_(handle, coracle_quantization_free) {}

  /// The report, as `coracle quantize --json` prints it.
  std::string json() const { return coracle_quantization_json(handle_.get()); }
  /// As a page that loads nothing.
  std::string html() const { return coracle_quantization_html(handle_.get()); }
  /// As a table for a terminal.
  std::string text() const { return coracle_quantization_text(handle_.get()); }

 private:
  std::shared_ptr<const coracle_quantization> handle_;
};

namespace quantize_detail {

/// What the C interface calls.
struct Calls {
  const QuantizeOptions& options;
  std::exception_ptr failure = nullptr;  ///< of `data`

  static coracle_status data(void* user, std::size_t set, coracle_quantize_inputs* handle) {
    Calls& self = *static_cast<Calls*>(user);
    QuantizeInputs inputs(handle);
#if defined(__cpp_exceptions)
    try {
      self.options.data(set, inputs);
    } catch (...) {  // may not cross the C interface
      self.failure = std::current_exception();
      return CORACLE_RUN_FAILURE;
    }
#else
    self.options.data(set, inputs);
#endif
    return CORACLE_OK;
  }
  static void progress(void* user, const char* step, std::size_t done, std::size_t total) {
    static_cast<Calls*>(user)->options.progress(step, done, total);
  }
  static void message(void* user, coracle_log_level level, const char* text) {
    static_cast<Calls*>(user)->options.message(level, text);
  }
};

}  // namespace quantize_detail

/// Quantises the model and writes it: coracle_quantize.
inline Quantization quantize(const std::string& model, const std::string& output, const QuantizeOptions& options = {}) {
  const auto or_null = [](const std::string& s) { return s.empty() ? nullptr : s.c_str(); };
  std::vector<const char*> settings;
  for (const std::string& setting : options.settings) settings.push_back(setting.c_str());
  const coracle_session_options session = c_options(options.session);
  quantize_detail::Calls calls{options};
  coracle_quantize_options c;
  coracle_quantize_options_init(&c, sizeof(c));
  c.params = or_null(options.params);
  c.settings = settings.data();
  c.setting_count = settings.size();
  c.sets = options.sets;
  if (options.data) c.data = quantize_detail::Calls::data;
  c.data_user = &calls;
  c.session = &session;
  c.state = or_null(options.state);
  if (options.progress) c.progress = quantize_detail::Calls::progress;
  c.progress_user = &calls;
  if (options.message) c.message = quantize_detail::Calls::message;
  c.message_user = &calls;
  c.cancelled = reinterpret_cast<const std::uint32_t*>(options.cancelled);
  coracle_quantization* quantization = nullptr;
  const coracle_status status = coracle_quantize(model.c_str(), output.c_str(), &c, &quantization);
#if defined(__cpp_exceptions)
  if (calls.failure != nullptr) std::rethrow_exception(calls.failure);
#endif
  check(status);
  return Quantization(quantization);
}

#if !defined(__cpp_exceptions)
}  // namespace without_exceptions
#endif
}  // namespace coracle
