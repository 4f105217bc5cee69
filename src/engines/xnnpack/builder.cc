// SPDX-License-Identifier: Apache-2.0
#include "builder.h"

#include <algorithm>
#include <utility>

namespace coracle_xnnpack {

ValueNumber Builder::operand(const Node& node, int32_t value) {
  const auto found = numbers_.find(value);
  if (found != numbers_.end()) return found->second;
  require(value >= 0, "an operand is absent");
  require(node.is_float(value) || node.is_int8(value), "an operand is neither float32 nor int8");
  ValueNumber number = kNoValue;
  if (node.has_elements(value)) {
    require(node.is_float(value), "an operand is constant and int8");
    number = constant(node, value, node.dims(value));
  } else {
    Value outside;
    outside.dims = node.dims(value);
    outside.rows = true;
    outside.element = node.is_int8(value) ? Element::kInt8 : Element::kFloat32;
    for (size_t i = 0; i < host_.input_count(block_); ++i) {
      if (host_.input(block_, i) == value) outside.input = static_cast<int>(i);
    }
    require(outside.input >= 0, "an operand is neither computed nor an input");
    const ValueNumber from = program_.add(outside);
    number = make_like(from, outside.dims);  // with the room behind it that XNNPACK reads
    copy(from, number, whole_copy(program_.value(from), program_.value(number)));
  }
  numbers_.emplace(value, number);
  return number;
}

void Builder::set_result(const Node& node, ValueNumber number, size_t result) {
  const int32_t value = node.out(result);
  require(dims(number) == node.dims(value),
          "a result has the shape " + written(dims(number)) + ", expected " + written(node.dims(value)));
  require(node.is_int8(value) == (program_.value(number).element == Element::kInt8),
          "a result has another element type than it is computed in");
  numbers_[value] = number;
}

void Builder::add_outputs() {
  for (size_t i = 0; i < host_.output_count(block_); ++i) {
    const int32_t value = host_.output(block_, i);
    const Node nothing(host_, block_, nullptr);
    program_.add_output(operand(nothing, value), static_cast<int>(i));
  }
}

namespace {

Value value_of(Dims dims, bool rows, Element element = Element::kFloat32) {
  require(is_known(dims) && count_of(dims) > 0, "a value of shape " + written(dims) + " has no elements");
  require(dims.size() <= XNN_MAX_TENSOR_DIMS, "a value of shape " + written(dims) + " has too many dimensions");
  Value value;
  value.dims = std::move(dims);
  value.rows = rows;
  value.element = element;
  return value;
}

/// Whether row-major and channels-last are the same order.
bool orders_agree(const Dims& dims) { return dims.size() != 4 || dims[1] == 1 || dims[2] * dims[3] == 1; }

}  // namespace

ValueNumber Builder::make(Dims dims, bool rows, Element element) {
  return program_.add(value_of(std::move(dims), rows, element));
}

ValueNumber Builder::constant(const Node& node, int32_t value, Dims dims) {
  Value made = value_of(std::move(dims), /*rows=*/false);
  made.elements = node.floats(value);
  made.owner = node.is_constant(value) ? Value::Owner::kHost : Value::Owner::kHostForNow;
  return program_.add(std::move(made));
}

ValueNumber Builder::constant(Dims dims, std::vector<float> elements) {
  Value made = value_of(std::move(dims), /*rows=*/false);
  made.elements = program_.keep(std::move(elements));
  return program_.add(std::move(made));
}

const float* Builder::kept(const Node& node, int32_t value) {
  const float* elements = node.floats(value);
  if (node.is_constant(value)) return elements;
  return program_.keep(std::vector<float>(elements, elements + count_of(node.dims(value))));
}

/// The same elements in the same order under other dimensions.
ValueNumber Builder::renamed(ValueNumber v, Dims dims, bool rows) {
  Value value = value_of(std::move(dims), rows, program_.value(v).element);
  value.same = v;
  return program_.add(std::move(value));
}

ValueNumber Builder::laid_out(ValueNumber v, bool in_rows) {
  if (orders_agree(dims(v))) return renamed(v, dims(v), in_rows);
  const ValueNumber to = make_like(v, dims(v), in_rows);
  copy(v, to, whole_copy(program_.value(v), program_.value(to)));
  return to;
}

ValueNumber Builder::rows(ValueNumber v) {
  return program_.value(v).channels_last() ? laid_out(v, /*in_rows=*/true) : v;
}

ValueNumber Builder::image(ValueNumber v) {
  const bool there = dims(v).size() != 4 || program_.value(v).channels_last();
  return there ? v : laid_out(v, /*in_rows=*/false);
}

ValueNumber Builder::reshape(ValueNumber v, const Dims& wanted) {
  require(count_of(dims(v)) == count_of(wanted), "a reshape of " + written(dims(v)) + " to " + written(wanted));
  if (dims(v) == wanted) return v;
  if (orders_agree(dims(v)) && orders_agree(wanted)) return renamed(v, wanted);
  return image(renamed(rows(v), wanted, /*rows=*/true));
}

ValueNumber Builder::unary(ValueNumber x, Unary function, size_t channels) {
  const ValueNumber y = make(dims(x), program_.value(x).rows);
  Recipe recipe;
  recipe.create = [create = std::move(function.create), channels](float, float, xnn_operator_t* op) {
    return create(channels, op);
  };
  recipe.set_up = [set_up = function.set_up, rows = static_cast<size_t>(count_of(dims(x))) / channels](
                      xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return set_up(op, rows, m[0], m[1], threads);
  };
  define({x}, y, std::move(recipe));
  return y;
}

ValueNumber Builder::unary(ValueNumber x, Unary function) { return unary(x, std::move(function), 1); }

ValueNumber Builder::unary_of_rows(ValueNumber x, Unary function) {
  return unary(x, std::move(function), program_.value(x).stored().back());
}

/// With ones before its dimensions, as far as its layout needs them.
ValueNumber Builder::widened(ValueNumber v, size_t rank) {
  const Dims& shape = dims(v);
  if (shape.size() == rank || (rank != 4 && shape.size() != 4) || count_of(shape) == 1) {
    return shape.size() == 4 && rank != 4 && count_of(shape) == 1 ? reshape(v, {1}) : v;
  }
  Dims wider(rank - shape.size(), 1);
  wider.insert(wider.end(), shape.begin(), shape.end());
  Value value = program_.value(v);
  if (value.elements == nullptr) return reshape(v, wider);
  value.dims = std::move(wider);
  return program_.add(std::move(value));
}

ValueNumber Builder::binary(const Binary& function, ValueNumber x, ValueNumber y) {
  const size_t rank = std::max(dims(x).size(), dims(y).size());
  x = widened(x, rank);
  y = widened(y, rank);
  Dims result(rank, 1);
  for (ValueNumber v : {x, y}) {
    const Dims& shape = dims(v);
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t& d = result[rank - shape.size() + i];
      require(d == 1 || shape[i] == 1 || shape[i] == d,
              "shapes " + written(dims(x)) + " and " + written(dims(y)) + " do not broadcast");
      d = std::max(d, shape[i]);
    }
  }
  const ValueNumber out = make(result);
  Recipe recipe;
  recipe.bounded = function.bounded;
  recipe.create = [create = function.create](float low, float high, xnn_operator_t* op) {
    return create(low, high, 0, op);
  };
  recipe.set_up = [set_up = function.set_up, a = program_.value(x).stored(), b = program_.value(y).stored()](
                      xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return set_up(op, a.size(), a.data(), b.size(), b.data(), m[0], m[1], m[2], threads);
  };
  define({x, y}, out, std::move(recipe));
  return out;
}

