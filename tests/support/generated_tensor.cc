// SPDX-License-Identifier: Apache-2.0
#include "support/generated_tensor.h"

namespace coracle::internal::test {
namespace {

/// FNV-1a, 64 bits.
uint64_t seed_of(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325U;
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3U;
  return hash;
}

/// Output i of splitmix64 started at `seed`.
uint64_t raw(uint64_t seed, int64_t i) {
  uint64_t z = seed + (static_cast<uint64_t>(i) + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

template <class F>
Tensor fill(const Shape& shape, DType dtype, const F& element) {
  Tensor tensor = Tensor::make(dtype, shape);
  visit_real(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for (int64_t i = 0, n = tensor.count(); i < n; ++i) {
      if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>) {
        tensor.data<T>()[i] = T(static_cast<float>(element(i)));
      } else {
        tensor.data<T>()[i] = static_cast<T>(element(i));
      }
    }
  });
  return tensor;
}

}  // namespace

Tensor generate_uniform(std::string_view seed, const Shape& shape, DType dtype, double lo, double hi) {
  const uint64_t start = seed_of(seed);
  return fill(shape, dtype, [=](int64_t i) {
    const double u = static_cast<double>(raw(start, i) >> 40U) / 16777216.0;
    const volatile double scaled = (hi - lo) * u;  // rounded on its own: no fused multiply-add
    return lo + scaled;
  });
}

Tensor generate_integers(std::string_view seed, const Shape& shape, DType dtype, int64_t lo, int64_t hi) {
  const uint64_t start = seed_of(seed);
  const auto width = static_cast<uint64_t>(hi - lo);
  return fill(shape, dtype,
              [=](int64_t i) { return lo + static_cast<int64_t>((raw(start, i) >> 32U) * width >> 32U); });
}

Tensor generate_values(const std::vector<double>& values, const Shape& shape, DType dtype) {
  const bool one = values.size() == 1;
  return fill(shape, dtype, [&](int64_t i) { return values.at(one ? 0 : static_cast<size_t>(i)); });
}

Tensor generate_range(const Shape& shape, DType dtype) {
  const int64_t width = shape.back();
  return fill(shape, dtype, [=](int64_t i) { return i % width; });
}

Tensor generate_mask(const std::vector<double>& lengths, const Shape& shape, DType dtype) {
  const int64_t width = shape.back();
  const int64_t per_row = shape.count(1, shape.rank());
  return fill(shape, dtype, [&, width, per_row](int64_t i) {
    return static_cast<double>(i % width) < lengths.at(static_cast<size_t>(i / per_row)) ? 1 : 0;
  });
}

}  // namespace coracle::internal::test
