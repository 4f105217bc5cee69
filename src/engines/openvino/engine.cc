// SPDX-License-Identifier: Apache-2.0
#include "plan/engine.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string_view>

#include "base/counted.h"
#include "base/log.h"
#include "base/system/file_size_signal_guard.h"
#include "engines/openvino/api.h"
#include "engines/openvino/network.h"
#include "engines/openvino/unnamed_file.h"
#include "ops/common/indices.h"

/// OpenVINO's CPU computes with numbers only: where a value is none (NaN), functions with a comparison in them (relu,
/// max, clip) may give another number than Coracle's kernels.
namespace coracle::internal::openvino {
namespace {

constexpr char kMostLayersKept[] = "128";

/// Handles of the library, freed with it.
template <class T>
class Handle {
 public:
  Handle() = default;
  explicit Handle(void (*free)(T*)) : free_(free) {}
  Handle(Handle&& from) noexcept : pointer_(std::exchange(from.pointer_, nullptr)), free_(from.free_) {}
  Handle& operator=(Handle&& from) noexcept {
    std::swap(pointer_, from.pointer_);
    std::swap(free_, from.free_);
    return *this;
  }
  ~Handle() {
    if (pointer_ != nullptr) free_(pointer_);
  }
  T* get() const { return pointer_; }
  T** put() { return &pointer_; }

 private:
  T* pointer_ = nullptr;
  void (*free_)(T*) = nullptr;
};

Handle<OvTensor> tensor_on(const Api& api, DType dtype, const Shape& shape, const void* memory) {
  Ints dims(shape.begin(), shape.end());
  Handle<OvTensor> tensor(api.tensor_free);
  api.check(api.tensor_from_host(api.element_type(dtype), {shape.rank(), dims.data()}, const_cast<void*>(memory),
                                 tensor.put()),
            "making a tensor");
  return tensor;
}

const Api& api_or_throw() {
  const LoadedApi& loaded = loaded_api();
  if (loaded.api == nullptr) fail(ErrorCode::kUnsupported, loaded.missing);
  return *loaded.api;
}

/// A block as OpenVINO has it.
struct Compiled {
  const Api& api;
  Network network;  ///< without layers, unless dimensions vary
  std::vector<VaryingDim> varying = {};
  Tensor weights = {};  ///< read by the compiled model in place; of one that was saved all of it
  std::vector<Fact> inputs = {};
  std::vector<Fact> results = {};
  Handle<CompiledModel> model = {};
};

class Run final : public BlockRun {
 public:
  explicit Run(std::shared_ptr<const Compiled> compiled)
      : compiled_(std::move(compiled)), request_(compiled_->api.request_free) {
    const Api& api = compiled_->api;
    if (compiled_->model.get() != nullptr) {
      api.check(api.create_infer_request(compiled_->model.get(), request_.put()), "making a request");
    }
  }

  void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const Compiled& c = *compiled_;
    const Api& api = c.api;
    require(inputs.size() == c.inputs.size() && outputs.size() == c.results.size(), ErrorCode::kInvalidArgument,
            "the block has ", counted(c.inputs.size(), "input"), " and ", counted(c.results.size(), "result"),
            ", given ", inputs.size(), " and ", outputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) check(inputs[i], c.inputs[i], "input", i, !c.varying.empty());
    for (size_t i = 0; i < outputs.size(); ++i) check(outputs[i], c.results[i], "result", i, !c.varying.empty());
    for (const IndexCheck& check : c.network.checks) check_indices(inputs[check.input], check);
    if (c.model.get() != nullptr) {
      // Tensors are the caller's memory; the request keeps them for this run alone.
      std::vector<Handle<OvTensor>> kept;
      const auto give = [&](const std::string& name, const Tensor& t) {
        if (name.empty()) return;
        kept.push_back(tensor_on(api, t.dtype(), t.shape(), t.raw()));
        api.check(api.set_tensor(request_.get(), name.c_str(), kept.back().get()), "taking a tensor");
      };
      for (size_t i = 0; i < inputs.size(); ++i) give(c.network.inputs[i], inputs[i]);
      for (size_t i = 0; i < outputs.size(); ++i) give(c.network.results[i].name, outputs[i]);
      api.check(api.infer(request_.get()), "running a block");
      for (size_t i = 0; i < outputs.size() && !c.varying.empty(); ++i) take(c.network.results[i].name, outputs[i], i);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const ResultSource& source = c.network.results[i];
      if (!source.name.empty()) continue;
      const Tensor& from = source.input >= 0 ? inputs[static_cast<size_t>(source.input)] : source.elements;
      require(from.bytes() == outputs[i].bytes(), ErrorCode::kRunFailure, "result ", i, " has ",
              counted(from.bytes(), "byte"), ", expected ", outputs[i].bytes());
      if (from.bytes() != 0) std::memcpy(outputs[i].raw(), from.raw(), from.bytes());
    }
  }

