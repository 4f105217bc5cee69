// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "coracle/coracle.hpp"

/// How results of a run are shown.
namespace coracle::cli {

/// An output of a model, with its number.
struct ShownOutput {
  size_t index = 0;
  std::string name;
};
/// Those of these names, in the model's order; all where there are none. Throws Failure (usage).
std::vector<ShownOutput> shown_outputs(const coracle::Model& model, const std::vector<std::string>& names);

/// Smallest, largest and mean element among the finite ones.
struct Statistics {
  size_t elements = 0;
  size_t not_finite = 0;
  double low = 0;
  double high = 0;
  double mean = 0;
};

/// Of a tensor of real numbers, integers or truth values; zeros for others.
Statistics statistics(const coracle::View& view);

/// A line for each output: "0  probabilities  float32[1, 10]  min 0  max 0.9  mean 0.1".
std::string results_text(const std::vector<ShownOutput>& outputs, const coracle::Session& session);

/// {"outputs": [{"name": ..., "dtype": ..., "shape": [...], "min": ..., "max": ..., "mean": ...}]}, with "file" in
/// front unless it is empty, and "values" (in row-major order; null for what is not finite, [real, imaginary] for
/// complex numbers) if asked for.
std::string results_json(const std::vector<ShownOutput>& outputs, const coracle::Session& session, bool values,
                         const std::string& file);

/// Writes DIR/0.npy, DIR/1.npy and so on. Throws Failure (input/output).
void write_results(const std::string& dir, const std::vector<ShownOutput>& outputs, const coracle::Session& session);

}  // namespace coracle::cli
