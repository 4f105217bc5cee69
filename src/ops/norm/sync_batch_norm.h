// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/norm/batch_norm.h"

namespace coracle::internal {

/// batch_norm whose statistics were gathered over several devices while training.
struct SyncBatchNorm {
  static constexpr const char* kName = "sync_batch_norm";
  static constexpr const char* kLegacy[] = {"sync_batch_norm"};
  static constexpr std::span<const Port> kInputs = BatchNorm::kInputs;
  static constexpr std::span<const Port> kOutputs = BatchNorm::kOutputs;
  static void lower(Lowering& l) { l.lower_by_ports(kOpSchema<BatchNorm>); }
  friend bool operator==(const SyncBatchNorm&, const SyncBatchNorm&) = default;
};

inline constexpr const OpSchema* sync_batch_norm_op = &kOpSchema<SyncBatchNorm>;

}  // namespace coracle::internal
