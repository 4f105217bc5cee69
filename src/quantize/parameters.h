// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"

namespace coracle::internal::quantize {

/// A parameter. Copies share the elements.
struct Parameter {
  DType dtype = DType::kFloat32;
  std::vector<int64_t> dims;
  std::string_view content;  ///< row-major, little-endian
  std::shared_ptr<const void> owner;

  static Parameter of(DType dtype, std::vector<int64_t> dims, std::string content);
  static Parameter of(const Tensor& tensor);
};

using ParameterMap = std::map<std::string, Parameter>;

Parameter float_parameter(const std::vector<int64_t>& dims, const std::vector<float>& values);
std::vector<float> floats_of(const Parameter& p);

/// The content of a combined file.
std::string bytes_of(const ParameterMap& parameters);

}  // namespace coracle::internal::quantize
