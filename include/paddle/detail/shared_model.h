// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dense_tensor.h"
#include "engine_options.h"
#include "model_handle.h"
#include "owned.h"
#include "shape_ranges.h"

namespace paddle {
namespace detail {

/// Writes the graph after each rewrite into files, `<folder>/<number>_ir_<rewrite>.txt` and `.dot`.
class GraphDump {
 public:
  /// Makes the folder, but not the one it is in.
  explicit GraphDump(const EngineOptions& options)
      : folder_(options.dump_folder.empty() ? "" : options.dump_folder + "/") {
    if (options.dump_graphs && !folder_.empty()) make_folder(options.dump_folder);
  }

  static void after_pass(void* self, const char* pass, int64_t, const char* graph, const char* dot) {
    auto* dump = static_cast<GraphDump*>(self);
    const std::string path = dump->folder_ + std::to_string(dump->number_++) + "_ir_" + pass;
    for (const auto& file : {std::make_pair(path + ".txt", graph), std::make_pair(path + ".dot", dot)}) {
      if (!write_file(file.first, file.second) && dump->failed_.empty()) dump->failed_ = file.first;
    }
  }
  /// Throws if a file could not be written.
  void finish() const {
    require(failed_.empty(), "SwitchIrDebug: cannot write file '", failed_, "': is there such a folder?");
  }

 private:
  std::string folder_;
  std::string failed_;
  int number_ = 0;
};

/// A loaded model, immutable and shared by a predictor and its clones.
class SharedModel {
 public:
  explicit SharedModel(const EngineOptions& options) : options_(options) {
    const std::string program = options.saved_folder + "/_optimized.pdmodel";
    const std::string params = options.saved_folder + "/_optimized.pdiparams";
    const bool is_there =
        options.use_saved && !options.saved_folder.empty() && file_exists(program) && file_exists(params);
    if (is_there) {
      options_.program_bytes = nullptr;
      options_.path = program;
      options_.params = params;
    }
    load();
    const bool saves = (options.save || options.use_saved) && options.disable_passes != "all";
    if (is_there || !saves || options.saved_folder.empty()) return;
    // Paddle keeps its own optimised parameters by that name; ours are none, as the program holds them.
    if (!options.save && file_exists(program)) return;
    if (!is_empty_or_missing(params)) {
      require(!options.save, "EnableSaveOptimModel: '", params,
              "' holds parameters that Coracle did not write; name another folder with SetOptimCacheDir");
      return;
    }
    make_folder(options.saved_folder);
    require(write_file(params, ""), "EnableSaveOptimModel: cannot write file '", params, "'");
    check(coracle_model_save(get(), program.c_str()));
  }

  const coracle_model* get() const { return model_.get(); }
  const EngineOptions& options() const { return options_; }
  /// The device that the model uses; empty for the CPU, also where the one that it asks for need not be there and is
  /// not.
  std::string device_in_use() const {
    std::string device = options_.device;
    if (device.empty() || device == "cpu" || device.back() != '?') return device == "cpu" ? "" : device;
    char* missing = nullptr;
    check(coracle_find_device(device.c_str(), &missing));
    const std::unique_ptr<char, void (*)(char*)> owner(missing, coracle_string_free);
    device.pop_back();
    return missing == nullptr ? device : "";
  }

  std::vector<InputOrOutput> inputs;
  std::vector<InputOrOutput> outputs;
  std::unique_ptr<ShapeRanges> ranges;  ///< where CollectShapeRangeInfo was asked for

 private:
  void load() {
    const EngineOptions& options = options_;
    GraphDump dump(options);
    coracle_model_options load;
    coracle_model_options_init(&load, sizeof(load));
    // No rewrite runs on what is saved, whichever are left out.
    if (options.program_bytes != nullptr || !is_saved_model(options.path)) {
      load.disable_passes = null_if_empty(options_.disable_passes);
      load.disable_kernels = null_if_empty(options_.disable_kernels);
    }
    load.precision = null_if_empty(options_.precision);
    load.device = null_if_empty(options_.device);
    load.engines = null_if_empty(options_.engines);
    load.marks = null_if_empty(options_.marks);
    load.shapes = null_if_empty(options_.shapes);
    load.min_ops = options_.min_ops;
    if (options.dump_graphs) {
      load.after_pass = GraphDump::after_pass;
      load.after_pass_user = &dump;
    }
    coracle_model* model = nullptr;
    if (options_.program_bytes != nullptr) {
      // The library keeps views of the bytes, which options_ owns.
      check(coracle_model_load_memory(options_.program_bytes->data(), options_.program_bytes->size(),
                                      options_.params_bytes->data(), options_.params_bytes->size(), &load, &model));
    } else {
      check(coracle_model_load(options_.path.c_str(), null_if_empty(options_.params), &load, &model));
    }
    model_.reset(model);
    dump.finish();
    inputs = inputs_of(model);
    outputs = outputs_of(model);
    if (!options.shape_range_file.empty()) ranges = owned<ShapeRanges>(options.shape_range_file);
  }

  static const char* null_if_empty(const std::string& s) { return s.empty() ? nullptr : s.c_str(); }

  EngineOptions options_;
  ModelHandle model_;
};

}  // namespace detail
}  // namespace paddle
