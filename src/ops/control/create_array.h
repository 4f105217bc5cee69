// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/control/arrays.h"

namespace coracle::internal {

/// A tensor array without elements.
struct CreateArray {
  static constexpr const char* kName = "create_array";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kOutputs[] = {out("out", "Out")};
  DType dtype = DType::kFloat32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const CreateArray&, const CreateArray&) = default;

  /// The element type is that which the file declares for the result: the attribute may be undefined.
  static void lower(Lowering& l) {
    CreateArray op;
    op.dtype = l.declared_output("Out").dtype;
    l.bind("Out", l.add(op, {}));
  }
};

inline void infer(const CreateArray& op, InferArgs& a) { a.out(0) = array_fact(op.dtype); }

inline void reference(const CreateArray& op, ReferenceArgs& a) { a.out(0) = Tensor::array(op.dtype); }

inline constexpr const OpSchema* create_array_op = &kOpSchema<CreateArray>;

}  // namespace coracle::internal
