// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/float8.h"
#include "base/half.h"
#include "base/run_context.h"
#include "base/shape.h"

namespace coracle::internal {

/// Sequence offsets, coarsest level first: lengths 3, 2 are {0, 3, 5} ("level of detail" in Paddle).
using Lod = std::vector<std::vector<size_t>>;

/// The DType of a C++ element type.
template <class T>
struct DTypeOf;
#define CORACLE_ROW(enumerator, type, kind, c, name, size, ...) \
  template <>                                                   \
  struct DTypeOf<type> {                                        \
    static constexpr DType value = DType::enumerator;           \
    static_assert(sizeof(type) == (size));                      \
  };
CORACLE_DTYPES(CORACLE_ROW)
#undef CORACLE_ROW

/// Memory of a device that elements of tensors lie in, freed with its last owner. What the device is, who made it
/// knows.
class DeviceStorage {
 public:
  virtual ~DeviceStorage() = default;
  /// Tells devices apart.
  virtual const void* device() const = 0;
  /// What kernels of the device take for the memory; no address of the host's.
  virtual void* memory() const = 0;
  virtual size_t bytes() const = 0;
  /// Copies the first `bytes` to the host. For any thread; throws Error.
  virtual void read(void* to, size_t bytes) const = 0;
};

/// An n-dimensional array in row-major order, or an array of such (a tensor array).
/// Copying shares the elements, of a tensor array its list; whoever writes must own them alone (own_array()). Not
/// synchronised.
class Tensor {
 public:
  Tensor() = default;

  /// New memory, 64-byte aligned, not initialised, on the ledger of a run. Throws Error (out of memory).
  static Tensor make(const RunContext& context, DType dtype, const Shape& shape);
  /// The same on no ledger.
  static Tensor make(DType dtype, const Shape& shape) { return make(kNoRun, dtype, shape); }
  /// Elements kept alive by `owner`.
  static Tensor share(DType dtype, const Shape& shape, std::shared_ptr<const void> owner, const void* data);
  /// Elements owned by the caller, who keeps them alive.
  static Tensor borrow(DType dtype, const Shape& shape, const void* data);
  /// Elements on a device, from the begin of the memory on. The host cannot see them: `raw` is null, see to_host.
  static Tensor on_device(DType dtype, const Shape& shape, std::shared_ptr<const DeviceStorage> storage);

  template <class T>
  static Tensor of(const RunContext& context, const Shape& shape, std::span<const T> values) {
    Tensor t = make(context, DTypeOf<T>::value, shape);
    require(static_cast<int64_t>(values.size()) == shape.count(), "tensor ", shape, " given ", values.size(),
            " elements");
    std::copy(values.begin(), values.end(), t.data<T>());
    return t;
  }
  template <class T>
  static Tensor of(const Shape& shape, std::span<const T> values) {
    return of<T>(kNoRun, shape, values);
  }
  /// 1-D int64.
  static Tensor ints(const RunContext& context, std::span<const int64_t> values) {
    return of<int64_t>(context, Shape{static_cast<int64_t>(values.size())}, values);
  }
  static Tensor ints(std::span<const int64_t> values) { return ints(kNoRun, values); }
  template <class T>
  static Tensor scalar(T value) {
    return of<T>(Shape{}, std::span<const T>(&value, 1));
  }
  /// A tensor array of no elements.
  static Tensor array(DType dtype);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t count() const { return shape_.count(); }
  size_t bytes() const { return static_cast<size_t>(shape_.count()) * size_of(dtype_); }
  bool empty_handle() const {  ///< default-constructed
    return data_ == nullptr && elements_ == nullptr && storage_ == nullptr;
  }
  const std::shared_ptr<const DeviceStorage>& storage() const { return storage_; }  ///< null on the host
  bool is_on_host() const { return storage_ == nullptr; }

  void* raw() { return data_; }
  const void* raw() const { return data_; }
  template <class T>
  T* data() {
    return static_cast<T*>(data_);
  }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  template <class T>
  std::span<const T> values() const {
    return {data<T>(), static_cast<size_t>(count())};
  }

  /// The same elements seen in another shape of equal count.
  Tensor reshaped(const Shape& shape) const;
  /// This tensor where it is on the host, else a copy there: the one way by which elements leave a device.
  Tensor to_host(const RunContext& context = kNoRun) const { return is_on_host() ? *this : clone(context); }
  /// Own memory on the host with the same content.
  Tensor clone(const RunContext& context = kNoRun) const;

