// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/tensor.h"

/// The reference results of ../shared/goldens: cases, their generated inputs, and the comparison.
namespace coracle::internal::test {

/// An output as Paddle gave it, with its tolerance: abs(got - want) <= atol + rtol * abs(want).
struct ReferenceOutput {
  std::string name;
  Tensor want;  ///< float64; of a sampled output the chosen elements only
  std::string dtype;
  Shape shape;
  Lod lod;
  int64_t sample_start = 0;
  int64_t sample_step = 0;  ///< 0: `want` has all elements
  bool rows = false;        ///< rows in any order, one atol per column
  std::vector<double> atol;
  double rtol = 0;
  double max_outside = 0;  ///< share of elements that may miss the tolerance
  double max_rms = -1;     ///< bound on the relative RMS difference, if not negative
};

struct ReferenceCase {
  std::string model;
  std::string name;
  std::string program;  ///< path of the program file
  std::string params;   ///< parameter file, or empty: one file per parameter next to the program
  std::vector<std::string> input_names;
  std::vector<Tensor> inputs;
  std::vector<ReferenceOutput> outputs;
};

/// How far a result is from the reference.
struct Deviation {
  double max_error = 0;   ///< largest absolute difference
  std::string complaint;  ///< empty if within tolerance
};

/// Names of all models and cases, sorted; none if the folder is absent.
std::vector<std::pair<std::string, std::string>> reference_cases(const std::string& shared);

/// One case. `filled` is the folder of generated weights.
ReferenceCase read_reference_case(const std::string& shared, const std::string& filled, const std::string& model,
                                  const std::string& name);

Deviation compare(const Tensor& got, const ReferenceOutput& output);

}  // namespace coracle::internal::test
