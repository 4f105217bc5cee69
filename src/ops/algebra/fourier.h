// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "ops/common/complex_numbers.h"

/// Discrete Fourier transforms in double precision, for the operators' references.
namespace coracle::internal {

using ComplexVector = Buffer<std::complex<double>>;

/// Which power of the number of elements a transform is divided by.
enum class FourierNorm : uint8_t { kBackward, kOrtho, kForward };
std::span<const std::string_view> names_of(FourierNorm);

/// The factor of a transform of `count` elements in a direction.
double fourier_scale(FourierNorm norm, bool forward, int64_t count);

/// Transforms x of `shape` along one axis in place: sum x[k] e^(-+2 pi i k j / n), unscaled.
void fourier_transform(const RunContext& context, ComplexVector& x, const Shape& shape, int axis, bool forward);

/// The elements of a real or complex tensor.
ComplexVector complex_elements(const RunContext& context, const Tensor& t);
/// Writes elements, scaled, to a complex tensor, or their real parts to a real one.
void write_elements(const RunContext& context, const ComplexVector& x, double scale, Tensor& t);

/// The axes from the front; all checked against the shape, whose rank is known.
std::vector<int> fourier_axes(const Ints& axes, const Shape& shape);

}  // namespace coracle::internal
