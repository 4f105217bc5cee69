// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantize/parameters.h"
#include "quantize/program.h"

/// Products and convolutions of a program, and which of them can have fewer bits.
namespace coracle::internal::quantize {

/// A value of the main block: what the `write`-th operator that writes the variable leaves there (0 the first), or -1
/// what is there before any of them, an input.
struct WrittenValue {
  std::string variable;
  int write = -1;

  bool operator<(const WrittenValue& o) const {
    return variable != o.variable ? variable < o.variable : write < o.write;
  }
  bool operator==(const WrittenValue& o) const = default;
};

/// Where the mean error of a layer's result can be taken back: a parameter that nothing else reads.
struct Correction {
  std::string parameter;  ///< empty: nowhere
  double factor = 0;      ///< of the error that is added: 1 for a mean that is subtracted, -1 for a bias, times `alpha`
};

enum class LayerFamily { kConvolution, kProduct, kTable };

struct Layer {
  size_t index = 0;  ///< of its operator
  std::string type;
  LayerFamily family = LayerFamily::kConvolution;
  std::string name;  ///< the variable of its result
  std::string x_slot;
  WrittenValue x;
  WrittenValue seen;  ///< what runs show of x: where operators only give it another shape, their operand
  std::string weights_slot;
  std::string weights;
  int axis = 0;         ///< dimension of the weights that has a scale for each element
  int x_channels = -1;  ///< dimension of x that the mean error of weights follows from; -1 the last
  bool means = true;    ///< whether it does
  int64_t groups = 1;   ///< of channels
  Correction correction;
  bool rounds_operand = true;  ///< kIntegers: false where no operator computes with its integers; then weights alone
  std::string kept;            ///< why it stays in float32; empty: it is quantised
};

/// What becomes of layers.
enum class Precision {
  kIntegers,        ///< operands and weights of int8, and tables that rows are taken from
  kIntegerWeights,  ///< the same without operands
  kFourBitWeights,  ///< the same, where four bits can be computed with in groups of four bits
  kHalfWeights,     ///< the same of float16
};

/// All products and convolutions with constant weights, in the order of the program. `keep`: names of results or
/// weights of those that stay. Throws Failure (usage) where a name is of none of them.
std::vector<Layer> find_layers(const Program& program, const ParameterMap& parameters, Precision precision,
                               const std::vector<std::string>& keep);

}  // namespace coracle::internal::quantize
