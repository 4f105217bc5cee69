// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/binary.h"

namespace coracle {

/// out = the next number after x towards y
struct Nextafter : BinaryOperator {
  static constexpr const char* kName = "nextafter";
  static constexpr const char* kLegacy[] = {"nextafter"};
  friend bool operator==(const Nextafter&, const Nextafter&) = default;
};

inline void infer(const Nextafter&, InferArgs& a) { infer_binary(a); }

inline void reference(const Nextafter&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) {
    using T = decltype(x);
    if constexpr (std::is_floating_point_v<T>) {
      return std::nextafter(x, y);
    } else {
      return static_cast<T>(std::nextafter(static_cast<double>(x), static_cast<double>(y)));
    }
  });
}

inline constexpr const OpRow* nextafter_op = &kOpRow<Nextafter>;

}  // namespace coracle
