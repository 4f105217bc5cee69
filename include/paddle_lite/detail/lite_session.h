// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../paddle/detail/element_count.h"
#include "../../paddle/detail/input_buffer.h"
#include "../../paddle/detail/sequence_offsets.h"
#include "lite_model.h"

namespace paddle {
namespace detail {

/// What is set for an input: kept from run to run, whichever Tensors there are.
struct LiteInput {
  std::vector<int64_t> shape;
  bool shaped = false;  ///< by Resize
  Lod lod;
  void* data = nullptr;  ///< in `buffer`, or the caller's
  size_t bytes = 0;      ///< of `data`
  bool filled = false;
  bool shared = false;  ///< `data` is the caller's, and may be larger than the shape needs
  InputBuffer buffer;
};

/// What is behind a predictor and its Tensors: a session and the state of its inputs. One thread at a time, clones
/// excepted.
class LiteSession {
 public:
  explicit LiteSession(const LiteModelOptions& options) : LiteSession(std::make_shared<LiteModel>(options)) {}
  LiteSession(const LiteSession&) = delete;
  LiteSession& operator=(const LiteSession&) = delete;

  /// With the same model, without inputs and results. Any thread may call it at any time.
  std::shared_ptr<LiteSession> clone() const { return std::shared_ptr<LiteSession>(new LiteSession(model_)); }

  const LiteModel& model() const { return *model_; }
  LiteInput& input(size_t index) { return inputs_.at(index); }
  const InputOrOutput& input_info(size_t index) const { return model_->inputs.at(index); }
  const InputOrOutput& output_info(size_t index) const { return model_->outputs.at(index); }

  void resize_input(size_t index, const std::vector<int64_t>& shape) {
    count_of(shape, "input", input_info(index).name);
    inputs_.at(index).shape = shape;
    inputs_[index].shaped = true;
  }
  /// Memory of an input in the shape set before: the caller's where it was shared and has room, else the session's.
  void* allocate_input(size_t index, coracle_dtype dtype) {
    LiteInput& input = inputs_.at(index);
    need_type(index, dtype);
    const size_t bytes = needed_bytes(index);
    if (input.shared && bytes <= input.bytes) return input.data;
    input.data = input.buffer.reserve(bytes);
    input.bytes = bytes;
    input.filled = true;
    input.shared = false;
    return input.data;
  }
  void share_input(size_t index, void* data, size_t bytes) {
    LiteInput& input = inputs_.at(index);
    require(data != nullptr, "ShareExternalMemory: input '", input_info(index).name, "' was given a null pointer");
    input.data = data;
    input.bytes = bytes;
    input.filled = true;
    input.shared = true;
  }
  /// The elements of an input that was set, in its shape.
  coracle_tensor_view set_input(size_t index) const {
    const LiteInput& input = inputs_.at(index);
    const std::string& name = input_info(index).name;
    require(input.filled, "input '", name, "' was not set: call Resize and mutable_data or CopyFromCpu before");
    const size_t bytes = needed_bytes(index);
    require(input.shared ? bytes <= input.bytes : bytes == input.bytes, "input '", name, "' has shape ",
            list_text(input.shape), ", which is ", bytes, " bytes, but was given ", input.bytes,
            input.shared ? " by ShareExternalMemory" : ": call mutable_data or CopyFromCpu after Resize");
    coracle_tensor_view view{};
    view.data = input.data;
    view.bytes = bytes;
    view.dtype = input_info(index).dtype;
    return view;
  }

  /// Throws before the first run that succeeded.
  coracle_tensor_view output(size_t index) const {
    coracle_tensor_view view;
    if (coracle_session_output(session_.get(), index, &view) != CORACLE_OK) {
      fail("output '", output_info(index).name, "': ", coracle_last_error());
    }
    return view;
  }
  /// Whether there are results: not before the first run, nor after one that failed or release_memory().
  bool has_results() const { return has_results_; }
  /// No levels without results.
  Lod output_lod(size_t index) const {
    return has_results_ ? lod_of(session_.get(), index, output(index).lod_levels) : Lod();
  }

  void run() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const coracle_tensor_view view = set_input(i);
      const std::vector<int64_t>& shape = inputs_[i].shape;
      check(coracle_session_borrow_input(session_.get(), i, view.dtype, static_cast<int32_t>(shape.size()),
                                         shape.data(), view.data));
      give_lod(session_.get(), i, inputs_[i].lod);
    }
    has_results_ = false;
    // Helpers start where this thread may run. What the system refuses changes no result.
    if (model_->cpus() != nullptr) static_cast<void>(coracle_bind_thread(model_->cpus()));
    check(coracle_session_run(session_.get()));
    has_results_ = true;
  }

  /// Gives back what the next run makes again; results of the last one are gone.
  void release_memory() {
    has_results_ = false;
    check(coracle_session_release_memory(session_.get(), nullptr));
  }

 private:
  explicit LiteSession(std::shared_ptr<const LiteModel> model)
      : model_(std::move(model)), inputs_(model_->inputs.size()) {
    coracle_session_options options;
    coracle_session_options_init(&options, sizeof(options));
    options.threads = model_->threads();
    coracle_session* session = nullptr;
    check(coracle_session_create(model_->get(), &options, &session));
    session_.reset(session);
  }

  void need_type(size_t index, coracle_dtype dtype) const {
    const InputOrOutput& info = input_info(index);
    require(dtype == info.dtype, "input '", info.name, "' takes elements of type ", coracle_dtype_name(info.dtype),
            ", given ", coracle_dtype_name(dtype));
  }
  size_t needed_bytes(size_t index) const {
    const InputOrOutput& info = input_info(index);
    require(inputs_[index].shaped, "input '", info.name, "' has no shape yet: call Resize before its elements");
    return static_cast<size_t>(count_of(inputs_[index].shape, "input", info.name)) * coracle_dtype_size(info.dtype);
  }

  std::shared_ptr<const LiteModel> model_;
  SessionHandle session_;
  std::vector<LiteInput> inputs_;
  bool has_results_ = false;
};

}  // namespace detail
}  // namespace paddle
