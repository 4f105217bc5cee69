// SPDX-License-Identifier: Apache-2.0
#include "cli/compare/difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "client/element.h"

namespace coracle::cli {
namespace {

template <class T>
T element(const client::Tensor& a, size_t i) {
  T value;
  std::memcpy(&value, a.bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

/// Number i of a tensor; complex numbers are two.
double number(const client::Tensor& a, size_t i) {
  if (a.dtype == CORACLE_COMPLEX64) return element<float>(a, i);
  if (a.dtype == CORACLE_COMPLEX128) return element<double>(a, i);
  return client::number_at(a.dtype, a.bytes.data(), i);
}

/// int64 numbers that double cannot tell apart.
bool same_whole(const client::Tensor& a, const client::Tensor& b, size_t i, double x, double y) {
  if (a.dtype == CORACLE_INT64 && b.dtype == CORACLE_INT64) return element<int64_t>(a, i) == element<int64_t>(b, i);
  return x == y;
}

std::vector<int64_t> index_of(size_t flat, coracle::Dims dims, bool complex) {
  if (complex) dims.push_back(2);
  std::vector<int64_t> at(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    at[d] = static_cast<int64_t>(flat % static_cast<size_t>(dims[d]));
    flat /= static_cast<size_t>(dims[d]);
  }
  return at;
}

}  // namespace

Difference difference(const client::Tensor& a, const client::Tensor& b, const Tolerance& tolerance) {
  Difference d;
  if (a.dims != b.dims || client::is_complex(a.dtype) != client::is_complex(b.dtype)) {
    d.mismatch = a.dims != b.dims ? "the shapes differ" : "only one has complex numbers";
    return d;
  }
  const bool whole = client::is_whole(a.dtype) && client::is_whole(b.dtype);
  d.elements = client::element_count(a.dims) * (client::is_complex(a.dtype) ? 2 : 1);
  size_t worst = 0;
  size_t finite = 0;
  double sum = 0;
  for (size_t i = 0; i < d.elements; ++i) {
    const double x = number(a, i);
    const double y = number(b, i);
    const bool x_nan = std::isnan(x);
    const bool y_nan = std::isnan(y);
    d.nan_a += x_nan ? 1 : 0;
    d.nan_b += y_nan ? 1 : 0;
    if (std::isfinite(x) && std::isfinite(y)) {
      ++finite;
      sum += std::abs(x - y);
    }
    if ((x_nan && y_nan) || (whole ? same_whole(a, b, i, x, y) : x == y)) continue;
    const double distance = x_nan || y_nan ? std::numeric_limits<double>::quiet_NaN() : std::abs(x - y);
    ++d.unequal;
    const bool near =
        !whole && std::isfinite(distance) && distance <= tolerance.absolute + tolerance.relative * std::abs(y);
    d.beyond += near ? 0 : 1;
    if (d.unequal == 1 || (!std::isnan(d.max_absolute) && (std::isnan(distance) || distance > d.max_absolute))) {
      worst = i;
      d.max_absolute = distance;
    }
    const double relative = std::isfinite(distance) ? distance / std::max(std::abs(x), std::abs(y)) : distance;
    if (!(relative <= d.max_relative) && !std::isnan(d.max_relative)) d.max_relative = relative;
  }
  d.mean_absolute = finite == 0 ? 0 : sum / static_cast<double>(finite);
  if (d.unequal != 0) {
    d.at = index_of(worst, a.dims, client::is_complex(a.dtype));
    d.a = number(a, worst);
    d.b = number(b, worst);
  }
  return d;
}

std::string summary(const Difference& d) {
  if (!d.mismatch.empty()) return d.mismatch;
  if (d.unequal == 0) return fmt::format("all {} equal", d.elements);
  std::string out = fmt::format("max abs {:.3g}  max rel {:.3g}  mean abs {:.3g}  {} of {} beyond", d.max_absolute,
                                d.max_relative, d.mean_absolute, d.beyond, d.elements);
  if (d.nan_a != 0 || d.nan_b != 0) out += fmt::format("  NaN {} and {}", d.nan_a, d.nan_b);
  return out;
}

std::string place(const Difference& d) {
  std::string at;
  for (int64_t i : d.at) at.append(at.empty() ? "" : ", ").append(std::to_string(i));
  return fmt::format("at [{}]: {:.9g} and {:.9g}", at, d.a, d.b);
}

}  // namespace coracle::cli
