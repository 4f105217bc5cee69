// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/plain_operators.h"
#include "support/program_writer.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {

/// Numbers in (-1, 1) that follow from the seed.
inline std::vector<float> seeded_numbers(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  uint32_t state = seed * 2654435761U + 1;
  for (float& v : values) {
    state = state * 1664525U + 1013904223U;
    v = static_cast<float>(state >> 8U) / 8388608.F - 1.F;
  }
  return values;
}

/// Writes a model of two products, x [?, 16] and shift [?, 24] -> y [?, 4], to a folder and gives the program's path.
inline std::string write_two_products(const TemporaryFolder& folder) {
  BlockWriter main;
  add_feed(main, "x", kFloat32, {-1, 16}, 0);
  add_feed(main, "shift", kFloat32, {-1, 24}, 1);
  std::string parameters;
  for (const auto& [name, dims] : {std::pair("w1", Dims{16, 24}), std::pair("w2", Dims{24, 4})}) {
    main.variables.push_back(variable(name, kFloat32, dims, true));
    parameters += record(kFloat32, dims, seeded_numbers(static_cast<size_t>(dims[0] * dims[1]), 7));
  }
  for (const char* name : {"p", "s", "z"}) main.variables.push_back(variable(name, kFloat32, {-1, 24}));
  main.variables.push_back(variable("y", kFloat32, {-1, 4}));
  main.operators.push_back(matmul("x", "w1", "p"));
  main.operators.push_back(add("p", "shift", "s"));
  main.operators.push_back(unary("relu", "s", "z"));
  main.operators.push_back(matmul("z", "w2", "y"));
  add_fetch(main, "y", 0);
  folder.write("model.pdiparams", parameters);
  return folder.write("model.pdmodel", program_file({main}));
}

}  // namespace coracle::internal::test
