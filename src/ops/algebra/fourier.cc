// SPDX-License-Identifier: Apache-2.0
#include "ops/algebra/fourier.h"

#include <array>
#include <cmath>
#include <numbers>

#include "base/deadline.h"
#include "ops/common/lines.h"

namespace coracle {
namespace {

using C = std::complex<double>;

/// One transform of n elements that are `stride` apart. roots[k * step] is the k-th of the n roots of unity.
/// `scratch` has room for the largest prime factor.
void transform(const C* in, int64_t stride, C* out, int64_t n, const C* roots, int64_t step, C* scratch,
               LoopCheck& check) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  int64_t p = 2;
  while (p * p <= n && n % p != 0) ++p;
  if (n % p != 0) p = n;
  const int64_t m = n / p;
  for (int64_t r = 0; r < p; ++r)
    transform(in + r * stride, stride * p, out + r * m, m, roots, step * p, scratch, check);
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t r = 0; r < p; ++r) scratch[r] = out[r * m + k] * roots[r * k * step];
    for (int64_t q = 0; q < p; ++q) {
      check.step(p);
      C sum = 0;
      for (int64_t r = 0; r < p; ++r) sum += scratch[r] * roots[r * q % p * m * step];
      out[q * m + k] = sum;
    }
  }
}

}  // namespace

std::span<const std::string_view> names_of(FourierNorm) {
  static constexpr std::array<std::string_view, 3> kNames{"backward", "ortho", "forward"};
  return kNames;
}

double fourier_scale(FourierNorm norm, bool forward, int64_t count) {
  if (norm == FourierNorm::kOrtho) return 1.0 / std::sqrt(static_cast<double>(count));
  return (norm == FourierNorm::kForward) == forward ? 1.0 / static_cast<double>(count) : 1.0;
}

void fourier_transform(ComplexVector& x, const Shape& shape, int axis, bool forward) {
  const Lines lines(shape, axis);
  const int64_t n = lines.length;
  if (n == 0) return;
  const auto size = static_cast<size_t>(n);
  LoopCheck check;
  ComplexVector roots(size);
  for (size_t k = 0; k < size; ++k) {
    check.step(8);
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = C(std::cos(angle), forward ? -std::sin(angle) : std::sin(angle));
  }
  ComplexVector out(size);
  ComplexVector scratch(size);
  lines.each([&](int64_t first) {
    transform(x.data() + first, lines.inner, out.data(), n, roots.data(), 1, scratch.data(), check);
    for (int64_t k = 0; k < n; ++k) {
      check.step();
      x[static_cast<size_t>(first + k * lines.inner)] = out[static_cast<size_t>(k)];
    }
  });
}

ComplexVector complex_elements(const Tensor& t) {
  ComplexVector x(static_cast<size_t>(t.count()));
  in_blocks(x.size(), [&](size_t begin, size_t end) {
    if (is_complex(t.dtype())) {
      visit_complex(t.dtype(), [&](auto* p) {
        using From = std::complex<std::remove_pointer_t<decltype(p)>>;
        for (size_t i = begin; i < end; ++i) x[i] = C(t.data<From>()[i]);
      });
    } else {
      visit_float(t.dtype(), [&](auto* p) {
        using From = std::remove_pointer_t<decltype(p)>;
        for (size_t i = begin; i < end; ++i) x[i] = static_cast<double>(t.data<From>()[i]);
      });
    }
  });
  return x;
}

void write_elements(const ComplexVector& x, double scale, Tensor& t) {
  in_blocks(x.size(), [&](size_t begin, size_t end) {
    if (is_complex(t.dtype())) {
      visit_complex(t.dtype(), [&](auto* p) {
        using To = std::complex<std::remove_pointer_t<decltype(p)>>;
        for (size_t i = begin; i < end; ++i) t.data<To>()[i] = To(x[i] * scale);
      });
    } else {
      visit_float(t.dtype(), [&](auto* p) {
        using To = std::remove_pointer_t<decltype(p)>;
        for (size_t i = begin; i < end; ++i) t.data<To>()[i] = static_cast<To>(x[i].real() * scale);
      });
    }
  });
}

std::vector<int> fourier_axes(const Ints& axes, const Shape& shape) {
  require(!axes.empty(), "there are no axes");
  std::vector<int> from_front;
  for (int64_t a : axes) from_front.push_back(normalize_axis(a, shape.rank()));
  return from_front;
}

}  // namespace coracle