 private:
  static void check(const Tensor& t, const Fact& fact, const char* what, size_t i, bool varies) {
    const bool fits = varies ? t.shape().rank() == fact.shape.rank() : t.shape() == fact.shape;
    require(t.dtype() == fact.dtype && fits, ErrorCode::kInvalidArgument, what, ' ', i, " is ", t.dtype(), t.shape(),
            ", compiled for ", fact);
  }

  /// Of a block that has other sizes in each run: what OpenVINO has computed must have those that were inferred here.
  void take(const std::string& name, Tensor& output, size_t i) {
    if (name.empty()) return;
    const Api& api = compiled_->api;
    Handle<OvTensor> tensor(api.tensor_free);
    api.check(api.get_tensor(request_.get(), name.c_str(), tensor.put()), "looking for a result");
    OvShape shape{};
    api.check(api.tensor_shape(tensor.get(), &shape), "telling a result's sizes");
    const bool same = std::equal(output.shape().begin(), output.shape().end(), shape.dims, shape.dims + shape.rank);
    api.shape_free(&shape);
    require(same, ErrorCode::kRunFailure, "OpenVINO gives result ", i, " other sizes than ", output.shape());
    void* data = nullptr;
    api.check(api.tensor_data(tensor.get(), &data), "reading a result");
    if (data != output.raw()) std::memcpy(output.raw(), data, output.bytes());
  }

  static void check_indices(const Tensor& t, const IndexCheck& check) {
    const auto each = [&]<class T>(const T* values) {
      for (int64_t i = 0, n = t.count(); i < n; ++i) {
        if (values[i] < check.least || values[i] > check.most) {
          fail_index(values[i], check.operand, i, check.least, check.most);
        }
      }
    };
    if (t.dtype() == DType::kInt32) {
      each(t.data<int32_t>());
    } else {
      each(t.data<int64_t>());
    }
  }

