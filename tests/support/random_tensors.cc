// SPDX-License-Identifier: Apache-2.0
// Operands of cases, without what checks these, for programs that only run them.
#include <cmath>
#include <random>

#include "support/check_kernels.h"

namespace coracle::internal::test {

Tensor random_floats(const Shape& shape, double low, double high, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  Tensor t = Tensor::make(DType::kFloat32, shape);
  for (int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = static_cast<float>(uniform(engine));
  return t;
}

Tensor random_ints(const Shape& shape, int64_t low, int64_t high, DType dtype, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int64_t> uniform(low, high - 1);
  std::vector<int64_t> values(static_cast<size_t>(shape.count()));
  for (int64_t& v : values) v = uniform(engine);
  Tensor t = Tensor::make(dtype, shape);
  t.assign(std::span<const int64_t>(values));
  return t;
}

Tensor random_numbers(const Shape& shape, DType dtype, unsigned seed, bool special) {
  if (dtype == DType::kBool) return random_ints(shape, 0, 2, dtype, seed);
  if (dtype == DType::kFloat32) {
    Tensor t = random_floats(shape, -9, 9, seed);
    const float kinds[] = {INFINITY, NAN, 0.0F, -0.0F, -INFINITY};
    for (int64_t i = 0; special && i < t.count(); i += 3) t.data<float>()[i] = kinds[(i / 3 + seed) % 5];
    return t;
  }
  return random_ints(shape, dtype == DType::kUint8 ? 0 : -9, 10, dtype, seed);
}

Tensor int_list(std::vector<int64_t> values) { return Tensor::ints(values); }

}  // namespace coracle::internal::test
