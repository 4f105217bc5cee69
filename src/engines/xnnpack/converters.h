// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "builder.h"
#include "node.h"

namespace coracle_xnnpack {

/// Element types that an operator has.
enum class Types {
  kFloat32,
  kEither,    ///< all float32, or all int8: what moves elements
  kRounding,  ///< from float32 to int8
  kInt8,      ///< its data, weights and results are int8
};

/// How an operator becomes steps. Ports are names, separated by spaces; an operand at any other port is refused.
struct Converter {
  const char* op;
  const char* data;                      ///< ports of values
  const char* weights;                   ///< ports of constants
  const char* arguments;                 ///< ports whose elements `check` and `build` read
  const char* ignored;                   ///< ports that nothing is read of: the result's shape says it
  void (*check)(const Node&);            ///< throws Refused; types may be unknown in part. May be null
  void (*build)(Builder&, const Node&);  ///< throws Refused; all types are known
  Types types = Types::kFloat32;
  bool several = false;  ///< it may have more than one result
};

std::span<const Converter> activation_converters();
std::span<const Converter> arithmetic_converters();
std::span<const Converter> image_converters();
std::span<const Converter> resize_converters();
std::span<const Converter> product_converters();
std::span<const Converter> movement_converters();
std::span<const Converter> integer_converters();

/// The converter of a node, with all that can be told of it checked. Throws Refused.
const Converter& converter_of(const Node& node);

/// A function of one element, as epilogues name it, with its numbers.
struct Function {
  std::string kind;
  double a = 0;
  double b = 0;
  double c = 0;
};

void check_function(const Function& f);
ValueNumber apply(Builder& builder, const Function& f, ValueNumber x);

/// What a fused operator does to its result. A tensor of channels has the shape [C, 1 ...] with `behind_channels` ones.
void check_epilogue(const Node& node);
/// The constant added to each channel by the first step, or null; `first` is the step to go on with.
const float* bias_of(const Node& node, size_t& first);
ValueNumber apply_epilogue(Builder& builder, const Node& node, ValueNumber y, size_t first, size_t behind_channels);

/// A convolution over an image of the shape `x`, without its filter, bias and factors.
struct Convolution {
  Packed packed;
  Dims out;
};
Convolution convolution_of(const Node& node, const Dims& x);

/// The steps that a fused operator does to its result.
std::vector<Function> steps_of(const Node& node);

/// Refuses a data format whose channels are last.
void require_channels_first(const Node& node, const char* attribute = "data_format");

}  // namespace coracle_xnnpack
