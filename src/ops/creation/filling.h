// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/long_loop.h"
#include "graph/op.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// The shape that an operand or, where that is absent, an attribute gives; unknown dimensions while the operand is.
inline Shape filled_shape(const InferArgs& a, int port) {
  if (const std::optional<Ints> dims = a.ints(port)) {
    for (int64_t d : *dims) require(d >= 0, "shape has the negative dimension ", d);
    return Shape(*dims);
  }
  const Shape& s = a.shape(port);
  if (s.known() && s.rank() == 1) return Shape::filled(static_cast<int>(s[0]), Shape::kUnknown);
  return Shape::unknown_rank();
}

/// Every element of a tensor of complex numbers = value.
inline void fill_complex(const RunContext& context, Tensor& t, std::complex<double> value) {
  visit_complex(t.dtype(), [&](auto* p) {
    using C = std::complex<std::remove_pointer_t<decltype(p)>>;
    in_blocks(context, static_cast<size_t>(t.count()),
              [&](size_t begin, size_t end) { std::fill(t.data<C>() + begin, t.data<C>() + end, C(value)); });
  });
}

/// The same of float8.
inline void fill_float8(const RunContext& context, Tensor& t, double value) {
  visit_float8(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    in_blocks(context, static_cast<size_t>(t.count()), [&, v = T(static_cast<float>(value))](size_t begin, size_t end) {
      std::fill(t.data<T>() + begin, t.data<T>() + end, v);
    });
  });
}

/// Every element = value. Integers take `whole`, which keeps all 64 bits.
inline void fill(const RunContext& context, Tensor& t, double value, int64_t whole) {
  if (is_complex(t.dtype())) return fill_complex(context, t, value);
  if (is_float8(t.dtype())) return fill_float8(context, t, value);
  visit_real(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T v;
    if constexpr (std::is_same_v<T, bool>) {
      v = value != 0;
    } else if constexpr (std::is_integral_v<T>) {
      v = static_cast<T>(whole);
    } else {
      v = static_cast<T>(value);
    }
    in_blocks(context, static_cast<size_t>(t.count()), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) t.data<T>()[i] = v;
    });
  });
}

/// Every element = the first of an operand that has one.
template <class Operand>
void fill_from(const RunContext& context, Tensor& t, const Operand& value) {
  if (!is_complex(value.dtype())) return fill(context, t, value.number(0), value.integer(0));
  require(is_complex(t.dtype()), ErrorCode::kUnsupported, "value is ", value.dtype(), ", which ", t.dtype(),
          " elements cannot be");
  visit_complex(value.dtype(), [&](auto* p) {
    fill_complex(context, t,
                 std::complex<double>(value.template data<std::complex<std::remove_pointer_t<decltype(p)>>>()[0]));
  });
}

/// A real number as a whole one, saturated.
inline int64_t whole(double value) {
  if (value != value) return 0;
  if (value >= 9223372036854775807.0) return INT64_MAX;
  if (value <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(value);
}

}  // namespace coracle::internal
