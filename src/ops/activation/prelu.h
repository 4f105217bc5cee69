// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/data_format.h"
#include "ops/norm/normalization.h"

namespace coracle::internal {

enum class PreluMode : uint8_t { kAll, kChannel, kElement };

inline std::span<const std::string_view> names_of(PreluMode) {
  static constexpr std::string_view kNames[] = {"all", "channel", "element"};
  return kNames;
}

/// x where positive, else x * alpha; alpha is one number, one per channel, or one per element of a sample.
struct Prelu {
  static constexpr const char* kName = "prelu";
  static constexpr const char* kLegacy[] = {"prelu"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("alpha", "Alpha")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  DataFormat data_format = DataFormat::kNchw;
  PreluMode mode = PreluMode::kAll;
  void attributes(AttributeVisitor& visit) {
    visit("data_format", data_format);
    visit("mode", mode);
  }
  friend bool operator==(const Prelu&, const Prelu&) = default;
};

inline void infer(const Prelu& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(a.dtype(1) == a.dtype(0), "alpha is ", a.dtype(1), ", but x is ", a.dtype(0));
  a.set(0, a.dtype(0), x);
  if (op.mode == PreluMode::kAll) check_channels(a, 1, 1, "alpha");
  if (!x.rank_known()) return;
  require(op.mode == PreluMode::kAll || x.rank() >= 1, "x has no dimensions");
  if (op.mode == PreluMode::kChannel) check_channels(a, 1, x[channel_axis(op.data_format, x.rank())], "alpha");
  if (op.mode == PreluMode::kElement && x.known()) check_channels(a, 1, x.count(1, x.rank()), "alpha");
}

inline void reference(const Prelu& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  // Element i has alpha[i / inner % n].
  int64_t n = 1;
  int64_t inner = 1;
  if (op.mode == PreluMode::kChannel) {
    const int axis = channel_axis(op.data_format, s.rank());
    n = s[axis];
    inner = s.count(axis + 1, s.rank());
  } else if (op.mode == PreluMode::kElement) {
    n = s.count(1, s.rank());
  }
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* x = a.in(0).data<T>();
    const T* alpha = a.in(1).data<T>();
    T* y = a.out(0).data<T>();
    for (int64_t i = 0, count = s.count(); i < count; ++i) {
      y[i] = x[i] > T(0) ? x[i] : static_cast<T>(static_cast<double>(alpha[i / inner % n]) * static_cast<double>(x[i]));
    }
  });
}

inline constexpr const OpSchema* prelu_op = &kOpSchema<Prelu>;

}  // namespace coracle::internal
