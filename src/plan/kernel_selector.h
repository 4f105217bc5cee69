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
  std::string reason;
};

/// Which kernels a program may use.
struct KernelChoice {
  Isa isa = detected_isa();                   ///< wider ones are left out
  Precision precision = Precision::kDefault;  ///< on matrix tiles, if the instruction set is AVX-512
  bool emulates_tiles = false;                ///< also on machines without such tiles: slow, the same numbers
  std::vector<std::string> disabled = {};     ///< prefixes: "conv2d", "conv2d.indirect" or "strips"
};

/// The kernels of each operator in order of preference, for one instruction set. Immutable once made.
class KernelSelector {
 public:
  /// The reference is never left out.
  explicit KernelSelector(KernelChoice choice);

  bool allows(std::string_view kernel) const;
  std::span<const Kernel* const> rows(const OpRow& op) const;
  Isa isa() const { return isa_; }

 private:
  bool allows_products(Products products) const;

  KernelChoice choice_;
  Isa isa_;
  std::vector<Kernel> references_;
  std::unordered_map<const OpRow*, std::vector<const Kernel*>> rows_;
};

}  // namespace coracle
