// SPDX-License-Identifier: Apache-2.0
#include "quantize/parameters.h"

#include <cstring>
#include <utility>

#include "model/params_write.h"

namespace coracle::internal::quantize {

Parameter Parameter::of(DType dtype, std::vector<int64_t> dims, std::string content) {
  const auto owner = std::make_shared<const std::string>(std::move(content));
  return {dtype, std::move(dims), *owner, owner};
}

Parameter Parameter::of(const Tensor& tensor) {
  const auto owner = std::make_shared<const Tensor>(tensor);
  const Shape& shape = owner->shape();
  return {
      owner->dtype(), {shape.begin(), shape.end()}, {static_cast<const char*>(owner->raw()), owner->bytes()}, owner};
}

Parameter float_parameter(const std::vector<int64_t>& dims, const std::vector<float>& values) {
  return Parameter::of(DType::kFloat32, dims,
                       std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
}

std::vector<float> floats_of(const Parameter& p) {
  std::vector<float> values(p.content.size() / sizeof(float));
  std::memcpy(values.data(), p.content.data(), values.size() * sizeof(float));
  return values;
}

std::string bytes_of(const ParameterMap& parameters) {
  std::string out;
  for (const auto& [name, p] : parameters) append_record(p.dtype, p.dims, p.content, out);
  return out;
}

}  // namespace coracle::internal::quantize
