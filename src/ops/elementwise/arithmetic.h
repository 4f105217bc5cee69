// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/convert.h"

/// Arithmetic as Paddle defines it for each kind of number. Integers wrap around, and divided by zero give zero:
/// nothing a model holds may stop a run.
namespace coracle::internal {

/// x + y; integers wrap around.
template <class T>
T wrapped_sum(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  } else {
    return static_cast<T>(x + y);
  }
}

/// x - y in the same way.
template <class T>
T wrapped_difference(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
  } else {
    return static_cast<T>(x - y);
  }
}

/// x * y in the same way.
template <class T>
T wrapped_product(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  } else {
    return static_cast<T>(x * y);
  }
}

/// x / y, truncated for integers.
template <class T>
T quotient(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    if (y == 0) return T{0};
    if constexpr (std::is_signed_v<T>) {
      if (y == T{-1}) return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(x));
    }
    return static_cast<T>(x / y);
  } else {
    return x / y;
  }
}

/// x / y rounded down; for real numbers by way of the exact remainder, as Python does it.
template <class T>
T floor_quotient(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    const T q = quotient(x, y);
    if constexpr (std::is_signed_v<T>) {
      if (y == 0 || y == T{-1}) return q;
      return static_cast<T>((x % y != 0 && (x < 0) != (y < 0)) ? q - 1 : q);
    }
    return q;
  } else {
    const auto a = static_cast<double>(x);
    const auto b = static_cast<double>(y);
    if (b == 0) return static_cast<T>(a / b);
    const double rest = std::fmod(a, b);
    const double multiple = (a - rest) / b - (rest != 0 && (rest < 0) != (b < 0) ? 1.0 : 0.0);
    if (multiple == 0) return static_cast<T>(std::copysign(0.0, a / b));
    const double whole = std::floor(multiple);
    return static_cast<T>(multiple - whole > 0.5 ? whole + 1 : whole);
  }
}

/// x - y * floor(x / y): the sign is y's.
template <class T>
T floor_remainder(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    if (y == 0) return T{0};
    if constexpr (std::is_signed_v<T>) {
      if (y == T{-1}) return T{0};
      const T r = static_cast<T>(x % y);
      return static_cast<T>(r != 0 && (r < 0) != (y < 0) ? r + y : r);
    } else {
      return static_cast<T>(x % y);
    }
  } else {
    const double r = std::fmod(static_cast<double>(x), static_cast<double>(y));
    return static_cast<T>(r != 0 && (r < 0) != (static_cast<double>(y) < 0) ? r + static_cast<double>(y) : r);
  }
}

/// x to the power of y; of integers the real power, converted to their type.
template <class T>
T power(T x, T y) {
  return convert<T>(std::pow(static_cast<double>(x), static_cast<double>(y)));
}

/// x multiplied by itself, `n` factors in all; integers wrap around. Of a negative `n` the quotient of 1 and the
/// power of -n.
template <class T>
T whole_power(T x, T n) {
  static_assert(std::is_integral_v<T>);
  if (n < T{0}) {
    if (x == T{1}) return T{1};
    if (x == static_cast<T>(-1)) return n % 2 == 0 ? T{1} : x;
    return T{0};
  }
  T product{1};
  for (T left = n; left != T{0}; left = static_cast<T>(left / 2), x = wrapped_product(x, x)) {
    if (left % 2 != 0) product = wrapped_product(product, x);
  }
  return product;
}

}  // namespace coracle::internal