  std::shared_ptr<const Compiled> compiled_;
  Handle<InferRequest> request_;
};

/// OpenVINO writes compiled blocks to files alone, and says of no write whether it failed.
std::vector<uint8_t> export_model(const Api& api, const CompiledModel* model) {
  const FileSizeSignalGuard quiet;
  const UnnamedFile file;
  api.check(api.export_model(model, file.path()), "saving a block");
  std::vector<uint8_t> bytes = file.content();
  require(!quiet.failed(), ErrorCode::kIo, "a compiled block is larger than files of this process may be");
  return bytes;
}

class Block final : public CompiledBlock {
 public:
  explicit Block(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::unique_ptr<BlockRun> make_run() const override { return std::make_unique<Run>(compiled_); }
  /// OpenVINO does not tell what it takes beside the weights.
  size_t bytes() const override { return compiled_->weights.bytes(); }
  bool serves(const BlockToCompile& block) const override {
    if (compiled_->varying.empty()) return false;
    try {
      const Network wanted =
          make_network(block.graph, block.facts, compiled_->network.integers, compiled_->network.open);
      const bool same = same_program(compiled_->network, wanted);
      if (!same && logs(LogLevel::kDebug)) {
        log(LogLevel::kDebug,
            "a block has another program for these sizes: ", compiled_->network.ir.difference(wanted.ir));
      }
      return same;
    } catch (const Error& e) {
      if (e.code() == ErrorCode::kOutOfMemory) throw;
      return false;  // these sizes have no program
    }
  }
  std::vector<uint8_t> save() const override {
    if (compiled_->model.get() == nullptr) return {};
    return export_model(compiled_->api, compiled_->model.get());
  }

 private:
  std::shared_ptr<const Compiled> compiled_;
};

/// The properties that a device has, a list with blanks.
std::string supported_properties(const Api& api, const std::string& device) {
  char* names = nullptr;
  api.check(api.core_get_property(api.core, device.c_str(), "SUPPORTED_PROPERTIES", &names),
            text("asking for the device ", device).c_str());
  std::string out = names == nullptr ? "" : names;
  if (names != nullptr) api.text_free(names);
  return out;
}

Handle<Model> read_model(const Api& api, const std::string& program, const Tensor& weights) {
  const Handle<OvTensor> constants = tensor_on(api, weights.dtype(), weights.shape(), weights.raw());
  Handle<Model> model(api.model_free);
  api.check(api.read_model(api.core, program.data(), program.size(), constants.get(), model.put()), "reading a block");
  return model;
}

/// The properties that a block is compiled with, by name, as far as the device has them.
using Properties = std::vector<std::pair<const char*, std::string>>;

std::string device_of(const BlockToCompile& block) {
  return block.options.device.empty() ? "CPU" : block.options.device;
}

Properties properties_of(const Api& api, const BlockToCompile& block) {
  const std::string supported = supported_properties(api, device_of(block));
  // OpenVINO turns bfloat16 on by itself where the machine has it.
  const char* precision = block.options.precision == Precision::kBf16 ? "bf16" : "f32";
  const Properties wanted = {
      {"PERFORMANCE_HINT", "LATENCY"},
      {"INFERENCE_PRECISION_HINT", precision},
      {"INFERENCE_NUM_THREADS", std::to_string(std::max(block.threads, 1))},
      {"NUM_STREAMS", "1"},
      {"ENABLE_CPU_PINNING", "NO"},
  };
  Properties given;
  for (const auto& property : wanted) {
    if (supported.find(property.first) != std::string::npos) given.push_back(property);
  }
  return given;
}

/// oneDNN, which OpenVINO's CPU computes with, adds pairs of products of int8 in 16 bits where the processor has
/// nothing for sums of four (VNNI): what does not fit is cut off.
bool adds_in_32_bits() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") != 0;
#else
  return true;
#endif
}

Integers allowed_integers(const BlockToCompile& block) {
  if (block.options.precision != Precision::kInt8) return Integers::kNone;
  return device_of(block) != "CPU" || adds_in_32_bits() ? Integers::kAll : Integers::kIn16Bits;
}

/// For each size that it meets, a block whose sizes vary keeps what it prepares for its layers: 5,000 of them unless it
/// is told otherwise, hundreds of megabytes. The property is in no list of those that a device has; where there is none
/// of the name, it stays as it is.
void bound_layers_kept(const Api& api, const std::string& device) {
  if (device == "CPU") {
    static_cast<void>(api.core_set_property(api.core, device.c_str(), "CPU_RUNTIME_CACHE_CAPACITY", kMostLayersKept));
  }
}

Handle<CompiledModel> compile_model(const Api& api, const Model* model, const BlockToCompile& block) {
  bound_layers_kept(api, device_of(block));
  const Properties properties = properties_of(api, block);
  const char* given[10] = {};
  size_t count = 0;
  for (const auto& [name, value] : properties) {
    given[count++] = name;
    given[count++] = value.c_str();
  }
  Handle<CompiledModel> compiled(api.compiled_free);
  // Surplus arguments of a variadic function are not read.
  api.check(api.compile_model(api.core, model, device_of(block).c_str(), count, compiled.put(), given[0], given[1],
                              given[2], given[3], given[4], given[5], given[6], given[7], given[8], given[9]),
            "compiling a block");
  return compiled;
}

/// What was saved has no properties: it takes those of the device, which are set for it. Its weights are read where
/// they are, as long as it lives.
Handle<CompiledModel> import_model(const Api& api, const BlockToCompile& block, std::span<const uint8_t> saved) {
  static std::mutex& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  const std::string device = device_of(block);
  bound_layers_kept(api, device);
  for (const auto& [name, value] : properties_of(api, block)) {
    api.check(api.core_set_property(api.core, device.c_str(), name, value.c_str()), "setting a property");
  }
  Handle<CompiledModel> compiled(api.compiled_free);
  api.check(api.import_model(api.core, reinterpret_cast<const char*>(saved.data()), saved.size(), device.c_str(),
                             compiled.put()),
            "reading a compiled block");
  return compiled;
}

/// What OpenVINO makes of the layers must have the sizes that were inferred here: outputs are written in place.
void check_results(const Compiled& c) {
  for (size_t i = 0; i < c.results.size(); ++i) {
    const std::string& name = c.network.results[i].name;
    if (name.empty()) continue;
    Handle<OvPort> port(c.api.port_free);
    c.api.check(c.api.output_by_name(c.model.get(), name.c_str(), port.put()), "looking for a result");
    OvShape shape{};
    c.api.check(c.api.port_shape(port.get(), &shape), "telling a result's sizes");
    const Shape got(std::span<const int64_t>(shape.dims, static_cast<size_t>(shape.rank)));
    c.api.shape_free(&shape);
    require(got == c.results[i].shape, ErrorCode::kUnsupported, "OpenVINO gives result ", i, " the sizes ", got,
            ", expected ", c.results[i].shape);
  }
}

std::string operators_of(const Graph& graph) {
  std::string out;
  size_t shown = 0;
  for (const NodeId id : graph.order()) {
    constexpr size_t kMost = 5;
    if (++shown > kMost) return out + ", ...";
    out.append(out.empty() ? "" : ", ").append(graph.node(id).op.name());
  }
  return out;
}

Network without_layers(Network network) {
  network.ir = {};
  network.targets.clear();
  network.known.clear();
  return network;
}

Fact type_of(const Fact& fact) { return {fact.dtype, fact.shape}; }

class OpenVino final : public Engine {
 public:
  std::string_view name() const override { return "openvino"; }
  std::string missing() const override { return loaded_api().missing; }
  std::string version() const override {
    const Api* api = loaded_api().api;
    return api == nullptr ? "" : "OpenVINO " + api->version;
  }
  std::string file() const override {
    const Api* api = loaded_api().api;
    return api == nullptr ? std::string() : api->file;
  }
  std::string refusal(const Graph& graph, const Node& node) const override { return refusal_of(graph, node); }

