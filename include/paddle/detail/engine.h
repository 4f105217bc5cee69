// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "input_buffer.h"
#include "model_handle.h"
#include "sequence_offsets.h"
#include "shared_model.h"

namespace paddle {
namespace detail {

struct FreeDeviceTensor {
  void operator()(coracle_device_tensor* tensor) const { coracle_device_tensor_free(tensor); }
};
using DeviceTensor = std::unique_ptr<coracle_device_tensor, FreeDeviceTensor>;

/// What is set for an input: kept from run to run, whichever handles there are.
struct InputState {
  std::vector<int> shape{0};
  bool shaped = false;  ///< by Reshape or ShareExternalData
  coracle_dtype dtype = CORACLE_FLOAT32;
  Lod lod;
  void* data = nullptr;  ///< in `buffer`, or the caller's
  size_t bytes = 0;      ///< of `data`
  bool filled = false;
  InputBuffer buffer;
  DeviceTensor there = nullptr;  ///< instead of `data`: the caller's elements on the model's device
};

/// Where a result is to be after each run (ShareExternalData on an output).
struct OutputTarget {
  void* data;
  size_t bytes;
  coracle_dtype dtype;
  DeviceTensor there;  ///< of `data`, where that is on the model's device and runs write it; null: it is copied
};

/// What is behind predictors of both interfaces and their handles: a session and the state of its inputs. One thread
/// at a time, clones excepted.
class Engine {
 public:
  explicit Engine(const EngineOptions& options) : Engine(std::make_shared<SharedModel>(options), options.stream) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() {
    if (model_->ranges == nullptr) return;
    try {
      model_->ranges->write();
    } catch (...) {  // there is nobody to tell: what can go wrong was tried when loading
    }
  }

  /// With the same model, without inputs, results and hooks; on another stream, or where there is none given the same.
  /// Any thread may call it at any time.
  std::shared_ptr<Engine> clone(void* stream = nullptr) const {
    return std::shared_ptr<Engine>(new Engine(model_, stream != nullptr ? stream : model_->options().stream));
  }
  /// Where the model runs on a CUDA device, runs begin after what the stream was given.
  void set_stream(void* stream) {
    if (stream == nullptr || model_->device_in_use().compare(0, 4, "cuda") != 0) return;
    check(coracle_session_set_stream(session_.get(), stream));
    stream_ = stream;
  }
  void* stream() const { return stream_; }

  const SharedModel& model() const { return *model_; }
  InputState& input(size_t index) { return inputs_.at(index); }
  const InputOrOutput& input_info(size_t index) const { return model_->inputs.at(index); }
  const InputOrOutput& output_info(size_t index) const { return model_->outputs.at(index); }

  size_t find_input(const std::string& name) const { return find_by_name(model_->inputs, name, "input"); }
  size_t find_output(const std::string& name) const { return find_by_name(model_->outputs, name, "output"); }

  /// Sets the shape of an input, whose elements come after it.
  void reshape_input(size_t index, const std::vector<int>& shape) {
    count_of(shape, "input", input_info(index).name);
    inputs_.at(index).shape = shape;
    inputs_[index].shaped = true;
  }
  /// Memory of an input for elements of that type in the shape set before; the caller writes them.
  void* allocate_input(size_t index, coracle_dtype dtype) {
    InputState& input = inputs_.at(index);
    require(input.shaped, "input '", input_info(index).name, "' has no shape yet: call Reshape before its elements");
    const size_t bytes = bytes_of(index, dtype);
    input.there = nullptr;
    input.data = input.buffer.reserve(bytes);
    input.bytes = bytes;
    input.dtype = dtype;
    input.filled = true;
    return input.data;
  }
  /// Elements that the caller keeps until the input is set again, on the host or on the model's device.
  void share_input(size_t index, coracle_dtype dtype, const void* data, const std::vector<int>& shape,
                   bool is_there = false) {
    const std::vector<int> before = inputs_.at(index).shape;
    inputs_[index].shape = shape;
    try {
      const size_t bytes = bytes_of(index, dtype);
      require(data != nullptr || bytes == 0, "input '", input_info(index).name, "' was given a null pointer");
      inputs_[index].there = is_there ? on_device(dtype, data, shape, "input", input_info(index).name) : nullptr;
      inputs_[index].bytes = bytes;
    } catch (...) {
      inputs_[index].shape = before;
      throw;
    }
    inputs_[index].shaped = true;
    inputs_[index].data = const_cast<void*>(data);
    inputs_[index].dtype = dtype;
    inputs_[index].filled = true;
  }

