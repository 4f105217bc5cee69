// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "graph/op.h"

namespace coracle::internal {

enum class BoxCode : uint8_t { kEncode, kDecode };

inline std::span<const std::string_view> names_of(BoxCode) {
  static constexpr std::string_view kNames[] = {"encode_center_size", "decode_center_size"};
  return kNames;
}

/// Encoding: boxes [N, 4] as centres and logarithms of sizes relative to each of the priors [M, 4], giving [N, M, 4].
/// Decoding: the reverse for [N, M, 4], where the prior belongs to the column (axis 0) or the row (axis 1).
struct BoxCoder {
  static constexpr const char* kName = "box_coder";
  static constexpr const char* kLegacy[] = {"box_coder"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("prior_box", "PriorBox"), optional_in("prior_box_var", "PriorBoxVar"),
                                     in("target_box", "TargetBox")};
  static constexpr Port kOutputs[] = {out("output_box", "OutputBox")};
  BoxCode code_type = BoxCode::kEncode;
  bool box_normalized = true;
  int axis = 0;
  Floats variance;
  void attributes(AttributeVisitor& visit) {
    visit("code_type", code_type);
    visit("box_normalized", box_normalized);
    visit("axis", axis);
    visit("variance", variance);
  }
  friend bool operator==(const BoxCoder&, const BoxCoder&) = default;
};

inline void infer(const BoxCoder& op, InferArgs& a) {
  const Shape& prior = a.shape(0);
  const Shape& target = a.shape(2);
  const bool encode = op.code_type == BoxCode::kEncode;
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(2), "priors are ", a.dtype(0), " and boxes ", a.dtype(2));
  require(op.axis == 0 || op.axis == 1, "axis is ", op.axis, ", expected 0 or 1");
  require(op.variance.empty() || op.variance.size() == 4, "there are ", op.variance.size(), " variances, expected 4");
  require(!prior.rank_known() || (prior.rank() == 2 && (prior[1] < 0 || prior[1] == 4)), "priors are ", prior,
          ", expected [M, 4]");
  if (a.has(1)) {
    require(compatible(prior, a.shape(1)), "prior_box_var is ", a.shape(1), ", but priors are ", prior);
    require(a.dtype(1) == a.dtype(0), "prior_box_var is ", a.dtype(1), ", but priors are ", a.dtype(0));
  }
  Shape y{Shape::kUnknown, Shape::kUnknown, 4};
  if (target.rank_known()) {
    require(target.rank() == (encode ? 2 : 3) && (target.back() < 0 || target.back() == 4), "boxes are ", target,
            ", expected ", encode ? "[N, 4]" : "[N, M, 4]");
    y[0] = target[0];
    if (!encode) {
      y[1] = target[1];
      const int64_t of_prior = target[op.axis == 0 ? 1 : 0];
      require(!prior.rank_known() || prior[0] < 0 || of_prior < 0 || prior[0] == of_prior, "priors are ", prior,
              ", but boxes are ", target);
    }
  }
  if (encode && prior.rank_known()) y[1] = prior[0];
  a.set(0, a.dtype(0), y);
  a.out(0).lod = a.in(encode || op.axis == 0 ? 2 : 0).lod;
}

inline void reference(const BoxCoder& op, ReferenceArgs& a) {
  const bool encode = op.code_type == BoxCode::kEncode;
  const int64_t rows = a.out(0).shape()[0];
  const int64_t columns = a.out(0).shape()[1];
  const double pixel = op.box_normalized ? 0 : 1;
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j, to += 4) {
        const int64_t k = encode || op.axis == 0 ? j : i;
        const T* prior = a.in(0).data<T>() + k * 4;
        const T* target = a.in(2).data<T>() + (encode ? i : i * columns + j) * 4;
        double t[4];
        double variance[4] = {1, 1, 1, 1};
        for (int d = 0; d < 4; ++d) {
          t[d] = static_cast<double>(target[d]);
          if (a.has(1)) {
            variance[d] = static_cast<double>(a.in(1).data<T>()[k * 4 + d]);
          } else if (!op.variance.empty()) {
            variance[d] = op.variance[static_cast<size_t>(d)];
          }
        }
        for (int d = 0; d < 2; ++d) {
          const auto low = static_cast<double>(prior[d]);
          const double size = static_cast<double>(prior[d + 2]) - low + pixel;
          const double center = low + size / 2;
          if (encode) {
            const double target_size = t[d + 2] - t[d] + pixel;
            to[d] = static_cast<T>(((t[d] + t[d + 2]) / 2 - center) / size / variance[d]);
            to[d + 2] = static_cast<T>(std::log(std::fabs(target_size / size)) / variance[d + 2]);
          } else {
            const double middle = variance[d] * t[d] * size + center;
            const double half = std::exp(variance[d + 2] * t[d + 2]) * size / 2;
            to[d] = static_cast<T>(middle - half);
            to[d + 2] = static_cast<T>(middle + half - pixel);
          }
        }
      }
    }
  });
}

inline constexpr const OpSchema* box_coder_op = &kOpSchema<BoxCoder>;

}  // namespace coracle::internal
