// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/norm/normalization.h"

namespace coracle::internal {

/// (x - batch_sum / batch_size) * sqrt(batch_size / batch_square_sum), then * scale_w + bias where enabled. With
/// slot_dim, a slot of that many columns whose first element is 0 gives 0.
struct DataNorm {
  static constexpr const char* kName = "data_norm";
  static constexpr const char* kLegacy[] = {"data_norm"};
  static constexpr Port kInputs[] = {in("x", "X"),
                                     weight_in("batch_size", "BatchSize"),
                                     weight_in("batch_sum", "BatchSum"),
                                     weight_in("batch_square_sum", "BatchSquareSum"),
                                     optional_weight_in("scale_w", "scale_w"),
                                     optional_weight_in("bias", "bias")};
  static constexpr Port kOutputs[] = {out("out", "Y"), optional_out("means", "Means"),
                                      optional_out("scales", "Scales")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int slot_dim = -1;
  bool enable_scale_and_shift = false;
  void attributes(AttributeVisitor& visit) {
    visit("slot_dim", slot_dim);
    visit("enable_scale_and_shift", enable_scale_and_shift);
  }
  friend bool operator==(const DataNorm&, const DataNorm&) = default;
};

inline void infer(const DataNorm& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), x);
  a.set(1, a.dtype(0), a.shape(1));
  a.set(2, a.dtype(0), a.shape(1));
  if (!x.rank_known()) return;
  require(x.rank() >= 2, "x ", x, " has ", x.rank(), " dimensions, expected at least 2");
  constexpr std::string_view kNames[] = {"", "batch_size", "batch_sum", "batch_square_sum", "scale_w", "bias"};
  for (int port = 1; port <= 5; ++port) {
    check_channels(a, port, x.rank() == 2 ? x[1] : Shape::kUnknown, kNames[port]);
    require(x.rank() == 2 || !a.has(port) || !x.known() || !a.shape(port).known() ||
                (a.shape(port).count() > 0 && x.count() % a.shape(port).count() == 0),
            kNames[port], " does not divide x ", x);
  }
  require(op.slot_dim <= 0 || x.rank() != 2 || x[1] < 0 || x[1] % op.slot_dim == 0, "x ", x,
          " does not divide into slots of ", op.slot_dim);
}

inline void reference(const DataNorm& op, ReferenceArgs& a) {
  const int64_t n = a.in(1).count();
  const Floats size = numbers_or(a, 1, n, 1);
  const Floats sum = numbers_or(a, 2, n, 0);
  const Floats squares = numbers_or(a, 3, n, 1);
  const bool enabled = op.enable_scale_and_shift;
  const Floats weight = enabled ? numbers_or(a, 4, n, 1) : Floats(static_cast<size_t>(n), 1.0);
  const Floats bias = enabled ? numbers_or(a, 5, n, 0) : Floats(static_cast<size_t>(n), 0.0);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* x = a.in(0).data<T>();
    for (int64_t i = 0, count = a.in(0).count(); i < count; ++i) {
      const auto c = static_cast<size_t>(i % n);
      const double mean = sum[c] / size[c];
      const double scale = std::sqrt(size[c] / squares[c]);
      double y = (static_cast<double>(x[i]) - mean) * scale * weight[c] + bias[c];
      if (op.slot_dim > 0) {
        const int64_t first = i - i % n % op.slot_dim;
        if (std::fabs(static_cast<double>(x[first])) < 1e-7) y = 0;
      }
      a.out(0).data<T>()[i] = static_cast<T>(y);
    }
    for (int64_t i = 0; i < n; ++i) {
      const auto c = static_cast<size_t>(i);
      if (a.wants(1)) a.out(1).data<T>()[i] = static_cast<T>(sum[c] / size[c]);
      if (a.wants(2)) a.out(2).data<T>()[i] = static_cast<T>(std::sqrt(size[c] / squares[c]));
    }
  });
}

inline constexpr const OpSchema* data_norm_op = &kOpSchema<DataNorm>;

}  // namespace coracle::internal
