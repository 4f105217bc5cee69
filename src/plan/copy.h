// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plan/kernel.h"

/// Copies between the host and a device, as steps of a plan: operand i goes to result i.
namespace coracle::internal {

/// The same value at another place. Inserted by the planner, never part of a graph; `reference` is the identity.
struct Copy {
  static constexpr const char* kName = "copy";
  static constexpr Port kInputs[] = {list_in("x", "")};
  static constexpr Port kOutputs[] = {list_out("out", "")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Copy&, const Copy&) = default;
};
void infer(const Copy& op, InferArgs& a);
void reference(const Copy& op, ReferenceArgs& a);

/// Bytes that one call of a queue copies.
struct Transfer {
  size_t item = 0;   ///< operand and result that it begins with
  size_t bytes = 0;  ///< may go on over items that lie one behind the other at both ends
};

/// How a copy is done. It is part of its step, and what its kernel gets as `state`.
struct CopyPlan {
  bool upload = false;  ///< to the device
  /// Tensors of the session pass through memory that the device reads and writes itself: bytes from the begin of the
  /// plan's staging memory, by item. Empty for those that lie in the host's arena: they are copied from and to there.
  std::vector<size_t> staged = {};
  std::vector<Transfer> transfers = {};
};

/// The kernel of copies: gives them to the call's queue. `workspace` is the staging memory. What was staged on the way
/// to the host is put into the results by `take_staged`, once the queue has come so far.
const KernelDef& copy_kernel();
void take_staged(const KernelCall& call);

}  // namespace coracle::internal