  void share_output(size_t index, OutputTarget target) {
    if (target.there != nullptr) {
      check(coracle_session_bind_output_on_device(session_.get(), index, target.there.get()));
    } else if (targets_.at(index).there != nullptr) {
      check(coracle_session_bind_output(session_.get(), index, nullptr, 0));
    }
    if (target.there != nullptr || targets_.at(index).there != nullptr) has_results_ = false;
    targets_.at(index) = std::move(target);
  }
  /// A tensor in memory of the caller's on the model's device.
  DeviceTensor on_device(coracle_dtype dtype, const void* data, const std::vector<int>& shape, const char* kind,
                         const std::string& name) {
    const std::string device = model_->device_in_use();
    require(!device.empty(), kind, " '", name, "' was given memory of a GPU, but the model runs on the CPU: ",
            "use PlaceType::kCPU, or EnableUseGpu on a machine with that GPU");
    const std::vector<int64_t> dims(shape.begin(), shape.end());
    coracle_device_tensor* tensor = nullptr;
    const coracle_status status =
        coracle_device_tensor_wrap(device.c_str(), dtype, static_cast<int32_t>(dims.size()), dims.data(),
                                   const_cast<void*>(data), nullptr, nullptr, nullptr, &tensor);
    if (status != CORACLE_OK) fail(kind, " '", name, "': ", coracle_last_error());
    DeviceTensor owned(tensor);
    // Whoever names no stream works on the default one, as cudaMemcpy does.
    if (stream_ == nullptr) set_stream(default_stream());
    return owned;
  }
  const OutputTarget& target(size_t index) const { return targets_.at(index); }

  /// Throws before the first run that succeeded.
  coracle_tensor_view output(size_t index) const {
    coracle_tensor_view view{};
    const bool is_there = targets_.at(index).there != nullptr;
    const coracle_status status =
        is_there ? view_there(index, &view) : coracle_session_output(session_.get(), index, &view);
    if (status != CORACLE_OK) fail("output '", output_info(index).name, "': ", coracle_last_error());
    return view;
  }
  /// Its elements on the host.
  void copy_output(size_t index, void* data, size_t bytes) const {
    check(coracle_session_copy_output(session_.get(), index, data, bytes));
  }
  /// The element type the last run gave, before a run what the model says.
  coracle_dtype output_type(size_t index) const {
    return has_results_ ? output(index).dtype : output_info(index).dtype;
  }
  /// Whether there are results: not before the first run, nor after one that failed or release_memory().
  bool has_results() const { return has_results_; }
  /// No levels without results.
  Lod output_lod(size_t index) const {
    return has_results_ ? lod_of(session_.get(), index, output(index).lod_levels) : Lod();
  }

  void run() {
    for (size_t i = 0; i < inputs_.size(); ++i) give(i);
    has_results_ = false;
    const coracle_status status = coracle_session_run(session_.get());
    std::exception_ptr of_hook;
    std::swap(of_hook, hook_failure_);
    if (of_hook != nullptr) std::rethrow_exception(of_hook);
    check(status);
    has_results_ = true;
    for (size_t i = 0; i < targets_.size(); ++i) copy_to_target(i);
  }

  void add_output_hook(const paddle_infer::OutputTensorHookFunc& hook) { add_hook(output_hooks_, hook); }
  void add_input_hook(const paddle_infer::InputTensorHookFunc& hook) { add_hook(input_hooks_, hook); }

  /// Gives back what the next run makes again; results of the last one are gone.
  uint64_t release_memory() {
    size_t bytes = 0;
    has_results_ = false;
    check(coracle_session_release_memory(session_.get(), &bytes));
    return bytes;
  }

 private:
  using Hooks = std::vector<paddle_infer::OutputTensorHookFunc>;

  static void* default_stream() { return reinterpret_cast<void*>(uintptr_t{1}); }

  coracle_status view_there(size_t index, coracle_tensor_view* view) const {
    coracle_device_tensor* tensor = nullptr;
    const coracle_status status = coracle_session_output_on_device(session_.get(), index, &tensor);
    const DeviceTensor owner(tensor);
    return status != CORACLE_OK ? status : coracle_device_tensor_view(tensor, view);
  }

