// SPDX-License-Identifier: Apache-2.0
#include "converters.h"

#include <sstream>

namespace coracle_xnnpack {
namespace {

const Converter* find(const std::string& op) {
  for (const auto& table : {activation_converters(), arithmetic_converters(), image_converters(), resize_converters(),
                            product_converters(), movement_converters(), integer_converters()}) {
    for (const Converter& c : table) {
      if (op == c.op) return &c;
    }
  }
  return nullptr;
}

/// f(port, value) for each value at the ports; gives how many they are.
template <class F>
size_t each_value(const Node& node, const char* ports, const F& f) {
  std::istringstream names(ports);
  size_t count = 0;
  for (std::string port; names >> port;) {
    for (size_t i = 0; i < node.count(port.c_str()); ++i, ++count) f(port, node.in(port.c_str(), i));
  }
  return count;
}

}  // namespace

const Converter& converter_of(const Node& node) {
  const Converter* found = find(node.op());
  require(found != nullptr, "it has nothing for " + node.op());
  const Converter& c = *found;
  const bool int8_result = c.types == Types::kEither ? node.is_int8(node.out()) : c.types != Types::kFloat32;
  const bool int8_data = int8_result && c.types != Types::kRounding;
  const auto require_type = [&](int32_t v, bool int8, const std::string& what) {
    require(int8 ? node.is_int8(v) : node.is_float(v), what + " is not " + (int8 ? "int8" : "float32"));
  };
  size_t known = each_value(node, c.data, [&](const std::string& port, int32_t v) {
    require_type(v, int8_data, port);
    require(!int8_data || !node.has_elements(v), port + " is constant and int8");
    require(node.rank(v) >= 0, "the rank of " + port + " is not known");
    require(node.rank(v) <= XNN_MAX_TENSOR_DIMS, port + " has more than six dimensions");
  });
  known += each_value(node, c.weights, [&](const std::string& port, int32_t v) {
    require_type(v, int8_data, port);
    require(node.has_elements(v), port + " is not constant");
  });
  known += each_value(node, c.arguments, [&](const std::string& port, int32_t v) {
    require(node.has_elements(v), "the elements of " + port + " are not known");
  });
  known += each_value(node, c.ignored, [](const std::string&, int32_t) {});
  require(known == node.operand_count(), "it has an operand that is not read");
  require(c.several || node.result_count() == 1, "it has more than one result");
  for (size_t i = 0; i < node.result_count(); ++i) {
    require_type(node.out(i), int8_result, "a result");
    require(node.rank(node.out(i)) >= 0, "the rank of a result is not known");
    require(node.rank(node.out(i)) <= XNN_MAX_TENSOR_DIMS, "a result has more than six dimensions");
  }
  if (c.check != nullptr) c.check(node);
  return c;
}

void require_channels_first(const Node& node, const char* attribute) {
  const std::string format = node.word(attribute);
  require(format.empty() || format.back() != 'C' || format == "NC", "its channels are last (" + format + ")");
}

std::vector<Function> steps_of(const Node& node) {
  const std::vector<std::string> kinds = node.words("epilogue");
  std::vector<double> numbers = node.reals("epilogue_numbers");
  numbers.resize(3 * kinds.size());
  std::vector<Function> steps;
  for (size_t i = 0; i < kinds.size(); ++i) {
    steps.push_back({kinds[i], numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]});
  }
  return steps;
}

namespace {

bool adds(const Function& f) { return f.kind == "add_channel" || f.kind == "add_tensor"; }
bool of_channels(const Function& f) { return f.kind == "add_channel" || f.kind == "multiply_channel"; }
bool takes_tensor(const Function& f) { return of_channels(f) || adds(f) || f.kind == "multiply_tensor"; }

}  // namespace

void check_epilogue(const Node& node) {
  for (const Function& f : steps_of(node)) {
    if (!takes_tensor(f)) check_function(f);
  }
}

const float* bias_of(const Node& node, size_t& first) {
  first = 0;
  const std::vector<Function> steps = steps_of(node);
  if (steps.empty() || steps[0].kind != "add_channel" || !node.is_constant(node.in("tensors"))) return nullptr;
  first = 1;
  return node.floats(node.in("tensors"));
}

ValueNumber apply_epilogue(Builder& builder, const Node& node, ValueNumber y, size_t first, size_t behind_channels) {
  const std::vector<Function> steps = steps_of(node);
  size_t tensor = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Function& f = steps[i];
    if (!takes_tensor(f)) {
      if (i >= first) y = apply(builder, f, y);
      continue;
    }
    const int32_t value = node.in("tensors", tensor++);
    if (i < first) continue;
    ValueNumber t = builder.operand(node, value);
    if (of_channels(f)) {
      Dims channels(1 + behind_channels, 1);
      channels[0] = count_of(node.dims(value));
      t = node.has_elements(value) ? builder.constant(node, value, channels) : builder.reshape(t, channels);
    }
    y = adds(f) ? builder.plus(y, t) : builder.multiply(y, t);
  }
  return y;
}

}  // namespace coracle_xnnpack
