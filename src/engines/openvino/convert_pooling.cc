// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/openvino/network.h"
#include "ops/conv_pool/pool2d.h"
#include "ops/conv_pool/pool3d.h"

namespace coracle::internal::openvino {
namespace {

/// The windows of an adaptive average that are no equal parts.
Wire adaptive_average(Emitter& e, Wire x, const PoolingGeometry& g, int spatial) {
  Ints sizes;
  for (int i = 3 - spatial; i < 3; ++i) sizes.push_back(g.axes[i].out);
  return e.layer("AdaptiveAvgPool", "opset8", {x, e.ints_of(sizes)}, {}, DType::kFloat32);
}

/// What an average over `whole` elements is multiplied by to be one over as many as Coracle counts; empty where that is
/// 1 everywhere.
std::vector<float> corrections(const PoolingGeometry& g, double whole) {
  std::vector<float> factors;
  bool needed = false;
  for (int64_t d = 0; d < g.axes[0].out; ++d) {
    for (int64_t h = 0; h < g.axes[1].out; ++h) {
      for (int64_t w = 0; w < g.axes[2].out; ++w) {
        const int64_t divisor = g.divisor(0, d) * g.divisor(1, h) * g.divisor(2, w);
        if (divisor <= 0) refuse("a window lies outside of x");
        factors.push_back(static_cast<float>(whole / static_cast<double>(divisor)));
        needed = needed || factors.back() != 1.0F;
      }
    }
  }
  if (!needed) factors.clear();
  return factors;
}

Wire pool(Emitter& e, Wire x, PoolingGeometry g, int spatial) {
  const auto is_one = [](const WindowAxis& a) { return a.out == 1; };
  if (g.adaptive && g.average && std::all_of(std::end(g.axes) - spatial, std::end(g.axes), is_one)) {
    Ints axes;
    for (int i = 0; i < spatial; ++i) axes.push_back(i + 2);
    return e.reduce("ReduceMean", "opset1", x, axes);
  }
  Ints kernels;
  Ints strides;
  Ints before;
  Ints after;
  double whole = 1;
  for (int i = 3 - spatial; i < 3; ++i) {
    WindowAxis& a = g.axes[i];
    if (g.adaptive) {
      if (a.in % a.out != 0) return adaptive_average(e, x, g, spatial);
      a.kernel = a.in / a.out;
      a.stride = a.kernel;
    }
    // What the operator says, for all sizes of x; or else so many at the end that the windows are as many as there are,
    // whatever the rounding.
    int64_t end = g.adaptive ? 0 : a.pad_after;
    const int64_t room = a.in + a.pad_before + end - a.kernel;
    if (end < 0 || end >= a.kernel || room < 0 || room / a.stride + 1 != a.out) {
      end = std::max<int64_t>((a.out - 1) * a.stride + a.kernel - a.in - a.pad_before, 0);
    }
    for (int64_t o = 0; o < a.out; ++o) {
      if (g.end(i, o) <= g.begin(i, o)) refuse("a window lies outside of x");
    }
    if (a.pad_before >= a.kernel || end >= a.kernel) refuse("its padding is not smaller than its window");
    kernels.push_back(a.kernel);
    strides.push_back(a.stride);
    before.push_back(a.pad_before);
    after.push_back(end);
    whole *= static_cast<double>(a.kernel);
  }
  const bool exclusive = g.exclusive || g.adaptive;
  // A maximum reads nothing outside, whatever it is told.
  const auto layer = [&](const char* type) {
    return e.plain(type, {x},
                   {{"kernel", list_text(kernels)},
                    {"strides", list_text(strides)},
                    {"pads_begin", list_text(before)},
                    {"pads_end", list_text(after)},
                    {"rounding_type", "floor"},
                    {"auto_pad", "explicit"},
                    {"exclude-pad", exclusive ? "true" : "false"}});
  };
  if (!g.average) return layer("MaxPool");
  const Wire y = layer("AvgPool");
  const std::vector<float> factors = exclusive ? std::vector<float>() : corrections(g, whole);
  if (factors.empty()) return y;
  Shape sizes{1, 1};
  for (int i = 3 - spatial; i < 3; ++i) sizes.push_back(g.axes[i].out);
  return e.multiply(y, e.floats(factors, sizes));
}

void emit_pool(Emitter& e, const PoolingAttributes& op, const Ints& kernel) {
  const int rank = e.shape(0).rank();
  const PoolingGeometry g = pooling_geometry(op, kernel, e.shape(0), rank - 2);
  const Wire x = e.channels_first(e.in(0), op.data_format, rank);
  e.set(e.from_channels_first(pool(e, x, g, rank - 2), op.data_format, rank));
}

template <class T>
void emit_pool(Emitter& e) {
  if constexpr (requires(const T& op) { op.kernel_size; }) {
    emit_pool(e, e.as<T>(), e.as<T>().kernel_size);
  } else {
    emit_pool(e, e.as<T>(), e.ints(1));
  }
}

std::string refuse_kind(const PoolingAttributes& op) {
  if (op.pooling_type == PoolingType::kNorm) return "it is a pooling by norm";
  return op.adaptive && op.pooling_type == PoolingType::kMax ? "it is an adaptive maximum" : "";
}

template <class T>
std::string refuse_pool(const Question& q) {
  return refuse_kind(q.as<T>());
}

constexpr Converter kPooling[] = {
    {pool2d_op, kFloat, kFloat, emit_pool<Pool2d>, refuse_pool<Pool2d>},
    {pool3d_op, kFloat, kFloat, emit_pool<Pool3d>, refuse_pool<Pool3d>},
};

}  // namespace

extern const ConverterTable convert_pooling;
const ConverterTable convert_pooling{kPooling};

}  // namespace coracle::internal::openvino
