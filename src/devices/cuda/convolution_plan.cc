// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/convolution_plan.h"

#include <algorithm>
#include <array>
#include <optional>

namespace coracle::internal::cuda {
namespace {

using gpu::ImageConvolution;
using Engine = ConvolutionPlan::Engine;
using Target = ConvolutionPlan::Target;
using Handle = cudnnBackendDescriptor_t;

/// By which cuDNN knows the tensors that a plan is run with, in this order; of what lies between operations, from
/// kInside on.
constexpr std::array<int64_t, 5> kTensors = {1, 2, 3, 4, 5};
enum Position : uint8_t { kY, kX, kFilter, kAdded, kBias };
constexpr int64_t kInside = 16;
/// Of an engine, and of what a heuristic names.
constexpr size_t kMostKnobs = 64;
constexpr size_t kMostEngines = 64;
constexpr size_t kMostNotes = 32;

/// Operations on tensors, as cuDNN is told of them.
class Operations {
 public:
  Operations(Descriptors& all, const Target& target, const ImageConvolution& convolution, int64_t batch)
      : all_(all), target_(target), convolution_(convolution) {
    const ConvolutionGeometry& g = convolution.sizes;
    y_ = {batch, g.out_channels, g.height().out, g.width().out};
    x_ = {batch, g.in_channels, g.height().in, g.width().in};
    filter_ = {g.out_channels, g.in_channels / g.groups, g.height().kernel, g.width().kernel};
  }
  Handle graph() {
    left_ = 1 + int{convolution_.has_added} + int{convolution_.has_bias} + int{convolution_.relu};
    add_convolution();
    if (convolution_.has_added) add_step(CUDNN_POINTWISE_ADD, tensor(kTensors[kAdded], y_));
    if (convolution_.has_bias) add_step(CUDNN_POINTWISE_ADD, tensor(kTensors[kBias], {1, y_[1], 1, 1}));
    if (convolution_.relu) add_step(CUDNN_POINTWISE_RELU_FWD, nullptr);
    const Handle graph = all_.add(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    if (target_.handle != nullptr) all_.set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, target_.handle);
    all_.set<Handle>(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations_);
    all_.finalize(graph);
    return graph;
  }

 private:
  using Sizes = std::array<int64_t, 4>;

