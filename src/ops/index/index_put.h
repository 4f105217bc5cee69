// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/common/indices.h"
#include "ops/index/nonzero.h"
#include "ops/index/scattering.h"
#include "ops/movement/expanding.h"

namespace coracle::internal {

/// x with `value` written (or added) at the places that `indices` name together, one index tensor for each leading
/// dimension of x; all broadcast. A bool mask stands for the indices of its true elements.
struct IndexPut {
  static constexpr const char* kName = "index_put";
  static constexpr const char* kLegacy[] = {"index_put"};
  static constexpr Port kInputs[] = {in("x", "x"), list_in("indices", "indices"), in("value", "value")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool accumulate = false;
  void attributes(AttributeVisitor& visit) { visit("accumulate", accumulate); }
  friend bool operator==(const IndexPut&, const IndexPut&) = default;
};

inline void infer(const IndexPut&, InferArgs& a) {
  require(a.count(1) > 0, "index_put has no indices");
  require(a.dtype(0) == a.dtype(2), "x is ", a.dtype(0), " and value ", a.dtype(2));
  int depth = 0;
  bool known = a.shape(0).rank_known();
  for (int i = 0; i < a.count(1); ++i) {
    const bool mask = a.dtype(1, i) == DType::kBool;
    known = known && (!mask || a.shape(1, i).rank_known());
    depth += mask && a.shape(1, i).rank_known() ? a.shape(1, i).rank() : 1;
  }
  require(!known || depth <= a.shape(0).rank(), "index_put addresses ", depth, " dimensions of x ", a.shape(0));
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const IndexPut& op, ReferenceArgs& a) {
  copy_tensor(a.context(), a.in(0), a.out(0));
  const Shape& x = a.shape(0);
  const ElementWalk all = row_major(x);
  std::vector<Tensor> indices;
  for (int i = 0; i < a.count(1); ++i) {
    const Tensor& index = a.in(1, i);
    if (index.dtype() != DType::kBool) {
      indices.push_back(index);
      continue;
    }
    const ElementWalk mask = row_major(index.shape());
    const Buffer<int64_t> found = nonzero_positions(a.context(), index);
    for (int d = 0; d < mask.rank; ++d) {
      Buffer<int64_t> column(a.context());
      for (int64_t at : found) column.push_back(at / mask.step[d] % mask.size[d]);
      indices.push_back(Tensor::ints(a.context(), column));
    }
  }
  Shape places;
  for (const Tensor& index : indices) places = broadcast(places, index.shape());
  Buffer<int64_t> positions(static_cast<size_t>(places.count()), 0, a.context());
  LoopCheck check(a.context());
  for (size_t d = 0; d < indices.size(); ++d) {
    Tensor wide = a.make(indices[d].dtype(), places);
    gather_elements(a.context(), indices[d], broadcast_steps(indices[d].shape(), places), wide);
    const int at = static_cast<int>(d);
    for (size_t i = 0; i < positions.size(); ++i) {
      check.step();
      const auto element = static_cast<int64_t>(i);
      positions[i] +=
          index_from_front(wide.integer(element), all.size[at], "the broadcast indices", element) * all.step[at];
    }
  }
  const int depth = static_cast<int>(indices.size());
  Shape filled = places;
  for (int i = depth; i < x.rank(); ++i) filled.push_back(x[i]);
  Tensor value = a.make(a.in(2).dtype(), filled);
  require(broadcast(a.shape(2), filled) == filled, ErrorCode::kRunFailure, "value ", a.shape(2),
          " does not broadcast to ", filled);
  gather_elements(a.context(), a.in(2), broadcast_steps(a.shape(2), filled), value);
  scatter_rows(value, positions, x.count(depth, x.rank()), op.accumulate, a.out(0));
}

inline constexpr const OpSchema* index_put_op = &kOpSchema<IndexPut>;

}  // namespace coracle::internal
