// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/program_writer.h"

namespace coracle::internal::test {

/// A program whose input "in_<type>" [?] is its output "out_<type>", for float, int, long, uint8, int8 and bool.
inline std::string types_model() {
  constexpr int kUInt8 = 20;
  const std::vector<std::pair<std::string, int>> types{{"float", kFloat32}, {"int", kInt32}, {"long", kInt64},
                                                       {"uint8", kUInt8},   {"int8", kInt8}, {"bool", kBool}};
  BlockWriter b;
  int col = 0;
  for (const auto& [name, type] : types) {
    add_feed(b, "in_" + name, type, {-1}, col++);
    b.variables.push_back(variable("out_" + name, type, {-1}));
    b.operators.push_back(OpWriter("assign").in("X", {"in_" + name}).out("Out", {"out_" + name}));
  }
  col = 0;
  for (const auto& [name, type] : types) add_fetch(b, "out_" + name, col++);
  return program_file({b});
}

}  // namespace coracle::internal::test
