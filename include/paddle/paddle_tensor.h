// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "detail/engine.h"
#include "paddle_infer_declare.h"

namespace paddle_infer {

namespace contrib {
class TensorUtils;
}

/// An input or output of a predictor, by name. It stays valid from run to run and may be kept after the predictor is
/// gone; it belongs to the thread of its predictor. Every call throws (a std::runtime_error) where it cannot do what it
/// says.
class PD_INFER_DECL Tensor {
 public:
  Tensor(std::shared_ptr<paddle::detail::Engine> engine, size_t index, bool is_input)
      : engine_(std::move(engine)), index_(index), is_input_(is_input) {}
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  virtual ~Tensor() = default;

  /// Sets the shape of an input; its elements are set after it.
  void Reshape(const std::vector<int>& shape) {
    need_input("Reshape");
    engine_->reshape_input(index_, shape);
  }
  void ReshapeStrings(const std::size_t&) { no_strings("ReshapeStrings"); }

  /// Memory of an input in the shape set before; what is written there is the input of the next run.
  template <typename T>
  T* mutable_data(PlaceType place) {
    need_input("mutable_data");
    need_cpu(place);
    paddle::detail::require(paddle::detail::count_of(engine_->input(index_).shape, "input", name()) > 0,
                            "mutable_data: input '", name(), "' has no elements, call Reshape before");
    return static_cast<T*>(engine_->allocate_input(index_, paddle::detail::ElementType<T>::value()));
  }
  /// The elements and their number.
  template <typename T>
  T* data(PlaceType* place, int* size) const {
    const coracle_tensor_view view = checked(paddle::detail::ElementType<T>::value(), "data");
    const size_t count = view.bytes / sizeof(T);
    paddle::detail::require(count <= static_cast<size_t>(std::numeric_limits<int>::max()), "data: tensor '", name(),
                            "' has ", count, " elements, more than an int can say");
    if (place != nullptr) *place = this->place();
    if (size != nullptr) *size = static_cast<int>(count);
    const paddle::detail::OutputTarget* target = is_input_ ? nullptr : &engine_->target(index_);
    return static_cast<T*>(target != nullptr && target->data != nullptr ? target->data : const_cast<void*>(view.data));
  }

  template <typename T>
  void CopyFromCpu(const T* data) {
    need_input("CopyFromCpu");
    void* to = engine_->allocate_input(index_, paddle::detail::ElementType<T>::value());
    const size_t bytes = engine_->input(index_).bytes;
    if (bytes == 0) return;
    if (data == nullptr) {
      engine_->input(index_).filled = false;
      paddle::detail::fail("CopyFromCpu: input '", name(), "' was given a null pointer");
    }
    std::memcpy(to, data, bytes);
  }
  /// The caller's elements without a copy: an input is read there by each run, an output is put there behind each. With
  /// kGPU they are on the GPU that the model uses; runs begin after what was given to the stream of SetExecStream, or
  /// to CUDA's default stream.
  template <typename T>
  void ShareExternalData(const T* data, const std::vector<int>& shape, PlaceType place,
                         DataLayout layout = DataLayout::kNCHW) {
    paddle::detail::require(layout == DataLayout::kNCHW, "ShareExternalData: '", name(),
                            "' can only be given in the layout kNCHW");
    const bool is_there = place == PlaceType::kGPU;
    if (!is_there) need_cpu(place);
    const coracle_dtype dtype = paddle::detail::ElementType<T>::value();
    if (is_input_) {
      engine_->share_input(index_, dtype, data, shape, is_there);
      return;
    }
    const size_t bytes = static_cast<size_t>(paddle::detail::count_of(shape, "output", name())) * sizeof(T);
    paddle::detail::require(data != nullptr, "ShareExternalData: output '", name(), "' was given a null pointer");
    engine_->share_output(index_, {const_cast<T*>(data), bytes, dtype,
                                   is_there ? engine_->on_device(dtype, data, shape, "output", name()) : nullptr});
  }
  void CopyStringsFromCpu(const Strings*) { no_strings("CopyStringsFromCpu"); }

