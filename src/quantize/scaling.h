// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantize/activations.h"
#include "quantize/layers.h"
#include "quantize/parameters.h"
#include "quantize/program.h"

/// Scaling between operators: channels of a layer's operand are divided by factors and its weights multiplied by the
/// same, so that channels that reach far do not take the steps of int8 from the others. The model computes what it did,
/// up to the rounding of float32.
namespace coracle::internal::quantize {

/// How an operand is scaled.
struct Scaling {
  std::string value;  ///< the operand
  WrittenValue operand;
  int channels = -1;           ///< dimension of it that has a factor for each element; -1 the last
  std::vector<size_t> layers;  ///< numbers of the layers that read it
  std::vector<float> factors;  ///< what channels are divided by; finite and normal numbers
  std::string by;              ///< type of the operator whose parameters are divided; empty: it is multiplied in place
  double gain = 0;             ///< predicted, of the noise of the layers' results, in decibels
};

struct ScalingOptions {
  bool insert = false;          ///< also operands that need a multiplication in the model
  std::optional<double> alpha;  ///< share of the operand's ranges in factors; else that with the least predicted noise
  std::vector<std::string> keep;  ///< names of results or weights of layers that nothing is multiplied for
};

/// A model with scaled operands.
struct ScaledModel {
  Program program;
  ParameterMap parameters;
  std::vector<Scaling> scalings;  ///< none: the model is as it was

  /// Whether an operand is multiplied in place.
  bool has_products() const;
};

/// Scales what is predicted to be nearer with it. `layers`: all of the program, none of them kept by its name.
/// Factors are max|x|^alpha / max|w|^(1 - alpha) for each channel, with weights in parts of the range that they are
/// rounded with.
ScaledModel scale(Program program, ParameterMap parameters, const std::vector<Layer>& layers,
                  const Activations& activations, const ScalingOptions& options);

/// Divides what runs show of values.
OperandFactors factors_of(const std::vector<Scaling>& scalings);
/// Has the operands that `model` multiplies in place be known by the names that layers read.
void rename(Activations& activations, const std::vector<Scaling>& scalings);

}  // namespace coracle::internal::quantize
