// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/indices.h"
#include "ops/index/gathering.h"
#include "ops/sequence/sequences.h"

namespace coracle::internal {

/// The sums of the rows of a table that the ids [N, K] of each sequence name: [sequences, K * width].
struct FusedEmbeddingSeqPool {
  static constexpr const char* kName = "fused_embedding_seq_pool";
  static constexpr const char* kLegacy[] = {"fused_embedding_seq_pool"};
  static constexpr Port kInputs[] = {weight_in("w", "W"), in("ids", "Ids")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  std::string combiner = "sum";
  int64_t padding_idx = -1;  ///< ids that count as nothing; -1: none
  void attributes(AttributeVisitor& visit) {
    visit("combiner", combiner);
    visit("padding_idx", padding_idx);
  }
  friend bool operator==(const FusedEmbeddingSeqPool&, const FusedEmbeddingSeqPool&) = default;
};

inline void infer(const FusedEmbeddingSeqPool& op, InferArgs& a) {
  const Shape& table = a.shape(0);
  const Shape& ids = a.shape(1);
  require(op.combiner == "sum", ErrorCode::kUnsupported, "combiner is ", op.combiner, ", expected sum");
  require(is_float(a.dtype(0)), "w is ", a.dtype(0), ", expected a real type");
  require(is_integer(a.dtype(1)), "ids are ", a.dtype(1), ", expected integers");
  require(!table.rank_known() || table.rank() == 2, "w is ", table, ", expected a matrix");
  require(!ids.rank_known() || ids.rank() > 0, "ids are a scalar, expected rows");
  Shape y{sequence_count(a.in(1)), Shape::kUnknown};
  if (table.known() && ids.rank_known()) {
    y[1] = table[1];
    for (int i = 1; i < ids.rank(); ++i)
      y[1] = ids[i] < 0 || y[1] < 0 ? Shape::kUnknown : checked_multiply(y[1], ids[i]);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const FusedEmbeddingSeqPool& op, ReferenceArgs& a) {
  const std::vector<int64_t> offsets = offsets_of(a.in(1));
  const Buffer<int64_t> ids = a.integers(1);
  const int64_t columns = row_count(a.shape(1));
  const int64_t width = a.shape(0)[1];
  const Shape y{static_cast<int64_t>(offsets.size()) - 1, columns * width};
  if (a.out(0).empty_handle()) a.out(0) = a.make(a.in(0).dtype(), y);
  Buffer<double> sums(static_cast<size_t>(y[1]), a.context());
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = a.out(0).data<T>();
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (int64_t i = offsets[s] * columns; i < offsets[s + 1] * columns; ++i) {
        const int64_t id = ids[static_cast<size_t>(i)];
        if (op.padding_idx != -1 && id == op.padding_idx) continue;
        const T* row = a.in(0).data<T>() + index_from_front(id, a.shape(0)[0], "Ids", i) * width;
        double* sum = sums.data() + i % columns * width;
        for (int64_t j = 0; j < width; ++j) sum[j] += static_cast<double>(row[j]);
      }
      for (double sum : sums) *to++ = static_cast<T>(sum);
    }
  });
}

inline constexpr const OpSchema* fused_embedding_seq_pool_op = &kOpSchema<FusedEmbeddingSeqPool>;

}  // namespace coracle::internal
