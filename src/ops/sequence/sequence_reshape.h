// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/movement/movement.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// The elements of each sequence in rows of new_dim; x is [rows, D].
struct SequenceReshape {
  static constexpr const char* kName = "sequence_reshape";
  static constexpr const char* kLegacy[] = {"sequence_reshape"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int new_dim = 1;
  void attributes(AttributeVisitor& visit) { visit("new_dim", new_dim); }
  friend bool operator==(const SequenceReshape&, const SequenceReshape&) = default;
};

inline void infer(const SequenceReshape& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(op.new_dim > 0, "new_dim is ", op.new_dim, ", expected a positive number");
  Shape y{Shape::kUnknown, op.new_dim};
  std::vector<int64_t> offsets = known_offsets(a.in(0));
  if (x.known()) {
    require(x.rank() == 2, "x is ", x, ", expected 2 dimensions");
    require(x.count() % op.new_dim == 0, "x is ", x, ", its sequences do not fit into rows of ", op.new_dim);
    y[0] = x.count() / op.new_dim;
    for (int64_t& offset : offsets) {
      require(offset * x[1] % op.new_dim == 0, "a sequence of rows of ", x[1], " does not fit into rows of ",
              op.new_dim);
      offset = offset * x[1] / op.new_dim;
    }
  }
  a.set(0, a.dtype(0), y);
  if (x.known() && !offsets.empty()) set_lod(a.out(0), one_level(offsets));
}

inline void reference(const SequenceReshape&, ReferenceArgs& a) {
  const Tensor x = a.in(0).reshaped(a.out(0).shape());
  copy_tensor(a.context(), x, a.out(0));
}

inline constexpr const OpSchema* sequence_reshape_op = &kOpSchema<SequenceReshape>;

}  // namespace coracle::internal
