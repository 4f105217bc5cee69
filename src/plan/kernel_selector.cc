// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_selector.h"

#include <algorithm>
#include <string_view>

#include "plan/reference_kernel.h"

namespace coracle {

KernelSelector::KernelSelector(Isa cap, std::vector<std::string> disabled)
    : isa_(runs_on(cap, detected_isa()) ? cap : detected_isa()), disabled_(std::move(disabled)) {
  for (const Device* device : all_devices()) {
    for (const KernelTable* table : device->kernels()) {
      for (const Kernel& kernel : table->rows) {
        if (runs_on(kernel.isa, isa_) && allows(kernel.name)) rows_[kernel.op].push_back(&kernel);
      }
    }
  }
  // The widest instruction set first; within one, the order of the table.
  for (auto& [op, rows] : rows_) {
    std::stable_sort(rows.begin(), rows.end(), [](const Kernel* a, const Kernel* b) { return a->isa > b->isa; });
  }
  references_.reserve(all_ops().size());
  for (const OpRow* op : all_ops()) {
    if (op->reference == nullptr) continue;
    references_.push_back(reference_kernel(*op));
    rows_[op].push_back(&references_.back());
  }
}

bool KernelSelector::allows(std::string_view kernel) const {
  return std::none_of(disabled_.begin(), disabled_.end(), [&](const std::string& d) { return kernel.starts_with(d); });
}

std::span<const Kernel* const> KernelSelector::rows(const OpRow& op) const {
  const auto it = rows_.find(&op);
  require(it != rows_.end(), ErrorCode::kUnsupported, "operator ", op.name, " has no kernel");
  return it->second;
}

}  // namespace coracle