  /// True if this handle alone owns its memory and it is large enough for such a tensor.
  bool reusable_for(DType dtype, const Shape& shape) const;
  /// Gives the same memory another type; only where reusable_for() holds.
  void retype(DType dtype, const Shape& shape);

  /// Element i of a real tensor, converted. Slow; for attributes, shapes and tests.
  double number(int64_t i) const;
  int64_t integer(int64_t i) const;
  /// All elements as integers. These end with the run.
  std::vector<int64_t> integers(const RunContext& context = kNoRun) const;

  /// All elements of a real tensor as double, and back (rounded, or truncated for integers).
  std::vector<double> doubles(const RunContext& context = kNoRun) const;
  void assign(const RunContext& context, std::span<const double> values);
  void assign(std::span<const double> values) { assign(kNoRun, values); }
  /// Integers cut to the element type (bool: not 0).
  void assign(const RunContext& context, std::span<const int64_t> values);
  void assign(std::span<const int64_t> values) { assign(kNoRun, values); }

  const Lod& lod() const;
  void set_lod(Lod lod);
  void share_lod(const Tensor& from) { lod_ = from.lod_; }

  bool is_array() const { return elements_ != nullptr; }
  std::vector<Tensor>& elements() { return *elements_; }
  const std::vector<Tensor>& elements() const { return *elements_; }
  /// This tensor array with a list that may be changed (the tensors in it stay shared): its own where no other handle
  /// has it, else a copy. The list of *this must not be used afterwards.
  Tensor own_array() const;

 private:
  DType dtype_ = DType::kFloat32;
  Shape shape_;
  std::shared_ptr<const void> owner_;
  void* data_ = nullptr;
  std::shared_ptr<const DeviceStorage> storage_;
  std::shared_ptr<const Lod> lod_;
  std::shared_ptr<std::vector<Tensor>> elements_;
};

/// The kinds of element types that operators compute real numbers of.
constexpr bool is_real(DTypeKind kind) {
  return kind == DTypeKind::kBool || kind == DTypeKind::kSigned || kind == DTypeKind::kUnsigned ||
         kind == DTypeKind::kFloat;
}

// One case of a switch: calls f where `condition`, a constant of the row's kind, holds.
#define CORACLE_CASE(condition, enumerator, type)                                     \
  case DType::enumerator:                                                             \
    if constexpr (condition) {                                                        \
      return f(static_cast<type*>(nullptr)); /* NOLINT(bugprone-macro-parentheses) */ \
    } else {                                                                          \
      break;                                                                          \
    }

/// Calls f with a null pointer of the element type (complex and float8 excluded): visit_real(t.dtype(), [&](auto* p) {
/// using T = std::remove_pointer_t<decltype(p)>; ... }).
template <class F>
decltype(auto) visit_real(DType dtype, F&& f) {
  switch (dtype) {
#define CORACLE_ROW(enumerator, type, kind, ...) CORACLE_CASE(is_real(DTypeKind::kind), enumerator, type)
    CORACLE_DTYPES(CORACLE_ROW)  // NOLINT(bugprone-branch-clone): one for each type
#undef CORACLE_ROW
    case DType::kUnknown: break;
  }
  fail(ErrorCode::kUnsupported, "element type ", dtype, " is not supported here");
}

/// The same for float16, bfloat16, float32, float64 only.
template <class F>
decltype(auto) visit_float(DType dtype, F&& f) {
  switch (dtype) {
#define CORACLE_ROW(enumerator, type, kind, ...) CORACLE_CASE(DTypeKind::kind == DTypeKind::kFloat, enumerator, type)
    CORACLE_DTYPES(CORACLE_ROW)  // NOLINT(bugprone-branch-clone): one for each type
#undef CORACLE_ROW
    case DType::kUnknown: break;
  }
  fail(ErrorCode::kUnsupported, "element type ", dtype, " is not supported here, expected a real type");
}

/// The same for float8_e4m3fn and float8_e5m2 only.
template <class F>
decltype(auto) visit_float8(DType dtype, F&& f) {
  switch (dtype) {
#define CORACLE_ROW(enumerator, type, kind, ...) CORACLE_CASE(DTypeKind::kind == DTypeKind::kFloat8, enumerator, type)
    CORACLE_DTYPES(CORACLE_ROW)  // NOLINT(bugprone-branch-clone): one for each type
#undef CORACLE_ROW
    case DType::kUnknown: break;
  }
  fail(ErrorCode::kUnsupported, "element type ", dtype, " is not supported here, expected one of 8 bits");
}
#undef CORACLE_CASE

}  // namespace coracle::internal
