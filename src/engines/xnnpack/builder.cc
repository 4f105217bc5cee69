// SPDX-License-Identifier: Apache-2.0
#include "builder.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace coracle_xnnpack {

ValueNumber Builder::operand(const Node& node, int32_t value) {
  const auto found = numbers_.find(value);
  if (found != numbers_.end()) return found->second;
  require(value >= 0, "an operand is absent");
  require(node.is_float(value), "an operand is not float32");
  ValueNumber number = kNoValue;
  if (node.has_elements(value)) {
    number = constant(node.dims(value), node.floats(value));
  } else {
    Value outside;
    outside.dims = node.dims(value);
    outside.rows = true;
    for (size_t i = 0; i < host_.input_count(block_); ++i) {
      if (host_.input(block_, i) == value) outside.input = static_cast<int>(i);
    }
    require(outside.input >= 0, "an operand is neither computed nor an input");
    const ValueNumber from = program_.add(outside);
    number = make(outside.dims);  // with the room behind it that XNNPACK reads
    copy(from, number, whole_copy(program_.value(from), program_.value(number)));
  }
  numbers_.emplace(value, number);
  return number;
}

void Builder::set_result(const Node& node, ValueNumber number, size_t result) {
  const int32_t value = node.out(result);
  require(dims(number) == node.dims(value),
          "a result has the shape " + written(dims(number)) + ", expected " + written(node.dims(value)));
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

Value value_of(Dims dims, bool rows) {
  require(is_known(dims) && count_of(dims) > 0, "a value of shape " + written(dims) + " has no elements");
  require(dims.size() <= XNN_MAX_TENSOR_DIMS, "a value of shape " + written(dims) + " has too many dimensions");
  Value value;
  value.dims = std::move(dims);
  value.rows = rows;
  return value;
}

/// The elements of `from`, which lie at `elements`, in the order of `to`.
std::vector<float> reordered(const Value& from, const Value& to, const float* elements) {
  StridedCopy order = whole_copy(from, to);
  order.simplify();
  std::vector<float> stored(static_cast<size_t>(count_of(to.dims)));
  order.run(elements, stored.data(), nullptr);
  return stored;
}

/// Whether row-major and channels-last are the same order.
bool orders_agree(const Dims& dims) { return dims.size() != 4 || dims[1] == 1 || dims[2] * dims[3] == 1; }

}  // namespace

ValueNumber Builder::make(Dims dims, bool rows) { return program_.add(value_of(std::move(dims), rows)); }

ValueNumber Builder::constant(const Dims& dims, const float* elements) {
  Value value = value_of(dims, /*rows=*/false);
  value.constant = program_.keep(reordered(value_of(dims, /*rows=*/true), value, elements));
  return program_.add(std::move(value));
}

ValueNumber Builder::weights_in_place(Dims stored, const float* elements) {
  Value value;
  value.dims = std::move(stored);
  value.rows = true;
  value.constant = elements;
  return program_.add(std::move(value));
}

ValueNumber Builder::weights(Dims stored, std::vector<float> elements) {
  return weights_in_place(std::move(stored), program_.keep(std::move(elements)));
}

/// The same elements in the same order under other sizes.
ValueNumber Builder::renamed(ValueNumber v, ValueNumber to) {
  const std::vector<size_t> shape = program_.value(to).stored();
  define({v}, to, [shape](xnn_subgraph_t graph, const uint32_t* ids) {
    return xnn_define_static_reshape(graph, shape.size(), shape.data(), ids[0], ids[1], 0);
  });
  return to;
}

ValueNumber Builder::laid_out(ValueNumber v, bool in_rows) {
  const ValueNumber to = make(dims(v), in_rows);
  if (orders_agree(dims(v))) return renamed(v, to);
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
  if (orders_agree(dims(v)) && orders_agree(wanted)) return renamed(v, make(wanted));
  return image(renamed(rows(v), make(wanted, /*rows=*/true)));
}

ValueNumber Builder::unary(ValueNumber x, const Unary& define_one) {
  const ValueNumber y = make(dims(x), program_.value(x).rows);
  define({x}, y, [define_one](xnn_subgraph_t graph, const uint32_t* ids) { return define_one(graph, ids[0], ids[1]); });
  return y;
}

/// With ones before its dimensions, as far as its layout needs them.
ValueNumber Builder::widened(ValueNumber v, size_t rank) {
  const Dims& shape = dims(v);
  if (shape.size() == rank || (rank != 4 && shape.size() != 4) || count_of(shape) == 1) {
    return shape.size() == 4 && rank != 4 && count_of(shape) == 1 ? reshape(v, {1}) : v;
  }
  Dims wider(rank - shape.size(), 1);
  wider.insert(wider.end(), shape.begin(), shape.end());
  const Value& value = program_.value(v);
  if (value.constant == nullptr) return reshape(v, wider);
  return constant(wider, reordered(value, value_of(shape, /*rows=*/true), value.constant));
}

ValueNumber Builder::binary(Binary define_two, ValueNumber x, ValueNumber y) {
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
  const float infinity = std::numeric_limits<float>::infinity();
  define({x, y}, out, [define_two, infinity](xnn_subgraph_t graph, const uint32_t* ids) {
    return define_two(graph, -infinity, infinity, ids[0], ids[1], ids[2], 0);
  });
  return out;
}

ValueNumber Builder::clamp(ValueNumber x, double low, double high) {
  const auto from = static_cast<float>(low);
  const auto to = static_cast<float>(high);
  require(from < to, "bounds from " + std::to_string(low) + " to " + std::to_string(high) + " hold nothing");
  return unary(x, [from, to](xnn_subgraph_t graph, uint32_t in, uint32_t out) {
    return xnn_define_clamp(graph, from, to, in, out, 0);
  });
}

}  // namespace coracle_xnnpack
