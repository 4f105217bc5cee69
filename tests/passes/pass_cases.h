// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "graph/graph.h"

namespace coracle::internal::test {

/// One case of tests/passes/<pass>.txt: "== name", the graph before, "=>", the graph after or the word unchanged.
struct PassCase {
  std::string pass;
  std::string name;
  std::string before;
  std::string after;
  int line = 0;  ///< of the name, for messages
};

/// For gtest.
inline void PrintTo(const PassCase& c, std::ostream* out) { *out << c.pass << ".txt: " << c.name; }

/// All cases of a file; an empty list if there is none.
std::vector<PassCase> read_pass_cases(const std::string& folder, const std::string& pass);

/// Inputs for a graph, unknown dimensions 4, reproducible by their seed: reals in [-2, 2), integers in [0, 3).
std::vector<Tensor> inputs_for(const Graph& graph, unsigned seed);

/// Why the second is not the first within `tolerance` of each element (of the tensor's root mean square or of 1e-3
/// where the element is smaller); empty if it is.
std::string difference(const std::vector<Tensor>& want, const std::vector<Tensor>& got, double tolerance = 1e-5);

/// Bytes of all constants.
size_t constant_bytes(const Graph& graph);

}  // namespace coracle::internal::test
