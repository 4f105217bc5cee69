// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/input/inputs.h"

namespace coracle::cli {

/// The inputs of one --data: a folder with NAME.npy or INDEX.npy for each input, an .npz or .json with arrays by the
/// names of inputs, or any file of a model's only input. What `given` says stands for all others. Throws Failure.
InputOptions with_data(const InputOptions& given, const std::string& data,
                       const std::vector<coracle::TensorInfo>& inputs);

}  // namespace coracle::cli
