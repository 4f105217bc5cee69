// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "../paddle_infer_declare.h"
#include "element_count.h"
#include "types.h"

namespace phi {

/// Element types as paddle::Tensor names them; the numbers are Paddle's.
enum class DataType {
  UNDEFINED = 0,
  BOOL,
  UINT8,
  INT8,
  UINT16,
  INT16,
  UINT32,
  INT32,
  UINT64,
  INT64,
  FLOAT32,
  FLOAT64,
  COMPLEX64,
  COMPLEX128,
  PSTRING,
  FLOAT16,
  BFLOAT16,
  FLOAT8_E4M3FN,
  FLOAT8_E5M2,
};

enum class AllocationType { UNDEFINED = 0, CPU = 1, GPU = 2 };

/// Where elements lie, as paddle::Tensor names it. They always lie on the CPU: other places may be named, and compared.
class Place {
 public:
  Place() = default;
  explicit Place(AllocationType type, int id = 0) : type_(type), id_(id) {}
  Place(paddle_infer::PlaceType type)  // NOLINT(google-explicit-constructor): kernels compare places with these
      : type_(type == paddle_infer::PlaceType::kCPU   ? AllocationType::CPU
              : type == paddle_infer::PlaceType::kGPU ? AllocationType::GPU
                                                      : AllocationType::UNDEFINED) {}
  AllocationType GetType() const { return type_; }
  int GetDeviceId() const { return id_; }
  bool operator==(const Place& other) const { return type_ == other.type_ && id_ == other.id_; }
  bool operator!=(const Place& other) const { return !(*this == other); }

 private:
  AllocationType type_ = AllocationType::UNDEFINED;
  int id_ = 0;
};
class CPUPlace : public Place {
 public:
  CPUPlace() : Place(AllocationType::CPU) {}
};
class GPUPlace : public Place {
 public:
  explicit GPUPlace(int id = 0) : Place(AllocationType::GPU, id) {}
};

}  // namespace phi

