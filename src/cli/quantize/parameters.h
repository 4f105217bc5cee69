// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
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
/// a file each. `is_file` is asked for one file after the other until there is one.
std::string parameters_path(const std::string& program, const std::string& given,
                            const std::function<bool(const std::string&)>& is_file);

/// Those of `names`, from a file of all in that order or from the folder of a file for each, with `read` for the
/// content of a file. Throws Failure.
ParameterMap read_parameter_files(const std::string& path, bool is_folder, const std::vector<std::string>& names,
                                  const std::function<std::string(const std::string&)>& read);
/// The content of a combined file.
std::string bytes_of(const ParameterMap& parameters);

}  // namespace coracle::cli
