// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/matmul.h"
#include "ops/scale.h"

namespace coracle {

/// The first `matmul` of Paddle: alpha * x @ y. Becomes matmul and, where alpha is not 1, scale.
struct LegacyMatmul {
  static constexpr const char* kName = "legacy_matmul";
  static constexpr const char* kLegacy[] = {"matmul"};
  friend bool operator==(const LegacyMatmul&, const LegacyMatmul&) = default;
  static void lower(Lowering& l) {
    const Matmul matmul{.transpose_x = l.attribute<bool>("transpose_X"),
                        .transpose_y = l.attribute<bool>("transpose_Y")};
    ValueId out = l.add(matmul, {{l.input("X")}, {l.input("Y")}});
    const double alpha = l.attribute<double>("alpha", 1.0);
    if (alpha != 1.0) out = l.add(Scale{}, {{out}, {l.constant(Tensor::scalar(static_cast<float>(alpha)))}});
    l.bind("Out", out);
  }
};

inline constexpr const OpRow* legacy_matmul_op = &kOpRow<LegacyMatmul>;

}  // namespace coracle
