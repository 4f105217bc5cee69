// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "engines/openvino/network.h"
#include "ops/interp/bicubic_interp.h"
#include "ops/interp/bilinear_interp.h"
#include "ops/interp/legacy_bilinear_interp.h"
#include "ops/interp/legacy_nearest_interp.h"
#include "ops/interp/nearest_interp.h"
#include "ops/interp/nearest_interp_add.h"

namespace coracle::internal::openvino {
namespace {

/// What Interpolate is told of one resizing.
struct Mode {
  const char* mode;
  const char* coordinates;
};

/// x with its spatial dimensions resized to those of g.
Wire interpolate(Emitter& e, Wire x, const InterpolationGeometry& g, Mode mode) {
  Ints sizes;
  Ints axes;
  std::vector<float> factors;
  for (int i = 0; i < g.spatial; ++i) {
    const InterpolationAxis& a = g.axes[3 - g.spatial + i];
    sizes.push_back(a.out);
    axes.push_back(i + 2);
    factors.push_back(static_cast<float>(a.out) / static_cast<float>(a.in));
  }
  // Whole factors say the same for all sizes of x.
  const bool whole = std::all_of(factors.begin(), factors.end(), [](float f) { return f >= 1 && f == std::floor(f); });
  if (whole) sizes.assign(factors.begin(), factors.end());  // which the layer does not look at then
  const Ints none(static_cast<size_t>(g.spatial) + 2, 0);
  return e.layer("Interpolate", "opset4", {x, e.ints_of(sizes), e.floats(factors, Shape{g.spatial}), e.ints_of(axes)},
                 {{"mode", mode.mode},
                  {"shape_calculation_mode", whole ? "scales" : "sizes"},
                  {"coordinate_transformation_mode", mode.coordinates},
                  {"nearest_mode", "floor"},
                  {"antialias", "false"},
                  {"pads_begin", list_text(none)},
                  {"pads_end", list_text(none)},
                  {"cube_coeff", "-0.75"}},
                 DType::kFloat32);
}

/// Whole factors are resized by the layer; for others rounding would decide which element it reads, so elements are
/// named one by one.
Wire nearest(Emitter& e, Wire x, const InterpolationGeometry& g) {
  bool whole = true;
  std::vector<Ints> indices;
  for (int i = 3 - g.spatial; i < 3; ++i) {
    const InterpolationAxis& a = g.axes[i];
    Ints index;
    whole = whole && a.out % a.in == 0;
    for (int64_t o = 0; o < a.out; ++o) {
      index.push_back(a.copy ? o : interpolation_taps(InterpolationMethod::kNearest, a, o).index[0]);
      whole = whole && index.back() == o * a.in / a.out;
    }
    indices.push_back(std::move(index));
  }
  if (whole) return interpolate(e, x, g, {"nearest", "asymmetric"});
  for (int i = 0; i < g.spatial; ++i) {
    const InterpolationAxis& a = g.axes[3 - g.spatial + i];
    if (a.in == a.out && a.ratio == 1) continue;
    x = e.layer("Gather", "opset8", {x, e.ints_of(indices[static_cast<size_t>(i)]), e.ints_of({i + 2})},
                {{"batch_dims", "0"}}, DType::kFloat32);
  }
  return x;
}

/// Of weighted sums. The layer takes ratios that follow from the sizes.
Wire weighted(Emitter& e, Wire x, const InterpolationGeometry& g, InterpolationMethod method) {
  const InterpolationAxis& last = g.axes[2];
  const char* coordinates = last.align_corners ? "align_corners" : last.half_pixel ? "half_pixel" : "asymmetric";
  const bool cubic = method == InterpolationMethod::kCubic;
  if (cubic && !last.align_corners) coordinates = "half_pixel";
  for (int i = 3 - g.spatial; i < 3; ++i) {
    const InterpolationAxis& a = g.axes[i];
    const float by_size = static_cast<float>(a.in) / static_cast<float>(a.out);
    if (!a.align_corners && a.in != a.out && std::fabs(a.ratio - by_size) > 1e-6F * by_size) {
      refuse("its ratio is ", a.ratio, ", which does not follow from its sizes");
    }
    // A result of one element has no corners: what the layers read then differs.
    if (a.align_corners && a.out == 1 && a.in != 1) refuse("its corners are aligned and its result has one element");
  }
  return interpolate(e, x, g, {cubic ? "cubic" : "linear_onnx", coordinates});
}

template <class T>
void emit_interpolation(Emitter& e) {
  const auto& op = e.as<T>();
  const int rank = e.shape(0).rank();
  const auto request =
      interpolation_request(op, e.count(2), e.has(1), e.has(3), [&](int port, int i) { return &e.elements(port, i); });
  const InterpolationGeometry g = interpolation_geometry(op, T::kKind, e.shape(0), *request);
  const Wire x = e.channels_first(e.in(0), op.format(), rank);
  constexpr bool kNearest = T::kKind.method == InterpolationMethod::kNearest;
  Wire y = x;
  if (!g.axes[2].copy) y = kNearest ? nearest(e, x, g) : weighted(e, x, g, T::kKind.method);
  y = e.from_channels_first(y, op.format(), rank);
  if constexpr (std::is_same_v<T, NearestInterpAdd>) {
    Wire addend = e.in(T::kAddend);
    if (e.has(T::kFactor)) addend = e.multiply(addend, e.in(T::kFactor));
    y = e.add(addend, y);
  }
  e.set(y);
}

/// The layer is asked to resize images alone.
std::string refuse_rank(const Question& q) {
  const Shape& x = q.facts.shape(0);
  return x.rank_known() && x.rank() != 4 ? text("x has ", counted(x.rank(), "dimension"), ", expected 4") : "";
}

constexpr Converter kInterpolation[] = {
    {nearest_interp_op, kFloat, kFloat, emit_interpolation<NearestInterp>, refuse_rank},
    {legacy_nearest_interp_op, kFloat, kFloat, emit_interpolation<LegacyNearestInterp>, refuse_rank},
    {nearest_interp_add_op, kFloat, kFloat, emit_interpolation<NearestInterpAdd>, refuse_rank},
    {bilinear_interp_op, kFloat, kFloat, emit_interpolation<BilinearInterp>, refuse_rank},
    {legacy_bilinear_interp_op, kFloat, kFloat, emit_interpolation<LegacyBilinearInterp>, refuse_rank},
    {bicubic_interp_op, kFloat, kFloat, emit_interpolation<BicubicInterp>, refuse_rank},
};

}  // namespace

extern const ConverterTable convert_interpolation;
const ConverterTable convert_interpolation{kInterpolation};

}  // namespace coracle::internal::openvino
