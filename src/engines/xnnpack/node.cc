// SPDX-License-Identifier: Apache-2.0
#include "node.h"

#include <algorithm>

namespace coracle_xnnpack {

std::string written(const Dims& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    text.append(i == 0 ? "" : ", ").append(dims[i] < 0 ? "?" : std::to_string(dims[i]));
  }
  return text + "]";
}

int64_t count_of(const Dims& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  return count;
}

bool is_known(const Dims& dims) {
  return std::all_of(dims.begin(), dims.end(), [](int64_t d) { return d >= 0; });
}

std::optional<std::vector<double>> Node::numbers(const char* port, size_t i) const {
  const int32_t value = in(port, i);
  if (value < 0) return std::nullopt;
  std::vector<double> found;
  const auto read = [&](const auto* elements, size_t n) {
    for (size_t k = 0; k < n; ++k) found.push_back(static_cast<double>(elements[k]));
  };
  const auto n = static_cast<size_t>(count_of(dims(value)));
  const void* elements = host_.elements(block_, value);
  require(elements != nullptr || n == 0, std::string("the elements of ") + port + " are not known");
  switch (host_.dtype(block_, value)) {
    case CORACLE_INT32: read(static_cast<const int32_t*>(elements), n); break;
    case CORACLE_INT64: read(static_cast<const int64_t*>(elements), n); break;
    case CORACLE_FLOAT32: read(static_cast<const float*>(elements), n); break;
    case CORACLE_FLOAT64: read(static_cast<const double*>(elements), n); break;
    default: throw Refused(std::string("the type of ") + port + " is none that it reads");
  }
  return found;
}

Dims Node::integers(const char* port) const {
  Dims found;
  for (double d : numbers(port).value_or(std::vector<double>())) found.push_back(whole(d));
  return found;
}

double Node::number(const char* port, double missing) const {
  const std::optional<std::vector<double>> found = numbers(port);
  return !found || found->empty() ? missing : found->front();
}

int64_t Node::integer(const char* name, int64_t missing) const {
  const coracle_attribute* a = host_.find_attribute(node_, name);
  const bool fits = a != nullptr && (a->kind == CORACLE_ATTRIBUTE_INT || a->kind == CORACLE_ATTRIBUTE_BOOL);
  return fits ? a->integer : missing;
}

double Node::real(const char* name, double missing) const {
  const coracle_attribute* a = host_.find_attribute(node_, name);
  return a != nullptr && a->kind == CORACLE_ATTRIBUTE_DOUBLE ? a->number : missing;
}

std::string Node::word(const char* name) const {
  const coracle_attribute* a = host_.find_attribute(node_, name);
  return a != nullptr && a->kind == CORACLE_ATTRIBUTE_STRING ? a->string : "";
}

Dims Node::list(const char* name) const {
  const coracle_attribute* a = host_.find_attribute(node_, name);
  if (a == nullptr || a->kind != CORACLE_ATTRIBUTE_INTS) return {};
  return {a->integers, a->integers + a->size};
}

std::vector<double> Node::reals(const char* name) const {
  const coracle_attribute* a = host_.find_attribute(node_, name);
  if (a == nullptr || a->kind != CORACLE_ATTRIBUTE_DOUBLES) return {};
  return {a->numbers, a->numbers + a->size};
}

std::vector<std::string> Node::words(const char* name) const {
  const coracle_attribute* a = host_.find_attribute(node_, name);
  if (a == nullptr || a->kind != CORACLE_ATTRIBUTE_STRINGS) return {};
  return {a->strings, a->strings + a->size};
}

int64_t whole(double number) {
  constexpr double kMost = 1e15;
  require(number >= -kMost && number <= kMost, std::to_string(number) + " is neither an axis nor a size");
  return static_cast<int64_t>(number);
}

size_t axis_of(int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  require(axis >= -n && axis < n, "axis " + std::to_string(axis) + " is outside of a rank of " + std::to_string(n));
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
}

}  // namespace coracle_xnnpack
