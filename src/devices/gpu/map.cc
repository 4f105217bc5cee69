// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/map.h"

#include <algorithm>

namespace coracle::internal::gpu {
namespace {

/// All tensors of a map, the result first.
template <class F>
void each_tensor(Map& map, const F& f) {
  f(map.result);
  for (MapTensor& t : map.operands) f(t);
}

/// Without axes of size 1, and with axes joined along which all tensors go on in one step; one axis at least.
Map merged(const Map& map) {
  Map to = map;
  to.size.clear();
  each_tensor(to, [](MapTensor& t) { t.step.clear(); });
  for (size_t d = 0; d < map.size.size(); ++d) {
    if (map.size[d] == 1) continue;
    const auto joins = [&](const MapTensor& made, const MapTensor& from) {
      return made.step.back() == map.size[d] * from.step[d];
    };
    bool join = !to.size.empty() && joins(to.result, map.result);
    for (size_t i = 0; join && i < map.operands.size(); ++i) join = joins(to.operands[i], map.operands[i]);
    if (join) {
      to.size.back() *= map.size[d];
      to.result.step.back() = map.result.step[d];
      for (size_t i = 0; i < map.operands.size(); ++i) to.operands[i].step.back() = map.operands[i].step[d];
    } else {
      to.size.push_back(map.size[d]);
      to.result.step.push_back(map.result.step[d]);
      for (size_t i = 0; i < map.operands.size(); ++i) to.operands[i].step.push_back(map.operands[i].step[d]);
    }
  }
  if (to.size.empty()) {
    to.size.push_back(1);
    each_tensor(to, [](MapTensor& t) { t.step.push_back(0); });
  }
  return to;
}

}  // namespace

Map map_to(const Fact& result, const char* type, int position) {
  const StridedView view = dense_view(result);
  const int rank = result.shape.rank();
  Map map;
  // In the order of memory, so that axes join.
  map.size.assign(result.shape.begin(), result.shape.end());
  map.result = {Parameter::result(position), type, 0, std::vector<int64_t>(view.step, view.step + rank)};
  return map;
}

MapTensor broadcast_operand(const ArgFacts& args, int position, const Fact& result, const char* type) {
  const Fact& x = *args.all_in()[static_cast<size_t>(position)];
  const StridedView view = dense_view(x);
  const int missing = result.shape.rank() - x.shape.rank();
  MapTensor t{Parameter::operand(position), type, 0, {}};
  for (int d = 0; d < result.shape.rank(); ++d) {
    const int from = d - missing;
    t.step.push_back(from < 0 || x.shape[from] == 1 ? 0 : view.step[from]);
  }
  return t;
}

Map map_along(const ElementWalk& read, Parameter operand, Parameter result, DType type) {
  Map map;
  map.expression = "v0";
  map.size.assign(read.size, read.size + read.rank);
  map.operands.push_back(
      {operand, moved_type(type), read.start, std::vector<int64_t>(read.step, read.step + read.rank)});
  map.result = {result, moved_type(type), 0, std::vector<int64_t>(map.size.size())};
  int64_t step = 1;
  for (size_t d = map.size.size(); d-- > 0; step *= map.size[d]) map.result.step[d] = step;
  return map;
}

void add(LaunchPlan& plan, OpenDevice& device, const Map& dimensions) {
  if (std::find(dimensions.size.begin(), dimensions.size.end(), 0) != dimensions.size.end()) return;
  Map ordered = dimensions;
  // The result is written in the order of its memory.
  std::vector<size_t> order(dimensions.size.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return dimensions.result.step[a] > dimensions.result.step[b]; });
  const auto reorder = [&](std::vector<int64_t>& to, const std::vector<int64_t>& from) {
    for (size_t d = 0; d < order.size(); ++d) to[d] = from[order[d]];
  };
  reorder(ordered.size, dimensions.size);
  reorder(ordered.result.step, dimensions.result.step);
  for (size_t i = 0; i < ordered.operands.size(); ++i) {
    reorder(ordered.operands[i].step, dimensions.operands[i].step);
  }
  const Map map = merged(ordered);

  const int rank = static_cast<int>(map.size.size());
  const int operands = static_cast<int>(map.operands.size());
  Definitions d = map.definitions;
  std::string at_axis;
  for (int i = 0; i < operands; ++i) {
    ((at_axis += "f(") += std::to_string(i)) += ", d) ";
    d.set("TYPE_" + std::to_string(i), map.operands[static_cast<size_t>(i)].type);
  }
  d.set_each("OPERANDS", 0, operands).set("OPERANDS_AT(f,d)", at_axis);
  d.set_each("NUMBERS", 0, static_cast<int>(map.numbers.size()));
  d.set_each("INNER_AXES", 0, rank - 1).set_each("OUTERMOST_AXIS", rank - 1, rank).set("OUTERMOST", rank - 1);
  d.set("RESULT", map.result.type).set("EXPRESSION", "(" + map.expression + ")");

  int64_t count = 1;
  for (int64_t n : map.size) count *= n;
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {map.result.tensor, Parameter::of(count), Parameter::of(map.result.start)};
  for (const MapTensor& t : map.operands) {
    l.parameters.push_back(t.tensor);
    l.parameters.push_back(Parameter::of(t.start));
  }
  for (size_t axis = map.size.size(); axis-- > 0;) {
    l.parameters.push_back(Parameter::of(map.size[axis]));
    l.parameters.push_back(Parameter::of(map.result.step[axis]));
    for (const MapTensor& t : map.operands) l.parameters.push_back(Parameter::of(t.step[axis]));
  }
  for (float n : map.numbers) l.parameters.push_back(Parameter::of(n));
  l.function = compile(device, "map", d);
  plan.push_back(std::move(l));
}

}  // namespace coracle::internal::gpu
