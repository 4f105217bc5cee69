// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "api/describe.h"
#include "api/enumerations.h"
#include "api/guard.h"
#include "api/handles.h"
#include "api/model_options.h"
#include "api/operator.h"
#include "api/options.h"
#include "api/thread_text.h"
#include "base/counted.h"
#include "base/file.h"
#include "base/nearest_name.h"
#include "base/new_file.h"
#include "base/printable.h"
#include "base/stack.h"
#include "blocks/block_plan.h"
#include "blocks/shape_range_file.h"
#include "graph/dot.h"
#include "graph/text.h"
#include "run/open_device.h"

namespace coracle::internal {
namespace {

/// Error for a name that is neither a pass nor a stage of finding blocks: a misspelt one would be left on without a
/// word.
void check_pass_names(const std::vector<std::string>& names) {
  std::vector<std::string_view> there{"all"};
  std::string list;
  const auto add = [&](std::string_view name) {
    if (std::find(there.begin(), there.end(), name) != there.end()) return;
    there.push_back(name);
    list.append(list.empty() ? "" : ", ").append(name);
  };
  for (const Pass& pass : pipeline()) add(pass.name);
  for (const BlockStage& stage : block_stages()) add(stage.name);
  for (const std::string& name : names) {
    if (std::find(there.begin(), there.end(), name) != there.end()) continue;
    fail(ErrorCode::kInvalidArgument, "there is no pass '", name, "' to disable; there are: ", list,
         suggestion(name, there));
  }
}

coracle_model_options default_model_options() {
  coracle_model_options options{};
  options.max_rewrites = -1;
  options.weights_cache_bytes = ModelOptions{}.weights_cache_bytes;
  options.min_ops = EngineChoice{}.min_ops;
  return options;
}

/// What stands between blanks, as in "openvino, xnnpack".
std::string_view without_blanks(std::string_view name) {
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  return name;
}

/// "x=1..2..8", "x?=1..2..8" for a variable that need not be an input, or "@FILE".
void add_shapes(std::string_view shapes, EngineChoice& choice) {
  if (shapes.starts_with('@')) {
    const std::string name(shapes.substr(1));
    const std::optional<File> file = File::open(name);
    require(file.has_value(), ErrorCode::kIo, "there is no file of shape ranges ", in_quotes(name));
    const FileBytes content = file->read_all();
    const std::string_view text(reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size());
    for (ShapeRange& range : parse_shape_range_file(text)) choice.variables.push_back(std::move(range));
    return;
  }
  ShapeRange range = parse_shape_range(shapes);
  const bool optional = range.input.size() > 1 && range.input.ends_with('?');
  if (optional) range.input.pop_back();
  (optional ? choice.variables : choice.shapes).push_back(std::move(range));
}

EngineChoice engine_choice(const coracle_model_options& c, Precision precision) {
  EngineChoice choice;
  require(c.min_ops >= 1, ErrorCode::kInvalidArgument, "min_ops is ", c.min_ops, ", expected at least 1");
  choice.min_ops = c.min_ops;
  for (const std::string& name : split(c.engines))
    choice.engines.push_back(used_engine(without_blanks(name), precision));
  for (const std::string& mark : split(c.marks)) add_mark(without_blanks(mark), precision, choice);
  for (const std::string& shapes : split(c.shapes)) add_shapes(without_blanks(shapes), choice);
  return choice;
}

ModelOptions model_options(const coracle_model_options* given) {
  require_kernels();
  ModelOptions options;
  if (given == nullptr) return options;
  const coracle_model_options c = read_options(*given, default_model_options(), "coracle_model_options");
  options.declared_sizes_bind = c.check_declared_sizes != 0;
  options.load.check_weights = c.check_weights != 0;
  options.load.outside_links = c.allow_outside_links != 0;
  options.weights_cache_bytes = c.weights_cache_bytes;
  if (c.operator_count > 0) require_pointer(c.operators, "operators");
  for (const coracle_operator& op : std::span(c.operators, c.operator_count)) {
    options.load.operators.push_back(operator_from(op));
  }
  if (c.cpu_isa != nullptr) options.kernels.capability = capability_of(c.cpu_isa);
  set_named("precision", c.precision, options.kernels.precision);
  options.kernels.emulates_modes = c.emulate_tiles != 0;
  options.passes.disabled = split(c.disable_passes);
  check_pass_names(options.passes.disabled);
  options.passes.max_rewrites = c.max_rewrites;
  options.kernels.disabled = split(c.disable_kernels);
  options.keep_tensors = split(c.keep_tensors);
  if (c.device != nullptr) options.device = c.device;
  options.engines = engine_choice(c, options.kernels.precision);
  options.time_limit_ms = checked_time_limit(c.time_limit_ms);
  set_named("weights", c.weights, options.load.weights);
  static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) && std::atomic<uint32_t>::is_always_lock_free);
  options.cancelled = reinterpret_cast<const std::atomic<uint32_t>*>(c.cancelled);
  if (c.after_pass != nullptr) {
    options.passes.after_pass = [told = c.after_pass, user = c.after_pass_user](const char* pass, int count,
                                                                                const Graph& graph) {
      told(user, pass, count, print(graph, NodeNames::kAsComments).c_str(), dot(graph).c_str());
    };
  }
  return options;
}

