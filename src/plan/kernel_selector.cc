// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_selector.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "plan/reference_kernel.h"

namespace coracle {

Misfit type_misfit(const Kernel& kernel, const Op& op, const PortCounts& in_counts, const ArgFacts& args) {
  if (!kernel.float32) return nullptr;
  const std::span<const Port> ports = op.row().inputs;
  size_t flat = 0;
  for (size_t p = 0; p < in_counts.size(); ++p) {
    for (int i = 0; i < in_counts[p]; ++i, ++flat) {
      const bool argument = ports[p].shape_input || *ports[p].attribute != '\0';
      if (!argument && args.all_in()[flat]->dtype != DType::kFloat32) return "only float32";
    }
  }
  return args.out().dtype == DType::kFloat32 ? nullptr : "only float32";
}

KernelSelector::KernelSelector(KernelChoice choice)
    : choice_(std::move(choice)), isa_(runs_on(choice_.isa, detected_isa()) ? choice_.isa : detected_isa()) {
  for (const Device* device : all_devices()) {
    for (const KernelTable* table : device->kernels()) {
      for (const Kernel& kernel : table->rows) {
        if (runs_on(kernel.isa, isa_) && allows_products(kernel.products) && allows(kernel.name))
          rows_[kernel.op].push_back(&kernel);
      }
    }
  }
  // Matrix tiles first, then the widest instruction set; within one, the order of the table.
  const auto rank = [](const Kernel* k) { return std::pair(k->products != Products::kFloat32, k->isa); };
  for (auto& [op, rows] : rows_) {
    std::stable_sort(rows.begin(), rows.end(), [&](const Kernel* a, const Kernel* b) { return rank(a) > rank(b); });
  }
  references_.reserve(all_ops().size());
  for (const OpRow* op : all_ops()) {
    if (op->reference == nullptr) continue;
    references_.push_back(reference_kernel(*op));
    rows_[op].push_back(&references_.back());
  }
}

bool KernelSelector::allows_products(Products products) const {
  if (products == Products::kFloat32) return true;
  if (products != products_of(choice_.precision)) return false;
  return choice_.emulates_tiles || (isa_ == Isa::kAvx512 && has_matrix_tiles());
}

bool KernelSelector::allows(std::string_view kernel) const {
  return std::none_of(choice_.disabled.begin(), choice_.disabled.end(),
                      [&](const std::string& d) { return kernel.starts_with(d); });
}

std::span<const Kernel* const> KernelSelector::rows(const OpRow& op) const {
  const auto it = rows_.find(&op);
  require(it != rows_.end(), ErrorCode::kUnsupported, "operator ", op.name, " has no kernel");
  return it->second;
}

}  // namespace coracle