namespace paddle {

using DataType = phi::DataType;
using Place = phi::Place;
using CPUPlace = phi::CPUPlace;
using GPUPlace = phi::GPUPlace;
using PlaceType = paddle_infer::PlaceType;

namespace detail {

inline phi::DataType phi_type(coracle_dtype dtype) {
  switch (dtype) {
    case CORACLE_BOOL: return phi::DataType::BOOL;
    case CORACLE_INT8: return phi::DataType::INT8;
    case CORACLE_UINT8: return phi::DataType::UINT8;
    case CORACLE_INT16: return phi::DataType::INT16;
    case CORACLE_INT32: return phi::DataType::INT32;
    case CORACLE_INT64: return phi::DataType::INT64;
    case CORACLE_FLOAT16: return phi::DataType::FLOAT16;
    case CORACLE_BFLOAT16: return phi::DataType::BFLOAT16;
    case CORACLE_FLOAT32: return phi::DataType::FLOAT32;
    case CORACLE_FLOAT64: return phi::DataType::FLOAT64;
    case CORACLE_COMPLEX64: return phi::DataType::COMPLEX64;
    case CORACLE_COMPLEX128: return phi::DataType::COMPLEX128;
    case CORACLE_FLOAT8_E4M3: return phi::DataType::FLOAT8_E4M3FN;
    case CORACLE_FLOAT8_E5M2: return phi::DataType::FLOAT8_E5M2;
  }
  return phi::DataType::UNDEFINED;
}

inline coracle_dtype library_type(phi::DataType type) {
  for (int i = CORACLE_BOOL; coracle_dtype_size(static_cast<coracle_dtype>(i)) != 0; ++i) {
    if (phi_type(static_cast<coracle_dtype>(i)) == type) return static_cast<coracle_dtype>(i);
  }
  fail("there are no tensors of the element type ", static_cast<int>(type), " of phi::DataType");
}

inline float as_element(double value, const phi::dtype::float16*) { return static_cast<float>(value); }
inline float as_element(double value, const phi::dtype::bfloat16*) { return static_cast<float>(value); }
template <class T>
T as_element(double value, const T*) {
  return static_cast<T>(value);
}
/// Gives `count` elements the value.
template <class T>
void fill(void* elements, size_t count, double value) {
  std::fill_n(static_cast<T*>(elements), count, T(as_element(value, static_cast<T*>(nullptr))));
}
inline void fill(coracle_dtype dtype, void* elements, size_t count, double value) {
  switch (dtype) {
    case CORACLE_BOOL: return fill<bool>(elements, count, value);
    case CORACLE_INT8: return fill<int8_t>(elements, count, value);
    case CORACLE_UINT8: return fill<uint8_t>(elements, count, value);
    case CORACLE_INT16: return fill<int16_t>(elements, count, value);
    case CORACLE_INT32: return fill<int32_t>(elements, count, value);
    case CORACLE_INT64: return fill<int64_t>(elements, count, value);
    case CORACLE_FLOAT16: return fill<phi::dtype::float16>(elements, count, value);
    case CORACLE_BFLOAT16: return fill<phi::dtype::bfloat16>(elements, count, value);
    case CORACLE_FLOAT32: return fill<float>(elements, count, value);
    case CORACLE_FLOAT64: return fill<double>(elements, count, value);
    default: fail("tensors of ", coracle_dtype_name(dtype), " cannot be filled with a number");
  }
}

}  // namespace detail

/// The small part of Paddle's tensor that predictors take and give: elements in memory of this process, in row-major
/// order, shared by copies. What a hook is given is valid during the call only.
class PD_INFER_DECL Tensor {
 public:
  Tensor() = default;
  explicit Tensor(const std::string& name) : name_(name) {}
  /// Elements that belong to somebody else, who keeps them.
  Tensor(const std::string& name, coracle_dtype dtype, const std::vector<int64_t>& shape, const void* data)
      : name_(name), dtype_(dtype), shape_(shape), data_(const_cast<void*>(data)), defined_(true) {}
  /// Memory of its own, all zero.
  Tensor(const std::vector<int64_t>& shape, coracle_dtype dtype) : dtype_(dtype), shape_(shape), defined_(true) {
    const size_t bytes = static_cast<size_t>(detail::count_of(shape, "tensor", name_)) * coracle_dtype_size(dtype);
    owner_ = std::make_shared<std::vector<char>>(bytes == 0 ? 1 : bytes);
    data_ = owner_->data();
  }

  /// Of that shape, with elements from mutable_data on.
  explicit Tensor(const Place&, const std::vector<int64_t>& shape = {}) : shape_(shape) {}

  const std::string& name() const { return name_; }
  void set_name(const std::string& name) { name_ = name; }
  std::vector<int64_t> shape() const { return shape_; }
  int64_t numel() const { return defined_ ? detail::count_of(shape_, "tensor", name_) : 0; }
  int64_t size() const { return numel(); }
  DataType dtype() const { return defined_ ? detail::phi_type(dtype_) : DataType::UNDEFINED; }
  DataType type() const { return dtype(); }
  bool defined() const { return defined_; }
  bool initialized() const { return defined_; }
  Place place() const { return defined_ ? Place(CPUPlace()) : Place(); }
  bool is_cpu() const { return defined_; }
  bool is_gpu() const { return false; }
  const std::vector<std::vector<size_t>>& lod() const { return lod_; }
  void set_lod(const std::vector<std::vector<size_t>>& lod) { lod_ = lod; }

  void* data() { return data_; }
  const void* data() const { return data_; }
  template <class T>
  T* data() {
    return static_cast<T*>(checked(detail::ElementType<T>::value()));
  }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(checked(detail::ElementType<T>::value()));
  }
  /// The same; memory is made, all zero, where there is none for elements of that type.
  template <class T>
  T* mutable_data() {
    const coracle_dtype dtype = detail::ElementType<T>::value();
    if (!defined_ || dtype_ != dtype) {
      Tensor made(shape_, dtype);
      made.name_ = name_;
      made.lod_ = lod_;
      *this = made;
    }
    return static_cast<T*>(data_);
  }
  template <class T>
  T* mutable_data(const Place&) {
    return mutable_data<T>();
  }
  /// A tensor with memory of its own and the same content.
  Tensor clone() const {
    if (!defined_) return *this;
    Tensor copy(shape_, dtype_);
    const size_t bytes = static_cast<size_t>(numel()) * coracle_dtype_size(dtype_);
    if (bytes != 0) std::memcpy(copy.data_, data_, bytes);
    copy.name_ = name_;
    copy.lod_ = lod_;
    return copy;
  }
  /// The same as clone(): wherever it is to lie, it lies on the CPU.
  Tensor copy_to(const Place&, bool /*blocking*/ = true) const { return clone(); }
  /// The same elements in another shape of as many.
  void reshape(const std::vector<int64_t>& shape) {
    detail::require(detail::count_of(shape, "tensor", name_) == numel(), "reshape: a tensor of shape ",
                    detail::list_text(shape_), " has not as many elements as ", detail::list_text(shape));
    shape_ = shape;
  }

