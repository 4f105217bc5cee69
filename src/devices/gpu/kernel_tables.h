// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "plan/kernel.h"

namespace coracle::internal::gpu {

/// The kernels of one kind of device: its own, then a copy of each of this folder, named after the device
/// ("softmax.opencl"). Of two that fit a node, one of its own comes first unless it has a lower rank.
class KernelTables {
 public:
  explicit KernelTables(std::string_view device, std::span<const KernelTable* const> own = {});
  KernelTables(const KernelTables&) = delete;
  KernelTables& operator=(const KernelTables&) = delete;

  std::span<const KernelTable* const> all() const { return all_; }

 private:
  std::deque<std::string> names_;
  std::deque<std::vector<KernelDef>> kernels_;
  std::deque<KernelTable> tables_;
  std::vector<const KernelTable*> all_;
};

}  // namespace coracle::internal::gpu
