// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/sorted_lines.h"

#include <utility>

namespace coracle::internal::gpu {
namespace {

constexpr int64_t kBlock = 64;

std::shared_ptr<const Function> function_of(OpenDevice& device, std::string_view name, const Definitions& d) {
  return static_cast<OpenGpu&>(device).compile({.name = "sort"}, name, d.text());
}

int64_t blocks_of(int64_t length) { return (length + kBlock - 1) / kBlock; }

}  // namespace

Definitions ordering_of(DType type, bool descending) {
  Definitions d;
  d.set("TYPE", storage_type(type)).set("REAL", is_float(type) ? 1 : 0).set("DESCENDING", descending ? 1 : 0);
  return d;
}

RejectionReason sorting_rejection(int64_t lines, int64_t length) {
  constexpr int64_t kMost = int64_t{1} << 28;  // with the two orders and what else there is behind them
  const int64_t items = length == 0 ? 0 : blocks_of(length) * kBlock;
  return items != 0 && lines > kMost / items ? "more than 2^28 elements are sorted" : nullptr;
}

Parameter add(LaunchPlan& plan, OpenDevice& device, WorkspaceRoom& room, const SortedLines& s) {
  const int64_t items = s.lines * s.length;
  const int64_t blocks = blocks_of(s.length);
  Definitions d = ordering_of(s.type, s.descending);
  d.set("BLOCK", kBlock).set("COUNTED", s.counts != nullptr ? 1 : 0);
  Parameter order = Parameter::workspace(room.take(items));
  PlannedLaunch first;
  first.grid.global[0] = static_cast<size_t>(s.lines * blocks * kBlock);
  first.grid.local[0] = kBlock;
  first.parameters = {order, s.keys};
  if (s.counts != nullptr) first.parameters.push_back(*s.counts);
  for (const int64_t n : {blocks, s.length, s.inner, s.limit}) first.parameters.push_back(Parameter::of(n));
  first.function = function_of(device, "sort_blocks", d);
  plan.push_back(std::move(first));
  if (blocks <= 1) return order;
  Parameter other = Parameter::workspace(room.take(items));
  const std::shared_ptr<const Function> merge = function_of(device, "sort_merge", d);
  for (int64_t width = kBlock; width < s.length; width *= 2) {
    PlannedLaunch l;
    l.grid = grid_of(items);
    l.parameters = {other, order, s.keys};
    if (s.counts != nullptr) l.parameters.push_back(*s.counts);
    for (const int64_t n : {items, s.length, s.inner, s.limit, width}) l.parameters.push_back(Parameter::of(n));
    l.function = merge;
    plan.push_back(std::move(l));
    std::swap(order, other);
  }
  return order;
}

}  // namespace coracle::internal::gpu