/// Models of this library are all loaded by it.
const Model& as_loaded(const coracle_model& model) { return static_cast<const Model&>(*model.model); }

coracle_status save(const coracle_model* model, const char* path, bool with_packed) {
  return guard([&] {
    require_pointer(model, "model");
    require_pointer(path, "path");
    require(*path != '\0', ErrorCode::kInvalidArgument, "argument 'path' is empty");
    as_loaded(*model).save(path, with_packed);
  });
}

void load(const ModelSource& source, const coracle_model_options* options, coracle_model** out) {
  auto handle = std::make_unique<coracle_model>();
  require_stack("loading a model");
  const ModelOptions given = model_options(options);
  const std::shared_ptr<const Model> model = Model::load(source, given);
  handle->description = describe(*model);
  handle->model = model;
  for (const auto& op : given.load.operators) take_over(*op);
  *out = handle.release();
}

std::string or_empty(const char* s) { return s == nullptr ? std::string() : std::string(s); }

ModelSource by_callback(coracle_read_function read, void* user, const char* path, const char* params) {
  const auto read_file = [=](const std::string& name) -> std::optional<FileBytes> {
    const void* data = nullptr;
    size_t size = 0;
    if (read(user, name.c_str(), &data, &size) != 0) return std::nullopt;
    return borrowed_bytes(data, size, name);
  };
  return ModelSource::by_callback(read_file, path, or_empty(params));
}

}  // namespace
}  // namespace coracle::internal

using coracle::internal::guard;
using coracle::internal::require_pointer;

