// SPDX-License-Identifier: Apache-2.0
#include "plan/device_arena.h"

#include <algorithm>

#include "base/size.h"
#include "plan/arena.h"
#include "plan/placement.h"

namespace coracle::internal {
namespace {

/// Of tensors in staging memory, and at least on devices.
constexpr size_t kLeastAlignment = 128;

int64_t alignment_of(const UsedDevice& device) {
  return static_cast<int64_t>(std::max(device.open->info().alignment, kLeastAlignment));
}

/// What a tensor takes on a device or in staging memory; one without elements lies somewhere, too.
size_t room(size_t bytes, int64_t alignment) { return Size(std::max<size_t>(bytes, 1)).rounded_up(alignment).bytes(); }

class DeviceArena {
 public:
  DeviceArena(Steps& steps, const std::vector<int>& first, const std::vector<int>& last, Place place,
              const UsedDevice& device)
      : steps_(steps),
        first_(first),
        last_(last),
        place_(place),
        alignment_(alignment_of(device)),
        // Of whole tensors.
        largest_(device.open->info().largest_allocation / static_cast<size_t>(alignment_) *
                 static_cast<size_t>(alignment_)),
        taken_(steps.buffers.size(), false) {}

  DeviceNeeds place(const RunContext& context) {
    for (const Step& step : steps_.steps) {
      if (step.copy == nullptr || step.place != place_ || step.copy->staged.empty()) continue;
      add_together(step.copy->upload ? step.out : step.in);
    }
    for (size_t l = 0; l < steps_.buffers.size(); ++l) {
      if (is_free(l)) add({l});
    }
    const ArenaPlans plans = plan_arenas(context, allocations_, largest_);
    for (size_t b = 0; b < allocations_.size(); ++b) {
      size_t offset = plans.spots[b].offset;
      for (size_t l : members_[b]) {
        steps_.buffers[l].slot.allocation = plans.spots[b].arena;
        steps_.buffers[l].slot.offset = offset;
        offset += room(steps_.buffers[l].fact.bytes(), alignment_);
      }
    }
    return {.allocations = plans.bytes};
  }

 private:
  /// True for a buffer that has memory of its own here, and none yet.
  bool is_free(size_t l) const {
    const SegmentBuffer& buffer = steps_.buffers[l];
    return !taken_[l] && buffer.fact.place == place_ && buffer.alias_of < 0 && buffer.slot.kind == Slot::Kind::kArena &&
           last_[l] >= 0;
  }

  void add_together(const std::vector<int>& buffers) {
    std::vector<size_t> together;
    Size bytes;
    for (int buffer : buffers) {
      const auto l = static_cast<size_t>(owner_of(steps_, buffer));
      if (!is_free(l)) continue;
      taken_[l] = true;
      together.push_back(l);
      bytes += room(steps_.buffers[l].fact.bytes(), alignment_);
    }
    if (bytes.bytes() <= largest_ && !together.empty()) return add(together);
    for (size_t l : together) add({l});
  }

  void add(const std::vector<size_t>& buffers) {
    ArenaAllocation allocation{.bytes = 0, .first = first_[buffers[0]], .last = -1};
    for (size_t l : buffers) {
      allocation.bytes += room(steps_.buffers[l].fact.bytes(), alignment_);
      allocation.first = std::min(allocation.first, first_[l]);
      allocation.last = std::max(allocation.last, last_[l]);
    }
    allocations_.push_back(allocation);
    members_.push_back(buffers);
  }

  Steps& steps_;
  const std::vector<int>& first_;
  const std::vector<int>& last_;
  const Place place_;
  const int64_t alignment_;
  const size_t largest_;
  std::vector<bool> taken_;  // by buffer: it is in an allocation
  std::vector<ArenaAllocation> allocations_;
  std::vector<std::vector<size_t>> members_;
};

/// What lies one behind the other at both ends goes at once.
void plan_step_transfers(const Steps& steps, const Step& step, int64_t alignment) {
  CopyPlan& plan = *step.copy;
  const std::vector<int>& there = plan.upload ? step.out : step.in;
  for (size_t i = 0; i < there.size(); ++i) {
    const SegmentBuffer& buffer = steps.buffers[static_cast<size_t>(there[i])];
    const size_t bytes = buffer.fact.bytes();
    if (bytes == 0) continue;
    if (!plan.staged.empty() && !plan.transfers.empty()) {
      Transfer& before = plan.transfers.back();
      const Slot& from = steps.buffers[static_cast<size_t>(there[before.item])].slot;
      const size_t distance = plan.staged[i] - plan.staged[before.item];
      const bool behind = buffer.slot.kind == Slot::Kind::kArena && from.kind == Slot::Kind::kArena &&
                          from.allocation == buffer.slot.allocation && from.offset + distance == buffer.slot.offset &&
                          room(before.bytes, alignment) == distance;
      if (behind) {
        before.bytes = distance + bytes;
        continue;
      }
    }
    plan.transfers.push_back({.item = i, .bytes = bytes});
  }
}

}  // namespace

void place_on_devices(const RunContext& context, Steps& steps, const std::vector<int>& first,
                      const std::vector<int>& last, std::span<const UsedDevice> devices) {
  for (size_t d = 0; d < devices.size(); ++d) {
    const Place place{static_cast<uint8_t>(d + 1)};
    DeviceNeeds needs = DeviceArena(steps, first, last, place, devices[d]).place(context);
    needs.used =
        std::any_of(steps.steps.begin(), steps.steps.end(), [&](const Step& step) { return step.place == place; });
    steps.devices.push_back(std::move(needs));
  }
}

void plan_transfers(Steps& steps, std::span<const UsedDevice> devices) {
  for (const Step& step : steps.steps) {
    if (step.copy == nullptr) continue;
    const size_t d = step.place.device - size_t{1};
    const int64_t alignment = alignment_of(devices[d]);
    size_t& staging = steps.devices[d].staging;
    for (size_t i = 0; i < step.copy->staged.size(); ++i) {
      step.copy->staged[i] = staging;
      const Fact& fact = steps.buffers[static_cast<size_t>(step.in[i])].fact;
      staging = (Size(staging) + room(fact.bytes(), alignment)).bytes();
    }
    plan_step_transfers(steps, step, alignment);
  }
}

}  // namespace coracle::internal
