// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/tensor.h"
#include "model/model_files.h"
#include "model/model_info.h"

namespace coracle {

/// The parameters of a model, in the order of `declared` (sorted bytewise by name). Elements stay in the file's bytes
/// (which the tensors keep alive) unless they are misaligned for their type there; those are copied, once.
/// Element types and dimensions are checked against the program, and a combined file must end exactly after the last
/// parameter. Throws Error that names file and parameter.
std::vector<Tensor> read_parameters(const ModelFiles& files, const std::vector<TensorInfo>& declared);

/// The tensor records of a combined file.
std::vector<Tensor> read_combined_parameters(const FileBytes& file, const std::vector<TensorInfo>& declared);

/// A file of one tensor record.
Tensor read_single_parameter(const FileBytes& file, const TensorInfo& declared);

}  // namespace coracle
