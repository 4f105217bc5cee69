// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/tensor.h"
#include "graph/model_info.h"
#include "model/model_files.h"

namespace coracle::internal {

struct Parameters {
  std::vector<Tensor> tensors;
  std::vector<FileStamp> files;  ///< on disk, that they were read from
  size_t mapped_bytes = 0;       ///< of elements that stay in a mapped file
};

/// The parameters of a model, in the order of `declared` (sorted bytewise by name). Elements stay in the file's bytes
/// where these are in memory (tensors keep them alive) and aligned for their type; all others are copied straight into
/// their tensor.
/// Element types and dimensions are checked against the program, and a combined file must end exactly after the last
/// parameter. Throws Error that names file and parameter.
Parameters read_parameters(const ModelFiles& files, const std::vector<TensorInfo>& declared);

/// The tensor records of a combined file.
std::vector<Tensor> read_combined_parameters(const File& file, const std::vector<TensorInfo>& declared);

/// A file of one tensor record.
Tensor read_single_parameter(const File& file, const TensorInfo& declared);

}  // namespace coracle::internal
