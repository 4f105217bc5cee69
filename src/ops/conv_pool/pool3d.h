// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/pooling.h"

namespace coracle::internal {

/// pool2d of volumes.
struct Pool3d : PoolingAttributes {
  static constexpr const char* kName = "pool3d";
  static constexpr const char* kLegacy[] = {"pool3d"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  Ints kernel_size;
  Pool3d() : PoolingAttributes(3) { data_format = DataFormat::kNcdhw; }
  void attributes(AttributeVisitor& visit) {
    visit("kernel_size", kernel_size, "ksize");
    PoolingAttributes::attributes(visit);
  }
  friend bool operator==(const Pool3d&, const Pool3d&) = default;
};

inline void infer(const Pool3d& op, InferArgs& a) { infer_pooling(op, &op.kernel_size, a, 3); }

inline void reference(const Pool3d& op, ReferenceArgs& a) {
  reference_pooling(a.context(), op, op.kernel_size, a.in(0), a.out(0), 3);
}

inline constexpr const OpSchema* pool3d_op = &kOpSchema<Pool3d>;

}  // namespace coracle::internal
