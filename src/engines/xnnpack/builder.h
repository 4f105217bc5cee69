// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "node.h"
#include "program.h"

namespace coracle_xnnpack {

/// Makes the program of a block: what converters put a node's steps together with. Shapes are logical, values of rank 4
/// lie channels-last; `rows` and `image` bring them into the layouts that a step needs.
class Builder {
 public:
  /// Functions of XNNPACK with one operand, and with two.
  using Unary = std::function<xnn_status(xnn_subgraph_t, uint32_t x, uint32_t y)>;
  using Binary = xnn_status (*)(xnn_subgraph_t, float, float, uint32_t, uint32_t, uint32_t, uint32_t);

  Builder(Program& program, const coracle_engine_host& host, const coracle_block* block)
      : program_(program), host_(host), block_(block) {}

  Program& program() { return program_; }
  /// The node whose steps follow, for messages.
  void begin(const Node& node) { name_ = node.name(); }

  /// The value of an operand: what a node has set, else an input or a constant.
  ValueNumber operand(const Node& node, int32_t value);
  ValueNumber operand(const Node& node, const char* port) { return operand(node, node.in(port)); }
  /// Refuses a value of another shape than the result's.
  void set_result(const Node& node, ValueNumber number, size_t result = 0);
  /// The block's inputs are known before, its outputs are set afterwards.
  void add_outputs();

  const Dims& dims(ValueNumber v) const { return program_.value(v).dims; }
  ValueNumber make(Dims dims, bool rows = false);
  /// Row-major elements as a value of the shape.
  ValueNumber constant(const Dims& dims, const float* elements);
  ValueNumber constant(const Dims& dims, const std::vector<float>& elements) { return constant(dims, elements.data()); }
  ValueNumber constant(float number) { return constant({1}, &number); }
  /// Elements in the order that XNNPACK wants them in, kept with the program, or where they stay.
  ValueNumber weights(Dims stored, std::vector<float> elements);
  ValueNumber weights_in_place(Dims stored, const float* elements);

  /// The same elements in row-major order, and back.
  ValueNumber rows(ValueNumber v);
  ValueNumber image(ValueNumber v);
  /// Other dimensions for the same row-major elements.
  ValueNumber reshape(ValueNumber v, const Dims& dims);

  ValueNumber unary(ValueNumber x, const Unary& define);
  /// With NumPy's broadcasting of the logical shapes.
  ValueNumber binary(Binary define, ValueNumber x, ValueNumber y);
  ValueNumber multiply(ValueNumber x, ValueNumber y) { return binary(xnn_define_multiply2, x, y); }
  ValueNumber plus(ValueNumber x, ValueNumber y) { return binary(xnn_define_add2, x, y); }
  ValueNumber clamp(ValueNumber x, double low, double high);
  void define(std::vector<ValueNumber> operands, ValueNumber result, Step::Define define) {
    program_.define(std::move(operands), result, std::move(define), name_);
  }
  void copy(ValueNumber from, ValueNumber to, StridedCopy copy) { program_.copy(from, to, std::move(copy)); }

 private:
  ValueNumber widened(ValueNumber v, size_t rank);
  ValueNumber renamed(ValueNumber v, ValueNumber to);
  ValueNumber laid_out(ValueNumber v, bool in_rows);

  Program& program_;
  const coracle_engine_host& host_;
  const coracle_block* block_;
  std::string name_;
  std::unordered_map<int32_t, ValueNumber> numbers_;
};

}  // namespace coracle_xnnpack
