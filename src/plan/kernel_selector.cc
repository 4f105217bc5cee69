// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_selector.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/nearest_name.h"
#include "base/printable.h"
#include "plan/copy_elision.h"
#include "plan/partition.h"
#include "plan/reference_kernel.h"
#include "plan/view_kernel.h"

namespace coracle::internal {

namespace {

/// Refuses what is no beginning of a name that can be left out.
void check_disabled(const KernelChoice& choice) {
  if (choice.disabled.empty()) return;
  std::vector<std::string_view> names{"cost", kUnprofitableName, kCopyElision.name};
  const auto add = [&](std::span<const KernelDef> kernels) {
    for (const KernelDef& kernel : kernels) names.emplace_back(kernel.name);
  };
  const auto add_device = [&](const Device& device) {
    for (const KernelTable* table : device.kernels()) add(table->kernels);
    for (const PlanStage& stage : device.stages) names.emplace_back(stage.name);
  };
  add(view_kernels());
  for (const Device* device : all_devices()) add_device(*device);  // also of those that are not in use
  for (const UsedDevice& used : choice.devices) add_device(*used.device);
  for (const std::string& disabled : choice.disabled) {
    if (std::any_of(names.begin(), names.end(), [&](std::string_view n) { return n.starts_with(disabled); })) continue;
    // What was meant may be a prefix, too.
    std::vector<std::string_view> candidates = names;
    for (const std::string_view name : names) {
      for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
        candidates.push_back(name.substr(0, dot));
      }
    }
    fail(ErrorCode::kInvalidArgument, "there is no kernel and no stage of planning whose name begins with ",
         in_quotes(disabled), ", to leave out", suggestion(disabled, candidates));
  }
}

}  // namespace

KernelSelector::KernelSelector(KernelChoice choice) : choice_(std::move(choice)) {
  check_disabled(choice_);
  const Device& host = host_device();
  if (!host.capabilities->has(choice_.capability)) choice_.capability = host.capabilities->best();
  add(host, nullptr, kernels_);
  add_stages(host.stages);
  references_.reserve(all_ops().size());
  for (const OpSchema* op : all_ops()) {
    if (op->infer == nullptr) continue;
    references_.push_back(reference_kernel(*op));
    kernels_[op].push_back(&references_.back());
  }
  sort(kernels_);
  device_kernels_.resize(choice_.devices.size());
  for (size_t i = 0; i < device_kernels_.size(); ++i) {
    add(*choice_.devices[i].device, choice_.devices[i].open.get(), device_kernels_[i]);
    sort(device_kernels_[i]);
    add_stages(choice_.devices[i].device->stages);
  }
  add_stages({&kCopyElision, 1});
}

void KernelSelector::add_stages(std::span<const PlanStage> stages) {
  for (const PlanStage& stage : stages) {
    const bool known = std::find(stages_.begin(), stages_.end(), &stage) != stages_.end();
    if (!known && allows(stage.name)) stages_.push_back(&stage);
  }
}

void KernelSelector::add(const Device& device, const OpenDevice* open, KernelsOfOps& kernels) const {
  for (const KernelDef& kernel : view_kernels()) {
    if (allows(kernel.name)) kernels[kernel.op].push_back(&kernel);
  }
  const auto takes = [&](const KernelDef& kernel) {
    if (kernel.doubles && open != nullptr && !open->info().doubles) return false;
    return device.capabilities == nullptr ||
           device.capabilities->takes(kernel, choice_.capability, choice_.precision, choice_.emulates_modes);
  };
  for (const KernelTable* table : device.kernels()) {
    for (const KernelDef& kernel : table->kernels) {
      if (takes(kernel) && allows(kernel.name)) kernels[kernel.op].push_back(&kernel);
    }
  }
}

void KernelSelector::sort(KernelsOfOps& kernels) {
  // Modes of their own first, then the greatest capability; within one by rank, then the order of the table.
  const auto order = [](const KernelDef* k) {
    return std::tuple(k->rank != kLastResort, k->mode != CapabilityLevel(), k->capability, k->rank);
  };
  for (auto& [op, list] : kernels) {
    std::stable_sort(list.begin(), list.end(),
                     [&](const KernelDef* a, const KernelDef* b) { return order(a) > order(b); });
  }
}

std::string_view KernelSelector::capability_name() const {
  return host_device().capabilities->names()[choice_.capability.value()];
}

bool KernelSelector::allows(std::string_view kernel) const {
  return std::none_of(choice_.disabled.begin(), choice_.disabled.end(),
                      [&](const std::string& d) { return kernel.starts_with(d); });
}

std::span<const KernelDef* const> KernelSelector::kernels(const OpSchema& op) const {
  static const KernelDef* const kCustom[] = {&custom_kernel()};
  if (op.of_user) return kCustom;
  const auto it = kernels_.find(&op);
  require(it != kernels_.end(), ErrorCode::kUnsupported, "operator ", op.name, " has no kernel");
  return it->second;
}

std::span<const KernelDef* const> KernelSelector::kernels(const OpSchema& op, Place place) const {
  if (place.is_host()) return kernels(op);
  const KernelsOfOps& kernels = device_kernels_.at(place.device - size_t{1});
  const auto it = kernels.find(&op);
  return it == kernels.end() ? std::span<const KernelDef* const>() : it->second;
}

}  // namespace coracle::internal
