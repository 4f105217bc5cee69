// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/movement/expanding.h"

namespace coracle::internal {

/// Every tensor broadcast to the shape of all.
struct BroadcastTensors {
  static constexpr const char* kName = "broadcast_tensors";
  static constexpr const char* kLegacy[] = {"broadcast_tensors"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {list_in("input", "X")};
  static constexpr Port kOutputs[] = {list_out("out", "Out")};
  friend bool operator==(const BroadcastTensors&, const BroadcastTensors&) = default;
};

inline void infer(const BroadcastTensors&, InferArgs& a) {
  require(a.count(0) > 0 && a.count(0) == a.out_count(0), "broadcast_tensors has ", a.count(0), " operands and ",
          a.out_count(0), " results");
  Shape y = a.shape(0);
  for (int i = 1; i < a.count(0); ++i) y = broadcast(y, a.shape(0, i));
  for (int i = 0; i < a.count(0); ++i) {
    a.set(0, a.dtype(0, i), y, i);
    a.out(0, i).lod = a.in(0, i).lod;
  }
}

inline void reference(const BroadcastTensors&, ReferenceArgs& a) {
  for (int i = 0; i < a.count(0); ++i) {
    gather_elements(a.context(), a.in(0, i), broadcast_steps(a.shape(0, i), a.out(0, i).shape()), a.out(0, i));
  }
}

inline constexpr const OpSchema* broadcast_tensors_op = &kOpSchema<BroadcastTensors>;

}  // namespace coracle::internal
