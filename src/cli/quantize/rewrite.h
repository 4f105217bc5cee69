// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/quantize/calibrate.h"
#include "cli/quantize/layers.h"
#include "cli/quantize/parameters.h"
#include "cli/quantize/program.h"

namespace coracle::cli {

/// A layer's weights as integers.
struct IntegerWeights {
  std::string integers;             ///< int8, in the order of the weights
  std::vector<float> ranges;        ///< for each channel the value that 127 stands for
  std::vector<double> mean_errors;  ///< of the result's channels, for operands of the given means; empty: not known
  double noise_ratio = 0;           ///< signal to noise in decibels
};

/// `means`: of the operand's channels; empty: not known.
IntegerWeights integer_weights(const Layer& layer, const Parameter& weights, const std::vector<double>& means);

/// A layer that is quantised, with the range of its operand.
struct QuantizedLayer {
  const Layer* layer;
  double range;
  const IntegerWeights* weights;
};

struct ModelBytes {
  std::string program;
  std::string parameters;
};

/// The model with operands and weights of `layers` rounded by quantize_linear and dequantize_linear; weights are stored
/// as int8.
ModelBytes rewritten(Program program, ParameterMap parameters, const std::vector<QuantizedLayer>& layers);

}  // namespace coracle::cli
