// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantize/layers.h"
#include "quantize/parameters.h"
#include "quantize/program.h"
#include "quantize/residuals.h"

namespace coracle::internal::quantize {

/// A layer's weights in fewer bits.
struct StoredWeights {
  DType dtype = DType::kInt8;       ///< or float16, or uint8: two weights of four bits, 8 stands for zero
  std::string content;              ///< in the order of the weights, the first of two in the low half of a byte
  std::vector<float> ranges;        ///< of int8: for each channel the value that 127 stands for; of four bits: steps
  std::vector<double> mean_errors;  ///< of the result's channels, for operands of the given means; empty: not known
  double noise_ratio = 0;           ///< signal to noise in decibels
  int64_t group = 0;                ///< of four bits: elements along the depth that share a step
};

/// 10 log10 of a ratio of sums of squares; infinite without noise.
double decibels_of(double signal, double noise);

/// Weights as int8 from -most to most steps. `means`: of the operand's channels; empty: not known.
StoredWeights integer_weights(const Layer& layer, const Parameter& weights, const std::vector<double>& means, int most);
/// Weights as float16, rounded half to even.
StoredWeights half_weights(const Parameter& weights);

/// A layer that is quantised, with the range of its operand; without one its operand stays as it is.
struct QuantizedLayer {
  const Layer* layer;
  std::optional<double> range;
  const StoredWeights* weights;
};

struct ModelBytes {
  std::string program;
  std::string parameters;
};

/// The model with operands of `layers`, which are in the order of the program, rounded and their weights stored as
/// said, by operators that bring them to float32. `residuals` read what these have rounded.
ModelBytes rewritten(Program program, ParameterMap parameters, const std::vector<QuantizedLayer>& layers,
                     const std::vector<Residual>& residuals);

}  // namespace coracle::internal::quantize
