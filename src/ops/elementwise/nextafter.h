// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/binary.h"

namespace coracle::internal {

/// out = the next number after x towards y
struct Nextafter {
  static constexpr const char* kName = "nextafter";
  static constexpr const char* kLegacy[] = {"nextafter"};
  static constexpr Port kInputs[] = {in("x", "x"), in("y", "y")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Nextafter&, const Nextafter&) = default;
};

inline void infer(const Nextafter&, InferArgs& a) { infer_binary(a); }

inline void reference(const Nextafter&, ReferenceArgs& a) {
  const bool single = a.out(0).dtype() == DType::kFloat32;
  reference_binary(a, [single](auto x, auto y) {
    using T = decltype(x);
    if (single) return static_cast<T>(std::nextafter(static_cast<float>(x), static_cast<float>(y)));
    return static_cast<T>(std::nextafter(static_cast<double>(x), static_cast<double>(y)));
  });
}

inline constexpr const OpSchema* nextafter_op = &kOpSchema<Nextafter>;

}  // namespace coracle::internal
