// SPDX-License-Identifier: Apache-2.0
#include "loading/model.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <unordered_map>

#include "base/counted.h"
#include "base/cpus.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/run_context.h"
#include "blocks/device_engine.h"
#include "blocks/shape_range_file.h"
#include "loading/model_cache.h"
#include "loading/write_saved.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/to_int8.h"
#include "passes/device_weights.h"
#include "passes/fake_quantization.h"
#include "passes/half_tensors.h"
#include "run/open_device.h"

namespace coracle::internal {
namespace {

/// Makes the variables named by `keep` outputs of the graph, behind the model's own. Of a name written more than once
/// it is the last value.
void keep_tensors(Graph& graph, const std::vector<std::string>& keep) {
  if (keep.empty()) return;
  const bool all = std::find(keep.begin(), keep.end(), "*") != keep.end();
  std::unordered_map<std::string, ValueId> by_name;
  std::vector<std::string> order;
  for (NodeId id : graph.order()) {
    for (ValueId v : graph.node(id).outputs) {
      const std::string& name = graph.value(v).name;
      if (name.empty() || graph.fact(v).is_array) continue;
      if (by_name.insert_or_assign(name, v).second) order.push_back(name);
    }
  }
  for (const std::string& name : all ? order : keep) {
    const auto it = by_name.find(printable(name));
    require(it != by_name.end(), ErrorCode::kInvalidArgument, "keep_tensors names ", in_quotes(name),
            ", which no operator of the main block writes");
    graph.add_output(it->second, name);
  }
}

/// Which parts of a model run on engines, where any were asked for.
void log_engines(const Model& model) {
  if (model.options().engines.engines.empty()) return;
  std::map<std::string_view, std::pair<size_t, std::set<std::string_view>>> by_engine;  // nodes, and blocks
  const std::vector<CutNode>& nodes = model.engine_report().nodes;
  for (const CutNode& node : nodes) {
    if (node.engine.empty()) continue;
    auto& [count, blocks] = by_engine[node.engine];
    ++count;
    blocks.insert(node.block);
  }
  for (const UsedEngine& e : model.options().engines.engines) {
    if (e.by_device != nullptr && e.missing.empty()) {
      log(LogLevel::kInfo, "the engine ", in_quotes(e.name), " is ", e.by_device->version());
    }
  }
  if (by_engine.empty() && !nodes.empty())
    log(LogLevel::kInfo, "no engine runs a part of ", in_quotes(model.info().file));
  for (const auto& [engine, taken] : by_engine) {
    log(LogLevel::kInfo, "the engine ", in_quotes(engine), " runs ", taken.first, " of ", nodes.size(), " nodes of ",
        in_quotes(model.info().file), ", in ", counted(taken.second.size(), "block"));
  }
}

[[gnu::cold]] void log_loaded(const Model& model, const ModelOptions& options, std::chrono::nanoseconds taken) try {
  int64_t operators = 0;
  for (const OperatorCount& o : model.info().operators) operators += o.count;
  int rewrites = 0;
  for (const PassCount& pass : model.pass_counts()) rewrites += pass.count;
  const Program& program = *model.program();
  log(LogLevel::kInfo, "loaded ", in_quotes(model.info().file), " (", model.info().format,
      "): ", counted(operators, "operator"), ", ", counted(program.graph().order().size(), "node"), " after ", rewrites,
      " rewrites, ", counted(model.info().parameters.size(), "parameter"), " (", counted(model.mapped_bytes(), "byte"),
      " mapped), kernels for ", program.selector().capability_name(), ", in ",
      std::chrono::duration_cast<std::chrono::microseconds>(taken).count(), " us");
  for (const auto& [what, names] :
       {std::pair{"rewrites", &options.passes.disabled}, {"kernels", &options.kernels.disabled}}) {
    std::string list;
    for (const std::string& name : *names) list.append(list.empty() ? "" : ", ").append(name);
    if (!list.empty()) log(LogLevel::kInfo, what, " left out, as the model's options say: ", printable(list));
  }
  log_engines(model);
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the model is there without its message
}

/// The passes that a saved model has behind it. Throws Error where `options` asks for less than was done: nothing is
/// undone.
std::vector<PassCount> passes_of(const ModelInfo& info, const Graph& graph, const PassOptions& options) {
  std::vector<PassCount> counts;
  int64_t total = 0;
  for (const SavingRecord::Rewrites& r : info.saved->rewrites) {
    const bool unwanted = std::any_of(options.disabled.begin(), options.disabled.end(),
                                      [&](const std::string& d) { return d == r.pass || d == "all"; });
    total += r.count;
    require(!unwanted && (options.max_rewrites < 0 || total <= options.max_rewrites), ErrorCode::kInvalidArgument,
            "the model ", in_quotes(info.file), " was saved after rewriting: ", r.count, " rewrites by the pass ",
            in_quotes(r.pass), " cannot be undone; load the original, ", in_quotes(info.saved->source),
            ", with these options");
    counts.push_back({r.pass, r.count});
  }
  if (options.after_pass != nullptr) options.after_pass("loaded", 0, graph);
  return counts;
}

/// The blocks of the file are those of the model, unless others are asked for.
void take_saved_blocks(LoadedModel& loaded, Precision precision, EngineChoice& choice) {
  SavedBlocks blocks = std::move(loaded.blocks);
  try {
    check_shape_ranges(loaded.graph, blocks.ranges);
  } catch (const Error& e) {
    fail(ErrorCode::kInvalidModel, printable(loaded.info.file), ": what it was saved with does not fit it: ", e.text());
  }
  for (const SavedBlock& block : blocks.blocks) {
    const auto is_it = [&](const UsedEngine& e) { return e.name == block.engine; };
    if (std::any_of(choice.engines.begin(), choice.engines.end(), is_it)) continue;
    choice.engines.push_back(used_engine(block.engine, precision));
    choice.engines.back().automatic = false;
  }
  choice.saved = std::move(blocks.blocks);
  if (choice.shapes.empty()) choice.shapes = std::move(blocks.ranges);
}

/// With what its options and the model itself name.
ModelOptions with_devices_and_engines(ModelOptions options, LoadedModel& loaded) {
  const Graph& graph = loaded.graph;
  const auto enabled = [&](std::string_view stage) {
    const std::vector<std::string>& disabled = options.passes.disabled;
    return std::find(disabled.begin(), disabled.end(), stage) == disabled.end();
  };
  const auto automatic = [](const UsedEngine& e) { return e.automatic; };
  const std::vector<UsedEngine>& engines = options.engines.engines;
  const bool chosen = !options.engines.marks.empty() || std::any_of(engines.begin(), engines.end(), automatic);
  if (!loaded.blocks.blocks.empty() && !chosen && enabled("engine_saved")) {
    take_saved_blocks(loaded, options.kernels.precision, options.engines);
  } else if (enabled("engine_marks")) {
    add_marked_engines(graph, options.kernels.precision, options.engines);
  }
  add_known_ranges(graph, options.engines);
  check_shape_ranges(graph, options.engines.shapes);
  options.device = device_for_engines(std::move(options.device), options.engines);
  for (UsedDevice& device : open_devices(options.device)) options.kernels.devices.push_back(std::move(device));
  return options;
}

/// Whether an engine takes the operators on int8 that integer_regions makes.
bool takes_integers(const Engine& engine) {
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {1, 1, 1, 1}));
  const ValueId y = graph.add(ToInt8{}, {{x}});
  return engine.refusal(graph, graph.node(graph.value(y).producer)).empty();
}

