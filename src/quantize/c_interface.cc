// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "coracle/coracle.hpp"
#include "coracle/quantize.h"
#include "quantize/error.h"
#include "quantize/given_inputs.h"
#include "quantize/quantize_model.h"
#include "quantize/settings.h"

struct coracle_quantization {
  coracle::internal::quantize::ReportTexts texts;
};

namespace coracle::internal::quantize {
namespace {

coracle_status c_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return CORACLE_INVALID_ARGUMENT;
    case ErrorCode::kInvalidModel: return CORACLE_INVALID_MODEL;
    case ErrorCode::kUnsupported: return CORACLE_UNSUPPORTED;
    case ErrorCode::kIo: return CORACLE_IO;
    case ErrorCode::kOutOfMemory: return CORACLE_OUT_OF_MEMORY;
    case ErrorCode::kRunFailure: return CORACLE_RUN_FAILURE;
    case ErrorCode::kCancelled: return CORACLE_CANCELLED;
  }
  return CORACLE_RUN_FAILURE;
}

/// Runs f and turns whatever it throws into a status and a message.
template <class F>
coracle_status guarded(const F& f) noexcept {
  const auto keep = [](coracle_status status, const char* message) {
    coracle_set_last_error(message);
    return status;
  };
  try {
    f();
    return CORACLE_OK;
  } catch (const Error& e) {
    return keep(c_status(e.code()), e.what());
  } catch (const coracle::Exception& e) {
    return keep(e.status(), e.what());
  } catch (const std::bad_alloc&) {
    return keep(CORACLE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::length_error&) {  // a list that no memory holds
    return keep(CORACLE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return keep(CORACLE_RUN_FAILURE, e.what());
  }
}

void require_given(const void* argument, const char* name) {
  require(argument != nullptr, ErrorCode::kInvalidArgument, "argument '", name, "' is null");
}

/// What a user gave, with zeros for the fields that were added after the user was compiled. Fields of a later version
/// must be zero.
coracle_quantize_options whole_options(const coracle_quantize_options* given) {
  coracle_quantize_options options{};
  if (given == nullptr) return options;
  size_t size = 0;  // Read alone: the user's struct may be smaller than ours.
  std::memcpy(&size, given, sizeof(size));
  constexpr size_t kLargest = 4096;  // not a size that a struct can have
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  const bool fits =
      size >= sizeof(size) && size % sizeof(size) == 0 && size <= kLargest &&
      std::all_of(bytes + std::min(size, sizeof(options)), bytes + size, [](unsigned char b) { return b == 0; });
  require(fits, ErrorCode::kInvalidArgument, "coracle_quantize_options has struct_size ", size, ", here it is ",
          sizeof(options),
          ": call coracle_quantize_options_init first, and set no options that this version of the library does not "
          "have");
  std::memcpy(&options, given, std::min(size, sizeof(options)));
  return options;
}

Options given_options(const coracle_quantize_options& given) {
  if (given.setting_count != 0) require_given(given.settings, "settings");
  std::vector<std::string_view> settings;
  for (size_t i = 0; i < given.setting_count; ++i) {
    require_given(given.settings[i], "settings");
    settings.emplace_back(given.settings[i]);
  }
  return options_of(settings);
}

ReportTexts quantize_given(const char* model, const char* output, const coracle_quantize_options& given) {
  if (given.sets != 0) require(given.data != nullptr, ErrorCode::kInvalidArgument, "argument 'data' is null");
  const GivenSets sets(given.sets, given.data, given.data_user);
  Task task;
  task.model = model;
  task.params = given.params == nullptr ? "" : given.params;
  task.output = output;
  task.options = given_options(given);
  task.sets = &sets;
  task.runs = {given.session, given.cancelled};
  task.state = given.state == nullptr ? "" : given.state;
  task.message = [&](coracle_log_level level, const std::string& message) {
    if (given.message != nullptr) given.message(given.message_user, level, message.c_str());
  };
  if (given.progress != nullptr) {
    task.progress = [&](const char* step, size_t done, size_t all) {
      given.progress(given.progress_user, step, done, all);
    };
  }
  return quantize_model(task);
}

}  // namespace
}  // namespace coracle::internal::quantize

using coracle::internal::quantize::guarded;
using coracle::internal::quantize::require_given;

extern "C" {

coracle_status coracle_quantize_set_input(coracle_quantize_inputs* inputs, const char* name, coracle_dtype dtype,
                                          int32_t rank, const int64_t* dims, const void* data) {
  return guarded([&] {
    require_given(inputs, "inputs");
    inputs->set_input(name, dtype, rank, dims, data);
  });
}

coracle_status coracle_quantize_set_input_lod(coracle_quantize_inputs* inputs, const char* name, size_t levels,
                                              const size_t* sizes, const size_t* offsets) {
  return guarded([&] {
    require_given(inputs, "inputs");
    inputs->set_lod(name, levels, sizes, offsets);
  });
}

coracle_status coracle_quantize_name_set(coracle_quantize_inputs* inputs, const char* name) {
  return guarded([&] {
    require_given(inputs, "inputs");
    require_given(name, "name");
    inputs->set.name = name;
  });
}

void coracle_quantize_options_init(coracle_quantize_options* options, size_t struct_size) {
  if (options == nullptr) return;
  std::memset(options, 0, std::min(struct_size, sizeof(*options)));
  std::memcpy(options, &struct_size, std::min(struct_size, sizeof(struct_size)));
}

coracle_status coracle_quantize(const char* model, const char* output, const coracle_quantize_options* options,
                                coracle_quantization** quantization) {
  return guarded([&] {
    require_given(model, "model");
    require_given(output, "output");
    auto made = std::make_unique<coracle_quantization>();
    made->texts =
        coracle::internal::quantize::quantize_given(model, output, coracle::internal::quantize::whole_options(options));
    if (quantization != nullptr) *quantization = made.release();
  });
}

const char* coracle_quantization_json(const coracle_quantization* quantization) {
  return quantization == nullptr ? nullptr : quantization->texts.json.c_str();
}

const char* coracle_quantization_html(const coracle_quantization* quantization) {
  return quantization == nullptr ? nullptr : quantization->texts.page.c_str();
}

const char* coracle_quantization_text(const coracle_quantization* quantization) {
  return quantization == nullptr ? nullptr : quantization->texts.table.c_str();
}

void coracle_quantization_free(coracle_quantization* quantization) { delete quantization; }

}  // extern "C"
