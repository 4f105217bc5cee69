// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "paddle_inference_api.h"

namespace paddle_infer {
namespace contrib {

class PD_INFER_DECL TensorUtils {
 public:
  /// Memory for copies to and from devices; here memory like any other, since a session pins its own. Null if there is
  /// none.
  static void* CudaMallocPinnedMemory(size_t size) { return std::malloc(size == 0 ? 1 : size); }
  static void CudaFreePinnedMemory(void* mem) { std::free(mem); }

  /// Copies elements, shape and offsets into an input.
  static void CopyTensor(Tensor* p_dst, const Tensor& src) {
    paddle::detail::require(p_dst != nullptr, "CopyTensor was given a null pointer");
    p_dst->need_input("CopyTensor");
    const coracle_dtype dtype =
        src.is_input_ ? src.engine_->input(src.index_).dtype : src.engine_->output_type(src.index_);
    const coracle_tensor_view view = src.checked(dtype, "CopyTensor");
    p_dst->Reshape(src.shape());
    void* to = p_dst->engine_->allocate_input(p_dst->index_, dtype);
    if (src.place() == PlaceType::kGPU) {
      paddle::detail::require(!src.is_input_, "CopyTensor: input '", src.name(),
                              "' is the caller's own memory of the GPU");
      src.engine_->copy_output(src.index_, to, view.bytes);
    } else if (view.bytes != 0) {
      std::memmove(to, view.data, view.bytes);
    }
    p_dst->SetLoD(src.lod());
  }
  /// Both lie on the host: the copy is done when the call returns.
  static void CopyTensorAsync(Tensor* p_dst, const Tensor& src, void* /*exec_stream*/) { CopyTensor(p_dst, src); }
  static void CopyTensorAsync(Tensor* p_dst, const Tensor& src, CallbackFunc cb, void* cb_params) {
    CopyTensor(p_dst, src);
    if (cb != nullptr) cb(cb_params);
  }
};

/// The outcome of a call that may throw, as a value.
class PD_INFER_DECL Status {
 public:
  Status() = default;
  explicit Status(std::exception_ptr e) : code_(e == nullptr ? 0 : 1) {
    if (e == nullptr) return;
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& error) {
      message_ = error.what();
    } catch (...) {
      message_ = "an exception that is not a std::exception";
    }
  }
  static Status OK() { return Status(); }
  bool ok() const noexcept { return code_ == 0; }
  int code() const noexcept { return code_; }
  const std::string& error_message() const { return message_; }
  bool operator==(const Status& other) const noexcept { return code_ == other.code_; }
  bool operator!=(const Status& other) const noexcept { return code_ != other.code_; }

 private:
  int code_ = 0;
  std::string message_;
};

/// Calls `func` and gives what it threw as a Status. What it returns is lost.
template <typename Func, typename... Args>
Status get_status(Func func, Args&&... args) noexcept {
  try {
    func(std::forward<Args>(args)...);
    return Status::OK();
  } catch (...) {
    return Status(std::current_exception());
  }
}

}  // namespace contrib
}  // namespace paddle_infer