  template <typename T>
  void CopyToCpu(T* data) const {
    const coracle_tensor_view view = checked(paddle::detail::ElementType<T>::value(), "CopyToCpu");
    if (view.bytes == 0) return;
    paddle::detail::require(data != nullptr, "CopyToCpu: tensor '", name(), "' cannot be copied to a null pointer");
    if (place() == PlaceType::kCPU) {
      std::memcpy(data, view.data, view.bytes);
      return;
    }
    paddle::detail::require(!is_input_, "CopyToCpu: input '", name(), "' is the caller's own memory of the GPU");
    engine_->copy_output(index_, data, view.bytes);
  }
  /// Results are complete when Run returns, and the copy is done when the call returns.
  template <typename T>
  void CopyToCpuAsync(T* data, void* /*exec_stream*/) const {
    CopyToCpu(data);
  }
  /// The same, with `callback` called before the call returns.
  template <typename T>
  void CopyToCpuAsync(T* data, CallbackFunc callback, void* params) const {
    CopyToCpu(data);
    if (callback != nullptr) callback(params);
  }

  /// What was set for an input, what the last run gave for an output; {0} before that.
  std::vector<int> shape() const {
    if (is_input_) return engine_->input(index_).shape;
    if (!engine_->has_results()) return {0};
    const coracle_tensor_view view = engine_->output(index_);
    std::vector<int> shape;
    for (int i = 0; i < view.rank; ++i) {
      paddle::detail::require(view.dims[i] <= std::numeric_limits<int>::max(), "shape: dimension ", i, " of output '",
                              name(), "' is ", view.dims[i], ", more than an int can say");
      shape.push_back(static_cast<int>(view.dims[i]));
    }
    return shape;
  }
  /// Sequence offsets, coarsest level first; they stay until they are set again.
  void SetLoD(const std::vector<std::vector<size_t>>& lod) {
    need_input("SetLoD");
    engine_->input(index_).lod = lod;
  }
  std::vector<std::vector<size_t>> lod() const {
    return is_input_ ? engine_->input(index_).lod : engine_->output_lod(index_);
  }
  const std::string& name() const {
    return is_input_ ? engine_->input_info(index_).name : engine_->output_info(index_).name;
  }
  DataType type() const {
    return paddle::detail::paddle_type(is_input_ ? engine_->input(index_).dtype : engine_->output_type(index_));
  }
  /// kGPU for what ShareExternalData was given there, kCPU for all else.
  PlaceType place() const {
    const bool is_there =
        is_input_ ? engine_->input(index_).there != nullptr : engine_->target(index_).there != nullptr;
    return is_there ? PlaceType::kGPU : PlaceType::kCPU;
  }

 private:
  friend class contrib::TensorUtils;

  void need_input(const char* call) const {
    paddle::detail::require(is_input_, call, ": '", name(), "' is an output, only inputs can be set");
  }
  void need_cpu(PlaceType place) const {
    paddle::detail::require(
        place == PlaceType::kCPU, "tensor '", name(), "' lies on the CPU, wherever the model runs: ",
        "use PlaceType::kCPU, or CopyFromCpu and CopyToCpu, or give memory of a GPU by ShareExternalData; ",
        "given PlaceType ", static_cast<int>(place));
  }
  [[noreturn]] void no_strings(const char* call) const {
    paddle::detail::fail(call, ": tensors of strings are not supported, '", name(), "' cannot be set so");
  }
  /// The tensor as it is now, if it has such elements.
  coracle_tensor_view checked(coracle_dtype asked, const char* call) const {
    coracle_tensor_view view{};
    if (is_input_) {
      const paddle::detail::InputState& input = engine_->input(index_);
      paddle::detail::require(input.filled, call, ": input '", name(), "' was not set");
      view.data = input.data;
      view.bytes = input.bytes;
      view.dtype = input.dtype;
    } else {
      view = engine_->output(index_);
    }
    paddle::detail::require(view.dtype == asked, call, ": '", name(), "' has elements of type ",
                            coracle_dtype_name(view.dtype), ", asked for ", coracle_dtype_name(asked));
    return view;
  }

  std::shared_ptr<paddle::detail::Engine> engine_;
  size_t index_;
  bool is_input_;
};

}  // namespace paddle_infer
