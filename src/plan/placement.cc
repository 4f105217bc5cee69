// SPDX-License-Identifier: Apache-2.0
#include "plan/placement.h"

#include <algorithm>
#include <climits>

#include "base/size.h"
#include "plan/arena.h"
#include "plan/device_arena.h"
#include "plan/waits.h"

namespace coracle::internal {
namespace {

constexpr int kForever = INT_MAX;

Size round_up(size_t bytes) { return Size(bytes).rounded_up(64); }

/// The memory the steps themselves take.
void count_bytes(Steps& steps) {
  constexpr size_t kBlock = 32;  // What an allocation of a few numbers takes.
  steps.bytes = sizeof(Steps) + steps.packed_unshared + steps.buffers.size() * sizeof(SegmentBuffer);
  for (const SegmentBuffer& buffer : steps.buffers) {
    if (buffer.view != nullptr) steps.bytes += sizeof(StridedView) + kBlock;
  }
  for (const DeviceNeeds& needs : steps.devices) steps.bytes += sizeof(needs) + kBlock + 8 * needs.allocations.size();
  for (const Step& step : steps.steps) {
    steps.bytes += sizeof(Step) + 4 * kBlock;
    if (step.prepared.state != nullptr) steps.bytes += 2 * kBlock + step.prepared.state_bytes;
    if (!step.waits.empty()) steps.bytes += kBlock;
    if (step.copy != nullptr) steps.bytes += sizeof(CopyPlan) + step.in.size() * (sizeof(size_t) + sizeof(Transfer));
  }
}

/// Workspaces of a device's kernels are buffers like others there, each of one step.
void add_workspaces(Steps& steps) {
  for (Step& step : steps.steps) {
    if (step.place.is_host() || step.copy != nullptr || step.prepared.workspace == 0) continue;
    Fact fact(DType::kUint8, {static_cast<int64_t>(step.prepared.workspace)});
    fact.place = step.place;
    step.workspace = static_cast<int>(steps.buffers.size());
    steps.buffers.push_back({.fact = std::move(fact), .slot = {}, .view = nullptr});
  }
}

/// Lets result 0 of a step lie where its kernel may write it over an operand, if nothing else needs that.
void share_in_place(Steps& steps, const Step& step, int s, std::vector<int>& first, std::vector<int>& last) {
  std::vector<SegmentBuffer>& buffers = steps.buffers;
  const int out = step.out.at(0);
  const auto operand = static_cast<size_t>(step.prepared.in_place);
  const int from = owner_of(steps, step.in.at(operand));
  const auto f = static_cast<size_t>(from);
  const auto o = static_cast<size_t>(out);
  if (owner_of(steps, out) != out || from == out) return;
  if (buffers[f].fact.place != buffers[o].fact.place) return;
  if (buffers[f].slot.kind != Slot::Kind::kArena || last[f] != s || first[f] == s) return;
  if (buffers[f].fact.bytes() != buffers[o].fact.bytes()) return;
  for (size_t i = 0; i < step.in.size(); ++i) {
    if (i != operand && owner_of(steps, step.in[i]) == from) return;
  }
  if (buffers[o].slot.kind == Slot::Kind::kExternal) buffers[f].slot = buffers[o].slot;
  buffers[o].alias_of = from;
  last[f] = last[o];
}

/// See waits.h.
void keep_for_copies(const Steps& steps, std::vector<int>& first, std::vector<int>& last) {
  const std::vector<CopySpan> spans = copy_spans(steps);
  for (size_t s = 0; s < steps.steps.size(); ++s) {
    const Step& step = steps.steps[s];
    if (step.copy == nullptr) continue;
    const auto keep = [&](int buffer) {
      int& until = last[static_cast<size_t>(owner_of(steps, buffer))];
      until = std::max(until, spans[s].last);
    };
    for (int l : step.in) keep(l);
    for (int l : step.out) {
      const auto owner = static_cast<size_t>(owner_of(steps, l));
      if (step.copy->upload) first[owner] = std::min(first[owner], spans[s].first);
      const bool is_read = last[owner] > static_cast<int>(s);  // by a kernel that waits for the copy
      if (!step.copy->upload || !is_read) keep(l);
    }
  }
}

}  // namespace

int owner_of(const Steps& steps, int buffer) {
  while (steps.buffers[static_cast<size_t>(buffer)].alias_of >= 0) {
    buffer = steps.buffers[static_cast<size_t>(buffer)].alias_of;
  }
  return buffer;
}

void place_in_memory(const RunContext& context, Steps& steps, std::span<const UsedDevice> devices) {
  add_workspaces(steps);
  std::vector<SegmentBuffer>& buffers = steps.buffers;
  std::vector<int> first(buffers.size(), kForever);
  std::vector<int> last(buffers.size(), -1);
  const auto touch = [&](int buffer, int step) {
    const auto r = static_cast<size_t>(owner_of(steps, buffer));
    first[r] = std::min(first[r], step);
    last[r] = std::max(last[r], step);
  };
  const int count = static_cast<int>(steps.steps.size());
  for (int s = 0; s < count; ++s) {
    const Step& step = steps.steps[static_cast<size_t>(s)];
    for (int l : step.in) touch(l, s);
    for (int l : step.out) touch(l, s);
    if (step.workspace >= 0) touch(step.workspace, s);
  }
  const bool copies =
      std::any_of(steps.steps.begin(), steps.steps.end(), [](const Step& s) { return !s.place.is_host(); });
  if (copies) keep_for_copies(steps, first, last);
  for (const LiveOut& l : steps.live_out) last[static_cast<size_t>(owner_of(steps, l.buffer))] = kForever;

  for (int s = 0; s < count; ++s) {
    const Step& step = steps.steps[static_cast<size_t>(s)];
    if (step.prepared.in_place >= 0) share_in_place(steps, step, s, first, last);
  }

  std::vector<ArenaAllocation> allocations;
  std::vector<size_t> owners;
  for (size_t l = 0; l < buffers.size(); ++l) {
    if (buffers[l].alias_of >= 0 || buffers[l].slot.kind != Slot::Kind::kArena || last[l] < 0) continue;
    if (!buffers[l].fact.place.is_host()) continue;
    allocations.push_back({buffers[l].fact.bytes(), first[l], last[l]});
    owners.push_back(l);
  }
  const ArenaPlan arena = plan_arena(context, allocations);
  for (size_t b = 0; b < allocations.size(); ++b) buffers[owners[b]].slot.offset = arena.offsets[b];
  if (copies) place_on_devices(context, steps, first, last, devices);
  for (size_t l = 0; l < buffers.size(); ++l) {
    if (buffers[l].alias_of >= 0)
      buffers[l].slot = buffers[static_cast<size_t>(owner_of(steps, static_cast<int>(l)))].slot;
  }

  if (copies) plan_transfers(steps, devices);

  size_t workspace = 0;
  for (const Step& step : steps.steps) {
    if (step.place.is_host()) workspace = std::max(workspace, step.prepared.workspace);
  }
  steps.workspace_offset = round_up(arena.bytes).bytes();
  steps.arena_bytes = (round_up(arena.bytes) + round_up(workspace)).bytes();
  std::erase_if(steps.steps, [](const Step& step) { return step.kernel->view; });
  steps.steps.shrink_to_fit();
  buffers.shrink_to_fit();
  count_bytes(steps);
}

}  // namespace coracle::internal
