// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/graph.h"

namespace coracle::internal::test {

/// A program of about `nodes` common operators on images (convolutions, activations, sums, views, concats, splits),
/// with several outputs, some of which are read again. Sizes of the input [?, 4, ?, ?] are free. So many operators in
/// between are `counted`: their results, two outputs for each, have as many rows as the data says.
Graph random_graph(unsigned seed, int nodes, int counted = 0);

/// Inputs of such graphs: sizes that change, single rows, and sizes that come again.
inline const std::vector<Shape> kSmallImages = {{1, 4, 8, 8}, {2, 4, 5, 7}, {1, 4, 33, 20},
                                                {1, 4, 1, 3}, {2, 4, 5, 7}, {1, 4, 8, 8}};

/// Reproducible elements in [-1, 1).
Tensor random_tensor(const Shape& shape, unsigned seed);

}  // namespace coracle::internal::test
