// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_selector.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "plan/reference_kernel.h"

namespace coracle {

KernelSelector::KernelSelector(KernelChoice choice)
    : choice_(std::move(choice)), isa_(runs_on(choice_.isa, detected_isa()) ? choice_.isa : detected_isa()) {
  for (const Device* device : all_devices()) {
    if (!device->is_host()) continue;
    for (const KernelTable* table : device->kernels()) {
      for (const Kernel& kernel : table->rows) {
        if (runs_on(kernel.isa, isa_) && allows_products(kernel.products) && allows(kernel.name))
          rows_[kernel.op].push_back(&kernel);
      }
    }
  }
  references_.reserve(all_ops().size());
  for (const OpRow* op : all_ops()) {
    if (op->reference == nullptr) continue;
    references_.push_back(reference_kernel(*op));
    rows_[op].push_back(&references_.back());
  }
  // Matrix tiles first, then the widest instruction set; within one by rank, then the order of the table.
  const auto order = [](const Kernel* k) {
    return std::tuple(k->rank != kLastResort, k->products != Products::kFloat32, k->isa, k->rank);
  };
  for (auto& [op, rows] : rows_) {
    std::stable_sort(rows.begin(), rows.end(), [&](const Kernel* a, const Kernel* b) { return order(a) > order(b); });
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