/// Whether the engines that are there are to compute with Coracle's int8: the first decides, since others can only have
/// what it leaves.
bool engines_on_integers(const EngineChoice& choice) {
  const auto found = std::find_if(choice.engines.begin(), choice.engines.end(),
                                  [](const UsedEngine& e) { return e.engine != nullptr; });
  return found != choice.engines.end() && found->options.precision == Precision::kInt8 &&
         takes_integers(*found->engine);
}

/// Whether all devices that are used have kernels for the operators on int8.
bool devices_on_integers(const KernelChoice& choice) {
  return std::all_of(choice.devices.begin(), choice.devices.end(), [](const UsedDevice& used) {
    const auto has = [&](const OpSchema* op) {
      const auto tables = used.device->kernels();
      return std::any_of(tables.begin(), tables.end(), [&](const KernelTable* table) {
        return std::any_of(table->kernels.begin(), table->kernels.end(),
                           [&](const KernelDef& k) { return k.op == op; });
      });
    };
    return has(&kOpSchema<IntegerConv2d>) && has(&kOpSchema<IntegerLinear>) && has(&kOpSchema<ToInt8>);
  });
}

/// Devices compute with integers as the processor does where they have kernels for that, and engines where the user
/// allows it: other models that use them keep to the simulation, and to weights of the type that they compute with.
/// Other products than those of float32 have weights of their own.
PassOptions passes_for(const Graph& graph, const ModelOptions& options) {
  PassOptions passes = options.passes;
  const EngineChoice& choice = options.engines;
  const bool on_engines = !choice.saved.empty() || std::any_of(choice.engines.begin(), choice.engines.end(),
                                                               [](const UsedEngine& e) { return e.engine != nullptr; });
  const bool on_devices = !options.kernels.devices.empty();
  const bool on_integers =
      on_engines ? !on_devices && engines_on_integers(choice) : devices_on_integers(options.kernels);
  passes.integers = on_integers;
  passes.stored_weights = !on_engines && (on_devices ? on_integers && has_fake_quantization(graph)
                                                     : !rounds_products(options.kernels.precision));
  return passes;
}

