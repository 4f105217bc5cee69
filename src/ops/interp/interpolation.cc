// SPDX-License-Identifier: Apache-2.0
#include "ops/interp/interpolation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/convert.h"
#include "base/counted.h"
#include "base/long_loop.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {
namespace {

constexpr double kLimit = 1e9;

int64_t clamp_index(int64_t i, int64_t n) { return std::clamp<int64_t>(i, 0, n - 1); }

float cubic_near(float x) { return (1.25F * x - 2.25F) * x * x + 1; }
float cubic_far(float x) { return ((-0.75F * x + 3.75F) * x - 6.0F) * x + 3.0F; }

}  // namespace

InterpolationTaps interpolation_taps(InterpolationMethod method, const InterpolationAxis& axis, int64_t out) {
  InterpolationTaps t;
  const auto k = static_cast<float>(out);
  // Positions are computed in float, half-pixel centres in double: rounding decides which element is read.
  const double centre = static_cast<double>(axis.ratio) * (static_cast<double>(k) + 0.5) - 0.5;
  switch (method) {
    case InterpolationMethod::kNearest: {
      const float at = axis.ratio * k;
      const int64_t i = axis.align_corners ? position(std::round(at)) : position(at);
      t.count = 1;
      t.index[0] = clamp_index(i, axis.in);
      t.weight[0] = 1;
      break;
    }
    case InterpolationMethod::kLinear: {
      const float at = axis.half_pixel ? std::max(static_cast<float>(centre), 0.0F) : axis.ratio * k;
      const int64_t low = position(axis.half_pixel ? std::max(centre, 0.0) : static_cast<double>(at));
      t.count = 2;
      t.index[0] = clamp_index(low, axis.in);
      t.index[1] = clamp_index(low + 1, axis.in);
      t.weight[1] = at - static_cast<float>(low);
      t.weight[0] = 1 - t.weight[1];
      break;
    }
    case InterpolationMethod::kCubic: {
      const float at = axis.align_corners ? axis.ratio * k : static_cast<float>(centre);
      const float low = std::floor(at);
      const float rest = at - low;
      t.count = 4;
      for (int i = 0; i < 4; ++i) t.index[i] = clamp_index(position(low) - 1 + i, axis.in);
      t.weight[0] = cubic_far(rest + 1);
      t.weight[1] = cubic_near(rest);
      t.weight[2] = cubic_near(1 - rest);
      t.weight[3] = cubic_far(2 - rest);
      break;
    }
  }
  return t;
}

InterpolationGeometry interpolation_geometry(const InterpolationOperator& op, InterpolationKind kind, const Shape& x,
                                             const InterpolationRequest& request) {
  require(x.rank() >= 3 && x.rank() <= 5, "x ", x, " has ", counted(x.rank(), "dimension"), ", expected 3 to 5");
  const Shape first = to_channels_first(x, op.format());
  InterpolationGeometry g;
  g.spatial = x.rank() - 2;
  const auto n = static_cast<size_t>(g.spatial);
  require(kind.method != InterpolationMethod::kCubic || n <= 2, "x ", x, " cannot be resized by cubic interpolation");
  g.batch = first[0];
  g.channels = first[1];
  const Floats& factors = request.scale;
  const Ints& size = request.size;
  require(factors.empty() || factors.size() == 1 || factors.size() >= n, "scale has ", counted(factors.size(), "entry"),
          ", expected 1 or ", n);
  require(size.empty() || size.size() == n, "the wanted size has ", counted(size.size(), "entry"), ", expected ", n);
  const int64_t given[3] = {op.out_d, op.out_h, op.out_w};
  bool copy = true;
  for (size_t i = 0; i < n; ++i) {
    InterpolationAxis& a = g.axes[3 - n + i];
    a.in = first[static_cast<int>(i) + 2];
    a.half_pixel = op.align_mode == 0 && !op.align_corners;
    a.align_corners = op.align_corners;
    const double listed = factors.empty() ? 0.0 : factors[factors.size() == 1 ? 0 : i];
    // A factor that no float32 is was written by Paddle 3.3 or newer, which computes with factors in double.
    const auto factor = listed > 0 ? static_cast<float>(listed) : 0.0F;
    const bool in_double = static_cast<double>(factor) != listed;
    if (!size.empty()) {
      a.out = size[i];
    } else if (factor > 0) {
      const double scaled =
          in_double ? static_cast<double>(a.in) * listed : static_cast<double>(static_cast<float>(a.in) * factor);
      require(scaled < kLimit, "scale is too large: ", listed);
      a.out = a.in < 0 ? Shape::kUnknown : position(scaled);
    } else {
      // n == 1 resizes the width.
      a.out = given[3 - n + i];
    }
    require(a.out > 0 || (size.empty() && factor > 0 && a.in < 0), "x ", x, " would be resized to ", a.out,
            ", expected a positive size");
    copy = copy && a.in == a.out;
    if (a.in < 0 || a.out < 0) continue;
    require(a.in > 0, "x ", x, " is empty and cannot be resized");
    if (a.out > 1 || (op.scales_single && !op.align_corners)) {
      const float by_size = static_cast<float>(a.in) / static_cast<float>(a.out);
      if (op.align_corners) {
        a.ratio = static_cast<float>(a.in - 1) / static_cast<float>(a.out - 1);
      } else {
        a.ratio = factor > 0 && !kind.ratio_of_sizes ? static_cast<float>(1.0 / listed) : by_size;
      }
    } else {
      a.ratio = 0;
    }
  }
  for (InterpolationAxis& a : g.axes) a.copy = copy;
  return g;
}

