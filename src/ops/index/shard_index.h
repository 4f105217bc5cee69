// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/indices.h"

namespace coracle::internal {

/// Indices of 0 to index_num - 1 in nshards equal shards: the index within shard shard_id, ignore_value for the others.
struct ShardIndex {
  static constexpr const char* kName = "shard_index";
  static constexpr const char* kLegacy[] = {"shard_index"};
  static constexpr Port kInputs[] = {in("input", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t index_num = 1;
  int64_t nshards = 1;
  int64_t shard_id = 0;
  int64_t ignore_value = -1;
  void attributes(AttributeVisitor& visit) {
    visit("index_num", index_num);
    visit("nshards", nshards);
    visit("shard_id", shard_id);
    visit("ignore_value", ignore_value);
  }
  friend bool operator==(const ShardIndex&, const ShardIndex&) = default;
};

inline void infer(const ShardIndex& op, InferArgs& a) {
  require(op.index_num > 0 && op.nshards > 0 && op.shard_id >= 0 && op.shard_id < op.nshards, "shard ", op.shard_id,
          " of ", op.nshards, " of ", op.index_num, " indices");
  require(is_integer(a.dtype(0)), "indices are ", a.dtype(0), ", expected integers");
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const ShardIndex& op, ReferenceArgs& a) {
  const int64_t size = (op.index_num - 1) / op.nshards + 1;
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = a.in(0).count(); i < n; ++i) {
      const int64_t index = checked_index(static_cast<int64_t>(a.in(0).data<T>()[i]), op.index_num, "X", i);
      a.out(0).data<T>()[i] = static_cast<T>(index / size == op.shard_id ? index % size : op.ignore_value);
    }
  });
}

inline constexpr const OpSchema* shard_index_op = &kOpSchema<ShardIndex>;

}  // namespace coracle::internal
