// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_selector.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "plan/reference_kernel.h"
#include "plan/strided.h"
#include "plan/view_kernel.h"

namespace coracle {

KernelSelector::KernelSelector(KernelChoice choice) : choice_(std::move(choice)) {
  const Device& host = host_device();
  if (!host.capabilities->has(choice_.capability)) choice_.capability = host.capabilities->best();
  add(host, rows_);
  add_stages(host.stages);
  references_.reserve(all_ops().size());
  for (const OpRow* op : all_ops()) {
    if (op->reference == nullptr) continue;
    references_.push_back(reference_kernel(*op));
    rows_[op].push_back(&references_.back());
  }
  sort(rows_);
  device_rows_.resize(choice_.devices.size());
  for (size_t i = 0; i < device_rows_.size(); ++i) {
    add(*choice_.devices[i].device, device_rows_[i]);
    sort(device_rows_[i]);
    add_stages(choice_.devices[i].device->stages);
  }
  add_stages({&kStrided, 1});
}

void KernelSelector::add_stages(std::span<const PlanStage> stages) {
  for (const PlanStage& stage : stages) {
    const bool known = std::find(stages_.begin(), stages_.end(), &stage) != stages_.end();
    if (!known && allows(stage.name)) stages_.push_back(&stage);
  }
}

void KernelSelector::add(const Device& device, Rows& rows) const {
  for (const Kernel& kernel : view_kernels()) {
    if (allows(kernel.name)) rows[kernel.op].push_back(&kernel);
  }
  const auto takes = [&](const Kernel& kernel) {
    return device.capabilities == nullptr ||
           device.capabilities->takes(kernel, choice_.capability, choice_.precision, choice_.emulates_modes);
  };
  for (const KernelTable* table : device.kernels()) {
    for (const Kernel& kernel : table->rows) {
      if (takes(kernel) && allows(kernel.name)) rows[kernel.op].push_back(&kernel);
    }
  }
}

void KernelSelector::sort(Rows& rows) {
  // Modes of their own first, then the greatest capability; within one by rank, then the order of the table.
  const auto order = [](const Kernel* k) {
    return std::tuple(k->rank != kLastResort, k->mode != DeviceNumber(), k->capability, k->rank);
  };
  for (auto& [op, list] : rows) {
    std::stable_sort(list.begin(), list.end(), [&](const Kernel* a, const Kernel* b) { return order(a) > order(b); });
  }
}

std::string_view KernelSelector::capability_name() const {
  return host_device().capabilities->names()[choice_.capability.value()];
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

std::span<const Kernel* const> KernelSelector::rows(const OpRow& op, Place place) const {
  if (place.is_host()) return rows(op);
  const Rows& rows = device_rows_.at(place.device - size_t{1});
  const auto it = rows.find(&op);
  return it == rows.end() ? std::span<const Kernel* const>() : it->second;
}

}  // namespace coracle