void infer_interpolation(const InterpolationOperator& op, InterpolationKind kind, InferArgs& a) {
  const Shape& x = a.shape(0);
  if (!x.rank_known()) {
    a.set(0, a.dtype(0), x);
    return;
  }
  const std::optional<InterpolationRequest> request = interpolation_request(
      op, a.count(2), a.has(1), a.has(3), [&](int port, int i) { return a.in(port, i).value.get(); });
  InterpolationRequest any;
  if (!request) any.size.assign(static_cast<size_t>(std::max(x.rank() - 2, 0)), 1);
  const InterpolationGeometry g = interpolation_geometry(op, kind, x, request ? *request : any);
  Shape y{g.batch, g.channels};
  for (int i = 3 - g.spatial; i < 3; ++i) y.push_back(request ? g.axes[i].out : Shape::kUnknown);
  a.set(0, a.dtype(0), from_channels_first(y, op.format()));
  // Paddle's rule: only a result whose size is one operand has the offsets of x.
  if (a.has(1) && !a.has(2)) share_lod(a, 0, 0);
}

namespace {

InterpolationGeometry requested_geometry(const InterpolationOperator& op, InterpolationKind kind,
                                         const ReferenceArgs& a) {
  const std::optional<InterpolationRequest> request =
      interpolation_request(op, a.count(2), a.has(1), a.has(3), [&](int port, int i) { return &a.in(port, i); });
  return interpolation_geometry(op, kind, a.shape(0), *request);
}

/// The weighted sum of integers, which is then cut off: in float32 and in Paddle's order, as a sum that is almost a
/// whole number would else be the next one. In an image columns come first, in a volume last.
template <class T>
float whole_sum(const InterpolationGeometry& g, const T* from, const InterpolationTaps& d, const InterpolationTaps& h,
                const InterpolationTaps& w) {
  float sum = 0;
  const auto add = [&](int i, int j, int k) {
    const int64_t at = (d.index[i] * g.axes[1].in + h.index[j]) * g.axes[2].in + w.index[k];
    const auto x = static_cast<float>(from[at]);
    sum += x * d.weight[i] * h.weight[j] * w.weight[k];
  };
  for (int i = 0; i < d.count; ++i) {
    if (g.spatial == 3) {
      for (int j = 0; j < h.count; ++j) {
        for (int k = 0; k < w.count; ++k) add(i, j, k);
      }
    } else {
      for (int k = 0; k < w.count; ++k) {
        for (int j = 0; j < h.count; ++j) add(i, j, k);
      }
    }
  }
  return sum;
}

void interpolate(const RunContext& context, const InterpolationOperator& op, InterpolationKind kind,
                 const InterpolationGeometry& g, const Tensor& in, Tensor& out) {
  const Tensor x = to_channels_first(context, in, op.format());
  Tensor y = channels_first_like(context, out, op.format());
  std::vector<InterpolationTaps> taps[3];
  for (int d = 0; d < 3; ++d) {
    for (int64_t o = 0; o < g.axes[d].out; ++o) {
      InterpolationTaps t{.count = 1, .index = {o}, .weight = {1}};
      if (d >= 3 - g.spatial && !g.axes[d].copy) t = interpolation_taps(kind.method, g.axes[d], o);
      taps[d].push_back(t);
    }
  }
  const int64_t volume = g.axes[0].in * g.axes[1].in * g.axes[2].in;
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = y.data<T>();
    LoopCheck check(context);
    for (int64_t plane = 0; plane < g.batch * g.channels; ++plane) {
      const T* from = x.data<T>() + plane * volume;
      for (const InterpolationTaps& d : taps[0]) {
        for (const InterpolationTaps& h : taps[1]) {
          for (const InterpolationTaps& w : taps[2]) {
            check.step(static_cast<int64_t>(d.count) * h.count * w.count);
            if constexpr (std::is_integral_v<T>) {
              *to++ = convert<T>(whole_sum(g, from, d, h, w));
              continue;
            }
            double sum = 0;
            for (int i = 0; i < d.count; ++i) {
              for (int j = 0; j < h.count; ++j) {
                const T* row = from + (d.index[i] * g.axes[1].in + h.index[j]) * g.axes[2].in;
                const double weight = static_cast<double>(d.weight[i]) * static_cast<double>(h.weight[j]);
                for (int k = 0; k < w.count; ++k) {
                  sum += weight * static_cast<double>(w.weight[k]) * static_cast<double>(row[w.index[k]]);
                }
              }
            }
            *to++ = convert<T>(sum);
          }
        }
      }
    }
  });
  store_channels_first(y, op.data_format, out);
}

}  // namespace

void reference_interpolation(const InterpolationOperator& op, InterpolationKind kind, ReferenceArgs& a) {
  interpolate(a.context(), op, kind, requested_geometry(op, kind, a), a.in(0), a.out(0));
}

Tensor interpolated(const InterpolationOperator& op, InterpolationKind kind, const ReferenceArgs& a) {
  const InterpolationGeometry g = requested_geometry(op, kind, a);
  Shape y{g.batch, g.channels};
  for (int i = 3 - g.spatial; i < 3; ++i) y.push_back(g.axes[i].out);
  Tensor out = a.make(a.in(0).dtype(), from_channels_first(y, op.format()));
  interpolate(a.context(), op, kind, g, a.in(0), out);
  return out;
}

}  // namespace coracle::internal