  void set_integers(Handle descriptor, int name, std::span<const int64_t> values) {
    all_.set(descriptor, name, CUDNN_TYPE_INT64, values);
  }
  /// What lies between operations is float32.
  Handle tensor(int64_t id, const Sizes& sizes) {
    const Handle t = all_.add(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const bool inside = id >= kInside;
    const int type = convolution_.type == DType::kFloat16 && !inside ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
    const Sizes steps = {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
    all_.set(t, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id);
    all_.set(t, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    set_integers(t, CUDNN_ATTR_TENSOR_DIMENSIONS, sizes);
    set_integers(t, CUDNN_ATTR_TENSOR_STRIDES, steps);
    all_.set(t, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, ConvolutionPlan::kAlignment);
    all_.set(t, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, inside);
    all_.finalize(t);
    return t;
  }
  /// Of the next operation: y where it is the last.
  Handle next_result() {
    const int64_t id = --left_ == 0 ? kTensors[kY] : kInside + left_;
    return value_ = tensor(id, y_);
  }
  void add_convolution() {
    const Handle windows = all_.add(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    const WindowAxis& h = convolution_.sizes.height();
    const WindowAxis& w = convolution_.sizes.width();
    const auto set_each = [&](int name, auto of) { set_integers(windows, name, std::array{of(h), of(w)}); };
    all_.set(windows, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, int64_t{2});
    all_.set(windows, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    all_.set(windows, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
    set_each(CUDNN_ATTR_CONVOLUTION_DILATIONS, [](const WindowAxis& a) { return a.dilation; });
    set_each(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, [](const WindowAxis& a) { return a.stride; });
    set_each(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, [](const WindowAxis& a) { return a.pad_before; });
    set_each(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, [](const WindowAxis& a) { return a.pad_after; });
    all_.finalize(windows);

    const Handle x = tensor(kTensors[kX], x_);
    const Handle filter = tensor(kTensors[kFilter], filter_);
    const Handle sum = next_result();
    const Handle o = all_.add(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    all_.set(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, windows);
    all_.set(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_TYPE_BACKEND_DESCRIPTOR, x);
    all_.set(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_TYPE_BACKEND_DESCRIPTOR, filter);
    all_.set(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_TYPE_BACKEND_DESCRIPTOR, sum);
    all_.set(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1.0F);
    all_.set(o, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 0.0F);
    add(o);
  }
  /// A step on each element; `other` is null where it takes no tensor.
  void add_step(int mode, Handle other) {
    const Handle step = all_.add(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    all_.set(step, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
    all_.set(step, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    all_.finalize(step);
    const Handle before = value_;
    const Handle result = next_result();
    const Handle o = all_.add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    all_.set(o, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_TYPE_BACKEND_DESCRIPTOR, step);
    all_.set(o, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, before);
    if (other != nullptr) {
      all_.set(o, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, other);
    }
    all_.set(o, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR, result);
    add(o);
  }
  void add(Handle operation) {
    all_.finalize(operation);
    operations_.push_back(operation);
  }

  Descriptors& all_;
  const Target& target_;
  const ImageConvolution& convolution_;
  Sizes y_, x_, filter_;
  std::vector<Handle> operations_;
  int left_ = 0;            ///< operations that are still to be added
  Handle value_ = nullptr;  ///< the result of the last one
};

/// Whether an engine adds up in float32 in one order, and rounds operands no more than the user allows: matrix units
/// take float32 as TF32. What a later cuDNN notes is no reason to trust it.
bool is_exact(std::span<const int> notes, const ImageConvolution& convolution) {
  const Precision p = convolution.precision;
  const bool takes_units =
      convolution.type == DType::kFloat16 || p == Precision::kTf32 || p == Precision::kBf16 || p == Precision::kFp16;
  return std::all_of(notes.begin(), notes.end(), [&](int note) {
    return note == CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP || (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && takes_units);
  });
}

/// Whether a knob splits sums, by how busy a device then is.
bool splits_sums(const Engine::Knob& knob) {
  switch (knob.type) {
    case CUDNN_KNOB_TYPE_SPLIT_K:
    case CUDNN_KNOB_TYPE_SPLIT_K_BUF:
    case CUDNN_KNOB_TYPE_SPLIT_K_SLC:
    case CUDNN_KNOB_TYPE_SPLIT_P_SLC: return knob.value != 0 && knob.value != 1;
    case CUDNN_KNOB_TYPE_STREAM_K: return knob.value != 0;
    default: return false;
  }
}

/// The engine of a configuration, where it may be used; `status` says what has failed.
std::optional<Engine> read(const ConvolutionsApi& api, Handle configuration, const ImageConvolution& convolution,
                           cudnnStatus_t& status) {
  Descriptors all(api);
  Handle engine = all.add(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  all.get(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::span(&engine, 1));
  Engine found;
  std::array<int, kMostNotes> notes{};
  all.get(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, std::span(&found.index, 1));
  const size_t noted = all.get<int>(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, notes);
  status = all.status();
  if (!all.ok() || !is_exact(std::span(notes).first(noted), convolution)) return std::nullopt;

  std::array<Handle, kMostKnobs> choices{};
  for (Handle& choice : choices) choice = all.add(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
  const size_t count =
      all.get<Handle>(configuration, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, choices);
  for (const Handle choice : std::span(choices).first(count)) {
    Engine::Knob knob;
    all.get(choice, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, std::span(&knob.type, 1));
    all.get(choice, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, std::span(&knob.value, 1));
    status = all.status();
    if (splits_sums(knob)) return std::nullopt;
    found.knobs.push_back(knob);
  }
  status = all.status();
  return all.ok() ? std::optional(std::move(found)) : std::nullopt;
}

struct Planned {
  Handle plan = nullptr;  ///< null where the engine does not take the graph
  int64_t workspace = 0;
};

Planned plan_of(Descriptors& all, const Target& target, Handle graph, const Engine& engine) {
  const auto set_target = [&](Handle descriptor, int name) {
    if (target.properties != nullptr) all.set(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, target.properties);
  };
  const Handle e = all.add(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  all.set(e, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, graph);
  all.set(e, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, engine.index);
  set_target(e, CUDNN_ATTR_ENGINE_DEVICEPROP);
  all.finalize(e);
  std::vector<Handle> knobs;
  for (const Engine::Knob& knob : engine.knobs) {
    const Handle k = knobs.emplace_back(all.add(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
    all.set(k, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, knob.type);
    all.set(k, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, knob.value);
    all.finalize(k);
  }
  const Handle configuration = all.add(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  all.set(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, e);
  if (!knobs.empty()) {
    all.set<Handle>(configuration, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, knobs);
  }
  all.finalize(configuration);
  const Handle plan = all.add(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  if (target.handle != nullptr) all.set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, target.handle);
  all.set(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, configuration);
  set_target(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
  all.finalize(plan);
  int64_t workspace = 0;
  all.get(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, std::span(&workspace, 1));
  return {all.ok() ? plan : nullptr, workspace};
}

/// Whether the same would fail again: what cuDNN does not take, as opposed to what it has no memory or device for.
bool is_answer(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS || (status >= CUDNN_STATUS_BAD_PARAM && status < CUDNN_STATUS_INTERNAL_ERROR);
}

}  // namespace

Descriptors::~Descriptors() {
  while (!all_.empty()) {
    api_.cudnnBackendDestroyDescriptor(all_.back());
    all_.pop_back();
  }
}

cudnnBackendDescriptor_t Descriptors::add(int type) {
  if (!ok()) return nullptr;
  all_.reserve(all_.size() + 1);
  cudnnBackendDescriptor_t descriptor = nullptr;
  status_ = api_.cudnnBackendCreateDescriptor(type, &descriptor);
  if (!ok()) return nullptr;
  all_.push_back(descriptor);
  return descriptor;
}

ConvolutionPlan::Candidates ConvolutionPlan::candidates(const ConvolutionsApi& api, const Target& target,
                                                        const ImageConvolution& convolution, size_t most) {
  Candidates found;
  const auto note = [&](const Descriptors& all) { found.are_sure = found.are_sure && is_answer(all.status()); };
  Descriptors of_graph(api);
  const Handle graph = Operations(of_graph, target, convolution, kBatchOfChoice).graph();
  note(of_graph);
  const int64_t most_workspace = convolution.may_have_workspace ? kMostWorkspace : 0;
  for (const int mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    if (!of_graph.ok() || found.engines.size() >= most) break;
    Descriptors all(api);
    const Handle heuristic = all.add(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    all.set(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, graph);
    all.set(heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    if (target.properties != nullptr) {
      all.set(heuristic, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR, target.properties);
    }
    all.finalize(heuristic);
    std::array<Handle, kMostEngines> configurations{};
    for (Handle& configuration : configurations) configuration = all.add(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    const size_t count =
        all.get<Handle>(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, configurations);
    note(all);
    for (const Handle configuration : std::span(configurations).first(count)) {
      if (found.engines.size() >= most) break;
      cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
      std::optional<Engine> engine = read(api, configuration, convolution, status);
      found.are_sure = found.are_sure && is_answer(status);
      if (!engine.has_value()) continue;
      if (std::find(found.engines.begin(), found.engines.end(), *engine) != found.engines.end()) continue;
      Descriptors trial(api);
      const Planned planned = plan_of(trial, target, graph, *engine);
      note(trial);
      if (planned.plan != nullptr && planned.workspace <= most_workspace) found.engines.push_back(std::move(*engine));
    }
  }
  return found;
}

std::unique_ptr<const ConvolutionPlan> ConvolutionPlan::make(const ConvolutionsApi& api, const Target& target,
                                                             const ImageConvolution& convolution, Engine engine) {
  std::unique_ptr<ConvolutionPlan> made(new ConvolutionPlan(api, std::move(engine)));
  const Handle graph = Operations(made->descriptors_, target, convolution, convolution.sizes.batch).graph();
  const Planned planned = plan_of(made->descriptors_, target, graph, made->engine_);
  if (planned.plan == nullptr || (planned.workspace != 0 && !convolution.may_have_workspace)) return nullptr;
  made->plan_ = planned.plan;
  made->workspace_ = static_cast<size_t>(planned.workspace);
  return made;
}

std::unique_ptr<const ConvolutionPlan> ConvolutionPlan::make(const ConvolutionsApi& api, const Target& target,
                                                             const ImageConvolution& convolution) {
  Candidates found = candidates(api, target, convolution, 1);
  return found.engines.empty() ? nullptr : make(api, target, convolution, std::move(found.engines[0]));
}

cudnnStatus_t ConvolutionPlan::run(cudnnHandle_t handle, CUstream stream, std::span<void* const, 5> tensors,
                                   void* workspace) const noexcept {
  std::array<int64_t, 5> ids{};
  std::array<void*, 5> addresses{};
  int64_t count = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i] == nullptr) continue;
    ids[static_cast<size_t>(count)] = kTensors[i];
    addresses[static_cast<size_t>(count++)] = tensors[i];
  }
  Handle pack = nullptr;
  cudnnStatus_t status = api_.cudnnSetStream(handle, stream);
  const auto then = [&](auto call) {
    if (status == CUDNN_STATUS_SUCCESS) status = call();
  };
  const auto set = [&](int name, int type, int64_t values, const void* from) {
    then([&] { return api_.cudnnBackendSetAttribute(pack, name, type, values, from); });
  };
  then([&] { return api_.cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack); });
  set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, ids.data());
  set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, addresses.data());
  set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  then([&] { return api_.cudnnBackendFinalize(pack); });
  then([&] { return api_.cudnnBackendExecute(handle, plan_, pack); });
  if (pack != nullptr) api_.cudnnBackendDestroyDescriptor(pack);
  return status;
}

}  // namespace coracle::internal::cuda