  std::shared_ptr<const CompiledBlock> compile(const BlockToCompile& block) const override {
    return make(block, [&](const Api& api, Compiled& c) {
      c.weights = c.network.ir.weights(*block.context);
      const Handle<Model> model = read_model(api, c.network.ir.text(), c.weights);
      return compile_model(api, model.get(), block);
    });
  }

  bool varies() const override { return true; }
  bool saves_blocks() const override { return true; }
  std::shared_ptr<const CompiledBlock> load(const BlockToCompile& block, const Tensor& saved) const override {
    return make(block, [&](const Api& api, Compiled& c) {
      constexpr uintptr_t kAlignment = 64;  // weights in it lie as if it began at such an address
      c.weights = reinterpret_cast<uintptr_t>(saved.raw()) % kAlignment == 0 ? saved : saved.clone(*block.context);
      return import_model(api, block, {c.weights.data<uint8_t>(), c.weights.bytes()});
    });
  }

 private:
  /// `model_of` compiles what has layers.
  template <class F>
  static std::shared_ptr<const CompiledBlock> make(const BlockToCompile& block, const F& model_of) {
    const Graph& graph = block.graph;
    const Integers integers = allowed_integers(block);
    try {
      const Api& api = api_or_throw();
      std::vector<VaryingDim> varying(block.varying.begin(), block.varying.end());
      Openness open;
      if (!varying.empty()) open = find_openness(graph, block.examples, varying, integers, *block.context);
      auto compiled = std::make_shared<Compiled>(
          Compiled{.api = api,
                   .network = make_network(graph, block.facts, integers, std::move(open), *block.context),
                   .varying = std::move(varying)});
      Compiled& c = *compiled;
      for (const ValueId v : graph.inputs()) c.inputs.push_back(type_of(block.facts[index(v)]));
      for (const ValueId v : graph.outputs()) c.results.push_back(type_of(block.facts[index(v)]));
      const auto computed = [](const ResultSource& source) { return !source.name.empty(); };
      if (std::any_of(c.network.results.begin(), c.network.results.end(), computed)) {
        c.model = model_of(api, c);
        if (c.varying.empty()) check_results(c);
      }
      if (c.varying.empty()) c.network = without_layers(std::move(c.network));
      c.network.context = &kNoRun;
      return std::make_shared<Block>(std::move(compiled));
    } catch (Error& e) {
      e.add_context(
          text("compiling a block of ", counted(graph.order().size(), "operator"), " (", operators_of(graph), ")"));
      throw;
    }
  }
};

}  // namespace

const Engine& engine();
const Engine& engine() {
  static const OpenVino& the_engine = *new OpenVino;
  return the_engine;
}

}  // namespace coracle::internal::openvino