 private:
  void* checked(coracle_dtype asked) const {
    detail::require(defined_, "tensor '", name_, "' has no elements yet");
    detail::require(asked == dtype_, "tensor '", name_, "' has elements of type ", coracle_dtype_name(dtype_),
                    ", data<T>() was asked for ", coracle_dtype_name(asked));
    return data_;
  }

  std::string name_;
  coracle_dtype dtype_ = CORACLE_FLOAT32;
  std::vector<int64_t> shape_;
  std::vector<std::vector<size_t>> lod_;
  std::shared_ptr<std::vector<char>> owner_;
  void* data_ = nullptr;
  bool defined_ = false;
};

/// A tensor with memory of its own, all zero.
inline Tensor empty(const std::vector<int64_t>& shape, DataType dtype = DataType::FLOAT32, const Place& = CPUPlace()) {
  return Tensor(shape, detail::library_type(dtype));
}
/// The same with each element `value`.
inline Tensor full(const std::vector<int64_t>& shape, double value, DataType dtype = DataType::FLOAT32,
                   const Place& = CPUPlace()) {
  Tensor tensor(shape, detail::library_type(dtype));
  detail::fill(detail::library_type(dtype), tensor.data(), static_cast<size_t>(tensor.numel()), value);
  return tensor;
}

inline Tensor zeros(const std::vector<int64_t>& shape, DataType dtype = DataType::FLOAT32, const Place& = CPUPlace()) {
  return empty(shape, dtype);
}
inline Tensor ones(const std::vector<int64_t>& shape, DataType dtype = DataType::FLOAT32, const Place& = CPUPlace()) {
  return full(shape, 1, dtype);
}
/// Of the shape of x, and of its type unless another is given.
inline Tensor full_like(const Tensor& x, double value, DataType dtype = DataType::UNDEFINED, const Place& = Place()) {
  return full(x.shape(), value, dtype == DataType::UNDEFINED ? x.dtype() : dtype);
}
inline Tensor empty_like(const Tensor& x, DataType dtype = DataType::UNDEFINED, const Place& = Place()) {
  return empty(x.shape(), dtype == DataType::UNDEFINED ? x.dtype() : dtype);
}
inline Tensor zeros_like(const Tensor& x, DataType dtype = DataType::UNDEFINED, const Place& = Place()) {
  return empty_like(x, dtype);
}
inline Tensor ones_like(const Tensor& x, DataType dtype = DataType::UNDEFINED, const Place& = Place()) {
  return full_like(x, 1, dtype);
}

}  // namespace paddle

namespace phi {

inline std::ostream& operator<<(std::ostream& out, DataType type) {
  for (int i = CORACLE_BOOL; coracle_dtype_size(static_cast<coracle_dtype>(i)) != 0; ++i) {
    const auto dtype = static_cast<coracle_dtype>(i);
    if (paddle::detail::phi_type(dtype) == type) return out << coracle_dtype_name(dtype);
  }
  return out << "undefined";
}

}  // namespace phi

namespace paddle_infer {

/// Called for each result (operand) of each operator while a predictor runs: type of the operator, name of the
/// variable, the tensor.
using OutputTensorHookFunc =
    std::function<void(const std::string& op_type, const std::string& var_name, const paddle::Tensor& tensor)>;
using InputTensorHookFunc = OutputTensorHookFunc;

}  // namespace paddle_infer
