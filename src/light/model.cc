// SPDX-License-Identifier: Apache-2.0
// Loads saved models: all that this library reads.
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "api/guard.h"
#include "api/handles.h"
#include "api/model_options.h"
#include "api/options.h"
#include "base/cpus.h"
#include "base/deadline.h"
#include "base/printable.h"
#include "base/run_context.h"
#include "base/stack.h"
#include "saved/read.h"

namespace coracle::internal {
namespace {

coracle_model_options default_model_options() {
  coracle_model_options options{};
  options.max_rewrites = -1;
  options.weights_cache_bytes = ProgramOptions{}.weights_cache_bytes;
  options.min_ops = 1;
  return options;
}

/// What of the options this library has; others are refused by name.
struct LightOptions {
  ProgramOptions program;
  Weights weights = Weights::kAutomatic;
  bool check_weights = false;
  bool declared_sizes_bind = false;
  int64_t time_limit_ms = 0;
  const std::atomic<uint32_t>* cancelled = nullptr;
};

void refuse(bool given, const char* option) {
  require(!given, ErrorCode::kUnsupported, "the light library has no option ", option,
          ": leave it as coracle_model_options_init sets it, or use libcoracle");
}

LightOptions light_options(const coracle_model_options* given) {
  require_kernels();
  LightOptions options;
  if (given == nullptr) return options;
  const coracle_model_options c = read_options(*given, default_model_options(), "coracle_model_options");
  const auto names_something = [](const char* text) { return text != nullptr && *text != '\0'; };
  refuse(names_something(c.disable_passes) || c.max_rewrites >= 0, "disable_passes or max_rewrites");
  refuse(names_something(c.keep_tensors), "keep_tensors");
  refuse(names_something(c.device) && std::strcmp(c.device, "cpu") != 0, "device");
  refuse(names_something(c.engines) || names_something(c.marks) || names_something(c.shapes),
         "engines, marks or shapes");
  refuse(c.after_pass != nullptr, "after_pass");
  refuse(c.emulate_tiles != 0, "emulate_tiles");
  KernelChoice& kernels = options.program.kernels;
  if (c.cpu_isa != nullptr) kernels.capability = capability_of(c.cpu_isa);
  set_named("precision", c.precision, kernels.precision);
  kernels.disabled = split(c.disable_kernels);
  options.program.weights_cache_bytes = c.weights_cache_bytes;
  set_named("weights", c.weights, options.weights);
  options.check_weights = c.check_weights != 0;
  options.declared_sizes_bind = c.check_declared_sizes != 0;
  options.time_limit_ms = checked_time_limit(c.time_limit_ms);
  options.cancelled = reinterpret_cast<const std::atomic<uint32_t>*>(c.cancelled);
  return options;
}

void load(File file, const LightOptions& options, coracle_model** out) {
  auto handle = std::make_unique<coracle_model>();
  require_stack("loading a model");
  const RunContext context(Deadline("loading", Deadline::Clock::now(), options.time_limit_ms, options.cancelled));
  usable_cpus();  // reads files, which sessions then do not
  file.read_within(context);
  require(is_saved_model(file), ErrorCode::kUnsupported, in_quotes(file.name()),
          " is not a saved model, and the light library opens no other: make one of the model with 'coracle optimize "
          "MODEL -o FILE.coracle'");
  file.map_as(options.weights);
  LoadedModel loaded = load_saved_model(file, options.check_weights);
  auto graph = std::make_shared<const Graph>(std::move(loaded.graph));
  auto program = std::make_shared<const Program>(std::move(graph), options.program, std::move(loaded.packed));
  handle->model =
      std::make_shared<const RunnableModel>(std::move(loaded.info), std::move(program), options.declared_sizes_bind);
  *out = handle.release();
}

File opened(const char* path) {
  std::optional<File> file = File::open(path);
  require(file.has_value(), ErrorCode::kIo, "there is no file ", in_quotes(path));
  return *std::move(file);
}

/// Weights of their own belong to other formats.
void refuse_params(bool given) {
  require(!given, ErrorCode::kInvalidArgument, "a saved model holds its weights: give no file of parameters beside it");
}

}  // namespace
}  // namespace coracle::internal

using coracle::internal::guard;
using coracle::internal::require_pointer;

extern "C" {

const char* coracle_version(void) { return CORACLE_VERSION; }

void coracle_model_options_init(coracle_model_options* options, size_t struct_size) {
  coracle::internal::init_options(options, struct_size, coracle::internal::default_model_options());
}

coracle_status coracle_model_load(const char* path, const char* params_path, const coracle_model_options* options,
                                  coracle_model** model) {
  return guard([&] {
    require_pointer(path, "path");
    require_pointer(model, "model");
    coracle::internal::refuse_params(params_path != nullptr && *params_path != '\0');
    const coracle::internal::LightOptions chosen = coracle::internal::light_options(options);
    coracle::internal::load(coracle::internal::opened(path), chosen, model);
  });
}

coracle_status coracle_model_load_memory(const void* program, size_t program_size, const void* params,
                                         size_t params_size, const coracle_model_options* options,
                                         coracle_model** model) {
  return guard([&] {
    require_pointer(program, "program");
    require_pointer(model, "model");
    coracle::internal::refuse_params(params != nullptr && params_size != 0);
    coracle::internal::load(coracle::internal::borrowed_bytes(program, program_size, "<memory>"),
                            coracle::internal::light_options(options), model);
  });
}

coracle_status coracle_model_load_callback(const char* path, const char* params_path, coracle_read_function read,
                                           void* user, const coracle_model_options* options, coracle_model** model) {
  return guard([&] {
    require_pointer(path, "path");
    require_pointer(model, "model");
    coracle::internal::require(read != nullptr, coracle::internal::ErrorCode::kInvalidArgument,
                               "argument 'read' is null");
    coracle::internal::refuse_params(params_path != nullptr && *params_path != '\0');
    const coracle::internal::LightOptions chosen = coracle::internal::light_options(options);
    const void* data = nullptr;
    size_t size = 0;
    coracle::internal::require(read(user, path, &data, &size) == 0, coracle::internal::ErrorCode::kIo,
                               "there is no file ", coracle::internal::in_quotes(path));
    coracle::internal::load(coracle::internal::borrowed_bytes(data, size, path), chosen, model);
  });
}

}  // extern "C"
