// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace coracle::cli {

/// A drawing of a graph without cycles in layers from the top, edges going down.
struct Layers {
  struct Vertex {
    double width = 0;
    double height = 0;
    bool late = false;  ///< stands just above what it leads to, not as high as it can
    double x = 0;       ///< of its left upper corner, after place()
    double y = 0;
  };
  struct Edge {
    size_t from = 0;  ///< vertices; from < to unless `from` is late
    size_t to = 0;
    std::vector<std::pair<double, double>> bends;  ///< points on its way that keep clear of vertices, after place()
  };

  std::vector<Vertex> vertices;
  std::vector<Edge> edges;
  double width = 0;  ///< after place()
  double height = 0;

  /// Vertices that are not late must be in an order in which edges between them lead from earlier to later ones. The
  /// same graph gives the same drawing.
  void place();
};

}  // namespace coracle::cli