  Engine(std::shared_ptr<const SharedModel> model, void* stream)
      : model_(std::move(model)), inputs_(model_->inputs.size()), targets_(model_->outputs.size()) {
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i].dtype = input_info(i).dtype;
    coracle_session_options options;
    coracle_session_options_init(&options, sizeof(options));
    options.threads = model_->options().threads;
    coracle_session* session = nullptr;
    check(coracle_session_create(model_->get(), &options, &session));
    session_.reset(session);
    set_stream(stream);
    if (model_->ranges != nullptr) check(coracle_session_set_observer(session_.get(), observe, this));
  }

  size_t bytes_of(size_t index, coracle_dtype dtype) const {
    const InputOrOutput& info = input_info(index);
    require(dtype == info.dtype, "input '", info.name, "' takes elements of type ", coracle_dtype_name(info.dtype),
            ", given ", coracle_dtype_name(dtype));
    return static_cast<size_t>(count_of(inputs_[index].shape, "input", info.name)) * coracle_dtype_size(dtype);
  }

  /// Hands an input to the session.
  void give(size_t index) {
    InputState& input = inputs_[index];
    const std::string& name = input_info(index).name;
    require(input.filled, "input '", name, "' was not set: call Reshape and CopyFromCpu before Run");
    const size_t bytes = bytes_of(index, input.dtype);
    require(bytes == input.bytes, "input '", name, "' has shape ", list_text(input.shape), ", which is ", bytes,
            " bytes, but was filled with ", input.bytes, ": call CopyFromCpu after Reshape");
    const std::vector<int64_t> dims(input.shape.begin(), input.shape.end());
    check(input.there != nullptr
              ? coracle_session_set_input_on_device(session_.get(), index, input.there.get())
              : coracle_session_borrow_input(session_.get(), index, input.dtype, static_cast<int32_t>(dims.size()),
                                             dims.data(), input.data));
    give_lod(session_.get(), index, input.lod);
  }

  void copy_to_target(size_t index) const {
    const OutputTarget& target = targets_[index];
    if (target.data == nullptr || target.there != nullptr) return;
    const coracle_tensor_view view = output(index);
    const std::string& name = output_info(index).name;
    require(view.dtype == target.dtype, "output '", name, "' has elements of type ", coracle_dtype_name(view.dtype),
            ", ShareExternalData was given ", coracle_dtype_name(target.dtype));
    require(view.bytes <= target.bytes, "output '", name, "' has ", view.bytes,
            " bytes, ShareExternalData was given room for ", target.bytes);
    if (view.bytes != 0) std::memcpy(target.data, view.data, view.bytes);
  }

  void add_hook(Hooks& hooks, const paddle_infer::OutputTensorHookFunc& hook) {
    require(hook != nullptr, "a hook without a function was registered");
    check(coracle_session_set_observer(session_.get(), observe, this));
    hooks.push_back(hook);
  }

  static int observe(void* self, const coracle_node_value* value) {
    auto* engine = static_cast<Engine*>(self);
    try {
      engine->show(*value);
      return 0;
    } catch (...) {
      engine->hook_failure_ = std::current_exception();
      return 1;
    }
  }

  void show(const coracle_node_value& value) const {
    const coracle_tensor_view& view = value.tensor;
    const std::string name = *value.name != '\0' ? value.name : std::string(value.node) + ".tmp";
    // Paddle lists what operators read, parameters too.
    if (model_->ranges != nullptr && *value.name != '\0' && value.is_result == 0) model_->ranges->add(name, view);
    const Hooks& hooks = value.is_result != 0 ? output_hooks_ : input_hooks_;
    if (hooks.empty()) return;
    const paddle::Tensor tensor(name, view.dtype, {view.dims, view.dims + view.rank}, view.data);
    for (const auto& hook : hooks) hook(value.op, name, tensor);
  }

  std::shared_ptr<const SharedModel> model_;
  SessionHandle session_;
  std::vector<InputState> inputs_;
  std::vector<OutputTarget> targets_;
  void* stream_ = nullptr;
  Hooks output_hooks_;
  Hooks input_hooks_;
  std::exception_ptr hook_failure_;
  bool has_results_ = false;
};

}  // namespace detail
}  // namespace paddle