extern "C" {

const char* coracle_version(void) { return CORACLE_VERSION; }

const char* coracle_pass_name(size_t index) {
  const std::vector<coracle::internal::Pass>& all = coracle::internal::pipeline();
  return index < all.size() ? all[index].name : nullptr;
}

void coracle_model_options_init(coracle_model_options* options, size_t struct_size) {
  coracle::internal::init_options(options, struct_size, coracle::internal::default_model_options());
}

coracle_status coracle_model_load(const char* path, const char* params_path, const coracle_model_options* options,
                                  coracle_model** model) {
  return guard([&] {
    require_pointer(path, "path");
    require_pointer(model, "model");
    coracle::internal::load(coracle::internal::ModelSource::on_disk(path, coracle::internal::or_empty(params_path)),
                            options, model);
  });
}

coracle_status coracle_model_load_memory(const void* program, size_t program_size, const void* params,
                                         size_t params_size, const coracle_model_options* options,
                                         coracle_model** model) {
  return guard([&] {
    require_pointer(program, "program");
    require_pointer(model, "model");
    if (params_size != 0) require_pointer(params, "params");
    coracle::internal::load(coracle::internal::ModelSource::in_memory(
                                coracle::internal::borrowed_bytes(program, program_size, "<memory>"),
                                coracle::internal::borrowed_bytes(params, params_size, "<memory params>")),
                            options, model);
  });
}

coracle_status coracle_model_load_callback(const char* path, const char* params_path, coracle_read_function read,
                                           void* user, const coracle_model_options* options, coracle_model** model) {
  return guard([&] {
    require_pointer(path, "path");
    require_pointer(model, "model");
    coracle::internal::require(read != nullptr, coracle::internal::ErrorCode::kInvalidArgument,
                               "argument 'read' is null");
    coracle::internal::load(coracle::internal::by_callback(read, user, path, params_path), options, model);
  });
}

coracle_status coracle_model_file(const char* path, const char* name, size_t max_size, coracle_read_function read,
                                  void* user, char** data, size_t* size) {
  return guard([&] {
    require_pointer(path, "path");
    require_pointer(name, "name");
    require_pointer(data, "data");
    require_pointer(size, "size");
    *data = nullptr;
    *size = 0;
    const std::optional<coracle::internal::File> file =
        coracle::internal::find_beside(read == nullptr ? coracle::internal::ModelSource::on_disk(path)
                                                       : coracle::internal::by_callback(read, user, path, nullptr),
                                       name);
    if (!file) return;
    coracle::internal::require(file->size() <= max_size, coracle::internal::ErrorCode::kIo,
                               coracle::internal::in_quotes(file->name()), " has ",
                               coracle::internal::counted(file->size(), "byte"), ", at most ", max_size, " are read");
    const coracle::internal::FileBytes content = file->read_all();
    *data = coracle::internal::copied({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()});
    *size = content.bytes.size();
  });
}

coracle_status coracle_write_files(const coracle_new_file* files, size_t count) {
  return guard([&] {
    if (count > 0) require_pointer(files, "files");
    std::vector<coracle::internal::NamedContent> contents;
    for (const coracle_new_file& file : std::span(files, count)) {
      require_pointer(file.path, "path");
      if (file.size > 0) require_pointer(file.data, "data");
      contents.push_back({file.path, {static_cast<const uint8_t*>(file.data), file.size}});
    }
    coracle::internal::write_files(contents);
  });
}

coracle_status coracle_model_save(const coracle_model* model, const char* path) {
  return coracle::internal::save(model, path, false);
}

coracle_status coracle_model_save_packed(const coracle_model* model, const char* path) {
  return coracle::internal::save(model, path, true);
}

coracle_status coracle_model_engines(const coracle_model* model, char** json) {
  return guard([&] {
    require_pointer(model, "model");
    require_pointer(json, "json");
    *json = coracle::internal::copied(coracle::internal::describe_engines(coracle::internal::as_loaded(*model)));
  });
}

size_t coracle_model_engine_bytes(const coracle_model* model) {
  return model == nullptr ? 0 : coracle::internal::as_loaded(*model).engine_blocks().bytes();
}

coracle_status coracle_model_check(const coracle_model* model) {
  return guard([&] {
    require_pointer(model, "model");
    coracle::internal::as_loaded(*model).check_files();
  });
}

coracle_status coracle_inspect(const char* path, const char* params_path, char** json) {
  return guard([&] {
    require_pointer(path, "path");
    require_pointer(json, "json");
    coracle::internal::require_stack("loading a model");
    *json = coracle::internal::copied(coracle::internal::describe(coracle::internal::inspect_model(
        coracle::internal::ModelSource::on_disk(path, coracle::internal::or_empty(params_path)))));
  });
}

coracle_status coracle_devices(char** json) {
  return guard([&] {
    require_pointer(json, "json");
    *json = coracle::internal::copied(coracle::internal::describe_devices());
  });
}

coracle_status coracle_find_device(const char* device, char** missing) {
  return guard([&] {
    require_pointer(device, "device");
    require_pointer(missing, "missing");
    const std::string reason = coracle::internal::missing_device(device);
    *missing = reason.empty() ? nullptr : coracle::internal::copied(reason);
  });
}

coracle_status coracle_engines(const char* names, char** json) {
  return guard([&] {
    require_pointer(json, "json");
    std::vector<std::string> asked;
    for (const std::string& name : coracle::internal::split(names))
      asked.emplace_back(coracle::internal::without_blanks(name));
    *json = coracle::internal::copied(
        coracle::internal::describe_engines(names == nullptr ? coracle::internal::engine_names() : asked));
  });
}

coracle_status coracle_model_graph_text(const coracle_model* model, char** text) {
  return guard([&] {
    require_pointer(model, "model");
    require_pointer(text, "text");
    *text = coracle::internal::copied(
        coracle::internal::print(model->model->program()->graph(), coracle::internal::NodeNames::kAsComments));
  });
}

}  // extern "C"
