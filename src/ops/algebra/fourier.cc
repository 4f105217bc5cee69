// SPDX-License-Identifier: Apache-2.0
#include "ops/algebra/fourier.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/long_loop.h"
#include "ops/common/lines.h"

namespace coracle::internal {
namespace {

using C = std::complex<double>;

/// roots[k] is the k-th of the n roots of unity.
ComplexVector roots_of_unity(int64_t n, bool forward, LoopCheck& check) {
  ComplexVector roots(static_cast<size_t>(n), check.context());
  for (int64_t k = 0; k < n; ++k) {
    check.step(8);
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots[static_cast<size_t>(k)] = C(std::cos(angle), forward ? -std::sin(angle) : std::sin(angle));
  }
  return roots;
}

/// The least prime factor of n; n > 1.
int64_t least_factor(int64_t n) {
  int64_t p = 2;
  while (p * p <= n && n % p != 0) ++p;
  return n % p == 0 ? p : n;
}

int64_t greatest_factor(int64_t n) {
  int64_t p = 1;
  for (; n > 1; n /= p) p = least_factor(n);
  return p;
}

/// Transforms of a prime length by Bluestein's algorithm: since 2jk = j^2 + k^2 - (k - j)^2, one is a convolution, for
/// which transforms of a power of two serve.
class Chirp;

/// One transform of n elements that are `stride` apart. roots[k * step] is the k-th of the n roots of unity.
/// `scratch` has room for the largest prime factor; `chirp`, if not null, is for that factor.
void transform(const C* in, int64_t stride, C* out, int64_t n, const C* roots, int64_t step, C* scratch, Chirp* chirp,
               LoopCheck& check);

class Chirp {
 public:
  /// From this length on the convolution is faster than all products.
  static constexpr int64_t kLeast = 100;

  Chirp(int64_t n, bool forward, LoopCheck& check)
      : n_(n),
        length_(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n - 1)))),
        forward_roots_(roots_of_unity(length_, true, check)),
        backward_roots_(roots_of_unity(length_, false, check)),
        chirp_(static_cast<size_t>(n), check.context()),
        kernel_(static_cast<size_t>(length_), check.context()),
        a_(kernel_.size(), check.context()),
        b_(kernel_.size(), check.context()) {
    for (int64_t k = 0; k < n; ++k) {
      check.step(8);
      const double angle = std::numbers::pi * static_cast<double>(k * k % (2 * n)) / static_cast<double>(n);
      const C c(std::cos(angle), forward ? -std::sin(angle) : std::sin(angle));
      chirp_[static_cast<size_t>(k)] = c;
      a_[static_cast<size_t>(k)] = std::conj(c);
      if (k != 0) a_[static_cast<size_t>(length_ - k)] = std::conj(c);
    }
    convert(a_, kernel_, forward_roots_, check);
  }

  void transform(const C* in, int64_t stride, C* out, LoopCheck& check) {
    check.step(4 * length_);
    std::fill(a_.begin(), a_.end(), C());
    for (int64_t k = 0; k < n_; ++k) a_[static_cast<size_t>(k)] = in[k * stride] * chirp_[static_cast<size_t>(k)];
    convert(a_, b_, forward_roots_, check);
    for (size_t k = 0; k < b_.size(); ++k) b_[k] *= kernel_[k];
    convert(b_, a_, backward_roots_, check);
    const double scale = 1.0 / static_cast<double>(length_);
    for (size_t k = 0; k < chirp_.size(); ++k) out[k] = a_[k] * chirp_[k] * scale;
  }

 private:
  void convert(const ComplexVector& from, ComplexVector& to, const ComplexVector& roots, LoopCheck& check) const {
    C scratch[2];
    coracle::internal::transform(from.data(), 1, to.data(), length_, roots.data(), 1, scratch, nullptr, check);
  }

  const int64_t n_;
  const int64_t length_;
  const ComplexVector forward_roots_;
  const ComplexVector backward_roots_;
  ComplexVector chirp_;
  ComplexVector kernel_;  // the transform of what the chirped numbers are convolved with
  ComplexVector a_;
  ComplexVector b_;
};

void transform(const C* in, int64_t stride, C* out, int64_t n, const C* roots, int64_t step, C* scratch, Chirp* chirp,
               LoopCheck& check) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const int64_t p = least_factor(n);
  if (p == n && chirp != nullptr) return chirp->transform(in, stride, out, check);
  const int64_t m = n / p;
  for (int64_t r = 0; r < p; ++r)
    transform(in + r * stride, stride * p, out + r * m, m, roots, step * p, scratch, chirp, check);
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

void fourier_transform(const RunContext& context, ComplexVector& x, const Shape& shape, int axis, bool forward) {
  const Lines lines(shape, axis);
  const int64_t n = lines.length;
  if (n == 0) return;
  const auto size = static_cast<size_t>(n);
  LoopCheck check(context);
  const ComplexVector roots = roots_of_unity(n, forward, check);
  const int64_t greatest = greatest_factor(n);
  std::optional<Chirp> chirp;
  if (greatest >= Chirp::kLeast) chirp.emplace(greatest, forward, check);
  ComplexVector out(size, context);
  ComplexVector scratch(size, context);
  lines.each(context, [&](int64_t first) {
    transform(x.data() + first, lines.inner, out.data(), n, roots.data(), 1, scratch.data(), chirp ? &*chirp : nullptr,
              check);
    for (int64_t k = 0; k < n; ++k) {
      check.step();
      x[static_cast<size_t>(first + k * lines.inner)] = out[static_cast<size_t>(k)];
    }
  });
}

ComplexVector complex_elements(const RunContext& context, const Tensor& t) {
  ComplexVector x(static_cast<size_t>(t.count()), context);
  in_blocks(context, x.size(), [&](size_t begin, size_t end) {
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

void write_elements(const RunContext& context, const ComplexVector& x, double scale, Tensor& t) {
  in_blocks(context, x.size(), [&](size_t begin, size_t end) {
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

}  // namespace coracle::internal
