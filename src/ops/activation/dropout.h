// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "graph/op.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

enum class DropoutMode : uint8_t { kDowngradeInInfer, kUpscaleInTrain };

inline std::span<const std::string_view> names_of(DropoutMode) {
  static constexpr std::string_view kNames[] = {"downgrade_in_infer", "upscale_in_train"};
  return kNames;
}

/// What dropout is when not training: x * (1 - p) for downgrade_in_infer, x for upscale_in_train.
struct Dropout {
  static constexpr const char* kName = "dropout";
  static constexpr const char* kLegacy[] = {"dropout"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("seed_tensor", "Seed"), value_in("p", "dropout_prob")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("mask", "Mask")};
  static constexpr LodRule kLod = LodRule::kFirst;
  DropoutMode mode = DropoutMode::kDowngradeInInfer;
  void attributes(AttributeVisitor& visit) { visit("mode", mode, "dropout_implementation"); }
  friend bool operator==(const Dropout&, const Dropout&) = default;
};

inline void infer(const Dropout&, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, DType::kUint8, a.shape(0));
}

inline void reference(const Dropout& op, ReferenceArgs& a) {
  const double p = a.has(2) ? a.in(2).number(0) : 0.5;
  const double keep = op.mode == DropoutMode::kUpscaleInTrain ? 1.0 : 1.0 - p;
  visit_float(a.in(0).dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    const T* from = a.in(0).data<T>();
    T* to = a.out(0).data<T>();
    for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) to[i] = static_cast<T>(static_cast<double>(from[i]) * keep);
  });
  if (a.wants(1)) std::fill_n(a.out(1).data<uint8_t>(), a.out(1).count(), uint8_t{1});
}

/// What x is multiplied by, where that is known.
inline std::optional<double> kept_share(const Dropout& op, const NodeFacts& f) {
  if (op.mode == DropoutMode::kUpscaleInTrain) return 1.0;
  const auto p = f.number(2, 0.5);
  return p ? std::optional(1.0 - *p) : std::nullopt;
}

inline std::optional<UnaryStep> unary_step(const Dropout& op, const NodeFacts& f) {
  const auto share = kept_share(op, f);
  if (!share || f.all_out().size() != 1) return std::nullopt;
  return unary(UnaryKind::kScaleShift, *share);
}

inline bool is_identity(const Dropout& op, const NodeFacts& f) { return kept_share(op, f) == 1.0; }

inline constexpr const OpSchema* dropout_op = &kOpSchema<Dropout>;

}  // namespace coracle::internal