ValueNumber Builder::clamp(ValueNumber x, double low, double high) {
  const auto from = static_cast<float>(low);
  const auto to = static_cast<float>(high);
  require(from < to, "bounds from " + std::to_string(low) + " to " + std::to_string(high) + " hold nothing");
  const ValueNumber y = make(dims(x), program_.value(x).rows);
  Recipe recipe;
  recipe.bounded = recipe.clamps = true;
  recipe.low = from;
  recipe.high = to;
  recipe.create = [](float least, float most, xnn_operator_t* op) {
    return xnn_create_clamp_nc_f32(1, 1, 1, least, most, 0, op);
  };
  recipe.set_up = [count = static_cast<size_t>(count_of(dims(x)))](xnn_operator_t op, float* const* m,
                                                                   pthreadpool_t threads) {
    return xnn_setup_clamp_nc_f32(op, count, m[0], m[1], threads);
  };
  define({x}, y, std::move(recipe));
  return y;
}

ValueNumber Builder::pad(ValueNumber x, Dims dims, std::vector<size_t> before, std::vector<size_t> after, float value) {
  const ValueNumber y = make(std::move(dims));
  Recipe recipe;
  recipe.create = [value](float, float, xnn_operator_t* op) { return xnn_create_constant_pad_nd_x32(&value, 0, op); };
  recipe.set_up = [from = program_.value(x).stored(), before = std::move(before), after = std::move(after)](
                      xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return xnn_setup_constant_pad_nd_x32(op, from.size(), from.data(), before.data(), after.data(), m[0], m[1],
                                         threads);
  };
  define({x}, y, std::move(recipe));
  return y;
}

}  // namespace coracle_xnnpack
