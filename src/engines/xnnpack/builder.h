// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "node.h"
#include "program.h"

namespace coracle_xnnpack {

/// A function of XNNPACK with one operand whose sizes are rows of `channels` elements.
struct Unary {
  using SetUp = xnn_status (*)(xnn_operator_t, size_t rows, const float* x, float* y, pthreadpool_t);

  std::function<xnn_status(size_t channels, xnn_operator_t*)> create;
  SetUp set_up;
};

/// A function of XNNPACK with two operands.
struct Binary {
  xnn_status (*create)(float low, float high, uint32_t flags, xnn_operator_t*);
  xnn_status (*set_up)(xnn_operator_t, size_t, const size_t*, size_t, const size_t*, const float*, const float*, float*,
                       pthreadpool_t);
  bool bounded = true;
};
inline constexpr Binary kAdd{xnn_create_add_nd_f32, xnn_setup_add_nd_f32};
inline constexpr Binary kMultiply{xnn_create_multiply_nd_f32, xnn_setup_multiply_nd_f32};
inline constexpr Binary kDivide{xnn_create_divide_nd_f32, xnn_setup_divide_nd_f32};

/// Makes the program of a block: what converters put a node's steps together with. Shapes are logical, values of rank 4
/// lie channels-last; `rows` and `image` bring them into the layouts that a step needs.
class Builder {
 public:
  Builder(Program& program, const coracle_engine_host& host, const coracle_block* block)
      : program_(program), host_(host), block_(block) {}

  Program& program() { return program_; }
  /// The node whose steps follow, for messages.
  void begin(const Node& node) { name_ = node.name(); }

  /// The value of an operand: what a node has set, else an input or a constant.
  ValueNumber operand(const Node& node, int32_t value);
  ValueNumber operand(const Node& node, const char* port) { return operand(node, node.in(port)); }
  /// Refuses a value of another shape or element type than the result's.
  void set_result(const Node& node, ValueNumber number, size_t result = 0);
  /// The block's inputs are known before, its outputs are set afterwards.
  void add_outputs();

  const Dims& dims(ValueNumber v) const { return program_.value(v).dims; }
  ValueNumber make(Dims dims, bool rows = false, Element element = Element::kFloat32);
  /// Of the element type of another.
  ValueNumber make_like(ValueNumber v, Dims dims, bool rows = false) {
    return make(std::move(dims), rows, program_.value(v).element);
  }
  /// A constant operand of the block under other dimensions.
  ValueNumber constant(const Node& node, int32_t value, Dims dims);
  /// Row-major elements as a value of the shape.
  ValueNumber constant(Dims dims, std::vector<float> elements);
  ValueNumber constant(float number) { return constant({1}, std::vector<float>{number}); }
  /// The elements of a constant operand for as long as the program; where they are, if the host keeps them.
  const float* kept(const Node& node, int32_t value);

  /// The same elements in row-major order, and back.
  ValueNumber rows(ValueNumber v);
  ValueNumber image(ValueNumber v);
  /// Other dimensions for the same row-major elements.
  ValueNumber reshape(ValueNumber v, const Dims& dims);

  /// A function of each element.
  ValueNumber unary(ValueNumber x, Unary function);
  /// A function of what lies nearest together: channels of images, else the last dimension.
  ValueNumber unary_of_rows(ValueNumber x, Unary function);
  /// With NumPy's broadcasting of the logical shapes.
  ValueNumber binary(const Binary& function, ValueNumber x, ValueNumber y);
  ValueNumber multiply(ValueNumber x, ValueNumber y) { return binary(kMultiply, x, y); }
  ValueNumber plus(ValueNumber x, ValueNumber y) { return binary(kAdd, x, y); }
  ValueNumber clamp(ValueNumber x, double low, double high);
  /// A value of shape `dims` with `value` around x; amounts are in the order in which dimensions lie in memory.
  ValueNumber pad(ValueNumber x, Dims dims, std::vector<size_t> before, std::vector<size_t> after, float value);
  void define(std::vector<ValueNumber> operands, ValueNumber result, Recipe recipe) {
    program_.define(std::move(operands), result, std::move(recipe), name_);
  }
  void copy(ValueNumber from, ValueNumber to, StridedCopy copy) { program_.copy(from, to, std::move(copy)); }

 private:
  ValueNumber unary(ValueNumber x, Unary function, size_t channels);
  ValueNumber widened(ValueNumber v, size_t rank);
  ValueNumber renamed(ValueNumber v, Dims dims, bool rows = false);
  ValueNumber laid_out(ValueNumber v, bool in_rows);

  Program& program_;
  const coracle_engine_host& host_;
  const coracle_block* block_;
  std::string name_;
  std::unordered_map<int32_t, ValueNumber> numbers_;
};

}  // namespace coracle_xnnpack
