// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/device.h"

namespace coracle {

/// A kernel that was passed over, and why.
struct Refusal {
  const Kernel* kernel = nullptr;
  Misfit reason = nullptr;
};

/// The kernels of each operator in order of preference, for one instruction set. Immutable once made.
class KernelSelector {
 public:
  /// Kernels wider than `cap` are left out; so are those whose name starts with one of `disabled`
  /// ("conv2d", "conv2d.indirect" or "strips"). The reference always stays.
  explicit KernelSelector(Isa cap, std::vector<std::string> disabled = {});

  bool allows(std::string_view kernel) const;
  std::span<const Kernel* const> rows(const OpRow& op) const;
  Isa isa() const { return isa_; }

 private:
  Isa isa_;
  std::vector<std::string> disabled_;
  std::vector<Kernel> references_;
  std::unordered_map<const OpRow*, std::vector<const Kernel*>> rows_;
};

}  // namespace coracle
