// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/quantize/program.h"

/// Parameter files of both formats: records of a header, a TensorDesc and the elements.
namespace coracle::cli {

struct Parameter {
  int64_t dtype = static_cast<int64_t>(VarDtype::kFloat32);  ///< a VarType number
  std::vector<int64_t> dims;
  std::string content;  ///< row-major, little-endian
};

using ParameterMap = std::map<std::string, Parameter>;

Parameter float_parameter(const std::vector<int64_t>& dims, const std::vector<float>& values);
std::vector<float> floats_of(const Parameter& p);

/// Where the parameters of the program file `program` are: `given`, or by Paddle's naming rules a file or the folder of
/// a file each.
std::string parameters_path(const std::string& program, const std::string& given);

/// Those of `names`, from a file of all in that order or from the folder of a file for each. Throws Failure.
ParameterMap read_parameter_files(const std::string& path, const std::vector<std::string>& names);
/// The content of a combined file.
std::string bytes_of(const ParameterMap& parameters);

}  // namespace coracle::cli