/// Weights as kernels of devices read them. Packed weights of the file are those of the processor.
void prepare_weights(LoadedModel& loaded, const ModelOptions& options, std::vector<PassCount>& counts) {
  if (options.kernels.devices.empty()) return;
  const int count = device_weights(loaded.graph);
  if (count == 0) return;
  verify(loaded.graph, options.passes.verify_types);
  loaded.packed.clear();
  counts.push_back({"device_weights", count});
  if (options.passes.after_pass != nullptr) options.passes.after_pass("device_weights", count, loaded.graph);
}

/// Products on devices get float16 tensors where the user allows it. Packed weights of the file are of float32.
void narrow(LoadedModel& loaded, const ModelOptions& options, std::vector<PassCount>& counts) {
  if (options.kernels.precision != Precision::kFp16 || options.kernels.devices.empty()) return;
  const KernelSelector selector(options.kernels);
  const auto takes_types = [&](const Node& node, std::span<const Fact> in, std::span<const Fact> out) {
    const auto pointers = [](std::span<const Fact> facts) {
      std::vector<const Fact*> all;
      for (const Fact& f : facts) all.push_back(&f);
      return all;
    };
    const std::vector<const Fact*> operands = pointers(in);
    const std::vector<const Fact*> results = pointers(out);
    const ArgFacts args(operands, node.input_counts, results, node.output_counts);
    for (size_t i = 1; i <= options.kernels.devices.size(); ++i) {
      for (const KernelDef* kernel : selector.kernels(node.op.schema(), Place{static_cast<uint8_t>(i)})) {
        if (takes(kernel->types, node.op.schema(), node.input_counts, args)) return true;
      }
    }
    return false;
  };
  const int count = half_tensors(loaded.graph, takes_types);
  if (count == 0) return;
  verify(loaded.graph, options.passes.verify_types);
  loaded.packed.clear();
  counts.push_back({"half_tensors", count});
  if (options.passes.after_pass != nullptr) options.passes.after_pass("half_tensors", count, loaded.graph);
}

/// Packed weights of the file belong to values of the graph as it was, which `uncut` is given.
CutReport cut(LoadedModel& loaded, const std::string& file, const ModelOptions& options,
              std::shared_ptr<const Graph>& uncut) try {
  const std::vector<UsedEngine>& engines = options.engines.engines;
  const auto takes_blocks = [](const UsedEngine& e) { return e.by_device == nullptr; };
  if (std::none_of(engines.begin(), engines.end(), takes_blocks)) return {};
  auto before = std::make_shared<const Graph>(loaded.graph);
  CutReport report = cut_blocks(loaded.graph, options.engines, options.passes.disabled);
  if (report.blocks == 0) return report;
  uncut = std::move(before);
  loaded.packed.clear();
  if (options.passes.after_pass != nullptr) options.passes.after_pass("engine_blocks", report.blocks, loaded.graph);
  return report;
} catch (Error& e) {
  if (!options.engines.saved.empty())
    e.add_context(text("cutting the blocks that ", printable(file), " was saved with"));
  throw;
}

CompiledInFile compiled_in_file(const CutReport& report, const EngineChoice& choice) {
  CompiledInFile all;
  for (const CutBlock& block : report.cut) {
    if (block.saved >= 0) all.emplace(block.region, choice.saved[static_cast<size_t>(block.saved)].compiled);
  }
  return all;
}

/// Where the model is kept between processes. What is wrong with its files, loading says.
std::optional<ModelCache> cache_of(const RunContext& context, const ModelSource& source,
                                   const ModelOptions& options) try {
  return ModelCache::place_of(context, source, options, CORACLE_VERSION, std::time(nullptr));
} catch (const Error&) {
  return std::nullopt;
}

/// Null where it is not kept.
std::shared_ptr<const Model> kept_model(ModelCache& cache, const ModelOptions& options, const RunContext& context) try {
  std::optional<LoadedModel> kept = cache.find();
  return kept ? Model::make(std::move(*kept), options, context) : nullptr;
} catch (const Error&) {
  return nullptr;
}

}  // namespace

