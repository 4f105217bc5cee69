// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/model_cases.h"

namespace coracle::internal::bench {

/// Registers a benchmark for every kernel that takes the case, with 1 and 2 threads, named
/// "<kernel>/<case>/<threads>/real_time". Its time is the mean; its rates are those of the fastest iteration: GFLOP/s
/// and their share of what multiply-adds in registers reach, and GB/s of operands and results, each counted
/// once, and their share of the rate of reading memory. The operands are the same for every iteration, so that they
/// stay in what cache they fit in.
void add(const test::ModelCase& model);

}  // namespace coracle::internal::bench
