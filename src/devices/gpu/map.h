// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "devices/gpu/launch_plan.h"
#include "ops/movement/movement.h"

namespace coracle::internal::gpu {

/// One tensor of a map: where its elements lie along the axes of the map.
struct MapTensor {
  Parameter tensor;
  const char* type = "f32";  ///< as kernels call it
  int64_t start = 0;
  std::vector<int64_t> step;  ///< one for each axis, in elements
};

/// y = expression(v0, v1, ..., n0, n1, ...) for all elements: kernels/map.cl. Axes are listed outermost first.
struct Map {
  std::vector<int64_t> size;
  MapTensor result;
  std::vector<MapTensor> operands;
  std::vector<float> numbers;
  std::string expression;
  Definitions definitions;  ///< for the expression
};

/// The axes of a dense result, and that as the map's result.
Map map_to(const Fact& result, const char* type, int position = 0);
/// An operand that broadcasts to a map's axes, which are those of `result`.
MapTensor broadcast_operand(const ArgFacts& args, int position, const Fact& result, const char* type);
/// Elements of operand `position` met along a walk become those of a result that lies as the walk goes.
Map map_along(const ElementWalk& read, Parameter operand, Parameter result, DType type);

/// Adds the launch of a map to a plan, unless there is nothing to do. Axes are joined first.
void add(LaunchPlan& plan, OpenDevice& device, const Map& map);

}  // namespace coracle::internal::gpu