std::shared_ptr<const Model> Model::load(const ModelSource& source, const ModelOptions& options) {
  const Deadline::Clock::time_point start = Deadline::Clock::now();
  const RunContext context(Deadline("loading", start, options.time_limit_ms, options.cancelled));
  std::optional<ModelCache> cache = cache_of(context, source, options);
  std::shared_ptr<const Model> model = cache ? kept_model(*cache, options, context) : nullptr;
  if (model == nullptr) model = make(load_model(context, source, options.load), options, context);
  if (cache) model = kept_at_its_end(std::move(model), *std::move(cache));
  if (logs(LogLevel::kInfo)) log_loaded(*model, options, Deadline::Clock::now() - start);
  return model;
}

std::shared_ptr<const Model> Model::make(LoadedModel loaded, const ModelOptions& options, const RunContext& context) {
  usable_cpus();  // reads files, which sessions then do not
  keep_tensors(loaded.graph, options.keep_tensors);
  return std::shared_ptr<const Model>(new Model(parts_of(std::move(loaded), options, context)));
}

Model::Parts Model::parts_of(LoadedModel loaded, const ModelOptions& given, const RunContext& context) {
  const WorkOnGraph work(loaded.graph, context);
  Parts parts{.options = with_devices_and_engines(given, loaded),
              .info = std::move(loaded.info),
              .files = std::move(loaded.files),
              .mapped_bytes = loaded.mapped_bytes};
  const ModelOptions& options = parts.options;
  parts.pass_counts = parts.info.saved ? passes_of(parts.info, loaded.graph, options.passes)
                                       : run_passes(loaded.graph, passes_for(loaded.graph, options));
  prepare_weights(loaded, options, parts.pass_counts);
  narrow(loaded, options, parts.pass_counts);
  parts.engine_report = cut(loaded, parts.info.file, options, parts.uncut);
  const auto graph = std::make_shared<const Graph>(std::move(loaded.graph));
  parts.engine_blocks = std::make_shared<EngineBlocks>(
      options.engines, options.engines.cache ? *options.engines.cache : EngineBlocks::default_cache(),
      compiled_in_file(parts.engine_report, options.engines), *graph, options.weights_cache_bytes, context);
  parts.program =
      std::make_shared<const Program>(graph, options.program(), std::move(loaded.packed), parts.engine_blocks);
  parts.options.cancelled = nullptr;
  parts.options.passes.after_pass = nullptr;
  return parts;
}

Model::Model(Parts parts)
    : RunnableModel(std::move(parts.info), std::move(parts.program), parts.options.declared_sizes_bind),
      options_(std::move(parts.options)),
      files_(std::move(parts.files)),
      mapped_bytes_(parts.mapped_bytes),
      pass_counts_(std::move(parts.pass_counts)),
      uncut_(std::move(parts.uncut)),
      engine_report_(std::move(parts.engine_report)),
      engine_blocks_(std::move(parts.engine_blocks)) {}

void Model::check_files() const {
  require(!files_.empty(), ErrorCode::kInvalidArgument, "the model ", in_quotes(info().file),
          " was not loaded from files on disk: there are none to check");
  for (const FileStamp& file : files_) require_unchanged(file);
}

/// Those that were cut, and those of the file whose engine is missing here.
SavedBlocks Model::saved_blocks(bool with_compiled) const {
  SavedBlocks all{.blocks = {}, .ranges = options_.engines.shapes};
  std::set<int> cut;
  for (const CutBlock& block : engine_report_.cut) {
    cut.insert(block.saved);
    all.blocks.push_back({.engine = block.engine, .graph = block.graph, .nodes = block.nodes, .compiled = {}});
    if (with_compiled) all.blocks.back().compiled = engine_blocks_->saved(*block.region);
  }
  for (const SavedBlock& block : options_.engines.saved) {
    if (cut.count(static_cast<int>(&block - options_.engines.saved.data())) != 0) continue;
    all.blocks.push_back(block);
    if (!with_compiled) all.blocks.back().compiled.clear();
  }
  return all;
}

SavingRecord saving_record_of(const Model& model) {
  const ModelInfo& info = model.info();
  SavingRecord record;
  if (info.saved) record = *info.saved;
  if (!info.saved) {
    record.source = info.file.substr(info.file.rfind('/') + 1);  // the same file wherever the original lies
    record.source_format = info.format;
    for (const PassCount& c : model.pass_counts()) record.rewrites.push_back({c.name, c.count});
    record.left_out = model.options().passes.disabled;
  }
  record.version = CORACLE_VERSION;
  return record;
}

void Model::save(const std::string& path, bool with_packed) const {
  std::vector<PackedConstants> packed;
  if (with_packed && uncut_ == nullptr) packed = program()->packed().all();
  write_saved_model(path, uncut_ != nullptr ? *uncut_ : program()->graph(), info(), saving_record_of(*this), packed,
                    saved_blocks(with_packed));
  log(LogLevel::kInfo, "saved ", in_quotes(info().file), " as ", in_quotes(path));
}

}  // namespace coracle::internal
