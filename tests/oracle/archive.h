// SPDX-License-Identifier: Apache-2.0
#pragma once

// The packed cases of pack.py: compressed tar files, case.txt, .npy arrays.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace coracle::oracle {

using Bytes = std::vector<std::byte>;
using Lod = std::vector<std::vector<size_t>>;

struct Array {
  std::string type;  // numpy's letter and size: "f4", "i8", "b1"
  std::vector<int64_t> dims;
  Bytes data;
};

struct Input {
  std::string name;
  Array array;
  Lod lod;
};

struct Output {
  Array array;
  Lod lod;
  double absolute = 0;  // tolerances
  double relative = 0;
};

// Inputs and what Paddle gives for them.
struct Run {
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

struct Case {
  std::string name;  // "pir/conv2d-03"
  std::string op;
  Bytes model;
  Bytes params;
  std::vector<Run> runs;  // one or more, of other sizes and sequence offsets
};

// All cases of one archive, in its order. Throws std::runtime_error for a damaged one.
std::vector<Case> read_cases(const std::string& path);

}  // namespace coracle::oracle
