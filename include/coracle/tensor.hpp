// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Errors, element types and tensors of Coracle's C++ interface (coracle.hpp).

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "coracle/coracle.h"
#include "coracle/span.hpp"

namespace coracle {
#if !defined(__cpp_exceptions)
inline namespace without_exceptions {  // so that both kinds of objects may be in one program
#endif

class Exception : public std::runtime_error {
 public:
  Exception(coracle_status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  coracle_status status() const { return status_; }

 private:
  coracle_status status_;
};

[[noreturn]] inline void fail(coracle_status status, const std::string& message) {
#if defined(__cpp_exceptions)
  throw Exception(status, message);
#else
  std::fprintf(stderr, "coracle: error %d: %s\n", static_cast<int>(status), message.c_str());
  std::abort();
#endif
}

inline void check(coracle_status status) {
  if (status != CORACLE_OK) fail(status, coracle_last_error());
}

/// The element type of T. For others (float16 ...) there are the functions that take a coracle_dtype.
template <class T>
constexpr coracle_dtype dtype_of() {
  static_assert(std::is_same_v<T, bool> || std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t> ||
                    std::is_same_v<T, int16_t> || std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
                    std::is_same_v<T, float> || std::is_same_v<T, double>,
                "not an element type");
  if constexpr (std::is_same_v<T, bool>) return CORACLE_BOOL;
  if constexpr (std::is_same_v<T, int8_t>) return CORACLE_INT8;
  if constexpr (std::is_same_v<T, uint8_t>) return CORACLE_UINT8;
  if constexpr (std::is_same_v<T, int16_t>) return CORACLE_INT16;
  if constexpr (std::is_same_v<T, int32_t>) return CORACLE_INT32;
  if constexpr (std::is_same_v<T, int64_t>) return CORACLE_INT64;
  if constexpr (std::is_same_v<T, float>) return CORACLE_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return CORACLE_FLOAT64;
}

using Dims = std::vector<int64_t>;
/// Sequence offsets, coarsest level first.
using Lod = std::vector<std::vector<size_t>>;

/// Name and type of an input or output; a dimension of -1 is free.
struct TensorInfo {
  std::string name;
  coracle_dtype dtype = CORACLE_FLOAT32;
  bool rank_known = true;
  Dims dims;
  int lod_levels = 0;
};

/// A result. Its elements are valid until the session's next run or release, or its end.
class View {
 public:
  View(const coracle_tensor_view& view, Lod lod) : view_(view), lod_(std::move(lod)) {}

  coracle_dtype dtype() const { return view_.dtype; }
  Dims dims() const { return {view_.dims, view_.dims + view_.rank}; }
  size_t bytes() const { return view_.bytes; }
  size_t size() const { return view_.bytes / coracle_dtype_size(view_.dtype); }
  const void* raw() const { return view_.data; }
  const Lod& lod() const { return lod_; }

  /// The elements; T must be the element type.
  template <class T>
  Span<const T> values() const {
    if (dtype_of<T>() != view_.dtype) {
      fail(CORACLE_INVALID_ARGUMENT, std::string("the tensor has elements of type ") + coracle_dtype_name(view_.dtype) +
                                         ", asked for " + coracle_dtype_name(dtype_of<T>()));
    }
    return {static_cast<const T*>(view_.data), size()};
  }
  template <class T>
  std::vector<T> copy() const {
    const Span<const T> v = values<T>();
    return {v.begin(), v.end()};
  }

 private:
  coracle_tensor_view view_;
  Lod lod_;
};

#if !defined(__cpp_exceptions)
}  // namespace without_exceptions
#endif
}  // namespace coracle
