// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../paddle/detail/types.h"
#include "../paddle_place.h"
#include "lite_session.h"

#if defined(ENABLE_ARM_FP16)
namespace paddle {
namespace lite_api {
typedef __fp16 float16_t;
}  // namespace lite_api
namespace detail {
template <>
struct ElementType<__fp16> {
  static constexpr coracle_dtype value() { return CORACLE_FLOAT16; }
};
}  // namespace detail
}  // namespace paddle
#endif

namespace paddle {
namespace lite_api {

using shape_t = std::vector<int64_t>;
using lod_t = std::vector<std::vector<uint64_t>>;

/// An input or output of a predictor. It stays valid from run to run and may be kept after the predictor is gone; it
/// belongs to the thread of its predictor. Pointers to elements of outputs are valid until the next run. Every call
/// throws (a std::runtime_error) where it cannot do what it says.
struct LITE_API Tensor {
  Tensor(std::shared_ptr<detail::LiteSession> session, size_t index, bool is_input)
      : session_(std::move(session)), index_(index), is_input_(is_input) {}

  /// Sets the shape of an input; its elements are set after it.
  void Resize(const shape_t& shape) {
    need_input("Resize");
    session_->resize_input(index_, shape);
  }

  template <typename T>
  const T* data() const {
    return static_cast<const T*>(checked(detail::ElementType<T>::value(), "data").data);
  }

  /// Memory of an input in the shape set before; what is written there is the input of the next run. Of an output: the
  /// elements of the last run, which may be read alone.
  template <typename T>
  T* mutable_data(TargetType type = TargetType::kHost) const {
    need_host(type, "mutable_data");
    const coracle_dtype dtype = detail::ElementType<T>::value();
    if (is_input_) return static_cast<T*>(session_->allocate_input(index_, dtype));
    return static_cast<T*>(const_cast<void*>(checked(dtype, "mutable_data").data));
  }
  [[noreturn]] void* mutable_metal_data(void* /*ptr*/) const {
    detail::fail("mutable_metal_data: '", name(), "' lies in memory of the host, use mutable_data");
  }

  /// The caller's elements without a copy: the input is read there by each run, until it is set otherwise.
  /// `memory_size` in bytes may be more than the shape needs.
  void ShareExternalMemory(void* data, size_t memory_size, TargetType target) {
    need_input("ShareExternalMemory");
    need_host(target, "ShareExternalMemory");
    session_->share_input(index_, data, memory_size);
  }

  template <typename T, TargetType type = TargetType::kHost>
  void CopyFromCpu(const T* data) {
    need_input("CopyFromCpu");
    need_host(type, "CopyFromCpu");
    detail::require(data != nullptr, "CopyFromCpu: input '", name(), "' was given a null pointer");
    void* to = session_->allocate_input(index_, detail::ElementType<T>::value());
    const size_t bytes = session_->set_input(index_).bytes;
    if (bytes != 0) std::memcpy(to, data, bytes);
  }
  template <typename T>
  void CopyToCpu(T* data) const {
    const coracle_tensor_view view = checked(detail::ElementType<T>::value(), "CopyToCpu");
    if (view.bytes == 0) return;
    detail::require(data != nullptr, "CopyToCpu: '", name(), "' cannot be copied to a null pointer");
    std::memcpy(data, view.data, view.bytes);
  }

  /// What was set for an input, what the last run gave for an output; empty before that.
  shape_t shape() const {
    if (is_input_) return session_->input(index_).shape;
    if (!session_->has_results()) return {};
    const coracle_tensor_view view = session_->output(index_);
    return shape_t(view.dims, view.dims + view.rank);
  }
  /// Elements lie on the host, wherever the model runs.
  TargetType target() const { return TargetType::kHost; }
  PrecisionType precision() const { return detail::lite_precision(dtype()); }
  /// Throws for another precision than the model says: elements are not converted.
  void SetPrecision(PrecisionType precision_type) {
    need_input("SetPrecision");
    detail::require(precision_type == precision(), "SetPrecision: input '", name(), "' has elements of type ",
                    coracle_dtype_name(dtype()), ", given ", PrecisionToStr(precision_type));
  }

  /// Sequence offsets, coarsest level first; they stay until they are set again.
  void SetLoD(const lod_t& lod) {
    need_input("SetLoD");
    detail::Lod& to = session_->input(index_).lod;
    to.clear();
    for (const auto& level : lod) to.emplace_back(level.begin(), level.end());
  }
  lod_t lod() const {
    lod_t levels;
    const detail::Lod from = is_input_ ? session_->input(index_).lod : session_->output_lod(index_);
    for (const auto& level : from) levels.emplace_back(level.begin(), level.end());
    return levels;
  }
  /// Whether it has elements: an input that was set, an output after a run.
  bool IsInitialized() const { return is_input_ ? session_->input(index_).filled : session_->has_results(); }

 private:
  const std::string& name() const { return info().name; }
  const detail::InputOrOutput& info() const {
    return is_input_ ? session_->input_info(index_) : session_->output_info(index_);
  }
  /// What the last run gave, else what the model says.
  coracle_dtype dtype() const {
    return is_input_ || !session_->has_results() ? info().dtype : session_->output(index_).dtype;
  }
  void need_input(const char* call) const {
    detail::require(is_input_, call, ": '", name(), "' is an output, only inputs can be set");
  }
  void need_host(TargetType target, const char* call) const {
    const bool is_host = target == TargetType::kHost || target == TargetType::kX86 || target == TargetType::kARM ||
                         target == TargetType::kAny || target == TargetType::kUnk;
    detail::require(is_host, call, ": '", name(), "' lies in memory of the host, wherever the model runs: use ",
                    "TARGET(kHost); given TARGET(", TargetRepr(target), ")");
  }
  /// The tensor as it is now, if it has such elements.
  coracle_tensor_view checked(coracle_dtype asked, const char* call) const {
    const coracle_tensor_view view = is_input_ ? session_->set_input(index_) : session_->output(index_);
    detail::require(view.dtype == asked, call, ": '", name(), "' has elements of type ", coracle_dtype_name(view.dtype),
                    ", asked for ", coracle_dtype_name(asked));
    return view;
  }

  std::shared_ptr<detail::LiteSession> session_;
  size_t index_;
  bool is_input_;
};

}  // namespace lite_api
}  // namespace paddle
