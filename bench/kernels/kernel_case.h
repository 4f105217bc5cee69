// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/op.h"

namespace coracle::bench {

/// One node to time: operands in port order, with the number of them at each port.
struct KernelCase {
  std::string name;  ///< what the shape is, with the model it comes from
  Op op;
  std::vector<Tensor> in;
  PortCounts in_counts = {};  ///< empty: one each
  PortCounts out_counts = {1};
  double flops = 0;  ///< of one run; a multiplication and the addition to a sum count 2
};

/// Registers a benchmark for every kernel that takes the case, with 1 and 2 threads, named
/// "<kernel>/<case>/<threads>/real_time". Its time is the mean; its rates are those of the fastest iteration: GFLOP/s
/// and their share of what multiply-adds in registers reach, and GB/s of operands and results, each counted
/// once, and their share of the rate of reading memory. The operands are the same for every iteration, so that they
/// stay in what cache they fit in.
void add(KernelCase c);

/// Floats in [-1, 1), the same for each shape.
Tensor random_floats(const Shape& shape);

}  // namespace coracle::bench
