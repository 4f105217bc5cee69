// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/convert.h"
#include "base/long_loop.h"
#include "ops/interp/interpolation.h"

namespace coracle::internal {

inline std::span<const std::string_view> names_of(InterpolationMethod) {
  static constexpr std::string_view kNames[] = {"nearest", "bilinear", "bicubic"};
  return kNames;
}

/// Resizes height and width by linear or cubic interpolation whose filter is as wide as the positions of x that a
/// position of the result stands for, so that what is made smaller keeps no patterns that it is too small for (as
/// Pillow resizes).
struct InterpAntialias : InterpolationOperator {
  static constexpr const char* kName = "interp_antialias";
  InterpolationMethod method = InterpolationMethod::kLinear;
  InterpAntialias() { scales_single = true; }  // a filter is as wide as x then
  void attributes(AttributeVisitor& visit) {
    InterpolationOperator::attributes(visit);
    visit("interp_method", method);
  }
  InterpolationKind kind() const { return {method, false}; }
  friend bool operator==(const InterpAntialias&, const InterpAntialias&) = default;
};

inline void infer(const InterpAntialias& op, InferArgs& a) {
  require(op.method != InterpolationMethod::kNearest, "interp_method is nearest, expected bilinear or bicubic");
  require(!a.shape(0).rank_known() || a.shape(0).rank() == 4, "x is ", a.shape(0), ", expected 4 dimensions");
  infer_interpolation(op, op.kind(), a);
}

/// The filters of positions of the result along one dimension: weights of `first` and what follows.
struct AntialiasTaps {
  int64_t first = 0;
  Buffer<double> weights;
};

inline double antialias_filter(InterpolationMethod method, double at) {
  at = std::fabs(at);
  if (method == InterpolationMethod::kLinear) return at < 1 ? 1 - at : 0;
  if (at < 1) return (1.5 * at - 2.5) * at * at + 1;
  return at < 2 ? ((-0.5 * at + 2.5) * at - 4) * at + 2 : 0;
}

inline AntialiasTaps antialias_taps(const RunContext& context, InterpolationMethod method,
                                    const InterpolationAxis& axis, int64_t out) {
  const double wide = std::max<double>(axis.ratio, 1);
  const double support = (method == InterpolationMethod::kLinear ? 1 : 2) * wide;
  const double centre = axis.ratio * (static_cast<double>(out) + 0.5);
  AntialiasTaps taps{.first = std::clamp<int64_t>(position(centre - support + 0.5), 0, axis.in - 1),
                     .weights = Buffer<double>(context)};
  const int64_t end = std::clamp<int64_t>(position(centre + support + 0.5), taps.first + 1, axis.in);
  double sum = 0;
  for (int64_t i = taps.first; i < end; ++i) {
    taps.weights.push_back(antialias_filter(method, (static_cast<double>(i) - centre + 0.5) / wide));
    sum += taps.weights.back();
  }
  for (double& w : taps.weights) w = sum == 0 ? w : w / sum;
  return taps;
}

inline void reference(const InterpAntialias& op, ReferenceArgs& a) {
  const std::optional<InterpolationRequest> request =
      interpolation_request(op, a.count(2), a.has(1), a.has(3), [&](int port, int i) { return &a.in(port, i); });
  const InterpolationGeometry g = interpolation_geometry(op, op.kind(), a.shape(0), *request);
  const Tensor x = to_channels_first(a.context(), a.in(0), op.format());
  Tensor y = channels_first_like(a.context(), a.out(0), op.format());
  const auto taps_of = [&](const InterpolationAxis& axis) {
    std::vector<AntialiasTaps> taps;
    for (int64_t o = 0; o < axis.out; ++o) taps.push_back(antialias_taps(a.context(), op.method, axis, o));
    return taps;
  };
  const std::vector<AntialiasTaps> rows = taps_of(g.axes[1]);
  const std::vector<AntialiasTaps> columns = taps_of(g.axes[2]);
  const int64_t width = g.axes[2].in;
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = y.data<T>();
    Buffer<double> line(static_cast<size_t>(width), a.context());  // of the result's height and x's width
    LoopCheck check(a.context());
    for (int64_t plane = 0; plane < g.batch * g.channels; ++plane) {
      const T* from = x.data<T>() + plane * g.axes[1].in * width;
      for (const AntialiasTaps& row : rows) {
        std::fill(line.begin(), line.end(), 0.0);
        for (size_t j = 0; j < row.weights.size(); ++j) {
          check.step(width);
          const T* source = from + (row.first + static_cast<int64_t>(j)) * width;
          for (int64_t i = 0; i < width; ++i)
            line[static_cast<size_t>(i)] += row.weights[j] * static_cast<double>(source[i]);
        }
        for (const AntialiasTaps& column : columns) {
          check.step(static_cast<int64_t>(column.weights.size()));
          double sum = 0;
          for (size_t i = 0; i < column.weights.size(); ++i)
            sum += column.weights[i] * line[static_cast<size_t>(column.first) + i];
          *to++ = convert<T>(sum);
        }
      }
    }
  });
  store_channels_first(y, op.data_format, a.out(0));
}

inline constexpr const OpSchema* interp_antialias_op = &kOpSchema<InterpAntialias>;

}  // namespace coracle::internal
